//! `bd mcp` and what it cannot answer: wrong calls, broken lines, a client that leaves, a project that is not as it was.

use std::collections::BTreeMap;
use std::fs::File;

use serde_json::{Value, json};
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::agents::mcp_talk::{ERAS, Era, Talk};
use crate::support::harness::Env;

#[test]
fn wrong_calls_are_answered_in_words() {
    let env = Env::new();
    env.given("add One --id bd-1");
    let before = env.ledger();
    let mut talk = Talk::start(&env, Era::Inline, &[]);
    let mut said = String::new();
    let wrong = [
        ("show", json!({ "ids": "bd-1" })),
        ("show", json!({ "ids": ["bd-1", 2] })),
        ("show", json!({ "ids": [] })),
        ("show", json!({})),
        ("ready", json!({ "limit": "3" })),
        ("ready", json!({ "limit": 101 })),
        ("ready", json!({ "limt": 3 })),
        ("list", json!({ "query": "status=" })),
        ("list", json!({ "fields": ["colour"] })),
        ("create", json!({ "issues": [{ "titel": "x" }] })),
        ("create", json!({ "issues": ["x"] })),
        ("update", json!({ "id": "1" })),
        ("update", json!({ "id": "1", "status": "done-ish" })),
        ("update", json!({ "id": "1", "title": "x", "if_updated_at": "yesterday" })),
        ("update", json!({ "id": "1", "due": "someday" })),
        ("claim", json!({ "action": "steal", "id": "1" })),
        ("claim", json!({ "action": "claim" })),
        ("mail", json!({ "action": "send", "to": ["nobody"], "text": "x" })),
    ];
    for (tool, arguments) in wrong {
        said += &talk.told(tool, arguments);
    }
    assert_data_eq!(
        said,
        str![[r#"
> show {"ids":"bd-1"}
! {"project":"[ROOT]/web","code":"usage","message":"show.ids must be an array of strings, not a string","retryable":false,"exit_code":2}
> show {"ids":["bd-1",2]}
! {"project":"[ROOT]/web","code":"usage","message":"show.ids must be an array of strings, not an array of other things","retryable":false,"exit_code":2}
> show {"ids":[]}
! {"project":"[ROOT]/web","code":"usage","message":"ids: name at least one issue","retryable":false,"exit_code":2}
> show {}
! {"project":"[ROOT]/web","code":"usage","message":"show: the argument ids is missing","retryable":false,"exit_code":2}
> ready {"limit":"3"}
! {"project":"[ROOT]/web","code":"usage","message":"ready.limit must be an integer, not a string","retryable":false,"exit_code":2}
> ready {"limit":101}
! {"project":"[ROOT]/web","code":"usage","message":"ready.limit must be from 1 to 100, not 101","retryable":false,"exit_code":2}
> ready {"limt":3}
! {"project":"[ROOT]/web","code":"usage","message":"ready: unknown argument \"limt\"; known: query limit after fields","hint":"did you mean \"limit\"?","retryable":false,"exit_code":2}
> list {"query":"status="}
! {"project":"[ROOT]/web","code":"usage","message":"\"status=\" has no value","hint":"write it like status=open priority<=1 label=api title~crash","retryable":false,"exit_code":2}
> list {"fields":["colour"]}
! {"project":"[ROOT]/web","code":"usage","message":"unknown field \"colour\"; known: all id title status priority issue_type created_at updated_at source_repo visibility writable shadowed worktree_id worktree elsewhere copies branches private pruned past description design acceptance_criteria notes assignee owner estimated_minutes created_by started_at closed_at close_reason due_at defer_until external_ref parent project former_id labels dependencies dependents comments dependency_count dependent_count comment_count blocked_by blocked_by_count matched_fields dependency_type depth parent_id truncated","retryable":false,"exit_code":2}
> create {"issues":[{"titel":"x"}]}
! {"project":"[ROOT]/web","code":"usage","message":"create.issues[0]: unknown argument \"titel\"; known: title description type priority labels parent deps design acceptance assignee","hint":"did you mean \"title\"?","retryable":false,"exit_code":2}
> create {"issues":["x"]}
! {"project":"[ROOT]/web","code":"usage","message":"create.issues must be an array of objects, not an array","retryable":false,"exit_code":2}
> update {"id":"1"}
! {"project":"[ROOT]/web","code":"usage","message":"nothing to change about 1","retryable":false,"exit_code":2}
> update {"id":"1","status":"done-ish"}
! {"project":"[ROOT]/web","code":"usage","message":"invalid status \"done-ish\"; known: open in_progress blocked deferred closed pinned hooked","retryable":false,"exit_code":2}
> update {"id":"1","if_updated_at":"yesterday","title":"x"}
! {"project":"[ROOT]/web","code":"usage","message":"\"yesterday\" is not a time as `updated_at` has it","retryable":false,"exit_code":2}
> update {"due":"someday","id":"1"}
! {"project":"[ROOT]/web","code":"usage","message":"invalid due format \"someday\": not a date","hint":"write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339","retryable":false,"exit_code":2}
> claim {"action":"steal","id":"1"}
! {"project":"[ROOT]/web","code":"usage","message":"claim.action must be one of claim next release, not \"steal\"","retryable":false,"exit_code":2}
> claim {"action":"claim"}
! {"project":"[ROOT]/web","code":"usage","message":"claim needs the argument id","retryable":false,"exit_code":2}
> mail {"action":"send","text":"x","to":["nobody"]}
! {"project":"[ROOT]/web","code":"not_found","message":"no agent \"nobody\" is registered","retryable":false,"exit_code":3}

"#]]
        .raw()
    );
    let long = "x".repeat(10_000);
    let refusal = talk.refused("show", json!({ "ids": [long] }));
    assert_eq!((&refusal["code"], &refusal["exit_code"]), (&json!("not_found"), &json!(3)));
    assert!(refusal.to_string().len() < 3_000, "{refusal}");
    assert_eq!(talk.refused("claim", json!({ "action": "claim", "id": "é".repeat(10_000) }))["exit_code"], 3);
    assert_eq!(env.ledger(), before);
}

#[test]
fn there_is_no_tool_that_destroys() {
    for era in ERAS {
        let env = Env::new();
        let mut talk = Talk::start(&env, era, &["--tools", "all"]);
        for tool in ["delete", "prune", "sync", "push", "init", "commit", "", "READY"] {
            let answer = talk.ask("tools/call", json!({ "name": tool, "arguments": {} }));
            assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
        }
        let mut talk = Talk::start(&env, era, &["--read-only"]);
        for tool in ["create", "update", "claim", "close", "history"] {
            let answer = talk.ask("tools/call", json!({ "name": tool, "arguments": {} }));
            assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
        }
        assert_eq!(talk.refused("mail", json!({ "action": "send", "to": ["human"], "text": "x" }))["code"], "usage");
    }
}

#[test]
fn a_call_before_the_handshake_is_refused_and_the_session_goes_on() {
    let env = Env::new();
    let mut talk = Talk::silent(&env, Era::Handshake, &[], &[]);
    let early = talk.ask("tools/call", json!({ "name": "ready", "arguments": {} }));
    assert_eq!(early["error"]["code"], -32602, "{early}");
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    assert_eq!(talk.ask("initialize", hello)["result"]["serverInfo"]["name"], "bd");
    assert_eq!(talk.done("ready", json!({}))["total"], 0);
    // The current protocol has no handshake, and identifies itself on request.
    let mut talk = Talk::silent(&env, Era::Inline, &[], &[]);
    let found = talk.ask("server/discover", json!({}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{found}");
    assert_eq!(talk.done("ready", json!({}))["total"], 0);
}

#[test]
fn what_comes_before_the_handshake_ends_nothing() {
    let early = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{"secret":"s3"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}"#,
    ];
    let env = Env::new();
    // A client that says nothing else, or only a part of a line, ends as one that says nothing.
    for last in ["", "{\"jsonrpc\":"] {
        let mut talk = Talk::silent(&env, Era::Handshake, &[], &[]);
        talk.write(format!("{}\n{last}", early.join("\n")).as_bytes());
        assert_eq!(talk.end(), (String::new(), 0, String::new()));
    }
    let mut talk = Talk::silent(&env, Era::Handshake, &[], &[]);
    for line in early {
        talk.write(format!("{line}\n").as_bytes());
        talk.write(b"no JSON\n");
        assert_eq!(talk.receive()["error"]["code"], -32700, "after {line}");
        talk.write(b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n");
        assert_eq!(talk.receive()["error"]["code"], -32600, "after {line}");
        assert!(talk.ask("ping", json!({}))["result"].is_object(), "after {line}");
        assert!(talk.ask("tools/list", json!({}))["error"]["code"].is_i64(), "after {line}");
    }
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "T", "version": "1" } });
    assert_eq!(talk.ask("initialize", hello)["result"]["protocolVersion"], "2025-11-25");
    // Nor does it afterwards.
    for line in early {
        talk.write(format!("{line}\n").as_bytes());
    }
    assert_eq!(talk.done("ready", json!({}))["total"], 0);
    assert_eq!(talk.end(), (String::new(), 0, String::new()));
}

#[test]
fn lines_that_are_no_messages() {
    for era in ERAS {
        let env = Env::new();
        let mut talk = Talk::start(&env, era, &[]);
        let refused = |talk: &mut Talk, line: &[u8]| {
            talk.write(line);
            let answer = talk.receive();
            assert_eq!((&answer["jsonrpc"], answer["error"]["message"].is_string()), (&json!("2.0"), true), "{answer}");
            assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
            (answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())
        };
        for line in [&b"this is not JSON\n"[..], b"\n\xff\xfe\n", b"{\"jsonrpc\":\"2.0\",\"id\":\n", b"[1,2\n"] {
            assert_eq!(refused(&mut talk, line), (-32700, Value::Null));
        }
        assert_eq!(talk.done("ready", json!({}))["total"], 0);
        for line in
            [&b"{\"hello\":1}\n"[..], b"[1]\n", b"7\n", b"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}\n"]
        {
            assert_eq!(refused(&mut talk, line), (-32600, Value::Null));
        }
        // If the id is readable, the error contains it.
        assert_eq!(refused(&mut talk, b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}\n"), (-32600, json!("a")));
        // A notification is not answered, whatever it says.
        talk.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}\n");
        let unknown = talk.ask("tools/destroy", json!({}));
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        // A line of 17 MB is refused, and the next one is read.
        let mut long = vec![b'x'; 17 << 20];
        long.push(b'\n');
        assert_eq!(refused(&mut talk, &long), (-32600, Value::Null));
        assert_eq!(talk.done("ready", json!({}))["total"], 0);
    }
}

#[test]
fn parameters_of_a_wrong_kind_are_invalid() {
    for era in ERAS {
        let env = Env::new();
        let mut talk = Talk::start(&env, era, &[]);
        for params in [
            json!({ "name": "ready", "arguments": [1] }),
            json!({ "name": "ready", "arguments": "limit" }),
            json!({ "name": 7 }),
            json!({}),
        ] {
            let answer = talk.ask("tools/call", params.clone());
            assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains("arguments, an object"), "{answer}");
        }
        for (method, params) in [("resources/read", json!({ "uri": 7 })), ("prompts/get", json!({ "name": [] }))] {
            assert_eq!(talk.ask(method, params)["error"]["code"], -32602, "{method}");
        }
        talk.send(&json!({ "jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": [1] }));
        let answer = talk.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("x"), &json!(-32602)), "{answer}");
    }
}

