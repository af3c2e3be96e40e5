//! jj: its files are read directly, and the program `jj` commits, merges and exchanges.

mod adapter;
mod archive;
mod beside;
mod bookmark;
mod changes;
mod clones;
mod commit;
mod config;
mod conflicts;
mod exchange;
mod gate;
mod integrate;
mod outgoing;
mod program;
mod snapshot;
mod stack;
mod tool;
mod whereabouts;
mod workspaces;

pub(super) use adapter::Jj;
pub(super) use conflicts::is_below as conflicts_below;
pub(super) use tool::{set_tool, settings, tool};
pub(super) use workspaces::remove;
