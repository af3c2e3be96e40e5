//! Changes in ledgers: texts are compared line by line before and after, and only differing lines are parsed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::event::{EventKind, IssueNews};
use crate::ledger::Document;
use crate::model::difference::{FieldChange, difference};
use crate::model::issue::{Issue, Status};
use crate::model::proposal::is_companion_line;
use crate::model::record::Record;
use crate::model::words::words;
use crate::store::{CheckoutLedger, Place, Store, counting_copy};

/// A change that a merge makes by itself.
const CLOCK: &str = "updated_at";

/// The known contents of the project's ledgers and those of other checkouts.
#[derive(Debug, Default)]
pub(super) struct Ledgers {
    own: Vec<Kept>,
    pub checkouts: Vec<CheckoutLedger>,
    /// Other checkouts have been read before.
    has_looked: bool,
}

/// A ledger of the project, as of the last events.
#[derive(Debug)]
struct Kept {
    path: PathBuf,
    repo: String,
    document: Document,
}

/// A line and its repo.
type Copy<'a> = (&'a str, String);

impl Ledgers {
    /// A ledger of the project, by its path.
    pub(super) fn own(&self, path: &Path) -> Option<&Document> {
        self.own.iter().find(|kept| kept.path == path).map(|kept| &kept.document)
    }

    /// The effective line of every issue of the project, and its repo.
    pub(super) fn counting(&self) -> BTreeMap<String, (&str, String)> {
        let ids = self.own.iter().flat_map(|kept| kept.document.ids()).map(|id| id.into_owned()).collect();
        let mut copies: BTreeMap<String, Vec<Copy<'_>>> = BTreeMap::new();
        for kept in &self.own {
            collect(&mut copies, &kept.document, &kept.repo, &ids);
        }
        copies.into_iter().filter_map(|(id, copies)| Some((id, chosen(Some(&copies))?))).collect()
    }

    /// The versions of issues in other checkouts that are not those of the project: the checkout, the id, ours, theirs.
    pub(super) fn differing(&self) -> Vec<(Place, String, Option<&str>, &str)> {
        let ours = self.counting();
        let mut found = Vec::new();
        for one in &self.checkouts {
            let ids = one.document.ids().map(|id| id.into_owned()).collect();
            let mut theirs = BTreeMap::new();
            collect(&mut theirs, &one.document, "", &ids);
            for (id, copies) in theirs {
                let own = ours.get(&id).map(|(line, _)| *line);
                if let Some((line, _)) = chosen(Some(&copies)).filter(|(line, _)| Some(*line) != own) {
                    found.push((Place::from(&one.worktree), id, own, line));
                }
            }
        }
        found
    }

    /// The changes in the project's ledgers since then, which are recorded. A torn ledger is ignored and stays as it
    /// was. One that the settings add or remove is recorded without events.
    pub(super) fn own_news(&mut self, store: &Store) -> Vec<(EventKind, IssueNews)> {
        let documents = store.documents();
        let mut now = Vec::new();
        let mut ids = BTreeSet::new();
        for (member, ledger, document) in documents {
            let old = self.own.iter().position(|kept| kept.path == ledger.path());
            let old = old.map(|place| self.own.swap_remove(place));
            let repo = store.name(member).to_owned();
            let path = ledger.path().to_owned();
            let believed = document.torn().is_none();
            match old {
                Some(old) if !believed || old.document.bytes() == document.bytes() => {
                    now.push((Kept { repo, ..old }, None));
                }
                Some(old) => {
                    ids.extend(document.changed_ids(&old.document));
                    now.push((Kept { path, repo, document: document.clone() }, Some(old.document)));
                }
                None if believed => now.push((Kept { path, repo, document: document.clone() }, None)),
                None => {}
            }
        }
        let mut before: BTreeMap<String, Vec<Copy<'_>>> = BTreeMap::new();
        let mut after: BTreeMap<String, Vec<Copy<'_>>> = BTreeMap::new();
        let mut damaged: BTreeSet<String> = BTreeSet::new();
        if !ids.is_empty() {
            for (kept, old) in &now {
                collect(&mut before, old.as_ref().unwrap_or(&kept.document), &kept.repo, &ids);
                collect(&mut after, &kept.document, &kept.repo, &ids);
                if old.is_some() {
                    damaged.extend(kept.document.ids().map(|id| id.into_owned()).filter(|id| ids.contains(id)));
                }
            }
        }
        let mut found = Vec::new();
        for id in &ids {
            let (old, new) = (chosen(before.get(id)), chosen(after.get(id)));
            // Its line exists but is unreadable: it is not deleted.
            if new.is_none() && damaged.contains(id) {
                continue;
            }
            found.extend(news(id, old, new));
        }
        self.own = now.into_iter().map(|(kept, _)| kept).collect();
        found
    }

