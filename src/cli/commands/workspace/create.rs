use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::context::{Context, Outcome};
use crate::model::workspace::Kind;
use crate::ops::{self, SetupWish, WorkspaceWish};
use crate::view::{self, Exit, inline};

/// Create a workspace on its own branch
///
/// The workspace is recorded before anything of it exists, and again when it is ready. If it cannot be made, only the record
/// remains, with the reason. Ignored files are copied if .worktreeinclude, workspace.copy or --copy names them. No hooks run.
#[derive(Debug, Args)]
pub(super) struct CreateArgs {
    /// The issue it is for, by id or its first characters
    #[arg(long, value_name = "ID")]
    issue: Option<String>,
    /// What it is: clone (a repository of its own, files linked), worktree (another checkout of this repository) or copy (all
    /// files as they are)
    #[arg(long, value_parser = PossibleValuesParser::new(Kind::WORDS), hide_possible_values = true)]
    kind: Option<String>,
    /// The branch to check out, created if missing (default: bd/ID)
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Where a new branch starts (default: what is checked out here)
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The repo to check out (default: the primary)
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Where to put it
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// A command to run in it, instead of workspace.setup
    #[arg(long, value_name = "COMMAND")]
    setup: Option<String>,
    /// Do not run a setup command
    #[arg(long, conflicts_with = "setup")]
    no_setup: bool,
    /// Ignored files to copy, as in .gitignore
    #[arg(long, value_name = "PATTERN")]
    copy: Vec<String>,
    /// Make a new one even if an idle one could be reused
    #[arg(long)]
    new: bool,
}

pub(super) fn run(args: CreateArgs, cx: &mut Context) -> Outcome {
    let directory = cx.directory();
    let issue = args.issue.as_deref().map(|typed| cx.resolve(typed)).transpose()?;
    let store = cx.store()?;
    let repo = args.repo.as_deref().map(|text| ops::join(store, text)).transpose()?;
    let setup = match (args.setup, args.no_setup) {
        (Some(command), _) => SetupWish::Command(command),
        (None, true) => SetupWish::Nothing,
        (None, false) => SetupWish::Usual,
    };
    let wish = WorkspaceWish {
        issue,
        repo,
        kind: args.kind.as_deref().and_then(Kind::parse),
        branch: args.branch,
        base: args.base,
        path: args.path.map(|path| directory.join(path)),
        setup,
        copy: args.copy,
        reuse: args.new.then_some(false),
        ..WorkspaceWish::default()
    };
    let mut made = ops::create_workspace(store, &wish)?;
    made.notes.extend(ops::lacks_issue(store, &made.workspace));
    json_answer!(cx, view::made_workspace(&made));
    for note in &made.notes {
        cx.ui.note(&inline(note));
    }
    let one = &made.workspace;
    let branch = one.branch.as_ref().map(|name| format!(" on {}", inline(name))).unwrap_or_default();
    let verb = if made.is_reused { "Taken again" } else { "Made" };
    cx.ui.done(&format!("{verb}{branch}: {}  {}", cx.ui.path(Path::new(&one.path)), one.id));
    Ok(Exit::Ok)
}
