//! Reading a template: what it says of itself, and its plan as it is written.

use super::text::is_variable;
use super::{MAX_VARIABLES, Template, Variable};
use crate::model::nearest::nearest;
use crate::model::plan::{self, Entry, Node, Problem, Value, Wrong};

const VARIABLE_KEYS: &[&str] = &["default", "required", "description"];

impl Template {
    /// Reads a template that goes by a name; every problem of it at once. Whether its plan holds is seen with
    /// [`Template::problems`].
    pub fn read(name: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let root = plan::from_toml(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|problem| vec![problem])?;
        let Value::Table(entries) = root.value else { return Err(Vec::new()) };
        let mut found = Reading::default();
        let mut template = Template {
            name: name.to_owned(),
            description: None,
            version: None,
            title: None,
            variables: Vec::new(),
            tasks: 0,
            body: Node { value: Value::Table(Vec::new()), line: 1 },
        };
        let mut body = Vec::new();
        for entry in entries {
            match entry.key.as_str() {
                "name" => {
                    let said = found.text(&entry);
                    if said.as_deref().is_some_and(|said| said != name) {
                        let problem = format!("must be {name:?}, as the file is called");
                        found.problem(entry.line, Wrong::Text { key: "name".to_owned(), problem });
                    }
                }
                "version" => {
                    template.version = match &entry.node.value {
                        Value::Int(number) => Some(number.to_string()),
                        _ => found.text(&entry),
                    }
                }
                "variables" => template.variables = found.variables(&entry),
                "title" => {
                    template.title = found.text(&entry);
                    body.push(entry);
                }
                _ => {
                    match (&entry.node.value, entry.key.as_str()) {
                        (Value::Text(text), "description") => template.description = Some(text.clone()),
                        (Value::List(tasks), "tasks") => template.tasks = tasks.len(),
                        _ => {}
                    }
                    body.push(entry);
                }
            }
        }
        template.body.value = Value::Table(body);
        if found.problems.is_empty() { Ok(template) } else { Err(found.problems) }
    }
}

#[derive(Default)]
struct Reading {
    problems: Vec<Problem>,
}

impl Reading {
    fn problem(&mut self, line: usize, wrong: Wrong) {
        self.problems.push(Problem { line, task: None, wrong });
    }

    fn text(&mut self, entry: &Entry) -> Option<String> {
        match &entry.node.value {
            Value::Text(text) if text.contains(['\n', '\r']) => {
                let problem = "must be one line".to_owned();
                self.problem(entry.line, Wrong::Text { key: entry.key.clone(), problem });
                None
            }
            Value::Text(text) => Some(text.clone()),
            other => {
                let found = other.kind().to_owned();
                self.problem(entry.line, Wrong::Kind { key: entry.key.clone(), wanted: "a text", found });
                None
            }
        }
    }

    fn variables(&mut self, entry: &Entry) -> Vec<Variable> {
        let Value::Table(entries) = &entry.node.value else {
            let found = entry.node.value.kind().to_owned();
            self.problem(entry.line, Wrong::Kind { key: "variables".to_owned(), wanted: "a table", found });
            return Vec::new();
        };
        if entries.len() > MAX_VARIABLES {
            let (what, found) = ("variables".to_owned(), entries.len());
            self.problem(entry.line, Wrong::TooMany { what, found, most: MAX_VARIABLES });
            return Vec::new();
        }
        entries.iter().filter_map(|entry| self.variable(entry)).collect()
    }

    fn variable(&mut self, entry: &Entry) -> Option<Variable> {
        let key = |inner: &str| format!("variables.{}.{inner}", entry.key);
        if !is_variable(&entry.key) {
            let problem = "is not a valid variable name: use letters, digits, - and _".to_owned();
            self.problem(entry.line, Wrong::Text { key: format!("{:?}", entry.key), problem });
            return None;
        }
        let Value::Table(parts) = &entry.node.value else {
            let (key, found) = (format!("variables.{}", entry.key), entry.node.value.kind().to_owned());
            self.problem(entry.line, Wrong::Kind { key, wanted: "a table", found });
            return None;
        };
        let mut variable = Variable { name: entry.key.clone(), ..Variable::default() };
        let mut required = None;
        for part in parts {
            match (part.key.as_str(), &part.node.value) {
                ("default", Value::Text(text)) => variable.default = Some(text.clone()),
                ("default", Value::Int(number)) => variable.default = Some(number.to_string()),
                ("description", Value::Text(text)) => variable.description = Some(text.clone()),
                ("required", Value::Flag(flag)) => required = Some(*flag),
                ("default" | "description", other) => {
                    let found = other.kind().to_owned();
                    self.problem(part.line, Wrong::Kind { key: key(&part.key), wanted: "a text", found });
                }
                ("required", other) => {
                    let found = other.kind().to_owned();
                    self.problem(part.line, Wrong::Kind { key: key("required"), wanted: "true or false", found });
                }
                (other, _) => {
                    let nearest = nearest(other, VARIABLE_KEYS.iter().copied()).map(str::to_owned);
                    self.problem(part.line, Wrong::UnknownKey { key: key(other), nearest });
                }
            }
        }
        if required == Some(true) && variable.default.is_some() {
            let problem = "has a default and is required; one of the two".to_owned();
            self.problem(entry.line, Wrong::Text { key: format!("variables.{}", entry.key), problem });
        }
        variable.required = required.unwrap_or(variable.default.is_none());
        Some(variable)
    }
}
