//! Templates as JSON and as text.

use super::{Object, array, inline, plural};
use crate::coordination::templates::{Found, Saved};
use crate::model::template::Variable;

/// What is wrong with a template.
fn problems(one: &Found) -> Vec<String> {
    one.unread.iter().cloned().chain(one.problems.iter().map(ToString::to_string)).collect()
}

fn variable(one: &Variable) -> String {
    Object::new()
        .text("name", &one.name)
        .flag("required", one.required)
        .optional("default", one.default.as_deref())
        .optional("description", one.description.as_deref())
        .finish()
}

fn head(one: &Found) -> Object {
    let path = one.path.as_ref().map(|path| path.display().to_string());
    let template = one.template.as_ref();
    let problems = problems(one);
    let object = Object::new()
        .text("name", &one.name)
        .text("origin", one.origin.word())
        .optional("path", path.as_deref())
        .flag("hidden", one.is_hidden)
        .flag("usable", problems.is_empty())
        .optional("description", template.and_then(|one| one.description.as_deref()))
        .optional("version", template.and_then(|one| one.version.as_deref()))
        .optional("title", template.and_then(|one| one.title.as_deref()))
        .number("tasks", template.map_or(0, |one| one.tasks as i64))
        .raw("variables", &array(template.iter().flat_map(|one| &one.variables).map(variable)));
    object.texts("problems", problems)
}

pub fn templates(all: &[Found]) -> String {
    array(all.iter().map(|one| head(one).finish()))
}

pub fn template(one: &Found) -> String {
    let unused = one.template.as_ref().map(|template| template.unused()).unwrap_or_default();
    head(one).texts("unused", unused).text("text", &one.text).finish()
}

pub fn saved_template(saved: &Saved) -> String {
    Object::new()
        .text("name", &saved.name)
        .text("origin", saved.origin.word())
        .text("path", &saved.path.display().to_string())
        .number("tasks", saved.tasks as i64)
        .flag("replaced", saved.replaced)
        .finish()
}

/// A template as the cells of a table, escaped: name, place, tasks, what it is for.
pub fn template_line(one: &Found) -> [String; 4] {
    let wrong = problems(one);
    let said = match wrong.as_slice() {
        [] => one.template.as_ref().and_then(|one| one.description.clone()).unwrap_or_default(),
        [first] => format!("broken: {first}"),
        [first, more @ ..] => format!("broken: {first} (and {} more)", more.len()),
    };
    let place = if one.is_hidden { format!("{}, hidden", one.origin.word()) } else { one.origin.word().to_owned() };
    let tasks = one.template.as_ref().map_or_else(|| "-".to_owned(), |one| plural(one.tasks, "task"));
    [one.name.clone(), place, tasks, said].map(|cell| inline(&cell).into_owned())
}

/// The variables of a template, a line each, escaped.
pub fn variable_lines(one: &Found) -> Vec<String> {
    let variables = one.template.iter().flat_map(|template| &template.variables);
    let line = |one: &Variable| {
        let said = one.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        let value = match (&one.default, one.required) {
            (Some(text), _) => format!(" (default {text:?})"),
            (None, true) => " (required)".to_owned(),
            (None, false) => String::new(),
        };
        inline(&format!("{}{value}{said}", one.name)).into_owned()
    };
    variables.map(line).collect()
}
