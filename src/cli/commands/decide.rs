use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::model::proposal::Permit;
use crate::ops::{self, Each};
use crate::view::{self, Failure};

/// Withdraw proposals and keep them private
///
/// The latest text comes into your planning copy, then the line leaves the target's ledger.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd withdraw a3")]
pub(super) struct WithdrawArgs {
    #[command(flatten)]
    named: IdArgs,
    /// The repo they were proposed to (default: the project's own)
    #[arg(long, value_name = "REPO")]
    target: Option<String>,
}

/// Accept proposals into the project
///
/// For maintainers.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd proposals --incoming\n  bd accept a3")]
pub(super) struct AcceptArgs {
    #[command(flatten)]
    named: IdArgs,
}

/// Reject a proposal, with a reason
///
/// For maintainers. The issue is closed here; the one who proposed it gets it back as a private one, with the reason.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd reject a3 --reason \"out of scope\"")]
pub(super) struct RejectArgs {
    #[command(flatten)]
    named: IdArgs,
    /// Why
    #[arg(short, long, value_name = "TEXT", required = true, allow_hyphen_values = true)]
    reason: String,
}

pub(super) fn run_withdraw(args: WithdrawArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let results = ops::withdraw(cx.store()?, &ids, args.target.as_deref())?;
    report(results, "withdrawn", cx)
}

pub(super) fn run_accept(args: AcceptArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let results = ops::decide(cx.store()?, &ids, None)?;
    report(results, "accepted", cx)
}

pub(super) fn run_reject(args: RejectArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    if args.reason.trim().is_empty() {
        return Err(Failure::usage("a rejection needs a reason"));
    }
    let results = ops::decide(cx.store()?, &ids, Some(args.reason.trim()))?;
    report(results, "rejected", cx)
}

fn report(results: Each<Permit>, done: &str, cx: &mut Context) -> Outcome {
    let json = |id: &str, permit: &Permit| view::decided(id, done, *permit == Permit::Do);
    cx.each(results, json, |cx, id, permit| match permit {
        Permit::Do => cx.ui.done(&format!("{}{}: {id}", done[..1].to_uppercase(), &done[1..])),
        Permit::Already => cx.ui.done(&format!("Already {done}: {id}")),
    })
}
