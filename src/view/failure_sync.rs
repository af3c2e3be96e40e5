//! Failures of version control.

use std::path::Path;

use super::escape::shell_path;
use super::failure::{Exit, Failure};
use crate::store::{CommitError, SyncError};

impl Failure {
    /// A repository wants to run programs that the user has not agreed to.
    pub(super) fn not_agreed(message: String, root: &Path) -> Self {
        let hint = "run `bd trust --dry-run` to see all of it, then `bd trust";
        Self::untrusted(message).hint(format!("{hint} {}` to agree to exactly that", shell_path(root)))
    }
}

impl From<&SyncError> for Failure {
    fn from(error: &SyncError) -> Self {
        let message = error.to_string();
        if let Some((root, _)) = error.untrusted() {
            return Self::not_agreed(message, root);
        }
        match error {
            SyncError::NoVcs { .. } => Self::no_repository(message).hint(
                "put it under git, jj or hg; without one, copy the other ledger here by hand and run `bd resolve`",
            ),
            SyncError::NoHistory { .. } => Self::no_repository(message)
                .hint("put it under git, jj or hg; to take back the last write, run `bd undo`"),
            SyncError::Busy { .. } | SyncError::Commit(CommitError::Busy { .. }) => {
                Self::busy(message).hint("nothing was changed; try again")
            }
            SyncError::Unfinished { .. } | SyncError::Commit(CommitError::Unfinished { .. }) => {
                Self::new(Exit::Damaged, "unfinished", message).hint("finish it or abort it, then sync again")
            }
            SyncError::Conflicts { .. } => Self::new(Exit::Damaged, "conflict", message)
                .hint("nothing was merged; merge these files with your version control, and the ledger merges with them"),
            SyncError::InTheWay { .. } => Self::new(Exit::Damaged, "in_the_way", message)
                .hint("nothing was merged; commit or stash these files, then sync again"),
            SyncError::Unreachable { .. } => Failure {
                recoverable: true,
                ..Self::new(Exit::Failed, "unreachable", message).hint("your changes are committed here; sync again later")
            },
            SyncError::Refused { .. } => Self::new(Exit::Failed, "refused", message)
                .hint("the remote rejected these commits; your changes are committed here"),
            SyncError::HookRefused { .. } => {
                Self::new(Exit::Failed, "refused", message).hint("nothing was sent; your changes are committed here")
            }
            SyncError::Heads { .. } => Self::new(Exit::Failed, "several_heads", message)
                .hint("nothing was merged or pushed; merge them, or update to one of them, then sync again"),
            SyncError::Several { .. } => Self::new(Exit::NotFound, "ambiguous", message).hint("name one commit"),
            SyncError::NewHead { .. } => Self::new(Exit::Failed, "new_head", message).hint(
                "nothing was sent; name an existing bookmark with `bd sync --bookmark NAME`, or merge the head with hg first",
            ),
            SyncError::Unfit { what } => {
                let hint = match () {
                    () if what.contains("conflict") => {
                        "nothing was sent; run `bd resolve` or `jj resolve`, then sync again"
                    }
                    () if what.contains("description") => "nothing was sent; run `jj describe`, then sync again",
                    () => "nothing was sent; change that with jj and sync again",
                };
                Self::new(Exit::Failed, "refused", message).hint(hint)
            }
            SyncError::Filtered { path, .. } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Self::new(Exit::Failed, "filtered", message).hint(format!(
                    "keep the ledger out of the filter with a line `{name} !filter` in .beads/.gitattributes and commit it again, or use git yourself"
                ))
            }
            SyncError::Commit(CommitError::Overlooked { path, flag }) => {
                let way = format!("git update-index --no-{flag} {}", shell_path(path));
                Self::new(Exit::Damaged, "would_lose", message)
                    .hint(format!("nothing was sent; run `{way}`, then try again"))
            }
            SyncError::Commit(CommitError::Staged { .. }) => Self::new(Exit::Damaged, "would_lose", message)
                .hint("nothing was changed; commit them or unstage them with `git restore --staged`, then try again"),
            SyncError::Kept { .. } => Self::new(Exit::Damaged, "would_lose", message)
                .hint("nothing was changed; save or move what is there first"),
            SyncError::NoSnapshot { .. } => Self::not_found(message),
            SyncError::Unsupported { .. }
            | SyncError::NoCheckout { .. }
            | SyncError::Failed { .. }
            | SyncError::Path { .. }
            | SyncError::Commit(_)
            | SyncError::History(_)
            | SyncError::Run(_) => Self::failed(message),
        }
    }
}
