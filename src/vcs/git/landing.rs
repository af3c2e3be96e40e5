//! Taking the work of another checkout into this repository, and the checkout in which it is tried first.

use std::path::Path;
use std::time::Duration;

use super::commit::git;
use super::hooks::{checked, must};
use super::merged::Pair;
use super::refs::at;
use super::upstream::commit;
use super::whereabouts::behind;
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::SyncError;
use crate::vcs::checkouts::no_checkout;

/// For a repository of any size.
const LIMIT: Duration = Duration::from_secs(600);

/// Fetches a branch of another repository. A linked worktree has its commits here already.
pub(super) fn take_branch(root: &Path, from: &Path, branch: &str, env: &Env) -> Result<String, SyncError> {
    let missing = |what: &str| no_checkout(from, what.to_owned());
    let name = format!("refs/heads/{branch}");
    let tip = commit(from, &name, env)?.ok_or_else(|| missing("it has no commit on its branch"))?;
    let Some((other, there)) = behind(root) else { return Err(SyncError::NoVcs { root: root.to_owned() }) };
    let pair = Pair { root: from, git_dir: None, other, env };
    let Some(common) = pair.common().filter(|common| *common != pair.other) else { return Ok(tip.to_string()) };
    let program = fetching(&there, env).args(["--refmap=", "--end-of-options"]).arg(&common).arg(&name);
    checked("git fetch", program.run()?)?;
    match commit(root, &tip.to_string(), env)? {
        Some(tip) => Ok(tip.to_string()),
        // The branch was rewritten in between.
        None => Err(SyncError::Busy { root: from.to_owned() }),
    }
}

/// A fetch from a repository on this machine.
pub(super) fn fetching<'a>(there: &Path, env: &'a Env) -> Program<'a> {
    // A pack is synced to disk before git ends, single objects are not.
    let program = at(there, env).args(["-c", "fetch.unpackLimit=1", "-c", "protocol.file.allow=always", "fetch"]);
    let program = program.args(["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"]);
    program.arg("--no-auto-maintenance").limit(LIMIT)
}

/// Checks out a commit in a checkout that is only for trying it.
pub(super) fn set_to(root: &Path, commit: &str, env: &Env) -> Result<(), SyncError> {
    let git = || git(root, env).args(["-c", "submodule.recurse=false"]);
    must("git checkout", root, git().args(["checkout", "--quiet", "--force", "--detach"]).arg(commit).arg("--"))?;
    must("git clean", root, git().args(["clean", "-ffdq"])).map(drop)
}

/// Removes such a checkout.
pub(super) fn drop_trial(root: &Path, trial: &Path, env: &Env) -> Result<(), SyncError> {
    let program = git(root, env).args(["worktree", "remove", "--force", "--force", "--"]).arg(trial);
    must("git worktree remove", root, program).map(drop)
}
