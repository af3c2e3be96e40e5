//! A workspace: a checkout that `bd` made for one job, and what is known about it.
//!
//! It is recorded before anything of it exists (`creating`) and again when it is ready (`active`), under one id, so that whatever
//! a crash leaves behind has a name. `removed` is recorded only when the directory is gone.

use super::json::{Dialect, array, decode_string};
use super::lease::Owner;
use super::record::{KeyEdit, Record};

/// How the files of a workspace were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A repository of its own, with the files of its parent linked where that is possible.
    #[default]
    Clone,
    /// Another checkout of the same repository.
    Worktree,
    /// All files as they are, also those that version control ignores.
    Copy,
}

impl Kind {
    pub const WORDS: &'static [&'static str] = &["clone", "worktree", "copy"];

    pub fn word(self) -> &'static str {
        match self {
            Kind::Clone => "clone",
            Kind::Worktree => "worktree",
            Kind::Copy => "copy",
        }
    }

    pub fn read(word: &str) -> Option<Self> {
        [Kind::Clone, Kind::Worktree, Kind::Copy].into_iter().find(|kind| kind.word() == word)
    }
}

/// Where a workspace stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum State {
    /// It is being made; after a crash, something may be there.
    #[default]
    Creating,
    /// A job works in it, or somebody who asked for it.
    Active,
    /// It is ready, and nobody works in it.
    Idle,
    /// What was made in it is in the branch that it came from.
    Merged,
    /// Nobody wants what was made in it.
    Abandoned,
    /// It could not be made; `error` says why.
    Failed,
    /// Found without a record, and put aside.
    Orphaned,
    /// It is being removed; after a crash, something may be there.
    Removing,
    /// The directory is gone.
    Removed,
}

impl State {
    pub const ALL: [State; 9] = [
        State::Creating,
        State::Active,
        State::Idle,
        State::Merged,
        State::Abandoned,
        State::Failed,
        State::Orphaned,
        State::Removing,
        State::Removed,
    ];

    pub fn word(self) -> &'static str {
        match self {
            State::Creating => "creating",
            State::Active => "active",
            State::Idle => "idle",
            State::Merged => "merged",
            State::Abandoned => "abandoned",
            State::Failed => "failed",
            State::Orphaned => "orphaned",
            State::Removing => "removing",
            State::Removed => "removed",
        }
    }

    pub fn read(word: &str) -> Option<Self> {
        State::ALL.into_iter().find(|state| state.word() == word)
    }

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    pub first: u16,
    pub count: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workspace {
    pub id: String,
    pub kind: Kind,
    pub state: State,
    /// The repository that it is a checkout of.
    pub repo: Option<String>,
    /// Its directory.
    pub path: String,
    /// The checkout that it was made from.
    pub parent: String,
    /// Where in it a job begins, if that is not the root.
    pub work_dir: Option<String>,
    /// A directory beside it for what is about the job and not about the repository, such as the output of the setup.
    pub context_dir: Option<String>,
    pub worktree_id: Option<String>,
    pub branch: Option<String>,
    /// The branch was made for it.
    pub is_branch_made: bool,
    /// The branch or version that it began at, as it was named.
    pub base: Option<String>,
    /// The version that this was.
    pub base_commit: Option<String>,
    pub issue: Option<String>,
    pub workflow: Option<String>,
    /// Who made it: an agent's id, and a name.
    pub agent: Option<String>,
    pub actor: String,
    pub host: Option<String>,
    /// The process that makes it, or whose job works in it.
    pub owner: Option<Owner>,
    pub ports: Option<Ports>,
    /// The command that was run when it was new.
    pub setup: Option<String>,
    /// Files that were copied though version control ignores them.
    pub copied: Vec<String>,
    /// It was there before, and `bd` only looks after it.
    pub is_adopted: bool,
    /// Nothing was at its path when it was begun, and no other workspace had it: what is there was made for this one.
    pub is_made: bool,
    /// How many jobs had it before.
    pub reused: i64,
    /// Bytes on disk when that was looked at last.
    pub size: Option<i64>,
    /// Why it could not be made or removed.
    pub error: Option<String>,
    pub merge_commit: Option<String>,
    pub pr_url: Option<String>,
    /// The snapshot that was kept before it was removed by force.
    pub rescue: Option<String>,
    pub created_at: String,
    pub ready_at: Option<String>,
    pub used_at: Option<String>,
    pub updated_at: Option<String>,
    pub removed_at: Option<String>,
}

impl Workspace {
    /// Where a job begins.
    pub fn directory(&self) -> std::path::PathBuf {
        self.work_dir.as_deref().unwrap_or(&self.path).into()
    }

