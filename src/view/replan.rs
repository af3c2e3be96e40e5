//! Changes of a plan, locks and waits of workflows, as JSON and as text.

use super::answer::{answer, each, object};
use super::escape::inline;
use super::workflows::workflow;
use crate::model::lease::Holder;
use crate::ops::workflows::{Replanned, WaitEnd};
use crate::store::{Evidence, LockedWorkflow};

answer! {
    /// A change of plan.
    pub fn replanned(done: &Replanned) {
        id: done.flow.workflow.id(), workflow_id: &done.flow.workflow.workflow.id, dry_run: done.dry_run,
        kept: each(&done.kept, |(name, why)| object! { name: name, why: why.word() }),
        updated: &done.updated, unchanged: &done.unchanged, added: &done.added, removed: &done.removed,
        rewired: &done.rewired, outside: &done.outside, set: &done.set,
        checkpoint: &done.checkpoint, workflow: workflow(&done.flow),
    }

    fn lock_taken(from: &Evidence) {
        taken_from: &from.holder.name, evidence: &from.why,
    }

    pub fn locked_workflow(one: &LockedWorkflow) {
        id: &one.id, locked: true, lease: format!("{}:{}", one.workflow, one.epoch), again: one.again,
        holder: &one.holder.name, agent: &one.holder.agent, epoch: one.epoch, expires: one.holder.expires,
        ..lock_taken?(&one.taken_from),
    }

    pub fn unlocked_workflow(id: &str, was: Option<&Holder>) {
        id: id, locked: false, changed: was.is_some(), holder: was.map(|holder| &holder.name),
    }

    pub fn waited_workflow(end: &WaitEnd) {
        id: end.flow.workflow.id(), reached: end.reached, halt: end.halt.map(|halt| halt.word()),
        workflow: workflow(&end.flow),
    }
}

/// The results of a change of plan, one per line, escaped.
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
