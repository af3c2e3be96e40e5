//! The content of a project's ledgers: read once, indexed, and queried.

pub(in crate::store) mod copies;
pub(in crate::store) mod fact;
pub(in crate::store) mod generation;
pub(in crate::store) mod grounds;

pub(in crate::store) mod index;
pub(in crate::store) mod lines;
pub(in crate::store) mod lookup;
pub(in crate::store) mod naming;
pub(in crate::store) mod news;
pub(in crate::store) mod others;
pub(in crate::store) mod own;
pub(in crate::store) mod owner;
pub(in crate::store) mod query;
pub(in crate::store) mod remotes;
pub(in crate::store) mod route;
pub(in crate::store) mod row;
pub(in crate::store) mod rows;
pub(in crate::store) mod siblings;
pub(in crate::store) mod snapshot;
pub(in crate::store) mod withheld;
