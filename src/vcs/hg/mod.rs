//! hg: its files are read directly, and the program `hg` does the rest.

mod adapter;
mod archive;
mod call;
mod changes;
mod checkouts;
mod clones;
mod commit;
mod commits;
mod exchange;
mod gate;
mod held;
mod here;
mod hgrc;
mod integrate;
mod outgoing;
mod remote;
mod scratch;
mod server;
mod shares;
mod snapshot;
mod texts;
mod way;
mod whereabouts;

pub(super) use adapter::{Exchanging, Hg};
pub(super) use call::{Client, pattern};
pub(super) use commits::carried;
pub(super) use exchange::{OUTRUN, call as exchange_with, fetch, refused, reports};
pub(super) use hgrc::Settings;
pub(super) use integrate::{unmerged, unresolved};
pub(super) use remote::Remote;
pub(super) use scratch::write_below;
pub(super) use way::obstacles;
