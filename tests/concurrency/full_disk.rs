//! A disk that fills up. Needs a file system of its own: a small tmpfs in a private mount namespace.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::concurrency::sandbox::{Sandbox, alone, created, describe};

/// Set for the copy of this test that runs inside the namespace.
const INSIDE: &str = "BD_PROOF_SMALL_DISK";

#[test]
fn a_full_disk_changes_nothing() {
    let _turn = alone();
    if std::env::var_os(INSIDE).is_some() {
        fill();
        return;
    }
    let namespace = ["--user", "--map-root-user", "--mount"];
    let mountable = Command::new("unshare").args(namespace).args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
    if !mountable.is_ok_and(|output| output.status.success()) {
        crate::support::programs::skip("unshare or mount is missing or not permitted");
        return;
    }
    let this = std::env::current_exe().unwrap();
    let mut inside = Command::new("unshare");
    inside.args(namespace).arg(this).args([
        "--exact",
        "concurrency::full_disk::a_full_disk_changes_nothing",
        "--nocapture",
    ]);
    let output = inside.env(INSIDE, "1").output().unwrap();
    assert!(output.status.success(), "{}", describe(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{}", text.lines().find(|line| line.starts_with("full disk:")).expect("the figures"));
}

/// Gives the directory back, however the test ends: a mounted one cannot be removed.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn fill() {
    let sandbox = Sandbox::new();
    let beads = sandbox.beads();
    let kept = fs::read_dir(&beads).unwrap().map(|entry| entry.unwrap().path());
    let kept: Vec<(PathBuf, Vec<u8>)> = kept.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&beads).status().unwrap();
    assert!(mounted.success());
    let _mounted = Mounted(beads.clone());
    kept.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    let ballast = beads.join("ballast");
    fs::write(&ballast, vec![0; 12 * 1024]).unwrap();

    let text = "x".repeat(500);
    let (mut written, mut refused) = (0, 0);
    let mut last = fs::read(sandbox.ledger()).unwrap();
    while refused < 50 {
        let output = sandbox.run(&["add", "Fills the disk", "-d", &text]);
        let now = fs::read(sandbox.ledger()).unwrap();
        if output.status.success() {
            let id = created(&output.stdout).unwrap();
            assert_eq!(refused, 0, "succeeded on a full disk");
            assert!(String::from_utf8_lossy(&now).contains(&id), "{id} was acknowledged and is not there");
            written += 1;
            last = now;
        } else {
            assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
            assert!(now == last, "a failed write changed the ledger: {}", describe(&output));
            assert_eq!(sandbox.leftovers(), ["ballast"], "a failed write left a file");
            refused += 1;
        }
        assert!(written < 1_000, "the disk does not fill up");
    }
    fs::remove_file(ballast).unwrap();
    sandbox.add("There is room again");
    assert_eq!(sandbox.issues().ids().len(), written + 1);
    println!(
        "full disk: {written} writes, then {refused} refused with the ledger unchanged; with room again the next one succeeds"
    );
}
