//! The one map from what went wrong to what callers are told: exit code, stable word, kind, hint.
//!
//! A failure is made of values; each front end has its own words for them. The files below have the map, one `classify` for each type of
//! error.

mod change;
mod claims;
mod hint;
mod ops;
mod reservations;
mod store;
mod sync;
mod workflows;
mod workspaces;

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

pub(crate) use hint::Clause;
pub(super) use hint::Hint;
use hint::{run, shell};

use super::escape::shell_path;
use crate::model::json::{Dialect, array};
use crate::model::workflow::State;
use crate::sys::fs::FsError;

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

macro_rules! classes {
    ($($name:ident = $exit:ident $code:literal $kind:ident;)*) => {
        $(const $name: Failure = Failure::new(Exit::$exit, $code, ErrorKind::$kind);)*
    };
}

// The exit code, the stable word and the kind of each class of failures.
classes! {
    FAILED = Failed "failed" Io;
    CONFIG = Failed "config" Damaged;
    FILTERED = Failed "filtered" Io;
    HOLDS_CODE = Failed "holds_code" Refused;
    NEW_HEAD = Failed "new_head" Io;
    NO_ROOM = Failed "no_room" Refused;
    NOT_WRITTEN = Failed "not_written" Invalid;
    REFUSED = Failed "refused" Io;
    SEVERAL_HEADS = Failed "several_heads" Io;
    UNREACHABLE = Failed "unreachable" Io;
    USAGE = Usage "usage" Invalid;
    NO_ROUTE = Usage "no_route" Invalid;
    NOT_FOUND = NotFound "not_found" NotFound;
    AMBIGUOUS = NotFound "ambiguous" NotFound;
    CLAIMED = Claimed "claimed" Claimed;
    LOCKED = Claimed "locked" Claimed;
    ILLEGAL = Illegal "illegal" Refused;
    CHANGED = Illegal "changed" Refused;
    NOT_MERGED = Illegal "not_merged" Refused;
    OTHER_PROJECT = Illegal "other_project" Refused;
    READ_ONLY = Illegal "read_only" Refused;
    WOULD_LEAK = Illegal "would_leak" Refused;
    BUSY = Busy "busy" Busy;
    OUTRUN = Busy "outrun" Busy;
    WORKFLOW_FULL = Busy "workflow_full" Refused;
    STALE = Stale "stale" Stale;
    DAMAGED = Damaged "damaged" Damaged;
    CONFLICT = Damaged "conflict" Refused;
    IN_THE_WAY = Damaged "in_the_way" Io;
    LEAK = Damaged "leak" Refused;
    NEWER = Damaged "newer" Unsupported;
    TOO_MANY = Damaged "too_many" Refused;
    UNFINISHED = Damaged "unfinished" Io;
    WOULD_LOSE = Damaged "would_lose" Refused;
    NO_REPOSITORY = NoRepository "no_repository" NoProject;
    UNSUPPORTED = NoRepository "no_repository" Unsupported;
    UNTRUSTED = Untrusted "untrusted" Untrusted;
    RESERVED = Reserved "reserved" Refused;
    GATE = Gate "gate" Damaged;
    MERGE_FAILED = Merge "merge_failed" Io;
}

/// A failure as callers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    /// A stable word for programs.
    pub code: &'static str,
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Hint,
    /// Trying again, unchanged, may succeed.
    pub recoverable: bool,
    /// Further facts for programs, as JSON.
    pub facts: Vec<(&'static str, String)>,
}

/// An error that callers are told of.
trait Classify: Display {
    /// Everything but its text.
    fn classify(&self) -> Failure;
}

impl<E: Classify> Classify for &E {
    fn classify(&self) -> Failure {
        (**self).classify()
    }
}

impl<E: Classify> From<E> for Failure {
    fn from(error: E) -> Self {
        error.classify().saying(error.to_string())
    }
}

impl Failure {
    const fn new(exit: Exit, code: &'static str, kind: ErrorKind) -> Self {
        Failure {
            exit,
            code,
            kind,
            message: String::new(),
            hint: Hint(Vec::new()),
            recoverable: matches!(exit, Exit::Busy),
            facts: Vec::new(),
        }
    }

    fn saying(self, message: impl Into<String>) -> Self {
        Failure { message: message.into(), ..self }
    }

