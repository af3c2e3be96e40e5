//! Planning issues belong to the project that they were filed from: they have its prefix and its record, and are handed
//! out only there.

use serde_json::Value;

use crate::support::harness::{Run, words};
use crate::support::project::Project;
use crate::support::repos::sh;

/// Two projects under git with one prefix, which plan in one repo.
struct Two {
    first: Project,
}

impl Two {
    fn new(prefix: &str) -> Option<Self> {
        let first = Project::new()?;
        let two = Two { first };
        two.sh(&format!(
            "git init -q -b main api; cd api; git config user.name t; git config user.email t@example.org; \
             echo '{{\"id\":\"{prefix}-own\",\"title\":\"Own\",\"status\":\"open\"}}' > own"
        ));
        two.api(&format!("init -q --prefix {prefix}")).ok();
        two.sh("cd api; mv own .beads/beads.jsonl; git add -A; git commit -qm api");
        two.api("init --contributor -q").ok();
        Some(two)
    }

    fn sh(&self, line: &str) {
        sh(&self.first.env, line);
    }

    fn web(&self, line: &str) -> Run {
        self.first.env.bd(words(line))
    }

    fn api(&self, line: &str) -> Run {
        self.first.env.bd(["-C".to_owned(), "../api".to_owned()].into_iter().chain(words(line)))
    }

    /// In the planning repo itself.
    fn plans(&self, line: &str) -> Run {
        let place = self.first.env.root().join("home/.beads-planning").display().to_string();
        self.first.env.bd(["-C".to_owned(), place].into_iter().chain(words(line)))
    }

    fn planning(&self) -> String {
        std::fs::read_to_string(self.first.env.root().join("home/.beads-planning/.beads/beads.jsonl")).unwrap()
    }

    fn api_ledger(&self) -> String {
        std::fs::read_to_string(self.first.env.root().join("api/.beads/beads.jsonl")).unwrap()
    }

    fn added(&self, run: Run) -> String {
        run.ok().json()["id"].as_str().unwrap().to_owned()
    }
}

#[test]
fn other_projects_do_not_hand_out_a_plan() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.web("add Plan --json"));
    assert!(plan.starts_with("bd-"), "it bears the prefix of its project: {plan}");
    let other = two.added(two.api("add Other --json"));
    assert!(other.starts_with("api-"), "{other}");
    assert_eq!(two.web("ready --json").ok().ids(), ["bd-base", plan.as_str()]);
    assert_eq!(two.api("ready --json").ok().ids(), ["api-own", other.as_str()]);
    two.api("close api-own --config routing.role=maintainer").ok();
    let claimed: Value = two.api("ready --claim --json").ok().json();
    assert!(claimed.to_string().contains(&other) && !claimed.to_string().contains(&plan), "{claimed}");
    assert!(!two.api("ready --claim --json").stdout.contains(&plan));
    assert!(two.api(&format!("why {plan}")).stdout.contains("planned for bd, another project"));
    // It is listed, with its project, and can be filtered.
    let listed = two.api("list").ok().stdout;
    let row = listed.lines().find(|line| line.contains(&plan)).unwrap_or_else(|| panic!("{listed}"));
    assert!(row.contains("for bd)"), "{row}");
    assert_eq!(two.api("list --project bd --json").ok().ids(), [plan.as_str()]);
    assert_eq!(two.api("list --project . --all --json").ok().ids(), [other.as_str()]);
    let record = &two.web(&format!("show {plan} --json")).ok().json()[0]["project"];
    assert_eq!(record["name"], "bd");
    assert!(!record.to_string().contains('/'), "no path: {record}");
}

#[test]
fn proposing_a_plan_of_another_project_asks_for_a_word() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.web("add Plan --json"));
    two.api(&format!("propose {plan}")).fails(5, &["was filed for bd, another project", "--project"]);
    assert!(!two.api_ledger().contains("Plan"));
    two.api(&format!("propose {plan} --project")).ok();
    // Not even the prefix of the first project gets into the second.
    assert!(two.api_ledger().contains("Plan") && !two.api_ledger().contains(&plan), "{}", two.api_ledger());
    assert!(!two.api_ledger().contains("former_id") && !two.api_ledger().contains("\"project\""));
    assert_eq!(two.web("ready --json").ok().ids(), ["bd-base"], "it belongs to the other now");
    let id = two.api("proposals --mine --json").ok().ids()[0].clone();
    assert_eq!(two.api(&format!("show {plan} --json")).ok().ids(), [id.as_str()], "the former id still leads to it");
    two.web(&format!("propose {id}")).fails(5, &["another project"]);
}

