//! git in a build without the feature `git`: recognised, but not supported. No project in a git repository is opened
//! then ([`is_supported`](crate::vcs::is_supported)), so none of these answers has an effect.

use std::path::{Path, PathBuf};

use crate::sys::Env;
use crate::vcs::history::Repository;
use crate::vcs::{CommitError, HistoryError, Kind, RemoteClaim, Swap, SyncError, Versions};

const WHAT: &str = "this program was built without git";

fn unsupported<T>() -> Result<T, SyncError> {
    Err(SyncError::Unsupported { kind: Kind::Git, what: WHAT })
}

fn unreadable<T>(root: &Path) -> Result<T, HistoryError> {
    Err(HistoryError::NotGit { root: root.to_owned(), kind: Kind::Git })
}

pub fn clone(_: &str, _: &Path, _: &Env) -> Result<(), SyncError> {
    unsupported()
}

pub fn committed_size(_: &Path) -> Option<u64> {
    None
}

pub fn common_version(_: &Path, _: &Path, _: &Path) -> Option<Vec<u8>> {
    None
}

pub fn hooks_path(root: &Path, _: &Env) -> Result<PathBuf, HistoryError> {
    unreadable(root)
}

pub fn init(directory: &Path, _: &Env) -> Result<(), CommitError> {
    Err(CommitError::Beside { root: directory.to_owned(), message: WHAT.to_owned() })
}

pub fn is_misplaced(_: &Path) -> bool {
    false
}

pub(super) fn is_tracked(_: &Path, _: &Path, _: &Env) -> bool {
    true
}

pub fn local_setting(root: &Path, _: &str, _: &Env) -> Result<Option<String>, HistoryError> {
    unreadable(root)
}

pub fn set_local(root: &Path, _: &str, _: Option<&str>, _: &Env) -> Result<(), HistoryError> {
    unreadable(root)
}

pub fn reach_over_ssh(_: &Path, _: &Env) -> Result<(), SyncError> {
    unsupported()
}

pub fn claims_remote(_: &Path, _: &Env) -> Option<String> {
    None
}

pub fn published(_: &Path, _: Option<&str>, _: &Path, _: &Env) -> Result<Option<Vec<u8>>, SyncError> {
    unsupported()
}

pub(super) fn address_forms(_: &Path, address: &str, _: &Env) -> Vec<String> {
    vec![address.to_owned()]
}

pub fn fleet_notes(_: &Path, _: &str, _: &Env) -> Result<Vec<RemoteClaim>, SyncError> {
    unsupported()
}

pub fn put_fleet_note(_: &Path, _: &str, _: &str, _: &str, _: &Env) -> Result<Swap, SyncError> {
    unsupported()
}

pub fn remote_claim(_: &Path, _: &str, _: &Env) -> Result<Option<RemoteClaim>, SyncError> {
    unsupported()
}

pub fn remote_claims(_: &Path, _: &Env) -> Result<Vec<RemoteClaim>, SyncError> {
    unsupported()
}

pub fn swap_remote_claim(_: &Path, _: &str, _: Option<&str>, _: Option<&str>, _: &Env) -> Result<Swap, SyncError> {
    unsupported()
}

pub fn repair(_: &Path, _: &Env) -> Result<(), SyncError> {
    unsupported()
}

pub fn user_editor(_: &Env) -> Option<String> {
    None
}

/// The user's git settings are not read either: the name comes from the environment.
pub fn user_name(_: &Path, _: &Env) -> Option<String> {
    None
}

pub(super) fn is_unmerged(_: &Path, _: &Path, _: &Env) -> bool {
    false
}

pub(super) fn unmerged(_: &Path, _: &Path, _: &Env) -> Option<Versions> {
    None
}

pub(super) fn repository_at(_: &Path) -> Option<PathBuf> {
    None
}

pub(super) fn merge_attribute(_: &Path, _: &Path, _: &Env) -> Option<String> {
    None
}

pub(super) fn config_text(_: &Path, _: &str, _: &Env) -> Option<String> {
    None
}

pub(super) fn pattern(_: &Path) -> Vec<u8> {
    Vec::new()
}

pub(super) fn first_commits(_: &Path, _: bool) -> Vec<String> {
    Vec::new()
}

pub(super) fn has_commit(_: &Path, _: &str) -> bool {
    false
}

pub(super) fn is_ignored(root: &Path, _: &Path, _: &Env) -> Result<bool, HistoryError> {
    unreadable(root)
}

pub(super) fn staged_paths(repository: &Repository<'_>) -> Result<Vec<PathBuf>, HistoryError> {
    unreadable(repository.root)
}
