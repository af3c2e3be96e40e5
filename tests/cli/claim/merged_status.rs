//! A status is merged as one value, and a claim is judged by all that is known: the lease, and what the ledgers say.

use serde_json::Value;

use crate::cli::share::sync::clones;
use crate::support::harness::Env;
use crate::support::repos::{bd_in, ledger, sh};

fn in_other(env: &Env, line: &str) {
    bd_in(env, "other", line.split(' ')).ok();
}

fn line_of(env: &Env, below: &str, id: &str) -> Value {
    let text = ledger(env, below);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.into_iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id} is not in {text}"))
}

fn state(env: &Env, below: &str) -> (String, String) {
    let line = line_of(env, below, "bd-base");
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    (text("status"), text("assignee"))
}

fn is(status: &str, assignee: &str) -> (String, String) {
    (status.to_owned(), assignee.to_owned())
}

fn letters(env: &Env, below: &str, agent: &str) -> usize {
    let inbox = bd_in(env, below, ["--agent", agent, "mail", "inbox", "--json"]).ok().json();
    inbox.as_array().map_or(0, Vec::len)
}

#[test]
fn a_later_note_does_not_open_what_another_clone_closed() {
    let Some(env) = clones() else { return };
    env.given("--agent amy work bd-base");
    in_other(&env, "--agent ben work bd-base");
    in_other(&env, "--agent ben close bd-base -r done");
    in_other(&env, "sync -q");
    env.given("--agent amy note bd-base later\nsync -q");
    in_other(&env, "sync -q");
    for below in ["web", "other"] {
        let line = line_of(&env, below, "bd-base");
        assert_eq!((&line["status"], &line["close_reason"]), (&"closed".into(), &"done".into()), "{line}");
        assert_eq!(line["notes"], "later", "{line}");
    }
    // The loser is notified once, refused, and replaces nothing of the winner's.
    for args in [["close", "bd-base", "-r", "mine"], ["note", "bd-base", "more", "words"]] {
        bd_in(&env, "web", ["--agent", "amy"].into_iter().chain(args)).fails(7, &["nothing was written"]);
    }
    assert_eq!(line_of(&env, "web", "bd-base")["close_reason"], "done");
    assert_eq!(letters(&env, "web", "amy"), 1);
    assert_eq!(env.bd(["leases", "--json"]).ok().json(), serde_json::json!([]));
}

#[test]
fn a_reopen_that_is_newer_than_a_close_stays_whatever_is_noted_in_between() {
    let Some(env) = clones() else { return };
    env.given("close bd-base -r first\nsync -q");
    in_other(&env, "sync -q");
    in_other(&env, "reopen bd-base");
    in_other(&env, "close bd-base -r second");
    env.given("note bd-base one\nreopen bd-base\nnote bd-base two");
    in_other(&env, "note bd-base three");
    in_other(&env, "sync -q");
    env.given("sync -q");
    in_other(&env, "sync -q");
    assert_eq!((state(&env, "web"), state(&env, "other")), (is("open", ""), is("open", "")));
    assert_eq!(ledger(&env, "web"), ledger(&env, "other"));
}

/// Two closes, a reopen and a note, by two clones in every order; then with a clock that is a day ahead.
#[test]
fn closes_reopens_and_notes_in_every_order() {
    let acts = [("web", "close bd-base -r a"), ("other", "close bd-base -r b"), ("web", "reopen bd-base")];
    let orders = [[0, 2, 1], [0, 1, 2], [1, 0, 2]];
    for ahead in [false, true] {
        for (order, expected) in orders.iter().zip(["closed", "open", "open"]) {
            let Some(env) = clones() else { return };
            for (n, act) in order.iter().map(|n| acts[*n]).enumerate() {
                let later = [("BD_TEST_NOW", format!("2026-01-06T10:00:0{n}Z"))];
                let mut command = env.bd_command(crate::support::harness::BD);
                command.args(act.1.split(' ')).current_dir(env.root().join(act.0));
                if ahead && act.0 == "other" {
                    command.envs(later);
                }
                env.run(command, act.1.to_owned(), None).ok();
                bd_in(&env, act.0, ["note", "bd-base", "words"]).ok();
            }
            env.given("sync -q");
            in_other(&env, "note bd-base last");
            in_other(&env, "sync -q");
            env.given("sync -q");
            let expected = if ahead { "closed" } else { expected };
            assert_eq!(state(&env, "web").0, expected, "{order:?} {ahead}\n{}", ledger(&env, "web"));
            assert_eq!(ledger(&env, "web"), ledger(&env, "other"));
        }
    }
}

#[test]
fn a_claim_that_was_lost_to_another_machine_is_noticed_in_a_worktree() {
    let Some(env) = clones() else { return };
    sh(&env, "git -C web worktree add -q ../side");
    in_other(&env, "--agent ben work bd-base");
    in_other(&env, "sync -q");
    bd_in(&env, "side", ["--agent", "amy", "work", "bd-base"]).ok();
    env.given("sync -q");
    assert_eq!(state(&env, "side"), is("in_progress", "amy"));
    bd_in(&env, "side", ["--agent", "amy", "close", "bd-base", "-r", "mine"]).fails(7, &["nothing was written"]);
    assert_eq!(state(&env, "side"), is("in_progress", "ben"), "what the others have");
    bd_in(&env, "side", ["--agent", "amy", "note", "bd-base", "words"]).fails(7, &[]);
    assert_eq!(letters(&env, "side", "amy"), 1);
    let prime = bd_in(&env, "side", ["--agent", "amy", "prime"]).ok().stdout;
    assert!(!prime.contains("bd-base"), "{prime}");
    // Nothing of the winner's is replaced when the branches meet.
    env.given("hooks install --merge-driver-only");
    sh(&env, "git -C side commit -q -a -m side; git -C web merge -q side 2>&1");
    assert_eq!(state(&env, "web"), is("in_progress", "ben"));
}

