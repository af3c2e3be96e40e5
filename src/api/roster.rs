//! Leases and agents, as others see them.

use std::time::SystemTime;

use super::issue::IssueId;
use crate::model::lease::Standing;
use crate::model::time::Instant;
use crate::ops::{InHand, Seen};
use crate::store::LeaseRow;
use crate::sys;

/// A lease, as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseInfo {
    /// The issue.
    pub issue: IssueId,
    /// Its title, if it is in a ledger here.
    pub title: Option<String>,
    /// The agent or person that holds it.
    pub holder: String,
    /// The epoch of the claim.
    pub epoch: i64,
    /// When it was claimed.
    pub since: Option<SystemTime>,
    /// When the lease ends unless it is renewed; `None` for never.
    pub expires_at: Option<SystemTime>,
    /// The time is over, or the holder's process has ended: the next claimant gets the issue.
    pub is_expired: bool,
    /// The name of the checkout where it was claimed.
    pub checkout: Option<String>,
}

impl LeaseInfo {
    pub(super) fn of(row: LeaseRow) -> Option<Self> {
        let holder = row.lease.holder?;
        Some(LeaseInfo {
            issue: IssueId::of(&row.id),
            title: row.title,
            holder: holder.name,
            epoch: row.lease.epoch,
            since: Instant::parse(&holder.acquired).map(sys::to_system),
            expires_at: holder.expires.map(sys::to_system),
            is_expired: row.standing != Standing::Live,
            checkout: holder.worktree,
        })
    }
}

/// A registered agent, as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentInfo {
    /// The id, which stays the same over all sessions.
    pub id: String,
    /// The name.
    pub name: String,
    /// The role: `worker`, `coordinator`, `reviewer` or `human`.
    pub role: String,
    /// `online`, `busy`, or `offline` after 15 minutes of silence or the end of its process.
    pub status: String,
    /// The capabilities that it has reported.
    pub capabilities: Vec<String>,
    /// What it does, in its own words.
    pub note: Option<String>,
    /// When it registered.
    pub registered_at: SystemTime,
    /// Its last heartbeat.
    pub last_seen: SystemTime,
    /// The issues that it holds, the latest first.
    pub issues: Vec<IssueId>,
}

impl AgentInfo {
    pub(super) fn of(seen: Seen, held: InHand) -> Self {
        let agent = seen.agent;
        AgentInfo {
            id: agent.id,
            name: agent.name,
            role: agent.role.word().to_owned(),
            status: seen.status.word().to_owned(),
            capabilities: agent.capabilities,
            note: agent.note,
            registered_at: sys::to_system(agent.registered),
            last_seen: sys::to_system(agent.heartbeat),
            issues: held.claims.iter().map(|row| IssueId::of(&row.id)).collect(),
        }
    }
}
