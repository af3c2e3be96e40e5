//! The shapes that are not lists of issues.

use super::issue::{comment_object, edge_issue, summary};
use super::{Failure, plural, reply};
use super::{Object, array};
use crate::cache::{EpicProgress, Statistics};
use crate::model::issue::Comment;
use crate::ops::{DoctorReport, Explanation, Imported, Reason, Severity, TreeNode};
use crate::store::settings::{ConfigFault, Held};
use crate::store::{BlockedRow, LineWarning, RepoProblem, Row, SearchRow, Taken, Warning, Withheld, Written};

pub fn rows(rows: &[Row]) -> String {
    array(rows.iter().map(|row| summary(row).finish()))
}

pub fn replies<'a>(written: impl IntoIterator<Item = &'a Written>) -> String {
    array(written.into_iter().map(|written| reply(written).finish()))
}

pub fn found(rows: &[SearchRow]) -> String {
    array(rows.iter().map(|found| summary(&found.row).texts("matched_fields", &found.fields).finish()))
}

pub fn blocked(rows: &[BlockedRow]) -> String {
    array(rows.iter().map(|found| {
        let ids = blocked_by(found);
        summary(&found.row).number("blocked_by_count", ids.len() as i64).texts("blocked_by", ids).finish()
    }))
}

/// What an issue waits for: its own blockers, and the blocked ancestors it inherits from.
pub fn blocked_by(found: &BlockedRow) -> Vec<&str> {
    let own = found.blocked.blockers.iter().map(|blocker| blocker.id.as_str());
    let above = found.blocked.inherited.iter().map(|inherited| inherited.ancestor.as_str());
    let mut ids: Vec<&str> = own.chain(above).collect();
    ids.dedup();
    ids
}

pub fn comments(issue_id: &str, comments: &[Comment]) -> String {
    array(comments.iter().map(|c| comment_object(issue_id, c).finish()))
}

pub fn comment(issue_id: &str, comment: &Comment) -> String {
    comment_object(issue_id, comment).finish()
}

pub fn neighbours(edges: &[crate::ops::Neighbour]) -> String {
    array(edges.iter().map(|e| edge_issue(&e.id, &e.kind, e.row.as_ref()).finish()))
}

pub fn tree(nodes: &[TreeNode]) -> String {
    array(nodes.iter().map(|node| {
        edge_issue(&node.id, &node.kind, node.row.as_ref())
            .number("depth", node.depth as i64)
            .text("parent_id", &node.parent)
            .flag("truncated", node.truncated)
            .finish()
    }))
}

pub fn epics(epics: &[(Row, EpicProgress)]) -> String {
    array(epics.iter().map(|(row, progress)| {
        Object::new()
            .raw("epic", &summary(row).finish())
            .number("total_children", progress.children)
            .number("closed_children", progress.closed)
            .flag("eligible_for_close", progress.children > 0 && progress.children == progress.closed)
            .finish()
    }))
}

/// The numbers both under `summary` and at the top: versions of clients want either.
pub fn statistics(numbers: &Statistics) -> String {
    let fields = |object: Object| {
        object
            .number("total_issues", numbers.total)
            .number("open_issues", numbers.open)
            .number("in_progress_issues", numbers.in_progress)
            .number("closed_issues", numbers.closed)
            .number("blocked_issues", numbers.blocked)
            .number("deferred_issues", numbers.deferred)
            .number("ready_issues", numbers.ready)
            .number("tombstone_issues", numbers.tombstones)
            .number("pinned_issues", numbers.pinned)
            .number("epics_eligible_for_closure", numbers.epics_closeable)
            .raw("average_lead_time_hours", &format!("{:.1}", numbers.average_lead_time_hours))
    };
    fields(Object::new().raw("summary", &fields(Object::new()).finish())).finish()
}

/// Counts by group; an issue with two labels is in two groups, so the total is not their sum.
pub fn groups(groups: &[(String, i64)], total: usize) -> String {
    let items = groups.iter().map(|(group, count)| Object::new().text("group", group).number("count", *count).finish());
    Object::new().number("total", total as i64).raw("groups", &array(items)).finish()
}

