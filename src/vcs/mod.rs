//! Version control: the user's identity, the root of a working copy, the committed versions of files; committing files,
//! and exchanging commits with another copy.
//!
//! From the bottom: the root of a working copy (`place`), errors and values; the functions of each system (`git`, `jj`
//! on top of it, `hg`, `sl` on top of that); the traits of a system (`system`), foremost [`Vcs`]; an adapter for each;
//! the choice of the adapter ([`open()`]). No file uses one above it.
//!
//! Where possible, files are read directly: git with gix, the few files of jj, hg and sl by hand. The VCS's own program
//! runs for everything that only it knows: to change its files, to merge, to use a network, to list what is staged,
//! ignored or in a range of commits.
//!
//! Without the feature `git` neither git nor jj can be read: `absent` stands in for them, and [`is_supported`] returns
//! false.

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
mod kind;
mod layout;
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
    Archive, Before, Change, Changes, Commit, Naming, Node, Pair, Spot, Step, Steps, Texts, Trail, Version, as_of,
    joined, merge_base,
};
pub use checkouts::{Loose, NewCheckout, Work, is_bare, repository_inside};
pub use claims::{RemoteClaim, Swap};
pub use clones::NewClone;
pub use commit::{Committed, Order};
pub use directories::{Around, common_dir, exclude_file, is_busy, is_place_recorded, is_shallow};
pub use error::{CommitError, HistoryError, SyncError, Unpushable};
pub use facts::{Facts, Remote};
pub use family::{is_found, marks as checkout_marks, may_have_others, reads_gitignore};
pub use gate::Verdict;
pub use git::{
    claims_remote, clone as clone_repository, committed_size, common_version, fleet_notes, hooks_path,
    init as init_git, is_misplaced, local_setting as setting, published, put_fleet_note, reach_over_ssh, remote_claim,
    remote_claims, repair as repair_checkout, set_local as set_setting, swap_remote_claim, user_editor, user_name,
};
pub use history::{Changed, Span};
pub use hooks::{git_dirs, is_ignored, is_tracked, staged_paths};
pub use identity::{Identity, begins_with, first_commit, has_commit, is_own_remote, is_same_project};
pub use kind::Kind;
pub use layout::Checkout;
pub use lines::{DatedLine, Reach};
pub use merge_tool::{DRIVER as GIT_DRIVER, MergeSetup, MergeTool, merge_setup};
pub use open::{commit, committed_lines, facts, open, open_for, remove_checkout};
pub use patterns::Patterns;
use place::{MARKERS, place};
pub use place::{is_listed, is_supported, is_versioned, kind, root};
pub use snapshot::{LARGEST, LeftOut, Rescue, Returned, Snapshot, Why};
pub use sync::{
    Area, Carried, DryRun, Integrated, Integration, Merge, Outgoing, Parcel, Pushed, Route, Standing, Versions,
};
pub use system::{Abilities, Cloning, Exchange, Keep, Landing, Linking, Past, Renewal, Vcs};
pub use tips::{Tip, Tips};
pub use unmerged::{mark_resolved, unmerged};
pub use whereabouts::{How, Merged, Origin, Unsaved, Whereabouts};
