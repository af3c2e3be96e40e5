//! The merge driver in real merges with git, hg and jj, and what is left when it fails.
//!
//! Ann and Bob each change one issue that both have, and each add one of their own. Whoever merges, and by whichever
//! command, the result must be the same byte for byte, with everything of both in it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::programs::put;
use crate::support::user::{BD, describe};
use crate::vcs::lab::Lab;

const LEDGER: &str = ".beads/beads.jsonl";

/// A line of a ledger, long enough that a small limit of file sizes stops a write.
fn line(id: &str, title: &str, minute: u32, more: &str) -> String {
    let filler = "what it is about, at some length. ".repeat(20);
    format!(
        "{{\"id\":\"{id}\",\"title\":\"{title}\",\"description\":\"{filler}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-02T00:{minute:02}:00Z\"{more}}}\n"
    )
}

fn base() -> String {
    line("bd-a", "First", 0, "") + &line("bd-m", "Shared", 0, "") + &line("bd-z", "Last", 0, "")
}

/// Ann gives the shared issue another title and files one.
fn of_ann() -> String {
    line("bd-a", "First", 0, "")
        + &line("bd-ann", "Of Ann", 1, "")
        + &line("bd-m", "Renamed", 1, "")
        + &line("bd-z", "Last", 0, "")
}

/// Bob labels the shared issue and files one.
fn of_bob() -> String {
    let labelled = line("bd-m", "Shared", 2, ",\"labels\":[\"bob\"]");
    line("bd-a", "First", 0, "") + &line("bd-bob", "Of Bob", 2, "") + &labelled + &line("bd-z", "Last", 0, "")
}

/// Nothing of either is missing, and no issue is there twice.
fn assert_whole(ledger: &str) {
    for part in ["\"bd-a\"", "\"bd-ann\"", "\"bd-bob\"", "\"bd-m\"", "\"bd-z\"", "\"Renamed\"", "[\"bob\"]"] {
        assert_eq!(ledger.matches(part).count(), 1, "{part} in\n{ledger}");
    }
    assert_eq!(ledger.lines().count(), 5, "{ledger}");
}

fn run(lab: &Lab, program: &str, directory: &str, arguments: &[&str]) -> Output {
    let user = lab.user().named("Script").with("LANG", "C.UTF-8").with("HGPLAIN", "1").with("GIT_EDITOR", "true");
    let mut command = user.with("BD_ACTOR", "ann").command(program, &lab.path(directory));
    command.args(arguments).output().expect("a program")
}

