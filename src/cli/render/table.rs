//! Aligned lines that fit the terminal.

use std::collections::{HashMap, HashSet};

use unicode_width::UnicodeWidthStr as _;

use super::tree::{Guide, guides};
use super::{id, priority_style, status_style};
use crate::cli::ui::{Style, Ui};
use crate::cli::width::{cells_of, plain_cells};
use crate::model::id::PrefixIndex;
use crate::model::lease::Standing;
use crate::model::proposal::Owner;
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::ops::Marks;
use crate::store::{LeaseRow, Row};
use crate::view::{elsewhere_text, inline};

/// Prints issues, one per line: id, priority, status, type, title, marks, labels, assignee.
pub(crate) fn rows<'a>(ui: &mut Ui, index: &PrefixIndex, rows: impl IntoIterator<Item = &'a Row>, marks: &Marks) {
    let rows: Vec<(Guide, &Row)> = rows.into_iter().map(|row| (Guide::default(), row)).collect();
    listed(ui, index, &rows, marks, &[]);
}

/// The same with lines of explanation (already escaped) below each issue.
pub(crate) fn noted_rows(ui: &mut Ui, index: &PrefixIndex, rows: &[(&Row, Vec<String>)]) {
    let plain: Vec<(Guide, &Row)> = rows.iter().map(|(row, _)| (Guide::default(), *row)).collect();
    let notes: Vec<&[String]> = rows.iter().map(|(_, notes)| notes.as_slice()).collect();
    listed(ui, index, &plain, &Marks::default(), &notes);
}

