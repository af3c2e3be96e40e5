//! Freeing space without removing a workspace: deletes ignored files that can be rebuilt.
//!
//! Only directories that are ignored as a whole: a single ignored file may be someone's notes. Files copied into the
//! workspace are kept, and similar ones too: a build does not create `.env`.

use std::path::{Path, PathBuf};

use super::survey::{Class, GcRow, Surveyed};
use crate::model::workspace::{Kind, Workspace};
use crate::ops::removal_reasons::Loss;
use crate::store::Store;
use crate::sys::{removal, tree};
use crate::{sys, vcs};

/// Names of files that people write and do not commit.
const PERSONAL: [&str; 2] = [".env", ".beads"];

pub(super) fn clear(store: &Store, found: &Surveyed, apply: bool, row: &mut GcRow) {
    let one = &found.known.workspace;
    let at_work = |loss: Loss| matches!(loss, Loss::Lease | Loss::Process | Loss::CurrentDirectory | Loss::NotOurs);
    let is_free = matches!(found.class, Class::Abandoned | Class::Merged | Class::Closed | Class::Idle)
        && !found.look.reasons.iter().any(|reason| at_work(reason.loss));
    (row.goes, row.bytes) = (false, 0);
    if !is_free {
        row.why = "somebody works in it, or it is not whole".to_owned();
        return;
    }
    if one.kind == Kind::Copy || one.copied.iter().any(|name| name.starts_with("and ")) {
        row.why = "which of its ignored files were copied is not known".to_owned();
        return;
    }
    let root = Path::new(&one.path);
    let paths = match artifacts(store, one, root) {
        Ok(paths) => paths,
        Err(error) => {
            row.error = Some(error);
            return;
        }
    };
    row.goes = !paths.is_empty();
    row.why = format!("{} ignored directories", paths.len());
    for path in paths {
        row.bytes += tree::usage(&path).map_or_else(
            |_| sys::path::look(&path).map_or(0, |found| found.len()),
            |usage| usage.bytes.saturating_sub(usage.shared),
        );
        if apply {
            match removal::remove(&path) {
                Ok(()) => row.done = true,
                Err(error) => row.error = Some(error.to_string()),
            }
        }
    }
}

fn artifacts(store: &Store, one: &Workspace, root: &Path) -> std::result::Result<Vec<PathBuf>, String> {
    store.refuse_programs_of(root).map_err(|error| error.to_string())?;
    let ignored = vcs::open(root).ignored(&store.host().env).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for path in ignored {
        let path = PathBuf::from(path.to_string_lossy().trim_end_matches('/'));
        let is_personal = |path: &Path| {
            path.iter().any(|name| PERSONAL.iter().any(|start| name.to_string_lossy().starts_with(start)))
        };
        // A directory that contains such a file or a repository is kept as a whole.
        let copied = one.copied.iter().map(Path::new);
        let holds_copied = copied.clone().any(|copied| copied.starts_with(&path) || path.starts_with(copied));
        let full = root.join(&path);
        if !sys::path::look(&full).is_ok_and(|found| found.is_dir()) {
            continue;
        }
        let mut holds_personal = false;
        let _ = tree::walk(&full, &mut |_, _| true, &mut |inner, _| {
            holds_personal |= is_personal(inner);
            Ok(())
        });
        let holds_repository = full.is_dir() && !matches!(vcs::repository_inside(&full), Ok(None));
        let holds_repository = holds_repository || vcs::root(&full).as_deref() == Some(full.as_path());
        if !is_personal(&path) && !holds_copied && !holds_personal && !holds_repository {
            found.push(full);
        }
    }
    Ok(found)
}
