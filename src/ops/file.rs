//! Filing new issues.

use std::collections::HashMap;

use super::{OpError, Result};
use crate::model::change::NewIssue;
use crate::model::dependency::DependencyType;
use crate::model::id::IssueId;
use crate::store::{Route, Scope, Store, StoreError, Transaction, Write, Written};

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

/// An issue with resolved ids and a chosen repo.
#[derive(Debug, Clone)]
pub struct Placed {
    pub issue: NewIssue,
    pub id: Option<IssueId>,
    pub route: Route,
    /// The name of the repo, and the path of its ledger.
    pub repo: String,
    pub ledger: String,
}

/// Chooses the repos of issues and checks what can be checked before a ledger is locked.
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

/// Files issues: in one repo all or none; in several, one repo after the other.
pub fn file_all(store: &mut Store, filings: Vec<Filing>) -> Result<Vec<Written>> {
    let placed = place(store, filings)?;
    let chosen = placed.iter().any(|one| one.id.is_some());
    let scope = if chosen { Scope::All } else { Scope::Repos(placed.iter().map(|one| one.route.repo).collect()) };
    let mut transaction = store.begin(scope)?;
    for Placed { issue, id, route, .. } in placed {
        transaction.refuse_cycle_of_new(id.as_ref().map_or("the new issue", |id| id.as_str()), &issue.dependencies)?;
        // Others may already depend on a given id, but not on a minted one.
        if let Some(id) = &id {
            for (target, kind) in issue.dependencies.iter().filter(|(_, kind)| kind.orders_work()) {
                transaction.refuse_cycle(id.as_str(), target, kind.is_parent_child())?;
            }
        }
        transaction.stage(Write::File { issue: Box::new(issue), id, repo: route.repo })?;
    }
    committed(transaction)
}

/// Files issues that may refer to each other by ids minted before. `tell` gets the number prepared so far.
pub fn file_minted(store: &mut Store, minted: Vec<Minted>, mut tell: impl FnMut(usize)) -> Result<Vec<Written>> {
    // The settings may have changed since: no other repo of a similar name will do.
    store.look_again()?;
    let members = &store.repos().members;
    let number = |one: &Minted| {
        let same = members.iter().position(|member| member.name == one.repo);
        Ok(same.ok_or_else(|| store.no_such_repo(&one.repo))?)
    };
    let repos = minted.iter().map(number).collect::<Result<Vec<usize>>>()?;
    let mut transaction = store.begin(Scope::All)?;
    transaction.refuse_cycles_of_many(minted.iter().map(|one| (one.id.as_str(), &one.issue)))?;
    for (n, (Minted { issue, id, .. }, repo)) in minted.into_iter().zip(repos).enumerate() {
        transaction.stage(Write::File { issue: Box::new(issue), id: Some(id), repo })?;
        tell(n + 1);
    }
    committed(transaction)
}

/// An issue with its minted id.
#[derive(Debug, Clone)]
pub struct Minted {
    pub issue: NewIssue,
    pub id: IssueId,
    /// The name of its repo: numbers change with the settings.
    pub repo: String,
}

/// Mints the id of a new issue. Its dependencies are in the project, or among `earlier`.
pub fn mint(store: &mut Store, filing: Filing, earlier: &HashMap<String, String>) -> Result<Minted> {
    let Filing { mut issue, id, parent, dependencies, repo } = filing;
    let parent = parent.map(|parent| (DependencyType::parent_child(), parent));
    for (kind, target) in parent.into_iter().chain(dependencies) {
        let is_plain = earlier.contains_key(&target) || target.starts_with("external:");
        issue.dependencies.push((if is_plain { target } else { store.resolve(&target)? }, kind));
    }
    issue.validate().map_err(StoreError::from)?;
    let kin = issue.dependencies.iter().find(|(_, kind)| kind.is_parent_child()).or(issue.dependencies.first());
    let repo = match (repo, kin.and_then(|(target, _)| earlier.get(target))) {
        (None, Some(repo)) => repo.clone(),
        (repo, _) => {
            let route = store.route(repo.as_deref(), &issue.dependencies)?;
            store.name(route.repo).to_owned()
        }
    };
    let id = match id {
        Some(id) => IssueId::chosen(&id).map_err(StoreError::from)?,
        None => {
            let prefix = store.prefix(store.named_repo(&repo)?)?;
            loop {
                let (now, nonce) = (store.host().clock.now(), store.host().entropy.bytes());
                let id = IssueId::mint(&prefix, &issue.title, &issue.description, now, nonce);
                if !earlier.contains_key(id.as_str()) && store.get(id.as_str())?.is_none() {
                    break id;
                }
            }
        }
    };
    Ok(Minted { issue, id, repo })
}

/// In one repo all or none; in several, one repo after the other.
fn committed(transaction: Transaction<'_>) -> Result<Vec<Written>> {
    let (written, failed) = transaction.commit_all()?;
    match failed {
        None => Ok(written),
        Some(error) if written.is_empty() => Err(error.into()),
        Some(error) => {
            let filed = written.into_iter().map(|one| one.id).collect();
            Err(OpError::Partly { filed, source: Box::new(error) })
        }
    }
}
