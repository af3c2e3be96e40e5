//! Problems of workspaces.

use std::path::PathBuf;

use super::health::Report;
use crate::ops::{self, Result};
use crate::store::Store;

/// Workspaces in odd states, and directories without a record.
pub(in crate::ops) fn check_workspaces(store: &Store, report: &mut Report) -> Result<()> {
    let mut add = |path: PathBuf, message: String, remedy: &str| {
        report.warn(message).in_file(path).with(remedy);
    };
    for (one, what) in ops::odd_workspaces(store)? {
        let message = format!("the workspace {} is {}: {what}", one.id, one.state.word());
        add(
            PathBuf::from(&one.path),
            message,
            "run `bd workspace gc` to see what can be done, and `bd workspace gc --apply` to do it",
        );
    }
    for (file, line, id) in ops::unreadable_workspaces(store)? {
        let id = id.map(|id| format!(" of {id}")).unwrap_or_default();
        let message =
            format!("the record{id} in line {line} is not a workspace record that this bd can read; left alone");
        add(file, message, "a newer bd may have written it: use that one");
    }
    // Without a place for workspaces there are none.
    for orphan in ops::workspace_orphans(store).map(|(found, _)| found).unwrap_or_default() {
        let message = "a directory among the workspaces that no record knows".to_owned();
        add(orphan.path, message, "run `bd workspace gc --apply` to put it aside");
    }
    Ok(())
}
