//! The object in a task's line.

use serde::{Deserialize, Serialize};

use super::TASK;
use crate::model::record::Record;
use crate::model::row::{self, Row};

/// The outcome of a task that was closed because its workflow no longer needs it.
pub const SKIPPED: &str = "skipped";

/// A task of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Task {
    /// Its name in the plan, unique in the workflow.
    pub name: String,
    /// Its position in the plan, from 1: the order in which tasks are shown and handed out. It blocks no task.
    pub place: Option<i64>,
    /// It waits for all tasks with a lower number; see [`crate::model::plan::waits_for`].
    pub sequence: Option<i64>,
    pub parallel_group: Option<String>,
    pub plan: Option<String>,
    pub plan_summary: Option<String>,
    pub context: Option<String>,
    pub outcome: Option<String>,
    pub outcome_detail: Option<String>,
    /// Its repository, by the `rp_` id.
    pub repo: Option<String>,
    /// The workspace of its last run, by the `ws_` id.
    pub workspace: Option<String>,
    /// Why its last attempt failed; removed on success.
    pub last_error: Option<String>,
    /// The tasks whose outcomes belong to its context.
    #[serde(default, deserialize_with = "row::list")]
    pub context_from: Vec<String>,
    /// The number of failures.
    #[serde(default, skip_serializing_if = "row::is_default")]
    pub attempts: i64,
}

impl Task {
    pub fn named(name: impl Into<String>) -> Self {
        Task { name: name.into(), ..Task::default() }
    }

    /// Its position among the tasks of its workflow.
    pub fn order(&self) -> (i64, i64) {
        let place = self.place.unwrap_or(i64::MAX);
        (self.sequence.unwrap_or(place), place)
    }

    pub fn of(record: &Record<'_>) -> Option<Self> {
        Self::parse_part(record.raw(TASK)?)
    }

    /// Reads it from the text of a line.
    pub fn of_line(line: &str) -> Option<Self> {
        Task::of(&Record::parse(line).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Dialect;

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
