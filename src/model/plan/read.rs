//! From the text of a plan file to a plan, or to everything that is wrong with it.

use super::tree::{Entry, Node, Value};
use super::{Format, MAX_LIST, MAX_TASKS, MAX_TEXT, Plan, PlannedTask, Problem, Wrong, check, tree};
use crate::model::issue::{IssueType, Priority};
use crate::model::nearest::nearest;

const PLAN_KEYS: &[&str] = &[
    "name",
    "description",
    "plan_summary",
    "max_parallel",
    "auto_workspace",
    "source_type",
    "source_ref",
    "source_content",
    "tasks",
];

const TASK_KEYS: &[&str] = &[
    "name",
    "title",
    "description",
    "acceptance",
    "sequence",
    "parallel_group",
    "depends_on",
    "informs",
    "context_from",
    "plan",
    "plan_summary",
    "context",
    "priority",
    "issue_type",
    "type",
    "labels",
    "assignee",
    "estimate",
    "repo",
];

/// A plan as it was read, before it is known whether it holds.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub plan: Plan,
    /// The line in which each task begins.
    lines: Vec<usize>,
    problems: Vec<Problem>,
}

impl Draft {
    /// Of a plan that was not read from a file.
    pub fn of(plan: Plan) -> Self {
        Draft { lines: vec![0; plan.tasks.len()], plan, problems: Vec::new() }
    }

    /// The plan, if it holds by itself; else everything that is wrong with it, in the order of lines.
    pub fn settle(self) -> Result<Plan, Vec<Problem>> {
        let problems = self.problems(&[]);
        if problems.is_empty() { Ok(self.plan) } else { Err(problems) }
    }

    /// Everything that is wrong with it, where it may also name these tasks, which are there already.
    pub fn problems(&self, known: &[&str]) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        problems.extend(check::check_at(&self.plan, &self.lines, known));
        problems.sort_by_key(|problem| if problem.line == 0 { usize::MAX } else { problem.line });
        problems
    }
}

/// Reads a plan. The problems are in the order of their lines.
pub fn read(text: &str, format: Format) -> Result<Plan, Vec<Problem>> {
    draft(text, format).map_err(|problem| vec![problem])?.settle()
}

/// Reads a plan whose names may mean something elsewhere; only a text that is no TOML or JSON at all is refused.
pub fn draft(text: &str, format: Format) -> Result<Draft, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tree = match format {
        Format::Toml => tree::from_toml(text),
        Format::Json => tree::from_json(text),
    };
    Ok(draft_of(&tree?))
}

/// Reads a plan whose text is parsed already.
pub fn read_tree(root: &Node) -> Result<Plan, Vec<Problem>> {
    draft_of(root).settle()
}

fn draft_of(root: &Node) -> Draft {
    let mut found = Reading::default();
    let (plan, lines) = found.plan(root);
    Draft { plan, lines, problems: found.problems }
}

/// What is found on the way.
#[derive(Default)]
struct Reading {
    /// The task that is being read.
    task: Option<String>,
    problems: Vec<Problem>,
}

impl Reading {
    fn problem(&mut self, line: usize, wrong: Wrong) {
        self.problems.push(Problem { line, task: self.task.clone(), wrong });
    }

    fn plan(&mut self, root: &Node) -> (Plan, Vec<usize>) {
        let (mut plan, mut lines) = (Plan::default(), Vec::new());
        let Value::Table(entries) = &root.value else {
            self.wrong_kind(root, "a plan", "a table");
            return (plan, lines);
        };
        let mut has_tasks = false;
        for entry in entries {
            let Entry { key, line, node } = entry;
            match key.as_str() {
                "name" => plan.name = self.line_of_text(key, node),
                "description" => plan.description = self.text(key, node),
                "plan_summary" => plan.plan_summary = self.text(key, node),
                "max_parallel" => plan.max_parallel = self.max_parallel(node),
                "auto_workspace" => plan.auto_workspace = self.flag(key, node),
                "source_type" => plan.source_type = self.line_of_text(key, node),
                "source_ref" => plan.source_ref = self.line_of_text(key, node),
                "source_content" => plan.source_content = self.text(key, node),
                "tasks" => {
                    has_tasks = true;
                    (plan.tasks, lines) = self.tasks(node);
                }
                _ => self.unknown_key(key, *line, PLAN_KEYS),
            }
        }
        if !has_tasks {
            self.problem(0, Wrong::NoTasks);
        }
        (plan, lines)
    }

    fn tasks(&mut self, node: &Node) -> (Vec<PlannedTask>, Vec<usize>) {
        let Value::List(items) = &node.value else {
            self.wrong_kind(node, "tasks", "a list of tables");
            return (Vec::new(), Vec::new());
        };
        if items.is_empty() {
            self.problem(node.line, Wrong::NoTasks);
        }
        if items.len() > MAX_TASKS {
            let wrong = Wrong::TooMany { what: "tasks".to_owned(), found: items.len(), most: MAX_TASKS };
            self.problem(node.line, wrong);
            // The rest would be judged for nothing.
            return (Vec::new(), Vec::new());
        }
        let mut lines = Vec::new();
        let mut tasks = Vec::new();
        for item in items {
            if let Some((task, line)) = self.one_task(item) {
                tasks.push(task);
                lines.push(line);
            }
        }
        self.task = None;
        (tasks, lines)
    }

