//! Exchanging ledgers with other clones, each repo through its own version control.
//!
//! The order matters. First fetch, without a lock. Then, with the ledgers of the working copy locked, commit local
//! changes and merge, so that no other `bd` writes in between and version control never meets a changed ledger. Then
//! reconcile proposals and push. A push that lost a race is repeated. One repo that fails does not stop the others.

mod land;
mod prune;
mod received;
mod send;
mod trust;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ledger::{LedgerError, MergedLine};
use crate::store::file_names::CONFIG_NAME;
use crate::store::read::index::expected;
use crate::store::read::working_copies::WorkingCopy;
use crate::store::write::ledger_name::METADATA;
use crate::store::{Project, Reconciled, Result, Snapshot, Store, StoreError, UPSTREAM};
use crate::sys::activity::Step;
use crate::vcs::{
    Carried, CommitError, Committed, Exchange, Integrated, Integration, Route, Standing, SyncError, Versions,
};
use crate::{ledger, vcs};

pub use land::{Arriving, Landed};
pub use received::Received;
pub use trust::{NamedPrograms, trust_programs};

/// How often to try a push that others keep outrunning.
const TRIES: u32 = 6;

/// Options of a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncOptions {
    pub pull: bool,
    pub push: bool,
    /// Only this repo.
    pub repo: Option<usize>,
    /// Change nothing, and contact no remote.
    pub dry_run: bool,
    /// Also send commits with more than ledgers, and run the repository's hooks.
    pub with_code: bool,
    /// The bookmark of jj or hg to exchange with.
    pub bookmark: Option<String>,
}

/// The result for one working copy.
#[derive(Debug, Default)]
pub struct RepoSync {
    /// The repos whose ledgers are in it.
    pub repos: Vec<String>,
    /// The name of its version control.
    pub vcs: &'static str,
    pub standing: Standing,
    /// The ledger was committed, or in a dry run would be.
    pub committed: bool,
    pub integrated: Option<Integrated>,
    /// Issues that both sides had changed.
    pub merged: Vec<MergedLine>,
    /// What others' commits changed here.
    pub received: Received,
    /// Others' commits that contain more than ledgers.
    pub received_code: Vec<Carried>,
    /// Commits to send, as a dry run found.
    pub outgoing: Vec<Carried>,
    /// Where they would go, together with what a dry run would commit or merge.
    pub sends_to: Option<String>,
    /// Closed issues that were pruned as the settings ask, or in a dry run would be.
    pub pruned: Vec<String>,
    pub pushed: bool,
    /// How often a push was tried again.
    pub retries: u32,
    /// The steps that were skipped, and why that is not an error.
    pub notes: Vec<String>,
    pub error: Option<StoreError>,
    /// The ledgers when the working copy was unlocked.
    left: Vec<Vec<u8>>,
    /// The last commit, if this sync has made it: no one else has it yet.
    own: Option<String>,
}

#[derive(Debug, Default)]
pub struct SyncReport {
    pub repos: Vec<RepoSync>,
    pub reconciled: Vec<Reconciled>,
    /// Why proposals could not be reconciled.
    pub unreconciled: Option<StoreError>,
}

impl Project {
    fn names(&self, copy: &WorkingCopy) -> Vec<String> {
        copy.members.iter().map(|member| self.name(*member).to_owned()).collect()
    }

    /// Merges both sides; the ledgers are locked.
    fn integrate(&self, with: &dyn Exchange, copy: &WorkingCopy, owns: bool, one: &mut RepoSync) -> Result<()> {
        let env = self.host.env.clone();
        let standing = if owns { Standing::default() } else { with.standing(&env)? };
        if standing.ahead > 0 && standing.behind > 0 {
            let upstream = standing.upstream.as_deref().unwrap_or("the other side");
            one.notes.push(format!("{upstream} and this branch both have new commits; merge them yourself"));
            return Ok(());
        }
        let areas = copy.areas();
        let incoming = with.incoming(&Route { ledgers: &areas, with_code: false, dry_run: None, env: &env })?;
        let own = one.own.clone();
        let done = self.merge_sides(copy, one, MERGE_MESSAGE, own.as_deref(), |merge| with.integrate(merge))?;
        if matches!(done, Integrated::Merged | Integrated::Rebased) {
            one.own = copy.vcs.head(&env)?;
        }
        // A later round may bring more; report the sum.
        one.integrated = one.integrated.filter(|_| done == Integrated::UpToDate).or(Some(done));
        if done != Integrated::UpToDate {
            one.received_code.extend(incoming.into_iter().filter(|commit| commit.has_code));
        }
        Ok(())
    }

