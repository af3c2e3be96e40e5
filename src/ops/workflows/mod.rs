//! Workflows: creating, showing and moving them, and handing out their tasks.
//!
//! Everything permanent is in the ledgers: a workflow is an issue, its tasks are issues below it. The rules are in
//! `model::workflow`; `store::leases::workflows` decides who may claim a task, under the lock of the claims.

mod all_checkouts;
mod create;
mod edit;
mod flow;
mod lock;
mod moves;
mod next;
pub(in crate::ops) mod plan_file;
mod planned;
mod replan;
mod repos;
mod rewrite;
mod wait;

pub use super::error::FlowError;
pub use all_checkouts::{flow_everywhere, flows_everywhere, flows_in};
pub use create::{CreatedWorkflow, INFORMS, NewWorkflow, create_workflow, task_issue};
pub use edit::{WorkflowChange, edit_workflow};
pub use flow::{Counts, Flow, flow, flows};
pub use lock::{lock, unlock};
pub use moves::{Command, MoveWish, MovedWorkflow, move_workflow};
pub use next::{Next, NextWish, next_task};
pub use planned::plan_of;
pub use replan::{NewTask, Replanned, add_task, remove_tasks, replan};
pub use wait::{Halt, Until, WaitEnd, wait};
