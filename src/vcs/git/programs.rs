//! What a git repository's own settings make git run.
//!
//! Its own settings are `config` and `config.worktree` in its directory and all that these include, under any condition.
//! Hooks are not listed: they never run here, whatever `core.hooksPath` says. No program is started to find out, and what
//! cannot be read is listed too, because git may understand it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::config::File;
use gix::config::file::Metadata;
use gix::config::file::init::Options;

use super::{common_dir, own_dir};
use crate::sys::Env;
use crate::vcs::files;

/// Settings whose value is a command, or leads to one. A star stands for any name.
const COMMANDS: [&str; 32] = [
    "alias.*",
    "alias.*.command",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.*.helper",
    "credential.helper",
    "diff.*.command",
    "diff.*.textconv",
    "diff.external",
    "filter.*.clean",
    "filter.*.process",
    "filter.*.smudge",
    "gpg.*.defaultKeyCommand",
    "gpg.*.program",
    "gpg.program",
    "hook.*.command",
    "lfs.customtransfer.*.path",
    "lfs.extension.*.clean",
    "lfs.extension.*.smudge",
    "merge.*.driver",
    "remote.*.receivepack",
    "remote.*.uploadpack",
    "remote.*.vcs",
    "sequence.editor",
    "trailer.*.cmd",
    "trailer.*.command",
    "uploadpack.packObjectsHook",
    "interactive.diffFilter",
];

/// Ways to a remote that are no program of somebody's choice.
const PROTOCOLS: [&str; 5] = ["https", "ssh", "file", "git", "http"];

/// How deep files may include each other; git stops at the same depth.
const DEPTH: usize = 10;
const LONGEST: usize = 120;

/// One line for each, sorted.
pub fn programs(root: &Path, env: &Env) -> Vec<String> {
    programs_of(root, &root.join(".git"), env)
}

/// The same for a repository that is kept elsewhere.
pub fn programs_of(root: &Path, dot_git: &Path, env: &Env) -> Vec<String> {
    let own = own_dir(dot_git).unwrap_or_else(|| dot_git.to_owned());
    let common = common_dir(dot_git).unwrap_or_else(|| own.clone());
    let mut search = Search { root, own: &own, home: env.home(), seen: BTreeSet::new(), found: BTreeSet::new() };
    let files = [common.join("config"), own.join("config.worktree"), common.join("config.worktree")];
    files.into_iter().for_each(|file| search.file(&file, 0));
    search.found.into_iter().collect()
}

struct Search<'a> {
    root: &'a Path,
    own: &'a Path,
    home: Option<PathBuf>,
    seen: BTreeSet<PathBuf>,
    found: BTreeSet<String>,
}

