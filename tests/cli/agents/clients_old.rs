//! What clients of earlier versions of the original call and expect, beyond `clients.rs`.

use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::support::harness::Env;
use crate::support::project::{Project, listing};

#[test]
fn checks_under_their_old_names() {
    let env = Env::with_ledger(concat!(
        r#"{"id":"bd-1","title":"Fix it","status":"open","priority":1,"issue_type":"bug","dependencies":[{"issue_id":"bd-1","depends_on_id":"bd-gone","type":"blocks"},{"issue_id":"bd-1","depends_on_id":"external:x:y","type":"blocks"}]}"#,
        "\n",
        r#"{"id":"bd-2","title":"fix IT!","status":"open","priority":1,"issue_type":"bug"}"#,
        "\n",
        r#"{"id":"bd-3","title":"test-1 of it","status":"open","priority":1,"issue_type":"bug"}"#,
        "\n",
    ));
    let edge = json!({"issue_id": "bd-1", "depends_on_id": "bd-gone", "type": "blocks"});
    assert_eq!(env.bd(["repair-deps", "--json"]).ok().json(), json!({"orphans_found": 1, "orphans": [edge]}));
    let tests = env.bd(["detect-pollution", "--json"]).ok().json();
    assert_eq!((&tests["polluted_count"], &tests["issues"][0]["id"]), (&1.into(), &"bd-3".into()));
    assert!(tests["issues"][0]["score"].as_f64().unwrap() >= 0.7, "{tests}");
    let checked = env.bd(["validate", "--json"]).ok().json();
    assert_eq!((&checked["overall_ok"], &checked["total_issues"]), (&false.into(), &3.into()));
    let only = env.bd(["validate", "--checks", "conflicts,orphans", "--json"]).ok().json();
    assert_eq!(only["checks"].as_array().unwrap().len(), 2);
    env.bd(["validate", "--checks", "nosuch"]).fails(2, &[]);
    let inspected = env.bd(["migrate", "--inspect", "--json"]).ok().json();
    assert_eq!(inspected["current_state"]["issue_count"], 3);
    assert_eq!((&inspected["registered_migrations"], &inspected["warnings"]), (&json!([]), &json!([])));
    // Nothing above wrote anything, and what repairs does.
    assert!(env.ledger_text().contains("bd-gone"));
    env.given("detect-pollution --clean");
    assert_eq!(env.bd(["repair-deps", "--fix", "--json"]).ok().json()["fixed"], 1);
    assert!(!env.ledger_text().contains("bd-gone") && env.ledger_text().contains("external:x:y"));
    env.given("detect-pollution --clean --yes");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-1", "bd-2"]);
    let fixed = env.bd(["validate", "--fix-all", "--yes", "--json"]).ok().json();
    assert_eq!(fixed["total_issues"], 1, "{fixed}");
}

#[test]
fn conflict_markers_are_damage() {
    let env = Env::with_ledger(
        "<<<<<<< a\n{\"id\":\"bd-1\",\"title\":\"A\"}\n=======\n{\"id\":\"bd-1\",\"title\":\"B\"}\n>>>>>>> b\n",
    );
    let run = env.bd(["validate", "--json"]);
    assert_eq!((run.code, run.json()["overall_ok"].as_bool()), (8, Some(false)), "{}", run.snapshot());
}

#[test]
fn nothing_is_repaired_while_a_repo_is_missing() {
    let env = Env::with_ledger(
        "{\"id\":\"bd-1\",\"title\":\"A\",\"status\":\"open\",\"dependencies\":[{\"issue_id\":\"bd-1\",\"depends_on_id\":\"lib-1\",\"type\":\"blocks\"}]}\n",
    );
    env.write(".beads/config.toml", "[repos]\nadditional = [\"lib\"]\n");
    env.bd(["repair-deps", "--fix"]).fails(2, &["may hold what is missing"]);
    assert!(env.ledger_text().contains("lib-1"));
}

