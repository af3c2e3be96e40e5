//! Editing an issue as text.
//!
//! The sheet is written to a file outside of the repo and no lock is held while the editor runs. What the user changed is
//! applied only if nobody else changed the same field in the meantime.

use super::Result;
use crate::model::change::Change;
use crate::model::field::{self, Field};
use crate::model::issue::{Issue, Said};
use crate::store::{Access, Row, Scope, Store, Write, WriteError, Written};

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the line {0:?} is missing from the edited text")]
    Missing(String),
    #[error("{field} of {id} was changed by someone else while you edited it")]
    Overtaken { id: String, field: String },
    #[error("{id} was changed at {at}, after {known}")]
    Newer { id: String, known: String, at: String },
    #[error(transparent)]
    Editor(#[from] crate::sys::process::EditorError),
}

/// What is edited, each under its name.
fn sections() -> Vec<(Field, String)> {
    let texts = field::sections().map(|(field, name)| (field, name.to_lowercase()));
    std::iter::once((Field::Title, "title".to_owned())).chain(texts).collect()
}

/// What is shown in the editor and read back from it: each field under a heading that no field holds as a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditSheet {
    texts: Vec<String>,
    dashes: usize,
}

impl EditSheet {
    pub fn of(issue: &Issue) -> Self {
        let text = |(field, _)| match issue.said(field) {
            Said::Text(text) => text.to_owned(),
            _ => String::new(),
        };
        Self::new(sections().into_iter().map(text).collect())
    }

    fn new(texts: Vec<String>) -> Self {
        let names = sections();
        let clashes = |dashes: usize| {
            let headings: Vec<String> = names.iter().map(|(_, name)| heading(name, dashes)).collect();
            texts.iter().flat_map(|text| text.lines()).any(|line| headings.iter().any(|heading| heading == line))
        };
        let dashes = (3..).find(|dashes| !clashes(*dashes)).unwrap_or(3);
        EditSheet { texts, dashes }
    }

    pub fn render(&self) -> String {
        let mut out = String::new();
        for ((_, name), text) in sections().iter().zip(&self.texts) {
            out.push_str(&format!("{}\n{text}\n", heading(name, self.dashes)));
        }
        out
    }

    /// Reads back a text that was made by [`EditSheet::render`] of this sheet and edited.
    pub fn read_back(&self, text: &str) -> Result<Self> {
        let (sections, mut texts) = (sections(), Vec::new());
        let mut rest = text;
        for (n, (_, name)) in sections.iter().enumerate() {
            let line = heading(name, self.dashes);
            let after = rest.strip_prefix(&line).ok_or_else(|| EditError::Missing(line.clone()))?;
            let after = after.strip_prefix('\n').unwrap_or(after);
            let end = match sections.get(n + 1) {
                Some((_, next)) => {
                    let next = heading(next, self.dashes);
                    find_line(after, &next).ok_or(EditError::Missing(next))?
                }
                None => after.len(),
            };
            let body = &after[..end];
            texts.push(body.strip_suffix('\n').unwrap_or(body).to_owned());
            rest = &after[end..];
        }
        Ok(EditSheet { texts, dashes: self.dashes })
    }
}

fn heading(name: &str, dashes: usize) -> String {
    let line = "-".repeat(dashes);
    format!("{line} {name} {line}")
}

/// Where a line with exactly this text begins.
fn find_line(text: &str, line: &str) -> Option<usize> {
    let mut at = 0;
    for part in text.split_inclusive('\n') {
        if part.trim_end_matches('\n') == line {
            return Some(at);
        }
        at += part.len();
    }
    None
}

/// The copy of an issue that holds all that the user wrote: of a proposed one the planning copy; of one that they may not write
/// the project's, with their own notes.
pub fn own_copy(store: &mut Store, typed: &str) -> Result<Row> {
    let mut row = store.find(typed)?;
    let is_open = |row: &Row| row.issue.visibility.as_deref() == Some("proposed");
    if store.repos().members.len() < 2 {
        return Ok(row);
    }
    if store.access_to(&row)? != Access::Write {
        // The notes that this user can write are those beside it.
        let planned = store.copies(&row.issue.id)?.into_iter().find(|copy| store.is_planning(copy.repo));
        let beside = row.beside.clone().and_then(|beside| beside.notes);
        row.issue.notes = planned.map_or(beside, |copy| copy.issue.notes);
        return Ok(row);
    }
    if !is_open(&row) {
        return Ok(row);
    }
    let copies = store.copies(&row.issue.id)?;
    let own = copies.into_iter().find(|copy| store.is_planning(copy.repo) && is_open(copy));
    Ok(own.unwrap_or(row))
}

/// Applies the difference between what was shown and what came back.
pub fn apply_sheet(store: &mut Store, shown: &Row, sheet: &EditSheet) -> Result<Written> {
    let id = shown.issue.id.clone();
    let before = EditSheet::of(&shown.issue);
    let mut transaction = store.begin(Scope::Issues(vec![id.clone()]))?;
    transaction.store().refresh()?;
    let now = EditSheet::of(&own_copy(transaction.store(), &id)?.issue);
    let mut changes = Vec::new();
    for (n, (field, name)) in sections().into_iter().enumerate() {
        let text = &sheet.texts[n];
        if *text == before.texts[n] {
            continue;
        }
        if before.texts[n] != now.texts[n] {
            return Err(EditError::Overtaken { id, field: name }.into());
        }
        changes.push(match field {
            Field::Title => Change::Title(text.clone()),
            field => Change::Text(field, text.clone()),
        });
    }
    transaction.stage(Write::Change { id, changes })?;
    let answer = transaction.commit()?.into_iter().next().expect("one write gives one answer");
    answer.map_err(|error| super::OpError::Store(WriteError::into_store(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_comes_back_as_it_was() {
        let odd = [
            "",
            "one line",
            "two\nlines",
            "ends with a line feed\n",
            "\n\n",
            " blanks ",
            "a\n--- design ---\nb",
            "--- notes ---",
        ];
        for body in odd {
            let mut texts = vec![body.to_owned(); sections().len()];
            texts[1] = String::new();
            let sheet = EditSheet::new(texts);
            assert_eq!(sheet.read_back(&sheet.render()).unwrap(), sheet, "{body:?}");
        }
        let sheet = EditSheet::new(vec![String::new(); sections().len()]);
        assert!(sheet.read_back("no title\n").is_err());
        assert!(sheet.read_back("--- title ---\n--- description ---\n").is_err());
    }
}
