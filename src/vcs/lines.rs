//! Which lines of a file version control has seen.

use std::path::Path;

use super::{git, open, place};
use crate::model::time::Instant;
use crate::sys::Env;

/// A line, and when it was written: no earlier commit can hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sought<'a> {
    pub text: &'a str,
    pub since: Instant,
}

/// For each line whether a commit holds it, in that very file. With git these are the commits of all local branches, elsewhere
/// it is the one below the working copy. What cannot be found out counts as no.
pub fn committed_lines(file: &Path, lines: &[Sought<'_>], env: &Env) -> Vec<bool> {
    let none = || vec![false; lines.len()];
    let Some((_, root)) = place(file) else { return none() };
    if root.join(".git").exists() {
        return git::committed_lines(file, lines).unwrap_or_else(none);
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let inside = || {
        let directory = real(file.parent()?)?;
        Some(directory.strip_prefix(real(&root)?).ok()?.join(file.file_name()?))
    };
    let version = inside().and_then(|inside| open(&root).committed(&inside, env).ok().flatten());
    let version = version.unwrap_or_default();
    let held: std::collections::HashSet<&[u8]> =
        version.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    lines.iter().map(|line| held.contains(line.text.as_bytes())).collect()
}
