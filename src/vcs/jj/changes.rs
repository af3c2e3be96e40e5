//! The files that commits of jj change: jj selects the commits, and git has their content.

use std::path::Path;

use super::beside;
use super::program::Repo;
use crate::sys::Env;
use crate::vcs::error::not_a_range;
use crate::vcs::history::Repository;
use crate::vcs::layout::jj::git_target;
use crate::vcs::{Changed, HistoryError, Kind, Span, SyncError, git};

pub(super) fn changes(root: &Path, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
    let Some(git_dir) = git_target(&root.join(".jj")) else {
        return Err(HistoryError::NotGit { root: root.to_owned(), kind: Kind::Jj }.into());
    };
    let repository = Repository { root, git_dir, env };
    let repo = Repo::new(root, env);
    let ids = match span {
        Span::Commits(ids) => ids.to_vec(),
        Span::Range(text) => {
            let ids = match repo.ids(None, text) {
                Err(SyncError::Failed { .. }) => None,
                other => Some(other?),
            };
            // It may be a range of git, which has the same commits. `main~1..main` is valid in both, with another
            // meaning in jj as soon as a commit's id begins with 1: then the commits of both readings count.
            let is_new = |id: Option<&String>| id.is_none_or(|id| !ids.iter().flatten().any(|known| known == id));
            let mut others = |changed: Changed| {
                if is_new(changed.commit.as_ref()) {
                    each(changed)
                }
            };
            let may_be_git = (ids.is_none() || text.contains("..")) && !text.starts_with('-');
            let is_git = may_be_git && git::range(&repository, span, &mut others).is_ok();
            match ids {
                None if !is_git => return Err(not_a_range(text, "a revset of jj that means commits here")),
                ids => ids.unwrap_or_default(),
            }
        }
        // jj stages nothing: a commit takes the content of the working copy's change.
        Span::Staged => {
            beside::check(root, env)?;
            let now = repo.snapshot()?;
            let ids = repo.ids(Some(&now), "@")?;
            // For the user it is not a commit yet.
            return Ok(git::commits(&repository, &ids, &mut |changed| each(Changed { commit: None, ..changed }))?);
        }
        Span::Push { .. } => return Ok(git::range(&repository, span, each)?),
    };
    Ok(git::commits(&repository, &ids, each)?)
}
