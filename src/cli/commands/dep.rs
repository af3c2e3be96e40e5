use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, Neighbour};
use crate::view::{self, Exit, Failure, inline};

/// Manage dependencies: which issue waits for which
///
/// `bd dep add A B` makes A depend on B: A waits until B is closed.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  bd dep add bd-a3f8 bd-k9z2                 a3f8 waits for k9z2
  bd dep add a3 k9 -t discovered-from
  bd dep k9 --blocks a3                      the same, said from the other end
  bd dep tree a3
  bd dep remove a3 k9
  bd dep relate a3 m2                        each is worth a look with the other")]
pub(super) struct DepArgs {
    #[command(subcommand)]
    command: Option<DepCommand>,
    /// The issue, by id or its first characters
    #[arg(required = true)]
    id: Option<String>,
    /// The issue that has to wait
    #[arg(long, value_name = "ID", required = true)]
    blocks: Option<String>,
}

#[derive(Debug, Subcommand)]
enum DepCommand {
    /// Make the first issue depend on the second
    Add {
        /// The issue, by id or its first characters
        id: String,
        /// The issue it waits for
        #[arg(required_unless_present_any = ["blocked_by", "depends_on"])]
        target: Option<String>,
        /// Type: blocks, parent-child, conditional-blocks, waits-for, related, discovered-from, or another word
        #[arg(short = 't', long = "type", value_name = "TYPE", default_value = "blocks")]
        kind: String,
        #[arg(long, value_name = "ID", hide = true, conflicts_with_all = ["target", "depends_on"])]
        blocked_by: Option<String>,
        #[arg(long, value_name = "ID", hide = true, conflicts_with = "target")]
        depends_on: Option<String>,
    },
    /// Remove a dependency
    #[command(visible_alias = "rm")]
    Remove {
        /// The issue, by id or its first characters
        id: String,
        /// What it depends on
        target: String,
        /// Only of this type
        #[arg(short = 't', long = "type", value_name = "TYPE")]
        kind: Option<String>,
    },
    /// List what an issue depends on
    List {
        /// The issue, by id or its first characters
        id: String,
        /// down: what it depends on; up: what depends on it
        #[arg(long, value_name = "WAY", default_value = "down", value_parser = ["down", "up"])]
        direction: String,
        /// Only of this type
        #[arg(short = 't', long = "type", value_name = "TYPE")]
        kind: Option<String>,
    },
    /// Show the dependencies of an issue as a tree
    Tree {
        /// The issue, by id or its first characters
        id: String,
        /// Show what depends on it instead
        #[arg(long)]
        reverse: bool,
        /// Go at most so many levels deep
        #[arg(long, value_name = "N", default_value_t = 50)]
        max_depth: usize,
    },
    /// List circular dependencies
    Cycles,
    /// Link two issues, each to the other ("see also")
    Relate(PairArgs),
    /// Remove such a link
    Unrelate(PairArgs),
}

#[derive(Debug, Args)]
struct PairArgs {
    /// An issue, by id or its first characters
    id: String,
    /// The other one
    other: String,
}

pub(super) fn run(args: DepArgs, cx: &mut Context) -> Outcome {
    match (args.command, args.id, args.blocks) {
        (Some(DepCommand::Add { id, target, kind, blocked_by, depends_on }), _, _) => {
            let target = target.or(blocked_by).or(depends_on).unwrap_or_default();
            add(cx, &id, &target, &kind, false)
        }
        (Some(DepCommand::Remove { id, target, kind }), _, _) => remove(cx, &id, &target, kind.as_deref()),
        (Some(DepCommand::List { id, direction, kind }), _, _) => list(cx, &id, direction == "up", kind.as_deref()),
        (Some(DepCommand::Tree { id, reverse, max_depth }), _, _) => tree(cx, &id, reverse, max_depth),
        (Some(DepCommand::Cycles), _, _) => cycles(cx),
        (Some(DepCommand::Relate(pair)), _, _) => relate(cx, &pair, true),
        (Some(DepCommand::Unrelate(pair)), _, _) => relate(cx, &pair, false),
        (None, Some(blocker), Some(blocked)) => add(cx, &blocked, &blocker, "blocks", true),
        (None, _, _) => Err(Failure::usage("name a subcommand: add, remove, list, tree, cycles, relate or unrelate")),
    }
}

