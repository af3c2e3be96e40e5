//! The context of a command: ledger, state home, repos, settings, actor.

use std::path::{Path, PathBuf};

use super::listing::not_deleted;
use super::{OpError, Result};
use crate::cache::Sort;
use crate::model::change::NewComment;
use crate::model::issue::IssueType;
use crate::model::proposal::Owner;
use crate::model::workspace::Workspace;
use crate::store::settings::{
    ForeignSetting, HeldBecause, KEYS, Setting, Value, find_key, is_foreign_key, nearest_key,
};
use crate::store::{
    LEDGER_NAMES, NotHandedOut, ReadyFilter, RoleDecision, Row, StateHome, Store, StoreError, Withheld, Worktree,
};
use crate::{ops, sys};

/// The user's command aliases, and what they stand for.
pub fn aliases(env: &crate::sys::Env) -> Vec<(String, String)> {
    crate::store::settings::own_names(env, "alias")
}

/// Facts about the current ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The directory that contains `.beads`.
    pub root: PathBuf,
    pub ledger: String,
    pub issues: usize,
    /// The total size of all ledgers.
    pub bytes: usize,
    pub prefix: String,
    pub actor: String,
}

pub fn facts(store: &Store) -> Result<Facts> {
    let issues = store.list(&not_deleted(), Sort::default(), Some(0))?.total;
    Ok(Facts {
        root: store.repo().root().to_owned(),
        ledger: ledger(store, 0),
        issues,
        bytes: store.documents().iter().map(|(_, _, document)| document.bytes().len()).sum(),
        prefix: store.prefix(0)?,
        actor: store.actor().to_owned(),
    })
}

/// The path of a repo's ledger.
pub fn ledger(store: &Store, repo: usize) -> String {
    store.ledger_path(repo).map(|path| path.display().to_string()).unwrap_or_default()
}

/// The prefix of new ids in the project's own repo.
pub fn prefix(store: &Store) -> Result<String> {
    Ok(store.prefix(0)?)
}

/// The current place, and where new issues would go.
#[derive(Debug)]
pub struct Whereabouts {
    pub beads: PathBuf,
    pub ledger: String,
    pub prefix: String,
    pub reason: String,
    pub state: StateHome,
    /// Where records wait if this process cannot write the state home.
    pub outbox: Option<PathBuf>,
    pub checkout: Option<Worktree>,
    pub workspace: Option<Workspace>,
    /// The acting agent, and whether it comes from this workspace.
    pub agent: Option<(String, bool)>,
    pub repos: Vec<String>,
    /// The repo for new issues and the rule that chose it, or why there is none.
    pub route: std::result::Result<(String, String), StoreError>,
}

pub fn whereabouts(store: &Store) -> Result<Whereabouts> {
    let route = match store.usual_route(&[]).map(|route| (store.name(route.repo).to_owned(), route.rule)) {
        Err(error @ StoreError::Cache(_)) => return Err(error.into()),
        route => route,
    };
    let repo = &store.repos().primary_member().repo;
    let (beads, reason) = (repo.beads().to_owned(), repo.reason().to_owned());
    Ok(Whereabouts {
        beads,
        ledger: ledger(store, 0),
        prefix: store.prefix(0)?,
        reason,
        state: store.state().home().clone(),
        outbox: store.state().outbox_in_use().map(Path::to_owned),
        checkout: store.worktrees()?.into_iter().find(|one| one.is_here),
        workspace: ops::workspace_here(store),
        agent: store.agent().map(|agent| (agent.name.clone(), agent.workspace.is_some())),
        repos: store.repos().members.iter().map(|member| member.name.clone()).collect(),
        route,
    })
}

/// The state home, and whether it exists.
pub fn state_home(store: &Store) -> (StateHome, bool) {
    let state = store.state();
    (state.home().clone(), state.exists())
}

/// The actor's role, and whether roles matter here.
pub fn role(store: &Store) -> (RoleDecision, bool) {
    (store.role().clone(), store.has_roles())
}

/// Why the actor looks like a contributor, whose issues would go into the project.
pub fn files_for_others(store: &Store) -> Option<String> {
    store.files_for_others().map(str::to_owned)
}

/// Types of issues, other than the standard ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Types {
    /// Added by the settings.
    pub custom: Vec<String>,
    /// Other types that `bd` knows.
    pub more: Vec<String>,
    /// Other types in use.
    pub used: Vec<String>,
}

pub fn types(store: &Store, core: &[&str]) -> Result<Types> {
    let custom = store.settings().custom_words("types.custom");
    let more = IssueType::KNOWN.iter().filter(|word| !core.contains(word)).map(|word| (*word).to_owned());
    let more: Vec<String> = more.collect();
    let mut used = store.types()?;
    used.retain(|word| !core.contains(&word.as_str()) && !more.contains(word) && !custom.contains(word));
    Ok(Types { custom, more, used })
}

