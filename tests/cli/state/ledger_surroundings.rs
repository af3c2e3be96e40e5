//! Effects of the machine on a ledger: a held lock, a read-only directory, a full disk, a file that version control has
//! just removed.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::harness::{BD, Env};
use crate::support::process::lock_waiters;
use crate::support::programs::copy;
use crate::support::wait::until;

fn two() -> Env {
    let env = Env::new();
    env.given(
        "add 'Fix the parser' --id bd-fix
         add 'Write the docs' --id bd-docs",
    );
    env
}

/// No temporary file is left in `.beads`.
fn is_tidy(env: &Env) {
    for entry in std::fs::read_dir(env.path(".beads")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with(".bd-"), "{name} was left behind");
    }
}

#[test]
fn a_lock_held_longer_than_the_deadline() {
    let env = two();
    let before = env.ledger();
    let held = File::open(env.path(".beads")).unwrap();
    held.lock().unwrap();
    let start = Instant::now();
    let run = env.bd(["update", "fix", "-p", "0", "--lock-timeout", "0.2"]);
    let holder = format!("is locked by process {}", std::process::id());
    run.fails(6, &[".beads", &holder, "try again, or wait longer with --lock-timeout"]);
    assert!(start.elapsed() >= Duration::from_millis(200));
    let json = env.bd(["--lock-timeout", "0", "add", "x", "--json"]);
    assert_eq!((json.code, &json.error()["code"], &json.error()["recoverable"]), (6, &"busy".into(), &true.into()));
    assert_eq!(env.bd(["list", "--json"]).ok().ids().len(), 2, "readers take no lock");
    assert_eq!(env.ledger(), before);
    held.unlock().unwrap();
    env.bd(["update", "fix", "-p", "0", "--lock-timeout", "5"]).ok();
}

#[test]
fn the_time_waited_for_a_lock_is_said() {
    let env = two();
    let held = File::open(env.path(".beads")).unwrap();
    held.lock().unwrap();
    let run = env.bd(["close", "fix", "--lock-timeout", "0.2"]).fails(6, &[]);
    assert!(!run.stderr.contains("waited 0 s"), "{}", run.snapshot());
}

#[test]
fn a_lock_that_is_released_is_taken() {
    let env = two();
    let held = File::open(env.path(".beads")).unwrap();
    held.lock().unwrap();
    let beads = env.path(".beads");
    let release = std::thread::spawn(move || {
        until("somebody waits for the lock", || lock_waiters(&beads) == 1);
        held.unlock().unwrap();
    });
    env.bd(["close", "fix", "--lock-timeout", "600"]).ok();
    release.join().unwrap();
}

pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// `bd` as a user who is subject to permissions: ourselves, or `nobody` if we are root. `None` if that is impossible.
fn unprivileged(env: &Env) -> Option<Command> {
    if !is_root() {
        return Some(env.bd_command(BD));
    }
    // `nobody` may not see the build directory or the temporary one.
    let program = env.root().join("bd");
    copy(BD, &program);
    std::fs::set_permissions(env.root(), Permissions::from_mode(0o755)).unwrap();
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let works = env.command("setpriv").args(nobody).arg("true").status().is_ok_and(|status| status.success());
    works.then(|| {
        let mut command = env.bd_command("setpriv");
        command.args(nobody).arg(program);
        command
    })
}

#[test]
fn a_read_only_directory() {
    let env = two();
    let before = env.ledger();
    std::fs::set_permissions(env.path(".beads"), Permissions::from_mode(0o555)).unwrap();
    for (args, code) in [(&["list", "--json"][..], 0), (&["update", "fix", "-p", "0"], 1), (&["add", "x"], 1)] {
        let Some(mut command) = unprivileged(&env) else {
            crate::support::programs::skip("running as root, and setpriv is missing");
            return;
        };
        command.args(args);
        let run = env.run(command, args.join(" "), None);
        assert_eq!((run.code, env.ledger()), (code, before.clone()), "{}", run.snapshot());
        if code == 1 {
            assert!(
                run.stderr.contains("web/.beads") && run.stderr.contains("Permission denied"),
                "{}",
                run.snapshot()
            );
        }
    }
    std::fs::set_permissions(env.path(".beads"), Permissions::from_mode(0o755)).unwrap();
    is_tidy(&env);
}

#[test]
fn a_ledger_that_may_not_be_read() {
    let env = two();
    std::fs::set_permissions(env.ledger_path(), Permissions::from_mode(0o000)).unwrap();
    let Some(mut command) = unprivileged(&env) else {
        crate::support::programs::skip("running as root, and setpriv is missing");
        return;
    };
    command.arg("list");
    env.run(command, "list".into(), None).fails(1, &["cannot open", "beads.jsonl", "Permission denied"]);
}

