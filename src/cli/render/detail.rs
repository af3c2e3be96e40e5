//! One issue in full.

use super::{id, priority_style, status_style};
use crate::cli::ui::{Style, Ui};
use crate::model::id::PrefixIndex;
use crate::model::issue::Time;
use crate::ops::{Neighbour, Shown};
use crate::view::{block, inline};

pub fn shown(ui: &mut Ui, index: &PrefixIndex, shown: &Shown) {
    let issue = &shown.row.issue;
    let line = format!("{}  {}", id(ui, index, &issue.id), ui.paint(Style::Bold, &inline(&issue.title)));
    ui.line(&line);
    let line = format!(
        "{}  {}  {}{}",
        ui.paint(priority_style(issue.priority.number()), &issue.priority.to_string()),
        ui.paint(status_style(issue.status.as_str()), &inline(issue.status.as_str())),
        inline(issue.issue_type.as_str()),
        issue.assignee.as_ref().map(|name| format!("  @{}", inline(name))).unwrap_or_default(),
    );
    ui.line(&line);
    let time = |time: &Option<Time>| time.as_ref().map(|time| time.text.clone());
    let by = |time: Option<String>, who: &Option<String>| {
        time.map(|time| who.as_ref().map_or(time.clone(), |who| format!("{time} by {who}")))
    };
    let facts = [
        ("Created", by(time(&issue.created_at), &issue.created_by)),
        ("Updated", time(&issue.updated_at)),
        ("Started", time(&issue.started_at)),
        ("Closed", time(&issue.closed_at)),
        ("Reason", issue.close_reason.clone()),
        ("Due", time(&issue.due_at)),
        ("Deferred to", time(&issue.defer_until)),
        ("Estimate", issue.estimated_minutes.map(|minutes| format!("{minutes} min"))),
        ("Reference", issue.external_ref.clone()),
        ("Owner", issue.owner.clone()),
        ("Labels", (!issue.labels.is_empty()).then(|| issue.labels.join(", "))),
        (
            "Lives in",
            Some(format!("{} ({}:{})", shown.row.source_repo, shown.row.file.display(), shown.row.line_number)),
        ),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            ui.line(&format!("{name:<12}{}", inline(&value)));
        }
    }
    let texts = [
        ("Description", &issue.description),
        ("Design", &issue.design),
        ("Acceptance criteria", &issue.acceptance_criteria),
        ("Notes", &issue.notes),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            heading(ui, name);
            for line in block(text).lines() {
                ui.line(&format!("  {line}"));
            }
        }
    }
    edges(ui, index, "Depends on", &shown.dependencies);
    edges(ui, index, "Depended on by", &shown.dependents);
    if !issue.comments.is_empty() {
        heading(ui, "Comments");
        for comment in &issue.comments {
            let time = comment.created_at.as_ref().map_or("", |time| &time.text);
            let line = ui.paint(Style::Dim, &format!("  {} {}", inline(time), inline(&comment.author)));
            ui.line(&line);
            for line in block(&comment.text).lines() {
                ui.line(&format!("    {line}"));
            }
        }
    }
}

fn heading(ui: &mut Ui, name: &str) {
    ui.line("");
    let line = ui.paint(Style::Bold, name);
    ui.line(&line);
}

fn edges(ui: &mut Ui, index: &PrefixIndex, name: &str, edges: &[Neighbour]) {
    if edges.is_empty() {
        return;
    }
    heading(ui, name);
    for edge in edges {
        let what = match &edge.row {
            Some(row) => {
                let status = ui.paint(status_style(row.issue.status.as_str()), &inline(row.issue.status.as_str()));
                format!("{status}  {}", inline(&row.issue.title))
            }
            None => ui.paint(Style::Dim, "in no ledger"),
        };
        let line = format!("  {}  {}  {what}", inline(&edge.kind), id(ui, index, &edge.id));
        ui.line(&line);
    }
}
