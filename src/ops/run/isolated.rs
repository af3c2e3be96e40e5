//! A complete job in one command: claims an issue, makes a workspace for it, runs the program there, and records the
//! result before the workspace is left or removed.
//!
//! The claim comes first, so that only one of many makes a workspace; it does not touch the ledger of the current
//! checkout, because the work and its ledger are in the workspace. If the workspace cannot be made, the program is not
//! started, the claim is released and the reason is recorded. There is never a fallback to the current checkout.

use std::path::Path;
use std::time::Instant;

use super::steps::{
    Left, Run, RunEnd, RunRequest, UsedWorkspace, commit_in, end_claim, failure, give_back, is_over, look, owner,
    settle, start, supervise,
};
use crate::model::json::Object;
use crate::model::lease::Owner;
use crate::model::workspace::Workspace;
use crate::ops::claims::remote;
use crate::ops::workspaces::{
    JobEnd, MadeWorkspace, Removal, WorkspaceWish, bring_in, create_workspace, end_of_job, remove_workspace,
    set_workspace_owner, workspace_env,
};
use crate::ops::{FilesWish, NewCheckpoint, OpError, Result, add_checkpoint, workspace_records};
use crate::store::{ClaimWish, Claimed, Store, StoreError, WorkflowRow};
use crate::sys;
use crate::sys::job::Ended;

/// The variable that names the ledger, for a job in a workspace without one.
const LEDGER_VARIABLE: &str = "BEADS_DIR";

/// The workspace for an issue by default: its workflow asks for one.
pub(super) fn usual(store: &Store, id: &str) -> Result<Option<WorkspaceWish>> {
    let wants = workflow_of(store, id)?.is_some_and(|one| one.workflow.auto_workspace && !one.state.is_final());
    Ok(wants.then(WorkspaceWish::default))
}

fn workflow_of(store: &Store, id: &str) -> Result<Option<WorkflowRow>> {
    let Some(row) = store.get(id)? else { return Ok(None) };
    Ok(store.workflow_above(&row)?)
}

/// Whether some workflow asks for workspaces.
pub(super) fn may_be_usual(store: &Store) -> Result<bool> {
    Ok(store.workflows()?.iter().any(|one| one.workflow.auto_workspace && !one.state.is_final()))
}

/// A ready workspace, and the project in it.
pub(super) struct Ready {
    made: MadeWorkspace,
    /// `None` if no ledger there has the issue.
    there: Option<Store>,
    /// The process that the claim was tied to.
    before: Option<Owner>,
}

/// Makes the workspace, and the claim in it. If that fails, the reason is recorded where the next worker will look.
pub(super) fn prepare(
    store: &mut Store,
    request: &RunRequest,
    wish: &WorkspaceWish,
    claimed: &Claimed,
) -> Result<Ready> {
    let before = owner(store, claimed)?;
    // If we are killed while making the workspace, the claim ends without waiting for its expiry.
    store.set_lease_owner(claimed, sys::owner(std::process::id()))?;
    match make(store, request, wish, claimed) {
        Ok((made, there)) => Ok(Ready { made, there, before }),
        Err(error) => {
            if !is_over(&error) {
                note_failure(store, claimed, &error);
            }
            store.set_lease_owner(claimed, before)?;
            Err(error)
        }
    }
}

/// Runs the program in a workspace, on an already claimed issue.
pub(super) fn run(store: &mut Store, request: &RunRequest, mut ready: Ready, claimed: Claimed) -> Result<Run> {
    let before = ready.before.clone();
    let id = ready.made.workspace.id.clone();
    let directory = ready.made.workspace.directory();
    let start_time = Instant::now();
    let started = vars(store, &ready).and_then(|vars| start(store, request, &claimed, &directory, vars));
    let acting = ready.there.as_mut().unwrap_or(store);
    let mut job = match started {
        Ok(job) => job,
        Err(error) => {
            note_failure(acting, &claimed, &error);
            acting.set_lease_owner(&claimed, before)?;
            give_back(acting, &claimed, &error.to_string())?;
            drop(end_of_job(store, &id));
            return Err(error);
        }
    };
    let process = sys::owner(job.pid());
    // Through the original store: the program may already have removed the workspace, and its result must still be
    // reported.
    store.set_lease_owner(&claimed, process.clone())?;
    let acting = ready.there.as_mut().unwrap_or(store);
    let mut notes = ready.made.notes.clone();
    notes.extend(set_workspace_owner(acting, &id, process).err().map(|error| error.to_string()));
    let (ended, lost) = supervise(acting, &claimed, &mut job)?;
    let mut checkpoint = None;
    let end = match lost {
        true => RunEnd::Lost,
        false => {
            let (acting, left) = match look(acting, &claimed, before.clone(), request.keep) {
                Ok(left) => (acting, left),
                // The program has removed the ledger there, or the whole workspace.
                Err(error) => {
                    notes.push(format!("what the workspace says is not known: {error}"));
                    let left = look(store, &claimed, before, request.keep)?;
                    (&mut *store, left)
                }
            };
            let new = account(request, &ready.made.workspace, &claimed, ended, left, start_time);
            match add_checkpoint(acting, &new) {
                Ok(added) => checkpoint = Some(added.checkpoint.id),
                Err(error) => notes.push(format!("no checkpoint was made: {error}")),
            }
            let end = settle(acting, &claimed, ended, left)?;
            notes.extend(remote::follow(acting));
            // Changes of the program in its workspace do not affect the claims here.
            if end == RunEnd::Closed {
                end_claim(store, &claimed)?;
            }
            end
        }
    };
    // Before it may be removed.
    let commit = commit_in(store, Path::new(&ready.made.workspace.path));
    let workspace = finish(store, &ready.made, checkpoint, notes);
    Ok(Run { claimed, ended, end, workspace: Some(workspace), commit })
}

