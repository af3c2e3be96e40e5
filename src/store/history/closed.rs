//! What was closed between a moment and now, told by two states: what an issue was then, and what it is now.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::last::last;
use super::lines::{Lines, effective_lines, versions};
use super::point::document_at;
use super::{Moment, Place};
use crate::model::record::Record;
use crate::store::{Result, View};
use crate::vcs::{Archive, Commit, Version};

impl View {
    /// The lines of the issues of a repo that are closed and were not at a moment, by id. An issue that had left the ledger, at
    /// that moment or by now, is what it was last.
    pub fn closed_since(&mut self, since: &Moment, repo: usize) -> Result<BTreeMap<String, String>> {
        self.refresh()?;
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
            // Of what was before a shallow clone ends nothing is known: it was what it is there.
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

        // What has been in the ledger since then, and may be closed now without having been closed then.
        let before: HashSet<String> = archive.ancestors(&then)?.into_iter().map(|commit| commit.id).collect();
        let (early, late): (Vec<_>, Vec<_>) = steps.all.iter().partition(|step| before.contains(&step.commit.id));
        let [early, later]: [HashSet<&Version>; 2] =
            [early, late].map(|steps| steps.into_iter().filter_map(|step| step.after.as_ref()).collect());
        let mut lines = Lines::in_versions(versions(&steps));
        let is_open = |id: &str, old: &HashMap<String, String>| !old.get(id).is_some_and(|line| is_closed(line));
        lines.read(archive, |id| !now.contains_key(id) && is_open(id, &old), |version| later.contains(version))?;
        let mut sought: BTreeSet<String> = lines.found.keys().cloned().collect();
        sought.extend(old.keys().filter(|id| !now.contains_key(*id) && is_open(id, &old)).cloned());
        sought.extend(
            now.iter().filter(|(id, line)| is_closed(line) && !old.contains_key(*id)).map(|(id, _)| id.clone()),
        );
        // A ledger that came back as it had been is a version of both times.
        lines.look_up(archive, &sought, |version| early.contains(version) || !later.contains(version))?;

        let mut closed = BTreeMap::new();
        for (id, line) in now.iter().filter(|(id, line)| is_closed(line) && old.contains_key(*id) && is_open(id, &old))
        {
            closed.insert(id.clone(), line.clone());
        }
        let (tips, then) = steps.tips.split_at(tips.len());
        for id in sought {
            let past = |tips: &[Option<usize>]| last(&steps, lines.found.get(&id)?, tips).map(|last| last.line);
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
    Record::parse(line).is_ok_and(|record| record.string("status").as_deref() == Some("closed"))
}
