//! Many issues from one Markdown file.
//!
//! Each `## Title` is an issue. Under it, `### Type`, `### Priority`, `### Labels`, `### Assignee`, `### Dependencies`,
//! `### Design`, `### Acceptance Criteria`, `### Notes` and `### Description` set fields; text before the first `###` is
//! the description.

use super::{Filing, OpError, PlanError, Result, check_type, parse_dependency};
use crate::model::change::{NewIssue, check_title};
use crate::model::issue::Priority;
use crate::store::{Store, StoreError};

struct Draft {
    title: String,
    sections: Vec<(usize, String, String)>,
}

pub fn parse_plan(store: &Store, text: &str) -> Result<Vec<Filing>> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut fenced = false;
    for (n, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if let Some(title) = line.strip_prefix("## ").filter(|_| !fenced) {
            drafts.push(Draft {
                title: title.trim().to_owned(),
                sections: vec![(n + 1, "description".into(), String::new())],
            });
        } else if let Some(draft) = drafts.last_mut() {
            match line.strip_prefix("### ").filter(|_| !fenced) {
                Some(name) => draft.sections.push((n + 1, name.trim().to_lowercase(), String::new())),
                None => {
                    let (_, _, body) = draft.sections.last_mut().expect("a draft starts with its description");
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    if drafts.is_empty() {
        return Err(PlanError::Empty.into());
    }
    drafts.into_iter().map(|draft| filing(store, draft)).collect()
}

fn filing(store: &Store, draft: Draft) -> Result<Filing> {
    check_title(&draft.title).map_err(StoreError::from)?;
    let mut filing = Filing::of(NewIssue::titled(draft.title));
    for (line, name, body) in draft.sections {
        let body = body.trim().to_owned();
        if body.is_empty() {
            continue;
        }
        let issue = &mut filing.issue;
        let words = || {
            body.split([',', '\n'])
                .map(|w| w.trim().trim_start_matches("- ").trim().to_owned())
                .filter(|w| !w.is_empty())
        };
        match name.as_str() {
            "type" => issue.issue_type = check_type(store, &body)?,
            "priority" => issue.priority = Priority::typed(&body)?,
            "labels" => issue.labels = words().collect(),
            "assignee" => issue.assignee = body,
            "dependencies" => {
                let parsed = words().map(|word| parse_dependency(&word)).collect::<Result<Vec<_>>>()?;
                filing.dependencies.extend(parsed);
            }
            "design" => issue.design = body,
            "acceptance criteria" | "acceptance" => issue.acceptance_criteria = body,
            "notes" => issue.notes = body,
            "description" if issue.description.is_empty() => issue.description = body,
            "description" => issue.description = format!("{}\n\n{body}", issue.description),
            _ => return Err(OpError::Plan(PlanError::Section { line, name })),
        }
    }
    Ok(filing)
}
