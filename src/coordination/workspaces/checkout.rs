//! The files of a new workspace: a clone, another checkout or a copy, on a branch of its own.

use std::path::PathBuf;

use crate::coordination::Result;
use crate::model::workspace::{Kind, State, Workspace};
use crate::store::{Store, StoreError};
use crate::vcs::{self, Checkout, NewCheckout, NewClone};

/// Makes the files. What could not be finished is taken away by version control itself.
pub(super) fn make(store: &Store, one: &Workspace) -> Result<Checkout> {
    let env = &store.host().env;
    let parent = vcs::open(one.parent.as_ref());
    let path = PathBuf::from(&one.path);
    let (branch, base) = (one.branch.clone(), one.base.clone());
    let made = match one.kind {
        Kind::Clone => parent.clone_checkout(&NewClone { path, branch: branch.unwrap_or_default(), base }, env),
        Kind::Worktree => parent.add_checkout(&NewCheckout { path, branch, base }, env),
        Kind::Copy => todo_copy(),
    };
    Ok(made.map_err(StoreError::from)?)
}

fn todo_copy() -> std::result::Result<Checkout, vcs::SyncError> {
    Err(vcs::SyncError::Unsupported { kind: vcs::Kind::None, what: "copies" })
}

/// The branch for a job: the pattern with the issue in it, and a number if another has that name.
pub(super) fn branch_for(
    pattern: &str,
    one: &Workspace,
    others: &[Workspace],
    is_taken: &dyn Fn(&str) -> bool,
) -> String {
    let subject = one.issue.clone().unwrap_or_else(|| one.id.clone());
    let plain: String = subject.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches(['.', '-']).replace("..", "-");
    let wanted = match pattern.contains("{issue}") {
        true => pattern.replace("{issue}", &plain),
        false => format!("{pattern}{plain}"),
    };
    let is_free = |name: &String| {
        let other = |other: &Workspace| {
            other.id != one.id && other.state != State::Removed && other.branch.as_ref() == Some(name)
        };
        !others.iter().any(other) && !is_taken(name)
    };
    let mut numbered = (2..).map(|n| format!("{wanted}-{n}"));
    Some(wanted.clone()).filter(is_free).or_else(|| numbered.find(is_free)).unwrap_or(wanted)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}
