//! Claims: who gets an issue, how long, who may write meanwhile, and what becomes of it.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{BD, Env, Run};
use crate::support::process::ended;
use crate::support::wait::{until, until_some};

/// Issues `bd-a`, `bd-b`, `bd-c`.
fn three() -> Env {
    let env = Env::new();
    for id in ["a", "b", "c"] {
        env.bd(["add", &format!("Task {id}"), "--id", &format!("bd-{id}")]).ok();
    }
    env
}

/// Runs a command as an agent, at a moment of 5 January 2026.
fn agent(env: &Env, name: &str, time: &str, line: &str) -> Run {
    let now = format!("2026-01-05T{time}Z");
    env.bd_with(line.split(' '), None, &[("BD_TEST_NOW", &now), ("BD_AGENT", name)])
}

fn issue(env: &Env, id: &str) -> Value {
    env.bd(["show", id, "--json"]).ok().json()[0].clone()
}

#[test]
fn claim_look_and_give_back() {
    let env = three();
    assert_data_eq!(
        env.script(
            "--agent bot claim a
             --agent bot claim a
             --agent cat claim a
             leases
             ready
             --agent bot release a --reason 'something else first'
             leases
             --agent cat claim a --ttl 2h
             claim b
             leases
             --agent bot release b
             release c
             claim a --takeover --reason 'cat is away'
             --agent cat close a"
        ),
        str![[r#"
$ bd --agent bot claim a
Claimed for 30 minutes: bd-a
$ bd --agent bot claim a
Already yours, renewed for 30 minutes: bd-a
$ bd --agent cat claim a
! error: bd-a is already claimed by bot in main until 2026-01-05T09:30:04.000Z
! hint: run `bd ready` to see free issues, or `bd leases` to see who holds what
[exit 4]
$ bd leases
bd-a  bot  epoch 1  29m 58s left  in main  Task a
$ bd ready
bd-b  P2  open  task  Task b
bd-c  P2  open  task  Task c
$ bd --agent bot release a --reason 'something else first'
Released: bd-a
$ bd leases
! nobody holds an issue
$ bd --agent cat claim a --ttl 2h
Claimed for 2 hours: bd-a
$ bd claim b
Claimed: bd-b
$ bd leases
bd-a  cat  epoch 2  1h 59m left  in main  Task a
bd-b  ann  epoch 1  no end  in main  Task b
$ bd --agent bot release b
! error: bd-b is already claimed by ann in main
! hint: run `bd ready` to see free issues, or `bd leases` to see who holds what
[exit 4]
$ bd release c
! error: bd-c is not claimed
[exit 5]
$ bd claim a --takeover --reason 'cat is away'
Claimed (taken from cat: taken over: cat is away): bd-a
$ bd --agent cat close a
! error: the claim of cat on bd-a (epoch 2) is over: ann holds it, epoch 3; nothing was written
! hint: stop working on it; run `bd claim` to take it again if it is free, or `bd release` to let go
[exit 7]

"#]]
        .raw()
    );
    assert_eq!(issue(&env, "bd-a")["assignee"], "ann");
}

#[test]
fn a_holder_that_thinks_for_twenty_minutes_keeps_its_claim() {
    let env = three();
    agent(&env, "bot", "10:00:00", "claim bd-a").ok();
    assert_eq!(agent(&env, "cat", "10:20:00", "claim bd-a").code, 4);
    agent(&env, "bot", "10:20:00", "note bd-a thinking").ok();
    // Every command renews: also one that only reads.
    agent(&env, "bot", "10:45:00", "list").ok();
    assert_eq!(agent(&env, "cat", "11:10:00", "claim bd-a").code, 4);
    agent(&env, "bot", "11:14:00", "close bd-a").ok();
}

#[test]
fn a_persons_claim_never_ends() {
    let env = three();
    let at = |time: &str, line: &str| env.bd_with(line.split(' '), None, &[("BD_TEST_NOW", time)]);
    at("2026-01-05T10:00:00Z", "claim bd-a").ok();
    let late = env.bd_with(["claim", "bd-a"], None, &[("BD_TEST_NOW", "2029-01-05T10:00:00Z"), ("BD_AGENT", "bot")]);
    assert_eq!(late.code, 4, "{}", late.stderr);
    at("2029-01-05T10:00:00Z", "close bd-a").ok();
}

#[test]
fn whoever_slept_too_long_is_refused_and_nothing_is_written() {
    let env = three();
    agent(&env, "bot", "10:00:00", "claim bd-a").ok();
    let before = env.ledger();
    for line in [
        "close bd-a",
        "note bd-a late",
        "update bd-a -p 0",
        "comment bd-a late",
        "label add bd-a late",
        "delete bd-a --yes",
    ] {
        let late = agent(&env, "bot", "10:30:00", line);
        assert_eq!((late.code, &late.stdout), (7, &String::new()), "{line}: {}", late.stderr);
        assert_eq!(env.ledger(), before, "{line}");
    }
    // It may claim again, under a new number.
    let again = agent(&env, "bot", "10:31:00", "claim bd-a --json").ok().json();
    assert_eq!((&again[0]["epoch"], &again[0]["again"]), (&2.into(), &false.into()));
    agent(&env, "bot", "10:32:00", "close bd-a").ok();
}

#[test]
fn a_taken_claim_tells_its_evidence_and_writes_to_the_former_holder() {
    let env = three();
    agent(&env, "bot", "10:00:00", "claim bd-a").ok();
    let taken = agent(&env, "cat", "10:40:00", "claim bd-a --json").ok().json();
    assert_eq!((&taken[0]["epoch"], &taken[0]["taken_from"]["holder"]), (&2.into(), &"bot".into()));
    assert!(taken[0]["taken_from"]["why"].as_str().unwrap().contains("ended at 2026-01-05T10:30:00"), "{taken}");
    let late = agent(&env, "bot", "10:41:00", "close bd-a --json");
    let error = &late.error();
    assert_eq!(
        (late.code, &error["held"], &error["epoch"], &error["holder"]),
        (7, &1.into(), &2.into(), &"cat".into())
    );
    let mail = agent(&env, "bot", "10:42:00", "mail inbox --json").ok().json();
    assert_eq!((&mail[0]["issue"], mail.as_array().unwrap().len()), (&"bd-a".into(), 1), "{mail}");
    // After releasing, it may again do what anyone may.
    assert_eq!(agent(&env, "bot", "10:43:00", "comment bd-a sorry").code, 7);
    agent(&env, "bot", "10:44:00", "release bd-a").ok();
    agent(&env, "bot", "10:45:00", "comment bd-a sorry").ok();
    agent(&env, "cat", "10:46:00", "close bd-a").ok();
}

#[test]
fn an_issue_that_was_closed_is_not_taken_over() {
    let env = three();
    agent(&env, "bot", "10:00:00", "claim bd-a").ok();
    env.bd(["close", "bd-a"]).ok();
    assert_eq!(agent(&env, "cat", "11:00:00", "claim bd-a").code, 5);
    assert_eq!(env.bd(["leases", "--json"]).ok().stdout, "[]\n", "closing ended the claim");
}

#[test]
fn others_may_comment_on_a_claimed_issue_and_no_more() {
    let env = three();
    env.bd(["agent", "register", "boss", "--role", "coordinator"]).ok();
    agent(&env, "bot", "10:00:00", "claim bd-a").ok();
    for line in ["comment bd-a hello", "label add bd-a x", "dep add bd-a bd-b"] {
        agent(&env, "cat", "10:01:00", line).ok();
    }
    for line in ["close bd-a", "update bd-a --title Mine", "note bd-a mine", "status bd-a open", "delete bd-a --yes"] {
        let refused = agent(&env, "cat", "10:02:00", line);
        assert_eq!(refused.code, 4, "{line}: {}", refused.stderr);
    }
    agent(&env, "boss", "10:03:00", "update bd-a -p 0").ok();
    agent(&env, "cat", "10:04:00", "close bd-b").ok();
    // Of several, those that can be done are done.
    let some = agent(&env, "cat", "10:05:00", "close bd-a bd-c");
    assert_eq!((some.code, issue(&env, "bd-c")["status"].as_str()), (4, Some("closed")));
    assert_eq!(issue(&env, "bd-a")["status"], "in_progress");
}

#[test]
fn the_number_that_a_caller_carries_must_be_the_one_of_its_claim() {
    let env = three();
    agent(&env, "bot", "10:00:00", "claim bd-a").ok();
    agent(&env, "bot", "10:01:00", "release bd-a").ok();
    agent(&env, "bot", "10:02:00", "claim bd-a").ok();
    let with = |lease: &str, line: &str| {
        let vars = [("BD_TEST_NOW", "2026-01-05T10:03:00Z"), ("BD_AGENT", "bot"), ("BD_LEASE", lease)];
        env.bd_with(line.split(' '), None, &vars)
    };
    assert_eq!(with("bd-a:1", "note bd-a old").code, 7);
    with("bd-b:9,bd-a:2", "note bd-a new").ok();
    with("bd-b:9", "note bd-a other").ok();
    for odd in ["bd-a", "bd-a:", "bd-a:x"] {
        assert_eq!(with(odd, "note bd-a odd").code, 2, "{odd}");
    }
    assert_eq!(issue(&env, "bd-a")["notes"], "new\nother");
}

#[test]
fn three_failures_need_attention() {
    let env = three();
    for n in 1..=3 {
        agent(&env, "bot", &format!("1{n}:00:00"), "claim bd-a").ok();
        let args = ["release", "bd-a", "--failed", "no database", "--json"];
        let released =
            env.bd_with(args, None, &[("BD_AGENT", "bot"), ("BD_TEST_NOW", &format!("2026-01-05T1{n}:01:00Z"))]);
        let released = released.ok().json();
        assert_eq!((&released[0]["attempts"], &released[0]["needs_attention"]), (&n.into(), &(n == 3).into()));
    }
    assert_eq!(issue(&env, "bd-a")["labels"], serde_json::json!(["needs-attention"]));
    let next = agent(&env, "bot", "14:00:00", "ready --claim --json").ok().json();
    assert_eq!(next[0]["id"], "bd-b", "it is not handed out any more");
    // A person decides.
    let claimed = env.bd(["claim", "bd-a", "--json"]).ok().json();
    assert_eq!((&claimed[0]["attempts"], &claimed[0]["last_error"]), (&3.into(), &"no database".into()));
}

#[test]
fn a_holder_that_dies_three_times_needs_attention_too() {
    let env = three();
    for hour in 10..13 {
        agent(&env, "bot", &format!("{hour}:00:00"), "claim bd-a --ttl 1m").ok();
        let found = agent(&env, "cat", &format!("{hour}:30:00"), "reclaim --json").ok().json();
        assert_eq!(found[0]["attempts"], hour - 9);
    }
    assert_eq!(issue(&env, "bd-a")["labels"], serde_json::json!(["needs-attention"]));
    assert_eq!((&issue(&env, "bd-a")["status"], issue(&env, "bd-a").get("assignee")), (&"open".into(), None));
    assert_eq!(agent(&env, "cat", "13:00:00", "reclaim bd-a").code, 5, "there is nothing to take back");
}

#[test]
fn what_may_not_be_handed_out_is_passed_over() {
    let env = three();
    env.bd(["label", "add", "bd-a", "no-auto-claim"]).ok();
    env.bd(["label", "add", "bd-b", "requires:gpu"]).ok();
    env.bd(["agent", "register", "able", "--cap", "gpu"]).ok();
    let next = |name: &str, time: &str| agent(&env, name, time, "ready --claim --json").ok().json();
    assert_eq!(next("bot", "10:00:00")[0]["id"], "bd-c");
    assert_eq!(next("bot", "10:01:00"), serde_json::json!([]));
    assert_eq!(next("able", "10:02:00")[0]["id"], "bd-b");
    assert_eq!(next("able", "10:03:00"), serde_json::json!([]));
    // Someone who names it gets it.
    agent(&env, "bot", "10:04:00", "claim bd-a").ok();
}

#[test]
fn assigning_is_for_coordinators_and_people() {
    let env = three();
    env.bd(["agent", "register", "bot"]).ok();
    env.bd(["agent", "register", "boss", "--role", "coordinator"]).ok();
    assert_eq!(agent(&env, "bot", "10:00:00", "assign bd-a bot").code, 5);
    agent(&env, "boss", "10:01:00", "assign bd-a bot").ok();
    assert_eq!(agent(&env, "boss", "10:01:30", "assign bd-b nobody").code, 3);
    let mail = agent(&env, "bot", "10:02:00", "mail inbox --json").ok().json();
    assert_eq!((&mail[0]["type"], &mail[0]["issue"]), (&"task_assignment".into(), &"bd-a".into()));
    assert_eq!(agent(&env, "cat", "10:03:00", "claim bd-a").code, 4, "it is somebody's");
    assert_eq!(agent(&env, "bot", "10:04:00", "ready --claim --json").ok().json()[0]["id"], "bd-a");
    assert_eq!(agent(&env, "boss", "10:05:00", "assign bd-a person:bob").code, 4, "a live claim stands");
}

#[test]
fn bad_input_is_told() {
    let env = three();
    for (line, code) in [
        ("claim", 2),
        ("claim bd-a --ttl soon", 2),
        ("claim bd-a --ttl 0s", 2),
        ("claim bd-a --takeover", 2),
        ("claim bd-a --reason why", 2),
        ("claim bd-nosuch", 3),
        ("release bd-a", 5),
        ("reclaim bd-a", 5),
        ("reclaim bd-nosuch", 3),
        ("leases --worktree nowhere", 3),
        ("run bd-a", 2),
        ("--config lease.ttl=never claim bd-a", 1),
        ("claim bd-a --remote", 9),
        ("state move --to nowhere", 2),
    ] {
        let run = env.bd(line.split(' '));
        assert_eq!(run.code, code, "{line}: {}", run.stderr);
    }
    assert_eq!(env.bd(["leases", "--json"]).ok().stdout, "[]\n");
    assert_eq!(env.bd(["claim", "bd-a", "--state-dir", "/dev/null/x"]).code, 1, "a failed write is an error");
    assert_eq!(issue(&env, "bd-a")["status"], "open");
}

/// A command in real time: leases by the clock of the machine.
fn real(env: &Env, name: &str, line: &str) -> std::process::Command {
    let mut command = env.bd_command(BD);
    command.args(line.split(' ')).env_remove("BD_TEST_NOW").env_remove("BD_TEST_SEED").env("BD_AGENT", name);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_program_that_is_run_has_the_issue() {
    let env = three();
    env.write("job.sh", "echo \"$BD_ISSUE $BD_LEASE $BD_AGENT\"\n\"$BD\" close \"$BD_ISSUE\" --quiet\n");
    env.set("BD", BD);
    let done = agent(&env, "bot", "10:00:00", "run bd-a -- sh job.sh");
    assert_eq!((done.code, done.stdout.as_str()), (0, "bd-a bd-a:1 bot\n"), "{}", done.stderr);
    assert_eq!(issue(&env, "bd-a")["status"], "closed");
    assert_eq!(env.bd(["leases", "--json"]).ok().stdout, "[]\n");
    let failed =
        env.bd_with(["run", "bd-b", "--json", "--", "sh", "-c", "echo words; exit 3"], None, &[("BD_AGENT", "bot")]);
    assert_eq!((failed.code, failed.json()[0]["outcome"].as_str()), (3, Some("failed")));
    assert!(failed.stderr.contains("words"), "what the program prints is not mixed with the answer");
    assert_eq!((&issue(&env, "bd-b")["status"], issue(&env, "bd-b").get("assignee")), (&"open".into(), None));
    let idle = env.bd_with(["run", "bd-b", "--json", "--", "true"], None, &[("BD_AGENT", "bot")]);
    assert_eq!((idle.code, &idle.json()[0]["outcome"]), (1, &"failed".into()), "it ended and closed nothing");
    let told = env.bd_with(["run", "bd-b", "--", "true"], None, &[("BD_AGENT", "cat")]);
    told.fails(1, &["the program ended with 0 but did not close the issue (attempt 3", "given back: bd-b"]);
    let kept = env.bd_with(["run", "bd-c", "--keep", "--json", "--", "true"], None, &[("BD_AGENT", "bot")]);
    assert_eq!((kept.code, &kept.json()[0]["outcome"]), (0, &"kept".into()));
    assert_eq!(env.bd(["leases", "--json"]).ok().json()[0]["status"], "live");
    let missing = env.bd_with(["run", "bd-c", "--", "no-such-program"], None, &[("BD_AGENT", "bot")]);
    assert_eq!(missing.code, 1, "{}", missing.stderr);
}

#[test]
fn a_long_program_keeps_its_claim() {
    let env = three();
    // A machine that is too busy to renew the claim in time shows nothing; then there is more time, three times as often.
    let kept = [("bd-a", 1), ("bd-b", 6), ("bd-c", 36)].iter().any(|(id, seconds)| {
        let line = format!("run {id} --ttl {seconds}s -- cat");
        let mut job = real(&env, "bot", &line).stdin(Stdio::piped()).spawn().unwrap();
        until_some("it claims", || lease(&env, id)["pid"].as_i64());
        std::thread::sleep(Duration::from_secs(*seconds));
        let late = real(&env, "cat", &format!("claim {id}")).output().unwrap();
        // The program ends with its input.
        drop(job.stdin.take());
        (late.status.code(), ended(job).status.code()) == (Some(4), Some(1))
    });
    assert!(kept, "the claim ended before the program");
}

/// The last that was written down about the claim on an issue.
fn lease(env: &Env, id: &str) -> Value {
    let text = std::fs::read_to_string(env.path(".beads/run/leases.jsonl")).unwrap_or_default();
    let mut all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.find(|lease| lease["id"].as_str().is_some_and(|known| known.ends_with(id))).unwrap_or_default()
}

#[test]
fn a_holder_that_was_killed_loses_the_issue_at_once() {
    let env = three();
    let job = real(&env, "bot", "run bd-a --ttl 1h -- sleep 600").spawn().unwrap();
    let pid = until_some("the process is noted", || lease(&env, "bd-a")["pid"].as_i64());
    // First the one that looks after the claim, then the program itself.
    for pid in [i64::from(job.id()), pid] {
        let killed = env.command("sh").args(["-c", &format!("kill -9 {pid}")]).status().unwrap();
        assert!(killed.success());
    }
    let mut job = job;
    let _ = job.wait();
    let next = real(&env, "cat", "claim bd-a --json").output().unwrap();
    assert_eq!(next.status.code(), Some(0), "{next:?}");
    let taken: Value = serde_json::from_slice(&next.stdout).unwrap();
    assert_eq!((&taken[0]["epoch"], &taken[0]["taken_from"]["why"]), (&2.into(), &"its process is gone".into()));
    assert_eq!(real(&env, "bot", "close bd-a").output().unwrap().status.code(), Some(7));
}

#[test]
fn a_program_whose_claim_is_lost_is_ended() {
    let env = three();
    // It looks after its claim three times in the time to live.
    let job = real(&env, "bot", "run bd-a --ttl 3s -- sleep 6000").spawn().unwrap();
    until("it claims", || lease(&env, "bd-a")["epoch"] == 1);
    let taken = real(&env, "cat", "claim bd-a --takeover --reason urgent").output().unwrap();
    assert!(taken.status.success(), "{taken:?}");
    let ended = ended(job);
    assert_eq!(ended.status.code(), Some(7), "{ended:?}");
    assert_eq!(issue(&env, "bd-a")["assignee"], "cat", "what it lost stays the other's");
}

#[test]
fn a_signal_goes_to_the_program() {
    let env = three();
    env.write("job.sh", "trap 'exit 9' TERM\necho ready > ready.txt\nwhile :; do sleep 0.05; done\n");
    let mut job = real(&env, "bot", "run bd-a -- sh job.sh").spawn().unwrap();
    until("the program is ready", || env.path("ready.txt").exists());
    env.command("sh").args(["-c", &format!("kill -TERM {}", job.id())]).status().unwrap();
    assert_eq!(job.wait().unwrap().code(), Some(9), "the program decides how it ends");
    assert_eq!(issue(&env, "bd-a")["status"], "open", "and the issue is given back");
}

#[test]
fn what_the_silent_hold_is_handed_out_again() {
    let env = Env::new();
    env.bd(["add", "Task", "--id", "bd-a"]).ok();
    agent(&env, "bot", "10:00:00", "claim bd-a --ttl 1m").ok();
    assert_eq!(agent(&env, "cat", "10:00:30", "ready --claim --json").ok().json(), serde_json::json!([]));
    let next = agent(&env, "cat", "10:02:00", "ready --claim --json").ok().json();
    assert_eq!((&next[0]["id"], &next[0]["epoch"], &next[0]["attempts"]), (&"bd-a".into(), &2.into(), &1.into()));
    assert_eq!(agent(&env, "bot", "10:02:30", "close bd-a").code, 7);
}

#[test]
fn one_who_lost_an_issue_may_be_given_it_again() {
    let env = Env::new();
    env.bd(["add", "Task", "--id", "bd-a"]).ok();
    agent(&env, "bot", "10:00:00", "claim bd-a --ttl 1m").ok();
    agent(&env, "cat", "10:02:00", "ready --claim --ttl 1m").ok();
    // Now bot is among those who lost it, and cat is silent.
    let again = agent(&env, "bot", "10:05:00", "ready --claim --json").ok().json();
    assert_eq!((&again[0]["id"], &again[0]["epoch"], &again[0]["attempts"]), (&"bd-a".into(), &3.into(), &2.into()));
    agent(&env, "bot", "10:06:00", "close bd-a").ok();
}
