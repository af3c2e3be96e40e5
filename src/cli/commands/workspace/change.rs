use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Context, Outcome};
use crate::coordination::{self, WorkspaceUpdate};
use crate::model::workspace::State;
use crate::view::{self, Exit, inline};

/// Look after a checkout that is there already
///
/// A checkout of this repository, or a clone of it, is recorded as a workspace. It shares claims and mail from then on.
#[derive(Debug, Args)]
pub struct AdoptArgs {
    /// Where it is
    path: PathBuf,
    /// The issue that it is for, by id or its first characters
    #[arg(long, value_name = "ID")]
    issue: Option<String>,
}

/// Say what became of a workspace, or bring it up to date
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// Its id, path, issue or branch
    workspace: String,
    /// What it is now: active, idle, merged (its work is in the branch it came from) or abandoned (nobody wants it)
    #[arg(long, value_parser = PossibleValuesParser::new(["active", "idle", "merged", "abandoned"]), hide_possible_values = true)]
    status: Option<String>,
    /// The commit with which its work was merged
    #[arg(long, value_name = "COMMIT")]
    merge_commit: Option<String>,
    /// The pull request for its work
    #[arg(long, value_name = "URL")]
    pr_url: Option<String>,
    /// Bring its branch forward to what its parent has; refused if anything in it would be lost
    #[arg(long)]
    fetch: bool,
}

pub fn adopt(args: AdoptArgs, cx: &mut Context) -> Outcome {
    let path = cx.directory().join(args.path);
    let issue = args.issue.as_deref().map(|typed| cx.resolve(typed)).transpose()?;
    let store = cx.store()?;
    let one = coordination::adopt_workspace(store, &path, issue)?;
    json_answer!(cx, view::workspace(&one));
    cx.ui.done(&format!("Looked after: {}  {}", inline(&one.path), one.id));
    Ok(Exit::Ok)
}

pub fn update(args: UpdateArgs, cx: &mut Context) -> Outcome {
    let wish = WorkspaceUpdate {
        state: args.status.as_deref().and_then(State::read),
        merge_commit: args.merge_commit,
        pr_url: args.pr_url,
        fetch: args.fetch,
    };
    let (one, is_new) = coordination::update_workspace(cx.store()?, &args.workspace, &wish)?;
    json_answer!(cx, view::workspace(&one));
    if wish.fetch {
        cx.ui.note(if is_new { "brought forward" } else { "there was nothing new" });
    }
    cx.ui.done(&format!("{}: {}", one.state.word(), one.id));
    Ok(Exit::Ok)
}
