//! jj: its files are read directly, and the program `jj` commits, merges and exchanges.

mod adapter;
mod archive;
mod beside;
mod bookmark;
mod changes;
mod checkouts;
mod clones;
mod commit;
mod config;
mod conflicts;
mod dirs;
mod exchange;
mod fields;
mod gate;
mod integrate;
mod outgoing;
mod program;
mod snapshot;
mod stack;
mod tool;
mod view;
mod whereabouts;
mod workspaces;

pub(super) use adapter::Jj;
pub(super) use checkouts::{repo, workspaces};
pub(super) use conflicts::is_below as conflicts_below;
pub(super) use dirs::{common_dir, git_behind, git_target, repo_dir};
pub(super) use tool::{set_tool, settings, tool};
pub(super) use workspaces::remove;
