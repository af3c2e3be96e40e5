//! Setting `bd` up for a client: a block of instructions, a skill, and a session hook or an entry for its MCP server.
//!
//! Everything is worked out before anything is written, so one file that cannot be edited leaves all as they are. What is put in can
//! be taken out again with the bytes from before.

mod artefacts;
mod error;
mod files;
mod text;

use std::path::{Path, PathBuf};

use super::{OpError, Result};
use crate::model::jsonc;
use crate::store::{Role, Store};
use crate::sys::Env;
use artefacts::{AGENTS_FILE, BLOCK, SKILL, SKILL_MARK, TargetKind};
pub use artefacts::{BLOCK as AGENTS_BLOCK, SETUP_CLIENTS, SetupClient};
pub use error::SetupError;
use files::{Place, place_in};
use text::Found;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupAction {
    Install,
    Check,
    Remove,
    Print,
}

#[derive(Debug, Clone, Copy)]
pub struct SetupRequest {
    pub client: &'static SetupClient,
    pub action: SetupAction,
    /// In the user's home instead of the project.
    pub user: bool,
    /// An entry for the MCP server in the place of the hook.
    pub mcp: bool,
}

/// How a file stands, or what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupState {
    Installed,
    Missing,
    Outdated,
    Added,
    Updated,
    Removed,
}

impl SetupState {
    pub fn word(self) -> &'static str {
        match self {
            SetupState::Installed => "installed",
            SetupState::Missing => "missing",
            SetupState::Outdated => "outdated",
            SetupState::Added => "added",
            SetupState::Updated => "updated",
            SetupState::Removed => "removed",
        }
    }
}

/// One file, and what stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupFile {
    /// instructions, skill, hook or mcp.
    pub what: &'static str,
    pub path: PathBuf,
    pub state: SetupState,
    /// What is put in.
    pub text: String,
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

