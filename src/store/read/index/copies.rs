//! Several lines with one id, in one ledger or in several; and problems in lines.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::find::is_rejected;
use super::parts::{Index, Row, Sources, Texts};
use crate::cache::Key;
use crate::ledger::{Damage, Finding, Problem};
use crate::model::proposal::{Proposal, State, Visibility};
use crate::model::record::Record;
use crate::model::{issue, proposal};
use crate::store::Result;
use crate::store::project::warning::LineWarning;

/// The line is a proposal that awaits a decision.
fn is_open_proposal(line: &str) -> bool {
    let Ok(record) = Record::parse(line) else { return false };
    let state = Proposal::of(&record).map(|proposal| proposal.state);
    Visibility::of(&record) == Visibility::Proposed && state == Some(State::Open) && !proposal::is_turned_down(&record)
}

/// The id of an accepted proposal in a line; with `or_open`, also of an open one.
fn accepted(line: &str, or_open: bool) -> Option<String> {
    let proposal = Proposal::of(&Record::parse(line).ok()?)?;
    (proposal.state == State::Accepted || or_open && proposal.state == State::Open).then_some(proposal.id)
}

impl Index {
    /// Of several copies of one issue, shows the primary's unless it was rejected, else that of the first repo; of
    /// several lines in one repo the latest, then the greatest by bytes.
    pub(super) fn settle_copies(&mut self, sources: &Sources, texts: &Texts) -> Result<()> {
        let groups = self.cache_mut().duplicates()?;
        // An image may contain copies that are gone.
        if groups.is_empty() && self.doubled.is_empty() && !self.cache_mut().knows_copies() {
            return Ok(());
        }
        let mut shadowed = Vec::new();
        let (mut proposed_copies, mut loans, mut accepted_pairs) = (Vec::new(), Vec::new(), Vec::new());
        self.doubled.clear();
        for group in groups {
            let rank = |key: &Key| {
                let text = self.text(texts, *key);
                let updated = Record::parse(&text).ok();
                let updated = updated.and_then(|r| r.time("updated_at"));
                // Equal copies: the last one in the file, which is also the one that a write edits.
                (
                    !is_rejected(&text),
                    Reverse(sources.all[self.keys.places[*key as usize].0 as usize].member),
                    updated,
                    text,
                    self.keys.places[*key as usize],
                )
            };
            let best = group.iter().max_by(|a, b| rank(a).cmp(&rank(b))).copied();
            shadowed.extend(group.iter().filter(|key| Some(**key) != best));
            // Private blockers of a proposed issue block it in this view too.
            if let Some(best) = best.filter(|key| is_open_proposal(&self.text(texts, *key))) {
                let others = group.iter().filter(|key| **key != best && is_open_proposal(&self.text(texts, **key)));
                proposed_copies.extend(others.map(|key| (*key, best)));
            }
            // So do those of an accepted one, if the project does not have them; the project's line has the others.
            if let Some((best, id)) = best.and_then(|key| Some((key, accepted(&self.text(texts, key), false)?))) {
                let others = group.iter().filter(|key| **key != best);
                for key in others.filter(|key| accepted(&self.text(texts, **key), true).as_ref() == Some(&id)) {
                    loans.extend(self.private_targets(texts, *key, best).map(|target| (*key, best, Some(target))));
                    accepted_pairs.push((*key, best));
                }
            }
            let mut places: Vec<(u32, u32)> = group.iter().map(|key| self.keys.places[*key as usize]).collect();
            places.sort_unstable();
            let id = best.map(|key| self.text(texts, key)).and_then(|text| {
                let record = Record::parse(&text).ok()?;
                record.string("id").map(Cow::into_owned)
            });
            self.doubled.push((id.unwrap_or_default(), places));
        }
        self.cache_mut().set_shadowed(&shadowed)?;
        loans.extend(proposed_copies.iter().map(|(lender, borrower)| (*lender, *borrower, None)));
        self.cache_mut().lend_edges(&loans)?;
        self.proposed_copies = proposed_copies;
        self.accepted = accepted_pairs;
        Ok(())
    }

    /// The blockers and parents of one copy that the ledger of another lacks.
    fn private_targets(&self, texts: &Texts, copy: Key, other: Key) -> impl Iterator<Item = String> {
        let text = self.text(texts, copy);
        let edges = Record::parse(&text).map(|record| issue::dependencies_of(&record)).unwrap_or_default();
        let ledger = self.keys.places[other as usize].0 as usize;
        edges.into_iter().map(|edge| edge.target).filter(move |target| texts.line(ledger, target).is_none())
    }

    /// The problems in lines.
    pub(super) fn oddities(&self, sources: &Sources, texts: &Texts) -> Vec<LineWarning> {
        sources.all.iter().enumerate().flat_map(|(n, _)| sources.odd_lines(texts, Some(self), n)).collect()
    }
}

impl Sources {
    /// The problems in lines; damaged lines are known after indexing, conflict markers and a torn end at once. An image
    /// has no problems.
    pub(crate) fn warnings(&self) -> Vec<LineWarning> {
        let odd = |texts: &Texts, index: Option<&Index>| -> Vec<LineWarning> {
            (0..self.all.len()).flat_map(|n| self.odd_lines(texts, index, n)).collect()
        };
        let found = self.texts.last(|texts| match texts.image {
            Some(_) => Vec::new(),
            None => self.index.last(|index| odd(texts, Some(index))).unwrap_or_else(|| odd(texts, None)),
        });
        found.unwrap_or_default()
    }

    fn odd_lines(&self, texts: &Texts, index: Option<&Index>, n: usize) -> Vec<LineWarning> {
        let mut found = Vec::new();
        let Some(document) = texts.document(n) else { return found };
        let mut add = |line: usize, problem: Problem| {
            found.push(LineWarning { file: self.all[n].ledger.path().to_owned(), finding: Finding { line, problem } });
        };
        // Text between markers is only settled by resolving them.
        let regions = document.conflicts();
        let is_inside = |line: usize| regions.iter().any(|region| region.contains(&line));
        for region in regions {
            add(region.start + 1, Problem::Conflict { until: region.end });
        }
        let torn = document.torn();
        if let Some((line, damage)) = &torn {
            add(line + 1, Problem::Torn(damage.clone()));
        }
        let rows = index.and_then(|index| index.rows[n].as_ref()).map(|(_, rows)| rows.as_slice());
        for (line, row) in rows.unwrap_or_default().iter().enumerate() {
            match row {
                Row::Damaged(Damage::Marker) => {}
                Row::Damaged(_) if torn.as_ref().is_some_and(|(at, _)| *at == line) => {}
                Row::Damaged(_) if is_inside(line) => {}
                Row::Damaged(damage) => add(line + 1, Problem::Damaged(damage.clone())),
                _ => {}
            }
        }
        for (id, places) in index.into_iter().flat_map(|index| &index.doubled) {
            let own = places.iter().filter(|place| place.0 as usize == n).map(|place| place.1 as usize);
            let lines: Vec<usize> = own.filter(|line| !is_inside(*line)).map(|line| line + 1).collect();
            if let [line, _, ..] = *lines {
                add(line, Problem::Duplicate { id: id.clone(), lines });
            }
        }
        found
    }
}
