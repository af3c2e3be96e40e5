//! Committing ledgers, exchanging them with other clones, and agreeing to what a repository runs.

use std::path::{Path, PathBuf};

use super::{OpError, Result};
use crate::coordination;
use crate::store::{self, NamedPrograms, Progress, RepoSync, Store, SyncOptions, SyncReport, SyncStep, expand_path};
use crate::sys::Host;

/// What a user asks of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncRequest<'a> {
    pub no_pull: bool,
    pub no_push: bool,
    pub repo: Option<&'a str>,
    pub dry_run: bool,
    pub with_code: bool,
    pub bookmark: Option<&'a str>,
}

pub fn sync(store: &mut Store, request: SyncRequest<'_>, progress: Progress<'_>) -> Result<SyncReport> {
    if request.no_pull && request.no_push {
        return Err(OpError::Usage(
            "--no-pull and --no-push together leave nothing to do; bd commit commits".to_owned(),
        ));
    }
    if request.no_push && request.with_code {
        return Err(OpError::Usage("--with-code is about what is pushed; leave out --no-push".to_owned()));
    }
    let repo = request.repo.map(|text| store.join(text)).transpose()?;
    if request.bookmark.is_some() && !store.has_bookmarks(repo) {
        return Err(OpError::Usage(
            "--bookmark is for jj and hg; a branch of git goes to the one that it follows".to_owned(),
        ));
    }
    let options = SyncOptions {
        pull: !request.no_pull,
        push: !request.no_push,
        repo,
        dry_run: request.dry_run,
        with_code: request.with_code,
        bookmark: request.bookmark.map(str::to_owned),
    };
    let held = coordination::held_in_ledger(store)?;
    let report = store.sync(&options, progress)?;
    coordination::yield_claims(store, &held);
    Ok(report)
}

/// Commits the ledgers of one repo, or of all that this user commits to.
pub fn commit(store: &mut Store, repo: Option<&str>, message: Option<&str>, dry_run: bool) -> Result<Vec<RepoSync>> {
    let repo = repo.map(|text| store.join(text)).transpose()?;
    if message.is_some_and(|message| message.trim().is_empty()) {
        return Err(OpError::Usage("a message of a commit says something".to_owned()));
    }
    Ok(store.commit_now(repo, message, dry_run)?)
}

/// The working copies of the project.
pub fn working_copies(store: &Store) -> Result<Vec<PathBuf>> {
    Ok(store.working_copy_roots()?)
}

/// Agrees to the programs that the working copy at a path names.
pub fn trust_working_copy(text: &str, directory: &Path, host: &Host, dry_run: bool) -> Result<NamedPrograms> {
    let path = expand_path(text, directory, &host.env);
    if !path.exists() {
        return Err(OpError::Usage(format!("directory not found: {}", path.display())));
    }
    Ok(store::trust_programs(&path, host, store::Config::LOCK_WAIT, dry_run)?)
}

/// A step in words.
pub fn step_text(step: SyncStep) -> &'static str {
    match step {
        SyncStep::Fetching => "fetching",
        SyncStep::Merging => "merging",
        SyncStep::Pushing => "pushing",
        SyncStep::Again => "somebody else was faster; again",
    }
}
