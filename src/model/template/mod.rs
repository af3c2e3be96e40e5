//! A template: a plan with `{{variables}}` in its texts, and what it says about them.
//!
//! Values are put in after the file was parsed, so a value is always text and never becomes a key, a table or a second task.
//! They are put in once: what looks like a variable inside of a value stays as it is. `{{{{` stands for a literal `{{`.

mod read;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{DocumentMut, value};

use super::nearest::nearest;
use super::plan::{self, Node, Plan, Problem, Value, Wrong};
pub use text::MAX_FILLED;
use text::{MAX_NAME, escape, fill};

/// Limits of a template.
pub const MAX_BYTES: u64 = 1 << 20;
pub const MAX_VARIABLES: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variable {
    pub name: String,
    pub description: Option<String>,
    pub default: Option<String>,
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub name: String,
    pub description: Option<String>,
    pub version: Option<String>,
    /// The default title of a workflow that is made from it.
    pub title: Option<String>,
    pub variables: Vec<Variable>,
    /// How many tasks it has.
    pub tasks: usize,
    /// The plan as it is written, and the title.
    body: Node,
}

/// Why a template could not be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillProblem {
    /// Variables without a value, and those that the template does not have.
    Variables { missing: Vec<Variable>, unknown: Vec<(String, Option<String>)> },
    /// The filled template is not a plan.
    Plan(Vec<Problem>),
}

/// A name that can be the name of a file, here and everywhere.
pub fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty()
        && text.len() <= MAX_NAME
        && text.bytes().all(fits)
        && text.as_bytes()[0].is_ascii_alphanumeric()
        && !text.contains("..")
}

impl Template {
    /// Everything that is wrong with a template that could be read: variables that it does not declare, and a plan that does not
    /// hold. Variables without a default stand for themselves.
    pub fn problems(&self) -> Vec<Problem> {
        let mut open_lines = BTreeSet::new();
        let declared: BTreeMap<&str, &Variable> = self.variables.iter().map(|one| (one.name.as_str(), one)).collect();
        let filled = self.filled(|name, line| match declared.get(name) {
            Some(Variable { default: Some(default), .. }) => Ok(default.clone()),
            Some(_) => {
                open_lines.insert(line);
                Ok(name.to_owned())
            }
            None => {
                let nearest = nearest(name, declared.keys().copied()).map(str::to_owned);
                Err(Wrong::Undeclared { name: name.to_owned(), nearest })
            }
        });
        let mut problems = match filled {
            Ok((_, body)) => plan::read_tree(&body).err().unwrap_or_default(),
            Err(problems) => return problems,
        };
        // The values are not known yet: only a kind can be wrong because of that.
        problems.retain(|one| !(matches!(one.wrong, Wrong::Kind { .. }) && open_lines.contains(&one.line)));
        problems
    }

    /// Variables that no text of the template uses.
    pub fn unused(&self) -> Vec<String> {
        let mut used = BTreeSet::new();
        let _ = self.filled(|name, _| {
            used.insert(name.to_owned());
            Ok(String::new())
        });
        self.variables.iter().map(|one| one.name.clone()).filter(|name| !used.contains(name)).collect()
    }

    /// The title and the plan with values in their texts, or everything that is wrong with these.
    fn filled(
        &self,
        mut value: impl FnMut(&str, usize) -> Result<String, Wrong>,
    ) -> Result<(Option<String>, Node), Vec<Problem>> {
        let (mut body, mut room, mut problems) = (self.body.clone(), MAX_FILLED, Vec::new());
        body.replace_texts(&mut |text, line| {
            fill(text, &mut room, |name| value(name, line)).unwrap_or_else(|wrongs| {
                problems.extend(wrongs.into_iter().map(|wrong| Problem::at(line, None, wrong)));
                String::new()
            })
        });
        if problems.is_empty() { Ok((take_title(&mut body), body)) } else { Err(problems) }
    }

    /// Puts values in; gives the plan, named by the template's title. All that is missing or unknown is told at once.
    pub fn fill(&self, given: &[(String, String)]) -> Result<Plan, FillProblem> {
        let names = || self.variables.iter().map(|one| one.name.as_str());
        let unknown = given.iter().filter(|(name, _)| !names().any(|known| known == name));
        let unknown: Vec<_> =
            unknown.map(|(name, _)| (name.clone(), nearest(name, names()).map(str::to_owned))).collect();
        let mut values: BTreeMap<&str, &str> = BTreeMap::new();
        let mut missing = Vec::new();
        for variable in &self.variables {
            let value = given.iter().rev().find(|(name, _)| *name == variable.name).map(|(_, value)| value.as_str());
            match value.or(variable.default.as_deref()).or((!variable.required).then_some("")) {
                Some("") | None if variable.required => missing.push(variable.clone()),
                value => drop(values.insert(&variable.name, value.unwrap_or_default())),
            }
        }
        if !missing.is_empty() || !unknown.is_empty() {
            return Err(FillProblem::Variables { missing, unknown });
        }
        let filled = self.filled(|name, _| match values.get(name) {
            Some(value) => Ok((*value).to_owned()),
            None => Err(Wrong::Undeclared { name: name.to_owned(), nearest: None }),
        });
        let (title, body) = filled.map_err(FillProblem::Plan)?;
        let plan = plan::read_tree(&body).map_err(FillProblem::Plan)?;
        Ok(Plan { name: title.filter(|title| !title.trim().is_empty()), ..plan })
    }

    /// The text of a template that makes such a plan again.
    pub fn text_of(name: &str, plan: &Plan) -> String {
        let mut plan = plan.clone();
        plan.replace_texts(escape);
        let title = plan.name.take();
        let mut document = DocumentMut::new();
        document.insert("name", value(name));
        document.insert("version", value(1));
        if let Some(title) = title {
            document.insert("title", value(title));
        }
        plan.put_toml(document.as_table_mut());
        document.to_string()
    }
}

/// Takes the title out of a body: a plan has none.
fn take_title(body: &mut Node) -> Option<String> {
    let Value::Table(entries) = &mut body.value else { return None };
    let at = entries.iter().position(|entry| entry.key == "title")?;
    match entries.remove(at).node.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
