//! One issue with its surroundings.

use super::{Result, proposals};
use crate::cache::Counts;
use crate::model::issue::{Comment, Issue};
use crate::model::proposal::is_turned_down;
use crate::model::record::Record;
use crate::store::{Access, Beside, PastLine, Row, Store, StoreError, SyncError};

/// An issue at the other end of a dependency.
#[derive(Debug, Clone)]
pub struct Neighbour {
    pub id: String,
    pub kind: String,
    pub row: Option<Row>,
}

#[derive(Debug, Clone)]
pub struct Shown {
    pub row: Row,
    pub dependencies: Vec<Neighbour>,
    pub dependents: Vec<Neighbour>,
    /// Whether the user may write it in its ledger.
    pub access: Access,
    /// The other repos with a copy.
    pub copies: Vec<String>,
    /// The project has several repos, so the repo of an issue matters.
    pub of_many: bool,
    /// What only the user's planning copy contains.
    pub private: Option<Private>,
    /// It has left the ledger; this is its last version in history.
    pub past: Option<PastLine>,
    /// It is a proposal that is only on these branches.
    pub branches: Vec<String>,
    /// How many different lines of it they have; this is the one that changed last.
    pub versions: usize,
}

/// The private side of an issue that was proposed, or that the user may not write: no one else sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Private {
    /// The planning repo.
    pub repo: String,
    pub notes: Option<String>,
    pub assignee: Option<String>,
    pub comments: Vec<Comment>,
    /// Ids that the other copy does not depend on.
    pub dependencies: Vec<String>,
}

impl Private {
    /// What a planning copy contains beyond the effective copy; `None` if nothing.
    fn of(planning: &Row, shown: &Row) -> Option<Self> {
        // Not the displayed issue, which includes some of it.
        let (ours, theirs) = (&planning.issue, &Issue::decode(&Record::parse(&shown.line).ok()?));
        let private = Private {
            repo: planning.source_repo.clone(),
            notes: ours.notes.clone().filter(|notes| theirs.notes.as_ref() != Some(notes)),
            assignee: ours.assignee.clone().filter(|name| theirs.assignee.as_ref() != Some(name)),
            comments: ours.comments.iter().filter(|comment| !theirs.comments.contains(comment)).cloned().collect(),
            dependencies: {
                let known = |id: &String| theirs.dependencies.iter().any(|dependency| dependency.target == *id);
                ours.dependencies.iter().map(|dependency| dependency.target.clone()).filter(|id| !known(id)).collect()
            },
        };
        let has_some = private.notes.is_some()
            || private.assignee.is_some()
            || !private.comments.is_empty()
            || !private.dependencies.is_empty();
        has_some.then_some(private)
    }
}

impl From<Beside> for Private {
    fn from(beside: Beside) -> Self {
        let Beside { repo, notes, comments } = beside;
        Private { repo, notes, assignee: None, comments, dependencies: Vec::new() }
    }
}

pub fn show(store: &Store, typed: &str) -> Result<Shown> {
    let row = store.find(typed)?;
    surround(store, row)
}

/// Marks the issues that other checkouts have in a later version.
pub fn mark_elsewhere(store: &Store, shown: &mut [Shown]) -> Result<()> {
    Ok(store.mark_elsewhere(shown.iter_mut().map(|one| &mut one.row))?)
}

