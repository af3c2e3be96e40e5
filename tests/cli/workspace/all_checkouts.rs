//! One view of all checkouts, from any of them.

use std::fs;

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::checkouts::Family;
use crate::support::harness::Run;

/// A main checkout, `one` that has closed and filed something, and `two` that works on something.
fn busy() -> Option<Family> {
    let family = Family::new()?;
    family.env().given("add Second --id bd-second\nadd Third --id bd-third");
    family.commit(&family.web());
    let (one, two) = (family.worktree("one"), family.worktree("two"));
    family.bd(&one, "close bd-base").ok();
    family.bd(&one, "add Found --id bd-found").ok();
    family.bd_with(&two, "claim bd-second", &[("BD_AGENT", "bob")]).ok();
    family.bd_with(&two, "checkpoint add -m halfway", &[("BD_AGENT", "bob")]).ok();
    Some(family)
}

/// `ID STATUS in CHECKOUT` of each row.
fn told(run: &Run) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let rows = run.json();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| format!("{} {} in {}", text(&row["id"]), text(&row["status"]), text(&row["worktree"]))).collect()
}

#[test]
fn one_query_shows_the_issues_of_all_checkouts_with_where_each_is() {
    let Some(family) = busy() else { return };
    let run = family.bd(&family.web(), "list --all-worktrees --json --sort id").ok();
    let expected = [
        "bd-base open in main",
        "bd-second open in main",
        "bd-second in_progress in two",
        "bd-third open in main",
        "bd-found open in one",
    ];
    assert_eq!(told(&run), expected);
    let ids: Vec<Value> = run.json().as_array().unwrap().iter().map(|row| row["worktree_id"].clone()).collect();
    assert!(ids.iter().all(Value::is_string), "{ids:?}");
    assert_eq!(ids[2], family.id(&family.path("two")).as_str());
    let all = told(&family.bd(&family.web(), "list --all-worktrees --all --json").ok());
    assert!(all.contains(&"bd-base closed in one".to_owned()), "{all:?}");
    let two = family.path("two");
    assert_eq!(told(&family.bd(&two, "list --all-worktrees --json").ok()).len(), 4, "from any of them");
    let few = family.bd(&family.web(), "list --all-worktrees --limit 2").ok();
    assert_eq!(few.stdout.lines().count(), 2);
    assert!(few.stderr.contains("2 of 5 issues shown"), "{}", few.stderr);
    let filtered = told(&family.bd(&family.web(), "list --all-worktrees --status in_progress --json").ok());
    assert_eq!(filtered, ["bd-second in_progress in two"]);
}

