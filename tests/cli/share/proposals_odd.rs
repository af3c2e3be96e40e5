//! Proposals that meet others' edits, an old branch, another project, or a bad merge.

use crate::cli::share::proposals::Story;

fn target(story: &Story) -> String {
    story.env.ledger_text()
}

fn planning(story: &Story) -> String {
    std::fs::read_to_string(story.planning()).unwrap()
}

#[test]
fn the_target_s_line_cannot_ask_for_private_parts() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &["--notes", "SECRET"]);
    story.bd("comment|pl-1|SECRET too").ok();
    story.bd("propose|pl-1|-q").ok();
    let asked =
        target(&story).replace("\"state\":\"open\",", "\"state\":\"open\",\"include\":[\"notes\",\"comments\"],");
    story.env.put_ledger(&asked);
    story.bd("note|pl-1|SECRET again").ok();
    story.bd("update|pl-1|-p|0").ok();
    for _ in 0..2 {
        story.bd("proposals|reconcile").ok();
        story.bd("propose|pl-1|-q").ok();
    }
    assert!(!target(&story).contains("SECRET"), "{}", target(&story));
    assert!(planning(&story).contains("SECRET again"));
}

#[test]
fn a_line_of_an_old_branch_is_not_the_proposal_of_today() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &["--notes", "shareable"]);
    let main = story.env.ledger();
    story.bd("propose|pl-1|--include|notes|-q").ok();
    let old = story.env.ledger();
    story.env.put_ledger(&main);
    story.bd("withdraw|pl-1|-q").ok();
    story.bd("note|pl-1|SECRET").ok();
    story.bd("propose|pl-1|-q").ok();
    story.env.put_ledger(&old);
    story.bd("note|pl-1|SECRET-B").fails(5, &["another proposal"]);
    story.bd("proposals|reconcile").ok();
    assert_eq!(story.env.ledger(), old);
    // Withdrawn again, the old line does not make it proposed once more.
    story.env.put_ledger(&main);
    story.bd("withdraw|pl-1|-q").ok();
    story.env.put_ledger(&old);
    story.bd("proposals|reconcile").ok();
    assert!(planning(&story).contains("\"visibility\":\"local\""), "{}", planning(&story));
    story.bd("update|pl-1|-d|PRIVATE EDIT").fails(5, &[]);
    assert!(!target(&story).contains("PRIVATE EDIT"));
}

#[test]
fn a_stranger_s_line_with_our_id_changes_nothing_of_ours() {
    let proposal = |state: &str, visibility: &str| {
        format!(
            "{{\"id\":\"pl-1\",\"title\":\"Theirs\",\"updated_at\":\"2027-01-01T00:00:00.000Z\"{visibility},\"proposal\":{{\"id\":\"prop_zz\",\"author\":\"z\",\"target\":\"bd\",\"state\":\"{state}\",\"by\":\"z\",\"at\":\"2027-01-01T00:00:00.000Z\"}}}}\n"
        )
    };
    for line in [proposal("open", ",\"visibility\":\"proposed\""), proposal("accepted", "")] {
        let story = Story::new();
        story.plan("pl-1", "Ours", &["-d", "PRIVATE", "-e", "30"]);
        let before = planning(&story);
        story.env.put_ledger(target(&story) + &line);
        story.bd("proposals|reconcile").ok();
        story.bd("doctor|--fix").ok();
        assert_eq!(planning(&story), before);
        story.bd("note|pl-1|SECRET").fails(5, &[]);
        story.bd("propose|pl-1").fails(5, &[]);
        assert!(!target(&story).contains("PRIVATE") && !target(&story).contains("SECRET"));
    }
}

#[test]
fn what_a_maintainer_wrote_survives_our_edits() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &["-d", "Ours"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("update|pl-1|--title|THEIR TITLE|--design|THEIR DESIGN|--notes|THEIR NOTES|--assignee|max").ok();
    story.max("comment|pl-1|please clarify").ok();
    story.bd("update|pl-1|-d|clarified").ok();
    for _ in 0..3 {
        story.bd("proposals|reconcile").ok();
    }
    for text in ["THEIR TITLE", "THEIR DESIGN", "THEIR NOTES", "please clarify", "clarified", "\"assignee\":\"max\""] {
        assert!(target(&story).contains(text), "{text}: {}", target(&story));
    }
    for text in ["THEIR TITLE", "THEIR DESIGN", "THEIR NOTES", "please clarify", "clarified"] {
        assert!(planning(&story).contains(text), "{text}: {}", planning(&story));
    }
    let settled = story.ledgers();
    story.bd("proposals|reconcile").ok();
    assert_eq!(story.ledgers(), settled);
    story.bd("withdraw|pl-1").ok();
    assert!(planning(&story).contains("please clarify") && planning(&story).contains("THEIR DESIGN"));
}

