//! Fixtures that are slow to make: made once in a run, then copied for each test.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use tempfile::TempDir;

use super::place;

type Made = Arc<OnceLock<TempDir>>;

/// Files in which version control systems write absolute paths.
const WITH_PATHS: [&str; 6] = ["config", "hgrc", "gitdir", "sharedpath", ".git", "alternates"];

/// Fills the empty directory `into` with what `make` put into another one under this name, paths in settings adjusted.
pub fn copy(name: &str, into: &Path, make: impl FnOnce(&Path)) {
    static ALL: Mutex<Option<HashMap<String, Made>>> = Mutex::new(None);
    let made = ALL.lock().unwrap().get_or_insert_default().entry(name.to_owned()).or_default().clone();
    let from = made.get_or_init(|| {
        let dir = place::in_memory("fixture");
        make(&real(dir.path()));
        dir
    });
    let (from, into) = (real(from.path()), real(into));
    let status = Command::new("cp").arg("-RPp").arg(from.join(".")).arg(&into).status().expect("cp");
    assert!(status.success(), "cannot copy the fixture {name}");
    move_paths(&into, from.to_str().expect("UTF-8"), into.to_str().expect("UTF-8"));
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().expect("a real path")
}

fn move_paths(directory: &Path, old: &str, new: &str) {
    for entry in std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry")) {
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        if kind.is_dir() {
            move_paths(&path, old, new);
        } else if kind.is_file() && WITH_PATHS.iter().any(|name| entry.file_name() == *name) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if text.contains(old) {
                std::fs::write(&path, text.replace(old, new)).expect("a file");
            }
        }
    }
}
