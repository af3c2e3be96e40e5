//! Removes closed issues from a ledger; version control's history keeps them.
//!
//! A line is removed only if the checked-out commit has exactly its bytes, and only if no other issue's state depends
//! on it: that is tried on a copy of the cache before anything is written. Damaged lines, copies, and lines that carry
//! news to other clones stay.

mod candidates;
mod judge;
mod outcome;

use std::collections::BTreeSet;
use std::path::Path;

use crate::ledger::{Document, Edit, LedgerError, LockedLedger};
use crate::model::time::{DAY, Instant};
use crate::store::project::paths;
use crate::store::read::index::expected;
use crate::store::{Access, Project, Result, Snapshot, Store, StoreError};
use crate::vcs::{self, SyncError};
use candidates::Candidate;
use judge::Judge;
use outcome::Commits;

pub use outcome::{Kept, KeptIssue, PruneRequest, Pruned, PrunedIssue};

/// How long an issue must have been closed by default before it is pruned.
pub const PRUNE_DAYS: i64 = 30;

impl Project {
    /// The ledger in the checked-out commit; an error without version control.
    fn committed_ledger(&self, path: &Path) -> Result<Commits> {
        let real = paths::real(path);
        let vcs = vcs::open(&real);
        if !vcs.is_versioned() {
            let root = real.parent().and_then(Path::parent).unwrap_or(&real).to_owned();
            return Err(StoreError::NoHistory { root });
        }
        let root = paths::real(vcs.root());
        let inside = real.strip_prefix(&root).map_err(|_| SyncError::NoVcs { root: root.clone() })?;
        let env = &self.host.env;
        let committed = Document::new(vcs.committed(inside, env)?.unwrap_or_default());
        let Some(upstream) = vcs.published(env)? else { return Ok(Commits { committed, published: None }) };
        let mut archive = vcs.archive(env)?;
        let bytes = match archive.resolve(&upstream)? {
            Some(commit) => match archive.version(inside, &commit.id)? {
                Some(version) => archive.text(&version)?,
                None => Vec::new(),
            },
            // Nothing was ever fetched from the upstream.
            None => return Ok(Commits { committed, published: None }),
        };
        Ok(Commits { committed, published: Some(Document::new(bytes)) })
    }

    fn no_ledger(&self, member: usize) -> StoreError {
        StoreError::NoLedger { directory: self.repos.members[member].repo.beads().to_owned() }
    }

    /// The default limit: issues closed before it are old.
    pub(in crate::store) fn prune_default(&self) -> Instant {
        self.host.clock.now().plus_nanos(-PRUNE_DAYS * DAY)
    }
}

impl Snapshot {
    /// What to prune, and the document with its lines.
    fn plan_prune(&self, source: usize, request: &PruneRequest) -> Result<(Pruned, Vec<Candidate>)> {
        let path = self.sources.ledger(source).path().to_owned();
        let kept_by = self.committed_ledger(&path)?;
        self.read_ledgers()?;
        let Some((document, _)) = self.sources.read_of(source) else {
            // Report why it could not be read.
            self.sources.ledger(source).read(|| expected(&path))?;
            return Err(self.no_ledger(self.sources.member_of(source)));
        };
        self.sources.ledger(source).refuse(document, &[])?;
        if let Some(region) = document.conflicts().first() {
            let (line, what) = (region.start + 1, "nothing can be pruned from it");
            return Err(LedgerError::Conflicted { path, line, what }.into());
        }
        let before = document.bytes().len() as u64;
        // As after any write: with a final line feed.
        let total = before + u64::from(!document.ends_well());
        let (mut old, mut kept) = self.candidates(source, request, &kept_by);
        self.keep_parents(&mut old, &mut kept)?;
        let need = request.budget.map_or(u64::MAX, |budget| total.saturating_sub(budget));
        let leaving = self.judged(old, need, &mut kept)?;
        kept.sort_by(|a, b| a.id.cmp(&b.id));
        let saved: u64 = leaving.iter().map(|one| one.issue.bytes).sum();
        let pruned = leaving.iter().map(|one| one.issue.clone()).collect();
        let done = Pruned {
            source_repo: self.name(self.sources.member_of(source)).to_owned(),
            file: path,
            pruned,
            kept,
            bytes_before: before,
            // An emptied ledger is one line feed.
            bytes_after: if saved == 0 { before } else { (total - saved).max(1) },
            budget: request.budget,
        };
        Ok((done, leaving))
    }

