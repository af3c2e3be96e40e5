//! Changes of a plan, locks and waits of workflows, as JSON and as text.

use super::{Object, inline, workflow};
use crate::coordination::workflows::{Replanned, WaitEnd};
use crate::model::lease::Holder;
use crate::store::LockedWorkflow;

pub fn replanned(done: &Replanned) -> String {
    let kept = done.kept.iter().map(|(name, why)| Object::new().text("name", name).text("why", why.word()).finish());
    Object::new()
        .text("id", done.flow.workflow.id())
        .text("workflow_id", &done.flow.workflow.workflow.id)
        .flag("dry_run", done.dry_run)
        .raw("kept", &super::array(kept))
        .texts("updated", &done.updated)
        .texts("unchanged", &done.unchanged)
        .texts("added", &done.added)
        .texts("removed", &done.removed)
        .texts("rewired", &done.rewired)
        .texts("outside", &done.outside)
        .texts("set", &done.set)
        .optional("checkpoint", done.checkpoint.as_deref())
        .raw("workflow", &workflow(&done.flow))
        .finish()
}

/// What a change of plan came to, a line each, escaped.
pub fn replanned_lines(done: &Replanned) -> Vec<String> {
    let kept: Vec<String> = done.kept.iter().map(|(name, why)| format!("{name} ({})", why.word())).collect();
    let set: Vec<String> = done.set.iter().map(|key| (*key).to_owned()).collect();
    let verbs = if done.dry_run {
        ["Would keep", "Would update", "Would leave", "Would add", "Would take out", "Would rewire", "Would set"]
    } else {
        ["Kept", "Updated", "As before", "Added", "Took out", "Rewired", "Set"]
    };
    let lists = [&kept, &done.updated, &done.unchanged, &done.added, &done.removed, &done.rewired, &set];
    let lines = verbs.into_iter().zip(lists).filter(|(_, names)| !names.is_empty());
    lines.map(|(verb, names)| inline(&format!("{verb}: {}", names.join(", "))).into_owned()).collect()
}

pub fn locked_workflow(one: &LockedWorkflow) -> String {
    let object = Object::new()
        .text("id", &one.id)
        .flag("locked", true)
        .text("lease", &format!("{}:{}", one.workflow, one.epoch))
        .flag("again", one.again)
        .text("holder", &one.holder.name)
        .optional("agent", one.holder.agent.as_deref())
        .number("epoch", one.epoch)
        .optional("expires", one.holder.expires.map(|at| at.to_string()).as_deref());
    match &one.taken_from {
        Some(from) => object.text("taken_from", &from.holder.name).text("evidence", &from.why),
        None => object,
    }
    .finish()
}

pub fn unlocked_workflow(id: &str, was: Option<&Holder>) -> String {
    let object = Object::new().text("id", id).flag("locked", false).flag("changed", was.is_some());
    object.optional("holder", was.map(|holder| holder.name.as_str())).finish()
}

pub fn waited_workflow(end: &WaitEnd) -> String {
    Object::new()
        .text("id", end.flow.workflow.id())
        .flag("reached", end.reached)
        .optional("halt", end.halt.map(|halt| halt.word()))
        .raw("workflow", &workflow(&end.flow))
        .finish()
}
