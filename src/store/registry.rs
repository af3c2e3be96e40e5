//! Where checkouts were seen: `registry.jsonl` in the state home.
//!
//! One line per checkout, for ever: a checkout that is gone keeps its line, marked, so that what it left behind still has a name.

use std::path::PathBuf;

use super::names::REGISTRY;
use super::record_error::RecordError;
use super::records::Put;
use super::{Project, Result, StateDir, Store, Worktree};
use crate::ledger::Document;
use crate::model::json::{Dialect, Object};
use crate::model::record::{KeyEdit, Record};

/// A checkout that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub id: String,
    pub root: PathBuf,
    pub gone_at: Option<String>,
    /// The repository, where several share a state home.
    pub repo: Option<String>,
}

pub(super) fn entries(registered: &Document) -> Vec<Entry> {
    let records = (0..registered.len()).filter_map(|line| registered.record(line));
    let found = records.filter_map(|record: Record<'_>| {
        let root = PathBuf::from(record.string("path")?.as_ref());
        let gone_at = record.text_of("gone_at").map(|text| text.into_owned());
        let repo = record.text_of("repo").map(|text| text.into_owned());
        Some(Entry { id: record.string("id")?.into_owned(), root, gone_at, repo })
    });
    found.collect()
}

impl Project {
    pub(super) fn registry(&self) -> Result<Document> {
        self.registry_of(0)
    }

    /// That of the state home of one repo of the project.
    pub(super) fn registry_of(&self, member: usize) -> Result<Document> {
        Ok(self.records(&StateDir::of(self.state_home_of(member)).file(REGISTRY))?)
    }

    pub(super) fn registry_path_of(&self, member: usize) -> PathBuf {
        StateDir::of(self.state_home_of(member)).file(REGISTRY).path().to_owned()
    }
}

impl Store {
    /// Notes where checkouts are, if the registry does not know that.
    pub(super) fn register(&self, all: &[Worktree], registered: &Document) -> Result<()> {
        self.register_in(0, all, registered)
    }

    /// The same for checkouts of one repo of the project.
    pub(super) fn register_in(&self, member: usize, all: &[Worktree], registered: &Document) -> Result<()> {
        let known = entries(registered);
        let is_known = |one: &Worktree| {
            let same = |entry: &Entry| Some(&entry.id) == one.id.as_ref() && entry.root == one.root;
            known.iter().any(|entry| same(entry) && entry.gone_at.is_none())
        };
        let fresh: Vec<&Worktree> = all.iter().filter(|one| one.id.is_some() && !is_known(one)).collect();
        let state = StateDir::of(self.state_home_of(member));
        let repo = if !fresh.is_empty() && state.is_shared() { Some(self.repo_id(member)?) } else { None };
        self.change_lines(state, &fresh, |one, now, line| {
            let path = one.root.display().to_string();
            let dialect = Dialect::default();
            match line {
                Some(record) => {
                    let moved = record.string("path").as_deref() != Some(path.as_str());
                    let mut edits: Vec<KeyEdit> = vec![("path", Some(dialect.string(&path))), ("gone_at", None)];
                    edits.extend(moved.then(|| ("moved_at", Some(dialect.string(now)))));
                    record.with(&edits, dialect)
                }
                None => {
                    let object = Object::new().text("id", key(one)).text("path", &path);
                    object.optional("repo", repo.as_deref()).text("created_at", now).finish()
                }
            }
        })
    }

    /// Notes that checkouts are gone. Their lines and what they left in the state home stay.
    pub fn mark_gone(&self, gone: &[Worktree]) -> Result<()> {
        let gone: Vec<&Worktree> = gone.iter().filter(|one| one.id.is_some() && one.gone_at.is_none()).collect();
        self.change_lines(self.state(), &gone, |one, now, line| {
            let dialect = Dialect::default();
            match line {
                Some(record) => record.with(&[("gone_at", Some(dialect.string(now)))], dialect),
                None => {
                    let path = one.root.display().to_string();
                    Object::new().text("id", key(one)).text("path", &path).text("gone_at", now).finish()
                }
            }
        })
    }

    /// Changes the lines of some checkouts.
    fn change_lines(
        &self,
        state: StateDir,
        all: &[&Worktree],
        change: impl Fn(&Worktree, &str, Option<Record<'_>>) -> String,
    ) -> Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        let held = self.hold(state.clone())?;
        state.file(REGISTRY).edit::<RecordError>(held.lock(), &self.host.entropy, |document| {
            let now = self.host.clock.now().to_string();
            let put = |one: &&Worktree| {
                let id = key(one).to_owned();
                let line = document.effective(&id).and_then(|line| document.record(line));
                Put::Line { text: change(one, &now, line), id }
            };
            Ok(all.iter().map(put).collect())
        })?;
        Ok(())
    }
}

fn key(one: &Worktree) -> &str {
    one.id.as_deref().unwrap_or_default()
}
