//! Commits with the program `jj`.
//!
//! The files are split off into a commit below the working copy's, which keeps everything else: its other changes, its
//! description, its id and its bookmarks. `jj commit` would give our message to the user's change. If possible the new
//! commit goes below all commits that the user has not pushed, so that it can be pushed alone. A ledger conflict that
//! the working copy has resolved goes into the commit that has it.

use super::program::{Repo, SIGNERS, identity, jj, name};
use super::{beside, bookmark, conflicts};
use crate::sys::lock::is_held;
use crate::sys::process::{Output, Program, RunError};
use crate::vcs::commit::{Committed, Order, checked, failed, patiently};
use crate::vcs::{CommitError, SyncError};

/// Commits these files and nothing else.
pub(super) fn commit(order: &Order) -> Result<Committed, CommitError> {
    beside::check(order.root, order.env)?;
    let dot_jj = order.root.join(".jj");
    let lock = dot_jj.join("working_copy/working_copy.lock");
    // jj would wait for another jj without a limit.
    patiently(order, || Ok(if is_held(&lock) { None } else { Some(()) }))?;
    let names = order.files.iter().map(|file| name(file)).collect::<Option<Vec<_>>>();
    let names = names.ok_or_else(|| CommitError::Name { root: order.root.to_owned() })?;
    let identity = identity(order.root, order.author, order.env);
    let run = |arguments: &[&str]| -> Result<Output, CommitError> {
        // Signed commits stay signed: jj signs them again. The ledger's own commit is not signed.
        let program =
            SIGNERS.into_iter().fold(jj(order.root, order.env), Program::passing).arg("--config=signing.behavior=keep");
        let output = program.args(&identity).args(arguments).arg("--").args(&names).run();
        let output = output.map_err(|error| match error {
            RunError::TimedOut { .. } if is_held(&lock) => order.busy(),
            error => error.into(),
        })?;
        checked(&format!("jj {}", arguments.first().unwrap_or(&"")), output)
    };
    let is_changed = || Ok::<_, CommitError>(!run(&["diff", "--summary"])?.stdout.is_empty());
    let repo = Repo::new(order.root, order.env).by(order.author);
    let is_settled = conflicts::settle(&repo, order.files).map_err(|error| match error {
        SyncError::Commit(error) => error,
        SyncError::Busy { .. } => order.busy(),
        SyncError::Run(error) => error.into(),
        SyncError::Failed { program, status, printed } => CommitError::Failed { program, status, printed },
        SyncError::Path { path, source } => CommitError::Path { path, source },
        other => CommitError::Beside { root: order.root.to_owned(), message: other.to_string() },
    })?;
    if !is_changed()? {
        let there = order.files.iter().map(|file| order.root.join(file)).find(|file| file.exists());
        let Some(there) = there else { return Ok(Committed::NothingToCommit) };
        if !run(&["file", "list"])?.stdout.is_empty() {
            return Ok(if is_settled { Committed::Done } else { Committed::NothingToCommit });
        }
        // Untracked: the file is ignored, too large, or the user has disabled automatic tracking.
        let tracked = run(&["file", "track"])?;
        if !is_changed()? {
            let refused = String::from_utf8_lossy(&tracked.stderr).contains("Refused to snapshot");
            return Err(if refused { failed("jj file track", &tracked) } else { CommitError::Ignored { path: there } });
        }
    }
    let above = lowest(&repo, &names).unwrap_or(None).unwrap_or_else(|| "@".to_owned());
    run(&["split", &format!("--insert-before={above}"), &format!("--message={}", order.message)])?;
    Ok(Committed::Done)
}

/// The commit below which the files can go: the user's lowest one that the remote lacks, if none of them touches the
/// files. There the new commit can be pushed without the user's. `None` if the user's commits should not be rewritten:
/// the remote has them too, they are signed, or another working copy builds on them.
pub(super) fn lowest(repo: &Repo<'_>, names: &[String]) -> Result<Option<String>, SyncError> {
    if bookmark::remote(repo).is_none() {
        return Ok(None);
    }
    let Some(found) = bookmark::course(repo, None, None)?.bookmark else { return Ok(None) };
    let ours = format!("({}..@-)", found.there);
    let ledger = repo.ids(None, &format!("heads({ours} & files({}))", names.join("|")))?;
    let roots = match ledger.as_slice() {
        [] => format!("roots({}..@)", found.there),
        [last] => format!("roots({last}..@)"),
        _ => return Ok(None),
    };
    let kept = "merges() | immutable() | ::remote_bookmarks() | signed() | conflicts() | (working_copies() ~ @)";
    let [root]: [String; 1] = repo.ids(None, &roots)?.try_into().unwrap_or_default();
    if root.is_empty() || repo.count(None, &format!("{root}:: & ({kept})"))? > 0 {
        return Ok(None);
    }
    Ok(Some(root))
}
