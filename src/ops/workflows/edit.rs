//! Changing the description of a workflow, except its state.

use super::{Flow, flow};
use crate::model::change::{Change, WorkflowEdit};
use crate::model::json::Json;
use crate::ops::Result;
use crate::store::Store;

/// What to change; everything else stays.
#[derive(Debug, Clone, Default)]
pub struct WorkflowChange {
    pub title: Option<String>,
    pub max_parallel: Option<i64>,
    pub auto_workspace: Option<bool>,
    /// Texts of the object by key; an empty one is removed.
    pub texts: Vec<(&'static str, String)>,
    /// Keys of `config`; `None` removes one.
    pub config: Vec<(String, Option<String>)>,
}

impl WorkflowChange {
    /// Nothing to change.
    pub fn is_empty(&self) -> bool {
        self.title.is_none()
            && self.max_parallel.is_none()
            && self.auto_workspace.is_none()
            && self.texts.is_empty()
            && self.config.is_empty()
    }
}

/// Changes a workflow, and returns its new state.
pub fn edit_workflow(store: &mut Store, typed: &str, wish: WorkflowChange) -> Result<Flow> {
    let id = store.find_workflow(typed)?.id().to_owned();
    let set = |key, value| Change::Workflow(WorkflowEdit::Set { key, value });
    let mut changes: Vec<Change> = wish.title.into_iter().map(Change::Title).collect();
    changes.extend(wish.max_parallel.map(|most| set("max_parallel", Some(Json::Int(most)))));
    changes.extend(wish.auto_workspace.map(|flag| set("auto_workspace", Some(Json::Bool(flag)))));
    for (key, text) in wish.texts {
        changes.push(set(key, (!text.is_empty()).then_some(Json::Text(text))));
    }
    for (key, value) in wish.config {
        changes.push(Change::Workflow(WorkflowEdit::Config { key, value: value.map(Json::Text) }));
    }
    if !changes.is_empty() {
        store.update(&id, changes)?;
    }
    flow(store, &id)
}