#[test]
fn accepted_but_edited_here_meanwhile() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &["-d", "First"]);
    let main = story.env.ledger();
    story.bd("propose|pl-1|-q").ok();
    let carrying = story.env.ledger();
    story.env.put_ledger(&main);
    story.bd("update|pl-1|-d|LONG TEXT|--add-label|perf|-p|0").ok();
    story.env.put_ledger(&carrying);
    story.max("accept|pl-1").ok();
    story.bd("proposals|reconcile").ok();
    for text in ["LONG TEXT", "perf", "priority of the other version: 0"] {
        assert!(planning(&story).contains(text), "{text}: {}", planning(&story));
    }
}

#[test]
fn the_editor_shows_the_notes_that_are_there() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &["--notes", "IMPORTANT"]);
    story.bd("propose|pl-1|-q").ok();
    let script = story.env.write("append.sh", "#!/bin/sh\necho 'one more' >> \"$1\"\n");
    let script = script.to_str().unwrap();
    let editor = format!("sh '{script}'");
    story.env.bd_with(["edit", "pl-1"], None, &[("EDITOR", &editor)]).ok();
    assert!(planning(&story).contains("IMPORTANT"), "{}", planning(&story));
    assert!(!target(&story).contains("IMPORTANT") && !target(&story).contains("one more"), "{}", target(&story));
}

#[test]
fn nothing_moves_in_a_conflicted_ledger() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &[]);
    story.bd("propose|pl-1|-q").ok();
    let line = target(&story).lines().find(|line| line.contains("pl-1")).unwrap().to_owned();
    let other = line.replace("Plan", "Other side");
    let text = target(&story).replace(&line, &format!("<<<<<<< HEAD\n{line}\n=======\n{other}\n>>>>>>> other"));
    story.env.put_ledger(&text);
    let before = story.ledgers();
    story.bd("withdraw|pl-1").fails(8, &["conflict markers"]);
    story.max("accept|pl-1").fails(8, &["conflict markers"]);
    let _ = story.bd("proposals|reconcile");
    let _ = story.bd("doctor|--fix");
    assert_eq!(story.ledgers(), before);
}

#[test]
fn two_projects_with_one_planning_repo() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &[]);
    story.bd("propose|pl-1|-q").ok();
    let root = story.env.root();
    std::fs::create_dir(root.join("second")).unwrap();
    let second = |line: &str| story.env.bd(["-C", "../second"].into_iter().chain(line.split('|')));
    second("init|--prefix|two|-q").ok();
    second("init|--contributor|-q").ok();
    second("withdraw|pl-1").fails(5, &["pl-1 is proposed to bd, another project"]);
    second("propose|pl-1").fails(5, &["pl-1 is proposed to bd, another project"]);
    let before = story.ledgers();
    second("proposals|reconcile").ok();
    story.bd("proposals|reconcile").ok();
    assert_eq!(story.ledgers(), before);
    assert_eq!(std::fs::read_to_string(root.join("second/.beads/beads.jsonl")).unwrap(), "");
}

#[test]
fn a_withdrawn_issue_leaves_no_edge_behind() {
    let story = Story::new();
    story.plan("pl-b", "Blocker", &[]);
    story.plan("pl-a", "Plan", &["--deps", "pl-b"]);
    story.bd("propose|pl-a|--with-deps|-q").ok();
    story.bd("withdraw|pl-b|-q").ok();
    assert!(!target(&story).contains("pl-b"), "{}", target(&story));
    assert!(planning(&story).contains("\"depends_on_id\":\"pl-b\""));
}

