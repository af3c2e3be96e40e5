//! What a question is answered with.

use std::path::PathBuf;

use crate::cache::{Blocked, Counts, ReadyOrder, Sort};
use crate::model::issue;
use crate::model::issue::{Comment, Issue};
use crate::model::json::Member;
use crate::model::query::Expr;
use crate::model::record::Record;
use crate::store::project::worktree::Worktree;

/// One issue as an answer: its line, what it means, and where it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub issue: Issue,
    /// The line as it stands in the file. Status and assignee of the issue may be others: this user's own, which nobody else sees.
    pub line: String,
    /// The members of that line, so that it is parsed once.
    pub members: Vec<Member>,
    /// The repo that owns it; `.` is the project's own.
    pub source_repo: String,
    /// The same repo by its number in the project.
    pub repo: usize,
    /// Another repo's copy of this issue is the one that counts.
    pub shadowed: bool,
    pub file: PathBuf,
    /// From 1.
    pub line_number: usize,
    pub counts: Counts,
    /// The checkout that it was read in, where several are shown.
    pub place: Option<Place>,
    /// How other checkouts have it, where somebody asked.
    pub elsewhere: Vec<Elsewhere>,
    /// What this user alone says about it, in a planning repo.
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

/// Which ready issues to give. The default is all of them, in the usual order.
#[derive(Debug, Clone)]
pub struct ReadyFilter {
    pub filter: Expr,
    pub order: ReadyOrder,
    pub include_deferred: bool,
    /// Epics with open children too.
    pub include_epics: bool,
    pub any_type: bool,
    pub limit: Option<usize>,
    /// Another order than `order`; [`Store::ready`](crate::store::Snapshot::ready) does not look at it.
    pub sort: Option<Sort>,
}

impl Default for ReadyFilter {
    fn default() -> Self {
        ReadyFilter {
            filter: Expr::ALL,
            order: ReadyOrder::default(),
            include_deferred: false,
            include_epics: false,
            any_type: false,
            limit: None,
            sort: None,
        }
    }
}

/// An issue that cannot be worked on, and what stands in its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedRow {
    pub row: Row,
    pub blocked: Blocked,
}

/// An issue that a search found, and in which fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRow {
    pub row: Row,
    pub fields: Vec<&'static str>,
}

/// What a companion says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The planning repo.
    pub repo: String,
    pub notes: Option<String>,
    pub comments: Vec<Comment>,
}

/// Which checkout something is from.
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

/// Why an issue that could be worked on is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Somebody has claimed it.
    Held { holder: String, worktree: Option<String>, expires: Option<String> },
    /// Another checkout has closed it, or works on it.
    Elsewhere(Elsewhere),
}

/// An issue as another checkout has it.
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

    /// It keeps an issue from being offered to somebody.
    pub(in crate::store) fn takes(&self, me: &str, is_claimed: bool) -> bool {
        let works = self.status == "in_progress" && self.assignee.as_deref() != Some(me);
        self.is_done() || (works && !is_claimed)
    }
}
