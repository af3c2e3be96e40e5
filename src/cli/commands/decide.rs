use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::model::proposal::Permit;
use crate::ops::{self, Decided, Each};
use crate::view::{self, Failure, inline};

/// Withdraw proposals and keep them private
///
/// The latest text comes into your planning copy, then the line leaves the target's ledger.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd withdraw a3")]
pub(super) struct WithdrawArgs {
    #[command(flatten)]
    named: IdArgs,
    /// The repo they were proposed to (default: as recorded)
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
/// For maintainers. The issue is closed here; its proposer gets it back as a private issue, with the reason. A proposal on a
/// fetched branch need not be merged: the rejected line comes into the ledger here, and a text for the pull request is printed.
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
    let permit =
        |(id, result): (String, Result<Permit, _>)| (id, result.map(|permit| Decided { permit, unmerged: None }));
    report(results.into_iter().map(permit).collect(), "withdrawn", cx, |_, _| None)
}

pub(super) fn run_accept(args: AcceptArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let results = ops::decide(cx.store()?, &ids, None)?;
    report(results, "accepted", cx, |_, _| None)
}

pub(super) fn run_reject(args: RejectArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let reason = args.reason.trim();
    if reason.is_empty() {
        return Err(Failure::usage("a rejection needs a reason"));
    }
    let results = ops::decide(cx.store()?, &ids, Some(reason))?;
    report(results, "rejected", cx, |id, decided| {
        let (_, title) = decided.unmerged.as_ref()?;
        let way = "Your issue is private again after your next merge of the main branch and `bd sync`.";
        Some(format!("{title} ({id}) was rejected: {reason}. {way}"))
    })
}

fn report(
    results: Each<Decided>,
    done: &str,
    cx: &mut Context,
    answer: impl Fn(&str, &Decided) -> Option<String>,
) -> Outcome {
    let json = |id: &str, one: &Decided| view::decided(id, done, one.permit == Permit::Do, answer(id, one));
    cx.each(results, json, |cx, id, one| {
        match one.permit {
            Permit::Do => cx.ui.done(&format!("{}{}: {id}", done[..1].to_uppercase(), &done[1..])),
            Permit::Already => cx.ui.done(&format!("Already {done}: {id}")),
        }
        if let (Some(text), Some((branches, _))) = (answer(id, one), &one.unmerged) {
            cx.ui.line(&inline(&format!("For the pull request of {}:", branches.join(" "))));
            cx.ui.below([text]);
        }
    })
}
