use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::model::duration;
use crate::ops::{self, OpError};
use crate::store::{ClaimWish, Claimed, Written};
use crate::view::{self, Failure};

/// Claim issues; exactly one claimant wins across all checkouts
///
/// An agent's claim ends after 30 minutes of silence (`lease.ttl`); every command of the agent renews it. A person's claim does
/// not end. Refused (exit 4) if somebody else holds the issue. The epoch grows with each claim: an agent that lost its claim is
/// refused (exit 7) instead of overwriting the next holder's work.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd claim bd-a3f8\n  BD_AGENT=builder bd claim bd-a3f8 --ttl 2h --json\n  bd claim bd-a3f8 --takeover --reason 'the machine is gone'"
)]
pub(super) struct ClaimArgs {
    #[command(flatten)]
    named: IdArgs,
    #[command(flatten)]
    lease: LeaseArgs,
    /// Also claim it on the git remote, for all clones on all machines (always with claims.remote)
    #[arg(long)]
    remote: bool,
    /// Take it from the current holder
    #[arg(long, requires = "reason")]
    takeover: bool,
    /// Why it is taken over
    #[arg(long, value_name = "TEXT", requires = "takeover", allow_hyphen_values = true)]
    reason: Option<String>,
}

/// How long a claim lasts.
#[derive(Debug, Args, Default)]
pub(super) struct LeaseArgs {
    /// Expire after this much inactivity: 30m, 2h (`none`: never)
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
}

impl LeaseArgs {
    /// Something was said about it.
    pub(super) fn is_given(&self) -> bool {
        self.ttl.is_some()
    }

    pub(super) fn wish(&self) -> Result<ClaimWish, Failure> {
        match self.ttl.as_deref() {
            None => Ok(ClaimWish::default()),
            Some("none") => Ok(ClaimWish { forever: true, ..ClaimWish::default() }),
            Some(text) => match duration::parse(text).filter(|ttl| *ttl > 0) {
                Some(ttl) => Ok(ClaimWish { ttl: Some(ttl), ..ClaimWish::default() }),
                None => Err(Failure::usage(format!("--ttl takes a length of time such as 30m, or none, not {text:?}"))),
            },
        }
    }
}

/// Something to take must be named.
pub(super) fn require_issue(ids: &[String]) -> Result<(), Failure> {
    let which = "which issue? `bd ready` lists candidates; `bd ready --claim` takes the first";
    if ids.is_empty() { Err(Failure::usage(which)) } else { Ok(()) }
}

pub(super) fn run(args: ClaimArgs, cx: &mut Context) -> Outcome {
    require_issue(&args.named.ids)?;
    let ids = args.named.read(cx)?;
    let wish = ClaimWish { takeover: args.reason.clone().filter(|_| args.takeover), ..args.lease.wish()? };
    let results = ops::claim(cx.store()?, &ids, &wish, args.remote)?;
    let any_again = results.iter().any(|(_, result)| result.as_ref().is_ok_and(|claimed| claimed.again));
    let beside = beside(&results);
    warn_waiting(cx, results.iter().filter_map(|(_, result)| result.as_ref().ok()));
    let exit = cx.each(results, |_, one| view::claimed(one), |cx, _, one| cx.ui.done(&view::claimed_text(one)))?;
    beside.iter().for_each(|written| cx.tell_beside(written));
    if any_again && cx.agent()?.is_none() {
        cx.ui.hint(NAME_AGENTS);
    }
    Ok(exit)
}

/// What to say where the same person takes an issue twice: it may be two programs that do not know of each other.
pub(super) const NAME_AGENTS: &str =
    "if another program of yours works on it, leave it; set BD_AGENT to a name of its own for each of them";

/// Claims that no ledger says anything of.
pub(super) fn beside(results: &[(String, Result<Claimed, OpError>)]) -> Vec<Written> {
    let written = results.iter().filter_map(|(_, result)| result.as_ref().ok()).map(|claimed| &claimed.written);
    written.filter(|written| written.is_beside() && written.changed).cloned().collect()
}

/// Warns of issues that were taken although they wait for others.
pub(super) fn warn_waiting<'a>(cx: &mut Context, claimed: impl Iterator<Item = &'a Claimed>) {
    for one in claimed.filter(|one| !one.blockers.is_empty()) {
        cx.ui.warning(&view::taken_waiting(&one.id, &one.blockers));
    }
}
