//! The past of a file in version control: its commits, its versions, and its former names.
//!
//! An adapter lists the commits, the file in each of them, and its former names. Everything that follows from these is
//! shared: [`steps`] finds the commits that changed the file. A file may have several names at once, such as a ledger
//! whose rename was a copy in one commit and a deletion in a later one: then all of them are the file.

mod changes;
mod graph;
mod order;
mod overlap;
mod results;
mod steps;
mod trail;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

pub(super) use changes::only;
pub use changes::{Change, Changes, Naming, Pair, Spot, Texts};
pub(super) use order::newest_first;
pub(super) use overlap::Likeness;
pub use results::{Before, Commit, Node, Step, Steps, Version};
pub(super) use steps::{Past, steps};
pub use trail::Trail;

use super::SyncError;
use crate::model::time::Instant;

/// Joins the texts of several files, each starting on a new line.
pub fn joined(texts: Vec<Vec<u8>>) -> Vec<u8> {
    let mut texts = texts.into_iter();
    let mut all = texts.next().unwrap_or_default();
    for text in texts {
        if all.last().is_some_and(|last| *last != b'\n') {
            all.push(b'\n');
        }
        all.extend_from_slice(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text));
    }
    all
}

/// Reads the past of one repository. Runs no program that the repository names, and changes nothing.
pub trait Archive {
    /// The commits below the working copy: one, several for a merge of jj, none before the first commit.
    fn tips(&mut self) -> Result<Vec<String>, SyncError>;

    /// The commit that a revision means, in version control's language; `None` if there is none.
    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError>;

    /// The data of a commit, by its full hash.
    fn commit(&mut self, id: &str) -> Result<Commit, SyncError>;

    /// These commits and all their ancestors, newest first, children before their parents.
    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Node>, SyncError>;

    /// A file in a commit; the path is relative to the root of the working copy.
    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError>;

    /// The steps that changed a file in these commits and their ancestors, following its former names.
    fn steps(&mut self, file: &Trail, from: &[String]) -> Result<Steps, SyncError>;

    /// The bytes of a version.
    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError>;

    /// For each version the lines that contain a text, without their ends, in order. The text has no line feed.
    fn lines_with(&mut self, versions: &[Version], text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, SyncError> {
        versions.iter().map(|version| Ok(lines_holding(&self.text(version)?, text))).collect()
    }

    /// For each pair of versions the lines with a name that only one of them has, and all others of that name. Lines
    /// that only moved may be included. Only the names in `of` count, if it is given.
    fn changes(
        &mut self,
        pairs: &[Pair],
        naming: Naming,
        of: Option<&BTreeSet<String>>,
    ) -> Result<Vec<Changes>, SyncError> {
        let mut texts = Texts::default();
        let found = pairs.iter().map(|pair| texts.changes(pair, naming, |part| self.text(part)));
        found.map(|found| found.map(|changes| of.map_or(Rc::clone(&changes), |names| only(&changes, names)))).collect()
    }

    /// For each version the lines at these spots, without their ends. Many spots in one call are faster.
    fn lines_at(&mut self, wanted: &[(&Version, &[Spot])]) -> Result<Vec<Vec<Vec<u8>>>, SyncError> {
        let mut texts = Texts::default();
        let mut found = vec![Vec::new(); wanted.len()];
        // Version by version, so that each is read once.
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|n| wanted[*n].0);
        for n in order {
            let (version, spots) = wanted[n];
            let line = |spot: &Spot| texts.line(version, *spot, |part| self.text(part));
            found[n] = spots.iter().map(line).collect::<Result<_, _>>()?;
        }
        Ok(found)
    }

    /// Whether changes are cached for the next run, so that it pays to request all of them.
    fn remembers(&self) -> bool {
        false
    }
}

/// The last commit of a branch up to a moment: from the tip along first parents.
pub fn as_of(archive: &mut dyn Archive, tip: &str, moment: Instant) -> Result<Option<Commit>, SyncError> {
    let below = archive.ancestors(&[tip.to_owned()])?;
    let known: HashMap<&str, &Node> = below.iter().map(|commit| (commit.id.as_str(), commit)).collect();
    let mut at = known.get(tip).copied();
    while let Some(commit) = at {
        if commit.committed <= moment {
            return archive.commit(&commit.id).map(Some);
        }
        at = commit.parents.first().and_then(|parent| known.get(parent.as_str())).copied();
    }
    Ok(None)
}

/// A last common commit of two commits.
pub fn merge_base(archive: &mut dyn Archive, one: &str, other: &str) -> Result<Option<Commit>, SyncError> {
    let theirs: HashSet<String> = archive.ancestors(&[other.to_owned()])?.into_iter().map(|commit| commit.id).collect();
    let base = archive.ancestors(&[one.to_owned()])?.into_iter().find(|commit| theirs.contains(&commit.id));
    base.map(|base| archive.commit(&base.id)).transpose()
}

/// The lines of a text that contain another one: the result that [`Archive::lines_with`] must have.
fn lines_holding(text: &[u8], wanted: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&text[from..], wanted) {
        let at = from + found;
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        lines.push(text[start..end].to_vec());
        if end == text.len() {
            break;
        }
        from = end + 1;
    }
    lines
}
