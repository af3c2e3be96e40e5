//! All agents of a project in one view, as JSON and as text.

use super::agents::stored;
use super::answer::{answer, each, or_null};
use super::escape::{inline, plural};
use super::leases::{fleet, held, remote_lease};
use crate::model::agent::Status;
use crate::model::duration;
use crate::model::fleet_note::{FleetNote, NotedAgent, NotedIssue};
use crate::model::time::Instant;
use crate::ops::{Doing, DoneIssue, FinishedWork, FleetClone, FleetMachine, FleetMember, Overview, RemoteLease, Seen};

answer! {
    fn last_checkpoint(one: &crate::model::checkpoint::Checkpoint) {
        id: &one.id, kind: one.kind.as_str(), summary: &one.summary, created_at: &one.created_at,
    }

    fn doing(doing: &Doing) {
        id: &doing.claim.id, title: &doing.claim.title, epoch: doing.claim.lease.epoch,
        ..held?(&doing.claim.lease.holder), attempts: doing.claim.lease.attempts,
        last_error: &doing.claim.lease.last_error, checkpoint: or_null(doing.checkpoint.as_ref().map(last_checkpoint)),
    }

    fn registered_member(seen: &Seen) {
        ..stored(&seen.agent, seen.status),
    }

    fn member(member: &FleetMember) {
        name: &member.name, agent: member.seen.as_ref().map(registered_member), holds: each(&member.holds, doing),
    }

    fn clone(clone: &FleetClone) {
        path: &clone.path, here: clone.is_here, agents: each(&clone.members, member),
    }

    fn claim_elsewhere(one: &(RemoteLease, Option<String>), now: Instant) {
        ..remote_lease(&one.0, now), title: &one.1,
    }

    fn noted_issue(one: &NotedIssue) {
        id: &one.id, title: &one.title, since: &one.since, attempts: one.attempts, last_error: &one.last_error,
        checkpoint: &one.checkpoint,
    }

    fn noted_agent(one: &NotedAgent) {
        name: &one.name, status: &one.status, last_heartbeat: &one.heartbeat, holds: each(&one.holds, noted_issue),
    }

    fn machine(note: &FleetNote) {
        clone: &note.id, host: &note.host, at: &note.at, agents: each(&note.agents, noted_agent),
        finished: each(&note.finished, noted_issue), private: note.private,
    }

    fn finished(one: &FinishedWork) {
        id: &one.id, title: &one.title, workspace: &one.workspace, branch: &one.branch, clone: &one.clone,
    }

    fn done(one: &DoneIssue) {
        id: &one.id, title: &one.title, assignee: &one.assignee, at: one.at,
    }

    /// All agents of a project, and the work that waits for somebody.
    pub fn overview(found: &Overview, now: Instant) {
        ..fleet(&found.fleet), clones: each(&found.clones, clone),
        remote: each(&found.remote, |one| claim_elsewhere(one, now)),
        machines: each(found.machines.iter().map(|one: &FleetMachine| &one.note), machine),
        finished: each(&found.finished, finished), unheld: each(&found.unheld, done), done: each(&found.done, done),
        problems: &found.problems,
    }
}

/// How long ago something was.
fn ago(at: &str, now: Instant) -> String {
    Instant::parse(at).map_or_else(String::new, |at| duration::ago(now.nanos().saturating_sub(at.nanos())))
}

/// Rows for the agents of a clone: name, status, issue, and what is known of the work. Those that are offline and hold
/// nothing are only counted, unless all are wanted.
pub fn member_cells(clone: &FleetClone, all: bool, now: Instant) -> (Vec<[String; 4]>, usize) {
    let (mut rows, mut offline) = (Vec::new(), 0);
    for member in &clone.members {
        let status = member.seen.as_ref().map(|seen| seen.status);
        let word = status.map_or("person", Status::word);
        if member.holds.is_empty() {
            if status == Some(Status::Offline) && !all {
                offline += 1;
                continue;
            }
            let seen = member.seen.as_ref();
            let note = seen.and_then(|seen| seen.agent.note.clone());
            let heard = seen.map(|seen| format!("heard {}", ago(&seen.agent.heartbeat.to_string(), now)));
            rows.push([member.name.clone(), word.to_owned(), "-".to_owned(), note.or(heard).unwrap_or_default()]);
        }
        for (n, doing) in member.holds.iter().enumerate() {
            let (name, word) = if n == 0 { (member.name.clone(), word) } else { (String::new(), "") };
            rows.push([name, word.to_owned(), doing.claim.id.clone(), doing_text(doing, now)]);
        }
    }
    (rows.into_iter().map(|row| row.map(|cell| inline(&cell).into_owned())).collect(), offline)
}