fn ok(lab: &Lab, program: &str, directory: &str, arguments: &[&str]) -> String {
    let output = run(lab, program, directory, arguments);
    assert!(output.status.success(), "{program} {arguments:?}: {}", describe(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn git(lab: &Lab, directory: &str, line: &str) -> Output {
    run(lab, "git", directory, &line.split(' ').collect::<Vec<_>>())
}

fn ledger(lab: &Lab, directory: &str) -> String {
    std::fs::read_to_string(lab.path(directory).join(LEDGER)).expect("a ledger")
}

/// A repository in which `ann` and `bob` are branches that grew from `base`.
fn repository(lab: &Lab, name: &str, attributes: &str) {
    lab.sh(&format!("git init -qb base {name}"));
    lab.write(&format!("{name}/{LEDGER}"), &base());
    if !attributes.is_empty() {
        lab.write(&format!("{name}/.gitattributes"), attributes);
    }
    lab.sh(&format!("cd {name} && git add -A && git commit -qm base"));
    for (who, text) in [("ann", of_ann()), ("bob", of_bob())] {
        lab.sh(&format!("cd {name} && git checkout -qb {who} base"));
        lab.write(&format!("{name}/{LEDGER}"), &text);
        lab.sh(&format!("cd {name} && git commit -qam {who}"));
    }
}

/// Two clones: Ann is at her commit and knows Bob's, and the other way round.
fn clones(lab: &Lab, attributes: &str) {
    lab.fill(&format!("clones with the attributes {attributes:?}"), |lab| {
        repository(lab, "origin", attributes);
        for who in ["ann", "bob"] {
            lab.sh(&format!("git clone -q -b {who} origin {who}"));
        }
    });
}

fn other(who: &str) -> &'static str {
    if who == "ann" { "bob" } else { "ann" }
}

/// A merge with a driver that fails changes nothing: not the ledger, not the branch, and nothing waits to be committed.
fn fails_cleanly(lab: &Lab, who: &str) {
    let before = (ledger(lab, who), ok(lab, "git", who, &["rev-parse", "HEAD"]));
    let merge = git(lab, who, &format!("merge -q origin/{} -m merged", other(who)));
    assert_eq!(merge.status.code(), Some(2), "{}", describe(&merge));
    assert!(describe(&merge).contains("failed"), "{}", describe(&merge));
    assert_eq!((ledger(lab, who), ok(lab, "git", who, &["rev-parse", "HEAD"])), before);
    assert_eq!(ok(lab, "git", who, &["status", "--porcelain"]), "");
    assert!(!lab.path(who).join(".git/MERGE_HEAD").exists());
    // The other ways to merge end without a commit that lacks a side, too.
    for line in [format!("cherry-pick origin/{}", other(who)), format!("rebase -q origin/{}", other(who))] {
        let output = git(lab, who, &line);
        assert!(!output.status.success(), "{line}: {}", describe(&output));
        let _ = git(lab, who, "rebase --abort");
        assert_eq!((ledger(lab, who), ok(lab, "git", who, &["rev-parse", "HEAD"])), before, "{line}");
        assert_eq!(ok(lab, "git", who, &["status", "--porcelain"]), "", "{line}");
    }
}

/// With the driver in order again both clones merge, each its own way, to the same bytes.
fn merges_everywhere(lab: &Lab) {
    for who in ["ann", "bob"] {
        ok(lab, BD, who, &["hooks", "install", "--merge-driver-only"]);
        let merge = git(lab, who, &format!("merge -q origin/{} -m merged", other(who)));
        assert!(merge.status.success(), "{}", describe(&merge));
        assert_eq!(ok(lab, "git", who, &["status", "--porcelain"]), "");
    }
    assert_eq!(ledger(lab, "ann"), ledger(lab, "bob"));
    assert_whole(&ledger(lab, "ann"));
}

/// Registers the driver in Ann's clone, and then a script in its place, which gets the call as its arguments.
fn with_script(lab: &Lab, script: &str) {
    ok(lab, BD, "ann", &["hooks", "install", "--merge-driver-only"]);
    let path = lab.path("bin/driver");
    put(&path, format!("#!/bin/sh\n{script}\n"));
    let value = ok(lab, "git", "ann", &["config", "merge.bd.driver"]);
    let (_, call) = value.trim_end().split_once(" merge-driver ").expect("our call");
    ok(lab, "git", "ann", &["config", "merge.bd.driver", &format!("'{}' merge-driver {call}", path.display())]);
}

#[test]
fn a_driver_that_is_gone() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    clones(&lab, "");
    let copy = lab.path("bin dir/it's bd");
    std::fs::create_dir_all(copy.parent().expect("a parent")).expect("a directory");
    ok(&lab, "cp", "", &[BD, copy.to_str().expect("UTF-8")]);
    ok(&lab, copy.to_str().expect("UTF-8"), "ann", &["hooks", "install", "--merge-driver-only"]);
    assert!(!ok(&lab, BD, "ann", &["doctor"]).contains("merge driver"));
    std::fs::remove_file(&copy).expect("removed");
    fails_cleanly(&lab, "ann");
    let doctor = ok(&lab, BD, "ann", &["doctor"]);
    assert!(doctor.contains("it's bd does not exist any more") && doctor.contains("bd hooks install"), "{doctor}");
    merges_everywhere(&lab);
}

#[test]
fn a_driver_that_panics() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    clones(&lab, "");
    with_script(&lab, "echo 'thread main panicked' >&2\nexit 101");
    fails_cleanly(&lab, "ann");
    merges_everywhere(&lab);
}

#[test]
fn a_driver_that_is_killed() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    clones(&lab, "");
    with_script(&lab, "kill -KILL $$");
    fails_cleanly(&lab, "ann");
    merges_everywhere(&lab);
}

/// A write that fails, and a write that the system ends the program for.
#[test]
fn a_driver_without_room_on_the_disk() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    clones(&lab, "");
    for signal in ["trap '' XFSZ", "true"] {
        with_script(&lab, &format!("{signal}\nulimit -f 1\nexec '{BD}' \"$@\""));
        fails_cleanly(&lab, "ann");
    }
    merges_everywhere(&lab);
}

