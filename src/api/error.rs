//! The error type and its kinds.

use std::fmt;
use std::time::SystemTime;

use crate::ledger::LedgerError;
use crate::model::change::ChangeError;
use crate::model::time::Instant;
use crate::ops::{EditError, OpError};
use crate::store::settings::{ConfigError, ConfigFault, SettingsError};
use crate::store::{LeaseError, RecordError, StoreError, SyncError};
use crate::sys;
use crate::sys::lock::LockError;
use crate::view::Failure;

/// The result of a call of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed. The text says what happened; [`Error::kind`] is for programs.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: Box<OpError>,
}

/// What a program can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No issue, repo or agent has this name, or several do.
    NotFound,
    /// An invalid value: an empty title, priority 77, an unknown status.
    Invalid,
    /// A rule of the project forbids it: a dependency that closes a cycle, a role, an issue that is closed.
    Refused,
    /// Another agent holds the issue.
    Claimed,
    /// The lease has ended: it expired, or another agent has the issue now. Nothing was written.
    Stale,
    /// Another process holds a lock, or keeps changing the files. Trying again may succeed.
    Busy,
    /// No project or no ledger was found.
    NoProject,
    /// A file that the call needs is damaged. Nothing was written.
    Damaged,
    /// The user has not agreed to what the settings name.
    Untrusted,
    /// The system refused: a disk that is full, a file that cannot be read.
    Io,
    /// The project, or this build, does not support it: no version control, a newer layout.
    Unsupported,
}

impl Error {
    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same call, unchanged, may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.kind == ErrorKind::Busy
    }

    /// What to do about it, in `bd`'s words.
    pub fn hint(&self) -> Option<String> {
        Failure::from(&*self.cause).hint
    }

    /// The holder of the issue, if that is the reason.
    pub fn holder(&self) -> Option<&str> {
        match self.lease()? {
            LeaseError::Claimed { holder, .. } | LeaseError::Locked { holder, .. } => Some(holder),
            LeaseError::Stale { holder, .. } | LeaseError::LockOver { holder, .. } => holder.as_deref(),
            _ => None,
        }
    }

    /// When the claim that is the reason expires, unless it is renewed.
    pub fn expires_at(&self) -> Option<SystemTime> {
        let (LeaseError::Claimed { expires, .. } | LeaseError::Locked { expires, .. }) = self.lease()? else {
            return None;
        };
        Instant::parse(expires.as_ref()?).map(sys::to_system)
    }

    /// What the issue waits for, if that is the reason.
    pub fn blockers(&self) -> &[String] {
        match (self.lease(), &*self.cause) {
            (Some(LeaseError::Waits { blockers, .. }), _) => blockers,
            (_, OpError::Store(StoreError::Change(ChangeError::OpenBlockers { blockers, .. }))) => blockers,
            (_, OpError::Store(StoreError::Change(ChangeError::OpenChildren { children, .. }))) => children,
            _ => &[],
        }
    }

    fn lease(&self) -> Option<&LeaseError> {
        match &*self.cause {
            OpError::Store(StoreError::Lease(error)) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The cause has the same text as this error.
        self.cause.source()
    }
}

impl<E: Into<OpError>> From<E> for Error {
    fn from(error: E) -> Self {
        let cause = Box::new(error.into());
        Error { kind: of_operation(&cause), cause }
    }
}

fn of_operation(error: &OpError) -> ErrorKind {
    match error {
        OpError::Store(error) => of_store(error),
        OpError::Record(error) => of_record(error),
        OpError::Remote(error) => of_version_control(error),
        OpError::NoSuchAgent { .. } | OpError::AmbiguousAgent { .. } => ErrorKind::NotFound,
        OpError::BadName { .. } => ErrorKind::Invalid,
        OpError::Partly { source, .. } => of_store(source),
        OpError::Usage(text) if text.contains("not found") => ErrorKind::NotFound,
        OpError::Query(_)
        | OpError::Priority(_)
        | OpError::Status { .. }
        | OpError::Type { .. }
        | OpError::DependencyType(_)
        | OpError::UnknownDependencyType { .. }
        | OpError::Date { .. }
        | OpError::Usage(_)
        | OpError::IsLedger { .. }
        | OpError::Plan(_)
        | OpError::Batch(_) => ErrorKind::Invalid,
        OpError::Edit(EditError::Overtaken { .. } | EditError::Newer { .. }) => ErrorKind::Refused,
        OpError::Import { .. } => ErrorKind::Damaged,
        OpError::Edit(_) | OpError::Fs(_) | OpError::Setup(_) => ErrorKind::Io,
        _ => ErrorKind::Refused,
    }
}