/// Two projects may have one prefix; what was proposed to one is private in the other.
#[test]
fn an_issue_proposed_to_a_namesake_does_not_pass_the_guard() {
    let Some(two) = Two::new("bd") else { return };
    let plan = two.added(two.web("add Plan --json"));
    two.web(&format!("propose {plan}")).ok();
    let line = two.first.env.ledger_text().lines().find(|line| line.contains(&plan)).unwrap().to_owned();
    std::fs::write(two.first.env.root().join("api/dump.txt"), format!("{line}\n")).unwrap();
    two.sh("cd api; git add -A");
    let run = two.api("check-leaks");
    assert_eq!(run.code, 8, "{}", run.snapshot());
    assert!(run.stdout.contains(&format!("a private issue of a planning repo: {plan}")), "{}", run.snapshot());
    two.first.git("add -A").ok();
    two.web("check-leaks").ok();
    two.api(&format!("withdraw {plan}")).fails(5, &["another project"]);
}

#[test]
fn what_was_filed_in_the_planning_repo_is_renamed_before_it_is_proposed() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.plans("add Plan --json"));
    assert!(plan.starts_with("beads-planning-"), "{plan}");
    let waiting = two.added(two.plans(&format!("add Waiting --deps {plan} --json")));
    two.plans(&format!("comment {plan} remark")).ok();
    // It belongs to no project yet: both have it.
    assert!(two.web("ready --json").ok().ids().contains(&plan) && two.api("ready --json").ok().ids().contains(&plan));
    two.web(&format!("claim {plan}")).ok();
    two.web(&format!("checkpoint add {plan} -m half")).ok();
    let dry = two.web(&format!("propose {plan} --dry-run --json")).ok().json();
    assert!(!dry[0]["line"].to_string().contains("beads-planning"), "{dry}");
    assert_eq!(dry[0]["former_id"], plan.as_str());
    assert!(two.planning().contains(&format!("{{\"id\":\"{plan}\"")), "a dry run renames nothing");
    let done = two.web(&format!("propose {plan} --json")).ok().json();
    let id = done[0]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("bd-"), "{id}");
    assert!(!two.first.env.ledger_text().contains("planning"), "{}", two.first.env.ledger_text());
    let line = |id: &str| -> Value {
        let start = format!("{{\"id\":\"{id}\"");
        serde_json::from_str(two.planning().lines().find(|line| line.starts_with(&start)).unwrap()).unwrap()
    };
    let own = line(&id);
    assert_eq!((own["former_id"].as_str(), own["visibility"].as_str()), (Some(plan.as_str()), Some("proposed")));
    assert_eq!(own["comments"][0]["issue_id"], id.as_str());
    assert_eq!(line(&waiting)["dependencies"][0]["depends_on_id"], id.as_str(), "edges follow");
    let leases = two.web("leases --json").ok().stdout;
    assert!(leases.contains(&id) && !leases.contains(&plan), "{leases}");
    assert_eq!(two.web(&format!("checkpoint list {id} --json")).ok().ids().len(), 1, "records follow");
    // Again, by the former id: nothing changes.
    let before = (two.planning(), two.first.env.ledger_text());
    two.web(&format!("propose {plan}")).ok();
    assert_eq!((two.planning(), two.first.env.ledger_text()), before);
    assert!(!two.api("ready --json").ok().ids().contains(&id));
    // Taken back, the former id has all of it again; and there and back once more.
    for (now, gone) in [(&plan, &id), (&id, &plan), (&plan, &id)] {
        two.web("undo --yes").ok();
        let leases = two.web("leases --json").ok().stdout;
        assert!(leases.contains(now.as_str()) && !leases.contains(gone.as_str()), "{leases}");
        assert_eq!(two.web(&format!("checkpoint list {now} --json")).ok().ids().len(), 1);
    }
    two.web(&format!("release {plan}")).ok();
}

