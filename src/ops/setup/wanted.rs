//! One thing in one file: how the file compares with it, and the bytes with it and without it.

use super::artefacts::{BLOCK, SKILL, SKILL_MARK, TargetKind};
use super::files::Place;
use super::original;
use super::state::{SetupAction, SetupState};
use super::text::{self, Standing};
use crate::model::jsonc;
use crate::ops::Result;
use crate::ops::error::SetupError;

/// What goes into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Block,
    Skill,
    Entry(&'static TargetKind),
}

#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub what: &'static str,
    pub place: Place,
    pub content: Content,
    /// Why it is not taken out, whatever is there.
    pub stays: Option<String>,
}

/// What a file is to hold: `None` for no file, and whether that is what it held before.
pub(super) type After = (Option<Vec<u8>>, bool);

/// The state of a file afterwards, why, and its new content if it changes.
pub(super) struct Decided {
    pub state: SetupState,
    pub because: Option<String>,
    pub after: Option<After>,
}

const EDITED: &str = "it was edited since bd wrote it; add --force to";
const OWN: &str = "bd did not write it";

impl Content {
    pub(super) fn text(self) -> String {
        match self {
            Content::Block => BLOCK.to_owned(),
            Content::Skill => SKILL.to_owned(),
            Content::Entry(TargetKind::Json(entry)) => String::from_utf8_lossy(&jsonc::made(entry)).into_owned(),
            Content::Entry(TargetKind::Toml { text, .. } | TargetKind::Whole(text)) => (*text).to_owned(),
        }
    }
}

impl Wanted {
    pub(super) fn new(what: &'static str, place: Place, content: Content) -> Self {
        Wanted { what, place, content, stays: None }
    }

    /// The file without the entries of the original, and their commands.
    pub(super) fn without_original(
        &self,
        bytes: Option<Vec<u8>>,
        action: SetupAction,
    ) -> (Option<Vec<u8>>, Vec<String>) {
        let is_json = matches!(self.content, Content::Entry(TargetKind::Json(_)));
        let wants = is_json && matches!(action, SetupAction::Install | SetupAction::Check);
        let Some(text) = bytes.as_deref().filter(|_| wants) else {
            return (bytes, Vec::new());
        };
        let mut replaces = original::original_commands(text, self.what);
        if action != SetupAction::Install || replaces.is_empty() {
            return (bytes, replaces);
        }
        let without = original::without_original(text, self.what);
        // An entry that cannot be taken out safely stays.
        let stays = original::original_commands(&without, self.what);
        replaces.retain(|command| !stays.contains(command));
        (Some(without), replaces)
    }

    /// Whether its file has it, whoever wrote it.
    pub(super) fn is_there(&self) -> bool {
        let standing = self.place.read().and_then(|bytes| self.standing(bytes.as_deref()));
        standing.is_ok_and(|standing| !matches!(standing, Standing::Missing | Standing::Other(_)))
    }

    /// The decision for its file, which holds these bytes.
    pub(super) fn decided(&self, action: SetupAction, force: bool, bytes: Option<&[u8]>) -> Result<Decided> {
        let standing = match (action, self.standing(bytes)) {
            // Nothing of ours is where nothing of ours could be put.
            (SetupAction::Remove, Err(_)) if self.holds_no_entry(bytes) => Standing::Missing,
            (_, standing) => standing?,
        };
        let kept = |why: String| (SetupState::Kept, Some(why), None);
        let put = || Ok::<_, SetupError>(Some((Some(self.with(bytes)?), true)));
        let taken = || self.without(bytes.unwrap_or_default()).map(Some);
        let (state, because, after) = match (action, standing) {
            (SetupAction::Print, _) => (SetupState::Missing, None, None),
            (SetupAction::Install | SetupAction::Check, Standing::Other(error)) => return Err(error.into()),
            (SetupAction::Install, Standing::Missing) => (SetupState::Added, None, put()?),
            (SetupAction::Install, Standing::Older) => (SetupState::Updated, None, put()?),
            (SetupAction::Install, Standing::Edited) if force => (SetupState::Updated, None, put()?),
            (SetupAction::Install, Standing::Edited) => kept(format!("{EDITED} overwrite it")),
            (_, Standing::Missing) => (SetupState::Missing, None, None),
            (SetupAction::Remove, standing) => match (&self.stays, standing) {
                (Some(why), _) => kept(why.clone()),
                (None, Standing::Other(_)) => kept(OWN.to_owned()),
                (None, Standing::Equal) if !force => kept(format!("{OWN} like this; add --force to remove it")),
                (None, Standing::Edited) if !force => kept(format!("{EDITED} remove it")),
                _ => (SetupState::Removed, None, taken()?),
            },
            (SetupAction::Check, Standing::Older) => (SetupState::Outdated, None, None),
            (SetupAction::Check, Standing::Edited) => (SetupState::Edited, None, None),
            (_, Standing::Same | Standing::Equal) => (SetupState::Installed, None, None),
        };
        if after.is_some() {
            self.place.refuse_read_only()?;
        }
        Ok(Decided { state, because, after })
    }

    /// Settings that can be read, in which something else is in the place of the entry.
    fn holds_no_entry(&self, bytes: Option<&[u8]>) -> bool {
        matches!(self.content, Content::Entry(TargetKind::Json(_))) && bytes.is_some_and(jsonc::is_readable)
    }

