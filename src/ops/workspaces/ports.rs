//! Ports for jobs: each workspace has a block of its own.
//!
//! The search starts at a place derived from the workspace's id, so that blocks of different repositories rarely
//! collide. Blocks are assigned under the lock of the state home.

use super::WorkspaceError;
use crate::model::workspace::{Ports, State, Workspace};
use crate::ops::Result;
use crate::store::Store;

/// From here on systems use ports for outgoing connections.
const END: u32 = 32768;
const LAST: u32 = 65536;

/// The ports that may be assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    first: u32,
    count: u32,
}

impl Range {
    pub(super) fn of(store: &Store) -> Self {
        let number = |key: &str| store.settings().word(key).parse().unwrap_or_default();
        Range { first: number("workspace.port_base"), count: number("workspace.ports") }
    }
}

/// A free block for a workspace; `None` if none is wanted.
pub(super) fn choose(
    id: &str,
    range: Range,
    others: &[Workspace],
    is_free: &dyn Fn(u16) -> bool,
) -> Result<Option<Ports>> {
    let Range { first, count } = range;
    if count == 0 {
        return Ok(None);
    }
    let end = if first < END { END } else { LAST };
    let blocks = end.saturating_sub(first) / count;
    let hash = blake3::hash(id.as_bytes());
    let start = hash.as_bytes().first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let taken: Vec<Ports> =
        others.iter().filter(|one| one.id != id && holds(one.state)).filter_map(|one| one.ports).collect();
    for step in 0..blocks {
        let block = first + (start % blocks + step) % blocks * count;
        let all = block..block + count;
        let meets = |one: &Ports| {
            let own = u32::from(one.first)..u32::from(one.first) + u32::from(one.count);
            own.start < all.end && all.start < own.end
        };
        let is_usable = |port: u32| u16::try_from(port).is_ok_and(|port| port > 0 && is_free(port));
        if !taken.iter().any(meets) && all.clone().all(is_usable) {
            let (Ok(first), Ok(count)) = (u16::try_from(block), u16::try_from(count)) else { continue };
            return Ok(Some(Ports { first, count }));
        }
    }
    Err(WorkspaceError::NoPorts { first, count }.into())
}

/// A workspace in this state keeps its ports.
fn holds(state: State) -> bool {
    !matches!(state, State::Removed | State::Failed)
}

#[cfg(test)]
mod tests {
    use super::super::ports::*;

    fn holding(id: &str, first: u16, count: u16, state: State) -> Workspace {
        Workspace { id: id.into(), state, ports: Some(Ports { first, count }), ..Workspace::default() }
    }

    #[test]
    fn blocks_do_not_meet() {
        let range = Range { first: 20000, count: 10 };
        let mut all: Vec<Workspace> = Vec::new();
        for n in 0..300 {
            let id = format!("ws_{n:012}");
            let ports = choose(&id, range, &all, &|port| port % 1000 != 7).unwrap().unwrap();
            assert_eq!(choose(&id, range, &all, &|port| port % 1000 != 7).unwrap(), Some(ports), "always the same");
            assert!(ports.first >= 20000 && (ports.first..ports.first + 10).all(|port| port % 1000 != 7));
            all.push(Workspace { id, ports: Some(ports), state: State::Active, ..Workspace::default() });
        }
        let mut firsts: Vec<u16> = all.iter().filter_map(|one| one.ports).map(|ports| ports.first).collect();
        firsts.sort_unstable();
        assert!(firsts.windows(2).all(|pair| pair[0] + 10 <= pair[1]), "{firsts:?}");
    }

    #[test]
    fn what_is_given_back_is_given_again() {
        let range = Range { first: 32750, count: 10 };
        let free = |_: u16| true;
        let active = [holding("a", 32750, 10, State::Active)];
        assert!(matches!(
            choose("b", range, &active, &free),
            Err(crate::ops::OpError::Workspace(WorkspaceError::NoPorts { .. }))
        ));
        let removed = [holding("a", 32750, 10, State::Removed), holding("c", 32755, 1, State::Failed)];
        assert_eq!(choose("b", range, &removed, &free).unwrap(), Some(Ports { first: 32750, count: 10 }));
        let overlapping = [holding("a", 32759, 10, State::Idle)];
        assert!(choose("b", range, &overlapping, &free).is_err());
        assert_eq!(choose("b", Range { first: 20000, count: 0 }, &[], &free).unwrap(), None);
        assert!(choose("b", Range { first: 65530, count: 10 }, &[], &free).is_err(), "there are no more ports");
    }
}
