//! Filing new issues.

use super::{OpError, Result};
use crate::model::change::NewIssue;
use crate::model::dependency::DependencyType;
use crate::model::id::IssueId;
use crate::store::{Route, Scope, Store, StoreError, Write, Written};

/// An issue to file, with ids as people type them.
#[derive(Debug, Clone)]
pub struct Filing {
    pub issue: NewIssue,
    pub id: Option<String>,
    pub parent: Option<String>,
    /// Type and target.
    pub dependencies: Vec<(DependencyType, String)>,
    /// The repo to file it in, if the caller chose one.
    pub repo: Option<String>,
}

impl Filing {
    pub fn of(issue: NewIssue) -> Self {
        Filing { issue, id: None, parent: None, dependencies: Vec::new(), repo: None }
    }
}

/// An issue with its ids resolved and its repo decided.
#[derive(Debug, Clone)]
pub struct Placed {
    pub issue: NewIssue,
    pub id: Option<IssueId>,
    pub route: Route,
    /// The name of the repo, and the path of its ledger.
    pub repo: String,
    pub ledger: String,
}

/// Decides where issues go and checks what can be checked before a ledger is locked.
pub fn place(store: &mut Store, filings: Vec<Filing>) -> Result<Vec<Placed>> {
    let mut placed = Vec::new();
    for filing in filings {
        let mut issue = filing.issue;
        if let Some(parent) = &filing.parent {
            issue.dependencies.push((store.resolve(parent)?, DependencyType::parent_child()));
        }
        for (kind, target) in filing.dependencies {
            let target = if target.starts_with("external:") { target } else { store.resolve(&target)? };
            issue.dependencies.push((target, kind));
        }
        issue.validate().map_err(StoreError::from)?;
        let id = filing.id.map(|id| IssueId::chosen(&id)).transpose().map_err(StoreError::from)?;
        if let Some(id) = &id {
            if issue.dependencies.iter().any(|(target, _)| target == id.as_str()) {
                return Err(OpError::Store(crate::model::change::ChangeError::SelfDependency(id.to_string()).into()));
            }
            let taken = store.resolve(id.as_str()).is_ok_and(|known| known == id.as_str());
            if taken {
                return Err(StoreError::Taken { id: id.to_string() }.into());
            }
        }
        let route = store.route(filing.repo.as_deref(), &issue.dependencies)?;
        let (repo, ledger) = (store.name(route.repo).to_owned(), super::ledger(store, route.repo));
        placed.push(Placed { issue, id, route, repo, ledger });
    }
    Ok(placed)
}

/// Files issues: in one repo all of them, or none; over several repos one repo after the other.
pub fn file_all(store: &mut Store, filings: Vec<Filing>) -> Result<Vec<Written>> {
    let placed = place(store, filings)?;
    let chosen = placed.iter().any(|one| one.id.is_some());
    let scope = if chosen { Scope::All } else { Scope::Repos(placed.iter().map(|one| one.route.repo).collect()) };
    let mut transaction = store.begin(scope)?;
    for Placed { issue, id, route, .. } in placed {
        transaction.refuse_cycle_of_new(id.as_ref().map_or("the new issue", |id| id.as_str()), &issue.dependencies)?;
        // Others may depend already on an id that was chosen, on a minted one nobody does.
        if let Some(id) = &id {
            for (target, kind) in issue.dependencies.iter().filter(|(_, kind)| kind.orders_work()) {
                transaction.refuse_cycle(id.as_str(), target, kind.is_parent_child())?;
            }
        }
        transaction.stage(Write::File { issue: Box::new(issue), id, repo: route.repo })?;
    }
    let (mut written, mut failed) = (Vec::new(), None);
    for answer in transaction.commit()? {
        match answer {
            Ok(one) => written.push(one),
            Err(error) => failed = failed.or(Some(error.into_store())),
        }
    }
    match failed {
        None => Ok(written),
        Some(error) if written.is_empty() => Err(error.into()),
        Some(error) => {
            let filed = written.into_iter().map(|one| one.id).collect();
            Err(OpError::Partly { filed, source: Box::new(error) })
        }
    }
}
