//! The shapes that are not lists of issues.

use super::answer::{List, answer, each, object, put};
use super::escape::plural;
use super::failure::Failure;
use super::issue::{edge_issue, reply, summary};
use crate::cache::{Blocker, EpicProgress, Statistics};
use crate::model::json::Object;
use crate::ops::{DoctorReport, Explanation, Health, Imported, Neighbour, Reason, TreeNode};
use crate::store::settings::{ConfigFault, Held};
use crate::store::{BlockedRow, LineWarning, RepoProblem, Row, SearchRow, Taken, Warning, Withheld, Written};

pub fn rows<'a>(rows: impl IntoIterator<Item = &'a Row>) -> List {
    each(rows, summary)
}

pub fn replies<'a>(written: impl IntoIterator<Item = &'a Written>) -> List {
    each(written, reply)
}

answer! {
    pub fn found(found: &SearchRow) {
        ..summary(&found.row), matched_fields: &found.fields,
    }

    pub fn blocked(found: &BlockedRow) {
        ..summary(&found.row), blocked_by_count: blocked_by(found).len(), blocked_by: blocked_by(found),
    }

    pub fn neighbour(edge: &Neighbour) {
        ..edge_issue(&edge.id, &edge.kind, edge.row.as_ref()),
    }

    pub fn tree_node(node: &TreeNode) {
        ..edge_issue(&node.id, &node.kind, node.row.as_ref()), depth: node.depth, parent_id: &node.parent,
        truncated: node.truncated,
    }

    pub fn epic(row: &Row, progress: &EpicProgress) {
        epic: summary(row), total_children: progress.children, closed_children: progress.closed,
        eligible_for_close: progress.children > 0 && progress.children == progress.closed,
    }

    fn numbers(numbers: &Statistics) {
        total_issues: numbers.total, open_issues: numbers.open, in_progress_issues: numbers.in_progress,
        closed_issues: numbers.closed, blocked_issues: numbers.blocked, deferred_issues: numbers.deferred,
        ready_issues: numbers.ready, tombstone_issues: numbers.tombstones, pinned_issues: numbers.pinned,
        epics_eligible_for_closure: numbers.epics_closeable, average_lead_time_hours: numbers.average_lead_time_hours,
    }

    /// The numbers both under `summary` and at the top level: versions of clients expect either.
    pub fn statistics(all: &Statistics) {
        summary: numbers(all), ..numbers(all),
    }

    pub fn count(total: usize) {
        count: total,
    }

    /// Counts by group; an issue with two labels is in two groups, so the total is not their sum.
    pub fn groups(groups: &[(String, i64)], total: usize) {
        total: total, groups: each(groups, |(group, count)| object! { group: group, count: count }),
    }

    pub fn explanation(explanation: &Explanation) {
        id: &explanation.row.issue.id, title: &explanation.row.issue.title, status: &explanation.row.issue.status,
        ready: explanation.ready, reasons: each(&explanation.reasons, reason),
        unknown_dependencies: &explanation.unknown, satisfied: &explanation.satisfied,
    }

    pub fn imported(report: &Imported, dry_run: bool) {
        dry_run: dry_run, created: report.created.len(), updated: report.updated.len(),
        unchanged: report.unchanged.len(), deleted: report.deleted.len(),
        created_ids: &report.created, updated_ids: &report.updated,
        skipped: each(&report.skipped, |(line, reason)| object! { line: *line, reason: reason }),
        refused: report.refused.iter().map(|(id, _)| id).collect::<Vec<_>>(),
    }

    fn finding(one: &Health) {
        severity: one.severity.word(), file: &one.file, line: one.line, message: &one.message, remedy: &one.remedy,
    }

    pub fn doctor(report: &DoctorReport, is_ok: bool) {
        ok: is_ok,
        findings: each(&report.findings, finding), fixed: &report.fixed,
    }

    pub(super) fn described(failure: &Failure) {
        code: failure.code, message: &failure.message, hint: failure.hint.text(), recoverable: failure.recoverable,
        retry_after: failure.retry_after(),
        exit_code: failure.exit.code(),
    }

    /// An error on standard error.
    fn error_answer(failure: &Failure, id: Option<&str>) {
        error: put(failure_object(failure), "id", id),
    }
}

