//! The only contact with the host: time, randomness, environment, files, locks, processes.
//!
//! Everything above takes a [`Host`], so a test can fix the clock and the dice.

pub mod activity;
pub mod below;
pub mod cache_dir;
mod child;
mod clock;
mod entropy;
pub mod env;
pub mod form;
pub mod fs;
pub mod job;
mod listen;
pub mod lock;
pub mod log;
pub mod net;
mod opening;
mod owner;
pub mod pager;
pub mod parallel;
pub mod path;
pub mod process;
pub mod processes;
pub mod removal;
pub mod resident;
mod stamp;
mod stream;
mod temp;
pub mod terminal;
pub mod tree;
mod watch;

pub use activity::Activity;
pub use clock::{Clock, boot, from_system, to_system};
pub use entropy::Entropy;
pub use env::Env;
pub use owner::{host_name, is_alive, is_gone, owner};
pub use watch::{Waker, Watcher};

/// The parts of the machine that a command may use.
#[derive(Debug, Clone)]
pub struct Host {
    pub clock: Clock,
    pub entropy: Entropy,
    pub env: Env,
}

impl Host {
    /// The real machine. `BD_TEST_NOW` and `BD_TEST_SEED` fix clock and randomness for reproducible runs.
    pub fn real() -> Self {
        let env = Env::process();
        Host { clock: Clock::from_env(&env), entropy: Entropy::from_env(&env), env }
    }
}
