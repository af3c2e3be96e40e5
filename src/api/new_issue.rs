//! An issue to file.

use std::time::{Duration, SystemTime};

use crate::model::change::NewIssue as Model;
use crate::model::dependency::DependencyType;
use crate::model::issue::Priority;
use crate::ops::{self, Filing, OpError};
use crate::store;
use crate::sys;

/// An issue to file: [`NewIssue::titled`], and what else is known of it. The defaults of the project apply to the rest.
///
/// ```
/// let issue = beads::NewIssue::titled("Fix the parser").kind("bug").priority(1).label("parser");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "nothing is filed until it is given to `create`"]
pub struct NewIssue {
    issue: Model,
    kind: Option<String>,
    priority: Option<i64>,
    id: Option<String>,
    parent: Option<String>,
    dependencies: Vec<(String, String)>,
    repo: Option<String>,
}

impl NewIssue {
    /// An issue with this title.
    pub fn titled(title: impl Into<String>) -> Self {
        NewIssue {
            issue: Model::titled(title),
            kind: None,
            priority: None,
            id: None,
            parent: None,
            dependencies: Vec::new(),
            repo: None,
        }
    }

    /// The description.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.issue.description = text.into();
        self
    }

    /// How it should be done.
    pub fn design(mut self, text: impl Into<String>) -> Self {
        self.issue.design = text.into();
        self
    }

    /// When it counts as done.
    pub fn acceptance_criteria(mut self, text: impl Into<String>) -> Self {
        self.issue.acceptance_criteria = text.into();
        self
    }

    /// Notes.
    pub fn notes(mut self, text: impl Into<String>) -> Self {
        self.issue.notes = text.into();
        self
    }

    /// The type: `bug`, `feature`, `task` (the default), `epic`, `chore`, or another word in use in the project.
    pub fn kind(mut self, word: impl Into<String>) -> Self {
        self.kind = Some(word.into());
        self
    }

    /// 0 (urgent) to 4; 2 is the default.
    pub fn priority(mut self, priority: i64) -> Self {
        self.priority = Some(priority);
        self
    }

    /// The assignee.
    pub fn assignee(mut self, name: impl Into<String>) -> Self {
        self.issue.assignee = name.into();
        self
    }

    /// Adds a label.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.issue.labels.push(label.into());
        self
    }

    /// The parent issue.
    pub fn parent(mut self, id: impl AsRef<str>) -> Self {
        self.parent = Some(id.as_ref().to_owned());
        self
    }

    /// Adds an issue that has to be done first.
    pub fn depends_on(self, id: impl AsRef<str>) -> Self {
        self.dependency("blocks", id)
    }

    /// Adds a dependency, of any type: `blocks`, `discovered-from`, `related`, and others.
    pub fn dependency(mut self, kind: impl Into<String>, id: impl AsRef<str>) -> Self {
        self.dependencies.push((kind.into(), id.as_ref().to_owned()));
        self
    }

    /// The estimated time, in whole minutes.
    pub fn estimate(mut self, time: Duration) -> Self {
        self.issue.estimated_minutes = Some(i64::try_from(time.as_secs() / 60).unwrap_or(i64::MAX));
        self
    }

    /// When it is due.
    pub fn due(mut self, at: SystemTime) -> Self {
        self.issue.due_at = Some(sys::from_system(at));
        self
    }

    /// Defers it until then.
    pub fn defer_until(mut self, at: SystemTime) -> Self {
        self.issue.defer_until = Some(sys::from_system(at));
        self
    }

    /// An external reference, such as `gh-9`.
    pub fn external_ref(mut self, text: impl Into<String>) -> Self {
        self.issue.external_ref = text.into();
        self
    }

    /// An id chosen by the caller, instead of a minted one: `a-z`, `0-9`, `-` and `.`.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The repo to file it in, by its name or path, instead of the one that routing chooses.
    pub fn repo(mut self, repo: impl Into<String>) -> Self {
        self.repo = Some(repo.into());
        self
    }

    /// Converts it for the operations; words must be known to the project.
    pub(super) fn filing(self, store: &store::Store) -> ops::Result<Filing> {
        let NewIssue { mut issue, kind, priority, id, parent, dependencies, repo } = self;
        if let Some(word) = kind {
            issue.issue_type = ops::check_type(store, &word)?;
        }
        if let Some(number) = priority {
            issue.priority = Priority::typed(&number.to_string())?;
        }
        let typed = |(kind, id): (String, String)| match DependencyType::typed(&kind) {
            Some(kind) => Ok((kind, id)),
            None => Err(OpError::DependencyType(kind)),
        };
        let dependencies = dependencies.into_iter().map(typed).collect::<ops::Result<_>>()?;
        Ok(Filing { issue, id, parent, dependencies, repo })
    }
}
