//! Creating a workspace: recorded before anything of it exists, and again when it is ready, under one id.

use std::path::{Path, PathBuf};

use super::wish::WorkspaceWish;
use super::{WorkspaceError, checkout, include, inspect, ledger, limits, lines, places, ports, reuse, setup};
use crate::model::state_id::{self, WORKSPACE};
use crate::model::workflow::Task;
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::agents::identity;
use crate::ops::workspace_records as records;
use crate::ops::{OpError, Result};
use crate::store::{StateDir, Store, StoreError, real_path};
use crate::{sys, vcs};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeWorkspace {
    pub workspace: Workspace,
    /// It existed before.
    pub is_reused: bool,
    /// Deviations from the request, each described.
    pub notes: Vec<String>,
}

/// Creates a workspace. On failure only its record remains, with the reason.
pub fn create(store: &mut Store, wish: &WorkspaceWish) -> Result<MadeWorkspace> {
    let member = which_repo(store, wish)?;
    let mut notes = Vec::new();
    let (state, draft) = draft(store, member, wish, &mut notes)?;
    let subject = checkout::subject(store, member, wish.issue.as_deref())?;
    let subject = subject.as_deref();
    if let Some(workspace) = reuse::take(store, &state, &draft, subject, wish, &mut notes)? {
        return Ok(MadeWorkspace { workspace, is_reused: true, notes });
    }
    let started = begin(store, &state, draft, subject, wish)?;
    let mut made = Vec::new();
    match make(store, &state, started.clone(), member, wish, &mut made, &mut notes) {
        Ok(workspace) => Ok(MadeWorkspace { workspace, is_reused: false, notes }),
        Err(error) => Err(give_up(store, &state, &started, &made, error)),
    }
}

/// The named repo, else the task's, else the primary.
fn which_repo(store: &Store, wish: &WorkspaceWish) -> Result<usize> {
    let Some(issue) = wish.issue.as_deref().filter(|_| wish.repo.is_none()) else {
        return Ok(wish.repo.unwrap_or(0));
    };
    let task = store.get(issue)?.and_then(|row| Task::of_line(&row.line));
    match task.and_then(|task| task.repo) {
        None => Ok(0),
        Some(repo) => store.find_repository(&repo).ok_or_else(|| {
            let issue = issue.to_owned();
            WorkspaceError::RepoNotHere { issue, repo }.into()
        }),
    }
}

/// The record of a workspace as far as it is known before anything is created.
fn draft(
    store: &mut Store,
    member: usize,
    wish: &WorkspaceWish,
    notes: &mut Vec<String>,
) -> Result<(StateDir, Workspace)> {
    store.refuse_unmarked()?;
    let maker = identity::ensure_actor(store)?;
    // Before any lock: it records which checkout this is.
    store.worktree()?;
    let (state, repo) = store.home_of_repo(member)?;
    let (parent, inside) = store.workspace_parent(member);
    let usual = Kind::parse(store.settings().word("workspace.kind")).unwrap_or_default();
    let mut kind = wish.kind.unwrap_or(usual);
    if kind != Kind::Copy && !vcs::is_versioned(&parent) {
        notes.push(format!("{} is not under version control: the workspace is a copy", parent.display()));
        kind = Kind::Copy;
    }
    if kind == Kind::Copy && wish.base.is_some() {
        let what = "a base: it has the files as they are";
        return Err(WorkspaceError::NotOfKind { kind: kind.word(), what }.into());
    }
    let id = state_id::mint(WORKSPACE, store.host().entropy.bytes());
    let base = places::base(store)?.join(&repo);
    let named = wish.path.as_ref().map(|path| real_path(&store.host().env.cwd().join(path)));
    let root = named.unwrap_or_else(|| base.join(&id));
    // Data about the job rather than the repository.
    let context = base.join(format!("{id}.job"));
    let work_dir = (!inside.as_os_str().is_empty()).then(|| root.join(&inside).display().to_string());
    let workspace = Workspace {
        id,
        kind,
        state: State::Creating,
        repo: Some(repo),
        path: root.display().to_string(),
        parent: parent.display().to_string(),
        work_dir,
        context_dir: Some(context.display().to_string()),
        branch: wish.branch.clone(),
        base: wish.base.clone(),
        issue: wish.issue.clone(),
        workflow: wish.workflow.clone(),
        agent: maker.agent,
        actor: maker.name,
        host: sys::host_name(),
        owner: sys::owner(std::process::id()),
        created_at: store.host().clock.now().to_string(),
        ..Workspace::default()
    };
    Ok((state, workspace))
}