/// Why an issue is not ready: a word, a text, and further facts.
fn reason(reason: &Reason) -> Object {
    let object = object! { reason: reason_word(reason), text: reason_text(reason, str::to_owned) };
    object.join(match reason {
        Reason::Blocked(blocker) => object! { id: &blocker.id, dependency_type: &blocker.kind },
        Reason::BlockerUnknown { blocker, repos } => {
            object! { id: &blocker.id, dependency_type: &blocker.kind, repos: repos }
        }
        Reason::InheritedFrom { ancestor, blockers } => object! { id: ancestor, blockers: blockers },
        Reason::OpenChildren(children) => object! { children: children },
        Reason::Taken(Taken::Held { holder, worktree, expires }) => {
            object! { holder: holder, worktree: worktree, expires: expires }
        }
        Reason::Taken(Taken::Elsewhere(one)) => super::elsewhere::elsewhere(one),
        Reason::Withheld(why) => match why {
            Withheld::Unknown { workflow } | Withheld::Unreadable { workflow } => object! { workflow: workflow },
            Withheld::Elsewhere { workflow, state, worktree } => {
                object! { workflow: workflow, state: state.word(), worktree: worktree }
            }
            Withheld::Hidden { workflow, repos } => object! { workflow: workflow, repos: repos },
            Withheld::State { workflow, state } => object! { workflow: workflow, state: state.word() },
            Withheld::Full { workflow, running, most } => {
                object! { workflow: workflow, running: *running, max_parallel: most }
            }
        },
        Reason::OtherProject(name) => object! { project: name },
        _ => Object::new(),
    })
}

/// What an issue waits for: its own blockers, and the blocked ancestors it inherits from.
pub fn blocked_by(found: &BlockedRow) -> Vec<&str> {
    let own = found.blocked.blockers.iter().map(|blocker| blocker.id.as_str());
    let above = found.blocked.inherited.iter().map(|inherited| inherited.ancestor.as_str());
    let mut ids: Vec<&str> = own.chain(above).collect();
    ids.dedup();
    ids
}

fn reason_word(reason: &Reason) -> &'static str {
    match reason {
        Reason::Status(_) => "status",
        Reason::Deferred { .. } | Reason::DeferUnreadable(_) => "deferred",
        Reason::Hidden(_) => "hidden",
        Reason::InternalType(_) => "internal_type",
        Reason::Blocked(_) => "blocked",
        Reason::BlockerUnknown { .. } => "blocker_unknown",
        Reason::InheritedFrom { .. } => "blocked_ancestor",
        Reason::OpenChildren(_) => "open_children",
        Reason::Taken(Taken::Held { .. }) => "claimed",
        Reason::Taken(Taken::Elsewhere(_)) => "elsewhere",
        Reason::Withheld(_) => "workflow",
        Reason::OtherProject(_) => "other_project",
    }
}