/// The settings that have neither a value nor a default.
pub fn unset_settings(store: &Store) -> Vec<&'static str> {
    let known = settings(store).own;
    let is_unset = |name: &&str| known.iter().all(|(setting, _)| setting.key.name != *name);
    KEYS.iter().map(|key| key.name).filter(is_unset).collect()
}

/// The settings in effect, those that are not and why, and those of other tools.
#[derive(Debug, Clone)]
pub struct AllSettings {
    pub own: Vec<(Setting, Option<HeldBecause>)>,
    pub foreign: Vec<ForeignSetting>,
}

pub fn settings(store: &Store) -> AllSettings {
    let settings = store.settings();
    let held = settings.held.iter().map(|held| (held.setting.clone(), Some(held.because)));
    let own = settings.in_effect().into_iter().map(|setting| (setting, None)).chain(held).collect();
    AllSettings { own, foreign: settings.foreign() }
}

/// One setting by its name; `None` if it is not set, with the reason if it is set but not in effect.
pub fn setting(store: &Store, name: &str) -> Result<std::result::Result<Value, Option<String>>> {
    let all = settings(store);
    let Some(key) = find_key(name) else {
        if !is_foreign_key(name) {
            return Err(StoreError::UnknownKey { name: name.to_owned(), nearest: nearest_key(name) }.into());
        }
        let found = all.foreign.into_iter().find(|one| one.name == name);
        return Ok(match found {
            None => Err(None),
            Some(ForeignSetting { held: None, value, .. }) => Ok(Value::Text(value)),
            Some(ForeignSetting { held: Some(because), value, .. }) => {
                Err(Some(format!("{name} = {value} is {}", because.text())))
            }
        });
    };
    let (held, found): (Vec<_>, Vec<_>) =
        all.own.into_iter().filter(|(setting, _)| setting.key == key).partition(|(_, held)| held.is_some());
    let texts = found.iter().flat_map(|(setting, _)| match &setting.value {
        Value::List(items) => items.clone(),
        other => vec![other.to_string()],
    });
    let mut texts: Vec<String> = texts.collect();
    if texts.is_empty() && name == "issue_prefix" {
        texts.push(store.prefix(0)?);
    }
    if texts.is_empty() {
        let why = held
            .first()
            .and_then(|(setting, because)| Some(format!("{name} = {} is {}", setting.value, because.as_ref()?.text())));
        return Ok(Err(why));
    }
    Ok(Ok(match found.first().map(|(setting, _)| &setting.value) {
        Some(Value::Flag(flag)) => Value::Flag(*flag),
        _ if key.kind.is_list() => Value::List(texts),
        _ => Value::Text(texts.swap_remove(0)),
    }))
}

/// Finds one issue by id or its beginning.
pub fn find(store: &Store, typed: &str) -> Result<Row> {
    Ok(store.find(typed)?)
}

/// The same, with comments visible only to the actor.
pub fn find_with_own(store: &Store, typed: &str) -> Result<Row> {
    let mut row = store.find(typed)?;
    row.issue.comments.extend(row.beside.take().into_iter().flat_map(|beside| beside.comments));
    Ok(row)
}

/// A comment by the actor, or by a named person.
pub fn comment(store: &Store, text: String, author: Option<String>) -> NewComment {
    let author = author.unwrap_or_else(|| store.actor().to_owned());
    NewComment { id: store.host().entropy.comment_id(), author, text }
}

/// The record of this project in planning issues.
pub fn this_project(store: &Store) -> Result<Owner> {
    Ok(store.project_record()?)
}

/// Why nothing was handed out.
pub fn why_nothing(store: &Store, filter: &ReadyFilter) -> Result<Option<NotHandedOut>> {
    Ok(store.why_nothing_handed_out(filter)?)
}

/// Why the first waiting task of a workflow is not handed out.
pub fn withheld(store: &Store) -> Result<Option<Withheld>> {
    Ok(store.withheld()?.into_values().next())
}

/// Refuses a file that is a ledger or could be mistaken for one.
pub fn refuse_ledger(store: &Store, path: &Path) -> Result<()> {
    let identity = |path: &Path| sys::fs::stat(path).ok().map(|stamp| (stamp.dev, stamp.ino));
    let target = identity(path);
    let is_ledger =
        target.is_some() && store.documents().iter().any(|(_, ledger, _)| identity(ledger.path()) == target);
    let is_beside = path.parent().and_then(|dir| sys::path::real(dir).ok()).as_deref() == Some(store.repo().beads());
    if !is_ledger && !is_beside {
        return Ok(());
    }
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| LEDGER_NAMES.contains(name));
    Err(OpError::IsLedger { path: path.to_owned(), renamed: name.filter(|_| !is_ledger).map(str::to_owned) })
}
