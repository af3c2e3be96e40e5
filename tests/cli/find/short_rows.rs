//! JSON that costs less: only some keys of each issue, or short rows.

use crate::support::harness::Env;

/// Issues as they are in real life: with texts, labels and dependencies.
fn filled(issues: usize) -> Env {
    let line = |n: usize| {
        let wait = if n % 5 == 4 {
            format!(
                ",\"dependencies\":[{{\"issue_id\":\"bd-{n}\",\"depends_on_id\":\"bd-{}\",\"type\":\"blocks\"}}]",
                n - 1
            )
        } else {
            String::new()
        };
        format!(
            "{{\"id\":\"bd-{n}\",\"title\":\"Issue number {n}\",\"description\":\"What it is about.\",\"status\":\"open\",\"priority\":{},\
             \"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"created_by\":\"ann\",\
             \"updated_at\":\"2026-01-01T00:00:00Z\",\"labels\":[\"backend\"]{wait}}}\n",
            n % 5
        )
    };
    Env::with_ledger((0..issues).map(line).collect::<String>())
}

#[test]
fn compact_rows_say_what_an_issue_is_and_what_it_waits_for() {
    let env = filled(6);
    let run = env.bd(["list", "--compact"]).ok();
    assert_eq!(
        run.stdout,
        "[{\"id\":\"bd-0\",\"title\":\"Issue number 0\",\"status\":\"open\",\"priority\":0,\"type\":\"task\"},\n\
         {\"id\":\"bd-5\",\"title\":\"Issue number 5\",\"status\":\"open\",\"priority\":0,\"type\":\"task\"},\n\
         {\"id\":\"bd-1\",\"title\":\"Issue number 1\",\"status\":\"open\",\"priority\":1,\"type\":\"task\"},\n\
         {\"id\":\"bd-2\",\"title\":\"Issue number 2\",\"status\":\"open\",\"priority\":2,\"type\":\"task\"},\n\
         {\"id\":\"bd-3\",\"title\":\"Issue number 3\",\"status\":\"open\",\"priority\":3,\"type\":\"task\"},\n\
         {\"id\":\"bd-4\",\"title\":\"Issue number 4\",\"status\":\"open\",\"priority\":4,\"type\":\"task\",\"blocked_by\":[\"bd-3\"]}]\n"
    );
    let plain = env.bd(["list", "--json"]).ok();
    assert_eq!(run.ids(), plain.ids());
    for command in [&["show", "bd-4"][..], &["blocked"], &["query", "priority=4"], &["search", "number 4"]] {
        let rows = env.bd(command.iter().copied().chain(["--compact"])).ok().json();
        assert_eq!((rows.as_array().unwrap().len(), &rows[0]["blocked_by"][0]), (1, &"bd-3".into()), "{command:?}");
    }
    assert_eq!(env.bd(["list", "--status", "closed", "--compact"]).ok().stdout, "[]\n");
    let wrapped = env.bd_with(["ready", "--compact"], None, &[("BD_JSON_ENVELOPE", "1")]).ok().json();
    assert_eq!((&wrapped["schema_version"], wrapped["data"].as_array().unwrap().len()), (&1.into(), 5));
    // A limit is not silent in a short answer either.
    let cut = env.bd(["ready", "--compact", "-n", "2"]).ok();
    assert_eq!((cut.ids().len(), cut.talk().as_str()), (2, "2 of 5 issues shown; --limit 0 shows all\n"));
}

#[test]
fn fields_are_those_that_were_asked_for() {
    let env = filled(3);
    env.bd(["label", "add", "bd-1", "x"]).ok();
    let run = env.bd(["ready", "--fields", "labels,id,title", "-n", "1"]).ok();
    // In the order of the answer.
    assert_eq!(run.stdout, "[{\"id\":\"bd-0\",\"title\":\"Issue number 0\",\"labels\":[\"backend\"]}]\n");
    assert_eq!(env.bd(["show", "bd-1", "--fields", "type"]).ok().stdout, "[{\"issue_type\":\"task\"}]\n");
    let full = env.bd(["show", "bd-1", "--json"]).ok().json();
    let keys: Vec<&str> = full[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        env.bd(["show", "bd-1", "--fields", &keys.join(",")]).ok().json(),
        full,
        "all keys are the whole answer"
    );
    // A key that issues may have and these do not is not there.
    assert_eq!(env.bd(["list", "--fields", "assignee,id", "-n", "1"]).ok().stdout, "[{\"id\":\"bd-0\"}]\n");
    for command in
        [&["list"][..], &["ready"], &["show", "bd-1"], &["search", "number"], &["blocked"], &["query", "priority=1"]]
    {
        let run = env.bd(command.iter().copied().chain(["--fields", "id,titel"])).fails(2, &[]);
        let error = run.error();
        let told = (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
        assert_eq!(told, ("issues have no field \"titel\"", "did you mean \"title\"?"));
        assert_eq!(run.stdout, "");
    }
    env.bd(["list", "--fields", "id", "--compact"]).fails(2, &["cannot be used with"]);
}

#[test]
fn a_key_that_only_a_ledger_knows_can_be_asked_for() {
    let env = Env::with_ledger("{\"id\":\"bd-1\",\"title\":\"One\",\"sprint\":{\"n\": 7}}\n");
    assert_eq!(env.bd(["list", "--fields", "id,sprint"]).ok().stdout, "[{\"id\":\"bd-1\",\"sprint\":{\"n\": 7}}]\n");
}

#[test]
fn eighty_six_ready_issues_cost_a_fraction() {
    let env = filled(86);
    let length = |args: &[&str]| env.bd(args).ok().stdout.chars().count();
    let plain = length(&["list", "--json"]);
    let (compact, fields) = (length(&["list", "--compact"]), length(&["list", "--fields", "id,title,priority"]));
    assert!(compact * 4 < plain, "compact {compact}, plain {plain}");
    assert!(fields * 6 < plain, "fields {fields}, plain {plain}");
}