#[test]
fn a_ledger_beside_a_database_that_the_environment_names() {
    let env = Env::bare();
    let place = env.path("some/where");
    env.set("BEADS_DB", place.join("x.db"));
    let made = env.bd(["init", "--prefix", "test"]).ok();
    assert!(made.stdout.contains("bd initialized successfully!"), "{}", made.snapshot());
    assert!(place.join("x.db.beads/beads.jsonl").exists() && !place.join("x.db").exists());
    env.given("add One --id test-1");
    // Another database of the same directory has another ledger, and neither is found from below.
    env.set("BEADS_DB", place.join("y.db"));
    env.given("init --prefix other");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), [""; 0]);
    env.bd_with(["-C", "some/where", "list"], None, &[("BEADS_DB", "")]).fails(9, &["bd init"]);
    // The original's own database there is named, and nothing takes its place.
    let full = env.path("full.db");
    env.write("full.db", "SQLite format 3");
    env.set("BEADS_DB", &full);
    env.bd(["list"]).fails(9, &["full.db"]);
    env.bd(["init"]).fails(9, &["full.db", "--empty"]);
    env.set("BEADS_DB", place.join("x.db"));
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["test-1"]);
    assert!(!env.path(".beads").exists());
    // Said again, it is the same place.
    assert!(env.bd(["init"]).ok().stdout.contains("already initialized"));
    // A path from here, in a `.beads` that is not there yet.
    env.set("BEADS_DB", "rel/.beads/y.db");
    env.given("init --prefix rel\nadd Two --id rel-2");
    assert!(env.path("rel/.beads/beads.jsonl").exists());
    env.set("BEADS_DB", "alone.db");
    env.given("init --prefix web");
    assert!(env.path("alone.db.beads/beads.jsonl").exists());
    // In a project it is the project's.
    env.set("BEADS_DB", "rel/z.db");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["rel-2"]);
    // A directory is a project.
    std::fs::create_dir(env.path("dir.db")).unwrap();
    env.set("BEADS_DB", env.path("dir.db"));
    env.bd(["list"]).fails(9, &["BEADS_DB"]);
    env.given("init --prefix dir\nadd Three --id dir-3");
    assert!(env.path("dir.db/.beads/beads.jsonl").exists());
}

#[test]
fn a_place_that_cannot_be_made_is_an_error() {
    let env = Env::bare();
    env.write("file", "text");
    for bad in [env.path("file/x.db"), env.path("file/.beads/x.db"), "/proc/nowhere/x.db".into(), "/sys/x.db".into()] {
        env.set("BEADS_DB", &bad);
        let run = env.bd(["init", "--prefix", "x"]);
        assert!([1, 9].contains(&run.code) && run.stderr.starts_with("error: "), "{}", run.snapshot());
        assert_eq!(env.bd(["list"]).code, 9);
    }
    assert_eq!(std::fs::read_dir(env.path("")).unwrap().count(), 1);
}

/// Dates a file back, so that a touch is to be seen.
fn date_back(path: &std::path::Path) -> SystemTime {
    let then = SystemTime::now() - Duration::from_secs(1000);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    std::fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn a_placeholder_for_clients_that_look_for_a_database() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let file = env.path(".beads/beads.db");
    env.given("update bd-base -p 3");
    assert!(!file.exists(), "off by default");
    project.git("commit -qam p").ok();
    let made = env.bd(["init", "--legacy-db"]).ok();
    assert!(made.stdout.contains("placeholder for old clients"), "{}", made.snapshot());
    assert!(std::fs::metadata(&file).unwrap().len() > 0, "an empty one is a new database");
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    for line in ["add Two --id bd-two", "close bd-two", "dep add bd-two bd-base", "delete bd-two --yes"] {
        let then = date_back(&file);
        env.given(line);
        assert_ne!(std::fs::metadata(&file).unwrap().modified().unwrap(), then, "{line}");
    }
    let then = date_back(&file);
    env.given("list\nready\nshow bd-base\ndoctor");
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), then);
    // The path that such clients pass on.
    env.set("BEADS_DB", &file);
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-base"]);
    std::fs::remove_file(&file).unwrap();
    env.given("add Three --id bd-three");
    assert!(file.exists());
    env.given("config set legacy.db false");
    assert!(!file.exists());
}

