//! Saving a plan as a template.

use std::path::PathBuf;

use super::TemplateError;
use super::places::{Origin, directory};
use crate::model::plan::Plan;
use crate::model::template::{MAX_BYTES, Template, is_name};
use crate::ops::Result;
use crate::store::{Row, Store};
use crate::sys::{below, lock};

/// How to save a template.
#[derive(Debug, Clone, Default)]
pub struct SaveWish {
    pub name: String,
    /// For this user instead of the project.
    pub for_user: bool,
    /// Even if one with this name exists.
    pub force: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub name: String,
    pub origin: Origin,
    pub path: PathBuf,
    pub tasks: usize,
    /// One with this name was replaced.
    pub replaced: bool,
}

/// How often to retry because another program changed the file.
const MAX_TRIES: usize = 20;

/// Saves a plan that comes from these issues. Private data must not get into a file that the project's next commit may
/// include.
pub fn save(store: &Store, plan: &Plan, from: &[Row], wish: &SaveWish) -> Result<Saved> {
    if !is_name(&wish.name) {
        return Err(TemplateError::BadName { name: wish.name.clone() }.into());
    }
    let origin = if wish.for_user { Origin::User } else { Origin::Project };
    let directory = directory(store, origin).ok_or(TemplateError::NoUserPlace)?;
    let file = format!("{}.toml", wish.name);
    let path = directory.join(&file);
    store.check_export(&path, from)?;
    let text = Template::text_of(&wish.name, plan);
    // A saved template must be valid when read again.
    let problems = match Template::read(&wish.name, &text) {
        Ok(template) => template.problems(),
        Err(problems) => problems,
    };
    if !problems.is_empty() {
        return Err(TemplateError::Broken { place: wish.name.clone(), problems }.into());
    }
    if text.len() as u64 > MAX_BYTES {
        let problem = format!("would be longer than {MAX_BYTES} bytes");
        return Err(TemplateError::Unreadable { path, problem }.into());
    }
    let (above, name) = below::parted(&directory);
    if wish.for_user {
        below::make_own(above).map_err(TemplateError::from)?;
    }
    below::make(above, name).map_err(TemplateError::from)?;
    let replaced = write(store, &directory, &file, text.as_bytes(), wish.force)?;
    Ok(Saved { name: wish.name.clone(), origin, path, tasks: plan.tasks.len(), replaced })
}

/// Writes the file atomically; returns whether one was replaced.
fn write(
    store: &Store,
    directory: &std::path::Path,
    file: &str,
    bytes: &[u8],
    force: bool,
) -> std::result::Result<bool, TemplateError> {
    let path = directory.join(file);
    let lock = lock::lock(directory, store.lock_wait())?;
    lock.dir().remove_orphans()?;
    for _ in 0..MAX_TRIES {
        if lock.dir().create(file, bytes, &store.host().entropy)? {
            return Ok(false);
        }
        if !force {
            return Err(TemplateError::Exists { path });
        }
        if let Some(stamp) = lock.dir().regular_at(file)?
            && lock.dir().put_after(file, bytes, Some(&stamp), &store.host().entropy)?
        {
            return Ok(true);
        }
    }
    Err(TemplateError::Unreadable { path, problem: "kept changing while it was written".to_owned() })
}