/// What goes into a file.
enum Content {
    Block,
    Skill,
    Entry(&'static TargetKind),
}

struct Wanted {
    what: &'static str,
    place: Place,
    content: Content,
}

/// Sets `bd` up for a client, takes it away, or looks. Without a project it can only be the user's home.
pub fn setup(store: Option<&mut Store>, env: &Env, request: SetupRequest) -> Result<SetupReport> {
    // Who is a contributor is not known then.
    if let (Some(store), SetupAction::Install) = (&store, request.action) {
        store.refuse_unread_settings()?;
    }
    let contributes = store.as_ref().and_then(|store| {
        let decision = store.role();
        (decision.role == Role::Contributor).then(|| decision.because.clone())
    });
    // The block is for those who read the project, so there is nothing in a home to put it into.
    let is_block_alone = request.client.hook.is_none();
    let because = contributes.as_ref().filter(|_| !request.user && !is_block_alone).map(|because| {
        format!("you are a contributor here ({because}), and nothing of this may end up in a pull request")
    });
    let user = request.user || because.is_some();
    let mut wanted = match (user, &store) {
        (true, _) => in_home(env, &request)?,
        (false, Some(store)) => in_project(store.repo().root(), &request)?,
        (false, None) => return Err(OpError::Usage("which project? without one, add --user".to_owned())),
    };
    if let (Some(_), Some(store), SetupAction::Install) = (&contributes, &store, request.action) {
        // The home may be the project itself.
        let mut inside = wanted.iter().map(|one| one.place.path()).filter(|path| path.starts_with(store.repo().root()));
        let shown = inside.find(|path| !store.is_kept_out_of_commits(path));
        if let Some(path) = shown {
            return Err(SetupError::InPullRequest { path }.into());
        }
    }
    let (mut files, mut writes) = worked_out(&wanted, request.action)?;
    if files.iter().any(|(_, is_exact)| !is_exact) {
        // Two entries of one file come out in the order in which they did not go in.
        wanted.reverse();
        (files, writes) = worked_out(&wanted, request.action)?;
        files.reverse();
    }
    let files = files.into_iter().map(|(file, _)| file).collect();
    for (place, bytes) in writes {
        place.write(&bytes)?;
    }
    let scope = if user { "user" } else { "project" };
    Ok(SetupReport { client: request.client.name, scope, because, files, next: request.client.next })
}

/// Files with what becomes of them, and whether that is exact.
type Files = Vec<(SetupFile, bool)>;
/// Files with the bytes that they are to have.
type Writes = Vec<(Place, Vec<u8>)>;

/// What becomes of all files, and what is to be written.
fn worked_out(wanted: &[Wanted], action: SetupAction) -> Result<(Files, Writes)> {
    let mut files = Vec::new();
    let mut writes = Writes::new();
    for one in wanted {
        let (mut state, mut is_exact) = (SetupState::Missing, true);
        if action != SetupAction::Print {
            let at = writes.iter().position(|(place, _)| *place == one.place);
            let bytes = match at {
                Some(at) => Some(writes[at].1.clone()).filter(|bytes| !bytes.is_empty()),
                None => one.place.read()?,
            };
            let (found, after) = one.worked_out(action, bytes)?;
            state = found;
            if let Some((after, exact)) = after {
                is_exact = exact;
                writes.retain(|(place, _)| *place != one.place);
                writes.push((one.place.clone(), after));
            }
        }
        let file = SetupFile { what: one.what, path: one.place.path(), state, text: one.content.text() };
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
    let mut all = vec![Wanted { what: "instructions", place: block, content: Content::Block }];
    if let Some(skill) = request.client.skill.0 {
        all.push(Wanted { what: "skill", place: place_in(root, skill)?, content: Content::Skill });
    }
    for (what, target) in entries(request)? {
        all.push(Wanted { what, place: place_in(root, target.project)?, content: Content::Entry(&target.kind) });
    }
    Ok(all)
}

fn in_home(env: &Env, request: &SetupRequest) -> Result<Vec<Wanted>> {
    let home = env.home().ok_or(SetupError::NoHome)?;
    let mut all = Vec::new();
    if let Some(skill) = request.client.skill.1 {
        all.push(Wanted { what: "skill", place: Place::in_home(&home, skill), content: Content::Skill });
    }
    for (what, target) in entries(request)? {
        if target.user.is_empty() {
            match request.action {
                SetupAction::Remove => continue,
                _ => return Err(SetupError::NotForUser { client: request.client.name }.into()),
            }
        }
        all.push(Wanted { what, place: Place::in_home(&home, target.user), content: Content::Entry(&target.kind) });
    }
    Ok(all)
}

impl Content {
    fn text(&self) -> String {
        match self {
            Content::Block => BLOCK.to_owned(),
            Content::Skill => SKILL.to_owned(),
            Content::Entry(TargetKind::Json(entry)) => String::from_utf8_lossy(&jsonc::made(entry)).into_owned(),
            Content::Entry(TargetKind::Toml { text, .. } | TargetKind::Whole(text)) => (*text).to_owned(),
        }
    }
}

/// What a file holds, and what it is to hold afterwards (empty bytes for no file), and whether that is what it was.
type WorkedOut = (SetupState, Option<(Vec<u8>, bool)>);

impl Wanted {
    fn worked_out(&self, action: SetupAction, bytes: Option<Vec<u8>>) -> Result<WorkedOut> {
        let state = match &bytes {
            None => SetupState::Missing,
            Some(bytes) => self.state_in(bytes)?,
        };
        let worked_out = match (action, state) {
            (SetupAction::Install, SetupState::Missing) => {
                (SetupState::Added, Some((self.with(bytes.as_deref())?, true)))
            }
            (SetupAction::Install, SetupState::Outdated) => {
                (SetupState::Updated, Some((self.with(bytes.as_deref())?, true)))
            }
            (SetupAction::Remove, SetupState::Installed | SetupState::Outdated) => {
                (SetupState::Removed, Some(self.without(&bytes.unwrap_or_default())?))
            }
            _ => (state, None),
        };
        if worked_out.1.is_some() {
            self.place.refuse_read_only()?;
        }
        Ok(worked_out)
    }

    fn fault(&self, line: usize, what: impl Into<String>) -> SetupError {
        SetupError::Unreadable { path: self.place.path(), line, what: what.into() }
    }

    fn block_fault(&self, line: usize) -> SetupError {
        self.fault(line, "the block of bd has no end, or is there twice")
    }

    fn toml(&self, bytes: &[u8]) -> std::result::Result<toml_edit::DocumentMut, SetupError> {
        let text = std::str::from_utf8(bytes).map_err(|_| self.fault(1, "it is not UTF-8"))?;
        text.parse::<toml_edit::DocumentMut>().map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.fault(text[..at].matches('\n').count() + 1, error.message())
        })
    }

