//! The progress line on a terminal while a command takes long.

use std::fs::File;
use std::io::Read as _;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use crate::support::harness::{BD, Env};
use crate::support::process::lock_waiters;
use crate::support::wait::until;

/// Starts `bd` on a terminal of its own; it waits for the ledger as long as it must. Gives what is to be seen there.
fn on_a_terminal(env: &Env, command: &str) -> Option<(Child, ChildStdout)> {
    if !crate::support::programs::have(&["script"]) {
        return None;
    }
    let line = format!("'{BD}' --lock-timeout 600 {command}");
    let mut script = env.bd_command("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env("SHELL", "/bin/sh").stdout(Stdio::piped());
    let mut child = script.spawn().unwrap();
    let screen = child.stdout.take().unwrap();
    Some((child, screen))
}

fn rest((mut child, mut screen): (Child, ChildStdout)) -> String {
    let mut seen = Vec::new();
    screen.read_to_end(&mut seen).unwrap();
    child.wait().unwrap();
    String::from_utf8_lossy(&seen).into_owned()
}

/// Reads up to the moment at which the command says for how long it has run.
fn until_it_says_so(screen: &mut ChildStdout) -> String {
    let mut seen = String::new();
    let says = |seen: &str| {
        let since = seen.split("bd add (").nth(1).and_then(|rest| rest.split_once("s)"));
        since.is_some_and(|(since, _)| since.parse::<u32>().is_ok_and(|since| since >= 1))
    };
    while !says(&seen) {
        let mut bytes = [0; 256];
        let count = screen.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "it ended without a word about its time: {seen:?}");
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    seen
}

/// Holds the ledger, as another program would that writes.
fn hold(env: &Env) -> File {
    let held = File::open(env.path(".beads")).unwrap();
    held.lock().unwrap();
    held
}

#[test]
fn a_command_that_takes_long_says_so_on_the_terminal_and_leaves_no_trace() {
    let env = Env::new();
    let held = hold(&env);
    let Some((child, mut screen)) = on_a_terminal(&env, "add Hello") else { return };
    let seen = until_it_says_so(&mut screen);
    drop(held);
    let seen = seen + &rest((child, screen));
    // The line is taken away before the answer comes.
    assert!(seen.contains("\r\u{1b}[KCreated issue"), "{seen:?}");
    assert_eq!(env.ledger_text().lines().count(), 1);
}

#[test]
fn nothing_is_drawn_for_programs_or_when_no_talk_is_wanted() {
    let env = Env::new();
    let held = hold(&env);
    let commands = ["add Hello --json", "add Hello --quiet", "add Hello 2> err"];
    let all: Option<Vec<_>> = commands.iter().map(|command| on_a_terminal(&env, command)).collect();
    let Some(all) = all else { return };
    until("all of them wait", || lock_waiters(&env.path(".beads")) == commands.len());
    // When one that came later has said so, they would have too.
    let Some((child, mut screen)) = on_a_terminal(&env, "add Hello") else { return };
    until_it_says_so(&mut screen);
    drop(held);
    rest((child, screen));
    for (command, one) in commands.iter().zip(all) {
        let seen = rest(one);
        assert!(!seen.contains("\u{1b}[K"), "{command}: {seen:?}");
    }
    assert_eq!(std::fs::read_to_string(env.path("err")).unwrap(), "");
    assert_eq!(env.ledger_text().lines().count(), 4);
}

#[test]
fn a_quick_command_draws_nothing() {
    let env = Env::new();
    // One that takes a second is not quick.
    let is_shown = (0..20).any(|_| {
        let start = Instant::now();
        let Some(running) = on_a_terminal(&env, "add Hello") else { return true };
        let seen = rest(running);
        let is_quick = start.elapsed() < Duration::from_secs(1);
        assert!(seen.contains("Created issue") && !(is_quick && seen.contains("\u{1b}[K")), "{seen:?}");
        is_quick
    });
    assert!(is_shown, "the machine is too busy for anything to be quick");
}