impl Search<'_> {
    fn file(&mut self, path: &Path, depth: usize) {
        let Ok(real) = std::fs::canonicalize(path) else { return };
        if depth > DEPTH || !self.seen.insert(real.clone()) {
            return;
        }
        let parse = |bytes: Vec<u8>| {
            let options = Options { lossy: true, ..Options::default() };
            File::from_bytes_no_includes(&bytes, Metadata::api(), options).ok()
        };
        let Some(file) = files::bytes(&real).and_then(parse) else {
            self.found.insert(format!("{} cannot be read as settings of git", real.display()));
            return;
        };
        for section in file.sections() {
            let name = section.header().name().to_string().to_lowercase();
            let sub = section.header().subsection_name().map(ToString::to_string);
            let keys: BTreeSet<String> = section.value_names().map(|key| key.to_lowercase()).collect();
            for key in keys {
                for value in section.values(&key) {
                    self.setting(&real, depth, (&name, sub.as_deref(), &key), &value.to_string());
                }
            }
        }
    }

    fn setting(&mut self, file: &Path, depth: usize, (section, sub, key): (&str, Option<&str>, &str), value: &str) {
        let harmless = match (section, key) {
            ("include" | "includeif", "path") => return self.include(file, depth, value),
            ("remote", "url" | "pushurl") => !is_odd_address(value),
            ("url", "insteadof" | "pushinsteadof") => !sub.is_some_and(is_odd_address),
            // Files of another place would be committed and overwritten.
            ("core", "worktree") => self.is_root(value),
            ("core", "fsmonitor") | ("pager", _) => is_yes_or_no(value),
            ("submodule", "update") => !value.trim_start().starts_with('!'),
            ("protocol", "allow") => {
                value.eq_ignore_ascii_case("never") || sub.is_some_and(|name| PROTOCOLS.contains(&name))
            }
            ("merge", "driver") => value.is_empty() || self.is_own_driver(value),
            _ => value.is_empty() || !COMMANDS.iter().any(|pattern| matches(pattern, section, sub, key)),
        };
        if !harmless {
            let sub = sub.map(|sub| format!(".{sub}")).unwrap_or_default();
            let value: String = value.chars().take(LONGEST).collect();
            self.found.insert(format!("{section}{sub}.{key} = {value}"));
        }
    }

    fn include(&mut self, file: &Path, depth: usize, value: &str) {
        let path = match (value.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if value.starts_with('~') || value.starts_with("%(") => {
                self.found.insert(format!("include.path = {value}"));
                return;
            }
            _ => file.parent().unwrap_or(file).join(value),
        };
        self.file(&path, depth + 1);
    }

    fn is_root(&self, value: &str) -> bool {
        let [named, root] = [self.own.join(value), self.root.to_owned()].map(std::fs::canonicalize);
        matches!((named, root), (Ok(named), Ok(root)) if named == root)
    }

    /// The line that connects `bd` with git, for a `bd` of `PATH` or one that is not in the repository.
    fn is_own_driver(&self, value: &str) -> bool {
        let rest = "%O %A %B %L %P; s=$?; [ $s -le 1 ] && exit $s; exit 129";
        let Some(program) = value.strip_suffix(rest).and_then(|start| start.strip_suffix(" merge-driver ")) else {
            return false;
        };
        let quoted = program.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/._+-".contains(c));
        let path = match quoted {
            Some(inner) if !inner.contains(['\'', '\n', '\0']) => Path::new(inner),
            None if plain(program) => Path::new(program),
            _ => return false,
        };
        let foreign = |dir: &Path| {
            let [dir, path] = [dir, path].map(|path| std::fs::canonicalize(path).unwrap_or(path.to_owned()));
            !path.starts_with(dir)
        };
        let upward = path.iter().any(|part| part == "..");
        path == Path::new("bd")
            || (path.is_absolute() && path.ends_with("bd") && !upward && foreign(self.root) && foreign(self.own))
    }
}

fn is_yes_or_no(value: &str) -> bool {
    ["", "true", "false", "yes", "no", "on", "off", "1", "0"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// An address that git hands to a program of that name, or that a program could take for an option.
fn is_odd_address(address: &str) -> bool {
    let helper = address
        .find("::")
        .is_some_and(|at| address[..at].chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c)) && at > 0);
    helper || address.starts_with('-') || address.contains("://-") || address.contains(char::is_control)
}

/// The name in the middle of a setting may hold dots itself.
fn matches(pattern: &str, section: &str, sub: Option<&str>, key: &str) -> bool {
    let words: Vec<&str> = pattern.split('.').collect();
    let same = |word: &str, name: &str| word == "*" || word.eq_ignore_ascii_case(name);
    match (words.as_slice(), sub) {
        ([first, last], None) => same(first, section) && same(last, key),
        ([first, "*", last], Some(_)) => same(first, section) && same(last, key),
        ([first, prefix, "*", last], Some(sub)) => {
            let inside = sub.to_lowercase().starts_with(&format!("{}.", prefix.to_lowercase()));
            same(first, section) && same(last, key) && inside
        }
        _ => false,
    }
}
