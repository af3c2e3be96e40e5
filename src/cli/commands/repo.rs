use clap::{Args, Subcommand};

use super::changed_settings::{FileArgs, change};
use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, ConfigRequest};
use crate::store::Access;
use crate::view::{self, Exit, Failure, inline, plural};

/// List, join and remove the project's repos
///
/// The same as `bd config --add-repo`, `--remove-repo` and `--list-repos`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd repo list\n  bd repo add ~/.beads-planning\n  bd repo remove ~/.beads-planning\n  bd repo clone --dry-run"
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
    /// Fetch joined repos that are missing here, from repos.addresses in the settings
    Clone {
        /// Show what would be fetched; change nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
        /// Fetch without a question
        #[arg(short, long)]
        yes: bool,
    },
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
        Some(Action::Clone { dry_run, yes }) => clone(dry_run, yes, cx),
    }
}

pub(super) fn list(cx: &mut Context) -> Outcome {
    cx.lists_repos = true;
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

fn clone(dry_run: bool, yes: bool, cx: &mut Context) -> Outcome {
    let missing = ops::missing_repos(cx.store()?);
    let (known, unknown): (Vec<_>, Vec<_>) = missing.into_iter().partition(|one| one.address.is_some());
    let asks = !dry_run && !yes && !known.is_empty();
    if !cx.ui.wants_json() {
        let verb = if dry_run || asks { "would clone" } else { "cloning" };
        for one in &known {
            let path = cx.ui.path(&one.path);
            cx.ui.line(&inline(&format!("{verb} {} into {path}", one.address.as_deref().unwrap_or_default())));
        }
        for one in &unknown {
            let text = &one.text;
            cx.ui.note(&inline(&format!(
                "{text}: no address is known; add \"{text} ADDRESS\" to repos.addresses in .beads/config.toml"
            )));
        }
    }
    if asks && !cx.ui.is_interactive() {
        return Err(Failure::usage("nothing was cloned").hint("look with --dry-run, then add --yes"));
    }
    if asks && !cx.ui.confirm("Clone these?") {
        cx.ui.note("nothing was changed");
        return Ok(Exit::Failed);
    }
    let mut exit = Exit::Ok;
    let mut done = Vec::new();
    for one in known.iter().filter(|_| !dry_run) {
        match ops::clone_repo(cx.store()?, one) {
            Ok(()) => done.push(one.clone()),
            Err(error) => exit = cx.fail(&one.text, Failure::from(error).without_hint(), exit),
        }
    }
    if !done.is_empty() {
        cx.reopen()?;
    }
    if cx.ui.wants_json() {
        let (known, unknown) = (if dry_run { known } else { done }, unknown);
        cx.json(view::cloned_repos(&known, &unknown, dry_run));
        return Ok(exit);
    }
    done.iter().for_each(|one| cx.ui.done(&inline(&format!("Cloned: {}", one.text))));
    cx.ui.note_if(known.is_empty() && unknown.is_empty(), "no joined repo is missing");
    Ok(exit)
}