/// Requests before the end are answered, and half a message is ignored.
#[test]
fn the_input_ends_in_the_middle() {
    for era in ERAS {
        let env = Env::new();
        let mut talk = Talk::start(&env, era, &[]);
        let asked = talk.begin_call("create", json!({ "issues": [{ "title": "Last" }] }));
        talk.write(br#"{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"create","arg"#);
        let (rest, code, stderr) = talk.end();
        let answer: Value = serde_json::from_str(&rest).unwrap_or_else(|error| panic!("{error}: {rest:?}"));
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(asked), &json!(false)), "{answer}");
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert_eq!(env.bd(["list", "--json"]).ok().json()[0]["title"], "Last");
    }
    // One that says nothing at all.
    let env = Env::new();
    let (rest, code, stderr) = Talk::silent(&env, Era::Inline, &[], &[]).end();
    assert_eq!((rest.as_str(), code, stderr.as_str()), ("", 0, ""));
}

/// Some read, some write: each gets its answer, and nothing is lost.
#[test]
fn twenty_five_calls_at_once() {
    for era in ERAS {
        let env = Env::new();
        env.given("add One --id bd-1");
        let mut talk = Talk::start(&env, era, &[]);
        let mut asked = BTreeMap::new();
        for n in 0..25 {
            let (tool, arguments) = match n % 5 {
                0 | 1 => ("create", json!({ "issues": [{ "title": format!("Filed {n}") }] })),
                2 => ("update", json!({ "id": "bd-1", "notes": format!("note {n}") })),
                3 => ("ready", json!({})),
                _ => ("show", json!({ "ids": ["bd-1"] })),
            };
            asked.insert(talk.begin_call(tool, arguments), tool);
        }
        for _ in 0..25 {
            let answer = talk.receive();
            let tool = asked.remove(&answer["id"].as_i64().unwrap()).unwrap();
            assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
        }
        assert!(asked.is_empty());
        assert_eq!(talk.done("list", json!({ "query": "title~filed" }))["total"], 10);
        let notes = talk.done("show", json!({ "ids": ["1"] }))["issues"][0]["notes"].as_str().unwrap().to_owned();
        let mut lines: Vec<&str> = notes.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["note 12", "note 17", "note 2", "note 22", "note 7"]);
    }
}