fn doing_text(doing: &Doing, now: Instant) -> String {
    let title = doing.claim.title.clone().unwrap_or_else(|| "an issue that is not in this ledger".to_owned());
    let since = doing.claim.lease.holder.as_ref().map(|holder| format!("since {}", ago(&holder.acquired, now)));
    let checkpoint = doing.checkpoint.as_ref();
    let checkpoint =
        checkpoint.map(|one| format!("{}: {} ({})", one.kind.as_str(), one.summary, ago(&one.created_at, now)));
    let lease = &doing.claim.lease;
    let failed = (lease.attempts > 0).then(|| {
        let error = lease.last_error.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
        format!("failed {}{error}", plural(usize::try_from(lease.attempts).unwrap_or_default(), "time"))
    });
    let facts = [since, checkpoint, failed].into_iter().flatten().collect::<Vec<_>>().join("; ");
    if facts.is_empty() { title } else { format!("{title} ({facts})") }
}

/// A claim of another machine.
pub fn remote_cells(one: &(RemoteLease, Option<String>), now: Instant) -> [String; 4] {
    let (lease, title) = one;
    let title = title.clone().unwrap_or_default();
    let what = match (lease.closed, lease.is_over(now)) {
        (Some(_), _) => "closed, not here yet".to_owned(),
        (None, true) => "its time is over".to_owned(),
        (None, false) => format!("since {}", ago(&lease.acquired, now)),
    };
    let text = if title.is_empty() { what } else { format!("{title} ({what})") };
    [lease.holder.clone(), "elsewhere".to_owned(), lease.id.clone(), text].map(|cell| inline(&cell).into_owned())
}

/// The agents that another machine shows.
pub fn machine_cells(note: &FleetNote, now: Instant) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    for agent in &note.agents {
        if agent.holds.is_empty() {
            rows.push([agent.name.clone(), agent.status.clone(), "-".to_owned(), String::new()]);
        }
        for issue in &agent.holds {
            let since = issue.since.as_deref().map(|at| format!("since {}", ago(at, now)));
            let failed = (issue.attempts > 0).then(|| {
                let error = issue.last_error.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
                format!("failed {}{error}", plural(usize::try_from(issue.attempts).unwrap_or_default(), "time"))
            });
            let facts = [since, issue.checkpoint.clone(), failed].into_iter().flatten().collect::<Vec<_>>().join("; ");
            let text = format!("{} ({facts})", issue.title);
            rows.push([agent.name.clone(), agent.status.clone(), issue.id.clone(), text]);
        }
    }
    rows.into_iter().map(|row| row.map(|cell| inline(&cell).into_owned())).collect()
}

/// The head of another machine's agents.
pub fn machine_head(note: &FleetNote, now: Instant) -> String {
    let private = match note.private {
        0 => String::new(),
        count => format!(", {} private", plural(usize::try_from(count).unwrap_or_default(), "claim")),
    };
    let host = note.host.as_deref().unwrap_or(&note.id);
    inline(&format!("{host} (as of {}{private})", ago(&note.at, now))).into_owned()
}

pub fn finished_cells(one: &FinishedWork) -> [String; 3] {
    [one.id.clone(), one.workspace.clone(), one.title.clone()].map(|cell| inline(&cell).into_owned())
}

pub fn done_cells(one: &DoneIssue, now: Instant) -> [String; 3] {
    let whose = one.assignee.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| "-".to_owned());
    let at = one.at.map(|at| ago(&at.to_string(), now)).unwrap_or_default();
    [one.id.clone(), whose, format!("{} ({at})", one.title)].map(|cell| inline(&cell).into_owned())
}
