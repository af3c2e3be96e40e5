//! One issue in full.

use super::{columns, id, priority_style, status_style};
use crate::cli::ui::{Style, Ui};
use crate::model::field::{self, Field};
use crate::model::id::PrefixIndex;
use crate::model::issue::{Comment, Issue, Said};
use crate::model::odd::odd_values;
use crate::model::proposal::Owner;
use crate::model::record::Record;
use crate::model::when::Calendar;
use crate::ops::{Neighbour, Shown};
use crate::store::{Access, Commit};
use crate::view::{block, elsewhere_text, inline, renamed_text, short};

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
    let calendar = ui.calendar();
    let facts = field::facts().map(|(field, name)| (name, fact(issue, field, &calendar)));
    let others = [
        ("Not read", not_read(&shown.row.line)),
        ("Labels", (!issue.labels.is_empty()).then(|| issue.labels.join(", "))),
        ("Visibility", issue.visibility.clone().filter(|word| word != "canonical")),
        ("Lives in", Some(lives_in(shown, &calendar))),
        ("Project", Owner::of_line(&shown.row.line).map(|owner| format!("{} ({})", owner.name, owner.id))),
        ("Checkout", issue_place(shown)),
        ("Elsewhere", elsewhere(shown)),
        ("Copies in", (!shown.copies.is_empty()).then(|| shown.copies.join(", "))),
    ];
    for (name, value) in facts.chain(others) {
        if let Some(value) = value {
            ui.line(&format!("{name:<12}{}", inline(&value)));
        }
    }
    for (field, name) in field::sections() {
        if let Said::Text(text) = issue.said(field) {
            heading(ui, name);
            paragraph(ui, "  ", text);
        }
    }
    yours(ui, shown);
    edges(ui, "Depends on", &shown.dependencies);
    edges(ui, "Depended on by", &shown.dependents);
    if !issue.comments.is_empty() {
        heading(ui, "Comments");
        remarks(ui, &issue.comments);
    }
}

/// What a field says in a line of its own.
fn fact(issue: &Issue, field: Field, calendar: &Calendar) -> Option<String> {
    let by = match field {
        Field::Created => &issue.created_by,
        Field::Deleted => &issue.deleted_by,
        _ => &None,
    };
    let said = match issue.said(field) {
        Said::Nothing => return None,
        Said::Text(text) => text.to_owned(),
        Said::Number(number) if field == Field::Estimate => format!("{number} min"),
        Said::Number(number) => number.to_string(),
        Said::Time(time) if field.is_date() => calendar.date(time.instant),
        Said::Time(time) => calendar.full(time.instant),
    };
    Some(by.as_ref().map_or(said.clone(), |who| format!("{said} by {who}")))
}

/// Values of the line that are in no form that is read, as they are.
fn not_read(line: &str) -> Option<String> {
    let record = Record::parse(line).ok()?;
    let odd = odd_values(&record).into_iter().filter(|odd| !odd.is_read);
    let all: Vec<String> = odd.map(|odd| format!("{}: {}", odd.key, odd.raw)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The checkout that this version is from, where several are shown.
fn issue_place(shown: &Shown) -> Option<String> {
    let place = shown.row.place.as_ref()?;
    Some(match &place.worktree_id {
        Some(id) => format!("{} ({id})", place.worktree),
        None => place.worktree.clone(),
    })
}

fn elsewhere(shown: &Shown) -> Option<String> {
    let all: Vec<String> = shown.row.elsewhere.iter().map(elsewhere_text).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn remarks(ui: &mut Ui, comments: &[Comment]) {
    let calendar = ui.calendar();
    for comment in comments {
        let time = comment.created_at.as_ref().map(|time| calendar.full(time.instant)).unwrap_or_default();
        let line = ui.paint(Style::Dim, &format!("  {} {}", inline(&time), inline(&comment.author)));
        ui.line(&line);
        paragraph(ui, "    ", &comment.text);
    }
}

/// What only the planning copy says.
fn yours(ui: &mut Ui, shown: &Shown) {
    let Some(private) = &shown.private else { return };
    heading(ui, &format!("Yours alone, in {}", inline(&private.repo)));
    if let Some(name) = &private.assignee {
        ui.line(&format!("  @{}", inline(name)));
    }
    if !private.dependencies.is_empty() {
        ui.line(&format!("  depends on {}", inline(&private.dependencies.join(", "))));
    }
    if let Some(notes) = &private.notes {
        paragraph(ui, "  ", notes);
    }
    remarks(ui, &private.comments);
}

/// Where an issue lives; with several repos also whether it may be written there.
fn lives_in(shown: &Shown, calendar: &Calendar) -> String {
    let day = |commit: &Commit| calendar.day_text(commit.committed);
    let row = &shown.row;
    if let Some(past) = &shown.past {
        let removed =
            past.removed.as_ref().map_or("it is in the last commit and not in the file".to_owned(), |commit| {
                format!("{} took it out on {}", short(commit), day(commit))
            });
        let last = &past.commit;
        // Restored under the old id there would be two of it.
        let way = match &past.called_now {
            Some(id) => renamed_text(&row.issue.id, id),
            None => format!("bd restore {} brings it back", row.issue.id),
        };
        return format!(
            "the history of {}, not in the ledger: last changed in {} on {}, {removed}; {way}",
            row.source_repo,
            short(last),
            day(last),
        );
    }
    let place = format!("{} ({}:{})", row.source_repo, row.file.display(), row.line_number);
    let behind = if row.shadowed { ", behind another repo's copy" } else { "" };
    match &shown.access {
        Access::Write if shown.of_many => format!("{place}, writable{behind}"),
        Access::Write => place,
        Access::Read(reason) => format!("{place}, read-only: {reason}{behind}"),
    }
}

fn paragraph(ui: &mut Ui, indent: &str, text: &str) {
    for line in block(text).lines() {
        ui.line(format!("{indent}{line}").trim_end());
    }
}

fn heading(ui: &mut Ui, name: &str) {
    ui.line("");
    let line = ui.paint(Style::Bold, name);
    ui.line(&line);
}

fn edges(ui: &mut Ui, name: &str, edges: &[Neighbour]) {
    if edges.is_empty() {
        return;
    }
    heading(ui, name);
    let lines = edges.iter().map(|edge| {
        let status = edge.row.as_ref().map_or("in no ledger", |row| row.issue.status.as_str());
        let title = edge.row.as_ref().map_or("", |row| row.issue.title.as_str());
        [edge.kind.as_str(), &edge.id, status, title].map(|cell| inline(cell).into_owned())
    });
    columns(ui, "  ", &lines.collect::<Vec<_>>());
}
