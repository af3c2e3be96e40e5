use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::change::Change;
use crate::ops::{self, CHECKS};
use crate::view::{self, Exit, inline, plural};

/// Check for duplicates, dangling dependencies, test issues and conflict markers
///
/// `bd doctor` checks more. Exits 8 while the ledger holds conflict markers.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd validate\n  bd validate --checks orphans,duplicates --json\n  bd validate --fix-all"
)]
pub(super) struct ValidateArgs {
    /// Only these checks, comma-separated
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = CHECKS)]
    checks: Vec<String>,
    /// Remove dangling dependencies
    #[arg(long)]
    fix_all: bool,
    #[arg(short, long, hide = true)]
    yes: bool,
}

/// List dangling dependencies; --fix removes them
///
/// Nothing is removed while a repo of the project cannot be read: it may hold the missing issue.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd repair-deps\n  bd repair-deps --fix")]
pub(super) struct RepairDepsArgs {
    /// Remove them
    #[arg(long)]
    fix: bool,
}

/// List open issues whose titles look like tests
///
/// --clean deletes them, as `bd delete` does; without --yes it only shows them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd detect-pollution\n  bd detect-pollution --clean --yes")]
pub(super) struct DetectPollutionArgs {
    /// Delete them
    #[arg(long)]
    clean: bool,
    /// Delete without asking, with --clean
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(args: ValidateArgs, cx: &mut Context) -> Outcome {
    cx.reports_problems = true;
    let wanted = |name: &&str| args.checks.is_empty() || args.checks.iter().any(|known| known == name);
    let names: Vec<&'static str> = CHECKS.into_iter().filter(wanted).collect();
    let checks = ops::validate(cx.store()?, &names, args.fix_all)?;
    let exit = if checks.iter().any(|check| check.damage) { Exit::Damaged } else { Exit::Ok };
    if cx.ui.wants_json() {
        let path = ops::facts(cx.store()?)?.root;
        cx.json(view::validated(&path, &checks));
        return Ok(exit);
    }
    for check in &checks {
        let fixed = if check.fixed > 0 { format!(", {} fixed", check.fixed) } else { String::new() };
        cx.ui.line(&format!("{:<11} {} found{fixed}", check.name, check.found.len()));
        check.found.iter().for_each(|text| cx.ui.line(&inline(&format!("  {}", cx.ui.short(text)))));
    }
    Ok(exit)
}

pub(super) fn run_repair_deps(args: RepairDepsArgs, cx: &mut Context) -> Outcome {
    let edges = ops::dangling_dependencies(cx.store()?)?;
    let mut exit = Exit::Ok;
    let mut fixed = 0;
    if args.fix {
        let batch = ops::remove_dangling(cx.store()?, &edges)?;
        for (typed, result) in batch.results {
            match result {
                Ok(written) => fixed += edges.iter().filter(|(id, _, _)| *id == written.id).count(),
                Err(error) => exit = cx.fail(&typed, error.into(), exit),
            }
        }
    }
    if cx.ui.wants_json() {
        cx.json(view::dangling_edges(&edges, args.fix.then_some(fixed)));
        return Ok(exit);
    }
    let word = if args.fix { "Removed" } else { "Dependency on a missing issue" };
    for (id, target, kind) in &edges {
        cx.ui.line(&inline(&format!("{word}: {id} depends ({kind}) on {target}")));
    }
    cx.ui.done_if(edges.is_empty(), "every dependency leads to an issue");
    Ok(exit)
}

pub(super) fn run_detect_pollution(args: DetectPollutionArgs, cx: &mut Context) -> Outcome {
    let found = ops::pollution(cx.store()?)?;
    let mut exit = Exit::Ok;
    let mut deleted = Vec::new();
    if args.clean && args.yes && !found.is_empty() {
        let ids: Vec<String> = found.iter().map(|one| one.row.issue.id.clone()).collect();
        let reason = || Some("looks like a test issue".to_owned());
        let batch = ops::change_each(cx.store()?, &ids, |_| vec![Change::Delete { reason: reason() }])?;
        deleted = batch.written().map(|written| written.id.clone()).collect();
        exit = cx.report_failures(batch)?;
    }
    if cx.ui.wants_json() {
        cx.json(view::pollution(&found, args.clean.then_some(&deleted)));
        return Ok(exit);
    }
    for one in &found {
        let reasons = one.reasons.join(", ").to_lowercase();
        cx.ui.line(&inline(&format!("{}  {}  ({reasons})", one.row.issue.id, one.row.issue.title)));
    }
    match (found.is_empty(), args.clean, args.yes) {
        (true, _, _) => cx.ui.done("no issue looks like a test"),
        (false, true, true) => cx.ui.done(&format!("Deleted {}", plural(deleted.len(), "issue"))),
        (false, true, false) => cx.ui.hint("nothing was deleted; look at the list, then add --yes"),
        (false, false, _) => {}
    }
    Ok(exit)
}
