//! Unnamed agents of one person: their client sessions tell their claims apart.

use crate::support::harness::{Env, Run};

const A: (&str, &str) = ("CLAUDE_CODE_SESSION_ID", "11111111-aaaa");
const B: (&str, &str) = ("CLAUDE_CODE_SESSION_ID", "22222222-bbbb");

/// A repo of a person whom only the system names.
fn person() -> Env {
    let env = Env::new();
    env.set("BD_ACTOR", "");
    env.set("USER", "ann");
    env.given("add One --id bd-1\nadd Two --id bd-2\nadd Three --id bd-3");
    env
}

fn bd(env: &Env, session: (&str, &str), line: &str) -> Run {
    env.bd_with(line.split(' '), None, &[session])
}

#[test]
fn the_second_agent_of_a_person_is_refused_like_any_other() {
    let env = person();
    bd(&env, A, "work bd-1").ok();
    bd(&env, B, "work bd-1").fails(4, &["bd-1 is already claimed by ann (session claude-"]);
    bd(&env, B, "claim bd-1").fails(4, &["already claimed"]);
    bd(&env, B, "close bd-1").fails(4, &["already claimed"]);
    bd(&env, B, "update bd-1 --title Mine").fails(4, &[]);
    // Remarks are anybody's.
    bd(&env, B, "comment bd-1 seen").ok();
    let error = bd(&env, B, "claim bd-1 --json");
    assert!(error.stderr.contains("\"session\""), "{}", error.snapshot());
    // The first one goes on, also under another client that the first one started.
    bd(&env, A, "note bd-1 half").ok();
    let inner = [A, ("CODEX_THREAD_ID", "t1")];
    env.bd_with(["close", "bd-1"], None, &inner).fails(4, &["already claimed"]);
    bd(&env, A, "close bd-1").ok();
    // A handed-out issue goes to one of them.
    bd(&env, A, "ready --claim").ok();
    bd(&env, B, "ready --claim").ok();
    let leases = env.bd(["leases", "--json"]).ok().json();
    let sessions: Vec<&str> = leases.as_array().unwrap().iter().map(|row| row["session"].as_str().unwrap()).collect();
    assert!(sessions.len() == 2 && sessions[0] != sessions[1], "{sessions:?}");
    assert!(sessions.iter().all(|name| name.starts_with("claude-") && !name.contains("1111")), "{sessions:?}");
    let told = env.bd(["leases"]).ok().stdout;
    assert!(sessions.iter().all(|name| told.contains(&format!("ann ({name})"))), "{told}");
}

#[test]
fn a_person_works_as_before() {
    let env = person();
    env.given("work bd-1");
    // A person's claim is that of the person's agents too, and does not end.
    assert!(!env.bd(["leases", "--json"]).ok().stdout.contains("expires"));
    bd(&env, A, "note bd-1 from-a").ok();
    bd(&env, B, "work bd-1").ok();
    bd(&env, B, "close bd-1").ok();
    // And what an agent of the person claimed is the person's.
    bd(&env, A, "work bd-2").ok();
    env.given("note bd-2 mine\nwork bd-2\nclose bd-2");
    // One who is named is that one, whatever the session.
    let named = |session: (&str, &str), line: &str| env.bd_with(line.split(' '), None, &[session, ("BD_ACTOR", "bob")]);
    named(A, "work bd-3").ok();
    named(B, "work bd-3").ok();
    let lease = env.bd(["leases", "--json"]).ok().json();
    assert!(lease[0]["session"].is_null() && lease[0]["holder"] == "bob", "{lease}");
}

#[test]
fn a_session_that_is_silent_loses_its_claim_without_a_mark() {
    let env = person();
    env.given("config set lease.ttl 2s");
    bd(&env, A, "work bd-1").ok();
    let lease = env.bd(["leases", "--json"]).ok().json();
    assert!(lease[0]["ttl_ms"].as_u64() == Some(2000), "{lease}");
    // Commands of the session renew it; then it says nothing.
    bd(&env, A, "list").ok();
    env.given("list\nlist\nlist\nlist");
    for _ in 0..4 {
        bd(&env, B, "work bd-1").ok();
        env.given("list\nlist\nlist\nlist");
        bd(&env, A, "work bd-1").ok();
        env.given("list\nlist\nlist\nlist");
    }
    let shown = env.bd(["show", "bd-1", "--json"]).ok().stdout;
    assert!(!shown.contains("needs-attention"), "{shown}");
}

#[test]
fn a_takeover_moves_the_work_to_the_other_session() {
    let env = person();
    bd(&env, A, "work bd-1").ok();
    let told = bd(&env, B, "prime").ok().stdout;
    assert!(told.contains("+1 held by other sessions of this user: `bd leases`") && !told.contains("> bd-1"), "{told}");
    bd(&env, B, "claim bd-1 --takeover --reason over").ok();
    bd(&env, A, "close bd-1").fails(4, &["already claimed"]);
    assert!(bd(&env, B, "resume").ok().stdout.contains("bd-1"));
    assert!(!bd(&env, A, "resume").ok().stdout.contains("bd-1"));
    bd(&env, B, "close bd-1").ok();
}

#[test]
fn a_program_that_was_started_for_an_issue_works_on_it() {
    let env = person();
    // A client that begins a session of its own.
    let script = env.write("job.sh", "CODEX_THREAD_ID=inner \"$BD\" close \"$BD_ISSUE\"\n");
    env.set("BD", crate::support::harness::BD);
    let script = script.to_str().unwrap();
    bd(&env, A, &format!("run bd-1 -- sh {script}")).ok();
    assert!(env.bd(["show", "bd-1", "--json"]).ok().stdout.contains("\"closed\""));
}

#[test]
fn a_session_is_the_same_in_another_checkout() {
    let env = person();
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    let git = |line: &str| assert!(env.command("git").args(line.split(' ')).status().unwrap().success(), "{line}");
    git("init -q");
    git("add -A");
    git("-c user.name=t -c user.email=t@example.org commit -qm base");
    git("worktree add -q ../other");
    bd(&env, A, "work bd-1").ok();
    let other = env.root().join("other");
    let there = |session| env.bd_with(["-C", other.to_str().unwrap(), "work", "bd-1"], None, &[session]);
    there(B).fails(4, &["already claimed by ann (session claude-"]);
    there(A).ok();
}

#[test]
fn a_hook_speaks_for_the_session_that_it_names() {
    let env = person();
    bd(&env, A, "work bd-1").ok();
    let told = |client: &str, input: &str| env.bd_with(["prime", "--hook", client], Some(input), &[]).ok().stdout;
    let mine = told("claude", r#"{"session_id":"11111111-aaaa","source":"compact"}"#);
    assert!(mine.contains("This is where you were") && mine.contains("> bd-1 in_progress"), "{mine}");
    let other = told("claude", r#"{"session_id":"22222222-bbbb","source":"startup"}"#);
    assert!(!other.contains("> bd-1 in_progress"), "{other}");
    // This client's commands do not carry the session, so the agent is told to name itself.
    let gemini = told("gemini", r#"{"session_id":"g1"}"#);
    let name = gemini.split("`--agent ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    env.bd(["--agent", &name, "work", "bd-2"]).ok();
    let again = told("gemini", r#"{"session_id":"g1","source":"clear"}"#);
    assert!(again.contains("> bd-2 in_progress"), "{again}");
}
