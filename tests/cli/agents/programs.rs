//! What programs need that call `bd`: one item a line, requests that may be repeated, events that are told once.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::harness::{Env, Run};
use crate::support::programs::have;

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn each_item_of_a_list_is_a_line() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
    env.given(
        "add One --id bd-1 -l x
         add Two --id bd-2 --deps bd-1
         agent register rex
         --agent rex claim bd-1
         note bd-1 checked",
    );
    for command in [
        "list",
        "ready",
        "blocked",
        "show bd-1 bd-2",
        "search One",
        "log",
        "leases",
        "agent list",
        "dep list bd-2",
        "list --fields id,title",
        "list --compact",
        "stale",
        "config list",
        "repo list",
        "children bd-1",
        "label list bd-1",
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let whole = env.bd(words.iter().chain(&["--json"])).ok().json();
        let Value::Array(items) = whole else { panic!("{command}: {whole}") };
        let run = env.bd(words.iter().chain(&["--ndjson"])).ok();
        assert_eq!(lines(&run), items, "{command}");
    }
    let info = env.bd(["info", "--ndjson"]).ok();
    assert_eq!(lines(&info), [env.bd(["info", "--json"]).ok().json()], "what is no list is one line");
    let wrapped = env.bd_with(["list", "--ndjson"], None, &[("BD_JSON_ENVELOPE", "1")]).ok();
    assert!(lines(&wrapped).iter().all(|line| line["schema_version"] == 1 && line["data"]["id"].is_string()));
    assert_eq!(env.bd(["list", "-l", "zz", "--ndjson"]).ok().stdout, "", "an empty list has no lines");
    env.bd(["show", "nosuch", "--ndjson"]).fails(3, &["\"code\":\"not_found\""]);
}

fn answers(env: &Env) -> PathBuf {
    let home = env.bd(["where", "--json"]).ok().json()["state_home"].as_str().unwrap().to_owned();
    PathBuf::from(home).join("keys/answers.jsonl")
}

/// As if the program had been killed after it had written, or before.
fn interrupt(env: &Env) {
    let file = answers(env);
    let text = fs::read_to_string(&file).unwrap();
    let begun = text.lines().map(|line| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        assert!(row.as_object_mut().unwrap().remove("answer").is_some(), "{line}");
        format!("{row}\n")
    });
    fs::write(file, begun.collect::<String>()).unwrap();
}

#[test]
fn the_same_key_again_answers_as_the_first_time() {
    let env = Env::new();
    env.given("add First --id bd-1\nagent register rex");
    let requests: [&[&str]; 6] = [
        &["add", "Once", "-d", "why"],
        &["add", "Other", "--silent"],
        &["note", "bd-1", "seen it"],
        &["comment", "bd-1", "me too"],
        &["mail", "send", "rex", "-m", "look at it"],
        &["batch", "changes.jsonl"],
    ];
    env.write("changes.jsonl", "{\"op\":\"add\",\"title\":\"Third\"}\n{\"op\":\"close\",\"id\":\"bd-none\"}\n");
    for form in [&[][..], &["--json"], &["--ndjson"]] {
        for (n, request) in requests.iter().enumerate() {
            let key = format!("{n}{}", form.concat());
            let words = [*request, &["--key", &key], form].concat();
            let before = state(&env);
            let first = env.bd(&words);
            let after = state(&env);
            assert_ne!(before, after, "{words:?}");
            let again = env.bd(&words);
            assert_eq!((again.code, &again.stdout), (first.code, &first.stdout), "{words:?}");
            assert_eq!(state(&env), after, "{words:?} wrote again");
        }
    }
}

/// Ledger and mail.
fn state(env: &Env) -> (String, usize) {
    let mail = env.bd(["--agent", "rex", "mail", "inbox", "--json"]).ok().json();
    (env.ledger_text(), mail.as_array().unwrap().len())
}

