use std::ffi::OsString;

use clap::Args;

use super::claim::{self, LeaseArgs};
use crate::cli::context::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::model::workspace::Kind;
use crate::ops::{self, RunEnd, RunRequest, SetupWish, WorkspaceWish};
use crate::store::{AutoClaim, ReadyFilter};
use crate::view::{self, Exit};

/// Run a program on an issue, holding the claim while it runs
///
/// Without an id, the first ready issue is taken. The program gets BD_ISSUE, BD_LEASE and BD_AGENT, and the claim is renewed
/// while it runs. If the program fails, or ends without closing the issue, the issue is released and the failure is counted. If
/// the claim is lost, the program is stopped. The exit code is the program's; 1 if the program exited 0 without closing the
/// issue; 7 if the claim was lost.
///
/// With --workspace the program runs in its own checkout, made for the issue, and never in this one: if that cannot be made, the
/// program is not started. A checkpoint records how the program ended. The workspace stays (see `bd workspace list`), unless
/// workspace.cleanup_on_complete is set and no work would be lost.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd run bd-a3f8 -- make test\n  BD_AGENT=builder bd run -l backend -- ./agent.sh\n  bd run --issue bd-a3f8 --workspace -- ./agent.sh"
)]
pub(super) struct RunArgs {
    /// The issue, by id or its first characters (default: the first ready one)
    id: Option<String>,
    /// The issue, as an option
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    issue: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    lease: LeaseArgs,
    /// Also claim it on the git remote
    #[arg(long)]
    remote: bool,
    /// Keep the claim if the issue is still open at the end
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    workspace: WorkspaceArgs,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Where the program runs.
#[derive(Debug, Args)]
struct WorkspaceArgs {
    /// Run in a workspace of its own
    #[arg(long)]
    workspace: bool,
    /// The kind of workspace (default: workspace.kind)
    #[arg(long, value_name = "KIND", requires = "workspace", value_parser = Kind::WORDS.to_vec())]
    kind: Option<String>,
    /// The branch of the workspace (default: workspace.branch)
    #[arg(long, value_name = "NAME", requires = "workspace")]
    branch: Option<String>,
    /// Where that branch starts (default: what is checked out here)
    #[arg(long, value_name = "REF", requires = "workspace")]
    base: Option<String>,
    /// A command to run in the workspace first (default: workspace.setup)
    #[arg(long, value_name = "COMMAND", requires = "workspace", conflicts_with = "no_setup")]
    setup: Option<String>,
    /// Do not run a setup command
    #[arg(long, requires = "workspace")]
    no_setup: bool,
    /// Make a new workspace even if one is idle
    #[arg(long, requires = "workspace")]
    fresh: bool,
}

impl WorkspaceArgs {
    fn wish(self) -> Option<WorkspaceWish> {
        let setup = match (self.setup, self.no_setup) {
            (Some(command), _) => SetupWish::Command(command),
            (None, true) => SetupWish::Nothing,
            (None, false) => SetupWish::Usual,
        };
        self.workspace.then(|| WorkspaceWish {
            kind: self.kind.as_deref().and_then(Kind::parse),
            branch: self.branch,
            base: self.base,
            setup,
            reuse: self.fresh.then_some(false),
            ..WorkspaceWish::default()
        })
    }
}

pub(super) fn run(args: RunArgs, cx: &mut Context) -> Outcome {
    let json = cx.ui.wants_json();
    let directory = cx.directory();
    let filter = ReadyFilter { filter: args.filter.expr(cx)?, ..ReadyFilter::default() };
    let auto = AutoClaim { filter, wish: args.lease.wish()?, ..AutoClaim::default() };
    let id = args.id.as_deref().or(args.issue.as_deref()).map(|typed| cx.resolve(typed)).transpose()?;
    let mut command = args.command.into_iter();
    let request = RunRequest {
        id,
        auto,
        remote: args.remote,
        keep: args.keep,
        program: command.next().unwrap_or_default(),
        arguments: command.collect(),
        directory,
        apart: json,
        workspace: args.workspace.wish(),
    };
    let Some(done) = ops::run(cx.store()?, &request)? else {
        if json {
            cx.json("[]");
        } else {
            cx.ui.note("nothing is ready that may be handed out");
            if let Some(why) = ops::why_nothing(cx.store()?, &request.auto.filter)? {
                cx.ui.hint(&view::inline(&why.to_string()));
            }
            if let Some(why) = ops::withheld(cx.store()?)? {
                cx.ui.hint(&format!("a task waits: {why}"));
            }
        }
        return Ok(Exit::NotFound);
    };
    claim::warn_waiting(cx, std::iter::once(&done.claimed));
    if json {
        cx.json(view::each([&done], view::run));
    } else {
        for note in done.workspace.iter().flat_map(|used| &used.notes) {
            cx.ui.note(note);
        }
        cx.ui.note(&view::run_text(&done));
        let kept = done.workspace.as_ref().filter(|used| done.end == RunEnd::Closed && !used.is_removed);
        if let Some(used) = kept {
            let id = used.workspace.issue.as_ref().unwrap_or(&used.workspace.id);
            cx.ui.hint(&format!("run `bd workspace merge {}` to bring its work home", view::shell_word(id)));
        }
    }
    Ok(match done.end {
        RunEnd::Lost => Exit::Stale,
        // The program reported success, but the issue is not done.
        RunEnd::Failed(_) if done.ended.code() == 0 => Exit::Failed,
        _ => Exit::Program(done.ended.code()),
    })
}
