//! Changes to the `workflow` and `task` objects, decided on the line that was just read.

use super::{Stamp, status_edits};
use crate::model::issue::{self, Status};
use crate::model::json::{Dialect, Json};
use crate::model::record::{KeyEdit, Record};
use crate::model::workflow::{Permit, State, TASK, Task, WORKFLOW, Workflow};

/// A change of a workflow's object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkflowEdit {
    /// Moves to another state, if the table allows it; the issue's status follows.
    Move { to: State, reason: Option<String>, merge_commit: Option<String> },
    /// Sets a value of the object, or removes it with `None`. Not for `id` and `state`.
    Set { key: &'static str, value: Option<Json> },
    /// Sets a value in its `config`.
    Config { key: String, value: Option<Json> },
}

/// A change of a task's object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEdit {
    /// Sets a value of the object, or removes it with `None`.
    Set { key: &'static str, value: Option<Json> },
    /// Records a failure with its reason and the number of attempts. No change if the issue is not a task.
    Failed { error: String, attempts: i64 },
}

/// Why a workflow or a task was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowError {
    #[error("{id} is {from} and cannot become {to}; legal now: {}", from.ways_on())]
    IllegalMove { id: String, from: State, to: State },
    #[error("{id} cannot be closed: its tasks {} are not done", tasks.join(", "))]
    OpenTasks { id: String, tasks: Vec<String> },
    #[error("{id} is a workflow that is {state}, and cannot be made {status}: its status follows its state; legal now: {}", state.ways_on())]
    StatusFollows { id: String, state: State, status: String },
    #[error("{0} is not a workflow")]
    NotWorkflow(String),
    #[error("{0} is not a task of a workflow")]
    NotTask(String),
}

pub(in crate::model) fn validate_workflow(edit: &WorkflowEdit, record: &Record<'_>) -> Result<(), WorkflowError> {
    let id = || record.string("id").unwrap_or_default().into_owned();
    let Some((from, _)) = Workflow::standing(record) else { return Err(WorkflowError::NotWorkflow(id())) };
    match edit {
        WorkflowEdit::Move { to, .. } if from.permit(*to).is_none() => {
            Err(WorkflowError::IllegalMove { id: id(), from, to: *to })
        }
        _ => Ok(()),
    }
}

pub(in crate::model) fn validate_task(edit: &TaskEdit, record: &Record<'_>) -> Result<(), WorkflowError> {
    match edit {
        TaskEdit::Set { .. } if Task::of(record).is_none() => {
            Err(WorkflowError::NotTask(record.string("id").unwrap_or_default().into_owned()))
        }
        _ => Ok(()),
    }
}

pub(in crate::model) fn workflow_edits(edit: &WorkflowEdit, record: &Record<'_>, stamp: Stamp<'_>) -> Vec<KeyEdit> {
    match edit {
        WorkflowEdit::Set { key, value } => set(record, WORKFLOW, &[(key, value.clone())], stamp.dialect),
        WorkflowEdit::Config { key, value } => {
            let Some(raw) = record.raw(WORKFLOW) else { return Vec::new() };
            let Some(inner) = Record::parse_part(raw).ok() else { return Vec::new() };
            let before = inner.raw("config").filter(|raw| raw.starts_with('{')).unwrap_or("{}");
            let config = with(before, &[(key, value.clone())], stamp.dialect);
            let config = (config != "{}").then_some(Json::Raw(config));
            set(record, WORKFLOW, &[("config", config)], stamp.dialect)
        }
        WorkflowEdit::Move { to, reason, merge_commit } => {
            let Some((from, _)) = Workflow::standing(record) else { return Vec::new() };
            let json = |text: &Option<String>| text.as_deref().map(crate::model::workflow::text);
            let mut values = vec![("state", json(&Some(to.word().to_owned())))];
            let moves = from.permit(*to) == Some(Permit::Do);
            if moves {
                values.push(("reason", json(reason)));
            }
            if moves && merge_commit.is_some() {
                values.push(("merge_commit", json(merge_commit)));
            }
            let mut edits = set(record, WORKFLOW, &values, stamp.dialect);
            // In the final state already: the end is not recorded again.
            if !moves && issue::status_of(record) == to.status() {
                return edits;
            }
            let closing = to.is_final().then(|| match reason {
                Some(reason) => format!("{to}: {reason}"),
                None => to.to_string(),
            });
            edits.extend(status_edits(record, &to.status(), closing.as_deref(), stamp));
            edits
        }
    }
}

