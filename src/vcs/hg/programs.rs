//! What the settings of a repository, and not those of its user, make hg or sl run.
//!
//! None of it runs in a command of ours, since those settings are skipped. It is told all the same: such a repository came
//! with more than a clone brings, and the user's own commands would run it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::hgrc::{Settings, own_paths};
use super::remote::problem;
use crate::sys::Env;
use crate::sys::process::own_path;
use crate::vcs::{Kind, files};

/// Sections in which every value is a program, or may become one.
const SECTIONS: [&str; 12] = [
    "alias",
    "committemplate",
    "decode",
    "defaults",
    "diff-tools",
    "encode",
    "extdiff",
    "fix",
    "hooks",
    "schemes",
    "smtp",
    "tortoisehg",
];
/// Single names that are programs.
const NAMES: [(&str, &str); 10] = [
    ("ui", "editor"),
    ("ui", "merge"),
    ("ui", "patch"),
    ("ui", "ssh"),
    ("ui", "remotecmd"),
    ("pager", "pager"),
    ("gpg", "cmd"),
    ("email", "method"),
    ("auth", "command"),
    ("fsmonitor", "mode"),
];
/// So many files may include each other.
const MAX_FILES: usize = 64;

/// One line each, sorted.
pub fn programs(kind: Kind, root: &Path, env: &Env) -> Vec<String> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<PathBuf> = own_paths(kind, root);
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
    found.into_iter().collect()
}

fn runs(settings: &Settings, section: &str, name: &str, value: &str) -> bool {
    let internal = value.is_empty() || value.starts_with(':') || value.starts_with("internal:");
    match section {
        // Without a path it is one that comes with the program; `!` switches one off.
        "extensions" => !value.is_empty() && !value.starts_with('!'),
        "merge-tools" => !(internal || is_own(settings, name)),
        "paths" => problem(value).is_some(),
        _ if SECTIONS.contains(&section) => !value.is_empty(),
        _ => NAMES.contains(&(section, name)) && !internal,
    }
}

/// A setting of the merge tool that `bd` installs: it leads to no other program.
fn is_own(settings: &Settings, name: &str) -> bool {
    let Some(tool) = name.strip_prefix("bd.") else { return false };
    let own = own_path().map(|path| path.display().to_string());
    let executable = settings.get("merge-tools", "bd.executable");
    let harmless = executable.is_none_or(|path| path == "bd" || Some(path) == own.as_deref());
    harmless && matches!(tool, "executable" | "args" | "premerge" | "priority" | "binary" | "symlink" | "gui" | "check")
}
