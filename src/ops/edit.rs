//! Editing an issue as text.
//!
//! The form is written to a file outside of the repo, and no lock is held while the editor runs. The user's changes are
//! applied only if no one else changed the same field in the meantime.

use super::change::refuse_cycles;
use super::{EditError, Filing, OpError, Result, check_type};
use crate::model::change::{Change, NewIssue};
use crate::model::field::{self, Field};
use crate::model::issue::{FieldValue, Issue, Priority};
use crate::model::query::is_none;
use crate::model::when::{Bare, Calendar, When};
use crate::store::{Access, Row, Scope, Store, StoreError, Write, WriteError, Written};

/// The part of the form with short values.
const DETAILS: &str = "details";

/// The short values, in order; the id is shown but cannot be changed.
const ID: &str = "id";
const NAMES: [&str; 5] = ["type", "priority", "labels", "due", "parent"];

/// The long texts, each under its name.
fn texts() -> Vec<(Field, String)> {
    let texts = field::sections().map(|(field, name)| (field, name.to_lowercase()));
    std::iter::once((Field::Title, "title".to_owned())).chain(texts).collect()
}

/// The names of all values of the form: the long texts, then the short ones.
fn parts() -> Vec<(Option<Field>, String)> {
    let texts = texts().into_iter().map(|(field, name)| (Some(field), name));
    texts.chain(NAMES.map(|name| (None, name.to_owned()))).collect()
}

/// The headings of the form.
fn sections() -> Vec<String> {
    let mut names: Vec<String> = texts().into_iter().map(|(_, name)| name).collect();
    names.insert(1, DETAILS.to_owned());
    names
}

/// The text shown in the editor and parsed afterwards: each part under a heading that no part contains as a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditSheet {
    /// `None` for an issue that is not filed yet.
    id: Option<String>,
    /// As [`parts`] names them.
    values: Vec<String>,
    dashes: usize,
}

impl EditSheet {
    fn of(issue: &Issue, calendar: &Calendar) -> Self {
        let text = |(field, _)| match issue.value(field) {
            FieldValue::Text(text) => text.to_owned(),
            _ => String::new(),
        };
        let details = [
            issue.issue_type.to_string(),
            issue.priority.to_string(),
            issue.labels.join(", "),
            issue.due_at.as_ref().map(|time| calendar.date(time.instant)).unwrap_or_default(),
            issue.parent().unwrap_or_default().to_owned(),
        ];
        Self::new(Some(issue.id.clone()), details, texts().into_iter().map(text).collect())
    }

    fn new(id: Option<String>, details: [String; NAMES.len()], texts: Vec<String>) -> Self {
        // A short value must be a single line.
        let details = details.map(|value| value.replace(['\n', '\r'], " ").trim().to_owned());
        Self::with(id, texts.into_iter().chain(details).collect())
    }

    fn with(id: Option<String>, values: Vec<String>) -> Self {
        let names = sections();
        let clashes = |dashes: usize| {
            let headings: Vec<String> = names.iter().map(|name| heading(name, dashes)).collect();
            values.iter().flat_map(|text| text.lines()).any(|line| headings.iter().any(|heading| heading == line))
        };
        let dashes = (3..).find(|dashes| !clashes(*dashes)).unwrap_or(3);
        EditSheet { id, values, dashes }
    }

