//! The names of files and directories that `bd` looks for.

use std::path::{Path, PathBuf};

use crate::sys;

/// The variable with the epochs of claims: `ID:EPOCH`, separated by commas, blanks or line ends.
pub const LEASE_VARIABLE: &str = "BD_LEASE";

pub const BEADS_DIR: &str = ".beads";

/// The ledger's name: ours, and that of later beads.
pub const LEDGER_NAMES: [&str; 2] = ["beads.jsonl", "issues.jsonl"];

/// A ledger under its other usual name; `None` for a ledger with a custom name.
pub(super) fn other_name(ledger: &Path) -> Option<PathBuf> {
    let at = LEDGER_NAMES.iter().position(|name| ledger.file_name().is_some_and(|own| own == *name))?;
    Some(ledger.with_file_name(LEDGER_NAMES[1 - at]))
}

/// A record about the ledger at `then` is about the one at `now`: the same ledger, under its other usual name.
pub(super) fn is_renamed_ledger(then: &Path, now: &Path) -> bool {
    other_name(now).as_deref() == Some(then) && !sys::path::is_there(then)
}

/// Points from a `.beads` directory to another of the same family.
pub const REDIRECT_NAME: &str = "redirect";

pub(super) const CONFIG_NAME: &str = "config.toml";

pub(super) const WRITES_NAME: &str = "writes.jsonl";

pub(super) const MARK_NAME: &str = "mark";

pub(super) const REGISTRY: &str = "registry.jsonl";

pub(super) const WORKSPACES_NAME: &str = "workspaces.jsonl";

/// The directory of [`super::KEYS`].
pub(super) const KEYS_NAME: &str = "keys";

pub(super) const LEASES_NAME: &str = "leases.jsonl";
