//! The true reasons why an issue is ready or not; and epics in `ready`.

use crate::support::harness::Env;

#[test]
fn why_tells_the_open_blockers_of_a_closed_issue() {
    let env = Env::new();
    env.given(
        "add Blocker --id bd-blocker
         add Done --id bd-done
         add Waits --id bd-waits --deps bd-blocker,bd-done
         close bd-done
         close bd-waits --force",
    );
    let why = env.bd(["why", "bd-waits"]).ok().stdout;
    assert_eq!(
        why,
        "bd-waits is not ready:\n  its status is closed, only open issues are offered\n  it waits for bd-blocker\n  \
         no longer waits for bd-done\n"
    );
    let json = env.bd(["why", "bd-waits", "--json"]).ok().json();
    assert_eq!(json["satisfied"], serde_json::json!(["bd-done"]));
    assert_eq!((&json["reasons"][1]["reason"], &json["reasons"][1]["id"]), (&"blocked".into(), &"bd-blocker".into()));
    env.given("close bd-blocker");
    let json = env.bd(["why", "bd-waits", "--json"]).ok().json();
    assert_eq!(json["satisfied"], serde_json::json!(["bd-blocker", "bd-done"]));
    assert_eq!(json["reasons"].as_array().unwrap().len(), 1, "{json}");
    env.given("reopen bd-blocker\ndelete bd-waits --yes");
    let json = env.bd(["why", "bd-waits", "--json"]).ok().json();
    assert_eq!(json["satisfied"], serde_json::json!(["bd-done"]), "nor is it done for a deleted one");
}

#[test]
fn why_knows_whose_children_a_gate_waits_for() {
    let line = |id: &str, status: &str, more: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"T\",\"status\":\"{status}\",\"priority\":2,\"issue_type\":\"task\",\
             \"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"{more}}}\n"
        )
    };
    let gate = ",\"dependencies\":[{\"issue_id\":\"bd-w\",\"depends_on_id\":\"bd-named\",\"type\":\"waits-for\",\
                \"metadata\":\"{\\\"spawner_id\\\":\\\"bd-spawner\\\"}\"}]";
    for (waiting, status) in [("open", "open"), ("closed", "open"), ("open", "closed")] {
        let lines = [line("bd-named", "closed", ""), line("bd-spawner", status, ""), line("bd-w", waiting, gate)];
        let env = Env::with_ledger(lines.concat());
        let json = env.bd(["why", "bd-w", "--json"]).ok().json();
        let satisfied = json["satisfied"].as_array().unwrap().len();
        assert_eq!(satisfied, usize::from(status == "closed"), "{waiting} {status}: {json}");
    }
}

#[test]
fn ready_lists_epics_with_open_children_on_request() {
    let env = Env::new();
    env.given(
        "add Epic -t epic -p 1 --id bd-epic
         add Child --id bd-child --parent epic
         add Blocker --id bd-blocker
         add Stuck -t epic --id bd-stuck --deps bd-blocker
         add Below --id bd-below --parent stuck",
    );
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-child", "bd-blocker"]);
    assert_eq!(env.bd(["ready", "--include-epics", "--json"]).ok().ids(), ["bd-epic", "bd-child", "bd-blocker"]);
    env.bd(["ready", "--include-epics", "--claim"]).fails(2, &["--include-epics"]);
    let why = env.bd(["why", "epic"]).ok().stdout;
    assert!(why.contains("listed by `bd ready --include-epics`"), "{why}");
    env.given("close child");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-epic", "bd-blocker"]);
}
