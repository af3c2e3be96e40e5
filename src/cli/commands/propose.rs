use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::model::field::{self, Field};
use crate::model::proposal::Include;
use crate::ops;
use crate::store::{ProposeRequest, Proposed};
use crate::view::{self, Exit, inline};

/// Propose planned issues to the project's maintainers
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:
  bd propose a3 --dry-run                 the exact line, and what is held back
  bd propose a3
  bd propose a3 --with-deps --include notes")]
pub(super) struct ProposeArgs {
    #[command(flatten)]
    named: IdArgs,
    /// The repo that gets them: a path, a name, or upstream (default: the project's own)
    #[arg(long, value_name = "REPO")]
    target: Option<String>,
    /// Also propose what they depend on
    #[arg(long)]
    with_deps: bool,
    /// Also send notes or comments
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = ["notes", "comments"])]
    include: Vec<String>,
    /// Show what would be published; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Confirm the number of issues added, if over 25
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Also propose issues filed for another project; they then belong to this one
    #[arg(long)]
    project: bool,
    /// Allow commits of a ledger that `bd init --contributor` keeps out of commits
    #[arg(long)]
    start_ledger: bool,
}

fn about() -> String {
    format!(
        "Propose planned issues to the project's maintainers

Writes the public part of each issue into the target's ledger, under the same id, for you to commit and send as a pull request. \
Title, {}, type, priority, labels and dependencies that the target can see go; notes, comments, assignee, dates and everything \
else stay in your planning repo.",
        field::text_names(Field::is_shared, ", ")
    )
}

pub(super) fn run(args: ProposeArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let has = |word: &str| args.include.iter().any(|known| known == word);
    let include = Include { notes: has("notes"), comments: has("comments") };
    let request = ProposeRequest {
        with_deps: args.with_deps,
        include,
        dry_run: args.dry_run,
        count: args.count,
        adopt: args.project,
        start_ledger: args.start_ledger,
        ..ProposeRequest::default()
    };
    let results = ops::propose(cx.store()?, &ids, args.target.as_deref(), request)?;
    let exit =
        cx.each(results, |_, one| view::proposed(one, args.dry_run), |cx, _, one| print(one, args.dry_run, cx))?;
    if exit == Exit::Ok && !args.dry_run {
        cx.ui.hint("commit the ledger on a branch and open a pull request; to take it back, run `bd withdraw`");
    }
    Ok(exit)
}

fn print(one: &Proposed, dry_run: bool, cx: &mut Context) {
    if let Some(former) = &one.former_id {
        cx.ui.done(&match dry_run {
            true => format!("Would rename in the planning repo, to a new id of the project: {former}"),
            false => format!("Renamed {former} in the planning repo: {}", one.id),
        });
    }
    if dry_run && one.unchanged {
        cx.ui.done(&format!("Already proposed to {}, nothing to write: {}", one.target, one.id));
    } else if dry_run {
        cx.ui.done(&format!("Would write to {}:", one.target));
        cx.ui.line(&inline(&one.line));
    } else if one.already {
        cx.ui.done(&format!("Already proposed to {}: {}", one.target, one.id));
    } else {
        cx.ui.done(&format!("Proposed to {}: {}", one.target, one.id));
    }
    for held in &one.held_back {
        cx.ui.done(&format!("  held back: {} ({})", held.what, held.why));
    }
}
