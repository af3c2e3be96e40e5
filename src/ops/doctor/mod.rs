//! Finds problems, and repairs those that can be repaired without guessing.

pub(in crate::ops) mod copies;
pub(in crate::ops) mod future;
pub(in crate::ops) mod health;
pub(in crate::ops) mod odd;
mod repair;
pub(in crate::ops) mod sizes;
pub(in crate::ops) mod unsettled;
pub(in crate::ops) mod workspaces;

use std::collections::BTreeSet;

use self::copies::check_copies;
use self::future::check_times;
use self::health::{Report, Severity};
use self::odd::check_values;
use self::repair::fix_all;
use self::sizes::check_sizes;
use self::unsettled::check_states;
use self::workspaces::check_workspaces;
use super::Result;
use crate::ledger::{Problem, REFUSED_PREFIX};
use crate::model::time::DAY;
use crate::ops::{original_agents, remote_leases, workflows};
use crate::store::settings::{ConfigFault, Held};
use crate::store::{DriverProblem, LEDGER_NAMES, RepoProblem, Store, Warning};
use crate::sys::below;
use crate::sys::fs::DISPLACED_PREFIX;

pub fn doctor(store: &mut Store, fix: bool) -> Result<Report> {
    let mut report = Report::default();
    if fix {
        fix_all(store, &mut report)?;
        report.fixed.extend(store.set_records_aside()?);
    }
    check_project(store, &mut report);
    check_files(store, &mut report)?;
    check_records(store, &mut report)?;
    check_state_home(store, &mut report);
    check_remote_claims(store, &mut report);
    check_workspaces(store, &mut report)?;
    check_sizes(store, &mut report);
    check_times(store, &mut report)?;
    check_values(store, &mut report)?;
    check_writes(store, &mut report);
    check_leftovers(store, &mut report);
    check_hooks(store, &mut report);
    check_agents(store, &mut report);
    check_databases(store, &mut report);
    check_driver(store, &mut report);
    check_proposals(store, fix, &mut report)?;
    check_projects(store, &mut report)?;
    check_copies(store, &mut report)?;
    check_graph(store, &mut report)?;
    check_workflows(store, &mut report)?;
    check_states(store, &mut report)?;
    report.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Ok(report)
}

/// Unusable settings and repos that cannot be joined.
fn check_project(store: &Store, report: &mut Report) {
    for warning in store.warnings() {
        match warning {
            Warning::Config(error) => {
                let remedy = match error.fault {
                    ConfigFault::Broken => {
                        "repair the file; until then its settings are ignored and nothing can be written"
                    }
                    ConfigFault::Unmarked => "run `bd trust` if it is yours; until then nothing is written",
                    ConfigFault::Stray => "adopt the workspace in that repository, or remove the file",
                };
                report.damage(error.message).in_line(error.path, error.line).with(remedy);
            }
            Warning::Held(Held { setting, because, .. }) => {
                let (place, name) = (&setting.place, setting.key.name);
                report.note(format!("{place}: {name} = {} is {}", setting.value, because.text()));
            }
            Warning::UnknownKey(unknown) => {
                let found = report.note(format!("no setting {:?}", unknown.name));
                found.in_line(unknown.path, unknown.line);
                found.remedy = unknown.nearest.map(|near| format!("did you mean {near}?"));
            }
            Warning::Repo(problem) => {
                let remedy = match &problem {
                    RepoProblem::Untrusted { .. } => Some("run `bd trust` to agree to it"),
                    RepoProblem::Missing { .. } | RepoProblem::NoRepo { .. } | RepoProblem::Unusable { .. } => {
                        Some("bring the repo back, or remove it with `bd repo remove`")
                    }
                    RepoProblem::Joined { .. } => Some("leave it out with `bd repo remove`"),
                    RepoProblem::Twice { .. } | RepoProblem::Nested { .. } => None,
                };
                report.warn(problem.to_string()).remedy = remedy.map(str::to_owned);
            }
            Warning::Unread { repo, message } => {
                report.warn(format!("{repo} cannot be read: {message}"));
            }
            Warning::SiblingUnread { worktree, message } => {
                report.warn(format!("the checkout {worktree} cannot be read: {message}"));
            }
            Warning::Line(_)
            | Warning::NoPast { .. }
            | Warning::DamagedThen { .. }
            | Warning::NotCommitted { .. }
            | Warning::Branches { .. }
            | Warning::NotLogged { .. }
            | Warning::NotSettled { .. }
            | Warning::Record { .. }
            | Warning::Outbox { .. }
            | Warning::ClaimIsLocal { .. }
            | Warning::DeletedTarget { .. }
            | Warning::Removed { .. }
            | Warning::Unwatched { .. } => {}
        }
    }
}

