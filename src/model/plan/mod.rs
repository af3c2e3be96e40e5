//! A plan: the tasks of a workflow before they are issues, and what is wrong with it.
//!
//! Owns the format of plan files (TOML and JSON say the same), the rules that a plan must keep, and how it is written. Problems
//! are found all at once, each with its task and line, so that no one has to repair a file one error at a time. A key that means
//! nothing is a problem: a typo must not make a dependency vanish.

mod check;
mod fields;
mod order;
mod read;
mod revise;
mod tree;
mod write;

use std::fmt;

pub use order::{waits_among, waits_for};
pub use read::{Draft, Reading, draft, read, read_tree};
pub use revise::{Current, Fixed, Revision, drop_tasks, extend, revise};
pub use tree::{Entry, Node, Value, from_toml};

use super::issue::{IssueType, Priority};

/// Limits of a plan: more than anybody plans, and little enough to be held and judged at once.
pub const MAX_TASKS: usize = 1000;
pub const MAX_BYTES: u64 = 4 << 20;
pub const MAX_TEXT: usize = 256 << 10;
pub const MAX_NAME: usize = 128;
pub const MAX_LIST: usize = 1000;
pub const MAX_EDGES: usize = 10_000;

/// The tasks of a workflow, and what the workflow itself is to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub name: Option<String>,
    pub description: Option<String>,
    pub plan_summary: Option<String>,
    pub max_parallel: Option<u32>,
    pub auto_workspace: Option<bool>,
    /// Where the work comes from: prompt, github_issue, linear, jira, custom, or another word.
    pub source_type: Option<String>,
    pub source_ref: Option<String>,
    pub source_content: Option<String>,
    pub tasks: Vec<PlannedTask>,
}

/// A task before it is an issue. It is named by its name; ids come later.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedTask {
    pub name: String,
    /// The name, if nothing is said.
    pub title: Option<String>,
    pub description: Option<String>,
    pub acceptance: Option<String>,
    /// It waits for all tasks with a lower number; without one, only for what it depends on.
    pub sequence: Option<i64>,
    pub parallel_group: Option<String>,
    /// Tasks that must be done before this one.
    pub depends_on: Vec<String>,
    /// Tasks that learn from this one and need not wait for it.
    pub informs: Vec<String>,
    /// Tasks whose outcome is handed to this one.
    pub context_from: Vec<String>,
    pub plan: Option<String>,
    pub plan_summary: Option<String>,
    pub context: Option<String>,
    pub priority: Option<Priority>,
    pub issue_type: Option<IssueType>,
    pub labels: Vec<String>,
    pub assignee: Option<String>,
    /// Minutes.
    pub estimate: Option<i64>,
    /// The repo that the task belongs to, by name, path or `rp_` id.
    pub repo: Option<String>,
}

impl PlannedTask {
    pub fn named(name: impl Into<String>) -> Self {
        PlannedTask { name: name.into(), ..PlannedTask::default() }
    }

    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

impl Plan {
    pub fn task(&self, name: &str) -> Option<&PlannedTask> {
        self.tasks.iter().find(|task| task.name == name)
    }
}

/// How a plan is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Toml,
    Json,
}

impl Format {
    /// By the extension of its file, else by how the text begins.
    pub fn of(file_name: Option<&str>, text: &str) -> Self {
        let extension = file_name.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension.to_lowercase());
        match extension.as_deref() {
            Some("toml") => Format::Toml,
            Some("json") => Format::Json,
            _ if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') => Format::Json,
            _ => Format::Toml,
        }
    }
}

/// One thing that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// From 1; 0 where no line is known.
    pub line: usize,
    pub task: Option<String>,
    pub wrong: Wrong,
}

impl Problem {
    pub fn at(line: usize, task: Option<&str>, wrong: Wrong) -> Self {
        Problem { line, task: task.map(str::to_owned), wrong }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if let Some(task) = &self.task {
            write!(f, "task {task:?}: ")?;
        }
        write!(f, "{}", self.wrong)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("{0}")]
    Syntax(String),
    #[error("unknown key {key:?}{}", meant(nearest))]
    UnknownKey { key: String, nearest: Option<String> },
    #[error("{key} must be {wanted}, not {found}")]
    Kind { key: String, wanted: &'static str, found: String },
    #[error("{key} and {other} are the same; one of them is enough")]
    Twice { key: &'static str, other: &'static str },
    #[error("a task needs a name")]
    NoName,
    #[error("{key} {problem}")]
    Text { key: String, problem: String },
    #[error("a second task of this name; the first is in line {first}")]
    Duplicate { first: usize },
    #[error("a task of this name exists already")]
    Taken,
    #[error("{key} names {name:?}, which is not a task of this plan{}", meant(nearest))]
    UnknownTask { key: &'static str, name: String, nearest: Option<String> },
    #[error("{key} names the task itself")]
    OnItself { key: &'static str },
    #[error("a circle of dependencies: {}", circle(path))]
    Cycle { path: Vec<String> },
    #[error("{found} {what} are too many; the limit is {most}")]
    TooMany { what: String, found: usize, most: usize },
    #[error(
        "its numbers and dependencies make {found} edges; {most} are the most. A task with a number between two large steps makes them few"
    )]
    TooManyEdges { found: usize, most: usize },
    #[error("a plan needs at least one task: [[tasks]] with a name")]
    NoTasks,
    #[error("{{{{{name}}}}} is not a variable of this template{}", meant(nearest))]
    Undeclared { name: String, nearest: Option<String> },
    #[error("{text:?} is not a variable; a literal {{{{ is written {{{{{{{{")]
    Placeholder { text: String },
    #[error("the texts are longer than {most} bytes together")]
    TooLarge { most: usize },
}

/// `; did you mean "x"?`, if there is something near.
pub fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default()
}

/// A cycle as a way back to where it began.
fn circle(path: &[String]) -> String {
    let mut names: Vec<&str> = path.iter().map(String::as_str).collect();
    names.extend(path.first().map(String::as_str));
    names.join(" → ")
}

#[cfg(test)]
mod tests;
