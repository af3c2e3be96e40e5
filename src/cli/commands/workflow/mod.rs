pub(super) mod create;
mod lock;
mod moves;
mod plan;
mod show;
pub(super) mod template;
mod wait;

use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use template::TemplateArgs;

/// Run plans of dependent tasks with many agents
///
/// A workflow is an issue of type workflow, and its tasks are issues below it. Its tasks are handed out while it is in progress, and
/// never more than --max-parallel at once, whoever asks: `bd workflow next --claim`, `bd ready --claim`, `bd claim` or `bd run`.
/// Close a task with `bd close`; the reason is kept as its outcome. A workflow is named by the id of its issue or by its wf_ id.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workflow create 'Ship 2.0' --plan plan.toml --max-parallel 3
  bd workflow start bd-a3f8
  bd workflow next bd-a3f8 --claim
  bd workflow progress bd-a3f8
  bd workflow complete bd-a3f8")]
pub(super) struct WorkflowArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Create(Box<create::CreateArgs>),
    List(show::ListArgs),
    /// Show a workflow and its tasks: state, holder, and what each waits for
    Show(show::WorkflowArg),
    Next(show::NextArgs),
    /// Show the progress of a workflow, who works on what, and what waits
    Progress(show::WorkflowArg),
    Set(Box<moves::SetArgs>),
    /// Start a workflow: its tasks can be claimed
    Start(show::WorkflowArg),
    /// Pause a workflow: running tasks continue, no new ones start
    Pause(moves::ReasonArgs),
    /// Resume a workflow that was paused, failed or awaits a merge
    Resume(show::WorkflowArg),
    Complete(moves::CompleteArgs),
    /// Mark a workflow as failed; it can be resumed
    Fail(moves::ReasonArgs),
    Abandon(moves::AbandonArgs),
    AddTask(Box<plan::AddTaskArgs>),
    RemoveTask(plan::RemoveTaskArgs),
    Replan(plan::ReplanArgs),
    Lock(lock::LockArgs),
    Unlock(lock::UnlockArgs),
    Wait(wait::WaitArgs),
    Template(Box<TemplateArgs>),
}

pub(super) fn run(args: WorkflowArgs, cx: &mut Context) -> Outcome {
    match args.action {
        Action::Create(args) => create::run(*args, cx),
        Action::List(args) => show::list(&args, cx),
        Action::Show(args) => show::show(&args, cx),
        Action::Next(args) => show::next(&args, cx),
        Action::Progress(args) => show::progress(&args, cx),
        Action::Set(args) => moves::set(*args, cx),
        Action::Start(args) => moves::start(args, cx),
        Action::Pause(args) => moves::pause(args, cx),
        Action::Resume(args) => moves::resume(args, cx),
        Action::Complete(args) => moves::complete(args, cx),
        Action::Fail(args) => moves::fail(args, cx),
        Action::Abandon(args) => moves::abandon(args, cx),
        Action::AddTask(args) => plan::add_task(*args, cx),
        Action::RemoveTask(args) => plan::remove_task(&args, cx),
        Action::Replan(args) => plan::replan(&args, cx),
        Action::Lock(args) => lock::lock(&args, cx),
        Action::Unlock(args) => lock::unlock(&args, cx),
        Action::Wait(args) => wait::run(&args, cx),
        Action::Template(args) => template::run(*args, cx),
    }
}