fn of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::NoRepository { .. }
        | StoreError::BadVariable { .. }
        | StoreError::NoLedger { .. }
        | StoreError::OtherLedger { .. }
        | StoreError::NotADirectory { .. }
        | StoreError::NotARepo { .. }
        | StoreError::BadRoute { .. } => ErrorKind::NoProject,
        StoreError::NotFound { .. }
        | StoreError::Ambiguous { .. }
        | StoreError::LivesElsewhere { .. }
        | StoreError::NoSuchRepo { .. }
        | StoreError::NoSuchWorktree { .. }
        | StoreError::NoSuchProject { .. }
        | StoreError::NoSuchRevision { .. }
        | StoreError::NoCommonCommit { .. }
        | StoreError::NotThen { .. }
        | StoreError::NothingToUndo { .. } => ErrorKind::NotFound,
        StoreError::Unresolved { unknown, .. } => {
            unknown.first().map_or(ErrorKind::NotFound, |(_, error)| of_store(error))
        }
        StoreError::UnknownKey { .. }
        | StoreError::BadValue(_)
        | StoreError::Id(_)
        | StoreError::NoRoute { .. }
        | StoreError::NoPlanningRepo => ErrorKind::Invalid,
        StoreError::Config(ConfigError { fault: ConfigFault::Unmarked | ConfigFault::Stray, .. })
        | StoreError::Untrusted { .. }
        | StoreError::UntrustedPrograms { .. } => ErrorKind::Untrusted,
        StoreError::Edit(SettingsError::Lock(LockError::Timeout { .. })) | StoreError::Outrun { .. } => ErrorKind::Busy,
        StoreError::Config(_)
        | StoreError::TwoLedgers { .. }
        | StoreError::Unreadable { .. }
        | StoreError::UndoLog { .. } => ErrorKind::Damaged,
        StoreError::NoHistory { .. } | StoreError::NotGit { .. } | StoreError::NotBuilt { .. } => {
            ErrorKind::Unsupported
        }
        StoreError::Vcs(error) => of_version_control(error),
        StoreError::History(_) => ErrorKind::Io,
        StoreError::Edit(_) | StoreError::Cache(_) | StoreError::Fs(_) => ErrorKind::Io,
        StoreError::Lease(error) => of_lease(error),
        StoreError::Record(error) => of_record(error),
        StoreError::Ledger(error) => of_ledger(error),
        StoreError::Partly { source, .. } => of_store(source),
        StoreError::Change(error) => of_change(error),
        _ => ErrorKind::Refused,
    }
}

fn of_version_control(error: &SyncError) -> ErrorKind {
    match error {
        error if error.untrusted().is_some() => ErrorKind::Untrusted,
        SyncError::NoVcs { .. } | SyncError::NoHistory { .. } | SyncError::Unsupported { .. } => ErrorKind::Unsupported,
        SyncError::Busy { .. } => ErrorKind::Busy,
        _ => ErrorKind::Io,
    }
}

fn of_lease(error: &LeaseError) -> ErrorKind {
    match error {
        LeaseError::Claimed { .. } | LeaseError::Locked { .. } => ErrorKind::Claimed,
        LeaseError::Stale { .. } | LeaseError::LockOver { .. } => ErrorKind::Stale,
        LeaseError::Damaged { .. } => ErrorKind::Damaged,
        LeaseError::HalfMade { .. } => ErrorKind::Io,
        LeaseError::BadToken { .. } => ErrorKind::Invalid,
        _ => ErrorKind::Refused,
    }
}

fn of_record(error: &RecordError) -> ErrorKind {
    match error {
        RecordError::Ledger(error) => of_ledger(error),
        RecordError::Fs(_) => ErrorKind::Io,
        RecordError::Newer { .. } => ErrorKind::Unsupported,
        _ => ErrorKind::Damaged,
    }
}

fn of_ledger(error: &LedgerError) -> ErrorKind {
    match error {
        LedgerError::Lock(LockError::Timeout { .. }) | LedgerError::Unstable { .. } => ErrorKind::Busy,
        LedgerError::Lock(_) | LedgerError::Fs(_) => ErrorKind::Io,
        LedgerError::Missing { .. } | LedgerError::NotJsonl { .. } => ErrorKind::NoProject,
        LedgerError::Vanished { .. }
        | LedgerError::Torn { .. }
        | LedgerError::Conflicted { .. }
        | LedgerError::Markers { .. }
        | LedgerError::Gate { .. } => ErrorKind::Damaged,
        _ => ErrorKind::Refused,
    }
}

fn of_change(error: &ChangeError) -> ErrorKind {
    match error {
        ChangeError::Claimed { .. } => ErrorKind::Claimed,
        ChangeError::Deleted(_) => ErrorKind::NotFound,
        ChangeError::OddValue { .. } => ErrorKind::Damaged,
        ChangeError::EmptyTitle
        | ChangeError::LongTitle(_)
        | ChangeError::TitleLines
        | ChangeError::EmptyLabel
        | ChangeError::EmptyComment
        | ChangeError::NegativeEstimate
        | ChangeError::TooLong { .. } => ErrorKind::Invalid,
        _ => ErrorKind::Refused,
    }
}
