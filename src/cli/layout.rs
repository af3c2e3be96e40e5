//! How a listing is laid out where a person or a script chose that: ids alone, columns, or a template.

use unicode_width::UnicodeWidthStr as _;

use super::ui::Ui;
use super::width::shortened;
use crate::model::field::Field;
use crate::model::issue::Said;
use crate::model::when::Calendar;
use crate::store::Row;
use crate::view::{Failure, inline};

/// What is printed of each issue.
#[derive(Debug, Default)]
pub enum Layout {
    #[default]
    Table,
    Ids,
    Columns(Vec<Field>),
    Template(Vec<Piece>),
}

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Field(Field),
}

/// What can be named, in the order in which it is offered.
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
    /// These fields, each in a column.
    pub fn columns(names: &[String]) -> Result<Self, Failure> {
        Ok(Layout::Columns(names.iter().map(|name| field(name)).collect::<Result<_, _>>()?))
    }

    /// A line for each issue, made from a text with fields in braces.
    pub fn template(text: &str) -> Result<Self, Failure> {
        Ok(Layout::Template(template(text)?))
    }
}

fn name(field: Field) -> &'static str {
    field.row().asked.and_then(|(_, names)| names.first().copied()).unwrap_or(field.key())
}

fn field(typed: &str) -> Result<Field, Failure> {
    let typed = typed.trim();
    let lower = typed.to_lowercase();
    let found = Field::asked_as(&lower).or_else(|| Field::of(&lower)).filter(|field| KNOWN.contains(field));
    found.ok_or_else(|| {
        let known: Vec<&str> = KNOWN.iter().map(|field| name(*field)).collect();
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

/// What a field of an issue says, on one line; empty if it has no value.
fn value(row: &Row, field: Field, calendar: &Calendar) -> String {
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
        _ => match issue.said(field) {
            Said::Nothing => String::new(),
            Said::Text(text) => text.to_owned(),
            Said::Number(number) => number.to_string(),
            Said::Time(time) => calendar.date(time.instant),
        },
    };
    inline(&text).into_owned()
}

/// Prints issues as it was asked for; `false` if that is the usual table.
pub fn print<'a>(ui: &mut Ui, layout: Layout, rows: impl IntoIterator<Item = &'a Row>) -> bool {
    let calendar = ui.calendar();
    let rows = rows.into_iter();
    match layout {
        Layout::Table => return false,
        Layout::Ids => rows.for_each(|row| ui.line(&inline(&row.issue.id))),
        Layout::Template(pieces) => {
            for row in rows {
                let each = pieces.iter().map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Field(field) => value(row, *field, &calendar),
                });
                ui.line(&each.collect::<String>());
            }
        }
        Layout::Columns(fields) => {
            let cells = rows.map(|row| fields.iter().map(|field| value(row, *field, &calendar)).collect());
            let cells: Vec<Vec<String>> = cells.collect();
            let widths: Vec<usize> =
                (0..fields.len()).map(|n| cells.iter().map(|line| line[n].width()).max().unwrap_or(0)).collect();
            let last = fields.len() - 1;
            let before: usize = widths[..last].iter().map(|width| width + 2).sum();
            for line in &cells {
                let mut text = String::new();
                for (n, cell) in line[..last].iter().enumerate() {
                    text.push_str(cell);
                    text.push_str(&" ".repeat(widths[n] - cell.width() + 2));
                }
                match ui.width() {
                    Some(width) => text.push_str(&shortened(&line[last], width.saturating_sub(before).max(20))),
                    None => text.push_str(&line[last]),
                }
                ui.line(text.trim_end());
            }
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
            assert!(read(bad).is_err_and(|said| said.starts_with(start)), "{bad}: {:?}", read(bad));
        }
    }
}