pub fn explanation(explanation: &Explanation) -> String {
    let reasons = explanation.reasons.iter().map(|reason| {
        let object =
            Object::new().text("reason", reason_word(reason)).text("text", &reason_text(reason, str::to_owned));
        match reason {
            Reason::Blocked(blocker) => object.text("id", &blocker.id).text("dependency_type", &blocker.kind),
            Reason::BlockerUnknown { blocker, repos } => {
                object.text("id", &blocker.id).text("dependency_type", &blocker.kind).texts("repos", repos)
            }
            Reason::InheritedFrom { ancestor, blockers } => object.text("id", ancestor).texts("blockers", blockers),
            Reason::OpenChildren(children) => object.texts("children", children),
            Reason::Taken(Taken::Held { holder, worktree, expires }) => object
                .text("holder", holder)
                .optional("worktree", worktree.as_deref())
                .optional("expires", expires.as_deref()),
            Reason::Taken(Taken::Elsewhere(one)) => object
                .optional("worktree_id", one.worktree_id.as_deref())
                .text("worktree", &one.worktree)
                .text("status", &one.status)
                .optional("assignee", one.assignee.as_deref()),
            Reason::Withheld(why) => match why {
                Withheld::Unknown { workflow } | Withheld::Unreadable { workflow } => object.text("workflow", workflow),
                Withheld::Elsewhere { workflow, state, worktree } => {
                    object.text("workflow", workflow).text("state", state.word()).text("worktree", worktree)
                }
                Withheld::Hidden { workflow, repos } => object.text("workflow", workflow).texts("repos", repos),
                Withheld::State { workflow, state } => object.text("workflow", workflow).text("state", state.word()),
                Withheld::Full { workflow, running, most } => {
                    object.text("workflow", workflow).number("running", *running as i64).number("max_parallel", *most)
                }
            },
            Reason::OtherProject(name) => object.text("project", name),
            _ => object,
        }
        .finish()
    });
    Object::new()
        .text("id", &explanation.row.issue.id)
        .text("title", &explanation.row.issue.title)
        .text("status", explanation.row.issue.status.as_str())
        .flag("ready", explanation.ready)
        .raw("reasons", &array(reasons))
        .texts("unknown_dependencies", &explanation.unknown)
        .texts("satisfied", &explanation.satisfied)
        .finish()
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

/// A reason in words; `time` says how to write a time of the ledger.
pub fn reason_text(reason: &Reason, time: impl Fn(&str) -> String) -> String {
    match reason {
        Reason::Status(status) => format!("its status is {status}, only open issues are offered"),
        Reason::Deferred { until: Some(until) } => format!("it is deferred until {}", time(until)),
        Reason::Deferred { until: None } => "it is deferred".into(),
        Reason::DeferUnreadable(raw) => format!("it is deferred, but its defer_until is not a date: {raw}"),
        Reason::Hidden(what) => format!("it is {what}"),
        Reason::InternalType(kind) => format!("type {kind} is offered only with --type {kind}"),
        Reason::Blocked(blocker) if !blocker.known => {
            format!("it depends ({}) on {}, which is in no ledger", blocker.kind, blocker.id)
        }
        Reason::BlockerUnknown { blocker, repos } => {
            format!("{}; it waits ({}) for {}", blocker_unknown(repos), blocker.kind, blocker.id)
        }
        Reason::Blocked(blocker) => format!("it waits ({}) for {}", blocker.kind, blocker.id),
        Reason::InheritedFrom { ancestor, blockers } => {
            format!("its ancestor {ancestor} is blocked by {}", blockers.join(", "))
        }
        Reason::OpenChildren(children) => {
            format!("it is an epic with open children (bd ready --include-epics lists it): {}", children.join(", "))
        }
        Reason::Taken(Taken::Held { holder, worktree, expires }) => {
            let place = worktree.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            let until = expires.as_ref().map(|at| format!(" until {}", time(at))).unwrap_or_default();
            format!("claimed by {holder}{place}{until}")
        }
        Reason::Taken(Taken::Elsewhere(one)) => super::elsewhere_text(one),
        Reason::Withheld(why) => why.to_string(),
        Reason::OtherProject(name) => format!("it was planned for {name}, another project"),
    }
}

/// What to say of a blocker that is in no ledger while some repos cannot be read.
pub fn blocker_unknown(repos: &[String]) -> String {
    let verb = if repos.len() == 1 { "is" } else { "are" };
    format!("blocker unknown: {} {verb} not joined", repos.join(", "))
}

pub fn imported(report: &Imported, dry_run: bool) -> String {
    let refused: Vec<String> = report.refused.iter().map(|(id, _)| id.clone()).collect();
    let skipped = report
        .skipped
        .iter()
        .map(|(line, reason)| Object::new().number("line", *line as i64).text("reason", reason).finish());
    Object::new()
        .flag("dry_run", dry_run)
        .number("created", report.created.len() as i64)
        .number("updated", report.updated.len() as i64)
        .number("unchanged", report.unchanged.len() as i64)
        .number("deleted", report.deleted.len() as i64)
        .texts("created_ids", &report.created)
        .texts("updated_ids", &report.updated)
        .raw("skipped", &array(skipped))
        .texts("refused", &refused)
        .finish()
}

pub fn doctor(report: &DoctorReport) -> String {
    let findings = report.findings.iter().map(|finding| {
        let severity = match finding.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Damage => "damage",
        };
        let file = finding.file.as_ref().map(|file| file.display().to_string());
        let mut object = Object::new().text("severity", severity).optional("file", file.as_deref());
        if let Some(line) = finding.line {
            object = object.number("line", line as i64);
        }
        object.text("message", &finding.message).optional("remedy", finding.remedy.as_deref()).finish()
    });
    let findings: Vec<String> = findings.collect();
    Object::new()
        .flag("ok", !report.findings.iter().any(|f| f.severity >= Severity::Warning))
        .raw("findings", &array(findings))
        .texts("fixed", &report.fixed)
        .finish()
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

/// A warning in words, with what to do: `file:line: reason` for a line.
pub fn warning_text(warning: &Warning) -> String {
    match warning {
        Warning::Line(LineWarning { file, finding }) => {
            format!("{}:{}: {}; {}", file.display(), finding.line, finding.problem, finding.problem.remedy())
        }
        Warning::Repo(problem) => match problem {
            RepoProblem::Missing { .. } | RepoProblem::NoRepo { .. } => {
                format!("{problem}; its issues are left out (make it, or bd repo remove it)")
            }
            RepoProblem::Unusable { .. } => format!("{problem}; its issues are left out"),
            RepoProblem::Untrusted { .. } => format!("{problem}: bd config trust"),
            RepoProblem::Twice { .. } | RepoProblem::Nested { .. } | RepoProblem::Joined { .. } => problem.to_string(),
        },
        Warning::Unread { repo, message } => format!("{repo} cannot be read: {message}; the other repos are shown"),
        Warning::Config(error) if error.fault == ConfigFault::Unmarked => {
            format!("{error}; these settings are left out, and nothing is written until you run `bd trust`")
        }
        Warning::Config(error) if error.fault == ConfigFault::Stray => {
            format!("{error}; it is not followed, and nothing is written until it does")
        }
        Warning::Config(error) => format!("{error}; this file is left out, and nothing is written until it is mended"),
        Warning::Held(Held { setting, because, .. }) => {
            format!("{}: {} = {} is {}", setting.place, setting.key.name, setting.value, because.text())
        }
        Warning::UnknownKey(unknown) => {
            let place = match unknown.line {
                0 => unknown.path.display().to_string(),
                line => format!("{}:{line}", unknown.path.display()),
            };
            let meant = unknown.nearest.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            format!("{place}: no setting {:?}{meant}", unknown.name)
        }
        Warning::Removed { repo, ids } => {
            let place = repo.as_ref().map(|repo| format!(" from {repo}")).unwrap_or_default();
            let verb = if ids.len() == 1 { "was" } else { "were" };
            let shown = ids.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            let more = ids.len().saturating_sub(3);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let count = plural(ids.len(), "acknowledged write");
            format!("{count} {verb} removed{place} by another program ({shown}{more}); look with bd recover --dry-run")
        }
        Warning::Unwatched { repo, message } => {
            format!("whether acknowledged writes are missing from {repo} cannot be told: {message}")
        }
        Warning::NotJournaled { repo, message } => {
            format!("written, but not noted in the journal of {repo}: {message}; bd recover would not find it")
        }
        Warning::DamagedThen { lines } => {
            format!("{} of that version cannot be read, or stand twice", super::plural(*lines, "line"))
        }
        Warning::NoPast { repo } => format!("{repo} is under no version control: how it was is not known"),
        Warning::NotUndoable { message } => format!("written, but bd undo would not find it: {message}"),
        Warning::ClaimStays { id, message } => {
            format!("{id} is still claimed on the remote: {message}; bd release --remote ends it")
        }
        Warning::NotSettled { message } => {
            format!("written, but the claim on it could not be brought up to date: {message}")
        }
        Warning::Record { path, line, what } => {
            format!("{}:{line}: a record that cannot be read: {what}; bd doctor says what to do", path.display())
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
    Object::new().raw("error", &described(failure).optional("id", id).finish()).finish()
}

/// A failure without its envelope.
pub fn failure_object(failure: &Failure) -> String {
    described(failure).finish()
}

fn described(failure: &Failure) -> Object {
    let object = Object::new()
        .text("code", failure.code)
        .text("message", &failure.message)
        .optional("hint", failure.hint.as_deref())
        .flag("recoverable", failure.recoverable)
        .number("exit_code", i64::from(failure.exit.code()));
    failure.facts.iter().fold(object, |object, (key, json)| object.raw(key, json))
}
