//! Tools for those who work beside others: claims, workflows, checkpoints, reservations.

use super::read;
use crate::mcp::answer::{self, Answer};
use crate::mcp::arguments::Arguments;
use crate::mcp::context::Context;
use crate::model::duration;
use crate::model::json::Object;
use crate::model::workflow::State;
use crate::ops::workflows::{Command, MoveWish, NextWish};
use crate::ops::{
    self, CheckpointFilter, CheckpointRow, FilesWish, LeaseFilter, NewCheckpoint, Release, ReserveRequest, Whose,
    workflows,
};
use crate::store::{AutoClaim, Claimed, ReleaseWish};
use crate::view::{self, Failure};

/// How many rows a page has.
const ROWS: usize = 20;

pub(super) fn claim(cx: &mut Context, arguments: &Arguments) -> Answer {
    match arguments.text("action").unwrap_or_default() {
        "release" => release(cx, arguments),
        "next" => next(cx, arguments),
        _ => {
            let (id, wish) = (arguments.needed("id", "claim")?, ops::wish_of_process());
            Ok(claimed(&ops::take(&mut cx.store, id, &wish)?))
        }
    }
}

fn next(cx: &mut Context, arguments: &Arguments) -> Answer {
    let wanted =
        AutoClaim { filter: read::ready_filter(cx, arguments)?, wish: ops::wish_of_process(), ..AutoClaim::default() };
    if let Some(one) = ops::claim_ready(&mut cx.store, &wanted)? {
        return Ok(claimed(&one));
    }
    let why = ops::why_nothing(&cx.store, &wanted.filter)?.map(|why| why.to_string());
    Ok(Object::new().raw("id", "null").text("why", why.as_deref().unwrap_or("nothing is ready")))
}

fn release(cx: &mut Context, arguments: &Arguments) -> Answer {
    let reason = arguments.text("reason").map(str::to_owned);
    let failed = arguments.flag("failed");
    let wish = ReleaseWish {
        failed: failed.then(|| reason.clone().unwrap_or_else(|| "no reason given".to_owned())),
        reason: reason.filter(|_| !failed),
    };
    let id = arguments.needed("id", "release")?;
    let mut all = ops::release(&mut cx.store, &[id.to_owned()], &wish)?;
    let released = all.swap_remove(0).1?;
    let mut object = Object::new().text("id", &released.id).flag("released", !released.was_lost);
    if released.attempts > 0 {
        object = object.number("attempts", released.attempts).flag("needs_attention", released.needs_attention);
    }
    let changed = released.written.as_ref().map(answer::changes).unwrap_or_default();
    Ok(object.texts("changed", changed))
}

/// An issue that was taken, and by whom.
pub(super) fn claimed(claimed: &Claimed) -> Object {
    let issue = claimed.written.issue();
    let mut object = Object::new()
        .text("id", &claimed.id)
        .text("title", &issue.title)
        .text("status", issue.status.as_str())
        .number("priority", issue.priority.number())
        .text("type", issue.issue_type.as_str())
        .text("agent", &claimed.holder.name)
        .flag("already_yours", claimed.again);
    if let Some(at) = claimed.holder.expires {
        object = object.text("expires", &at.to_string());
    }
    if !claimed.blockers.is_empty() {
        object = object.texts("blocked_by", &claimed.blockers);
    }
    if claimed.attempts > 0 {
        object = object.number("attempts", claimed.attempts).optional("last_error", claimed.last_error.as_deref());
    }
    if let Some(from) = &claimed.taken_from {
        object = object.text("taken_from", &from.holder.name).text("taken_because", &from.why);
    }
    object.texts("changed", answer::changes(&claimed.written))
}

