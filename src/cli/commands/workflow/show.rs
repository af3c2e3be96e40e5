use clap::Args;

use crate::cli::commands::claim::LeaseArgs;
use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::model::workflow::State;
use crate::ops::workflows::{self, Flow, NextWish};
use crate::view::{self, Exit, Failure};

/// List unfinished workflows of all checkouts
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Include completed and abandoned workflows
    #[arg(long)]
    all: bool,
    /// Only workflows in this state
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<State>,
    /// Only those of one checkout, by id, name or path, as its ledger has them
    #[arg(long, value_name = "CHECKOUT")]
    worktree: Option<String>,
}

/// A workflow.
#[derive(Debug, Args)]
pub(super) struct WorkflowArg {
    /// The workflow
    pub id: String,
}

/// List the tasks that can be worked on now, in order
///
/// Open tasks that nobody has and nothing blocks, no more than may run beside those that do. A task that failed is handed out again
/// only with --include-failed; one whose holder is gone is handed on at once.
#[derive(Debug, Args)]
pub(super) struct NextArgs {
    /// The workflow
    id: String,
    /// Claim the first one
    #[arg(long)]
    claim: bool,
    /// Include failed tasks
    #[arg(long)]
    include_failed: bool,
    #[command(flatten)]
    lease: LeaseArgs,
}

/// A state as typed.
pub(super) fn state(text: &str) -> Result<State, String> {
    State::typed(text).ok_or_else(|| format!("one of {}", State::ALL.map(State::word).join(" ")))
}

pub(super) fn list(args: &ListArgs, cx: &mut Context) -> Outcome {
    let all = args.all || args.state.is_some();
    let mut found = match &args.worktree {
        Some(worktree) => workflows::flows_in(cx.store()?, worktree, all)?,
        None => workflows::flows_everywhere(cx.store()?, all)?,
    };
    found.retain(|flow| args.state.is_none_or(|state| flow.workflow.state == state));
    json_answer!(cx, view::each(&found, view::workflow_head));
    for flow in &found {
        cx.ui.line(&view::workflow_line(flow));
    }
    cx.ui.note_if(found.is_empty(), "no workflows; create one with `bd workflow create`");
    Ok(Exit::Ok)
}

pub(super) fn show(args: &WorkflowArg, cx: &mut Context) -> Outcome {
    let found = workflows::flow_everywhere(cx.store()?, &args.id)?;
    json_answer!(cx, view::workflow_everywhere(&found));
    for flow in &found {
        print_head(cx, flow);
        let cells: Vec<[String; 4]> = flow.tasks.iter().map(|task| view::task_cells(flow, task)).collect();
        render::columns(&mut cx.ui, "  ", &cells);
    }
    Ok(Exit::Ok)
}

/// The head of a workflow, and what there is to say of it.
fn print_head(cx: &mut Context, flow: &Flow) {
    cx.ui.line(&view::workflow_line(flow));
    let calendar = cx.ui.calendar();
    for line in view::workflow_remarks(flow, &calendar) {
        cx.ui.note(&line);
    }
}

pub(super) fn next(args: &NextArgs, cx: &mut Context) -> Outcome {
    if !args.claim && args.lease.is_given() {
        return Err(Failure::usage("--ttl is for --claim"));
    }
    let claim = if args.claim { Some(args.lease.wish()?) } else { None };
    let wish = NextWish { include_failed: args.include_failed, claim };
    let next = workflows::next_task(cx.store()?, &args.id, &wish)?;
    json_answer!(cx, view::workflow_next(&next));
    if let Some(claimed) = &next.claimed {
        cx.ui.done(&view::claimed_text(claimed));
        cx.ui.line(&view::inline(&claimed.written.issue().title));
        return Ok(Exit::Ok);
    }
    if next.available.is_empty() || args.claim {
        cx.ui.note(&view::nothing_next(&next));
        return Ok(Exit::Ok);
    }
    let cells: Vec<[String; 4]> = next.available.iter().map(|task| view::task_cells(&next.flow, task)).collect();
    render::columns(&mut cx.ui, "", &cells);
    Ok(Exit::Ok)
}

pub(super) fn progress(args: &WorkflowArg, cx: &mut Context) -> Outcome {
    let found = workflows::flow_everywhere(cx.store()?, &args.id)?;
    let Some(flow) = found.first() else { return Ok(Exit::Ok) };
    json_answer!(cx, view::workflow_progress(flow));
    print_head(cx, flow);
    let open = flow.tasks.iter().filter(|task| !task.is_done());
    let cells: Vec<[String; 4]> = open.map(|task| view::task_cells(flow, task)).collect();
    render::columns(&mut cx.ui, "  ", &cells);
    cx.ui.line(&format!("{}%", flow.counts().percent()));
    Ok(Exit::Ok)
}