/// A text that names another plan would tell its id, and with it the name of the planning repo.
#[test]
fn a_text_that_names_a_plan_is_not_published() {
    let Some(two) = Two::new("api") else { return };
    let first = two.added(two.plans("add First --json"));
    let second = two.added(two.plans("add Second --json"));
    let third = two.added(two.plans("add Third --json"));
    for (id, other) in [(&second, &first), (&third, &second)] {
        let text = format!("As {other}, but later. See _{other}_.");
        let place = two.first.env.root().join("home/.beads-planning").display().to_string();
        two.first.env.bd(["-C", &place, "update", id, "--description", &text]).ok();
        two.first.env.bd(["-C", &place, "comment", id, &format!("not {other}!")]).ok();
    }
    // Alone it is refused, and nothing is renamed.
    let before = (two.planning(), two.first.env.ledger_text());
    two.web(&format!("propose {second}"))
        .fails(5, &[&format!("{second} would name {first}"), "propose that issue too"]);
    assert_eq!((two.planning(), two.first.env.ledger_text()), before);
    // With what it names it may go, in any order, and says the new id.
    let run = two.web(&format!("propose {second} {first} {third} --json"));
    assert_eq!(run.code, 0, "{}", run.snapshot());
    let public = two.first.env.ledger_text();
    assert!(!public.contains("planning"), "{public}");
    let new = |old: &str| two.web(&format!("show {old} --json")).ok().ids()[0].clone();
    assert!(public.contains(&format!("As {0}, but later. See _{0}_.", new(&first))), "{public}");
    assert!(two.planning().contains(&format!("not {}!", new(&second))), "private texts follow too");
    // Neither an edit nor another issue may bring one in by hand; in the planning repo it is allowed.
    let hidden = two.added(two.plans("add Hidden --json"));
    let names = format!("like {hidden}");
    for args in [["update", "bd-base", "--title", &names], ["comment", "bd-base", &names, "--json"]] {
        let run = two.first.env.bd(args.into_iter().chain(["--config", "routing.role=maintainer"]));
        run.fails(5, &[&format!("bd-base would name {hidden}")]);
    }
    two.first.env.bd(["add", &names, "--repo", ".", "--config", "routing.role=maintainer"]).fails(5, &["would name"]);
    two.first.env.bd(["add", &names]).ok();
    let run = two.first.env.bd(["update", &new(&first), "--description", &names]);
    run.fails(5, &["would name", &hidden]);
    // The guard knows it as well, in whatever line it comes.
    let line = format!("{{\"id\":\"bd-base\",\"title\":\"Base\",\"design\":\"see {hidden}.\"}}\n");
    std::fs::write(two.first.env.path("dump.jsonl"), line).unwrap();
    let found = two.web("check-leaks --ledger dump.jsonl --json");
    let leak = &found.fails(8, &[]).json()["leaks"][0];
    assert_eq!((leak["kind"].as_str(), leak["names"].as_str()), (Some("private_mention"), Some(hidden.as_str())));
    // A mention that is in the line already does not keep others from editing it.
    let text = two.first.env.ledger_text().replace("\"title\":\"Base\"", &format!("\"title\":\"Base {names}\""));
    two.first.env.put_ledger(&text);
    let title = format!("Base, {names}");
    two.first.env.bd(["update", "bd-base", "--title", &title, "--config", "routing.role=maintainer"]).ok();
}

#[test]
fn what_is_refused_takes_along_what_names_it() {
    let Some(two) = Two::new("api") else { return };
    let first = two.added(two.plans("add First --json"));
    let second = two.added(two.plans("add Second --json"));
    let other = two.added(two.api("add Other --json"));
    let place = two.first.env.root().join("home/.beads-planning").display().to_string();
    two.first.env.bd(["-C", &place, "update", &first, "--description", &format!("As {other}.")]).ok();
    two.first.env.bd(["-C", &place, "update", &second, "--description", &format!("As {first}.")]).ok();
    let before = (two.planning(), two.first.env.ledger_text());
    let run = two.web(&format!("propose {second} {first} {other}"));
    assert_ne!(run.code, 0, "{}", run.snapshot());
    assert_eq!((two.planning(), two.first.env.ledger_text()), before, "{}", run.snapshot());
}

