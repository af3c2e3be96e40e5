//! Editing an issue as text.
//!
//! The sheet is written to a file outside of the repo and no lock is held while the editor runs. What the user changed is
//! applied only if nobody else changed the same field in the meantime.

use super::Result;
use crate::model::change::{Change, TextField};
use crate::model::issue::Issue;
use crate::store::{Row, Store, Write, WriteError, Written};

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the sheet has no line {0:?}")]
    Missing(&'static str),
    #[error("{field} of {id} was changed by someone else while you edited it")]
    Overtaken { id: String, field: &'static str },
    #[error(transparent)]
    Editor(#[from] crate::sys::process::EditorError),
}

const SECTIONS: [(&str, TextField); 4] = [
    ("--- description ---", TextField::Description),
    ("--- design ---", TextField::Design),
    ("--- acceptance criteria ---", TextField::AcceptanceCriteria),
    ("--- notes ---", TextField::Notes),
];

/// What is shown in the editor and read back from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditSheet {
    title: String,
    sections: [String; 4],
}

fn field_of(issue: &Issue, field: TextField) -> &str {
    let text = match field {
        TextField::Description => &issue.description,
        TextField::Design => &issue.design,
        TextField::AcceptanceCriteria => &issue.acceptance_criteria,
        TextField::Notes => &issue.notes,
        TextField::Assignee | TextField::ExternalRef | TextField::Owner => &None,
    };
    text.as_deref().unwrap_or_default()
}

impl EditSheet {
    pub fn of(issue: &Issue) -> Self {
        EditSheet { title: issue.title.clone(), sections: SECTIONS.map(|(_, field)| field_of(issue, field).to_owned()) }
    }

    pub fn render(&self) -> String {
        let mut text = format!("title: {}\n", self.title);
        for ((heading, _), body) in SECTIONS.iter().zip(&self.sections) {
            text.push_str(heading);
            text.push('\n');
            text.push_str(body);
            text.push('\n');
        }
        text
    }

    pub fn parse(text: &str) -> Result<Self> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let title = first.strip_prefix("title:").ok_or(EditError::Missing("title: …"))?.trim().to_owned();
        let mut sections: [String; 4] = Default::default();
        let mut rest = rest;
        for (n, (heading, _)) in SECTIONS.iter().enumerate() {
            let after =
                rest.strip_prefix(heading).and_then(|r| r.strip_prefix('\n').or_else(|| r.is_empty().then_some(r)));
            let after = after.ok_or(EditError::Missing(heading))?;
            let end = match SECTIONS.get(n + 1) {
                Some((next, _)) => find_line(after, next).ok_or(EditError::Missing(next))?,
                None => after.len(),
            };
            let body = &after[..end];
            sections[n] = body.strip_suffix('\n').unwrap_or(body).to_owned();
            rest = &after[end..];
        }
        Ok(EditSheet { title, sections })
    }
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

/// Applies the difference between what was shown and what came back.
pub fn apply_sheet(store: &mut Store, shown: &Row, sheet: &EditSheet) -> Result<Written> {
    let id = shown.issue.id.clone();
    let before = EditSheet::of(&shown.issue);
    let mut transaction = store.begin()?;
    transaction.store().refresh()?;
    let now = transaction.store().find(&id)?;
    let current = EditSheet::of(&now.issue);
    let mut changes = Vec::new();
    if sheet.title != before.title {
        refuse_overtaken(&id, "title", &before.title, &current.title)?;
        changes.push(Change::Title(sheet.title.clone()));
    }
    for (n, (_, field)) in SECTIONS.into_iter().enumerate() {
        if sheet.sections[n] != before.sections[n] {
            refuse_overtaken(&id, field.key(), &before.sections[n], &current.sections[n])?;
            changes.push(Change::Text(field, sheet.sections[n].clone()));
        }
    }
    transaction.stage(Write::Change { id, changes })?;
    let answer = transaction.commit()?.into_iter().next().expect("one write gives one answer");
    answer.map_err(|error| super::OpError::Store(WriteError::into_store(error)))
}

fn refuse_overtaken(id: &str, field: &'static str, before: &str, now: &str) -> Result<()> {
    if before == now {
        return Ok(());
    }
    Err(EditError::Overtaken { id: id.to_owned(), field }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_comes_back_as_it_was() {
        for body in ["", "one line", "two\nlines", "ends with a line feed\n", "\n\n", "title: x\n--- other ---"] {
            let sheet =
                EditSheet { title: "T".into(), sections: [body.into(), String::new(), body.into(), body.into()] };
            assert_eq!(EditSheet::parse(&sheet.render()).unwrap(), sheet, "{body:?}");
        }
        assert!(EditSheet::parse("no title\n").is_err());
        assert!(EditSheet::parse("title: x\n--- description ---\n").is_err());
    }
}
