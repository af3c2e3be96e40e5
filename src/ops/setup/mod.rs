//! Setting `bd` up for a client: a block of instructions, a skill, and a session hook or an entry for its MCP server.
//!
//! Everything is worked out before anything is written, so one file that cannot be edited leaves all as they are. All that is put in can
//! be taken out again with the bytes from before. A text that somebody else wrote, or has edited since, is neither replaced nor taken out.

mod artefacts;
mod files;
mod original;
mod state;
mod text;
mod wanted;

use std::path::{Path, PathBuf};

pub use super::error::SetupError;
use super::{OpError, Result};
use crate::model::jsonc;
use crate::store::{Role, Store};
use crate::sys::Env;
use artefacts::AGENTS_FILE;
pub use artefacts::{BLOCK as AGENTS_BLOCK, GENERIC, SETUP_CLIENTS, SetupClient};
use files::{Place, place_in};
pub use original::original_agents;
pub use state::{SetupAction, SetupState};
use wanted::{Content, Decided, Wanted};

#[derive(Debug, Clone, Copy)]
pub struct SetupRequest {
    pub client: &'static SetupClient,
    pub action: SetupAction,
    /// In the user's home instead of the project.
    pub user: bool,
    /// An entry for the MCP server in the place of the hook.
    pub mcp: bool,
    /// Also overwrite or remove what was edited.
    pub force: bool,
    /// Leave the entries of the original where they are.
    pub keeps_original: bool,
}

/// One file, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupFile {
    /// instructions, skill, hook or mcp.
    pub what: &'static str,
    pub path: PathBuf,
    pub state: SetupState,
    /// Why it was kept, or has no effect.
    pub because: Option<String>,
    /// What is put in.
    pub text: String,
    /// Commands of the original, which ours replace.
    pub replaces: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupReport {
    pub client: &'static str,
    /// project or user.
    pub scope: &'static str,
    /// Why it is not the project.
    pub because: Option<String>,
    pub files: Vec<SetupFile>,
    pub next: &'static str,
}

/// Sets `bd` up for a client, takes it away, or looks. Without a project it can only be the user's home.
pub fn setup(store: Option<&mut Store>, env: &Env, request: SetupRequest) -> Result<SetupReport> {
    let store = store.as_deref();
    // The contributor's role is not known then.
    if let (Some(store), SetupAction::Install) = (store, request.action) {
        store.refuse_broken()?;
    }
    let contributes = store.and_then(|store| {
        let decision = store.role();
        (decision.role == Role::Contributor).then(|| decision.because.clone())
    });
    // The block is for those who read the project, so there is nothing in a home to put it into.
    let is_block_alone = request.client.hook.is_none() && !request.mcp;
    let because = contributes.as_ref().filter(|_| !request.user && !is_block_alone).map(|because| {
        format!("you are a contributor here ({because}), and nothing of this may end up in a pull request")
    });
    let user = request.user || because.is_some();
    let mut wanted = match (user, store) {
        (true, _) => in_home(env, &request)?,
        (false, Some(store)) => in_project(store.repo().root(), &request)?,
        (false, None) => return Err(OpError::Usage("no project here; add --user".to_owned())),
    };
    match (request.action, store.filter(|_| contributes.is_some())) {
        (SetupAction::Install, Some(store)) => {
            // The home may be the project itself.
            let mut paths = wanted.iter().map(|one| one.place.path());
            let is_shown =
                |path: &PathBuf| path.starts_with(store.repo().root()) && !store.is_kept_out_of_commits(path);
            if let Some(path) = paths.find(is_shown) {
                return Err(SetupError::InPullRequest { path }.into());
            }
        }
        (SetupAction::Remove, Some(store)) => {
            // It may have been set up before the role was known, or in files that are ignored.
            if because.is_some() {
                let here = in_project(store.repo().root(), &request).unwrap_or_default();
                wanted.extend(here.into_iter().filter(Wanted::is_there));
            }
            for one in wanted.iter_mut().filter(|one| one.place.path().starts_with(store.repo().root())) {
                let is_shared = store.is_tracked(&one.place.path());
                one.stays = is_shared.then(|| "it is the project's; you are a contributor here".to_owned());
            }
        }
        _ => {}
    }
    if request.action == SetupAction::Remove {
        keep_shared(&mut wanted, store.map(|store| store.repo().root()), env, &request);
    }
    let (mut files, mut writes) = worked_out(&wanted, &request)?;
    if files.iter().any(|(_, is_exact)| !is_exact) {
        // Two entries of one file come out in the order in which they did not go in.
        wanted.reverse();
        (files, writes) = worked_out(&wanted, &request)?;
        files.reverse();
    }
    let mut files: Vec<SetupFile> = files.into_iter().map(|(file, _)| file).collect();
    tell_disabled(&mut files, store.map(|store| store.repo().root()), env, &request);
    for (place, bytes) in writes {
        place.write(bytes.as_deref())?;
    }
    let scope = if user { "user" } else { "project" };
    let next = if request.mcp { request.client.next_mcp } else { request.client.next };
    Ok(SetupReport { client: request.client.name, scope, because, files, next })
}