/// The text of a reason; `time` formats a time of the ledger.
pub fn reason_text(reason: &Reason, time: impl Fn(&str) -> String) -> String {
    match reason {
        Reason::Status(status) => format!("its status is {status}, only open issues are offered"),
        Reason::Deferred { until: Some(until) } => format!("it is deferred until {}", time(until)),
        Reason::Deferred { until: None } => "it is deferred".into(),
        Reason::DeferUnreadable(raw) => format!("it is deferred, but its defer_until is not a date: {raw}"),
        Reason::Hidden(what) => format!("it is {what}"),
        Reason::InternalType(kind) => format!("type {kind} is offered only with --type {kind}"),
        Reason::Blocked(blocker) if !blocker.known => {
            format!("it {}, which is in no ledger", waits_for(blocker))
        }
        Reason::BlockerUnknown { blocker, repos } => {
            format!("{}; it {}", blocker_unknown(repos), waits_for(blocker))
        }
        Reason::Blocked(blocker) => format!("it {}", waits_for(blocker)),
        Reason::InheritedFrom { ancestor, blockers } => {
            format!("its ancestor {ancestor} is blocked by {}", blockers.join(", "))
        }
        Reason::OpenChildren(children) => {
            format!("it is an epic with open children (listed by `bd ready --include-epics`): {}", children.join(", "))
        }
        Reason::Taken(Taken::Held { holder, worktree, expires }) => {
            let place = worktree.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            let until = expires.as_ref().map(|at| format!(" until {}", time(at))).unwrap_or_default();
            format!("claimed by {holder}{place}{until}")
        }
        Reason::Taken(Taken::Elsewhere(one)) => super::elsewhere::elsewhere_text(one),
        Reason::Withheld(why) => why.to_string(),
        Reason::OtherProject(name) => format!("it was planned for {name}, another project"),
    }
}

/// The issue that another waits for, and how if not in the usual way.
pub fn waits_for(blocker: &Blocker) -> String {
    match blocker.kind.as_str() {
        "blocks" => format!("waits for {}", blocker.id),
        kind => format!("waits for {} ({kind})", blocker.id),
    }
}

/// The text about a blocker that is in no ledger while some repos cannot be read.
pub fn blocker_unknown(repos: &[String]) -> String {
    let verb = if repos.len() == 1 { "is" } else { "are" };
    format!("blocker unknown: {} {verb} not joined", repos.join(", "))
}

/// Adds warnings to an answer that is an object; an array has no place for them.
pub fn with_warnings(json: String, warnings: &[String]) -> String {
    match json.strip_suffix('}') {
        Some(open) if !warnings.is_empty() => {
            let comma = if open == "{" { "" } else { "," };
            let tail = Object::new().texts("warnings", warnings).finish();
            format!("{open}{comma}{}", &tail[1..])
        }
        _ => json,
    }
}

/// The texts of warnings; joined repos that are not in use share one.
pub fn warning_texts(warnings: &[Warning]) -> Vec<String> {
    let mut unused = Vec::new();
    let mut texts = Vec::new();
    for warning in warnings {
        match warning {
            Warning::Repo(problem) if problem.is_unused() => unused.push(problem),
            other => texts.push(warning_text(other)),
        }
    }
    texts.splice(0..0, unused_text(&unused));
    texts
}

