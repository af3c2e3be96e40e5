use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, WorktreeStatus, WorktreeWish};
use crate::view::{self, Exit, inline};

/// Manage the checkouts of this repository: git worktrees, jj workspaces, hg shares
///
/// Whoever made them, all checkouts of one repository share claims, agents and mail. Each has an id of its own that stays with it
/// when it is moved. A checkout is named by its id, its name (`main`, or that of its directory) or its path.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd worktree list
  bd worktree create feature-x --base main
  bd worktree remove feature-x
  bd worktree prune --apply
  bd status --all-worktrees")]
pub(super) struct WorktreeArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the checkouts: branch, unsaved files, who works there, unmerged issues
    List {
        /// Include removed ones
        #[arg(long)]
        all: bool,
    },
    /// Show one checkout
    Info {
        /// Its id, name or path (default: this one)
        checkout: Option<String>,
    },
    Create(CreateArgs),
    /// Remove a checkout if no work would be lost; keeps its branch and commits
    Remove {
        /// Its id, name or path
        checkout: String,
        /// Remove even if work would be lost; saves non-ignored files first
        #[arg(long)]
        force: bool,
    },
    /// Restore the saved files of a checkout removed by force
    Restore {
        /// The key that `bd worktree remove` printed
        kept: String,
        /// The directory to write to; it must be empty or not exist
        #[arg(value_name = "DIR")]
        to: PathBuf,
    },
    /// Show what is left of checkouts that are gone
    Prune {
        /// Drop their records in version control; keeps claims, mail and checkpoints
        #[arg(long)]
        apply: bool,
    },
    /// Repair the links to checkouts that were moved by hand
    Repair,
}

