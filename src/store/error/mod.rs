//! Why the store refused or failed: facts, with paths, ids and names as fields.

mod hook;
mod lease;
mod settings;
mod undo;
mod withheld;

use std::path::{Path, PathBuf};

pub use hook::HookError;
pub use lease::LeaseError;
pub use settings::{ConfigError, ConfigFault, SettingsError, UnknownKey};
pub(in crate::store) use undo::LINE;
pub use undo::UndoClash;
pub use withheld::Withheld;

use crate::cache::CacheError;
use crate::ledger::LedgerError;
use crate::model::change::ChangeError;
use crate::model::id::IdError;
use crate::model::proposal::IllegalMove;
use crate::store::file_names::LEDGER_NAMES;
use crate::store::state::record_error::RecordError;
use crate::sys::fs::FsError;
use crate::vcs::{Carried, HistoryError, SyncError};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}", no_repository(start, beyond))]
    NoRepository { start: PathBuf, beyond: Option<Beyond> },
    #[error("{variable} is set, but there is no .beads directory at {}", path.display())]
    BadVariable { variable: &'static str, path: PathBuf },
    #[error("no ledger in {}", directory.display())]
    NoLedger { directory: PathBuf },
    #[error("the issues of this project are in {}, a database of another bd, which is not read here", database.display())]
    OnlyDatabase { database: PathBuf },
    #[error("ledger.file names {}, which is missing; {found} is there", ledger.display())]
    OtherLedger { ledger: PathBuf, found: &'static str },
    #[error("{} is under {system}, and this program was built without the feature `git`", root.display())]
    NotBuilt { root: PathBuf, system: &'static str },
    #[error("{} has two ledgers, {} and {}; writes need one", directory.display(), LEDGER_NAMES[0], LEDGER_NAMES[1])]
    TwoLedgers { directory: PathBuf },
    #[error("{} leads to {}, outside of this repository", from.display(), to.display())]
    Redirect { from: PathBuf, to: PathBuf },
    #[error("{} redirects more than {most} times in a row", from.display())]
    TooManyRedirects { from: PathBuf, most: usize },
    #[error("{} is in a directory of version control; no ledger is kept there", path.display())]
    InControl { path: PathBuf },
    #[error("{} is not a directory", path.display())]
    NotADirectory { path: PathBuf },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Edit(#[from] SettingsError),
    #[error("no setting {name:?}{}", nearest.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    UnknownKey { name: String, nearest: Option<String> },
    #[error("{0}")]
    BadValue(String),
    #[error("{what} cannot be written to {repo}: {reason}")]
    ReadOnly { what: String, repo: String, reason: String },
    #[error(
        "{repo} is inside the working copy of the primary repo or another clone of it, so a private issue there would be committed with it"
    )]
    WouldLeak { repo: String },
    #[error("only maintainers decide about proposals: {reason}")]
    NotMaintainer { reason: String },
    #[error("{id} is proposed to {target}, another project")]
    OtherTarget { id: String, target: String },
    #[error("{id} was filed for {project}, another project")]
    OtherProject { id: String, project: String },
    #[error("{} is kept out of commits here by {}, so nobody would see a proposal", path.display(), by.display())]
    UncommittedLedger { path: PathBuf, by: PathBuf },
    #[error("{id} is public and {target} is private: the line of {id} would name it")]
    PrivateTarget { id: String, target: String },
    #[error("{id} would name {target}, a private issue: its id would become public")]
    PrivateMention { id: String, target: String },
    #[error("{id} cannot be restored: {why}")]
    CannotRestore { id: String, why: String },
    #[error("version control has issues in {}, which is not in the working copy", path.display())]
    NotCheckedOut { path: PathBuf, remedy: String },
    #[error("no ledger of the project had {id} then")]
    NotThen { id: String },
    #[error("{id} is private and does not go to {repo}")]
    Private { id: String, repo: String },
    #[error("{} is inside the working copy of the primary repo and would hold private issues: {}", path.display(), list(ids))]
    PrivateExport { path: PathBuf, ids: Vec<String> },
    #[error("{} has {names} names (hard links); writing to it would change all of them", path.display())]
    SharedFile { path: PathBuf, names: u64 },
    #[error("{what} is for git: {} has version control {kind}", root.display())]
    NotGit { what: &'static str, root: PathBuf, kind: String },
    #[error(transparent)]
    History(HistoryError),
    #[error("{} is not under version control, so it has no history to keep or search", root.display())]
    NoHistory { root: PathBuf },
    #[error("no checkout {text:?}; known: {}", known.join(", "))]
    NoSuchWorktree { text: String, known: Vec<String> },
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Lease(#[from] Box<LeaseError>),
    #[error(transparent)]
    Vcs(SyncError),
    #[error("{}", outrun(repo, *pull))]
    Outrun { repo: String, pull: bool },
    #[error("not pushed to {to}: {} outside of the ledger: {}", touching(commits.len()), named(commits))]
    HoldsCode { to: String, push: &'static str, commits: Vec<Carried> },
    #[error("not trusted in {}: {}", root.display(), list(programs))]
    UntrustedPrograms { root: PathBuf, programs: Vec<String> },
    #[error("you are a contributor to {repo}: its commits are not yours to make with bd")]
    NotCommitter { repo: String, remedy: String },
    #[error("cannot tell whether something private would be published: {problem}")]
    Unseen { problem: String },
    #[error("{}:{line}: something private would be committed{}", path.display(), more(*count))]
    PrivateCommit { path: PathBuf, line: usize, count: usize },
    #[error("{}:{line}: the commit {} would publish something private", path.display(), commit.get(..10).unwrap_or(commit))]
    PrivatePush { path: PathBuf, line: usize, commit: String },
    #[error(transparent)]
    Hooks(#[from] HookError),
    #[error("{id} is proposed; withdraw it before deleting or moving it")]
    StillProposed { id: String },
    #[error(transparent)]
    Move(#[from] IllegalMove),
    #[error("{id} is in no planning repo of this project, so it cannot be {what}")]
    NoPlanningCopy { id: String, what: &'static str },
    #[error("{id} is planned in this repo, so it cannot be {what} here")]
    PlannedHere { id: String, what: &'static str, project: Option<String> },
    #[error("{id} is proposed on {}, which is not merged here", branches.join(", "))]
    NotMerged { id: String, branches: Vec<String> },
    #[error("that would add {count} issues to {repo} at once")]
    TooMany { count: usize, repo: String },
    #[error("routing.mode is {mode}, but {missing} is not set")]
    NoRoute { mode: &'static str, missing: &'static str },
    #[error("you are a contributor here and have no planning repo yet")]
    NoPlanningRepo,
    #[error("{key} names {text}, but {} has no ledger", path.display())]
    BadRoute { key: &'static str, text: String, path: PathBuf },
    #[error(
        "{key} names {text}, outside of this repository, in a file that is committed and that you have not trusted"
    )]
    Untrusted { key: &'static str, text: String, path: PathBuf },
    #[error("no repo {text:?} in this project; it has {}", list(known))]
    NoSuchRepo { text: String, known: Vec<String> },
    #[error("no issue was planned for a project {text:?}; known: {}", known.join(" "))]
    NoSuchProject { text: String, known: Vec<String> },
    #[error("no repo at {}", path.display())]
    NotARepo { path: PathBuf },
    #[error("{text:?} is neither a date nor a revision in {}", root.display())]
    NoSuchRevision { text: String, root: PathBuf },
    #[error("{one} and {other} have no common commit")]
    NoCommonCommit { one: String, other: String },
    #[error("no issue found matching {typed:?}: not found")]
    NotFound { typed: String },
    #[error("{id} is not in {}; it lives in {}", requested.join(" or "), repos.join(" and "))]
    LivesElsewhere { id: String, requested: Vec<String>, repos: Vec<String> },
    #[error("{typed:?} is ambiguous: it matches {}", list(candidates))]
    Ambiguous { typed: String, candidates: Vec<String> },
    /// These ids of `of` could not be resolved.
    #[error("{}", reasons(unknown, *of))]
    Unresolved { unknown: Vec<(String, StoreError)>, of: usize },
    #[error("{dependent} cannot depend on {target}: that would close a cycle ({})", path.join(" -> "))]
    Cycle { dependent: String, target: String, path: Vec<String> },
    #[error("{} is a {what}: kept, but not readable as an issue", id)]
    Unreadable { id: String, what: String },
    #[error("{id} exists already")]
    Taken { id: String },
    #[error("{} known here{}", writes(*known, actor), if *known == 0 { String::new() } else { format!(", not {count}") })]
    NothingToUndo { actor: String, known: usize, count: usize },
    #[error("{}", clashed(clashes))]
    UndoClash { clashes: Vec<UndoClash> },
    #[error("{id} was deleted since")]
    UndoDeleted { id: String },
    #[error("{id} would depend on {target} again, which was deleted since")]
    UndoDeletedTarget { id: String, target: String },
    #[error("{id} was made by that write, and {} to it", refers(by))]
    UndoReferenced { id: String, by: Vec<String> },
    #[error("the write of {at}{} changed more than is kept for undo", command_text(command))]
    UndoTooLarge { command: String, at: String },
    #[error("{}:{line}: the line cannot be read, so bd cannot tell what was written last", path.display())]
    UndoLog { path: PathBuf, line: usize },
    #[error("that write also changed {}, and what it changed there is not known any more", ledger.display())]
    UndoElsewhere { ledger: PathBuf },
    /// A write of several parts failed after some of them were made.
    #[error("{source}; done in part: {} changed before that", list(changed))]
    Partly { changed: Vec<String>, source: Box<StoreError> },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Id(#[from] IdError),
    #[error(transparent)]
    Change(#[from] ChangeError),
}

fn writes(known: usize, actor: &str) -> String {
    match known {
        0 => format!("no write of {actor} is"),
        1 => format!("only one write of {actor} is"),
        n => format!("only {n} writes of {actor} are"),
    }
}

fn clashed(clashes: &[UndoClash]) -> String {
    let described = |clash: &UndoClash| {
        let UndoClash { id, field, by, at } = clash;
        let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
        let at = at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        let what = if clash.is_gone() { id.clone() } else { format!("{field} of {id}") };
        format!("{what}{by}{at}")
    };
    let (gone, changed): (Vec<_>, Vec<_>) = clashes.iter().partition(|clash| clash.is_gone());
    let parts = [("changed again since", changed), ("moved or taken out of its ledger since", gone)];
    let parts = parts.into_iter().filter(|(_, clashes)| !clashes.is_empty());
    let part = |(what, clashes): (&str, Vec<&UndoClash>)| {
        format!("{what}: {}", clashes.into_iter().map(described).collect::<Vec<_>>().join("; "))
    };
    parts.map(part).collect::<Vec<_>>().join("; ")
}

fn outrun(repo: &str, pull: bool) -> String {
    match pull {
        true => format!("the remote of {repo} kept changing; gave up pushing"),
        false => format!("the remote of {repo} has new commits, and --no-pull forbids merging them"),
    }
}

fn refers(by: &[String]) -> String {
    let verb = if by.len() == 1 { "refers" } else { "refer" };
    format!("{} {verb}", list(by))
}

fn command_text(command: &str) -> String {
    if command.is_empty() { String::new() } else { format!(" (bd {command})") }
}

fn touching(count: usize) -> String {
    if count == 1 { "1 commit touches files".to_owned() } else { format!("{count} commits touch files") }
}

fn named(commits: &[Carried]) -> String {
    list(&commits.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn more(count: usize) -> String {
    if count > 1 { format!(", and {} more", count - 1) } else { String::new() }
}

impl From<SyncError> for StoreError {
    /// A refusal by version control's safety check is the same refusal here, whichever step met it.
    fn from(error: SyncError) -> Self {
        match error.untrusted() {
            Some((root, asks)) => StoreError::UntrustedPrograms { root: root.to_owned(), programs: asks.to_vec() },
            None => StoreError::Vcs(error),
        }
    }
}

impl StoreError {
    /// The id that was typed matches no issue, or several.
    pub fn is_unknown_id(&self) -> bool {
        matches!(self, StoreError::NotFound { .. } | StoreError::Ambiguous { .. })
    }
}

fn reasons(unknown: &[(String, StoreError)], of: usize) -> String {
    const SHOWN: usize = 3;
    let mut reasons: Vec<String> = unknown.iter().take(SHOWN).map(|(_, error)| error.to_string()).collect();
    reasons.extend((unknown.len() > SHOWN).then(|| format!("and {} more", unknown.len() - SHOWN)));
    // With a single id this is obvious.
    reasons.extend((of > 1).then(|| "nothing was changed".to_owned()));
    reasons.join("; ")
}

fn list(candidates: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = candidates.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        text.push_str(&format!(" and {} more", candidates.len() - SHOWN));
    }
    text
}

pub type Result<T> = std::result::Result<T, StoreError>;

fn no_repository(start: &Path, beyond: &Option<Beyond>) -> String {
    match beyond {
        None => format!("no .beads directory at or above {}", start.display()),
        Some(Beyond::Nested { root, ledger }) => {
            format!(
                "{} is a repository of its own without a ledger; {} above it has one",
                root.display(),
                ledger.display()
            )
        }
        Some(Beyond::Foreign { ledger }) => {
            format!(
                "no .beads directory of yours at or above {}; {} belongs to another user",
                start.display(),
                ledger.display()
            )
        }
    }
}

/// Converts a result of version control to one of the store.
pub(super) fn as_store(error: HistoryError, what: &'static str) -> StoreError {
    match error {
        HistoryError::NotGit { root, kind } => StoreError::NotGit { what, root, kind: kind.to_string() },
        other @ HistoryError::Run(_) => SyncError::History(other).into(),
        other => StoreError::History(other),
    }
}

/// Why a ledger above a path is not the one of that path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beyond {
    /// The path is in a repository of its own, below the ledger.
    Nested { root: PathBuf, ledger: PathBuf },
    /// The ledger is another user's.
    Foreign { ledger: PathBuf },
}

impl Beyond {
    /// The directory with the ledger.
    pub fn ledger(&self) -> &Path {
        match self {
            Beyond::Nested { ledger, .. } | Beyond::Foreign { ledger } => ledger,
        }
    }
}
