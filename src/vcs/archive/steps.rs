//! Finds the commits that changed a file, from all commits and versions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::graph::Graph;
use super::results::{Before, Node, Step, Steps, Version};
use super::trail::Trail;
use crate::vcs::SyncError;

/// An adapter's knowledge about a file.
pub(crate) trait Past {
    /// A file in a commit.
    fn version(&mut self, commit: &str, path: &Path) -> Result<Option<Version>, SyncError>;

    /// The name of a file in a parent that has none of its present names, if it can be found: the name of a removed
    /// file, or of one beside it.
    fn former_name(
        &mut self,
        child: &str,
        parent: &str,
        path: &Path,
        beside: &[PathBuf],
    ) -> Result<Option<PathBuf>, SyncError>;
}

/// The names of a file in each commit, and its versions under them. Commits go by number, children first.
struct Names<'a> {
    trail: &'a Trail,
    commits: &'a [Node],
    /// Every distinct set of names; the first is that of the trail's end.
    sets: Vec<Rc<[PathBuf]>>,
    /// The set for each commit: from the first child with a file under one of its names, else from the first child.
    of: Vec<Option<(usize, bool)>>,
    /// The last lookup for each commit, with its set.
    seen: Vec<Option<(usize, Option<Version>)>>,
}

impl Names<'_> {
    fn in_commit(&self, commit: usize) -> usize {
        self.of[commit].map_or(0, |(set, _)| set)
    }

    fn number(&mut self, names: Vec<PathBuf>) -> usize {
        self.sets.iter().position(|known| **known == *names).unwrap_or_else(|| {
            self.sets.push(names.into());
            self.sets.len() - 1
        })
    }

    fn learn(&mut self, commit: usize, set: usize, is_there: bool) {
        match &mut self.of[commit] {
            Some(known) if known.1 || !is_there => {}
            known => *known = Some((set, is_there)),
        }
    }

    fn version(&mut self, past: &mut dyn Past, commit: usize, set: usize) -> Result<Option<Version>, SyncError> {
        if let Some((_, version)) = self.seen[commit].as_ref().filter(|(known, _)| *known == set) {
            return Ok(version.clone());
        }
        let mut parts = Vec::new();
        for name in self.sets[set].iter() {
            parts.extend(past.version(&self.commits[commit].id, name)?);
        }
        let version = Version::joined(parts);
        self.seen[commit] = Some((set, version.clone()));
        Ok(version)
    }

    /// The names of the file in a parent that has none of the child's names.
    fn former(
        &mut self,
        past: &mut dyn Past,
        child: usize,
        parent: usize,
        set: usize,
    ) -> Result<Option<usize>, SyncError> {
        let (child, parent) = (&self.commits[child].id, &self.commits[parent].id);
        let names = Rc::clone(&self.sets[set]);
        for name in names.iter() {
            if past.version(child, name)?.is_none() {
                continue;
            }
            let mut beside = self.trail.beside(name);
            beside.retain(|other| !names.contains(other));
            if let Some(former) = past.former_name(child, parent, name, &beside)? {
                let family = self.trail.family(former);
                return Ok(Some(self.number(family)));
            }
        }
        Ok(None)
    }
}

/// The steps that changed a file in these commits, all ancestors of `from`, children first.
pub(crate) fn steps(
    commits: Vec<Node>,
    from: &[String],
    trail: &Trail,
    past: &mut dyn Past,
) -> Result<Steps, SyncError> {
    let mut graph = graph(&commits, from);
    let (of, seen) = (vec![None; commits.len()], vec![None; commits.len()]);
    let mut names = Names { trail, commits: &commits, sets: vec![trail.names().into()], of, seen };
    graph.tips().iter().for_each(|tip| names.learn(*tip, 0, true));
    let mut looked = Vec::with_capacity(commits.len());
    for commit in 0..commits.len() {
        let set = names.in_commit(commit);
        let after = names.version(past, commit, set)?;
        let mut before = Vec::with_capacity(graph.parents(commit).len());
        for parent in graph.parents(commit).iter().copied() {
            let mut there = set;
            let mut version = names.version(past, parent, there)?;
            if version.is_none()
                && after.is_some()
                && let Some(former) = names.former(past, commit, parent, set)?
            {
                version = names.version(past, parent, former)?;
                there = former;
            }
            names.learn(parent, there, version.is_some());
            before.push(version);
        }
        looked.push((set, after, before));
    }
    let Names { sets, of, .. } = names;
    let renamed = of.into_iter().zip(&commits).filter_map(|(known, commit)| Some((known?.0, commit)));
    let renamed = renamed.filter(|(set, _)| *set != 0).map(|(set, commit)| (commit.id.clone(), Rc::clone(&sets[set])));
    let renamed = renamed.collect();
    // Parents first, so that every link leads to a known step; for now the oldest has the lowest number.
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
            all.push(Step { commit, names: Rc::clone(&sets[set]), after, before });
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
