//! The process of a job in a workspace, and the end of the job: the workspace is removed if the settings ask for it and
//! nothing prevents it.

use std::path::{Path, PathBuf};

use super::WorkspaceError;
use super::inspect::{Around, parent_of};
use super::lines::{bring_home, keep_beginning};
use super::removal::Removal;
use super::remove::remove_known;
use crate::model::lease::Owner;
use crate::model::workspace::{State, Workspace};
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::ops::{OpError, Result};
use crate::store::Store;
use crate::vcs;

/// What happened to a workspace after its job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    /// It is kept, since nothing else was requested.
    Kept(Workspace),
    Removed(Workspace),
    /// It should have been removed, but these reasons prevent it.
    Stays {
        workspace: Workspace,
        reasons: Vec<Reason>,
    },
}

/// Records which process works in a workspace.
pub(crate) fn set_workspace_owner(store: &Store, id: &str, owner: Option<Owner>) -> Result<()> {
    let Known { state, .. } = records::find(store, id)?;
    let now = store.host().clock.now().to_string();
    records::change(store, &state, id, |known| {
        Ok(known.filter(|one| one.state.is_usable()).map(|one| Workspace {
            state: State::Active,
            owner: owner.clone(),
            used_at: Some(now.clone()),
            updated_at: Some(now.clone()),
            ..one
        }))
    })?;
    Ok(())
}

/// Records that the job is over, however it ended, and removes the workspace with `workspace.cleanup_on_complete`.
/// Failures are recorded and never fail the job: gc tries again.
pub fn end_of_job(store: &Store, id: &str) -> Result<JobEnd> {
    store.worktree()?;
    let known = records::find(store, id)?;
    let now = store.host().clock.now().to_string();
    let idle = records::change(store, &known.state, &known.workspace.id, |there| {
        let is_over = |one: &Workspace| matches!(one.state, State::Active | State::Idle);
        let used_at = Some(now.clone());
        Ok(there.filter(is_over).map(|one| Workspace {
            state: State::Idle,
            owner: None,
            updated_at: used_at.clone(),
            used_at,
            ..one
        }))
    })?;
    let Some(workspace) = idle else { return Ok(JobEnd::Kept(known.workspace)) };
    let workspace = match come_home(store, &workspace) {
        Ok(()) => workspace,
        Err(error) => note(store, &known, workspace, &error.to_string()),
    };
    if !store.settings().flag("workspace.cleanup_on_complete") || workspace.is_adopted {
        return Ok(JobEnd::Kept(workspace));
    }
    let known = Known { workspace: workspace.clone(), state: known.state };
    // The command that ran the job is outside; the directory of this process is checked in any case.
    let cwd: PathBuf = store.host().env.cwd().to_owned();
    let removed = Around::of(store, &cwd).and_then(|around| remove_known(store, &known, Removal::default(), &around));
    match removed {
        Ok(removed) => Ok(JobEnd::Removed(removed.workspace)),
        Err(OpError::Workspace(WorkspaceError::Kept { reasons, .. })) => Ok(JobEnd::Stays { workspace, reasons }),
        Err(error) => {
            let text = error.to_string();
            let workspace = note(store, &known, workspace, &text);
            Ok(JobEnd::Stays { workspace, reasons: vec![Reason::new(Loss::Unknown, text)] })
        }
    }
}

/// Records what went wrong, if possible.
fn note(store: &Store, known: &Known, workspace: Workspace, text: &str) -> Workspace {
    records::set(store, known, |one| Workspace { error: Some(text.to_owned()), ..one }).unwrap_or(workspace)
}

/// Transfers what a job wrote into the ledger of an unversioned copy: no commit will do it.
fn come_home(store: &Store, one: &Workspace) -> Result<()> {
    let at = Path::new(&one.path);
    if one.is_adopted || !at.is_dir() || vcs::is_versioned(at) {
        return Ok(());
    }
    let mut parent = store.opened_at(&parent_of(one))?;
    bring_home(&mut parent, one, at)?;
    keep_beginning(&parent, one)
}