/// Workflows whose own state differs because another tool closed or reopened their issues.
fn check_workflows(store: &Store, report: &mut Report) -> Result<()> {
    for row in store.unreadable_workflows()? {
        report
            .warn(format!("the issue {} is a workflow that cannot be read: its tasks are not handed out", row.issue.id))
            .in_line(row.file.clone(), row.line_number)
            .with("a newer bd may know it; otherwise fix its object \"workflow\", or give it another type");
    }
    let all = store.workflows()?;
    for one in all.iter().filter(|one| one.astray) {
        let (id, state, status) = (one.id(), one.state, &one.row.issue.status);
        report
            .note(format!("the workflow {id} is {state}, but its issue is {status}"))
            .in_line(one.row.file.clone(), one.row.line_number)
            .with(format!("run `bd workflow set {id} --state {state}` to make it {}", state.status()));
    }
    for one in all.into_iter().filter(|one| one.overruled) {
        let (id, stored, status) = (one.id(), one.workflow.state, &one.row.issue.status);
        report
            .note(format!("the workflow {id} is {stored}, but its issue is {status}: it counts as {}", one.state))
            .in_line(one.row.file.clone(), one.row.line_number)
            .with(match status.is_done() {
                true => format!("run `bd reopen {id}` to continue it, or `bd close {id}` to record that it is over"),
                false => format!("bd workflow set {id} --state {} notes it", one.state),
            });
    }
    for flow in workflows::flows(store, false)? {
        let (id, row) = (flow.workflow.id(), &flow.workflow.row);
        for (name, ids) in flow.namesakes() {
            report
                .warn(format!("several tasks of the workflow {id} are named {name:?}: {}", ids.join(" ")))
                .in_line(row.file.clone(), row.line_number)
                .with(format!("run `bd workflow remove-task {id} ID` to remove one of them"));
        }
    }
    Ok(())
}

/// Acknowledged writes missing from the ledgers; needs what [`check_files`] has read.
fn check_writes(store: &Store, report: &mut Report) {
    for warning in store.warnings() {
        match warning {
            Warning::Removed { repo, ids } => {
                let place = repo.map(|repo| format!(" from {repo}")).unwrap_or_default();
                report
                    .warn(format!("another program removed acknowledged writes{place}: {}", ids.join(" ")))
                    .with("run `bd recover` to put them back, or `bd recover --discard` to forget them");
            }
            Warning::Unwatched { repo, message } => {
                report.warn(format!("cannot tell whether acknowledged writes are missing from {repo}: {message}"));
            }
            _ => {}
        }
    }
}