/// A plan is proposed from its project; the planning repo itself proposes nothing.
#[test]
fn nothing_is_proposed_in_the_planning_repo_itself() {
    let Some(two) = Two::new("api") else { return };
    let filed = two.added(two.web("add Filed --json"));
    let own = two.added(two.plans("add Own --json"));
    for id in [&filed, &own] {
        let run = two.plans(&format!("propose {id}")).fails(5, &["is planned in this repo", "in the project"]);
        assert!(!run.stderr.contains("canonical"), "{}", run.snapshot());
    }
    two.plans(&format!("propose {filed}")).fails(5, &["in the project that it is for (bd)"]);
    two.web(&format!("propose {filed}")).ok();
    let before = two.planning();
    for line in ["propose", "withdraw", "accept", "reject --reason no"] {
        two.plans(&format!("{line} {filed}")).fails(5, &["is planned in this repo"]);
    }
    assert_eq!(two.planning(), before);
    two.web(&format!("withdraw {filed}")).ok();
}

/// The first issue of a planning repo has no mark, and nothing else shows what kind of repo this is.
#[test]
fn in_the_planning_repo_the_hint_leads_to_the_project() {
    let Some(two) = Two::new("api") else { return };
    let own = two.added(two.plans("add Own --json"));
    let run = two.plans(&format!("propose {own}"));
    assert_eq!(run.code, 5, "{}", run.snapshot());
    assert!(run.stderr.contains("run the same command in the project"), "{}", run.snapshot());
    assert!(!run.stderr.contains("the project's own"), "{}", run.snapshot());
}

/// New ids are given when issues are renamed: a dry run knows none.
#[test]
fn a_dry_run_names_no_id_that_does_not_exist() {
    let Some(two) = Two::new("api") else { return };
    let gone = two.added(two.plans("add Gone --json"));
    let first = two.added(two.plans(&format!("add First --deps {gone} --json")));
    let second = two.added(two.plans(&format!("add Second --deps {first} --json")));
    two.plans(&format!("delete {gone} --yes")).ok();
    let run = two.web(&format!("propose {second} --with-deps --dry-run"));
    assert!(run.stderr.contains(&format!("{gone} is deleted")), "{}", run.snapshot());
    assert!(run.stdout.contains(&format!("to a new id of the project: {second}")), "{}", run.snapshot());
    assert!(run.stdout.contains(&format!("held back: dependency (blocks) on {gone}")), "{}", run.snapshot());
    for line in run.stdout.lines().filter(|line| line.starts_with('{')) {
        let id: Value = serde_json::from_str(line).unwrap();
        assert!(id["id"].as_str().unwrap().starts_with("bd-(new"), "{line}");
        assert!(!line.contains("beads-planning"), "{line}");
    }
    let rows = two.web(&format!("propose {first} --dry-run --json")).ok().json();
    assert_eq!((&rows[0]["id"], &rows[0]["former_id"]), (&first.as_str().into(), &first.as_str().into()), "{rows}");
    // Existing text would not be written again.
    two.web(&format!("propose {first} -q")).ok();
    let again = two.web(&format!("propose {first} --dry-run")).ok();
    assert!(again.stdout.contains("nothing to write") && !again.stdout.contains("Would"), "{}", again.snapshot());
}

