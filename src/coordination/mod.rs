//! What agents and checkouts on one machine share, beside the ledgers: agents, mail, reservations, checkpoints.
//!
//! All of it is in the state home (`store::StateHome`), in JSONL files that are read and written by the code of the ledgers
//! (`store::RecordFile`). Nothing here is committed, and nothing periodic touches a committed file. There is no daemon: what is
//! stale is noticed by whoever looks next.

mod agents;
mod claims;
mod error;
mod identity;
pub mod mail;
mod remote;
mod watch;

pub use agents::{
    AgentFilter, Pulse, Registration, Seen, Swept, agents, find_agent, heartbeat, register, sweep, unregister,
};
pub use claims::{IssueHolder, claim, claim_ready, end_remote_claims, holder_of, reclaim, release};
pub use error::{CoordinationError, Result};
pub use identity::{ensure_registered, identify, take_part};
pub use remote::{RemoteLease, remote_leases};
pub use watch::{About, Checkout, Event, EventKind, IssueNews, LeaseNews, WatchOptions, watch};
