//! One issue in full.

use unicode_width::UnicodeWidthStr as _;

use super::{id, markdown, priority_style, status_style};
use crate::cli::ui::{Style, Ui};
use crate::cli::width::{Cell, cells_of, plain_cells};
use crate::model::dependency::DependencyType;
use crate::model::field::{self, Field};
use crate::model::id::PrefixIndex;
use crate::model::issue::{Comment, FieldValue, Issue};
use crate::model::odd::odd_values;
use crate::model::proposal::Owner;
use crate::model::record::Record;
use crate::model::when::Calendar;
use crate::ops::{Neighbour, Shown};
use crate::store::{Access, Commit};
use crate::view::{elsewhere_text, inline, renamed_text, shell_word, short};

pub(crate) fn shown(ui: &mut Ui, index: &PrefixIndex, shown: &Shown) {
    let issue = &shown.row.issue;
    let title: Vec<Cell> = inline(&issue.title).chars().map(|c| (c, Style::Bold)).collect();
    let columns = inline(&issue.id).width() + 2;
    match ui.width().is_some_and(|width| width < columns + 16) {
        true => {
            let line = id(ui, index, &issue.id);
            ui.line(&line);
            ui.cells("", "", &title);
        }
        false => {
            let head = format!("{}  ", id(ui, index, &issue.id));
            ui.titled(&head, columns, &" ".repeat(columns), &title);
        }
    }
    let assignee = issue.assignee.as_ref().map(|name| format!("  @{}", inline(name))).unwrap_or_default();
    let pieces = [
        (priority_style(issue.priority.number()), issue.priority.to_string()),
        (Style::Plain, "  ".to_owned()),
        (status_style(issue.status.as_str()), inline(issue.status.as_str()).into_owned()),
        (Style::Plain, format!("  {}{assignee}", inline(issue.issue_type.as_str()))),
    ];
    ui.cells("", "  ", &cells_of(&pieces));
    let calendar = ui.calendar();
    let facts = field::facts().map(|(field, name)| (name, fact(issue, field, &calendar)));
    let others = [
        ("Not read", not_read(&shown.row.line)),
        ("Labels", (!issue.labels.is_empty()).then(|| issue.labels.join(", "))),
        ("Visibility", issue.visibility.clone().filter(|word| word != "canonical")),
        ("Stored in", Some(stored_in(ui, shown, &calendar))),
        ("Project", Owner::of_line(&shown.row.line).map(|owner| format!("{} ({})", owner.name, owner.id))),
        ("Checkout", issue_place(shown)),
        ("Elsewhere", elsewhere(shown)),
        ("Copies in", (!shown.copies.is_empty()).then(|| shown.copies.join(", "))),
    ];
    for (name, value) in facts.chain(others) {
        if let Some(value) = value {
            ui.fact(name, &value);
        }
    }
    relations(ui, shown);
    for (field, name) in field::sections() {
        if let FieldValue::Text(text) = issue.value(field) {
            heading(ui, name);
            markdown::text(ui, "  ", text);
        }
    }
    yours(ui, shown);
    if !issue.comments.is_empty() {
        heading(ui, "Comments");
        remarks(ui, &issue.comments);
    }
}

/// The text of a field on a line of its own.
fn fact(issue: &Issue, field: Field, calendar: &Calendar) -> Option<String> {
    let by = match field {
        Field::Created => &issue.created_by,
        Field::Deleted => &issue.deleted_by,
        _ => &None,
    };
    let value = match issue.value(field) {
        FieldValue::Nothing => return None,
        FieldValue::Text(text) => text.to_owned(),
        FieldValue::Number(number) if field == Field::Estimate => format!("{number} min"),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Time(time) if field.is_date() && !issue.status.is_done() => {
            let away = match calendar.due(time.instant) {
                (over, true) if field == Field::Due => Some(over),
                _ => calendar.away(time.instant),
            };
            let away = away.map(|away| format!(" ({away})"));
            format!("{}{}", calendar.date(time.instant), away.unwrap_or_default())
        }
        FieldValue::Time(time) if field.is_date() => calendar.date(time.instant),
        FieldValue::Time(time) => calendar.full(time.instant),
    };
    Some(by.as_ref().map_or(value.clone(), |who| format!("{value} by {who}")))
}

/// Values of the line in a form that is not understood, unchanged.
fn not_read(line: &str) -> Option<String> {
    let record = Record::parse(line).ok()?;
    let odd = odd_values(&record).into_iter().filter(|odd| !odd.is_read);
    let all: Vec<String> = odd.map(|odd| format!("{}: {}", odd.key, odd.raw)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The checkout of this version, if several are shown.
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
        let head = format!("{} {}", inline(&time), inline(&comment.author));
        ui.cells("  ", "  ", &head.trim_start().chars().map(|c| (c, Style::Dim)).collect::<Vec<_>>());
        markdown::text(ui, "    ", &comment.text);
    }
}

