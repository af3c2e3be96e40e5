//! Finds out whether the changes of a branch are in another one: merged, rebased, squashed, or applied by hand.
//!
//! The two may be in different repositories: the other one's objects are read too, and nothing is written. An uncertain
//! case counts as not merged. Attributes of files are ignored, so no program of a repository runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::objects::{line, must};
use super::upstream::ask_at;
use crate::sys::Env;
use crate::sys::path::private_scratch;
use crate::sys::process::Program;
use crate::vcs::SyncError;
use crate::vcs::layout::git::common_dir;
use crate::vcs::whereabouts::{How, Merged};

/// The limit for commits that are compared one by one.
const MOST: usize = 2000;
/// With up to this many changed files, only commits that touch them are compared.
const FEW: usize = 50;
const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A repository, and another one whose objects it can read.
pub(super) struct Pair<'a> {
    pub root: &'a Path,
    /// If git's directory is not in the working copy.
    pub git_dir: Option<PathBuf>,
    /// The shared directory of the other repository.
    pub other: PathBuf,
    pub env: &'a Env,
}

impl Pair<'_> {
    pub(super) fn git(&self) -> Program<'_> {
        let program = ask_at(self.root, self.git_dir.as_deref(), self.env).var("GIT_ATTR_SOURCE", TREE);
        program.var("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&self.other.join("objects")))
    }

    pub(super) fn common(&self) -> Option<PathBuf> {
        self.git_dir.clone().or_else(|| common_dir(&self.root.join(".git")))
    }

    fn text(&self, name: &'static str, program: Program<'_>) -> Result<String, SyncError> {
        Ok(String::from_utf8_lossy(&must(name, program)?.stdout).into_owned())
    }

    /// A single line of output, or `None` if git answers no.
    fn maybe(&self, program: Program<'_>) -> Result<Option<String>, SyncError> {
        let output = program.run()?;
        Ok(output.status.success().then(|| line(&output.stdout)).filter(|text| !text.is_empty()))
    }

    pub(super) fn is_ancestor(&self, one: &str, of: &str) -> Result<bool, SyncError> {
        let output = self.git().args(["merge-base", "--is-ancestor", one, of]).run()?;
        Ok(output.status.success())
    }

    /// The parent of a commit without changes and description.
    pub(super) fn blank_parent(&self, id: &str) -> Result<Option<String>, SyncError> {
        let look = |id: &str| self.git().args(["log", "-1", "--format=%T%n%P%n%B", "--end-of-options"]).arg(id);
        let own = self.text("git log", look(id))?;
        let mut lines = own.lines();
        let (tree, parent) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        if parent.is_empty() || parent.contains(' ') || lines.any(|line| !line.trim().is_empty()) {
            return Ok(None);
        }
        let below = self.text("git log", look(parent))?;
        Ok((below.lines().next() == Some(tree)).then(|| parent.to_owned()))
    }

    /// How a commit came into one of these branches, given with their names.
    pub(super) fn merged(&self, tip: &str, targets: &[(String, String)]) -> Result<Option<Merged>, SyncError> {
        for (into, target) in targets {
            if self.is_ancestor(tip, target)? {
                let commit = Some(self.brought(tip, target)?);
                return Ok(Some(Merged { how: How::Ancestor, into: into.clone(), commit }));
            }
        }
        for (into, target) in targets {
            if let Some((how, commit)) = self.taken_over(tip, target)? {
                return Ok(Some(Merged { how, into: into.clone(), commit }));
            }
        }
        Ok(None)
    }

    /// The commit of the branch that brought in another one: the merge, or that commit itself.
    fn brought(&self, tip: &str, target: &str) -> Result<String, SyncError> {
        let range = format!("{tip}..{target}");
        let flags = ["rev-list", "--first-parent", "--ancestry-path", "--parents"];
        let printed = self.text("git rev-list", self.git().args(flags).arg(range).arg("--"))?;
        let Some(oldest) = printed.lines().last() else { return Ok(tip.to_owned()) };
        let mut words = oldest.split(' ');
        let (merge, first) = (words.next().unwrap_or(tip), words.next());
        Ok(if first == Some(tip) { tip } else { merge }.to_owned())
    }

    fn taken_over(&self, tip: &str, target: &str) -> Result<Option<(How, Option<String>)>, SyncError> {
        let trees =
            self.text("git rev-parse", self.git().args(["rev-parse", "--verify"]).arg(format!("{tip}^{{tree}}")))?;
        let there =
            self.text("git rev-parse", self.git().args(["rev-parse", "--verify"]).arg(format!("{target}^{{tree}}")))?;
        let (own, there) = (trees.trim(), there.trim());
        let base = self.maybe(self.git().args(["merge-base", tip, target]))?;
        if let Some(base) = &base {
            let flags = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
            let files = self.text("git diff-tree", self.git().args(flags).args([base.as_str(), tip, "--"]))?;
            let files: Vec<&str> = files.split('\0').filter(|name| !name.is_empty()).collect();
            if files.is_empty() {
                // Its commits undo each other, or change nothing: no commit in the branch corresponds to them.
                return Ok(None);
            }
            if let Some(commit) = self.patches(base, tip, target, &files)? {
                return Ok(Some((How::Patches, Some(commit))));
            }
        }
        if own == there {
            return Ok(Some((How::SameTree, None)));
        }
        Ok((base.is_some() && self.adds_nothing(tip, target, there)?).then_some((How::NothingToAdd, None)))
    }

    /// The commit of the target with the same change as all of ours together, or the last of those that match ours one
    /// by one.
    fn patches(&self, base: &str, tip: &str, target: &str, files: &[&str]) -> Result<Option<String>, SyncError> {
        let range = |to: &str| format!("{base}..{to}");
        let narrow: &[&str] = if files.len() <= FEW { files } else { &[] };
        let most = format!("--max-count={MOST}");
        let flags = ["--literal-pathspecs", "rev-list", "--no-merges", most.as_str()];
        let theirs = self.git().args(flags).arg(range(target)).arg("--").args(narrow);
        let theirs = self.diffs(&self.text("git rev-list", theirs)?)?;
        if theirs.is_empty() {
            return Ok(None);
        }
        let by_text: HashMap<&[u8], &str> =
            theirs.iter().map(|(commit, text)| (text.as_slice(), commit.as_str())).collect();
        let flags = ["diff-tree", "-p", "-r", "--no-renames", "--full-index", "--no-color"];
        let whole = self.git().args(flags).args([base, tip, "--"]);
        let whole = plain(&must("git diff-tree", whole)?.stdout);
        if let Some(commit) = whole.and_then(|text| by_text.get(text.as_slice()).copied()) {
            return Ok(Some(commit.to_owned()));
        }
        let list = |flags: [&str; 2]| {
            let program = self.git().arg("rev-list").args(flags).arg(range(tip)).arg("--");
            self.text("git rev-list", program)
        };
        let (merges, ours) = (list(["--merges", "--max-count=1"])?, list(["--no-merges", &most])?);
        let count = ours.lines().count();
        if !merges.trim().is_empty() || count == 0 || count >= MOST {
            return Ok(None);
        }
        let ours = self.diffs(&ours)?;
        let found: Vec<&str> = ours.iter().filter_map(|(_, text)| by_text.get(text.as_slice()).copied()).collect();
        // The newest comes first.
        Ok(if found.len() == count { found.first().map(|commit| (*commit).to_owned()) } else { None })
    }

    /// The change of each of these commits, as a plain diff, without those that cannot be compared.
    fn diffs(&self, commits: &str) -> Result<Vec<(String, Vec<u8>)>, SyncError> {
        if commits.trim().is_empty() {
            return Ok(Vec::new());
        }
        let flags = ["diff-tree", "--stdin", "-p", "-r", "--no-renames", "--full-index", "--no-color"];
        let printed = must("git diff-tree", self.git().args(flags).input(commits.as_bytes().to_vec()))?.stdout;
        let is_id = |line: &[u8]| line.len() >= 40 && line.iter().all(u8::is_ascii_hexdigit);
        let mut found: Vec<(String, Vec<u8>)> = Vec::new();
        for text in printed.split_inclusive(|byte| *byte == b'\n') {
            match found.last_mut() {
                _ if is_id(text.trim_ascii_end()) => found.push((line(text), Vec::new())),
                Some((_, diff)) => diff.extend_from_slice(text),
                None => {}
            }
        }
        Ok(found.into_iter().filter_map(|(commit, text)| Some((commit, plain(&text)?))).collect())
    }

    /// Whether a merge would change no file. Its objects are discarded.
    fn adds_nothing(&self, tip: &str, target: &str, tree: &str) -> Result<bool, SyncError> {
        let Some(common) = self.common() else { return Ok(false) };
        let Ok(scratch) = private_scratch("bd-merge-") else { return Ok(false) };
        let both = [quoted(&common.join("objects")), quoted(&self.other.join("objects"))].join(":");
        let program = self.git().var("GIT_OBJECT_DIRECTORY", scratch.path());
        let program = program.var("GIT_ALTERNATE_OBJECT_DIRECTORIES", both);
        let output = program.args(["merge-tree", "--write-tree", "--no-messages", target, tip]).run()?;
        // 1 is a conflict; an older git does not support this.
        Ok(output.status.success() && line(&output.stdout) == tree)
    }
}

/// A diff without line numbers. `None` for binary files, which it does not show.
fn plain(diff: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(diff.len());
    for line in diff.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"Binary files ") {
            return None;
        }
        match line {
            _ if line.starts_with(b"index ") => {}
            _ if line.starts_with(b"@@ ") => text.extend_from_slice(b"@@\n"),
            _ => text.extend_from_slice(line),
        }
    }
    (!text.trim_ascii().is_empty()).then_some(text)
}

/// A path in a list separated by colons.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_place_in_a_file_is_left_out_of_a_diff() {
        let one = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ fn a\n a\n+b\n";
        let moved = one.replace("-1,2 +1,3", "-9,2 +9,3").replace("1..2", "3..4");
        let plain = |text: &str| super::plain(text.as_bytes());
        assert_eq!(plain(one), plain(&moved));
        assert_ne!(plain(one), plain(&one.replace("+b", "+ b")), "a blank counts");
        assert_eq!(plain("diff --git a/x b/x\nBinary files a/x and b/x differ\n"), None);
        assert_eq!(plain(""), None);
        assert_eq!(quoted(Path::new("/a:b\"c")), "\"/a:b\\\"c\"");
    }
}
