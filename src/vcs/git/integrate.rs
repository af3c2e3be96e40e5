//! Bringing both sides together with git, without ever doing so in the user's files.
//!
//! `git merge` of two sides works in the working tree, and when it gives up it stashes and resets there: what somebody
//! writes meanwhile is lost. So the merge is made among the objects alone. Ledgers are taken out of all versions and merged
//! by the given function; the rest is merged by `git merge-tree`. Only when there is a commit that contains both sides does
//! the branch go forward to it, which git does in one step or not at all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::commit::{git, identity, is_locked, unfinished};
use super::hooks::failed;
use super::trees::{EditError, Item, Trees, is_file};
use super::upstream::{self, id};
use crate::sys::process::{Output, Program};
use crate::vcs::commit::{CommitError, Order, patiently};
use crate::vcs::files::path_of;
use crate::vcs::{HistoryError, Integrated, Integration, Kind, SyncError, Versions};

/// For a working tree of any size.
const LIMIT: Duration = Duration::from_secs(600);
/// The largest ledger, and the longest list of files, that is looked at.
const MAX: usize = 256 << 20;
/// How far back bases of bases are looked for. What is left out beyond counts as having no common version.
const DEPTH: usize = 8;

const TOO_OLD: &str = "merging needs git 2.38 or newer";
const UNRELATED: &str =
    "the branches have no commit in common; merge them once with git merge --allow-unrelated-histories";
const SHALLOW: &str = "this clone is too shallow to hold a commit that both sides have; run git fetch --unshallow once";

pub fn integrate(root: &Path, integration: Integration<'_>) -> Result<Integrated, SyncError> {
    let env = integration.env;
    let link = upstream::find(root, env)?;
    let Some((remote, theirs)) = link.remote.and_then(|remote| Some((remote.shown(), remote.theirs?))) else {
        return Ok(Integrated::UpToDate);
    };
    let order = Order { root, files: &[], message: integration.message, author: integration.author, env };
    let mut join = Join { root, order, upstream: remote, ledgers: integration.ledgers, trees: Trees::open(root)? };
    let Some(ours) = link.ours else {
        join.settled()?;
        join.forward(theirs)?;
        return Ok(Integrated::Forwarded);
    };
    let bases = join.bases(&[ours, theirs])?;
    if bases == [theirs] {
        return Ok(Integrated::UpToDate);
    }
    join.settled()?;
    if bases == [ours] {
        join.forward(theirs)?;
        return Ok(Integrated::Forwarded);
    }
    let merged = join.merged(ours, theirs, &bases, integration.merge)?;
    join.forward(merged)?;
    Ok(Integrated::Merged)
}

struct Join<'a> {
    root: &'a Path,
    order: Order<'a>,
    upstream: String,
    ledgers: &'a [PathBuf],
    trees: Trees,
}

