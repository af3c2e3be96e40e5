//! Where checkouts were seen: `registry.jsonl` in the state home.
//!
//! One line per checkout, for ever: the line of a deleted checkout is marked and kept, so that what it left still has a
//! name.

use std::path::PathBuf;

use crate::ledger::Document;
use crate::model::seen::SeenCheckout;
use crate::store::state::record_error::RecordError;
use crate::store::state::tables::REGISTRY;
use crate::store::{Project, Result, StateDir, Store, Worktree};

impl Project {
    /// The registry in the state home of one repo of the project.
    pub(in crate::store) fn registry_of(&self, member: usize) -> Result<Document> {
        Ok(self.records(&REGISTRY.file(&StateDir::of(self.state_home_of(member))))?)
    }

    pub(in crate::store) fn registry_path_of(&self, member: usize) -> PathBuf {
        REGISTRY.file(&StateDir::of(self.state_home_of(member))).path().to_owned()
    }
}

impl Store {
    /// Records where checkouts of one repo of the project are, if that is new.
    pub(in crate::store) fn register(&self, member: usize, all: &[Worktree], registered: &Document) -> Result<()> {
        let is_known = |one: &Worktree| {
            let seen = REGISTRY.row(registered, key(one));
            seen.is_some_and(|seen| seen.root == one.root && seen.gone_at.is_none())
        };
        let fresh: Vec<&Worktree> = all.iter().filter(|one| one.id.is_some() && !is_known(one)).collect();
        let state = StateDir::of(self.state_home_of(member));
        let repo = if !fresh.is_empty() && state.is_shared() { Some(self.repository_id(member)?) } else { None };
        self.change_rows(state, &fresh, |one, now, seen| match seen {
            Some(seen) => {
                let moved_at = if seen.root == one.root { seen.moved_at } else { Some(now) };
                SeenCheckout { root: one.root.clone(), moved_at, gone_at: None, ..seen }
            }
            None => SeenCheckout { repo: repo.clone(), created_at: Some(now), ..new(one) },
        })
    }

    /// Marks checkouts as deleted. Their rows and state are kept.
    pub fn mark_gone(&self, gone: &[Worktree]) -> Result<()> {
        let gone: Vec<&Worktree> = gone.iter().filter(|one| one.id.is_some() && one.gone_at.is_none()).collect();
        self.change_rows(self.state(), &gone, |one, now, seen| SeenCheckout {
            gone_at: Some(now),
            ..seen.unwrap_or_else(|| new(one))
        })
    }

    /// Changes the rows of some checkouts.
    fn change_rows(
        &self,
        state: StateDir,
        all: &[&Worktree],
        change: impl Fn(&Worktree, String, Option<SeenCheckout>) -> SeenCheckout,
    ) -> Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        let held = self.hold_file(state.clone(), self.lock_wait)?;
        if held.lock().is_outside() {
            // Another command will notice them.
            return Ok(());
        }
        REGISTRY.file(&state).edit::<RecordError>(held.lock(), &self.host.entropy, |document| {
            let now = self.host.clock.now().to_string();
            let put = |one: &&Worktree| {
                let seen = change(one, now.clone(), REGISTRY.row(document, key(one)));
                REGISTRY.put(document, key(one), &seen)
            };
            Ok(all.iter().map(put).collect())
        })?;
        Ok(())
    }
}

fn new(one: &Worktree) -> SeenCheckout {
    SeenCheckout { id: key(one).to_owned(), root: one.root.clone(), ..SeenCheckout::default() }
}

fn key(one: &Worktree) -> &str {
    one.id.as_deref().unwrap_or_default()
}