/// Sixteen calls run at once, so the next one waits for its turn, and can be cancelled without a trace. A running one
/// finishes, and its answer is dropped.
#[test]
fn a_call_is_cancelled() {
    const AT_ONCE: i64 = 16;
    for era in ERAS {
        let env = Env::new();
        let mut talk = Talk::start(&env, era, &[]);
        let held = File::open(env.path(".beads")).unwrap();
        held.lock().unwrap();
        let asked: Vec<i64> = (0..=AT_ONCE)
            .map(|n| talk.begin_call("create", json!({ "issues": [{ "title": format!("Filed {n}") }] })))
            .collect();
        for id in [asked[0], asked[16]] {
            talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
        }
        // Answers do not wait for those who write; this one says that the messages before it were read.
        talk.ask("prompts/list", json!({}));
        drop(held);
        let mut answered: Vec<i64> = (1..AT_ONCE).map(|_| talk.receive()["id"].as_i64().unwrap()).collect();
        answered.sort_unstable();
        assert_eq!(answered, asked[1..16]);
        let all = talk.done("list", json!({ "query": "title~filed", "limit": 100 }));
        let titles: Vec<&str> =
            all["issues"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
        assert!(!titles.contains(&"Filed 16"), "{titles:?}");
        assert!((15..=16).contains(&titles.len()), "{titles:?}");
        let (rest, code, _) = talk.end();
        assert_eq!((rest.as_str(), code), ("", 0));
    }
}

/// Two servers that one client started are two agents; one that has a name is that agent.
#[test]
fn two_sessions_do_not_share_a_claim() {
    for era in ERAS {
        let env = Env::new();
        env.given("add One --id bd-1\n add Two --id bd-2");
        let (mut one, mut other) = (Talk::start(&env, era, &[]), Talk::start(&env, era, &[]));
        let claimed = one.done("claim", json!({ "action": "claim", "id": "1" }));
        assert!(claimed["agent"].as_str().unwrap().starts_with("test-client-"), "{claimed}");
        let refusal = other.refused("claim", json!({ "action": "claim", "id": "1" }));
        let wanted = (&json!("claimed"), &json!(4), &json!(false));
        assert_eq!((&refusal["code"], &refusal["exit_code"], &refusal["retryable"]), wanted, "{refusal}");
        assert_eq!(one.done("claim", json!({ "action": "claim", "id": "1" }))["already_yours"], true);
        assert_eq!(other.refused("close", json!({ "ids": ["1"] }))["exit_code"], 4);
        assert_eq!(other.done("claim", json!({ "action": "next" }))["id"], "bd-2");
    }
    let env = Env::new();
    env.given("add One --id bd-1");
    let mut talk = Talk::silent(&env, Era::Inline, &[], &[("BD_AGENT", "bob")]);
    assert_eq!(talk.done("claim", json!({ "action": "next" }))["agent"], "bob");
}

#[test]
fn a_ledger_in_the_middle_of_a_merge_is_read_and_not_written() {
    let env = Env::new();
    env.given("add One --id bd-1");
    let mut talk = Talk::start(&env, Era::Inline, &[]);
    let good = env.ledger_text();
    let bad = format!("<<<<<<< HEAD\n{good}=======\n{}>>>>>>> theirs\n", good.replace("One", "Other"));
    env.put_ledger(&bad);
    let listed = talk.done("list", json!({}));
    assert!(listed["warnings"].as_array().is_some_and(|all| all[0].as_str().unwrap().contains("conflict")), "{listed}");
    let refusal = talk.refused("create", json!({ "issues": [{ "title": "Two" }] }));
    assert_eq!((&refusal["code"], &refusal["exit_code"]), (&json!("damaged"), &json!(8)), "{refusal}");
    assert_eq!(env.ledger_text(), bad);
    env.put_ledger(&good);
    talk.done("create", json!({ "issues": [{ "title": "Two" }] }));
}

#[test]
fn a_ledger_that_another_program_holds_is_worth_another_try() {
    let env = Env::new();
    let mut talk = Talk::silent(&env, Era::Inline, &["--lock-timeout", "0.1"], &[]);
    let held = File::open(env.path(".beads")).unwrap();
    held.lock().unwrap();
    let refusal = talk.refused("create", json!({ "issues": [{ "title": "One" }] }));
    let wanted = (&json!("busy"), &json!(true), &json!(6));
    assert_eq!((&refusal["code"], &refusal["retryable"], &refusal["exit_code"]), wanted, "{refusal}");
    drop(held);
    talk.done("create", json!({ "issues": [{ "title": "One" }] }));
}

/// A server that only reads leaves nothing behind, not even a sign of life.
#[test]
fn reading_leaves_no_trace() {
    let env = Env::new();
    env.given("add One --id bd-1\n agent register bob");
    let before = files(&env.root());
    let mut talk = Talk::silent(&env, Era::Inline, &["--read-only", "--tools", "all"], &[("BD_AGENT", "bob")]);
    let calls = [
        ("ready", json!({})),
        ("list", json!({ "query": "status=all" })),
        ("show", json!({ "ids": ["1"], "include": ["comments", "why"] })),
        ("context", json!({ "id": "1" })),
        ("mail", json!({ "action": "inbox" })),
        ("checkpoint", json!({ "action": "resume" })),
        ("dep", json!({ "action": "tree", "id": "1" })),
    ];
    for (tool, arguments) in calls {
        talk.done(tool, arguments);
    }
    assert_eq!(files(&env.root()), before);
}

/// Every file below a directory, with its bytes.
fn files(dir: &std::path::Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            found.insert(entry.clone(), std::fs::read(&entry).unwrap());
        }
    }
    found
}

