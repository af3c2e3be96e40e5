use clap::Args;

use super::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, Component};
use crate::view::{self, Exit, Failure, inline};

/// Show issues in the order they can be done
///
/// Of one issue: what it depends on and what depends on it. With --all: every open issue, one group of connected issues after the
/// other. Each layer waits for the one before; issues of one layer can be done at the same time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd graph bd-a3f8\n  bd graph --all --json")]
pub struct GraphArgs {
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

pub fn run(args: GraphArgs, cx: &mut Context) -> Outcome {
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
        if n > 0 {
            cx.ui.line("");
        }
        print(part, cx)?;
    }
    cx.ui.note_if(parts.is_empty(), "no open issues");
    Ok(Exit::Ok)
}

fn print(part: &Component, cx: &mut Context) -> Result<(), Failure> {
    let (index, ui) = cx.index()?;
    for (n, layer) in part.layers.iter().enumerate() {
        ui.line(&format!("Layer {n}"));
        for row in layer.iter().filter_map(|id| part.issues.get(id)) {
            let issue = &row.issue;
            let status = ui.paint(render::status_style(issue.status.as_str()), &inline(issue.status.as_str()));
            let waits = part.waits_for.get(&issue.id).filter(|all| !all.is_empty());
            let waits = waits.map(|all| format!("  waits for {}", inline(&all.join(" ")))).unwrap_or_default();
            let id = render::id(ui, &index, &issue.id);
            ui.line(&format!("  {id}  {} {status}  {}{waits}", issue.priority, inline(&issue.title)));
        }
    }
    if !part.circular.is_empty() {
        ui.warning("some of these wait for each other in a circle; run `bd dep cycles` to see it");
    }
    Ok(())
}
