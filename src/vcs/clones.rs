//! Clones: separate repositories made from a checkout, with its commits and its remotes.

use std::path::PathBuf;

/// A clone to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClone {
    /// A path that does not exist, or an empty directory. Relative to the working directory.
    pub path: PathBuf,
    /// The branch or bookmark to check out: the parent's if it has it, else a new one.
    pub branch: String,
    /// The start of a new branch, as the parent resolves it; by default, the commit that is checked out there.
    pub base: Option<String>,
}

/// The remote name of the parent in a clone, if the parent itself has none of these remotes.
pub(super) const PARENT: &str = "parent";

/// The name for the parent beside other remotes: without any, it gets the usual name, as the only place to push to.
pub(super) fn name_of_parent<'n>(usual: &str, others: impl Iterator<Item = &'n str>) -> String {
    let others: Vec<&str> = others.collect();
    if others.is_empty() {
        return usual.to_owned();
    }
    let mut numbered = (2..).map(|n| format!("{PARENT}{n}"));
    let is_free = |name: &String| !others.contains(&name.as_str());
    Some(PARENT.to_owned()).filter(is_free).or_else(|| numbered.find(is_free)).unwrap_or_else(|| PARENT.to_owned())
}