    /// Has version control join both sides, ledgers by our merge, and notes what that changed.
    fn merge_sides(
        &self,
        copy: &WorkingCopy,
        one: &mut RepoSync,
        message: &str,
        replaces: Option<&str>,
        integrate: impl FnOnce(Integration<'_>) -> std::result::Result<Integrated, SyncError>,
    ) -> Result<Integrated> {
        let before = received::read(copy);
        let areas = copy.areas();
        let mut merged = Vec::new();
        let mut damaged = false;
        let mut merge = |_: &Path, versions: &Versions| match (&versions.ours, &versions.theirs) {
            (Some(ours), Some(theirs)) => {
                damaged |= received::is_damaged(theirs);
                let done = ledger::merge(versions.base.as_deref().unwrap_or_default(), ours, theirs);
                // Each rebased commit of ours is merged, and several may have changed one issue.
                ledger::add_lines(&mut merged, done.lines);
                done.bytes
            }
            // One side deleted the file: use the other's.
            (ours, theirs) => ours.clone().or_else(|| theirs.clone()).unwrap_or_default(),
        };
        let author = self.actor().to_owned();
        let integration = Integration {
            ledgers: &copy.ledgers,
            areas: &areas,
            merge: &mut merge,
            message,
            replaces,
            author: &author,
            env: &self.host.env,
        };
        let done = integrate(integration)?;
        ledger::add_lines(&mut one.merged, merged);
        let after = received::read(copy);
        damaged |= before != after && after.iter().any(|bytes| received::is_damaged(bytes));
        if damaged {
            one.notes.push(CAME_DAMAGED.to_owned());
        }
        one.received.add(received::compare(&before, &after));
        Ok(done)
    }

    /// In a fork, fetches what the project has made of proposals, if the branch does not follow it anyway.
    fn fetch_project(&self, with: &dyn Exchange, copy: &WorkingCopy, one: &mut RepoSync) -> Result<()> {
        let follows = |standing: Standing| standing.upstream.is_some_and(|name| name.starts_with(UPSTREAM_BRANCHES));
        let plans = copy.members.contains(&0) && self.repos.members.len() > 1;
        if !plans || !self.is_fork() || follows(with.standing(&self.host.env)?) {
            return Ok(());
        }
        let _step = self.step(one, "fetching from the project");
        if let Err(error) = with.fetch_from(UPSTREAM, &self.host.env) {
            one.notes.push(format!("decisions about proposals may be missing: {error}"));
        }
        Ok(())
    }

    /// Shows a person who waits what is done for a repo.
    fn step(&self, one: &RepoSync, what: &str) -> Step {
        self.activity.begin(format!("{}: {what}", one.repos.join(", ")))
    }

    /// Waits for a random time that grows with each attempt, so that two racers do not collide again.
    fn pause(&self, attempt: u32) {
        let [uneven] = self.host.entropy.bytes::<1>();
        std::thread::sleep(Duration::from_millis(u64::from(uneven) * u64::from(attempt + 1)));
    }

    /// What the ledgers contain beyond the last commit.
    fn uncommitted(&self, copy: &WorkingCopy) -> Result<Received> {
        let committed = |ledger: &std::path::PathBuf| Ok(self.last_committed(copy, ledger)?.unwrap_or_default());
        let before = copy.ledgers.iter().map(committed).collect::<Result<Vec<_>>>()?;
        Ok(received::compare(&before, &received::read(copy)))
    }

    /// Notes uncommitted settings: whoever changed them must commit them.
    fn tell_settings(&self, copy: &WorkingCopy, one: &mut RepoSync) {
        for member in copy.members.iter().filter(|member| **member == 0 || !self.is_planning(**member)) {
            for path in self.uncommitted_set_up(*member, &[CONFIG_NAME]) {
                let file = path.strip_prefix(&copy.root).unwrap_or(&path);
                let command = self.commit_command(copy, file);
                one.notes.push(format!("{} has changes that are not committed; run `{command}`", file.display()));
            }
        }
    }

    /// The command that commits a file. git and hg need a new file added first.
    fn commit_command(&self, copy: &WorkingCopy, file: &Path) -> String {
        let (name, shown) = (copy.vcs.name(), file.display());
        let is_new = || copy.vcs.committed(file, &self.host.env).is_ok_and(|known| known.is_none());
        let add = if !copy.vcs.adds_files() && is_new() { format!("{name} add {shown} && ") } else { String::new() };
        format!("{add}{name} commit {shown}")
    }
}

impl Snapshot {
    /// The working copies; an error if none is under version control.
    fn versioned_copies(&self, repo: Option<usize>) -> Result<Vec<WorkingCopy>> {
        let copies = self.working_copies(repo);
        if copies.iter().any(|copy| copy.vcs.is_versioned()) {
            return Ok(copies);
        }
        let root = copies.first().map_or_else(|| self.repo.root().to_owned(), |copy| copy.root.clone());
        Err(SyncError::NoVcs { root }.into())
    }