#[test]
fn a_request_that_was_interrupted_is_not_doubled() {
    let env = Env::new();
    env.given("add First --id bd-1\nagent register rex");
    let requests: [&[&str]; 4] = [
        &["add", "Once"],
        &["note", "bd-1", "seen it"],
        &["comment", "bd-1", "me too"],
        &["mail", "send", "rex", "-m", "look at it"],
    ];
    for request in requests {
        let words = [request, &["--key", "k"], &["--json"]].concat();
        let first = env.bd(&words).ok();
        let after = state(&env);
        interrupt(&env);
        let again = env.bd(&words).ok();
        assert_eq!(again.json()["id"], first.json()["id"], "{words:?}");
        assert_eq!(state(&env), after, "{words:?} wrote again");
        // The same text under another key, killed before it was written: now it is.
        let words = [request, &["--key", "k2"], &["--json"]].concat();
        let before = (env.ledger_text(), mailboxes(&env));
        env.bd(&words).ok();
        assert_ne!(state(&env), after);
        interrupt(&env);
        env.write(".beads/beads.jsonl", &before.0);
        before.1.iter().for_each(|(path, text)| fs::write(path, text).unwrap());
        env.bd(&words).ok();
        assert_ne!(state(&env), after, "{words:?} is another request");
        fs::remove_file(answers(&env)).unwrap();
    }
    env.write("changes.jsonl", "{\"op\":\"add\",\"title\":\"Third\"}\n");
    env.bd(["batch", "changes.jsonl", "--key", "b"]).ok();
    interrupt(&env);
    let before = state(&env);
    for _ in 0..2 {
        env.bd(["batch", "changes.jsonl", "--key", "b"]).fails(1, &["was interrupted at", "bd log --since"]);
        assert_eq!(state(&env), before);
    }
}

