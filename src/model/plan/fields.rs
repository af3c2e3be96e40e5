//! The keys of plans and of tasks, in the order in which they are written, and what each may hold: reading, writing and escaping go
//! over this one table.

use toml_edit::{Array, Item, value};

use super::{Plan, PlannedTask};
use crate::model::issue::{IssueType, Priority};

/// Where the value of a key goes, and so what it may be.
pub enum Slot<'a> {
    /// The rules of a plan decide which names are valid.
    Name(&'a mut String),
    Text(&'a mut Option<String>),
    Line(&'a mut Option<String>),
    /// One line, or a number as one.
    Word(&'a mut Option<String>),
    Texts(&'a mut Vec<String>),
    Flag(&'a mut Option<bool>),
    /// From 0 on; in words.
    Number(&'a mut Option<i64>, &'static str),
    /// From 1 on.
    Limit(&'a mut Option<u32>),
    Priority(&'a mut Option<Priority>),
    Type(&'a mut Option<IssueType>),
}

pub(super) type Fields<'a> = Vec<(&'static str, Slot<'a>)>;

impl Plan {
    /// All but the tasks.
    pub fn fields(&mut self) -> Fields<'_> {
        vec![
            ("name", Slot::Line(&mut self.name)),
            ("description", Slot::Text(&mut self.description)),
            ("plan_summary", Slot::Text(&mut self.plan_summary)),
            ("max_parallel", Slot::Limit(&mut self.max_parallel)),
            ("auto_workspace", Slot::Flag(&mut self.auto_workspace)),
            ("source_type", Slot::Line(&mut self.source_type)),
            ("source_ref", Slot::Line(&mut self.source_ref)),
            ("source_content", Slot::Text(&mut self.source_content)),
        ]
    }
}

impl PlannedTask {
    pub fn fields(&mut self) -> Fields<'_> {
        vec![
            ("name", Slot::Name(&mut self.name)),
            ("title", Slot::Line(&mut self.title)),
            ("description", Slot::Text(&mut self.description)),
            ("acceptance", Slot::Text(&mut self.acceptance)),
            ("sequence", Slot::Number(&mut self.sequence, "a number from 0 on")),
            ("parallel_group", Slot::Word(&mut self.parallel_group)),
            ("depends_on", Slot::Texts(&mut self.depends_on)),
            ("informs", Slot::Texts(&mut self.informs)),
            ("context_from", Slot::Texts(&mut self.context_from)),
            ("plan", Slot::Text(&mut self.plan)),
            ("plan_summary", Slot::Text(&mut self.plan_summary)),
            ("context", Slot::Text(&mut self.context)),
            ("priority", Slot::Priority(&mut self.priority)),
            ("issue_type", Slot::Type(&mut self.issue_type)),
            ("labels", Slot::Texts(&mut self.labels)),
            ("assignee", Slot::Line(&mut self.assignee)),
            ("estimate", Slot::Number(&mut self.estimate, "a number of minutes")),
            ("repo", Slot::Line(&mut self.repo)),
        ]
    }
}

impl Slot<'_> {
    /// The value as it is written; `None` if there is none.
    pub fn item(self) -> Option<Item> {
        match self {
            Slot::Name(text) => Some(value(text.as_str())),
            Slot::Text(text) | Slot::Line(text) | Slot::Word(text) => text.as_deref().map(value),
            Slot::Texts(texts) => (!texts.is_empty()).then(|| value(texts.iter().collect::<Array>())),
            Slot::Flag(flag) => flag.map(value),
            Slot::Number(number, _) => number.map(value),
            Slot::Limit(number) => number.map(|number| value(i64::from(number))),
            Slot::Priority(priority) => priority.map(|priority| value(priority.number())),
            Slot::Type(kind) => kind.as_ref().map(|kind| value(kind.as_str())),
        }
    }

    /// Replaces every text of the value.
    pub fn replace_texts(self, replace: impl Fn(&str) -> String) {
        match self {
            Slot::Name(text) => *text = replace(text),
            Slot::Text(text) | Slot::Line(text) | Slot::Word(text) => *text = text.as_deref().map(replace),
            Slot::Texts(texts) => texts.iter_mut().for_each(|text| *text = replace(text)),
            Slot::Type(kind) => *kind = kind.as_ref().map(|kind| IssueType::new(replace(kind.as_str()))),
            Slot::Flag(_) | Slot::Number(..) | Slot::Limit(_) | Slot::Priority(_) => {}
        }
    }
}
