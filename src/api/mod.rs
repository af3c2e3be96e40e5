//! The library's public face: a handle for a project, handles for the agents that work on it, and plain values.
//!
//! Every call runs the same operations as the commands of `bd`, so the same rules hold. Nothing is decided here. Times
//! are [`SystemTime`](std::time::SystemTime) and [`Duration`](std::time::Duration), names are text, and every failure
//! is an [`Error`] with a kind.

#![warn(missing_docs)]

mod acting;
mod agent;
mod answers;
mod batch;
mod builder;
mod capabilities;
mod checkpoint;
mod error;
mod history;
mod issue;
mod lease;
mod new_issue;
mod query;
mod renewal;
mod roster;
mod store;
mod update;
mod watch;

pub use agent::Agent;
pub use answers::{Blocked, Counts, Generation, Page};
pub use batch::{Batch, Progress};
pub use builder::Builder;
pub use capabilities::Capabilities;
pub use checkpoint::{Checkpoint, NewCheckpoint};
pub use error::{Error, ErrorKind, Result};
pub use history::{FieldChange, Version, VersionKind};
pub use issue::{Comment, Dependency, Issue, IssueId};
pub use lease::Lease;
pub use new_issue::NewIssue;
pub use query::Query;
pub use renewal::Renewal;
pub use roster::{AgentInfo, LeaseInfo};
pub use store::Store;
pub use update::Update;
pub use watch::{Event, EventKind, Position, Stopper, Watch, WatchOptions};
