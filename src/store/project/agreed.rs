//! The user's agreements for a repository: what its version control may run, write and send, and the hooks of a push.
//!
//! An agreement covers one repository and exactly these lines. It is stored in the user's state, beside agreed paths,
//! and version control's safety check asks for it ([`agrees`]) wherever a program is started.

use std::path::{Path, PathBuf};

use super::family;
use super::trust::OutsidePath;
use crate::store::read_trust;
use crate::sys::Env;
use crate::vcs;

/// Covers commits, merges and exchanges.
pub(crate) const PROGRAMS: &str = "programs";
/// Covers pushes with code.
pub(crate) const HOOKS: &str = "hooks";

pub(crate) fn entry(root: &Path, key: &'static str, lines: &[String]) -> OutsidePath {
    // A workspace may do what its parent checkout may.
    let first = family::parent(root);
    let root = first.as_deref().unwrap_or(root);
    let repository = vcs::common_dir(root).unwrap_or_else(|| root.to_owned());
    let text = blake3::hash(lines.join("\n").as_bytes()).to_string();
    OutsidePath { repository, root: root.to_owned(), key, text, resolved: PathBuf::new() }
}

/// Whether the user has agreed to what the safety check found in the working copy with this root.
pub(crate) fn agrees(env: &Env, root: &Path, asks: &[String]) -> bool {
    read_trust(env).covers(&entry(root, PROGRAMS, asks))
}
