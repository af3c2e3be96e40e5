//! The ledgers of a project, read once for a snapshot, and the index that answers questions about them.
//!
//! A ledger is read completely, or stays unread because there is an image of an index made from exactly this file. An
//! index is an image that is queried in place, built from the lines, or updated from an earlier one in memory.
//! Images are invisible outside of this folder.

mod build;
mod copies;
mod find;
mod follow;
mod followed;
mod held;
mod image;
mod keep;
mod load;
mod parts;
mod prefixes;
mod sources;
mod texts;

pub(crate) use self::find::is_rejected;
pub(in crate::store) use self::parts::{Sources, Watched};
pub(crate) use self::prefixes::usual_in;
pub use self::sources::Refresh;
pub(in crate::store) use self::texts::expected;
