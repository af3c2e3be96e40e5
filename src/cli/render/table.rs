//! Aligned lines that fit the terminal.

use std::collections::{HashMap, HashSet};

use unicode_width::UnicodeWidthStr as _;

use super::{id, priority_style, status_style};
use crate::cli::ui::{Style, Ui};
use crate::cli::width::shortened;
use crate::model::id::PrefixIndex;
use crate::model::proposal::Owner;
use crate::store::Row;
use crate::view::{elsewhere_text, inline};

/// Prints issues, one a line: id, priority, status, type, title, labels, assignee.
pub fn rows<'a>(ui: &mut Ui, index: &PrefixIndex, rows: impl IntoIterator<Item = &'a Row>) {
    let rows: Vec<(usize, &Row)> = rows.into_iter().map(|row| (0, row)).collect();
    indented(ui, index, &rows, &[]);
}

/// The same with lines of explanation (escaped already) below each issue.
pub fn noted_rows(ui: &mut Ui, index: &PrefixIndex, rows: &[(&Row, Vec<String>)]) {
    let plain: Vec<(usize, &Row)> = rows.iter().map(|(row, _)| (0, *row)).collect();
    let notes: Vec<&[String]> = rows.iter().map(|(_, notes)| notes.as_slice()).collect();
    indented(ui, index, &plain, &notes);
}

/// Prints lines of cells (escaped already) so that they stand below each other; the last cell is not padded.
pub fn columns<const N: usize>(ui: &mut Ui, indent: &str, lines: &[[String; N]]) {
    let widths: Vec<usize> = (0..N).map(|n| lines.iter().map(|line| line[n].width()).max().unwrap_or(0)).collect();
    for line in lines {
        let mut text = indent.to_owned();
        for (n, cell) in line.iter().enumerate() {
            text.push_str(cell);
            if n + 1 < N {
                text.push_str(&" ".repeat(widths[n] - cell.width() + 2));
            }
        }
        ui.line(text.trim_end());
    }
}

/// The same with children below their parents.
pub fn tree_rows(ui: &mut Ui, index: &PrefixIndex, rows: &[Row]) {
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
    // Members of a parent cycle hang on no root.
    order.extend(rows.iter().filter(|row| !seen.contains(row.issue.id.as_str())).map(|row| (0, row)));
    indented(ui, index, &order, &[]);
}

fn indented(ui: &mut Ui, index: &PrefixIndex, rows: &[(usize, &Row)], notes: &[&[String]]) {
    let column = |text: fn(&Row) -> String| rows.iter().map(|(_, row)| text(row).width()).max().unwrap_or(0);
    let ids = rows.iter().map(|(depth, row)| depth * 2 + inline(&row.issue.id).width()).max().unwrap_or(0);
    let statuses = column(|row| inline(row.issue.status.as_str()).into_owned());
    let types = column(|row| inline(row.issue.issue_type.as_str()).into_owned());
    let places = column(place);
    for (n, (depth, row)) in rows.iter().enumerate() {
        let issue = &row.issue;
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
        let plain_id = inline(&issue.id);
        let status = inline(issue.status.as_str());
        let kind = inline(issue.issue_type.as_str());
        let priority = issue.priority.to_string();
        let place = place(row);
        let gap = if places > 0 { 2 } else { 0 };
        let fixed = ids + 2 + priority.len().max(2) + 2 + statuses + 2 + types + 2 + places + gap;
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
        let title = inline(&issue.title);
        let (title, tail) = match ui.width() {
            Some(width) => fit(&title, &tail, width.saturating_sub(fixed).max(20)),
            None => (title.into_owned(), tail),
        };
        let line = format!(
            "{}{}{}  {}{}  {}{}  {}{}  {}{}{}{}",
            "  ".repeat(*depth),
            id(ui, index, &issue.id),
            pad(&plain_id, ids - depth * 2),
            ui.paint(priority_style(issue.priority.number()), &priority),
            pad(&priority, 2),
            ui.paint(status_style(&status), &status),
            pad(&status, statuses),
            kind,
            pad(&kind, types),
            place,
            pad(&place, places + gap),
            title,
            ui.paint(Style::Dim, &tail),
        );
        ui.line(line.trim_end());
        for note in notes.get(n).copied().unwrap_or_default() {
            ui.line(&format!("    {note}"));
        }
    }
}

/// The checkout that a row is from, where several are shown.
fn place(row: &Row) -> String {
    row.place.as_ref().map(|place| inline(&place.worktree).into_owned()).unwrap_or_default()
}

/// Shortens the title, then leaves the tail out, so that both fit.
fn fit(title: &str, tail: &str, room: usize) -> (String, String) {
    if title.width() + tail.width() <= room {
        return (title.to_owned(), tail.to_owned());
    }
    let tail = if tail.width() * 2 <= room { tail } else { "" };
    let room = room - tail.width();
    (shortened(title, room), tail.to_owned())
}

/// Says that a listing was cut, if it was.
pub fn cut_note(ui: &mut Ui, shown: usize, total: usize) {
    ui.note_if(total > shown, &format!("{shown} of {total} issues shown; --limit 0 shows all"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_double() {
        assert_eq!(fit("漢字漢字漢字", "", 7), ("漢字漢…".into(), String::new()));
        assert_eq!(fit("short", " #a", 20), ("short".into(), " #a".into()));
        assert_eq!(fit("a long title here", " #label", 14), ("a long…".into(), " #label".into()));
    }
}