pub(in crate::model) fn task_edits(edit: &TaskEdit, record: &Record<'_>, dialect: Dialect) -> Vec<KeyEdit> {
    match edit {
        TaskEdit::Set { key, value } => set(record, TASK, &[(key, value.clone())], dialect),
        TaskEdit::Failed { error, attempts } if Task::of(record).is_some() => {
            let values =
                [("last_error", Some(crate::model::workflow::text(error))), ("attempts", Some(Json::Int(*attempts)))];
            set(record, TASK, &values, dialect)
        }
        TaskEdit::Failed { .. } => Vec::new(),
    }
}

/// The edits of a line's objects when any command closes it: a task gets its outcome and loses its error, a workflow
/// ends.
pub(in crate::model) fn close_edits(record: &Record<'_>, reason: Option<&str>, dialect: Dialect) -> Vec<KeyEdit> {
    let mut edits = Vec::new();
    if let Some(task) = Task::of(record) {
        let mut values = vec![("last_error", None)];
        if let Some(outcome) = reason.filter(|reason| !reason.is_empty() && task.outcome.as_deref() != Some(reason)) {
            values.push(("outcome", Some(crate::model::workflow::text(outcome))));
        }
        edits.extend(set(record, TASK, &values, dialect));
    }
    edits.extend(follow_status(record, &Status::new("closed"), reason, dialect));
    edits
}

/// The edits of a line's objects when any command reopens it: a task loses its outcome, a workflow is not over.
pub(in crate::model) fn reopen_edits(record: &Record<'_>, status: &Status, dialect: Dialect) -> Vec<KeyEdit> {
    let mut edits = Vec::new();
    if Task::of(record).is_some_and(|task| task.outcome.is_some() || task.outcome_detail.is_some()) {
        edits.extend(set(record, TASK, &[("outcome", None), ("outcome_detail", None)], dialect));
    }
    edits.extend(follow_status(record, status, None, dialect));
    edits
}

fn follow_status(record: &Record<'_>, status: &Status, reason: Option<&str>, dialect: Dialect) -> Vec<KeyEdit> {
    let Some(stored) = Workflow::of(record).map(|workflow| workflow.state) else { return Vec::new() };
    // Reopening an ended one, however it ended, starts it again.
    let now = issue::status_of(record);
    let current = if now.is_done() { stored.under(&now, None) } else { stored };
    let state = current.under(status, reason);
    if state == stored {
        return Vec::new();
    }
    set(record, WORKFLOW, &[("state", Some(crate::model::workflow::text(state.word())))], dialect)
}

/// The edit that sets values inside of an object of the line, or none if they are there.
fn set(record: &Record<'_>, object: &'static str, values: &[(&str, Option<Json>)], dialect: Dialect) -> Vec<KeyEdit> {
    let before = record.raw(object).filter(|raw| raw.starts_with('{')).unwrap_or("{}");
    let after = with(before, values, dialect);
    if after == before { Vec::new() } else { vec![(object, Some(after))] }
}

