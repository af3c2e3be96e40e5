//! A workspace: a checkout that `bd` made for one job, and what is known about it.
//!
//! It is recorded before anything of it exists (`creating`) and again when it is ready (`active`), under one id, so that whatever
//! a crash leaves behind has a name. `removed` is recorded only when the directory is gone.

use serde::{Deserialize, Serialize};

use super::lease::Owner;
use super::row;
use super::words::words;

words! {
    /// How the files of a workspace were made.
    #[derive(Default)]
    pub enum Kind {
        /// A repository of its own, with the files of its parent linked where that is possible.
        #[default]
        Clone = "clone",
        /// Another checkout of the same repository.
        Worktree = "worktree",
        /// All files as they are, also those that version control ignores.
        Copy = "copy",
    }
}

words! {
    /// Where a workspace stands.
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum State {
        /// It is being made; after a crash, something may be there.
        #[default]
        Creating = "creating",
        /// A job works in it, or somebody who asked for it.
        Active = "active",
        /// It is ready, and nobody works in it.
        Idle = "idle",
        /// What was made in it is in the branch that it came from.
        Merged = "merged",
        /// Nobody wants what was made in it.
        Abandoned = "abandoned",
        /// It could not be made; `error` says why.
        Failed = "failed",
        /// Found without a record, and put aside.
        Orphaned = "orphaned",
        /// It is being removed; after a crash, something may be there.
        Removing = "removing",
        /// The directory is gone.
        Removed = "removed",
    }
}

impl State {
    /// What somebody may say that it is now.
    pub fn moves(self) -> &'static [State] {
        match self {
            State::Active => &[State::Idle, State::Merged, State::Abandoned],
            State::Idle => &[State::Active, State::Merged, State::Abandoned],
            State::Merged => &[State::Active, State::Idle, State::Abandoned],
            State::Abandoned => &[State::Active, State::Idle, State::Merged],
            State::Creating | State::Failed | State::Orphaned | State::Removing | State::Removed => &[],
        }
    }

    /// A job may work in it.
    pub fn is_usable(self) -> bool {
        matches!(self, State::Active | State::Idle)
    }
}

/// Ports that nobody else is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ports {
    #[serde(rename = "port")]
    pub first: u16,
    #[serde(rename = "ports")]
    pub count: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Workspace {
    pub id: String,
    #[serde(default)]
    pub created_at: String,
    pub updated_at: Option<String>,
    pub workflow: Option<String>,
    /// The checkout that it was made from.
    #[serde(default)]
    pub parent: String,
    pub kind: Kind,
    pub state: State,
    /// The repository that it is a checkout of.
    pub repo: Option<String>,
    /// Its directory.
    pub path: String,
    /// Where in it a job begins, if that is not the root.
    pub work_dir: Option<String>,
    /// A directory beside it for what is about the job and not about the repository, such as the output of the setup.
    pub context_dir: Option<String>,
    pub worktree_id: Option<String>,
    pub branch: Option<String>,
    /// The branch was made for it.
    #[serde(rename = "branch_made", default, skip_serializing_if = "row::is_default")]
    pub is_branch_made: bool,
    /// The branch or version that it began at, as it was named.
    pub base: Option<String>,
    /// The version that this was.
    pub base_commit: Option<String>,
    pub issue: Option<String>,
    /// Who made it: an agent's id, and a name.
    pub agent: Option<String>,
    #[serde(default)]
    pub actor: String,
    pub host: Option<String>,
    /// The process that makes it, or whose job works in it.
    #[serde(rename = "..owner")]
    pub owner: Option<Owner>,
    #[serde(rename = "..ports")]
    pub ports: Option<Ports>,
    /// The command that was run when it was new.
    pub setup: Option<String>,
    /// Files that were copied though version control ignores them.
    #[serde(default, deserialize_with = "row::list")]
    pub copied: Vec<String>,
    /// It was there before, and `bd` only looks after it.
    #[serde(rename = "adopted", default, skip_serializing_if = "row::is_default")]
    pub is_adopted: bool,
    /// Nothing was at its path when it was begun, and no other workspace had it: what is there was made for this one.
    #[serde(rename = "made", default, skip_serializing_if = "row::is_default")]
    pub is_made: bool,
    /// How many jobs had it before.
    #[serde(default, skip_serializing_if = "row::is_default")]
    pub reused: i64,
    /// Bytes on disk when that was looked at last.
    pub size: Option<i64>,
    /// Why it could not be made or removed.
    pub error: Option<String>,
    pub merge_commit: Option<String>,
    pub pr_url: Option<String>,
    /// The snapshot that was kept before it was removed by force.
    pub rescue: Option<String>,
    pub ready_at: Option<String>,
    pub used_at: Option<String>,
    pub removed_at: Option<String>,
}

impl Workspace {
    /// Where a job begins.
    pub fn directory(&self) -> std::path::PathBuf {
        self.work_dir.as_deref().unwrap_or(&self.path).into()
    }
}
