//! Workspaces and other checkouts of one project.

mod all_checkouts;
mod contents;
mod gc;
mod identity;
mod inherited;
mod jobs;
mod kinds;
mod landing;
mod losses;
mod remove;
mod reuse;
pub mod workspaces;
mod worktrees;