/// Several clients read one block, or one skill: it stays as long as another of them has its hook or its entry.
fn keep_shared(wanted: &mut [Wanted], project: Option<&Path>, env: &Env, request: &SetupRequest) {
    for other in SETUP_CLIENTS.iter().filter(|other| other.name != request.client.name) {
        let theirs = SetupRequest { client: other, user: false, mcp: false, ..*request };
        let places = [project.map(|root| in_project(root, &theirs)), Some(in_home(env, &theirs))];
        for theirs in places.into_iter().flatten().flatten() {
            let is_entry = |one: &&Wanted| matches!(one.content, Content::Entry(_));
            if !theirs.iter().filter(is_entry).any(Wanted::is_there) {
                continue;
            }
            let is_theirs = |one: &&mut Wanted| {
                !is_entry(&&**one)
                    && theirs.iter().any(|their| their.place == one.place && their.content == one.content)
            };
            for one in wanted.iter_mut().filter(is_theirs) {
                one.stays.get_or_insert_with(|| format!("{} still uses it", other.name));
            }
        }
    }
}

/// Says of a hook that the client's settings turn it off.
fn tell_disabled(files: &mut [SetupFile], project: Option<&Path>, env: &Env, request: &SetupRequest) {
    let Some(switch) = &request.client.switch else { return };
    let here = project.into_iter().flat_map(|root| switch.project.iter().map(|name| place_in(root, name).ok()));
    let home = env.home().map(|home| Place::in_home(&home, switch.user));
    let flag_in = |place: Place| Some((jsonc::flag(&place.read().ok()??, switch.key)?, place.path()));
    let Some((true, path)) = here.flatten().chain(home).find_map(flag_in) else { return };
    for file in files.iter_mut().filter(|file| file.what == "hook") {
        match file.state {
            SetupState::Installed if request.action == SetupAction::Check => file.state = SetupState::Disabled,
            SetupState::Installed | SetupState::Added | SetupState::Updated => {}
            _ => continue,
        }
        file.because = Some(format!("{} in {} turns all hooks off", switch.key, path.display()));
    }
}

/// Files with what becomes of them, and whether that is exact.
type Files = Vec<(SetupFile, bool)>;
/// Files with the bytes that they are to have.
type Writes = Vec<(Place, Option<Vec<u8>>)>;

/// The decision for each file, and the contents to write.
fn worked_out(wanted: &[Wanted], request: &SetupRequest) -> Result<(Files, Writes)> {
    let mut files = Vec::new();
    let mut writes = Writes::new();
    for one in wanted {
        let bytes = match writes.iter().find(|(place, _)| *place == one.place) {
            _ if request.action == SetupAction::Print => None,
            Some((_, bytes)) => bytes.clone(),
            None => one.place.read()?,
        };
        let (bytes, replaces) = match request.keeps_original {
            true => (bytes, Vec::new()),
            false => one.without_original(bytes, request.action),
        };
        let Decided { state, because, after } = one.decided(request.action, request.force, bytes.as_deref())?;
        let is_new = request.action == SetupAction::Install && !replaces.is_empty();
        let (state, after) = match (state, after) {
            (SetupState::Installed, None) if is_new => (SetupState::Updated, Some((bytes, true))),
            other => other,
        };
        let is_exact = after.as_ref().is_none_or(|(_, is_exact)| *is_exact);
        if let Some((after, _)) = after {
            writes.retain(|(place, _)| *place != one.place);
            writes.push((one.place.clone(), after));
        }
        let file =
            SetupFile { what: one.what, path: one.place.path(), state, because, text: one.content.text(), replaces };
        files.push((file, is_exact));
    }
    Ok((files, writes))
}

/// Which of the two entries is wanted; taking away takes both.
fn entries(request: &SetupRequest) -> Result<Vec<(&'static str, &'static artefacts::Target)>> {
    let client = request.client;
    if request.mcp && client.mcp.is_none() {
        return Err(SetupError::NoServer { client: client.name }.into());
    }
    let hook = client.hook.as_ref().map(|target| ("hook", target));
    let server = client.mcp.as_ref().map(|target| ("mcp", target));
    Ok(match (request.action, request.mcp) {
        (SetupAction::Remove, _) => hook.into_iter().chain(server).collect(),
        (_, true) => server.into_iter().collect(),
        (_, false) => hook.into_iter().collect(),
    })
}

fn in_project(root: &Path, request: &SetupRequest) -> Result<Vec<Wanted>> {
    let own = request.client.instructions.filter(|name| root.join(name).symlink_metadata().is_ok());
    let mut block = place_in(root, own.unwrap_or(AGENTS_FILE))?;
    // A file that only names another one leads there.
    if own.is_some() && block.is_stub(AGENTS_FILE)? {
        block = place_in(root, AGENTS_FILE)?;
    }
    let mut all = vec![Wanted::new("instructions", block, Content::Block)];
    if let Some(skill) = request.client.skill.0 {
        all.push(Wanted::new("skill", place_in(root, skill)?, Content::Skill));
    }
    for (what, target) in entries(request)? {
        all.push(Wanted::new(what, place_in(root, target.project)?, Content::Entry(&target.kind)));
    }
    Ok(all)
}

fn in_home(env: &Env, request: &SetupRequest) -> Result<Vec<Wanted>> {
    let home = env.home().ok_or(SetupError::NoHome)?;
    let mut all = Vec::new();
    if let Some(skill) = request.client.skill.1 {
        all.push(Wanted::new("skill", Place::in_home(&home, skill), Content::Skill));
    }
    for (what, target) in entries(request)? {
        if target.user.is_empty() {
            match request.action {
                SetupAction::Remove => continue,
                _ => return Err(SetupError::NotForUser { client: request.client.name }.into()),
            }
        }
        all.push(Wanted::new(what, Place::in_home(&home, target.user), Content::Entry(&target.kind)));
    }
    Ok(all)
}
