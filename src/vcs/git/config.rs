//! The settings of a git repository, and evidence from its reflog.
//!
//! The given environment names the files, not that of the process, so two callers with different homes get different
//! answers. Settings of the git installation itself (its `etc` beside its `bin`) are not read: only git knows where
//! they are.

use std::path::{Path, PathBuf};

use gix::config::file::init::Options;
use gix::config::file::{Metadata, includes};
use gix::config::{File, Source, path::interpolate};

use crate::sys::Env;
use crate::vcs::layout::git::{common_dir, own_dir};
use crate::vcs::layout::opened;
use crate::vcs::{Facts, Kind, Remote, files};

/// The facts about a repository, by its `.git`.
pub(crate) fn facts(dot_git: &Path, env: &Env) -> Facts {
    let Some(common) = common_dir(dot_git) else { return Facts { kind: Kind::Git, ..Facts::default() } };
    let config = read(dot_git, env);
    let text = |key: &str| config.string(key).map(|value| value.to_string()).filter(|value| !value.trim().is_empty());
    let remotes = remotes(&config);
    let pushed = remotes.first().filter(|first| first.name == "origin" || remotes.len() == 1);
    Facts {
        kind: Kind::Git,
        role: text("beads.role").map(|role| (role, "git config beads.role".to_owned())),
        email: text("user.email"),
        pushed: pushed.and_then(|remote| pushed_branch(&common, &remote.name)),
        addresses: addresses(&config),
        remotes,
    }
}

/// The value of a setting, from any file.
pub(crate) fn text(dot_git: &Path, key: &str, env: &Env) -> Option<String> {
    read(dot_git, env).string(key).map(|value| value.to_string())
}

/// The value of a setting in the repository's own file.
pub(super) fn own_text(root: &Path, key: &str) -> Option<String> {
    let bytes = files::bytes(&common_dir(&root.join(".git"))?.join("config"))?;
    let config = File::from_bytes_no_includes(&bytes, Metadata::api(), Options::default()).ok()?;
    config.string(key).map(|value| value.to_string())
}

/// Whether git knows the user's name and email here.
pub(super) fn identity(dot_git: &Path, env: &Env) -> (bool, bool) {
    let config = read(dot_git, env);
    let known = |key: &str| config.string(key).is_some_and(|value| !value.trim_ascii().is_empty());
    (known("user.name"), known("user.email"))
}

/// All files that git would read, later ones winning. A file that cannot be parsed counts as absent.
pub(super) fn read(dot_git: &Path, env: &Env) -> File {
    let own = own_dir(dot_git).unwrap_or_else(|| dot_git.to_owned());
    let common = common_dir(dot_git).unwrap_or_else(|| own.clone());
    let mut all = File::new(Metadata::from(Source::Api));
    let add = |all: &mut File, source: Source, path: PathBuf| {
        let parse = |bytes: Vec<u8>| {
            let origin = Metadata::from(source).at(path.as_path());
            File::from_bytes_no_includes(&bytes, origin, Options::default()).ok()
        };
        if let Some(file) = files::bytes(&path).and_then(parse) {
            let _ = all.append(file);
        }
    };
    let is_true =
        |name: &str| env.var(name).is_some_and(|value| !["0", "false", "no", "off"].contains(&value.as_str()));
    if !is_true("GIT_CONFIG_NOSYSTEM") {
        add(&mut all, Source::System, env.var_os("GIT_CONFIG_SYSTEM").map_or("/etc/gitconfig".into(), PathBuf::from));
    }
    match env.var_os("GIT_CONFIG_GLOBAL") {
        Some(path) => add(&mut all, Source::User, path.into()),
        None => {
            env.config_home().into_iter().for_each(|dir| add(&mut all, Source::Git, dir.join("git/config")));
            env.home().into_iter().for_each(|home| add(&mut all, Source::User, home.join(".gitconfig")));
        }
    }
    add(&mut all, Source::Local, common.join("config"));
    if all.boolean("extensions.worktreeConfig").is_ok_and(|on| on == Some(true)) {
        add(&mut all, Source::Worktree, own.join("config.worktree"));
    }
    let branch = files::text(&own.join("HEAD")).unwrap_or_default();
    let branch = branch.strip_prefix("ref:").and_then(|name| gix::refs::FullName::try_from(name.trim()).ok());
    let home = env.home();
    let options = includes::Options {
        err_on_max_depth_exceeded: false,
        err_on_missing_config_path: false,
        ..includes::Options::follow(
            interpolate::Context { home_dir: home.as_deref(), ..Default::default() },
            includes::conditional::Context {
                git_dir: Some(&own),
                branch_name: branch.as_ref().map(gix::refs::FullName::as_ref),
            },
        )
    };
    // The library opens included files itself, and would block on a pipe.
    if odd_include(&own, &common, home.as_deref()).is_some() {
        return all;
    }
    // The files included before an error are kept.
    let _ = all.resolve_includes(Options { includes: options, ..Default::default() });
    all
}

/// The limit for chains of included files; git's own limit.
const DEPTH: usize = 10;

/// A special file that git itself would wait for in a `.git`, or a directory like it.
pub(super) fn odd_at(git: &Path, env: &Env) -> Option<PathBuf> {
    let (own, common) = (own_dir(git)?, common_dir(git)?);
    opened::odd_single(&own, &common).or_else(|| odd_include(&own, &common, env.home().as_deref()))
}

/// The first file included by a repository's settings, under any condition, that is not a regular file of a reasonable
/// size. A missing file is fine.
fn odd_include(own: &Path, common: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let files = [common.join("config"), own.join("config.worktree")];
    files.iter().find_map(|path| odd_include_in(path, home, DEPTH))
}

