//! From the text of a plan file to a plan, or to everything that is wrong with it.

use super::fields::{Fields, Slot};
use super::tree::{Entry, Node, Value};
use super::{Format, MAX_LIST, MAX_TASKS, MAX_TEXT, Plan, PlannedTask, Problem, Wrong, check, tree};
use crate::model::issue::{IssueType, Priority};
use crate::model::nearest::nearest;

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

/// Reads a plan whose names may mean something elsewhere; only a text that is neither TOML nor JSON is refused.
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
pub struct Reading {
    /// The task that is being read.
    task: Option<String>,
    pub problems: Vec<Problem>,
}

impl Reading {
    pub fn problem(&mut self, line: usize, wrong: Wrong) {
        self.problems.push(Problem { line, task: self.task.clone(), wrong });
    }

    pub fn unknown_key<'a>(&mut self, line: usize, key: String, last: &str, known: impl IntoIterator<Item = &'a str>) {
        let nearest = nearest(last, known).map(str::to_owned);
        self.problem(line, Wrong::UnknownKey { key, nearest });
    }

    /// The value is none of its key.
    pub fn wrong_kind(&mut self, line: usize, key: &str, wanted: &'static str, value: &Value) {
        self.not_wanted(line, key, wanted, value.kind().to_owned());
    }

    fn not_wanted(&mut self, line: usize, key: &str, wanted: &'static str, found: String) {
        self.problem(line, Wrong::Kind { key: key.to_owned(), wanted, found });
    }

    /// What is wrong with the text of a key.
    pub fn bad_text(&mut self, line: usize, key: &str, problem: impl Into<String>) {
        self.problem(line, Wrong::Text { key: key.to_owned(), problem: problem.into() });
    }

    pub fn too_many(&mut self, line: usize, what: &str, found: usize, most: usize) {
        self.problem(line, Wrong::TooMany { what: what.to_owned(), found, most });
    }

    fn plan(&mut self, root: &Node) -> (Plan, Vec<usize>) {
        let (mut plan, mut tasks) = (Plan::default(), None);
        let Value::Table(entries) = &root.value else {
            self.wrong_kind(root.line, "a plan", "a table", &root.value);
            return (plan, Vec::new());
        };
        let mut fields = plan.fields();
        for entry in entries {
            if entry.key == "tasks" {
                tasks = Some(self.tasks(&entry.node));
            } else {
                self.entry(entry, &entry.key, &mut fields, "tasks");
            }
        }
        if tasks.is_none() {
            self.problem(0, Wrong::NoTasks);
        }
        let (tasks, lines) = tasks.unwrap_or_default();
        (Plan { tasks, ..plan }, lines)
    }

    fn tasks(&mut self, node: &Node) -> (Vec<PlannedTask>, Vec<usize>) {
        let Value::List(items) = &node.value else {
            self.wrong_kind(node.line, "tasks", "a list of tables", &node.value);
            return Default::default();
        };
        if items.is_empty() {
            self.problem(node.line, Wrong::NoTasks);
        }
        if items.len() > MAX_TASKS {
            self.too_many(node.line, "tasks", items.len(), MAX_TASKS);
            // The rest would be judged for nothing.
            return Default::default();
        }
        let found = items.iter().filter_map(|item| self.one_task(item)).unzip();
        self.task = None;
        found
    }

    fn one_task(&mut self, node: &Node) -> Option<(PlannedTask, usize)> {
        self.task = None;
        let Value::Table(entries) = &node.value else {
            self.wrong_kind(node.line, "a task", "a table", &node.value);
            return None;
        };
        let named = entries.iter().find(|entry| entry.key == "name");
        // A table of an array begins where its first key does.
        let line = named.or(entries.first()).map_or(node.line, |entry| entry.line);
        if let Some(Value::Text(name)) = named.map(|entry| &entry.node.value) {
            self.task = Some(name.clone()).filter(|name| !name.trim().is_empty());
        }
        let mut task = PlannedTask::default();
        let mut fields = task.fields();
        for entry in entries {
            let key = if entry.key == "type" { "issue_type" } else { &entry.key };
            self.entry(entry, key, &mut fields, "type");
        }
        Some((task, line))
    }

    /// Puts a value where its key belongs; `also` is a key that is not among the fields.
    fn entry(&mut self, Entry { key: typed, line, node }: &Entry, key: &str, fields: &mut Fields<'_>, also: &str) {
        let Some((_, slot)) = fields.iter_mut().find(|(name, _)| *name == key) else {
            let known = fields.iter().map(|(name, _)| *name).chain([also]);
            return self.unknown_key(*line, typed.clone(), typed, known);
        };
        match slot {
            Slot::Name(place) => **place = self.text(typed, node).unwrap_or_default(),
            Slot::Text(place) => **place = self.text(typed, node),
            Slot::Line(place) => **place = self.line_of_text(typed, node),
            Slot::Word(place) => {
                **place = match node.value {
                    Value::Int(number) => Some(number.to_string()),
                    _ => self.line_of_text(typed, node),
                }
            }
            Slot::Texts(place) => **place = self.texts(typed, node),
            Slot::Flag(place) => {
                **place = match &node.value {
                    Value::Flag(flag) => Some(*flag),
                    other => {
                        self.wrong_kind(node.line, typed, "true or false", other);
                        None
                    }
                }
            }
            Slot::Number(place, wanted) => **place = self.number(typed, node, wanted, 0),
            Slot::Limit(place) => **place = self.number(typed, node, "a number from 1 on", 1),
            Slot::Priority(place) => **place = self.priority(typed, node),
            Slot::Type(place) => {
                if place.is_some() {
                    self.problem(*line, Wrong::Twice { key: "type", other: "issue_type" });
                }
                **place = self.line_of_text(typed, node).map(|word| IssueType::typed(&word));
            }
        }
    }

    /// A text; one that says nothing is none.
    fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) if text.len() > MAX_TEXT => {
                self.bad_text(node.line, key, format!("is longer than {MAX_TEXT} bytes"));
                None
            }
            Value::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            other => {
                self.wrong_kind(node.line, key, "a text", other);
                None
            }
        }
    }

    fn line_of_text(&mut self, key: &str, node: &Node) -> Option<String> {
        let text = self.text(key, node)?;
        if text.contains(['\n', '\r']) {
            self.bad_text(node.line, key, "must be one line");
            return None;
        }
        Some(text).filter(|text| !text.trim().is_empty())
    }

    fn number<T: TryFrom<i64>>(&mut self, key: &str, node: &Node, wanted: &'static str, least: i64) -> Option<T> {
        let number = match node.value {
            Value::Int(number) => T::try_from(number).ok().filter(|_| number >= least).ok_or(number.to_string()),
            _ => Err(node.value.kind().to_owned()),
        };
        number.map_err(|found| self.not_wanted(node.line, key, wanted, found)).ok()
    }

    fn priority(&mut self, key: &str, node: &Node) -> Option<Priority> {
        let text = match &node.value {
            Value::Int(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            other => other.kind().to_owned(),
        };
        let priority = Priority::typed(&text).ok();
        if priority.is_none() {
            self.not_wanted(node.line, key, "0 to 4, or P0 to P4", text);
        }
        priority
    }

    fn texts(&mut self, key: &str, node: &Node) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        match &node.value {
            Value::List(items) if items.len() > MAX_LIST => self.too_many(node.line, key, items.len(), MAX_LIST),
            Value::List(items) => {
                for item in items {
                    match self.line_of_text(key, item) {
                        Some(text) if !texts.contains(&text) => texts.push(text),
                        None if matches!(&item.value, Value::Text(text) if text.trim().is_empty()) => {
                            self.bad_text(item.line, key, "has an empty text in it");
                        }
                        _ => {}
                    }
                }
            }
            other => self.wrong_kind(node.line, key, "a list of texts", other),
        }
        texts
    }
}
