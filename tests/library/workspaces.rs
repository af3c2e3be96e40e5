//! The end of a job: its workspace stays or goes, and a problem with that is never a problem of the job.

use std::fs;
use std::path::Path;

use beads::internal::model::workspace::{State, Workspace};
use beads::internal::ops::{self, JobEnd, Loss, WorkspaceWish};
use beads::internal::store::Store;

use crate::library::scratch::{Scratch, options};
use crate::support::user::User;

/// A repo under git with a workspace; `None`, with a word about it, if git is not installed.
struct Site {
    scratch: Scratch,
    data: tempfile::TempDir,
}

impl Site {
    fn new() -> Option<Self> {
        let scratch = Scratch::with("");
        if !crate::support::programs::have(&["git"]) {
            return None;
        }
        let site = Site { scratch, data: crate::support::place::in_memory("data") };
        fs::write(site.scratch.root().join("file"), "one\n").unwrap();
        site.git(&["init", "-q", "-b", "main"]);
        site.git(&["add", "-A"]);
        site.git(&["commit", "-qm", "one"]);
        Some(site)
    }

    fn git(&self, args: &[&str]) {
        User::at(self.data.path()).named("Ann").git(self.scratch.root(), args);
    }

    fn store(&self, cleanup: bool) -> Store {
        let mut config = options(self.scratch.root(), self.scratch.root());
        let path = std::env::var_os("PATH").unwrap();
        config.host.env = config.host.env.with("PATH", path).with("HOME", self.data.path());
        let key = "workspace.cleanup_on_complete".to_owned();
        let place = ("workspace.path".to_owned(), self.data.path().join("w").display().to_string());
        config.settings = vec![place, (key, cleanup.to_string())];
        Store::open_with(config).unwrap()
    }
}

fn made(store: &mut Store) -> Workspace {
    ops::create_workspace(store, &WorkspaceWish::default()).unwrap().workspace
}

#[test]
fn without_the_setting_it_stays_and_is_idle() {
    let Some(site) = Site::new() else { return };
    let mut store = site.store(false);
    let one = made(&mut store);
    let JobEnd::Kept(kept) = ops::end_of_job(&store, &one.id).unwrap() else { panic!("it stays") };
    assert_eq!((kept.state, kept.owner), (State::Idle, None));
    assert!(Path::new(&one.path).join("file").exists());
}

#[test]
fn with_the_setting_it_goes() {
    let Some(site) = Site::new() else { return };
    let mut store = site.store(true);
    let one = made(&mut store);
    let JobEnd::Removed(gone) = ops::end_of_job(&store, &one.id).unwrap() else { panic!("it goes") };
    assert_eq!(gone.state, State::Removed);
    let place = Path::new(&one.path).parent().unwrap();
    let left = fs::read_dir(place)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("ws_"));
    assert_eq!(left.count(), 0, "no directory is left");
    let JobEnd::Kept(again) = ops::end_of_job(&store, &one.id).unwrap() else { panic!("it is over") };
    assert_eq!(again.state, State::Removed);
}

#[test]
fn what_would_be_lost_stays_and_is_told() {
    let Some(site) = Site::new() else { return };
    let mut store = site.store(true);
    let one = made(&mut store);
    fs::write(Path::new(&one.path).join("mine"), "mine").unwrap();
    let JobEnd::Stays { workspace, reasons } = ops::end_of_job(&store, &one.id).unwrap() else { panic!("it stays") };
    assert_eq!(workspace.state, State::Idle);
    assert_eq!(reasons.iter().map(|reason| reason.loss).collect::<Vec<_>>(), [Loss::Untracked]);
    assert_eq!(fs::read_to_string(Path::new(&one.path).join("mine")).unwrap(), "mine");
}

#[test]
fn a_problem_is_recorded_and_tried_again() {
    let Some(site) = Site::new() else { return };
    let mut store = site.store(true);
    let one = made(&mut store);
    // The name that it would get is taken.
    let hidden = Path::new(&one.path).with_file_name(format!(".removing-{}", one.id));
    fs::create_dir(&hidden).unwrap();
    fs::write(hidden.join("in the way"), "").unwrap();
    let JobEnd::Stays { workspace, .. } = ops::end_of_job(&store, &one.id).unwrap() else { panic!("it stays") };
    assert!(workspace.error.as_deref().unwrap().contains("cannot rename"), "{workspace:?}");
    assert_eq!(workspace.state, State::Idle);
    fs::remove_dir_all(&hidden).unwrap();
    let JobEnd::Removed(gone) = ops::end_of_job(&store, &one.id).unwrap() else { panic!("it goes") };
    assert_eq!((gone.state, gone.error), (State::Removed, None));
}