fn make(
    store: &mut Store,
    request: &RunRequest,
    wish: &WorkspaceWish,
    claimed: &Claimed,
) -> Result<(MadeWorkspace, Option<Store>)> {
    let id = &claimed.id;
    let workflow = workflow_of(store, id)?.map(|one| one.id().to_owned());
    let made = {
        let _step = store.activity().begin(format!("making a workspace for {id}"));
        create_workspace(store, &WorkspaceWish { issue: Some(id.clone()), workflow, ..wish.clone() })?
    };
    match enter(store, request, &made, id) {
        Ok(there) => Ok((made, there)),
        Err(error) => {
            drop(end_of_job(store, &made.workspace.id));
            if !made.is_reused {
                // It was made for this job only, and was not used; anything worth keeping prevents removal.
                let cwd = store.host().env.cwd().to_owned();
                drop(remove_workspace(store, &made.workspace.id, Removal::default(), &cwd));
            }
            Err(error)
        }
    }
}

/// Opens the project in the workspace and claims the issue there, so that its ledger says who works on it.
fn enter(store: &Store, request: &RunRequest, made: &MadeWorkspace, id: &str) -> Result<Option<Store>> {
    let mut there = match store.opened_at(&made.workspace.directory()) {
        Ok(there) => there,
        // A repository without a ledger is fine.
        Err(StoreError::NoRepository { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut parent = store.opened_at(Path::new(&made.workspace.parent))?;
    bring_in(&mut parent, &mut there, id)?;
    if there.get(id)?.is_none() {
        return Ok(None);
    }
    there.claim(id, &ClaimWish { takeover: None, aside: false, ..request.auto.wish.clone() })?;
    Ok(Some(there))
}

fn vars(store: &Store, ready: &Ready) -> Result<Vec<(String, String)>> {
    let mut vars = workspace_env(store, &ready.made.workspace)?;
    if ready.there.is_none() {
        vars.push((LEDGER_VARIABLE.to_owned(), store.repo().beads().display().to_string()));
    }
    Ok(vars)
}

/// Records why a job was not started.
fn note_failure(store: &mut Store, claimed: &Claimed, why: &OpError) {
    let new = NewCheckpoint {
        issue: Some(claimed.id.clone()),
        kind: "error".to_owned(),
        summary: format!("the job was not started: {why}"),
        ..NewCheckpoint::default()
    };
    // The claim has the reason too.
    drop(add_checkpoint(store, &new));
}

/// The checkpoint text about a program that has ended.
fn account(
    request: &RunRequest,
    workspace: &Workspace,
    claimed: &Claimed,
    ended: Ended,
    left: Left,
    start_time: Instant,
) -> NewCheckpoint {
    let (kind, summary) = match left {
        Left::Closed => ("complete", "the program ended and the issue is closed".to_owned()),
        Left::Released | Left::Kept if ended.is_success() => ("progress", "the program ended".to_owned()),
        Left::Released | Left::Kept | Left::Open => ("error", failure(ended)),
    };
    let words = std::iter::once(&request.program).chain(&request.arguments);
    let detail = Object::new()
        .texts("command", words.map(|word| word.to_string_lossy().into_owned()))
        .number("exit_code", i64::from(ended.code()))
        .number("seconds", i64::try_from(start_time.elapsed().as_secs()).unwrap_or(i64::MAX))
        .text("workspace", &workspace.id)
        .optional("branch", workspace.branch.as_deref())
        .finish();
    NewCheckpoint {
        issue: Some(claimed.id.clone()),
        kind: kind.to_owned(),
        summary,
        detail: Some(detail),
        files: FilesWish::Changed,
        ..NewCheckpoint::default()
    }
}

/// Leaves the workspace, or removes it on request. Failures of this do not fail the job.
fn finish(store: &Store, made: &MadeWorkspace, checkpoint: Option<String>, mut notes: Vec<String>) -> UsedWorkspace {
    let id = &made.workspace.id;
    let (workspace, is_removed) = match end_of_job(store, id) {
        Ok(JobEnd::Kept(workspace)) => (workspace, false),
        Ok(JobEnd::Removed(workspace)) => (workspace, true),
        Ok(JobEnd::Stays { workspace, reasons }) => {
            let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
            notes.push(format!("the workspace stays: {}", texts.join("; ")));
            (workspace, false)
        }
        Err(error) => {
            notes.push(format!("the workspace stays: {error}"));
            (workspace_records::find_workspace(store, id).unwrap_or_else(|_| made.workspace.clone()), false)
        }
    };
    UsedWorkspace { workspace, is_reused: made.is_reused, is_removed, checkpoint, notes }
}
