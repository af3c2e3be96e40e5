//! JSON as bytes that must survive: finds where the values of a line are, and writes changed ones.
//!
//! Owns the scanner (strict grammar, spans instead of trees) and the renderer (three dialects seen in real ledgers). It
//! does not know what an issue is. An unchanged value is never decoded and encoded again, so big numbers, escapes and
//! key order cannot drift.

mod object;
mod pretty;
mod render;
mod scan;

pub use object::{Object, array};
pub use pretty::{ascii_only, pretty, pretty_inside};
pub use render::{Dialect, DialectEvidence, Json};
pub use scan::{MAX_DEPTH, Member, ScanError, decode_string, elements, integer, is_unset, members, members_of_part};
