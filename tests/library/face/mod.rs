//! The public face of the library, as another program uses it: nothing but the names at the root of the crate.

mod agents;
mod asking;
mod batches;
mod changes;
mod errors;
mod examples;
mod features;
mod keeping;
mod overview;
mod rules;
mod watching;

use beads::internal::sys::{Clock, Entropy, Env, Host};
use beads::{Builder, ErrorKind, Result, Store};

use crate::library::scratch::Scratch;

/// An issue of which nothing is known but its title.
pub fn line(id: &str) -> String {
    format!("{{\"id\":\"{id}\",\"title\":\"the title of {id}\",\"status\":\"open\",\"priority\":2}}\n")
}

/// A repo with such issues.
pub fn with(ids: &[&str]) -> Scratch {
    Scratch::with(ids.iter().map(|id| line(id)).collect::<String>())
}

/// How to open it, by the real clock and with an empty environment.
pub fn builder(scratch: &Scratch) -> Builder {
    let env = Env::default().at(scratch.root().to_owned());
    let host = Host { clock: Clock::System, entropy: Entropy::System, env };
    Store::builder(scratch.root()).host(host).actor("tester")
}

pub fn open(scratch: &Scratch) -> Store {
    builder(scratch).open().expect("a store")
}

/// The kind of a failure, and what it says.
pub fn refused<T: std::fmt::Debug>(result: Result<T>) -> (ErrorKind, String) {
    let error = result.expect_err("a refusal");
    (error.kind(), error.to_string())
}
