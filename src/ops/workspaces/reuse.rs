//! Reusing an idle workspace: it is updated, which is cheaper than a new clone, and keeps ignored files, such as build
//! results.
//!
//! Only a clone that could be removed without force: nothing in it is unsaved and no one works there. Changes that only
//! its ledger has are brought home first. Reasons against one are reported, and the next one is tried.

use std::path::{Path, PathBuf};

use super::inspect::{Around, inspect};
use super::removal::{bring, refuse};
use super::steps::delete_context;
use super::wish::WorkspaceWish;
use super::{WorkspaceError, checkout, include, setup};
use crate::model::lease::Standing;
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::store::{StateDir, Store, StoreError};
use crate::vcs::NewClone;
use crate::{sys, vcs};

/// How many to try before a new one is made.
const TRIES: usize = 3;

/// A reused workspace, if possible.
pub(super) fn take(
    store: &Store,
    state: &StateDir,
    draft: &Workspace,
    subject: Option<&str>,
    wish: &WorkspaceWish,
    notes: &mut Vec<String>,
) -> Result<Option<Workspace>> {
    let usual = store.settings().flag("workspace.reuse");
    let is_renewable = draft.kind == Kind::Clone && vcs::open(draft.parent.as_ref()).renewal().is_ok();
    if !wish.reuse.unwrap_or(usual) || !is_renewable || wish.path.is_some() {
        return Ok(None);
    }
    // Check first: the same would prevent a new one.
    store.refuse_programs_of(draft.parent.as_ref())?;
    let command = setup::command(store, &wish.setup)?;
    let (mut tried, mut reason): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut ready = None;
    while ready.is_none() && tried.len() < TRIES {
        let Some(taken) = claim(store, state, draft, subject, wish, &tried)? else { break };
        tried.push(taken.before.id.clone());
        let _step = store.activity().begin(format!("bringing {} up to date", taken.before.id));
        let spent = empty(store, state, &taken);
        match spent.and_then(|spent| renew(store, state, &taken, draft, wish, command.as_deref(), &spent)) {
            Ok(renewed) => ready = Some(renewed),
            Err(error) => {
                reason.get_or_insert_with(|| format!("{} was not taken again: {error}", taken.before.id));
                give_back(store, state, &taken, &error.to_string())?;
            }
        }
    }
    // One reason is enough in the answer; the record of each has its own.
    let others = tried.len().saturating_sub(usize::from(ready.is_some()) + 1);
    notes.extend(reason.map(|reason| if others > 0 { format!("{reason} (and {others} more)") } else { reason }));
    Ok(ready)
}

/// Checks that everything in a workspace is also elsewhere, as before its removal, and brings its ledger's changes
/// home. Returns the ledgers, which are no longer needed there.
fn empty(store: &Store, state: &StateDir, taken: &Taken) -> Result<Vec<PathBuf>> {
    let one = &taken.before;
    let known = Known { workspace: one.clone(), state: state.clone() };
    let around = Around::of(store, store.host().env.cwd().to_owned().as_path())?;
    let seen = inspect(store, &known, Path::new(&one.path), &around)?;
    refuse(one, &seen.reasons, false)?;
    if seen.homeward.lines.is_empty() {
        return Ok(seen.homeward.ledgers);
    }
    bring(store, one, &seen, Path::new(&one.path))?;
    // It was written while it was brought home.
    let seen = inspect(store, &known, Path::new(&one.path), &around)?;
    refuse(one, &seen.reasons, false)?;
    match seen.homeward.lines.is_empty() {
        true => Ok(seen.homeward.ledgers),
        false => Err(WorkspaceError::Changed { id: one.id.clone() }.into()),
    }
}

/// A workspace reserved for us while it is updated.
struct Taken {
    before: Workspace,
    branch: String,
}

