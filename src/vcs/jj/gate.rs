//! The gate before jj: the settings inside of a repository, links in its directory, and all of the git repository behind it, which
//! jj runs git in. Settings that jj keeps beside the user's own, as it does by now for those of a repository too, are the user's;
//! settings that an older jj kept in the repository it would take over as such, so all that is not known to be harmless asks.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::sys::Env;
use crate::vcs::gate::Verdict;
use crate::vcs::layout::jj::{git_target, repo_dir};
use crate::vcs::{files, git};

/// What only says how things look, who somebody is, or which commits are meant.
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

/// What 2.0.0 asked for: sections whose every entry may run a program.
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
/// So many entries of each directory are looked at before jj is run.
const LOOKED_AT: usize = 2_000;

/// What the working copy with this root brings.
pub fn judge(root: &Path, env: &Env) -> Verdict {
    let dot_jj = root.join(".jj");
    let repo = repo_dir(&dot_jj);
    let mut verdict = git_target(&dot_jj).map(|git| git::judge(root, &git, env)).unwrap_or_default();
    verdict.odd = odd(&dot_jj).or(verdict.odd.take());
    let places: Vec<PathBuf> = std::iter::once(dot_jj.clone()).chain(repo.clone()).collect();
    let inside: Vec<PathBuf> =
        places.iter().map(|dir| std::fs::canonicalize(dir).unwrap_or_else(|_| dir.clone())).collect();
    // The git repository was looked at by itself.
    places.iter().for_each(|dir| verdict.links(dir, &inside, |below| !below.ends_with("store/git")));
    for path in repo.map(|repo| repo.join("config.toml")).into_iter().chain([dot_jj.join("workspace-config.toml")]) {
        // jj has put them beside the user's own, and left a link.
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

/// What jj would wait for in its own directories.
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

/// Tools that are built into jj have names with a colon; a switch or a number is no program.
fn is_harmless(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with(':') || text == "none",
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => true,
        Value::Array(_) | Value::Table(_) => false,
    }
}
