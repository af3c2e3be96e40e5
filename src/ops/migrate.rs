//! Moving issues to another repo of the project, and renaming the ledger or the prefix of its ids.

use super::{ConfigRequest, Result, configure, not_deleted};
use crate::cache::{Sort, SortBy};
use crate::model::query::{Expr, Field};
use crate::store::{HooksRequest, RenamedLedger, RenamedPrefix, Row, Store, StoreError};

#[derive(Debug, Default)]
pub struct Migrated {
    /// The target, named as in answers.
    pub to: String,
    /// What a dry run would move.
    pub chosen: Vec<Row>,
    pub moved: Vec<String>,
    pub failed: Vec<(String, StoreError)>,
    /// The target is not part of the project: moved issues are no longer visible here.
    pub is_guest: bool,
}

/// Moves every copy of a matching issue that is not in the target yet. Deleted ones stay unless the condition is about
/// statuses.
pub fn migrate(store: &mut Store, to: &str, filter: &Expr, dry_run: bool, count: Option<usize>) -> Result<Migrated> {
    let route = store.route(Some(to), &[])?;
    let filter =
        if filter.mentions(Field::Status) { filter.clone() } else { Expr::And(vec![filter.clone(), not_deleted()]) };
    let name = store.name(route.repo).to_owned();
    let rows = store.list_copies(&filter, Sort::by(SortBy::Id), None)?.rows;
    // The settings may have been edited in between, which renumbers repos.
    let target = store.named_repo(&name)?;
    let chosen: Vec<Row> = rows.into_iter().filter(|row| row.repo != target).collect();
    let mut report = Migrated { is_guest: store.is_guest(&name), to: name, ..Migrated::default() };
    if !chosen.is_empty() {
        let issues: Vec<(String, usize)> = chosen.iter().map(|row| (row.issue.id.clone(), row.repo)).collect();
        store.refuse_growth(target, issues.len(), count)?;
        let done = store.relocate(&issues, target, dry_run)?;
        report.failed = done.failed;
        match dry_run {
            true => report.chosen = chosen.into_iter().filter(|row| done.moved.contains(&row.issue.id)).collect(),
            false => report.moved = done.moved,
        }
    }
    Ok(report)
}

/// Renames the ledger to its other usual name, or with `dry_run` only returns what that would do. An installed merge
/// driver is registered for the new name.
pub fn rename_ledger(store: &mut Store, name: &str, dry_run: bool) -> Result<RenamedLedger> {
    let driver = store.hooks_status().map(|status| status.driver).ok().filter(|driver| driver.state == "installed");
    let done = store.rename_ledger(name, dry_run)?;
    if let Some(driver) = driver.filter(|_| done.changed && !dry_run) {
        store.install_hooks(HooksRequest { hooks: false, driver: true, shared: driver.shared })?;
    }
    Ok(done)
}

/// Renames the project's issues, and sets the prefix of new ones.
pub fn rename_prefix(store: &mut Store, new: &str, repair: bool, dry_run: bool) -> Result<RenamedPrefix> {
    let done = store.rename_prefix(new, repair, dry_run)?;
    if !dry_run {
        configure(store, &ConfigRequest::setting("issue_prefix", new, None))?;
    }
    Ok(done)
}