fn check_files(store: &mut Store, report: &mut Report) -> Result<()> {
    store.look_again()?;
    let ledgers = store.documents();
    for (n, member) in store.repos().members.iter().enumerate() {
        if ledgers.iter().filter(|(repo, _, _)| *repo == n).count() < 2 {
            continue;
        }
        report
            .damage(format!(
                "two ledgers, {} and {}: both are shown, writes are refused",
                LEDGER_NAMES[0], LEDGER_NAMES[1]
            ))
            .in_file(member.repo.beads())
            .with("run `bd doctor --fix` to join them by id");
    }
    for (_, ledger, document) in ledgers {
        for finding in document.check() {
            let severity = match &finding.problem {
                Problem::Damaged(_) | Problem::Torn(_) | Problem::Conflict { .. } => Severity::Damage,
                Problem::Duplicate { .. } => Severity::Warning,
                _ => Severity::Note,
            };
            report
                .find(severity, finding.problem.to_string())
                .in_line(ledger.path(), finding.line)
                .with(finding.problem.remedy());
        }
    }
    Ok(())
}

/// Records of claims, agents, mail, reservations, checkpoints and checkouts.
fn check_records(store: &Store, report: &mut Report) -> Result<()> {
    for one in store.damaged_records()? {
        let remedy = match one.is_numbered {
            false => "run `bd doctor --fix` to set the line aside",
            true => {
                "bd cannot read the number of this claim; when nobody works on the issue, remove the line by hand: \
                 until then nobody can claim it"
            }
        };
        report.damage(format!("a record that cannot be read: {}", one.what)).in_line(one.path, one.line).with(remedy);
    }
    Ok(())
}

/// Whether records can be written, or wait until another process writes them.
fn check_state_home(store: &Store, report: &mut Report) {
    let state = store.state();
    if let Some(outbox) = state.outbox_in_use() {
        report
            .note(
                "where a process may not write the state home, claims, mail, checkpoints and the log wait in an outbox",
            )
            .in_file(outbox)
            .with(
                "they count at once; the next command that writes outside of the sandbox takes them in. Reservations, \
                 workspaces and settings need a writable state home",
            );
    }
    for (path, what) in state.unread_outboxes() {
        report
            .warn(format!("records that wait in an outbox are not read: {what}"))
            .in_file(&path)
            .with("look at it, then remove it, or take it out of version control");
    }
}

/// Issues that were closed days ago in some clone, and that the remote still keeps from being claimed: the close
/// has not been merged. Only where claims are made there; a remote out of reach is another command's news.
fn check_remote_claims(store: &Store, report: &mut Report) {
    const LATE: i64 = 3 * DAY;
    if !store.settings().flag("claims.remote") {
        return;
    }
    let now = store.host().clock.now();
    for one in remote_leases(store).unwrap_or_default() {
        if let Some(closed) = one.closed.filter(|closed| now >= closed.plus_nanos(LATE)) {
            report
                .note(format!(
                    "{} was closed in some clone on {closed}, and is not to be claimed until others see that",
                    one.id
                ))
                .with(
                    "merge the branch with the close; if it was given up, run `bd release --remote ID --reason TEXT`",
                );
        }
    }
}

/// Files that an interrupted or refused write left for a person to inspect.
fn check_leftovers(store: &Store, report: &mut Report) {
    let kinds = [
        (
            DISPLACED_PREFIX,
            "a version of the ledger that another program wrote while bd did",
            "compare it with the ledger, then remove it",
        ),
        (
            REFUSED_PREFIX,
            "a version of the ledger that the conservation gate refused",
            "report it as a fault of bd, then remove it",
        ),
    ];
    let directories = store.repos().members.iter().map(|member| member.repo.beads());
    let names = directories.map(|directory| (directory, below::names(directory, "").unwrap_or_default()));
    for (directory, name) in names.flat_map(|(directory, names)| names.into_iter().map(move |name| (directory, name))) {
        for (_, what, remedy) in kinds.iter().filter(|(prefix, _, _)| name.starts_with(prefix)) {
            report.warn(*what).in_file(directory.join(&name)).with(*remedy);
        }
    }
}

/// Databases of the original. Issues that only they have are invisible.
fn check_databases(store: &Store, report: &mut Report) {
    for file in store.old_databases() {
        report
            .note("a database of the original bd, which is not read")
            .in_file(file)
            .with("if the ledger lacks issues, run `bd export -o FILE` with the bd that made it, and `bd import FILE` here; then remove it");
    }
}