#[test]
fn the_placeholder_harms_nothing_that_is_there() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    // Someone else's set-up, with its own ignore file.
    env.write(".beads/.gitignore", "run/\n");
    project.git("commit -qam ignore").ok();
    let file = env.write(".beads/beads.db", "SQLite format 3\0");
    project.git("add -A").ok();
    project.git("commit -qm db").ok();
    assert!(env.bd(["doctor"]).ok().stdout.contains("a database of the original bd"));
    env.given("config set legacy.db true\nadd Two --id bd-two\nconfig set legacy.db false");
    assert_eq!(std::fs::read(&file).unwrap(), b"SQLite format 3\0");
    project.git("rm -q --cached .beads/beads.db").ok();
    std::fs::remove_file(&file).unwrap();
    project.git("commit -qam away").ok();
    // Asked for by the environment alone.
    let run = env.bd_with(["add", "Three", "--id", "bd-three"], None, &[("BD_LEGACY_DB", "1")]).ok();
    assert!(file.exists(), "{}", run.snapshot());
    project.git("checkout -q .").ok();
    assert_eq!(project.git("status --porcelain").ok().stdout, "", "kept out by git's own exclude file");
    // A link leads out.
    std::fs::remove_file(&file).unwrap();
    let outside = env.write("outside", "text");
    symlink(&outside, &file).unwrap();
    let then = date_back(&outside);
    env.bd_with(["add", "Four", "--id", "bd-four"], None, &[("BD_LEGACY_DB", "1")]).ok();
    assert_eq!(std::fs::metadata(&outside).unwrap().modified().unwrap(), then);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "text");
}

#[test]
fn sync_takes_what_clients_say() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let before = listing(&env.path(""));
    for flags in ["--flush-only --no-pull", "--import-only", "--import", "--flush-only --dry-run"] {
        let args: Vec<&str> = ["sync"].into_iter().chain(flags.split(' ')).collect();
        assert!(env.bd(&args).ok().stdout.starts_with("nothing to do"), "{flags}");
        let json: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        assert_eq!(env.bd(json).ok().json()["repos"], json!([]));
    }
    for flags in ["--status", "--dry-run --no-push --no-pull", "--status --full --force"] {
        let args: Vec<&str> = ["sync"].into_iter().chain(flags.split(' ')).collect();
        assert!(env.bd(&args).ok().stdout.contains("nothing to do"), "{flags}");
        let json: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        assert_eq!(env.bd(json).ok().json()["dry_run"], true);
    }
    assert_eq!(listing(&env.path("")), before);
    env.given("add Two --id bd-two");
    let shown = env.bd(["sync", "--status"]).ok();
    assert!(shown.stdout.contains("would be committed"), "{}", shown.snapshot());
    let done = env.bd(["sync", "--no-push", "--no-pull"]).ok();
    assert!(done.stdout.contains("committed"), "{}", done.snapshot());
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    env.bd(["sync", "--flush-only", "--import-only"]).fails(2, &[]);
}

#[test]
fn fields_and_flags_of_the_original() {
    let env = Env::new();
    env.write("meta.json", "{\n  \"a\": [1, \"x\\n\"]\n}\n");
    let made =
        env.bd(["add", "One", "--id", "bd-1", "--metadata", "{\"k\":1.50}", "--spec-id", "s-1", "--ephemeral"]).ok();
    assert_eq!(made.stderr, "");
    env.bd(["add", "Two", "--id", "bd-2", "--metadata", "@meta.json"]).ok();
    let text = env.ledger_text();
    for part in ["\"metadata\":{\"k\":1.50}", "\"spec_id\":\"s-1\"", "\"ephemeral\":true", "\"a\": [1, \"x\\n\"]"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-2"]);
    for bad in ["{", "", "1 2", "{\"a\":1},{}", "word"] {
        env.bd(["add", "Three", "--metadata", bad]).fails(2, &["invalid --metadata"]);
    }
    env.bd(["add", "Three", "--metadata", "@nosuch"]).fails(1, &["nosuch"]);
    env.given("-v list\nlist --verbose --profile\n--profile ready");
}
