//! The lines of issues in versions of a ledger.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use crate::ledger::Document;
use crate::store::Result;
use crate::vcs::{Archive, Steps, Version};

/// How many versions are kept in memory: each is compared with its neighbours, and those come one after the other.
const KEPT: usize = 6;

/// The line of one issue in each version of a ledger.
#[derive(Debug, Default)]
pub struct LinesOf {
    lines: HashMap<Version, Option<String>>,
}

impl LinesOf {
    /// Looks an issue up in all versions that the steps know.
    pub fn read(archive: &mut dyn Archive, steps: &Steps, id: &str) -> Result<Self> {
        let versions = versions(steps);
        let mut lines = HashMap::new();
        if is_plain(id) {
            let found = archive.lines_with(&versions, format!("\"{id}\"").as_bytes())?;
            for (version, candidates) in versions.into_iter().zip(found) {
                lines.insert(version, effective(&Document::new(candidates.join(&b'\n')), id));
            }
        } else {
            // Such a name can be written in several ways.
            for version in versions {
                let document = Document::new(archive.text(&version)?);
                lines.insert(version, effective(&document, id));
            }
        }
        Ok(LinesOf { lines })
    }

    pub fn get(&self, version: Option<&Version>) -> Option<&str> {
        self.lines.get(version?)?.as_deref()
    }
}

/// Every version once, in the order of the steps.
pub fn versions(steps: &Steps) -> Vec<Version> {
    let mut known = HashSet::new();
    let all = steps.all.iter().flat_map(|step| step.after.iter().chain(step.before.iter().flat_map(|b| &b.version)));
    all.filter(|version| known.insert((*version).clone())).cloned().collect()
}

/// No program writes an id of these characters in more than one way.
fn is_plain(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// The line that counts for an issue.
pub fn effective(document: &Document, id: &str) -> Option<String> {
    document.effective(id).map(|n| String::from_utf8_lossy(document.text(n)).into_owned())
}

/// The lines that count for several issues.
pub fn effective_among(document: &Document, ids: &BTreeSet<String>) -> HashMap<String, String> {
    let text = |n: usize| String::from_utf8_lossy(document.text(n)).into_owned();
    document.effective_among(ids).into_iter().map(|(id, n)| (id, text(n))).collect()
}

/// Whole versions, the last few of them in memory.
#[derive(Debug, Default)]
pub struct Documents {
    kept: VecDeque<(Version, Rc<Document>)>,
}

impl Documents {
    /// A version; an absent file is empty.
    pub fn get(&mut self, archive: &mut dyn Archive, version: Option<&Version>) -> Result<Rc<Document>> {
        let Some(version) = version else { return Ok(Rc::new(Document::new(Vec::new()))) };
        if let Some((_, document)) = self.kept.iter().find(|(known, _)| known == version) {
            return Ok(Rc::clone(document));
        }
        let document = Rc::new(Document::new(archive.text(version)?));
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((version.clone(), Rc::clone(&document)));
        Ok(document)
    }
}

/// The ids whose lines are not the same in two documents.
pub fn changed_ids(one: &Document, other: &Document) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for (from, to) in [(one, other), (other, one)] {
        let known: HashSet<&[u8]> = (0..from.len()).map(|n| from.text(n)).collect();
        let new = (0..to.len()).filter(|n| !known.contains(to.text(*n)));
        ids.extend(new.filter_map(|n| to.id(n).map(|id| id.into_owned())));
    }
    ids
}