/// A project that goes away and comes back: no call makes a ledger, and none advises to.
#[test]
fn the_project_vanishes_between_calls() {
    for era in ERAS {
        let env = Env::new();
        env.given("add One --id bd-1");
        let mut talk = Talk::start(&env, era, &[]);
        assert_eq!(talk.done("ready", json!({}))["total"], 1);
        let (beads, away) = (env.path(".beads"), env.root().join("away"));
        std::fs::rename(&beads, &away).unwrap();
        for (tool, arguments) in [("ready", json!({})), ("create", json!({ "issues": [{ "title": "Two" }] }))] {
            let refusal = talk.refused(tool, arguments);
            assert_eq!((&refusal["code"], &refusal["exit_code"]), (&json!("no_repository"), &json!(9)), "{refusal}");
            assert!(!refusal.to_string().contains("bd init"), "{refusal}");
        }
        assert!(!beads.exists());
        std::fs::rename(&away, &beads).unwrap();
        assert_eq!(talk.done("ready", json!({}))["total"], 1);
        std::fs::rename(env.path(""), env.root().join("elsewhere")).unwrap();
        assert_eq!(talk.refused("ready", json!({}))["exit_code"], 9);
    }
}

#[test]
fn which_project_is_meant() {
    let env = Env::new();
    env.given("add One --id bd-1");
    let other = env.root().join("other");
    std::fs::create_dir(&other).unwrap();
    env.bd(["-C", other.to_str().unwrap(), "init", "--quiet", "--prefix", "ot"]).ok();
    let (web, other) = (env.path("").display().to_string(), other.display().to_string());
    let web = web.trim_end_matches('/');
    let beads = format!("{other}/.beads");
    let project = |args: &[&str], vars: &[(&str, &str)], arguments: Value| {
        Talk::silent(&env, Era::Inline, args, vars).call("ready", arguments)["structuredContent"]["project"].clone()
    };
    assert_eq!(project(&[], &[], json!({})), web);
    assert_eq!(project(&[], &[("BEADS_DIR", &beads)], json!({})), other);
    assert_eq!(project(&["--dir", web], &[("BEADS_DIR", &beads)], json!({})), web);
    assert_eq!(project(&["--multi"], &[("BEADS_DIR", &beads)], json!({ "dir": web })), web);
    assert_eq!(project(&["--multi"], &[], json!({ "dir": "../other" })), other);
    assert_eq!(project(&["--multi"], &[], json!({ "dir": "/nowhere" })), Value::Null);
    let mut talk = Talk::start(&env, Era::Handshake, &["--multi"]);
    assert_eq!(talk.refused("ready", json!({}))["message"], "ready: the argument dir is missing");
    let uri = format!("bd://issue/bd-1?dir={web}");
    assert!(talk.ask("resources/read", json!({ "uri": uri }))["result"]["contents"][0]["text"].is_string());
    assert_eq!(talk.ask("resources/read", json!({ "uri": "bd://issue/bd-1" }))["error"]["code"], -32602);
    env.bd(["mcp", "--dir", "a", "--multi"]).fails(2, &["cannot be used with"]);
    env.bd(["mcp", "--tools", "most"]).fails(2, &["core, all"]);
}
