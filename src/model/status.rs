//! The words of an issue that have a meaning: its status, its type, its priority.

use std::fmt;

macro_rules! open_word {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Wraps a word from a file.
            pub fn new(word: impl Into<String>) -> Self {
                $name(word.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(super) use open_word;

open_word!(
    /// The status of an issue. An open set: `open`, `in_progress`, `blocked`, `deferred`, `closed`, `tombstone`,
    /// `pinned` and `hooked` have a meaning here; other words are kept.
    Status
);
open_word!(
    /// What kind of work an issue is. An open set.
    IssueType
);

impl Default for Status {
    fn default() -> Self {
        Status::open()
    }
}

impl Status {
    pub const KNOWN: &[&str] = &["open", "in_progress", "blocked", "deferred", "closed", "pinned", "hooked"];

    pub fn open() -> Self {
        Status::new("open")
    }

    /// Reads a word as people type it: `in-progress` and `In Progress` mean `in_progress`.
    pub fn typed(word: &str) -> Self {
        Status::new(word.trim().to_lowercase().replace(['-', ' '], "_"))
    }

    pub fn is_known(&self) -> bool {
        Self::KNOWN.contains(&self.as_str())
    }

    /// Whether work on it is over: closed or deleted.
    pub fn is_done(&self) -> bool {
        matches!(self.as_str(), "closed" | "tombstone")
    }

    pub fn is_tombstone(&self) -> bool {
        self.as_str() == "tombstone"
    }
}

impl Default for IssueType {
    fn default() -> Self {
        IssueType::task()
    }
}

impl IssueType {
    pub const KNOWN: &[&str] = &[
        "bug",
        "feature",
        "task",
        "epic",
        "chore",
        "decision",
        "docs",
        "spike",
        "story",
        "milestone",
        "question",
        "merge-request",
        "molecule",
        "gate",
        "convoy",
        "message",
        "event",
        "workflow",
    ];

    /// Types for machinery; `ready` offers them only on request.
    pub const INTERNAL: &[&str] =
        &["merge-request", "molecule", "gate", "convoy", "message", "event", "workflow", "agent", "role", "rig"];

    pub fn task() -> Self {
        IssueType::new("task")
    }

    /// Reads a word as people type it, with the aliases that beads knows.
    pub fn typed(word: &str) -> Self {
        let word = word.trim().to_lowercase();
        IssueType::new(match word.as_str() {
            "enhancement" | "feat" => "feature",
            "dec" | "adr" => "decision",
            "investigation" | "timebox" => "spike",
            "user-story" => "story",
            "ms" => "milestone",
            "mr" => "merge-request",
            "mol" => "molecule",
            other => other,
        })
    }

    pub fn is_known(&self) -> bool {
        Self::KNOWN.contains(&self.as_str())
    }
}

/// 0 (most urgent) to 4. Files may hold other numbers; they are kept and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(i64);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid priority {0:?}: 0 to 4, P0 to P4, or critical high medium low backlog")]
pub struct PriorityError(pub String);

impl Default for Priority {
    fn default() -> Self {
        Priority::DEFAULT
    }
}

impl Priority {
    pub const DEFAULT: Priority = Priority(2);

    pub const fn in_file(number: i64) -> Self {
        Priority(number)
    }

    /// Their names, most urgent first.
    pub const WORDS: [&'static str; 5] = ["critical", "high", "medium", "low", "backlog"];

    /// Reads `0`..`4`, `P0`..`P4` or a word.
    pub fn typed(text: &str) -> Result<Self, PriorityError> {
        let word = match text.trim().to_lowercase().as_str() {
            "urgent" => "critical".to_owned(),
            "normal" => "medium".to_owned(),
            word => word.to_owned(),
        };
        if let Some(number) = Self::WORDS.iter().position(|known| *known == word) {
            return Ok(Priority(number as i64));
        }
        match text.trim().trim_start_matches(['P', 'p']).parse::<i64>() {
            Ok(number @ 0..=4) => Ok(Priority(number)),
            _ => Err(PriorityError(text.to_owned())),
        }
    }

    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_words() {
        assert_eq!(Status::typed("In-Progress").as_str(), "in_progress");
        assert_eq!(IssueType::typed("feat").as_str(), "feature");
        assert_eq!(Priority::typed("P1").unwrap().number(), 1);
        for (n, word) in ["critical", "HIGH", "normal", "low", "backlog"].iter().enumerate() {
            assert_eq!(Priority::typed(word).unwrap().number(), n as i64, "{word}");
        }
        for bad in ["7", "-1", "highest", ""] {
            assert!(Priority::typed(bad).is_err(), "{bad}");
        }
    }
}