impl Join<'_> {
    fn git(&self) -> Program<'_> {
        git(self.root, self.order.env).limit(LIMIT).keeping(MAX)
    }

    /// Nothing is brought into the middle of something else.
    fn settled(&self) -> Result<(), SyncError> {
        let unmerged = || {
            let output = self.git().args(["ls-files", "--unmerged", "-z"]).run()?;
            Ok::<_, SyncError>(!checked("git ls-files", output)?.stdout.is_empty())
        };
        match unfinished(self.root) {
            Some(what) => Err(SyncError::Unfinished { root: self.root.to_owned(), what: what.to_owned() }),
            None if unmerged()? => {
                Err(SyncError::Unfinished { root: self.root.to_owned(), what: "a merge".to_owned() })
            }
            None => Ok(()),
        }
    }

    /// The last commits that all of these have in common.
    fn bases(&self, commits: &[ObjectId]) -> Result<Vec<ObjectId>, SyncError> {
        let output = self.git().args(["merge-base", "--all", "--octopus"]).args(hex(commits)).run()?;
        match output.status.code() {
            Some(0) => output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(id).collect(),
            Some(1) => Ok(Vec::new()),
            _ => Err(failed("git merge-base", &output).into()),
        }
    }

    /// A commit that holds both sides.
    fn merged(
        &mut self,
        ours: ObjectId,
        theirs: ObjectId,
        bases: &[ObjectId],
        merge: crate::vcs::Merge<'_>,
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

    /// Histories that share nothing are joined only if both hold the same ledger: two people began with an empty server.
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

    /// All that is no ledger.
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

    /// Commits without ledgers, that stand to each other as these do.
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
        let parents = hex(parents).flat_map(|parent| ["-p".to_owned(), parent]);
        let program = self.git().args(["-c", "i18n.commitEncoding=UTF-8"]).args(identity(&self.order));
        let program = program.arg("commit-tree").args(parents).args(["-m", self.order.message]).arg(tree.to_string());
        id(&checked("git commit-tree", program.run()?)?.stdout)
    }

    /// What the merged tree has for a ledger; `None` if no side has it.
    fn ledger(
        &self,
        ledger: &Path,
        ours: ObjectId,
        theirs: ObjectId,
        bases: &[ObjectId],
        merge: crate::vcs::Merge<'_>,
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

    /// A ledger in the last common version. Where there are several, they are merged with each other.
    fn base(
        &self,
        ledger: &Path,
        bases: &[ObjectId],
        filtered: bool,
        merge: crate::vcs::Merge<'_>,
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

    /// A ledger in a commit. What is there under its name and is no file cannot be merged.
    fn item(&self, ledger: &Path, commit: ObjectId) -> Result<Option<Item>, SyncError> {
        match self.trees.item(self.trees.of(commit)?, ledger)? {
            Some((mode, _)) if !is_file(mode) => Err(self.conflicts(vec![ledger.to_owned()])),
            item => Ok(item),
        }
    }

    /// Whether git keeps a file in another form than people see it, such as encrypted.
    fn is_filtered(&self, file: &Path) -> Result<bool, SyncError> {
        let output = self.git().args(["check-attr", "-z", "filter", "--"]).arg(file).run()?;
        let output = checked("git check-attr", output)?;
        let value = output.stdout.split(|byte| *byte == 0).nth(2).unwrap_or_default();
        Ok(![&b"unspecified"[..], b"unset", b"set", b""].contains(&value))
    }

    fn text(&self, file: &Path, id: ObjectId, filtered: bool) -> Result<Vec<u8>, SyncError> {
        let program = self.git().arg("cat-file");
        let program = if filtered {
            let mut path = std::ffi::OsString::from("--path=");
            path.push(file);
            program.arg("--filters").arg(path)
        } else {
            program.arg("blob")
        };
        let output = checked("git cat-file", program.arg(id.to_string()).run()?)?;
        if output.stdout.len() >= MAX {
            return Err(HistoryError::TooMuch { program: "git cat-file" }.into());
        }
        Ok(output.stdout)
    }

    fn store(&self, file: &Path, text: Vec<u8>, filtered: bool) -> Result<ObjectId, SyncError> {
        let program = self.git().args(["hash-object", "-w", "--stdin"]);
        let program = if filtered {
            let mut path = std::ffi::OsString::from("--path=");
            path.push(file);
            program.arg(path)
        } else {
            program.arg("--no-filters")
        };
        id(&checked("git hash-object", program.input(text).run()?)?.stdout)
    }

    /// Brings the branch and the working tree forward, or leaves both as they are.
    fn forward(&self, target: ObjectId) -> Result<(), SyncError> {
        let settings = ["submodule.recurse=false", "merge.verifySignatures=false", "advice.diverging=false"];
        let flags = ["--ff-only", "--no-squash", "--commit", "--no-autostash", "--no-overwrite-ignore"];
        let quiet = ["--no-stat", "--quiet", "--no-verify-signatures", "--no-rerere-autoupdate"];
        let attempt = || {
            let program = settings.iter().fold(self.git(), |program, setting| program.arg("-c").arg(setting));
            let program = program.var("GIT_REFLOG_ACTION", "bd: merge").arg("merge").args(flags).args(quiet);
            let output = program.arg("--end-of-options").arg(target.to_string()).run()?;
            Ok(if is_locked(&output) { None } else { Some(output) })
        };
        let output = patiently(&self.order, attempt).map_err(|error| match error {
            CommitError::Busy { root } => SyncError::Busy { root },
            other => other.into(),
        })?;
        if output.status.success() {
            return Ok(());
        }
        let files = self.in_the_way(target)?;
        if !files.is_empty() {
            let (root, upstream) = (self.root.to_owned(), self.upstream.clone());
            return Err(SyncError::InTheWay { root, upstream, files });
        }
        let head = upstream::find(self.root, self.order.env)?.ours;
        match head {
            // Somebody else committed in the meantime.
            Some(head) if self.bases(&[head, target])? != [head] => Err(SyncError::Busy { root: self.root.to_owned() }),
            _ => Err(failed("git merge", &output).into()),
        }
    }

    /// The files that going forward would change and that are changed, untracked or ignored here.
    fn in_the_way(&self, target: ObjectId) -> Result<Vec<PathBuf>, SyncError> {
        let born = self.trees.head()?.unwrap_or_else(|| ObjectId::empty_tree(gix::hash::Kind::Sha1));
        let flags = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "--no-ext-diff"];
        let changed = self.git().args(flags).args(hex(&[born, target])).arg("--").run()?;
        let changed = names(&checked("git diff-tree", changed)?.stdout);
        let flags = ["--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"];
        let status = self.git().arg("status").args(flags).arg("--ignore-submodules=all").run()?;
        let status = checked("git status", status)?.stdout;
        let dirty = status.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        let dirty = dirty.map(|entry| path_of(entry[3..].strip_suffix(b"/").unwrap_or(&entry[3..])));
        let touched = |file: &PathBuf| {
            let clash = |change: &PathBuf| change.starts_with(file) || file.starts_with(change);
            changed.iter().any(clash)
        };
        let mut files: Vec<PathBuf> = dirty.filter(touched).collect();
        files.sort();
        files.dedup();
        Ok(files)
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

fn checked(program: &'static str, output: Output) -> Result<Output, SyncError> {
    if output.status.success() { Ok(output) } else { Err(failed(program, &output).into()) }
}

fn names(list: &[u8]) -> Vec<PathBuf> {
    list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of).collect()
}

fn hex(ids: &[ObjectId]) -> impl Iterator<Item = String> {
    ids.iter().map(ToString::to_string)
}
