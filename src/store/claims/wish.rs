//! What is wished of a claim, and what came of it.

use crate::model::change::Change;
use crate::model::lease::{Holder, Owner};
use crate::store::{ReadyFilter, Written};

/// How to take an issue.
#[derive(Debug, Clone, Default)]
pub struct ClaimWish {
    /// Nanoseconds; as the settings say if not given. A person's claim does not end by itself.
    pub ttl: Option<i64>,
    /// It never ends by itself.
    pub forever: bool,
    /// Take it from a holder whose time is not over, for this reason.
    pub takeover: Option<String>,
    /// The process that the claim lives and dies with.
    pub owner: Option<Owner>,
    /// The version of a claim that was made on the remote before.
    pub remote: Option<String>,
    /// What else to change in the same write.
    pub with: Vec<Change>,
    /// Leave the ledger alone: it is written where the work is done.
    pub aside: bool,
    /// Only an issue that this user may write: nobody named it, or the work ends with a write of it.
    pub to_write: bool,
}

/// Why a claim could be taken from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub holder: Holder,
    pub epoch: i64,
    pub why: String,
}

/// An issue that is one's own now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub id: String,
    pub epoch: i64,
    pub holder: Holder,
    /// It was so already.
    pub again: bool,
    pub taken_from: Option<Evidence>,
    pub attempts: i64,
    pub last_error: Option<String>,
    /// Open issues that it waits for: it can be worked on, and not closed yet.
    pub blockers: Vec<String>,
    pub written: Written,
}

/// Which ready issue to take.
#[derive(Debug, Clone, Default)]
pub struct AutoClaim {
    pub filter: ReadyFilter,
    pub wish: ClaimWish,
}