pub(super) fn workflow(cx: &mut Context, arguments: &Arguments) -> Answer {
    let action = arguments.text("action").unwrap_or_default();
    let wish = ops::wish_of_process();
    let store = &mut cx.store;
    if action == "list" {
        let flows = workflows::flows_everywhere(store, false)?;
        let rows = flows.iter().map(|flow| (flow.workflow.id().to_owned(), view::workflow_head(flow).finish()));
        return Ok(answer::page("workflows", rows, flows.len(), arguments.text("after"), ROWS)?);
    }
    let id = arguments.needed("id", action)?;
    let reason = arguments.text("reason").map(str::to_owned);
    let to =
        |state: State, command: Option<Command>| MoveWish { reason: reason.clone(), command, ..MoveWish::to(state) };
    let wish = match action {
        "show" => {
            let found = workflows::flow_everywhere(store, id)?;
            return Ok(Object::new().raw("workflow", &view::workflow_everywhere(&found)));
        }
        "next" | "claim_next" => {
            let claim = (action == "claim_next").then_some(wish);
            let next = workflows::next_task(store, id, &NextWish { claim, include_failed: false })?;
            return Ok(view::workflow_next(&next));
        }
        "start" => to(State::InProgress, Some(Command::Start)),
        "resume" => to(State::InProgress, Some(Command::Resume)),
        "pause" => to(State::Paused, None),
        _ => to(State::Completed, None),
    };
    Ok(view::moved_workflow(&workflows::move_workflow(store, id, &wish)?))
}

pub(super) fn checkpoint(cx: &mut Context, arguments: &Arguments) -> Answer {
    let id = arguments.text("id").map(str::to_owned);
    match arguments.text("action").unwrap_or_default() {
        "list" => {
            let filter = CheckpointFilter { issue: id, since: None, kind: None, whose: Whose::All, limit: None };
            let page = ops::checkpoints(&cx.store, &filter)?;
            let rows = page.rows.iter().rev();
            let rows = rows.map(|row| (row.checkpoint.id.clone(), view::checkpoint(row).finish()));
            Ok(answer::page("checkpoints", rows, page.total, arguments.text("after"), ROWS)?)
        }
        "resume" => {
            let found = ops::resume(&mut cx.store, id.as_deref())?;
            Ok(Object::new().raw("work", &answer::list(&found, view::resumption)))
        }
        _ => {
            let new = NewCheckpoint {
                issue: id,
                summary: arguments.needed("message", "add")?.to_owned(),
                kind: arguments.text("type").unwrap_or("progress").to_owned(),
                files: FilesWish::These(arguments.texts("files")),
                snapshot: arguments.flag("snapshot"),
                ..NewCheckpoint::default()
            };
            let added = ops::add_checkpoint(&mut cx.store, &new)?;
            let worktree = added.checkpoint.worktree.clone().unwrap_or_default();
            let row = CheckpointRow { worktree, is_gone: false, checkpoint: added.checkpoint };
            Ok(view::added_checkpoint(&row, added.is_new))
        }
    }
}

/// Who holds what.
pub(super) fn leases(cx: &mut Context, arguments: &Arguments) -> Answer {
    let found = ops::leases(&cx.store, &LeaseFilter::default())?;
    let row = |row: &crate::store::LeaseRow| (row.id.clone(), view::lease(row).finish());
    Ok(answer::page("leases", found.iter().map(row), found.len(), arguments.text("after"), ROWS)?)
}

pub(super) fn reserve(cx: &mut Context, arguments: &Arguments) -> Answer {
    let paths = arguments.texts("paths");
    let some = || match paths.is_empty() {
        true => Err(Failure::usage("paths: name at least one")),
        false => Ok(paths.clone()),
    };
    match arguments.text("action").unwrap_or_default() {
        "list" => {
            let found = ops::reservations(&cx.store, false, false)?;
            let rows = found.iter().map(|one| (one.reservation.id.clone(), view::reserved(one).finish()));
            Ok(answer::page("reservations", rows, found.len(), arguments.text("after"), ROWS)?)
        }
        "check" => {
            let checked = ops::check_paths(&cx.store, &some()?)?;
            Ok(view::reserve_check(&checked, false))
        }
        "release" => {
            let released = ops::unreserve(&cx.store, &Release::These(some()?))?;
            Ok(Object::new().raw("released", &answer::list(&released, view::reservation)))
        }
        _ => {
            let wrong = |text: &str| Failure::usage(format!("invalid ttl {text:?}: a time such as 20m or 2h"));
            let ttl = arguments.text("ttl").unwrap_or("2h");
            let ttl = duration::parse(ttl).filter(|nanos| *nanos > 0).ok_or_else(|| wrong(ttl))?;
            let request = ReserveRequest {
                globs: some()?,
                is_shared: arguments.flag("shared"),
                ttl: Some(ttl),
                issue: arguments.text("id").map(str::to_owned),
                reason: arguments.text("reason").map(str::to_owned),
            };
            let reserved = ops::reserve(&mut cx.store, &request)?;
            Ok(Object::new().raw("reserved", &answer::list(&reserved, view::reserved)))
        }
    }
}
