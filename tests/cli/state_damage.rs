//! A state home after a crash, a full disk or a careless hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::checkouts::Family;

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
    family.bd(&web, "worktree info").fails(8, &[".git/beads-id holds no id", "remove it"]);
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
