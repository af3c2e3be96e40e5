//! The last version of an issue that has left the ledger.
//!
//! It may have left on several sides that were merged afterwards, and each side may have changed it before. A version that
//! another one grew from does not count; what is left then is merged, so that nothing that anyone wrote is missing from it.

use std::collections::{BTreeSet, HashSet};

use super::lines::LinesOf;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::merge_issue;
use crate::vcs::Steps;

pub struct Last {
    pub line: String,
    /// The step that gave it that line; the newest, if several did.
    pub changed: usize,
    /// The step that took it out.
    pub removed: Option<usize>,
    /// All steps where it was found last, and whose lines it is made of.
    pub ends: Vec<usize>,
}

/// An end of the issue: the step where it is found last, the one that gave it its line there, and the one that took it out.
struct End {
    found: usize,
    changed: usize,
    removed: Option<usize>,
}

/// What an issue was last, going back from some steps.
pub fn last(steps: &Steps, lines: &LinesOf, tips: &[Option<usize>]) -> Option<Last> {
    let past = Past { steps, lines };
    let mut ends = past.ends(tips);
    // Newest first, as the steps are.
    ends.sort_by_key(|end| end.changed);
    ends.dedup_by_key(|end| end.changed);
    if let [End { found, changed, removed }] = *ends {
        return Some(Last { line: past.line(changed)?.to_owned(), changed, removed, ends: vec![found] });
    }
    let below: Vec<HashSet<usize>> = ends.iter().map(|end| past.below(end.changed)).collect();
    let is_grown_from = |n: usize| (0..ends.len()).any(|m| m != n && below[m].contains(&ends[n].changed));
    let lasting: Vec<usize> = (0..ends.len()).filter(|n| !is_grown_from(*n)).collect();
    let (first, others) = lasting.split_first()?;
    let mut line = past.line(ends[*first].changed)?.to_owned();
    for other in others {
        let theirs = past.line(ends[*other].changed)?;
        let common: BTreeSet<&usize> = below[*first].intersection(&below[*other]).collect();
        let base = common.into_iter().find_map(|n| past.line(*n));
        let usual = DialectEvidence::of(&line).or(Dialect::default());
        line = merge_issue(base, &line, theirs, usual).map_or(line, |merged| merged.line);
    }
    let End { changed, removed, .. } = ends[*first];
    Some(Last { line, changed, removed, ends: lasting.iter().map(|n| ends[*n].found).collect() })
}

struct Past<'a> {
    steps: &'a Steps,
    lines: &'a LinesOf,
}

impl<'a> Past<'a> {
    fn line(&self, n: usize) -> Option<&'a str> {
        self.lines.get(self.steps.all[n].after.as_ref())
    }

    fn links(&self, n: usize) -> impl Iterator<Item = usize> + 'a {
        self.steps.all[n].before.iter().filter_map(|before| before.step)
    }

    /// Where the issue is found going back from the tips, on every way.
    fn ends(&self, tips: &[Option<usize>]) -> Vec<End> {
        let mut ends = Vec::new();
        let mut known = HashSet::new();
        let mut waiting: Vec<(usize, Option<usize>)> = tips.iter().flatten().map(|tip| (*tip, None)).collect();
        while let Some((n, removed)) = waiting.pop() {
            if self.line(n).is_some() {
                ends.push(End { found: n, changed: self.last_change(n), removed });
            } else if known.insert(n) {
                let remover = self.remover(n);
                waiting.extend(self.links(n).map(|link| (link, self.line(link).is_some().then_some(remover))));
            }
        }
        ends
    }

    /// The step that took the issue out, if this one lacks it: of a merge, the one on the side that lacks it.
    fn remover(&self, from: usize) -> usize {
        let mut known = HashSet::new();
        let mut at = from;
        while known.insert(at) && self.links(at).count() > 1 {
            let lacking =
                |n: &usize| self.line(*n).is_none() && !self.below(*n).iter().all(|m| self.line(*m).is_none());
            let Some(next) = self.links(at).find(lacking) else { break };
            at = next;
            while self.links(at).all(|link| self.line(link).is_none())
                && let Some(next) = self.links(at).next()
            {
                at = next;
            }
        }
        at
    }

    /// The step that gave an issue the line that it has in another one.
    fn last_change(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(next) = self.links(at).find(|n| self.line(*n) == self.line(at)) {
            at = next;
        }
        at
    }

    /// All steps below one.
    fn below(&self, from: usize) -> HashSet<usize> {
        let mut all = HashSet::new();
        let mut waiting: Vec<usize> = self.links(from).collect();
        while let Some(n) = waiting.pop() {
            if all.insert(n) {
                waiting.extend(self.links(n));
            }
        }
        all
    }
}