    fn one_task(&mut self, node: &Node) -> Option<(PlannedTask, usize)> {
        self.task = None;
        let Value::Table(entries) = &node.value else {
            self.wrong_kind(node, "a task", "a table");
            return None;
        };
        let named = entries.iter().find(|entry| entry.key == "name");
        // A table of an array begins where its first key does.
        let line = named.or(entries.first()).map_or(node.line, |entry| entry.line);
        if let Some(Value::Text(name)) = named.map(|entry| &entry.node.value) {
            self.task = Some(name.clone()).filter(|name| !name.trim().is_empty());
        }
        let mut task = PlannedTask::default();
        for Entry { key, line, node } in entries {
            match key.as_str() {
                // What a name may be is one of the rules.
                "name" => task.name = self.text(key, node).unwrap_or_default(),
                "title" => task.title = self.line_of_text(key, node),
                "description" => task.description = self.text(key, node),
                "acceptance" => task.acceptance = self.text(key, node),
                "sequence" => task.sequence = self.number(key, node, "a number from 0 on"),
                "parallel_group" => task.parallel_group = self.word(key, node),
                "depends_on" => task.depends_on = self.texts(key, node),
                "informs" => task.informs = self.texts(key, node),
                "context_from" => task.context_from = self.texts(key, node),
                "plan" => task.plan = self.text(key, node),
                "plan_summary" => task.plan_summary = self.text(key, node),
                "context" => task.context = self.text(key, node),
                "priority" => task.priority = self.priority(node),
                "issue_type" | "type" => {
                    if task.issue_type.is_some() {
                        self.problem(*line, Wrong::Twice { key: "type", other: "issue_type" });
                    }
                    task.issue_type = self.line_of_text(key, node).map(|word| IssueType::typed(&word));
                }
                "labels" => task.labels = self.texts(key, node),
                "assignee" => task.assignee = self.line_of_text(key, node),
                "estimate" => task.estimate = self.number(key, node, "a number of minutes"),
                "repo" => task.repo = self.line_of_text(key, node),
                _ => self.unknown_key(key, *line, TASK_KEYS),
            }
        }
        Some((task, line))
    }

    fn unknown_key(&mut self, key: &str, line: usize, known: &[&str]) {
        let nearest = nearest(key, known.iter().copied()).map(str::to_owned);
        self.problem(line, Wrong::UnknownKey { key: key.to_owned(), nearest });
    }

    fn wrong_kind(&mut self, node: &Node, key: &str, wanted: &'static str) {
        let found = node.value.kind().to_owned();
        self.problem(node.line, Wrong::Kind { key: key.to_owned(), wanted, found });
    }

    /// A text; one that says nothing is none.
    fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        let Value::Text(text) = &node.value else {
            self.wrong_kind(node, key, "a text");
            return None;
        };
        if text.len() > MAX_TEXT {
            let problem = format!("is longer than {MAX_TEXT} bytes");
            self.problem(node.line, Wrong::Text { key: key.to_owned(), problem });
            return None;
        }
        Some(text.clone()).filter(|text| !text.is_empty())
    }

    fn line_of_text(&mut self, key: &str, node: &Node) -> Option<String> {
        let text = self.text(key, node)?;
        if text.contains(['\n', '\r']) {
            self.problem(node.line, Wrong::Text { key: key.to_owned(), problem: "must be one line".to_owned() });
            return None;
        }
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// A text, or a number as one.
    fn word(&mut self, key: &str, node: &Node) -> Option<String> {
        match node.value {
            Value::Int(number) => Some(number.to_string()),
            _ => self.line_of_text(key, node),
        }
    }

    fn flag(&mut self, key: &str, node: &Node) -> Option<bool> {
        let Value::Flag(flag) = node.value else {
            self.wrong_kind(node, key, "true or false");
            return None;
        };
        Some(flag)
    }

    fn number(&mut self, key: &str, node: &Node, wanted: &'static str) -> Option<i64> {
        match node.value {
            Value::Int(number) if number >= 0 => Some(number),
            Value::Int(number) => {
                let found = number.to_string();
                self.problem(node.line, Wrong::Kind { key: key.to_owned(), wanted, found });
                None
            }
            _ => {
                self.wrong_kind(node, key, wanted);
                None
            }
        }
    }

    fn max_parallel(&mut self, node: &Node) -> Option<u32> {
        const WANTED: &str = "a number from 1 on";
        match (self.number("max_parallel", node, WANTED)?, node.value.kind()) {
            (number @ 1.., _) if u32::try_from(number).is_ok() => u32::try_from(number).ok(),
            (number, _) => {
                let (key, found) = ("max_parallel".to_owned(), number.to_string());
                self.problem(node.line, Wrong::Kind { key, wanted: WANTED, found });
                None
            }
        }
    }

    fn priority(&mut self, node: &Node) -> Option<Priority> {
        let text = match &node.value {
            Value::Int(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            other => other.kind().to_owned(),
        };
        let priority = Priority::typed(&text).ok();
        if priority.is_none() {
            let wrong = Wrong::Kind { key: "priority".to_owned(), wanted: "0 to 4, or P0 to P4", found: text };
            self.problem(node.line, wrong);
        }
        priority
    }

    fn texts(&mut self, key: &str, node: &Node) -> Vec<String> {
        let Value::List(items) = &node.value else {
            self.wrong_kind(node, key, "a list of texts");
            return Vec::new();
        };
        if items.len() > MAX_LIST {
            self.problem(node.line, Wrong::TooMany { what: key.to_owned(), found: items.len(), most: MAX_LIST });
            return Vec::new();
        }
        let mut texts: Vec<String> = Vec::new();
        for item in items {
            match self.line_of_text(key, item) {
                Some(text) if !texts.contains(&text) => texts.push(text),
                Some(_) => {}
                None if matches!(&item.value, Value::Text(text) if text.trim().is_empty()) => {
                    let problem = "has an empty text in it".to_owned();
                    self.problem(item.line, Wrong::Text { key: key.to_owned(), problem });
                }
                None => {}
            }
        }
        texts
    }
}
