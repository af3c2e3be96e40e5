//! A repository of its own that is made from a checkout: it has the commits, and goes where its parent goes.

use std::path::PathBuf;

/// A clone to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClone {
    /// A path at which nothing is, or an empty directory. Relative is from the working directory.
    pub path: PathBuf,
    /// The branch or bookmark to check out. One that the parent has is checked out as it is there; another is made.
    pub branch: String,
    /// Where a new branch begins, as the parent understands it; without it, at the commit that is checked out there.
    pub base: Option<String>,
}

/// The name under which a clone knows its parent, if the parent itself has none of these remotes.
pub const PARENT: &str = "parent";

/// The name for the parent beside these others: without any, it is the one place to send something to.
pub(super) fn name_of_parent<'n>(usual: &str, others: impl Iterator<Item = &'n str>) -> String {
    let others: Vec<&str> = others.collect();
    if others.is_empty() {
        return usual.to_owned();
    }
    let mut numbered = (2..).map(|n| format!("{PARENT}{n}"));
    let is_free = |name: &String| !others.contains(&name.as_str());
    Some(PARENT.to_owned()).filter(is_free).or_else(|| numbered.find(is_free)).unwrap_or_else(|| PARENT.to_owned())
}
