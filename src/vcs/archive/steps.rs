//! From commits and versions to the commits that changed a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{Before, Graph, Node, Step, Steps, Trail, Version};
use crate::vcs::SyncError;

/// What an adapter knows of a file.
pub trait Past {
    /// A file in a commit.
    fn version(&mut self, commit: &str, path: &Path) -> Result<Option<Version>, SyncError>;

    /// The name that a file had in a parent which has none of its present name, if it can be told: that of a file which went,
    /// or of one of those beside it.
    fn former_name(
        &mut self,
        child: &str,
        parent: &str,
        path: &Path,
        beside: &[PathBuf],
    ) -> Result<Option<PathBuf>, SyncError>;
}

/// Which names a file has in each commit.
struct Names<'a> {
    trail: &'a Trail,
    /// Every set of names once; the first is that of the trail's end.
    sets: Vec<Vec<PathBuf>>,
    /// The set of a commit, as the first child said that has a file under one of its names, else as the first that was asked.
    of: HashMap<String, (usize, bool)>,
}

impl Names<'_> {
    fn in_commit(&self, commit: &str) -> usize {
        self.of.get(commit).map_or(0, |(set, _)| *set)
    }

    fn number(&mut self, names: Vec<PathBuf>) -> usize {
        self.sets.iter().position(|known| *known == names).unwrap_or_else(|| {
            self.sets.push(names);
            self.sets.len() - 1
        })
    }

    fn learn(&mut self, commit: &str, set: usize, is_there: bool) {
        match self.of.get_mut(commit) {
            Some(known) if known.1 || !is_there => {}
            Some(known) => *known = (set, is_there),
            None => drop(self.of.insert(commit.to_owned(), (set, is_there))),
        }
    }

    fn version(&self, past: &mut dyn Past, commit: &str, set: usize) -> Result<Option<Version>, SyncError> {
        let mut parts = Vec::new();
        for name in &self.sets[set] {
            parts.extend(past.version(commit, name)?);
        }
        Ok(Version::joined(parts))
    }

    /// The names that the file has in a parent which has none of those that it has in the child.
    fn former(
        &mut self,
        past: &mut dyn Past,
        child: &str,
        parent: &str,
        set: usize,
    ) -> Result<Option<usize>, SyncError> {
        for name in self.sets[set].clone() {
            if past.version(child, &name)?.is_none() {
                continue;
            }
            let mut beside = self.trail.beside(&name);
            beside.retain(|other| !self.sets[set].contains(other));
            if let Some(former) = past.former_name(child, parent, &name, &beside)? {
                let family = self.trail.family(former);
                return Ok(Some(self.number(family)));
            }
        }
        Ok(None)
    }
}

/// What changed a file in these commits, which are all below `from`, children first.
pub fn steps(commits: Vec<Node>, from: &[String], trail: &Trail, past: &mut dyn Past) -> Result<Steps, SyncError> {
    let of = from.iter().map(|id| (id.clone(), (0, true))).collect();
    let mut names = Names { trail, sets: vec![trail.names().to_vec()], of };
    let mut looked = Vec::with_capacity(commits.len());
    for commit in &commits {
        let set = names.in_commit(&commit.id);
        let after = names.version(past, &commit.id, set)?;
        let mut before = Vec::with_capacity(commit.parents.len());
        for parent in &commit.parents {
            let mut there = set;
            let mut version = names.version(past, parent, there)?;
            if version.is_none()
                && after.is_some()
                && let Some(former) = names.former(past, &commit.id, parent, set)?
            {
                version = names.version(past, parent, former)?;
                there = former;
            }
            names.learn(parent, there, version.is_some());
            before.push(version);
        }
        looked.push((set, after, before));
    }
    let mut graph = graph(&commits, from);
    // Parents first, so that every link leads to a step that is known; the oldest has the lowest number for the time being.
    let mut all: Vec<Step> = Vec::new();
    for (number, (commit, (set, after, before))) in commits.into_iter().zip(looked).enumerate().rev() {
        let links = graph.links(number);
        let is_changed = match before.as_slice() {
            [] => after.is_some(),
            _ => before.iter().any(|version| *version != after),
        };
        let joins = links.windows(2).any(|pair| pair[0] != pair[1]);
        if is_changed || joins {
            let before = before.into_iter().zip(links).map(|(version, step)| Before { version, step }).collect();
            all.push(Step { commit, names: names.sets[set].clone(), after, before });
            graph.add_step(number);
        } else {
            graph.pass_on(number);
        }
    }
    all.reverse();
    let count = all.len();
    for before in all.iter_mut().flat_map(|step| &mut step.before) {
        before.step = before.step.map(|number| count - 1 - number);
    }
    let tips = graph.tips().iter().map(|tip| graph.made(*tip)).collect();
    let renamed = names.of.into_iter().filter(|(_, (set, _))| *set != 0);
    let renamed = renamed.map(|(commit, (set, _))| (commit, names.sets[set].clone())).collect();
    Ok(Steps { all, tips, renamed, graph })
}

fn graph(commits: &[Node], from: &[String]) -> Graph {
    let numbers: HashMap<&str, usize> =
        commits.iter().enumerate().map(|(number, commit)| (commit.id.as_str(), number)).collect();
    let known =
        |ids: &[String]| -> Vec<usize> { ids.iter().filter_map(|id| numbers.get(id.as_str()).copied()).collect() };
    let parents = commits.iter().map(|commit| known(&commit.parents)).collect();
    Graph::new(parents, known(from), commits.iter().any(|commit| commit.is_cut))
}