#[test]
fn a_deleted_plan_is_not_proposed_and_a_proposed_one_not_deleted() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &[]);
    let main = story.env.ledger();
    story.bd("propose|pl-1|-q").ok();
    story.env.put_ledger(&main);
    story.bd("delete|pl-1|--yes").fails(5, &["withdraw it before"]);
    story.bd("withdraw|pl-1|-q").ok();
    story.bd("delete|pl-1|--yes").ok();
    story.bd("propose|pl-1").fails(5, &["pl-1 is deleted"]);
    assert_eq!(story.env.ledger(), main);
}

#[test]
fn proposed_anew_after_a_rejection() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &[]);
    story.bd("propose|pl-1|-q").ok();
    let first = target(&story);
    let id = first.split("prop_").nth(1).unwrap()[..12].to_owned();
    story.max("comment|pl-1|why not").ok();
    story.max("reject|pl-1|--reason|no").ok();
    story.bd("propose|pl-1|-q").ok();
    assert!(target(&story).contains("why not"), "{}", target(&story));
    assert!(!target(&story).contains(&id) && !target(&story).contains("close_reason"), "{}", target(&story));
}

/// A stranger commits a line with a private id, our name and a proposal that was never made.
#[test]
fn an_invented_proposal_publishes_nothing() {
    let story = Story::new();
    story.plan("pl-1", "Ours", &["-d", "PRIVATE"]);
    let kept = planning(&story);
    let line = "{\"id\":\"pl-1\",\"title\":\"Theirs\",\"status\":\"open\",\"visibility\":\"proposed\",\"updated_at\":\"2027-01-01T00:00:00.000Z\",\
                \"proposal\":{\"id\":\"prop_zz\",\"author\":\"ann\",\"target\":\"bd\",\"state\":\"open\",\"by\":\"ann\",\"at\":\"2027-01-01T00:00:00.000Z\"}}\n";
    for line in
        [line.to_owned(), line.replace("open\",\"by", "accepted\",\"by").replace("\"visibility\":\"proposed\",", "")]
    {
        story.env.put_ledger(format!("{}{line}", target(&story).lines().next().unwrap().to_owned() + "\n"));
        let theirs = target(&story);
        story.bd("proposals|reconcile").ok();
        story.bd("doctor|--fix").ok();
        assert_eq!(planning(&story), kept);
        story.bd("update|pl-1|-d|PRIVATE EDIT").fails(5, &[]);
        assert_eq!(target(&story), theirs);
    }
    // Proposing it on purpose publishes ours, not theirs; withdrawing takes nothing of theirs over.
    story.env.put_ledger(format!("{}\n{line}", target(&story).lines().next().unwrap()));
    story.bd("propose|pl-1|-q").ok();
    assert!(target(&story).contains("\"title\":\"Ours\"") && !target(&story).contains("prop_zz"), "{}", target(&story));
    assert!(planning(&story).contains("\"title\":\"Ours\""));
}

/// A proposal that upstream deletes counts as rejected.
#[test]
fn a_proposal_that_a_maintainer_deletes_is_private_again() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &["-d", "words", "--notes", "mine"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("delete|pl-1|--yes|--reason|not wanted").ok();
    assert!(story.bd("proposals|reconcile").ok().stdout.contains("deleted in the project"));
    let line = planning(&story);
    assert!(!line.contains("tombstone") && line.contains("\"visibility\":\"local\""), "{line}");
    assert!(line.contains("Rejected: deleted in the project: not wanted"), "{line}");
    let shown = story.bd("show|pl-1|--json").ok().json();
    assert_eq!((&shown[0]["status"], &shown[0]["visibility"]), (&"open".into(), &"local".into()), "it can be seen");
    story.bd("update|pl-1|--title|Better").ok();
    story.bd("propose|pl-1|-q").ok();
    let proposed = target(&story);
    assert!(
        proposed.contains("Better")
            && !proposed.contains("tombstone")
            && !proposed.contains("deleted_at")
            && !proposed.contains("original_type"),
        "{proposed}"
    );
}

