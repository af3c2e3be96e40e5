//! One who acts on a project: what it reads with, writes with, and has been answered.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::answers::Answers;
use super::builder::Builder;
use super::error::Result;
use super::issue::Issue;
use super::new_issue::NewIssue;
use super::update::Update;
use crate::model::change::Change;
use crate::ops::{self, Wish};
use crate::{store, view};

/// Shared by all handles that act as the same one.
#[derive(Debug)]
pub(super) struct Acting {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub store: store::Store,
    pub answers: Answers,
    /// Claims that stay on a remote although their work has ended.
    pub notes: Vec<String>,
}

impl Acting {
    /// As the agent of a name, or as the one that the environment says.
    pub fn open(how: &Builder, agent: Option<&str>) -> Result<Self> {
        let mut store = how.make(agent)?;
        ops::identify(&mut store)?;
        Ok(Acting { inner: Mutex::new(Inner { store, answers: Answers::default(), notes: Vec::new() }) })
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        // Whoever panicked left files and memory as they are between two calls: every call looks again.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the state in which the project is.
    pub fn generation(&self) -> Result<u64> {
        Ok(self.lock().store.generation()?)
    }

    /// Asks with the answers that still hold at hand.
    pub fn ask<T>(&self, answer: impl FnOnce(&mut store::Store, &mut Answers) -> ops::Result<T>) -> Result<T> {
        let mut inner = self.lock();
        let generation = inner.store.generation()?;
        let Inner { store, answers, .. } = &mut *inner;
        answers.turn_to(generation);
        Ok(answer(store, answers)?)
    }

    /// What is odd about the project.
    pub fn warnings(&self) -> Vec<String> {
        let inner = self.lock();
        inner.store.warnings().iter().map(view::warning_text).chain(inner.notes.iter().cloned()).collect()
    }

    /// Does something that may write; it is a sign of life of the agent.
    pub fn act<T>(&self, work: impl FnOnce(&mut store::Store) -> ops::Result<T>) -> Result<T> {
        let mut inner = self.lock();
        ops::join_as_agent(&mut inner.store)?;
        let done = work(&mut inner.store);
        let stays = ops::end_command(&mut inner.store);
        inner.notes.extend(stays);
        Ok(done?)
    }

    /// The same with the number of a claim, which must be valid for every write.
    pub fn act_under<T>(
        &self,
        id: &str,
        epoch: i64,
        work: impl FnOnce(&mut store::Store) -> ops::Result<T>,
    ) -> Result<T> {
        self.act(|store| {
            store.carry(&format!("{id}:{epoch}"));
            // Also where nothing comes to be written in the ledger.
            let done = store.check_lease(id).map_err(Into::into).and_then(|()| work(store));
            store.carry("");
            done
        })
    }

    pub fn create(&self, issue: NewIssue) -> Result<Issue> {
        self.act(|store| {
            let filing = issue.filing(store)?;
            Ok(ops::file_all(store, vec![filing])?.remove(0).into())
        })
    }

    pub fn update(&self, id: &str, update: &Update) -> Result<Issue> {
        self.act(|store| Ok(ops::revise(store, id, &update.wishes)?.into()))
    }

    pub fn close(&self, id: &str, reason: &str) -> Result<Issue> {
        self.act(|store| Ok(ops::revise(store, id, &[closing(reason)])?.into()))
    }
}

/// The wish to close an issue.
pub(super) fn closing(reason: &str) -> Wish {
    let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
    Wish::Change(Change::Close { reason })
}