    fn state_in(&self, bytes: &[u8]) -> Result<SetupState> {
        let found = |is_there: bool| if is_there { SetupState::Installed } else { SetupState::Missing };
        Ok(match &self.content {
            Content::Block => match text::block_in(bytes).map_err(|line| self.block_fault(line))? {
                Found::Nothing => SetupState::Missing,
                Found::Same => SetupState::Installed,
                Found::Other => SetupState::Outdated,
            },
            Content::Skill if bytes == SKILL.as_bytes() => SetupState::Installed,
            Content::Skill if String::from_utf8_lossy(bytes).contains(SKILL_MARK) => SetupState::Outdated,
            Content::Entry(TargetKind::Whole(text)) if bytes == text.as_bytes() => SetupState::Installed,
            Content::Skill | Content::Entry(TargetKind::Whole(_)) => {
                return Err(SetupError::Foreign { path: self.place.path() }.into());
            }
            Content::Entry(TargetKind::Json(entry)) => {
                found(jsonc::has(bytes, entry).map_err(|fault| self.fault(fault.line, fault.what))?)
            }
            Content::Entry(TargetKind::Toml { keys, .. }) => {
                let document = self.toml(bytes)?;
                let item = document.get(keys[0]).map(|item| item.get(keys[1]));
                match item {
                    None => found(false),
                    Some(None) if document[keys[0]].is_table_like() => found(false),
                    Some(Some(item)) if item.get("command").and_then(|item| item.as_str()) == Some("bd") => found(true),
                    _ => {
                        return Err(self
                            .fault(1, format!("{} is there and says something else", keys.join(".")))
                            .into());
                    }
                }
            }
        })
    }

    fn with(&self, bytes: Option<&[u8]>) -> Result<Vec<u8>> {
        let old = bytes.unwrap_or_default();
        Ok(match (&self.content, bytes) {
            (Content::Block, _) => text::put_block(old).map_err(|line| self.block_fault(line))?,
            (Content::Entry(TargetKind::Json(entry)), None) => jsonc::made(entry),
            (Content::Entry(TargetKind::Json(entry)), Some(bytes)) => {
                let put = jsonc::put(bytes, entry).map_err(|fault| self.fault(fault.line, fault.what))?;
                put.unwrap_or_else(|| bytes.to_vec())
            }
            (Content::Entry(TargetKind::Toml { text, .. }), _) => {
                let with = text::append(old, text);
                self.toml(&with)?;
                with
            }
            (Content::Skill | Content::Entry(TargetKind::Whole(_)), _) => self.content.text().into_bytes(),
        })
    }

    fn without(&self, bytes: &[u8]) -> Result<(Vec<u8>, bool)> {
        let left = match &self.content {
            Content::Block => text::take_block(bytes).map_err(|line| self.block_fault(line))?,
            Content::Entry(TargetKind::Json(entry)) => {
                let taken = jsonc::take(bytes, entry).map_err(|fault| self.fault(fault.line, fault.what))?;
                return Ok(taken.map_or_else(|| (bytes.to_vec(), true), |taken| (taken.bytes, taken.is_exact)));
            }
            Content::Entry(TargetKind::Toml { keys, text }) => match text::unappend(bytes, text) {
                Some(before) => before,
                None => {
                    let mut document = self.toml(bytes)?;
                    if let Some(table) = document.get_mut(keys[0]).and_then(|item| item.as_table_like_mut()) {
                        table.remove(keys[1]);
                    }
                    document.to_string().into_bytes()
                }
            },
            Content::Skill | Content::Entry(TargetKind::Whole(_)) => Vec::new(),
        };
        Ok((left, true))
    }
}
