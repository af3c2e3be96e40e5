//! What programs read: the public JSON shapes, and the one map from a failure to its code.
//!
//! Stored and printed shapes are apart: each can change alone. `bd schema` publishes these.

mod agent;
mod checkpoints;
mod context;
mod elsewhere;
mod escape;
mod failure;
mod failure_flow;
mod failure_plan;
mod failure_state;
mod failure_work;
mod failure_workspace;
mod history;
mod issue;
mod leaks;
mod lease;
mod mail;
mod merge;
mod prune;
mod recover;
mod replan;
mod reservations;
mod restore;
pub mod schema;
mod shapes;
mod templates;
mod undo;
mod value;
mod watch;
mod workflow;
mod workspace;
mod worktree;

pub use crate::model::json::{Object, array};
pub use agent::{absence, agent, agents, claim_line, pulse, registered, silence, swept, unregistered};
pub use checkpoints::{checkpoint, checkpoint_text, checkpoints, claim_text, pruned_checkpoints, resumptions};
pub use context::{ContextText, context, context_text};
pub use elsewhere::elsewhere_text;
pub use escape::{block, inline, plural};
pub use failure::{Exit, Failure};
pub use history::{
    blame, blamed_value, changelog, changelog_markdown, departure, difference_text, differences, differences_markdown,
    event, event_text, renamed_text, short, told_changes,
};
pub use issue::{detail, edge_issue, reply, summary};
pub use leaks::{hooks, leak_text, leaks};
pub use lease::{
    already_yours, assigned, claimed, claimed_text, lease, lease_text, reclaimed, reclaimed_text, released,
    released_text, remote_lease, remote_lease_text, run, run_text, standing_word, taken_waiting,
};
pub use mail::{brought_back_text, gist, mail_thread, message, messages, quoted, sender, sent, sent_text};
pub use merge::{carried_texts, committed, merged_text, pruned_text, resolved, synced, synced_text, trusted};
pub use prune::{kept_text, pruned};
pub use recover::recovery;
pub use replan::{locked_workflow, replanned, replanned_lines, unlocked_workflow, waited_workflow};
pub use reservations::{reservation, reservation_text, reservations, reserve_check};
pub use restore::{restored, restored_text};
pub use shapes::*;
pub use templates::{saved_template, template, template_line, templates, variable_lines};
pub use undo::undo;
pub use value::shortened;
pub use watch::{watch_event, watch_text};
pub use workflow::{
    created_workflow, moved_workflow, nothing_next, task_cells, workflow, workflow_everywhere, workflow_line,
    workflow_next, workflow_progress, workflow_remarks, workflows,
};

pub use workspace::{gc, orphans, removed_workspace};
pub use workspace::{
    made_workspace, usage_cells, workspace, workspace_cells, workspace_facts, workspace_usages, workspaces,
};
pub use worktree::{
    pruned_worktrees, removed_worktree, worktree, worktree_counts, worktree_facts, worktree_state, worktrees,
};
