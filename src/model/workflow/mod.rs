//! A workflow: an issue of type `workflow` whose line has an object `workflow`, with child issues whose lines have an
//! object `task`.
//!
//! Owns how both objects are read, written and changed, and the table of moves. Unknown keys stay in the line. Whether
//! a task is blocked or claimed is not stored here: edges and claims decide it.

mod state;
mod task;

pub use state::{Permit, State};
pub use task::{SKIPPED, Task};

use serde::{Deserialize, Serialize};

use super::issue;
use super::json::Json;
use super::record::Record;
use super::row::{self, Row};

/// The key of the object in the line of a workflow's issue.
pub const WORKFLOW: &str = "workflow";
/// The key of the object in the line of a task.
pub const TASK: &str = "task";
/// The default limit of tasks that run at once.
pub const MAX_PARALLEL: i64 = 1;

/// The object in a workflow's line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Workflow {
    /// `wf_` and 12 characters.
    pub id: String,
    #[serde(default)]
    pub state: State,
    /// How many of its tasks may be claimed at once.
    #[serde(default)]
    pub max_parallel: i64,
    /// Whether each task gets a separate workspace.
    #[serde(default)]
    pub auto_workspace: bool,
    /// The origin: `issue`, `template`, `file`, `prompt`, or another word.
    pub source_type: Option<String>,
    pub source_ref: Option<String>,
    pub source_content: Option<String>,
    pub plan_summary: Option<String>,
    pub initial_plan: Option<String>,
    /// Why it was paused, failed or abandoned.
    pub reason: Option<String>,
    pub merge_commit: Option<String>,
    /// Its repositories, by their `rp_` ids; empty means the one that it is in.
    #[serde(default, deserialize_with = "row::list")]
    pub repos: Vec<String>,
    /// The users' settings: keys with raw JSON values.
    #[serde(default, with = "row::pairs")]
    pub config: Vec<(String, String)>,
}

impl Workflow {
    pub fn new(id: String) -> Self {
        Workflow { id, max_parallel: MAX_PARALLEL, ..Workflow::default() }
    }

    /// Reads it from a line, with the state as the line writes it. An unknown state reads as planning, which hands out
    /// no tasks.
    pub fn of(record: &Record<'_>) -> Option<Self> {
        let inner = Record::parse_part(record.raw(WORKFLOW)?).ok()?;
        let found = Workflow::parse(&inner)?;
        let state = inner.string("state").and_then(|word| State::typed(&word)).unwrap_or(State::Planning);
        let max_parallel = if found.max_parallel > 0 { found.max_parallel } else { MAX_PARALLEL };
        Some(Workflow { state, max_parallel, ..found })
    }

    /// Reads it from the text of a line.
    pub fn of_line(line: &str) -> Option<Self> {
        Workflow::of(&Record::parse(line).ok()?)
    }

    /// The effective state of the workflow in a line, and whether another tool has closed or reopened its issue since
    /// the last move.
    pub fn standing(record: &Record<'_>) -> Option<(State, bool)> {
        let stored = Workflow::of(record)?.state;
        let reason = record.text_of("close_reason");
        let state = stored.under(&issue::status_of(record), reason.as_deref());
        Some((state, state != stored))
    }
}

pub(in crate::model) fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Dialect;

    #[test]
    fn a_workflow_survives_its_line() {
        let workflow = Workflow {
            state: State::AwaitingMerge,
            max_parallel: 4,
            auto_workspace: true,
            source_type: Some("issue".into()),
            source_ref: Some("bd-1".into()),
            source_content: Some("a\nb".into()),
            plan_summary: Some("two steps".into()),
            initial_plan: Some("one, two".into()),
            repos: vec!["rp_0123456789ab".into()],
            config: vec![("model".into(), "\"big\"".into()), ("n".into(), "1e400".into())],
            reason: Some("lunch".into()),
            merge_commit: Some("abc".into()),
            ..Workflow::new("wf_0123456789ab".into())
        };
        let line = format!("{{\"id\":\"a\",\"workflow\":{}}}", workflow.render(Dialect::default()));
        assert_eq!(Workflow::of_line(&line), Some(workflow));
    }

    #[test]
    fn odd_values_read_as_the_careful_ones() {
        let odd = r#"{"id":"a","workflow":{"id":"wf_1","state":"dancing","max_parallel":-3,"repos":7,"config":[1]}}"#;
        let workflow = Workflow::of_line(odd).unwrap();
        assert_eq!((workflow.state, workflow.max_parallel), (State::Planning, 1));
        assert!(workflow.repos.is_empty() && workflow.config.is_empty());
        for none in [r#"{"id":"a"}"#, r#"{"id":"a","workflow":7}"#, r#"{"id":"a","workflow":{"state":"ready"}}"#] {
            assert_eq!(Workflow::of_line(none), None, "{none}");
        }
    }
}
