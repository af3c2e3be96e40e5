//! Creating the files of a new workspace: a clone, another checkout or a copy, on a new branch.

use std::path::{Path, PathBuf};

use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::store::{Store, StoreError, real_path};
use crate::sys::activity::Step;
use crate::sys::tree;
use crate::vcs::{Checkout, NewCheckout, NewClone};
use crate::{sys, vcs};

/// Creates the files. Version control itself removes an incomplete result.
pub(super) fn make(store: &Store, one: &Workspace, step: &Step) -> Result<Checkout> {
    let env = &store.host().env;
    let parent = vcs::open(one.parent.as_ref());
    let path = PathBuf::from(&one.path);
    let (branch, base) = (one.branch.clone(), one.base.clone());
    let made = match one.kind {
        Kind::Clone => {
            let new = NewClone { path, branch: branch.unwrap_or_default(), base };
            parent.cloning().and_then(|cloning| cloning.clone_checkout(&new, Some(step), env))
        }
        Kind::Worktree => {
            let new = NewCheckout { path, branch, base };
            parent.linking().and_then(|linking| linking.add_checkout(&new, env))
        }
        Kind::Copy => return copy(store, one),
    };
    Ok(made.map_err(StoreError::from)?)
}

/// Has version control remove a worktree that was never ready, and the branch that was made for it.
pub(super) fn unmake(store: &Store, one: &Workspace, at: &Path) -> std::result::Result<(), vcs::SyncError> {
    let (parent, env) = (vcs::open(one.parent.as_ref()), &store.host().env);
    let tip = vcs::open(at).head(env).ok().flatten();
    vcs::remove_checkout(&*parent, at, true, env)?;
    if let (Some(name), Some(tip), true) = (&one.branch, tip, one.is_branch_made) {
        // If this fails, the branch remains, at a commit that others have.
        let _ = parent.delete_branch(name, &tip, env);
    }
    Ok(())
}

/// Makes git use ssh for servers, if the settings ask for it: no one can type a password in a job.
pub(super) fn reach_over_ssh(store: &Store, root: &Path) -> Result<()> {
    if store.settings().flag("workspace.ssh") && root.join(".git").is_dir() {
        vcs::reach_over_ssh(root, &store.host().env).map_err(StoreError::from)?;
    }
    Ok(())
}

/// Paths that a copy must not have: the state of the checkout itself, and the records of its other checkouts.
const LEFT: [&str; 10] = [
    ".beads/run",
    ".git/beads",
    ".git/beads-id",
    ".git/worktrees",
    ".git/index.lock",
    ".hg/beads",
    ".hg/beads-id",
    ".hg/wlock",
    ".jj/beads",
    ".jj/beads-id",
];

/// All current files, on a new branch.
fn copy(store: &Store, one: &Workspace) -> Result<Checkout> {
    let env = &store.host().env;
    let (parent, path) = (Path::new(&one.parent), PathBuf::from(&one.path));
    let refused = |why: String| StoreError::from(vcs::SyncError::NoCheckout { path: path.clone(), why });
    if vcs::common_dir(parent).is_some_and(|common| !common.starts_with(real_path(parent))) {
        let why = format!("the repository of {} is elsewhere; use --kind clone or worktree", parent.display());
        return Err(refused(why).into());
    }
    let is_plain = !vcs::is_versioned(parent);
    if let Some(around) = vcs::root(path.parent().unwrap_or(&path)).filter(|_| is_plain) {
        let why = format!("{} is a working copy, and a plain copy would belong to it; use --path", around.display());
        return Err(refused(why).into());
    }
    if sys::path::is_there(&path) {
        return Err(refused("something is there already; choose another path".to_owned()).into());
    }
    sys::below::make_own(path.parent().unwrap_or(&path)).map_err(StoreError::from)?;
    sys::path::make(&path).map_err(StoreError::from)?;
    let inside = path.strip_prefix(parent).map(Path::to_owned).ok();
    let copied = tree::copy(parent, &path, &mut |inner| {
        !LEFT.iter().any(|left| inner == Path::new(left)) && inside.as_deref() != Some(inner)
    });
    let settled = copied.map_err(StoreError::from).and_then(|_| match &one.branch {
        Some(branch) => Ok(vcs::open(&path).cloning()?.settle_copy(parent, branch, env)?),
        None => Ok(()),
    });
    if let Err(error) = settled {
        sys::path::remove_all(&path).map_err(StoreError::from)?;
        return Err(error.into());
    }
    let made = vcs::open(&path);
    let admin = made.admin_dir().unwrap_or_else(|| path.clone());
    Ok(Checkout { branch: made.branch(), root: real_path(&path), admin, is_main: true, exists: true })
}

/// What a job's branch is named after: the issue, if it is in the ledger of the branch's repo. The id of an issue in
/// another repo, such as a private plan, would be visible to everyone who sees the branch.
pub(super) fn subject(store: &Store, member: usize, issue: Option<&str>) -> Result<Option<String>> {
    let Some(issue) = issue else { return Ok(None) };
    let is_own = store.get(issue)?.is_some_and(|row| row.repo == member);
    Ok(is_own.then(|| issue.to_owned()))
}

/// The branch for a job: the pattern filled with the subject, or with the workspace's id, and a number if the name is
/// taken.
pub(super) fn branch_for(
    pattern: &str,
    subject: Option<&str>,
    one: &Workspace,
    others: &[Workspace],
    is_taken: &dyn Fn(&str) -> bool,
) -> String {
    let subject = subject.unwrap_or(&one.id);
    let plain: String = subject.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches(['.', '-']).replace("..", "-");
    let wanted = match pattern.contains("{issue}") {
        true => pattern.replace("{issue}", &plain),
        false => format!("{pattern}{plain}"),
    };
    let is_free = |name: &String| {
        let other = |other: &Workspace| {
            other.id != one.id
                && !matches!(other.state, State::Removed | State::Failed)
                && other.branch.as_ref() == Some(name)
        };
        !others.iter().any(other) && !is_taken(name)
    };
    let mut numbered = (2..).map(|n| format!("{wanted}-{n}"));
    Some(wanted.clone()).filter(is_free).or_else(|| numbered.find(is_free)).unwrap_or(wanted)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}