/// An object with some values set or removed; what says the same already, and all else, keeps its bytes.
fn with(object: &str, values: &[(&str, Option<Json>)], dialect: Dialect) -> String {
    let mut raw = object.to_owned();
    for (key, value) in values {
        let value = value.as_ref().map(|value| dialect.render(value));
        let Ok(now) = Record::parse_part(&raw) else { continue };
        let known = crate::model::merge::same_value(key, now.raw(key), value.as_deref());
        if !known {
            raw = now.with_key(key, value.as_deref(), dialect);
        }
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::super::workflow::*;
    use super::super::{Change, apply};
    use crate::model::time::Instant;

    const LINE: &str = r#"{"id":"bd-1","title":"T","status":"open","updated_at":"2025-01-01T00:00:00Z","workflow":{"id":"wf_1","state":"ready","max_parallel":2,"later":[1.0]}}"#;
    const STEP: &str = r#"{"id":"bd-2","title":"S","status":"open","updated_at":"2025-01-01T00:00:00Z","task":{"name":"s","later":1e400}}"#;

    fn changed(line: &str, changes: &[Change]) -> String {
        let now = Instant::parse("2026-01-02T03:04:05.678Z").unwrap();
        let stamp = Stamp { now, actor: "ann", dialect: Dialect::default() };
        apply(line, changes, stamp).unwrap().unwrap_or_else(|| line.to_owned())
    }

    fn to(state: State, reason: Option<&str>) -> Change {
        Change::Workflow(WorkflowEdit::Move { to: state, reason: reason.map(str::to_owned), merge_commit: None })
    }

    #[test]
    fn a_move_changes_state_and_status_and_nothing_else() {
        let started = changed(LINE, &[to(State::InProgress, None)]);
        assert!(started.contains(r#""status":"in_progress""#), "{started}");
        assert!(started.contains(r#""workflow":{"id":"wf_1","state":"in_progress","max_parallel":2,"later":[1.0]}"#));
        let paused = changed(&started, &[to(State::Paused, Some("lunch"))]);
        assert!(paused.contains(r#""status":"deferred""#) && paused.contains(r#""reason":"lunch""#), "{paused}");
        let resumed = changed(&paused, &[to(State::InProgress, None)]);
        assert!(!resumed.contains("lunch"), "{resumed}");
        assert_eq!(changed(&resumed, &[to(State::InProgress, None)]), resumed, "it stands so already");
        let over = changed(&resumed, &[to(State::Abandoned, Some("no need"))]);
        assert!(
            over.contains(r#""status":"closed""#) && over.contains(r#""close_reason":"abandoned: no need""#),
            "{over}"
        );
    }

    #[test]
    fn an_illegal_move_names_the_legal_ones() {
        let record = Record::parse(LINE).unwrap();
        let error = to(State::Completed, None).validate(&record).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bd-1 is ready and cannot become completed; legal now: in_progress (bd workflow start), abandoned (bd workflow abandon)"
        );
        let plain = Record::parse(STEP).unwrap();
        assert_eq!(to(State::Ready, None).validate(&plain).unwrap_err().to_string(), "bd-2 is not a workflow");
    }

    #[test]
    fn ordinary_commands_update_the_objects() {
        let closed = changed(LINE, &[Change::Close { reason: None }]);
        assert!(closed.contains(r#""state":"completed""#), "{closed}");
        let again = changed(&closed, &[Change::Reopen { comment: None }]);
        assert!(again.contains(r#""state":"ready""#), "{again}");
        let failed = TaskEdit::Failed { error: "boom".into(), attempts: 2 };
        let failed = changed(STEP, &[Change::Task(failed.clone())]);
        assert!(failed.contains(r#""task":{"name":"s","later":1e400,"last_error":"boom","attempts":2}"#), "{failed}");
        let done = changed(&failed, &[Change::Close { reason: Some("built".into()) }]);
        assert!(done.contains(r#""task":{"name":"s","later":1e400,"attempts":2,"outcome":"built"}"#), "{done}");
        assert!(!changed(&done, &[Change::Reopen { comment: None }]).contains("outcome"));
    }

    #[test]
    fn config_is_set_key_by_key() {
        let set = |key: &str, value: Option<&str>| {
            let value = value.map(|value| Json::Text(value.to_owned()));
            Change::Workflow(WorkflowEdit::Config { key: key.into(), value })
        };
        let one = changed(LINE, &[set("model", Some("big")), set("n", Some("1"))]);
        assert!(one.contains(r#""config":{"model":"big","n":"1"}"#), "{one}");
        let less = changed(&one, &[set("model", None)]);
        assert!(less.contains(r#""config":{"n":"1"}"#), "{less}");
        assert!(!changed(&less, &[set("n", None)]).contains("config"));
    }
}
