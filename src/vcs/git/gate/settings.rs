//! Judges the settings of a repository, one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gix::config::File;
use gix::config::file::Metadata;
use gix::config::file::init::Options;

use super::table::{self, Class};
use super::{Place, Role, Search, real};
use crate::sys::Env;
use crate::sys::process::{Clearance, Program, own_path};
use crate::vcs::files;

/// The limit for nested includes, as in git.
const DEPTH: usize = 10;
const LONGEST: usize = 120;
/// Protocols that run no program chosen by the repository.
const PROTOCOLS: [&str; 5] = ["https", "ssh", "file", "git", "http"];

/// The lines that `git lfs install` writes: the user's own program, found by its name.
const LFS: [&str; 5] = [
    "git-lfs clean -- %f",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
];
/// The merge driver of the original, whose command line `bd` accepts.
const ORIGINAL: &str = "bd merge %A %O %A %B";

/// Settings that 2.0.0 listed.
const BEFORE: &str = "alias.* alias.*.command core.alternateRefsCommand core.askPass core.editor core.gitProxy core.pager \
    core.sshCommand credential.*.helper credential.helper diff.*.command diff.*.textconv diff.external filter.*.clean \
    filter.*.process filter.*.smudge gpg.*.defaultKeyCommand gpg.*.program gpg.program hook.*.command \
    lfs.customtransfer.*.path lfs.extension.*.clean lfs.extension.*.smudge merge.*.driver remote.*.receivepack \
    remote.*.uploadpack remote.*.vcs sequence.editor trailer.*.cmd trailer.*.command uploadpack.packObjectsHook \
    interactive.diffFilter core.worktree core.fsmonitor pager.* submodule.*.update protocol..allow";

/// The places of other repositories in a repository's settings.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub addresses: BTreeSet<String>,
    /// Prefixes of addresses, and their replacements.
    pub rules: Vec<(String, String)>,
    /// Directories of hooks.
    pub hooks: Vec<String>,
}

struct Setting<'a> {
    section: &'a str,
    sub: Option<&'a str>,
    key: &'a str,
    value: &'a str,
}

impl Search<'_> {
    pub(super) fn settings(&mut self, place: &Place<'_>, own: &Path, common: &Path) -> Named {
        let mut reading = Reading { place, own, seen: BTreeSet::new(), named: Named::default() };
        let files = [common.join("config"), own.join("config.worktree"), common.join("config.worktree")];
        files.into_iter().for_each(|file| self.file(&mut reading, &file, 0));
        reading.named
    }

    /// A file under its given name: git resolves includes relative to that name, not to the target of a link.
    fn file(&mut self, reading: &mut Reading<'_>, path: &Path, depth: usize) {
        if path.metadata().is_err() || depth > DEPTH || !reading.seen.insert(path.to_owned()) {
            return;
        }
        let parse = |bytes: Vec<u8>| {
            let options = Options { lossy: true, ..Options::default() };
            File::from_bytes_no_includes(&bytes, Metadata::api(), options).ok()
        };
        let Some(file) = files::bytes(path).and_then(parse) else {
            let line = format!("{} cannot be read as settings of git", path.display());
            self.verdict.before.insert(line.clone());
            self.verdict.asks.insert(reading.place.line(&line));
            return;
        };
        for section in file.sections() {
            let name = section.header().name().to_string().to_lowercase();
            let sub = section.header().subsection_name().map(ToString::to_string);
            let keys: BTreeSet<String> = section.value_names().map(|key| key.to_lowercase()).collect();
            for key in keys {
                let mut values: Vec<String> = section.values(&key).iter().map(ToString::to_string).collect();
                // A key without a value means yes.
                values.extend((section.value_implicit(&key) == Some(None)).then(|| "true".to_owned()));
                for value in &values {
                    let setting = Setting { section: &name, sub: sub.as_deref(), key: &key, value };
                    match (name.as_str(), key.as_str()) {
                        ("include" | "includeif", "path") => self.include(reading, path, depth, value),
                        _ => self.setting(reading, &setting),
                    }
                }
            }
        }
    }

    fn setting(&mut self, reading: &mut Reading<'_>, setting: &Setting<'_>) {
        let Setting { section, sub, key, value } = *setting;
        let class = reading.class(setting, self.env);
        let name = sub.map(|sub| format!(".{sub}")).unwrap_or_default();
        let shown: String = value.chars().take(LONGEST).collect();
        let line = format!("{section}{name}.{key} = {shown}");
        if reading.was_listed(setting) {
            self.verdict.before.insert(line.clone());
        }
        let line = reading.place.line(&line);
        match class {
            Class::Harmless => {}
            Class::Asks => drop(self.verdict.asks.insert(line)),
            // Our flags do not reach another git, which uses these of the idle settings.
            Class::Idle(_) if reading.place.role == Role::Remote => match (section, key) {
                ("core", "fsmonitor") | ("gc", _) => drop(self.verdict.asks.insert(line)),
                ("core", "hookspath") => reading.named.hooks.push(value.to_owned()),
                _ => {}
            },
            Class::Idle(overrides) => {
                self.verdict.idle.insert(line);
                self.verdict.overrides.extend(overrides);
            }
        }
    }

    fn include(&mut self, reading: &mut Reading<'_>, file: &Path, depth: usize, value: &str) {
        let path = match (value.strip_prefix("~/"), self.env.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if value.starts_with('~') || value.starts_with("%(") => {
                let line = format!("include.path = {value}");
                self.verdict.before.insert(line.clone());
                self.verdict.asks.insert(reading.place.line(&line));
                return;
            }
            _ => file.parent().unwrap_or(file).join(value),
        };
        self.file(reading, &path, depth + 1);
    }
}