    /// It is the form of this issue.
    pub fn is_of(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id)
    }

    pub fn title(&self) -> &str {
        self.values[0].trim()
    }

    pub fn render(&self) -> String {
        let mut out = String::new();
        for (n, name) in sections().iter().enumerate() {
            out.push_str(&heading(name, self.dashes));
            out.push('\n');
            match n {
                0 => out.push_str(&self.values[0]),
                1 => out.push_str(&self.details_text()),
                n => out.push_str(&self.values[n - 1]),
            }
            out.push('\n');
        }
        out
    }

    fn details_text(&self) -> String {
        let hint = match self.id {
            Some(_) => "# An empty form changes nothing.",
            None => "# Without a title nothing is filed.",
        };
        let details = &self.values[self.values.len() - NAMES.len()..];
        let values = NAMES.iter().zip(details).map(|(name, value)| (*name, value.as_str()));
        let lines = self.id.iter().map(|id| (ID, id.as_str())).chain(values);
        let lines = lines.map(|(name, value)| format!("{name}: {value}").trim_end().to_owned());
        lines.chain([hint.to_owned()]).collect::<Vec<_>>().join("\n")
    }

    /// Parses a form rendered by [`EditSheet::render`].
    pub fn read(text: &str) -> Result<Self> {
        let dashes = text.len() - text.trim_start_matches('-').len();
        let id = text.lines().find_map(|line| line.strip_prefix("id: ")).map(str::to_owned);
        EditSheet { id, values: Vec::new(), dashes }.read_back(text)
    }

    /// The form is empty.
    pub fn is_blank(text: &str) -> bool {
        without_mark(text).trim().is_empty()
    }

    /// Parses an edited text that was rendered from this form. An editor may have added a byte order mark and CR LF
    /// line ends.
    pub fn read_back(&self, text: &str) -> Result<Self> {
        let text = without_mark(text);
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        if !first.ends_with("\r\n") {
            return self.read_lines(text);
        }
        let mut sheet = self.read_lines(&text.replace("\r\n", "\n"))?;
        for (text, shown) in sheet.values.iter_mut().zip(&self.values) {
            *text = with_ends_of(shown, text);
        }
        Ok(sheet)
    }

    fn read_lines(&self, text: &str) -> Result<Self> {
        let (sections, mut bodies) = (sections(), Vec::new());
        let mut rest = text;
        for (n, name) in sections.iter().enumerate() {
            let line = heading(name, self.dashes);
            let after = rest.strip_prefix(&line).ok_or_else(|| EditError::Missing(line.clone()))?;
            let after = after.strip_prefix('\n').unwrap_or(after);
            let end = match sections.get(n + 1) {
                Some(next) => {
                    let next = heading(next, self.dashes);
                    find_line(after, &next).ok_or(EditError::Missing(next))?
                }
                None => after.len(),
            };
            let body = &after[..end];
            bodies.push(body.strip_suffix('\n').unwrap_or(body).to_owned());
            rest = &after[end..];
        }
        let details = self.read_details(&bodies.remove(1))?;
        bodies.extend(details);
        Ok(EditSheet { id: self.id.clone(), values: bodies, dashes: self.dashes })
    }

    fn read_details(&self, text: &str) -> Result<Vec<String>> {
        let mut found: Vec<(String, String)> = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let (name, value) = (name.trim().to_lowercase(), value.trim().to_owned());
            let is_known = NAMES.contains(&name.as_str()) || name == ID && self.id.is_some();
            if !is_known || found.iter().any(|(known, _)| *known == name) {
                return Err(EditError::Detail { line: line.to_owned(), known: NAMES.join(", ") }.into());
            }
            found.push((name, value));
        }
        let take = |name: &str| -> Result<String> {
            let value = found.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            value.ok_or_else(|| EditError::Missing(format!("{name}:")).into())
        };
        if let Some(id) = &self.id {
            let typed = take(ID)?;
            if typed != *id {
                return Err(EditError::OtherId { id: id.clone(), typed }.into());
            }
        }
        NAMES.into_iter().map(take).collect()
    }

    /// The user's values where they changed, and the newest ones elsewhere; and the names of fields changed on both
    /// sides.
    pub fn rebased(&self, shown: &Self, newest: &Self) -> (Self, Vec<String>) {
        let (mut values, mut clashes) = (newest.values.clone(), Vec::new());
        let (texts, details): (Vec<_>, Vec<_>) =
            parts().into_iter().enumerate().partition(|(_, part)| part.0.is_some());
        for (n, (_, name)) in details.into_iter().chain(texts) {
            let (mine, shown, newest) = (&self.values[n], &shown.values[n], &newest.values[n]);
            if mine != shown && newest != shown && mine != newest {
                clashes.push(name);
            }
            if mine != shown {
                values[n].clone_from(mine);
            }
        }
        (Self::with(newest.id.clone(), values), clashes)
    }
}

/// A form without the byte order mark of some editors.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A text that came back with other line ends: the original if nothing else changed, otherwise the text with the
/// original line ends.
fn with_ends_of(shown: &str, text: &str) -> String {
    let plain = shown.replace("\r\n", "\n");
    if text == plain {
        return shown.to_owned();
    }
    let ends_in_both = plain.contains('\n') && plain.replace('\n', "\r\n") == shown;
    if ends_in_both { text.replace('\n', "\r\n") } else { text.to_owned() }
}

