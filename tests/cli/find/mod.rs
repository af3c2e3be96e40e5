//! Finding issues and reading them: listings, queries, single issues, ids, what is ready and why.

mod conditions;
mod graph;
mod ids;
mod images;
mod linted;
mod listing;
mod queries;
mod ready;
mod reasons;
mod searching;
mod shared_ids;
mod short_rows;
mod showing;
mod why;
