//! The gate before hg and sl.
//!
//! All our commands skip the repository's own settings, except a push with its hooks; for the others only links in its
//! directory matter ([`links`]). [`judge`] also lists the programs in the settings: a push would run them, and a
//! repository that names any came with more than a clone brings. That includes the settings of a local path that is
//! pushed to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::hgrc::{Settings, own_paths};
use crate::sys::Env;
use crate::sys::process::own_path;
use crate::vcs::gate::Verdict;
use crate::vcs::layout::hg::{common_dir, own_dir};
use crate::vcs::{Kind, files};

/// Sections in which every value is a program, or may become one.
const SECTIONS: [&str; 18] = [
    "alias",
    "auth",
    "cmdserver",
    "committemplate",
    "decode",
    "defaults",
    "diff-tools",
    "encode",
    "extdiff",
    "fix",
    "hooks",
    "hostfingerprints",
    "hostsecurity",
    "logtoprocess",
    "schemes",
    "smtp",
    "tortoisehg",
    "websub",
];
/// Single settings that are programs.
const NAMES: [(&str, &str); 24] = [
    ("ui", "editor"),
    ("ui", "merge"),
    ("ui", "patch"),
    ("ui", "ssh"),
    ("ui", "remotecmd"),
    ("pager", "pager"),
    ("gpg", "cmd"),
    ("email", "method"),
    ("fsmonitor", "mode"),
    ("ui", "askusername"),
    ("ui", "debugger"),
    ("ui", "origbackuppath"),
    ("ui", "tmpdir"),
    ("ui", "logtemplate"),
    ("profiling", "output"),
    ("blackbox", "logsource"),
    ("share", "pool"),
    ("web", "cacerts"),
    ("web", "errorlog"),
    ("web", "accesslog"),
    ("http_proxy", "host"),
    ("http_proxy", "passwd"),
    ("subrepos", "git:allowed"),
    ("subrepos", "svn:allowed"),
];
/// The limit for included files.
const MAX_FILES: usize = 64;

/// Links that lead out of hg's own directories: it writes its files in place.
pub(super) fn links(kind: Kind, root: &Path) -> Verdict {
    let own = own_dir(kind, root);
    let places = [common_dir(&own), Some(own)].into_iter().flatten();
    let places: Vec<PathBuf> = places.map(|dir| std::fs::canonicalize(&dir).unwrap_or(dir)).collect();
    let mut verdict = Verdict::default();
    places.iter().for_each(|dir| verdict.links(dir, &places, |below| !below.ends_with("beads")));
    // A lock is a link that dangles; hg creates them.
    verdict.asks.retain(|line| !["lock", "wlock"].iter().any(|lock| line.contains(&format!("/{lock} is a link to "))));
    verdict
}

/// The links, and all programs in the settings.
pub(super) fn judge(kind: Kind, root: &Path, env: &Env) -> Verdict {
    let mut verdict = links(kind, root);
    let before = programs(root, own_paths(kind, root), env);
    let addresses = Settings::read(kind, root, env).addresses();
    let remotes = addresses.iter().filter_map(|address| path_of_address(address, root, env));
    let mut open: Vec<PathBuf> = remotes.chain(subrepos(root)).filter(|path| path.is_dir()).collect();
    let mut seen = BTreeSet::from([root.to_owned()]);
    while let Some(path) = open.pop() {
        if seen.len() < MAX_FILES && seen.insert(path.clone()) {
            open.extend(subrepos(&path));
            verdict.join(links(kind, &path));
            verdict.asks.extend(programs(root, own_paths(kind, &path), env));
        }
    }
    verdict.asks.extend(before.iter().cloned());
    verdict.before = before;
    verdict
}

/// Repositories inside a working copy that hg enters with it, each with its own settings.
fn subrepos(root: &Path) -> Vec<PathBuf> {
    let text = |name: &str| files::text(&root.join(name)).unwrap_or_default();
    let (named, recorded) = (text(".hgsub"), text(".hgsubstate"));
    let named = named.lines().filter_map(|line| line.split_once('=')).map(|(path, _)| path.trim());
    let recorded = recorded.lines().filter_map(|line| line.split_once(' ')).map(|(_, path)| path.trim());
    let paths = named.chain(recorded).map(|path| root.join(path));
    paths.filter(|path| own_dir(Kind::Hg, path).exists()).collect()
}

/// The local path that an address means.
pub(super) fn path_of_address(address: &str, root: &Path, env: &Env) -> Option<PathBuf> {
    let path = address.strip_prefix("file://").unwrap_or(address);
    (!path.contains("://")).then(|| env.clone().at(root.to_owned()).path(path))
}

/// The settings that name programs, one line each.
fn programs(root: &Path, files: Vec<PathBuf>, env: &Env) -> BTreeSet<String> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open = files;
    while let Some(path) = open.pop() {
        if seen.len() >= MAX_FILES || !seen.insert(path.clone()) {
            continue;
        }
        let text = files::text(&path).unwrap_or_default();
        let dir = path.parent().unwrap_or(root).to_owned();
        let included = text.lines().filter_map(|line| line.strip_prefix("%include"));
        open.extend(included.map(|name| env.clone().at(dir.clone()).path(name.trim())));
        let settings = Settings::of(&text);
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let runs = settings.entries().filter(|(section, key, value)| runs(&settings, section, key, value));
        found.extend(runs.map(|(section, key, value)| format!("{name}: {section}.{key} = {value}")));
    }
    found
}

fn runs(settings: &Settings, section: &str, name: &str, value: &str) -> bool {
    let internal = value.is_empty() || value.starts_with(':') || value.starts_with("internal:");
    match section {
        // Without a path it is an extension of the program itself; `!` disables one.
        "extensions" => !value.is_empty() && !value.starts_with('!'),
        "merge-tools" => !(internal || is_own(settings, name)),
        "paths" => problem(value).is_some(),
        _ if SECTIONS.contains(&section) => !value.is_empty(),
        _ => NAMES.contains(&(section, name)) && !internal,
    }
}

/// Whether it is a setting of the merge tool that `bd` installs, which names no other program.
fn is_own(settings: &Settings, name: &str) -> bool {
    let Some(tool) = name.strip_prefix("bd.") else { return false };
    let own = own_path().map(|path| path.display().to_string());
    let executable = settings.get("merge-tools", "bd.executable");
    let harmless = executable.is_none_or(|path| path == "bd" || Some(path) == own.as_deref());
    harmless && matches!(tool, "executable" | "args" | "premerge" | "priority" | "binary" | "symlink" | "gui" | "check")
}

/// Why a value is not used as an address.
pub(super) fn problem(address: &str) -> Option<&'static str> {
    let host = address.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
    let host = host.map(|host| host.rsplit_once('@').map_or(host, |(_, host)| host).to_ascii_lowercase());
    let scheme = address.split(['/', '?', '#']).next().unwrap_or(address);
    if address.starts_with('-') {
        Some("it begins like an option")
    } else if address.chars().any(char::is_control) {
        Some("it holds a control character")
    } else if scheme.contains("::") {
        Some("it names a program")
    } else if host.is_some_and(|host| host.starts_with('-') || host.starts_with("%2d")) {
        Some("its host begins like an option")
    } else {
        None
    }
}
