//! The content of a project's ledgers: read once, indexed, and queried.

pub(in crate::store) mod fact;
pub(in crate::store) mod generation;
pub(in crate::store) mod grounds;
pub(in crate::store) mod working_copies;

pub(in crate::store) mod build_rows;
pub(in crate::store) mod index;
pub(in crate::store) mod issue_lines;
pub(in crate::store) mod news;
pub(in crate::store) mod outside;
pub(in crate::store) mod plan_owner;
pub(in crate::store) mod private_values;
pub(in crate::store) mod query;
pub(in crate::store) mod remotes;
pub(in crate::store) mod route;
pub(in crate::store) mod row;
pub(in crate::store) mod siblings;
pub(in crate::store) mod snapshot;
pub(in crate::store) mod typed_ids;
