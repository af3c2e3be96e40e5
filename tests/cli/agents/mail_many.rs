//! Many at one box at once, and waiting for mail.

use std::process::{Child, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::harness::{BD, Env};
use crate::support::process::{Sleeper, until_waiting, woken};
use crate::support::wait::until;

/// A command that runs beside others, at the real time.
fn start(env: &Env, args: &[&str]) -> Child {
    let mut command = env.bd_command(BD);
    command.env_remove("BD_TEST_NOW").env_remove("BD_TEST_SEED").args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn finish(child: Child) -> (i32, String) {
    told(child.wait_with_output().unwrap())
}

fn told(output: Output) -> (i32, String) {
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

#[track_caller]
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

#[test]
fn waiting_wakes_and_costs_nothing() {
    let env = Env::new();
    // Nothing exists yet: neither a box nor a directory for boxes.
    let mut waiting = start(&env, &["--agent", "bob", "mail", "inbox", "--wait", "600s", "--json"]);
    until("the one who waits registers", || ok(&env, &["agent", "list", "--json"]).trim() != "[]");
    until_waiting(&mut waiting);
    let sleeper = Sleeper::process(waiting.id());
    let before = sleeper.turns();
    // Long enough for one that looks again and again to do so.
    std::thread::sleep(Duration::from_millis(700));
    match (before, sleeper.turns()) {
        (Some(before), Some(after)) => assert!(after - before <= 2, "it ran {} times for nothing", after - before),
        (Some(_), None) => panic!("it runs while nothing happens"),
        _ => drop(crate::support::programs::skip("this system does not tell how often processes run")),
    }
    // Mail for someone else does not wake the wait.
    ok(&env, &["mail", "send", "human", "-m", "not for bob"]);
    ok(&env, &["mail", "send", "bob", "-m", "wake up"]);
    let (code, text) = told(woken(waiting));
    assert_eq!(code, 0, "{text}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["body"]), (1, &"wake up".into()));
    assert_eq!(json[0]["status"], "unread", "waiting marks nothing");
    // Existing mail is returned at once; a timeout returns an empty list.
    let (code, text) = told(woken(start(&env, &["--agent", "bob", "mail", "inbox", "--wait", "600s"])));
    assert!(code == 0 && text.contains("wake up"), "{text}");
    assert_eq!(ok(&env, &["--agent", "bob", "mail", "inbox", "--wait", "300ms", "--urgent", "--json"]), "[]\n");
}

#[test]
fn a_sender_and_a_waiter_who_start_together() {
    let env = Env::new();
    ok(&env, &["agent", "register", "bob"]);
    for _ in 0..10 {
        let waiting = start(&env, &["--agent", "bob", "mail", "inbox", "--wait", "600s", "--json"]);
        ok(&env, &["mail", "send", "bob", "-m", "now"]);
        let (code, text) = told(woken(waiting));
        assert_eq!(code, 0, "{text}");
        let id = serde_json::from_str::<Value>(&text).unwrap()[0]["id"].as_str().unwrap().to_owned();
        ok(&env, &["--agent", "bob", "mail", "read", &id]);
    }
}
