//! The proposal of one issue from a planning repo to a target: who can see the issue, the state of its proposal, and
//! the legal moves. The table in `docs/proposals.md` is [`permit`].

mod agreed;
pub(in crate::model) mod export;
mod leak;
mod mention;
pub(in crate::model) mod owner;
mod rename;

pub use agreed::{Joined, Joining, Limits, agreed, has_base, join};
pub use export::{Export, HeldBack, Include, export, is_shared};
pub use leak::{Leak, Target, is_planned_only, is_private, leaks};
pub use mention::{Names, mentions, mentions_in};
pub use owner::{COMPANION, FORMER_ID, Owner, PROJECT, is_companion, is_companion_line};
pub use rename::{renamed, renamed_for_all};

use serde::{Deserialize, Serialize};

use super::issue;
use super::record::Record;
use super::row::{self, Row};
use super::words::words;

words! {
    /// Who an issue is for. Independent of its status; a line without it is canonical.
    pub enum Visibility {
        /// Private planning.
        Local = "local",
        /// Proposed to the target's maintainers.
        Proposed = "proposed",
        /// Part of the project.
        Canonical = "canonical",
    }
}

impl Visibility {
    pub fn of(record: &Record<'_>) -> Self {
        record.string("visibility").and_then(|word| Self::parse(&word)).unwrap_or(Visibility::Canonical)
    }
}

words! {
    /// The state of a proposal.
    pub enum State {
        Open = "open",
        Accepted = "accepted",
        Rejected = "rejected",
        Withdrawn = "withdrawn",
    }
}

/// The record of a proposal, in both copies. It holds no local path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// `prop_` and 12 characters; new each time an issue is proposed.
    #[serde(deserialize_with = "row::exact")]
    pub id: String,
    /// Who proposed it.
    #[serde(default)]
    pub author: String,
    /// The target, as the prefix of its ids.
    #[serde(default)]
    pub target: String,
    pub state: State,
    /// The author of the last move.
    #[serde(default)]
    pub by: String,
    /// The time of the last move.
    #[serde(default)]
    pub at: String,
    #[serde(default, deserialize_with = "row::exact")]
    pub reason: Option<String>,
    /// The fields that were exported on request: `notes`, `comments`.
    #[serde(default, deserialize_with = "row::list")]
    pub include: Vec<String>,
    /// Only in the planning copy: the `updated_at` of the target's copy at the last synchronization.
    #[serde(default, deserialize_with = "row::exact")]
    pub synced: Option<String>,
}

impl Proposal {
    pub fn of(record: &Record<'_>) -> Option<Self> {
        Self::parse_part(record.raw("proposal")?)
    }

    /// The proposal after a move.
    pub fn moved(&self, state: State, by: &str, at: &str, reason: Option<&str>) -> Self {
        let (by, at, reason) = (by.to_owned(), at.to_owned(), reason.map(str::to_owned));
        Proposal { state, by, at, reason, ..self.clone() }
    }

    /// The proposal as the planning copy records it, in sync with a copy of the target.
    pub fn in_step_with(&self, target: &Record<'_>) -> Self {
        Proposal { synced: target.string("updated_at").map(|at| at.into_owned()), ..self.clone() }
    }

    /// The proposal as the target records it.
    pub fn public(&self) -> Self {
        Proposal { synced: None, ..self.clone() }
    }
}

words! {
    /// The state of an issue between planning and target.
    pub enum Standing {
        /// Only planned.
        Local = "local",
        /// Proposed before, and withdrawn.
        Withdrawn = "withdrawn",
        /// In the target, awaiting a decision.
        Proposed = "proposed",
        /// Proposed, but missing in the target's file here: it is on another branch.
        Elsewhere = "proposed on another branch",
        Accepted = "accepted",
        Rejected = "rejected",
        /// In the target, and never proposed.
        Canonical = "canonical",
    }
}

impl Standing {
    /// From the copies in the target and in a planning repo, as far as they exist.
    pub fn of(target: Option<&Record<'_>>, planning: Option<&Record<'_>>) -> Self {
        if let Some(record) = target {
            let state = Proposal::of(record).map(|proposal| proposal.state);
            return match (Visibility::of(record), state) {
                // Rejected before, and proposed again on another branch.
                _ if is_turned_down(record) && planning.is_some_and(|own| is_proposed_again(own, record)) => {
                    Standing::Elsewhere
                }
                _ if is_turned_down(record) => Standing::Rejected,
                (Visibility::Proposed, _) => {
                    planning.and_then(|own| decided_upstream(own, record)).unwrap_or(Standing::Proposed)
                }
                (_, Some(State::Accepted)) => Standing::Accepted,
                _ => Standing::Canonical,
            };
        }
        let Some(record) = planning else { return Standing::Local };
        match (Visibility::of(record), Proposal::of(record).map(|proposal| proposal.state)) {
            (Visibility::Proposed, _) => Standing::Elsewhere,
            (Visibility::Canonical, Some(State::Accepted)) => Standing::Accepted,
            (Visibility::Local, Some(State::Rejected)) => Standing::Rejected,
            (_, Some(State::Withdrawn)) => Standing::Withdrawn,
            _ => Standing::Local,
        }
    }
}

