//! A change of an issue.

use std::time::{Duration, SystemTime};

use super::issue::Issue;
use crate::model::change::Change;
use crate::model::field::Field;
use crate::ops::{self, Wish};
use crate::{store, sys};

/// What is to be different about an issue. Only what is named changes.
///
/// ```
/// let update = beads::Update::new().status("in_progress").priority(0).add_label("urgent");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use = "nothing changes until it is given to `update`"]
pub struct Update {
    wishes: Vec<Wish>,
    known: Option<String>,
}

impl Update {
    /// An empty update.
    pub fn new() -> Self {
        Update::default()
    }

    fn with(mut self, wish: Wish) -> Self {
        self.wishes.push(wish);
        self
    }

    fn text(self, field: Field, text: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::Text(field, text.into())))
    }

    /// A new title.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::Title(title.into())))
    }

    /// A new description; an empty text removes it.
    pub fn description(self, text: impl Into<String>) -> Self {
        self.text(Field::Description, text)
    }

    /// How it should be done; an empty text removes it.
    pub fn design(self, text: impl Into<String>) -> Self {
        self.text(Field::Design, text)
    }

    /// When it counts as done; an empty text removes it.
    pub fn acceptance_criteria(self, text: impl Into<String>) -> Self {
        self.text(Field::AcceptanceCriteria, text)
    }

    /// Replaces the notes; an empty text removes them.
    pub fn notes(self, text: impl Into<String>) -> Self {
        self.text(Field::Notes, text)
    }

    /// Appends to the notes.
    pub fn append_notes(self, text: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::AppendNotes(text.into())))
    }

    /// A new status that the project knows.
    pub fn status(self, word: impl Into<String>) -> Self {
        self.with(Wish::Status(word.into()))
    }

    /// A new priority, 0 to 4.
    pub fn priority(self, priority: i64) -> Self {
        self.with(Wish::Priority(priority))
    }

    /// A new type that the project knows.
    pub fn kind(self, word: impl Into<String>) -> Self {
        self.with(Wish::Type(word.into()))
    }

    /// The assignee; an empty text removes it.
    pub fn assignee(self, name: impl Into<String>) -> Self {
        self.text(Field::Assignee, name)
    }

    /// Adds a label.
    pub fn add_label(self, label: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::AddLabel(label.into())))
    }

    /// Removes a label.
    pub fn remove_label(self, label: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::RemoveLabel(label.into())))
    }

    /// The new parent issue.
    pub fn parent(self, id: impl AsRef<str>) -> Self {
        self.with(Wish::Parent(Some(id.as_ref().to_owned())))
    }

    /// Removes the parent.
    pub fn no_parent(self) -> Self {
        self.with(Wish::Parent(None))
    }

    /// Adds an issue that has to be done first.
    pub fn depends_on(self, id: impl AsRef<str>) -> Self {
        self.dependency("blocks", id)
    }

    /// Adds a dependency, of any type.
    pub fn dependency(self, kind: impl Into<String>, id: impl AsRef<str>) -> Self {
        self.with(Wish::DependsOn(kind.into(), id.as_ref().to_owned()))
    }

    /// Removes all dependencies on this issue.
    pub fn independent_of(self, id: impl AsRef<str>) -> Self {
        self.with(Wish::Independent(id.as_ref().to_owned()))
    }

    /// The estimated time, in whole minutes.
    pub fn estimate(self, time: Duration) -> Self {
        let minutes = i64::try_from(time.as_secs() / 60).unwrap_or(i64::MAX);
        self.with(Wish::Change(Change::Estimate(Some(minutes))))
    }

    /// When it is due; `None` for never.
    pub fn due(self, at: Option<SystemTime>) -> Self {
        self.with(Wish::Change(Change::Date(Field::Due, at.map(sys::from_system))))
    }

    /// Defers it until then; `None` removes that.
    pub fn defer_until(self, at: Option<SystemTime>) -> Self {
        self.with(Wish::Change(Change::Date(Field::Defer, at.map(sys::from_system))))
    }

    /// An external reference; an empty text removes it.
    pub fn external_ref(self, text: impl Into<String>) -> Self {
        self.text(Field::ExternalRef, text)
    }

    /// Refuses the update if the issue has been changed since: its [`updated_at`](Issue::updated_at) must still be this
    /// one. The error has the [`code`](crate::Error::code) `changed`.
    pub fn if_updated_at(self, at: SystemTime) -> Self {
        // To the nanosecond, which another program may have written.
        let exact = jiff::Timestamp::try_from(at).map(|at| at.to_string());
        Update { known: Some(exact.unwrap_or_else(|_| sys::from_system(at).to_string())), ..self }
    }

    /// Adds a comment by the actor.
    pub fn comment(self, text: impl Into<String>) -> Self {
        self.with(Wish::Comment(text.into()))
    }

    pub(super) fn apply(&self, store: &mut store::Store, id: &str) -> ops::Result<Issue> {
        Ok(ops::revise_known(store, id, &self.wishes, self.known.as_deref())?.into())
    }
}
