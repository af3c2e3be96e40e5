//! Snapshots with hg and sl: copies of the files that differ from the commit below, in the directory that all checkouts
//! share.
//!
//! All other files are in that commit, and `archive` writes them, as a checkout would. Nested hg repositories are
//! neither saved nor listed: hg does not report them.

use std::path::Path;

use super::call::{Client, is_node};
use crate::vcs::SyncError;
use crate::vcs::copies::{Copies, Order};
use crate::vcs::layout::hg::common_dir;
use crate::vcs::snapshot::{Fresh, Snapshot, check_key};

pub(super) fn copies(client: &Client<'_>) -> Copies {
    let common = common_dir(&client.own_dir()).unwrap_or_else(|| client.own_dir());
    Copies { dir: common.join("beads/snapshots") }
}

pub(super) fn take(client: &Client<'_>, key: &str, limit: u64) -> Result<Snapshot, SyncError> {
    check_key(key, client.kind)?;
    let base = client.nodes("p1()")?.pop();
    let entries = client.status(&["--unknown"])?;
    let of = |letters: &[u8]| {
        entries.iter().filter(|(letter, _)| letters.contains(letter)).map(|(_, path)| path.clone()).collect()
    };
    let (present, removed) = (of(b"MA?"), of(b"R!"));
    copies(client).keep(Order { key, root: &client.root, base, present, removed, limit })
}

pub(super) fn restore(client: &Client<'_>, key: &str, to: &Path) -> Result<(), SyncError> {
    check_key(key, client.kind)?;
    let kept = copies(client).find(key, &client.root)?;
    Fresh::fill(to, |to| {
        if let Some(base) = kept.base.as_deref().filter(|base| is_node(base)) {
            let settings = ["--config=ui.archivemeta=false".to_owned()];
            let command = ["archive", "--type=files", &format!("--rev={base}")];
            client.must(&settings, &command, &[to.root().into()])?;
        }
        kept.write(to)
    })
}

pub(super) fn forget(client: &Client<'_>, key: &str) -> Result<(), SyncError> {
    check_key(key, client.kind)?;
    copies(client).forget(key)
}