/// Marks one as in use, so that no one else takes it.
fn claim(
    store: &Store,
    state: &StateDir,
    draft: &Workspace,
    subject: Option<&str>,
    wish: &WorkspaceWish,
    tried: &[String],
) -> Result<Option<Taken>> {
    let held: Vec<String> = store
        .leases()?
        .into_iter()
        .filter(|row| row.standing == Standing::Live)
        .filter_map(|row| row.lease.holder.and_then(|holder| holder.worktree_id))
        .collect();
    let pattern = store.settings().word("workspace.branch").to_owned();
    let names = vcs::open(draft.parent.as_ref()).branches(&store.host().env).map_err(StoreError::from)?;
    let cwd = store.host().env.cwd().to_owned();
    let now = store.host().clock.now().to_string();
    let mut taken = None;
    records::edit(store, state, |all| {
        let is_over = |one: &Workspace| match one.state {
            State::Idle | State::Merged => true,
            State::Active => one.owner.as_ref().is_some_and(sys::is_gone),
            _ => false,
        };
        let fits = |one: &&Workspace| {
            one.kind == Kind::Clone
                && !one.is_adopted
                && one.repo == draft.repo
                && one.parent == draft.parent
                && is_over(one)
                && !tried.contains(&one.id)
                && one.worktree_id.as_ref().is_some_and(|id| !held.contains(id))
                && Path::new(&one.path).is_dir()
                && !cwd.starts_with(&one.path)
        };
        let mut found: Vec<&Workspace> = all.iter().filter(fits).collect();
        // The one used last has most of what is needed.
        found.sort_by(|a, b| b.used_at.cmp(&a.used_at));
        let Some(one) = found.first() else { return Ok(Vec::new()) };
        let free = || {
            let new = Workspace { id: one.id.clone(), ..draft.clone() };
            checkout::branch_for(&pattern, subject, &new, all, &|name| names.contains(name))
        };
        let branch = wish.branch.clone().unwrap_or_else(free);
        taken = Some(Taken { before: (*one).clone(), branch });
        let owner = draft.owner.clone();
        Ok(vec![Workspace { state: State::Active, owner, updated_at: Some(now.clone()), ..(*one).clone() }])
    })?;
    Ok(taken)
}

fn renew(
    store: &Store,
    state: &StateDir,
    taken: &Taken,
    draft: &Workspace,
    wish: &WorkspaceWish,
    command: Option<&str>,
    spent: &[PathBuf],
) -> Result<Workspace> {
    let env = &store.host().env;
    let (parent, path) = (PathBuf::from(&draft.parent), PathBuf::from(&taken.before.path));
    let vcs = vcs::open(&path);
    let new = NewClone { path: path.clone(), branch: taken.branch.clone(), base: wish.base.clone() };
    vcs.renewal().and_then(|renewal| renewal.renew_clone(&parent, &new, spent, env)).map_err(StoreError::from)?;
    checkout::reach_over_ssh(store, &path)?;
    let copied = include::copy(store, &parent, &path, &include::patterns(store, &parent, &wish.copy)?)?;
    let base_commit = vcs.head(env).map_err(StoreError::from)?;
    let one = Workspace {
        state: State::Active,
        branch: Some(taken.branch.clone()),
        base: draft.base.clone(),
        base_commit,
        issue: draft.issue.clone(),
        workflow: draft.workflow.clone(),
        agent: draft.agent.clone(),
        actor: draft.actor.clone(),
        host: draft.host.clone(),
        owner: draft.owner.clone(),
        setup: command.map(str::to_owned),
        copied: if copied.is_empty() { taken.before.copied.clone() } else { copied },
        reused: taken.before.reused + 1,
        error: None,
        merge_commit: None,
        pr_url: None,
        ..taken.before.clone()
    };
    // Data of the last job is not for this one.
    delete_context(store, &one).map_err(StoreError::from)?;
    if let Some(context) = &one.context_dir {
        sys::below::make_own(Path::new(context)).map_err(StoreError::from)?;
        if let Some(command) = command {
            setup::run(store, &one, command, Path::new(context))?;
        }
    }
    let now = store.host().clock.now().to_string();
    let ready = records::change(store, state, &one.id, |_| {
        let at = Some(now.clone());
        Ok(Some(Workspace { owner: None, used_at: at.clone(), updated_at: at, ..one.clone() }))
    })?;
    Ok(ready.unwrap_or(one))
}

/// Makes it what it was before, and records what went wrong.
fn give_back(store: &Store, state: &StateDir, taken: &Taken, error: &str) -> Result<()> {
    let now = store.host().clock.now().to_string();
    records::change(store, state, &taken.before.id, |_| {
        let (error, updated_at) = (Some(format!("not taken again: {error}")), Some(now.clone()));
        let state = if taken.before.state == State::Merged { State::Merged } else { State::Idle };
        Ok(Some(Workspace { state, owner: None, error, updated_at, ..taken.before.clone() }))
    })?;
    Ok(())
}
