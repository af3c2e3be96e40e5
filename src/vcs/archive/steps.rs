//! From commits and versions to the commits that changed a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{Before, Commit, Step, Steps, Version};
use crate::vcs::SyncError;

/// What an adapter knows of a file.
pub trait Past {
    /// A file in a commit.
    fn version(&mut self, commit: &str, path: &Path) -> Result<Option<Version>, SyncError>;

    /// The name that a file had in a parent which has none of its present name, if it can be told.
    fn former_name(&mut self, child: &str, parent: &str, path: &Path) -> Result<Option<PathBuf>, SyncError>;
}

/// What changed a file in these commits, which are all below `from`, children first.
pub fn steps(commits: Vec<Commit>, from: &[String], file: &Path, past: &mut dyn Past) -> Result<Steps, SyncError> {
    // The name in each commit, as the first child that was looked at has it.
    let mut names: HashMap<String, PathBuf> = from.iter().map(|id| (id.clone(), file.to_owned())).collect();
    let mut looked = Vec::with_capacity(commits.len());
    for commit in commits {
        let name = names.get(&commit.id).cloned().unwrap_or_else(|| file.to_owned());
        let after = past.version(&commit.id, &name)?;
        let mut before = Vec::with_capacity(commit.parents.len());
        for parent in &commit.parents {
            let mut there = name.clone();
            let mut version = past.version(parent, &there)?;
            if version.is_none()
                && after.is_some()
                && let Some(former) = past.former_name(&commit.id, parent, &name)?
            {
                version = past.version(parent, &former)?;
                there = former;
            }
            names.entry(parent.clone()).or_insert(there);
            before.push(version);
        }
        looked.push((commit, name, after, before));
    }
    let is_step = |after: &Option<Version>, before: &[Option<Version>]| match before {
        [] => after.is_some(),
        _ => before.iter().any(|version| version != after),
    };
    let mut numbers: HashMap<String, Option<usize>> = HashMap::new();
    let mut next = looked.iter().filter(|(_, _, after, before)| is_step(after, before)).count();
    let mut all = Vec::with_capacity(next);
    // Parents first, so that every link leads to a number that is known.
    for (commit, path, after, before) in looked.into_iter().rev() {
        let number = |parent: &String| numbers.get(parent).copied().flatten();
        let found = if is_step(&after, &before) {
            next -= 1;
            let links = commit.parents.iter().map(number);
            let before = before.into_iter().zip(links).map(|(version, step)| Before { version, step }).collect();
            all.push(Step { commit: commit.clone(), path, after, before });
            Some(next)
        } else {
            commit.parents.first().and_then(number)
        };
        numbers.insert(commit.id, found);
    }
    all.reverse();
    let tips = from.iter().map(|id| numbers.get(id).copied().flatten()).collect();
    names.retain(|_, name| name != file);
    Ok(Steps { all, tips, renamed: names })
}
