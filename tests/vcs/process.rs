//! Running programs: nothing leaks in, nothing hangs, and what is missing has a name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use beads::internal::sys::process::{Clearance, Output, Program, RunError};

use crate::support::wait;
use crate::vcs::lab::Lab;

fn shell(lab: &Lab, script: &str, limit: Duration) -> Result<Output, RunError> {
    Program::new("sh", &lab.env(), Clearance::given()).args(["-c", script]).limit(limit).run()
}

const LONG: Duration = wait::PATIENCE;

#[test]
fn streams_and_status() {
    let Some(lab) = Lab::with(&["sh"]) else { return };
    let output = shell(&lab, "echo out; echo err >&2; exit 3", LONG).unwrap();
    assert_eq!((output.stdout, output.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn only_the_given_environment() {
    let Some(lab) = Lab::with(&["env"]) else { return };
    let env = lab.env().with("GIT_DIR", "/x").with("SECRET", "s").with("SSH_AUTH_SOCK", "/sock").with("LANG", "de_DE");
    let path = format!("relative::{}", env.var("PATH").unwrap());
    let env = env.with("PATH", path);
    let output = Program::new("env", &env, Clearance::given()).var("EXTRA", "1").passing("HGRCPATH").run().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["EXTRA", "HOME", "LANG", "PATH", "SSH_AUTH_SOCK"]);
    assert!(text.contains("LANG=C.UTF-8\n"));
    assert!(!text.contains("relative"), "{text}");
}

#[test]
fn arguments_are_not_text_for_a_shell() {
    let Some(lab) = Lab::with(&["printf"]) else { return };
    let output =
        Program::new("printf", &lab.env(), Clearance::given()).args(["%s|", "a b", "$HOME;*", ""]).run().unwrap();
    assert_eq!(output.stdout, b"a b|$HOME;*||");
}

#[test]
fn no_input() {
    let Some(lab) = Lab::with(&["cat"]) else { return };
    assert_eq!(Program::new("cat", &lab.env(), Clearance::given()).limit(LONG).run().unwrap().stdout, b"");
}

#[test]
fn input_that_is_read_or_not() {
    let Some(lab) = Lab::with(&["cat", "true"]) else { return };
    let much = vec![b'x'; 300_000];
    let output = Program::new("cat", &lab.env(), Clearance::given()).input(much.clone()).limit(LONG).run().unwrap();
    assert!(output.stdout == much);
    assert!(
        Program::new("true", &lab.env(), Clearance::given()).input(much).limit(LONG).run().unwrap().status.success()
    );
}

#[test]
fn a_limit_ends_the_program_and_what_it_started() {
    let Some(lab) = Lab::with(&["sh", "sleep"]) else { return };
    let script = "trap '' TERM; (trap '' TERM; : > child; sleep 1000) & : > parent; sleep 1000";
    let mut limit = Duration::from_millis(200);
    while !(lab.path("child").exists() && lab.path("parent").exists()) {
        let error = shell(&lab, script, limit).unwrap_err();
        assert_eq!(error.to_string(), format!("sh did not end within {} seconds", limit.as_secs_f32()));
        wait::until("all that was started has ended", || working_in(&lab.path("")).is_empty());
        // On a busy machine the time may be over before both have begun.
        limit *= 2;
    }
}

/// The processes whose working directory this is.
fn working_in(directory: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir("/proc").expect("processes").flatten().map(|process| process.path());
    all.filter(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == directory)).collect()
}

#[test]
fn a_program_may_tidy_up_when_its_time_is_over() {
    let Some(lab) = Lab::with(&["sh", "sleep"]) else { return };
    let script = "trap 'rm lock; exit 1' TERM; : > lock; : > began; while :; do sleep 0.05; done";
    let mut limit = Duration::from_millis(200);
    // On a busy machine the program may be stopped before it has begun, or be too slow to tidy up.
    wait::until("a program that has tidied up", || {
        shell(&lab, script, limit).unwrap_err();
        limit *= 2;
        lab.path("began").exists() && !lab.path("lock").exists()
    });
}

#[test]
fn much_output_neither_hangs_nor_stays() {
    let Some(lab) = Lab::with(&["sh", "head"]) else { return };
    let output = shell(&lab, "head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2; exit 0", LONG).unwrap();
    assert!(output.status.success());
    assert_eq!((output.stdout.len(), output.stderr.len()), (1 << 20, 1 << 20));
}

#[test]
fn what_a_program_leaves_running_is_not_waited_for() {
    let Some(lab) = Lab::with(&["sh", "sleep"]) else { return };
    let output = shell(&lab, "echo said; sleep 1000 & exit 0", LONG).unwrap();
    assert_eq!(output.stdout, b"said\n");
    let [left] = working_in(&lab.path("")).try_into().expect("it still runs");
    lab.sh(&format!("kill {}", left.file_name().and_then(OsStr::to_str).expect("a number")));
}

#[test]
fn a_missing_program_is_named() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("bin/plain", "not executable");
    let env = lab.env().with("PATH", lab.path("bin"));
    for name in ["plain", "nosuch"] {
        let error = Program::new(name, &env, Clearance::given()).run().unwrap_err();
        assert!(matches!(error, RunError::NotFound { .. }));
        assert_eq!(error.to_string(), format!("{name} is not installed: no directory of PATH holds it"));
    }
}
