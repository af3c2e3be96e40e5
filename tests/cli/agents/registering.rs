//! Agents: registration, liveness, and who may change them.

use std::process::{Command, Stdio};

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{BD, Env, Run};
use crate::support::process::ended;

/// Runs a command at a moment of 5 January 2026.
fn at(env: &Env, time: &str, line: &str) -> Run {
    let now = format!("2026-01-05T{time}Z");
    env.bd_with(line.split(' '), None, &[("BD_TEST_NOW", &now)])
}

fn line_of(env: &Env, name: &str) -> String {
    let text = std::fs::read_to_string(env.path(".beads/run/agents.jsonl")).unwrap();
    text.lines().find(|line| line.contains(&format!("\"name\":\"{name}\""))).unwrap().to_owned()
}

#[test]
fn register_look_and_leave() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "agent register ann --role coordinator
             agent register bob --cap rust --cap tests --runtime shell --meta tier=2
             --agent bob agent heartbeat --status busy --note 'on it'
             agent list
             agent list --role coordinator
             agent list --cap tests --status busy
             agent list --stale
             agent unregister bob
             agent list
             agent list --status gone"
        ),
        str![[r#"
$ bd agent register ann --role coordinator
ag_1kheo4icez0w
$ bd agent register bob --cap rust --cap tests --runtime shell --meta tier=2
ag_zf6y5poboul4
$ bd --agent bob agent heartbeat --status busy --note 'on it'
bob is busy
$ bd agent list
ann  online  coordinator  ag_1kheo4icez0w
bob  busy    worker       ag_zf6y5poboul4  on it
$ bd agent list --role coordinator
ann  online  coordinator  ag_1kheo4icez0w
$ bd agent list --cap tests --status busy
bob  busy  worker  ag_zf6y5poboul4  on it
$ bd agent list --stale
! no agents
$ bd agent unregister bob
Unregistered bob: ag_zf6y5poboul4
$ bd agent list
ann  online  coordinator  ag_1kheo4icez0w
$ bd agent list --status gone
bob  gone  worker  ag_zf6y5poboul4  it has unregistered

"#]]
        .raw()
    );
}

#[test]
fn one_agent_in_full() {
    let env = Env::new();
    env.bd(["agent", "register", "bob", "--cap", "b,a,b", "--meta", "k=old", "--meta", "k=v\"", "--runtime", "r"]).ok();
    let shown = env.bd(["agent", "show", "bob", "--json"]).ok().json();
    assert_eq!(shown["capabilities"], serde_json::json!(["a", "b"]));
    assert_eq!(shown["metadata"], serde_json::json!({"k": "v\""}));
    assert_eq!((&shown["runtime"], &shown["sessions"], &shown["status"]), (&"r".into(), &1.into(), &"online".into()));
    let id = shown["id"].as_str().unwrap();
    for typed in [id, &id[..8], "bob"] {
        assert_eq!(env.bd(["agent", "show", typed, "--json"]).ok().json()["id"], id, "{typed}");
    }
    // The one that acts, by name and by id.
    assert_eq!(env.bd(["--agent", "bob", "agent", "show", "--json"]).ok().json()["id"], id);
    assert_eq!(env.bd_with(["agent", "show", "--json"], None, &[("BD_AGENT", id)]).ok().json()["name"], "bob");
    let text = env.bd(["agent", "show", "bob"]).ok().stdout;
    assert!(text.contains("Status      online\n") && text.contains("Can do      a b\n"), "{text}");
}

