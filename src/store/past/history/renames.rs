//! Former ids of an issue, and its current one.
//!
//! A planning issue gets another id when proposed, and its line records the former one. `bd rename-prefix` records
//! none; there, an issue that appears in the commit in which another disappears is the same one if both have the same
//! creation time and their ids differ only in the prefix.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::PastLine;
use super::lines::{LinesOf, is_plain};
use super::point::document_at;
use crate::ledger::Document;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::proposal::{FORMER_ID, Names};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::{id, proposal};
use crate::store::{Result, Snapshot};
use crate::vcs::{Archive, Steps, Version};

/// How many renames of one issue to follow.
const MAX_RENAMES: usize = 16;

impl LinesOf {
    /// Adds the lines that the issue had under former ids. Returns all its ids, the current one first.
    pub(super) fn follow(
        &mut self,
        archive: &mut dyn Archive,
        steps: &Steps,
        id: &str,
        now: &Document,
    ) -> Result<Vec<String>> {
        let is_committed = steps.tips.iter().flatten().any(|tip| self.get(steps.all[*tip].after.as_ref()).is_some());
        let new = if is_committed { None } else { now.effective_line(id) };
        let mut known = vec![id.to_owned()];
        while known.len() <= MAX_RENAMES {
            let kept = self.all().chain(new.as_deref()).filter_map(kept_id).find(|id| !known.contains(id));
            let former = match kept {
                Some(former) => Some(former),
                None => self.other_prefix(archive, steps, new.as_deref(), now)?.filter(|id| !known.contains(id)),
            };
            let Some(former) = former else { break };
            self.fill(archive, steps, &former, |line| naming_itself(line, &former, id))?;
            known.push(former);
        }
        Ok(known)
    }

    /// The id that the issue had before the whole ledger got another prefix. `new` is its line if that is not
    /// committed.
    fn other_prefix(
        &self,
        archive: &mut dyn Archive,
        steps: &Steps,
        new: Option<&str>,
        now: &Document,
    ) -> Result<Option<String>> {
        let made = |step: usize| Some((steps.all[step].after.as_ref()?, steps.all[step].commit.committed));
        if let Some(line) = new {
            for (version, committed) in steps.tips.iter().flatten().filter_map(|tip| made(*tip)) {
                let former = namesake(archive, line, version, committed)?;
                if let Some(former) = former.filter(|id| !now.has_id(id)) {
                    return Ok(Some(former));
                }
            }
        }
        for step in &steps.all {
            let (Some(after), Some(line)) = (&step.after, self.get(step.after.as_ref())) else { continue };
            if step.before.iter().any(|before| self.get(before.version.as_ref()).is_some()) {
                continue;
            }
            for (version, committed) in step.before.iter().filter_map(|before| made(before.step?)) {
                if let Some(former) = namesake(archive, line, version, committed)?
                    && !names_in(archive, after, &format!("\"{former}\""))?.iter().any(|name| name.id == former)
                {
                    return Ok(Some(former));
                }
            }
        }
        Ok(None)
    }
}

/// The former id recorded in a line.
fn kept_id(line: &str) -> Option<String> {
    // Most lines record none, and need not be parsed.
    let record = if line.contains(FORMER_ID) { Record::parse(line).ok()? } else { return None };
    record.string(FORMER_ID).map(|id| id.into_owned())
}

/// A line with the former id replaced in its own comments and edges, so that the rename itself does not count as a
/// change.
fn naming_itself(line: &str, former: &str, id: &str) -> String {
    let names = Names::from([(former.to_owned(), id.to_owned())]);
    let (Ok(record), Some(new)) = (Record::parse(line), proposal::renamed(line, &names)) else {
        return line.to_owned();
    };
    let Ok(renamed) = Record::parse(&new) else { return line.to_owned() };
    let raw = |key: &'static str| (key, record.raw(key).map(str::to_owned));
    renamed.with(&[raw("id"), raw(FORMER_ID)], DialectEvidence::of(line).or(Dialect::default()))
}

/// The parts of an issue that survive a change of prefix.
struct Name {
    id: String,
    created: String,
}

impl Name {
    /// `None` for an issue whose id has no prefix, or that has no creation time.
    fn of(line: &str) -> Option<Self> {
        let record = Record::parse(line).ok()?;
        let id = record.string("id").filter(|id| id::prefix_of(id).is_some())?.into_owned();
        Some(Name { id, created: record.string("created_at")?.into_owned() })
    }

    fn is_renamed(&self, other: &Name) -> bool {
        self.id != other.id && id::hash_of(&self.id) == id::hash_of(&other.id) && self.created == other.created
    }
}

