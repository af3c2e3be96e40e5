//! What a person sees on a terminal while a command takes long.

use std::process::Command;
use std::time::Duration;

use crate::harness::{BD, Env};

/// Runs `bd` on a terminal of its own while another program holds the ledger for so many seconds.
fn on_a_terminal(env: &Env, held: &str, command: &str) -> Option<String> {
    let missing = |tool: &&str| Command::new(tool).arg("--version").output().is_err();
    if let Some(missing) = ["script", "flock"].into_iter().find(|tool| missing(tool)) {
        assert!(std::env::var_os("CI").is_none(), "{missing} is missing");
        eprintln!("skipped: {missing} is missing");
        return None;
    }
    let mut holder = env.command("flock").args([".beads", "sleep", held]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let line = format!("{BD} {command}");
    let out = env.bd_command("script").args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").output().unwrap();
    holder.wait().unwrap();
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn a_command_that_takes_long_says_so_on_the_terminal_and_leaves_no_trace() {
    let env = Env::new();
    let Some(seen) = on_a_terminal(&env, "3", "add Hello") else { return };
    assert!(seen.contains("bd add (1s)"), "{seen:?}");
    // The line is taken away before the answer comes.
    assert!(seen.contains("\r\u{1b}[KCreated issue"), "{seen:?}");
    assert_eq!(env.ledger_text().lines().count(), 1);
}

#[test]
fn nothing_is_drawn_for_programs_or_when_no_talk_is_wanted() {
    let env = Env::new();
    for command in ["add Hello --json", "add Hello --quiet", "add Hello 2> err"] {
        let Some(seen) = on_a_terminal(&env, "2.5", command) else { return };
        assert!(!seen.contains("\u{1b}[K"), "{command}: {seen:?}");
    }
    assert_eq!(std::fs::read_to_string(env.path("err")).unwrap(), "");
}

#[test]
fn a_quick_command_draws_nothing() {
    let env = Env::new();
    let Some(seen) = on_a_terminal(&env, "0", "add Hello") else { return };
    assert!(!seen.contains("\u{1b}[K") && seen.contains("Created issue"), "{seen:?}");
}
