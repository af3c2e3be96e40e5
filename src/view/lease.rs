//! Claims as JSON and as text.

use super::issue::reply;
use super::{Object, inline, plural};
use crate::coordination::{Assigned, RemoteLease, Run, RunEnd};
use crate::model::duration;
use crate::model::lease::{Holder, Standing};
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::store::{Claimed, Evidence, LeaseRow, Reclaimed, Released};

fn held(object: Object, holder: &Holder) -> Object {
    let object = object
        .text("holder", &holder.name)
        .optional("agent", holder.agent.as_deref())
        .text("acquired", &holder.acquired)
        .text("renewed", &holder.renewed);
    let object = match holder.ttl {
        Some(ttl) => object.number("ttl_ms", ttl / 1_000_000),
        None => object,
    };
    object
        .optional("expires", holder.expires.map(|at| at.to_string()).as_deref())
        .optional("host", holder.host.as_deref())
        .optional("worktree_id", holder.worktree_id.as_deref())
        .optional("worktree", holder.worktree.as_deref())
}

fn failures(object: Object, attempts: i64, last_error: Option<&str>) -> Object {
    let object = if attempts > 0 { object.number("attempts", attempts) } else { object };
    object.optional("last_error", last_error)
}

/// An issue that was taken.
pub fn claimed(claimed: &Claimed) -> String {
    let object = Object::new()
        .text("id", &claimed.id)
        .number("epoch", claimed.epoch)
        .text("lease", &format!("{}:{}", claimed.id, claimed.epoch));
    let object = held(object, &claimed.holder).flag("again", claimed.again);
    let object = failures(object, claimed.attempts, claimed.last_error.as_deref());
    let object = match &claimed.taken_from {
        Some(Evidence { holder, epoch, why }) => {
            let from = Object::new()
                .text("holder", &holder.name)
                .optional("agent", holder.agent.as_deref())
                .number("epoch", *epoch)
                .text("why", why)
                .optional("worktree", holder.worktree.as_deref());
            object.raw("taken_from", &from.finish())
        }
        None => object,
    };
    object.raw("issue", &reply(&claimed.written).finish()).finish()
}

pub fn claimed_text(claimed: &Claimed) -> String {
    let until = match claimed.holder.expires {
        Some(_) => claimed.holder.ttl.map(|ttl| format!(", for {}", duration::text(ttl))).unwrap_or_default(),
        None => String::new(),
    };
    let what = if claimed.again { "Still yours" } else { "Claimed" };
    let from = match &claimed.taken_from {
        Some(from) => format!(", taken from {}: {}", inline(&from.holder.name), inline(&from.why)),
        None => String::new(),
    };
    format!("{what} (epoch {}{until}{from}): {}", claimed.epoch, claimed.id)
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

pub fn released(released: &Released) -> String {
    let object = Object::new()
        .text("id", &released.id)
        .number("epoch", released.epoch)
        .number("attempts", released.attempts)
        .flag("needs_attention", released.needs_attention)
        .flag("was_lost", released.was_lost)
        .optional("reason", released.reason.as_deref());
    match &released.written {
        Some(written) => object.raw("issue", &reply(written).finish()).finish(),
        None => object.finish(),
    }
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

pub fn reclaimed(reclaimed: &Reclaimed) -> String {
    let object = Object::new().text("id", &reclaimed.id).number("epoch", reclaimed.epoch);
    held(object, &reclaimed.holder)
        .number("attempts", reclaimed.attempts)
        .flag("needs_attention", reclaimed.needs_attention)
        .finish()
}

pub fn reclaimed_text(reclaimed: &Reclaimed, dry_run: bool) -> String {
    let what = if dry_run { "Would take back" } else { "Taken back" };
    format!("{what} from {}: {}", inline(&reclaimed.holder.name), reclaimed.id)
}

/// A claim that somebody holds, or what is left of one.
pub fn lease(row: &LeaseRow) -> String {
    let object =
        Object::new().text("id", &row.id).optional("title", row.title.as_deref()).number("epoch", row.lease.epoch);
    let object = match &row.lease.holder {
        Some(holder) => held(object, holder),
        None => object,
    };
    let object = object.text("status", standing_word(row.standing));
    failures(object, row.lease.attempts, row.lease.last_error.as_deref()).finish()
}

pub fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Free => "free",
        Standing::Live => "live",
        Standing::Expired => "expired",
    }
}

