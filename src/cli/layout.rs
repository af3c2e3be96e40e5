//! Layouts of listings chosen by a person or a script: only ids, columns, or a template.

use super::render;
use super::ui::Ui;
use crate::model::field::Field;
use crate::model::issue::FieldValue;
use crate::model::when::Calendar;
use crate::store::Row;
use crate::view::{Failure, inline, one_line};

/// What to print of each issue.
#[derive(Debug, Default)]
pub(super) enum Layout {
    #[default]
    Table,
    Ids,
    Columns(Vec<Field>),
    Template(Vec<Piece>),
}

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Field(Field),
}

/// The available fields, in order.
const KNOWN: &[Field] = &[
    Field::Id,
    Field::Title,
    Field::Status,
    Field::Priority,
    Field::Type,
    Field::Assignee,
    Field::Author,
    Field::Owner,
    Field::Label,
    Field::Parent,
    Field::Repo,
    Field::Visibility,
    Field::ExternalRef,
    Field::Estimate,
    Field::Created,
    Field::Updated,
    Field::Started,
    Field::Closed,
    Field::Due,
    Field::Defer,
    Field::CloseReason,
    Field::Description,
    Field::Design,
    Field::AcceptanceCriteria,
    Field::Notes,
];

impl Layout {
    /// A column for each of these fields.
    pub(super) fn columns(names: &[String]) -> Result<Self, Failure> {
        Ok(Layout::Columns(names.iter().map(|name| field(name)).collect::<Result<_, _>>()?))
    }

    /// A line for each issue, from a text with fields in braces.
    pub(super) fn template(text: &str) -> Result<Self, Failure> {
        let pieces = template(text)?;
        if !text.is_empty() && !pieces.iter().any(|piece| matches!(piece, Piece::Field(_))) {
            let failure = Failure::usage(format!("--format {text:?} names no field"));
            return Err(failure.shell("put fields in braces, as in '{id} {title}'; `bd graph` draws the dependencies"));
        }
        Ok(Layout::Template(pieces))
    }
}

fn name(field: Field) -> &'static str {
    field.row().queried.and_then(|(_, names)| names.first().copied()).unwrap_or(field.key())
}

/// The names of the fields that can be columns.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|field| name(*field))
}

fn field(typed: &str) -> Result<Field, Failure> {
    let typed = typed.trim();
    let lower = typed.to_lowercase();
    let found = Field::queried_as(&lower).or_else(|| Field::of(&lower)).filter(|field| KNOWN.contains(field));
    found.ok_or_else(|| {
        let known: Vec<&str> = names().collect();
        Failure::usage(format!("unknown field {typed:?}; known: {}", known.join(" ")))
    })
}

fn template(text: &str) -> Result<Vec<Piece>, Failure> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.as_str().starts_with(c) => plain.extend(chars.next()),
            '{' => {
                let unclosed = || Failure::usage(format!("a brace is not closed in --format {text:?}"));
                let (name, rest) = chars.as_str().split_once('}').ok_or_else(unclosed)?;
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Field(field(name)?));
                chars = rest.chars();
            }
            '\\' => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('\\') | None => plain.push('\\'),
                Some(other) => plain.extend(['\\', other]),
            },
            c => plain.push(c),
        }
    }
    pieces.push(Piece::Text(plain));
    Ok(pieces)
}

/// The value of an issue's field on one line; empty if it has none.
fn value(row: &Row, field: Field, ui: &Ui, calendar: &Calendar) -> String {
    let issue = &row.issue;
    let text = match field {
        Field::Id => issue.id.clone(),
        Field::Status => issue.status.to_string(),
        Field::Priority => issue.priority.to_string(),
        Field::Type => issue.issue_type.to_string(),
        Field::Label => issue.labels.join(","),
        Field::Parent => issue.parent().unwrap_or_default().to_owned(),
        Field::Repo => row.source_repo.clone(),
        Field::Visibility => issue.visibility.clone().unwrap_or_else(|| "canonical".to_owned()),
        _ => match issue.value(field) {
            FieldValue::Nothing => String::new(),
            FieldValue::Text(text) => text.to_owned(),
            FieldValue::Number(number) => number.to_string(),
            FieldValue::Time(time) => calendar.date(time.instant),
        },
    };
    shown(ui, &text)
}

/// A person sees invisible characters escaped; a program gets the original text.
fn shown(ui: &Ui, text: &str) -> String {
    if ui.width().is_some() { inline(text) } else { one_line(text) }.into_owned()
}

/// Prints issues in the requested layout; `false` if that is the usual table.
pub(super) fn print<'a>(ui: &mut Ui, layout: Layout, rows: impl IntoIterator<Item = &'a Row>) -> bool {
    let calendar = ui.calendar();
    let rows = rows.into_iter();
    match layout {
        Layout::Table => return false,
        Layout::Ids => rows.for_each(|row| {
            let id = shown(ui, &row.issue.id);
            ui.line(&id);
        }),
        Layout::Template(pieces) => {
            for row in rows {
                let each = pieces.iter().map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Field(field) => value(row, *field, ui, &calendar),
                });
                let line: String = each.collect();
                ui.line(&line);
            }
        }
        Layout::Columns(fields) => {
            let cells = |row: &Row| fields.iter().map(|field| value(row, *field, ui, &calendar)).collect();
            let heading = fields.iter().map(|field| name(*field).to_uppercase()).collect();
            let heading = ui.width().map(|_| heading);
            let lines: Vec<Vec<String>> = heading.into_iter().chain(rows.map(cells)).collect();
            render::columns(ui, "", &lines);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_read() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let read = |typed: &str| template(typed).map_err(|failure| failure.message);
        assert_eq!(read("{id}\\t{{x}}"), Ok(vec![text(""), Piece::Field(Field::Id), text("\t{x}")]));
        assert_eq!(read("{ID}: {labels}").map(|pieces| pieces.len()), Ok(5));
        assert_eq!(read(""), Ok(vec![text("")]));
        for (bad, start) in [
            ("{colour}", "unknown field \"colour\"; known: id title status"),
            ("{id", "a brace is not closed"),
            ("{", "a brace is not closed"),
            ("{}", "unknown field \"\""),
            ("{text}", "unknown field \"text\""),
        ] {
            assert!(read(bad).is_err_and(|message| message.starts_with(start)), "{bad}: {:?}", read(bad));
        }
    }
}