/// Create a checkout on its own branch
///
/// Without --path it is beside the main checkout: ../<repo>-<name>. No hooks run.
#[derive(Debug, Args)]
struct CreateArgs {
    /// Its name
    name: String,
    /// The branch to check out, created if missing (default: NAME)
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Where a new branch starts (default: what is checked out here)
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Where to put it
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

pub(super) fn run(args: WorktreeArgs, cx: &mut Context) -> Outcome {
    match args.action {
        Action::List { all } => list(cx, all),
        Action::Info { checkout } => info(cx, checkout.as_deref()),
        Action::Create(args) => create(cx, args),
        Action::Remove { checkout, force } => remove(cx, &checkout, force),
        Action::Restore { kept, to } => restore(cx, &kept, &to),
        Action::Prune { apply } => prune(cx, apply),
        Action::Repair => repair(cx),
    }
}

fn list(cx: &mut Context, all: bool) -> Outcome {
    let found = ops::worktrees(cx.store()?, all)?;
    json_answer!(cx, view::each(&found, view::worktree));
    let lines: Vec<[String; 6]> = found
        .iter()
        .map(|status| {
            let one = &status.worktree;
            let branch = one.branch.as_deref().unwrap_or("-");
            let (state, counts) = (view::worktree_state(status), view::worktree_counts(status));
            let path = cx.ui.path(&one.root);
            [&one.name, one.id.as_deref().unwrap_or("-"), branch, &state, &counts, &path]
                .map(|cell| inline(cell).into_owned())
        })
        .collect();
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}

fn info(cx: &mut Context, typed: Option<&str>) -> Outcome {
    let status = ops::worktree_status(cx.store()?, typed)?;
    json_answer!(cx, view::worktree(&status));
    show(cx, &status);
    Ok(Exit::Ok)
}

fn show(cx: &mut Context, status: &WorktreeStatus) {
    let now = cx.host().clock.now();
    let one = &status.worktree;
    let branch = one.branch.as_ref().map(|name| format!("on {name}, ")).unwrap_or_default();
    let here = if one.is_here { ", in use" } else { "" };
    let head = format!("{}  {branch}{}{here}  {}", one.name, view::worktree_state(status), cx.ui.path(&one.root));
    cx.ui.line(&format!("{}  {}", inline(&head), one.id.as_deref().unwrap_or("-")));
    for line in view::worktree_facts(status, now) {
        cx.ui.line(&format!("  {}", cx.ui.short(&line)));
    }
}

/// The one picture of all work that goes on, for `bd status --all-worktrees`.
pub(super) fn overview(only: Option<&str>, cx: &mut Context) -> Outcome {
    let found = match only {
        Some(only) => vec![ops::worktree_status(cx.store()?, Some(only))?],
        None => ops::worktrees(cx.store()?, false)?,
    };
    json_answer!(cx, view::each(&found, view::worktree));
    for status in &found {
        show(cx, status);
    }
    Ok(Exit::Ok)
}

fn create(cx: &mut Context, args: CreateArgs) -> Outcome {
    let path = args.path.map(|path| cx.directory().join(path));
    let wish = WorktreeWish { name: args.name, branch: args.branch, base: args.base, path };
    let made = ops::create_worktree(cx.store()?, &wish)?;
    if cx.ui.wants_json() {
        let status = ops::worktree_status(cx.store()?, made.root.to_str())?;
        cx.json(view::worktree(&status));
        return Ok(Exit::Ok);
    }
    let branch = made.branch.as_ref().map(|name| format!(" on {}", inline(name))).unwrap_or_default();
    cx.ui.done(&format!("Made{branch}: {}", cx.ui.path(&made.root)));
    Ok(Exit::Ok)
}

fn remove(cx: &mut Context, typed: &str, force: bool) -> Outcome {
    let cwd = cx.host().env.cwd().to_owned();
    let removed = ops::remove_worktree(cx.store()?, typed, force, &cwd)?;
    json_answer!(cx, view::removed_worktree(&removed));
    for reason in &removed.forced {
        cx.ui.note(&format!("although {reason}"));
    }
    if let Some(kept) = &removed.kept {
        let text =
            format!("its files are saved; run `bd worktree restore {} DIR` to get them back ({})", kept.key, kept.name);
        cx.ui.note(&text);
    }
    cx.ui.done(&format!("Removed: {}", cx.ui.path(&removed.worktree.root)));
    Ok(Exit::Ok)
}

fn restore(cx: &mut Context, kept: &str, to: &Path) -> Outcome {
    let (written, staged) = ops::restore_worktree(cx.store()?, kept, to)?;
    json_answer!(cx, view::restored_worktree(kept, &written, &staged));
    if let Some(path) = staged {
        cx.ui.note(&format!("what was staged and differs from the files is in {}", path.display()));
    }
    cx.ui.done(&format!("Restored: {}", cx.ui.path(&written)));
    Ok(Exit::Ok)
}

fn prune(cx: &mut Context, apply: bool) -> Outcome {
    let pruned = ops::prune_worktrees(cx.store()?, apply)?;
    json_answer!(cx, view::pruned_worktrees(&pruned));
    let verb = if apply { "Dropped" } else { "Would drop" };
    for record in &pruned.records {
        cx.ui.done(&format!("{verb} the record {}", cx.ui.path(record)));
    }
    let verb = if apply { "Repaired" } else { "Moved, and to be repaired" };
    for one in &pruned.moved {
        cx.ui.done(&format!("{verb}: {}", cx.ui.path(&one.root)));
    }
    for one in &pruned.gone {
        cx.ui.done(&format!("Gone: {} {}", cx.ui.path(&one.root), one.id.as_deref().unwrap_or("-")));
    }
    let found = pruned.records.len() + pruned.moved.len() + pruned.gone.len();
    match found {
        0 => cx.ui.note("nothing is left of checkouts that are gone"),
        _ if !apply => cx.ui.note("nothing was changed; --apply does it, and keeps what they left in the state home"),
        _ => {}
    }
    Ok(Exit::Ok)
}

fn repair(cx: &mut Context) -> Outcome {
    let moved = ops::repair_worktrees(cx.store()?)?;
    let led = ops::repair_workspaces(cx.store()?)?;
    let moved = moved.iter().map(|one| one.root.display().to_string());
    let paths: Vec<String> = moved.chain(led.into_iter().map(|one| one.path)).collect();
    json_answer!(cx, view::repaired_worktrees(&paths));
    for path in &paths {
        cx.ui.done(&format!("Repaired: {}", cx.ui.path(Path::new(path))));
    }
    cx.ui.note_if(paths.is_empty(), "no checkout was moved");
    Ok(Exit::Ok)
}
