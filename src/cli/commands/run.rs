use std::ffi::OsString;

use clap::Args;

use super::claim::LeaseArgs;
use super::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::coordination::{self, RunEnd, RunRequest};
use crate::store::{AutoClaim, ReadyFilter};
use crate::view::{self, Exit};

/// Run a program on an issue: it is claimed as long as the program runs
///
/// Without an id the first ready issue is taken. The program gets BD_ISSUE, BD_LEASE and BD_AGENT; the claim is renewed while it
/// runs. If the program fails, or ends without closing the issue, the issue is given back and the failure is counted. If the
/// claim is lost, the program is ended. The exit code is the program's; 7 if the claim was lost.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd run bd-a3f8 -- make test\n  BD_AGENT=builder bd run -l backend -- ./agent.sh")]
pub struct RunArgs {
    /// The issue, by id or its first characters; the first ready one if none is named
    id: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    lease: LeaseArgs,
    /// Claim it on the git remote too
    #[arg(long)]
    remote: bool,
    /// Keep the claim if the issue is still open at the end
    #[arg(long)]
    keep: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(args: RunArgs, cx: &mut Context) -> Outcome {
    let json = cx.ui.wants_json();
    let directory = cx.directory();
    let filter = ReadyFilter { filter: args.filter.expr(cx)?, ..ReadyFilter::default() };
    let auto = AutoClaim { filter, wish: args.lease.wish()? };
    let id = args.id.as_deref().map(|typed| cx.store()?.resolve(typed).map_err(view::Failure::from)).transpose()?;
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
    };
    let Some(done) = coordination::run(cx.store()?, &request)? else {
        if json {
            cx.json(view::array([]));
        } else {
            cx.ui.note("nothing is ready that may be handed out");
        }
        return Ok(Exit::NotFound);
    };
    if json {
        cx.json(view::array([view::run(&done)]));
    } else {
        cx.ui.note(&view::run_text(&done));
    }
    Ok(if done.end == RunEnd::Lost { Exit::Stale } else { Exit::Program(done.ended.code()) })
}
