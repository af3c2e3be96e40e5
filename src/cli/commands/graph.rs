use std::collections::HashSet;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, Component};
use crate::store::Row;
use crate::view::{self, Exit, Failure, inline};

/// Show issues in the order they can be done
///
/// Of one issue: what it depends on and what depends on it. With --all: every open issue, one group of connected issues after the
/// other. Children are below their parents. Each step waits for the one before; issues of one step can be done at the same time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd graph bd-a3f8\n  bd graph --all --json")]
pub(super) struct GraphArgs {
    /// The issue, by id or its first characters
    #[arg(conflicts_with = "all")]
    id: Option<String>,
    /// Show all open issues
    #[arg(long)]
    all: bool,
    /// Accepted for compatibility: one line per issue is the only layout
    #[arg(long, hide = true)]
    compact: bool,
    #[arg(long, hide = true)]
    r#box: bool,
}

pub(super) fn run(args: GraphArgs, cx: &mut Context) -> Outcome {
    if args.id.is_none() && !args.all {
        return Err(Failure::usage("an issue ID is required, or --all for all open issues"));
    }
    let parts = ops::graph(cx.store()?, args.id.as_deref())?;
    if cx.ui.wants_json() {
        let json: String = match parts.as_slice() {
            [one] if !args.all => view::graph(one).into(),
            all => view::each(all, view::graph).into(),
        };
        cx.json(json);
        return Ok(Exit::Ok);
    }
    for (n, part) in parts.iter().enumerate() {
        cx.ui.blank_if(n > 0);
        print(part, cx)?;
    }
    cx.ui.note_if(parts.is_empty(), "no open issues");
    Ok(Exit::Ok)
}

/// Children below their parents, in the order of the steps; each issue once.
fn print(part: &Component, cx: &mut Context) -> Result<(), Failure> {
    let (index, ui) = cx.index()?;
    let step = |id: &str| part.layers.iter().position(|layer| layer.iter().any(|known| known == id)).unwrap_or(0);
    let parent = |row: &Row| row.issue.parent().filter(|id| part.issues.contains_key(*id)).map(str::to_owned);
    let mut order: Vec<&Row> = part.issues.values().collect();
    order.sort_by_key(|row| (step(&row.issue.id), row.issue.id.clone()));
    let mut drawn: Vec<(usize, &Row)> = Vec::new();
    let mut seen = HashSet::new();
    let mut work: Vec<(usize, &Row)> =
        order.iter().rev().filter(|row| parent(row).is_none()).map(|row| (0, *row)).collect();
    // Members of a cycle of parents have no root; they come last, side by side.
    work.splice(0..0, order.iter().rev().filter(|row| parent(row).is_some()).map(|row| (0, *row)));
    while let Some((depth, row)) = work.pop() {
        if seen.insert(row.issue.id.as_str()) {
            drawn.push((depth, row));
            let below = order.iter().rev().filter(|child| parent(child).as_deref() == Some(row.issue.id.as_str()));
            work.extend(below.map(|child| (depth + 1, *child)));
        }
    }
    let depths: Vec<usize> = drawn.iter().map(|(depth, _)| *depth).collect();
    for (guide, (_, row)) in render::guides(&depths, ui.draws_lines()).iter().zip(&drawn) {
        let issue = &row.issue;
        let waits = part.waits_for.get(&issue.id).filter(|all| !all.is_empty());
        let waits = waits.map(|all| format!(", waits for {}", inline(&all.join(" ")))).unwrap_or_default();
        let remark = format!("  (step {}{waits})", step(&issue.id) + 1);
        render::branch(ui, &index, guide, "", (&issue.id, Some(row)), &remark);
    }
    if !part.circular.is_empty() {
        ui.warning("some of these wait for each other in a circle; run `bd dep cycles` to see it");
    }
    Ok(())
}