/// Hooks of the original. They are harmless: `bd` has the commands that they call.
fn check_hooks(store: &Store, report: &mut Report) {
    let Some((directory, names)) = store.old_hooks() else { return };
    let message = format!("hooks of the original bd: {}", names.join(", "));
    let remedy = "run `bd hooks install` to replace them; it keeps a copy";
    report.note(message).in_file(directory).with(remedy);
}

/// Hooks and servers of the original in the settings of agents' clients. The hooks get an answer, but not ours.
fn check_agents(store: &Store, report: &mut Report) {
    for (command, path, commands) in original_agents(store) {
        let message = format!("entries of the original bd: {}", commands.join(", "));
        report.note(message).in_file(path).with(format!("run `{command}` to replace them"));
    }
}

/// Whether git merges the ledger issue by issue.
fn check_driver(store: &Store, report: &mut Report) {
    let Some(problem) = store.driver_problem() else { return };
    let severity = match problem {
        DriverProblem::Missing | DriverProblem::Other { .. } => Severity::Note,
        DriverProblem::Union | DriverProblem::Gone { .. } => Severity::Warning,
    };
    let remedy = "run `bd hooks install` to register the merge driver";
    report.find(severity, problem.to_string()).with(remedy);
}

/// Proposals whose two copies are not in step: after an interrupted operation or a decision.
fn check_proposals(store: &mut Store, fix: bool, report: &mut Report) -> Result<()> {
    if store.repos().members.len() < 2 || !store.settings().broken.is_empty() {
        return Ok(());
    }
    for step in store.reconcile(!fix)? {
        if fix {
            report.fixed.push(format!("{}: {}", step.id, step.what));
        } else {
            report.note(format!("{}: not in step: {}", step.id, step.what)).with("run `bd proposals reconcile`");
        }
    }
    Ok(())
}

/// Planning issues without a project, from earlier versions or filed in the planning repo itself: every project offers
/// them.
fn check_projects(store: &Store, report: &mut Report) -> Result<()> {
    let ids = store.without_project()?;
    if ids.is_empty() {
        return Ok(());
    }
    report
        .note(format!(
            "planning issues that name no project, so every project that plans there has them: {}",
            ids.join(" ")
        ))
        .with("run `bd update ID --project .` for those that belong to this project");
    Ok(())
}

fn check_graph(store: &Store, report: &mut Report) -> Result<()> {
    for cycle in store.cycles()? {
        report
            .warn(format!("dependency cycle: {} -> {}", cycle.join(" -> "), cycle[0]))
            .with("remove one of these dependencies: run `bd dep remove ISSUE TARGET`");
    }
    let dangling = store.dangling()?;
    let unjoined = store.unjoined();
    // A pruned issue counts as done, unless the settings say otherwise, or it may be in an unreadable repo.
    let blocks = store.settings().flag("ready.unknown_blocks") || !unjoined.is_empty();
    let pruned = if dangling.is_empty() || blocks {
        BTreeSet::new()
    } else {
        store.had_once(&dangling.iter().map(|(_, target, _)| target.clone()).collect()).unwrap_or_default()
    };
    for (id, target, kind) in dangling.into_iter().filter(|(_, target, _)| !pruned.contains(target)) {
        report.note(format!("{id} depends ({kind}) on {target}, which is in no ledger")).with(
            match unjoined.is_empty() || target.starts_with("external:") {
                true => "it does not block; remove it with `bd dep remove`".into(),
                false => {
                    let verb = if unjoined.len() == 1 { "is" } else { "are" };
                    format!(
                        "blocker unknown: {} {verb} not joined, and may hold it; keep the dependency",
                        unjoined.join(", ")
                    )
                }
            },
        );
    }
    Ok(())
}