/// A label, an assignee, a reference: every value of a public line is checked, and an existing value does not block
/// other edits.
#[test]
fn no_value_of_a_public_line_names_a_private_issue() {
    let Some(two) = Two::new("api") else { return };
    let private = two.added(two.web("add Private --json"));
    let plan = two.added(two.web("add Plan --json"));
    two.web(&format!("propose {plan} -q")).ok();
    let before = two.first.env.ledger_text();
    let max = |line: &str| two.web(&format!("{line} --config routing.role=maintainer"));
    for line in [
        format!("label add bd-base {private}"),
        format!("update bd-base --assignee {private}"),
        format!("update bd-base --external-ref {private}"),
        format!("update bd-base --acceptance as-{private}"),
        format!("close bd-base --reason see-{private}"),
        format!("comment bd-base {private}"),
        format!("reject {plan} --reason {private}"),
        format!("add New --repo . -l {private}"),
    ] {
        max(&line).fails(5, &[&private]);
        assert_eq!(two.first.env.ledger_text(), before, "{line}");
    }
    max(&format!("label add {plan} {private}")).fails(5, &[&private]);
    // As someone with an editor may write it.
    let leaking = before.replace(
        "\"title\":\"Base\"",
        &format!("\"title\":\"Base\",\"metadata\":{{\"of\":[{{\"{private}\":1}}]}},\"labels\":[\"{private}\"]"),
    );
    assert_ne!(leaking, before);
    two.first.stage(".beads/beads.jsonl", &leaking);
    let found = two.first.leaks("");
    assert!(found.iter().any(|line| line.contains("bd-base") && line.contains(&private)), "{found:?}");
    max("update bd-base -p 0").ok();
    max("label add bd-base fine").ok();
}

/// Nothing is renamed if the proposal is refused.
#[test]
fn a_refused_proposal_renames_nothing() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.plans("add Plan --json"));
    two.plans(&format!("delete {plan} --yes")).ok();
    let before = two.planning();
    two.web(&format!("propose {plan}")).fails(5, &["is deleted"]);
    assert_eq!(two.planning(), before);
}

/// A proposal that an earlier version made keeps its id, and so do plans that were filed with a chosen one.
#[test]
fn open_proposals_of_earlier_versions_keep_their_ids() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.plans("add Plan --id beads-planning-1 --json"));
    let open = r#""visibility":"proposed","proposal":{"id":"prop_1","author":"ann","target":"bd","state":"open","by":"ann","at":"2026-01-01T00:00:00.000Z"}"#;
    let planning = two.first.env.root().join("home/.beads-planning/.beads/beads.jsonl");
    let text = two.planning().replacen('}', &format!(",{open}}}"), 1);
    crate::support::harness::put_file(&planning, text.as_bytes());
    two.web(&format!("propose {plan}")).ok();
    assert!(two.first.env.ledger_text().contains("\"id\":\"beads-planning-1\""), "{}", two.first.env.ledger_text());
    let chosen = two.added(two.web("add Chosen --id my-1 --json"));
    two.web(&format!("propose {chosen}")).ok();
    assert!(two.first.env.ledger_text().contains("\"id\":\"my-1\""));
}

/// The record names the project by its first commit: it survives a clone and a move.
#[test]
fn a_moved_project_and_a_clone_of_it_are_the_same() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.api("add Plan --json"));
    two.sh("mv api moved; git clone -q moved api");
    assert!(!two.api("ready --json").ok().ids().contains(&plan), "the clone has no planning repo yet");
    two.api("init --contributor -q").ok();
    assert!(two.api("ready --json").ok().ids().contains(&plan));
}

#[test]
fn doctor_offers_to_settle_plans_without_a_project() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.plans("add Plan --json"));
    let found = two.web("doctor").stdout;
    assert!(found.contains("name no project") && found.contains(&plan) && found.contains("--project ."), "{found}");
    two.web(&format!("update {plan} --project .")).ok();
    assert!(!two.web("doctor").stdout.contains("name no project"));
    assert!(!two.api("ready --json").ok().ids().contains(&plan));
    two.web(&format!("update {plan} --project ''")).ok();
    assert!(two.api("ready --json").ok().ids().contains(&plan));
    two.first.env.bd_with(["update", "bd-base", "--project", "."], None, &[("BD_ROLE", "maintainer")]).fails(5, &[]);
}

