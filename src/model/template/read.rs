//! Reading a template: what it says of itself, and its plan as it is written.

use super::text::is_variable;
use super::{MAX_VARIABLES, Template, Variable};
use crate::model::plan::{self, Entry, Node, Problem, Reading, Value};

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
            match (entry.key.as_str(), &entry.node.value) {
                ("name", _) => {
                    if text_of(&mut found, &entry).is_some_and(|text| text != name) {
                        found.bad_text(entry.line, "name", format!("must be {name:?}, as the file is called"));
                    }
                }
                ("version", Value::Int(number)) => template.version = Some(number.to_string()),
                ("version", _) => template.version = text_of(&mut found, &entry),
                ("variables", _) => template.variables = variables(&mut found, &entry),
                (key, value) => {
                    match (key, value) {
                        ("title", _) => template.title = text_of(&mut found, &entry),
                        ("description", Value::Text(text)) => template.description = Some(text.clone()),
                        ("tasks", Value::List(tasks)) => template.tasks = tasks.len(),
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

/// A text of one line.
fn text_of(found: &mut Reading, entry: &Entry) -> Option<String> {
    match &entry.node.value {
        Value::Text(text) if text.contains(['\n', '\r']) => found.bad_text(entry.line, &entry.key, "must be one line"),
        Value::Text(text) => return Some(text.clone()),
        other => found.wrong_kind(entry.line, &entry.key, "a text", other),
    }
    None
}

fn variables(found: &mut Reading, entry: &Entry) -> Vec<Variable> {
    match &entry.node.value {
        Value::Table(entries) if entries.len() > MAX_VARIABLES => {
            found.too_many(entry.line, "variables", entries.len(), MAX_VARIABLES);
        }
        Value::Table(entries) => return entries.iter().filter_map(|entry| variable(found, entry)).collect(),
        other => found.wrong_kind(entry.line, "variables", "a table", other),
    }
    Vec::new()
}

fn variable(found: &mut Reading, entry: &Entry) -> Option<Variable> {
    let key = format!("variables.{}", entry.key);
    if !is_variable(&entry.key) {
        let problem = "is not a valid variable name: use letters, digits, - and _";
        found.bad_text(entry.line, &format!("{:?}", entry.key), problem);
        return None;
    }
    let Value::Table(parts) = &entry.node.value else {
        found.wrong_kind(entry.line, &key, "a table", &entry.node.value);
        return None;
    };
    let mut variable = Variable { name: entry.key.clone(), ..Variable::default() };
    let mut required = None;
    for part in parts {
        let inner = format!("{key}.{}", part.key);
        match (part.key.as_str(), &part.node.value) {
            ("default", Value::Text(text)) => variable.default = Some(text.clone()),
            ("default", Value::Int(number)) => variable.default = Some(number.to_string()),
            ("description", Value::Text(text)) => variable.description = Some(text.clone()),
            ("required", Value::Flag(flag)) => required = Some(*flag),
            ("default" | "description", other) => found.wrong_kind(part.line, &inner, "a text", other),
            ("required", other) => found.wrong_kind(part.line, &inner, "true or false", other),
            (other, _) => found.unknown_key(part.line, inner, other, VARIABLE_KEYS.iter().copied()),
        }
    }
    if required == Some(true) && variable.default.is_some() {
        found.bad_text(entry.line, &key, "has a default and is required; one of the two");
    }
    variable.required = required.unwrap_or(variable.default.is_none());
    Some(variable)
}
