use clap::{Args, Subcommand};

use super::changed_settings::{FileArgs, change};
use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, ConfigRequest};
use crate::store::Access;
use crate::view::{self, Exit, inline, plural};

/// List, join and remove the project's repos
///
/// The same as `bd config --add-repo`, `--remove-repo` and `--list-repos`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd repo list\n  bd repo add ~/.beads-planning\n  bd repo remove ~/.beads-planning"
)]
pub(super) struct RepoArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Join repos
    Add {
        /// Where they are: paths of repositories
        #[arg(required = true)]
        paths: Vec<String>,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Remove repos from the project; their files stay
    Remove {
        /// Their paths, or their names in `bd repo list`
        #[arg(required = true)]
        paths: Vec<String>,
        #[command(flatten)]
        file: FileArgs,
    },
    /// Show them
    List,
}

pub(super) fn run(args: RepoArgs, cx: &mut Context) -> Outcome {
    match args.action {
        Some(Action::Add { paths, file }) => {
            change(ConfigRequest { add: paths, file: file.origin(), ..ConfigRequest::default() }, cx)
        }
        Some(Action::Remove { paths, file }) => {
            change(ConfigRequest { remove: paths, file: file.origin(), ..ConfigRequest::default() }, cx)
        }
        Some(Action::List) | None => list(cx),
    }
}

pub(super) fn list(cx: &mut Context) -> Outcome {
    let with_ids = cx.ui.wants_json();
    let repos = ops::repos(cx.store()?, with_ids)?;
    json_answer!(cx, view::each(&repos, view::repo_status));
    let lines: Vec<[String; 4]> = repos
        .iter()
        .map(|repo| {
            let access = match &repo.access {
                Access::Write => "writable".to_owned(),
                Access::Read(reason) => format!("read-only: {reason}"),
            };
            let commits = if repo.commits { ", committed after each write" } else { "" };
            let access = format!("{access}{commits}");
            [&repo.name, repo.kind, &plural(repo.issues, "issue"), &access].map(|cell| inline(cell).into_owned())
        })
        .collect();
    render::columns(&mut cx.ui, "", &lines);
    Ok(Exit::Ok)
}