/// Prints lines of equally many cells (already escaped) as columns; the last cell is wrapped and not padded.
pub(crate) fn columns(ui: &mut Ui, indent: &str, lines: &[impl AsRef<[String]>]) {
    let count = lines.first().map_or(0, |line| line.as_ref().len());
    let column = |n: usize| lines.iter().map(|line| line.as_ref()[n].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(column).collect();
    let Some((last, padded)) = widths.split_last() else { return };
    let fixed = indent.width() + padded.iter().map(|width| width + 2).sum::<usize>();
    let is_narrow = ui.width().is_some_and(|width| width < fixed + 20.min(*last));
    for line in lines {
        let line = line.as_ref();
        if is_narrow {
            let cells: Vec<&str> = line.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
            ui.cells(indent, &format!("{indent}    "), &plain_cells(&cells.join("  ")));
            continue;
        }
        let mut text = indent.to_owned();
        for (cell, width) in line.iter().zip(padded) {
            text.push_str(cell);
            text.push_str(&" ".repeat(width - cell.width() + 2));
        }
        ui.titled(&text, fixed, &" ".repeat(fixed), &plain_cells(&line[padded.len()]));
    }
}

/// The same with children below their parents.
pub(crate) fn tree_rows(ui: &mut Ui, index: &PrefixIndex, rows: &[Row], marks: &Marks) {
    let here: HashSet<&str> = rows.iter().map(|row| row.issue.id.as_str()).collect();
    let mut children: HashMap<&str, Vec<&Row>> = HashMap::new();
    let mut roots = Vec::new();
    for row in rows {
        match row.issue.parent().filter(|parent| here.contains(parent) && *parent != row.issue.id) {
            Some(parent) => children.entry(parent).or_default().push(row),
            None => roots.push(row),
        }
    }
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    let mut work: Vec<(usize, &Row)> = roots.into_iter().rev().map(|row| (0, row)).collect();
    while let Some((depth, row)) = work.pop() {
        if seen.insert(row.issue.id.as_str()) {
            order.push((depth, row));
            let below = children.get(row.issue.id.as_str()).into_iter().flatten().rev();
            work.extend(below.map(|child| (depth + 1, *child)));
        }
    }
    // Members of a parent cycle have no root.
    order.extend(rows.iter().filter(|row| !seen.contains(row.issue.id.as_str())).map(|row| (0, row)));
    let depths: Vec<usize> = order.iter().map(|(depth, _)| *depth).collect();
    let order = guides(&depths, ui.draws_lines()).into_iter().zip(order.into_iter().map(|(_, row)| row));
    listed(ui, index, &order.collect::<Vec<_>>(), marks, &[]);
}

/// The minimum width of a title beside other columns; below that it gets its own lines.
const TITLE: usize = 24;

fn listed(ui: &mut Ui, index: &PrefixIndex, rows: &[(Guide, &Row)], marks: &Marks, notes: &[&[String]]) {
    let column = |text: fn(&Row) -> String| rows.iter().map(|(_, row)| text(row).width()).max().unwrap_or(0);
    let ids = rows.iter().map(|(guide, row)| guide.first.width() + inline(&row.issue.id).width()).max().unwrap_or(0);
    let statuses = column(|row| inline(row.issue.status.as_str()).into_owned());
    let types = column(|row| inline(row.issue.issue_type.as_str()).into_owned());
    let places = column(place);
    let has_date = |row: &Row| due(row).is_some() || row.issue.defer_until.is_some();
    let calendar = rows.iter().any(|(_, row)| has_date(row)).then(|| ui.calendar());
    for (n, (guide, row)) in rows.iter().enumerate() {
        let issue = &row.issue;
        let status = inline(issue.status.as_str());
        let kind = inline(issue.issue_type.as_str());
        let priority = issue.priority.to_string();
        let place = place(row);
        let gap = if places > 0 { 2 } else { 0 };
        let fixed = ids + 2 + priority.len().max(2) + 2 + statuses + 2 + types + 2 + places + gap;
        let title = marked_title(row, marks, calendar.as_ref());
        let is_narrow = ui.width().is_some_and(|width| width < fixed + TITLE);
        let pad = |text: &str, width: usize| match is_narrow {
            true => String::new(),
            false => " ".repeat(width.saturating_sub(text.width())),
        };
        let head = format!(
            "{}{}{}  {}{}  {}{}  {}{}  {}{}",
            guide.first,
            id(ui, index, &issue.id),
            pad(&issue.id, ids - guide.first.width()),
            ui.paint(priority_style(issue.priority.number()), &priority),
            pad(&priority, 2),
            ui.paint(status_style(&status), &status),
            pad(&status, statuses),
            kind,
            pad(&kind, types),
            place,
            pad(&place, places + gap),
        );
        if is_narrow {
            let width = ui.width().unwrap_or_default();
            if guide.first.width() + issue.id.width() + status.width() + kind.width() + place.width() + 8 <= width {
                ui.line(head.trim_end());
            } else {
                let plain = format!("{}  {priority}  {status}  {kind}  {place}", inline(&issue.id));
                ui.cells(&guide.first, &guide.rest, &plain_cells(plain.trim_end()));
            }
            let indent = format!("{}  ", guide.rest);
            ui.cells(&indent, &indent, &cells_of(&title));
        } else if ui.width().is_some() {
            let rest = format!("{}{}", guide.rest, " ".repeat(fixed - guide.rest.width()));
            ui.titled(&head, fixed, &rest, &cells_of(&title));
        } else {
            let mut line = head;
            title.iter().for_each(|(style, text)| line.push_str(&ui.paint(*style, text)));
            ui.line(line.trim_end());
        }
        for note in notes.get(n).copied().unwrap_or_default() {
            ui.cells("    ", "      ", &plain_cells(note));
        }
    }
}

/// The due date of an unfinished issue.
fn due(row: &Row) -> Option<Instant> {
    row.issue.due_at.as_ref().filter(|_| !row.issue.status.is_done()).map(|time| time.instant)
}

/// The title of an issue with further marks.
fn marked_title(row: &Row, marks: &Marks, calendar: Option<&Calendar>) -> Vec<(Style, String)> {
    let issue = &row.issue;
    let mut pieces = vec![(Style::Plain, inline(&issue.title).into_owned())];
    let mut add = |style: Style, text: &str| pieces.push((style, text.to_owned()));
    if issue.status.as_str() != "blocked" && marks.is_blocked(&issue.id) {
        add(Style::Red, " [blocked]");
    }
    let back = issue.defer_until.as_ref().filter(|_| !issue.status.is_done());
    if let Some((calendar, time)) = calendar.zip(back).filter(|(calendar, time)| calendar.is_ahead(time.instant)) {
        add(Style::Dim, &format!(" [until {}]", calendar.date(time.instant)));
    } else if let Some((calendar, at)) = calendar.zip(due(row)) {
        let (text, is_over) = calendar.due(at);
        add(if is_over { Style::Red } else { Style::Yellow }, &format!(" [{text}]"));
    }
    if let Some(claim) = marks.claim(&issue.id) {
        add(Style::Cyan, &format!(" [{}]", claim_mark(claim, issue.assignee.as_deref())));
    }
    let mut tail = String::new();
    for label in &issue.labels {
        tail.push_str(&format!(" #{}", inline(label)));
    }
    if let Some(assignee) = &issue.assignee {
        tail.push_str(&format!(" @{}", inline(assignee)));
    }
    if let Some(word) = issue.visibility.as_deref().filter(|word| *word != "canonical") {
        tail.push_str(&format!(" [{}]", inline(word)));
    }
    if row.source_repo != "." {
        let project = Owner::of_line(&row.line).map(|owner| format!(", for {}", inline(&owner.name)));
        tail.push_str(&format!(" ({}{})", inline(&row.source_repo), project.unwrap_or_default()));
    }
    if row.shadowed {
        tail.push_str(" (behind another copy)");
    }
    if row.beside.is_some() {
        tail.push_str(" (with your notes)");
    }
    for other in &row.elsewhere {
        tail.push_str(&format!("  {}", inline(&elsewhere_text(other))));
    }
    if !tail.is_empty() {
        pieces.push((Style::Dim, tail));
    }
    pieces
}

/// Whether someone holds an issue; the name, unless the assignee shows it.
fn claim_mark(claim: &LeaseRow, assignee: Option<&str>) -> String {
    let holder = claim.lease.holder.as_ref().map(|holder| holder.name.as_str());
    match (claim.standing, holder.filter(|name| Some(*name) != assignee)) {
        (Standing::Expired, _) => "claim expired".to_owned(),
        (_, None) => "claimed".to_owned(),
        (_, Some(name)) => format!("claimed by {}", inline(name)),
    }
}

/// The checkout of a row, if several are shown.
fn place(row: &Row) -> String {
    row.place.as_ref().map(|place| inline(&place.worktree).into_owned()).unwrap_or_default()
}

/// Notes that a listing was cut, if so.
pub(crate) fn cut_note(ui: &mut Ui, shown: usize, total: usize) {
    ui.note_if(total > shown, &format!("{shown} of {total} issues shown; --limit 0 shows all"));
}
