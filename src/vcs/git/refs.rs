//! The refs of a repository, as git lists them.

use std::path::Path;

use super::objects::must;
use super::upstream::ask_at;
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::SyncError;

/// A ref.
pub(super) struct Ref {
    pub id: String,
    pub name: String,
    pub upstream: String,
    pub is_commit: bool,
}

/// git in a checkout, or in a git directory.
pub(super) fn at<'a>(place: &Path, env: &'a Env) -> Program<'a> {
    let is_git_dir = place.join("HEAD").is_file() && place.join("objects").is_dir();
    ask_at(place, is_git_dir.then_some(place), env)
}

pub(super) fn refs(program: Program<'_>) -> Result<Vec<Ref>, SyncError> {
    let format = "--format=%(objectname) %(objecttype) %(refname) %(upstream)";
    let printed = must("git for-each-ref", program.args(["for-each-ref", format]))?.stdout;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let read = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        let (id, kind, name) = (words.next()?, words.next()?, words.next()?);
        let is_commit = kind == "commit" || kind == "tag";
        Some(Ref { id, name, upstream: words.next().unwrap_or_default(), is_commit })
    };
    Ok(printed.lines().filter_map(read).collect())
}
