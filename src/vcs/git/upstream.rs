//! The branch of a remote that a local branch exchanges commits with.
//!
//! The branch's settings decide, as git interprets them. Without any, the upstream could become the branch of the same
//! name on `origin` or on the only remote, if no such branch exists yet; an existing one may be somebody else's. A
//! branch that tracks another branch of the same repository has no upstream.

use std::path::Path;

use gix::ObjectId;
use gix::refspec::MatchGroup;
use gix::refspec::match_group::Item;
use gix::refspec::parse::Operation;

use super::commit::git_at;
use super::config;
use super::hooks::{checked, failed};
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::layout::git::common_dir;
use crate::vcs::layout::opened;
use crate::vcs::{HistoryError, Kind, Standing, SyncError};

const ODD_NAME: &str = "the name of a remote begins with `-` or holds a control character";

/// A branch with its upstream.
#[derive(Debug, Default)]
pub(super) struct Link {
    /// The full name of the branch that is checked out, and its last commit.
    pub branch: Option<String>,
    pub ours: Option<ObjectId>,
    pub remote: Option<Remote>,
    /// Another place that the user pushes to.
    pub pushed_to: Option<String>,
}

#[derive(Debug)]
pub(super) struct Remote {
    pub name: String,
    /// The full name of the branch there.
    pub branch: String,
    /// The ref that it was fetched to, and the commit that was fetched last.
    pub tracking: String,
    pub theirs: Option<ObjectId>,
    /// The settings make the branch track it.
    pub followed: bool,
}

impl Remote {
    /// As people write it: `origin/main`.
    pub(super) fn shown(&self) -> String {
        format!("{}/{}", self.name, short(&self.branch))
    }
}

/// The name of a branch without `refs/heads/`.
pub(super) fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}

/// A query to git that needs no network, not even for objects that a partial clone lacks, and that sees commits as they
/// are stored and sent: a replacement (`refs/replace`) would show others.
pub(super) fn ask<'a>(root: &Path, env: &'a Env) -> Program<'a> {
    ask_at(root, None, env)
}

/// The same for a repository outside its working copy, if that is given.
pub(super) fn ask_at<'a>(root: &Path, git_dir: Option<&Path>, env: &'a Env) -> Program<'a> {
    git_at(root, git_dir, env).var("GIT_NO_LAZY_FETCH", "1").var("GIT_NO_REPLACE_OBJECTS", "1")
}

/// The full name of the branch that is checked out, in any of git's formats.
pub(super) fn head(program: Program<'_>) -> Result<Option<String>, SyncError> {
    let output = program.args(["symbolic-ref", "--quiet", "HEAD"]).run()?;
    match output.status.code() {
        Some(0) => Ok(Some(String::from_utf8_lossy(output.stdout.trim_ascii_end()).into_owned())),
        Some(1) => Ok(None),
        _ => Err(failed("git symbolic-ref", &output).into()),
    }
}

pub(super) fn find(root: &Path, env: &Env) -> Result<Link, SyncError> {
    let repository = in_files(root);
    let (branch, ours) = match repository.as_ref().and_then(|repository| repository.head().ok()) {
        Some(head) => (head.referent_name().map(|name| name.as_bstr().to_string()), head.id().map(gix::Id::detach)),
        None => (head(ask(root, env))?, commit(root, "HEAD", env)?),
    };
    let Some(branch) = branch.filter(|name| name.starts_with("refs/heads/")) else {
        return Ok(Link { ours, ..Link::default() });
    };
    let settings = config::read(&root.join(".git"), env);
    let setting = |key: &str| {
        let section = settings.string_by("branch", short(&branch), key);
        section.map(|value| value.to_string()).filter(|value| !value.is_empty())
    };
    let remotes = config::remotes(&settings);
    let usual = remotes.first().filter(|first| first.name == "origin" || remotes.len() == 1);
    let (name, there, followed) = match (setting("remote"), setting("merge")) {
        (Some(name), Some(there)) => (Some(name), there, true),
        _ => (usual.map(|remote| remote.name.clone()), branch.clone(), false),
    };
    // A branch may track one of the same repository (`.`), or an address without a name.
    let name = name.filter(|name| remotes.iter().any(|remote| remote.name == *name));
    let everywhere = settings.string("remote.pushDefault").map(|value| value.to_string());
    let pushed_to = setting("pushRemote").or(everywhere).filter(|other| Some(other) != name.as_ref());
    let remote = match name {
        Some(name) if name.starts_with('-') || name.contains(char::is_control) => {
            return Err(SyncError::Unsupported { kind: Kind::Git, what: ODD_NAME });
        }
        Some(name) => {
            let tracking = tracking(&settings, &name, &there);
            let tracking = tracking.unwrap_or_else(|| format!("refs/remotes/{name}/{}", short(&there)));
            let theirs = match &repository {
                _ if !followed => None,
                Some(repository) => fetched(repository, &tracking)?,
                None => commit(root, &tracking, env)?,
            };
            Some(Remote { tracking, theirs, name, branch: there, followed })
        }
        None => None,
    };
    Ok(Link { branch: Some(branch), ours, remote, pushed_to })
}