/// A missing issue as branches propose it, or its last version in history. If it is in neither, returns `found`.
pub fn show_past(store: &Store, typed: &str, found: Result<Vec<Shown>>) -> Result<Vec<Shown>> {
    let is_missing = matches!(found, Err(super::OpError::Store(StoreError::NotFound { .. })));
    let is_over = |shown: &Shown| is_turned_down(&shown.row.record());
    if !is_missing && !found.as_ref().is_ok_and(|found| found.iter().any(is_over)) {
        return found;
    }
    if let Some(proposed) = proposals::on_a_branch(store, typed)
        && let Some(row) = proposed.line.as_deref().and_then(|line| row_of(store, line, 0))
    {
        return Ok(vec![Shown { branches: proposed.branches, versions: proposed.versions, ..surround(store, row)? }]);
    }
    if !is_missing {
        return found;
    }
    let past = match store.resolve_in_history(typed) {
        Ok(id) => store.last_in_history(&id),
        Err(StoreError::NotFound { .. } | StoreError::Vcs(SyncError::NoHistory { .. })) => return found,
        Err(error) => return Err(error.into()),
    };
    let Some(mut past) = past? else { return found };
    past.called_now = store.called_now(&past)?;
    let Some(row) = row_of(store, &past.line, past.repo) else { return found };
    Ok(vec![Shown { past: Some(past), ..surround(store, row)? }])
}

/// A row for a line that is in no file.
fn row_of(store: &Store, line: &str, repo: usize) -> Option<Row> {
    let record = Record::parse(line).ok()?;
    let issue = Issue::decode_in(&record, &|| store.host().clock.calendar());
    Some(Row {
        beside: store.companion(&issue.id),
        issue,
        line: line.to_owned(),
        members: record.into_members(),
        source_repo: store.name(repo).to_owned(),
        repo,
        shadowed: false,
        file: store.ledger_path(repo).unwrap_or(std::path::Path::new("")).to_owned(),
        line_number: 0,
        counts: Counts::default(),
        place: None,
        elsewhere: Vec::new(),
    })
}

/// The copies of an issue: the effective one, or all, or those in certain repos.
pub fn show_copies(store: &Store, typed: &str, repos: &[String], all: bool) -> Result<Vec<Shown>> {
    if repos.is_empty() && !all {
        return Ok(vec![show(store, typed)?]);
    }
    let id = store.find(typed)?.issue.id;
    let wanted = repos.iter().map(|text| Ok(store.named_repo(text)?)).collect::<Result<Vec<usize>>>()?;
    let rows = store.copies(&id)?;
    let (chosen, others): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| repos.is_empty() || wanted.contains(&row.repo));
    if chosen.is_empty() {
        let repos_of_it = others.into_iter().map(|row| row.source_repo).collect();
        return Err(StoreError::LivesElsewhere { id, requested: repos.to_vec(), repos: repos_of_it }.into());
    }
    chosen.into_iter().map(|row| surround(store, row)).collect()
}

fn surround(store: &Store, row: Row) -> Result<Shown> {
    let neighbours = |edges: Vec<(crate::cache::Edge, Option<Row>)>| {
        edges.into_iter().map(|(edge, row)| Neighbour { id: edge.id, kind: edge.kind, row }).collect()
    };
    let dependencies = neighbours(store.dependencies(&row.issue.id)?);
    let dependents = neighbours(store.dependents(&row.issue.id)?);
    let access = store.access_to(&row)?;
    let of_many = store.repos().members.len() > 1;
    let copies = if of_many { store.copies(&row.issue.id)? } else { Vec::new() };
    let others: Vec<Row> = copies.into_iter().filter(|copy| copy.repo != row.repo).collect();
    let planned = others.iter().find(|copy| store.is_planning(copy.repo));
    let private = planned.filter(|_| !row.shadowed).and_then(|copy| Private::of(copy, &row));
    let private = private.or_else(|| row.beside.clone().map(Private::from));
    let copies = others.into_iter().map(|copy| copy.source_repo).collect();
    Ok(Shown {
        row,
        dependencies,
        dependents,
        access,
        copies,
        of_many,
        private,
        past: None,
        branches: Vec::new(),
        versions: 0,
    })
}

/// Issues that waited for one of these and are ready now.
pub fn unblocked_by(store: &Store, closed: &[String]) -> Result<Vec<Row>> {
    let ready = store.ready(&crate::store::ReadyFilter::default())?.rows;
    let waited = |row: &Row| row.issue.dependencies.iter().any(|d| d.kind.is_blocking() && closed.contains(&d.target));
    Ok(ready.into_iter().filter(waited).collect())
}
