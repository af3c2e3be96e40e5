//! `beads`: a git-native work ledger. Issues are lines of JSONL files in repositories, committed like code.
//!
//! The file is the only truth; everything else can be thrown away and made again from it.
//!
//! ```no_run
//! use beads::{NewIssue, ReadyFilter, Store};
//!
//! # fn main() -> Result<(), beads::StoreError> {
//! let mut store = Store::open(".")?;
//! let issue = store.create(NewIssue::titled("Fix the parser"))?;
//! for row in store.ready(&ReadyFilter::default())?.rows {
//!     println!("{} {}", row.issue.id, row.issue.title);
//! }
//! store.close(&issue.id, Some("fixed".into()))?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Store::open`] reads the project's settings by itself, so several repos look like one; [`Store::open_with`] says otherwise:
//!
//! ```no_run
//! use beads::{Config, Store};
//!
//! # fn main() -> Result<(), beads::StoreError> {
//! let planning = Some(vec!["~/.beads-planning".to_owned()]);
//! let mut store = Store::open_with(Config { additional: planning, ..Config::at(".beads/vc.db") })?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Store`] is made to be kept and asked again and again: each question first looks, with a few `stat` calls per repo, whether
//! a ledger has changed, and then reads only the lines that did. `examples/executor.rs` polls that way.
//!
//! # The map
//!
//! | part | owns | may use |
//! |---|---|---|
//! | [`model`] | values and rules: issues, ids, changes, queries, dates, joining copies | nothing |
//! | [`sys`] | the host: clock, entropy, environment, files, locks, running programs | model's time |
//! | [`ledger`] | one JSONL file: `.beads/beads.jsonl`; reading, writing, checking, repairing it | model, sys |
//! | [`vcs`] | what version control knows; committing files | sys |
//! | [`cache`] | the SQLite database in memory, `schema.sql` | model |
//! | [`store`] | the repos of a project as one; settings files; images of the cache in the user's cache directory | all of the above |
//! | [`coordination`] | what agents and checkouts share: agents, mail, reservations, checkpoints, claims on a remote, workflows | model, sys, ledger, vcs, store |
//! | [`ops`] | one function per thing a user can do; `.beads/metadata.json` and the ignore files (init), `.beads/damaged.txt` (doctor) | model, store |
//! | [`view`] | the JSON that programs read, exit codes | model, ops' results |
//! | [`cli`] | arguments and text | ops, view |
//!
//! The names re-exported here are the stable face. The modules below them are public so that tests and curious programs can
//! reach them, and may change between minor versions.

pub mod cache;
pub mod cli;
pub mod coordination;
pub mod ledger;
pub mod model;
pub mod ops;
pub mod store;
pub mod sys;
pub mod vcs;
pub mod view;

pub use cache::{ReadyOrder, Sort, SortBy};
pub use model::change::{Change, NewComment, NewIssue};
pub use model::issue::{Comment, Issue, IssueType, Priority, Status};
pub use model::query::Expr;
pub use store::{Config, Page, ReadyFilter, Refresh, Row, Store, StoreError};
