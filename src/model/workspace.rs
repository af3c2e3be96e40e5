//! A workspace: a checkout that `bd` made for one job, and its record.
//!
//! It is recorded before anything of it exists (`creating`) and again when it is ready (`active`), under one id, so
//! that the remains of a crash have a name. `removed` is recorded only when the directory is gone.

use serde::{Deserialize, Serialize};

use super::lease::Owner;
use super::row;
use super::words::words;

words! {
    /// How the files of a workspace are made.
    #[derive(Default)]
    pub enum Kind {
        /// A separate repository, with the files of its parent hard-linked where possible.
        #[default]
        Clone = "clone",
        /// Another checkout of the same repository.
        Worktree = "worktree",
        /// All files, including ignored ones.
        Copy = "copy",
    }
}

words! {
    /// The state of a workspace.
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum State {
        /// Being made; after a crash, parts may exist.
        #[default]
        Creating = "creating",
        /// In use by a job, or by the person who asked for it.
        Active = "active",
        /// Ready and unused.
        Idle = "idle",
        /// Its work was merged into the branch that it came from.
        Merged = "merged",
        /// Its work is not wanted.
        Abandoned = "abandoned",
        /// Creation failed; `error` says why.
        Failed = "failed",
        /// Found without a record, and set aside.
        Orphaned = "orphaned",
        /// Being removed; after a crash, parts may exist.
        Removing = "removing",
        /// Its directory is gone.
        Removed = "removed",
    }
}

impl State {
    /// The states that a user may set from here.
    pub fn moves(self) -> &'static [State] {
        match self {
            State::Active => &[State::Idle, State::Merged, State::Abandoned],
            State::Idle => &[State::Active, State::Merged, State::Abandoned],
            State::Merged => &[State::Active, State::Idle, State::Abandoned],
            State::Abandoned => &[State::Active, State::Idle, State::Merged],
            State::Creating | State::Failed | State::Orphaned | State::Removing | State::Removed => &[],
        }
    }

    /// Whether a job may work in it.
    pub fn is_usable(self) -> bool {
        matches!(self, State::Active | State::Idle)
    }
}

/// Ports reserved for this workspace.
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
    /// The checkout from which it was made.
    #[serde(default)]
    pub parent: String,
    pub kind: Kind,
    pub state: State,
    /// The repository that it checks out.
    pub repo: Option<String>,
    /// Its directory.
    pub path: String,
    /// The directory inside it where a job starts, if that is not the root.
    pub work_dir: Option<String>,
    /// A directory beside it for files about the job, such as the output of the setup.
    pub context_dir: Option<String>,
    pub worktree_id: Option<String>,
    pub branch: Option<String>,
    /// Whether its branch was created for it.
    #[serde(rename = "branch_made", default, skip_serializing_if = "row::is_default")]
    pub is_branch_made: bool,
    /// The branch or version from which it started, as the user named it.
    pub base: Option<String>,
    /// The commit of that version.
    pub base_commit: Option<String>,
    pub issue: Option<String>,
    /// Its creator: an agent's id, and a name.
    pub agent: Option<String>,
    #[serde(default)]
    pub actor: String,
    pub host: Option<String>,
    /// The process that makes it, or whose job works in it.
    #[serde(rename = "..owner")]
    pub owner: Option<Owner>,
    #[serde(rename = "..ports")]
    pub ports: Option<Ports>,
    /// The command that prepared it.
    pub setup: Option<String>,
    /// Ignored files that were copied into it.
    #[serde(default, deserialize_with = "row::list")]
    pub copied: Vec<String>,
    /// It existed before, and `bd` only manages it.
    #[serde(rename = "adopted", default, skip_serializing_if = "row::is_default")]
    pub is_adopted: bool,
    /// Its path was free when creation started, and no other workspace had it: everything there was made for this
    /// one.
    #[serde(rename = "made", default, skip_serializing_if = "row::is_default")]
    pub is_made: bool,
    /// The number of jobs that used it before.
    #[serde(default, skip_serializing_if = "row::is_default")]
    pub reused: i64,
    /// Bytes on disk at the last measurement.
    pub size: Option<i64>,
    /// Why creation or removal failed.
    pub error: Option<String>,
    pub merge_commit: Option<String>,
    pub pr_url: Option<String>,
    /// The snapshot that was saved before a forced removal.
    pub rescue: Option<String>,
    pub ready_at: Option<String>,
    pub used_at: Option<String>,
    pub removed_at: Option<String>,
}

impl Workspace {
    /// The directory where a job starts.
    pub fn directory(&self) -> std::path::PathBuf {
        self.work_dir.as_deref().unwrap_or(&self.path).into()
    }
}
