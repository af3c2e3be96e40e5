//! The ledgers of a project, as read once for a snapshot, and the index that answers questions about them.
//!
//! A ledger is read whole, or stands unread behind the image of an index that was made of the very same file. An index is loaded
//! from such an image, built from the lines, or made of an earlier one by the lines that have changed. Nobody outside hears of
//! images.

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

pub use self::find::is_rejected;
pub(in crate::store) use self::parts::{Sources, Watched};
pub use self::prefixes::usual_in;
pub use self::sources::Refresh;
pub(in crate::store) use self::texts::expected;
