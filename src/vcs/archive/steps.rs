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
    // Parents first, so that every link leads to a number that is known; the oldest has the lowest for the time being.
    let mut numbers: HashMap<String, Option<usize>> = HashMap::new();
    let mut all: Vec<Step> = Vec::new();
    for (commit, path, after, before) in looked.into_iter().rev() {
        let links: Vec<Option<usize>> =
            commit.parents.iter().map(|parent| numbers.get(parent).copied().flatten()).collect();
        let is_changed = match before.as_slice() {
            [] => after.is_some(),
            _ => before.iter().any(|version| *version != after),
        };
        let joins = links.windows(2).any(|pair| pair[0] != pair[1]);
        let found = if is_changed || joins {
            let before = before.into_iter().zip(links).map(|(version, step)| Before { version, step }).collect();
            all.push(Step { commit: commit.clone(), path, after, before });
            Some(all.len() - 1)
        } else {
            links.first().copied().flatten()
        };
        numbers.insert(commit.id, found);
    }
    all.reverse();
    let count = all.len();
    let turned = |number: Option<usize>| number.map(|number| count - 1 - number);
    for before in all.iter_mut().flat_map(|step| &mut step.before) {
        before.step = turned(before.step);
    }
    let tips = from.iter().map(|id| turned(numbers.get(id).copied().flatten())).collect();
    names.retain(|_, name| name != file);
    Ok(Steps { all, tips, renamed: names })
}
