//! Checkouts: each has an id of its own that it keeps, whoever made it and wherever it moves.

use std::fs;

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::checkouts::{Family, bd};
use crate::support::harness::{Env, Run};
use crate::support::programs::have;

fn rows(run: &Run) -> Vec<Value> {
    run.json().as_array().unwrap().clone()
}

/// `NAME STATE` of each checkout.
fn listed(family: &Family, line: &str) -> Vec<String> {
    let all = rows(&family.bd(&family.web(), line).ok());
    let state = |one: &Value| match (one["exists"].as_bool(), one["dirty"].as_bool()) {
        (Some(false), _) => "gone",
        (_, Some(true)) => "dirty",
        (_, Some(false)) => "clean",
        _ => "unknown",
    };
    all.iter().map(|one| format!("{} {}", one["worktree"].as_str().unwrap(), state(one))).collect()
}

#[test]
fn checkouts_made_by_git_alone_share_claims_and_have_ids_of_their_own() {
    let Some(family) = Family::new() else { return };
    let (one, two) = (family.worktree("one"), family.worktree("two"));
    let ids = [family.id(&family.web()), family.id(&one), family.id(&two)];
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
    family.bd(&one, "add One --id bd-one").ok();
    family.bd(&two, "add Two --id bd-two").ok();
    assert!(
        !fs::read_to_string(two.join(".beads/beads.jsonl")).unwrap().contains("bd-one"),
        "each writes its own file"
    );
    family.bd_with(&one, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    family.bd_with(&two, "claim bd-base", &[("BD_AGENT", "eve")]).fails(4, &["claimed by bob in one"]);
    for place in [&family.web(), &one, &two] {
        assert_eq!(family.held(place), ["bd-base in one"]);
    }
    assert_eq!(listed(&family, "worktree list --json"), ["main clean", "one dirty", "two dirty"]);
    let agents = &rows(&family.bd(&two, "worktree list --json"))[1]["agents"];
    assert_eq!(agents[0]["name"], "bob", "{agents}");
}

#[test]
fn a_checkout_without_issues_is_nothing_to_warn_of() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    let web = env.path("");
    let git = |line: &str| {
        let mut command = env.command("git");
        command.args(crate::support::harness::words(line));
        env.run(command, format!("git {line}"), None).ok()
    };
    git("init -q -b main");
    git("add -A");
    git("-c user.name=t -c user.email=t@example.org commit -qm start");
    git("worktree add -q ../other");
    for line in ["add One --id bd-1", "ready", "list --all-worktrees", "show 1", "close 1"] {
        let run = bd(&env, &web, line, &[]).ok();
        assert!(!run.stderr.contains("warning"), "{}", run.snapshot());
    }
    assert!(!bd(&env, &web, "doctor", &[]).stdout.contains("cannot be read"));
    // One that was emptied is another matter.
    git("add -A");
    git("-c user.name=t -c user.email=t@example.org commit -qm more");
    git("-C ../other merge -q main");
    fs::write(env.path("../other/.beads/beads.jsonl"), "").unwrap();
    let told = bd(&env, &web, "ready", &[]).ok().stderr;
    assert!(told.contains("its ledger is empty, but its last commit has issues"), "{told}");
}

#[test]
fn the_same_work_in_two_checkouts_keeps_its_checkpoints_apart_and_no_error_is_resumed_from() {
    let Some(family) = Family::new() else { return };
    let places = [family.worktree("one"), family.worktree("two")];
    for (place, word) in places.iter().zip(["first", "second"]) {
        family.bd(place, &format!("checkpoint add bd-base -m {word}")).ok();
        family.bd(place, "checkpoint add bd-base -m broken --type error").ok();
    }
    for (place, word) in places.iter().zip(["first", "second"]) {
        let own = rows(&family.bd(place, "checkpoint list bd-base --json").ok());
        let summaries: Vec<&str> = own.iter().map(|row| row["summary"].as_str().unwrap()).collect();
        assert_eq!(summaries, [word, "broken"]);
        assert!(own.iter().all(|row| row["worktree_id"] == family.id(place).as_str()), "{own:?}");
        let partition = family.web().join(format!(".git/beads/wt/{}/checkpoints.jsonl", family.id(place)));
        assert_eq!(fs::read_to_string(partition).unwrap().lines().count(), 2);
    }
    let resumed = family.bd(&places[0], "resume bd-base --json").ok().stdout;
    assert!(resumed.contains("broken") && resumed.contains("second"), "it says what went wrong: {resumed}");
}

