//! The checkouts of an hg or sl repository, as its files tell: this one, and the one whose store it shares. The store has no
//! list of those that share it.

use std::path::{Path, PathBuf};

use super::call::is_node;
use crate::vcs::Checkout;
use crate::vcs::files::real;
use crate::vcs::layout::hg::common_dir;
use crate::vcs::{Kind, files};

/// Lists of bookmarks, seen from the directory of a working copy or of the store.
const BOOKMARKS: [&str; 2] = ["bookmarks", "store/bookmarks"];

/// The program's directory of a working copy.
pub(super) fn admin_dir(own: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(own).ok()
}

/// The active bookmark, else the named branch. sl has no named branches.
pub(super) fn branch(kind: Kind, own: &Path) -> Option<String> {
    let word = |name: &str| files::text(&own.join(name)).map(|text| text.trim_end_matches('\n').to_owned());
    let active = word("bookmarks.current").filter(|name| !name.is_empty() && is_bookmark(own, name));
    let named = || word("branch").filter(|name| !name.is_empty()).unwrap_or_else(|| "default".to_owned());
    active.or_else(|| (kind == Kind::Hg).then(named))
}

/// The name of one that is gone may be left as the active one.
fn is_bookmark(own: &Path, name: &str) -> bool {
    let places = [Some(own.to_owned()), common_dir(own)];
    places.iter().flatten().any(|dir| bookmarks(dir).iter().any(|(_, found)| found == name))
}

/// The bookmarks that a directory of hg holds, each with its commit.
pub(super) fn bookmarks(dir: &Path) -> Vec<(String, String)> {
    let lists = BOOKMARKS.iter().filter_map(|list| files::text(&dir.join(list)));
    let read = |line: &str| line.split_once(' ').map(|(node, name)| (node.to_owned(), name.to_owned()));
    lists.flat_map(|list| list.lines().filter_map(read).collect::<Vec<_>>()).filter(|(node, _)| is_node(node)).collect()
}

/// The commit that is checked out in a working copy, from the head of its list of files.
pub(super) fn parent(own: &Path) -> Option<String> {
    let bytes = files::bytes(&own.join("dirstate"))?;
    let node = bytes.strip_prefix(b"dirstate-v2\n").unwrap_or(&bytes).get(..20)?;
    let node: String = node.iter().map(|byte| format!("{byte:02x}")).collect();
    is_node(&node).then_some(node)
}

pub(super) fn checkouts(kind: Kind, own: &Path) -> Vec<Checkout> {
    let (Some(own), Some(common)) = (admin_dir(own), common_dir(own)) else { return Vec::new() };
    let checkout = |admin: &Path, is_main: bool| {
        let root = real(admin.parent()?);
        Some(Checkout { branch: branch(kind, admin), admin: admin.to_owned(), is_main, exists: true, root })
    };
    // A share whose store is gone leads nowhere.
    let is_share = own.join("sharedpath").exists();
    let main = if is_share && own == common { None } else { checkout(&common, true) };
    let this = if is_share { checkout(&own, false) } else { None };
    main.into_iter().chain(this).collect()
}
