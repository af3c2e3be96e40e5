//! The merge itself, among the repository's objects: a commit with both sides, in no branch yet.
//!
//! Ledgers are removed from the trees of both sides and of their bases. The rest is merged by `git merge-tree`, so
//! attributes, renames and drivers do not affect ledgers. The temporary commits are in no history, and git's garbage
//! collection removes them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::commit::identity;
use super::hooks::{checked, failed};
use super::integrate::{Join, MAX, hex};
use super::trees::{EditError, Item, is_file};
use super::upstream::id;
use crate::vcs::files::path_of;
use crate::vcs::{HistoryError, Kind, Merge, SyncError, Versions};

/// How far back bases of bases are followed. Older ones count as no common version.
const DEPTH: usize = 8;

const TOO_OLD: &str = "merging needs git 2.38 or newer";
const UNRELATED: &str =
    "the branches have no commit in common; merge them once with git merge --allow-unrelated-histories";
const SHALLOW: &str = "this clone is too shallow to hold a commit that both sides have; run git fetch --unshallow once";

impl Join<'_> {
    /// A commit that contains both sides.
    pub(super) fn merged(
        &mut self,
        ours: ObjectId,
        theirs: ObjectId,
        bases: &[ObjectId],
        merge: Merge<'_>,
    ) -> Result<ObjectId, SyncError> {
        if bases.is_empty() {
            self.may_join(ours, theirs)?;
        }
        let mut tree = self.others(ours, theirs, bases)?;
        for ledger in self.ledgers {
            let item = self.ledger(ledger, ours, theirs, bases, merge)?;
            if item.is_some() {
                let edited = self.trees.with(tree, ledger, item);
                tree = edited.map_err(|error| self.blocked(error))?;
            }
        }
        self.trees.write(tree, self.root, self.order.env)?;
        self.commit(tree, &[ours, theirs])
    }

    /// A commit of ours that changes only ledgers, with its message on top of the other side; `None` if it changes more.
    pub(super) fn moved(
        &mut self,
        ours: ObjectId,
        base: ObjectId,
        theirs: ObjectId,
        merge: Merge<'_>,
    ) -> Result<Option<ObjectId>, SyncError> {
        if self.bare(ours)? != self.bare(base)? {
            return Ok(None);
        }
        let there = self.trees.of(theirs)?;
        let mut tree = there;
        for ledger in self.ledgers {
            let item = self.ledger(ledger, ours, theirs, &[base], merge)?;
            if item.is_some() {
                let edited = self.trees.with(tree, ledger, item);
                tree = edited.map_err(|error| self.blocked(error))?;
            }
        }
        if tree == there {
            return Ok(Some(theirs));
        }
        self.trees.write(tree, self.root, self.order.env)?;
        let message = self.trees.message(ours)?;
        self.commit_with(tree, &[theirs], message).map(Some)
    }

    /// Histories without a common commit are joined only if both have the same ledger: two people started with an empty
    /// server.
    fn may_join(&self, ours: ObjectId, theirs: ObjectId) -> Result<(), SyncError> {
        if self.git().args(["rev-parse", "--is-shallow-repository"]).run()?.stdout.starts_with(b"true") {
            return Err(SyncError::Unsupported { kind: Kind::Git, what: SHALLOW });
        }
        let (ours, theirs) = (self.trees.of(ours)?, self.trees.of(theirs)?);
        for ledger in self.ledgers {
            if self.trees.item(ours, ledger)?.is_some() && self.trees.item(theirs, ledger)?.is_some() {
                return Ok(());
            }
        }
        Err(SyncError::Unsupported { kind: Kind::Git, what: UNRELATED })
    }

    /// Merges all files except ledgers.
    fn others(&mut self, ours: ObjectId, theirs: ObjectId, bases: &[ObjectId]) -> Result<ObjectId, SyncError> {
        let (here, there) = (self.bare(ours)?, self.bare(theirs)?);
        let base = match bases {
            [base] => Some(self.bare(*base)?),
            _ => None,
        };
        if here == there || base == Some(there) {
            return Ok(here);
        }
        if base == Some(here) {
            return Ok(there);
        }
        let parents = self.bare_commits(bases, DEPTH)?;
        let sides = [here, there].map(|tree| {
            self.trees.write(tree, self.root, self.order.env)?;
            self.commit(tree, &parents)
        });
        let [here, there] = sides;
        let flags = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories"];
        let output = self.git().args(flags).args(hex(&[here?, there?])).run()?;
        let mut fields = output.stdout.split(|byte| *byte == 0);
        let tree = fields.next().unwrap_or_default();
        match output.status.code() {
            Some(0) => id(tree),
            Some(1) => {
                let mut files: Vec<PathBuf> = fields.take_while(|name| !name.is_empty()).map(path_of).collect();
                files.sort();
                files.dedup();
                Err(self.conflicts(files))
            }
            Some(129) => Err(SyncError::Unsupported { kind: Kind::Git, what: TOO_OLD }),
            _ => Err(failed("git merge-tree", &output).into()),
        }
    }

    /// The tree of a commit without its ledgers.
    fn bare(&mut self, commit: ObjectId) -> Result<ObjectId, SyncError> {
        let mut tree = self.trees.of(commit)?;
        for ledger in self.ledgers {
            tree = self.trees.with(tree, ledger, None).map_err(|error| self.blocked(error))?;
        }
        Ok(tree)
    }

    /// Commits without ledgers, with the same relations as these.
    fn bare_commits(&mut self, commits: &[ObjectId], depth: usize) -> Result<Vec<ObjectId>, SyncError> {
        let parents = match commits {
            [_, _, ..] if depth > 0 => self.bare_commits(&self.bases(commits)?, depth - 1)?,
            _ => Vec::new(),
        };
        let mut made = Vec::new();
        for commit in commits {
            let tree = self.bare(*commit)?;
            self.trees.write(tree, self.root, self.order.env)?;
            made.push(self.commit(tree, &parents)?);
        }
        Ok(made)
    }

    fn commit(&self, tree: ObjectId, parents: &[ObjectId]) -> Result<ObjectId, SyncError> {
        self.commit_with(tree, parents, format!("{}\n", self.order.message).into_bytes())
    }

    fn commit_with(&self, tree: ObjectId, parents: &[ObjectId], message: Vec<u8>) -> Result<ObjectId, SyncError> {
        let parents = hex(parents).flat_map(|parent| ["-p".to_owned(), parent]);
        let program = self.git().args(["-c", "i18n.commitEncoding=UTF-8"]).args(identity(&self.order));
        let program = program.arg("commit-tree").args(parents).args(["-F", "-"]).arg(tree.to_string());
        id(&checked("git commit-tree", program.input(message).run()?)?.stdout)
    }

    /// The merged content of a ledger; `None` if no side has it.
    fn ledger(
        &self,
        ledger: &Path,
        ours: ObjectId,
        theirs: ObjectId,
        bases: &[ObjectId],
        merge: Merge<'_>,
    ) -> Result<Option<Item>, SyncError> {
        let (here, there) = (self.item(ledger, ours)?, self.item(ledger, theirs)?);
        match (here, there) {
            (Some((_, one)), Some((_, other))) if one == other => return Ok(here),
            (None, None) => return Ok(None),
            _ => {}
        }
        let filtered = self.is_filtered(ledger)?;
        let text = |item: Option<Item>| item.map(|(_, id)| self.text(ledger, id, filtered)).transpose();
        let base = self.base(ledger, bases, filtered, merge, DEPTH)?;
        let versions = Versions { base, ours: text(here)?, theirs: text(there)? };
        let id = self.store(ledger, merge(ledger, &versions), filtered)?;
        let mode = here.or(there).map_or(EntryKind::Blob.into(), |(mode, _)| mode);
        Ok(Some((mode, id)))
    }

    /// A ledger in the last common version. Several such versions are merged with each other.
    fn base(
        &self,
        ledger: &Path,
        bases: &[ObjectId],
        filtered: bool,
        merge: Merge<'_>,
        depth: usize,
    ) -> Result<Option<Vec<u8>>, SyncError> {
        let mut found = Vec::new();
        for base in bases {
            let item = self.item(ledger, *base)?;
            found.push(item.map(|(_, id)| self.text(ledger, id, filtered)).transpose()?);
        }
        found.dedup();
        if found.len() < 2 {
            return Ok(found.pop().flatten());
        }
        let below = if depth > 0 { self.bases(bases)? } else { Vec::new() };
        let below = self.base(ledger, &below, filtered, merge, depth.saturating_sub(1))?;
        let join = |ours: Option<Vec<u8>>, theirs: Option<Vec<u8>>| {
            if ours == theirs {
                return ours;
            }
            Some(merge(ledger, &Versions { base: below.clone(), ours, theirs }))
        };
        Ok(found.into_iter().reduce(join).flatten())
    }

    /// A ledger in a commit. An entry under its name that is not a file cannot be merged.
    fn item(&self, ledger: &Path, commit: ObjectId) -> Result<Option<Item>, SyncError> {
        match self.trees.item(self.trees.of(commit)?, ledger)? {
            Some((mode, _)) if !is_file(mode) => Err(self.conflicts(vec![ledger.to_owned()])),
            item => Ok(item),
        }
    }

    /// Whether git stores a file in another form than people see it, such as encrypted.
    fn is_filtered(&self, file: &Path) -> Result<bool, SyncError> {
        let output = self.git().args(["check-attr", "-z", "filter", "--"]).arg(file).run()?;
        let output = checked("git check-attr", output)?;
        let value = output.stdout.split(|byte| *byte == 0).nth(2).unwrap_or_default();
        Ok(![&b"unspecified"[..], b"unset", b"set", b""].contains(&value))
    }

    fn text(&self, file: &Path, id: ObjectId, filtered: bool) -> Result<Vec<u8>, SyncError> {
        if !filtered {
            return Ok(self.trees.blob(id)?);
        }
        let program = self.git().args(["cat-file", "--filters"]).arg(path_flag(file));
        let output = checked("git cat-file", program.arg(id.to_string()).run()?)?;
        if output.stdout.len() >= MAX {
            return Err(HistoryError::TooMuch { program: "git cat-file" }.into());
        }
        Ok(output.stdout)
    }

    fn store(&self, file: &Path, text: Vec<u8>, filtered: bool) -> Result<ObjectId, SyncError> {
        let program = self.git().args(["hash-object", "-w", "--stdin"]);
        let program = program.arg(if filtered { path_flag(file) } else { "--no-filters".into() });
        id(&checked("git hash-object", program.input(text).run()?)?.stdout)
    }

    fn conflicts(&self, files: Vec<PathBuf>) -> SyncError {
        SyncError::Conflicts { root: self.root.to_owned(), upstream: self.upstream.clone(), files }
    }

    fn blocked(&self, error: EditError) -> SyncError {
        match error {
            EditError::Blocked(path) => self.conflicts(vec![path]),
            EditError::Unreadable(error) => error.into(),
        }
    }
}

fn path_flag(file: &Path) -> OsString {
    let mut flag = OsString::from("--path=");
    flag.push(file);
    flag
}
