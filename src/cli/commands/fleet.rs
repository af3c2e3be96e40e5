use clap::{Args, Subcommand};

use super::changed_settings::print_changes;
use crate::cli::context::{Context, Outcome};
use crate::ops::{self, Fleet};
use crate::view::{self, Exit, Failure, inline, plural};

/// Let the agents of several clones and machines share the work: one winner for each issue
///
/// Without it, one of many claimants wins in all checkouts of a repository, and two clones can work on one issue until they
/// sync. With it, each claim is also made on the git remote, which takes one of two. A claim, its renewal and its end each cost one
/// push; an agent that cannot reach the remote claims nothing. Private plans are never claimed there.
///
/// Without a subcommand: whether it is on, and for which remotes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd fleet init\n  bd fleet init --yes\n  bd leases --remote\n  bd fleet leave")]
pub(super) struct FleetArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make claims on the remote too, for this project; first shows what will be there
    Init {
        /// Agree to what will be there
        #[arg(short, long)]
        yes: bool,
    },
    /// Make claims in each clone alone again; removes this clone's claims from the remote
    Leave,
}

/// What others can read on the remote.
const SHOWN: [&str; 4] = [
    "a ref refs/beads/claims/ID for each issue that is claimed, or closed where others cannot see it yet",
    "in its commit: the id of the issue, a number, the id of the agent (ag_…) or of the clone (rp_…), times",
    "as its author: bd <bd@invalid>",
    "no host name, path, e-mail address, title or text",
];

pub(super) fn run(args: FleetArgs, cx: &mut Context) -> Outcome {
    let fleet = match args.action {
        None => ops::fleet(cx.store()?),
        Some(Action::Init { yes }) => {
            let fleet = ops::fleet(cx.store()?);
            let has_remote = fleet.repos.iter().any(|one| one.remote.is_some());
            if has_remote && !yes && !agrees(&fleet, cx)? {
                cx.ui.note("nothing was changed");
                return Ok(Exit::Ok);
            }
            ops::join_fleet(cx.store()?)?
        }
        Some(Action::Leave) => ops::leave_fleet(cx.store()?)?,
    };
    json_answer!(cx, view::fleet(&fleet));
    let on =
        if fleet.is_on { "on: claims are made on the remote too" } else { "off: a claim holds in its clone alone" };
    cx.ui.line(on);
    for one in &fleet.repos {
        let remote = one.remote.as_deref().unwrap_or("no remote that could decide");
        cx.ui.line(&inline(&format!("  {}: {remote}", one.repo)));
    }
    cx.ui.note_if(fleet.removed > 0, &format!("{} removed from the remote", plural(fleet.removed, "claim")));
    if let Some(configured) = &fleet.configured {
        print_changes(configured, cx);
    }
    Ok(Exit::Ok)
}

/// Shows what will be on the remotes, and asks.
fn agrees(fleet: &Fleet, cx: &mut Context) -> Result<bool, Failure> {
    let remotes: Vec<&str> = fleet.repos.iter().filter_map(|one| one.remote.as_deref()).collect();
    cx.ui.note(&format!("this will be on {}, for everybody who can read it:", remotes.join(", ")));
    SHOWN.iter().for_each(|line| cx.ui.note(&format!("  {line}")));
    if !cx.ui.is_interactive() {
        let message = "nothing was changed: there is no terminal to ask at; run `bd fleet init --yes` to agree";
        return Err(Failure::usage(message));
    }
    Ok(cx.ui.confirm("Make claims there?"))
}
