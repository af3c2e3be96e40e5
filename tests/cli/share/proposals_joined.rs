//! A proposed issue that both sides edit: the contributor in the planning copy, the maintainers in the project's line.

use serde_json::Value;

use crate::cli::share::proposals::Story;

impl Story {
    /// Stands in the planning repo, as on a branch that does not carry the proposal: only the planning copy is edited.
    fn apart(&self, line: &str) {
        let place = self.env.root().join("home/.beads-planning").display().to_string();
        let args = ["-C".to_owned(), place].into_iter().chain(line.split('|').map(str::to_owned));
        self.env.bd(args).ok();
    }

    fn copy(&self, text: &str, id: &str) -> Value {
        let start = format!("{{\"id\":\"{id}\"");
        let line = text.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{id} in {text}"));
        serde_json::from_str(line).unwrap()
    }

    fn theirs(&self, id: &str) -> Value {
        self.copy(&self.env.ledger_text(), id)
    }

    fn ours(&self, id: &str) -> Value {
        self.copy(&std::fs::read_to_string(self.planning()).unwrap(), id)
    }

    fn reconciled(&self) -> String {
        self.bd("proposals|reconcile").ok().stdout
    }
}

fn proposed() -> Story {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &["-d", "Why", "-l", "ui", "--deps", "bd-up", "--notes", "secret"]);
    story.bd("propose|pl-1|-q").ok();
    story
}

fn told(copy: &Value) -> Vec<&str> {
    let comments = copy["comments"].as_array().into_iter().flatten();
    comments.map(|comment| comment["text"].as_str().unwrap()).collect()
}

/// The fields that both copies share.
fn shared(copy: &Value) -> Vec<Value> {
    let keys = ["title", "description", "design", "acceptance_criteria", "priority", "issue_type", "labels", "status"];
    keys.iter().map(|key| copy[*key].clone()).collect()
}

#[test]
fn edits_of_different_fields_meet_in_both_copies() {
    let story = proposed();
    story.max("update|pl-1|-p|0|--add-label|urgent").ok();
    story.apart("update|pl-1|--title|Darker mode|--add-label|theme");
    let said = story.reconciled();
    assert!(said.contains("edits go to the target, and its edits are taken over"), "{said}");
    let (ours, theirs) = (story.ours("pl-1"), story.theirs("pl-1"));
    assert_eq!((&theirs["title"], &theirs["priority"]), (&"Darker mode".into(), &0.into()), "{theirs}");
    assert_eq!(theirs["labels"], serde_json::json!(["theme", "ui", "urgent"]), "{theirs}");
    assert_eq!(shared(&ours), shared(&theirs));
    assert_eq!(told(&ours), [""; 0], "nothing was given up: {ours}");
    let settled = story.ledgers();
    assert_eq!(story.reconciled(), "everything is in step\n");
    assert_eq!(story.ledgers(), settled);
    assert!(!story.env.ledger_text().contains("agreed"), "{settled}");
}

#[test]
fn of_a_field_that_both_changed_the_projects_value_stands_and_ours_is_told() {
    let story = proposed();
    story.apart("update|pl-1|--title|Darker mode|-d|Because");
    story.max("update|pl-1|--title|Dark theme").ok();
    let said = story.reconciled();
    assert!(said.contains("title changed on both sides: yours is kept as a comment"), "{said}");
    let (ours, theirs) = (story.ours("pl-1"), story.theirs("pl-1"));
    assert_eq!((&theirs["title"], &theirs["description"]), (&"Dark theme".into(), &"Because".into()), "{theirs}");
    assert_eq!(shared(&ours), shared(&theirs));
    assert_eq!(told(&ours), ["title of the other version: Darker mode"], "{ours}");
    assert_eq!(theirs["comments"], Value::Null, "the comment is in the planning copy alone");
}

