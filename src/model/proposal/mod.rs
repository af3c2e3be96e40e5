//! The way of one issue from a planning repo into a target: who sees it, how its proposal stands, and which moves are
//! legal. The table in `docs/proposals.md` is [`permit`].

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
    /// Who an issue is for. Independent of its status; absent in a line means canonical.
    pub enum Visibility {
        /// Private planning.
        Local = "local",
        /// Put before the maintainers of the target.
        Proposed = "proposed",
        /// The project's own.
        Canonical = "canonical",
    }
}

impl Visibility {
    pub fn of(record: &Record<'_>) -> Self {
        record.string("visibility").and_then(|word| Self::parse(&word)).unwrap_or(Visibility::Canonical)
    }
}

words! {
    /// How a proposal stands.
    pub enum State {
        Open = "open",
        Accepted = "accepted",
        Rejected = "rejected",
        Withdrawn = "withdrawn",
    }
}

/// The record of a proposal, as it stands in both copies. It holds no path of anybody's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// `prop_` and 12 characters; a new one each time an issue is proposed.
    #[serde(deserialize_with = "row::exact")]
    pub id: String,
    /// Who proposed it.
    #[serde(default)]
    pub author: String,
    /// The target by the prefix of its ids.
    #[serde(default)]
    pub target: String,
    pub state: State,
    /// Who made the last move.
    #[serde(default)]
    pub by: String,
    /// When.
    #[serde(default)]
    pub at: String,
    #[serde(default, deserialize_with = "row::exact")]
    pub reason: Option<String>,
    /// What was exported on request: `notes`, `comments`.
    #[serde(default, deserialize_with = "row::list")]
    pub include: Vec<String>,
    /// Only in the planning copy: the `updated_at` of the target's copy with which it was last in step.
    #[serde(default, deserialize_with = "row::exact")]
    pub synced: Option<String>,
}

impl Proposal {
    pub fn of(record: &Record<'_>) -> Option<Self> {
        Self::parse_part(record.raw("proposal")?)
    }

    /// The same proposal after a move.
    pub fn moved(&self, state: State, by: &str, at: &str, reason: Option<&str>) -> Self {
        let (by, at, reason) = (by.to_owned(), at.to_owned(), reason.map(str::to_owned));
        Proposal { state, by, at, reason, ..self.clone() }
    }

    /// The same proposal as the planning copy records it, in step with a copy of the target.
    pub fn in_step_with(&self, target: &Record<'_>) -> Self {
        Proposal { synced: target.string("updated_at").map(|at| at.into_owned()), ..self.clone() }
    }

    /// The same proposal as the target records it.
    pub fn public(&self) -> Self {
        Proposal { synced: None, ..self.clone() }
    }
}

words! {
    /// Where an issue stands between planning and target.
    pub enum Standing {
        /// Only planned.
        Local = "local",
        /// Proposed before, and taken back.
        Withdrawn = "withdrawn",
        /// In the target, awaiting a decision.
        Proposed = "proposed",
        /// Proposed, but the target's file as it is here does not hold it: another branch carries it.
        Elsewhere = "proposed on another branch",
        Accepted = "accepted",
        Rejected = "rejected",
        /// In the target, and never proposed.
        Canonical = "canonical",
    }
}

impl Standing {
    /// From the copy in the target and the copy in a planning repo, as far as they are there.
    pub fn of(target: Option<&Record<'_>>, planning: Option<&Record<'_>>) -> Self {
        if let Some(record) = target {
            let state = Proposal::of(record).map(|proposal| proposal.state);
            return match (Visibility::of(record), state) {
                // Turned down before, and proposed again on another branch.
                _ if is_turned_down(record) && planning.is_some_and(|own| is_proposed_again(own, record)) => {
                    Standing::Elsewhere
                }
                _ if is_turned_down(record) => Standing::Rejected,
                (Visibility::Proposed, _) => Standing::Proposed,
                (_, Some(State::Accepted)) => Standing::Accepted,
                _ => Standing::Canonical,
            };
        }
        let Some(record) = planning else { return Standing::Local };
        match (Visibility::of(record), Proposal::of(record).map(|proposal| proposal.state)) {
            (Visibility::Proposed, _) => Standing::Elsewhere,
            (_, Some(State::Withdrawn)) => Standing::Withdrawn,
            _ => Standing::Local,
        }
    }
}

/// The line in the target is a proposal that the maintainers rejected or deleted.
pub fn is_turned_down(target: &Record<'_>) -> bool {
    let is_rejected = || Proposal::of(target).is_some_and(|proposal| proposal.state == State::Rejected);
    Visibility::of(target) == Visibility::Proposed && (is_rejected() || issue::status_of(target).is_tombstone())
}

/// The planning copy records an open proposal that is another than the target's.
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

/// What a legal move comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    Do,
    /// It stands so already; whatever a crash left undone is finished.
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

/// The table of moves: every standing, every move.
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

/// Whether a move is legal for an issue that stands so.
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
