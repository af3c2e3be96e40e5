use clap::Args;

use crate::cli::commands::claim::LeaseArgs;
use crate::cli::context::{Context, Outcome};
use crate::ops::workflows;
use crate::store::ClaimWish;
use crate::view::{self, Exit, inline};

/// Lock a workflow against changes by others
///
/// Others can still read, comment, claim ready tasks and work on theirs. An agent's lock ends after 30 minutes of silence
/// (`lease.ttl`), a person's does not; --ttl overrides this. Locking again extends it.
#[derive(Debug, Args)]
pub(super) struct LockArgs {
    /// The workflow
    id: String,
    #[command(flatten)]
    lease: LeaseArgs,
    /// Take it from the current holder
    #[arg(long, requires = "reason")]
    takeover: bool,
    /// Why it is taken over
    #[arg(long, value_name = "TEXT", requires = "takeover", allow_hyphen_values = true)]
    reason: Option<String>,
}

/// Unlock a workflow
#[derive(Debug, Args)]
pub(super) struct UnlockArgs {
    /// The workflow
    id: String,
    /// Also remove another's lock; for people and coordinators
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why another's lock is removed
    #[arg(long, value_name = "TEXT", requires = "force", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub(super) fn lock(args: &LockArgs, cx: &mut Context) -> Outcome {
    let wish = ClaimWish { takeover: args.reason.clone().filter(|_| args.takeover), ..args.lease.wish()? };
    let locked = workflows::lock(cx.store()?, &args.id, &wish)?;
    json_answer!(cx, view::locked_workflow(&locked));
    let until = locked.holder.expires.map(|at| format!(" until {}", cx.ui.calendar().full(at))).unwrap_or_default();
    if let Some(from) = &locked.taken_from {
        cx.ui.note(&format!("it was locked by {}: {}", from.holder.name, from.why));
    }
    let verb = if locked.again { "Still locked" } else { "Locked" };
    cx.ui.done(&format!("{verb}{until}, number {}: {}", locked.epoch, inline(&locked.id)));
    Ok(Exit::Ok)
}

pub(super) fn unlock(args: &UnlockArgs, cx: &mut Context) -> Outcome {
    let (id, was) = workflows::unlock(cx.store()?, &args.id, args.reason.as_deref().filter(|_| args.force))?;
    let verb = if was.is_some() { "Unlocked" } else { "Not locked" };
    cx.answer(view::unlocked_workflow(&id, was.as_ref()), &format!("{verb}: {}", inline(&id)))
}