/// How long a claim still runs.
pub(super) fn ends_text(holder: &Holder, standing: Standing, now: Instant) -> String {
    match (standing, holder.expires) {
        (Standing::Expired, _) => "over".to_owned(),
        (_, Some(at)) => format!("{} left", duration::text(at.nanos().saturating_sub(now.nanos()))),
        (_, None) => "no end".to_owned(),
    }
}

/// One line for a person.
pub fn lease_text(row: &LeaseRow, now: Instant) -> String {
    let Some(holder) = &row.lease.holder else { return row.id.clone() };
    let ends = ends_text(holder, row.standing, now);
    let place = holder.worktree.as_deref().unwrap_or("-");
    let title = row.title.as_deref().map(inline).unwrap_or_default();
    format!("{}  {}  epoch {}  {ends}  in {}  {title}", row.id, inline(&holder.name), row.lease.epoch, inline(place))
}

/// A claim on the remote.
pub fn remote_lease(one: &RemoteLease, now: Instant) -> String {
    Object::new()
        .text("id", &one.id)
        .number("epoch", one.epoch)
        .text("holder", &one.holder)
        .optional("agent", one.agent.as_deref())
        .text("acquired", &one.acquired)
        .optional("expires", one.expires.map(|at| at.to_string()).as_deref())
        .optional("host", one.host.as_deref())
        .optional("clone", one.clone.as_deref())
        .text("version", &one.version)
        .text("status", if one.is_over(now) { "expired" } else { "live" })
        .finish()
}

pub fn remote_lease_text(one: &RemoteLease, now: Instant) -> String {
    let ends = match one.expires {
        _ if one.is_over(now) => "over".to_owned(),
        Some(at) => format!("{} left", duration::text(at.nanos().saturating_sub(now.nanos()))),
        None => "no end".to_owned(),
    };
    let host = one.host.as_deref().map(inline).unwrap_or_default();
    format!("{}  {}  epoch {}  {ends}  on {host}", inline(&one.id), inline(&one.holder), one.epoch)
}

/// A program that was run on an issue.
pub fn run(run: &Run) -> String {
    let object = Object::new()
        .text("id", &run.claimed.id)
        .number("epoch", run.claimed.epoch)
        .number("exit_code", i64::from(run.ended.code()))
        .text("outcome", outcome_word(&run.end));
    let object = match &run.workspace {
        Some(used) => {
            let one = &used.workspace;
            let inner = Object::new().text("id", &one.id).text("path", &one.path);
            let inner = inner.optional("branch", one.branch.as_deref()).text("state", one.state.word());
            let inner = inner.flag("reused", used.is_reused).flag("removed", used.is_removed);
            let object = object.raw("workspace", &inner.texts("notes", &used.notes).finish());
            object.optional("checkpoint", used.checkpoint.as_deref())
        }
        None => object,
    };
    match &run.end {
        RunEnd::Failed(released) => {
            object.number("attempts", released.attempts).flag("needs_attention", released.needs_attention).finish()
        }
        RunEnd::Closed | RunEnd::Released | RunEnd::Kept | RunEnd::Lost => object.finish(),
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

/// An issue that was given to somebody.
pub fn assigned(assigned: &Assigned) -> String {
    Object::new()
        .text("id", &assigned.written.id)
        .text("assignee", &assigned.to)
        .text("message", &assigned.message)
        .raw("issue", &reply(&assigned.written).finish())
        .finish()
}
