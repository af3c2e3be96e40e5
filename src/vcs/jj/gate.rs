//! The gate before jj: judges the settings inside a repository, links in its directory, and the whole git repository
//! behind it, in which jj runs git. Settings that jj stores beside the user's own, as it now does for a repository's
//! too, are the user's. jj would import settings that an older version stored in the repository, so all of those need
//! agreement unless they are known to be harmless.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::sys::Env;
use crate::vcs::gate::Verdict;
use crate::vcs::layout::jj::{git_target, repo_dir};
use crate::vcs::{files, git};

/// Settings about appearance, identity, or the selection of commits.
const HARMLESS: [&str; 12] = [
    "user",
    "colors",
    "revsets",
    "revset-aliases",
    "templates",
    "template-aliases",
    "snapshot",
    "remotes",
    "ui.default-command",
    "ui.default-description",
    "ui.color",
    "git.push-bookmark-prefix",
];

/// The sections that 2.0.0 listed: every entry may run a program.
const SECTIONS: [&str; 4] = ["aliases", "fix", "merge-tools", "core"];

/// The same: single settings that name programs, or make jj start one.
const SETTINGS: [&str; 9] = [
    "ui.editor",
    "ui.diff-editor",
    "ui.merge-editor",
    "ui.pager",
    "ui.diff",
    "ui.diff-formatter",
    "git.executable-path",
    "fsmonitor",
    "signing.backends",
];

/// The merge tool that `bd` itself registers.
const OWN: &str = "merge-tools.bd.";
/// How many entries of each directory are checked before jj runs.
const LOOKED_AT: usize = 2_000;

/// Judges the working copy with this root.
pub(super) fn judge(root: &Path, env: &Env) -> Verdict {
    let dot_jj = root.join(".jj");
    let repo = repo_dir(&dot_jj);
    let mut verdict = git_target(&dot_jj).map(|git| git::judge(root, &git, env)).unwrap_or_default();
    verdict.odd = odd(&dot_jj).or(verdict.odd.take());
    let places: Vec<PathBuf> = std::iter::once(dot_jj.clone()).chain(repo.clone()).collect();
    let inside: Vec<PathBuf> =
        places.iter().map(|dir| std::fs::canonicalize(dir).unwrap_or_else(|_| dir.clone())).collect();
    // The git repository was judged separately.
    places.iter().for_each(|dir| verdict.links(dir, &inside, |below| !below.ends_with("store/git")));
    for path in repo.map(|repo| repo.join("config.toml")).into_iter().chain([dot_jj.join("workspace-config.toml")]) {
        // jj has moved them beside the user's own, and left a link.
        if is_users_own(&path, env) {
            let name = format!("{} is a link to ", path.display());
            verdict.asks.retain(|line| !line.starts_with(&name));
            continue;
        }
        let Some(text) = files::text(&path) else { continue };
        match text.parse::<Table>() {
            Ok(table) => collect("", &table, &mut verdict),
            Err(_) => {
                let line = format!("{}: not readable", path.display());
                verdict.before.insert(line.clone());
                verdict.asks.insert(line);
            }
        }
    }
    verdict
}

fn is_users_own(path: &Path, env: &Env) -> bool {
    let target = path.is_symlink().then(|| std::fs::canonicalize(path).ok()).flatten();
    let home = env.config_home().and_then(|home| std::fs::canonicalize(home.join("jj")).ok());
    target.zip(home).is_some_and(|(target, home)| target.starts_with(home))
}

/// A file in jj's own directories that it would block on.
fn odd(dot_jj: &Path) -> Option<PathBuf> {
    let repo = repo_dir(dot_jj).unwrap_or_else(|| dot_jj.join("repo"));
    let parts = ["store", "op_heads", "op_heads/heads", "op_store/operations", "op_store/views", "index"];
    let places = [dot_jj.to_owned(), dot_jj.join("working_copy"), repo.clone()];
    let mut places = places.into_iter().chain(parts.map(|part| repo.join(part)));
    places.find_map(|place| files::odd_in(&place, 0, &mut { LOOKED_AT }))
}

fn collect(prefix: &str, table: &Table, verdict: &mut Verdict) {
    for (key, value) in table {
        // Settings under a condition.
        if prefix.is_empty() && key == "--scope" {
            let scopes = value.as_array().into_iter().flatten().filter_map(Value::as_table);
            scopes.for_each(|scope| collect("", scope, verdict));
            continue;
        }
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Table(inner) => collect(&path, inner, verdict),
            value => {
                let line = format!("jj config {path} = {value}");
                if !is_harmless(value) && !path.starts_with(OWN) {
                    let is_known = HARMLESS.iter().any(|outer| is_within(&path, outer)) || is_within(&path, "--when");
                    verdict.asks.extend((!is_known).then(|| line.clone()));
                    verdict.before.extend(names_program(&path).then_some(line));
                }
            }
        }
    }
}

fn names_program(path: &str) -> bool {
    SECTIONS.iter().chain(&SETTINGS).any(|outer| is_within(path, outer))
}

fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Tools that are built into jj have names with a colon; a switch or a number is not a program.
fn is_harmless(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with(':') || text == "none",
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => true,
        Value::Array(_) | Value::Table(_) => false,
    }
}
