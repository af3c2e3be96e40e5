//! Selecting issues.

use crate::model::query::{Expr, Field};
use crate::ops;
use crate::store::{self, ReadyFilter};

/// Which issues to give. The default is all of them; each condition leaves some out.
///
/// ```
/// let query = beads::Query::new().label("parser").without_label("no-auto-claim").limit(20);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[must_use = "a query does nothing until it is given to a question"]
pub struct Query {
    labels: Vec<String>,
    without: Vec<String>,
    kind: Option<String>,
    assignee: Option<String>,
    repo: Option<String>,
    texts: Vec<String>,
    pub(super) limit: Option<usize>,
}

impl Query {
    /// All issues.
    pub fn new() -> Self {
        Query::default()
    }

    /// Only issues with this label.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.labels.push(label.into());
        self
    }

    /// Only issues without this label.
    pub fn without_label(mut self, label: impl Into<String>) -> Self {
        self.without.push(label.into());
        self
    }

    /// Only issues of this type.
    pub fn kind(mut self, word: impl Into<String>) -> Self {
        self.kind = Some(word.into());
        self
    }

    /// Only issues with this assignee.
    pub fn assignee(mut self, name: impl Into<String>) -> Self {
        self.assignee = Some(name.into());
        self
    }

    /// Only issues in this repo, by its name or path; `.` is the project's own.
    pub fn repo(mut self, repo: impl Into<String>) -> Self {
        self.repo = Some(repo.into());
        self
    }

    /// Only issues that match a condition in the language of `bd query`, such as `priority<=1 AND updated>7d`.
    pub fn matching(mut self, condition: impl Into<String>) -> Self {
        self.texts.push(condition.into());
        self
    }

    /// At most this many; the answer still has the total number.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    pub(super) fn condition(&self, store: &mut store::Store) -> ops::Result<Expr> {
        let mut all: Vec<Expr> = self.labels.iter().map(|label| Expr::text(Field::Label, label)).collect();
        all.extend(self.without.iter().map(|label| Expr::text(Field::Label, label).negate()));
        let words = [(Field::Type, &self.kind), (Field::Assignee, &self.assignee), (Field::Repo, &self.repo)];
        all.extend(words.into_iter().filter_map(|(field, word)| Some(Expr::text(field, word.as_ref()?))));
        let typed = ops::with_known_words(store, Expr::And(all))?;
        if self.texts.is_empty() {
            return Ok(typed);
        }
        let mut parts = vec![typed];
        for text in &self.texts {
            parts.push(ops::parse_query(store, text)?);
        }
        Ok(Expr::And(parts))
    }

    pub(super) fn ready(&self, store: &mut store::Store) -> ops::Result<ReadyFilter> {
        let (filter, any_type) = (self.condition(store)?, self.kind.is_some());
        Ok(ReadyFilter { filter, any_type, limit: self.limit, ..ReadyFilter::default() })
    }
}