    /// The content of a commit of the ledgers, and the set-up files of a planning repo that belong to it. A damaged
    /// ledger is not committed.
    fn to_commit(&self, copy: &WorkingCopy) -> Result<Option<(Received, Vec<PathBuf>)>> {
        let changes = self.uncommitted(copy)?;
        let set_up: Vec<PathBuf> = copy.members.iter().flat_map(|member| self.new_set_up(*member)).collect();
        if changes == Received::default() && set_up.is_empty() && self.renamed_ledgers(copy)?.is_empty() {
            return Ok(None);
        }
        for source in &copy.sources {
            let ledger = self.sources.ledger(*source);
            let document = match ledger.read(|| expected(ledger.path())) {
                Err(LedgerError::Missing { .. }) => continue,
                read => read?.document,
            };
            ledger.refuse(&document, &[])?;
            if let Some(region) = document.conflicts().first() {
                let (path, line) = (ledger.path().to_owned(), region.start + 1);
                return Err(LedgerError::Conflicted { path, line, what: "it is not committed so" }.into());
            }
        }
        Ok(Some((changes, set_up)))
    }

    /// Commits the ledgers as they are; they are locked.
    fn commit_locked(&self, copy: &WorkingCopy, message: Option<&str>) -> Result<bool> {
        let Some((changes, set_up)) = self.to_commit(copy)? else { return Ok(false) };
        let author = self.actor().to_owned();
        let present = copy.ledgers.iter().map(|ledger| copy.root.join(ledger)).filter(|path| path.exists());
        // Commit what names the ledger together with its new name.
        let departed = self.renamed_ledgers(copy)?;
        let naming = |ledger: &PathBuf| [METADATA, CONFIG_NAME].map(|name| ledger.with_file_name(name));
        let moved = departed.iter().flat_map(|(new, old)| naming(new).into_iter().chain([old.clone()]));
        let is_known = |file: &PathBuf| copy.vcs.committed(file, &self.host.env).is_ok_and(|found| found.is_some());
        let moved = moved.filter(is_known).map(|file| copy.root.join(file));
        let mut paths: Vec<_> = present.chain(moved).chain(set_up).collect();
        paths.sort();
        paths.dedup();
        let usual = || match departed.first() {
            Some((new, _)) if changes == Received::default() => format!("rename the ledger to {}", new.display()),
            None if changes == Received::default() => SET_UP_MESSAGE.to_owned(),
            _ => received::message(&changes),
        };
        let message = message.map_or_else(usual, str::to_owned);
        let done = vcs::commit(&paths, &message, &author, &self.host.env).map_err(SyncError::from)?;
        Ok(done == Committed::Done)
    }

