//! A template: a plan with `{{variables}}` in its texts, and what it says about them.
//!
//! Values are put in after the file was parsed, so a value is always text and never becomes a key, a table or a second task.
//! They are put in once: what looks like a variable inside of a value stays as it is. `{{{{` stands for a literal `{{`.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{DocumentMut, value};

use super::nearest::nearest;
use super::plan::{self, Entry, Node, Plan, Problem, Value, Wrong};

/// What a template may have at most.
pub const MAX_BYTES: u64 = 1 << 20;
pub const MAX_VARIABLES: usize = 64;
/// All texts together, after the values were put in.
pub const MAX_FILLED: usize = 4 << 20;
const MAX_NAME: usize = 64;

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
const LITERAL: &str = "{{{{";

const VARIABLE_KEYS: &[&str] = &["default", "required", "description"];

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
    /// What a workflow that is made from it is called, if nothing else is said.
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
    Variables {
        missing: Vec<Variable>,
        unknown: Vec<(String, Option<String>)>,
    },
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

fn is_variable(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty()
        && text.len() <= MAX_NAME
        && text.bytes().all(fits)
        && (text.as_bytes()[0].is_ascii_alphabetic() || text.starts_with('_'))
}

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

    /// Everything that is wrong with a template that could be read: variables that it does not declare, and a plan that does not
    /// hold. Variables without a default stand for themselves.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut open_lines = BTreeSet::new();
        let mut body = self.body.clone();
        let declared: BTreeMap<&str, &Variable> = self.variables.iter().map(|one| (one.name.as_str(), one)).collect();
        let mut check = |text: &str, line: usize| {
            let filled = fill(text, |name| match declared.get(name) {
                Some(variable) => {
                    if variable.default.is_none() {
                        open_lines.insert(line);
                    }
                    Ok(variable.default.clone().unwrap_or_else(|| name.to_owned()))
                }
                None => {
                    let nearest = nearest(name, declared.keys().copied()).map(str::to_owned);
                    Err(Wrong::Undeclared { name: name.to_owned(), nearest })
                }
            });
            Ok::<String, ()>(filled.unwrap_or_else(|wrongs| {
                problems.extend(wrongs.into_iter().map(|wrong| Problem { line, task: None, wrong }));
                text.to_owned()
            }))
        };
        let _ = body.replace_texts(&mut check);
        if problems.is_empty() {
            take_title(&mut body);
            let found = plan::read_tree(&body).err().unwrap_or_default();
            // What a value will be is not known yet: only its kind can be wrong because of that.
            let open = |one: &Problem| matches!(one.wrong, Wrong::Kind { .. }) && open_lines.contains(&one.line);
            problems.extend(found.into_iter().filter(|one| !open(one)));
        }
        problems
    }

    /// Variables that no text of the template uses.
    pub fn unused(&self) -> Vec<String> {
        let mut used = BTreeSet::new();
        let mut note = |text: &str, _| {
            let _ = fill(text, |name| {
                used.insert(name.to_owned());
                Ok(String::new())
            });
            Ok::<String, ()>(text.to_owned())
        };
        let _ = self.body.clone().replace_texts(&mut note);
        self.variables.iter().map(|one| one.name.clone()).filter(|name| !used.contains(name)).collect()
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
            let said = given.iter().rev().find(|(name, _)| *name == variable.name).map(|(_, value)| value.as_str());
            match said.or(variable.default.as_deref()).or((!variable.required).then_some("")) {
                Some("") | None if variable.required => missing.push(variable.clone()),
                value => drop(values.insert(&variable.name, value.unwrap_or_default())),
            }
        }
        if !missing.is_empty() || !unknown.is_empty() {
            return Err(FillProblem::Variables { missing, unknown });
        }
        let mut problems = Vec::new();
        let mut size = 0;
        let mut body = self.body.clone();
        let mut put = |text: &str, line: usize| {
            let filled = fill(text, |name| match values.get(name) {
                Some(value) => Ok((*value).to_owned()),
                None => Err(Wrong::Undeclared { name: name.to_owned(), nearest: None }),
            });
            let filled = filled.unwrap_or_else(|wrongs| {
                problems.extend(wrongs.into_iter().map(|wrong| Problem { line, task: None, wrong }));
                String::new()
            });
            size += filled.len();
            if size > MAX_FILLED {
                return Err(Problem { line, task: None, wrong: Wrong::TooLarge { most: MAX_FILLED } });
            }
            Ok(filled)
        };
        if let Err(problem) = body.replace_texts(&mut put) {
            problems.push(problem);
        }
        if !problems.is_empty() {
            return Err(FillProblem::Plan(problems));
        }
        let title = take_title(&mut body);
        let plan = plan::read_tree(&body).map_err(FillProblem::Plan)?;
        Ok(Plan { name: title.filter(|title| !title.trim().is_empty()), ..plan })
    }

    /// The text of a template that makes such a plan again.
    pub fn text_of(name: &str, plan: &Plan) -> String {
        let mut plan = plan.clone();
        escape(&mut plan);
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

/// Puts values into a text, or says everything that is wrong with it.
fn fill(text: &str, mut value: impl FnMut(&str) -> Result<String, Wrong>) -> Result<String, Vec<Wrong>> {
    let mut out = String::with_capacity(text.len());
    let mut wrong = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix(LITERAL) {
            out.push_str(OPEN);
            rest = after;
            continue;
        }
        let inner = &rest[OPEN.len()..];
        let Some(end) = inner.find(CLOSE) else {
            wrong.push(Wrong::Placeholder { text: shortened(rest) });
            return Err(wrong);
        };
        let name = inner[..end].trim();
        if is_variable(name) {
            match value(name) {
                Ok(value) => out.push_str(&value),
                Err(problem) => wrong.push(problem),
            }
        } else {
            wrong.push(Wrong::Placeholder { text: shortened(&rest[..OPEN.len() + end + CLOSE.len()]) });
        }
        rest = &inner[end + CLOSE.len()..];
    }
    out.push_str(rest);
    if wrong.is_empty() { Ok(out) } else { Err(wrong) }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Makes every text of a plan one that is filled in as itself.
fn escape(plan: &mut Plan) {
    let one = |text: &mut String| *text = text.replace(OPEN, LITERAL);
    let maybe = |text: &mut Option<String>| text.iter_mut().for_each(one);
    [&mut plan.name, &mut plan.description, &mut plan.plan_summary].into_iter().for_each(maybe);
    [&mut plan.source_type, &mut plan.source_ref, &mut plan.source_content].into_iter().for_each(maybe);
    for task in &mut plan.tasks {
        one(&mut task.name);
        [&mut task.title, &mut task.description, &mut task.acceptance, &mut task.parallel_group, &mut task.plan]
            .into_iter()
            .for_each(maybe);
        [&mut task.plan_summary, &mut task.context, &mut task.assignee, &mut task.repo].into_iter().for_each(maybe);
        [&mut task.depends_on, &mut task.informs, &mut task.context_from, &mut task.labels]
            .into_iter()
            .for_each(|names| names.iter_mut().for_each(one));
        if let Some(kind) = &mut task.issue_type {
            *kind = super::issue::IssueType::new(kind.as_str().replace(OPEN, LITERAL));
        }
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
            let problem = "is no name for a variable: letters, digits, - and _".to_owned();
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
name = "ship"
version = 2
title = "Ship {{what}}"
description = "How {{ what }} is shipped"
[variables.what]
description = "what to ship"
[variables.where]
default = "home"
[[tasks]]
name = "build-{{what}}"
labels = ["{{where}}"]
plan = "a literal {{{{what}} and {{what}}"
[[tasks]]
name = "send"
depends_on = ["build-{{what}}"]
"#;

    fn template(text: &str) -> Template {
        Template::read("ship", text).unwrap()
    }

    fn given(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn problems(text: &str) -> Vec<String> {
        let found = match Template::read("ship", text) {
            Ok(template) => template.problems(),
            Err(problems) => problems,
        };
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn values_go_into_every_text() {
        let plan = template(TEXT).fill(&given(&[("what", "x")])).unwrap();
        assert_eq!(plan.name.as_deref(), Some("Ship x"));
        assert_eq!(plan.description.as_deref(), Some("How x is shipped"));
        assert_eq!(plan.tasks[0].name, "build-x");
        assert_eq!(plan.tasks[0].labels, ["home"]);
        assert_eq!(plan.tasks[0].plan.as_deref(), Some("a literal {{what}} and x"));
        assert_eq!(plan.tasks[1].depends_on, ["build-x"]);
        assert_eq!(problems(TEXT), [""; 0]);
    }

    #[test]
    fn a_value_stays_a_value() {
        let odd = "x\"\n[[tasks]]\nname = \"evil\"\n{{where}}";
        let plan = template(TEXT).fill(&given(&[("what", "y"), ("where", odd)]));
        let FillProblem::Plan(found) = plan.unwrap_err() else { panic!("a label is one line") };
        assert_eq!(found.len(), 1, "{found:?}");
        let text = TEXT.replace("plan = \"a literal {{{{what}} and {{what}}\"", "plan = \"{{where}}\"");
        let plan =
            template(&text.replace("labels = [\"{{where}}\"]", "")).fill(&given(&[("what", "y"), ("where", odd)]));
        let plan = plan.unwrap();
        assert_eq!((plan.tasks.len(), plan.tasks[0].plan.as_deref()), (2, Some(odd)));
    }

    #[test]
    fn all_missing_and_unknown_variables_at_once() {
        let text = TEXT.replace("default = \"home\"", "required = true");
        let FillProblem::Variables { missing, unknown } = template(&text).fill(&given(&[("wat", "x")])).unwrap_err()
        else {
            panic!("variables are missing")
        };
        assert_eq!(missing.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["what", "where"]);
        assert_eq!(unknown, [("wat".to_owned(), Some("what".to_owned()))]);
    }

    #[test]
    fn what_is_wrong_with_a_template() {
        let text = "name = \"other\"\nversion = [1]\n[variables.a]\ndefault = \"x\"\nrequired = true\n[variables.\"b c\"]\n[variables.d]\nreqired = true\n";
        assert_eq!(
            problems(text),
            [
                "line 1: name must be \"ship\", as the file is called",
                "line 2: version must be a text, not a list",
                "line 3: variables.a has a default and is required; one of the two",
                "line 6: \"b c\" is no name for a variable: letters, digits, - and _",
                "line 8: unknown key \"variables.d.reqired\"; did you mean \"required\"?",
            ]
        );
        let text = "[variables.what]\n[[tasks]]\nname = \"{{wat}}\"\nplan = \"{{ a b }} {{open\"\n";
        assert_eq!(
            problems(text),
            [
                "line 3: {{wat}} is no variable of this template; did you mean \"what\"?",
                "line 4: \"{{ a b }}\" is no variable; a literal {{ is written {{{{",
                "line 4: \"{{open\" is no variable; a literal {{ is written {{{{",
            ]
        );
        let text = "[variables.p]\n[[tasks]]\nname = \"a\"\npriority = \"{{p}}\"\ndepends_on = [\"b\"]\n";
        assert_eq!(problems(text), ["line 3: task \"a\": depends_on names \"b\", which is no task of this plan"]);
        let text = "[variables.p]\n[variables.q]\n[[tasks]]\nname = \"{{p}}\"\n";
        assert_eq!(template(text).unused(), ["q"]);
    }

    #[test]
    fn a_saved_plan_comes_back() {
        let mut plan = template(TEXT).fill(&given(&[("what", "x")])).unwrap();
        plan.tasks[1].description = Some("{{{ odd }}} {{x}}\n\"\"\"'''\\".to_owned());
        let text = Template::text_of("again", &plan);
        let again = Template::read("again", &text).unwrap();
        assert_eq!(again.problems(), []);
        assert_eq!(again.fill(&[]).unwrap(), plan);
    }

    #[test]
    fn names_stay_in_their_directory() {
        for good in ["feature", "a.b", "X-1_2"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "../a", "a\\b", ".hidden", "-x", "a..b", "ä", "a b", "a\n", &"x".repeat(65)]
        {
            assert!(!is_name(bad), "{bad:?}");
        }
    }
}