/// The editor that the user configured for git.
pub fn users_editor(env: &crate::sys::Env) -> Option<String> {
    crate::store::user_editor(env)
}

fn heading(name: &str, dashes: usize) -> String {
    let line = "-".repeat(dashes);
    format!("{line} {name} {line}")
}

/// The start of the line that equals a text.
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

/// The copy of an issue with the user's own texts: the planning copy of a proposed one; the project's copy, with the
/// user's notes, of one they may not write.
pub fn own_copy(store: &Store, typed: &str) -> Result<Row> {
    let mut row = store.find(typed)?;
    let is_open = |row: &Row| row.issue.visibility.as_deref() == Some("proposed");
    if store.repos().members.len() < 2 {
        return Ok(row);
    }
    if store.access_to(&row)? != Access::Write {
        // The notes that this user can write are in the companion.
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

/// An issue as a form.
pub fn sheet_of(store: &Store, row: &Row) -> EditSheet {
    EditSheet::of(&row.issue, &store.host().clock.calendar())
}

/// The form of a new issue, filled with what is known.
pub fn sheet_to_file(store: &Store, filing: &Filing) -> EditSheet {
    let issue = &filing.issue;
    let details = [
        issue.issue_type.to_string(),
        issue.priority.to_string(),
        issue.labels.join(", "),
        issue.due_at.map(|at| store.host().clock.calendar().date(at)).unwrap_or_default(),
        filing.parent.clone().unwrap_or_default(),
    ];
    let mut issue = issue.clone();
    let text = |(field, _)| text_of(&mut issue, field).cloned().unwrap_or_default();
    EditSheet::new(None, details, texts().into_iter().map(text).collect())
}

fn text_of(issue: &mut NewIssue, field: Field) -> Option<&mut String> {
    match field {
        Field::Title => Some(&mut issue.title),
        Field::Description => Some(&mut issue.description),
        Field::Design => Some(&mut issue.design),
        Field::AcceptanceCriteria => Some(&mut issue.acceptance_criteria),
        Field::Notes => Some(&mut issue.notes),
        _ => None,
    }
}

/// The new issue described by a form.
pub fn with_sheet(store: &Store, filing: &Filing, shown: &EditSheet, sheet: &EditSheet) -> Result<Filing> {
    let mut filing = filing.clone();
    for (n, (field, name)) in parts().into_iter().enumerate() {
        let value = &sheet.values[n];
        // A date with a time of day is shown as a day.
        if name == "due" && *value == shown.values[n] {
            continue;
        }
        match change_for(store, field, &name, value)? {
            Change::Title(title) => filing.issue.title = title.trim().to_owned(),
            Change::Text(field, text) => {
                if let Some(place) = text_of(&mut filing.issue, field) {
                    // The form's blank line is not part of the text.
                    *place = text.trim_end_matches('\n').to_owned();
                }
            }
            Change::Type(kind) => filing.issue.issue_type = kind,
            Change::Priority(priority) => filing.issue.priority = priority,
            Change::SetLabels(labels) => filing.issue.labels = labels,
            Change::Date(_, at) => filing.issue.due_at = at,
            Change::Parent(parent) => filing.parent = parent,
            _ => {}
        }
    }
    filing.issue.validate().map_err(StoreError::from)?;
    Ok(filing)
}

/// The change that a value of the form means.
fn change_for(store: &Store, field: Option<Field>, name: &str, value: &str) -> Result<Change> {
    let some = (!is_none(value)).then_some(value);
    Ok(match (field, name) {
        (Some(Field::Title), _) => Change::Title(value.to_owned()),
        (Some(field), _) => Change::Text(field, value.to_owned()),
        (None, "type") => Change::Type(check_type(store, value)?),
        (None, "priority") => Change::Priority(Priority::typed(value)?),
        (None, "labels") => {
            let labels = value.split(',').map(str::trim).filter(|label| !label.is_empty());
            Change::SetLabels(labels.map(str::to_owned).collect())
        }
        (None, "due") => {
            let calendar = store.host().clock.calendar();
            let date = |text: &str| calendar.parse(text, Bare::Future).map(When::end);
            let unreadable = || OpError::Date { flag: "due", value: value.to_owned() };
            Change::Date(Field::Due, some.map(|text| date(text).ok_or_else(unreadable)).transpose()?)
        }
        (None, _) => Change::Parent(some.map(|id| store.resolve(id)).transpose()?),
    })
}

/// Applies the difference between the form as shown and as returned.
pub fn apply_sheet(store: &mut Store, id: &str, before: &EditSheet, sheet: &EditSheet) -> Result<Written> {
    let id = id.to_owned();
    // The parent is the last value. Cycles must be checked over all repos.
    let is_same = sheet.values.last() == before.values.last();
    let scope = if is_same { Scope::Issues(vec![id.clone()]) } else { Scope::All };
    let mut transaction = store.begin(scope)?;
    let row = own_copy(transaction.store(), &id)?;
    let now = sheet_of(transaction.store(), &row);
    let mut changes = Vec::new();
    for (n, (field, name)) in parts().into_iter().enumerate() {
        let value = &sheet.values[n];
        if *value == before.values[n] || *value == now.values[n] {
            continue;
        }
        if before.values[n] != now.values[n] {
            return Err(EditError::Overtaken { id, field: name }.into());
        }
        changes.push(change_for(transaction.store(), field, &name, value)?);
    }
    refuse_cycles(&mut transaction, &id, &changes)?;
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
        let count = texts().len();
        let details = ["bug", "P1", "a, b", "", "bd-e"].map(str::to_owned);
        for body in odd {
            let mut texts = vec![body.to_owned(); count];
            texts[1] = String::new();
            let sheet = EditSheet::new(Some("bd-a".to_owned()), details.clone(), texts);
            assert_eq!(sheet.read_back(&sheet.render()).unwrap(), sheet, "{body:?}");
            assert_eq!(EditSheet::read(&sheet.render()).unwrap(), sheet, "{body:?}");
        }
        let sheet = EditSheet::new(Some("bd-a".to_owned()), details, vec![String::new(); count]);
        assert!(sheet.read_back("no title\n").is_err());
        assert!(sheet.read_back("--- title ---\n--- description ---\n").is_err());
        let text = sheet.render();
        for (part, other, expected) in [
            ("id: bd-a", "id: bd-b", "the form is that of bd-a, and its id became \"bd-b\""),
            ("id: bd-a\n", "", "the line \"id:\" is missing"),
            ("due:\n", "", "the line \"due:\" is missing"),
            ("due:", "dew:", "the line \"dew:\" of the form is not one of type, priority"),
            ("due:", "due: x\ndue:", "the line \"due:\" of the form"),
        ] {
            let error = sheet.read_back(&text.replace(part, other)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn an_editor_may_end_lines_in_its_own_way() {
        let sheet = |texts: [&str; 5]| {
            let details = ["bug", "P1", "", "", ""].map(str::to_owned);
            EditSheet::new(Some("bd-a".to_owned()), details, texts.map(str::to_owned).to_vec())
        };
        let shown = sheet(["T", "a\nb", "a\r\nb", "a\r\nb\nc", "x\r\ny"]);
        let dos = |sheet: &EditSheet| format!("\u{feff}{}", sheet.render().replace("\r\n", "\n").replace('\n', "\r\n"));
        assert_eq!(shown.read_back(&dos(&shown)).unwrap(), shown, "nothing was changed");
        let changed = sheet(["U", "a\nb\nc", "a\r\nb", "a\r\nb\nc", "x\r\nz"]);
        assert_eq!(shown.read_back(&dos(&changed)).unwrap(), changed);
        assert!(EditSheet::is_blank("\u{feff}\r\n"));
    }

    #[test]
    fn a_form_that_is_taken_up_again_follows_what_others_did() {
        let sheet = |title: &str, priority: &str, description: &str| {
            let mut texts: Vec<String> = vec![String::new(); texts().len()];
            (texts[0], texts[1]) = (title.to_owned(), description.to_owned());
            EditSheet::new(Some("bd-a".to_owned()), ["task", priority, "", "", ""].map(str::to_owned), texts)
        };
        let (shown, newest) = (sheet("T", "P2", "old"), sheet("Other", "P2", "theirs"));
        let (rebased, clashes) = sheet("T", "P0", "mine").rebased(&shown, &newest);
        assert_eq!((rebased, clashes), (sheet("Other", "P0", "mine"), vec!["description".to_owned()]));
    }
}
