//! Programs that the settings inside of a repository name. Settings that jj keeps beside the user's own, as it does by now
//! for those of a repository too, are the user's.

use std::path::Path;

use toml::{Table, Value};

use super::repo_dir;
use crate::vcs::files;

/// Sections whose every entry may run a program.
const SECTIONS: [&str; 4] = ["aliases", "fix", "merge-tools", "core"];

/// Single settings that name programs, or make jj start one.
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

/// One line for each setting; sorted.
pub fn programs(dot_jj: &Path) -> Vec<String> {
    let repo = repo_dir(dot_jj).map(|repo| repo.join("config.toml"));
    let mut lines = Vec::new();
    for path in repo.into_iter().chain([dot_jj.join("workspace-config.toml")]) {
        let Some(text) = files::text(&path) else { continue };
        match text.parse::<Table>() {
            Ok(table) => collect("", &table, &mut lines),
            Err(_) => lines.push(format!("{}: not readable", path.display())),
        }
    }
    lines.sort();
    lines.dedup();
    lines
}

fn collect(prefix: &str, table: &Table, lines: &mut Vec<String>) {
    for (key, value) in table {
        // Settings under a condition.
        if prefix.is_empty() && key == "--scope" {
            let scopes = value.as_array().into_iter().flatten().filter_map(Value::as_table);
            scopes.for_each(|scope| collect("", scope, lines));
            continue;
        }
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Table(inner) => collect(&path, inner, lines),
            value if names_program(&path) && !is_harmless(value) => lines.push(format!("jj config {path} = {value}")),
            _ => {}
        }
    }
}

fn names_program(path: &str) -> bool {
    let within = |outer: &str| path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    !path.starts_with(OWN) && SECTIONS.iter().chain(&SETTINGS).any(|outer| within(outer))
}

/// Tools that are built into jj have names with a colon; a switch or a number is no program.
fn is_harmless(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with(':') || text == "none",
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => true,
        Value::Array(_) | Value::Table(_) => false,
    }
}
