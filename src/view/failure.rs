//! The one map from what went wrong to what callers are told: exit code, stable word, hint.

use super::escape::shell_path;
use crate::model::json::Dialect;
use crate::model::proposal::{IllegalMove, Standing};
use crate::store::settings::{ConfigError, ConfigFault, SettingsError};
use crate::store::{HistoryError, HookError, StoreError};
use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

pub(super) const NO_LEDGER: &str =
    "run `bd init` for an empty ledger, then `bd recover` to put back writes that no commit holds";

/// Exit codes, as `docs/exit-codes.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Ok,
    Failed,
    Usage,
    NotFound,
    Claimed,
    Illegal,
    Busy,
    Stale,
    Damaged,
    NoRepository,
    Untrusted,
    Reserved,
    Gate,
    /// Of the merge driver alone: git takes everything up to 128 for a conflict.
    Merge,
    /// That of a program which was run.
    Program(u8),
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Ok => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NotFound => 3,
            Exit::Claimed => 4,
            Exit::Illegal => 5,
            Exit::Busy => 6,
            Exit::Stale => 7,
            Exit::Damaged => 8,
            Exit::NoRepository => 9,
            Exit::Untrusted => 10,
            Exit::Reserved => 11,
            Exit::Gate => 70,
            Exit::Merge => 129,
            Exit::Program(code) => code,
        }
    }
}

/// A failure as callers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    /// A stable word for programs.
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// Trying again, unchanged, may succeed.
    pub recoverable: bool,
    /// What a program may want to know besides, as JSON.
    pub facts: Vec<(&'static str, String)>,
}

impl Failure {
    pub(super) fn new(exit: Exit, code: &'static str, message: String) -> Self {
        Failure { exit, code, message, hint: None, recoverable: exit == Exit::Busy, facts: Vec::new() }
    }

    /// Adds a text that programs may want to know.
    pub(super) fn fact(mut self, key: &'static str, value: &str) -> Self {
        self.facts.push((key, Dialect::default().string(value)));
        self
    }

    pub(super) fn texts(mut self, key: &'static str, values: &[String]) -> Self {
        let all: Vec<String> = values.iter().map(|value| Dialect::default().string(value)).collect();
        self.facts.push((key, format!("[{}]", all.join(","))));
        self
    }

