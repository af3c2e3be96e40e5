//! `bd resolve`: what it refuses, what it says, and that it touches nothing else. Real merges are in `tests/vcs/driver.rs`.

use crate::support::dice::Dice;
use crate::support::effort::pick;
use crate::support::harness::{Env, put_file};
use crate::support::project::Project;

const A: &str = r#"{"id":"bd-a","title":"First","updated_at":"2026-01-02T00:00:00Z"}"#;
const OLD: &str = r#"{"id":"bd-b","title":"Second","updated_at":"2026-01-02T00:00:00Z"}"#;
const NEW: &str = r#"{"id":"bd-b","title":"Renamed","updated_at":"2026-01-03T00:00:00Z"}"#;

#[test]
fn nothing_to_resolve() {
    let env = Env::with_ledger(format!("{A}\n{OLD}\n"));
    let before = env.ledger();
    assert_eq!(env.bd(["resolve"]).ok().stdout, "nothing to resolve\n");
    let json = env.bd(["resolve", "--json"]).ok().json();
    assert_eq!(json["resolved"], serde_json::json!([]));
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_region_of_which_one_side_is_the_base() {
    let text = format!("{A}\n<<<<<<< HEAD\n{NEW}\n||||||| base\n{OLD}\n=======\n{OLD}\n>>>>>>> other\n");
    let env = Env::with_ledger(&text);
    let dry = env.bd(["resolve", "--dry-run"]).ok();
    assert!(dry.stdout.starts_with("Would merge 1 marked region: "), "{}", dry.snapshot());
    assert_eq!(env.ledger_text(), text);
    let run = env.bd(["resolve"]).ok();
    assert!(run.stdout.starts_with("Merged 1 marked region: ") && run.stderr.is_empty(), "{}", run.snapshot());
    assert_eq!(env.ledger_text(), format!("{A}\n{NEW}\n"));
    env.bd(["add", "More"]).ok();
}

#[test]
fn markers_that_do_not_fit() {
    for (text, place) in [
        (format!("{A}\n<<<<<<< HEAD\n{NEW}\n=======\n{OLD}\n"), "beads.jsonl:2: conflict markers that do not fit"),
        (format!("{A}\n=======\n{OLD}\n"), "beads.jsonl:2: conflict markers that do not fit"),
        (format!("{A}\n<<<<<<< HEAD\n{NEW}\n>>>>>>> other\n"), "beads.jsonl:4: conflict markers that do not fit"),
    ] {
        let env = Env::with_ledger(&text);
        env.bd(["resolve"]).fails(8, &[place, "nothing was changed"]);
        env.bd(["resolve", "--dry-run"]).fails(8, &[place]);
        assert_eq!(env.ledger_text(), text);
    }
}

#[test]
fn only_what_a_side_changed_is_reported() {
    let line = |day: u8, rest: &str| {
        format!("{{\"id\":\"bd-b\",{rest},\"priority\":2,\"updated_at\":\"2026-01-0{day}T00:00:00Z\"}}")
    };
    let base = line(1, r#""title":"Second","status":"open""#);
    let ours = line(2, r#""title":"Renamed","status":"open""#);
    let theirs = line(3, r#""title":"Second","status":"in_progress","started_at":"2026-01-03T00:00:00Z""#);
    let env =
        Env::with_ledger(format!("<<<<<<< HEAD\n{ours}\n||||||| base\n{base}\n=======\n{theirs}\n>>>>>>> other\n"));
    let run = env.bd(["resolve"]).ok();
    assert!(run.stdout.contains("bd-b: title from ours; status from theirs\n"), "{}", run.snapshot());
    // Without the common ancestor, what both have counts as unchanged.
    let labelled = line(4, r#""title":"Renamed","status":"open","labels":["x"]"#);
    let env = Env::with_ledger(format!("<<<<<<< HEAD\n{ours}\n=======\n{labelled}\n>>>>>>> other\n"));
    let told = env.bd(["resolve", "--json"]).ok().json()["resolved"][0]["issues"].clone();
    assert!(told == serde_json::json!([]) || told[0]["from_ours"] == serde_json::json!([]), "{told}");
}

#[test]
fn another_repo_of_the_project() {
    let text = format!("<<<<<<< HEAD\n{NEW}\n||||||| base\n{OLD}\n=======\n{OLD}\n>>>>>>> other\n");
    let env = Env::with_ledger(format!("{A}\n"));
    env.given("init --contributor ~/.beads-planning");
    let planning = env.root().join("home/.beads-planning/.beads/beads.jsonl");
    std::fs::write(&planning, &text).unwrap();
    assert_eq!(env.bd(["resolve", "--repo", "."]).ok().stdout, "nothing to resolve\n");
    let json = env.bd(["resolve", "--json", "--repo", "~/.beads-planning"]).ok().json();
    assert_eq!(
        (&json["resolved"][0]["regions"], &json["resolved"][0]["source_repo"]),
        (&1.into(), &"~/.beads-planning".into())
    );
    assert_eq!(std::fs::read_to_string(&planning).unwrap(), format!("{NEW}\n"));
}

/// Commits both sides on branches of their own and merges them as text; `None` if git needs no help.
fn merged_as_text(project: &Project, versions: [&str; 3], side: &str) -> Option<String> {
    let put = |text: &str, message: &str| {
        project.env.put_ledger(text);
        project.git(&format!("commit -qam {message} --allow-empty")).ok();
    };
    let [base, ours, theirs] = versions;
    project.git("checkout -q --detach").ok();
    put(base, "base");
    put(theirs, "theirs");
    project.git(&format!("branch -qf {side}")).ok();
    project.git("checkout -q --detach HEAD~").ok();
    put(ours, "ours");
    let merge = project.git(&format!("merge -q {side} -m merged"));
    (merge.code == 1).then(|| project.env.ledger_text())
}

/// The ledger that the merge driver makes of the same versions.
fn by_the_driver(env: &Env, [base, ours, theirs]: [&str; 3]) -> String {
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
        put_file(&env.path(&format!("../{name}")), text.as_bytes());
    }
    env.bd(["merge-driver", "../base", "../ours", "../theirs", "--output", "../merged"]).ok();
    std::fs::read_to_string(env.path("../merged")).unwrap()
}

fn titled(id: &str, title: &str) -> String {
    format!("{{\"id\":\"{id}\",\"title\":\"{title}\",\"updated_at\":\"2026-01-02T00:00:00Z\"}}\n")
}

/// Ours put the first line below; that is all that happened to it.
#[test]
fn a_line_that_only_moved_is_not_lost() {
    let Some(project) = Project::single() else { return };
    let line = |id: &str| titled(id, "T");
    let base: String = ["p-k", "p-a", "p-b", "p-c", "p-d"].map(line).concat();
    let ours = ["p-a", "p-b", "p-c", "p-d"].map(line).concat() + &line("p-k") + &titled("p-ours", "New");
    let theirs = base.clone() + &titled("p-theirs", "New");
    let versions = [&*base, &*ours, &*theirs];
    let marked = merged_as_text(&project, versions, "theirs").expect("a conflict");
    assert_eq!(marked.matches("p-k").count(), 1, "it stands in one half: {marked}");
    project.env.bd(["resolve"]).ok();
    let resolved = project.env.ledger_text();
    assert_eq!(resolved, by_the_driver(&project.env, versions));
    assert!(["p-k", "p-ours", "p-theirs"].iter().all(|id| resolved.contains(id)), "{resolved}");
}

/// A partial manual resolution is kept.
#[test]
fn edits_in_the_marked_file_count() {
    let Some(project) = Project::single() else { return };
    let [base, ours, theirs] = ["Old", "Ours", "Theirs"].map(|title| titled("p-a", title) + &titled("p-b", title));
    let marked = merged_as_text(&project, [&base, &ours, &theirs], "theirs").expect("a conflict");
    let by_hand = titled("p-b", "By hand").replace("\"}", "\",\"notes\":\"mine\"}");
    let edited = marked.replacen(&titled("p-b", "Ours"), &by_hand, 1) + &titled("p-c", "Filed");
    assert_ne!(edited, marked);
    // Without its last marker, too: the versions are known.
    for text in [edited.clone(), edited.replace(">>>>>>> theirs\n", "")] {
        project.env.put_ledger(&text);
        project.env.bd(["resolve"]).ok();
        let resolved = project.env.ledger_text();
        assert!(
            ["\"notes\":\"mine\"", "By hand", "p-c", "Theirs"].iter().all(|part| resolved.contains(part)),
            "{resolved}"
        );
    }
}

/// One version of a ledger made into another: lines moved, edited, taken away and added.
fn changed(lines: &[(String, String)], who: &str, dice: &mut Dice) -> Vec<(String, String)> {
    let mut lines = lines.to_vec();
    for step in 0..dice.below(5) + 1 {
        let at = dice.below(lines.len());
        match dice.below(5) {
            0 => {
                let line = lines.remove(at);
                lines.insert(dice.below(lines.len() + 1), line);
            }
            1 => lines[at].1 = format!("{who} {step}"),
            2 if lines.len() > 1 => drop(lines.remove(at)),
            3 => lines.rotate_left(at),
            _ => lines.insert(at, (format!("p-{who}{step}"), "New".to_owned())),
        }
    }
    lines
}

#[test]
fn resolving_gives_what_the_driver_gives() {
    let Some(project) = Project::single() else { return };
    let mut conflicts = 0;
    let cases = pick(8, 16, 1_000);
    for seed in 0.. {
        let mut dice = Dice::new(seed);
        let base: Vec<(String, String)> = (0..8).map(|n| (format!("p-{n}"), "Old".to_owned())).collect();
        let [ours, theirs] = ["ours", "theirs"].map(|who| changed(&base, who, &mut dice));
        let text = |lines: &[(String, String)]| lines.iter().map(|(id, title)| titled(id, title)).collect::<String>();
        let (base, ours, theirs) = (text(&base), text(&ours), text(&theirs));
        let versions = [&*base, &*ours, &*theirs];
        project.git("checkout -qf --detach main").ok();
        let Some(marked) = merged_as_text(&project, versions, "theirs") else { continue };
        project.env.bd(["resolve"]).ok();
        assert_eq!(project.env.ledger_text(), by_the_driver(&project.env, versions), "seed {seed}: {marked}");
        project.git("merge --abort").ok();
        // If no versions are kept, text in one half was not removed by the other.
        project.git("checkout -qf --detach main").ok();
        project.env.put_ledger(&marked);
        project.env.bd(["resolve"]).ok();
        let resolved = project.env.ledger_text();
        for id in marked.lines().filter_map(|line| line.strip_prefix("{\"id\":\"")?.split('"').next()) {
            assert!(resolved.contains(&format!("\"{id}\"")), "seed {seed}: {id} of {marked} in {resolved}");
        }
        conflicts += 1;
        if conflicts == cases {
            break;
        }
        assert!(seed < 100 * cases, "git merges nearly all of it alone");
    }
}
