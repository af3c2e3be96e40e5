//! Forms must survive other encodings and line ends, a failing editor, signals, and other users of the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::harness::{BD, Env, Run, words};
use crate::support::programs::put;

/// Makes an editor out of a shell script that gets the file as its first argument.
fn editor(env: &Env, script: &str) {
    put(&env.path("../editor.sh"), format!("#!/bin/sh\n{script}\n"));
    env.set("EDITOR", "../editor.sh");
}

/// Runs the command that a refusal names, as a shell reads it.
fn go_on(env: &Env, refused: &Run, more: &str) -> Run {
    let line = refused.stderr.split('`').nth(1).unwrap_or_else(|| panic!("{}", refused.snapshot()));
    let mut command = env.bd_command("sh");
    command.arg("-c").arg(format!("'{BD}' {} {more}", line.strip_prefix("bd ").unwrap()));
    env.run(command, line.to_owned(), None)
}

/// The forms that are left behind.
fn left(env: &Env) -> Vec<PathBuf> {
    fs::read_dir(env.path("../tmp")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The one form that is left behind.
fn kept(env: &Env) -> Vec<u8> {
    let left = left(env);
    assert_eq!(left.len(), 1, "{left:?}");
    fs::read(left[0].join("form.md")).unwrap()
}

fn with_issue() -> Env {
    let env = Env::new();
    env.given("add Login --id bd-a -d 'One line'");
    env
}

const LATIN: &str = r#"{ printf -- '--- title ---\nCaf\351\n'; tail -n +3 "$1"; } > ../new; cat ../new > "$1""#;

#[test]
fn a_form_in_another_encoding_is_kept_and_opened_again() {
    for (line, end) in [("add --editor", ""), ("edit a", ""), ("add --editor", "; exit 1"), ("edit a", "; exit 1")] {
        let env = with_issue();
        let before = env.ledger();
        editor(&env, &format!("{LATIN}{end}"));
        let said = if end.is_empty() { "line 2 of the form is not UTF-8" } else { "ended with exit status: 1" };
        let run = env.bd(words(line)).fails(1, &[said, "your text is kept in"]);
        assert!(kept(&env).windows(5).any(|part| part == b"Caf\xe9\n"), "{}", run.snapshot());
        assert_eq!(env.ledger(), before);
        editor(&env, "LC_ALL=C sed -i 's/^Caf./Coffee/' \"$1\"");
        go_on(&env, &run, "").ok();
        assert!(env.ledger_text().contains("\"Coffee\""), "{line}");
        assert!(left(&env).is_empty(), "what was used is gone");
    }
}

#[test]
fn a_form_that_cannot_be_read_or_stored_is_kept() {
    let env = with_issue();
    editor(&env, "mv \"$1\" \"$1.mine\"; mkdir \"$1\"");
    let run = env.bd(["add", "--editor"]).fails(1, &["cannot read", "your text is kept in"]);
    assert!(left(&env)[0].join("form.md.mine").exists(), "{}", run.snapshot());
    fs::remove_dir_all(&left(&env)[0]).unwrap();
    // Someone else writes meanwhile.
    editor(&env, "sed -i '2s/.*/Mine/' \"$1\"; echo '<<<<<<< ours' >> .beads/beads.jsonl");
    env.bd(["add", "--editor"]).fails(8, &["your text is kept in"]);
    assert!(String::from_utf8(kept(&env)).unwrap().contains("Mine"));
}

#[test]
fn a_signal_leaves_the_form_and_says_where() {
    let env = with_issue();
    editor(&env, "sed -i '2s/.*/Half a title/' \"$1\"; : > ../ready; while [ ! -e ../go ]; do sleep 0.02; done");
    for (signal, ends) in [("INT", false), ("TERM", true)] {
        let mut command = env.bd_command(BD);
        command.args(["add", "--editor"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        await_file(&env.path("../ready"));
        let pid = child.id().to_string();
        assert!(env.command("sh").args(["-c", "kill -\"$1\" \"$2\"", "sh", signal, &pid]).status().unwrap().success());
        let early = ends.then(|| child.wait().unwrap());
        fs::write(env.path("../go"), "").unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        if ends {
            assert_eq!(std::os::unix::process::ExitStatusExt::signal(&early.unwrap()), Some(15));
            assert!(said.contains("your text is kept in") && said.contains("run `bd add --form "), "{said}");
            assert!(String::from_utf8(kept(&env)).unwrap().contains("Half a title"));
        } else {
            assert!(output.status.success(), "an interrupt is the editor's: {said}");
            assert!(left(&env).is_empty() && env.ledger_text().contains("Half a title"));
        }
        for name in ["../ready", "../go"] {
            fs::remove_file(env.path(name)).unwrap();
        }
    }
}

fn await_file(path: &Path) {
    let end = Instant::now() + Duration::from_secs(60);
    while !path.exists() {
        assert!(Instant::now() < end, "{} did not come", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn nobody_else_can_read_a_form() {
    let env = with_issue();
    editor(
        &env,
        "umask 022; stat -c %a \"$(dirname \"$1\")\" \"$1\" \"$(dirname \"$1\")/shown.md\" > ../modes; exit 1",
    );
    let modes = || fs::read_to_string(env.path("../modes")).unwrap();
    for line in [&["add", "--editor"][..], &["edit", "a"]] {
        env.bd(line).fails(1, &["ended with"]);
        assert_eq!(modes(), "700\n600\n600\n", "{line:?}");
    }
    // One that was kept stays so when it is taken up.
    editor(&env, "sed -i 's/^priority:.*/priority: 9/' \"$1\"");
    let run = env.bd(["edit", "a"]).fails(2, &["invalid priority"]);
    env.given("update a --title Renamed");
    let mode = |name: &str| fs::metadata(left(&env)[0].join(name)).unwrap().permissions().mode() & 0o777;
    editor(&env, "exit 1");
    go_on(&env, &run, "").fails(1, &["your text is kept in"]);
    assert_eq!((mode("."), mode("form.md"), mode("shown.md")), (0o700, 0o600, 0o600));
    assert!(String::from_utf8(kept(&env)).unwrap().contains("Renamed\n--- details"), "and is up to date");
}

#[test]
fn an_editor_may_write_the_line_ends_of_another_system() {
    let env = Env::new();
    env.bd(["add", "Login", "--id", "bd-a", "-d", "a\r\nb", "--design", "one\ntwo", "--notes", "x\r\ny\nz"]).ok();
    let before = env.ledger();
    let dos = r#"{ printf '\357\273\277'; sed 's/\r$//; s/$/\r/' "$1"; } > ../new; cat ../new > "$1""#;
    editor(&env, dos);
    env.bd(["edit", "a"]).ok();
    assert_eq!(env.ledger(), before, "nothing was changed");
    editor(&env, &format!("sed -i 's/^two/three/; s/^Login/Logout/' \"$1\"; {dos}"));
    env.bd(["edit", "a"]).ok();
    let row = env.bd(["show", "a", "--json"]).ok().json()[0].clone();
    assert_eq!((row["title"].as_str(), row["design"].as_str()), (Some("Logout"), Some("one\nthree")));
    assert_eq!((row["description"].as_str(), row["notes"].as_str()), (Some("a\r\nb"), Some("x\r\ny\nz")));
    editor(&env, &format!("sed -i '2s/.*/New/' \"$1\"; {dos}"));
    env.bd(["add", "--editor"]).ok();
    assert!(env.ledger_text().contains("\"title\":\"New\""));
}

#[test]
fn a_form_is_taken_up_in_its_place_with_the_flags_it_does_not_cover() {
    let env = with_issue();
    editor(&env, "true");
    env.write("other.md", "words\n");
    env.bd(["add", "--form", "other.md"]).fails(2, &["other.md is not a form that bd kept"]);
    env.write("shown.md", "words\n");
    env.bd(["edit", "a", "--form", "other.md"]).fails(2, &["other.md is not a form that bd kept"]);
    editor(&env, "sed -i 's/^priority:.*/priority: 9/' \"$1\"");
    let flags =
        ["-a", "o'neil", "--deps", "related:bd-a", "--due", "2026-02-01 17:00", "--external-ref", "gh 9", "-e", "30"];
    let run = env.bd(["add", "Given", "--editor"].into_iter().chain(flags)).fails(2, &["invalid priority"]);
    let places = left(&env);
    for _ in 0..2 {
        go_on(&env, &run, "").fails(2, &["invalid priority", "your text is kept in"]);
        assert_eq!(left(&env), places, "the same file");
    }
    editor(&env, "sed -i 's/^priority:.*/priority: 1/' \"$1\"");
    let id = go_on(&env, &run, "--json").ok().json()["id"].clone();
    let row = env.bd(["show", id.as_str().unwrap(), "--json"]).ok().json()[0].clone();
    assert_eq!((&row["title"], &row["priority"], &row["assignee"]), (&"Given".into(), &1.into(), &"o'neil".into()));
    assert_eq!((&row["due_at"], &row["external_ref"]), (&"2026-02-01T17:00:00.000Z".into(), &"gh 9".into()));
    assert_eq!((&row["estimated_minutes"], row["dependencies"].as_array().map(Vec::len)), (&30.into(), Some(1)));
    assert!(left(&env).is_empty());
}