/// The settings of one repository during reading.
struct Reading<'a> {
    place: &'a Place<'a>,
    own: &'a Path,
    seen: BTreeSet<PathBuf>,
    named: Named,
}

impl Reading<'_> {
    fn class(&mut self, setting: &Setting<'_>, env: &Env) -> Class {
        let Setting { section, sub, key, value } = *setting;
        let unless = |harmless: bool| if harmless { Class::Harmless } else { Class::Asks };
        match (section, key) {
            ("remote", "url" | "pushurl") => {
                self.named.addresses.insert(value.to_owned());
                unless(!is_odd_address(value))
            }
            ("remote", "pushdefault") | ("branch", "remote" | "pushremote") => {
                self.named.addresses.insert(value.to_owned());
                unless(!is_odd_address(value))
            }
            ("submodule", "url") => unless(!is_odd_address(value)),
            ("url", "insteadof" | "pushinsteadof") => {
                let base = sub.unwrap_or_default();
                self.named.rules.push((value.to_owned(), base.to_owned()));
                unless(!is_odd_address(base))
            }
            ("core", "worktree") => unless(self.is_root(value)),
            ("core", "fsmonitor") | ("pager", _) if is_yes_or_no(value) => Class::Harmless,
            ("http", "sslverify") => unless(is_yes(value)),
            ("submodule", "update") => unless(!value.trim_start().starts_with('!')),
            ("protocol", "allow") => {
                let is_usual = sub.is_some_and(|name| PROTOCOLS.contains(&name));
                unless(is_usual || value.eq_ignore_ascii_case("never"))
            }
            ("filter", "clean" | "smudge" | "process") if LFS.contains(&value) => Class::Harmless,
            ("merge", "driver") => unless(value.is_empty() || value == ORIGINAL || is_own_driver(value)),
            _ => match table::class(section, sub, key) {
                Some(Class::Asks) if value.is_empty() => Class::Harmless,
                Some(class) => class,
                None => unless(!table::knows(section) && !is_of_git(section, env)),
            },
        }
    }

    /// Whether 2.0.0 listed it.
    fn was_listed(&self, setting: &Setting<'_>) -> bool {
        let Setting { section, sub, key, value } = *setting;
        match (section, key) {
            ("remote", "url" | "pushurl") => is_odd_address(value),
            ("url", "insteadof" | "pushinsteadof") => sub.is_some_and(is_odd_address),
            ("core", "worktree") => !self.is_root(value),
            ("core", "fsmonitor") | ("pager", _) => !is_yes_or_no(value),
            ("submodule", "update") => value.trim_start().starts_with('!'),
            ("protocol", "allow") => {
                !value.eq_ignore_ascii_case("never") && !sub.is_some_and(|name| PROTOCOLS.contains(&name))
            }
            ("merge", "driver") if is_own_driver(value) => false,
            _ => !value.is_empty() && BEFORE.split_whitespace().any(|pattern| table::fits(pattern, section, sub, key)),
        }
    }

    /// Whether a value is the root: files of another place would be committed and overwritten. The files of a submodule
    /// are in the working copy.
    fn is_root(&self, value: &str) -> bool {
        // A linked worktree has a place of its own, unless it has its own settings.
        let is_linked = self.own.join("commondir").exists() && self.own != self.place.dot_git;
        if is_linked && !self.own.join("config.worktree").exists() {
            return true;
        }
        let named = std::fs::canonicalize(self.own.join(value));
        let root = real(self.place.root);
        // It may be that of the main worktree.
        let main = self.own.ancestors().find(|dir| dir.ends_with(".git")).and_then(Path::parent).map(real);
        let is_near =
            |named: PathBuf| [Some(&root), main.as_ref()].into_iter().flatten().any(|dir| named.starts_with(dir));
        match self.place.role {
            Role::Submodule => named.is_ok_and(is_near) || !self.own.join(value).exists(),
            Role::Own | Role::Remote => named.is_ok_and(|named| named == root),
        }
    }
}

