//! What the line of a task says beyond what every issue has.

use super::{TASK, text, texts};
use crate::model::json::{Dialect, Json};
use crate::model::record::Record;

/// The outcome of a task that was closed because its workflow needs it no more.
pub const SKIPPED: &str = "skipped";

/// A task of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    /// Its name in the plan; one of its own in the workflow.
    pub name: String,
    /// Its place in the plan, from 1: the order in which tasks are shown and handed out. It keeps nobody waiting.
    pub place: Option<i64>,
    /// It waits for all tasks with a lower number; see [`super::waits_for`].
    pub sequence: Option<i64>,
    pub parallel_group: Option<String>,
    pub plan: Option<String>,
    pub plan_summary: Option<String>,
    pub context: Option<String>,
    /// Names of tasks whose outcomes belong to its context.
    pub context_from: Vec<String>,
    pub outcome: Option<String>,
    pub outcome_detail: Option<String>,
    /// The repository that it works in, by its `rp_` id.
    pub repo: Option<String>,
    /// The workspace of its last run, by its `ws_` id.
    pub workspace: Option<String>,
    /// Why it failed the last time; gone with success.
    pub last_error: Option<String>,
    /// How often it failed.
    pub attempts: i64,
}

impl Task {
    pub fn named(name: impl Into<String>) -> Self {
        Task { name: name.into(), ..Task::default() }
    }

    /// Where it comes among the tasks of its workflow.
    pub fn order(&self) -> (i64, i64) {
        let place = self.place.unwrap_or(i64::MAX);
        (self.sequence.unwrap_or(place), place)
    }

    pub fn of(record: &Record<'_>) -> Option<Self> {
        let inner = Record::parse_part(record.raw(TASK)?).ok()?;
        let text = |key: &str| inner.text_of(key).map(|text| text.into_owned());
        Some(Task {
            name: text("name")?,
            place: inner.integer("place"),
            sequence: inner.integer("sequence"),
            parallel_group: text("parallel_group"),
            plan: text("plan"),
            plan_summary: text("plan_summary"),
            context: text("context"),
            context_from: texts(&inner, "context_from"),
            outcome: text("outcome"),
            outcome_detail: text("outcome_detail"),
            repo: text("repo"),
            workspace: text("workspace"),
            last_error: text("last_error"),
            attempts: inner.integer("attempts").unwrap_or(0),
        })
    }

    /// Reads it from the text of a line.
    pub fn of_line(line: &str) -> Option<Self> {
        Task::of(&Record::parse(line).ok()?)
    }

    pub fn render(&self, dialect: Dialect) -> String {
        let mut members = vec![("name".to_owned(), text(&self.name))];
        members.extend(self.place.map(|number| ("place".to_owned(), Json::Int(number))));
        members.extend(self.sequence.map(|number| ("sequence".to_owned(), Json::Int(number))));
        let mut optional = |key: &str, value: &Option<String>| {
            members.extend(value.as_deref().map(|value| (key.to_owned(), text(value))));
        };
        optional("parallel_group", &self.parallel_group);
        optional("plan", &self.plan);
        optional("plan_summary", &self.plan_summary);
        optional("context", &self.context);
        optional("outcome", &self.outcome);
        optional("outcome_detail", &self.outcome_detail);
        optional("repo", &self.repo);
        optional("workspace", &self.workspace);
        optional("last_error", &self.last_error);
        if !self.context_from.is_empty() {
            let names = self.context_from.iter().map(|name| text(name)).collect();
            members.push(("context_from".to_owned(), Json::List(names)));
        }
        if self.attempts != 0 {
            members.push(("attempts".to_owned(), Json::Int(self.attempts)));
        }
        dialect.render(&Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_survives_its_line() {
        let task = Task {
            name: "build".into(),
            place: Some(3),
            sequence: Some(2),
            parallel_group: Some("g".into()),
            plan: Some("p".into()),
            plan_summary: Some("s".into()),
            context: Some("c".into()),
            context_from: vec!["a".into(), "b".into()],
            outcome: Some("done".into()),
            outcome_detail: Some("d".into()),
            repo: Some("rp_1".into()),
            workspace: Some("ws_1".into()),
            last_error: Some("boom".into()),
            attempts: 3,
        };
        let line = format!("{{\"id\":\"a\",\"task\":{}}}", task.render(Dialect::default()));
        assert_eq!(Task::of_line(&line), Some(task));
        assert_eq!(Task::of_line(r#"{"id":"a","task":{"sequence":1}}"#), None, "a task has a name");
    }
}