/// The boxes with mail.
fn mailboxes(env: &Env) -> Vec<(PathBuf, String)> {
    let directory = answers(env).parent().unwrap().with_file_name("mail");
    let files = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A message that was put into one box of two is put into the other.
#[test]
fn a_message_that_was_half_sent_is_sent() {
    let env = Env::new();
    env.given("agent register rex\nagent register eve");
    let words = ["mail", "send", "rex", "eve", "-m", "look", "--key", "k", "--json"];
    let first = env.bd(words).ok();
    interrupt(&env);
    let (path, _) = mailboxes(&env).into_iter().next().unwrap();
    fs::write(path, "").unwrap();
    assert_eq!(env.bd(words).ok().json()["id"], first.json()["id"]);
    for agent in ["rex", "eve"] {
        assert_eq!(
            env.bd(["--agent", agent, "mail", "inbox", "--json"]).ok().ids(),
            [first.json()["id"].as_str().unwrap()]
        );
    }
}

#[test]
fn a_key_belongs_to_one_text_of_one_agent() {
    let env = Env::new();
    env.given("add First --id bd-1");
    env.bd(["note", "bd-1", "one", "--key", "k"]).ok();
    let before = env.ledger_text();
    env.bd(["note", "bd-1", "two", "--key", "k"]).fails(2, &["was used for another text", "once for each text"]);
    env.bd(["comment", "bd-1", "one", "--key", "k"]).fails(2, &["was used for another text"]);
    env.bd(["note", "bd-1", "one", "--key", "k", "--json"]).fails(2, &["the same flags"]);
    env.bd(["note", "bd-1", "one", "--key", " "]).fails(2, &["a key has 1 to 200 bytes"]);
    env.bd(["note", "bd-1", "one", "--key", &"k".repeat(201)]).fails(2, &["a key has 1 to 200 bytes"]);
    env.bd(["add", "T", "--key", "p"]).ok();
    env.bd(["add", "T", "--key", "p", "-p", "1"]).fails(2, &["was used for another text"]);
    env.bd(["mail", "send", "human", "-m", "x", "--key", "m"]).ok();
    env.bd(["mail", "send", "human", "-m", "x", "-s", "Other", "--key", "m"]).fails(2, &["was used for another text"]);
    let text = fs::read_to_string(answers(&env)).unwrap();
    fs::write(answers(&env), text.replace("\"key\":\"p\"", "\"key\":p")).unwrap();
    env.bd(["add", "T", "--key", "p"]).fails(8, &["the record of the key \"p\" is damaged"]);
    fs::write(answers(&env), text).unwrap();
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.ledger_text(), before);
    // What failed has used no key.
    env.bd(["note", "bd-none", "x", "--key", "f"]).fails(3, &["bd-none"]);
    env.bd(["note", "bd-1", "x", "--key", "f"]).ok();
    env.bd(["add", "T", "--key", "d", "--dry-run"]).ok();
    env.bd(["add", "T", "--key", "d"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids().len(), 2);
    env.bd(["agent", "register", "rex"]).ok();
    env.bd(["--agent", "rex", "note", "bd-1", "two", "--key", "k"]).ok();
    assert!(env.ledger_text().contains("two"), "a key of another agent is another key");
}

/// What a watch tells at once that goes on from a file.
fn since(env: &Env, more: &[&str]) -> Vec<String> {
    let words = [&["watch", "--ndjson", "--since", "position", "--for", "1ms"], more].concat();
    let told = lines(&env.bd(&words).ok());
    let text = |event: &Value| {
        let id = event["id"].as_str().or(event["name"].as_str()).unwrap_or_default().to_owned();
        let place = event["worktree"].as_str().filter(|_| event["status"].is_string());
        format!("{} {id}{}", event["event"].as_str().unwrap(), place.map(|name| format!(" {name}")).unwrap_or_default())
    };
    assert!(told.iter().all(|event| event["initial"].is_null()), "{told:?}");
    told.iter().map(text).filter(|text| text != "watching ").collect()
}

#[test]
fn a_watch_goes_on_from_a_file() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2\nagent register rex");
    let all = ["--events", "all"];
    env.bd(["watch", "--ndjson", "--since", "position", "--for", "1ms", "--events", "all"]).ok();
    assert_eq!(since(&env, &all), [""; 0], "nothing has happened");
    env.given(
        "close bd-1 -r done
         mail send rex -m hi
         --agent rex claim bd-2
         --agent rex checkpoint add bd-2 -m half
         --agent rex release bd-2 --failed broke
         agent register eve",
    );
    let mut told = since(&env, &["--events", "all", "--all-mail"]);
    told.sort();
    assert_eq!(
        told,
        [
            "agent_registered eve",
            "checkpoint_added bd-2",
            "issue_closed bd-1",
            "issue_unready bd-1",
            "issue_updated bd-2",
            "mail_arrived ",
            "run_failed bd-2",
        ]
        .map(str::to_owned)
    );
    assert_eq!(since(&env, &all), [""; 0], "each is told once");
    env.write("position", "bd-watch 1\nrubbish\n");
    env.bd(["watch", "--since", "position", "--for", "1ms"]).fails(2, &["position: line 2 of a watch position"]);
    env.write("position", "");
    env.bd(["watch", "--since", "position", "--for", "1ms"]).ok();
    env.given("add Three --id bd-3\nadd Four --id bd-4");
    assert_eq!(since(&env, &["--events", "issue", "--count", "1"]), ["issue_created bd-3", "issue_created bd-4"]);
    assert_eq!(since(&env, &["--events", "issue"]), [""; 0], "the last batch was told whole");
    assert!(env.command("mkfifo").arg("pipe").status().unwrap().success());
    env.bd(["watch", "--since", "pipe", "--for", "1ms"]).fails(1, &["pipe"]);
    env.bd(["watch", "--since", "nosuch/position", "--for", "1ms"]).fails(1, &["nosuch"]);
}

#[test]
fn the_position_of_another_checkout_is_refused() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
    env.given("add One --id bd-1");
    env.bd(["watch", "--since", "position", "--for", "1ms"]).ok();
    let text = fs::read_to_string(env.path("position")).unwrap();
    let (_, mine) = text.rsplit_once("checkout\t").unwrap_or_else(|| panic!("{text}"));
    let mine = mine.lines().next().unwrap();
    env.write("position", text.replace(mine, "wt_another00000"));
    env.bd(["watch", "--since", "position", "--for", "1ms"]).fails(2, &["of another checkout", "start without it"]);
    env.write("position", &text[..text.len() - 4]);
    env.bd(["watch", "--since", "position", "--for", "1ms"]).fails(2, &["cannot be read"]);
}
