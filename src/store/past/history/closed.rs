//! Issues closed since a given time, found by comparing two states: that of then and that of now.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::changed::ids_changed_in;
use super::last::last;
use super::lines::{LinesOf, effective_lines};
use super::point::document_at;
use super::{Moment, Place};
use crate::model::record::Record;
use crate::store::{Result, Snapshot};
use crate::vcs::{Archive, Commit, Step};

impl Snapshot {
    /// The lines of issues in a repo that are closed now and were not then, by id. An issue missing from the ledger,
    /// then or now, counts with its last version.
    pub fn closed_since(&self, since: &Moment, repo: usize) -> Result<BTreeMap<String, String>> {
        let point = self.point(since, Some(repo))?;
        let mut closed = BTreeMap::new();
        for copy in self.remembering_copies(Some(repo))?.iter().filter(|copy| copy.vcs.is_versioned()) {
            for place in self.places(copy, Some(repo)) {
                closed.extend(self.with_archive(copy, |archive| self.closed_in(archive, &place, point.commit(copy)))?);
            }
        }
        Ok(closed)
    }

    fn closed_in(
        &self,
        archive: &mut dyn Archive,
        place: &Place,
        then: Option<&Commit>,
    ) -> Result<BTreeMap<String, String>> {
        let tips = archive.tips()?;
        let mut from = tips.clone();
        match then {
            Some(commit) => from.push(commit.id.clone()),
            // History before the start of a shallow clone is unknown: take the state there.
            None => {
                let steps = archive.steps(&place.trail, &tips)?.all.into_iter();
                from.extend(steps.map(|step| step.commit).filter(|commit| commit.is_cut).map(|commit| commit.id));
            }
        }
        let then = from[tips.len()..].to_vec();
        let steps = archive.steps(&place.trail, &from)?;
        let now = effective_lines(&self.present(&place.sources));
        let mut old: HashMap<String, String> = HashMap::new();
        for commit in &then {
            old.extend(effective_lines(&document_at(archive, &place.trail, commit)?));
        }

        // Candidates are issues that a step since then changed, or that are changed and uncommitted.
        let before: HashSet<String> = archive.ancestors(&then)?.into_iter().map(|commit| commit.id).collect();
        let late: Vec<Step> = steps.all.iter().filter(|step| !before.contains(&step.commit.id)).cloned().collect();
        let mut wanted = ids_changed_in(archive, &late)?;
        for tip in &tips {
            wanted.extend(document_at(archive, &place.trail, tip)?.ids().map(|id| id.into_owned()));
        }
        let is_open = |id: &str, old: &HashMap<String, String>| !old.get(id).is_some_and(|line| is_closed(line));
        wanted.retain(|id| !now.contains_key(id) && is_open(id, &old));
        wanted.extend(old.keys().filter(|id| !now.contains_key(*id) && is_open(id, &old)).cloned());
        wanted.extend(
            now.iter().filter(|(id, line)| is_closed(line) && !old.contains_key(*id)).map(|(id, _)| id.clone()),
        );
        let lines = LinesOf::read_each(archive, &steps, &wanted)?;

        let mut closed = BTreeMap::new();
        for (id, line) in now.iter().filter(|(id, line)| is_closed(line) && old.contains_key(*id) && is_open(id, &old))
        {
            closed.insert(id.clone(), line.clone());
        }
        let (tips, then) = steps.tips.split_at(tips.len());
        for id in wanted {
            let past = |tips: &[Option<usize>]| last(&steps, lines.get(&id)?, tips).map(|last| last.line);
            let line = now.get(&id).cloned().or_else(|| past(tips));
            let former = old.get(&id).cloned().or_else(|| past(then));
            if let Some(line) = line.filter(|line| is_closed(line) && !former.is_some_and(|line| is_closed(&line))) {
                closed.insert(id, line);
            }
        }
        Ok(closed)
    }
}

fn is_closed(line: &str) -> bool {
    // Parse a line only if it contains the word, or could in escaped form.
    let may_say_so = line.contains("closed") || line.contains('\\');
    may_say_so && Record::parse(line).is_ok_and(|record| record.string("status").as_deref() == Some("closed"))
}
