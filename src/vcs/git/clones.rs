//! Clones a checkout with the program `git`.
//!
//! Objects are hard-linked on one file system. The clone has its parent's remotes with their refs, and the parent as a
//! further remote. It gets no hooks, templates or tags, and submodules are not fetched. Programs that the parent's
//! settings name run here too: the caller has got the user's agreement first.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::commit::{git, git_at, git_for_network, unfinished};
use super::hooks::must;
use super::settings::{RemoteSettings, Setting, carried, moved, of_disk, parent_text, remotes, text, without_branches};
use super::upstream::{ask, commit};
use super::worktrees::{check_name, start_of};
use crate::sys::Env;
use crate::sys::activity::Step;
use crate::sys::process::Program;
use crate::vcs::Checkout;
use crate::vcs::checkouts::{delete, make_parents, no_checkout, vacant};
use crate::vcs::clones::{NewClone, name_of_parent};
use crate::vcs::layout::git::{common_dir, own_dir};
use crate::vcs::layout::git_worktrees;
use crate::vcs::layout::git_worktrees::admin_dir;
use crate::vcs::network::passing_git;
use crate::vcs::{SyncError, Tip, Tips, files, is_shallow};

/// The limit for lists of refs.
const MAX: usize = 256 << 20;
/// Files beside the settings that influence what counts as a change.
const BESIDE: [&str; 2] = ["info/exclude", "info/attributes"];

/// Files of git that a new clone does not have.
const NOT_IN_NEW: [&str; 4] = ["hooks", "config.worktree", "info/sparse-checkout", "info/grafts"];

/// The source of a clone: a working copy, or the repository behind one.
pub(crate) struct Source<'a> {
    pub root: &'a Path,
    /// git's directory, if the working copy does not lead to it.
    pub git_dir: Option<&'a Path>,
    pub env: &'a Env,
}

impl Source<'_> {
    fn path(&self) -> &Path {
        self.git_dir.unwrap_or(self.root)
    }

    pub(super) fn git(&self) -> Program<'_> {
        git_at(self.root, self.git_dir, self.env).var("GIT_NO_LAZY_FETCH", "1")
    }

    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, SyncError> {
        Ok(commit(self.path(), name, self.env)?.map(|id| id.to_string()))
    }

    fn dirs(&self) -> Option<(PathBuf, PathBuf)> {
        let dot_git = self.git_dir.map_or_else(|| self.root.join(".git"), Path::to_owned);
        own_dir(&dot_git).zip(common_dir(&dot_git))
    }

    pub(crate) fn clone(&self, new: &NewClone, step: Option<&Step>) -> Result<Checkout, SyncError> {
        let path = vacant(&new.path, self.env)?;
        let start = self.start(new, &path)?;
        self.clone_at(&new.branch, &start, path, step)
    }

    /// Makes the clone, with the branch at this commit. An incomplete clone is removed.
    pub(crate) fn clone_at(
        &self,
        branch: &str,
        start: &str,
        path: PathBuf,
        step: Option<&Step>,
    ) -> Result<Checkout, SyncError> {
        check_name(self.path(), branch, &path, self.env)?;
        let settings = self.settings()?;
        let others = remotes(&settings, self.root);
        let parent = name_of_parent("origin", others.iter().map(|remote| remote.name.as_str()));
        make_parents(&path)?;
        let was_there = path.exists();
        let made = self.clone_to(&path, &parent, step).and_then(|()| {
            let clone = Clone { source: self, path: &path, parent: &parent };
            let own = files::text(&clone.file("config")).unwrap_or_default();
            clone.carry(without_branches(&own), &settings, &others)?;
            clone.set_refs(branch, start)?;
            clone.fill(step)
        });
        if let Err(error) = made {
            delete(&path)?;
            if was_there {
                std::fs::create_dir(&path).map_err(|source| SyncError::Path { path: path.clone(), source })?;
            }
            return Err(error);
        }
        let Some(admin) = admin_dir(&path) else { return Err(no_checkout(&path, "git has made no working copy")) };
        Ok(Checkout { branch: git_worktrees::branch(&admin), root: path, admin, is_main: true, exists: true })
    }

    /// The start of the branch, or its present commit.
    pub(super) fn start(&self, new: &NewClone, path: &Path) -> Result<String, SyncError> {
        Ok(start_of(self.path(), Some(&new.branch), new.base.as_deref(), path, self.env)?.0)
    }

    /// The settings of the repository itself, including included files.
    pub(super) fn settings(&self) -> Result<Vec<Setting>, SyncError> {
        let query = self.git().args(["config", "--list", "-z", "--show-scope", "--includes"]).keeping(MAX);
        Ok(Setting::read(&must("git config", self.root, query)?.stdout))
    }

    /// The refs of its remotes: name, commit, and the target of symbolic ones.
    pub(super) fn remote_refs(&self) -> Result<String, SyncError> {
        let query = self.git().args(["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]);
        let printed = must("git for-each-ref", self.root, query.arg("refs/remotes").keeping(MAX))?.stdout;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }

    fn clone_to(&self, path: &Path, parent: &str, step: Option<&Step>) -> Result<(), SyncError> {
        let program = git(self.root, self.env).args(["clone", "--quiet", "--progress", "--no-checkout", "--no-tags"]);
        let program = program.args(["--template=", "--no-reject-shallow", "--no-recurse-submodules"]);
        let program = program.arg(format!("--origin={parent}")).arg("--").arg(self.path()).arg(path);
        must("git clone", self.root, counting(program, step)).map(drop)
    }
}

/// An unfinished clone.
struct Clone<'a> {
    source: &'a Source<'a>,
    path: &'a Path,
    /// The clone's name for its source.
    parent: &'a str,
}