    fn kind(self, kind: ErrorKind) -> Self {
        Failure { kind, ..self }
    }

    /// Adds a text that programs may want to know.
    fn fact(mut self, key: &'static str, value: &str) -> Self {
        self.facts.push((key, Dialect::default().string(value)));
        self
    }

    /// The same, where it is known.
    fn known(self, key: &'static str, value: &Option<String>) -> Self {
        match value {
            Some(value) => self.fact(key, value),
            None => self,
        }
    }

    fn texts(mut self, key: &'static str, values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.facts.push((key, array(values.into_iter().map(|value| Dialect::default().string(value.as_ref())))));
        self
    }

    fn number(mut self, key: &'static str, value: i64) -> Self {
        self.facts.push((key, value.to_string()));
        self
    }

    /// Adds a sentence to the hint.
    pub fn hint(mut self, clause: impl Into<Clause>) -> Self {
        self.hint.0.push(vec![clause.into()]);
        self
    }

    /// Adds another way to the last sentence of the hint.
    fn or(mut self, clause: impl Into<Clause>) -> Self {
        self.hint.0.last_mut().expect("another way follows a first one").push(clause.into());
        self
    }

    /// Adds a sentence for those who have a shell.
    pub fn shell(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.hint(shell(text))
    }

    /// Advises to run a command.
    fn run(self, command: &'static str, what: &'static str) -> Self {
        self.hint(run(command, what))
    }

    pub fn without_hint(self) -> Self {
        Failure { hint: Hint::default(), ..self }
    }

    /// Says which word was probably meant.
    pub fn meant(self, word: Option<&str>) -> Self {
        match word {
            Some(word) => self.hint(format!("did you mean {word:?}?")),
            None => self,
        }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        USAGE.saying(message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        NOT_FOUND.saying(message)
    }

    pub fn no_repository(message: impl Into<String>) -> Self {
        NO_REPOSITORY.saying(message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        FAILED.saying(message)
    }

    /// Something private would leave.
    pub fn leak(message: impl Into<String>) -> Self {
        let publish = shell("to publish an issue's public part, run `bd propose ID`");
        LEAK.saying(message).shell("unstage it with `git restore --staged FILE`").hint(publish)
    }

    /// A merge driver that could not merge.
    pub fn merge(message: impl Into<String>) -> Self {
        MERGE_FAILED.saying(message).hint("nothing was changed; fix the cause and merge again")
    }

    /// A command that would write, where nothing may be written.
    pub fn read_only(message: impl Into<String>) -> Self {
        READ_ONLY.saying(message).shell("leave out --readonly to write")
    }

    /// The delay in seconds after which a retry usually succeeds; `None` if it would not.
    pub fn retry_after(&self) -> Option<i64> {
        const SOON: i64 = 1;
        (self.recoverable && self.exit == Exit::Busy).then_some(SOON)
    }

    pub fn is_leak(&self) -> bool {
        self.code == LEAK.code
    }
}

fn no_ledger() -> Failure {
    NO_REPOSITORY.run("bd init", "for an empty ledger, then `bd recover` to put back writes that no commit holds")
}

/// The beginning of an id that several have.
fn ambiguous_id() -> Failure {
    AMBIGUOUS.hint("type more characters of the id")
}

/// A directory that is to be filled.
fn not_empty() -> Failure {
    IN_THE_WAY.hint("nothing was written; name a directory that is empty or does not exist")
}

/// A file failed. Names a likely reason, and the way on, where the system does not let anybody write.
fn of_file(error: &FsError) -> Failure {
    if error.is_forbidden() { read_only() } else { FAILED }
}

fn read_only() -> Failure {
    FAILED.hint(
        "an agent's sandbox may have made this directory read-only; add it to the directories that the sandbox may write (a \
         setting of the client), or run this outside of the sandbox",
    )
}

/// A repository asks for what its user has not agreed to.
fn not_agreed(root: &Path) -> Failure {
    let agree = format!("to see all of it, then `bd trust {}` to agree to exactly that", shell_path(root));
    UNTRUSTED.hint(run("bd trust --dry-run", agree))
}

/// A workflow in this state does not move so.
fn illegal_from(state: State) -> Failure {
    ILLEGAL.fact("state", state.word()).texts("legal", state.next().iter().map(|state| state.word()))
}