fn odd_include_in(path: &Path, home: Option<&Path>, depth: usize) -> Option<PathBuf> {
    if !path.exists() {
        return None;
    }
    let Some(bytes) = files::bytes(path).filter(|_| depth > 0) else { return Some(path.to_owned()) };
    let config = File::from_bytes_no_includes(&bytes, Metadata::api(), Options::default()).ok()?;
    let sections = ["include", "includeIf"].into_iter().flat_map(|name| config.sections_by_name(name)).flatten();
    let named: Vec<PathBuf> =
        sections.flat_map(|section| section.values("path")).map(|value| files::path_of(&value)).collect();
    named.into_iter().find_map(|text| {
        let at = match (text.strip_prefix("~"), home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => path.parent().unwrap_or(path).join(&text),
        };
        odd_include_in(&at, home, depth - 1)
    })
}

/// The remotes with an address, in the order of the files, `origin` first.
pub(super) fn remotes(config: &File) -> Vec<Remote> {
    let mut found: Vec<Remote> = Vec::new();
    for section in config.sections_by_name("remote").into_iter().flatten() {
        let Some(name) = section.header().subsection_name().map(ToString::to_string) else { continue };
        if found.iter().any(|remote| remote.name == name) {
            continue;
        }
        if let Some(url) = section.values("url").into_iter().next() {
            found.push(Remote { name, url: url.to_string() });
        }
    }
    found.sort_by_key(|remote| remote.name != "origin");
    found
}

/// The rules by which git rewrites addresses, as pairs of a beginning and what replaces it.
struct Rewriting {
    instead: Vec<(String, String)>,
    push_instead: Vec<(String, String)>,
}

impl Rewriting {
    fn of(config: &File) -> Self {
        let rules = |key: &str| -> Vec<(String, String)> {
            let mut rules = Vec::new();
            for section in config.sections_by_name("url").into_iter().flatten() {
                let Some(base) = section.header().subsection_name().map(ToString::to_string) else { continue };
                rules.extend(section.values(key).into_iter().map(|start| (base.clone(), start.to_string())));
            }
            rules
        };
        Rewriting { instead: rules("insteadOf"), push_instead: rules("pushInsteadOf") }
    }

    /// An address with the rewritten forms of it: the longest beginning wins.
    fn forms(&self, url: &str) -> Vec<String> {
        let rewritten = |rules: &[(String, String)]| {
            let fitting = rules.iter().filter(|(_, start)| url.starts_with(start.as_str()));
            let (base, start) = fitting.max_by_key(|(_, start)| start.len())?;
            Some(format!("{base}{}", &url[start.len()..]))
        };
        [rewritten(&self.instead), rewritten(&self.push_instead)]
            .into_iter()
            .flatten()
            .chain([url.to_owned()])
            .collect()
    }
}

/// An address that a user names, and what git would make of it.
pub(crate) fn address_forms(dot_git: &Path, address: &str, env: &Env) -> Vec<String> {
    Rewriting::of(&read(dot_git, env)).forms(address)
}

/// Every address that git would fetch from or push to, as written and as rewritten. A branch may have an address instead
/// of a remote.
fn addresses(config: &File) -> Vec<String> {
    let rewriting = Rewriting::of(config);
    let mut found = Vec::new();
    for (section, keys) in [("remote", &["url", "pushurl", "pushDefault"][..]), ("branch", &["remote", "pushRemote"])] {
        for section in config.sections_by_name(section).into_iter().flatten() {
            for url in keys.iter().flat_map(|key| section.values(key)) {
                found.extend(rewriting.forms(&url.to_string()));
            }
        }
    }
    let names: Vec<String> = remotes(config).into_iter().map(|remote| remote.name).collect();
    found.retain(|text| text != "." && !names.contains(text));
    found.sort();
    found.dedup();
    found
}

/// The remote's default branch, if its reflog shows a push from here. Refs in the reftable format are not read.
fn pushed_branch(common: &Path, remote: &str) -> Option<String> {
    let prefix = format!("refs/remotes/{remote}/");
    let head = files::text(&common.join(format!("{prefix}HEAD"))).unwrap_or_default();
    let branch = match head.strip_prefix("ref:").and_then(|target| target.trim().strip_prefix(&prefix)) {
        Some(branch) => branch.to_owned(),
        None => {
            let packed = files::text(&common.join("packed-refs")).unwrap_or_default();
            let exists = |branch: &&str| {
                let name = format!("{prefix}{branch}");
                common.join(&name).is_file() || packed.lines().any(|line| line.split(' ').nth(1) == Some(&name))
            };
            ["main", "master", "trunk"].into_iter().find(exists)?.to_owned()
        }
    };
    let log = files::bytes(&common.join("logs").join(format!("{prefix}{branch}")))?;
    let message = |line: &[u8]| line.iter().position(|byte| *byte == b'\t').map(|tab| line[tab + 1..].to_vec());
    let pushed = log.split(|byte| *byte == b'\n').filter_map(message).any(|text| text.starts_with(b"update by push"));
    pushed.then(|| format!("{remote}/{branch}"))
}

/// Nothing is below a file: only the user's own settings count then.
const NOWHERE: &str = "/dev/null";

/// The editor that the user chose for git. A repository's setting does not count, since it would be run.
pub fn user_editor(env: &Env) -> Option<String> {
    text(Path::new(NOWHERE), "core.editor", env).filter(|program| !program.trim().is_empty())
}

/// `user.name` as git would use it here.
pub fn user_name(directory: &Path, env: &Env) -> Option<String> {
    let dot_git = directory.ancestors().map(|dir| dir.join(".git")).find(|dot_git| dot_git.exists());
    text(&dot_git.unwrap_or_else(|| NOWHERE.into()), "user.name", env).filter(|name| !name.trim().is_empty())
}
