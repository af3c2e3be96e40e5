use super::*;
use crate::model::json::Dialect;

const LINE: &str = r#"{"id":"bd-1","title":"T","x":1e400,"status":"open","priority":2,"created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z","labels":["b"]}"#;

fn stamp() -> Stamp<'static> {
    Stamp { now: Instant::parse("2026-01-02T03:04:05.678Z").unwrap(), actor: "ann", dialect: Dialect::default() }
}

fn changed(line: &str, changes: &[Change]) -> String {
    apply(line, changes, stamp()).unwrap().expect("a change")
}

#[test]
fn an_edit_ends_what_a_merge_noted() {
    let merged = LINE.replace("\"labels\"", "\"field_times\":{\"at\":\"x\"},\"labels\"");
    let edited = changed(&merged, &[Change::Priority(Priority::in_file(1))]);
    assert!(!edited.contains("field_times"), "{edited}");
}

#[test]
fn a_priority_changes_two_values() {
    let expected = LINE
        .replace("\"priority\":2", "\"priority\":1")
        .replace("\"updated_at\":\"2025-01-01T00:00:00Z\"", "\"updated_at\":\"2026-01-02T03:04:05.678Z\"");
    assert_eq!(changed(LINE, &[Change::Priority(Priority::in_file(1))]), expected);
}

#[test]
fn what_is_so_already_is_no_change() {
    let same = [
        Change::Title("T".into()),
        Change::Priority(Priority::in_file(2)),
        Change::Status(Status::open()),
        Change::AddLabel("b".into()),
        Change::RemoveLabel("zz".into()),
        Change::Text(Field::Notes, String::new()),
        Change::RemoveDependency { target: "q".into(), kind: None },
        Change::Parent(None),
        Change::Reopen { comment: Some(NewComment { id: 1, author: "ann".into(), text: "again".into() }) },
    ];
    assert_eq!(apply(LINE, &same, stamp()), Ok(None));
}