#[test]
fn a_checkout_can_be_chosen_by_id_name_and_path() {
    let Some(family) = busy() else { return };
    let two = family.path("two");
    for typed in ["two", &family.id(&two), two.to_str().unwrap()] {
        let run = family.bd(&family.web(), &format!("list --worktree '{typed}' --status in_progress --json")).ok();
        assert_eq!(told(&run), ["bd-second in_progress in two"], "{typed}");
    }
    let ready = told(&family.bd(&family.web(), "ready --worktree one --json").ok());
    assert_eq!(ready, ["bd-third open in one", "bd-found open in one"], "without what bob holds");
    let shown = family.bd(&two, "show bd-found --worktree one --json").ok().json();
    assert_eq!(shown[0]["worktree"], "one");
    family.bd(&two, "list --worktree nosuch").fails(3, &["no checkout \"nosuch\"; known: main, one, two"]);
    // The same for everything else that is in several checkouts.
    let status = family.bd(&family.web(), "status --worktree two --json").ok().json();
    assert_eq!(status[0]["worktree"], "two", "{status}");
    assert_eq!(status.as_array().unwrap().len(), 1);
    let agents = |place: &str| {
        let found = family.bd(&family.web(), &format!("agent list --worktree {place} --json")).ok().json();
        found.as_array().unwrap().iter().map(|one| one["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((agents("two"), agents("one")), (vec!["bob".into()], Vec::<Value>::new()));
    family.bd(&two, "workflow create There --id bd-flow").ok();
    let flows = |place: &str| family.bd(&family.web(), &format!("workflow list --worktree {place}")).ok().stdout;
    assert!(flows("two").contains("bd-flow") && flows("main").is_empty(), "{}", flows("main"));
    let unknown = family.bd(&family.web(), "leases --worktree two --json").ok();
    assert_eq!(crate::support::checkouts::held(&unknown), ["bd-second in two"]);
}

#[test]
fn a_checkout_without_a_ledger_is_told_from_its_neighbour() {
    let Some(family) = Family::new() else { return };
    family.git(&family.web(), "worktree add -q --detach inner").ok();
    fs::remove_dir_all(family.web().join("inner/.beads")).unwrap();
    family.bd(&family.web(), "list --worktree inner").fails(9, &["the checkout inner has no ledger"]);
    assert_eq!(told(&family.bd(&family.web(), "list --all-worktrees --json").ok()), ["bd-base open in main"]);
}

#[test]
fn what_others_have_done_is_marked_where_it_is_listed() {
    let Some(family) = busy() else { return };
    let list = family.bd(&family.web(), "list --sort id").ok();
    assert_data_eq!(
        list.snapshot(),
        str![[r#"
$ bd list --sort id
bd-base    P2  open  task  Base  closed in one (unmerged)
bd-second  P2  open  task  Second [claimed by bob]  in progress by bob in two (unmerged)
bd-third   P2  open  task  Third

"#]]
        .raw()
    );
    let rows = family.bd(&family.web(), "list --sort id --json").ok().json();
    let elsewhere = &rows[1]["elsewhere"][0];
    let facts = [&elsewhere["worktree"], &elsewhere["status"], &elsewhere["assignee"]];
    assert_eq!(facts, ["two", "in_progress", "bob"]);
    assert_eq!(elsewhere["worktree_id"], family.id(&family.path("two")).as_str());
    assert!(rows[2].get("elsewhere").is_none() && rows[2].get("worktree").is_none(), "only if there is something");
    let shown = family.bd(&family.web(), "show bd-base").ok();
    assert!(shown.stdout.contains("Elsewhere   closed in one (unmerged)\n"), "{}", shown.stdout);
    family.commit(&family.path("one"));
    family.git(&family.web(), "merge -q one").ok();
    let merged = family.bd(&family.web(), "show bd-base --json").ok().json();
    assert!(merged[0]["status"] == "closed" && merged[0].get("elsewhere").is_none(), "{merged}");
}

#[test]
fn ready_says_how_many_it_leaves_out_and_why_says_why() {
    let Some(family) = busy() else { return };
    let web = family.web();
    let ready = family.bd(&web, "ready").ok();
    assert_data_eq!(
        ready.snapshot(),
        str![[r#"
$ bd ready
bd-third  P2  open  task  Third
! 2 more are held by others, or done or in progress in other checkouts; run `bd why ID` for the reason

"#]]
        .raw()
    );
    assert_eq!(family.bd(&web, "ready --json").ok().stderr, "", "for people alone");
    let why = family.bd(&web, "why bd-base").ok();
    assert_eq!(why.stdout, "bd-base is not ready:\n  closed in one (unmerged)\n");
    let why = family.bd(&web, "why bd-second").ok();
    assert!(why.stdout.contains("  claimed by bob in two until 2026-01-05 "), "{}", why.stdout);
    let why = family.bd(&web, "why bd-second --json").ok().json();
    assert_eq!((&why["ready"], &why["reasons"][0]["reason"]), (&false.into(), &"claimed".into()), "{why}");
    let why = family.bd_with(&web, "why bd-second --json", &[("BD_AGENT", "bob"), ("BD_ACTOR", "bob")]).ok().json();
    assert_eq!(why["ready"], true, "bob's own: {why}");
}

#[test]
fn every_version_of_an_issue_is_shown_with_its_checkout() {
    let Some(family) = busy() else { return };
    let versions = |line: &str| told(&family.bd(&family.web(), line).ok());
    assert_eq!(versions("show bd-base --all-worktrees --json"), ["bd-base open in main", "bd-base closed in one"]);
    assert_eq!(versions("show bd-third --all-worktrees --json"), ["bd-third open in main"]);
    assert_eq!(versions("show found --all-worktrees --json"), ["bd-found open in one"], "it is only there");
    family.bd(&family.web(), "show bd-found").fails(3, &["not found"]);
    family.bd(&family.web(), "show nosuch --all-worktrees").fails(3, &["not found"]);
    let text = family.bd(&family.web(), "show bd-base --all-worktrees").ok().stdout;
    assert!(text.contains("Checkout    main (wt_") && text.contains("Checkout    one (wt_"), "{text}");
}

#[test]
fn the_status_of_all_checkouts_is_one_picture_of_the_work() {
    let Some(family) = busy() else { return };
    let picture = family.bd(&family.path("one"), "status --all-worktrees").ok().snapshot();
    let id = |name: &str| family.id(&family.path(name));
    let picture = ["web", "one", "two"].iter().fold(picture, |text, name| text.replace(&id(name), "ID"));
    assert_data_eq!(
        picture,
        str![[r#"
$ bd status --all-worktrees
main  on main, 2 unsaved  ../web  ID
one  on one, 1 changed, in use  .  ID
  bd-base closed, unmerged  Base
  bd-found open, unmerged  Found
two  on two, 1 changed  ../two  ID
  agent bob is online
  bob holds bd-second for 2s, 29m 58s left  Second
  bd-second in progress by bob, unmerged  Second
  last checkpoint bd-second#1 progress  halfway

"#]]
        .raw()
    );
    let all = family.bd(&family.web(), "status --all-worktrees --json").ok().json();
    let two = &all[2];
    assert_eq!((&two["branch"], &two["dirty"], &two["changed"]), (&"two".into(), &true.into(), &1.into()));
    assert_eq!((&two["agents"][0]["name"], &two["leases"][0]["id"]), (&"bob".into(), &"bd-second".into()));
    assert_eq!(two["last_checkpoint"]["summary"], "halfway");
    assert_eq!(
        (&two["unmerged"][0]["id"], &two["unmerged"][0]["status"]),
        (&"bd-second".into(), &"in_progress".into())
    );
}

/// More than one condition may have parts.
#[test]
fn a_checkout_with_very_many_news() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    let at = "2026-01-02T00:00:00Z";
    let line = |n: usize| {
        format!(
            "{{\"id\":\"x-{n:04}\",\"title\":\"T\",\"status\":\"open\",\"created_at\":\"{at}\",\"updated_at\":\"{at}\"}}\n"
        )
    };
    let ledger = one.join(".beads/beads.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text + &(0..1500).map(line).collect::<String>()).unwrap();
    let all = family.bd(&family.web(), "list --all-worktrees --json").ok();
    assert_eq!(all.ids().len(), 1501);
    assert_eq!(family.bd(&family.web(), "ready --all-worktrees --json").ok().ids().len(), 1501);
    let sorted = family.bd(&one, "list --ready --sort id --reverse --json").ok();
    assert_eq!((sorted.ids().len(), sorted.ids()[0].as_str()), (1501, "x-1499"));
}

/// An edit here does not hide what another checkout has closed; opening it again, after that was merged, does.
#[test]
fn a_close_in_another_checkout_is_not_hidden_by_an_edit_here() {
    let Some(family) = Family::new() else { return };
    let (web, other) = (family.web(), family.worktree("feature"));
    family.bd(&other, "close bd-base").ok();
    assert!(!family.bd(&web, "ready").ok().stdout.contains("bd-base"));
    family.bd(&web, "label add bd-base later").ok();
    assert!(!family.bd(&web, "ready").ok().stdout.contains("bd-base"), "the label says nothing of the work");
    assert_eq!(family.bd(&web, "claim bd-base").code, 5);
    assert!(family.bd(&web, "why bd-base").ok().stdout.contains("feature"));
    // Merged, and opened again here: now the other checkout is behind.
    family.commit(&other);
    family.git(&web, "checkout -q -- .beads").ok();
    family.git(&web, "merge -q feature").ok();
    family.bd(&web, "reopen bd-base").ok();
    family.bd(&web, "label add bd-base again").ok();
    assert!(family.bd(&web, "ready").ok().stdout.contains("bd-base"), "{}", family.bd(&web, "why bd-base").stdout);
}

/// A ledger of another checkout that cannot be believed is named, and the rest works.
#[test]
fn a_damaged_ledger_of_another_checkout_is_named() {
    let Some(family) = Family::new() else { return };
    let (web, other) = (family.web(), family.worktree("feature"));
    let ledger = other.join(".beads/beads.jsonl");
    for bytes in ["", "{\"id\":\"bd-ba", "garbage\n"] {
        std::fs::write(&ledger, bytes).unwrap();
        let ready = family.bd(&web, "ready").ok();
        assert!(ready.stdout.contains("bd-base") && ready.stderr.contains("feature"), "{bytes:?}: {}", ready.stderr);
    }
}
