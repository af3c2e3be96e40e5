//! Claims as JSON and as text.

use super::answer::{answer, each, object};
use super::escape::{inline, plural};
use super::issue::reply;
use super::setup::configured;
use crate::model::duration;
use crate::model::lease::{Holder, Standing};
use crate::model::time::{Instant, MILLI};
use crate::model::when::Calendar;
use crate::ops::{Assigned, Fleet, FleetRepo, RemoteLease, Run, RunEnd, UsedWorkspace};
use crate::store::{Claimed, Evidence, LeaseRow, Reclaimed, Released};

answer! {
    /// The holder of a claim.
    pub fn held(holder: &Holder) {
        holder: &holder.name, agent: &holder.agent, session: &holder.session,
        acquired: &holder.acquired, renewed: &holder.renewed,
        ttl_ms: holder.ttl.map(|ttl| ttl / MILLI), expires: holder.expires,
        host: &holder.host, worktree_id: &holder.worktree_id, worktree: &holder.worktree,
    }

    fn failures(attempts: i64, last_error: &Option<String>) {
        attempts: (attempts > 0).then_some(attempts), last_error: last_error,
    }

    fn evidence(from: &Evidence) {
        holder: &from.holder.name, agent: &from.holder.agent, epoch: from.epoch, why: &from.why,
        worktree: &from.holder.worktree,
    }

    /// An issue that was taken.
    pub fn claimed(claimed: &Claimed) {
        id: &claimed.id, epoch: claimed.epoch, lease: format!("{}:{}", claimed.id, claimed.epoch),
        ..held(&claimed.holder), again: claimed.again,
        ..failures(claimed.attempts, &claimed.last_error),
        taken_from: claimed.taken_from.as_ref().map(evidence), issue: reply(&claimed.written),
    }

    /// An issue that was given back.
    pub fn released(released: &Released) {
        id: &released.id, epoch: released.epoch, attempts: released.attempts,
        needs_attention: released.needs_attention, was_lost: released.was_lost, reason: &released.reason,
        issue: released.written.as_ref().map(reply),
    }

    /// A claim that was taken back.
    pub fn reclaimed(reclaimed: &Reclaimed) {
        id: &reclaimed.id, epoch: reclaimed.epoch,
        ..held(&reclaimed.holder), attempts: reclaimed.attempts, needs_attention: reclaimed.needs_attention,
    }

    /// A claim that somebody holds, or what is left of one.
    pub fn lease(row: &LeaseRow) {
        id: &row.id, title: &row.title, epoch: row.lease.epoch,
        ..held?(&row.lease.holder), status: standing_word(row.standing),
        ..failures(row.lease.attempts, &row.lease.last_error),
    }

    /// A claim on the remote.
    pub fn remote_lease(one: &RemoteLease, now: Instant) {
        id: &one.id, epoch: one.epoch, holder: &one.holder, agent: &one.agent,
        acquired: &one.acquired, expires: one.expires, closed: one.closed, clone: &one.clone, version: &one.version,
        status: remote_word(one, now),
    }

    /// A claim on the remote that was ended, or was not there.
    pub fn released_remotely(id: &str, there: bool) {
        id: id, released: there,
    }

    fn fleet_repo(one: &FleetRepo) {
        repo: &one.repo, remote: &one.remote,
    }

    /// Whether claims are made on remotes.
    pub fn fleet(fleet: &Fleet) {
        on: fleet.is_on, repos: each(&fleet.repos, fleet_repo), removed: fleet.removed,
        config: fleet.configured.as_ref().map(configured),
    }

    fn used(used: &UsedWorkspace) {
        workspace: object! {
            id: &used.workspace.id, path: &used.workspace.path, branch: &used.workspace.branch,
            state: used.workspace.state.word(), reused: used.is_reused, removed: used.is_removed, notes: &used.notes,
        },
        checkpoint: &used.checkpoint,
    }

    fn failed(released: &Released) {
        attempts: released.attempts, needs_attention: released.needs_attention,
    }

    /// A program that was run on an issue.
    pub fn run(run: &Run) {
        id: &run.claimed.id, epoch: run.claimed.epoch,
        exit_code: run.ended.code(), outcome: outcome_word(&run.end),
        ..used?(&run.workspace), commit: &run.commit,
        ..failed?(if let RunEnd::Failed(released) = &run.end { Some(released) } else { None }),
    }

    /// An issue that was given to somebody.
    pub fn assigned(assigned: &Assigned) {
        id: &assigned.written.id, assignee: &assigned.to, message: &assigned.message, issue: reply(&assigned.written),
    }
}

pub fn claimed_text(claimed: &Claimed) -> String {
    let until = match claimed.holder.expires {
        Some(_) => claimed.holder.ttl.map(|ttl| format!(" for {}", duration::words(ttl))).unwrap_or_default(),
        None => String::new(),
    };
    let what = match claimed.again {
        true if until.is_empty() => "Already yours",
        true => "Already yours, renewed",
        false => "Claimed",
    };
    let from = match &claimed.taken_from {
        Some(from) => format!(" (taken from {}: {})", inline(&from.holder.name), inline(&from.why)),
        None => String::new(),
    };
    format!("{what}{until}{from}: {}", claimed.id)
}

