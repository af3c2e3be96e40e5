//! The end of a job: its workspace is removed if the settings say so and nothing stands against it.

use std::path::{Path, PathBuf};

use super::WorkspaceError;
use super::against::Removal;
use super::lines::{bring_home, keep_beginning};
use super::look::{Around, parent_of};
use super::remove::remove_known;
use crate::model::workspace::{State, Workspace};
use crate::ops::losses::{Loss, Reason};
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::ops::{OpError, Result};
use crate::store::Store;
use crate::vcs;

/// What became of a workspace when its job was over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    /// It stays, because it was not asked for more.
    Kept(Workspace),
    Removed(Workspace),
    /// It should have been removed, and this stands against it.
    Stays {
        workspace: Workspace,
        reasons: Vec<Reason>,
    },
}

/// Notes that the job is over, however it ended, and removes the workspace with `workspace.cleanup_on_complete`. What goes wrong
/// with that is recorded and never an error of the job: gc tries again.
pub fn end_of_job(store: &mut Store, id: &str) -> Result<JobEnd> {
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
    // The command that ran the job stands outside; where this process stands is looked at in any case.
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

/// Records what went wrong, if that can be done.
fn note(store: &Store, known: &Known, workspace: Workspace, text: &str) -> Workspace {
    let noted = records::change(store, &known.state, &workspace.id, |there| {
        Ok(there.map(|one| Workspace { error: Some(text.to_owned()), ..one }))
    });
    noted.ok().flatten().unwrap_or(workspace)
}

/// Brings home what a job wrote into the ledger of a copy that is under no version control: no commit will ever do it.
fn come_home(store: &Store, one: &Workspace) -> Result<()> {
    let at = Path::new(&one.path);
    if one.is_adopted || !at.is_dir() || vcs::is_versioned(at) {
        return Ok(());
    }
    let mut parent = store.opened_at(&parent_of(one))?;
    bring_home(&mut parent, one, at)?;
    keep_beginning(&parent, one)
}