fn is_yes(value: &str) -> bool {
    ["true", "yes", "on", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn is_yes_or_no(value: &str) -> bool {
    is_yes(value) || ["", "false", "no", "off", "0"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether git passes this address to a program that it names, or a program could take it for an option.
fn is_odd_address(address: &str) -> bool {
    let helper = address
        .find("::")
        .is_some_and(|at| address[..at].chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c)) && at > 0);
    helper || address.starts_with('-') || address.contains("://-") || address.contains(char::is_control)
}

/// Whether a line connects git with `bd`: with the `bd` of `PATH`, or with this very program. No other path counts,
/// since it may depend on the directory and lead to a file of the repository.
fn is_own_driver(value: &str) -> bool {
    let rest = "%O %A %B %L %P; s=$?; [ $s -le 1 ] && exit $s; exit 129";
    let Some(program) = value.strip_suffix(rest).and_then(|start| start.strip_suffix(" merge-driver ")) else {
        return false;
    };
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/._+-".contains(c));
    let is_own = |own: &str| {
        program == format!("'{}'", own.replace('\'', "'\\''").replace('%', "%%")) || (program == own && plain(own))
    };
    program == "bd" || own_path().is_some_and(|own| own.to_str().is_some_and(is_own))
}

/// Whether the installed git defines a section that the table does not know: it may be newer than the table. Checked
/// once per program, in the root directory, outside any repository.
fn is_of_git(section: &str, env: &Env) -> bool {
    static KNOWN: Mutex<BTreeMap<PathBuf, BTreeSet<String>>> = Mutex::new(BTreeMap::new());
    let program = Program::new("git", env, Clearance::given()).at(Path::new("/"));
    let program =
        program.var("GIT_DIR", "/dev/null").var("GIT_CONFIG_NOSYSTEM", "1").var("GIT_CONFIG_GLOBAL", "/dev/null");
    // Without git nothing is started either.
    let Some(path) = program.find() else { return false };
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let sections = known.entry(path).or_insert_with(|| {
        let printed = program.args(["help", "--config"]).run().map(|output| output.stdout).unwrap_or_default();
        let lines = String::from_utf8_lossy(&printed).to_lowercase();
        lines.lines().filter_map(|line| line.split_once('.')).map(|(section, _)| section.to_owned()).collect()
    });
    // A git that does not answer is taken to define everything.
    sections.is_empty() || sections.contains(section)
}
