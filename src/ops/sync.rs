//! Committing ledgers, exchanging them with other clones, resolving conflicts, hooks and the leak check, and agreeing to a
//! repository's programs.

use std::path::Path;

use super::claims::remote_upkeep;
use super::{OpError, Result, configure};
use crate::model::last_sync::LastSync;
use crate::ops;
use crate::store::{
    self, Config, HomeContents, HooksChange, HooksRequest, HooksStatus, LeakReport, LeakScope, NamedPrograms,
    OutsidePath, ProjectText, Repo, RepoSync, ResolvedLedger, SYNCS, Store, StoreError, SyncError, SyncOptions,
    SyncReport, expand_path,
};
use crate::sys::Host;

/// Exchanges ledgers with other clones: those of one repo, or of all.
pub fn sync(store: &mut Store, repo: Option<&str>, options: SyncOptions) -> Result<SyncReport> {
    if !options.push && options.with_code {
        return Err(OpError::Usage("--with-code is about what is pushed; leave out --no-push".to_owned()));
    }
    let repo = repo.map(|text| store.join(text)).transpose()?;
    if options.bookmark.is_some() && !store.has_bookmarks(repo) {
        return Err(OpError::Usage(
            "--bookmark is for jj and hg; a branch of git goes to the one that it follows".to_owned(),
        ));
    }
    let is_online = (options.pull || options.push) && !options.dry_run;
    let report = store.sync(&SyncOptions { repo, ..options })?;
    if is_online {
        // Only a watch reads it.
        let _ = note_sync(store, &report);
    }
    // The sync is done, whatever happens to the claims.
    let _ = ops::yield_claims(store, true);
    if is_online && store.settings().flag("claims.remote") {
        // A remote that holds no claims has none to tidy up.
        let _ = remote_upkeep::tidy(store);
    }
    if is_online {
        // The next sync tries again.
        let _ = ops::publish_fleet(store);
    }
    Ok(report)
}

/// Notes what the sync did, for those who watch.
fn note_sync(store: &Store, report: &SyncReport) -> Result<()> {
    let at = store.host().clock.now().to_string();
    let note = |one: &RepoSync| {
        let received = one.received.added.len() + one.received.changed.len() + one.received.removed.len();
        let is_refused =
            |error: &&StoreError| matches!(error, StoreError::UntrustedPrograms { .. } | StoreError::Untrusted { .. });
        let error = one.error.as_ref().filter(|error| !is_refused(error)).map(|error| error.to_string());
        let is_news = received > 0 || one.pushed || error.is_some();
        let (id, actor) = (one.repos.first().cloned().unwrap_or_default(), store.actor().to_owned());
        is_news.then(|| LastSync { id, at: at.clone(), actor, received: received as i64, pushed: one.pushed, error })
    };
    let notes: Vec<LastSync> = report.repos.iter().filter_map(note).collect();
    let state = store.state();
    if notes.is_empty() || !state.exists() {
        return Ok(());
    }
    let held = state.lock(store.lock_wait())?;
    SYNCS.file(&state).edit::<OpError>(&held, &store.host().entropy, |document| {
        Ok(notes.iter().map(|one| SYNCS.put(document, &one.id, one)).collect())
    })?;
    Ok(())
}

/// Commits the ledgers of one repo, or of all that this user commits to.
pub fn commit(store: &mut Store, repo: Option<&str>, message: Option<&str>, dry_run: bool) -> Result<Vec<RepoSync>> {
    let repo = repo.map(|text| store.join(text)).transpose()?;
    if message.is_some_and(|message| message.trim().is_empty()) {
        return Err(OpError::Usage("a message of a commit says something".to_owned()));
    }
    Ok(store.commit_now(repo, message, dry_run)?)
}

/// All parts that the user agreed to, or would.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreed {
    /// The paths and the command in the committed settings that were not agreed to before.
    pub paths: Vec<OutsidePath>,
    pub copies: Vec<NamedPrograms>,
    pub homes: Vec<HomeContents>,
    /// The project's text for agents, in `bd prime`.
    pub text: Option<ProjectText>,
}

