//! Options and results of a claim.

use crate::model::change::Change;
use crate::model::lease::{Holder, Owner};
use crate::store::{ReadyFilter, Written};

/// How to claim an issue.
#[derive(Debug, Clone, Default)]
pub struct ClaimWish {
    /// Nanoseconds; by default as the settings say. A person's claim does not expire.
    pub ttl: Option<i64>,
    /// The claim never expires.
    pub forever: bool,
    /// Take the issue from a holder whose claim is still valid, for this reason.
    pub takeover: Option<String>,
    /// The claim ends when this process does.
    pub owner: Option<Owner>,
    /// The version of a claim that was made on the remote first.
    pub remote: Option<String>,
    /// Further changes to make in the same write.
    pub with: Vec<Change>,
    /// Leave this ledger alone: it is written in the checkout where the work is done.
    pub aside: bool,
    /// Only an issue that this user may write: no one named it, or the work ends with a write to it.
    pub to_write: bool,
}

/// Why a claim could be taken from its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub holder: Holder,
    pub epoch: i64,
    pub why: String,
}

/// An issue that the actor now holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub id: String,
    pub epoch: i64,
    pub holder: Holder,
    /// The actor already held it.
    pub again: bool,
    pub taken_from: Option<Evidence>,
    pub attempts: i64,
    pub last_error: Option<String>,
    /// Open issues that it waits for: it can be worked on, but not closed yet.
    pub blockers: Vec<String>,
    pub written: Written,
}

/// Which ready issue to claim.
#[derive(Debug, Clone, Default)]
pub struct AutoClaim {
    pub filter: ReadyFilter,
    pub wish: ClaimWish,
    /// Issues that are not wanted.
    pub passed: Vec<String>,
}
