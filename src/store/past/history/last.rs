//! The last version of an issue that has left the ledger.
//!
//! It may have left on several branches that were merged later, and each may have changed it before. Versions with
//! descendants do not count; the remaining ones are merged, so that no one's text is lost.

use std::collections::{BTreeSet, HashSet};

use super::lines::LinesOf;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::merge_issue;
use crate::vcs::Steps;

pub(super) struct Last {
    pub line: String,
    /// The step with that line; the newest, if several have it.
    pub changed: usize,
    /// The step that removed it.
    pub removed: Option<usize>,
    /// All steps that have it last, and whose lines were merged.
    pub ends: Vec<usize>,
}

/// The end of an issue on one branch: the step that has it last, the one that gave it its line, and the one that
/// removed it.
struct End {
    found: usize,
    changed: usize,
    removed: Option<usize>,
}

/// The last version of an issue, going back from some steps.
pub(super) fn last(steps: &Steps, lines: &LinesOf, tips: &[Option<usize>]) -> Option<Last> {
    let past = Past { steps, lines };
    let mut ends = past.ends(tips);
    // Newest first, like the steps.
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

    /// Where the issue is found, going back from the tips on every path.
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

    /// The step that removed the issue, starting from one without it; across a merge, on the side that lacks it.
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

    /// The step that gave an issue the line that it has in `from`.
    fn last_change(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(next) = self.links(at).find(|n| self.line(*n) == self.line(at)) {
            at = next;
        }
        at
    }

    /// All ancestors of a step.
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
