//! Missing sections in the descriptions of issues.

use super::{OpError, Result, check_type};
use crate::model::issue::{Issue, IssueType};
use crate::store::{Row, Store};

/// An issue with missing sections.
#[derive(Debug, Clone)]
pub struct Linted {
    pub row: Row,
    /// Headings, in the expected order.
    pub missing: Vec<String>,
}

const STEPS: &str = "Steps to Reproduce";
const ACCEPTANCE: &str = "Acceptance Criteria";
const SUCCESS: &str = "Success Criteria";

/// The sections expected in issues of a type.
fn wanted(kind: &str) -> &'static [&'static str] {
    match kind {
        "bug" => &[STEPS, ACCEPTANCE],
        "task" | "feature" => &[ACCEPTANCE],
        "epic" => &[SUCCESS],
        _ => &[],
    }
}

/// The sections that the settings want: `TYPE: SECTION, SECTION` for each type that is checked.
fn set(entries: &[&str]) -> Vec<(String, Vec<String>)> {
    let words =
        |text: &str| text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let entry = |text: &&str| {
        let (kind, sections) = text.split_once(':').unwrap_or((text, ""));
        (IssueType::typed(kind.trim()).as_str().to_owned(), words(sections))
    };
    entries.iter().map(entry).collect()
}

/// The issues that lack a section, and how many were checked.
pub fn lint(store: &Store, rows: Vec<Row>) -> Result<(Vec<Linted>, usize)> {
    let entries: Vec<&str> = store.settings().list("lint.sections").into_iter().map(|(text, _)| text).collect();
    if let Some(odd) = entries.iter().find(|text| !text.contains(':')) {
        return Err(OpError::Usage(format!("lint.sections: {odd:?} is not TYPE: SECTION, SECTION")));
    }
    let own = set(&entries);
    for (kind, _) in &own {
        check_type(store, kind)?;
    }
    let is_checked = |row: &Row| own.is_empty() || own.iter().any(|(kind, _)| kind == row.issue.issue_type.as_str());
    let rows: Vec<Row> = rows.into_iter().filter(is_checked).collect();
    let checked = rows.len();
    let wanted = |kind: &str| -> Vec<String> {
        match own.is_empty() {
            true => wanted(kind).iter().map(|section| (*section).to_owned()).collect(),
            false => own.iter().filter(|(of, _)| of == kind).flat_map(|(_, sections)| sections.clone()).collect(),
        }
    };
    let missing = |row: &Row| -> Vec<String> {
        let all = wanted(row.issue.issue_type.as_str()).into_iter();
        all.filter(|section| !has(&row.issue, section)).collect()
    };
    let linted = rows.into_iter().map(|row| Linted { missing: missing(&row), row });
    Ok((linted.filter(|one| !one.missing.is_empty()).collect(), checked))
}

/// The description has the heading, or the matching field is set.
fn has(issue: &Issue, section: &str) -> bool {
    let is_written = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let by_field = [ACCEPTANCE, SUCCESS].contains(&section) && is_written(&issue.acceptance_criteria);
    let text = issue.description.as_deref().unwrap_or_default().to_lowercase();
    by_field || text.contains(&section.to_lowercase())
}