/// Records it, with everything that it must not share with another.
fn begin(
    store: &Store,
    state: &StateDir,
    draft: Workspace,
    subject: Option<&str>,
    wish: &WorkspaceWish,
) -> Result<Workspace> {
    let pattern = store.settings().word("workspace.branch").to_owned();
    let taken = vcs::open(draft.parent.as_ref()).branches(&store.host().env).map_err(StoreError::from)?;
    let range = ports::Range::of(store);
    let started = records::edit(store, state, |all| {
        let mut one = draft.clone();
        one.ports = ports::choose(&one.id, range, all, &sys::net::is_free)?;
        limits::check_count(store, &one, all)?;
        if one.kind != Kind::Copy || vcs::is_versioned(one.parent.as_ref()) {
            let free = || checkout::branch_for(&pattern, subject, &one, all, &|name| taken.contains(name));
            one.branch = Some(wish.branch.clone().unwrap_or_else(free));
            one.is_branch_made = one.branch.as_ref().is_some_and(|name| !taken.contains(name));
        }
        Ok(vec![one])
    })?;
    Ok(started.into_iter().next().unwrap_or(draft))
}

/// Creates it, and records in `made` which directories this has created.
fn make(
    store: &Store,
    state: &StateDir,
    one: Workspace,
    member: usize,
    wish: &WorkspaceWish,
    made_here: &mut Vec<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<Workspace> {
    let parent = Path::new(&one.parent);
    store.refuse_programs_of(parent)?;
    let command = setup::command(store, &wish.setup)?;
    let patterns = include::patterns(store, parent, &wish.copy)?;
    let needed = limits::check(store, &one, &records::of(store, state)?)?;
    let context = PathBuf::from(one.context_dir.clone().unwrap_or_default());
    context.parent().map_or(Ok(()), places::prepare)?;
    let one = take_path(store, state, one.clone())?;
    let step = store.activity().begin(format!("making a {} of {}", one.kind.word(), one.parent));
    let made = checkout::make(store, &one, &step)?;
    drop(step);
    made_here.push(made.root.clone());
    if one.kind != Kind::Worktree {
        store.make_workspace_of(member, &made.root)?;
        checkout::reach_over_ssh(store, &made.root)?;
    }
    // From now on the directory identifies itself, wherever it is, so that remains of a crash can be removed.
    let one = Workspace { worktree_id: store.worktree_id_for(&made.root)?, ..one };
    records::change(store, state, &one.id, |known| Ok(known.map(|_| one.clone())))?;
    let (_, inside) = store.workspace_parent(member);
    if ledger::is_parents(store, member, parent, &inside, &made.root) {
        // A clone knows its parent.
        if one.kind == Kind::Worktree {
            ledger::lead_to_parent(parent, &inside, &made.root)?;
        }
        notes.push("the ledger is not committed: the workspace uses that of the checkout it was made from".to_owned());
    }
    let copied = match one.kind {
        Kind::Copy => Vec::new(),
        Kind::Clone | Kind::Worktree => include::copy(store, parent, &made.root, &patterns)?,
    };
    sys::path::make(&context).map_err(StoreError::from)?;
    made_here.push(context.clone());
    if !vcs::is_versioned(parent) {
        lines::keep_beginning(&store.opened_at(&inspect::parent_of(&one))?, &one)?;
    }
    let base_commit = vcs::open(&made.root).head(&store.host().env).map_err(StoreError::from)?;
    let one = Workspace { base_commit, copied, setup: command.clone(), size: i64::try_from(needed).ok(), ..one };
    if let Some(command) = &command {
        setup::run(store, &one, command, &context)?;
    }
    let worktree = store.adopt_worktree(member, &made.root)?;
    let now = store.host().clock.now().to_string();
    let ready = records::change(store, state, &one.id, |known| {
        // Another process may have considered it dead.
        if known.is_none_or(|known| known.state != State::Creating) {
            return Err(WorkspaceError::Lost { id: one.id.clone() }.into());
        }
        Ok(Some(Workspace {
            state: State::Active,
            path: made.root.display().to_string(),
            branch: worktree.branch.clone().or(one.branch.clone()),
            worktree_id: worktree.id.clone(),
            owner: None,
            ready_at: Some(now.clone()),
            used_at: Some(now.clone()),
            updated_at: Some(now.clone()),
            ..one.clone()
        }))
    })?;
    Ok(ready.unwrap_or(one))
}

/// Records that what will be at its path is made for it: the path is free, and no other workspace has it. Without that
/// record the path is never touched on its behalf.
fn take_path(store: &Store, state: &StateDir, one: Workspace) -> Result<Workspace> {
    let path = Path::new(&one.path);
    // An empty directory contains no one's work, and version control may fill it.
    let is_free = match sys::path::look(path) {
        Err(e) => e.kind() == std::io::ErrorKind::NotFound,
        Ok(found) => found.is_dir() && sys::path::is_empty(path).is_ok_and(|is_empty| is_empty),
    };
    let taken = records::edit(store, state, |all| {
        if !all.iter().any(|known| known.id == one.id && known.state == State::Creating) {
            return Err(WorkspaceError::Lost { id: one.id.clone() }.into());
        }
        let is_other = |other: &&Workspace| {
            let is_there = other.state != State::Removed && (other.is_made || other.ready_at.is_some());
            other.id != one.id && other.path == one.path && is_there
        };
        let why = match all.iter().find(is_other) {
            Some(other) => format!("it is the workspace {}; choose another path", other.id),
            None if !is_free => "something is there already; choose another path".to_owned(),
            None => return Ok(vec![Workspace { is_made: true, ..one.clone() }]),
        };
        let path = path.to_owned();
        Err(StoreError::from(vcs::SyncError::NoCheckout { path, why }).into())
    })?;
    Ok(taken.into_iter().next().unwrap_or(one))
}

/// Removes what was created and records why.
fn give_up(store: &Store, state: &StateDir, one: &Workspace, made: &[PathBuf], error: OpError) -> OpError {
    let mut left = take_away(store, one, made).err();
    let text = left.iter().fold(error.to_string(), |text, left| format!("{text}; {left}"));
    let now = store.host().clock.now().to_string();
    let noted = records::change(store, state, &one.id, |known| {
        Ok(known.filter(|known| known.state == State::Creating).map(|known| Workspace {
            state: State::Failed,
            // After removal, the record gives no right to what appears there later.
            is_made: known.is_made && left.is_some(),
            error: Some(text.clone()),
            owner: None,
            ports: None,
            updated_at: Some(now.clone()),
            ..known
        }))
    });
    if let Err(problem) = noted {
        left = Some(format!("and its record could not be changed: {problem}"));
    }
    WorkspaceError::NotMade { id: one.id.clone(), error: Box::new(error), left }.into()
}

/// Only what this creation has made.
fn take_away(store: &Store, one: &Workspace, made: &[PathBuf]) -> std::result::Result<(), String> {
    for directory in made {
        let stays = |why: String| format!("{} stays: {why}", directory.display());
        if one.kind == Kind::Worktree && directory.as_os_str() == one.path.as_str() {
            checkout::unmake(store, one, directory).map_err(|e| stays(e.to_string()))?;
        }
        match sys::path::remove_all(directory) {
            Err(error) if !error.is_missing() => return Err(stays(error.source.to_string())),
            _ => {}
        }
    }
    Ok(())
}
