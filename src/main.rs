//! The `bd` program; see [`beads::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    beads::cli::run()
}