impl Clone<'_> {
    fn git(&self) -> Program<'_> {
        git(self.path, self.source.env)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(".git").join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SyncError> {
        let path = self.file(name);
        let failed = |source| SyncError::Path { path: path.clone(), source };
        std::fs::create_dir_all(path.parent().unwrap_or(self.path)).map_err(failed)?;
        std::fs::write(&path, bytes).map_err(failed)
    }

    /// Writes settings, remotes, and ignore rules.
    fn carry(&self, mut config: String, settings: &[Setting], others: &[RemoteSettings]) -> Result<(), SyncError> {
        config.push_str(&text(&carried(settings), others));
        if let Some((own, common)) = self.source.dirs() {
            for name in BESIDE {
                if let Some(bytes) = files::bytes(&common.join(name)) {
                    self.write(name, &bytes)?;
                }
            }
            let is_sparse = Setting::last(settings, "core.sparsecheckout") == Some("true");
            if let Some(patterns) = files::bytes(&own.join("info/sparse-checkout")).filter(|_| is_sparse) {
                self.write("info/sparse-checkout", &patterns)?;
                let cone = Setting::last(settings, "core.sparsecheckoutcone").unwrap_or("false");
                config.push_str(&format!("[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = {cone}\n"));
            }
        }
        self.write("config", config.as_bytes())
    }

    /// Creates the branch of the job, and the parent's refs of its remotes.
    fn set_refs(&self, branch: &str, start: &str) -> Result<(), SyncError> {
        let printed = self.source.remote_refs()?;
        let rows = printed.lines().filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?, words.next()?, words.next().unwrap_or_default()))
        });
        let (links, refs): (Vec<_>, Vec<_>) = rows.partition(|(_, _, to)| !to.is_empty());
        if is_shallow(self.path) {
            // Nothing was linked, so only the objects of the parent's branches were sent.
            let names = refs.iter().map(|(name, _, _)| format!("+{name}:{name}"));
            let fetch = self.git().args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--stdin"]);
            let wanted: String = names.chain([start.to_owned()]).map(|name| format!("{name}\n")).collect();
            must("git fetch", self.path, fetch.arg(self.parent).input(wanted.into_bytes()))?;
        }
        let mut orders: String = refs.iter().map(|(name, id, _)| format!("update {name} {id}\n")).collect();
        let own = admin_dir(self.path).and_then(|admin| git_worktrees::branch(&admin)).filter(|own| own != branch);
        // A parent without a commit on its branch has none to remove.
        let is_there = |own: &String| commit(self.path, &format!("refs/heads/{own}"), self.source.env);
        if let Some(own) = own.filter(|own| matches!(is_there(own), Ok(Some(_)))) {
            orders.push_str(&format!("delete refs/heads/{own}\n"));
        }
        orders.push_str(&format!("update refs/heads/{branch} {start}\n"));
        let head = format!("refs/heads/{branch}");
        for (name, to) in links.iter().map(|(name, _, to)| (*name, *to)).chain([("HEAD", head.as_str())]) {
            must("git symbolic-ref", self.path, self.git().args(["symbolic-ref", name, to]))?;
        }
        let program = self.git().args(["update-ref", "--no-deref", "--stdin"]);
        must("git update-ref", self.path, program.input(orders.into_bytes()))?;
        self.name_start(start)
    }

    /// Names a commit of the parent that is on no branch, so that it does not count as made in the clone.
    fn name_start(&self, start: &str) -> Result<(), SyncError> {
        let query = self.git().args(["rev-list", "--max-count=1", start, "--not", "--remotes", "--"]);
        if must("git rev-list", self.path, query)?.stdout.is_empty() {
            return Ok(());
        }
        let name = format!("refs/remotes/{}/bd-base", self.parent);
        must("git update-ref", self.path, self.git().args(["update-ref", "--no-deref", &name, start])).map(drop)
    }

    /// Writes the files. Filters may need a remote for that.
    fn fill(&self, step: Option<&Step>) -> Result<(), SyncError> {
        let program = passing_git(git_for_network(self.path, None, self.source.env, false));
        let program = program.args(["-c", "submodule.recurse=false", "reset", "--hard"]);
        must("git reset", self.path, counting(program, step)).map(drop)
    }
}

