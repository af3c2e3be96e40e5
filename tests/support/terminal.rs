//! Commands on a terminal, with what a person types.

use super::harness::{BD, Env};

/// Runs `bd` on a terminal; gives its exit code and what is to be seen there.
pub fn on_terminal(env: &Env, line: &str, typed: &str) -> (i32, String) {
    let mut command = env.bd_command("script");
    command.args(["-qec", &format!("'{BD}' {line}"), "/dev/null"]).env("NO_COLOR", "1").env("SHELL", "/bin/sh");
    let run = env.run(command, line.to_owned(), Some(typed));
    (run.code, run.stdout.replace("\r\n", "\n"))
}
