use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::context::{Context, Outcome};
use crate::model::workspace::State;
use crate::ops::{self, WorkspaceUpdate};
use crate::view::{self, Exit};

/// Adopt an existing checkout as a workspace
///
/// A checkout of this repository, or a clone of it, is recorded as a workspace. It shares claims and mail from then on.
#[derive(Debug, Args)]
pub(super) struct AdoptArgs {
    /// Its path
    path: PathBuf,
    /// The issue it is for, by id or its first characters
    #[arg(long, value_name = "ID")]
    issue: Option<String>,
}

/// Update a workspace's state, or bring its branch forward
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// Its id, path, issue or branch
    workspace: String,
    /// The new state: active, idle, merged (its work is in its base branch) or abandoned
    #[arg(long, value_parser = PossibleValuesParser::new(["active", "idle", "merged", "abandoned"]), hide_possible_values = true)]
    status: Option<String>,
    /// The commit that merged its work
    #[arg(long, value_name = "COMMIT")]
    merge_commit: Option<String>,
    /// The pull request for its work
    #[arg(long, value_name = "URL")]
    pr_url: Option<String>,
    /// Fast-forward its branch to its parent's; refused if work would be lost
    #[arg(long)]
    fetch: bool,
}

pub(super) fn adopt(args: AdoptArgs, cx: &mut Context) -> Outcome {
    let path = cx.directory().join(args.path);
    let issue = args.issue.as_deref().map(|typed| cx.resolve(typed)).transpose()?;
    let store = cx.store()?;
    let one = ops::adopt_workspace(store, &path, issue)?;
    cx.answer(view::workspace(&one), &format!("Looked after: {}  {}", cx.ui.path(Path::new(&one.path)), one.id))
}

pub(super) fn update(args: UpdateArgs, cx: &mut Context) -> Outcome {
    let wish = WorkspaceUpdate {
        state: args.status.as_deref().and_then(State::parse),
        merge_commit: args.merge_commit,
        pr_url: args.pr_url,
        fetch: args.fetch,
    };
    let (one, is_new) = ops::update_workspace(cx.store()?, &args.workspace, &wish)?;
    json_answer!(cx, view::workspace(&one));
    if wish.fetch {
        cx.ui.note(if is_new { "brought forward" } else { "there was nothing new" });
    }
    cx.ui.done(&format!("{}: {}", one.state.word(), one.id));
    Ok(Exit::Ok)
}