/// Dates and the estimate of a plan are its author's own, and count in their view, while it is proposed and afterwards.
#[test]
fn dates_of_ones_own_count_in_ones_own_view() {
    let story = Story::new();
    story.plan("pl-1", "Due", &["--due", "2026-01-07", "--estimate", "30"]);
    story.plan("pl-2", "Later", &[]);
    story.bd("propose|pl-1|pl-2|-q").ok();
    story.bd("update|pl-2|--defer|2026-03-01").ok();
    for _ in 0..2 {
        assert_eq!(story.bd("list|--json|--due-before|2026-01-08").ok().ids(), ["pl-1"]);
        assert_eq!(story.bd("list|--json|--sort|due").ok().ids()[0], "pl-1");
        assert_eq!(story.bd("query|due<=2026-01-08|--json").ok().ids(), ["pl-1"]);
        let ready = story.bd("ready|--json").ok().ids();
        assert!(ready.contains(&"pl-1".to_owned()) && !ready.contains(&"pl-2".to_owned()), "{ready:?}");
        let shown = story.bd("show|pl-1|--json").ok().json();
        assert!(shown[0]["due_at"].as_str().unwrap().starts_with("2026-01-07"), "{shown}");
        assert_eq!(shown[0]["estimated_minutes"], 30, "{shown}");
        assert!(story.bd("show|pl-2").ok().stdout.contains("Deferred to"));
        let theirs = story.env.ledger_text();
        assert!(!theirs.contains("due_at") && !theirs.contains("defer") && !theirs.contains("estimate"), "{theirs}");
        story.max("accept|pl-1|pl-2").ok();
        story.bd("proposals|reconcile").ok();
    }
    // The maintainers' date is shown; the contributor's own is still not lost.
    story.max("update|pl-1|--due|2026-01-20").ok();
    story.bd("proposals|reconcile").ok();
    let shown = story.bd("show|pl-1|--json").ok().json();
    assert!(shown[0]["due_at"].as_str().unwrap().starts_with("2026-01-20"), "{shown}");
    assert!(std::fs::read_to_string(story.planning()).unwrap().contains("2026-01-07"));
}

/// The maintainers set a date before they accept: the planning copy stays for the one that it has.
#[test]
fn a_date_of_ones_own_outlives_the_maintainers_one() {
    let story = Story::new();
    story.plan("pl-1", "Due", &["--due", "2026-01-07"]);
    story.bd("propose|pl-1|-q").ok();
    story.max("update|pl-1|--due|2026-01-20").ok();
    story.max("accept|pl-1").ok();
    let said = story.bd("proposals|reconcile").ok().stdout;
    assert!(said.contains("stays for its private parts"), "{said}");
    assert!(std::fs::read_to_string(story.planning()).unwrap().contains("2026-01-07"));
}

/// On a branch that only has the rejected line, the plan that was proposed again is not rejected.
#[test]
fn proposed_again_after_a_rejection_it_is_not_rejected_elsewhere() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &[]);
    story.bd("propose|pl-1|-q").ok();
    story.max("reject|pl-1|--reason|no").ok();
    story.bd("proposals|reconcile").ok();
    let main = story.env.ledger_text();
    story.bd("propose|pl-1|-q").ok();
    std::fs::write(story.env.ledger_path(), main).unwrap();
    let rows = story.bd("proposals|--json").ok().json();
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    assert_eq!(rows[0]["state"], "proposed on another branch", "{rows}");
    let shown = story.bd("list|--json|--id|pl-1").ok().json();
    assert_eq!((&shown[0]["status"], &shown[0]["visibility"]), (&"open".into(), &"proposed".into()), "{shown}");
    story.bd("proposals|reconcile").ok();
    story.bd("withdraw|pl-1").ok();
    assert!(story.env.ledger_text().contains("rejected"), "what the maintainers decided stays: {}", story.ledgers());
}

#[test]
fn an_edit_that_one_copy_cannot_take_is_made_in_neither() {
    let story = Story::new();
    story.plan("pl-1", "Plan", &[]);
    story.bd("propose|pl-1|-q").ok();
    let before = story.ledgers();
    // With a second name the file is not replaced.
    let second = story.env.root().join("backup.jsonl");
    std::fs::hard_link(story.planning(), &second).unwrap();
    story.bd("update|pl-1|-p|0").fails(5, &["2 hard links"]);
    assert_eq!(story.ledgers(), before);
    std::fs::remove_file(second).unwrap();
    story.bd("update|pl-1|-p|0").ok();
    assert_eq!(story.ledgers().matches("\"status\":\"open\",\"priority\":0").count(), 2, "{}", story.ledgers());
}