    /// The same as a part of a sync, which may still replace the commit.
    fn commit_own(&self, copy: &WorkingCopy, one: &mut RepoSync) -> Result<()> {
        if self.commit_locked(copy, None)? {
            one.committed = true;
            one.own = copy.vcs.head(&self.host.env)?;
        }
        Ok(())
    }

    /// Log entries that are now in a commit can be forgotten.
    fn prune_logs(&self, copy: &WorkingCopy) {
        for member in &copy.members {
            // If this fails, the next sync frees the space.
            let _ = self.prune_log(*member);
        }
    }
}

impl Store {
    /// A working copy with its current ledgers: others' commits may have renamed one.
    fn as_now(&mut self, copy: &WorkingCopy) -> Result<WorkingCopy> {
        self.look_again()?;
        let found = self.working_copies(None).into_iter().find(|now| now.root == copy.root);
        found.ok_or_else(|| StoreError::NoLedger { directory: copy.root.clone() })
    }

    /// Syncs the project's ledgers with other clones.
    pub fn sync(&mut self, options: &SyncOptions) -> Result<SyncReport> {
        self.look_again()?;
        self.refuse_broken()?;
        let copies = self.versioned_copies(options.repo)?;
        let mut report = SyncReport::default();
        for copy in &copies {
            let one = match self.as_now(copy) {
                Ok(copy) => self.bring_patiently(&copy, options),
                Err(error) => RepoSync {
                    repos: self.names(copy),
                    vcs: copy.vcs.name(),
                    error: Some(error),
                    ..RepoSync::default()
                },
            };
            report.repos.push(one);
        }
        if !options.dry_run {
            // Others' changes were not necessarily written by this program.
            self.touch_placeholder();
        }
        if options.pull && !options.dry_run && self.repos.members.len() > 1 {
            match self.reconcile(false) {
                Ok(done) => report.reconciled = done,
                Err(error) => report.unreconciled = Some(error),
            }
        }
        for (copy, one) in copies.iter().zip(&mut report.repos) {
            if options.push && !options.dry_run && one.error.is_none() && copy.vcs.is_versioned() {
                let now = self.as_now(copy);
                one.error = now.and_then(|copy| self.send(&copy, options, one)).err();
            }
        }
        self.host.env.residents().dismiss();
        Ok(report)
    }

    /// Commits the ledgers of the project, or of one repo, and nothing else.
    pub fn commit_now(&mut self, repo: Option<usize>, message: Option<&str>, dry_run: bool) -> Result<Vec<RepoSync>> {
        self.look_again()?;
        self.refuse_broken()?;
        let mut done = Vec::new();
        for copy in self.versioned_copies(repo)? {
            let mut one = RepoSync { repos: self.names(&copy), vcs: copy.vcs.name(), ..RepoSync::default() };
            if copy.vcs.is_versioned() {
                one.error = self.commit_copy(&copy, repo.is_some(), message, dry_run, &mut one).err();
            } else {
                one.notes.push("not under version control: there is nothing to commit to".to_owned());
            }
            done.push(one);
        }
        self.host.env.residents().dismiss();
        Ok(done)
    }

    fn commit_copy(
        &mut self,
        copy: &WorkingCopy,
        named: bool,
        message: Option<&str>,
        dry_run: bool,
        one: &mut RepoSync,
    ) -> Result<()> {
        if !self.owns(copy)? {
            let command = copy.ledgers.first().map(|ledger| self.commit_command(copy, ledger)).unwrap_or_default();
            let remedy = format!("commit a proposal on its branch yourself, with {command}");
            if !named {
                one.notes.push(format!("{CONTRIBUTOR}: not committed; {remedy}"));
                return Ok(());
            }
            return Err(StoreError::NotCommitter { repo: one.repos[0].clone(), remedy });
        }
        self.refuse_programs(copy)?;
        self.refuse_filtered(copy)?;
        self.tell_settings(copy, one);
        if dry_run {
            one.committed = self.to_commit(copy)?.is_some();
            self.prune_as_set(copy, None, one);
            return Ok(());
        }
        self.guard_commit(copy)?;
        let locks = self.lock_ledgers(&copy.sources)?;
        one.committed = self.commit_locked(copy, message)?;
        self.prune_as_set(copy, Some(&locks), one);
        drop(locks);
        self.prune_logs(copy);
        Ok(())
    }

