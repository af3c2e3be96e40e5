//! `beads`: a git-native work ledger. Issues are lines of JSONL files in repositories, committed like code.
//!
//! The file is the only truth; everything else can be thrown away and made again from it.
//!
//! ```no_run
//! use std::time::Duration;
//! use beads::{NewIssue, Query, Store};
//!
//! # fn main() -> beads::Result<()> {
//! let store = Store::open(".")?;
//! store.create(NewIssue::titled("Fix the parser").kind("bug").priority(1))?;
//! for issue in &store.ready(&Query::new().limit(20))? {
//!     println!("{} {}", issue.id(), issue.title());
//! }
//! let agent = store.agent("builder")?;
//! if let Some(mut lease) = agent.claim_next(&Query::new(), Duration::from_secs(1800))? {
//!     println!("working on {}", lease.issue().id());
//!     lease.close("fixed")?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Store`] is the handle for a project, with all repos that its settings join; [`Store::builder`] says how to open it. It is made to
//! be kept, shared between threads, and asked again and again: a question looks with a few `stat` calls
//! whether files have changed, and reads only what has. [`Agent`] acts as an agent and claims issues, each under a [`Lease`]; [`Batch`] files many issues at once; [`Watch`] tells
//! what happens. The programs in `examples/` use nothing but these names, and `docs/library.md` explains them.
//!
//! # The map
//!
//! | part | owns | uses |
//! |---|---|---|
//! | `model` | values and rules: issues, ids, changes, queries, dates, joining copies | nothing |
//! | `sys` | the host: clock, entropy, environment, files, locks, running programs | model |
//! | `ledger` | one JSONL file, `.beads/beads.jsonl`: reading, writing, checking, repairing it | model, sys |
//! | `vcs` | what version control knows; committing files, exchanging commits | model, sys |
//! | `cache` | the SQLite database that answers questions about issues, `schema.sql` | model |
//! | `store` | the repos of a project as one; settings files; the state home; the index in the user's cache directory | model, sys, ledger, vcs, cache |
//! | `ops` | one function per thing a user can do, alone or with other agents: claims, mail, checkpoints, workspaces, workflows | model, sys, ledger, vcs, cache, store |
//! | `view` | the JSON that programs read; what a failure says, and its exit code | model, sys, ledger, cache, store, ops |
//! | `api` | what other programs use: the names at the root of this crate | model, sys, cache, store, ops, view |
//! | `mcp` | tools for agents without a shell, and everything asynchronous | model, cache, store, ops, view |
//! | `cli` | arguments and text | model, sys, cache, store, ops, view, mcp |
//!
//! `tests/architecture.rs` reads this table and fails on an import that it does not allow, and on a word in it that no import
//! needs.
//!
//! The names at the root are the whole face of the library; everything else can change with any version.

#![warn(unreachable_pub)]

mod api;
mod cache;
#[cfg(feature = "cli")]
mod cli;
mod ledger;
#[cfg(feature = "mcp")]
mod mcp;
mod model;
mod ops;
mod store;
mod sys;
mod vcs;
mod view;

pub use api::{
    Agent, AgentInfo, Batch, Blocked, Builder, Capabilities, Checkpoint, Comment, Counts, Dependency, Error, ErrorKind,
    Event, EventKind, FieldChange, Generation, Issue, IssueId, Lease, LeaseInfo, NewCheckpoint, NewIssue, Page,
    Position, Progress, Query, Renewal, Result, Stopper, Store, Update, Version, VersionKind, Watch, WatchOptions,
};

/// The programs on the pages, which `cargo test` compiles.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/library.md")]
    struct Library;
}

/// What the project's own programs and tests use. It is not part of the library: everything in it can change with any version.
#[doc(hidden)]
pub mod internal {
    pub mod cache {
        pub use crate::cache::*;
    }
    #[cfg(feature = "cli")]
    pub mod cli {
        pub use crate::cli::*;
    }
    pub mod ledger {
        pub use crate::ledger::*;
    }
    pub mod model {
        pub use crate::model::*;
    }
    pub mod ops {
        pub use crate::ops::*;
    }
    pub mod store {
        pub use crate::store::*;
    }
    pub mod sys {
        pub use crate::sys::*;
    }
    pub mod vcs {
        pub use crate::vcs::*;
    }
    pub mod view {
        pub use crate::view::*;
    }
}
