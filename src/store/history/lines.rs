//! The lines of issues in versions of a ledger.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use crate::ledger::Document;
use crate::store::Result;
use crate::vcs::{Archive, Steps, Version};

/// How many versions are kept in memory: each is compared with its neighbours, and those come one after the other.
const KEPT: usize = 8;
/// From so many issues on it is cheaper to read every version once than to look for each of them.
const MANY: usize = 16;

/// The lines of some issues in versions of a ledger, by id.
pub struct Lines {
    versions: Vec<Version>,
    numbers: Rc<HashMap<Version, usize>>,
    pub found: HashMap<String, LinesOf>,
}

impl Lines {
    /// Nothing is read yet.
    pub fn in_versions(versions: Vec<Version>) -> Self {
        let numbers = versions.iter().cloned().enumerate().map(|(number, version)| (version, number));
        Lines { numbers: Rc::new(numbers.collect()), versions, found: HashMap::new() }
    }

    fn of(&mut self, id: &str) -> &mut LinesOf {
        self.found.entry(id.to_owned()).or_insert_with(|| LinesOf {
            versions: Rc::clone(&self.numbers),
            at: vec![None; self.versions.len()],
            ..LinesOf::default()
        })
    }

    /// Looks issues up in those of the versions that are wanted.
    pub fn look_up(
        &mut self,
        archive: &mut dyn Archive,
        ids: &BTreeSet<String>,
        is_wanted: impl Fn(&Version) -> bool,
    ) -> Result<()> {
        if ids.len() >= MANY || !ids.iter().all(|id| is_plain(id)) {
            return self.read(archive, |id| ids.contains(id), is_wanted);
        }
        let numbers: Vec<usize> = (0..self.versions.len()).filter(|n| is_wanted(&self.versions[*n])).collect();
        let wanted: Vec<Version> = numbers.iter().map(|n| self.versions[*n].clone()).collect();
        for id in ids {
            let candidates = archive.lines_with(&wanted, format!("\"{id}\"").as_bytes())?;
            for (number, candidates) in numbers.iter().zip(candidates) {
                let document = Document::new(candidates.join(&b'\n'));
                if let Some(line) = document.effective(id) {
                    self.of(id).put(*number, document.text(line));
                }
            }
        }
        Ok(())
    }

    /// Reads those of the versions that are wanted, each once.
    pub fn read(
        &mut self,
        archive: &mut dyn Archive,
        is_sought: impl Fn(&str) -> bool,
        is_wanted: impl Fn(&Version) -> bool,
    ) -> Result<()> {
        for number in 0..self.versions.len() {
            if !is_wanted(&self.versions[number]) {
                continue;
            }
            let document = Document::new(archive.text(&self.versions[number])?);
            for (id, lines) in document.naming(&is_sought) {
                let known = self.of(&id);
                // A line that was seen before is known to be good; of several the document knows which one counts.
                let line = match lines.as_slice() {
                    [only] if known.has(document.text(*only)) => Some(*only),
                    _ => document.effective_of(&id, lines),
                };
                if let Some(line) = line {
                    known.put(number, document.text(line));
                }
            }
        }
        Ok(())
    }
}

/// The line of one issue in each version of a ledger. A line that many versions have is kept once.
#[derive(Debug, Default)]
pub struct LinesOf {
    versions: Rc<HashMap<Version, usize>>,
    lines: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, usize>,
    /// Which line a version has, by number.
    at: Vec<Option<usize>>,
}

impl LinesOf {
    /// Looks an issue up in all versions that the steps know.
    pub fn read(archive: &mut dyn Archive, steps: &Steps, id: &str) -> Result<Self> {
        let mut lines = Lines::in_versions(versions(steps));
        lines.look_up(archive, &BTreeSet::from([id.to_owned()]), |_| true)?;
        lines.of(id);
        Ok(lines.found.remove(id).unwrap_or_default())
    }

    /// Looks another id up in the versions that have no line, and takes what is there, in other words.
    pub fn fill(
        &mut self,
        archive: &mut dyn Archive,
        steps: &Steps,
        id: &str,
        words: impl Fn(&str) -> String,
    ) -> Result<()> {
        let mut lines = Lines::in_versions(versions(steps));
        lines.look_up(archive, &BTreeSet::from([id.to_owned()]), |version| self.get(Some(version)).is_none())?;
        let Some(found) = lines.found.remove(id) else { return Ok(()) };
        let told: Vec<String> = found.lines.iter().map(|line| words(line)).collect();
        for (version, line) in found.at.iter().enumerate() {
            line.iter().for_each(|line| self.put(version, told[*line].as_bytes()));
        }
        Ok(())
    }

    /// Looks several issues up. There is no entry for those that never were there.
    pub fn read_each(
        archive: &mut dyn Archive,
        steps: &Steps,
        ids: &BTreeSet<String>,
    ) -> Result<HashMap<String, LinesOf>> {
        let mut lines = Lines::in_versions(versions(steps));
        lines.look_up(archive, ids, |_| true)?;
        Ok(lines.found)
    }

    fn has(&self, text: &[u8]) -> bool {
        self.lines.last().is_some_and(|last| last.as_bytes() == text)
            || std::str::from_utf8(text).is_ok_and(|text| self.numbers.contains_key(text))
    }

    fn put(&mut self, version: usize, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let number = self.numbers.get(text.as_ref()).copied().unwrap_or_else(|| {
            let line: Rc<str> = text.into();
            self.lines.push(Rc::clone(&line));
            self.numbers.insert(line, self.lines.len() - 1);
            self.lines.len() - 1
        });
        self.at[version] = Some(number);
    }

    pub fn get(&self, version: Option<&Version>) -> Option<&str> {
        let number = (*self.at.get(*self.versions.get(version?)?)?)?;
        self.lines.get(number).map(AsRef::as_ref)
    }

    /// Every line that it ever was, once.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(AsRef::as_ref)
    }
}

/// Every version once, in the order of the steps.
pub fn versions(steps: &Steps) -> Vec<Version> {
    let mut known = HashSet::new();
    let all = steps.all.iter().flat_map(|step| step.after.iter().chain(step.before.iter().flat_map(|b| &b.version)));
    all.filter(|version| known.insert((*version).clone())).cloned().collect()
}

/// No program writes an id of these characters in more than one way.
pub fn is_plain(id: &str) -> bool {
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

/// The lines that count for all issues of a document.
pub fn effective_lines(document: &Document) -> HashMap<String, String> {
    effective_among(document, &document.ids().map(|id| id.into_owned()).collect())
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

/// The ids whose lines are not the same in two documents, and a few more where a line is there twice.
pub fn changed_ids(one: &Document, other: &Document) -> BTreeSet<String> {
    // Most versions differ from their neighbours in a few lines: what both begin and end with is left out.
    let shorter = one.len().min(other.len());
    let start = (0..shorter).take_while(|n| one.text(*n) == other.text(*n)).count();
    let same_end = |n: &usize| one.text(one.len() - 1 - n) == other.text(other.len() - 1 - n);
    let end = (0..shorter - start).take_while(same_end).count();
    let mut ids = BTreeSet::new();
    for (from, to) in [(one, other), (other, one)] {
        let known: HashSet<&[u8]> = (start..from.len() - end).map(|n| from.text(n)).collect();
        let new = (start..to.len() - end).filter(|n| !known.contains(to.text(*n)));
        ids.extend(new.filter_map(|n| to.id(n).map(|id| id.into_owned())));
    }
    ids
}