/// Not configured: git leaves markers, everything says so, and `bd resolve` comes to the same bytes in both clones.
#[test]
fn a_fresh_clone_without_a_driver() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    clones(&lab, "");
    for who in ["ann", "bob"] {
        let doctor = ok(&lab, BD, who, &["doctor"]);
        assert!(doctor.contains("no merge driver is registered") && doctor.contains("bd hooks install"), "{doctor}");
        let merge = git(&lab, who, &format!("merge -q origin/{} -m merged", other(who)));
        assert_eq!(merge.status.code(), Some(1), "{}", describe(&merge));
        assert!(ledger(&lab, who).contains("<<<<<<< "), "markers");
        for part in ["bd-ann", "bd-bob", "Renamed", "[\"bob\"]"] {
            assert!(ledger(&lab, who).contains(part), "{part}");
        }
        let list = run(&lab, BD, who, &["list"]);
        assert!(
            describe(&list).contains("conflict markers") && describe(&list).contains("bd resolve"),
            "{}",
            describe(&list)
        );
        let write = run(&lab, BD, who, &["add", "More"]);
        assert!(write.status.code() == Some(8) && describe(&write).contains("bd resolve"), "{}", describe(&write));
        let resolved = run(&lab, BD, who, &["resolve"]);
        assert!(resolved.status.success(), "{}", describe(&resolved));
        assert!(describe(&resolved).contains("git add -- .beads/beads.jsonl"), "{}", describe(&resolved));
        assert!(git(&lab, who, "ls-files --unmerged").stdout.starts_with(b"1"), "the index is the user's");
        ok(&lab, "git", who, &["add", "--", LEDGER]);
        ok(&lab, "git", who, &["commit", "-qm", "merged"]);
    }
    assert_eq!(ledger(&lab, "ann"), ledger(&lab, "bob"));
    assert_whole(&ledger(&lab, "ann"));
}

/// `merge=union`: git is content and leaves both lines; they are shown, and joined to the same bytes in both clones.
#[test]
fn a_union_by_attribute() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    clones(&lab, "*.jsonl merge=union\n");
    for who in ["ann", "bob"] {
        let doctor = ok(&lab, BD, who, &["doctor"]);
        assert!(doctor.contains("merge=union is in effect"), "{doctor}");
        let merge = git(&lab, who, &format!("merge -q origin/{} -m merged", other(who)));
        assert!(merge.status.success(), "{}", describe(&merge));
        assert_eq!(ledger(&lab, who).matches("\"bd-m\"").count(), 2, "{}", ledger(&lab, who));
        let list = run(&lab, BD, who, &["list"]);
        assert!(describe(&list).contains("bd-m is on 2 lines"), "{}", describe(&list));
        ok(&lab, BD, who, &["doctor", "--fix"]);
    }
    assert_eq!(ledger(&lab, "ann"), ledger(&lab, "bob"));
    for part in ["bd-a\"", "bd-ann\"", "bd-bob\"", "bd-m\"", "bd-z\"", "Renamed", "[\"bob\"]"] {
        assert!(ledger(&lab, "ann").contains(part), "{part} in {}", ledger(&lab, "ann"));
    }
    // The driver overrides the attribute, and the warning is gone.
    lab.sh("cd bob && git reset -q --hard origin/bob; cd ../ann && git reset -q --hard origin/ann");
    merges_everywhere(&lab);
    assert!(!ok(&lab, BD, "ann", &["doctor"]).contains("union"));
}

/// Merge, rebase, cherry-pick and stash pop hand the sides over in different orders; the ledger comes out the same.
#[test]
fn every_way_of_git_gives_the_same_bytes() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab, "work", "");
    ok(&lab, BD, "work", &["hooks", "install", "--merge-driver-only"]);
    let mut results: Vec<(String, String)> = Vec::new();
    for who in ["ann", "bob"] {
        let with = other(who);
        for (name, script) in [
            ("merge", format!("git checkout -q --detach {who} && git merge -q {with} -m merged")),
            ("rebase", format!("git checkout -q --detach {who} && git rebase -q {with}")),
            ("cherry-pick", format!("git checkout -q --detach {who} && git cherry-pick {with}")),
            (
                "stash pop",
                format!(
                    "git checkout -q --detach base && git checkout -q {who} -- . && git stash -q && git checkout -q --detach {with} && git stash pop -q"
                ),
            ),
        ] {
            lab.sh(&format!("cd work && git reset -q --hard && {script}"));
            results.push((format!("{name} on {who}"), ledger(&lab, "work")));
        }
    }
    assert_whole(&results[0].1);
    for (name, result) in &results {
        assert_eq!(result, &results[0].1, "{name}");
    }
}

