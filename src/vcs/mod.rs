//! What version control knows and does: who the user is, where a working copy begins, what was committed last; committing
//! files, and exchanging commits with another copy.
//!
//! From the bottom: where a working copy begins (`place`), errors and values; the functions of each system (`git`, `jj` on top of
//! it, `hg`, `sl` on top of that); the traits that they are asked by (`system`), [`Vcs`] before all; an adapter for each; the choice of
//! the adapter ([`open()`]). No file uses one above it.
//!
//! Reading goes through files alone where that is possible: git is read with gix, the few files of jj, hg and sl by hand. The
//! program of the VCS runs where it alone knows: to change its files, to merge, to use a network, to say what is staged, ignored
//! or in a range of commits.
//!
//! Without the feature `git` neither git nor jj can be read: `absent` stands in for them, and [`is_supported`] says so.

#![cfg_attr(not(feature = "git"), allow(dead_code, reason = "git and jj use most of what the systems share"))]

mod address;
mod archive;
mod checkouts;
mod claims;
mod clones;
mod commit;
mod copies;
mod directories;
mod error;
mod facts;
mod family;
mod files;
mod gate;
#[cfg(feature = "git")]
mod git;
#[cfg(not(feature = "git"))]
#[path = "absent/git.rs"]
mod git;
mod hg;
mod history;
mod hooks;
mod identity;
#[cfg(feature = "git")]
mod jj;
#[cfg(not(feature = "git"))]
#[path = "absent/jj.rs"]
mod jj;
mod lines;
mod merge_tool;
mod network;
mod none;
mod open;
#[cfg(feature = "git")]
mod patterns;
#[cfg(not(feature = "git"))]
#[path = "absent/patterns.rs"]
mod patterns;
mod place;
mod sl;
mod snapshot;
mod sync;
mod system;
mod tips;
mod tracked;
mod unmerged;
mod whereabouts;

pub use address::Address;
pub use archive::{
    Archive, Before, Change, Changes, Commit, Naming, Node, Pair, Spot, Step, Steps, Trail, Version, as_of, joined,
    merge_base,
};
pub use checkouts::{Checkout, Loose, NewCheckout, Work, is_bare, repository_inside};
pub use claims::{RemoteClaim, Swap};
pub use clones::NewClone;
pub use commit::{Committed, Order};
pub use directories::{Around, common_dir, exclude_file, is_busy, is_place_recorded, is_shallow};
pub use error::{CommitError, HistoryError, SyncError, Unpushable};
pub use facts::{Facts, Remote};
pub use family::marks as checkout_marks;
pub use gate::Verdict;
pub use git::{
    committed_size, common_version, hooks_path, init as init_git, is_misplaced, local_setting as setting,
    reach_over_ssh, remote_claim, remote_claims, repair as repair_checkout, set_local as set_setting,
    swap_remote_claim, user_editor, user_name,
};
pub use history::{Changed, Span};
pub use hooks::{git_dirs, is_ignored, is_tracked, staged_paths};
pub use identity::{Identity, begins_with, first_commit, has_commit, is_same_project};
pub use lines::{Reach, Sought};
pub use merge_tool::{DRIVER as GIT_DRIVER, MergeSetup, MergeTool, merge_setup};
pub use open::{commit, committed_lines, facts, open, open_for};
pub use patterns::Patterns;
pub use place::{Kind, is_supported, is_versioned, kind, root};
use place::{MARKERS, place};
pub use snapshot::{LARGEST, LeftOut, Rescue, Returned, Snapshot, Why};
pub use sync::{
    Area, Carried, DryRun, Integrated, Integration, Merge, Outgoing, Parcel, Pushed, Route, Standing, Versions,
};
pub use system::{Abilities, Cloning, Exchange, Keep, Linking, Past, Renewal, Vcs};
pub use tips::{Tip, Tips};
pub use unmerged::{mark_resolved, unmerged};
pub use whereabouts::{How, Merged, Origin, Unsaved, Whereabouts};
