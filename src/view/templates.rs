//! Templates as JSON and as text.

use super::answer::{answer, each};
use super::escape::{inline, plural};
use crate::model::template::Variable;
use crate::ops::templates::{Found, Saved};

/// The problems of a template.
fn problems(one: &Found) -> Vec<String> {
    one.unread.iter().cloned().chain(one.problems.iter().map(ToString::to_string)).collect()
}

answer! {
    fn variable(one: &Variable) {
        name: &one.name, required: one.required, default: &one.default, description: &one.description,
    }

    /// A template, without its text.
    pub fn template_head(one: &Found) {
        name: &one.name, origin: one.origin.word(), path: &one.path, hidden: one.is_hidden, usable: problems(one).is_empty(),
        description: one.template.as_ref().and_then(|one| one.description.as_ref()),
        version: one.template.as_ref().and_then(|one| one.version.as_ref()),
        title: one.template.as_ref().and_then(|one| one.title.as_ref()),
        tasks: one.template.as_ref().map_or(0, |one| one.tasks),
        variables: each(one.template.iter().flat_map(|one| &one.variables), variable),
        problems: problems(one),
    }

    pub fn template(one: &Found) {
        ..template_head(one), unused: one.template.as_ref().map(|template| template.unused()).unwrap_or_default(),
        text: &one.text,
    }

    pub fn saved_template(saved: &Saved) {
        name: &saved.name, origin: saved.origin.word(), path: &saved.path, tasks: saved.tasks, replaced: saved.replaced,
    }
}

/// A template as the cells of a table, escaped: name, place, tasks, purpose.
pub fn template_line(one: &Found) -> [String; 4] {
    let wrong = problems(one);
    let purpose = match wrong.as_slice() {
        [] => one.template.as_ref().and_then(|one| one.description.clone()).unwrap_or_default(),
        [first] => format!("broken: {first}"),
        [first, more @ ..] => format!("broken: {first} (and {} more)", more.len()),
    };
    let place = if one.is_hidden { format!("{}, hidden", one.origin.word()) } else { one.origin.word().to_owned() };
    let tasks = one.template.as_ref().map_or_else(|| "-".to_owned(), |one| plural(one.tasks, "task"));
    [one.name.clone(), place, tasks, purpose].map(|cell| inline(&cell).into_owned())
}

/// The variables of a template, one per line, escaped.
pub fn variable_lines(one: &Found) -> Vec<String> {
    let variables = one.template.iter().flat_map(|template| &template.variables);
    let line = |one: &Variable| {
        let purpose = one.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        let value = match (&one.default, one.required) {
            (Some(text), _) => format!(" (default {text:?})"),
            (None, true) => " (required)".to_owned(),
            (None, false) => String::new(),
        };
        inline(&format!("{}{value}{purpose}", one.name)).into_owned()
    };
    variables.map(line).collect()
}
