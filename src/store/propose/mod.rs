//! Proposals over two ledgers: propose, withdraw, accept, reject, reconcile.
//!
//! Two files cannot be replaced at once, so each operation has an order in which a crash leaves a state that the same
//! operation, or [`Store::reconcile`], recognises and finishes: a new proposal is recorded in the planning copy first,
//! then written to the target; a withdrawal saves the text in the planning copy first, then removes the target's line.
//! Accepting and rejecting change only the target. Anyone can have written a line of the target, so only what the
//! planning copy records is finished.

pub(in crate::store) mod companion;
mod decide;
mod follow;
mod join;
mod list;
pub(in crate::store) mod pair;
mod publish;
mod reconcile;
mod rename;

pub(in crate::store) use join::JoinedPair;
pub use list::ProposalRow;
pub use publish::{ProposeRequest, Proposed};
pub use reconcile::Reconciled;

use std::collections::HashMap;

use self::pair::NewLine;
use crate::ledger::LockedLedger;
use crate::model::change::Stamp;
use crate::model::json::Dialect;
use crate::model::proposal::{Include, Move, Owner, Proposal, Standing, State, Visibility};
use crate::model::record::Record;
use crate::store::write::Written;
use crate::store::{Project, Result, Snapshot, Store, StoreError};

/// Adding more new issues than this at once requires the caller to give the count.
pub(super) const MAX_GROWTH: usize = 25;

/// The copies of one issue.
struct Copies {
    target: Option<String>,
    planning: Option<(usize, String)>,
}

impl Project {
    pub(in crate::store) fn stamp<'a>(&self, actor: &'a str, line: &str) -> Stamp<'a> {
        let dialect = crate::model::json::DialectEvidence::of(line).or(Dialect::default());
        Stamp { now: self.host.clock.now(), actor, dialect }
    }

    fn fresh_proposal(&self, actor: &str, target: &str, include: Include, at: &str) -> Proposal {
        const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let bytes: [u8; 12] = self.host.entropy.bytes();
        let id: String = bytes.iter().map(|byte| char::from(DIGITS[usize::from(*byte) % 36])).collect();
        Proposal {
            id: format!("prop_{id}"),
            author: actor.to_owned(),
            target: target.to_owned(),
            state: State::Open,
            by: actor.to_owned(),
            at: at.to_owned(),
            reason: None,
            include: include.words(),
            synced: None,
        }
    }

    /// Refuses to add many issues to the primary at once, unless the caller gives the count: guards against an
    /// accidental bulk commit.
    pub fn refuse_growth(&self, repo: usize, grown: usize, count: Option<usize>) -> Result<()> {
        if repo == 0 && grown > MAX_GROWTH && count != Some(grown) {
            return Err(StoreError::TooMany { count: grown, repo: self.name(repo).to_owned() });
        }
        Ok(())
    }
}

impl Snapshot {
    fn copies_of(&self, id: &str, target: usize) -> Copies {
        let target_line = self.line_in(target, id);
        let others = self.holders(id).into_iter().filter(|n| *n != target);
        // A copy in the primary is not a plan; one in a planning repo is it before any other.
        let mut others: Vec<usize> = others.filter(|n| self.sources.member_of(*n) != 0).collect();
        others.sort_by_key(|n| !self.is_planning(self.sources.member_of(*n)));
        let planning = others.into_iter().find_map(|n| Some((n, self.line_in(n, id)?)));
        Copies { target: target_line, planning }
    }

    /// The repo that a planning copy's proposal goes to; `None` if no repo here has its prefix.
    pub(in crate::store) fn destination(&self, id: &str, own: &Proposal) -> Option<usize> {
        let is_meant =
            |repo: &usize| !self.is_planning(*repo) && self.prefix(*repo).is_ok_and(|prefix| prefix == own.target);
        let meant: Vec<usize> = (0..self.repos.members.len()).filter(is_meant).collect();
        let holds_it = |repo: &&usize| {
            let lines = self.sources.of_member(**repo).into_iter().filter_map(|source| self.line_in(source, id));
            let proposals = lines.filter_map(|line| Proposal::of(&Record::parse(&line).ok()?));
            proposals.into_iter().any(|theirs| theirs.id == own.id)
        };
        // Two of them may have the same prefix.
        meant.iter().find(holds_it).or(meant.first()).copied()
    }

