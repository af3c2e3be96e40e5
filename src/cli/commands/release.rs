use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::ReleaseWish;
use crate::view;

/// Release a claimed issue: open again and unassigned
///
/// After three failures (`lease.max_attempts`) the issue gets the label needs-attention and is not handed out any more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd release bd-a3f8\n  bd release bd-a3f8 --failed 'the tests need a database'")]
pub(super) struct ReleaseArgs {
    #[command(flatten)]
    named: IdArgs,
    /// Why, for whoever takes it next; kept as a comment
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Only remove this clone's claims from the git remote; with --reason also another clone's
    #[arg(long, conflicts_with = "failed")]
    remote: bool,
    /// Record that the work failed, and how
    #[arg(long, value_name = "ERROR", allow_hyphen_values = true)]
    failed: Option<String>,
}

pub(super) fn run(args: ReleaseArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    if args.remote {
        return off_the_remote(cx, &ids, args.reason.as_deref());
    }
    let wish = ReleaseWish { reason: args.reason, failed: args.failed };
    let results = ops::release(cx.store()?, &ids, &wish)?;
    cx.each(results, |_, one| view::released(one), |cx, _, one| cx.ui.done(&view::released_text(one)))
}

fn off_the_remote(cx: &mut Context, ids: &[String], reason: Option<&str>) -> Outcome {
    let results = ops::release_remote(cx.store()?, ids, reason)?;
    let json = |(id, there): &(String, bool)| view::released_remotely(id, *there);
    let text = |(id, there): &(String, bool)| match there {
        true => format!("Released on the remote: {id}"),
        false => format!("Not claimed on the remote: {id}"),
    };
    cx.each(results, |_, one| json(one), |cx, _, one| cx.ui.done(&text(one)))
}
