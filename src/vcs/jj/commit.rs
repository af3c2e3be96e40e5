//! Committing with the program `jj`.
//!
//! The files are split off into a commit below the working copy's, which thereby keeps all else: its other changes, its
//! description, its id and its bookmarks. `jj commit` would give our message to the user's change.

use std::path::Path;

use super::config;
use crate::sys::lock::is_held;
use crate::sys::process::{Output, Program, RunError};
use crate::vcs::commit::{CommitError, Committed, Order, failed, patiently};

const SETTINGS: [&str; 4] =
    ["--no-pager", "--color=never", "--config=fsmonitor.backend=none", "--config=signing.behavior=drop"];

/// Commits these files and nothing else.
pub fn commit(order: &Order) -> Result<Committed, CommitError> {
    let dot_jj = order.root.join(".jj");
    let lock = dot_jj.join("working_copy/working_copy.lock");
    // jj would wait for another jj without end.
    patiently(order, || Ok(if is_held(&lock) { None } else { Some(()) }))?;
    let names = order.files.iter().map(|file| name(file)).collect::<Option<Vec<_>>>();
    let names = names.ok_or_else(|| CommitError::Name { root: order.root.to_owned() })?;
    let identity = identity(&dot_jj, order);
    let run = |arguments: &[&str]| -> Result<Output, CommitError> {
        let program = Program::new("jj", order.env).at(order.root).passing("JJ_CONFIG").args(SETTINGS);
        let output = program.args(&identity).args(arguments).arg("--").args(&names).run();
        let output = output.map_err(|error| match error {
            RunError::TimedOut { .. } if is_held(&lock) => order.busy(),
            error => error.into(),
        })?;
        let command = || format!("jj {}", arguments.first().unwrap_or(&""));
        if output.status.success() { Ok(output) } else { Err(failed(&command(), &output)) }
    };
    let is_changed = || Ok::<_, CommitError>(!run(&["diff", "--summary"])?.stdout.is_empty());
    if !is_changed()? {
        let there = order.files.iter().map(|file| order.root.join(file)).find(|file| file.exists());
        let Some(there) = there else { return Ok(Committed::NothingToCommit) };
        if !run(&["file", "list"])?.stdout.is_empty() {
            return Ok(Committed::NothingToCommit);
        }
        // Untracked: the file is ignored, too large, or the user has switched off that jj takes up new files.
        let tracked = run(&["file", "track"])?;
        if !is_changed()? {
            let refused = String::from_utf8_lossy(&tracked.stderr).contains("Refused to snapshot");
            return Err(if refused { failed("jj file track", &tracked) } else { CommitError::Ignored { path: there } });
        }
    }
    run(&["split", "--insert-before=@", &format!("--message={}", order.message)])?;
    Ok(Committed::Done)
}

/// Settings that stand in for an identity that is not configured.
fn identity(dot_jj: &Path, order: &Order) -> Vec<String> {
    let (name, email) = config::identity(dot_jj, order.env);
    let name = (!name).then(|| format!("--config=user.name={}", toml::Value::from(order.author)));
    let email = (!email).then(|| "--config=user.email=\"\"".to_owned());
    name.into_iter().chain(email).collect()
}

/// A path as an expression of jj that means this file alone.
fn name(file: &Path) -> Option<String> {
    let mut text = String::from("root-file:\"");
    for c in file.to_str()?.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_ascii_control() => text.push_str(&format!("\\x{:02x}", c as u32)),
            c => text.push(c),
        }
    }
    text.push('"');
    Some(text)
}