    fn fault(&self, line: usize, what: impl Into<String>) -> SetupError {
        SetupError::Unreadable { path: self.place.path(), line, what: what.into() }
    }

    fn json_fault(&self, fault: jsonc::Fault) -> SetupError {
        self.fault(fault.line, fault.what)
    }

    fn block_fault(&self, line: usize) -> SetupError {
        self.fault(line, "the block of bd has no end, or occurs twice")
    }

    fn toml(&self, bytes: &[u8]) -> std::result::Result<toml_edit::DocumentMut, SetupError> {
        let text = std::str::from_utf8(bytes).map_err(|_| self.fault(1, "it is not UTF-8"))?;
        text.parse::<toml_edit::DocumentMut>().map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.fault(text[..at].matches('\n').count() + 1, error.message())
        })
    }

    fn standing(&self, bytes: Option<&[u8]>) -> Result<Standing> {
        let Some(bytes) = bytes else { return Ok(Standing::Missing) };
        let foreign = || Standing::Other(SetupError::Foreign { path: self.place.path() });
        Ok(match &self.content {
            Content::Block => text::block_in(bytes).map_err(|line| self.block_fault(line))?,
            Content::Skill => match text::compared(bytes, SKILL, SKILL_MARK) {
                Standing::Missing => foreign(),
                standing => standing,
            },
            Content::Entry(TargetKind::Whole(text)) => {
                let found = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
                match found == *text {
                    true => Standing::Same,
                    false if found.contains("bd prime --hook") => Standing::Edited,
                    false => foreign(),
                }
            }
            Content::Entry(TargetKind::Json(entry)) => {
                match jsonc::find(bytes, entry).map_err(|fault| self.json_fault(fault))? {
                    jsonc::Found::Nothing => Standing::Missing,
                    jsonc::Found::Same => Standing::Same,
                    jsonc::Found::Equal => Standing::Equal,
                    jsonc::Found::Other(fault) => Standing::Other(self.json_fault(fault)),
                }
            }
            Content::Entry(TargetKind::Toml { keys, text }) => {
                let document = self.toml(bytes)?;
                let other =
                    || Standing::Other(self.fault(1, format!("{} is already set to something else", keys.join("."))));
                match document.get(keys[0]).map(|item| item.get(keys[1])) {
                    None => Standing::Missing,
                    Some(None) if document[keys[0]].is_table_like() => Standing::Missing,
                    Some(Some(item)) if item.get("command").and_then(|item| item.as_str()) == Some("bd") => {
                        let table = text.parse::<toml_edit::DocumentMut>().ok();
                        let ours = table.as_ref().and_then(|table| table.get(keys[0])?.get(keys[1])?.as_table_like());
                        // A key that was added below the text belongs to the same table.
                        let is_whole = item.as_table_like().map(|table| table.len()) == ours.map(|table| table.len());
                        let is_same = is_whole && text::take(bytes, text).is_some();
                        if is_same { Standing::Same } else { Standing::Equal }
                    }
                    _ => other(),
                }
            }
        })
    }

    fn with(&self, bytes: Option<&[u8]>) -> std::result::Result<Vec<u8>, SetupError> {
        Ok(match (&self.content, bytes) {
            (Content::Block, _) => {
                let with = text::put_block(bytes).map_err(|line| self.block_fault(line))?;
                match text::open_fence(bytes.unwrap_or_default()) {
                    Some(line) if text::block_in(&with).is_ok_and(|found| matches!(found, Standing::Missing)) => {
                        return Err(
                            self.fault(line, "a code fence has no end, and a block after it would be an example")
                        );
                    }
                    _ => with,
                }
            }
            (Content::Entry(TargetKind::Json(entry)), None) => jsonc::made(entry),
            (Content::Entry(TargetKind::Json(entry)), Some(bytes)) => {
                let put = jsonc::put(bytes, entry).map_err(|fault| self.json_fault(fault))?;
                put.unwrap_or_else(|| bytes.to_vec())
            }
            (Content::Entry(TargetKind::Toml { text, .. }), _) => {
                let with = text::append(bytes, text);
                self.toml(&with)?;
                with
            }
            (Content::Skill | Content::Entry(TargetKind::Whole(_)), _) => self.content.text().into_bytes(),
        })
    }

    fn without(&self, bytes: &[u8]) -> std::result::Result<After, SetupError> {
        let left = match &self.content {
            Content::Block => text::take_block(bytes).map_err(|line| self.block_fault(line))?,
            Content::Entry(TargetKind::Json(entry)) => {
                let taken = jsonc::take(bytes, entry).map_err(|fault| self.json_fault(fault))?;
                return Ok(taken.map_or_else(|| (Some(bytes.to_vec()), true), |taken| (taken.bytes, taken.is_exact)));
            }
            Content::Entry(TargetKind::Toml { keys, text }) => match self.standing(Some(bytes)) {
                Ok(Standing::Same) => text::take(bytes, text).unwrap_or_else(|| Some(bytes.to_vec())),
                _ => {
                    let mut document = self.toml(bytes)?;
                    if let Some(table) = document.get_mut(keys[0]).and_then(|item| item.as_table_like_mut()) {
                        table.remove(keys[1]);
                    }
                    Some(document.to_string().into_bytes())
                }
            },
            Content::Skill | Content::Entry(TargetKind::Whole(_)) => None,
        };
        Ok((left, true))
    }
}