/// The line of a public issue never names a private one, not for a maintainer either.
#[test]
fn a_public_line_gets_no_private_id() {
    let Some(two) = Two::new("api") else { return };
    let plan = two.added(two.web("add Plan --json"));
    let before = two.first.env.ledger();
    let max = |line: &str| two.first.env.bd_with(words(line), None, &[("BD_ROLE", "maintainer")]);
    let refused = ["would name it", "reverse the dependency"];
    for line in [
        format!("dep add bd-base {plan}"),
        format!("dep add bd-base {plan} -t related"),
        format!("dep {plan} --blocks bd-base"),
        format!("update bd-base --parent {plan}"),
        format!("add New --repo . --deps {plan}"),
        format!("add New --repo . --parent {plan}"),
    ] {
        max(&line).fails(5, &refused);
    }
    let line = format!(
        "{{\"id\":\"bd-new\",\"title\":\"New\",\"dependencies\":[{{\"depends_on_id\":\"{plan}\",\"type\":\"blocks\"}}]}}\n"
    );
    let import = two.first.env.bd_with(["import", "-", "--repo", "."], Some(&line), &[("BD_ROLE", "maintainer")]);
    assert_ne!(import.code, 0, "{}", import.snapshot());
    let leaving = two.added(two.web(&format!("add Leaving --deps {plan} --json")));
    let moved = max(&format!("migrate --move-to . --filter id={leaving}"));
    assert_ne!(moved.code, 0, "{}", moved.snapshot());
    assert_eq!(two.first.env.ledger(), before);
    max(&format!("dep add {plan} bd-base")).ok();
    // Both together may go.
    max("migrate --move-to . --filter visibility=local --count 2").ok();
    assert!(!two.first.env.ledger_text().contains("\"project\""), "{}", two.first.env.ledger_text());
}

#[test]
fn a_project_without_a_ledger_is_offered_one() {
    let Some(two) = Two::new("api") else { return };
    two.sh("git init -q -b main bare; cd bare; git config user.name t; git config user.email t@example.org; git commit -q --allow-empty -m base");
    let bare = |line: &str| two.first.env.bd(["-C".to_owned(), "../bare".to_owned()].into_iter().chain(words(line)));
    bare("init --contributor -q").ok();
    let plan = two.added(bare("add Plan --json"));
    for dry in ["", " --dry-run"] {
        let run = bare(&format!("propose {plan}{dry}"));
        run.fails(5, &["is kept out of commits here by", "info/exclude", "--start-ledger"]);
    }
    bare(&format!("propose {plan} --start-ledger --dry-run")).ok();
    bare(&format!("propose {plan}")).fails(5, &["is kept out of commits here by"]);
    let ledger = two.first.env.root().join("bare/.beads/beads.jsonl");
    assert_eq!(std::fs::read_to_string(&ledger).unwrap(), "");
    bare(&format!("propose {plan} --start-ledger")).ok();
    assert!(std::fs::read_to_string(&ledger).unwrap().contains(&plan));
    two.sh("cd bare; git add -A; git diff --cached --name-only | grep -qx .beads/beads.jsonl");
}

/// The id that an issue had in the planning repo names that repo: it is private for ever.
#[test]
fn a_former_id_stays_private() {
    let Some(two) = Two::new("api") else { return };
    let former = two.added(two.plans("add Hidden --json"));
    two.plans(&format!("note {former} words")).ok();
    let line = two.planning().lines().find(|line| line.contains(&former)).unwrap().to_owned();
    two.api(&format!("propose {former}")).ok();
    let env = &two.first.env;
    let api = env.path("../api");
    let leaks = |what: &str, line: &str| {
        std::fs::write(api.join("copy.jsonl"), format!("{line}\n")).unwrap();
        two.api("check-leaks --ledger copy.jsonl").fails(8, &[]);
        assert!(two.api("check-leaks --ledger copy.jsonl").stdout.contains(&former), "{what}");
    };
    let edge = format!(
        "{{\"id\":\"api-own\",\"title\":\"Own\",\"dependencies\":[{{\"issue_id\":\"api-own\",\"depends_on_id\":\"{former}\",\"type\":\"blocks\"}}]}}"
    );
    for state in ["proposed", "withdrawn"] {
        leaks(state, &line);
        leaks(state, &edge);
        two.api(&format!("withdraw {former}")).ok();
    }
    std::fs::write(api.join("edge.jsonl"), format!("{edge}\n")).unwrap();
    let maintainer = [("BD_ROLE", "maintainer")];
    let import = env.bd_with(words("-C ../api import edge.jsonl --repo ."), None, &maintainer);
    assert!(!two.api_ledger().contains(&former), "{}", import.snapshot());
}
