use clap::Args;

use super::{Context, Outcome};
use crate::cli::render;
use crate::model::json::Dialect;
use crate::ops::{self, Component};
use crate::view::{self, Exit, Failure, Object, array, inline};

/// Show issues in the order in which they can be done
///
/// Of one issue: what it depends on and what depends on it. With --all: every open issue, one group of connected issues after the
/// other. Each layer waits for the one before; issues of one layer can be done at the same time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd graph bd-a3f8\n  bd graph --all --json")]
pub struct GraphArgs {
    /// The issue, by id or its first characters
    #[arg(conflicts_with = "all")]
    id: Option<String>,
    /// All open issues
    #[arg(long)]
    all: bool,
    /// Said by some for one line per issue, which is the only way
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
        let json = match parts.as_slice() {
            [one] if !args.all => object(one),
            all => array(all.iter().map(object)),
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
    if parts.is_empty() {
        cx.ui.note("no open issues");
    }
    Ok(Exit::Ok)
}

fn print(part: &Component, cx: &mut Context) -> Result<(), Failure> {
    let (store, ui) = cx.parts()?;
    let index = store.prefix_index()?;
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
        ui.warning("some of these wait for each other in a circle; bd dep cycles shows it");
    }
    Ok(())
}

fn object(part: &Component) -> String {
    let mut nodes = Object::new();
    for (n, layer) in part.layers.iter().enumerate() {
        for (position, id) in layer.iter().enumerate() {
            let waits = part.waits_for.get(id).cloned().unwrap_or_default();
            let node = Object::new().number("Layer", n as i64).number("Position", position as i64);
            nodes = nodes.raw(id, &node.texts("DependsOn", &waits).finish());
        }
    }
    let list = |ids: &Vec<String>| array(ids.iter().map(|id| Dialect::default().string(id)));
    let layout = Object::new()
        .raw("Nodes", &nodes.finish())
        .raw("Layers", &array(part.layers.iter().map(list)))
        .number("MaxLayer", part.layers.len().saturating_sub(1) as i64)
        .text("RootID", &part.root);
    let rows: Vec<_> = part.issues.values().cloned().collect();
    let object = match part.issues.get(&part.root) {
        Some(root) => Object::new().raw("root", &view::summary(root).finish()),
        None => Object::new(),
    };
    object.raw("issues", &view::rows(&rows)).raw("layout", &layout.finish()).texts("circular", &part.circular).finish()
}
