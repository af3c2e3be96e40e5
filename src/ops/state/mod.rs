//! Choosing another state home.

pub(in crate::ops) mod relocate;

use std::path::Path;

use super::configure::{Request, configure};
use super::{OpError, Result};
use crate::ops::{MoveRequest, StateMoved};
use crate::store::settings::Origin;
use crate::store::{StateMode, Store};

/// Copies agents, claims, mail and checkpoints to the state home of another mode, which is used from now on. With
/// `from`, merges the records of an unused home.
pub fn move_state(store: &mut Store, to: Option<&str>, from: Option<&Path>, dry_run: bool) -> Result<StateMoved> {
    if let Some(to) = to.filter(|to| !StateMode::CHOICES.contains(to)) {
        return Err(OpError::Usage(format!("--to must be one of {}, not {to:?}", StateMode::CHOICES.join(" "))));
    }
    let request = MoveRequest { to: to.map(StateMode::requested), from: from.map(Path::to_owned) };
    if dry_run {
        return relocate::plan_move(store, &request);
    }
    relocate::move_state(store, &request, |store| {
        let Some(to) = to else { return Ok(()) };
        let set = vec![("state.mode".to_owned(), vec![to.to_owned()])];
        configure(store, &Request { set, file: Some(Origin::Personal), ..Request::default() })?;
        Ok(())
    })
}