    /// The candidates, oldest first, that free enough and that no other issue depends on.
    fn judged(&self, old: Vec<Candidate>, need: u64, kept: &mut Vec<KeptIssue>) -> Result<Vec<Candidate>> {
        if old.is_empty() || need == 0 {
            return Ok(Vec::new());
        }
        let unknown = self.unknown_ids();
        let mut judge = self.ask(|cache| Judge::new(cache, unknown))?;
        let mut waiting = old.into_iter();
        let mut leaving: Vec<Candidate> = Vec::new();
        loop {
            let mut saved: u64 = leaving.iter().map(|one| one.issue.bytes).sum();
            let mut group = Vec::new();
            while saved < need
                && let Some(one) = waiting.next()
            {
                saved = saved.saturating_add(one.issue.bytes);
                group.push(one);
            }
            if group.is_empty() {
                return Ok(leaving);
            }
            let (gone, stay) = judge.take(group)?;
            leaving.extend(gone);
            kept.extend(stay.into_iter().map(|(one, ids)| KeptIssue { id: one.issue.id, why: Kept::Needed(ids) }));
            leaving.sort_by(Candidate::by_age);
        }
    }

    /// A parent of unfinished issues is part of the frontier and stays.
    fn keep_parents(&self, old: &mut Vec<Candidate>, kept: &mut Vec<KeptIssue>) -> Result<()> {
        let mut free = Vec::with_capacity(old.len());
        for one in old.drain(..) {
            let children = self.ask(|cache| cache.open_children(&one.issue.id))?;
            if children.is_empty() {
                free.push(one);
            } else {
                kept.push(KeptIssue { id: one.issue.id, why: Kept::Children(children) });
            }
        }
        *old = free;
        Ok(())
    }
}

impl Store {
    /// Prunes closed issues from the ledger of a repo; with `dry_run`, only returns which.
    pub fn prune(&mut self, member: usize, request: &PruneRequest, dry_run: bool) -> Result<Pruned> {
        self.refuse_broken()?;
        if let Access::Read(reason) = self.access(member)? {
            let what = "a ledger without its closed issues".to_owned();
            return Err(StoreError::ReadOnly { what, repo: self.name(member).to_owned(), reason });
        }
        let source = self.writable(member)?;
        if dry_run {
            return Ok(self.plan_prune(source, request)?.0);
        }
        let locks = self.lock(&[source])?;
        let Some((_, lock)) = locks.first() else { return Err(self.no_ledger(member)) };
        let done = self.prune_locked(source, lock, request)?;
        drop(locks);
        if !done.pruned.is_empty() && self.commits(member) {
            self.commit_paths(member, std::slice::from_ref(&done.file), &prune_message(&done.ids()));
        }
        Ok(done)
    }

    /// The same while the ledger is locked.
    pub(in crate::store) fn prune_locked(
        &mut self,
        source: usize,
        lock: &LockedLedger,
        request: &PruneRequest,
    ) -> Result<Pruned> {
        let (mut done, leaving) = self.plan_prune(source, request)?;
        if leaving.is_empty() {
            return Ok(done);
        }
        let ids: BTreeSet<String> = leaving.iter().map(|one| one.issue.id.clone()).collect();
        let mut late: Vec<String> = Vec::new();
        self.write_ledger(lock, |draft| {
            let document = draft.document();
            let lines = document.find_among(&ids);
            late.clear();
            for one in &leaving {
                match one.only_line_in(lines.get(&one.issue.id), document) {
                    Some(line) => draft.carry([Edit::Remove { line }])?,
                    // A program that ignores locks changed it meanwhile.
                    None => late.push(one.issue.id.clone()),
                }
            }
            Ok(())
        })?;
        if !late.is_empty() {
            let stays = |one: &PrunedIssue| late.contains(&one.id);
            done.bytes_after += done.pruned.iter().filter(|one| stays(one)).map(|one| one.bytes).sum::<u64>();
            done.pruned.retain(|one| !stays(one));
            done.kept.extend(late.into_iter().map(|id| KeptIssue { id, why: Kept::Uncommitted }));
        }
        self.look_at_issues_again();
        Ok(done)
    }
}

/// The message of a commit that only prunes.
pub(in crate::store) fn prune_message(ids: &[String]) -> String {
    match ids {
        [id] => format!("prune {id}"),
        many => format!("prune {} issues\n\n{}", many.len(), many.join("\n")),
    }
}
