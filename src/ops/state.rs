//! Choosing another state home.

use super::configure::{Request, configure};
use super::{OpError, Result};
use crate::coordination::{self, StateMoved};
use crate::store::settings::Origin;
use crate::store::{StateMode, Store};

/// Copies what is known of agents, claims, mail and checkpoints to the state home of another mode, and uses that one from now on.
pub fn move_state(store: &mut Store, to: &str, dry_run: bool) -> Result<StateMoved> {
    if !StateMode::WORDS.contains(&to) {
        return Err(OpError::Usage(format!("--to must be one of {}, not {to:?}", StateMode::WORDS.join(" "))));
    }
    let mode = StateMode::asked(to);
    if dry_run {
        return Ok(coordination::plan_move(store, mode)?);
    }
    coordination::move_state(store, mode, |store| {
        let set = vec![("state.mode".to_owned(), vec![to.to_owned()])];
        configure(store, &Request { set, file: Some(Origin::Personal), ..Request::default() })?;
        Ok(())
    })
}