#[test]
fn a_merge_of_hg_uses_the_tool() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init work");
    lab.write(&format!("work/{LEDGER}"), &base());
    lab.sh("cd work && hg add -q && hg commit -m base");
    for (who, text) in [("ann", of_ann()), ("bob", of_bob())] {
        lab.sh("cd work && hg update -q 0");
        lab.write(&format!("work/{LEDGER}"), &text);
        lab.sh(&format!("cd work && hg commit -m {who} && hg bookmark -i -r . {who}"));
    }
    lab.write("work/.hg/hgrc", "[ui]\nmerge = :fail");
    let before = std::fs::read(lab.path("work/.hg/hgrc")).expect("hgrc");
    ok(&lab, BD, "work", &["hooks", "install"]);
    let mut results = Vec::new();
    for who in ["ann", "bob"] {
        lab.sh(&format!("cd work && hg update -q -C {who} && hg merge -q {}", other(who)));
        assert_eq!(ok(&lab, "hg", "work", &["resolve", "--list"]), "R .beads/beads.jsonl\n");
        results.push(ledger(&lab, "work"));
    }
    assert_eq!(results[0], results[1]);
    assert_whole(&results[0]);
    ok(&lab, BD, "work", &["hooks", "uninstall"]);
    assert_eq!(std::fs::read(lab.path("work/.hg/hgrc")).expect("hgrc"), before);
}

/// A repository of jj with the changes of Ann and Bob beside each other, and one of Carl's.
fn of_jj(lab: &Lab, name: &str) {
    lab.sh(&format!("jj --quiet git init {name} && cd {name} && jj --quiet describe -m base"));
    lab.write(&format!("{name}/{LEDGER}"), &base());
    lab.sh(&format!("cd {name} && jj --quiet bookmark create base -r @"));
    let carl = base().replace("\"priority\":2", "\"priority\":1");
    for (who, text) in [("ann", of_ann()), ("bob", of_bob()), ("carl", carl)] {
        lab.sh(&format!("cd {name} && jj --quiet new base -m {who}"));
        lab.write(&format!("{name}/{LEDGER}"), &text);
        lab.sh(&format!("cd {name} && jj --quiet bookmark create {who} -r @"));
    }
}

#[test]
fn a_conflict_of_jj_is_resolved_by_the_tool() {
    let Some(lab) = Lab::with(&["jj"]) else { return };
    of_jj(&lab, "work");
    ok(&lab, BD, "work", &["hooks", "install"]);
    let mut results = Vec::new();
    for who in ["ann", "bob"] {
        lab.sh(&format!("cd work && jj --quiet new {who} {}", other(who)));
        assert!(ok(&lab, "jj", "work", &["resolve", "--list"]).contains(LEDGER));
        lab.sh("cd work && jj --quiet resolve --tool bd");
        assert!(!run(&lab, "jj", "work", &["resolve", "--list"]).status.success(), "no conflict is left");
        results.push(ledger(&lab, "work"));
    }
    assert_eq!(results[0], results[1]);
    assert_whole(&results[0]);
    ok(&lab, BD, "work", &["hooks", "uninstall"]);
    let left = ok(&lab, "jj", "work", &["config", "list", "--repo"]);
    assert_eq!(left, "");
}

