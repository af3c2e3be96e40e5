use clap::Args;

use super::check_leaks;
use crate::cli::context::{Context, Outcome};
use crate::cli::report::failures;
use crate::ops;
use crate::store::{RepoSync, SyncOptions, SyncReport};
use crate::view::{self, Failure, inline};

/// Sync the ledgers with other clones
///
/// Syncs each repo of the project through its own version control: fetch, commit the ledger, merge it field by field, reconcile
/// proposals, push. Only commits that touch nothing outside .beads are pushed; if others would be pushed too, bd names them, does
/// not push that repo, and exits 1. Other files are never committed, stashed or changed; if they are in the way, that repo is
/// left as it was and the others go on. A contributor's project is only pulled. With prune.auto, issues that have been closed for
/// that long leave the ledger before the push.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd sync
  bd sync --dry-run                 what would be committed and sent, as far as the last fetch knows
  bd sync --no-push                 only get what others have
  bd sync --no-push --no-pull       only commit, as bd commit does
  bd sync --with-code               push unpushed code too, with the repository's own hooks
  bd sync --bookmark main           jj and hg: exchange with this bookmark
  bd sync --repo ~/.beads-planning")]
pub(super) struct SyncArgs {
    /// Do not fetch or merge
    #[arg(long)]
    no_pull: bool,
    /// Do not push
    #[arg(long)]
    no_push: bool,
    /// Push commits with other files too; runs the repository's own hooks
    #[arg(long)]
    with_code: bool,
    /// Exchange with this bookmark of the remote (jj and hg)
    #[arg(long, value_name = "NAME")]
    bookmark: Option<String>,
    /// Limit to this repo of the project
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Show what would be done, without using the network
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Show what would be done, as --dry-run does
    #[arg(long, hide = true)]
    status: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Flags of the original about its database and its own way to exchange it. There is none here, so the first two have nothing to
/// do and the rest mean nothing.
#[derive(Debug, Args)]
struct DatabaseArgs {
    /// Accepted for compatibility: the ledger file is always up to date
    #[arg(long, hide = true)]
    flush_only: bool,
    /// Accepted for compatibility: the ledger file is always up to date
    #[arg(long, hide = true, alias = "import", conflicts_with = "flush_only")]
    import_only: bool,
    #[arg(long, hide = true)]
    full: bool,
    #[arg(long, hide = true)]
    squash: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    accept_rebase: bool,
    #[arg(long, hide = true)]
    no_git_history: bool,
}

pub(super) fn run(args: SyncArgs, cx: &mut Context) -> Outcome {
    let dry_run = args.dry_run || args.status;
    if args.database.flush_only || args.database.import_only {
        return only_here(args.database.flush_only, dry_run, cx);
    }
    let options = SyncOptions {
        pull: !args.no_pull,
        push: !args.no_push,
        repo: None,
        dry_run,
        with_code: args.with_code,
        bookmark: args.bookmark,
    };
    let mut report = ops::sync(cx.store()?, args.repo.as_deref(), options)?;
    let failures = failures(&mut report.repos);
    if cx.ui.wants_json() {
        cx.json(view::synced(&report, &failures, dry_run));
    } else {
        for (one, failure) in report.repos.iter().zip(&failures) {
            print(one, failure.is_some(), dry_run, cx);
        }
        for done in &report.reconciled {
            cx.ui.line(&inline(&format!("{}: {}", done.id, done.what)));
        }
    }
    let exit = cx.fail_repos(&report.repos, failures);
    match report.unreconciled {
        Some(error) => Ok(cx.fail("proposals", Failure::from(error), exit)),
        None => Ok(exit),
    }
}

/// Where the original syncs its database with the file. Its hooks call this before a commit, so staged content is checked.
fn only_here(flushes: bool, dry_run: bool, cx: &mut Context) -> Outcome {
    if flushes {
        check_leaks::in_hook("pre-commit", None, cx)?;
    }
    cx.answer(
        view::synced(&SyncReport::default(), &[], dry_run),
        "nothing to do: bd keeps no database besides the ledger",
    )
}

fn print(one: &RepoSync, failed: bool, dry_run: bool, cx: &mut Context) {
    cx.ui.line(&inline(&view::synced_text(one, failed, dry_run)));
    let calendar = cx.ui.calendar();
    cx.ui.below(one.merged.iter().flat_map(|line| view::merged_text(line, &calendar)));
    cx.ui.below(view::carried_texts(one));
    for note in &one.notes {
        cx.ui.line(&inline(&format!("  {}", cx.ui.short(note))));
    }
}