    pub(super) fn number(mut self, key: &'static str, value: i64) -> Self {
        self.facts.push((key, value.to_string()));
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Names a likely reason, and the way on, where the system does not let anybody write.
    pub(super) fn barred(self, error: &FsError) -> Self {
        match error.is_forbidden() {
            true => self.hint(
                "an agent's sandbox may have made this directory read-only; add it to the directories that the sandbox may write (a \
                 setting of the client), or run this outside of the sandbox",
            ),
            false => self,
        }
    }

    /// Says which word was probably meant.
    pub(super) fn meant(self, word: Option<&str>) -> Self {
        match word {
            Some(word) => self.hint(format!("did you mean {word:?}?")),
            None => self,
        }
    }

    pub(super) fn or_hint(self, hint: &str) -> Self {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message.into())
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, "not_found", message.into())
    }

    pub(super) fn illegal(message: String) -> Self {
        Self::new(Exit::Illegal, "illegal", message)
    }

    pub(super) fn would_leak(message: String) -> Self {
        Self::new(Exit::Illegal, "would_leak", message)
    }

    pub(super) fn damaged(message: String) -> Self {
        Self::new(Exit::Damaged, "damaged", message)
    }

    pub(super) fn no_repository(message: String) -> Self {
        Self::new(Exit::NoRepository, "no_repository", message)
    }

    pub(super) fn untrusted(message: String) -> Self {
        Self::new(Exit::Untrusted, "untrusted", message)
    }

    pub(super) fn busy(message: String) -> Self {
        Self::new(Exit::Busy, "busy", message)
    }

    /// The word for [`Failure::leak`].
    pub const LEAK: &'static str = "leak";

    /// Something private would leave.
    pub fn leak(message: impl Into<String>) -> Self {
        Self::new(Exit::Damaged, Self::LEAK, message.into())
            .hint("unstage it with `git restore --staged FILE`; to publish an issue's public part, run `bd propose ID`")
    }

    /// A merge driver that could not merge.
    pub fn merge(message: impl Into<String>) -> Self {
        Self::new(Exit::Merge, "merge_failed", message.into())
            .hint("nothing was changed; fix the cause and merge again")
    }

    /// A command that would write, where nothing may be written.
    pub fn read_only(message: impl Into<String>) -> Self {
        Self::new(Exit::Illegal, "read_only", message.into()).hint("leave out --readonly to write")
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, "failed", message.into())
    }
}
impl From<&StoreError> for Failure {
    fn from(error: &StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NoRepository { beyond: Some(beyond), .. } => {
                Self::no_repository(message).hint(format!(
                    "run `bd init` for a ledger here, or `bd -C {}` to use that one",
                    shell_path(beyond.ledger())
                ))
            }
            StoreError::NoRepository { .. } => Self::no_repository(message)
                .hint("run `bd init` to make one here, or name another place with -C DIR or BEADS_DIR"),
            StoreError::BadVariable { variable, .. } => Self::no_repository(message)
                .hint(format!("unset {variable}, or run `bd init` there")),
            StoreError::NoLedger { .. } => {
                Self::no_repository(message).hint(NO_LEDGER)
            }
            StoreError::OtherLedger { ledger, found } => {
                let name = ledger.file_name().unwrap_or_default().to_string_lossy();
                Self::no_repository(message)
                    .hint(format!("rename {found} to {name}, or run `bd config unset ledger.file`"))
            }
            StoreError::NotBuilt { .. } => Self::no_repository(message),
            StoreError::TwoLedgers { .. } => {
                Self::damaged(message).hint("run `bd doctor --fix` to join them by id")
            }
            StoreError::Redirect { .. }
            | StoreError::TooManyRedirects { .. }
            | StoreError::InControl { .. }
            | StoreError::SharedFile { .. } => {
                Self::illegal(message)
            }
            StoreError::NotADirectory { .. } => Self::no_repository(message)
                .hint("remove it or put the directory back; bd does not look above it"),
            StoreError::Config(ConfigError { fault: ConfigFault::Unmarked, .. }) => {
                Self::untrusted(message)
                    .hint("run `bd trust --dry-run` to see what it says; if it is yours, run `bd trust`, otherwise remove the file")
            }
            StoreError::Config(ConfigError { path, fault: ConfigFault::Stray, .. }) => {
                Self::untrusted(message).hint(format!(
                    "run `bd trust --dry-run` to see where it leads; if this is your workspace, run `bd workspace adopt` on it \
                     in that repository, otherwise remove {}",
                    path.display()
                ))
            }
            StoreError::Config(_) => Self::new(Exit::Failed, "config", message)
                .hint("fix that line or remove it; bd writes nothing until then"),
            StoreError::Edit(SettingsError::NoPlace(_)) => Self::failed(message).hint(
                "set HOME or XDG_STATE_HOME to a directory that you can write, or pass --config KEY=VALUE for one command",
            ),
            StoreError::Edit(SettingsError::Lock(LockError::Timeout { .. })) => Self::busy(message),
            StoreError::Edit(SettingsError::Config(_)) => {
                Self::new(Exit::Failed, "config", message).hint("fix the file first; it was not changed")
            }
            StoreError::Edit(_) => Self::failed(message),
            StoreError::UnknownKey { .. } => Self::usage(message).hint("run `bd config list` to see every setting"),
            StoreError::BadValue(_) => Self::usage(message),
            StoreError::ReadOnly { .. } => Self::new(Exit::Illegal, "read_only", message).hint(
                "plan it in your own repo with `bd add`, without --repo; if you maintain this project, run `bd config set routing.role maintainer`",
            ),
            StoreError::WouldLeak { .. } => Self::would_leak(message)
                .hint("choose a planning repo outside the project: run `bd init --contributor PATH`"),
            StoreError::Private { .. } => Self::would_leak(message)
                .hint("run `bd propose ID` to propose its public part to the maintainers"),
            StoreError::PrivateExport { .. } => Self::would_leak(message).hint(
                "write it elsewhere, write it to a file that git ignores, or export only public issues with --repo .",
            ),
            StoreError::NotGit { what, kind, .. } => Self::no_repository(message).hint(
                match (*what, kind.as_str()) {
                    ("bd hooks", "jj" | "hg") => "run `bd check-leaks` before a commit and `bd check-leaks --range REVSET` before a push",
                    ("bd hooks", _) => "run `bd check-leaks --ledger FILE` before you commit a file",
                    _ => "run `bd check-leaks --ledger FILE` to check a file as it is",
                },
            ),
            StoreError::History(HistoryError::NotARange { .. }) => Self::usage(message).hint(
                "git: two commits, as in origin/main..HEAD; jj: a revset, as in main@origin..@; hg: a revset, as in 'draft()'",
            ),
            StoreError::History(_) => Self::failed(message),
            StoreError::NotCheckedOut { remedy, .. } => Self::new(Exit::Damaged, "would_lose", message)
                .hint(format!("nothing was made; to get them back, {remedy}")),
            StoreError::NotThen { .. } => {
                Self::not_found(message).hint("run `bd log ID` to see its versions")
            }
            StoreError::CannotRestore { .. } => {
                Self::illegal(message).hint("run `bd log ID` to see its versions")
            }
            StoreError::NoHistory { .. } => Self::no_repository(message)
                .hint("put it under git, jj or hg and commit the ledger; nothing was changed"),
            StoreError::Partly { changed, source } => Failure { message, ..source.as_ref().into() }
                .hint("fix the cause, then repeat the command: that finishes a proposal, an edit or a move; after `bd undo`, look with `bd show` first")
                .texts("changed", changed),
            StoreError::Vcs(error) => error.into(),
            StoreError::Record(error) => error.into(),
            StoreError::Lease(error) => error.as_ref().into(),
            StoreError::NoSuchWorktree { .. } => {
                Self::not_found(message).hint("run `bd worktree list` to see the checkouts")
            }
            StoreError::Outrun { pull, .. } => Self::new(Exit::Busy, "outrun", message)
                .hint(if *pull { "nothing is lost; try again" } else { "try again without --no-pull" }),
            StoreError::HoldsCode { push, .. } => Self::new(Exit::Failed, "holds_code", message).hint(format!(
                "push them with `{push}`, or run `bd sync --with-code`, which also runs the repository's own hooks"
            )),
            StoreError::UntrustedPrograms { root, .. } => Self::not_agreed(message, root),
            StoreError::Unseen { .. } => Self::new(Exit::Damaged, "leak", message)
                .hint("bring it back, or remove it from the project with `bd repo remove`"),
            StoreError::PrivatePush { .. } => Self::new(Exit::Damaged, "leak", message)
                .hint("nothing was sent; run `bd check-leaks --range A..B` over those commits to see what it is"),
            StoreError::PrivateCommit { .. } => Self::new(Exit::Damaged, "leak", message)
                .hint("nothing was committed or sent; run `bd check-leaks` to see what it is"),
            StoreError::Hooks(HookError::NotInstalled) => {
                Self::not_found(message).hint("run `bd hooks install`")
            }
            StoreError::Hooks(HookError::Edited { .. }) => Self::illegal(message)
                .hint("save what you added and remove the file yourself, then run `bd hooks uninstall` again"),
            StoreError::Hooks(HookError::LeadsOut { .. }) => Self::illegal(message)
                .hint("if the directory is yours, name it with `git config core.hooksPath`"),
            StoreError::Hooks(HookError::OtherDriver { .. }) => Self::illegal(message)
                .hint("remove that setting from the repository's own settings, or keep it and use --no-merge-driver"),
            StoreError::Hooks(_) => Self::illegal(message),
            StoreError::OtherTarget { .. } => {
                Self::illegal(message).hint("withdraw it in that project first")
            }
            StoreError::OtherProject { .. } => Self::new(Exit::Illegal, "other_project", message)
                .hint("add --project to move it to this project and propose it here"),
            StoreError::UncommittedLedger { .. } => Self::illegal(message).hint(
                "the project has no ledger of its own yet; ask its maintainers, then add --start-ledger to let this one be committed",
            ),
            StoreError::PrivateTarget { .. } => Self::would_leak(message).hint(
                "reverse the dependency, plan the dependent issue in the planning repo, or propose the private one first",
            ),
            StoreError::PrivateMention { .. } => Self::would_leak(message)
                .hint("remove the id, or propose that issue too"),
            StoreError::StillProposed { .. } => {
                Self::illegal(message).hint("run `bd withdraw ID` to make it private again")
            }
            StoreError::NotCommitter { remedy, .. } => Self::new(Exit::Illegal, "read_only", message).hint(remedy),
            StoreError::NotMaintainer { .. } => Self::new(Exit::Illegal, "read_only", message)
                .hint("run `bd proposals --mine` to see yours; if you maintain this project, run `bd config set routing.role maintainer`"),
            StoreError::Move(IllegalMove { standing: Standing::Canonical, .. }) => Self::illegal(message)
                .hint("it belongs to this repo already; if you plan here for a project, run the same command in the project (set it up with `bd init --contributor`)"),
            StoreError::Move(_) => {
                Self::illegal(message).hint("run `bd proposals --all` to see the state of each")
            }
            StoreError::NoPlanningCopy { .. } => Self::illegal(message)
                .hint("only the person who planned the issue can do that; maintainers use `bd accept` or `bd reject`"),
            StoreError::PlannedHere { project, .. } => {
                let project = project.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
                Self::illegal(message)
                    .hint(format!("run the same command in the project that it is for{project}"))
            }
            StoreError::NotMerged { .. } => Self::new(Exit::Illegal, "not_merged", message)
                .hint("merge the branch, then accept or reject the proposal"),
            StoreError::TooMany { count, .. } => Self::new(Exit::Damaged, "too_many", message)
                .hint(format!("if that is what you want, add --count {count}")),
            StoreError::NoRoute { missing, .. } => Self::new(Exit::Usage, "no_route", message)
                .hint(format!("run `bd config set {missing} PATH`, or name the repo with --repo")),
            StoreError::NoPlanningRepo => Self::new(Exit::Usage, "no_route", message).hint(
                "run `bd init --contributor`, or name a repo with --repo; if you maintain this project, run `bd init --maintainer`",
            ),
            StoreError::BadRoute { .. } => Self::no_repository(message)
                .hint("run `bd init --contributor PATH` to make it, or name another repo with --repo"),
            StoreError::Untrusted { .. } => Self::untrusted(message)
                .hint("read .beads/config.toml, then run `bd config trust` if you agree to the paths in it"),
            StoreError::NoSuchProject { .. } => Self::not_found(message),
            StoreError::NoSuchRepo { .. } => {
                Self::not_found(message).hint("run `bd repo list` to see the repos, or `bd repo add PATH` to join one")
            }
            StoreError::NotARepo { .. } => Self::no_repository(message)
                .hint("run `bd init` there for a ledger, or `bd init --contributor PATH` for a planning repo"),
            StoreError::NoSuchRevision { .. } => Self::not_found(message)
                .hint("name a branch, tag or commit of that repo, or a date: 2026-03-01, yesterday, 3d (three days ago)"),
            StoreError::NoCommonCommit { .. } => {
                Self::not_found(message).hint("use two dots instead of three to compare them as they are")
            }
            StoreError::NotFound { .. } => {
                Self::not_found(message).hint("run `bd list --all` to see every id")
            }
            StoreError::LivesElsewhere { repos, .. } => Self::not_found(message)
                .hint("leave --repo out to see it, or name that repo")
                .texts("repos", repos),
            StoreError::Ambiguous { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            StoreError::Unresolved { unknown, of } => {
                let words: Vec<String> = unknown.iter().map(|(typed, _)| typed.clone()).collect();
                let first = unknown.iter().next().map(|(_, error)| Failure::from(error));
                let failure = Failure { message, ..first.unwrap_or_else(|| Self::not_found(String::new())) };
                if *of == 1 { failure.fact("id", &words.concat()) } else { failure.texts("ids", &words) }
            }
            StoreError::Unreadable { .. } => {
                Self::damaged(message).hint("run `bd doctor` to see which line")
            }
            StoreError::Cycle { .. } => {
                Self::illegal(message).hint("run `bd dep tree ID` to see the dependencies")
            }
            StoreError::Taken { .. } => {
                Self::illegal(message).hint("leave --id out to get a fresh id")
            }
            StoreError::NothingToUndo { .. } => Self::not_found(message)
                .hint("run `bd log` for earlier writes, and `bd restore ID --at REV` to bring one back"),
            StoreError::UndoClash { .. } => Self::new(Exit::Damaged, "conflict", message)
                .hint("nothing was changed; look with `bd show ID` and set the field by hand"),
            StoreError::UndoDeleted { .. } | StoreError::UndoDeletedTarget { .. } => {
                Self::illegal(message)
                    .hint("nothing was changed; run `bd reopen ID` on the deleted issue, then undo again")
            }
            StoreError::UndoReferenced { .. } => Self::illegal(message)
                .hint("nothing was changed; run `bd delete` instead: its tombstone keeps the id"),
            StoreError::UndoTooLarge { .. } => Self::illegal(message)
                .hint("nothing was changed; run `bd restore ID --at REV` to bring back a committed version"),
            StoreError::UndoLog { path, .. } => Self::damaged(message).hint(format!(
                "nothing was changed; later writes can still be undone. Without {}, undo starts again from nothing",
                path.display()
            )),
            StoreError::UndoElsewhere { .. } => Self::no_repository(message)
                .hint("nothing was changed; if that repo was moved or deleted, bring it back first"),
            StoreError::Ledger(error) => error.into(),
            StoreError::Change(error) => error.into(),
            StoreError::Id(_) => Self::usage(message),
            StoreError::Fs(error) => Self::failed(message).barred(error),
            StoreError::Cache(_) => Self::failed(message),
        }
    }
}