    /// The same for ledgers of other checkouts. Changes that are already here are not reported.
    pub(super) fn news_elsewhere(&mut self, store: &Store) -> crate::store::Result<Vec<(EventKind, IssueNews)>> {
        let changed = store.look_at_checkouts(&mut self.checkouts, !self.has_looked)?;
        self.has_looked = true;
        let mut found = Vec::new();
        for (place, old) in changed {
            let one = &self.checkouts[place];
            let ids = one.document.changed_ids(&old);
            let repo = store.name(0);
            let (mut before, mut after, mut here) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
            collect(&mut before, &old, repo, &ids);
            collect(&mut after, &one.document, repo, &ids);
            for kept in &self.own {
                collect(&mut here, &kept.document, repo, &ids);
            }
            let damaged: BTreeSet<String> = one.document.ids().map(|id| id.into_owned()).collect();
            for id in &ids {
                let (old, new) = (chosen(before.get(id)), chosen(after.get(id)));
                let ours = chosen(here.get(id)).map(|(line, _)| line);
                let is_known = new.as_ref().map(|(line, _)| *line) == ours;
                if is_known || (new.is_none() && damaged.contains(id)) {
                    continue;
                }
                let checkout = Place::from(&one.worktree);
                found.extend(
                    news(id, old, new).map(|(kind, news)| (kind, IssueNews { checkout: Some(checkout), ..news })),
                );
            }
        }
        Ok(found)
    }
}

/// Adds the effective lines of one ledger.
fn collect<'a>(
    found: &mut BTreeMap<String, Vec<Copy<'a>>>,
    document: &'a Document,
    repo: &str,
    ids: &BTreeSet<String>,
) {
    for (id, line) in document.effective_among(ids) {
        let Ok(text) = std::str::from_utf8(document.text(line)) else { continue };
        if is_companion_line(text.as_bytes()) {
            continue;
        }
        found.entry(id).or_default().push((text, repo.to_owned()));
    }
}

fn chosen<'a>(copies: Option<&Vec<Copy<'a>>>) -> Option<Copy<'a>> {
    let copies = copies?;
    let lines: Vec<&str> = copies.iter().map(|(line, _)| *line).collect();
    copies.get(counting_copy(&lines)?).cloned()
}

/// The event for one issue, if it changed.
fn news(id: &str, before: Option<Copy<'_>>, after: Option<Copy<'_>>) -> Option<(EventKind, IssueNews)> {
    let (old_line, old_repo) = before.unzip();
    let (new_line, new_repo) = after.unzip();
    let decoded = |line: &str| Record::parse(line).ok().map(|record| Issue::decode(&record));
    let (old, new) = (old_line.and_then(decoded), new_line.and_then(decoded));
    let state = |issue: &Option<Issue>| issue.as_ref().map_or(State::Gone, |issue| State::of(&issue.status));
    let kind = state(&old).event_to(state(&new))?;
    let mut fields = Vec::new();
    if kind != EventKind::IssueDeleted {
        fields = difference(&[old_line], new_line).map(|(_, fields)| fields).unwrap_or_default();
        if fields.iter().any(|change| change.field != CLOCK) {
            fields.retain(|change| change.field != CLOCK);
        }
        if old_repo != new_repo && old_repo.is_some() {
            let (before, after) = (old_repo.clone(), new_repo.clone());
            fields.push(FieldChange { field: "source_repo".to_owned(), before, after, won: None });
        }
    }
    if kind == EventKind::IssueUpdated && fields.is_empty() {
        return None;
    }
    let (shown, source_repo) = if kind == EventKind::IssueDeleted { (old, old_repo) } else { (new, new_repo) };
    Some((kind, IssueNews { fields, ..of(id, shown?, source_repo.unwrap_or_default()) }))
}

words! {
    /// The state of an issue.
    pub(super) enum State {
        Open = "open",
        Done = "done",
        /// It is missing, or a tombstone.
        Gone = "gone",
    }
}

impl State {
    pub(super) fn of(status: &Status) -> Self {
        match status {
            status if status.is_tombstone() => State::Gone,
            status if status.is_done() => State::Done,
            _ => State::Open,
        }
    }

    /// The event that took an issue from this state to that one.
    pub(super) fn event_to(self, now: State) -> Option<EventKind> {
        match (self, now) {
            (State::Gone, State::Gone) => None,
            (State::Gone, _) => Some(EventKind::IssueCreated),
            (_, State::Gone) => Some(EventKind::IssueDeleted),
            (State::Open, State::Done) => Some(EventKind::IssueClosed),
            (State::Done, State::Open) => Some(EventKind::IssueReopened),
            _ => Some(EventKind::IssueUpdated),
        }
    }
}

/// An issue without changes.
pub(super) fn of(id: &str, issue: Issue, source_repo: String) -> IssueNews {
    IssueNews {
        id: id.to_owned(),
        title: issue.title,
        status: issue.status.as_str().to_owned(),
        priority: issue.priority.number(),
        issue_type: issue.issue_type.as_str().to_owned(),
        assignee: issue.assignee,
        source_repo,
        ..IssueNews::default()
    }
}