/// What only the planning copy contains.
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
        markdown::text(ui, "  ", notes);
    }
    remarks(ui, &private.comments);
}

/// Where an issue is stored; with several repos, also whether it may be written there.
fn stored_in(ui: &Ui, shown: &Shown, calendar: &Calendar) -> String {
    let day = |commit: &Commit| calendar.day_text(commit.committed);
    let row = &shown.row;
    if let Some(past) = &shown.past {
        let removed =
            past.removed.as_ref().map_or("it is in the last commit and not in the file".to_owned(), |commit| {
                format!("{} took it out on {}", short(commit), day(commit))
            });
        let last = &past.commit;
        // Restoring it under the old id would create a second copy.
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
    if !shown.branches.is_empty() {
        let id = shell_word(&row.issue.id);
        let versions = match shown.versions {
            0 | 1 => String::new(),
            n => format!(", in {n} versions, of which this changed last"),
        };
        return format!(
            "{}{versions}, not merged here: merge it and run `bd accept {id}`, or run `bd reject {id} -r WHY`",
            shown.branches.join(" ")
        );
    }
    let line = format!("{}:{}", ui.path(&row.file), row.line_number);
    let place = if shown.of_many { format!("{} ({line})", row.source_repo) } else { line };
    let behind = if row.shadowed { ", behind another repo's copy" } else { "" };
    match &shown.access {
        Access::Write if shown.of_many => format!("{place}, writable{behind}"),
        Access::Write => place,
        Access::Read(reason) => format!("{place}, read-only: {reason}{behind}"),
    }
}

fn heading(ui: &mut Ui, name: &str) {
    ui.line("");
    let line = ui.paint(Style::Bold, name);
    ui.line(&line);
}

/// An issue's relations to others, named from its side.
fn relations(ui: &mut Ui, shown: &Shown) {
    let mut groups: Vec<(String, Vec<&Neighbour>)> = Vec::new();
    let named = ["Parent", "Children", "Waits for", "Blocks"].map(str::to_owned);
    let down = shown.dependencies.iter().map(|edge| (relation(&edge.kind, false), edge));
    let up = shown.dependents.iter().map(|edge| (relation(&edge.kind, true), edge));
    for (name, edge) in down.chain(up) {
        match groups.iter_mut().find(|(known, _)| *known == name) {
            // Related issues refer to each other.
            Some((_, edges)) if edges.iter().any(|known| known.id == edge.id && known.kind == edge.kind) => {}
            Some((_, edges)) => edges.push(edge),
            None => groups.push((name, vec![edge])),
        }
    }
    groups.sort_by_key(|(name, _)| named.iter().position(|known| known == name).unwrap_or(named.len()));
    ui.blank_if(!groups.is_empty());
    for (name, edges) in &groups {
        let ids = edges.iter().map(|edge| inline(&edge.id).width()).max().unwrap_or(0);
        let status = |edge: &Neighbour| {
            inline(edge.row.as_ref().map_or("in no ledger", |row| row.issue.status.as_str())).into_owned()
        };
        let statuses = edges.iter().map(|edge| status(edge).width()).max().unwrap_or(0);
        for (n, edge) in edges.iter().enumerate() {
            let title = edge.row.as_ref().map_or("", |row| row.issue.title.as_str());
            let kind = DependencyType::new(edge.kind.as_str());
            // Name the kind of blocking if it is not the usual one.
            let odd = kind.is_blocking() && kind != DependencyType::blocks();
            let kind = if odd { format!(" ({kind})") } else { String::new() };
            let id = inline(&edge.id);
            let pad = |text: &str, width: usize| " ".repeat(width - text.width());
            let name = if n == 0 { name.as_str() } else { "" };
            let status = status(edge);
            let head = format!("{name:<12}{id}{}  {status}{}  ", pad(&id, ids), pad(&status, statuses));
            let title = plain_cells(&format!("{}{}", inline(title), inline(&kind)));
            let columns = head.width();
            let rest = if ui.width().is_some_and(|width| width < columns + 16) { 2 } else { columns };
            match rest {
                2 => {
                    ui.cells("", "  ", &plain_cells(head.trim_end()));
                    ui.cells("  ", "  ", &title);
                }
                _ => ui.titled(&head, columns, &" ".repeat(columns), &title),
            }
        }
    }
}

/// The name of a dependency from one end: from the issue that has it, or with `up` from the other one.
fn relation(kind: &str, up: bool) -> String {
    let known = DependencyType::new(kind);
    let name = match (kind, up) {
        ("parent-child", false) => "Parent",
        ("parent-child", true) => "Children",
        _ if known.is_blocking() && up => "Blocks",
        _ if known.is_blocking() => "Waits for",
        ("related" | "relates-to", _) => "Related",
        ("discovered-from", false) => "Found in",
        ("discovered-from", true) => "Led to",
        (_, false) => return inline(kind).into_owned(),
        (_, true) => return format!("{} (from)", inline(kind)),
    };
    name.to_owned()
}
