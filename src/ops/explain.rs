//! All reasons why an issue is ready or not.

use super::Result;
use crate::cache::Blocker;
use crate::model::dependency::DependencyType;
use crate::model::issue::IssueType;
use crate::model::odd::odd_values;
use crate::model::record::Record;
use crate::store::{Row, Store, Taken, Withheld};

/// One reason why an issue is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Only open issues are offered.
    Status(String),
    Deferred {
        until: Option<String>,
    },
    /// It is deferred until something that is not a date.
    DeferUnreadable(String),
    /// Pinned, ephemeral or a template.
    Hidden(&'static str),
    InternalType(String),
    Blocked(Blocker),
    /// It depends on an id in no ledger, and these repos cannot be read.
    BlockerUnknown {
        blocker: Blocker,
        repos: Vec<String>,
    },
    InheritedFrom {
        ancestor: String,
        blockers: Vec<String>,
    },
    OpenChildren(Vec<String>),
    /// Someone has claimed it, or another checkout has closed it.
    Taken(Taken),
    /// Its workflow withholds it.
    Withheld(Withheld),
    /// It was planned for the project with this name.
    OtherProject(String),
}

#[derive(Debug, Clone)]
pub struct Explanation {
    pub row: Row,
    pub ready: bool,
    pub reasons: Vec<Reason>,
    /// Dependencies on ids in no repo; they do not block unless so configured.
    pub unknown: Vec<String>,
    /// Finished blockers.
    pub satisfied: Vec<String>,
}

pub fn explain(store: &Store, typed: &str) -> Result<Explanation> {
    let row = store.find(typed)?;
    let issue = &row.issue;
    let now = store.host().clock.now();
    let mut reasons = Vec::new();
    let status = issue.status.as_str();
    let until = issue.defer_until.as_ref();
    let later = until.is_some_and(|time| time.instant > now);
    let record = Record::parse(&row.line).ok();
    let odd = record.as_ref().and_then(|record| odd_values(record).into_iter().find(|odd| odd.key == "defer_until"));
    match status {
        "open" | "deferred" if odd.is_some() => {
            reasons.extend(odd.map(|odd| Reason::DeferUnreadable(odd.raw.to_owned())));
        }
        "open" if later => reasons.push(Reason::Deferred { until: until.map(|t| t.text.clone()) }),
        "deferred" if later || until.is_none() => {
            reasons.push(Reason::Deferred { until: until.map(|t| t.text.clone()) })
        }
        "open" | "deferred" => {}
        other => reasons.push(Reason::Status(other.to_owned())),
    }
    let flags = [(issue.pinned, "pinned"), (issue.ephemeral, "ephemeral"), (issue.is_template, "a template")];
    reasons.extend(flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| Reason::Hidden(name)));
    if IssueType::INTERNAL.contains(&issue.issue_type.as_str()) {
        reasons.push(Reason::InternalType(issue.issue_type.to_string()));
    }
    let repos = store.unjoined();
    reasons.extend(store.unmet(&issue.id)?.into_iter().map(|blocker| match blocker.known || repos.is_empty() {
        true => Reason::Blocked(blocker),
        false => Reason::BlockerUnknown { blocker, repos: repos.clone() },
    }));
    if let Some(blocked) = store.obstacles(&issue.id)? {
        reasons.extend(blocked.inherited.into_iter().map(|inherited| Reason::InheritedFrom {
            ancestor: inherited.ancestor,
            blockers: inherited.blockers.into_iter().map(|blocker| blocker.id).collect(),
        }));
    }
    if issue.issue_type.as_str() == "epic" {
        let children = store.open_children(&issue.id)?;
        if !children.is_empty() {
            reasons.push(Reason::OpenChildren(children));
        }
    }
    let other = store.of_other_projects()?.get(&issue.id).map(|owner| owner.name.clone());
    reasons.extend(other.map(Reason::OtherProject));
    if !issue.status.is_done() {
        reasons.extend(store.why_taken(&issue.id)?.into_iter().map(Reason::Taken));
        if status != "in_progress" {
            reasons.extend(store.why_withheld(&issue.id)?.map(Reason::Withheld));
        }
    }
    let (mut unknown, mut satisfied) = (Vec::new(), Vec::new());
    for (edge, target) in store.dependencies(&row.issue.id)? {
        let blocking = DependencyType::new(edge.kind.clone()).is_blocking();
        // A gate may wait for the children of an issue other than the named one.
        let gates =
            row.issue.dependencies.iter().filter(|known| known.target == edge.id).filter_map(|d| d.gate.as_ref());
        let meant: Vec<&String> = gates.filter_map(|gate| gate.spawner.as_ref()).chain([&edge.id]).collect();
        let waits = reasons.iter().any(|reason| match reason {
            Reason::Blocked(blocker) | Reason::BlockerUnknown { blocker, .. } => meant.contains(&&blocker.id),
            _ => false,
        });
        match target {
            _ if waits => {}
            None => unknown.push(edge.id),
            Some(_) if blocking => satisfied.push(edge.id),
            Some(_) => {}
        }
    }
    Ok(Explanation { ready: reasons.is_empty(), row, reasons, unknown, satisfied })
}