/// The repository, if the library can read its refs: in reftables and with SHA-256 only git can.
fn in_files(root: &Path) -> Option<gix::Repository> {
    common_dir(&root.join(".git")).filter(|common| !common.join("reftable").exists())?;
    opened::as_stored(root).ok()
}

/// The commit of a ref.
fn fetched(repository: &gix::Repository, name: &str) -> Result<Option<ObjectId>, SyncError> {
    let unreadable = |error: String| SyncError::from(HistoryError::object(name, error));
    let found = repository.try_find_reference(name).map_err(|error| unreadable(error.to_string()))?;
    let id = found.map(|found| found.into_fully_peeled_id()).transpose();
    Ok(id.map_err(|error| unreadable(error.to_string()))?.map(gix::Id::detach))
}

/// The ref for the fetched state of a branch of a remote, if the settings define one.
fn tracking(settings: &gix::config::File, remote: &str, branch: &str) -> Option<String> {
    let specs = settings.strings_by("remote", remote, "fetch").unwrap_or_default();
    let specs = specs.iter().filter_map(|spec| gix::refspec::parse(spec.as_ref(), Operation::Fetch).ok());
    let target = ObjectId::null(gix::hash::Kind::Sha1);
    let item = Item { full_ref_name: branch.into(), target: &target, object: None };
    let found = MatchGroup::from_fetch_specs(specs).match_lhs(std::iter::once(item));
    found.mappings.into_iter().find_map(|mapping| Some(mapping.rhs?.to_string()))
}

/// The commit that a name means.
pub(super) fn commit(root: &Path, name: &str, env: &Env) -> Result<Option<ObjectId>, SyncError> {
    let query = ask(root, env).args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
    let output = query.arg(format!("{name}^{{commit}}")).run()?;
    match output.status.code() {
        Some(0) => Ok(Some(id(&output.stdout)?)),
        Some(1) => Ok(None),
        _ => Err(failed("git rev-parse", &output).into()),
    }
}

/// An id as git prints it.
pub(super) fn id(text: &[u8]) -> Result<ObjectId, SyncError> {
    let text = text.trim_ascii();
    let found = ObjectId::from_hex(text);
    Ok(found.map_err(|error| HistoryError::object(String::from_utf8_lossy(text), error))?)
}

pub(super) fn standing(root: &Path, env: &Env) -> Result<Standing, SyncError> {
    let link = find(root, env)?;
    let branch = link.branch.as_deref().map(|branch| short(branch).to_owned());
    let Some((remote, theirs)) = link.remote.as_ref().and_then(|remote| Some((remote, remote.theirs?))) else {
        return Ok(Standing { branch, ..Standing::default() });
    };
    let (ahead, behind) = distance(root, link.ours, theirs, env)?;
    Ok(Standing { branch, upstream: Some(remote.shown()), ahead, behind })
}

/// The number of commits that only one side has, for each side.
pub(super) fn distance(
    root: &Path,
    ours: Option<ObjectId>,
    theirs: ObjectId,
    env: &Env,
) -> Result<(usize, usize), SyncError> {
    if ours == Some(theirs) {
        return Ok((0, 0));
    }
    let range = ours.map_or_else(|| theirs.to_string(), |ours| format!("{ours}...{theirs}"));
    let query = ask(root, env).args(["rev-list", "--left-right", "--count"]).arg(range).arg("--");
    let output = checked("git rev-list", query.run()?)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let counts: Vec<usize> = text.split_whitespace().filter_map(|count| count.parse().ok()).collect();
    let [left, right] = counts.as_slice() else { return Err(failed("git rev-list", &output).into()) };
    // Without a local branch, git counts the remote's commits on the left side.
    Ok(if ours.is_some() { (*left, *right) } else { (0, left + right) })
}