/// The issue in a version whose id differs from that of a line only in the prefix.
fn namesake(archive: &mut dyn Archive, line: &str, version: &Version, committed: Instant) -> Result<Option<String>> {
    let Some(name) = Name::of(line).filter(|name| is_plain(&name.id)) else { return Ok(None) };
    // An issue created after the commit cannot be in it; for most issues this check is enough.
    if Instant::parse(&name.created).is_some_and(|created| created > committed) {
        return Ok(None);
    }
    let names = names_in(archive, version, &format!("-{}\"", id::hash_of(&name.id)))?;
    Ok(names.into_iter().find(|other| name.is_renamed(other)).map(|other| other.id))
}

/// The issues in a version whose lines contain a text.
fn names_in(archive: &mut dyn Archive, version: &Version, text: &str) -> Result<Vec<Name>> {
    let lines = archive.lines_with(std::slice::from_ref(version), text.as_bytes())?;
    Ok(lines.iter().flatten().filter_map(|line| Name::of(std::str::from_utf8(line).ok()?)).collect())
}

impl Snapshot {
    /// The current id of an issue if no ledger has it under this one.
    pub fn renamed_since(&self, id: &str) -> Result<Option<String>> {
        if self.owner(id).is_some() {
            return Ok(None);
        }
        let past = self.last_in_history(id)?;
        past.map_or(Ok(None), |past| self.called_now(&past))
    }

    /// The current id of an issue that has left the ledger, as far as ledgers and history show.
    pub fn called_now(&self, past: &PastLine) -> Result<Option<String>> {
        Ok(self.called_now_each(std::slice::from_ref(past))?.remove(&past.id))
    }

    /// The same for several, by their former ids.
    pub fn called_now_each(&self, pasts: &[PastLine]) -> Result<HashMap<String, String>> {
        let mut names = self.next_names(pasts)?;
        for _ in 1..MAX_RENAMES {
            // An issue that has left again may have been renamed again.
            let gone: BTreeSet<String> = names.values().filter(|id| self.owner(id).is_none()).cloned().collect();
            let pasts: Vec<PastLine> = match gone.is_empty() {
                true => Vec::new(),
                false => self.last_of_each(&gone)?.into_values().collect(),
            };
            let later = self.next_names(&pasts)?;
            if later.is_empty() {
                break;
            }
            names.values_mut().for_each(|id| *id = later.get(id).unwrap_or(id).clone());
        }
        names.retain(|old, new| old != new);
        Ok(names)
    }

    /// The ids under which issues reappeared when they left. Those that left in one commit are looked up together.
    fn next_names(&self, pasts: &[PastLine]) -> Result<HashMap<String, String>> {
        let mut left: BTreeMap<(usize, Option<&str>), Vec<&PastLine>> = BTreeMap::new();
        for past in pasts {
            left.entry((past.repo, past.removed.as_ref().map(|commit| commit.id.as_str()))).or_default().push(past);
        }
        let mut names = HashMap::new();
        for ((repo, removed), pasts) in left {
            for copy in self.remembering_copies(Some(repo))?.iter().filter(|copy| copy.vcs.is_versioned()) {
                for place in self.places(copy, Some(repo)) {
                    let after = match removed {
                        Some(commit) => {
                            self.with_archive(copy, |archive| document_at(archive, &place.trail, commit))?
                        }
                        None => self.present(&place.sources),
                    };
                    names.extend(next_names_in(&after, &pasts));
                }
            }
        }
        Ok(names)
    }
}

fn next_names_in(after: &Document, pasts: &[&PastLine]) -> HashMap<String, String> {
    let ids: BTreeSet<&str> = pasts.iter().map(|past| past.id.as_str()).collect();
    let named: Vec<Name> = pasts.iter().filter_map(|past| Name::of(&past.line)).collect();
    let by_hash: HashMap<&str, &Name> = named.iter().map(|name| (id::hash_of(&name.id), name)).collect();
    // A proposal undone by `bd undo` has its former id again.
    let back = pasts.iter().filter_map(|past| Some((past.id.clone(), kept_id(&past.line)?)));
    let mut names: HashMap<String, String> = back.filter(|(_, former)| after.has_id(former)).collect();
    for n in 0..after.len() {
        let Some(id) = after.id(n) else { continue };
        let Ok(line) = std::str::from_utf8(after.text(n)) else { continue };
        let kept = kept_id(line).filter(|former| ids.contains(former.as_str()));
        let old = by_hash.get(id::hash_of(&id)).filter(|old| Name::of(line).is_some_and(|new| old.is_renamed(&new)));
        if let Some(former) = kept.or_else(|| old.map(|old| old.id.clone())) {
            names.insert(former, id.into_owned());
        }
    }
    names
}
