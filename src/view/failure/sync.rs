//! What goes wrong with version control.

use super::*;
use crate::store::{CommitError, SyncError, Unpushable};

impl Classify for SyncError {
    fn classify(&self) -> Failure {
        use SyncError::*;
        if let Some((root, _)) = self.untrusted() {
            return not_agreed(root);
        }
        match self {
            NoVcs { .. } => UNSUPPORTED.shell(
                "put it under git, jj or hg",
            ),
            NoHistory { .. } => {
                UNSUPPORTED.shell("put it under git, jj or hg; to take back the last write, run `bd undo`")
            }
            Busy { .. } | Commit(CommitError::Busy { .. }) => BUSY.hint("nothing was changed; try again"),
            Unfinished { .. } | Commit(CommitError::Unfinished { .. }) => {
                UNFINISHED.hint("finish it or abort it, then sync again")
            }
            Conflicts { .. } => CONFLICT.hint(
                "nothing was merged; merge these files with your version control, and the ledger merges with them",
            ),
            InTheWay { .. } => IN_THE_WAY.hint("nothing was merged; commit or stash these files, then sync again"),
            Rewritten { upstream, commit } => WOULD_LOSE
                .hint("nothing was changed")
                .shell(format!("run `git rebase --onto {upstream} {commit}` to put your own commits on top, or `git reset --keep {upstream}` to let go of all others, then sync again")),
            Unreachable { .. } => {
                Failure { recoverable: true, ..UNREACHABLE.hint("your changes are committed here; sync again later") }
            }
            Refused { .. } => REFUSED.hint("the remote rejected these commits; your changes are committed here"),
            HookRefused { .. } => REFUSED.hint("nothing was sent; your changes are committed here"),
            Heads { .. } => SEVERAL_HEADS
                .hint("nothing was merged or pushed; merge them, or update to one of them, then sync again"),
            Several { .. } => AMBIGUOUS.hint("name one commit"),
            NewHead { .. } => NEW_HEAD
                .hint("nothing was sent")
                .shell("name an existing bookmark with `bd sync --bookmark NAME`, or merge the head with hg first"),
            Unfit { why, .. } => REFUSED.hint("nothing was sent").shell(match why {
                Unpushable::Conflict => "run `bd resolve` or `jj resolve`, then sync again",
                Unpushable::NoDescription => "run `jj describe`, then sync again",
                Unpushable::Other => "change that with jj and sync again",
            }),
            Filtered { path, .. } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                FILTERED
                    .hint(format!("keep the ledger out of the filter with a line `{name} !filter` in .beads/.gitattributes and commit it again"))
                    .or(shell("use git yourself"))
            }
            Commit(CommitError::Overlooked { path, flag }) => WOULD_LOSE
                .hint("nothing was sent")
                .shell(format!("run `git update-index --no-{flag} {}`, then try again", shell_path(path))),
            Commit(CommitError::Staged { .. }) => WOULD_LOSE
                .hint("nothing was changed")
                .shell("commit them or unstage them with `git restore --staged`, then try again"),
            Kept { .. } => WOULD_LOSE.hint("nothing was changed; save or move what is there first"),
            NoSnapshot { .. } => NOT_FOUND,
            Unsupported { .. } => FAILED.kind(ErrorKind::Unsupported),
            NoCheckout { .. } | Failed { .. } | Path { .. } | Commit(_) | History(_) | Run(_) => FAILED,
        }
    }
}
