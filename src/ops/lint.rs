//! Missing sections in the descriptions of issues.

use crate::model::issue::Issue;
use crate::store::Row;

/// An issue with missing sections.
#[derive(Debug, Clone)]
pub struct Linted {
    pub row: Row,
    /// Headings, in the expected order.
    pub missing: Vec<&'static str>,
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

/// The issues that lack a section.
pub fn lint(rows: Vec<Row>) -> Vec<Linted> {
    let missing = |row: &Row| -> Vec<&'static str> {
        let all = wanted(row.issue.issue_type.as_str()).iter();
        all.filter(|section| !has(&row.issue, section)).copied().collect()
    };
    let linted = rows.into_iter().map(|row| Linted { missing: missing(&row), row });
    linted.filter(|one| !one.missing.is_empty()).collect()
}

/// The description has the heading, or the matching field is set.
fn has(issue: &Issue, section: &str) -> bool {
    let is_written = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let by_field = section != STEPS && is_written(&issue.acceptance_criteria);
    let text = issue.description.as_deref().unwrap_or_default().to_lowercase();
    by_field || text.contains(&section.to_lowercase())
}