/// One thing to agree to.
pub enum TrustPart<'a> {
    Paths(&'a [OutsidePath]),
    Programs(&'a NamedPrograms),
    Home(&'a HomeContents),
    Text(&'a ProjectText),
}

/// Decides about each part that was not agreed to before.
pub(super) type Decide<'a> = &'a mut dyn FnMut(TrustPart<'_>) -> bool;

/// Agrees, part by part, to the paths in the committed settings, to the programs named by the project's working copies, to the
/// contents of its state homes and to its text for agents.
pub fn agree(store: &mut Store, decide: Decide<'_>) -> Result<Agreed> {
    let paths = configure::trust(store, |paths| decide(TrustPart::Paths(paths)))?;
    let (homes, text) = (store.home_contents(), store.project_text());
    let roots = match store.working_copy_roots() {
        Err(error) if paths.is_empty() && homes.is_empty() && text.is_none() => return Err(error.into()),
        roots => roots.unwrap_or_default(),
    };
    let host = store.host().clone();
    let mut copies = Vec::new();
    for root in &roots {
        copies.push(store::trust_programs(root, &host, store.lock_wait(), |one| decide(TrustPart::Programs(one)))?);
    }
    let (homes, text) = trust_words(store, homes, text, decide)?;
    Ok(Agreed { paths, copies, homes, text })
}

type Words = (Vec<HomeContents>, Option<ProjectText>);

fn trust_words(
    store: &mut Store,
    homes: Vec<HomeContents>,
    text: Option<ProjectText>,
    decide: Decide<'_>,
) -> Result<Words> {
    for home in homes.iter().filter(|home| !home.is_trusted) {
        if decide(TrustPart::Home(home)) {
            if !store.home_contents().contains(home) {
                return Err(OpError::Usage(format!("{} has changed meanwhile; look at it again", home.home.display())));
            }
            store.trust_homes(std::slice::from_ref(home))?;
        }
    }
    if let Some(text) = text.as_ref().filter(|text| !text.known)
        && decide(TrustPart::Text(text))
    {
        store.trust_project_text(text)?;
    }
    Ok((homes, text))
}

/// The same for the working copy at a path.
pub fn agree_at(text: &str, directory: &Path, host: &Host, decide: Decide<'_>) -> Result<Agreed> {
    let path = expand_path(text, directory, &host.env);
    if !path.exists() {
        return Err(OpError::NotFound(format!("directory not found: {}", path.display())));
    }
    let beads = store::ledger_of_working_copy(&path, &host.env);
    let beads = beads.or_else(|| Some(Repo::at(&path, String::new())?.ok()?.beads().to_owned()));
    let config = |beads| Config { ignore_env: true, ..Config::on(host.clone(), beads) };
    let mut store = beads.map(|beads| Store::open_with(config(beads))).transpose()?;
    let mut paths = Vec::new();
    if let Some(store) = store.as_mut() {
        paths = configure::trust(store, |paths| decide(TrustPart::Paths(paths)))?;
    }
    let homes = store.as_ref().map(|store| store.home_contents()).unwrap_or_default();
    let text = store.as_ref().and_then(|store| store.project_text());
    let is_plain = homes.is_empty() && text.is_none() && paths.is_empty();
    let copies = match store::trust_programs(&path, host, Config::LOCK_WAIT, |one| decide(TrustPart::Programs(one))) {
        Err(StoreError::Vcs(SyncError::NoVcs { .. })) if !is_plain => Vec::new(),
        found => vec![found?],
    };
    let (homes, text) = match store.as_mut() {
        Some(store) => trust_words(store, homes, text, decide)?,
        None => (homes, text),
    };
    Ok(Agreed { paths, copies, homes, text })
}

/// Merges the conflicted ledgers of one repo, or of the whole project.
pub fn resolve(store: &mut Store, repo: Option<&str>, dry_run: bool) -> Result<Vec<ResolvedLedger>> {
    let repo = repo.map(|text| store.join(text)).transpose()?;
    Ok(store.resolve_conflicts(repo, dry_run)?)
}

pub fn hooks_status(store: &Store) -> Result<HooksStatus> {
    Ok(store.hooks_status()?)
}

pub fn install_hooks(store: &Store, request: HooksRequest) -> Result<HooksChange> {
    Ok(store.install_hooks(request)?)
}

pub fn uninstall_hooks(store: &Store) -> Result<HooksChange> {
    Ok(store.uninstall_hooks()?)
}

/// Whether a hook that was called is meant for this project.
pub fn wants_hooks(store: &Store) -> Result<bool> {
    Ok(store.wants_hooks()?)
}

pub fn check_leaks(store: &Store, scope: &LeakScope) -> Result<LeakReport> {
    Ok(store.check_leaks(scope)?)
}
