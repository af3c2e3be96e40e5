//! The lines of issues in versions of a ledger.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::changed::{Placed, changed_in, changes, lines_at};
use crate::ledger::Document;
use crate::store::Result;
use crate::vcs::{Archive, Changes, Spot, Steps, Version};

/// From this many issues on, finding all changes in every version is cheaper than looking each issue up.
const MANY: usize = 16;

/// The line of one issue in each version of a ledger. Each distinct line is stored once.
#[derive(Debug, Default)]
pub(super) struct LinesOf {
    versions: Rc<HashMap<Version, usize>>,
    lines: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, u32>,
    /// The line of a version, counted from one; 0 for none.
    at: Vec<u32>,
}

impl LinesOf {
    fn none(versions: &Rc<HashMap<Version, usize>>) -> Self {
        LinesOf { versions: Rc::clone(versions), at: vec![0; versions.len()], ..LinesOf::default() }
    }

    /// Looks an issue up in all versions of the steps.
    pub(super) fn read(archive: &mut dyn Archive, steps: &Steps, id: &str) -> Result<Self> {
        let mut found = Self::read_each(archive, steps, &BTreeSet::from([id.to_owned()]))?;
        Ok(found.remove(id).unwrap_or_else(|| LinesOf::none(&numbered(&versions(steps)))))
    }

    /// Looks up another id of the same issue, and fills versions without a line with its rewritten lines.
    pub(super) fn fill(
        &mut self,
        archive: &mut dyn Archive,
        steps: &Steps,
        id: &str,
        words: impl Fn(&str) -> String,
    ) -> Result<()> {
        let found = Self::read(archive, steps, id)?;
        let texts: Vec<String> = found.lines.iter().map(|line| words(line)).collect();
        for version in 0..found.at.len() {
            if let Some(line) = (found.at[version] as usize).checked_sub(1).filter(|_| self.at[version] == 0) {
                self.put(version, &texts[line]);
            }
        }
        Ok(())
    }

    /// Looks several issues up. An id that never existed has no entry.
    pub(super) fn read_each(
        archive: &mut dyn Archive,
        steps: &Steps,
        ids: &BTreeSet<String>,
    ) -> Result<HashMap<String, LinesOf>> {
        if archive.remembers() || ids.len() >= MANY || !ids.iter().all(|id| is_plain(id)) {
            return Self::trace(archive, steps, ids);
        }
        let versions = versions(steps);
        let numbers = numbered(&versions);
        let mut found = HashMap::new();
        for id in ids {
            let mut lines = LinesOf::none(&numbers);
            for (version, candidates) in
                archive.lines_with(&versions, format!("\"{id}\"").as_bytes())?.iter().enumerate()
            {
                if let Some(line) = Document::new(candidates.join(&b'\n')).effective_line(id) {
                    lines.put(version, &line);
                }
            }
            if !lines.lines.is_empty() {
                found.insert(id.clone(), lines);
            }
        }
        Ok(found)
    }

