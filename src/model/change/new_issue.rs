//! A new issue as a value, and its line.

use std::collections::{BTreeSet, HashSet};

use super::edits::edge;
use super::{ChangeError, Stamp, check_title};
use crate::model::dependency::DependencyType;
use crate::model::issue::{IssueType, Priority, Status};
use crate::model::json::Json;
use crate::model::proposal::Owner;
use crate::model::row::Row;
use crate::model::time::Instant;
use crate::model::workflow::{Task, Workflow};

/// An issue to be created.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewIssue {
    pub title: String,
    pub description: String,
    pub design: String,
    pub acceptance_criteria: String,
    pub notes: String,
    pub status: Status,
    pub priority: Priority,
    pub issue_type: IssueType,
    pub assignee: String,
    pub estimated_minutes: Option<i64>,
    pub due_at: Option<Instant>,
    pub defer_until: Option<Instant>,
    pub external_ref: String,
    pub spec_id: String,
    /// The caller's JSON, on one line.
    pub metadata: Option<String>,
    pub ephemeral: bool,
    pub labels: Vec<String>,
    pub dependencies: Vec<(String, DependencyType)>,
    /// Private: for a planning repo.
    pub local: bool,
    /// The project that it is planned for.
    pub project: Option<Owner>,
    /// For an issue that is a workflow.
    pub workflow: Option<Workflow>,
    /// For a task of a workflow.
    pub task: Option<Task>,
}

impl NewIssue {
    pub fn titled(title: impl Into<String>) -> Self {
        NewIssue { title: title.into(), ..NewIssue::default() }
    }

    pub fn validate(&self) -> Result<(), ChangeError> {
        check_title(&self.title)?;
        if self.labels.iter().any(|label| label.trim().is_empty()) {
            return Err(ChangeError::EmptyLabel);
        }
        if self.estimated_minutes.is_some_and(|minutes| minutes < 0) {
            return Err(ChangeError::NegativeEstimate);
        }
        Ok(())
    }

    /// The line of this issue under `id`.
    pub fn line(&self, id: &str, stamp: Stamp<'_>) -> Result<String, ChangeError> {
        self.validate()?;
        if self.dependencies.iter().any(|(target, _)| target == id) {
            return Err(ChangeError::SelfDependency(id.to_owned()));
        }
        let now = Json::Text(stamp.now.to_string());
        let date = |at: Option<Instant>| at.map(|at| Json::Text(at.to_string()));
        let text = |text: &str| (!text.is_empty()).then(|| Json::Text(text.to_owned()));
        let labels: BTreeSet<String> = self.labels.iter().map(|label| label.trim().to_owned()).collect();
        let labels: Vec<Json> = labels.into_iter().map(Json::Text).collect();
        let mut edges = self.dependencies.clone();
        let mut seen = HashSet::new();
        edges.retain(|edge| seen.insert(edge.clone()));
        let edges: Vec<Json> = edges.iter().map(|(target, kind)| Json::Raw(edge(id, target, kind, stamp))).collect();
        let started = (self.status.as_str() == "in_progress").then(|| now.clone());
        let closed = (self.status.as_str() == "closed").then(|| now.clone());
        let fields = [
            ("id", Some(Json::Text(id.to_owned()))),
            ("title", Some(Json::Text(self.title.clone()))),
            ("description", text(&self.description)),
            ("design", text(&self.design)),
            ("acceptance_criteria", text(&self.acceptance_criteria)),
            ("notes", text(&self.notes)),
            ("spec_id", text(&self.spec_id)),
            ("status", text(self.status.as_str())),
            ("priority", Some(Json::Int(self.priority.number()))),
            ("issue_type", text(self.issue_type.as_str())),
            ("assignee", text(&self.assignee)),
            ("estimated_minutes", self.estimated_minutes.map(Json::Int)),
            ("created_at", Some(now.clone())),
            ("created_by", text(stamp.actor)),
            ("updated_at", Some(now)),
            ("started_at", started),
            ("closed_at", closed),
            ("due_at", date(self.due_at)),
            ("defer_until", date(self.defer_until)),
            ("external_ref", text(&self.external_ref)),
            ("metadata", self.metadata.clone().map(Json::Raw)),
            ("labels", (!labels.is_empty()).then_some(Json::List(labels))),
            ("dependencies", (!edges.is_empty()).then_some(Json::List(edges))),
            ("ephemeral", self.ephemeral.then_some(Json::Bool(true))),
            ("visibility", self.local.then(|| Json::Text("local".to_owned()))),
            ("project", self.project.as_ref().map(|owner| Json::Raw(owner.render(stamp.dialect)))),
            ("workflow", self.workflow.as_ref().map(|workflow| Json::Raw(workflow.render(stamp.dialect)))),
            ("task", self.task.as_ref().map(|task| Json::Raw(task.render(stamp.dialect)))),
        ];
        let members = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        Ok(stamp.dialect.render(&Json::Object(members)))
    }
}