/// The decision that the planning copy knows of, and the target's file here does not yet.
fn decided_upstream(planning: &Record<'_>, target: &Record<'_>) -> Option<Standing> {
    let (own, theirs) = (Proposal::of(planning)?, Proposal::of(target)?);
    match own.state {
        State::Accepted if own.id == theirs.id => Some(Standing::Accepted),
        State::Rejected if own.id == theirs.id => Some(Standing::Rejected),
        _ => None,
    }
}

/// Whether the line in the target is a proposal that the maintainers rejected or deleted.
pub fn is_turned_down(target: &Record<'_>) -> bool {
    let is_rejected = || Proposal::of(target).is_some_and(|proposal| proposal.state == State::Rejected);
    Visibility::of(target) == Visibility::Proposed && (is_rejected() || issue::status_of(target).is_tombstone())
}

/// Whether the planning copy records another open proposal than the target.
fn is_proposed_again(planning: &Record<'_>, target: &Record<'_>) -> bool {
    let own = Proposal::of(planning).filter(|own| own.state == State::Open);
    let is_other = |own: Proposal| Proposal::of(target).is_none_or(|theirs| theirs.id != own.id);
    Visibility::of(planning) == Visibility::Proposed && own.is_some_and(is_other)
}

words! {
    pub enum Move {
        Propose = "propose",
        Withdraw = "withdraw",
        Accept = "accept",
        Reject = "reject",
    }
}

impl Move {
    pub fn done(self) -> &'static str {
        match self {
            Move::Propose => "proposed",
            Move::Withdraw => "withdrawn",
            Move::Accept => "accepted",
            Move::Reject => "rejected",
        }
    }
}

/// How a legal move is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    Do,
    /// The issue is already in that state; only the remains of a crash are completed.
    Already,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id} is {} and cannot be {}; legal now: {}", standing.word(), wanted.done(), words(*standing))]
pub struct IllegalMove {
    pub id: String,
    pub standing: Standing,
    pub wanted: Move,
}

fn words(standing: Standing) -> String {
    let legal: Vec<&str> = Move::ALL
        .into_iter()
        .filter(|wanted| legality(standing, *wanted) == Some(Permit::Do))
        .map(Move::word)
        .collect();
    if legal.is_empty() { "nothing".to_owned() } else { legal.join(", ") }
}

/// The table of moves: every state, every move.
fn legality(standing: Standing, wanted: Move) -> Option<Permit> {
    use Move::*;
    use Standing::*;
    match (standing, wanted) {
        (Local | Withdrawn | Rejected | Elsewhere, Propose) => Some(Permit::Do),
        (Proposed | Elsewhere, Withdraw) | (Proposed, Accept | Reject) => Some(Permit::Do),
        (Proposed, Propose) | (Withdrawn, Withdraw) | (Accepted, Accept) | (Rejected, Reject) => Some(Permit::Already),
        (Local, Withdraw | Accept | Reject)
        | (Withdrawn, Accept | Reject)
        | (Elsewhere, Accept | Reject)
        | (Rejected, Withdraw | Accept)
        | (Accepted, Propose | Withdraw | Reject)
        | (Canonical, Propose | Withdraw | Accept | Reject) => None,
    }
}

/// Whether a move is legal for an issue in this state.
pub fn permit(id: &str, standing: Standing, wanted: Move) -> Result<Permit, IllegalMove> {
    legality(standing, wanted).ok_or_else(|| IllegalMove { id: id.to_owned(), standing, wanted })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Dialect;

    /// The table of `docs/proposals.md`, written out: `+` do, `=` already so, `-` illegal.
    #[test]
    fn every_move_from_every_standing() {
        let table = [
            (Standing::Local, "+---"),
            (Standing::Withdrawn, "+=--"),
            (Standing::Proposed, "=+++"),
            (Standing::Elsewhere, "++--"),
            (Standing::Accepted, "--=-"),
            (Standing::Rejected, "+--="),
            (Standing::Canonical, "----"),
        ];
        assert_eq!(table.map(|(standing, _)| standing), Standing::ALL);
        for (standing, row) in table {
            let found: String = Move::ALL
                .map(|wanted| match permit("x", standing, wanted) {
                    Ok(Permit::Do) => '+',
                    Ok(Permit::Already) => '=',
                    Err(_) => '-',
                })
                .into_iter()
                .collect();
            assert_eq!(found, row, "{}", standing.word());
        }
        let error = permit("bd-1", Standing::Local, Move::Accept).unwrap_err();
        assert_eq!(error.to_string(), "bd-1 is local and cannot be accepted; legal now: propose");
    }

    #[test]
    fn a_proposal_survives_its_line() {
        let proposal = Proposal {
            id: "prop_1".into(),
            author: "ann".into(),
            target: "web".into(),
            state: State::Rejected,
            by: "bob".into(),
            at: "2026-01-02T00:00:00.000Z".into(),
            reason: Some("no".into()),
            include: vec!["notes".into()],
            synced: Some("2026-01-01T00:00:00.000Z".into()),
        };
        let line = format!("{{\"id\":\"a\",\"proposal\":{}}}", proposal.render(Dialect::default()));
        assert_eq!(Proposal::of(&Record::parse(&line).unwrap()), Some(proposal));
    }
}
