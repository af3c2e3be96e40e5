//! Planned work: plan files, templates, workflows and their tasks.

mod plans;
mod replan;
mod requirements;
mod templates;
mod workflow_lock;
mod workflow_tasks;
mod workflow_wait;
pub mod workflows;
mod workflows_odd;