    /// Fetches, commits and merges one working copy; repeats if another program held a lock in it.
    fn bring_patiently(&mut self, copy: &WorkingCopy, options: &SyncOptions) -> RepoSync {
        let mut attempt = 0;
        loop {
            let mut one = RepoSync { repos: self.names(copy), vcs: copy.vcs.name(), ..RepoSync::default() };
            one.error = self.bring(copy, options, &mut one).err();
            let busy = matches!(
                one.error,
                Some(StoreError::Vcs(SyncError::Busy { .. } | SyncError::Commit(CommitError::Busy { .. })))
            );
            attempt += 1;
            if !busy || attempt == TRIES {
                return one;
            }
            self.pause(attempt);
        }
    }

    /// Fetches, commits and merges one working copy.
    fn bring(&mut self, copy: &WorkingCopy, options: &SyncOptions, one: &mut RepoSync) -> Result<()> {
        if !copy.vcs.is_versioned() {
            let place = copy.root.display();
            one.notes.push(format!(
                "not under version control: exchange the ledger in {place} by hand, then run `bd resolve`"
            ));
            return Ok(());
        }
        let env = self.host.env.clone();
        let vcs = vcs::open_for(&copy.root, options.bookmark.as_deref());
        let exchange = vcs.exchange()?;
        let owns = self.owns(copy)?;
        self.refuse_programs(copy)?;
        self.refuse_filtered(copy)?;
        if owns {
            self.tell_settings(copy, one);
        }
        if options.dry_run {
            one.standing = exchange.standing(&env)?;
            if one.standing.behind > 0 && options.pull {
                // Commits that do not touch the ledgers' areas are not merged.
                let areas = copy.areas();
                let route = Route { ledgers: &areas, with_code: false, dry_run: None, env: &env };
                one.standing.behind = exchange.incoming(&route)?.len();
            }
            if owns {
                one.committed = self.to_commit(copy)?.is_some();
                self.guard_commit(copy)?;
                self.prune_as_set(copy, None, one);
                self.preview_push(exchange, copy, options, one)?;
            }
            return Ok(());
        }
        if !owns {
            one.notes.push(format!("{CONTRIBUTOR}: only pulled"));
        }
        // Without a network the ledger is still committed.
        let fetched = if options.pull {
            let _step = self.step(one, "fetching");
            exchange.fetch(&env)
        } else {
            Ok(())
        };
        if options.pull && fetched.is_ok() {
            self.fetch_project(exchange, copy, one)?;
        }
        if owns {
            self.guard_commit(copy)?;
        }
        let locks = self.lock_ledgers(&copy.sources)?;
        if owns {
            self.commit_own(copy, one)?;
        }
        fetched?;
        if options.pull {
            // The remote may turn out to be the project itself: never advise merging private issues with it.
            self.refuse_project_remote(&copy.root, &copy.members)?;
            let _step = self.step(one, "merging");
            self.integrate(exchange, copy, owns, one)?;
        }
        if owns {
            self.prune_as_set(copy, Some(&locks), one);
        }
        one.left = received::read(copy);
        drop(locks);
        one.standing = exchange.standing(&env)?;
        self.prune_logs(copy);
        Ok(())
    }
}

const CAME_DAMAGED: &str = "the ledger of the other side is empty, cut off or holds conflict markers: issues that it lacks \
                            count as removed there; the commits before it have them";
/// The beginning of the names of the branches of [`UPSTREAM`].
const UPSTREAM_BRANCHES: &str = "upstream/";
const SET_UP_MESSAGE: &str = "update the ledger's settings";
const MERGE_MESSAGE: &str = "merge the ledger";
const CONTRIBUTOR: &str = "you are a contributor here";