#[test]
fn a_full_disk() {
    let env = two();
    let before = env.ledger();
    // The file system exists only in the mount namespace of this shell, so nothing has to be unmounted.
    let script = "mount -t tmpfs -o size=64k tmpfs \"$2\" || exit 99
        mkdir \"$2/.beads\" && cp .beads/beads.jsonl \"$2/.beads/\" && cd \"$2\" || exit 98
        head -c 40000 /dev/zero | tr '\\0' x > text
        \"$1\" note fix --stdin < text; echo \"exit $?\" >&2
        cmp .beads/beads.jsonl \"$3\" && ls -A .beads";
    std::fs::create_dir(env.path("small")).unwrap();
    let mut command = env.bd_command("unshare");
    command.args(["--mount", "sh", "-c", script, "sh", BD]).arg(env.path("small")).arg(env.ledger_path());
    if !is_root() || Command::new("unshare").arg("--mount").arg("true").status().is_ok_and(|status| !status.success()) {
        crate::support::programs::skip("needs root and mount namespaces");
        return;
    }
    let run = env.run(command, "a full disk".into(), None);
    assert_ne!(run.code, 99, "cannot mount a small file system\n{}", run.snapshot());
    assert!(run.stderr.contains("No space left on device"), "{}", run.snapshot());
    assert!(run.stderr.contains("small/.beads") && run.stderr.contains("exit 1\n"), "{}", run.snapshot());
    assert_eq!((run.code, run.stdout.as_str()), (0, "beads.jsonl\n"), "the old bytes, alone\n{}", run.snapshot());
    assert_eq!(env.ledger(), before);
}

/// A git repository whose last commit holds the ledger with its issues.
fn committed() -> Env {
    let env = two();
    for args in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"],
    ] {
        assert!(env.command("git").args(args).status().unwrap().success());
    }
    env
}

#[test]
fn an_empty_file_whose_committed_version_is_not() {
    let env = committed();
    env.put_ledger("");
    let texts = ["beads.jsonl: the ledger is empty, but version control", "restore the file from the last commit"];
    // Each of them waits two seconds before it gives up, so they wait together.
    let calls = [&["list", "--json"][..], &["add", "x"], &["update", "fix", "-p", "1"]];
    let children = calls.map(|args| {
        let mut command = env.bd_command(BD);
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    for (args, child) in calls.into_iter().zip(children) {
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(8), &b""[..]), "{args:?}: {stderr}");
        assert!(texts.iter().all(|text| stderr.contains(text)), "{args:?}: {stderr}");
    }
    assert_eq!(env.ledger(), b"");
}

#[test]
fn a_missing_file_whose_committed_version_is_there() {
    let env = committed();
    std::fs::remove_file(env.ledger_path()).unwrap();
    env.bd(["add", "x"]).fails(6, &["beads.jsonl: the ledger is missing", "try again"]);
    env.bd(["list"]).fails(6, &["beads.jsonl: the ledger is missing"]);
    assert!(!env.ledger_path().exists());
}

#[test]
fn a_missing_file_that_nobody_knows() {
    let env = two();
    std::fs::remove_file(env.ledger_path()).unwrap();
    for args in [&["list"][..], &["add", "x"], &["update", "fix", "-p", "1"], &["doctor"]] {
        env.bd(args).fails(9, &["web/.beads", "run `bd init` for an empty ledger"]);
        assert!(!env.ledger_path().exists(), "{args:?}");
    }
    env.bd(["init"]).ok();
    assert_eq!(env.ledger(), b"");
}

#[test]
fn a_directory_that_does_not_exist() {
    let env = two();
    env.bd(["-C", "nosuch", "list"]).fails(2, &["nosuch"]);
    env.bd(["-C", "nosuch/deep", "init"]).fails(2, &["nosuch"]);
    assert!(!env.path("nosuch").exists());
}

#[test]
fn a_flag_wins_over_the_environment() {
    let (env, other) = (two(), Env::new());
    other.given("add 'Elsewhere' --id bd-else");
    env.set("BEADS_DIR", other.path(".beads"));
    assert_eq!(env.bd(["list", "--json"]).ids(), ["bd-else"]);
    let own = env.ledger_path();
    assert_eq!(env.bd(["--db", own.to_str().unwrap(), "list", "--json"]).ids().len(), 2);
}

#[test]
fn a_stream_that_takes_nothing() {
    let env = two();
    let mut command = env.bd_command("sh");
    command.args(["-c", "\"$1\" list > /dev/full", "sh", BD]);
    env.run(command, "bd list > /dev/full".into(), None).fails(1, &["cannot write to standard output"]);
    let mut command = env.bd_command("sh");
    command.args(["-c", "\"$1\" list | true", "sh", BD]);
    assert_eq!(env.run(command, "bd list | true".into(), None).stderr, "");
}
