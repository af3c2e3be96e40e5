//! The files that commits of jj change: jj says which commits, and git has them.

use std::path::Path;

use super::program::Repo;
use super::{beside, git_target};
use crate::sys::Env;
use crate::vcs::history::{Repository, not_a_range};
use crate::vcs::{Changed, HistoryError, Kind, Span, SyncError, git};

pub fn changes(root: &Path, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
    let Some(git_dir) = git_target(&root.join(".jj")) else {
        return Err(HistoryError::NotGit { root: root.to_owned(), kind: Kind::Jj }.into());
    };
    let repository = Repository { root, git_dir, env };
    let repo = Repo::new(root, env);
    let ids = match span {
        Span::Commits(ids) => ids.to_vec(),
        Span::Range(text) => match repo.ids(None, text) {
            // It may be one of git, which knows the same commits.
            Err(SyncError::Failed { .. }) => {
                let known = !text.starts_with('-') && git::range(&repository, span, each).is_ok();
                let unknown = || not_a_range(text, "a revset of jj that means commits here");
                return if known { Ok(()) } else { Err(unknown()) };
            }
            other => other?,
        },
        // jj stages nothing: a commit takes what the working copy's change holds.
        Span::Staged => {
            beside::check(root, env)?;
            let now = repo.snapshot()?;
            let ids = repo.ids(Some(&now), "@")?;
            // It is no commit yet as far as the user is concerned.
            return Ok(git::commits(&repository, &ids, &mut |changed| each(Changed { commit: None, ..changed }))?);
        }
        Span::Push { .. } => return Ok(git::range(&repository, span, each)?),
    };
    Ok(git::commits(&repository, &ids, each)?)
}