#[test]
fn an_edit_in_the_project_brings_both_sides_together_first() {
    let story = proposed();
    story.max("update|pl-1|-p|0").ok();
    story.apart("update|pl-1|--title|Darker mode");
    let reply = story.bd("update|pl-1|--add-label|theme|--json").ok().json();
    assert_eq!((&reply[0]["title"], &reply[0]["priority"]), (&"Darker mode".into(), &0.into()), "{reply}");
    assert_eq!(reply[0]["labels"], serde_json::json!(["theme", "ui"]), "{reply}");
    let (ours, theirs) = (story.ours("pl-1"), story.theirs("pl-1"));
    assert_eq!(theirs["title"], "Darker mode");
    assert_eq!(shared(&ours), shared(&theirs));
    assert_eq!(story.reconciled(), "everything is in step\n");
    // A private edit does so too.
    story.max("update|pl-1|--title|Dark theme").ok();
    story.bd("note|pl-1|more").ok();
    assert_eq!(story.ours("pl-1")["title"], "Dark theme");
    assert_eq!(story.reconciled(), "everything is in step\n");
}

#[test]
fn an_edit_that_brought_both_sides_together_goes_back_and_nothing_is_lost() {
    let story = proposed();
    story.max("update|pl-1|-p|0").ok();
    story.apart("update|pl-1|--title|Darker mode");
    story.bd("update|pl-1|--add-label|theme").ok();
    story.bd("undo|--yes").ok();
    for copy in [story.theirs("pl-1"), story.ours("pl-1")] {
        assert_eq!(copy["labels"], serde_json::json!(["ui"]), "{copy}");
    }
    story.reconciled();
    let (ours, theirs) = (story.ours("pl-1"), story.theirs("pl-1"));
    assert_eq!((&theirs["title"], &theirs["priority"]), (&"Darker mode".into(), &0.into()), "{theirs}");
    assert_eq!(shared(&ours), shared(&theirs));
    assert_eq!(told(&ours), [""; 0], "{ours}");
}

#[test]
fn a_dependency_that_the_maintainers_remove_does_not_come_back() {
    let story = proposed();
    story.plan("pl-2", "Private", &[]);
    story.bd("dep|add|pl-1|pl-2").ok();
    story.max("dep|remove|pl-1|bd-up").ok();
    story.reconciled();
    story.bd("update|pl-1|-p|1").ok();
    story.reconciled();
    assert_eq!(story.theirs("pl-1")["dependencies"], Value::Null);
    let left = story.ours("pl-1")["dependencies"].clone();
    assert_eq!((left.as_array().unwrap().len(), &left[0]["depends_on_id"]), (1, &"pl-2".into()), "{left}");
}

/// A value removed on both sides is no longer common, so either side can add it again.
#[test]
fn a_label_that_was_removed_can_come_back() {
    let story = proposed();
    story.bd("label|remove|pl-1|ui").ok();
    story.apart("label|add|pl-1|ui");
    story.reconciled();
    for copy in [story.theirs("pl-1"), story.ours("pl-1")] {
        assert_eq!(copy["labels"], serde_json::json!(["ui"]), "{copy}");
    }
}

#[test]
fn what_the_project_accepted_without_our_last_edits_leaves_them_as_comments() {
    let story = proposed();
    story.apart("update|pl-1|--title|Darker mode|--design|In CSS");
    story.max("update|pl-1|--title|Dark theme").ok();
    story.max("accept|pl-1").ok();
    story.reconciled();
    let ours = story.ours("pl-1");
    assert_eq!((&ours["title"], &ours["design"], &ours["agreed"]), (&"Dark theme".into(), &Value::Null, &Value::Null));
    let said = told(&ours);
    for one in ["title of the other version: Darker mode", "design of the other version: In CSS"] {
        assert!(said.contains(&one), "{said:?}");
    }
}

#[test]
fn a_maintainer_with_the_planning_copy_accepts_its_edits_too() {
    let story = proposed();
    story.apart("update|pl-1|--title|Darker mode");
    story.max("update|pl-1|-p|0").ok();
    story.env.bd_with(["accept", "pl-1"], None, &[("BD_ROLE", "maintainer"), ("BD_ACTOR", "max")]).ok();
    let theirs = story.theirs("pl-1");
    assert_eq!((&theirs["title"], &theirs["priority"]), (&"Darker mode".into(), &0.into()), "{theirs}");
    story.reconciled();
    assert_eq!(told(&story.ours("pl-1")), [""; 0]);
}

