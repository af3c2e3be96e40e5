//! Records of the progress on an issue.

use std::time::SystemTime;

use super::issue::IssueId;
use crate::model::checkpoint as model;
use crate::model::time::Instant;
use crate::ops::{self, FilesWish};
use crate::{store, sys};

/// A checkpoint as it should be added.
///
/// ```
/// let new = beads::NewCheckpoint::new("the tests pass").kind("decision").file("src/parser.rs");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "nothing is recorded until it is given to `checkpoint`"]
pub struct NewCheckpoint {
    wish: ops::NewCheckpoint,
    files: Vec<String>,
}

impl NewCheckpoint {
    /// A checkpoint with this summary: the result so far, and the next step.
    pub fn new(summary: impl Into<String>) -> Self {
        let wish = ops::NewCheckpoint { summary: summary.into(), ..ops::NewCheckpoint::default() };
        NewCheckpoint { wish, files: Vec::new() }
    }

    /// The type: `plan`, `replan`, `progress` (the default), `decision`, `error`, `recovery` or `complete`.
    pub fn kind(mut self, word: impl Into<String>) -> Self {
        self.wish.kind = word.into();
        self
    }

    /// Further facts, as JSON.
    pub fn detail(mut self, json: impl Into<String>) -> Self {
        self.wish.detail = Some(json.into());
        self
    }

    /// A file of the project that it is about; a relative path starts at the current directory. May be repeated.
    pub fn file(mut self, path: impl Into<String>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Makes a repeated call harmless: if the issue has a checkpoint with this key, that one is returned.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.wish.key = Some(key.into());
        self
    }

    pub(super) fn add(self, store: &mut store::Store, id: &str) -> ops::Result<Checkpoint> {
        let (issue, files) = (Some(id.to_owned()), FilesWish::These(self.files));
        let added = ops::add_checkpoint(store, &ops::NewCheckpoint { issue, files, ..self.wish })?;
        Ok(Checkpoint::of(added.checkpoint))
    }
}

/// A record of the progress on an issue. It never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The id.
    pub id: String,
    /// The issue.
    pub issue: IssueId,
    /// Its number among the checkpoints of the issue, starting at 1.
    pub number: i64,
    /// The type, as in [`NewCheckpoint::kind`].
    pub kind: String,
    /// The result so far, and the next step.
    pub summary: String,
    /// Further facts, as JSON.
    pub detail: Option<String>,
    /// The files that it is about, relative to the project.
    pub files: Vec<String>,
    /// The agent or person that added it.
    pub actor: String,
    /// The name of the checkout at that time.
    pub checkout: Option<String>,
    /// The branch at that time.
    pub branch: Option<String>,
    /// When it was added.
    pub created_at: Option<SystemTime>,
}

impl Checkpoint {
    pub(super) fn of(one: model::Checkpoint) -> Self {
        Checkpoint {
            issue: IssueId::of(&one.issue),
            kind: one.kind.as_str().to_owned(),
            detail: one.detail.map(|raw| raw.0),
            created_at: Instant::parse(&one.created_at).map(sys::to_system),
            id: one.id,
            number: one.number,
            summary: one.summary,
            files: one.files,
            actor: one.actor,
            checkout: one.worktree,
            branch: one.branch,
        }
    }
}
