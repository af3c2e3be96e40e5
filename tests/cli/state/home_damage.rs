//! A state home after a crash, a full disk or a careless hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::support::checkouts::Family;

/// The state home of a family.
fn home(family: &Family) -> PathBuf {
    family.web().join(".git/beads")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn an_id_that_a_crash_left_empty_is_made_anew() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    for left in ["", "\n", "\0\0\0\0"] {
        fs::write(web.join(".git/beads-id"), left).unwrap();
        family.bd(&web, "claim bd-base").ok();
        assert!(read(&web.join(".git/beads-id")).starts_with("wt_"));
        family.bd(&web, "release bd-base").ok();
    }
    // The same for the id of the repository.
    fs::write(home(&family).join("repo-id"), "").unwrap();
    family.bd(&web, "claim bd-base --global").ok();
    assert!(read(&home(&family).join("repo-id")).starts_with("rp_"));
}

#[test]
fn an_id_with_other_content_is_named_and_left_alone() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    fs::write(web.join(".git/beads-id"), "precious\n").unwrap();
    family.bd(&web, "worktree info").fails(8, &[".git/beads-id does not hold an id", "remove it"]);
    assert_eq!(read(&web.join(".git/beads-id")), "precious\n");
}

#[test]
fn a_version_that_a_full_disk_left_empty_is_written_again() {
    let Some(family) = Family::new() else { return };
    family.bd(&family.web(), "claim bd-base").ok();
    let file = home(&family).join("version");
    let whole = read(&file);
    fs::write(&file, "").unwrap();
    family.bd(&family.web(), "release bd-base").ok();
    assert_eq!(read(&file), whole);
}

#[test]
fn what_killed_writers_left_in_the_state_home_is_removed_when_it_is_old() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "agent register bob").ok();
    family.bd(&web, "mail send bob -m hi").ok();
    family.bd(&web, "checkpoint add bd-base -m here").ok();
    let own = fs::read_dir(home(&family).join("wt")).unwrap().next().unwrap().unwrap().path();
    let places = [home(&family), home(&family).join("mail"), own];
    let names = [".bd-tmp-1-00000000000000aa", ".bd-tmp-1-00000000000000bb"];
    for place in &places {
        for name in names {
            fs::write(place.join(name), "unfinished").unwrap();
        }
    }
    let write = || {
        family.bd(&web, "agent register eve --again").ok();
        family.bd(&web, "mail send bob -m again").ok();
        family.bd(&web, "checkpoint add bd-base -m there").ok();
    };
    write();
    assert!(places.iter().all(|place| place.join(names[0]).exists()), "somebody may be writing it");
    let old = SystemTime::now() - Duration::from_secs(120);
    for place in &places {
        fs::File::options().write(true).open(place.join(names[0])).unwrap().set_modified(old).unwrap();
    }
    write();
    for place in &places {
        assert_eq!(names.map(|name| place.join(name).exists()), [false, true], "{}", place.display());
    }
}

/// Cuts a file in the middle of its last line.
fn cut(path: &Path, left: usize) -> String {
    let text = read(path);
    let start = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    let cut = text[..start + left].to_owned();
    fs::write(path, &cut).unwrap();
    cut
}

