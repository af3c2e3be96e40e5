//! Fixtures that are slow to make: made once in a run, then copied for each test.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use memchr::memmem;
use tempfile::TempDir;

use super::place;

type Made = Arc<OnceLock<TempDir>>;

/// Fills the empty directory `into` with what `make` put into another one under this name. A file that names the other one
/// names this one instead, and keeps its time.
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
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).expect("a file");
            if memmem::find(&bytes, old.as_bytes()).is_some() {
                write_moved(&path, &bytes, old, new);
            }
        }
    }
}

fn write_moved(path: &Path, bytes: &[u8], old: &str, new: &str) {
    // A file that is not text tells how long the path in it is.
    let is_text = !bytes.contains(&0) && path.extension().is_none_or(|extension| extension != "binpb");
    assert!(is_text || old.len() == new.len(), "{}: {old} and {new} differ in length", path.display());
    let modified = path.metadata().expect("a file").modified().expect("a time");
    let (mut text, mut done) = (Vec::new(), 0);
    for at in memmem::find_iter(bytes, old) {
        text.extend_from_slice(&bytes[done..at]);
        text.extend_from_slice(new.as_bytes());
        done = at + old.len();
    }
    text.extend_from_slice(&bytes[done..]);
    std::fs::write(path, text).expect("a file");
    std::fs::File::options().append(true).open(path).and_then(|file| file.set_modified(modified)).expect("a time");
}

/// Puts the state home, the ledger and the id of the checkout that version 1.7.0 left (`fixtures/state-1.7.0`) into a working copy of
/// git. There the working copy was `/ROOT/web`.
pub fn state_of_1_7(copy: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/state-1.7.0");
    for (name, to) in [("state", ".git/beads"), ("beads.jsonl", ".beads/beads.jsonl"), ("beads-id", ".git/beads-id")] {
        let to = copy.join(to);
        if to.is_dir() {
            std::fs::remove_dir_all(&to).expect("a directory");
        }
        let status = Command::new("cp").arg("-R").arg(from.join(name)).arg(&to).status().expect("cp");
        assert!(status.success(), "cannot copy {name}");
    }
    let home = copy.join(".git/beads");
    move_paths(&home, "/ROOT/web", real(copy).to_str().expect("UTF-8"));
    move_paths(&home, "/ROOT", real(copy).parent().expect("a parent").to_str().expect("UTF-8"));
}