fn add(cx: &mut Context, dependent: &str, target: &str, kind: &str, reversed: bool) -> Outcome {
    let kind = ops::dependency_type(kind)?;
    let (written, target) = ops::add_dependency(cx.store()?, dependent, target, kind.clone())?;
    if !kind.is_known() {
        cx.ui.warning(&format!("type {kind} is kept, but has no effect on what is ready"));
    }
    let json = if reversed { view::added_blocker } else { view::added_dependency };
    json_answer!(cx, json(&written.id, &target, kind.as_str()));
    // Scripts match "Added dependency".
    let word = if written.changed { "Added dependency" } else { "Nothing to change" };
    let now = if written.changed { "now" } else { "already" };
    let relation = match kind.as_str() {
        "blocks" => format!("{now} waits for {target}"),
        "parent-child" => format!("is {now} a child of {target}"),
        _ => format!("{now} depends on {target} ({kind})"),
    };
    cx.ui.done(&format!("{word}: {} {relation}", written.id));
    Ok(Exit::Ok)
}

fn remove(cx: &mut Context, dependent: &str, target: &str, kind: Option<&str>) -> Outcome {
    let kind = kind.map(ops::dependency_type).transpose()?;
    let (written, target) = ops::remove_dependency(cx.store()?, dependent, target, kind)?;
    cx.answer(
        view::removed_dependency(&written.id, &target),
        &format!("Removed dependency: {} no longer depends on {target}", written.id),
    )
}

fn relate(cx: &mut Context, pair: &PairArgs, linked: bool) -> Outcome {
    let (one, other, changed) = ops::relate(cx.store()?, &pair.id, &pair.other, linked)?;
    if !changed && !linked {
        return Err(Failure::not_found(format!("{one} and {other} are not linked: dependency not found")));
    }
    if cx.ui.wants_json() {
        let json = if linked { view::related } else { view::unrelated };
        cx.json(json(&one, &other));
    } else {
        let word = match (linked, changed) {
            (true, true) => "Linked",
            (true, false) => "Nothing to change",
            (false, _) => "Unlinked",
        };
        cx.ui.done(&format!("{word}: {one} and {other}"));
    }
    Ok(Exit::Ok)
}

fn list(cx: &mut Context, id: &str, up: bool, kind: Option<&str>) -> Outcome {
    let store = cx.store()?;
    let kind = kind.map(|word| ops::check_dependency_type(store, word)).transpose()?;
    let shown = ops::show(cx.store()?, id)?;
    let edges = if up { shown.dependents } else { shown.dependencies };
    let of_kind = |edge: &Neighbour| kind.as_ref().is_none_or(|kind| edge.kind == kind.as_str());
    let edges: Vec<Neighbour> = edges.into_iter().filter(of_kind).collect();
    json_answer!(cx, view::each(&edges, view::neighbour));
    let lines = edges.iter().map(|edge| {
        let status = edge.row.as_ref().map_or("in no ledger", |row| row.issue.status.as_str());
        let title = edge.row.as_ref().map_or("", |row| row.issue.title.as_str());
        [&edge.id, edge.kind.as_str(), status, title].map(|cell| inline(cell).into_owned())
    });
    render::columns(&mut cx.ui, "", &lines.collect::<Vec<_>>());
    cx.ui.note_if(edges.is_empty(), "no dependencies");
    Ok(Exit::Ok)
}

fn tree(cx: &mut Context, id: &str, reverse: bool, max_depth: usize) -> Outcome {
    let nodes = ops::tree(cx.store()?, id, reverse, max_depth)?;
    json_answer!(cx, view::each(&nodes, view::tree_node));
    let (index, ui) = cx.index()?;
    render::tree(ui, &index, &nodes, reverse);
    Ok(Exit::Ok)
}

fn cycles(cx: &mut Context) -> Outcome {
    let cycles = ops::cycles(cx.store()?)?;
    json_answer!(cx, view::each(&cycles, |(_, rows)| view::rows(rows)));
    for (cycle, _) in &cycles {
        cx.ui.line(&inline(&format!("{} -> {}", cycle.join(" -> "), cycle[0])));
    }
    cx.ui.note_if(cycles.is_empty(), "no cycles");
    Ok(Exit::Ok)
}
