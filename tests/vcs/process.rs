//! Running programs: nothing leaks in, nothing hangs, and what is missing has a name.

use std::time::{Duration, Instant};

use beads::sys::process::{Output, Program, RunError};

use crate::vcs::lab::Lab;

fn shell(lab: &Lab, script: &str, limit: Duration) -> Result<Output, RunError> {
    Program::new("sh", &lab.env()).args(["-c", script]).limit(limit).run()
}

const LONG: Duration = Duration::from_secs(60);

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
    let output = Program::new("env", &env).var("EXTRA", "1").passing("HGRCPATH").run().unwrap();
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
    let output = Program::new("printf", &lab.env()).args(["%s|", "a b", "$HOME;*", ""]).run().unwrap();
    assert_eq!(output.stdout, b"a b|$HOME;*||");
}

#[test]
fn no_input() {
    let Some(lab) = Lab::with(&["cat"]) else { return };
    assert_eq!(Program::new("cat", &lab.env()).limit(LONG).run().unwrap().stdout, b"");
}

#[test]
fn input_that_is_read_or_not() {
    let Some(lab) = Lab::with(&["cat", "true"]) else { return };
    let much = vec![b'x'; 300_000];
    let output = Program::new("cat", &lab.env()).input(much.clone()).limit(LONG).run().unwrap();
    assert!(output.stdout == much);
    assert!(Program::new("true", &lab.env()).input(much).limit(LONG).run().unwrap().status.success());
}

#[test]
fn a_limit_ends_the_program_and_what_it_started() {
    let Some(lab) = Lab::with(&["sh", "sleep"]) else { return };
    let start = Instant::now();
    let script = "trap '' TERM; (trap '' TERM; sleep 2; touch child) & sleep 2; touch parent";
    let error = shell(&lab, script, Duration::from_millis(200)).unwrap_err();
    assert_eq!(error.to_string(), "sh did not end within 0.2 seconds");
    assert!(start.elapsed() < Duration::from_millis(1900), "{:?}", start.elapsed());
    std::thread::sleep(Duration::from_millis(2500).saturating_sub(start.elapsed()));
    assert!(!lab.path("child").exists() && !lab.path("parent").exists());
}

#[test]
fn a_program_may_tidy_up_when_its_time_is_over() {
    let Some(lab) = Lab::with(&["sh", "sleep"]) else { return };
    let script = "touch lock; trap 'rm lock; exit 1' TERM; while :; do sleep 0.05; done";
    shell(&lab, script, Duration::from_millis(300)).unwrap_err();
    assert!(!lab.path("lock").exists());
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
    let start = Instant::now();
    let output = shell(&lab, "echo said; sleep 5 & exit 0", LONG).unwrap();
    assert_eq!(output.stdout, b"said\n");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_missing_program_is_named() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("bin/plain", "not executable");
    let env = lab.env().with("PATH", lab.path("bin"));
    for name in ["plain", "nosuch"] {
        let error = Program::new(name, &env).run().unwrap_err();
        assert!(matches!(error, RunError::NotFound { .. }));
        assert_eq!(error.to_string(), format!("{name} is not installed: no directory of PATH holds it"));
    }
}