/// Markers as the real programs write them, in every style: `bd resolve` comes to what the driver would have made.
#[test]
fn markers_of_every_style_are_resolved() {
    let Some(lab) = Lab::with(&["git", "jj"]) else { return };
    let files = [("base", base()), ("ours", of_ann()), ("theirs", of_bob())];
    let [base, ours, theirs] = files.map(|(name, text)| lab.write(name, &text).display().to_string());
    let output = lab.path("merged").display().to_string();
    ok(&lab, BD, "", &["merge-driver", &base, &ours, &theirs, "--output", &output]);
    let merged = std::fs::read_to_string(&output).expect("merged");
    let mut seen: Vec<String> = Vec::new();
    repository(&lab, "git", "*.jsonl conflict-marker-size=9\n");
    of_jj(&lab, "jj");
    for style in ["merge", "diff3", "zdiff3"] {
        for who in ["ann", "bob"] {
            let name = format!("git-{style}-{who}");
            lab.sh(&format!("cp -Rp git {name}"));
            let merge = git(&lab, &name, &format!("checkout -q {who}"));
            assert!(merge.status.success(), "{}", describe(&merge));
            let merge = git(&lab, &name, &format!("-c merge.conflictStyle={style} merge -q {}", other(who)));
            assert_eq!(merge.status.code(), Some(1), "{}", describe(&merge));
            seen.push(ledger(&lab, &name));
            assert!(seen.last().is_some_and(|text| text.contains("<<<<<<<<< ")), "{name}");
            ok(&lab, BD, &name, &["resolve"]);
            assert_eq!(ledger(&lab, &name), merged, "{name}");
        }
    }
    for style in ["diff", "snapshot", "git"] {
        lab.write("home/.config/jj/config.toml", &format!("[ui]\nconflict-marker-style = \"{style}\"\n"));
        for who in ["ann", "bob"] {
            let name = format!("jj-{style}-{who}");
            lab.sh(&format!("cp -Rp jj {name}"));
            lab.sh(&format!("cd {name} && jj --quiet new {who} {}", other(who)));
            seen.push(ledger(&lab, &name));
            assert!(seen.last().is_some_and(|text| text.contains("<<<<<<< ")), "{name}");
            ok(&lab, BD, &name, &["resolve"]);
            assert_eq!(ledger(&lab, &name), merged, "{name}");
            assert!(!run(&lab, "jj", &name, &["resolve", "--list"]).status.success(), "jj sees that it is resolved");
        }
        let name = format!("jj-{style}-three");
        lab.sh(&format!("cp -Rp jj {name}; cd {name}; jj --quiet new ann bob carl"));
        ok(&lab, BD, &name, &["resolve"]);
        let three = ledger(&lab, &name);
        assert_whole(&three);
        assert_eq!(three.matches("\"priority\":1").count(), 3, "{three}");
    }
    // The styles are not all one.
    for mark in ["|||||||||", "%%%%%%%", "+++++++", "-------"] {
        assert!(seen.iter().any(|text| text.lines().any(|line| line.starts_with(mark))), "{mark}");
    }
}

/// The call itself: the mode stays, a link is followed, and a problem leaves the file alone.
#[test]
fn the_driver_called_by_hand() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    let [base, ours, theirs] = [("base", base()), ("ours", base()), ("theirs", of_bob())]
        .map(|(name, text)| lab.write(name, &text).display().to_string());
    let mode = |path: &PathBuf| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    std::fs::set_permissions(&ours, std::fs::Permissions::from_mode(0o640)).expect("a mode");
    let done = run(&lab, BD, "", &["merge-driver", &base, &ours, &theirs, "7", "-odd/path"]);
    assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty(), "{}", describe(&done));
    assert_eq!(std::fs::read_to_string(&ours).expect("ours"), of_bob());
    assert_eq!(mode(&PathBuf::from(&ours)), 0o640);
    for base in ["/dev/null", "nosuch", "empty"] {
        lab.write("empty", "");
        let out = lab.path("out").display().to_string();
        ok(&lab, BD, "", &["merge-driver", base, &theirs, &theirs, "--output", &out]);
        assert_eq!(std::fs::read_to_string(&out).expect("out"), of_bob(), "{base}");
    }
    lab.write("text", "before\n");
    for arguments in [
        &[&base[..], "nosuch", &theirs][..],
        &[&base, &ours, "nosuch"],
        &[&base, &ours, "home"],
        &["home", &ours, &theirs],
        &[&base, &ours],
        &[&base, &ours, &theirs, "--no-such-flag"],
        &[&base, &ours, &theirs, "--output", "no/such/file"],
    ] {
        let failed = run(&lab, BD, "", &[&["merge-driver"], arguments].concat());
        assert_eq!(failed.status.code(), Some(129), "{arguments:?}: {}", describe(&failed));
        assert!(failed.stdout.is_empty() && !failed.stderr.is_empty(), "{arguments:?}: {}", describe(&failed));
    }
    assert_eq!(std::fs::read_to_string(&ours).expect("ours"), of_bob());
    let left = std::fs::read_dir(lab.path("")).expect("a directory").flatten();
    assert_eq!(left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".bd-")).count(), 0);
}

/// Set for the copy of this test that panics.
const PANICS: &str = "BD_TEST_PANICS";

/// A panic in the driver must not become an exit code: git would take 101 for a conflict.
#[test]
fn a_panic_ends_by_a_signal() {
    use std::os::unix::process::ExitStatusExt as _;
    if std::env::var_os(PANICS).is_some() {
        beads::internal::sys::process::abort_on_panic();
        panic!("on purpose");
    }
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "vcs::driver::a_panic_ends_by_a_signal", "--nocapture"]).env(PANICS, "1");
    let output = command.output().expect("a copy of this test");
    assert_eq!(output.status.signal(), Some(6), "{}", describe(&output));
    assert!(describe(&output).contains("on purpose"), "{}", describe(&output));
}