/// Makes git report progress without a terminal and without a delay.
fn counting<'a>(program: Program<'a>, step: Option<&'a Step>) -> Program<'a> {
    let program = program.var("GIT_PROGRESS_DELAY", "0");
    match step {
        Some(step) => program.counting(step),
        None => program,
    }
}

/// Resets a clone's settings to those of a new one, and removes what a new clone does not have: hooks, ignore rules,
/// sparse checkouts. Returns the name of the parent.
pub(super) fn set_back(source: &Source<'_>, root: &Path) -> Result<String, SyncError> {
    let settings = source.settings()?;
    let others = remotes(&settings, source.root);
    let parent = name_of_parent("origin", others.iter().map(|remote| remote.name.as_str()));
    let own = Source { root, git_dir: None, env: source.env }.settings()?;
    let clone = Clone { source, path: root, parent: &parent };
    for name in NOT_IN_NEW.into_iter().chain(BESIDE) {
        let path = clone.file(name);
        let gone = match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path),
            Ok(_) => std::fs::remove_file(&path),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e),
        };
        gone.map_err(|source| SyncError::Path { path, source })?;
    }
    let config = of_disk(&own) + &parent_text(&parent, source.root);
    clone.carry(config, &settings, &others)?;
    Ok(parent)
}

/// Gives a commit of the parent a name among the refs of its remote.
pub(crate) fn name_remote(root: &Path, git_dir: &Path, parent: &str, id: &str, env: &Env) -> Result<(), SyncError> {
    let name = format!("refs/remotes/{parent}/bd-base-{}", id.get(..12).unwrap_or(id));
    let program = git_at(root, Some(git_dir), env).args(["update-ref", "--no-deref", &name, id]);
    must("git update-ref", root, program).map(drop)
}

pub(super) fn branches(root: &Path, env: &Env) -> Result<BTreeSet<String>, SyncError> {
    let query = ask(root, env).args(["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes"]);
    let printed = must("git for-each-ref", root, query.keeping(MAX))?.stdout;
    let printed = String::from_utf8_lossy(&printed);
    let short = |name: &str| {
        let remote = || Some(name.strip_prefix("refs/remotes/")?.split_once('/')?.1);
        name.strip_prefix("refs/heads/").or_else(remote).map(str::to_owned)
    };
    Ok(printed.lines().filter_map(short).collect())
}

