use std::path::Path;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::model::size;
use crate::model::workspace::{State, Workspace};
use crate::ops;
use crate::view::{self, Exit, inline};

/// List the workspaces: state, kind, branch, issue, last use
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Include removed ones
    #[arg(long)]
    all: bool,
    /// Only directories without a record, and those put aside
    #[arg(long, conflicts_with_all = ["all", "stale", "merged"])]
    orphans: bool,
    /// Only workspaces whose process is gone or that are long unused
    #[arg(long, conflicts_with_all = ["all", "merged"])]
    stale: bool,
    /// Only workspaces whose work is merged into their base branch
    #[arg(long, conflicts_with = "all")]
    merged: bool,
    /// Fetch first, to see what was merged on the remotes
    #[arg(long, requires = "merged")]
    fetch: bool,
    /// How long unused counts as stale (default: 7d)
    #[arg(long, value_name = "TIME", value_parser = super::gc::span, requires = "stale")]
    older_than: Option<i64>,
}

/// A workspace that is named.
#[derive(Debug, Args)]
pub(super) struct NamedArgs {
    /// Its id, path, issue or branch
    workspace: String,
}

/// Show the disk usage of workspaces
///
/// Hard-linked files, such as a clone's objects, free no space when the workspace is removed.
#[derive(Debug, Args)]
pub(super) struct DuArgs {
    /// Its id, path, issue or branch (default: all)
    workspace: Option<String>,
}

pub(super) fn list(args: ListArgs, cx: &mut Context) -> Outcome {
    let now = cx.host().clock.now();
    super::gc::name_unreadable(cx)?;
    if args.orphans {
        return orphans(cx);
    }
    if args.fetch {
        super::gc::fetch(cx)?;
    }
    let mut all = if args.merged {
        let cwd = cx.host().env.cwd().to_owned();
        ops::merged_workspaces(cx.store()?, &cwd)?
    } else if args.stale {
        let usual = ops::GcWish::default().older_than;
        ops::stale_workspaces(cx.store()?, args.older_than.unwrap_or(usual))?
    } else {
        ops::workspaces(cx.store()?)?
    };
    all.retain(|one| args.all || one.state != State::Removed);
    json_answer!(cx, view::each(&all, view::workspace));
    cx.ui.note_if(all.is_empty(), "no workspaces");
    let path = |one: &Workspace| cx.ui.path(Path::new(&one.path));
    let lines: Vec<[String; 7]> = all.iter().map(|one| view::workspace_cells(one, path(one), now)).collect();
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}

fn orphans(cx: &mut Context) -> Outcome {
    let (found, aside) = ops::workspace_orphans(cx.store()?)?;
    json_answer!(cx, view::orphans(&found, &aside));
    if found.is_empty() && aside.is_empty() {
        cx.ui.note("every directory has a record");
    }
    for orphan in &found {
        cx.ui.line(&format!("found     {}", cx.ui.path(&orphan.path)));
    }
    for one in &aside {
        cx.ui.line(&format!("put aside {}  {}", cx.ui.path(Path::new(&one.path)), one.id));
    }
    Ok(Exit::Ok)
}

pub(super) fn show(args: NamedArgs, cx: &mut Context) -> Outcome {
    let now = cx.host().clock.now();
    let one = ops::find_workspace(cx.store()?, &args.workspace)?;
    json_answer!(cx, view::workspace(&one));
    cx.ui.line(&one.id);
    for (name, value) in view::workspace_facts(&one, now, &cx.ui.calendar()) {
        cx.ui.line(&format!("  {name:<14}{}", cx.ui.short(&value)));
    }
    Ok(Exit::Ok)
}

pub(super) fn path(args: NamedArgs, cx: &mut Context) -> Outcome {
    let one = ops::find_workspace(cx.store()?, &args.workspace)?;
    let path = one.directory().display().to_string();
    json_answer!(cx, view::at_path(&one.id, &path));
    cx.ui.line(&inline(&path));
    Ok(Exit::Ok)
}

pub(super) fn env(args: NamedArgs, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let one = ops::find_workspace(store, &args.workspace)?;
    let vars = ops::workspace_env(store, &one)?;
    json_answer!(cx, view::workspace_env(&vars));
    cx.ui.verbatim(&ops::exports(&vars));
    Ok(Exit::Ok)
}

pub(super) fn du(args: DuArgs, cx: &mut Context) -> Outcome {
    let found = ops::workspace_usage(cx.store()?, args.workspace.as_deref())?;
    json_answer!(cx, view::each(&found, view::workspace_usage));
    let path = |one: &Workspace| cx.ui.path(Path::new(&one.path));
    let lines: Vec<[String; 5]> = found.iter().map(|row| view::usage_cells(row, path(&row.workspace))).collect();
    render::columns(&mut cx.ui, "", &lines);
    if args.workspace.is_none() {
        let own = found.iter().map(ops::WorkspaceUsage::own).sum();
        cx.ui.line(&format!("{} in {}", size::text(own), view::plural(found.len(), "workspace")));
    }
    Ok(Exit::Ok)
}
