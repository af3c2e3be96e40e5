use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, LeaseFilter};
use crate::view::{self, Exit};

/// List who holds which issue, in all checkouts
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd leases\n  bd leases --expired --json\n  bd leases --worktree feature-x")]
pub(super) struct LeasesArgs {
    /// Only expired claims
    #[arg(long)]
    expired: bool,
    /// Only claims of this agent or person
    #[arg(long, value_name = "NAME")]
    holder: Option<String>,
    /// Only claims made in this checkout, by id, name or path
    #[arg(long, value_name = "CHECKOUT", conflicts_with = "all_worktrees")]
    worktree: Option<String>,
    /// Claims on the git remote, of all clones
    #[arg(long, conflicts_with_all = ["expired", "worktree"])]
    remote: bool,
    /// Include all checkouts (always on)
    #[arg(long, hide = true)]
    all_worktrees: bool,
}

pub(super) fn run(args: LeasesArgs, cx: &mut Context) -> Outcome {
    if args.remote {
        return on_remote(cx, args.holder.as_deref());
    }
    let filter = LeaseFilter { expired: args.expired, holder: args.holder, worktree: args.worktree };
    let rows = ops::leases(cx.store()?, &filter)?;
    json_answer!(cx, view::each(&rows, view::lease));
    let now = cx.host().clock.now();
    for row in &rows {
        cx.ui.line(&view::lease_text(row, now));
    }
    cx.ui.note_if(rows.is_empty(), "nobody holds an issue");
    Ok(Exit::Ok)
}

fn on_remote(cx: &mut Context, holder: Option<&str>) -> Outcome {
    let mut claims = ops::remote_leases(cx.store()?)?;
    claims.retain(|one| holder.is_none_or(|name| one.holder == name));
    let now = cx.host().clock.now();
    json_answer!(cx, view::each(&claims, |one| view::remote_lease(one, now)));
    for one in &claims {
        cx.ui.line(&view::remote_lease_text(one, now));
    }
    cx.ui.note_if(claims.is_empty(), "nothing is claimed on the remote");
    Ok(Exit::Ok)
}
