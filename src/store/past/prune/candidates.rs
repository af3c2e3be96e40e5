//! Which lines of a ledger are old enough to prune, and which of them must stay on their own account.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::outcome::{Commits, Kept, KeptIssue, NEWS_DAYS, PruneRequest, PrunedIssue};
use crate::cache::Key;
use crate::ledger::Document;
use crate::model::issue::{Issue, status_of};
use crate::model::proposal::{Proposal, State, Visibility};
use crate::model::record::Record;
use crate::model::time::{DAY, Instant};
use crate::store::{Project, Snapshot};

/// An issue that may be pruned.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub issue: PrunedIssue,
    pub key: Key,
    text: Vec<u8>,
}

impl Candidate {
    pub(super) fn by_age(one: &Self, other: &Self) -> Ordering {
        (one.issue.at, &one.issue.id).cmp(&(other.issue.at, &other.issue.id))
    }

    /// Its line in a document, if that is the only one and unchanged.
    pub(super) fn only_line_in(&self, lines: Option<&Vec<usize>>, document: &Document) -> Option<usize> {
        match lines.map(Vec::as_slice) {
            Some([line]) if document.text(*line) == self.text => Some(*line),
            _ => None,
        }
    }
}

impl Project {
    /// The latest end of an issue that counts as old; `None` for any.
    fn limit(&self, issue: &Issue, request: &PruneRequest) -> Option<Instant> {
        // Others need time to learn of a deletion, whatever the size limit.
        let any_age = request.budget.is_some() && !issue.status.is_tombstone();
        request.before.or_else(|| (!any_age).then(|| self.prune_default()))
    }
}

impl Snapshot {
    /// The issues of a ledger that may be pruned as far as they alone decide it, oldest first, and those that may not.
    pub(super) fn candidates(
        &self,
        source: usize,
        request: &PruneRequest,
        kept_by: &Commits,
    ) -> (Vec<Candidate>, Vec<KeptIssue>) {
        let Some((document, _)) = self.sources.read_of(source) else { return (Vec::new(), Vec::new()) };
        let lines_of = |document: &'_ Document| -> HashSet<Vec<u8>> {
            (0..document.len()).map(|n| document.text(n).to_vec()).collect()
        };
        let (committed, published) = (lines_of(&kept_by.committed), kept_by.published.as_ref().map(lines_of));
        let mut lines: HashMap<String, usize> = HashMap::new();
        for id in self.sources.ids().unwrap_or_default() {
            *lines.entry(id.into_owned()).or_default() += 1;
        }
        let (mut old, mut kept) = (Vec::new(), Vec::new());
        for n in 0..document.len() {
            let (Some(record), Some(key)) = (document.record(n), self.sources.key_at(source, n)) else {
                continue;
            };
            if !status_of(&record).is_done() {
                continue;
            }
            let issue = Issue::decode(&record);
            let Some(at) = ended(&issue) else {
                kept.push(KeptIssue { id: issue.id, why: Kept::Undated });
                continue;
            };
            if self.limit(&issue, request).is_some_and(|limit| at >= limit) {
                continue;
            }
            let why = if lines.get(&issue.id).is_some_and(|count| *count > 1) {
                Some(Kept::Copies)
            } else if issue.pinned {
                Some(Kept::Pinned)
            } else if !committed.contains(document.text(n)) {
                Some(Kept::Uncommitted)
            } else if published.as_ref().is_some_and(|published| !published.contains(document.text(n))) {
                Some(Kept::Unpublished)
            } else {
                let is_news = at >= self.host.clock.now().plus_nanos(-NEWS_DAYS * DAY);
                bound_to_stay(&record, &issue, request.tombstones, is_news)
            };
            match why {
                Some(why) => kept.push(KeptIssue { id: issue.id, why }),
                None => {
                    let (id, title, status) = (issue.id, issue.title, issue.status.to_string());
                    let issue = PrunedIssue { id, title, status, at, bytes: document.raw(n).len() as u64 + 1 };
                    old.push(Candidate { issue, key, text: document.text(n).to_vec() });
                }
            }
        }
        // Count copies of an issue once.
        kept.sort_by(|a, b| a.id.cmp(&b.id));
        kept.dedup();
        old.sort_by(Candidate::by_age);
        (old, kept)
    }
}

/// When an issue was closed or deleted, according to its line.
///
/// Later remarks make it younger: others have yet to read them.
fn ended(issue: &Issue) -> Option<Instant> {
    let own = if issue.status.is_tombstone() { &issue.deleted_at } else { &issue.closed_at };
    let times = [own, &issue.updated_at].into_iter().flatten().map(|time| time.instant);
    times.max().or_else(|| issue.created_at.as_ref().map(|time| time.instant))
}

/// Why others still need an issue, so that it must stay.
fn bound_to_stay(record: &Record<'_>, issue: &Issue, tombstones: bool, is_news: bool) -> Option<Kept> {
    let state = Proposal::of(record).map(|proposal| proposal.state);
    let proposed = Visibility::of(record) == Visibility::Proposed;
    match state {
        Some(State::Open) if proposed => Some(Kept::Proposed),
        Some(State::Rejected) if proposed && !tombstones => Some(Kept::News),
        // The proposal's author learns here that it was accepted.
        Some(State::Accepted) if is_news && !tombstones => Some(Kept::News),
        _ if issue.status.is_tombstone() && !tombstones => Some(Kept::News),
        _ => None,
    }
}
