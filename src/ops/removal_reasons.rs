//! Reasons against removing a checkout, as values with descriptions.

use crate::model::words::words;
use std::path::PathBuf;

use crate::model::lease::Standing;
use crate::store::{Elsewhere, LeaseRow};
use crate::vcs::{Unsaved, Work};

words! {
    /// The kind of reason.
    #[derive(PartialOrd, Ord)]
    pub enum Loss {
        Unfinished = "unfinished",
        Changed = "changed",
        Untracked = "untracked",
        Unpushed = "unpushed",
        Loose = "loose",
        Tags = "tags",
        Stash = "stash",
        /// Its ledger has changes that the main one lacks.
        Ledger = "ledger",
        Lease = "lease",
        Process = "process",
        CurrentDirectory = "current_directory",
        Repository = "repository",
        /// Another checkout was made from it.
        Child = "child",
        Mount = "mount",
        /// It does not match the record.
        NotOurs = "not_ours",
        /// A file or commit could not be saved.
        NotKept = "not_kept",
        /// Cannot tell whether something would be lost.
        Unknown = "unknown",
    }
}

impl Loss {
    /// Saving a copy does not help: someone is working there, or it is not ours to delete.
    pub fn is_final(self) -> bool {
        matches!(
            self,
            Loss::Lease
                | Loss::Process
                | Loss::CurrentDirectory
                | Loss::Repository
                | Loss::Child
                | Loss::Mount
                | Loss::NotOurs
                | Loss::NotKept
        )
    }
}

/// A single reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub loss: Loss,
    pub text: String,
}

impl Reason {
    pub fn new(loss: Loss, text: impl Into<String>) -> Self {
        Reason { loss, text: text.into() }
    }
}

/// The descriptions of reasons.
pub(in crate::ops) fn texts(reasons: &[Reason]) -> Vec<String> {
    reasons.iter().map(|reason| reason.text.clone()).collect()
}

/// Files that would be lost.
pub(in crate::ops) fn of_files(work: &Work) -> Vec<Reason> {
    let files = |files: &[PathBuf], loss: Loss, what: &str| match files {
        [] => None,
        [one] => Some(Reason::new(loss, format!("{} is {what}", one.display()))),
        [first, rest @ ..] => {
            Some(Reason::new(loss, format!("{} and {} more are {what}", first.display(), rest.len())))
        }
    };
    let unfinished = work.unfinished.as_ref();
    let mut reasons: Vec<Reason> = Vec::new();
    reasons.extend(unfinished.map(|what| Reason::new(Loss::Unfinished, format!("{what} is not finished"))));
    reasons.extend(files(&work.changed, Loss::Changed, "changed and not committed"));
    reasons.extend(files(&work.untracked, Loss::Untracked, "untracked"));
    reasons
}

/// Commits and shelved changes that would be lost with a checkout whose repository remains.
pub(in crate::ops) fn of_commits(work: &Work) -> Vec<Reason> {
    let unsaved = (work.unsaved_commits > 0).then(|| match work.unsaved_commits {
        1 => "one commit is nowhere else".to_owned(),
        count => format!("{count} commits are nowhere else"),
    });
    let mut reasons: Vec<Reason> = Vec::new();
    reasons.extend(unsaved.map(|text| Reason::new(Loss::Unpushed, text)));
    reasons.extend(work.loose_commits().map(|text| Reason::new(Loss::Loose, text)));
    let shelved = (work.stashes > 0).then(|| match work.stashes {
        1 => "1 shelved change would be lost".to_owned(),
        count => format!("{count} shelved changes would be lost"),
    });
    reasons.extend(shelved.map(|text| Reason::new(Loss::Stash, text)));
    reasons
}

pub(in crate::ops) fn of_unsaved(one: &Unsaved) -> Reason {
    let commits = match one.commits {
        1 => "one commit".to_owned(),
        count => format!("{count} commits"),
    };
    let are = if one.commits == 1 { "is" } else { "are" };
    Reason::new(Loss::Unpushed, format!("{commits} of {} {are} nowhere else", one.holder))
}

pub(in crate::ops) fn of_leases<'a>(leases: impl Iterator<Item = &'a LeaseRow>) -> Vec<Reason> {
    let live = leases.filter(|row| row.standing == Standing::Live);
    let text = |row: &LeaseRow| {
        let holder = row.lease.holder.as_ref().map(|holder| holder.name.as_str()).unwrap_or_default();
        format!("{holder} holds {} there", row.id)
    };
    live.map(|row| Reason::new(Loss::Lease, text(row))).collect()
}

pub(in crate::ops) fn of_ledger(unmerged: &[Elsewhere]) -> Option<Reason> {
    let ids: Vec<&str> = unmerged.iter().take(3).map(|one| one.id.as_str()).collect();
    let more = unmerged.len() - ids.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let text = || format!("its ledger has what the main one has not: {}{more}", ids.join(", "));
    (!unmerged.is_empty()).then(|| Reason::new(Loss::Ledger, text()))
}
