//! Who is at work, and on what.

use std::time::SystemTime;

use super::issue::IssueId;
use crate::model::agent::Status;
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
    /// How often work on the issue has failed before.
    pub attempts: i64,
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
            attempts: row.lease.attempts,
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
    /// Whether it is at work.
    pub status: AgentStatus,
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

/// Whether an agent is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It has sent a heartbeat recently.
    Online,
    /// The same, and it has reported that it is busy.
    Busy,
    /// It has been silent for 15 minutes, or its process has ended.
    Offline,
    /// It has unregistered.
    Gone,
}

impl AgentInfo {
    pub(super) fn of(seen: Seen, held: InHand) -> Self {
        let agent = seen.agent;
        AgentInfo {
            id: agent.id,
            name: agent.name,
            role: agent.role.word().to_owned(),
            status: match seen.status {
                Status::Online => AgentStatus::Online,
                Status::Busy => AgentStatus::Busy,
                Status::Offline => AgentStatus::Offline,
                Status::Gone => AgentStatus::Gone,
            },
            capabilities: agent.capabilities,
            note: agent.note,
            registered_at: sys::to_system(agent.registered),
            last_seen: sys::to_system(agent.heartbeat),
            issues: held.claims.iter().map(|row| IssueId::of(&row.id)).collect(),
        }
    }
}