/// The joined repos that are not in use, and the way to use them.
fn unused_text(unused: &[&RepoProblem]) -> Option<String> {
    let mut ways = Vec::new();
    let mut named = Vec::new();
    for problem in unused {
        let (text, why, way) = match problem {
            RepoProblem::Untrusted { text, .. } => (text, "not trusted", "run `bd trust`"),
            RepoProblem::Missing { text, .. } => (text, "missing", "create it or run `bd repo clone`"),
            RepoProblem::NoRepo { text, .. } => (text, "without a ledger", "run `bd init` there"),
            _ => continue,
        };
        named.push(format!("{text} ({why})"));
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let verb = if named.len() == 1 { "is" } else { "are" };
    let count = plural(named.len(), "joined repo");
    ways.push("`bd repo remove` leaves one out");
    (!named.is_empty()).then(|| format!("{count} {verb} not in use: {}; {}", named.join(", "), ways.join("; ")))
}

/// The text of a warning, with advice: `file:line: reason` for a line.
fn warning_text(warning: &Warning) -> String {
    match warning {
        Warning::Line(LineWarning { file, finding }) => {
            format!("{}:{}: {}; {}", file.display(), finding.line, finding.problem, finding.problem.remedy())
        }
        Warning::Repo(problem) => match problem {
            RepoProblem::Missing { .. } | RepoProblem::NoRepo { .. } => {
                format!("{problem}; its issues are left out; create it, or run `bd repo remove`")
            }
            RepoProblem::Unusable { .. } => format!("{problem}; its issues are left out"),
            RepoProblem::Untrusted { .. } => format!("{problem}; run `bd trust` to allow it"),
            RepoProblem::Twice { .. } | RepoProblem::Nested { .. } | RepoProblem::Joined { .. } => problem.to_string(),
        },
        Warning::Unread { repo, message } => format!("{repo} cannot be read: {message}; the other repos are shown"),
        Warning::Config(error) if error.fault == ConfigFault::Unmarked => {
            format!("{error}; these settings are ignored, and nothing is written until you run `bd trust`")
        }
        Warning::Config(error) if error.fault == ConfigFault::Stray => {
            format!("{error}; it is ignored, and nothing is written until it leads there")
        }
        Warning::Config(error) => format!("{error}; this file is ignored, and nothing is written until it is fixed"),
        Warning::Held(Held { setting, because, .. }) => {
            format!("{}: {} = {} is {}", setting.place, setting.key.name, setting.value, because.text())
        }
        Warning::UnknownKey(unknown) => {
            let place = match unknown.line {
                0 => unknown.path.display().to_string(),
                line => format!("{}:{line}", unknown.path.display()),
            };
            let meant = unknown.nearest.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            format!("{place}: no setting {:?}{meant}", unknown.name)
        }
        Warning::Removed { repo, ids } => {
            let place = repo.as_ref().map(|repo| format!(" from {repo}")).unwrap_or_default();
            let verb = if ids.len() == 1 { "was" } else { "were" };
            let shown = ids.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            let more = ids.len().saturating_sub(3);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let count = plural(ids.len(), "acknowledged write");
            format!(
                "{count} {verb} removed{place} by another program ({shown}{more}); run `bd recover --dry-run` to look"
            )
        }
        Warning::Unwatched { repo, message } => {
            format!("cannot tell whether acknowledged writes are missing from {repo}: {message}")
        }
        Warning::NotLogged { repo, message } => {
            let unknown = "neither `bd undo` nor `bd recover` will find it";
            format!("written, but not noted in the log of {repo}: {message}; {unknown}")
        }
        Warning::DamagedThen { lines } => {
            format!("{} of that version cannot be read, or occur twice", plural(*lines, "line"))
        }
        Warning::NoPast { repo } => format!("{repo} is not under version control, so its past is unknown"),
        Warning::ClaimIsLocal { message } => {
            format!("claimed in this clone alone: {message}; `bd fleet leave` stops asking the remote")
        }
        Warning::NotSettled { message } => {
            format!("written, but the claim on it could not be brought up to date: {message}")
        }
        Warning::Outbox { path, what } => {
            format!("{}: what waits there does not count: {what}; `bd doctor` says more", path.display())
        }
        Warning::Record { path, line, what } => {
            format!(
                "{}:{line}: a record that cannot be read: {what}; run `bd doctor` to see what to do",
                path.display()
            )
        }
        Warning::SiblingUnread { worktree, message } => {
            format!("what the checkout {worktree} says is not known: {message}")
        }
        Warning::Branches { message } => format!("proposals on branches may be missing here: {message}"),
        Warning::DeletedTarget { id, target, kind } => {
            let id = id.as_deref().unwrap_or("the new issue");
            format!("{id} now refers ({kind}) to {target}, which is deleted")
        }
        Warning::NotCommitted { repo, message } => {
            format!("written, but not committed in {repo}: {message}; the next write commits it too")
        }
    }
}

pub fn error(failure: &Failure, id: Option<&str>) -> String {
    error_answer(failure, id).finish()
}

/// A failure without its envelope.
pub fn failure_object(failure: &Failure) -> Object {
    failure.facts.iter().fold(described(failure), |object, (key, json)| object.raw(key, json))
}
