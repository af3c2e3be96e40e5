//! Writing, in one way: intent, locks, plan, guards, conservation gate, file, logs, claims.
//!
//! | step | file |
//! |---|---|
//! | what to write, and to which ledgers | `intent.rs` |
//! | locks, in one order for everyone | `lock.rs` |
//! | several writes at once, and the ledgers of each | `transaction.rs`, `destinations.rs` |
//! | several operations at once | `together.rs` |
//! | writes become edits of the lines on disk | `round.rs`, `plan.rs` |
//! | one ordered list of everything that may refuse one | `guards.rs`, `guard_input.rs` |
//! | the larger guards | `claim_guard.rs`, `workflow_lock_guard.rs`, `status.rs` |
//! | the edits of one ledger, each checked once | `draft.rs` |
//! | gate, replacement, logs, claims; in a dry run none of it | `apply.rs`, `log.rs`, `claim_guard.rs` |

mod apply;
mod claim_guard;
pub(in crate::store) mod commit;
pub(in crate::store) mod current_write;
mod cycles;
mod destinations;
mod draft;
mod guard_input;
mod guards;
mod intent;
pub(in crate::store) mod ledger_name;
mod lock;
mod log;
mod plan;
pub(in crate::store) mod relocate;
pub(in crate::store) mod rename_prefix;
mod round;
mod status;
mod together;
mod transaction;
mod workflow_lock_guard;

pub use draft::Draft;
pub use intent::{Scope, Write, WriteError, Written};
pub use together::Together;
pub use transaction::Transaction;

pub(super) use intent::Intent;
pub(super) use lock::Locks;
pub(super) use together::Gathered;