    /// The same from the changes of each step: a version has its parent's line unless it changed that issue.
    fn trace(archive: &mut dyn Archive, steps: &Steps, ids: &BTreeSet<String>) -> Result<HashMap<String, LinesOf>> {
        let versions = versions(steps);
        let numbers = numbered(&versions);
        let changed = changed_in(archive, &steps.all, Some(ids))?;
        let mut traces: HashMap<&str, Trace> = HashMap::new();
        for id in ids {
            traces.insert(id, Trace { at: vec![0; versions.len()], spots: Vec::new() });
        }
        let mut is_known = vec![false; versions.len()];
        let mut learn = |version: usize, before: Option<usize>, changes: &Changes| {
            for trace in traces.values_mut() {
                trace.at[version] = before.map_or(0, |before| trace.at[before]);
            }
            for change in changes.iter() {
                if let Some(trace) = traces.get_mut(&*change.name) {
                    trace.spots.push((version, change.after.clone()));
                    trace.at[version] = trace.spots.len() as u32;
                }
            }
        };
        // Parents first. A version that recurs is known already.
        for (step, changed) in steps.all.iter().zip(&changed).rev() {
            let Some(version) = step.after.as_ref().map(|version| numbers[version]) else { continue };
            if is_known[version] {
                continue;
            }
            let before = step.before.iter().map(|before| before.version.as_ref().map(|version| numbers[version]));
            let before: Vec<Option<usize>> = if step.before.is_empty() { vec![None] } else { before.collect() };
            let usable = before.iter().zip(changed).filter(|(before, _)| before.is_none_or(|before| is_known[before]));
            if let Some((before, changes)) = usable.min_by_key(|(_, changes)| changes.len()) {
                learn(version, *before, changes);
                is_known[version] = true;
            }
        }
        // If the file had several names, a parent may have been seen under another one.
        for version in (0..versions.len()).filter(|version| !is_known[*version]) {
            let all = changes(archive, &[(None, Some(versions[version].clone()))], Some(ids))?;
            all.iter().for_each(|all| learn(version, None, all));
        }
        let mut placed: Vec<Placed<'_>> = Vec::new();
        for (id, trace) in &traces {
            placed.extend(trace.spots.iter().map(|(version, spots)| (*id, &versions[*version], spots.as_slice())));
        }
        let mut read = lines_at(archive, &placed)?.into_iter();
        let mut found = HashMap::new();
        for (id, trace) in &traces {
            let texts: Vec<Option<String>> = read.by_ref().take(trace.spots.len()).collect();
            let mut lines = LinesOf::none(&numbers);
            let mut known = vec![None; texts.len()];
            for (version, at) in trace.at.iter().enumerate() {
                if let Some(n) = (*at as usize).checked_sub(1)
                    && let Some(text) = &texts[n]
                {
                    lines.at[version] = *known[n].get_or_insert_with(|| lines.number(text));
                }
            }
            if !lines.lines.is_empty() {
                found.insert((*id).to_owned(), lines);
            }
        }
        Ok(found)
    }

    fn put(&mut self, version: usize, text: &str) {
        self.at[version] = self.number(text);
    }

    /// The number of a line, adding it if it is new.
    fn number(&mut self, text: &str) -> u32 {
        self.numbers.get(text).copied().unwrap_or_else(|| {
            let line: Rc<str> = text.into();
            self.lines.push(Rc::clone(&line));
            self.numbers.insert(line, self.lines.len() as u32);
            self.lines.len() as u32
        })
    }

    /// The number of a version's line; equal lines have equal numbers.
    pub(super) fn which(&self, version: Option<&Version>) -> Option<usize> {
        let number = *self.at.get(*self.versions.get(version?)?)?;
        (number as usize).checked_sub(1)
    }

    pub(super) fn get(&self, version: Option<&Version>) -> Option<&str> {
        self.lines.get(self.which(version)?).map(AsRef::as_ref)
    }

    /// Every distinct line.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(AsRef::as_ref)
    }
}

/// The places of an issue's lines in the versions.
struct Trace {
    /// The place of a version, counted from one; 0 for none.
    at: Vec<u32>,
    /// The versions that changed it, and its places there.
    spots: Vec<(usize, Vec<Spot>)>,
}

fn numbered(versions: &[Version]) -> Rc<HashMap<Version, usize>> {
    Rc::new(versions.iter().cloned().enumerate().map(|(number, version)| (version, number)).collect())
}

/// Every version once, in the order of the steps.
pub(super) fn versions(steps: &Steps) -> Vec<Version> {
    let mut known = HashSet::new();
    let all = steps.all.iter().flat_map(|step| step.after.iter().chain(step.before.iter().flat_map(|b| &b.version)));
    all.filter(|version| known.insert((*version).clone())).cloned().collect()
}

/// No program escapes the characters of such an id in JSON.
pub(super) fn is_plain(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// The effective lines of several issues.
pub(super) fn effective_among(document: &Document, ids: &BTreeSet<String>) -> HashMap<String, String> {
    document.effective_among(ids).into_iter().map(|(id, n)| (id, document.line_text(n))).collect()
}

/// The effective lines of all issues in a document.
pub(super) fn effective_lines(document: &Document) -> HashMap<String, String> {
    effective_among(document, &document.ids().map(|id| id.into_owned()).collect())
}
