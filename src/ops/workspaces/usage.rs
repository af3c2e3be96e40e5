//! The disk usage of workspaces.

use std::path::Path;

use super::proof;
use crate::model::workspace::{State, Workspace};
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::store::{Store, StoreError};
use crate::sys::tree::{self, Usage};

/// A workspace and its disk usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceUsage {
    pub workspace: Workspace,
    pub usage: Usage,
}

impl WorkspaceUsage {
    /// What removing it frees.
    pub fn own(&self) -> u64 {
        self.usage.bytes.saturating_sub(self.usage.shared)
    }
}

/// Measures one workspace, or all existing ones, and records the sizes.
pub fn measure(store: &Store, typed: Option<&str>) -> Result<Vec<WorkspaceUsage>> {
    let found = match typed {
        Some(typed) => vec![records::find(store, typed)?],
        None => records::known(store)?,
    };
    let mut measured = Vec::new();
    let step = store.activity().begin("measuring workspaces");
    let total = found.len() as u64;
    for (n, known) in found.into_iter().enumerate() {
        step.at(n as u64, total);
        let one = &known.workspace;
        if one.state == State::Removed || !proof::has_right(one) || !Path::new(&one.path).is_dir() {
            continue;
        }
        let mut usage = tree::usage(one.path.as_ref()).map_err(StoreError::from)?;
        if let Some(context) = one.context_dir.as_ref().filter(|context| Path::new(context).is_dir()) {
            let beside = tree::usage(context.as_ref()).map_err(StoreError::from)?;
            usage.bytes += beside.bytes;
            usage.files += beside.files;
        }
        let size = i64::try_from(usage.bytes.saturating_sub(usage.shared)).ok();
        records::set(store, &known, |found| Workspace { size, ..found })?;
        measured.push(WorkspaceUsage { workspace: Workspace { size, ..known.workspace }, usage });
    }
    Ok(measured)
}
