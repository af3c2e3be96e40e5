//! The state of one actor: its stores for reading and writing.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::builder::Builder;
use super::error::Result;
use super::issue::{Issue, IssueId};
use super::new_issue::NewIssue;
use super::update::Update;
use crate::model::change::Change;
use crate::ops::{self, Wish};
use crate::{store, sys, view};

/// Shared by all handles of the same actor. Readers do not wait for writers: each has a separate store, created on
/// first use.
#[derive(Debug)]
pub(super) struct Acting {
    how: Builder,
    agent: Option<String>,
    reading: Mutex<Option<store::Store>>,
    writing: Mutex<Option<store::Store>>,
    /// Claims that remain on a remote although their work has ended.
    notes: Mutex<Vec<String>>,
}

/// A panic leaves files and memory in the state between two calls: every call checks again.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Acting {
    /// For the actor in the environment, starting with a question.
    pub(super) fn open(how: &Builder) -> Result<Self> {
        let acting = Self::new(how, None);
        *locked(&acting.reading) = Some(acting.make()?);
        Ok(acting)
    }

    /// For a named agent, starting with a write.
    pub(super) fn open_agent(how: &Builder, name: &str) -> Result<Self> {
        let acting = Self::new(how, Some(name.to_owned()));
        *locked(&acting.writing) = Some(acting.make()?);
        Ok(acting)
    }

    fn new(how: &Builder, agent: Option<String>) -> Self {
        let (reading, writing, notes) = (Mutex::default(), Mutex::default(), Mutex::default());
        Acting { how: how.clone(), agent, reading, writing, notes }
    }

    fn make(&self) -> Result<store::Store> {
        let mut store = self.how.make(self.agent.as_deref())?;
        ops::identify(&mut store)?;
        Ok(store)
    }

    /// Looks whether something has changed, and answers a question.
    pub(super) fn ask<T>(&self, answer: impl FnOnce(&mut store::Store) -> ops::Result<T>) -> Result<T> {
        let mut reading = locked(&self.reading);
        if reading.is_none() {
            *reading = Some(self.make()?);
        }
        let store = reading.as_mut().expect("it was just made");
        store.refresh()?;
        Ok(answer(store)?)
    }

    /// The number of the project's current state.
    pub(super) fn generation(&self) -> Result<u64> {
        self.ask(|store| Ok(store.generation()?))
    }

    /// The project's warnings.
    pub(super) fn warnings(&self) -> Vec<String> {
        // The caller's own question reports failures.
        let _ = self.ask(|_| Ok(()));
        let found = locked(&self.reading).as_ref().map(|store| store.warnings());
        let written = locked(&self.writing).as_ref().map(|store| store.notices()).unwrap_or_default();
        let mut all: Vec<store::Warning> = found.unwrap_or_default();
        all.extend(written);
        let mut texts: Vec<String> = Vec::new();
        for text in view::warning_texts(&all).into_iter().chain(locked(&self.notes).iter().cloned()) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    /// Prepares a write.
    pub(super) fn plan<T>(&self, work: impl FnOnce(&mut store::Store) -> ops::Result<T>) -> Result<T> {
        let mut writing = locked(&self.writing);
        if writing.is_none() {
            *writing = Some(self.make()?);
        }
        let store = writing.as_mut().expect("it was just made");
        store.look_again()?;
        Ok(work(store)?)
    }

    /// Does something that may write; it counts as a heartbeat of the agent.
    pub(super) fn act<T>(&self, work: impl FnOnce(&mut store::Store) -> ops::Result<T>) -> Result<T> {
        self.plan(|store| {
            ops::join_as_agent(store)?;
            let done = work(store);
            locked(&self.notes).extend(ops::end_command(store));
            done
        })
    }

    /// The same with the epoch of a claim, which must be valid for every write.
    pub(super) fn act_under<T>(
        &self,
        id: &str,
        epoch: i64,
        work: impl FnOnce(&mut store::Store) -> ops::Result<T>,
    ) -> Result<T> {
        self.act(|store| {
            store.carry(&format!("{id}:{epoch}"));
            // Even if nothing gets written to the ledger.
            let done = store.check_lease(id).map_err(Into::into).and_then(|()| work(store));
            store.carry("");
            done
        })
    }

    pub(super) fn create(&self, issue: NewIssue) -> Result<Issue> {
        self.act(|store| {
            let filing = issue.filing(store)?;
            Ok(ops::file_all(store, vec![filing])?.remove(0).into())
        })
    }

    pub(super) fn update(&self, id: &str, update: &Update) -> Result<Issue> {
        self.act(|store| update.apply(store, id))
    }

    pub(super) fn close(&self, id: &str, reason: &str) -> Result<Issue> {
        self.change(id, |_| closing(reason))
    }

    pub(super) fn reopen(&self, id: &str, reason: &str) -> Result<Issue> {
        self.change(id, |store| {
            let comment = given(reason).map(|text| ops::comment(store, text, None));
            Wish::Change(Change::Reopen { comment })
        })
    }

    pub(super) fn delete(&self, id: &str, reason: &str) -> Result<Issue> {
        self.change(id, |_| Wish::Change(Change::Delete { reason: given(reason) }))
    }

    pub(super) fn defer(&self, id: &str, until: Option<SystemTime>) -> Result<Issue> {
        self.change(id, |_| Wish::Change(Change::Defer { until: until.map(sys::from_system) }))
    }

    fn change(&self, id: &str, wish: impl FnOnce(&store::Store) -> Wish) -> Result<Issue> {
        self.act(|store| {
            let wish = wish(store);
            Ok(ops::revise(store, id, &[wish])?.into())
        })
    }

    pub(super) fn undo(&self, count: usize) -> Result<Vec<IssueId>> {
        self.act(|store| Ok(ops::undo(store, count, false)?.issues.iter().map(|one| IssueId::of(&one.id)).collect()))
    }
}

/// A reason, unless it is empty.
pub(super) fn given(reason: &str) -> Option<String> {
    Some(reason.to_owned()).filter(|reason| !reason.is_empty())
}

/// The change that closes an issue.
pub(super) fn closing(reason: &str) -> Wish {
    Wish::Change(Change::Close { reason: given(reason) })
}
