//! `bd batch`: many changes at once, as lines of JSON.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::dice::Dice;
use crate::support::effort::pick;
use crate::support::harness::{BD, Env, Run, words};

/// The lines that a batch printed.
fn answers(run: &Run) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    run.stdout.lines().map(read).collect()
}

fn batch(env: &Env, lines: &str, args: &[&str]) -> Run {
    env.bd_with(["batch"].iter().chain(args), Some(lines), &[])
}

fn codes(answers: &[Value]) -> Vec<(u64, &str)> {
    let failed = answers.iter().filter(|answer| answer["error"].is_object());
    failed.map(|one| (one["line"].as_u64().unwrap(), one["error"]["code"].as_str().unwrap())).collect()
}

#[test]
fn later_lines_name_what_earlier_ones_filed() {
    let env = Env::new();
    let lines = r#"
        {"op":"add","title":"Dark mode","type":"epic"}
        {"op":"add","title":"Colours","parent":"$2","labels":["ui"],"priority":"P1"}
        {"op":"create","title":"Switch","parent":"$2","deps":["$3","related:$2"],"estimated_minutes":30}
        {"op":"add","title":"Docs","dependencies":[{"depends_on_id":"$4","type":"blocks"}],"due_at":"2026-03-01"}
        {"op":"close","id":"$3","reason":"done"}
        {"op":"note","id":"$4","text":"the toggle is in the header"}
    "#;
    let run = batch(&env, lines, &[]).ok();
    let found = answers(&run);
    assert_eq!(found.iter().map(|one| one["line"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    assert!(found.iter().all(|one| one["changed"] == true && one["updated_at"].is_string()), "{}", run.stdout);
    assert_eq!(found[4]["id"], found[1]["id"]);
    let ready = env.bd(["ready", "--json"]).ok().json();
    assert_eq!(ready.as_array().unwrap().len(), 1, "{ready}");
    assert_eq!((&ready[0]["title"], &ready[0]["notes"]), (&json!("Switch"), &json!("the toggle is in the header")));
    assert_eq!(ready[0]["estimated_minutes"], 30);
    let docs = env.bd(["show", found[3]["id"].as_str().unwrap(), "--json"]).ok().json();
    assert_eq!(docs[0]["due_at"], "2026-03-01T23:59:59.999Z");
}

/// Each operation as a line, and the command that does the same.
const BOTH_WAYS: &[(&str, &str)] = &[
    (
        r#"{"op":"add","title":"First","id":"bd-one","type":"epic","labels":["a","b"]}"#,
        "add First --id bd-one -t epic -l a,b",
    ),
    (r#"{"op":"add","title":"Minted","description":"<b> & so on","priority":0}"#, "add Minted -d '<b> & so on' -p 0"),
    (
        r#"{"op":"add","title":"Minted too","parent":"bd-one","due":"friday"}"#,
        "add 'Minted too' --parent bd-one --due friday",
    ),
    (
        r#"{"op":"add","title":"Second","id":"bd-two","parent":"bd-one","assignee":"me"}"#,
        "add Second --id bd-two --parent bd-one -a me",
    ),
    (
        r#"{"op":"add","title":"Third","id":"bd-three","deps":["bd-two"],"metadata":{"a":[1]}}"#,
        "add Third --id bd-three --deps bd-two --metadata '{\"a\":[1]}'",
    ),
    (
        r#"{"op":"update","id":"bd-two","status":"in_progress","priority":1,"notes":"begun","add_labels":["x"]}"#,
        "update bd-two -s in_progress -p 1 --notes begun --add-label x",
    ),
    (r#"{"op":"comment","id":"bd-two","text":"seen again"}"#, "comment bd-two 'seen again'"),
    (r#"{"op":"comment","id":"bd-three","text":"and here"}"#, "comment bd-three 'and here'"),
    (r#"{"op":"note","id":"bd-two","text":"halfway"}"#, "note bd-two halfway"),
    (r#"{"op":"label add","id":"three","labels":["ui","y"]}"#, "label add three ui,y"),
    (r#"{"op":"label remove","id":"three","label":"y"}"#, "label remove three y"),
    (
        r#"{"op":"dep add","id":"bd-three","depends_on":"bd-one","type":"related"}"#,
        "dep add bd-three bd-one -t related",
    ),
    (r#"{"op":"dep remove","id":"bd-three","depends_on_id":"bd-one"}"#, "dep remove bd-three bd-one"),
    (r#"{"op":"close","id":"bd-two","reason":"fixed"}"#, "close bd-two -r fixed"),
    (r#"{"op":"close","id":"bd-three"}"#, "close bd-three"),
    (r#"{"op":"reopen","id":"bd-three","reason":"came back"}"#, "reopen bd-three -r 'came back'"),
    (r#"{"op":"defer","id":"bd-three","until":"2w"}"#, "defer bd-three --until 2w"),
    (r#"{"op":"undefer","id":"bd-three"}"#, "undefer bd-three"),
    (
        r#"{"op":"update","id":"bd-three","parent":"bd-one","title":"Third of three","due":null}"#,
        "update bd-three --parent bd-one --title 'Third of three' --due ''",
    ),
    (r#"{"op":"delete","id":"bd-three","reason":"twice"}"#, "delete bd-three --yes -r twice"),
];

#[test]
fn a_batch_leaves_the_bytes_that_its_commands_leave() {
    let at_once = Env::new();
    at_once.set("BD_TEST_NOW", "2026-01-05T09:00:00Z");
    at_once.set("BD_TEST_SEED", "7");
    let one_by_one = Env::new();
    one_by_one.set("BD_TEST_NOW", "2026-01-05T09:00:00Z");
    one_by_one.set("BD_TEST_SEED", "7");
    for (_, command) in BOTH_WAYS {
        one_by_one.bd(words(command)).ok();
    }
    let lines: String = BOTH_WAYS.iter().map(|(line, _)| format!("{line}\n")).collect();
    batch(&at_once, &lines, &[]).ok();
    assert_eq!(at_once.ledger_text(), one_by_one.ledger_text());
    // And one undo takes all of it back.
    at_once.bd(["undo", "--yes"]).ok();
    assert_eq!(at_once.ledger_text().trim(), "");
}

/// A thousand changes in the full form.
#[test]
fn many_changes_leave_the_bytes_that_their_commands_leave() {
    let [at_once, one_by_one] = [0, 1].map(|_| {
        let env = Env::new();
        env.set("BD_TEST_NOW", "2026-01-05T09:00:00Z");
        env.set("BD_TEST_SEED", "7");
        env
    });
    let mut dice = Dice::new(0xba7c);
    let mut lines = String::new();
    for n in 0..pick(40, 150, 1000) {
        let id = if n < 8 { String::new() } else { format!("bd-n{}", dice.below(8)) };
        let (line, command) = match if n < 8 { 0 } else { dice.below(7) } {
            0 => (
                json!({"op": "add", "title": format!("Issue-{n}"), "id": format!("bd-n{n}")}),
                format!("add Issue-{n} --id bd-n{n}"),
            ),
            1 => (
                json!({"op": "update", "id": id, "title": format!("Title-{n}")}),
                format!("update {id} --title Title-{n}"),
            ),
            2 => (json!({"op": "update", "id": id, "priority": n % 5}), format!("update {id} -p {}", n % 5)),
            3 => (
                json!({"op": "label add", "id": id, "labels": [format!("l{}", n % 9)]}),
                format!("label add {id} l{}", n % 9),
            ),
            4 => (json!({"op": "comment", "id": id, "text": format!("word-{n}")}), format!("comment {id} word-{n}")),
            5 => (json!({"op": "close", "id": id, "reason": "done"}), format!("close {id} -r done")),
            _ => (json!({"op": "note", "id": id, "text": format!("note-{n}")}), format!("note {id} note-{n}")),
        };
        one_by_one.bd(words(&command)).ok();
        writeln!(lines, "{line}").unwrap();
    }
    batch(&at_once, &lines, &[]).ok();
    assert_eq!(at_once.ledger_text(), one_by_one.ledger_text());
}

#[test]
fn one_bad_line_of_a_thousand_names_itself() {
    let env = Env::new();
    let mut lines = String::new();
    for n in 1..=1000 {
        match n {
            617 => writeln!(lines, r#"{{"op":"update","id":"bd-n616","statsu":"closed"}}"#).unwrap(),
            n => writeln!(lines, r#"{{"op":"add","title":"Issue {n}","id":"bd-n{n}"}}"#).unwrap(),
        }
    }
    let before = env.ledger();
    let run = batch(&env, &lines, &["--atomic"]).fails(2, &["1000 of 1000 lines failed"]);
    assert_eq!(env.ledger(), before, "all or nothing");
    let found = answers(&run);
    assert_eq!((found.len(), &found[0]["error"]["failed_line"]), (1000, &json!(617)));
    assert_eq!((&found[0]["error"]["code"], &found[0]["id"]), (&json!("not_written"), &Value::Null));

    let run = batch(&env, &lines, &[]).fails(2, &["1 of 1000 lines failed"]);
    let found = answers(&run);
    assert_eq!(codes(&found), [(617, "usage")]);
    let error = &found[616]["error"];
    assert_eq!((&error["hint"], &error["exit_code"]), (&json!("did you mean \"status\"?"), &json!(2)));
    assert!(error["message"].as_str().unwrap().starts_with("update has no field \"statsu\"; known: id, title, status"));
    assert_eq!(env.bd(["count"]).ok().stdout, "999\n");
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.bd(["count"]).ok().stdout, "0\n");
}

#[test]
fn two_lines_do_not_close_a_circle() {
    let env = Env::new();
    env.given("add A --id bd-a\nadd B --id bd-b");
    let circle = "{\"op\":\"dep add\",\"id\":\"bd-a\",\"depends_on\":\"bd-b\"}\n{\"op\":\"dep add\",\"id\":\"bd-b\",\"depends_on\":\"bd-a\"}\n";
    let before = env.ledger();
    batch(&env, circle, &["--atomic"]).fails(5, &[]);
    assert_eq!(env.ledger(), before);
    let run = batch(&env, circle, &["--dry-run"]).fails(5, &["1 of 2 lines would fail"]);
    assert_eq!((env.ledger(), codes(&answers(&run))), (before, vec![(2, "illegal")]));
    let run = batch(&env, circle, &[]).fails(5, &[]);
    let found = answers(&run);
    assert_eq!(codes(&found), [(2, "illegal")]);
    assert!(found[1]["error"]["message"].as_str().unwrap().contains("bd-b -> bd-a -> bd-b"), "{}", run.stdout);
    // An epic waits for its children, and this one is filed by the batch itself.
    let lines = r#"{"op":"add","title":"Epic","type":"epic"}
{"op":"add","title":"Child","parent":"$1"}
{"op":"update","id":"$2","status":"closed"}
{"op":"close","id":"$1"}
{"op":"reopen","id":"$2"}
{"op":"dep add","id":"$2","depends_on":"$1"}
{"op":"reopen","id":"$1"}
{"op":"dep add","id":"$2","depends_on":"$1"}"#;
    let run = batch(&env, lines, &[]);
    assert_eq!(codes(&answers(&run)), [(8, "illegal")], "{}", run.stdout);
}

#[test]
fn a_reference_to_a_later_or_a_failing_line_is_refused() {
    let env = Env::new();
    let lines = r#"{"op":"note","id":"$2","text":"too early"}
{"op":"add","title":""}
{"op":"add","title":"Waits","deps":["blocks:$2"]}
{"op":"add","title":"Fine"}
{"op":"close","id":"$9"}
{"op":"close","id":"$4x"}
{"op":"add","title":"Named","parent":"$3"}
{"op":"close","id":"$1"}"#;
    let run = batch(&env, lines, &[]).fails(2, &["7 of 8 lines failed"]);
    let found = answers(&run);
    let wanted =
        [(1, "usage"), (2, "usage"), (3, "not_written"), (5, "usage"), (6, "usage"), (7, "not_written"), (8, "usage")];
    assert_eq!(codes(&found), wanted, "{}", run.stdout);
    assert_eq!(found[2]["error"]["message"], "$2 names the issue of line 2, which was not filed");
    assert_eq!((&found[2]["error"]["failed_line"], &found[2]["error"]["exit_code"]), (&json!(2), &json!(1)));
    assert_eq!(env.bd(["count"]).ok().stdout, "1\n");
}

#[test]
fn what_another_deletes_while_the_batch_is_read_is_not_changed() {
    let env = Env::new();
    env.given("add A --id bd-a\nadd B --id bd-b");
    let mut command = env.bd_command(BD);
    command.arg("batch").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"op\":\"update\",\"id\":\"bd-a\",\"priority\":0}\n").unwrap();
    input.flush().unwrap();
    env.bd(["delete", "bd-a", "--yes"]).ok();
    input.write_all(b"{\"op\":\"update\",\"id\":\"bd-b\",\"priority\":0}\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((output.status.code(), codes(&lines)), (Some(5), vec![(1, "illegal")]), "{text}");
    assert_eq!(env.bd(["show", "bd-b", "--json"]).ok().json()[0]["priority"], 0);
}

#[test]
fn odd_input_is_read_or_named() {
    let env = Env::new();
    let long = "x".repeat(10 << 20);
    let mut bytes = b"\xef\xbb\xbf{\"op\":\"add\",\"title\":\"With a BOM\"}\r\n\r\n   \n".to_vec();
    bytes.extend(format!("{{\"op\":\"add\",\"title\":\"Long\",\"description\":\"{long}\"}}\r\n").bytes());
    bytes.extend(b"{\"op\":\"add\",\"title\":\"\xff\"}\n[1]\n{\"op\":\"add\",\"title\":\"cut\n{}\n{\"op\":7}\n");
    bytes.extend(b"{\"op\":\"clsoe\",\"id\":\"$1\"}\n{\"op\":\"close\"}\n{\"op\":\"close\",\"id\":7}\n");
    bytes.extend(b"{\"op\":\"update\",\"id\":\"$1\",\"type\":\"bug\",\"issue_type\":\"task\"}\n{\"op\":\"update\",\"id\":\"$1\"}\n");
    bytes.extend(
        b"{\"op\":\"update\",\"id\":\"$1\",\"priority\":9}\n{\"op\":\"label add\",\"id\":\"$1\",\"labels\":[]}\n",
    );
    bytes.extend(b"{\"op\":\"update\",\"id\":\"$1\",\"title\":\"No line feed at the end\"}");
    env.write("odd.jsonl", &bytes);
    let run = env.bd(["batch", "odd.jsonl"]).fails(2, &["12 of 15 lines failed"]);
    let found = answers(&run);
    let failed: Vec<String> = found
        .iter()
        .filter(|one| one["error"].is_object())
        .map(|one| format!("{} {}", one["line"], one["error"]["message"].as_str().unwrap()))
        .collect();
    let starts = [
        "5 the line is not UTF-8",
        "6 the line is not a JSON object",
        "7 the line is not a JSON object",
        "8 the line has no op; known: add, update",
        "9 \"op\" must be a text",
        "10 unknown op \"clsoe\"; known: add, update",
        "11 close needs the field \"id\"",
        "12 \"id\" must be a text",
        "13 \"type\" is given twice",
        "14 nothing to change",
        "15 ",
        "16 nothing to change",
    ];
    assert_eq!(failed.len(), starts.len(), "{failed:#?}");
    for (found, start) in failed.iter().zip(starts) {
        assert!(found.starts_with(start), "{found}, not {start}");
    }
    assert_eq!(found[9 - 3]["error"]["exit_code"], 2);
    let titles = env.bd(["list", "--json"]).ok().json();
    let titles: Vec<&str> = titles.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(titles.len(), 2);
    assert!(titles.contains(&"No line feed at the end") && titles.contains(&"Long"), "{titles:?}");
}

#[test]
fn too_much_is_refused_before_anything_is_written() {
    let env = Env::new();
    let before = env.ledger();
    env.write("many.jsonl", "{\"op\":\"add\",\"title\":\"T\"}\n".repeat(100_001));
    env.bd(["batch", "many.jsonl"]).fails(2, &["more than 100000 lines"]);
    env.write("large.jsonl", " ".repeat((64 << 20) + 1));
    env.bd(["batch", "large.jsonl"]).fails(2, &["more than 64 MB"]);
    assert_eq!(env.ledger(), before);
    assert_eq!(batch(&env, "", &[]).ok().stdout, "");
    env.bd(["batch", "none.jsonl"]).fails(1, &["none.jsonl"]);
    env.bd(["batch", "--readonly"]).fails(5, &["read-only"]);
}

#[test]
fn an_atomic_batch_stays_in_one_repo() {
    let env = Env::new();
    std::fs::create_dir(env.root().join("other")).unwrap();
    env.bd(["-C", "../other", "init", "--quiet", "--prefix", "ot"]).ok();
    let lines = "{\"op\":\"add\",\"title\":\"Here\"}\n{\"op\":\"add\",\"title\":\"There\",\"repo\":\"../other\"}\n";
    let there = || std::fs::read_to_string(env.root().join("other/.beads/beads.jsonl")).unwrap();
    let run = batch(&env, lines, &["--atomic"]).fails(5, &["--atomic cannot write several repos"]);
    assert_eq!((run.stdout.as_str(), env.ledger_text().as_str(), there().as_str()), ("", "", ""));
    let found = answers(&batch(&env, lines, &[]).ok());
    assert!(found[1]["id"].as_str().unwrap().starts_with("ot-"), "{found:?}");
    assert!(env.ledger_text().contains("Here") && there().contains("There"));
    env.bd(["undo", "--yes"]).ok();
    assert_eq!((env.ledger_text().trim(), there().trim().to_owned()), ("", String::new()), "one undo for both");
}

#[test]
fn guards_hold_for_each_line() {
    let env = Env::new();
    env.given("add A --id bd-a\nadd B --id bd-b --deps bd-a\nadd C --id bd-c");
    env.given("agent register w1\nagent register w2");
    env.bd_with(["claim", "bd-c"], None, &[("BD_AGENT", "w1")]).ok();
    let lines = r#"{"op":"close","id":"bd-b"}
{"op":"update","id":"bd-c","priority":0}
{"op":"comment","id":"bd-c","text":"anybody may say this"}
{"op":"close","id":"bd-a"}
{"op":"close","id":"bd-b"}
{"op":"update","id":"bd-b","status":"nosuch"}
{"op":"delete","id":"bd-b"}
{"op":"update","id":"bd-b","priority":0}"#;
    let run = env.bd_with(["batch"], Some(lines), &[("BD_AGENT", "w2")]).fails(5, &["4 of 8 lines failed"]);
    let found = answers(&run);
    assert_eq!(codes(&found), [(1, "illegal"), (2, "claimed"), (6, "usage"), (8, "illegal")], "{}", run.stdout);
    // Reports that nothing changed.
    let run = batch(&env, "{\"op\":\"close\",\"id\":\"bd-a\"}", &[]).ok();
    assert_eq!(answers(&run)[0]["changed"], false);
}
