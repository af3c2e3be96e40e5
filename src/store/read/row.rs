//! The types of answers.

use std::path::PathBuf;

use crate::cache::{Blocked, Counts};
use crate::model::issue::{self, Comment, Issue};
use crate::model::json::Member;
use crate::model::record::Record;
use crate::store::project::worktree::Worktree;

/// One issue in an answer: its line, its meaning, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub issue: Issue,
    /// The line as in the file. The issue's status and assignee may differ: this user's own, which no one else sees.
    pub line: String,
    /// The members of that line, so that it is parsed once.
    pub members: Vec<Member>,
    /// The repo that owns it; `.` is the project's own.
    pub source_repo: String,
    /// The same repo by its number in the project.
    pub repo: usize,
    /// Another repo's copy of this issue is the effective one.
    pub shadowed: bool,
    pub file: PathBuf,
    /// Counted from 1.
    pub line_number: usize,
    pub counts: Counts,
    /// The checkout it was read in, if several are shown.
    pub place: Option<Place>,
    /// Its versions in other checkouts, if requested.
    pub elsewhere: Vec<Elsewhere>,
    /// This user's private remarks on it, in a planning repo.
    pub beside: Option<Beside>,
}

impl Row {
    /// The line, parsed.
    pub fn record(&self) -> Record<'_> {
        Record::known(&self.line, (&self.members).into())
    }
}

/// Rows, and how many there would be without the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub rows: Vec<Row>,
    pub total: usize,
}

/// An issue that cannot be worked on, and what blocks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedRow {
    pub row: Row,
    pub blocked: Blocked,
}

/// An issue found by a search, and the matching fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRow {
    pub row: Row,
    pub fields: Vec<&'static str>,
}

/// The content of a companion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The planning repo.
    pub repo: String,
    pub notes: Option<String>,
    pub comments: Vec<Comment>,
}

/// The checkout that something is from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub worktree_id: Option<String>,
    /// Its name.
    pub worktree: String,
}

impl From<&Worktree> for Place {
    fn from(worktree: &Worktree) -> Self {
        Place { worktree_id: worktree.id.clone(), worktree: worktree.name.clone() }
    }
}

/// Why an otherwise ready issue is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Someone has claimed it.
    Held { holder: String, worktree: Option<String>, expires: Option<String> },
    /// Another checkout has closed it, or works on it.
    Elsewhere(Elsewhere),
}

/// An issue in another checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The issue.
    pub id: String,
    pub title: String,
    pub worktree_id: Option<String>,
    /// Its name.
    pub worktree: String,
    pub status: String,
    pub assignee: Option<String>,
    /// The line there.
    pub line: String,
}

impl Elsewhere {
    pub(in crate::store) fn of(place: &Place, line: String) -> Option<Self> {
        let record = Record::parse(&line).ok()?;
        let id = record.string("id")?.into_owned();
        let status = issue::status_of(&record).as_str().to_owned();
        let assignee = record.text_of("assignee").map(|name| name.into_owned());
        let title = record.text_of("title").map(|title| title.into_owned()).unwrap_or_default();
        let Place { worktree_id, worktree } = place.clone();
        Some(Elsewhere { id, title, worktree_id, worktree, status, assignee, line })
    }

    pub fn is_done(&self) -> bool {
        issue::Status::new(self.status.as_str()).is_done()
    }

    /// It keeps an issue from being offered to `me`.
    pub(in crate::store) fn takes(&self, me: &str, is_claimed: bool) -> bool {
        let works = self.status == "in_progress" && self.assignee.as_deref() != Some(me);
        self.is_done() || (works && !is_claimed)
    }
}