#[test]
fn a_claim_that_was_lost_is_noticed_after_a_pull_with_the_merge_driver() {
    let Some(env) = clones() else { return };
    env.given("hooks install --merge-driver-only");
    in_other(&env, "--agent ben work bd-base");
    in_other(&env, "sync -q");
    env.given("--agent amy work bd-base");
    sh(&env, "cd web; git commit -q -a -m mine; git pull -q --no-rebase 2>&1");
    assert_eq!(state(&env, "web"), is("in_progress", "ben"));
    env.bd(["--agent", "amy", "note", "bd-base", "words"]).fails(7, &["nothing was written"]);
    assert_eq!(letters(&env, "web", "amy"), 1);
    assert_eq!(state(&env, "web"), is("in_progress", "ben"));
}

#[test]
fn a_release_of_what_was_lost_puts_the_line_back() {
    let Some(env) = clones() else { return };
    sh(&env, "git -C web worktree add -q ../side");
    bd_in(&env, "side", ["--agent", "amy", "work", "bd-base"]).ok();
    env.given("--agent ben claim bd-base --takeover --reason urgent");
    assert_eq!(state(&env, "side"), is("in_progress", "amy"));
    let released = bd_in(&env, "side", ["--agent", "amy", "release", "bd-base"]).ok().stdout;
    assert!(released.contains("not yours any more"), "{released}");
    assert_eq!((state(&env, "side"), state(&env, "web")), (is("in_progress", "ben"), is("in_progress", "ben")));
    sh(&env, "git -C web commit -q -a -m web; git -C side commit -q -a -m side");
    env.given("--agent ben close bd-base -r done\nhooks install --merge-driver-only");
    sh(&env, "cd web; git commit -q -a -m closed; git merge -q side 2>&1");
    assert_eq!(state(&env, "web"), is("closed", "ben"), "nothing of the winner's is replaced");
}

#[test]
fn work_in_progress_that_nobody_holds_is_found_and_freed_in_one_write() {
    let env = Env::new();
    env.given("add One --id bd-one\nadd Two --id bd-two\nadd Three --id bd-three\nupdate bd-one --status in_progress");
    // Claimed elsewhere, as far as is known here, and by someone here.
    env.given("update bd-two --status in_progress --assignee zoe\nwork bd-three");
    let doctor = env.bd(["doctor"]);
    assert!(doctor.stdout.contains("bd-one") && !doctor.stdout.contains("bd-two"), "{}", doctor.snapshot());
    assert!(!doctor.stdout.contains("bd-three"), "{}", doctor.snapshot());
    let ready = env.bd(["ready"]).ok();
    assert!(ready.stderr.contains("1 is in progress without a claim"), "{}", ready.snapshot());
    env.bd(["reclaim", "--orphans", "--dry-run"]).ok();
    assert_eq!(line_of(&env, "web", "bd-one")["status"], "in_progress");
    let freed = env.bd(["reclaim", "--orphans", "--json"]).ok();
    assert_eq!(freed.ids(), ["bd-one"]);
    assert_eq!(line_of(&env, "web", "bd-one")["status"], "open");
    assert_eq!(line_of(&env, "web", "bd-two")["status"], "in_progress");
    env.given("undo --yes");
    assert_eq!(line_of(&env, "web", "bd-one")["status"], "in_progress");
}

#[test]
fn an_undo_of_a_prefix_brings_the_settings_back() {
    let env = Env::new();
    env.given("add One --id bd-one");
    let settings = || std::fs::read_to_string(env.path(".beads/config.toml")).unwrap_or_default();
    let before = settings();
    env.given("rename-prefix web");
    let renamed = settings();
    assert_ne!(renamed, before);
    env.given("undo --yes");
    assert_eq!(settings(), before);
    assert_eq!(line_of(&env, "web", "bd-one")["title"], "One");
    env.given("undo --yes");
    assert_eq!(settings(), renamed, "the undo of the undo");
    env.write(".beads/config.toml", renamed.clone() + "# mine\n");
    env.bd(["undo", "--yes"]).fails(8, &["settings of"]);
    assert_eq!(settings(), renamed + "# mine\n");
}

#[test]
fn resolve_lets_go_what_the_driver_lets_go() {
    let text = "<<<<<<< ours\n{\"id\":\"bd-a\",\"title\":\"A1\"}\n{\"id\":\"bd-b\",\"title\":\"B\",\"description\":\"\"}\n||||||| base\n{\"id\":\"bd-a\",\"title\":\"A\"}\n{\"id\":\"bd-b\",\"title\":\"B\"}\n=======\n{\"id\":\"bd-a\",\"title\":\"A2\"}\n>>>>>>> theirs\n";
    let env = Env::with_ledger(text);
    env.given("resolve");
    let left = env.ledger_text();
    assert!(left.contains("bd-a") && !left.contains("bd-b"), "{left}");
}

#[test]
fn what_an_older_program_opened_again_is_named() {
    let env = Env::with_ledger(concat!(
        r#"{"id":"bd-a","title":"A","status":"in_progress","assignee":"zoe","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-04T00:00:00Z","started_at":"2026-01-02T00:00:00Z","comments":[{"id":1,"issue_id":"bd-a","author":"bd merge","text":"status of the other version: closed","created_at":"2026-01-03T00:00:00Z"}]}"#,
        "\n"
    ));
    let doctor = env.bd(["doctor"]);
    assert!(doctor.stdout.contains("a merge by an older bd"), "{}", doctor.snapshot());
    assert!(doctor.stdout.contains("bd 2.1 or later"), "{}", doctor.snapshot());
}
