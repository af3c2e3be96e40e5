//! A change of an issue.

use std::time::{Duration, SystemTime};

use crate::model::change::Change;
use crate::model::field::Field;
use crate::ops::Wish;
use crate::sys;

/// What is to be different about an issue. Only what is named changes.
///
/// ```
/// let update = beads::Update::new().status("in_progress").priority(0).add_label("urgent");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use = "nothing changes until it is given to `update`"]
pub struct Update {
    pub(super) wishes: Vec<Wish>,
}

impl Update {
    /// Nothing yet.
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

    /// A new description; an empty text is none.
    pub fn description(self, text: impl Into<String>) -> Self {
        self.text(Field::Description, text)
    }

    /// How it is to be done; an empty text is nothing.
    pub fn design(self, text: impl Into<String>) -> Self {
        self.text(Field::Design, text)
    }

    /// When it is done; an empty text is nothing.
    pub fn acceptance_criteria(self, text: impl Into<String>) -> Self {
        self.text(Field::AcceptanceCriteria, text)
    }

    /// Notes in the place of those that it has; an empty text is none.
    pub fn notes(self, text: impl Into<String>) -> Self {
        self.text(Field::Notes, text)
    }

    /// Notes after those that it has.
    pub fn append_notes(self, text: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::AppendNotes(text.into())))
    }

    /// A new status: one that the project knows.
    pub fn status(self, word: impl Into<String>) -> Self {
        self.with(Wish::Status(word.into()))
    }

    /// A new priority, 0 to 4.
    pub fn priority(self, priority: i64) -> Self {
        self.with(Wish::Priority(priority))
    }

    /// A new type: one that the project knows.
    pub fn kind(self, word: impl Into<String>) -> Self {
        self.with(Wish::Type(word.into()))
    }

    /// Who does it; an empty text is nobody.
    pub fn assignee(self, name: impl Into<String>) -> Self {
        self.text(Field::Assignee, name)
    }

    /// One more label.
    pub fn add_label(self, label: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::AddLabel(label.into())))
    }

    /// One label less.
    pub fn remove_label(self, label: impl Into<String>) -> Self {
        self.with(Wish::Change(Change::RemoveLabel(label.into())))
    }

    /// The issue that it is a part of from now on.
    pub fn parent(self, id: impl AsRef<str>) -> Self {
        self.with(Wish::Parent(Some(id.as_ref().to_owned())))
    }

    /// It is a part of no issue any more.
    pub fn no_parent(self) -> Self {
        self.with(Wish::Parent(None))
    }

    /// One more issue that has to be done first.
    pub fn depends_on(self, id: impl AsRef<str>) -> Self {
        self.dependency("blocks", id)
    }

    /// One more dependency, of any type.
    pub fn dependency(self, kind: impl Into<String>, id: impl AsRef<str>) -> Self {
        self.with(Wish::DependsOn(kind.into(), id.as_ref().to_owned()))
    }

    /// It does not depend on this issue any more, in any way.
    pub fn independent_of(self, id: impl AsRef<str>) -> Self {
        self.with(Wish::Independent(id.as_ref().to_owned()))
    }

    /// How long it is thought to take, in whole minutes.
    pub fn estimate(self, time: Duration) -> Self {
        let minutes = i64::try_from(time.as_secs() / 60).unwrap_or(i64::MAX);
        self.with(Wish::Change(Change::Estimate(Some(minutes))))
    }

    /// When it is due; `None` is never.
    pub fn due(self, at: Option<SystemTime>) -> Self {
        self.with(Wish::Change(Change::Date(Field::Due, at.map(sys::from_system))))
    }

    /// Put it off until then; `None` is not at all.
    pub fn defer_until(self, at: Option<SystemTime>) -> Self {
        self.with(Wish::Change(Change::Date(Field::Defer, at.map(sys::from_system))))
    }

    /// A reference elsewhere; an empty text is none.
    pub fn external_ref(self, text: impl Into<String>) -> Self {
        self.text(Field::ExternalRef, text)
    }

    /// One more remark, by the one who acts.
    pub fn comment(self, text: impl Into<String>) -> Self {
        self.with(Wish::Comment(text.into()))
    }
}
