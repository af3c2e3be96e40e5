mod change;
mod create;
mod gc;
mod merge;
mod open;
mod remove;
mod show;

use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};

/// Manage isolated checkouts, one per job
///
/// A workspace is a checkout that bd makes for one job: a clone with a branch of its own, so that jobs do not see each other's
/// files. It shares claims, mail and checkpoints with the checkout that it was made from. One is named by its id, path, issue or
/// branch. It stays until it is removed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd workspace create --issue bd-a3f8
  cd \"$(bd workspace path bd-a3f8)\"
  eval \"$(bd workspace env bd-a3f8)\"
  bd workspace list")]
pub(super) struct WorkspaceArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Create(create::CreateArgs),
    List(show::ListArgs),
    /// Show a workspace in full
    Show(show::NamedArgs),
    /// Print the path of a workspace
    Path(show::NamedArgs),
    /// Print the environment of a workspace's job, for a shell to evaluate
    Env(show::NamedArgs),
    Merge(merge::MergeArgs),
    Remove(remove::RemoveArgs),
    Restore(remove::RestoreArgs),
    Gc(gc::GcArgs),
    Adopt(change::AdoptArgs),
    Update(change::UpdateArgs),
    Du(show::DuArgs),
    Open(open::OpenArgs),
}

pub(super) fn run(args: WorkspaceArgs, cx: &mut Context) -> Outcome {
    match args.action {
        Action::Create(args) => create::run(args, cx),
        Action::List(args) => show::list(args, cx),
        Action::Show(args) => show::show(args, cx),
        Action::Path(args) => show::path(args, cx),
        Action::Env(args) => show::env(args, cx),
        Action::Merge(args) => merge::run(args, cx),
        Action::Remove(args) => remove::remove(args, cx),
        Action::Restore(args) => remove::restore(args, cx),
        Action::Gc(args) => gc::run(args, cx),
        Action::Adopt(args) => change::adopt(args, cx),
        Action::Update(args) => change::update(args, cx),
        Action::Du(args) => show::du(args, cx),
        Action::Open(args) => open::run(args, cx),
    }
}