    pub fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key: &str| record.text_of(key).map(|text| text.into_owned());
        let port = |key: &str| record.integer(key).and_then(|number| u16::try_from(number).ok());
        Some(Workspace {
            id: text("id")?,
            kind: Kind::read(&text("kind")?)?,
            state: State::read(&text("state")?)?,
            repo: text("repo"),
            path: text("path")?,
            parent: text("parent").unwrap_or_default(),
            work_dir: text("work_dir"),
            context_dir: text("context_dir"),
            worktree_id: text("worktree_id"),
            branch: text("branch"),
            is_branch_made: record.flag("branch_made"),
            base: text("base"),
            base_commit: text("base_commit"),
            issue: text("issue"),
            workflow: text("workflow"),
            agent: text("agent"),
            actor: text("actor").unwrap_or_default(),
            host: text("host"),
            owner: text("pid_start")
                .and_then(|start| Some(Owner { boot: text("pid_boot")?, pid: record.integer("pid")?, start })),
            ports: port("port").and_then(|first| Some(Ports { first, count: port("ports")? })),
            setup: text("setup"),
            copied: record
                .elements("copied")
                .into_iter()
                .filter_map(decode_string)
                .map(|text| text.into_owned())
                .collect(),
            is_adopted: record.flag("adopted"),
            is_made: record.flag("made"),
            reused: record.integer("reused").unwrap_or_default(),
            size: record.integer("size"),
            error: text("error"),
            merge_commit: text("merge_commit"),
            pr_url: text("pr_url"),
            rescue: text("rescue"),
            created_at: text("created_at").unwrap_or_default(),
            ready_at: text("ready_at"),
            used_at: text("used_at"),
            updated_at: text("updated_at"),
            removed_at: text("removed_at"),
        })
    }

    /// The line of a state home; what an earlier line says beyond this stays.
    pub fn render(&self, earlier: Option<&str>) -> String {
        let dialect = Dialect::default();
        let text = |value: &str| Some(dialect.string(value));
        let maybe = |value: &Option<String>| value.as_deref().map(|value| dialect.string(value));
        let owner = self.owner.as_ref();
        let copied = self.copied.iter().map(|path| dialect.string(path));
        let copied = (!self.copied.is_empty()).then(|| array(copied));
        let edits: Vec<KeyEdit> = vec![
            ("id", text(&self.id)),
            ("kind", text(self.kind.word())),
            ("state", text(self.state.word())),
            ("repo", maybe(&self.repo)),
            ("path", text(&self.path)),
            ("parent", text(&self.parent)),
            ("work_dir", maybe(&self.work_dir)),
            ("context_dir", maybe(&self.context_dir)),
            ("worktree_id", maybe(&self.worktree_id)),
            ("branch", maybe(&self.branch)),
            ("branch_made", self.is_branch_made.then(|| "true".to_owned())),
            ("base", maybe(&self.base)),
            ("base_commit", maybe(&self.base_commit)),
            ("issue", maybe(&self.issue)),
            ("workflow", maybe(&self.workflow)),
            ("agent", maybe(&self.agent)),
            ("actor", text(&self.actor)),
            ("host", maybe(&self.host)),
            ("pid", owner.map(|owner| owner.pid.to_string())),
            ("pid_boot", owner.map(|owner| dialect.string(&owner.boot))),
            ("pid_start", owner.map(|owner| dialect.string(&owner.start))),
            ("port", self.ports.map(|ports| ports.first.to_string())),
            ("ports", self.ports.map(|ports| ports.count.to_string())),
            ("setup", maybe(&self.setup)),
            ("copied", copied),
            ("adopted", self.is_adopted.then(|| "true".to_owned())),
            ("made", self.is_made.then(|| "true".to_owned())),
            ("reused", (self.reused != 0).then(|| self.reused.to_string())),
            ("size", self.size.map(|size| size.to_string())),
            ("error", maybe(&self.error)),
            ("merge_commit", maybe(&self.merge_commit)),
            ("pr_url", maybe(&self.pr_url)),
            ("rescue", maybe(&self.rescue)),
            ("created_at", text(&self.created_at)),
            ("ready_at", maybe(&self.ready_at)),
            ("used_at", maybe(&self.used_at)),
            ("updated_at", maybe(&self.updated_at)),
            ("removed_at", maybe(&self.removed_at)),
        ];
        let earlier = earlier.and_then(|line| Record::parse(line).ok());
        let base = earlier.unwrap_or_else(|| Record::parse("{}").expect("an empty object is a record"));
        base.with(&edits, dialect)
    }
}
