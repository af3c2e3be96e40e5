//! Trees, with their lines.

use std::collections::HashSet;

use super::{id, priority_style, status_style};
use crate::cli::ui::Ui;
use crate::cli::width::plain_cells;
use crate::model::dependency::DependencyType;
use crate::model::id::PrefixIndex;
use crate::ops::TreeNode;
use crate::store::Row;
use crate::view::inline;
use unicode_width::UnicodeWidthStr as _;

/// Prints a tree of dependencies. Parents are above their children, so the first node's parents precede it.
pub(crate) fn tree(ui: &mut Ui, index: &PrefixIndex, nodes: &[TreeNode], reverse: bool) {
    let order = if reverse { nodes.iter().map(|node| (node.depth, node)).collect() } else { parents_first(nodes) };
    let depths: Vec<usize> = order.iter().map(|(depth, _)| *depth).collect();
    let above = order.iter().take_while(|(_, node)| node.depth > 0).count();
    let mut seen = HashSet::new();
    for (n, (guide, (depth, node))) in guides(&depths, ui.draws_lines()).iter().zip(&order).enumerate() {
        // A parent-child edge whose position in the tree already shows it.
        let is_kin = node.kind == "parent-child" && (reverse || n < above && n == *depth);
        let word = if is_kin { String::new() } else { word(&node.kind, reverse) };
        let is_cut = node.truncated && !node.repeated;
        if !is_cut && !seen.insert(node.id.as_str()) {
            let cells = plain_cells(&format!("{word}{} (see above)", inline(&node.id)));
            ui.cells(&guide.first, &format!("{}  ", guide.rest), &cells);
            continue;
        }
        let more = match node.truncated {
            true if ui.draws_lines() => " …",
            true => " ...",
            false => "",
        };
        branch(ui, index, guide, &word, (&node.id, node.row.as_ref()), more);
    }
}

/// The first node's ancestors from the top down, then that node with its subtree.
fn parents_first(nodes: &[TreeNode]) -> Vec<(usize, &TreeNode)> {
    let Some(root) = nodes.first() else { return Vec::new() };
    // For each ancestor, its subtree without the path further up.
    let mut above: Vec<&TreeNode> = Vec::new();
    let mut spans: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut from, mut until, mut depth) = (0, nodes.len(), root.depth);
    loop {
        let is_parent = |node: &TreeNode| node.depth == depth + 1 && node.kind == "parent-child";
        let Some(at) = (from + 1..until).find(|at| is_parent(&nodes[*at])) else { break };
        let end = (at + 1..until).find(|next| nodes[*next].depth <= depth + 1).unwrap_or(until);
        above.push(&nodes[at]);
        spans.push(at..end);
        (from, until, depth) = (at, end, depth + 1);
    }
    let mut order = Vec::new();
    let height = above.len();
    // Level by level: an ancestor, its other dependencies, then the next one below it.
    for (level, node) in above.iter().rev().enumerate() {
        order.push((level, *node));
    }
    let inner = |level: usize| spans.get(level).cloned().unwrap_or(0..0);
    // The first node and its subtree, without its ancestors.
    for (n, node) in nodes.iter().enumerate() {
        if !inner(0).contains(&n) {
            order.push((height + node.depth, node));
        }
    }
    // The ancestors' own dependencies come after their child, nearest first.
    for (level, span) in spans.iter().enumerate() {
        let skipped = inner(level + 1);
        for at in span.clone().skip(1).filter(|at| !skipped.contains(at)) {
            let own = height - 1 - level;
            order.push((own + nodes[at].depth - nodes[span.start].depth, &nodes[at]));
        }
    }
    order
}

/// The meaning of an edge to the node above it.
fn word(kind: &str, reverse: bool) -> String {
    let known = DependencyType::new(kind);
    match (kind, reverse) {
        ("", _) => String::new(),
        _ if known.is_blocking() && reverse => "blocks ".to_owned(),
        _ if known.is_blocking() => "waits for ".to_owned(),
        ("parent-child", _) => "child of ".to_owned(),
        ("related" | "relates-to", _) => "related to ".to_owned(),
        ("discovered-from", false) => "found in ".to_owned(),
        ("discovered-from", true) => "led to ".to_owned(),
        _ => format!("({}) ", inline(kind)),
    }
}

/// One node of a tree: a word, the issue, and a remark.
pub(crate) fn branch(
    ui: &mut Ui,
    index: &PrefixIndex,
    guide: &Guide,
    word: &str,
    issue: (&str, Option<&Row>),
    remark: &str,
) {
    let (name, row) = issue;
    let mut columns = guide.first.width() + word.width() + inline(name).width() + 2;
    let mut head = format!("{}{word}{}  ", guide.first, id(ui, index, name));
    let mut title = String::from("in no ledger");
    if let Some(row) = row {
        let (priority, status) = (row.issue.priority.to_string(), inline(row.issue.status.as_str()));
        columns += priority.width() + status.width() + 3;
        head.push_str(&format!(
            "{} {}  ",
            ui.paint(priority_style(row.issue.priority.number()), &priority),
            ui.paint(status_style(&status), &status)
        ));
        title = inline(&row.issue.title).into_owned();
    }
    let cells = plain_cells(&format!("{title}{remark}"));
    if ui.width().is_some_and(|width| width < columns + 16) {
        let rest = format!("{}  ", guide.rest);
        match row.filter(|_| ui.width().is_some_and(|width| width < columns)) {
            Some(row) => {
                let plain =
                    format!("{word}{}  {} {}", inline(name), row.issue.priority, inline(row.issue.status.as_str()));
                ui.cells(&guide.first, &rest, &plain_cells(&plain));
            }
            None => ui.line(head.trim_end()),
        }
        ui.cells(&rest, &rest, &cells);
    } else {
        let rest = format!("{}{}", guide.rest, " ".repeat(columns - guide.rest.width()));
        ui.titled(&head, columns, &rest, &cells);
    }
}

/// The prefix of a node's first line, and of its further lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Guide {
    pub first: String,
    pub rest: String,
}

/// The guides of nodes in drawing order, from their depths; a root has none. `fine`: beyond ASCII.
pub(crate) fn guides(depths: &[usize], fine: bool) -> Vec<Guide> {
    let (fork, last, line) = if fine { ("├─ ", "└─ ", "│  ") } else { ("|- ", "`- ", "|  ") };
    let mut guides = vec![Guide::default(); depths.len()];
    // From the end: the depths at which another node follows below the same parent.
    let mut follows: Vec<bool> = Vec::new();
    for (guide, depth) in guides.iter_mut().zip(depths).rev() {
        follows.resize(depth + 1, false);
        for (level, more) in follows.iter().enumerate().skip(1) {
            let ends = level == *depth;
            guide.first.push_str(match (ends, more) {
                (true, true) => fork,
                (true, false) => last,
                (false, true) => line,
                (false, false) => "   ",
            });
            guide.rest.push_str(if *more { line } else { "   " });
        }
        follows[*depth] = true;
    }
    guides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_join_what_is_below_one_node() {
        let drawn: Vec<String> = guides(&[0, 1, 2, 2, 1, 2, 0, 1], true).into_iter().map(|guide| guide.first).collect();
        assert_eq!(drawn, ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ ", "", "└─ "]);
        let plain: Vec<String> = guides(&[0, 1, 2, 1], false).into_iter().map(|guide| guide.rest).collect();
        assert_eq!(plain, ["", "|  ", "|     ", "   "]);
        assert_eq!(guides(&[0, 1, 2, 1], false)[2].first, "|  `- ");
    }
}