#[test]
fn a_deleted_checkout_takes_nothing_from_others_and_stays_known() {
    let Some(family) = Family::new() else { return };
    let (one, two) = (family.worktree("one"), family.worktree("two"));
    let gone = family.id(&one);
    family.bd(&family.web(), "add More --id bd-more").ok();
    family.commit(&family.web());
    family.git(&two, "merge -q main").ok();
    family.bd_with(&one, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    family.bd_with(&two, "claim bd-more", &[("BD_AGENT", "eve")]).ok();
    fs::remove_dir_all(&one).unwrap();
    assert_eq!(family.held(&two), ["bd-base in one", "bd-more in two"]);
    assert_eq!(listed(&family, "worktree list --json"), ["main clean", "two dirty"]);
    assert_eq!(listed(&family, "worktree list --all --json"), ["main clean", "two dirty", "one gone"]);
    let record = family.web().join(".git/worktrees/one");
    let told = family.bd(&two, "worktree prune --json").ok().json();
    assert_eq!((&told["applied"], &told["gone"][0]["worktree_id"]), (&false.into(), &gone.as_str().into()), "{told}");
    assert!(record.exists(), "nothing is dropped unasked");
    family.bd(&two, "worktree prune --apply").ok();
    assert!(!record.exists());
    let all = rows(&family.bd(&two, "worktree list --all --json"));
    let left = all.iter().find(|one| one["worktree_id"] == gone.as_str()).expect("it stays known");
    assert!(left["exists"] == false && left["gone_at"].is_string(), "{left}");
    assert_eq!(family.held(&two), ["bd-base in one", "bd-more in two"], "what it left stays");
    let again = family.bd(&two, "worktree prune --json").ok().json();
    assert_eq!((&again["records"], &again["gone"]), (&Value::Array(vec![]), &Value::Array(vec![])), "{again}");
}

/// Without and with repair.
#[test]
fn a_moved_checkout_keeps_its_id() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    let id = family.id(&one);
    family.bd_with(&one, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    let moved = family.path("elsewhere");
    fs::rename(&one, &moved).unwrap();
    assert_eq!(family.id(&moved), id, "from inside");
    assert_eq!(listed(&family, "worktree list --all --json"), ["main clean", "elsewhere dirty"], "and from elsewhere");
    let told = family.bd(&family.web(), "worktree prune --json").ok().json();
    assert_eq!((&told["records"], &told["gone"]), (&Value::Array(vec![]), &Value::Array(vec![])), "{told}");
    assert_eq!(told["moved"][0]["worktree_id"], id.as_str());
    family.bd(&family.web(), "worktree prune --apply").ok();
    let known = family.git(&family.web(), "worktree list --porcelain").ok().stdout;
    let is_known = |known: &str, name: &str| known.contains(&format!("worktree {}\n", family.path(name).display()));
    assert!(is_known(&known, "elsewhere") && !is_known(&known, "one"), "{known}");
    let again = family.path("again");
    fs::rename(&moved, &again).unwrap();
    let repaired = family.bd(&again, "worktree repair --json").ok().json();
    assert_eq!(repaired["repaired"][0], again.to_str().unwrap());
    assert_eq!(family.id(&again), id);
    let known = family.git(&family.web(), "worktree list --porcelain").ok().stdout;
    assert!(is_known(&known, "again") && !is_known(&known, "elsewhere"), "{known}");
    assert_eq!(family.held(&again), ["bd-base in one"]);
}

#[test]
fn a_copied_repository_gets_a_new_id() {
    let Some(family) = Family::new() else { return };
    let id = family.id(&family.web());
    let copy = family.path("copy");
    let status = family.env().command("cp").args(["-a", "."]).arg(&copy).status().unwrap();
    assert!(status.success());
    let fresh = family.id(&copy);
    assert_ne!(fresh, id);
    assert_eq!((family.id(&copy), family.id(&family.web())), (fresh, id), "and both stay as they are");
}

#[test]
fn a_path_with_links_leads_to_the_same_checkout() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    let link = family.path("link");
    std::os::unix::fs::symlink(family.path(""), &link).unwrap();
    let linked = link.join("one");
    assert_eq!(family.id(&linked), family.id(&one));
    family.bd_with(&linked, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    assert_eq!(family.held(&link.join("web")), ["bd-base in one"]);
    let row = &rows(&family.bd(&link.join("web"), &format!("list --worktree '{}' --json", linked.display())).ok())[0];
    assert_eq!(row["worktree"], "one", "{row}");
    let beads = fs::read_dir(one.join(".beads")).unwrap().map(|entry| entry.unwrap().file_type().unwrap());
    assert!(beads.into_iter().all(|kind| !kind.is_symlink()), "no link is made");
}

#[test]
fn a_submodule_is_not_a_checkout_of_the_repository() {
    let Some(family) = Family::new() else { return };
    family.git(&family.path(""), "clone -q web lib").ok();
    let add = "-c protocol.file.allow=always submodule --quiet add ../lib lib";
    family.git(&family.web(), add).ok();
    let inside = family.web().join("lib");
    assert!(inside.join(".git").is_file());
    assert_ne!(family.id(&inside), family.id(&family.web()));
    family.bd(&inside, "claim bd-base").ok();
    assert_eq!(family.held(&family.web()), [""; 0]);
    assert_eq!(rows(&family.bd(&family.web(), "worktree list --json")).len(), 1);
    let info = family.bd(&inside, "worktree info --json").ok().json();
    assert_eq!((&info["main"], &info["worktree"]), (&true.into(), &"main".into()), "{info}");
}

#[test]
fn a_bare_repository_with_worktrees_works_without_a_main_checkout() {
    let Some(family) = Family::new() else { return };
    family.git(&family.path(""), "clone -q --bare web hub/repo.git").ok();
    let bare = family.path("hub/repo.git");
    family.git(&bare, "worktree add -q ../one -b one main").ok();
    let one = family.path("hub/one");
    family.bd(&one, "worktree create two").ok();
    let two = family.path("hub/two");
    assert_ne!(family.id(&one), family.id(&two));
    family.bd_with(&two, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    assert_eq!(family.held(&one), ["bd-base in two"]);
    assert!(bare.join("beads/leases.jsonl").is_file());
    let all = rows(&family.bd(&one, "worktree list --json"));
    assert!(all.len() == 2 && all.iter().all(|one| one["main"] == false), "{all:?}");
    let refused = family.bd(&one, "worktree remove two").fails(8, &["its ledger has what", "bob holds bd-base there"]);
    assert!(two.exists(), "{}", refused.snapshot());
}

#[test]
fn made_and_removed() {
    let Some(family) = Family::new() else { return };
    let env = family.env();
    assert_data_eq!(
        env.script(
            "worktree create feature/x
             worktree create feature/x
             worktree create main
             worktree create other --branch topic --base nosuch
             worktree create other --branch topic --path ../there
             worktree remove topic
             worktree remove feature/x
             worktree remove feature/x"
        )
        .replace(family.path("").to_str().unwrap(), "$ROOT/"),
        str![[r#"
$ bd worktree create feature/x
Made on feature/x: ../web-feature-x
$ bd worktree create feature/x
! error: cannot make a checkout at $ROOT/web-feature-x: the directory is not empty; choose another path
[exit 1]
$ bd worktree create main
! error: "main" cannot be the name of a checkout: letters and digits, not starting with - or ., and not main
[exit 2]
$ bd worktree create other --branch topic --base nosuch
! error: cannot make a checkout at $ROOT/web-other: there is no commit nosuch; fetch it, or name another one
[exit 1]
$ bd worktree create other --branch topic --path ../there
Made on topic: ../there
$ bd worktree remove topic
Removed: ../there
$ bd worktree remove feature/x
Removed: ../web-feature-x
$ bd worktree remove feature/x
! error: no checkout "feature/x"; known: main, web-feature-x, there
! hint: run `bd worktree list` to see the checkouts
[exit 3]

"#]]
        .raw()
    );
    assert!(!family.path("there").exists() && !family.path("web-feature-x").exists());
    let branches = family.git(&family.web(), "branch --list").ok().stdout;
    assert!(branches.contains("feature/x") && branches.contains("topic"), "its branch stays: {branches}");
}

/// Each of the reasons alone keeps a checkout.
#[test]
fn a_checkout_is_kept_as_long_as_something_would_be_lost() {
    let Some(family) = Family::new() else { return };
    family.env().write("file", "one\n");
    family.commit(&family.web());
    let one = family.worktree("one");
    let refused = |what: &str| {
        let run = family.bd(&family.web(), "worktree remove one --json");
        assert_eq!((run.code, &run.error()["code"]), (8, &"would_lose".into()), "{}", run.snapshot());
        let reasons = run.error()["reasons"].as_array().unwrap().clone();
        assert!(reasons.len() == 1 && reasons[0].as_str().unwrap().contains(what), "{what}: {reasons:?}");
        assert!(!run.stderr.contains("--force"), "no ready-made command: {}", run.stderr);
        assert!(one.join("file").exists());
    };
    fs::write(one.join("file"), "two\n").unwrap();
    refused("file is changed and not committed");
    family.git(&one, "checkout -q file").ok();
    fs::write(one.join("new"), "").unwrap();
    refused("new is untracked");
    family.git(&one, "add new").ok();
    family.git(&one, "commit -qm new").ok();
    refused("one commit is nowhere else");
    family.git(&family.web(), "merge -q one").ok();
    family.bd_with(&family.web(), "worktree info one", &[]).ok();
    // A claim that the ledger does not tell of: it was made, and the write taken back.
    family.bd_with(&one, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    family.git(&one, "checkout -q .beads").ok();
    refused("bob holds bd-base there");
    family.bd_with(&one, "release bd-base", &[("BD_AGENT", "bob")]).ok();
    family.git(&one, "checkout -q .beads").ok();
    family.bd(&one, "add Only --id bd-only").ok();
    family.commit(&one);
    family.git(&one, "branch copy").ok();
    refused("its ledger has what the main one has not: bd-only");
    family.git(&family.web(), "merge -q one").ok();
    // Inside of it, and in a directory below.
    fs::create_dir(one.join("sub")).unwrap();
    family.bd(&one.join("sub"), "worktree remove one").fails(8, &["the current directory is inside of it"]);
    let from = format!("-C '{}' worktree remove one", family.web().display());
    family.bd(&one.join("sub"), &from).fails(8, &["the current directory is inside of it"]);
    family.bd(&one, "worktree remove main").fails(8, &["it is the main checkout"]);
    family.bd(&one, "worktree remove main --force").fails(8, &["it is the main checkout"]);
    // A merge with a conflict that was not finished.
    fs::write(family.web().join("file"), "ours\n").unwrap();
    family.commit(&family.web());
    fs::write(one.join("file"), "theirs\n").unwrap();
    family.git(&one, "commit -qam theirs").ok();
    family.git(&one, "branch -f copy").ok();
    assert_ne!(family.git(&one, "merge -q main").code, 0, "a conflict");
    let run = family.bd(&family.web(), "worktree remove one").fails(8, &["is not finished"]);
    assert!(one.join("file").exists(), "{}", run.snapshot());
    family.git(&one, "merge --abort").ok();
    family.bd(&family.web(), "worktree remove one").ok();
    assert!(!one.exists());
}

#[test]
fn by_force_all_files_are_kept_first_and_can_be_had_again() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    family.bd_with(&one, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    fs::create_dir(one.join("deep")).unwrap();
    fs::write(one.join("deep/untracked"), [0, 159, 146, 150]).unwrap();
    let ledger = fs::read(one.join(".beads/beads.jsonl")).unwrap();
    let removed = family.bd(&family.web(), "worktree remove one --force --json").ok().json();
    assert!(!one.exists());
    assert_eq!(removed["forced"].as_array().unwrap().len(), 4, "{removed}");
    let key = removed["kept"]["id"].as_str().unwrap();
    let held = family.held(&family.web());
    assert_eq!(held, ["bd-base in one"], "a claim ends by itself, or by its holder");
    family.bd(&family.web(), &format!("worktree restore {key} ../again")).ok();
    let again = family.path("again");
    assert_eq!(fs::read(again.join("deep/untracked")).unwrap(), [0, 159, 146, 150]);
    assert_eq!(fs::read(again.join(".beads/beads.jsonl")).unwrap(), ledger);
    family.bd(&family.web(), &format!("worktree restore {key} ../again")).fails(1, &["again"]);
    family.bd(&family.web(), "worktree restore cp_0123456789ab ../none").fails(3, &["cp_0123456789ab"]);
}

/// git would delete what is behind the link, and then fail.
#[test]
fn a_checkout_that_git_knows_by_a_link_is_not_removed() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    let real = family.path("real");
    fs::rename(&one, &real).unwrap();
    std::os::unix::fs::symlink(&real, &one).unwrap();
    for line in ["worktree remove real", "worktree remove real --force"] {
        family.bd(&family.web(), line).fails(8, &["is a link now", "git worktree repair"]);
        assert!(real.join(".beads/beads.jsonl").exists(), "{line}");
    }
    family.git(&real, "worktree repair").ok();
    family.bd(&family.web(), "worktree remove real").ok();
    assert!(!real.exists() && one.is_symlink());
}

/// Staged changes that are in no file are saved with the files.
#[test]
fn by_force_what_is_only_staged_is_kept_too() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    fs::write(one.join("staged"), "precious\n").unwrap();
    family.git(&one, "add staged").ok();
    fs::remove_file(one.join("staged")).unwrap();
    let removed = family.bd(&family.web(), "worktree remove one --force --json").ok().json();
    let key = removed["kept"]["id"].as_str().unwrap();
    let told = family.bd(&family.web(), &format!("worktree restore {key} ../again")).ok();
    assert!(told.stderr.contains("what was staged and differs from the files is in"), "{}", told.snapshot());
    let staged = family.path("again/.bd-index/staged/staged");
    assert_eq!(fs::read_to_string(staged).unwrap(), "precious\n");
    let again = family.bd(&family.web(), &format!("worktree restore {key} ../more --json")).ok().json();
    assert!(again["staged_in"].as_str().unwrap().ends_with("more/.bd-index"), "{again}");
}

#[test]
fn a_repository_inside_of_a_checkout_is_not_removed_by_force_either() {
    let Some(family) = Family::new() else { return };
    let one = family.worktree("one");
    let inner = one.join("inner");
    fs::create_dir(&inner).unwrap();
    family.git(&inner, "init -q").ok();
    fs::write(inner.join("file"), "precious").unwrap();
    family.bd(&family.web(), "worktree remove one --force").fails(8, &["inner", "cannot be kept"]);
    assert!(inner.join("file").exists());
}

/// jj and hg have their own words for checkouts; `bd` has one.
fn made_looked_at_and_removed(env: &Env) {
    let web = env.path("");
    let there = env.root().join("web-w1");
    bd(env, &web, "worktree create w1", &[]).ok();
    assert!(there.join(".beads/beads.jsonl").is_file());
    let all = rows(&bd(env, &web, "worktree list --json", &[]).ok());
    let names: Vec<&str> = all.iter().map(|one| one["worktree"].as_str().unwrap()).collect();
    assert_eq!(names, ["main", "web-w1"]);
    bd(env, &there, "close bd-base", &[]).ok();
    let list = bd(env, &web, "list", &[]).ok().stdout;
    assert!(list.contains("closed in web-w1 (unmerged)"), "{list}");
    bd(env, &web, "worktree remove w1", &[]).fails(8, &["its ledger has what the main one has not: bd-base"]);
    let removed = bd(env, &web, "worktree remove w1 --force --json", &[]).ok().json();
    assert!(!there.exists());
    let key = removed["kept"]["id"].as_str().unwrap();
    bd(env, &web, &format!("worktree restore {key} ../again"), &[]).ok();
    let ledger = fs::read_to_string(env.root().join("again/.beads/beads.jsonl")).unwrap();
    assert!(ledger.contains("\"closed\""), "{ledger}");
    let gone = rows(&bd(env, &web, "worktree list --all --json", &[]).ok());
    assert!(gone[1]["exists"] == false && gone[1]["gone_at"].is_string(), "{gone:?}");
    assert_eq!(rows(&bd(env, &web, "worktree list --json", &[]).ok()).len(), 1);
}

#[test]
fn workspaces_of_jj_are_made_and_removed() {
    let env = Env::new();
    if !have(&["jj"]) {
        return;
    }
    let config = env.write("../jj.toml", "[user]\nname = \"t\"\nemail = \"t@example.org\"\n");
    env.set("JJ_CONFIG", &config);
    env.given("add Base --id bd-base");
    for args in [&["git", "init"][..], &["commit", "-m", "ledger"]] {
        assert!(env.command("jj").env("JJ_CONFIG", &config).args(args).output().unwrap().status.success());
    }
    made_looked_at_and_removed(&env);
}

#[test]
fn shares_of_hg_are_made_and_removed() {
    let env = Env::new();
    if !have(&["hg"]) {
        return;
    }
    env.given("add Base --id bd-base");
    let config = ["--config", "ui.username=t"];
    for args in [&["init"][..], &["commit", "-q", "--addremove", "-m", "ledger"]] {
        assert!(env.command("hg").env("HGRCPATH", "").args(config).args(args).output().unwrap().status.success());
    }
    made_looked_at_and_removed(&env);
}

/// git's data for a single worktree: its own refs, and the log of its `HEAD`.
#[test]
fn commits_that_only_a_checkout_knows_of_keep_it() {
    let Some(family) = Family::new() else { return };
    let (web, one) = (family.web(), family.worktree("one"));
    family.git(&one, "checkout -q --detach").ok();
    family.git(&one, "commit -q --allow-empty -m loose").ok();
    let loose = family.git(&one, "rev-parse HEAD").ok().stdout.trim().to_owned();
    family.git(&one, "update-ref refs/worktree/keep HEAD").ok();
    family.git(&one, "checkout -q one").ok();
    family.bd(&web, "worktree remove one").fails(8, &[&loose[..12], "refs/worktree/keep"]);
    family.git(&one, "update-ref -d refs/worktree/keep").ok();
    family.bd(&web, "worktree remove one").fails(8, &[&loose[..12], "the reflog"]);
    assert_eq!(family.bd(&web, "worktree info one --json").ok().json()["loose_commits"], 1);
    // A commit that was replaced is in the log of the branch, which stays; one with a branch is not loose.
    family.git(&one, "commit -q --allow-empty -m new").ok();
    family.git(&one, "commit -q --amend --allow-empty -m again").ok();
    family.git(&one, &format!("branch found {loose}")).ok();
    family.git(&web, "merge -q one").ok();
    family.bd(&web, "worktree remove one").ok();
    assert!(!one.exists());
}

#[test]
fn by_force_such_commits_are_kept_under_a_name() {
    let Some(family) = Family::new() else { return };
    let (web, one) = (family.web(), family.worktree("one"));
    family.git(&one, "checkout -q --detach").ok();
    for text in ["first", "second"] {
        family.git(&one, &format!("commit -q --allow-empty -m {text}")).ok();
    }
    let loose = family.git(&one, "rev-parse HEAD").ok().stdout.trim().to_owned();
    family.git(&one, "checkout -q one").ok();
    let removed = family.bd(&web, "worktree remove one --force --json").ok().json();
    assert!(removed["forced"][0].as_str().unwrap().contains(&loose[..12]), "{removed}");
    let kept = family.git(&web, "for-each-ref --format=%(objectname) refs/beads/kept").ok();
    assert_eq!(kept.stdout.trim(), loose, "the first is below the second");
}

#[test]
fn a_refused_removal_leaves_no_snapshot() {
    let Some(family) = Family::new() else { return };
    let (web, one) = (family.web(), family.worktree("one"));
    let snapshots = || family.git(&web, "for-each-ref refs/beads").ok().stdout;
    family.git(&web, &format!("worktree lock '{}'", one.display())).ok();
    family.bd(&web, "worktree remove one --force").fails(8, &["locked"]);
    assert_eq!(snapshots(), "");
    family.git(&web, &format!("worktree unlock '{}'", one.display())).ok();
    let inner = one.join("inner");
    fs::create_dir(&inner).unwrap();
    family.git(&inner, "init -q").ok();
    family.bd(&web, "worktree remove one --force").fails(8, &["inner", "cannot be kept"]);
    assert_eq!(snapshots(), "");
    fs::remove_dir_all(&inner).unwrap();
    family.bd(&web, "worktree remove one --force").ok();
    assert_eq!(snapshots().lines().count(), 1);
}
