//! The `bd` program; see `cli` in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    beads::internal::cli::run()
}