/// An issue that was taken before by the same name: by an earlier command, and perhaps another program.
pub fn already_yours(claimed: &Claimed, calendar: &Calendar, is_person: bool) -> String {
    let since = Instant::parse(&claimed.holder.acquired).map(|at| format!(" since {}", calendar.short(at)));
    let whose = if is_person { " (another process)" } else { "" };
    format!("Already yours{}{whose}: {}", since.unwrap_or_default(), claimed.id)
}

/// An issue that was taken although it waits for others.
pub fn taken_waiting(id: &str, blockers: &[String]) -> String {
    format!("{} is blocked by open issues: {}", inline(id), inline(&blockers.join(" ")))
}

pub fn released_text(released: &Released) -> String {
    if released.was_lost {
        return format!("It was not yours any more: {}", released.id);
    }
    let attention = if released.needs_attention { ", needs attention" } else { "" };
    match released.attempts {
        0 => format!("Released: {}", released.id),
        n => {
            let times = plural(usize::try_from(n).unwrap_or_default(), "time");
            format!("Released (failed {times}{attention}): {}", released.id)
        }
    }
}

pub fn reclaimed_text(reclaimed: &Reclaimed, dry_run: bool) -> String {
    let what = if dry_run { "Would take back" } else { "Taken back" };
    if reclaimed.holder.name.is_empty() {
        return format!("{what}: {}", reclaimed.id);
    }
    format!("{what} from {}: {}", inline(&reclaimed.holder.name), reclaimed.id)
}

pub fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Free => "free",
        Standing::Live => "live",
        Standing::Expired => "expired",
    }
}

/// How long a claim still runs.
pub(super) fn ends_text(expires: Option<Instant>, is_over: bool, now: Instant) -> String {
    match expires {
        _ if is_over => "over".to_owned(),
        Some(at) => format!("{} left", duration::text(at.nanos().saturating_sub(now.nanos()))),
        None => "no end".to_owned(),
    }
}

/// One line for a person.
pub fn lease_text(row: &LeaseRow, now: Instant) -> String {
    let Some(holder) = &row.lease.holder else { return row.id.clone() };
    let ends = ends_text(holder.expires, row.standing == Standing::Expired, now);
    let place = holder.worktree.as_deref().unwrap_or("-");
    let title = row.title.as_deref().map(inline).unwrap_or_default();
    let session = holder.session.as_deref().map(|name| format!(" ({})", inline(name))).unwrap_or_default();
    let who = format!("{}{session}", inline(&holder.name));
    format!("{}  {who}  epoch {}  {ends}  in {}  {title}", row.id, row.lease.epoch, inline(place))
}

pub fn remote_lease_text(one: &RemoteLease, now: Instant) -> String {
    let ends = match one.closed {
        Some(at) => format!("closed at {at}, until others see it"),
        None => ends_text(one.expires, one.is_over(now), now),
    };
    format!("{}  {}  epoch {}  {ends}", inline(&one.id), inline(&one.holder), one.epoch)
}

fn remote_word(one: &RemoteLease, now: Instant) -> &'static str {
    match one.closed {
        _ if one.is_over(now) => "expired",
        Some(_) => "closed",
        None => "live",
    }
}

fn outcome_word(end: &RunEnd) -> &'static str {
    match end {
        RunEnd::Closed => "closed",
        RunEnd::Kept => "kept",
        RunEnd::Released => "released",
        RunEnd::Failed(_) => "failed",
        RunEnd::Lost => "lost",
    }
}

pub fn run_text(run: &Run) -> String {
    let place = run.workspace.as_ref().map(|used| {
        let one = &used.workspace;
        let branch = one.branch.as_ref().map(|branch| format!(", branch {branch}")).unwrap_or_default();
        let state = if used.is_removed { "removed" } else { "kept" };
        format!(" (workspace {} {state}{branch})", one.id)
    });
    format!("{}{}", end_text(run), place.unwrap_or_default())
}

fn end_text(run: &Run) -> String {
    let id = &run.claimed.id;
    match &run.end {
        RunEnd::Closed => format!("closed: {id}"),
        RunEnd::Kept => format!("still claimed: {id}"),
        RunEnd::Released => format!("given back by the program: {id}"),
        RunEnd::Lost => format!("the claim was lost and the program was ended: {id}"),
        RunEnd::Failed(released) => {
            let attention = if released.needs_attention { ", it needs attention" } else { "" };
            let what = match run.ended.code() {
                0 => "the program ended with 0 but did not close the issue",
                _ => "not closed",
            };
            format!("{what} (attempt {}{attention}), given back: {id}", released.attempts)
        }
    }
}