#[test]
fn a_rejected_or_withdrawn_plan_has_what_the_maintainers_wrote() {
    for ends_by in ["reject", "withdraw"] {
        let story = proposed();
        story.apart("update|pl-1|--design|In CSS");
        story.max("update|pl-1|-d|Why not|--add-label|theme").ok();
        match ends_by {
            "reject" => story.max("reject|pl-1|--reason|too early").ok(),
            _ => story.bd("withdraw|pl-1").ok(),
        };
        story.reconciled();
        let ours = story.ours("pl-1");
        assert_eq!((&ours["description"], &ours["design"]), (&"Why not".into(), &"In CSS".into()), "{ours}");
        assert_eq!((&ours["labels"], &ours["agreed"]), (&serde_json::json!(["theme", "ui"]), &Value::Null), "{ours}");
        assert_eq!((&ours["status"], &ours["visibility"]), (&"open".into(), &"local".into()), "{ours}");
    }
}

#[test]
fn a_text_that_names_a_private_issue_is_held_back() {
    let story = proposed();
    story.plan("pl-2", "Private", &[]);
    story.apart("update|pl-1|-d|As in pl-2|--title|Darker mode");
    let said = story.reconciled();
    assert!(said.contains("description held back: it names a private issue"), "{said}");
    assert!(!story.env.ledger_text().contains("pl-2"), "{}", story.env.ledger_text());
    assert_eq!(story.theirs("pl-1")["title"], "Darker mode");
    assert_eq!(story.ours("pl-1")["description"], "As in pl-2");
    story.bd("propose|pl-1").fails(5, &["pl-2"]);
    // Other edits go on, and nothing of it is lost meanwhile.
    story.bd("update|pl-1|-p|1").ok();
    story.max("update|pl-1|--design|In CSS").ok();
    story.reconciled();
    assert_eq!(
        (&story.ours("pl-1")["description"], &story.ours("pl-1")["design"]),
        (&"As in pl-2".into(), &"In CSS".into())
    );
    story.apart("update|pl-1|-d|As elsewhere");
    story.reconciled();
    assert_eq!(story.theirs("pl-1")["description"], "As elsewhere");
}

#[test]
fn work_that_the_maintainers_begin_and_give_up_shows() {
    let story = proposed();
    story.max("update|pl-1|--status|in_progress").ok();
    story.reconciled();
    assert_eq!(story.ours("pl-1")["status"], "in_progress");
    story.max("update|pl-1|--status|open").ok();
    story.reconciled();
    assert_eq!(story.ours("pl-1")["status"], "open");
    // The user's own work is not published, and others' edits do not end it.
    story.bd("work|pl-1").ok();
    story.max("update|pl-1|-p|0").ok();
    story.reconciled();
    assert_eq!(
        (&story.ours("pl-1")["status"], &story.theirs("pl-1")["status"]),
        (&"in_progress".into(), &"open".into())
    );
}

#[test]
fn what_was_agreed_on_is_shown_to_nobody() {
    let story = proposed();
    story.bd("update|pl-1|-p|1").ok();
    assert!(story.ours("pl-1")["agreed"].is_object(), "{}", story.ours("pl-1"));
    let place = story.env.root().join("home/.beads-planning").display().to_string();
    for line in ["show|pl-1|--json", "list|--json", "export", "show|pl-1", "list|--copies|--json", "log|pl-1|--json"] {
        assert!(!story.bd(line).stdout.contains("agreed"), "{line}");
        let there = ["-C", place.as_str()].into_iter().chain(line.split('|'));
        assert!(!story.env.bd(there).stdout.contains("agreed"), "{line} in the planning repo");
    }
}

/// A planning copy of an earlier version has no base: the target's values win, and ours are reported.
#[test]
fn a_copy_without_a_base_follows_the_target() {
    let story = proposed();
    let text = std::fs::read_to_string(story.planning()).unwrap();
    let start = text.find(",\"agreed\":{").unwrap();
    let end = text[start..].find("\"project\"").unwrap() + start - 1;
    std::fs::write(story.planning(), format!("{}{}", &text[..start], &text[end..])).unwrap();
    story.apart("update|pl-1|--title|Darker mode");
    story.max("update|pl-1|-p|0").ok();
    story.reconciled();
    let ours = story.ours("pl-1");
    assert_eq!((&ours["title"], &ours["priority"]), (&"Dark mode".into(), &0.into()), "{ours}");
    assert!(told(&ours)[0].contains("title: Darker mode"), "{ours}");
    assert!(ours["agreed"].is_object(), "from now on there is one: {ours}");
}
