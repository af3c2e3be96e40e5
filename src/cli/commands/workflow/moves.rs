use clap::Args;

use super::create::TextArgs;
use super::show::{self, WorkflowArg};
use crate::cli::context::{Context, Outcome};
use crate::model::workflow::State;
use crate::ops::workflows::{self, Command, MoveWish, WorkflowChange};
use crate::view::{self, Exit, Failure};

/// A workflow, and why it changes.
#[derive(Debug, Args)]
pub(super) struct ReasonArgs {
    /// The workflow
    id: String,
    /// Why
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
}

/// Complete a workflow whose tasks are done
///
/// Refused while a task is not done. With --await-merge the work is done and waits to be merged; complete it once it is.
#[derive(Debug, Args)]
pub(super) struct CompleteArgs {
    /// The workflow
    id: String,
    /// Close the tasks that are not done as skipped; refused while somebody works on one
    #[arg(long)]
    skip_open: bool,
    /// All work is done except the merge
    #[arg(long, conflicts_with = "merge_commit")]
    await_merge: bool,
    /// The commit that merged it
    #[arg(long, value_name = "COMMIT")]
    merge_commit: Option<String>,
    /// Why
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
}

/// Abandon a workflow: tasks that nobody works on are closed as skipped
#[derive(Debug, Args)]
pub(super) struct AbandonArgs {
    /// The workflow
    id: String,
    /// Why
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: String,
}

/// Change a workflow's limits, config or state
#[derive(Debug, Args)]
pub(super) struct SetArgs {
    /// The workflow
    id: String,
    /// Set the title
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// How many tasks may run at once; running tasks continue
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_parallel: Option<u32>,
    /// Whether each task gets its own workspace
    #[arg(long, value_name = "true|false")]
    auto_workspace: Option<bool>,
    /// Set a config value; an empty value removes it
    #[arg(long = "set", value_name = "KEY=VALUE")]
    values: Vec<String>,
    /// Set the state, if the move is legal
    #[arg(long, value_name = "STATE", value_parser = show::state)]
    state: Option<State>,
    #[command(flatten)]
    texts: TextArgs,
}

pub(super) fn start(args: WorkflowArg, cx: &mut Context) -> Outcome {
    moved(cx, &args.id, MoveWish { command: Some(Command::Start), ..MoveWish::to(State::InProgress) })
}

pub(super) fn pause(args: ReasonArgs, cx: &mut Context) -> Outcome {
    moved(cx, &args.id, MoveWish { reason: args.reason, ..MoveWish::to(State::Paused) })
}

pub(super) fn resume(args: WorkflowArg, cx: &mut Context) -> Outcome {
    moved(cx, &args.id, MoveWish { command: Some(Command::Resume), ..MoveWish::to(State::InProgress) })
}

pub(super) fn complete(args: CompleteArgs, cx: &mut Context) -> Outcome {
    let to = if args.await_merge { State::AwaitingMerge } else { State::Completed };
    let (reason, merge_commit) = (args.reason, args.merge_commit);
    moved(cx, &args.id, MoveWish { reason, merge_commit, skip_open: args.skip_open, ..MoveWish::to(to) })
}

pub(super) fn fail(args: ReasonArgs, cx: &mut Context) -> Outcome {
    moved(cx, &args.id, MoveWish { reason: args.reason, ..MoveWish::to(State::Failed) })
}

pub(super) fn abandon(args: AbandonArgs, cx: &mut Context) -> Outcome {
    moved(cx, &args.id, MoveWish { reason: Some(args.reason), ..MoveWish::to(State::Abandoned) })
}

fn moved(cx: &mut Context, id: &str, wish: MoveWish) -> Outcome {
    let moved = workflows::move_workflow(cx.store()?, id, &wish)?;
    json_answer!(cx, view::moved_workflow(&moved));
    let (id, state) = (moved.flow.workflow.id(), moved.flow.workflow.state);
    if moved.changed {
        cx.ui.done(&format!("{} → {state}: {id}", moved.from));
    } else {
        cx.ui.done(&format!("Already {state}: {id}"));
    }
    let left = if state.is_final() { moved.hidden.as_slice() } else { &[] };
    if !left.is_empty() {
        cx.ui.note(&format!("tasks in repos that are not here stay as they are: {}", view::inline(&left.join(" "))));
    }
    for (names, what) in [(&moved.skipped, "skipped"), (&moved.running, "somebody still works on")] {
        if !names.is_empty() {
            cx.ui.note(&format!("{what}: {}", view::inline(&names.join(", "))));
        }
    }
    Ok(Exit::Ok)
}

pub(super) fn set(args: SetArgs, cx: &mut Context) -> Outcome {
    let config = args.values.iter().map(|text| match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), Some(value.to_owned()).filter(|value| !value.is_empty())))
        }
        _ => Err(Failure::usage(format!("{text:?} is not KEY=VALUE"))),
    });
    let change = WorkflowChange {
        title: args.title,
        max_parallel: args.max_parallel.map(i64::from),
        auto_workspace: args.auto_workspace,
        texts: args.texts.given(),
        config: config.collect::<Result<_, _>>()?,
    };
    if change.is_empty() && args.state.is_none() {
        return Err(Failure::usage("nothing to set; run `bd workflow set --help` to see what can be"));
    }
    let store = cx.store()?;
    // The state first: if that is refused, nothing is changed.
    if let Some(to) = args.state {
        workflows::move_workflow(store, &args.id, &MoveWish::to(to))?;
    }
    let flow = workflows::edit_workflow(store, &args.id, change)?;
    cx.answer(view::workflow(&flow), &format!("Set: {}", flow.workflow.id()))
}