#[test]
fn refusals() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "agent register human
             agent register role:x
             agent register x --role boss
             agent register x --meta novalue
             agent show
             agent show nobody
             agent heartbeat
             agent heartbeat --status gone
             --agent ag_0123456789ab list
             agent unregister nobody
             agent sweep --older-than soon"
        ),
        str![[r#"
$ bd agent register human
! error: "human" cannot be the name of an agent: mail to human goes to people
[exit 2]
$ bd agent register role:x
! error: "role:x" cannot be the name of an agent: it holds a colon
[exit 2]
$ bd agent register x --role boss
! error: invalid value 'boss' for '--role <ROLE>': worker, coordinator, reviewer or human
! 
! For more information, try '--help'.
[exit 2]
$ bd agent register x --meta novalue
! error: invalid value 'novalue' for '--meta <KEY=VALUE>': KEY=VALUE
! 
! For more information, try '--help'.
[exit 2]
$ bd agent show
! error: which agent? name one, or say who you are with --agent or BD_AGENT
[exit 2]
$ bd agent show nobody
! error: no agent "nobody" is registered
! hint: run `bd agent list` to see the agents, or `bd agent register NAME` to add one
[exit 3]
$ bd agent heartbeat
! error: only agents can do this, and ann is a person
! hint: name the agent with BD_AGENT or --agent
[exit 2]
$ bd agent heartbeat --status gone
! error: invalid value 'gone' for '--status <busy|online>': busy or online
! 
! For more information, try '--help'.
[exit 2]
$ bd --agent ag_0123456789ab list
! error: no agent "ag_0123456789ab" is registered
! hint: run `bd agent list` to see the agents, or `bd agent register NAME` to add one
[exit 3]
$ bd agent unregister nobody
! error: no agent "nobody" is registered
! hint: run `bd agent list` to see the agents, or `bd agent register NAME` to add one
[exit 3]
$ bd agent sweep --older-than soon
! error: invalid value 'soon' for '--older-than <DURATION>': not a length of time such as 90s, 30m, 2h or 1d
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    // Looking has made nothing.
    assert!(!env.path(".beads/run/agents.jsonl").exists());
}

#[test]
fn a_name_has_one_bearer_at_a_time() {
    let env = Env::new();
    let id = env.bd(["agent", "register", "bob"]).ok().stdout;
    let refused = env.bd(["agent", "register", "bob", "--json"]).fails(4, &["claimed"]);
    assert_eq!(refused.error()["agent"], id.trim());
    // Calling itself by that name is not a proof of being it.
    env.bd(["--agent", "bob", "agent", "register", "bob"]).fails(4, &["--again"]);
    assert_eq!(env.bd(["agent", "register", "bob", "--again"]).ok().stdout, id);
    let sessions = |env: &Env| env.bd(["agent", "show", "bob", "--json"]).ok().json()["sessions"].clone();
    assert_eq!(sessions(&env), 2);
    // After 15 minutes of silence the name is free, and its id stays.
    at(&env, "09:15:00", "agent register bob").fails(4, &["was heard of at 2026-01-05T09:00:"]);
    assert_eq!(at(&env, "09:20:00", "agent register bob --role reviewer").ok().stdout, id);
    at(&env, "09:20:01", "agent unregister bob").ok();
    assert_eq!(at(&env, "09:20:02", "agent register bob").ok().stdout, id);
    let shown = at(&env, "09:20:03", "agent show bob --json").ok().json();
    assert_eq!(
        (&shown["sessions"], &shown["role"]),
        (&4.into(), &"reviewer".into()),
        "what it does not say anew stays"
    );
}

#[test]
fn every_command_is_a_sign_of_life() {
    let env = Env::new();
    env.bd(["agent", "register", "bob"]).ok();
    let status = |time: &str| at(&env, time, "agent show bob --json").ok().json();
    assert_eq!(status("09:14:00")["status"], "online");
    let silent = status("09:16:00");
    assert_eq!((&silent["status"], &silent["because"]), (&"offline".into(), &"no word for 16m".into()));
    at(&env, "09:16:01", "--agent bob list").ok();
    let heard = status("09:16:02");
    assert_eq!((&heard["status"], &heard["last_heartbeat"]), (&"online".into(), &"2026-01-05T09:16:01.000Z".into()));
    // Not more than once a minute.
    let before = line_of(&env, "bob");
    at(&env, "09:17:00", "--agent bob ready").ok();
    assert_eq!(line_of(&env, "bob"), before);
    at(&env, "09:17:01", "--agent bob ready").ok();
    assert_ne!(line_of(&env, "bob"), before);
    // Reading registers no one, and an unregistered agent does not come back by reading.
    at(&env, "09:18:00", "--agent eve list").ok();
    at(&env, "09:18:01", "agent unregister bob").ok();
    at(&env, "09:18:02", "--agent bob list").ok();
    assert_eq!(at(&env, "09:18:03", "agent list --json").ok().json(), serde_json::json!([]));
    // A heartbeat registers.
    at(&env, "09:19:00", "--agent eve agent heartbeat").ok();
    assert_eq!(at(&env, "09:19:01", "agent show eve --json").ok().json()["role"], "worker");
}

#[test]
fn a_read_only_or_busy_state_home_stops_no_reader() {
    let env = Env::new();
    env.bd(["agent", "register", "bob"]).ok();
    let before = line_of(&env, "bob");
    let lock = std::fs::File::open(env.path(".beads/run/lock")).unwrap();
    lock.lock().unwrap();
    // One that waited for the lock would wait longer than this test does.
    let mut reader = env.bd_command(BD);
    reader.args(["--agent", "bob", "list", "--lock-timeout", "600"]).env("BD_TEST_NOW", "2026-01-05T09:30:00Z");
    assert!(ended(reader.stdout(Stdio::null()).spawn().unwrap()).status.success());
    assert_eq!(line_of(&env, "bob"), before);
    at(&env, "09:30:00", "--agent bob agent heartbeat --lock-timeout 0.1").fails(6, &["locked"]);
}

#[test]
fn what_a_later_version_wrote_stays() {
    let env = Env::new();
    env.bd(["agent", "register", "bob"]).ok();
    let file = env.path(".beads/run/agents.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen('{', "{\"mood\":{\"of\":[1,2.50]},", 1)).unwrap();
    env.bd(["--agent", "bob", "agent", "heartbeat", "--note", "n"]).ok();
    at(&env, "10:00:00", "agent sweep").ok();
    at(&env, "10:00:01", "agent register bob").ok();
    at(&env, "10:00:02", "agent unregister bob").ok();
    let line = line_of(&env, "bob");
    assert!(line.starts_with("{\"mood\":{\"of\":[1,2.50]},"), "{line}");
    assert!(line.contains("\"status\":\"gone\""), "{line}");
}

#[test]
fn a_process_that_ends_takes_its_agent_along() {
    if !std::path::Path::new("/proc/self/stat").exists() {
        crate::support::programs::skip("this system does not tell of processes");
        return;
    }
    let env = Env::new();
    let mut child = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = child.id().to_string();
    let id = env.bd(["agent", "register", "bob", "--pid", &pid]).ok().stdout;
    assert_eq!(env.bd(["agent", "register", "bob", "--pid", &pid]).ok().stdout, id, "the same process");
    env.bd(["agent", "register", "bob", "--pid", &std::process::id().to_string()]).fails(4, &["registered"]);
    env.given("add Work --id bd-work\nworkflow create Flow --id bd-flow");
    env.bd(["--agent", "bob", "claim", "bd-work"]).ok();
    env.bd(["--agent", "bob", "workflow", "lock", "bd-flow"]).ok();
    env.bd(["--agent", "eve", "claim", "bd-work"]).fails(4, &["bob"]);
    env.bd(["--agent", "eve", "workflow", "set", "bd-flow", "--max-parallel", "2"]).fails(4, &["bob"]);
    child.kill().unwrap();
    child.wait().unwrap();
    // Its issues are free at once.
    env.bd(["--agent", "eve", "claim", "bd-work"]).ok();
    env.bd(["--agent", "eve", "workflow", "set", "bd-flow", "--max-parallel", "2"]).ok();
    let shown: Value = env.bd(["agent", "show", "bob", "--json"]).ok().json();
    assert_eq!((&shown["status"], &shown["because"]), (&"offline".into(), &"its process is gone".into()));
    let swept = env.bd(["agent", "sweep", "--json"]).ok().json();
    assert_eq!(swept["offline"][0]["name"], "bob");
    env.bd(["agent", "register", "bob", "--pid", &pid]).fails(3, &["does not run"]);
    assert_eq!(env.bd(["agent", "register", "bob"]).ok().stdout, id);
}

#[test]
fn sweeping() {
    let env = Env::new();
    env.given("agent register ann\nagent register bob");
    let names = |run: Run| {
        let json = run.ok().json();
        json["offline"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(at(&env, "09:10:00", "agent sweep --json")), [""; 0]);
    assert_eq!(names(at(&env, "09:10:00", "agent sweep --older-than 5m --dry-run --json")), ["ann", "bob"]);
    at(&env, "09:16:00", "--agent bob list").ok();
    assert_eq!(names(at(&env, "09:16:01", "agent sweep --json")), ["ann"]);
    assert_eq!(names(at(&env, "09:16:02", "agent sweep --json")), [""; 0], "it is written down already");
    assert!(line_of(&env, "ann").contains("\"status\":\"offline\""));
    at(&env, "09:16:03", "--agent ann list").ok();
    assert!(line_of(&env, "ann").contains("\"status\":\"online\""), "it came back");
}

#[test]
fn who_may_end_another_ones_session() {
    let env = Env::new();
    env.given("agent register boss --role coordinator\nagent register ann\nagent register bob");
    env.bd(["--agent", "ann", "agent", "unregister", "bob"]).fails(5, &["bob is active, and ann is not a coordinator"]);
    env.bd(["--agent", "boss", "agent", "unregister", "bob"]).ok();
    env.bd(["--agent", "ann", "agent", "unregister"]).ok();
    env.bd(["agent", "unregister", "boss"]).ok();
    assert_eq!(env.bd(["agent", "list", "--status", "gone", "--json"]).ok().json().as_array().unwrap().len(), 3);
}

#[test]
fn many_register_at_once() {
    let env = Env::new();
    let children: Vec<_> = (0..20)
        .map(|n| {
            let mut command = env.bd_command(BD);
            // Ten names, each wanted by two.
            command.args(["agent", "register", &format!("w{}", n / 2)]).stdout(std::process::Stdio::piped());
            command.stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let codes: Vec<i32> =
        children.into_iter().map(|child| child.wait_with_output().unwrap().status.code().unwrap()).collect();
    assert_eq!(
        (codes.iter().filter(|code| **code == 0).count(), codes.iter().filter(|code| **code == 4).count()),
        (10, 10)
    );
    assert_eq!(env.bd(["agent", "list", "--json"]).ok().json().as_array().unwrap().len(), 10);
}
