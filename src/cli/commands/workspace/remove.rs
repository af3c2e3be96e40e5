use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, Removal};
use crate::view::{self, Exit, inline};

/// Remove a workspace if no work would be lost
///
/// The workspace stays, and the command says why, while it holds work that exists nowhere else, an issue is claimed from it, a
/// program runs in it, or it is your current directory. Also deletes the branch made for a worktree, once that is merged.
#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// Its id, path, issue or branch
    workspace: String,
    /// Keep the branch that was made for it
    #[arg(long)]
    keep_branch: bool,
    /// Remove even if work would be lost; saves non-ignored files first. Claims, running programs and your current directory
    /// still prevent it
    #[arg(long)]
    force: bool,
    /// Show what would be done; change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn remove(args: RemoveArgs, cx: &mut Context) -> Outcome {
    let cwd = cx.host().env.cwd().to_owned();
    let removal = Removal { keep_branch: args.keep_branch, force: args.force, dry_run: args.dry_run };
    let removed = ops::remove_workspace(cx.store()?, &args.workspace, removal, &cwd)?;
    json_answer!(cx, view::removed_workspace(&removed));
    for reason in &removed.forced {
        cx.ui.note(&format!("although {}", inline(&reason.text)));
    }
    if let Some(kept) = &removed.kept {
        cx.ui.note(&format!("its content is saved; run `bd workspace restore {} --to DIR` to get it back", kept.key));
    }
    if !removed.brought.is_empty() {
        let verb = if removed.dry_run { "would be brought home" } else { "is brought home" };
        cx.ui.note(&format!("what only its ledger says {verb}: {}", inline(&removed.brought.join(", "))));
    }
    if let Some(branch) = &removed.branch {
        let verb = if removed.dry_run { "would go too" } else { "is deleted too" };
        cx.ui.note(&format!("the branch {} {verb}", inline(branch)));
    }
    let verb = match (removed.is_forgotten, removed.dry_run) {
        (true, false) => "Forgotten, its files stay",
        (true, true) => "Would be forgotten, its files stay",
        (false, false) => "Removed",
        (false, true) => "Would be removed",
    };
    cx.ui.done(&format!("{verb}: {}  {}", cx.ui.path(Path::new(&removed.workspace.path)), removed.workspace.id));
    Ok(Exit::Ok)
}

/// Restore the saved files of a workspace removed by force
#[derive(Debug, Args)]
pub(super) struct RestoreArgs {
    /// The key that `bd workspace remove` printed, or the id of the workspace
    kept: String,
    /// The directory to write to; it must be empty or not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

pub(super) fn restore(args: RestoreArgs, cx: &mut Context) -> Outcome {
    let to = cx.directory().join(&args.to);
    let restored = ops::restore_workspace(cx.store()?, &args.kept, &to)?;
    json_answer!(cx, view::restored_workspace(&restored));
    if let Some(path) = &restored.staged {
        cx.ui.note(&format!("what was staged and differs from the files is in {}", path.display()));
    }
    let what = if restored.with_commits { "with its commits" } else { "files alone" };
    cx.ui.done(&format!("Restored, {what}: {}", cx.ui.path(&restored.path)));
    Ok(Exit::Ok)
}
