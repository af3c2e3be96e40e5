use clap::Args;

use super::{Context, Outcome};
use crate::cli::commands::claim::LeaseArgs;
use crate::coordination::workflows;
use crate::store::ClaimWish;
use crate::view::{self, Exit, inline};

/// Lock a workflow: nobody else changes it or its plan
///
/// Others go on reading, commenting, claiming ready tasks and working on theirs. An agent's lock ends when nothing is heard of it for
/// 30 minutes (`lease.ttl`), a person's does not; --ttl says otherwise. Locking again puts the end off.
#[derive(Debug, Args)]
pub struct LockArgs {
    /// The workflow
    id: String,
    #[command(flatten)]
    lease: LeaseArgs,
    /// Take it from whoever has it
    #[arg(long, requires = "reason")]
    takeover: bool,
    /// Why it is taken over
    #[arg(long, value_name = "TEXT", requires = "takeover", allow_hyphen_values = true)]
    reason: Option<String>,
}

/// Take the lock off a workflow
#[derive(Debug, Args)]
pub struct UnlockArgs {
    /// The workflow
    id: String,
    /// Also that of another; for people and coordinators
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why another's lock is taken off
    #[arg(long, value_name = "TEXT", requires = "force", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub fn lock(args: &LockArgs, cx: &mut Context) -> Outcome {
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

pub fn unlock(args: &UnlockArgs, cx: &mut Context) -> Outcome {
    let (id, was) = workflows::unlock(cx.store()?, &args.id, args.reason.as_deref().filter(|_| args.force))?;
    json_answer!(cx, view::unlocked_workflow(&id, was.as_ref()));
    let verb = if was.is_some() { "Unlocked" } else { "Not locked" };
    cx.ui.done(&format!("{verb}: {}", inline(&id)));
    Ok(Exit::Ok)
}
