use std::path::PathBuf;

use clap::Args;

use super::create::plan_file;
use crate::cli::context::{Context, Outcome};
use crate::model::issue::Priority;
use crate::model::plan::PlannedTask;
use crate::ops::workflows::{NewTask, Replanned};
use crate::ops::{self, OpError, workflows};
use crate::view::{self, Exit};

/// Add a task to a workflow
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workflow add-task bd-a3f8 lint --title 'Run the linter' --depends-on build --before ship")]
pub(super) struct AddTaskArgs {
    /// The workflow
    id: String,
    /// The task's name in the plan
    name: String,
    /// The title of its issue (default: the name)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// What is to be done
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Acceptance criteria: when it is done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    acceptance: Option<String>,
    /// A task that must be done first
    #[arg(long, value_name = "TASK")]
    depends_on: Vec<String>,
    /// A task that waits for this one
    #[arg(long, value_name = "TASK")]
    before: Vec<String>,
    /// A task that learns from this one without waiting for it
    #[arg(long, value_name = "TASK")]
    informs: Vec<String>,
    /// A task whose outcome is passed to this one
    #[arg(long, value_name = "TASK")]
    context_from: Vec<String>,
    /// Wait for all tasks with a lower number
    #[arg(long, value_name = "N")]
    sequence: Option<u32>,
    /// A group: tasks in it ignore each other's numbers
    #[arg(long, value_name = "GROUP")]
    parallel_group: Option<String>,
    /// How to do it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    plan: Option<String>,
    /// What to know for it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    context: Option<String>,
    /// Priority: 0 (most urgent) to 4
    #[arg(short, long, value_name = "N")]
    priority: Option<String>,
    /// The type of its issue (default: task)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// A label of its issue
    #[arg(short, long, value_name = "LABEL")]
    label: Vec<String>,
    /// Assign the task to a person or an agent
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// Estimated minutes
    #[arg(short, long, value_name = "MINUTES")]
    estimate: Option<u32>,
    /// The repo to file it in, if the workflow covers several
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Show what would be done; change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Remove tasks from a workflow and reconnect their dependents
///
/// Each leaves a tombstone with all of its text, which `bd reopen` brings back. A task that is done, runs or is claimed stays.
#[derive(Debug, Args)]
pub(super) struct RemoveTaskArgs {
    /// The workflow
    id: String,
    /// Tasks, by name or id
    #[arg(required = true)]
    tasks: Vec<String>,
    /// Why
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Show what would be done; change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Replace the plan of a workflow
///
/// Tasks that are done, run or are claimed stay as they are. Open tasks of the same name become what the plan says, new ones are
/// added, and the rest is taken out. The plan may name tasks that stay. Decided at once, or not at all.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workflow replan bd-a3f8 plan.toml --dry-run
  bd workflow replan bd-a3f8 plan.toml")]
pub(super) struct ReplanArgs {
    /// The workflow
    id: String,
    /// A plan in TOML or JSON (- is standard input)
    file: PathBuf,
    /// Show what would be done; change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn add_task(args: AddTaskArgs, cx: &mut Context) -> Outcome {
    let issue_type = match &args.kind {
        Some(word) => Some(ops::check_type(cx.store()?, word)?),
        None => None,
    };
    let priority = args.priority.as_deref().map(Priority::typed).transpose().map_err(OpError::from)?;
    let task = PlannedTask {
        title: args.title,
        description: args.description,
        acceptance: args.acceptance,
        sequence: args.sequence.map(i64::from),
        parallel_group: args.parallel_group,
        depends_on: args.depends_on,
        informs: args.informs,
        context_from: args.context_from,
        plan: args.plan,
        plan_summary: None,
        context: args.context,
        priority,
        issue_type,
        labels: args.label,
        assignee: args.assignee,
        estimate: args.estimate.map(i64::from),
        repo: args.repo,
        name: args.name,
    };
    let new = NewTask { task, before: args.before };
    let done = workflows::add_task(cx.store()?, &args.id, new, args.dry_run)?;
    tell(&done, cx)
}

pub(super) fn remove_task(args: &RemoveTaskArgs, cx: &mut Context) -> Outcome {
    let reason = args.reason.as_deref();
    let done = workflows::remove_tasks(cx.store()?, &args.id, &args.tasks, reason, args.dry_run)?;
    tell(&done, cx)
}

pub(super) fn replan(args: &ReplanArgs, cx: &mut Context) -> Outcome {
    let file = plan_file(&args.file, cx)?;
    let done = workflows::replan(cx.store()?, &args.id, &file, args.dry_run)?;
    tell(&done, cx)
}

fn tell(done: &Replanned, cx: &mut Context) -> Outcome {
    for id in &done.outside {
        cx.ui.note(&format!("{id} is not a task of this workflow and waited for one that was removed"));
    }
    if !done.left.is_empty() {
        let keys = done.left.join(", ");
        cx.ui
            .note(&format!("a new plan does not change {keys} of the workflow; use `bd workflow set` and `bd update`"));
    }
    json_answer!(cx, view::replanned(done));
    for line in view::replanned_lines(done) {
        cx.ui.done(&line);
    }
    cx.ui.done(&view::workflow_line(&done.flow));
    Ok(Exit::Ok)
}
