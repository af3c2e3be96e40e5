//! Many at one box at once, and waiting for mail.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{BD, Env};

/// A command that runs beside others, at the real time.
fn start(env: &Env, args: &[&str]) -> Child {
    let mut command = env.bd_command(BD);
    command.env_remove("BD_TEST_NOW").env_remove("BD_TEST_SEED").args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn finish(child: Child) -> (i32, String) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

fn ok(env: &Env, args: &[&str]) -> String {
    let (code, text) = finish(start(env, args));
    assert_eq!(code, 0, "{args:?}: {text}");
    text
}

fn messages(env: &Env, agent: &str) -> Vec<Value> {
    let text = ok(env, &["--agent", agent, "mail", "inbox", "--json"]);
    serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
}

#[test]
fn thirty_send_to_one_box_and_nothing_is_lost() {
    let env = Env::new();
    ok(&env, &["agent", "register", "bob"]);
    let names: Vec<String> = (0..30).map(|n| format!("from {n}")).collect();
    let children: Vec<Child> = names
        .iter()
        .enumerate()
        .map(|(n, body)| start(&env, &["--agent", &format!("w{}", n % 10), "mail", "send", "bob", "-m", body]))
        .collect();
    for child in children {
        let (code, text) = finish(child);
        assert_eq!(code, 0, "{text}");
    }
    let all = messages(&env, "bob");
    let mut bodies: Vec<&str> = all.iter().map(|message| message["body"].as_str().unwrap()).collect();
    bodies.sort_unstable();
    let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(bodies, expected);
    let mut times: Vec<&str> = all.iter().map(|message| message["created_at"].as_str().unwrap()).collect();
    times.dedup();
    assert_eq!(times.len(), 30, "each has a moment of its own");
    let agents: Value = serde_json::from_str(&ok(&env, &["agent", "list", "--json"])).unwrap();
    assert_eq!(agents.as_array().unwrap().len(), 11, "who sends is registered, once");
}

#[test]
fn marks_and_new_mail_at_once() {
    let env = Env::new();
    ok(&env, &["agent", "register", "bob"]);
    for n in 0..6 {
        ok(&env, &["mail", "send", "bob", "--ack", "-m", &n.to_string()]);
    }
    let ids: Vec<String> =
        messages(&env, "bob").iter().map(|message| message["id"].as_str().unwrap().to_owned()).collect();
    let mut children = Vec::new();
    for id in &ids {
        children.push(start(&env, &["--agent", "bob", "mail", "read", id]));
        children.push(start(&env, &["--agent", "bob", "mail", "ack", id]));
        children.push(start(&env, &["--agent", "bob", "mail", "ack", id]));
        children.push(start(&env, &["mail", "send", "bob", "-m", "more"]));
    }
    for child in children {
        let (code, text) = finish(child);
        assert_eq!(code, 0, "{text}");
    }
    let all = messages(&env, "bob");
    assert_eq!(all.len(), 12);
    assert_eq!(all.iter().filter(|message| message["ack_at"].is_string()).count(), 6);
    assert_eq!(all.iter().filter(|message| message["status"] == "unread").count(), 6);
}

/// The CPU time that a process has used, in clock ticks.
fn used(child: &Child) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

#[test]
fn waiting_wakes_and_costs_nothing() {
    let env = Env::new();
    // Nothing is there yet: neither a box nor a place for boxes.
    let waiting = start(&env, &["--agent", "bob", "mail", "inbox", "--wait", "60s", "--json"]);
    let registered = Instant::now();
    while ok(&env, &["agent", "list", "--json"]).trim() == "[]" {
        assert!(registered.elapsed() < Duration::from_secs(20), "the one who waits did not register");
    }
    std::thread::sleep(Duration::from_millis(500));
    let before = used(&waiting);
    std::thread::sleep(Duration::from_secs(2));
    match (before, used(&waiting)) {
        (Some(before), Some(after)) => assert!(after - before <= 2, "{before} to {after} ticks while nothing happened"),
        _ => {
            eprintln!("skipped: this system does not tell the time that processes used");
            assert!(std::env::var_os("CI").is_none(), "CI has to have /proc");
        }
    }
    // Mail for somebody else is no reason to wake.
    ok(&env, &["mail", "send", "human", "-m", "not for bob"]);
    ok(&env, &["mail", "send", "bob", "-m", "wake up"]);
    let sent = Instant::now();
    let (code, text) = finish(waiting);
    assert_eq!(code, 0, "{text}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["body"]), (1, &"wake up".into()));
    assert_eq!(json[0]["status"], "unread", "waiting marks nothing");
    // Meant to be 200 ms; the machine may be busy.
    assert!(sent.elapsed() < Duration::from_secs(5), "woke after {:?}", sent.elapsed());
    // What is there already is not waited for; what is not comes as an empty list.
    let start_of_look = Instant::now();
    assert!(ok(&env, &["--agent", "bob", "mail", "inbox", "--wait", "60s"]).contains("wake up"));
    assert!(start_of_look.elapsed() < Duration::from_secs(20));
    assert_eq!(ok(&env, &["--agent", "bob", "mail", "inbox", "--wait", "300ms", "--urgent", "--json"]), "[]\n");
}

#[test]
fn a_sender_and_a_waiter_who_start_together() {
    let env = Env::new();
    ok(&env, &["agent", "register", "bob"]);
    for round in 0..10 {
        let waiting = start(&env, &["--agent", "bob", "mail", "inbox", "--wait", "60s", "--json"]);
        let began = Instant::now();
        ok(&env, &["mail", "send", "bob", "-m", "now"]);
        let (code, text) = finish(waiting);
        assert_eq!(code, 0, "{text}");
        assert!(began.elapsed() < Duration::from_secs(20), "round {round} lost its wake-up");
        let id = serde_json::from_str::<Value>(&text).unwrap()[0]["id"].as_str().unwrap().to_owned();
        ok(&env, &["--agent", "bob", "mail", "read", &id]);
    }
}
