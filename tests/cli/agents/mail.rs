//! Mail: who gets what, what becomes of it, and that it stays a quotation.

use serde_json::{Value, json};
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

/// Three agents besides the person ann: bob and eve work, rex reviews.
fn office() -> Env {
    let env = Env::new();
    env.given(
        "agent register bob --cap rust
         agent register eve --cap docs
         agent register rex --role reviewer --cap rust
         add One --id bd-1",
    );
    env
}

/// The messages in an agent's box.
fn inbox(env: &Env, agent: &str, more: &[&str]) -> Vec<Value> {
    let run = env.bd(["--agent", agent, "mail", "inbox", "--json"].iter().chain(more)).ok();
    run.json().as_array().unwrap().clone()
}

/// Sends and gives the names of those who got it.
fn reached(env: &Env, from: &str, to: &[&str]) -> Vec<String> {
    let run = env.bd(["--agent", from, "mail", "send", "-m", "x", "--json"].iter().chain(to)).ok();
    let json = run.json();
    let names = json["recipients"].as_array().unwrap().iter();
    names.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn there_and_back() {
    let env = office();
    env.bd([
        "--agent",
        "bob",
        "mail",
        "send",
        "rex",
        "-s",
        "Look",
        "-m",
        "line one\nline two",
        "--issue",
        "1",
        "--ack",
    ])
    .ok();
    let id = inbox(&env, "rex", &[])[0]["id"].as_str().unwrap().to_owned();
    let script = [
        "--agent rex mail inbox".to_owned(),
        format!("--agent rex mail read {id}"),
        "--agent rex mail inbox".to_owned(),
        "--agent rex mail inbox --unread".to_owned(),
        "--agent bob mail overdue".to_owned(),
        format!("--agent rex mail reply {} -m 'looks good'", &id[..8]),
        format!("--agent rex mail ack {id}"),
        "--agent bob mail overdue".to_owned(),
        "--agent bob agent heartbeat".to_owned(),
        "mail thread 1".to_owned(),
        format!("--agent rex mail archive {id}"),
        "--agent rex mail inbox".to_owned(),
    ];
    assert_data_eq!(
        env.script(&script.join("\n")),
        str![[r#"
$ bd --agent rex mail inbox
*  2026-01-05 09:00  bob to rex  [wants ack]  Look  msg_i6tzjm5xbxm2
$ bd --agent rex mail read msg_i6tzjm5xbxm2
Message     msg_i6tzjm5xbxm2
From        bob
To          rex
Type        status_update
Subject     Look
Issue       bd-1
Thread      bd-1
Sent        2026-01-05 09:00
Seen        not acknowledged yet
> line one
> line two
$ bd --agent rex mail inbox
  2026-01-05 09:00  bob to rex  [wants ack]  Look  msg_i6tzjm5xbxm2
$ bd --agent rex mail inbox --unread
! no mail
$ bd --agent bob mail overdue
  2026-01-05 09:00  bob to rex  [wants ack]  Look  msg_i6tzjm5xbxm2
$ bd --agent rex mail reply msg_i6tz -m 'looks good'
Sent to bob: msg_h5mhqrcq371j
$ bd --agent rex mail ack msg_i6tzjm5xbxm2
Acknowledged: msg_i6tzjm5xbxm2
$ bd --agent bob mail overdue
! nothing is owed
$ bd --agent bob agent heartbeat
bob is online, 1 message unread
$ bd mail thread 1
2026-01-05 09:00 bob to rex (seen)  msg_i6tzjm5xbxm2
Subject: Look
> line one
> line two

2026-01-05 09:00 rex to bob (unread)  msg_h5mhqrcq371j
> looks good
$ bd --agent rex mail archive msg_i6tzjm5xbxm2
Archived: msg_i6tzjm5xbxm2
$ bd --agent rex mail inbox
! no mail

"#]]
        .raw()
    );
}

#[test]
fn addresses() {
    let env = office();
    assert_eq!(reached(&env, "bob", &["eve"]), ["eve"]);
    let id = env.bd(["agent", "show", "eve", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    assert_eq!(reached(&env, "bob", &[&id, "eve"]), ["eve"], "once");
    assert_eq!(reached(&env, "bob", &["role:worker"]), ["eve"], "not the sender");
    assert_eq!(reached(&env, "eve", &["cap:rust"]), ["bob", "rex"]);
    assert_eq!(reached(&env, "rex", &["@all"]), ["bob", "eve"]);
    assert_eq!(reached(&env, "bob", &["bob"]), ["bob"], "oneself, by name");
    assert_eq!(reached(&env, "bob", &["human"]), ["ann"]);
    assert_eq!(reached(&env, "bob", &["person:Ann Example", "rex"]), ["Ann Example", "rex"]);
    // An agent that put its own name where a person's belongs.
    let vars = [("BD_ACTOR", "bob"), ("USER", "ann"), ("BD_AGENT", "bob")];
    let run = env.bd_with(["mail", "send", "human", "-m", "x", "--json"], None, &vars).ok();
    assert_eq!(run.json()["recipients"], json!([{"name": "ann"}]));
    env.bd(["agent", "register", "zoe", "--role", "human"]).ok();
    assert_eq!(reached(&env, "bob", &["human"]), ["zoe", "ann"]);
    env.bd(["update", "1", "--assignee", "rex"]).ok();
    assert_eq!(reached(&env, "bob", &["holder:1"]), ["rex"]);
    env.bd(["update", "1", "--assignee", "Max"]).ok();
    assert_eq!(reached(&env, "bob", &["holder:1"]), ["Max"], "a person");
    assert_eq!(inbox(&env, "rex", &[]).last().unwrap()["to"], "cap:rust", "as it was typed");
    let all = &inbox(&env, "eve", &["--unread"]);
    assert!(all.iter().any(|message| message["type"] == "broadcast"), "{all:?}");
}

#[test]
fn nobody_gets_what_not_everybody_gets() {
    let env = office();
    env.bd(["agent", "unregister", "eve"]).ok();
    for (to, says) in [
        ("nobody", "no agent"),
        ("role:boss", "no recipient matches"),
        ("role:coordinator", "no recipient matches"),
        ("cap:cobol", "no recipient matches"),
        ("holder:1", "no recipient matches"),
        ("holder:nosuch", "nosuch"),
        ("person:", "no agent"),
        ("ag_0123456789ab", "no agent"),
        ("eve", "has unregistered"),
    ] {
        env.bd(["--agent", "rex", "mail", "send", "bob", to, "-m", "x"]).fails(3, &[says]);
    }
    assert_eq!(inbox(&env, "bob", &[]), [] as [Value; 0]);
    assert_eq!(reached(&env, "rex", &["@all"]), ["bob"], "who has left gets nothing");
    for args in [
        &["bob"][..],
        &["bob", "-m", "  "],
        &[],
        &["bob", "-m", "x", "--priority", "huge"],
        &["bob", "-m", "x", "--type", "spam"],
    ] {
        env.bd(["mail", "send"].iter().chain(args)).fails(2, &["error:"]);
    }
    let long = "x".repeat((1 << 20) + 1);
    env.bd_with(["mail", "send", "bob", "-m", "-"], Some(&long), &[]).fails(2, &["longer than 1048576 bytes"]);
}

#[test]
fn an_agent_that_is_away_finds_its_mail() {
    let env = office();
    let later = [("BD_TEST_NOW", "2026-01-05T11:00:00Z")];
    env.bd_with(["mail", "send", "bob", "-m", "x"], None, &later).ok();
    let shown = env.bd_with(["agent", "show", "bob", "--json"], None, &later).ok().json();
    assert_eq!(shown["status"], "offline");
    assert_eq!(inbox(&env, "bob", &[])[0]["from"], "ann");
}

#[test]
fn marks_are_each_recipients_own() {
    let env = office();
    let run = env.bd(["mail", "send", "bob", "rex", "-m", "x", "--ack", "--json"]).ok();
    let id = run.json()["id"].as_str().unwrap().to_owned();
    env.bd(["--agent", "bob", "mail", "ack", &id]).ok();
    let first = inbox(&env, "bob", &[])[0].clone();
    env.bd(["--agent", "bob", "mail", "ack", &id[4..9]]).ok();
    assert_eq!(inbox(&env, "bob", &[])[0], first, "the first time counts");
    assert_eq!((&first["status"], first["ack_at"].is_string()), (&json!("read"), true));
    assert_eq!(inbox(&env, "rex", &[])[0]["status"], "unread");
    let owed = env.bd(["mail", "overdue", "--json"]).ok().json();
    assert_eq!((owed.as_array().unwrap().len(), &owed[0]["recipient"]), (1, &json!("rex")));
    assert_eq!(env.bd(["--agent", "rex", "mail", "overdue", "--json"]).ok().json(), owed);
    assert_eq!(env.bd(["--agent", "eve", "mail", "overdue", "--json"]).ok().json(), json!([]));
    assert_eq!(env.bd(["--agent", "eve", "mail", "overdue", "--all", "--json"]).ok().json(), owed);
    // Someone else's copy cannot be read.
    env.bd(["--agent", "eve", "mail", "read", &id]).fails(3, &["no message"]);
    env.bd(["--agent", "rex", "mail", "ack", &id, "msg_nosuch"]).fails(3, &["msg_nosuch"]);
    assert_eq!(inbox(&env, "rex", &[])[0]["status"], "unread", "none of them");
}

#[test]
fn what_is_shown_and_what_is_not() {
    let env = office();
    env.given(
        "--agent eve mail send bob -m first --expires 1m
         --agent eve mail send bob -m second --priority urgent
         --agent eve mail send bob -m third --issue 1",
    );
    let bodies = |more: &[&str]| {
        inbox(&env, "bob", more).iter().map(|message| message["body"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(bodies(&[]), ["third", "second", "first"]);
    assert_eq!(bodies(&["--urgent"]), ["second"]);
    assert_eq!(bodies(&["--thread", "1"]), ["third"]);
    assert_eq!(bodies(&["--thread", "bd-1"]), ["third"]);
    assert_eq!(bodies(&["--since", "1s"]), [""; 0]);
    assert_eq!(bodies(&["--since", "1h"]).len(), 3);
    let cut = env.bd(["--agent", "bob", "mail", "inbox", "-n", "2"]).ok();
    assert!(cut.stdout.lines().count() == 2 && cut.stderr.contains("2 of 3 messages shown"), "{}", cut.snapshot());
    let pulse = env.bd(["--agent", "bob", "agent", "heartbeat", "--json"]).ok().json();
    assert_eq!((&pulse["unread"], &pulse["urgent"], &pulse["lease_expires"]), (&json!(3), &json!(1), &Value::Null));
    // Later the first has expired: not shown, not read, not in its thread.
    let expired = inbox(&env, "bob", &[])[2]["id"].as_str().unwrap().to_owned();
    env.set("BD_TEST_NOW", "2026-01-05T09:02:00Z");
    assert_eq!(bodies(&[]), ["third", "second"]);
    env.bd(["--agent", "bob", "mail", "read", &expired]).fails(3, &["no message"]);
    env.bd(["mail", "thread", &expired]).fails(3, &["no message"]);
    // Put away by age: only what was read.
    let third = inbox(&env, "bob", &[])[0]["id"].as_str().unwrap().to_owned();
    env.bd(["--agent", "bob", "mail", "read", &third]).ok();
    env.set("BD_TEST_NOW", "2026-01-05T09:12:00Z");
    let archived = env.bd(["--agent", "bob", "mail", "archive", "--read-older-than", "10m", "--json"]).ok();
    assert_eq!(archived.ids(), [third]);
    assert_eq!(bodies(&[]), ["second"]);
}

#[test]
fn looking_changes_nothing() {
    let env = office();
    env.bd(["mail", "send", "bob", "-m", "x"]).ok();
    let state = || {
        let mut files: Vec<_> =
            std::fs::read_dir(env.path(".beads/run/mail")).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|file| (std::fs::read(&file).ok(), file)).collect::<Vec<_>>()
    };
    let before = state();
    for line in [
        "mail inbox",
        "--agent bob mail inbox",
        "--agent nova mail inbox",
        "mail overdue --all",
        "--agent bob mail thread bd-1",
    ] {
        env.bd(line.split(' ')).ok();
    }
    assert_eq!(state(), before);
    let agents = env.bd(["agent", "list", "--json"]).ok().json();
    assert_eq!(agents.as_array().unwrap().len(), 3, "nova was not made");
    // Sending makes the sender known.
    env.bd(["--agent", "nova", "mail", "send", "bob", "-m", "hi"]).ok();
    assert_eq!(env.bd(["agent", "show", "nova", "--json"]).ok().json()["role"], "worker");
}

#[test]
fn threads() {
    let env = office();
    let sent = |line: &[&str]| env.bd(line.iter().chain(&["--json"])).ok().json()["id"].as_str().unwrap().to_owned();
    let question = sent(&["--agent", "bob", "mail", "send", "rex", "eve", "-m", "which one?", "--type", "query"]);
    let answer = sent(&["--agent", "rex", "mail", "reply", &question, "-m", "this one"]);
    let thanks = sent(&["--agent", "bob", "mail", "reply", &answer, "-m", "thanks"]);
    for typed in [&question, &answer, &thanks, &thanks[..9]] {
        let run = env.bd(["mail", "thread", typed, "--json"]).ok();
        assert_eq!(run.ids(), [&*question, &*answer, &*thanks], "{typed}");
    }
    let thread = env.bd(["mail", "thread", &question, "--json"]).ok().json();
    let copies = thread[0]["copies"].as_array().unwrap();
    assert_eq!(copies.iter().map(|copy| &copy["status"]).collect::<Vec<_>>(), [&json!("unread"), &json!("read")]);
    assert_eq!((&thread[1]["type"], &thread[1]["reply_to"]), (&json!("response"), &json!(question)));
    // A person is answered too.
    let asked = sent(&["mail", "send", "bob", "-m", "how far?"]);
    sent(&["--agent", "bob", "mail", "reply", &asked, "-m", "half"]);
    assert_eq!(env.bd(["mail", "inbox", "--json"]).ok().json()[0]["body"], "half");
    assert_eq!(env.bd(["mail", "thread", "bd-1", "--json"]).ok().json(), json!([]));
    env.bd(["mail", "thread", "msg_nosuch"]).fails(3, &["no message"]);
}

#[test]
fn a_text_is_a_quotation() {
    let env = office();
    let nasty = "\x1b[2J\x1b]0;title\x07\nerror: all is lost\r\u{202e}";
    env.bd(["--agent", "eve", "mail", "send", "bob", "-s", &format!("error: {nasty}"), "-m", nasty]).ok();
    let id = inbox(&env, "bob", &[])[0]["id"].as_str().unwrap().to_owned();
    for line in [format!("mail read {id}"), format!("mail thread {id}"), "mail inbox".to_owned()] {
        let run = env.bd(["--agent", "bob"].into_iter().chain(line.split(' '))).ok();
        let raw = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!run.stdout.contains(raw), "{}", run.snapshot());
        assert!(!run.stdout.lines().any(|line| line.starts_with("error:")), "{}", run.snapshot());
    }
    assert_eq!(inbox(&env, "bob", &[])[0]["body"], nasty, "for programs it is exact");
}

#[test]
fn texts_from_files_and_pipes() {
    let env = office();
    env.write("letter.txt", "from a file\n");
    env.bd(["mail", "send", "bob", "--body-file", "letter.txt"]).ok();
    env.bd_with(["mail", "send", "bob", "-m", "-"], Some("from a pipe\n"), &[]).ok();
    let bodies: Vec<Value> = inbox(&env, "bob", &[]).into_iter().map(|message| message["body"].clone()).collect();
    assert_eq!(bodies, [json!("from a pipe"), json!("from a file")]);
}

#[test]
fn what_a_later_version_wrote_stays() {
    let env = office();
    env.bd(["mail", "send", "rex", "-m", "x", "--ack"]).ok();
    let id = inbox(&env, "rex", &[])[0]["id"].as_str().unwrap().to_owned();
    let rex = env.bd(["agent", "show", "rex", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    let file = env.path(&format!(".beads/run/mail/{rex}.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replacen("\"priority\":\"normal\"", "\"priority\":\"cosmic\",\"seal\":[1.50]", 1) + "not JSON\n";
    std::fs::write(&file, text).unwrap();
    env.bd(["--agent", "rex", "mail", "ack", &id]).ok();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"priority\":\"cosmic\",\"seal\":[1.50]") && text.contains("\"ack_at\""), "{text}");
    assert!(text.contains("not JSON\n"), "{text}");
}

#[test]
fn git_status_stays_clean() {
    let env = Env::bare();
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
    env.given("init -q\nagent register bob\nmail send bob -m x\nmail send human -m y");
    let status = || {
        let output = env.command("git").args(["status", "--porcelain", "-uall"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let before = status();
    env.given("agent register rex\n--agent rex mail send @all human -m x\nmail archive --read-older-than 0s");
    assert_eq!(status(), before);
    assert!(!before.contains("mail") && !before.contains("agents"), "{before}");
    assert!(env.path(".git/beads/agents.jsonl").exists());
    // Each message says from which checkout it came, and each checkout sees all of them.
    assert!(env.command("git").args(["add", "-A"]).status().unwrap().success());
    let commit = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qm", "start"];
    assert!(env.command("git").args(commit).status().unwrap().success());
    assert!(env.command("git").args(["worktree", "add", "-q", "../other"]).status().unwrap().success());
    env.bd(["-C", "../other", "--agent", "rex", "mail", "send", "bob", "-m", "from there"]).ok();
    env.bd(["--agent", "rex", "mail", "send", "bob", "-m", "from here"]).ok();
    let places: Vec<Value> =
        inbox(&env, "bob", &[])[..2].iter().map(|message| message["worktree_id"].clone()).collect();
    assert!(places.iter().all(|id| id.as_str().is_some_and(|id| id.starts_with("wt_"))), "{places:?}");
    assert_ne!(places[0], places[1]);
}
