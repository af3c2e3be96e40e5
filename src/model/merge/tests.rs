use super::*;

fn merged(base: &str, ours: &str, theirs: &str) -> String {
    let base = (!base.is_empty()).then_some(base);
    let merge = |one, other| merge_issue(base, one, other, Dialect::default()).unwrap();
    let result = merge(ours, theirs);
    assert_eq!(merge(theirs, ours).line, result.line, "sides swapped");
    for side in [ours, theirs] {
        assert_eq!(merge(&result.line, side).line, result.line, "merged again with {side}");
    }
    result.line
}

/// An issue with a title, a time and further fields.
fn line(time: u32, rest: &str) -> String {
    format!(r#"{{"id":"a",{rest}"updated_at":"2025-01-01T00:00:0{time}Z"}}"#)
}

#[test]
fn fields_of_both_sides() {
    let base = line(0, r#""title":"t","status":"open","priority":2,"#);
    let ours = line(1, r#""title":"T","status":"open","priority":2,"#);
    let theirs = line(2, r#""title":"t","status":"open","priority":1,"#);
    let expected = r#"{"id":"a","title":"T","status":"open","priority":1,"updated_at":"2025-01-01T00:00:02Z","field_times":{"at":"2025-01-01T00:00:02Z","title":"2025-01-01T00:00:01Z"}}"#;
    assert_eq!(merged(&base, &ours, &theirs), expected);
}

#[test]
fn the_later_value_wins_and_the_other_is_kept() {
    let base = line(0, r#""title":"t","#);
    let ours = line(1, r#""title":"early","#);
    let theirs = line(2, r#""title":"late","#);
    let result = merged(&base, &ours, &theirs);
    assert!(
        result.starts_with(r#"{"id":"a","title":"late","updated_at":"2025-01-01T00:00:02Z","comments":["#),
        "{result}"
    );
    assert!(result.contains(
        r#""author":"bd merge","text":"title of the other version: early","created_at":"2025-01-01T00:00:01Z""#
    ));
}

#[test]
fn a_third_side_finds_the_same_winner_in_any_order() {
    let base = line(0, r#""title":"t","priority":2,"#);
    let sides = [
        line(1, r#""title":"one","priority":2,"#),
        line(3, r#""title":"t","priority":0,"#),
        line(2, r#""title":"two","priority":2,"#),
    ];
    let merge = |one: &str, other: &str| merge_issue(Some(&base), one, other, Dialect::default()).unwrap().line;
    let [a, b, c] = &sides;
    let first = merge(&merge(a, b), c);
    assert_eq!(first, merge(a, &merge(b, c)));
    assert_eq!(first, merge(&merge(a, c), b));
    assert!(first.contains(r#""title":"two","priority":0"#), "{first}");
}

#[test]
fn labels_follow_each_side_and_comments_only_grow() {
    let base = line(
        0,
        r#""labels":["x","y"],"comments":[{"id":1,"author":"p","text":"t","created_at":"2025-01-01T00:00:00Z"}],"#,
    );
    let ours = line(1, r#""labels":["y","z"],"#);
    let theirs = line(
        2,
        r#""labels":["w","x","y"],"comments":[{"id":1,"author":"p","text":"t","created_at":"2025-01-01T00:00:00Z"}],"#,
    );
    let result = merged(&base, &ours, &theirs);
    assert!(result.contains(r#""labels":["w","y","z"],"comments":[{"id":1,"#), "{result}");
}

#[test]
fn a_reopen_newer_than_a_close_wins_and_an_older_one_does_not() {
    let base = line(0, r#""status":"in_progress","#);
    let closed = |time| line(time, r#""status":"closed","closed_at":"2025-01-01T00:00:01Z","close_reason":"done","#);
    let open = |time| noted(time, r#""status":"open","#);
    let newer = merged(&base, &closed(1), &open(2));
    assert!(newer.contains(r#""status":"open","updated_at""#) && !newer.contains("closed_at"), "{newer}");
    for lost in ["status of the other version: closed", "close_reason of the other version: done"] {
        assert!(newer.contains(lost), "{lost}: {newer}");
    }
    let older = merged(&base, &closed(2), &open(1));
    assert!(
        older.contains(r#""status":"closed""#) && older.contains(r#""closed_at":"2025-01-01T00:00:01Z""#),
        "{older}"
    );
}

#[test]
fn of_a_deletion_and_an_edit_the_later_wins() {
    let base = line(0, r#""title":"t","status":"open","#);
    let deleted = |time| line(time, r#""title":"t","status":"tombstone","deleted_at":"2025-01-01T00:00:01Z","#);
    let edited = |time| line(time, r#""title":"T","status":"open","#);
    let alive = merged(&base, &deleted(1), &edited(2));
    assert!(alive.contains(r#""title":"T","status":"open""#) && !alive.contains("deleted_at"), "{alive}");
    assert!(alive.contains("status of the other version: tombstone"), "{alive}");
    let gone = merged(&base, &deleted(2), &edited(1));
    assert!(gone.contains(r#""title":"T","status":"tombstone""#), "{gone}");
    // The remark includes who deleted it, and why.
    let grave = r#""deleted_by":"ann","delete_reason":"twice, I think","original_type":"bug","deleted_at""#;
    let back = merged(&base, &deleted(1).replace(r#""deleted_at""#, grave), &edited(2));
    let kept =
        "status of the other version: tombstone (deleted_by: ann, delete_reason: twice, I think, original_type: bug)";
    assert!(back.contains(kept) && back.matches("of the other version").count() == 1, "{back}");
}

#[test]
fn the_earlier_of_two_claims_wins() {
    let base = line(0, r#""status":"open","#);
    let claim = |who: &str, time| {
        line(time, &format!(r#""status":"in_progress","assignee":"{who}","started_at":"2025-01-01T00:00:0{time}Z","#))
    };
    let result = merged(&base, &claim("ann", 1), &claim("bob", 2));
    assert!(
        result.contains(r#""assignee":"ann""#) && result.contains("assignee of the other version: bob"),
        "{result}"
    );
}

#[test]
fn nothing_of_two_copies_without_a_base_is_missing() {
    let old = r#"{"id":"a","title":"Old title","priority":3,"notes":"n","labels":["x"],"updated_at":"2025-01-01T00:00:00Z","comments":[{"id":1,"author":"p","text":"t","created_at":"2025-01-01T00:00:00Z"}],"odd":1e400}"#;
    let new = r#"{"id":"a","title":"New title","priority":1,"labels":["y"],"updated_at":"2025-01-02T00:00:00Z","comments":[{"id":1,"author":"q","text":"u","created_at":"2025-01-01T00:00:00Z"}]}"#;
    let joined = merged("", old, new);
    for part in [
        "New title",
        "title of the other version: Old title",
        r#"["x","y"]"#,
        "priority of the other version: 3",
        r#""odd":1e400"#,
        r#""notes":"n""#,
    ] {
        assert!(joined.contains(part), "{part} in {joined}");
    }
    assert_eq!(joined.matches("\"author\":").count(), 4, "{joined}");
}

#[test]
fn what_two_branches_do_to_a_workflow_or_a_task() {
    // Base, one branch, the later one; what the result contains, and what it does not.
    type Case<'a> = (&'a str, &'a str, &'a str, &'a [&'a str], &'a [&'a str]);
    let runs = r#""status":"in_progress","workflow":{"id":"wf_1","state":"in_progress"}"#;
    let open = r#""status":"open","task":{"name":"t"}"#;
    let cases: [Case<'_>; 6] = [
        // pause | set
        (
            runs,
            r#""status":"deferred","workflow":{"id":"wf_1","state":"paused","reason":"broken"}"#,
            r#""status":"in_progress","workflow":{"id":"wf_1","state":"in_progress","config":{"k":"v"}}"#,
            &[r#""status":"deferred""#, r#"{"id":"wf_1","state":"paused","config":{"k":"v"},"reason":"broken"}"#],
            &["of the other version"],
        ),
        // fail | set
        (
            runs,
            r#""status":"blocked","workflow":{"id":"wf_1","state":"failed"}"#,
            r#""status":"in_progress","workflow":{"id":"wf_1","state":"in_progress","max_parallel":4}"#,
            &[r#""status":"blocked""#, r#"{"id":"wf_1","state":"failed","max_parallel":4}"#],
            &["of the other version"],
        ),
        // start | set
        (
            r#""status":"open","workflow":{"id":"wf_1","state":"ready"}"#,
            r#""status":"in_progress","workflow":{"id":"wf_1","state":"in_progress"}"#,
            r#""status":"open","workflow":{"id":"wf_1","state":"ready","config":{"k":"v"}}"#,
            &[r#""status":"in_progress""#, r#"{"id":"wf_1","state":"in_progress","config":{"k":"v"}}"#],
            &["of the other version"],
        ),
        // two keys of config
        (
            runs,
            r#""status":"in_progress","workflow":{"id":"wf_1","state":"in_progress","config":{"k":"1"}}"#,
            r#""status":"in_progress","workflow":{"id":"wf_1","state":"in_progress","config":{"j":"2"}}"#,
            &[r#""config":{"j":"2","k":"1"}"#],
            &["of the other version"],
        ),
        // pause | fail: the later one wins, with its own reason.
        (
            runs,
            r#""status":"deferred","workflow":{"id":"wf_1","state":"paused","reason":"broken"}"#,
            r#""status":"blocked","workflow":{"id":"wf_1","state":"failed","max_parallel":4}"#,
            &[
                r#""status":"blocked""#,
                r#""workflow":{"id":"wf_1","state":"failed","max_parallel":4}"#,
                r#"workflow of the other version: {\"state\":\"paused\",\"reason\":\"broken\"}"#,
            ],
            &[],
        ),
        // close | fail
        (
            open,
            r#""status":"closed","close_reason":"lefty","task":{"name":"t","outcome":"lefty"}"#,
            r#""status":"open","task":{"name":"t","last_error":"boom","attempts":1}"#,
            &[r#""status":"closed""#, r#""task":{"name":"t","attempts":1,"outcome":"lefty"}"#],
            &["boom"],
        ),
    ];
    for (base, one, other, has, lacks) in cases {
        // Every edit that sets a status records when.
        let status = |text: &str| text.split(',').next().unwrap_or_default().to_owned();
        let line = |day: u8, rest: &str| {
            let at = format!("2026-01-0{day}T00:00:00.000Z");
            let note = format!(r#","field_times":{{"at":"{at}","status":"{at}"}}"#);
            let note = if status(rest) == status(base) { "" } else { &note };
            format!(r#"{{"id":"a","updated_at":"{at}",{rest}{note}}}"#)
        };
        let (base, one, other) = (line(1, base), line(2, one), line(3, other));
        let result = merged(&base, &one, &other);
        assert_eq!(merged(&base, &other, &one), result);
        assert_eq!(merged(&base, &result, &one), result, "again");
        has.iter().for_each(|part| assert!(result.contains(part), "{part} in {result}"));
        lacks.iter().for_each(|part| assert!(!result.contains(part), "{part} not in {result}"));
    }
}

#[test]
fn a_workflow_is_merged_key_by_key() {
    let line = |status: &str, day: &str, workflow: &str| {
        let at = format!("2026-01-0{day}T00:00:00.000Z");
        let note = format!(r#","field_times":{{"at":"{at}","status":"{at}"}}"#);
        let note = if status == "in_progress" { "" } else { &note };
        format!(r#"{{"id":"a","status":"{status}","updated_at":"{at}","workflow":{{"id":"wf_1",{workflow}}}{note}}}"#)
    };
    let base = line("in_progress", "1", r#""state":"in_progress""#);
    let paused = line("deferred", "2", r#""state":"paused""#);
    let wider = line("in_progress", "3", r#""state":"in_progress","max_parallel":4"#);
    let merged = merge_issue(Some(&base), &paused, &wider, Dialect::default()).unwrap();
    assert!(merged.clashes.is_empty(), "{merged:?}");
    assert!(merged.line.contains(r#""workflow":{"id":"wf_1","state":"paused","max_parallel":4}"#), "{}", merged.line);
    assert!(merged.line.contains(r#""status":"deferred""#), "state and status stay together: {}", merged.line);
    let failed = line("blocked", "4", r#""state":"failed""#);
    let clash = merge_issue(Some(&base), &paused, &failed, Dialect::default()).unwrap();
    assert!(
        clash.line.contains(r#""state":"failed""#) && clash.line.contains(r#""status":"blocked""#),
        "{}",
        clash.line
    );
    assert!(clash.line.contains("of the other version"), "what lost is kept: {}", clash.line);
}

#[test]
fn a_status_brings_its_own_dates() {
    let closed = |time, at: u32, reason: &str| {
        line(time, &format!(r#""status":"closed","closed_at":"2025-01-01T00:00:0{at}Z","close_reason":"{reason}","#))
    };
    let base = closed(0, 0, "done");
    let open = |time| noted(time, r#""status":"open","#);
    // Closed on both sides: reason and date are those of one of them.
    let both = merged(&open(0), &closed(3, 3, "late"), &closed(2, 2, "early"));
    assert!(both.contains(r#""closed_at":"2025-01-01T00:00:03Z","close_reason":"late""#), "{both}");
    // Opened and closed again on one side, opened and left so earlier on the other one.
    let again = merged(&base, &closed(3, 3, "again"), &open(2));
    assert!(
        again.contains(r#""status":"closed""#) && again.contains(r#""closed_at":"2025-01-01T00:00:03Z""#),
        "{again}"
    );
    // A tool that rewrites only a date does not override a status.
    let dated = line(3, r#""title":"T","status":"closed","closed_at":"2025-01-01T00:00:01Z","close_reason":"done","#);
    let opened = merged(&base, &dated, &open(2));
    assert!(opened.contains(r#""status":"open""#) && !opened.contains("closed_at"), "{opened}");
    let alone = merged(&base, &dated, &base.replace(r#""id":"a","#, r#""id":"a","priority":1,"#));
    assert!(alone.contains(r#""closed_at":"2025-01-01T00:00:01Z""#) && alone.contains(r#""priority":1"#), "{alone}");
}

#[test]
fn only_lost_values_are_kept() {
    let closed = |time, reason: &str| {
        line(time, &format!(r#""status":"closed","closed_at":"2025-01-01T00:00:0{time}Z","close_reason":"{reason}","#))
    };
    let base = line(0, r#""status":"open","#);
    let kept = |line: &str| line.matches("of the other version").count();
    let one = merged(&base, &closed(1, "early"), &closed(2, "late"));
    assert!(kept(&one) == 1 && one.contains("close_reason of the other version: early"), "{one}");
    assert_eq!(kept(&merged(&base, &closed(1, "done"), &closed(2, "done"))), 0);
    // Absent means its default.
    let merge = |base: Option<&str>, one: &str, other: &str| {
        merge_issue(base, &line(1, one), &line(2, other), Dialect::default()).unwrap()
    };
    for base in [None, Some(base.as_str())] {
        for (one, other) in [(r#""priority":0,"#, ""), (r#""status":"open","#, ""), (r#""issue_type":"task","#, "")] {
            for (one, other) in [(one, other), (other, one)] {
                let same = merge(base, one, other);
                assert!(same.clashes.is_empty() && kept(&same.line) == 0, "{same:?}");
            }
        }
    }
    // Explicit values are kept, with or without a base.
    for base in [None, Some(line(0, r#""priority":3,"#))] {
        let lost = merge(base.as_deref(), r#""priority":0,"#, r#""priority":2,"#);
        assert!(lost.line.contains("priority of the other version: 0"), "{lost:?}");
    }
}

#[test]
fn three_sides_tell_the_same_in_any_order() {
    let side = |time, status: &str, reason: &str| {
        line(time, &format!(r#""status":"{status}","close_reason":"{reason}","title":"t{time}","#))
    };
    let base = line(0, r#""status":"open","title":"t","#);
    let sides = [side(1, "closed", "x"), side(2, "closed", "y"), side(3, "blocked", "z"), side(1, "closed", "y")];
    let merge = |one: &str, other: &str| merge_issue(Some(&base), one, other, Dialect::default()).unwrap().line;
    for (a, b, c) in [(0, 1, 2), (0, 2, 1), (1, 2, 0), (0, 1, 3), (1, 3, 0), (0, 3, 1), (2, 3, 1), (1, 3, 2)] {
        let [a, b, c] = [a, b, c].map(|n: usize| sides[n].as_str());
        let first = merge(&merge(a, b), c);
        assert_eq!(first, merge(a, &merge(b, c)));
        assert_eq!(first, merge(&merge(a, c), b));
    }
}

#[test]
fn a_removed_edge_does_not_come_back() {
    let edge = |rest: &str| format!(r#"{{"depends_on_id":"b","type":"blocks"{rest}}}"#);
    let with = |time, edges: &[String]| line(time, &format!(r#""dependencies":[{}],"#, edges.join(",")));
    let other = r#"{"depends_on_id":"b","type":"related"}"#.to_owned();
    let base = with(0, &[edge("")]);
    let edited = with(2, &[edge(r#","metadata":"{}""#), other.clone()]);
    let result = merged(&base, &line(1, r#""title":"t","#), &edited);
    assert!(result.contains(&format!(r#""dependencies":[{other}]"#)), "{result}");
    let both = merged(&base, &with(1, &[edge(""), other]), &with(2, &[edge(r#","metadata":"{}""#)]));
    assert!(both.contains(r#""metadata":"{}""#) && both.contains("related"), "{both}");
}

#[test]
fn only_changes_by_a_side_are_reported_as_its_own() {
    let base = line(0, r#""title":"t","status":"open","#);
    let ours = line(1, r#""title":"T","status":"open","#);
    let theirs = line(2, r#""title":"t","status":"in_progress","started_at":"2025-01-01T00:00:02Z","#);
    let result = merge_issue(Some(&base), &ours, &theirs, Dialect::default()).unwrap();
    assert_eq!((result.ours, result.theirs), (vec!["title".to_owned()], vec!["status".to_owned()]));
    assert!(result.line.contains("started_at"), "{}", result.line);
    // Without a base, a value that both have does not count as changed.
    let alone = merge_issue(None, &ours, &line(2, r#""title":"T","labels":["x"],"#), Dialect::default()).unwrap();
    assert_eq!((alone.ours, alone.theirs), (vec![], vec!["labels".to_owned()]));
}

#[test]
fn two_issues_under_one_id_are_distinguished() {
    let made = |time, title: &str| {
        line(time, &format!(r#""title":"{title}","created_at":"2025-01-01T00:00:0{time}Z","created_by":"p{time}","#))
    };
    let joined = merge_issue(None, &made(1, "One"), &made(2, "Two"), Dialect::default()).unwrap();
    let fields: Vec<&str> = joined.clashes.iter().map(|clash| clash.field.as_str()).collect();
    assert_eq!(fields, ["title", "created_at", "created_by"]);
    assert!(joined.line.contains("created_at of the other version: 2025-01-01T00:00:02Z"), "{}", joined.line);
    assert!(was_joined(&merged("", &made(1, "One"), &made(2, "Two"))) && !was_joined(&made(1, "One")));
    assert!(!merged("", &made(1, "t"), &made(2, "t")).contains("created_at of the other"), "two copies of one");
    // One issue that two tools stamped differently has a common version.
    let base = line(0, r#""title":"t","#);
    assert!(!merged(&base, &made(1, "t"), &made(2, "t")).contains("created_at of the other"));
}

/// A line whose status was set by its last edit, and that records it.
fn noted(time: u32, fields: &str) -> String {
    let at = format!("2025-01-01T00:00:0{time}Z");
    line(time, fields).replacen(
        r#""updated_at""#,
        &format!(r#""field_times":{{"at":"{at}","status":"{at}"}},"updated_at""#),
        1,
    )
}

#[test]
fn a_later_note_does_not_open_what_was_closed() {
    let started = r#""status":"in_progress","assignee":"A","started_at":"2025-01-01T00:00:01Z","#;
    let closed = r#""status":"closed","assignee":"B","started_at":"2025-01-01T00:00:02Z","closed_at":"2025-01-01T00:00:03Z","close_reason":"done","#;
    let (base, ours) = (line(0, r#""status":"open","#), line(5, &format!(r#""notes":"n",{started}"#)));
    let theirs = line(3, closed);
    for base in [Some(base.as_str()), None] {
        let result = merge_issue(base, &ours, &theirs, Dialect::default()).unwrap().line;
        let swapped = merge_issue(base, &theirs, &ours, Dialect::default()).unwrap().line;
        assert_eq!(result, swapped);
        assert!(result.contains(r#""status":"closed""#) && result.contains(r#""close_reason":"done""#), "{result}");
        assert!(result.contains(r#""notes":"n""#), "{result}");
    }
}

#[test]
fn a_status_that_was_set_again_is_newer_than_the_one_before() {
    let closed = |time: u32| {
        line(time, &format!(r#""status":"closed","closed_at":"2025-01-01T00:00:0{time}Z","close_reason":"done","#))
    };
    // Reopened and closed again here; reopened before that there.
    let again = merged(&closed(0), &closed(3), &noted(2, r#""status":"open","#));
    assert!(again.contains(r#""status":"closed""#), "{again}");
    // Closed and reopened here; closed before that there.
    let open = merged(&line(0, r#""status":"open","#), &noted(5, r#""status":"open","#), &closed(4));
    assert!(open.contains(r#""status":"open""#) && open.contains("status of the other version: closed"), "{open}");
}