#[test]
fn close_and_reopen_are_inverse_but_for_time() {
    let closed = changed(LINE, &[Change::Close { reason: Some("done".into()) }]);
    assert!(closed.contains(r#""closed_at":"2026-01-02T03:04:05.678Z","close_reason":"done""#), "{closed}");
    let open = changed(&closed, &[Change::Reopen { comment: None }]);
    // The line records when it was opened, even after other edits.
    let at = "2026-01-02T03:04:05.679Z";
    let note = format!(r#","field_times":{{"at":"{at}","status":"{at}"}}"#);
    assert_eq!(open.replace(&note, "").replace(at, "2025-01-01T00:00:00Z"), LINE);
    let noted = changed(&open, &[Change::AppendNotes("n".into())]);
    assert!(noted.contains(&format!(r#""status":"{at}"}}"#)) && !noted.contains(&note), "{noted}");
    let deleted = changed(LINE, &[Change::Delete { reason: None }]);
    assert_eq!(apply(&deleted, &[Change::Status(Status::open())], stamp()), Err(ChangeError::Deleted("bd-1".into())));
    let back = changed(&deleted, &[Change::Reopen { comment: None }]);
    assert!(back.starts_with(r#"{"id":"bd-1","title":"T","x":1e400,"status":"open""#) && !back.contains("deleted"));
}

#[test]
fn list_edits_keep_the_other_elements() {
    let line = r#"{"id":"a","dependencies":[{"depends_on_id":"x","type":"blocks","odd":1.0},{"depends_on_id":"y","type":"related"}],"comments":[{"id":9,"z":[1 , 2]}]}"#;
    let removed = changed(line, &[Change::RemoveDependency { target: "y".into(), kind: None }]);
    assert!(removed.contains(r#""dependencies":[{"depends_on_id":"x","type":"blocks","odd":1.0}]"#), "{removed}");
    let comment = Change::AddComment(NewComment { id: 5, author: "ann".into(), text: "hi".into() });
    let commented = changed(line, &[comment]);
    let expected = r#""comments":[{"id":9,"z":[1 , 2]},{"id":5,"issue_id":"a","author":"ann","text":"hi","created_at":"2026-01-02T03:04:05.678Z"}]"#;
    assert!(commented.contains(expected), "{commented}");
}

#[test]
fn a_new_parent_replaces_the_old_one() {
    let first = changed(r#"{"id":"a"}"#, &[Change::Parent(Some("p".into()))]);
    let second = changed(&first, &[Change::Parent(Some("q".into()))]);
    assert!(!second.contains("\"p\"") && second.contains(r#""depends_on_id":"q","type":"parent-child""#));
    assert_eq!(apply(&second, &[Change::Parent(Some("q".into()))], stamp()), Ok(None));
    let none = changed(&second, &[Change::Parent(None)]);
    assert!(!none.contains("dependencies"));
}

#[test]
fn refusals() {
    let cases = [
        (Change::Title(" ".into()), "title required: a title is required"),
        (Change::Title("\u{200b} \u{2060}\u{feff}".into()), "title required: a title is required"),
        (Change::Title("a\nb".into()), "a title is one line; put the rest into the description"),
        (Change::AddLabel("".into()), "a label cannot be empty"),
        (Change::Text(Field::Status, "bogus".into()), "status is not a field that this kind of change sets"),
        (Change::Text(Field::Due, "x".into()), "due_at is not a field that this kind of change sets"),
        (Change::Date(Field::Notes, None), "notes is not a field that this kind of change sets"),
        (Change::Estimate(Some(-1)), "estimate must be a non-negative number of minutes"),
        (Change::Parent(Some("bd-1".into())), "bd-1 cannot depend on itself"),
    ];
    for (change, message) in cases {
        assert_eq!(apply(LINE, &[change], stamp()).unwrap_err().to_string(), message);
    }
}

#[test]
fn what_cannot_be_added_to_is_not_replaced() {
    let line = r#"{"id":"a","labels":{"x":1},"notes":{"y":1},"comments":7}"#;
    let comment = NewComment { id: 5, author: "ann".into(), text: "hi".into() };
    for change in [Change::AddLabel("b".into()), Change::AppendNotes("n".into()), Change::AddComment(comment)] {
        let error = apply(line, &[change], stamp()).unwrap_err().to_string();
        assert!(error.contains("would destroy it"), "{error}");
    }
}

#[test]
fn odd_values_can_be_put_right() {
    let line = r#"{"id":"a","due_at":7,"labels":"x"}"#;
    for labels in [Change::AddLabel("x".into()), Change::SetLabels(vec!["x".into()])] {
        assert!(changed(line, &[labels]).contains(r#""labels":["x"]"#));
    }
    assert!(changed(line, &[Change::AddLabel("b".into())]).contains(r#""labels":["b","x"]"#));
    assert!(!changed(line, &[Change::RemoveLabel("x".into())]).contains("labels"));
    assert!(!changed(line, &[Change::Date(Field::Due, None)]).contains("due_at"));
    let at = Instant::parse("2026-01-01T00:00:00Z");
    assert!(changed(line, &[Change::Date(Field::Due, at)]).contains(r#""due_at":"2026-01-01T00:00:00.000Z""#));
    for nothing in [r#"{"id":"a","due_at":null}"#, r#"{"id":"a","due_at":""}"#, r#"{"id":"a"}"#] {
        assert_eq!(apply(nothing, &[Change::Date(Field::Due, None)], stamp()), Ok(None), "{nothing}");
    }
}

#[test]
fn a_claim_has_one_winner() {
    let mine = changed(LINE, &[Change::Claim { assignee: "ann".into() }]);
    assert!(mine.contains(r#""status":"in_progress""#) && mine.contains(r#""assignee":"ann""#), "{mine}");
    assert_eq!(apply(&mine, &[Change::Claim { assignee: "ann".into() }], stamp()), Ok(None));
    let late = apply(&mine, &[Change::Claim { assignee: "bob".into() }], stamp()).unwrap_err();
    assert_eq!(late.to_string(), "bd-1 is already claimed by ann");
    let closed = changed(LINE, &[Change::Close { reason: None }]);
    let done = apply(&closed, &[Change::Claim { assignee: "bob".into() }], stamp()).unwrap_err();
    assert_eq!(done.to_string(), "bd-1 is closed and cannot be claimed");
}

#[test]
fn a_new_line_has_the_canonical_order() {
    let mut new = NewIssue::titled("T <x>");
    new.labels = vec!["b".into(), "a".into(), "b".into()];
    new.dependencies = vec![("bd-2".into(), DependencyType::blocks())];
    assert_eq!(
        new.line("bd-9", stamp()).unwrap(),
        r#"{"id":"bd-9","title":"T <x>","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-02T03:04:05.678Z","created_by":"ann","updated_at":"2026-01-02T03:04:05.678Z","labels":["a","b"],"dependencies":[{"issue_id":"bd-9","depends_on_id":"bd-2","type":"blocks","created_at":"2026-01-02T03:04:05.678Z","created_by":"ann"}]}"#
    );
}
