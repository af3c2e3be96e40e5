//! Bringing all finished workspaces home, one after the other in the order of their dependencies.

use std::collections::BTreeSet;
use std::path::Path;

use super::WorkspaceError;
use super::finished::{Finished, finished};
use super::inspect::Around;
use super::landing::{LandRow, Outcome, Readiness, arrived, bring, readiness, refuse_changed, turn};
use super::trial::{Trial, clear};
use crate::model::workspace::State;
use crate::ops::workspace_records as records;
use crate::ops::{OpError, Result, here};
use crate::store::Store;

/// How to land.
#[derive(Debug, Clone, Default)]
pub struct LandWish {
    /// The check, instead of `land.check`.
    pub check: Option<String>,
    /// Merge without one.
    pub no_check: bool,
    /// Go on after work that was put back.
    pub keep_going: bool,
    pub dry_run: bool,
}

/// What landing did.
#[derive(Debug, Default)]
pub struct Landing {
    pub rows: Vec<LandRow>,
    /// Finished ones that were not tried after the first failure.
    pub left: usize,
    /// The commit to go back to.
    pub before: Option<String>,
    pub notes: Vec<String>,
    pub dry_run: bool,
    /// Why it did not go on, if that is not about the work of one workspace.
    pub stopped: Option<OpError>,
}

/// Brings all finished workspaces home, each after its check. Stops at the first one that is put back, unless the wish
/// says otherwise.
pub fn land(store: &mut Store, wish: &LandWish, cwd: &Path) -> Result<Landing> {
    if let Some(one) = records::here(store) {
        return Err(WorkspaceError::LandsElsewhere { id: one.id, parent: one.parent.into() }.into());
    }
    let _turn = turn(store)?;
    refuse_changed(store)?;
    let own = store.settings().own_text("land.check").map(str::to_owned);
    let command = wish.check.clone().or(own.clone()).filter(|command| !command.trim().is_empty() && !wish.no_check);
    let mut landing = Landing { dry_run: wish.dry_run, ..Landing::default() };
    if own.is_none() && wish.check.is_none() && store.settings().text("land.check").is_some() {
        landing.notes.push("land.check in the committed settings is not used; set it yourself".to_owned());
    }
    if command.is_none() && !wish.no_check && !wish.dry_run {
        return Err(WorkspaceError::NoCheck.into());
    }
    let root = here::root(store);
    if !wish.dry_run {
        clear(store, &root)?;
    }
    let left = finished(store)?;
    let trial = match command.filter(|_| !wish.dry_run && !left.is_empty()) {
        Some(command) => Some(Trial::begin(store, &root, &command, &store.checked_out()?)?),
        None => None,
    };
    // Work that has landed before an error is in the answer.
    landing.stopped = each(store, left, trial.as_ref(), wish, cwd, &mut landing).err();
    if trial.is_some() {
        clear(store, &root)?;
    }
    Ok(landing)
}

fn each(
    store: &mut Store,
    mut left: Vec<Finished>,
    trial: Option<&Trial>,
    wish: &LandWish,
    cwd: &Path,
    landing: &mut Landing,
) -> Result<()> {
    while !left.is_empty() {
        let waiting: BTreeSet<&String> = left.iter().map(|one| &one.issue).collect();
        let is_next = |one: &Finished| !one.waits_for.iter().any(|id| *id != one.issue && waiting.contains(id));
        let Some(at) = left.iter().position(is_next) else {
            let circle: Vec<&str> = left.iter().map(|one| one.issue.as_str()).collect();
            let why = format!("these wait for each other: {}", circle.join(", "));
            for one in &left {
                landing.rows.push(LandRow::of(store, &one.known, Outcome::NotReady, Some(why.clone()))?);
            }
            return Ok(());
        };
        let one = left.remove(at);
        store.look_again()?;
        let row = match waits(store, &one, &landing.rows)? {
            Some(id) => {
                let why = format!("it waits for {id}, which is not done here");
                LandRow::of(store, &one.known, Outcome::NotReady, Some(why))?
            }
            None => {
                let _step = store.activity().begin(format!("landing {}", one.issue));
                let around = Around::of(store, cwd)?;
                match readiness(store, &one.known, &around)? {
                    Readiness::NotReady(why) => LandRow::of(store, &one.known, Outcome::NotReady, Some(why))?,
                    Readiness::Home(_) if one.known.workspace.state == State::Merged => continue,
                    _ if wish.dry_run => LandRow::of(store, &one.known, Outcome::WouldLand, None)?,
                    Readiness::Home(commit) => arrived(store, &one.known, commit, cwd)?,
                    Readiness::Ready => bring(store, &one.known, trial, cwd)?,
                }
            }
        };
        let outcome = row.outcome;
        landing.before = landing.before.take().or(row.before.clone());
        landing.rows.push(row);
        if outcome.is_put_back() && !wish.keep_going {
            landing.left = left.len();
            return Ok(());
        }
    }
    Ok(())
}

/// An open issue that the finished one waits for; in a dry run, none that would have landed before.
fn waits(store: &Store, one: &Finished, rows: &[LandRow]) -> Result<Option<String>> {
    for id in &one.waits_for {
        let would = rows.iter().any(|row| row.outcome == Outcome::WouldLand && row.issue.as_ref() == Some(id));
        if !would && store.get(id)?.is_some_and(|row| !row.issue.status.is_done()) {
            return Ok(Some(id.clone()));
        }
    }
    Ok(None)
}