#[test]
fn a_claim_that_cannot_be_read_is_told_and_its_number_is_not_given_again() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let leases = home(&family).join("leases.jsonl");
    family.bd(&web, "add Two --id bd-two").ok();
    for line in ["claim bd-two", "release bd-two", "claim bd-two", "release bd-two", "claim bd-two"] {
        family.bd_with(&web, line, &[("BD_AGENT", "bob")]).ok();
    }
    let torn = cut(&leases, "{\"id\":\"bd-two\",\"epoch\":3,".len());
    assert!(torn.ends_with("\"epoch\":3,"), "{torn}");
    let said = family.bd(&web, "leases").ok();
    assert!(said.stderr.contains("leases.jsonl:1: a record that cannot be read"), "{}", said.snapshot());
    // Another write leaves it as it is.
    family.bd_with(&web, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    assert!(read(&leases).contains(&format!("{torn}\n")), "{}", read(&leases));
    family.bd_with(&web, "claim bd-two", &[("BD_AGENT", "bob")]).fails(8, &["leases.jsonl:", "bd-two", "bd doctor"]);
    let run = family.bd(&web, "doctor").fails(8, &[]);
    assert!(run.stdout.contains("leases.jsonl:2") && run.stdout.contains("bd doctor --fix"), "{}", run.snapshot());
    family.bd(&web, "doctor --fix").ok();
    assert_eq!(read(&home(&family).join("damaged.txt")), format!("{torn}\n"));
    let claimed = family.bd_with(&web, "claim bd-two --json", &[("BD_AGENT", "bob")]).ok().json();
    assert_eq!(claimed[0]["epoch"], 4, "{claimed}");
}

#[test]
fn a_claim_whose_number_cannot_be_told_stays_for_a_person_to_look_at() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "claim bd-base").ok();
    family.bd(&web, "release bd-base").ok();
    let leases = home(&family).join("leases.jsonl");
    for line in [
        r#"{"id":"bd-base","epo"#,
        r#"{"id":"bd-base","epoch":12"#,
        r#"{"id":"bd-base","epoch":99999999999999999999,"attempts":0}"#,
    ] {
        fs::write(&leases, format!("{line}\n")).unwrap();
        family.bd(&web, "claim bd-base").fails(8, &["leases.jsonl:1"]);
        // Which issue is handed out is a different question.
        assert_eq!(family.bd(&web, "ready --claim --json").code, 0, "{line}");
        let run = family.bd(&web, "doctor --fix");
        assert!(run.stdout.contains("cannot read the number"), "{}", run.snapshot());
        assert_eq!(read(&leases), format!("{line}\n"));
    }
}

#[test]
fn other_records_that_cannot_be_read_are_told_kept_and_set_aside() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "agent register bob").ok();
    family.bd(&web, "mail send bob -m hi").ok();
    family.bd(&web, "checkpoint add bd-base -m here").ok();
    family.bd(&web, "reserve src/*").ok();
    let wt = fs::read_dir(home(&family).join("wt")).unwrap().next().unwrap().unwrap().path();
    let mut mail = fs::read_dir(home(&family).join("mail")).unwrap().flatten().map(|entry| entry.path());
    let mail = mail.find(|path| path.extension().is_some_and(|end| end == "jsonl")).unwrap();
    let files = [
        (home(&family).join("agents.jsonl"), "agent list"),
        (home(&family).join("registry.jsonl"), "worktree list"),
        (home(&family).join("reservations.jsonl"), "reserve list"),
        (wt.join("checkpoints.jsonl"), "checkpoint list bd-base"),
        (mail, "mail inbox"),
    ];
    let mut lost = String::new();
    for (n, (path, reader)) in files.iter().enumerate() {
        let broken = format!("{{\"id\":\"zz_{n}\",\"name\":\"cut o");
        fs::write(path, format!("{}{broken}", read(path))).unwrap();
        let said = family.bd_with(&web, reader, &[("BD_AGENT", "bob")]);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(said.stderr.contains(&format!("{name}:2: a record that cannot be read")), "{}", said.snapshot());
        lost.push_str(&broken);
        lost.push('\n');
    }
    family.bd(&web, "agent register eve").ok();
    assert!(read(&files[0].0).contains("{\"id\":\"zz_0\",\"name\":\"cut o\n"), "{}", read(&files[0].0));
    family.bd(&web, "doctor").fails(8, &[]);
    family.bd(&web, "doctor --fix").ok();
    let mut kept: Vec<String> = read(&home(&family).join("damaged.txt")).lines().map(str::to_owned).collect();
    kept.sort();
    assert_eq!(kept.join("\n") + "\n", lost);
    for (path, _) in &files {
        assert!(!read(path).contains("zz_"), "{}", read(path));
    }
    assert!(family.bd(&web, "doctor").ok().stderr.is_empty());
}