/// The tips of all branches, including those of remotes.
pub(super) fn tips(root: &Path, most: usize, env: &Env) -> Result<Tips, SyncError> {
    const FORMAT: &str = "--format=%(objectname) %(symref) %(refname)";
    let list = |of: &[&str]| -> Result<Vec<Tip>, SyncError> {
        let count = format!("--count={}", most + 1);
        let query = ask(root, env).args(["for-each-ref", "--sort=-committerdate", &count, FORMAT]).args(of);
        let printed = must("git for-each-ref", root, query.args(["refs/heads", "refs/remotes"]).keeping(MAX))?.stdout;
        let tip = |line: &str| {
            let mut words = line.splitn(3, ' ');
            // A symbolic ref such as origin/HEAD does not count.
            let (commit, name) = (words.next()?, words.next().filter(|symref| symref.is_empty()).and(words.next())?);
            let name = name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/remotes/"))?;
            Some(Tip { name: name.to_owned(), commit: commit.to_owned(), is_merged: false })
        };
        Ok(String::from_utf8_lossy(&printed).lines().filter_map(tip).collect())
    };
    let mut all = list(&[])?;
    // Before the first commit nothing is merged, and git reports that by failing.
    let merged: BTreeSet<String> =
        list(&["--merged=HEAD"]).unwrap_or_default().into_iter().map(|tip| tip.name).collect();
    all.iter_mut().for_each(|tip| tip.is_merged = merged.contains(&tip.name));
    Ok(Tips::first(all, most))
}

/// Creates a new branch, with the parent as a remote; the parent's commits do not count as made here.
pub(super) fn settle(root: &Path, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
    if let Some(what) = unfinished(root) {
        return Err(SyncError::Unfinished { root: from.to_owned(), what: what.to_owned() });
    }
    check_name(root, branch, root, env)?;
    let source = Source { root, git_dir: None, env };
    if source.commit(&format!("refs/heads/{branch}"))?.is_some() {
        return Err(no_checkout(root, format!("the branch {branch} exists already; name another branch")));
    }
    let settings = source.settings()?;
    let others = remotes(&settings, from);
    let parent = name_of_parent("origin", others.iter().map(|remote| remote.name.as_str()));
    let config = root.join(".git/config");
    let text = files::text(&config).unwrap_or_default() + &parent_text(&parent, from);
    std::fs::write(&config, text).map_err(|source| SyncError::Path { path: config, source })?;
    for (key, old, new) in moved(&settings, from) {
        let program = git(root, env).args(["config", "--local", "--fixed-value", "--replace-all", key, &new, old]);
        must("git config", root, program)?;
    }
    let format = "--format=%(refname) %(objectname) %(*objectname)";
    let query = ask(root, env).args(["for-each-ref", format, "refs/heads", "refs/tags", "refs/stash"]);
    let printed = must("git for-each-ref", root, query.keeping(MAX))?.stdout;
    let mut orders = String::new();
    for line in String::from_utf8_lossy(&printed).lines() {
        let mut words = line.split(' ').filter(|word| !word.is_empty());
        let (Some(name), Some(id)) = (words.next(), words.next()) else { continue };
        let id = words.next().unwrap_or(id);
        match (name.strip_prefix("refs/heads/"), name.strip_prefix("refs/tags/")) {
            (Some(short), _) => orders.push_str(&format!("update refs/remotes/{parent}/{short} {id}\n")),
            (_, Some(short)) if commit(root, id, env)?.is_some() => {
                orders.push_str(&format!("update refs/remotes/{parent}/bd-tags/{short} {id}\n"));
            }
            // Stashes stay with the parent.
            _ if name == "refs/stash" => orders.push_str("delete refs/stash\n"),
            _ => {}
        }
    }
    let head = source.commit("HEAD")?;
    orders.extend(head.as_ref().map(|id| format!("update refs/heads/{branch} {id}\n")));
    let program = git(root, env).args(["update-ref", "--no-deref", "--stdin"]).input(orders.into_bytes());
    must("git update-ref", root, program)?;
    let head_name = format!("refs/heads/{branch}");
    must("git symbolic-ref", root, git(root, env).args(["symbolic-ref", "HEAD", &head_name]))?;
    match head {
        Some(start) => Clone { source: &source, path: root, parent: &parent }.name_start(&start),
        None => Ok(()),
    }
}