    /// The repo that an issue is proposed to, as its planning copy says; otherwise the primary.
    fn destination_of(&self, id: &str) -> usize {
        let planning = self.sources.of_member(0).first().and_then(|source| self.copies_of(id, *source).planning);
        let own = planning.and_then(|(_, line)| Proposal::of(&Record::parse(&line).ok()?));
        own.and_then(|own| self.destination(id, &own)).unwrap_or(0)
    }

    /// Refuses an operation in the planning repo on an issue that is on its way to another repo.
    fn refuse_plan(&self, id: &str, target: usize, wanted: Move) -> Result<()> {
        let repo = self.sources.member_of(target);
        // The project of a plan, if the line records one.
        let plan = |id: &str| -> Option<Option<String>> {
            let line = self.line_in(target, id)?;
            let record = Record::parse(&line).ok()?;
            let is_decision = matches!(wanted, Move::Accept | Move::Reject);
            if is_decision && Proposal::of(&record).is_some_and(|proposal| proposal.synced.is_none()) {
                // The target's own line, whatever else it contains.
                return None;
            }
            match Owner::of(&record) {
                Some(owner) if !self.is_owner(&owner, repo) => Some(Some(owner.name)),
                _ => (Visibility::of(&record) == Visibility::Local).then_some(None),
            }
        };
        // An issue filed in the planning repo itself has no mark; the plans beside it show what kind of repo this is.
        let is_unmarked = || {
            let is_own = self.line_in(target, id).is_some_and(|line| {
                Record::parse(&line).is_ok_and(|record| Standing::of(Some(&record), None) == Standing::Canonical)
            });
            let beside = ["project", "visibility"].into_iter().flat_map(|key| self.sources.ids_mentioning(target, key));
            wanted == Move::Propose && is_own && beside.into_iter().any(|other| plan(&other).is_some())
        };
        match plan(id).or_else(|| is_unmarked().then_some(None)) {
            Some(project) => Err(StoreError::PlannedHere { id: id.to_owned(), what: wanted.done(), project }),
            None => Ok(()),
        }
    }

    /// The ledger of a repo that receives proposals.
    fn target_source(&self, repo: usize) -> Result<usize> {
        self.read_ledgers()?;
        self.writable(repo)
    }

    /// Lines as write results, for the commit of the ledger.
    fn record_of(&self, source: usize, lines: &[NewLine]) -> Vec<Written> {
        let source_repo = self.name(self.sources.member_of(source)).to_owned();
        let one = |(id, line): &NewLine| {
            let before = self.line_in(source, id);
            let line = line.clone().or_else(|| before.clone()).unwrap_or_else(|| "{}".to_owned());
            Written { id: id.clone(), line, before, changed: true, source_repo: source_repo.clone() }
        };
        lines.iter().map(one).collect()
    }
}

impl Store {
    /// Writes the planning copies that come first, then the target, then the other planning copies; nothing if one is
    /// refused.
    fn write_both(
        &self,
        locks: &[(usize, LockedLedger)],
        target: usize,
        first: HashMap<usize, Vec<NewLine>>,
        arriving: &[NewLine],
        last: HashMap<usize, Vec<NewLine>>,
    ) -> Result<Vec<(usize, Vec<Written>)>> {
        let mut parts: Vec<(usize, Vec<NewLine>)> = first.into_iter().collect();
        parts.push((target, arriving.to_vec()));
        parts.extend(last);
        let lock_of = |n: usize| locks.iter().find(|(source, _)| *source == n).map(|(_, lock)| lock);
        for (lock, lines) in parts.iter().filter_map(|(source, lines)| Some((lock_of(*source)?, lines))) {
            self.may_put_lines(lock, lines)?;
        }
        let mut written = Vec::new();
        for (source, lines) in parts {
            if let Some(lock) = lock_of(source)
                && self.put_lines(lock, &lines)?
            {
                written.push((source, self.record_of(source, &lines)));
            }
        }
        Ok(written)
    }
}

/// The ids without repetitions, in order.
fn each_once(ids: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    ids.iter().filter(|id| seen.insert(id.as_str())).cloned().collect()
}
