//! The library as another program uses it: polling, writing, and reading while others rewrite the file.

mod coordination;
mod face;
mod knots;
mod links;
mod many;
mod open;
mod poll;
mod same_size;
pub mod scratch;
pub mod several;
mod together;
mod two_ledgers;
mod undo;
mod vanished;
mod workspaces;
mod writes;
