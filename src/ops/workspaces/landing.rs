//! Bringing the work of one finished workspace home: its commits are merged into the checkout that it was made from.
//!
//! Work that conflicts, or does not pass its check, goes back into the pool: the issue is open again, with the reason,
//! and the workspace stays. The steps of that are ordered so that a crash leaves a finished workspace, which is simply
//! tried again, or an issue that is ready.

use std::path::{Path, PathBuf};

use super::WorkspaceError;
use super::finished::{closed_there, finished, is_merged};
use super::inspect::{Around, Inspection, inspect, parent_of};
use super::lines::bring_home;
use super::trial::Trial;
use super::update::{WorkspaceUpdate, update};
use super::{Removal, remove};
use crate::ledger::LedgerError;
use crate::model::change::Change;
use crate::model::issue;
use crate::model::record::Record;
use crate::model::words::words;
use crate::model::workspace::State;
use crate::ops::claims::remote;
use crate::ops::removal_reasons::Loss;
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::ops::{OpError, Result, comment, here};
use crate::store::{Arriving, ClaimWish, RecordError, ReleaseWish, StateLock, Store, StoreError, SyncError, real_path};
use crate::sys::lock::LockError;
use crate::{sys, vcs};

/// How often to start over when others commit code meanwhile.
const TRIES: usize = 6;

words! {
    /// What became of a workspace's work.
    pub enum Outcome {
        Landed = "landed",
        /// In a dry run.
        WouldLand = "would_land",
        /// It stays as it is, and why.
        NotReady = "not_ready",
        /// Its code conflicts; the issue is ready again.
        Conflict = "conflict",
        /// It does not pass the check; the issue is ready again.
        CheckFailed = "check_failed",
    }
}

impl Outcome {
    pub fn is_landed(self) -> bool {
        matches!(self, Outcome::Landed | Outcome::WouldLand)
    }

    /// The issue was put back.
    pub fn is_put_back(self) -> bool {
        matches!(self, Outcome::Conflict | Outcome::CheckFailed)
    }
}

/// A workspace, and what became of its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandRow {
    pub id: String,
    pub branch: Option<String>,
    pub path: String,
    pub issue: Option<String>,
    pub title: Option<String>,
    pub outcome: Outcome,
    /// Why it has not landed.
    pub why: Option<String>,
    /// The files that conflict.
    pub files: Vec<PathBuf>,
    /// The end of the check's output.
    pub output: Option<String>,
    /// How often the issue has failed.
    pub attempts: Option<i64>,
    /// The commit that was checked out before, and the one that is now.
    pub before: Option<String>,
    pub commit: Option<String>,
}

impl LandRow {
    pub(super) fn of(store: &Store, known: &Known, outcome: Outcome, why: Option<String>) -> Result<Self> {
        let one = &known.workspace;
        let row = one.issue.as_deref().map_or(Ok(None), |id| store.get(id))?;
        Ok(LandRow {
            id: one.id.clone(),
            branch: one.branch.clone(),
            path: one.path.clone(),
            issue: one.issue.clone(),
            title: row.map(|row| row.issue.title),
            outcome,
            why,
            files: Vec::new(),
            output: None,
            attempts: None,
            before: None,
            commit: None,
        })
    }
}

/// Only one process lands work at a time.
pub(super) fn turn(store: &Store) -> Result<StateLock> {
    store.worktree()?;
    let state = store.state().inside("landing");
    state.lock(std::time::Duration::ZERO).map_err(|error| match error {
        RecordError::Ledger(LedgerError::Lock(LockError::Timeout { .. })) => WorkspaceError::Landing.into(),
        other => other.into(),
    })
}

/// Brings one workspace home, without a check: the named one, or the only one that is finished.
pub fn merge_workspace(store: &Store, typed: Option<&str>, dry_run: bool, cwd: &Path) -> Result<LandRow> {
    let _turn = turn(store)?;
    let known = match typed {
        Some(typed) => records::find(store, typed)?,
        None => {
            let mut all = finished(store)?;
            match (all.pop(), all.is_empty()) {
                (None, _) => return Err(WorkspaceError::NothingFinished.into()),
                (Some(one), true) => one.known,
                (Some(last), false) => {
                    let names = all.iter().chain([&last]).map(|one| one.known.workspace.id.clone());
                    return Err(OpError::Ambiguous { typed: String::new(), candidates: names.collect() });
                }
            }
        }
    };
    let mut home = store.opened_at(&parent_of(&known.workspace))?;
    home.look_again()?;
    refuse_changed(&home)?;
    let around = Around::of(store, cwd)?;
    match readiness(&home, &known, &around)? {
        Readiness::NotReady(why) => LandRow::of(&home, &known, Outcome::NotReady, Some(why)),
        Readiness::Home(_) if known.workspace.state == State::Merged => {
            LandRow::of(&home, &known, Outcome::NotReady, Some("it is merged already".to_owned()))
        }
        _ if dry_run => LandRow::of(&home, &known, Outcome::WouldLand, None),
        Readiness::Home(commit) => arrived(&mut home, &known, commit, cwd),
        Readiness::Ready => bring(&mut home, &known, None, cwd),
    }
}

/// Refuses to merge over changed files. Changes of the ledger are committed first.
pub(super) fn refuse_changed(home: &Store) -> Result<()> {
    let files = home.changed_code()?;
    let root = here::root(home);
    branch_of(home)?;
    if files.is_empty() { Ok(()) } else { Err(WorkspaceError::HomeChanged { root, files }.into()) }
}

/// Whether the work of a workspace can come home.
pub(super) enum Readiness {
    Ready,
    NotReady(String),
    /// Its code is home already, as by a squash on a server; as this commit if that is known.
    Home(Option<String>),
}

pub(super) fn readiness(home: &Store, known: &Known, around: &Around) -> Result<Readiness> {
    let one = &known.workspace;
    let path = Path::new(&one.path);
    match one.state {
        State::Active | State::Idle => {}
        State::Merged if is_merged(home, one) => return Ok(Readiness::Home(one.merge_commit.clone())),
        State::Merged => {}
        other => return Ok(Readiness::NotReady(format!("it is {}", other.word()))),
    }
    if !path.is_dir() {
        return Ok(Readiness::NotReady("its directory is missing".to_owned()));
    }
    let look = inspect(home, known, path, around)?;
    Ok(match (obstacle(home, known, path, &look)?, look.merged) {
        (Some(why), _) => Readiness::NotReady(why),
        (None, Some(merged)) => Readiness::Home(merged.commit),
        (None, _) => Readiness::Ready,
    })
}

/// Why the work of a workspace cannot come home as it is.
fn obstacle(home: &Store, known: &Known, path: &Path, look: &Inspection) -> Result<Option<String>> {
    let one = &known.workspace;
    let blocks = |loss: Loss| {
        use Loss::*;
        matches!(loss, NotOurs | Changed | Untracked | Unfinished | Lease | Process | Unknown)
    };
    let against: Vec<&str> =
        look.reasons.iter().filter(|reason| blocks(reason.loss)).map(|reason| reason.text.as_str()).collect();
    if !against.is_empty() {
        return Ok(Some(against.join("; ")));
    }
    let there = vcs::open(path);
    if !there.is_versioned() {
        return Ok(Some("it is not under version control; its issues came home when its job ended".to_owned()));
    }
    if there.branch() != one.branch {
        let now = there.branch().unwrap_or_else(|| "no branch".to_owned());
        return Ok(Some(format!("{now} is checked out in it, not {}", one.branch.as_deref().unwrap_or("its branch"))));
    }
    if let Some(base) = one.base_commit.as_deref().filter(|base| !matches!(home.contains(base), Ok(true))) {
        let short = base.get(..10).unwrap_or(base);
        return Ok(Some(format!("it was made from the commit {short}, which is not in what is checked out here")));
    }
    match &one.issue {
        Some(issue) => unfinished(home, known, issue, look),
        None => Ok(None),
    }
}

/// Why its issue is not finished, or would not be once it has come home.
fn unfinished(home: &Store, known: &Known, issue: &str, look: &Inspection) -> Result<Option<String>> {
    let line = look.homeward.lines.iter().find(|(id, _)| id == issue).map(|(_, line)| line.clone());
    let line = match line {
        Some(line) => Some(line),
        None => home.get(issue)?.map(|row| row.line),
    };
    let Some(line) = line else { return Ok(Some(format!("{issue} is in no ledger here"))) };
    let status = Record::parse(&line).map(|record| issue::status_of(&record)).ok();
    Ok(match status {
        Some(status) if status.is_tombstone() => Some(format!("{issue} was deleted")),
        Some(status) if status.is_done() => None,
        _ if closed_there(home, known, issue).is_some() => {
            Some(format!("{issue} was reopened after it was closed there"))
        }
        _ => Some(format!("{issue} is not closed")),
    })
}

/// Brings home what its ledger says, where its code has come home in another way.
pub(super) fn arrived(home: &mut Store, known: &Known, commit: Option<String>, cwd: &Path) -> Result<LandRow> {
    if !bring_home(home, &known.workspace, Path::new(&known.workspace.path))?.is_empty() {
        let root = here::root(home);
        commit_ledger(home, &root)?;
        home.look_again()?;
    }
    let commit = commit.map_or_else(|| Ok(home.checked_out()?), Ok::<_, OpError>)?;
    note_merged(home, known, &commit, cwd)?;
    LandRow::of(home, known, Outcome::Landed, None)
}

/// Brings it home. Without a trial, it is merged here at once.
pub(super) fn bring(home: &mut Store, known: &Known, trial: Option<&Trial>, cwd: &Path) -> Result<LandRow> {
    let one = &known.workspace;
    let path = Path::new(&one.path);
    commit_ledger(&mut home.opened_at(&one.directory())?, path)?;
    let branch = one.branch.clone().unwrap_or_default();
    let tip = home.take_branch(path, &branch)?;
    let began_on = branch_of(home)?;
    for _ in 0..TRIES {
        let tried = match trial {
            None => (tip.clone(), None),
            Some(trial) => {
                let head = home.checked_out()?;
                trial.set_to(home, &head)?;
                let merged = match home.try_landing(&trial.root, &Arriving { commit: &tip, branch: &branch }) {
                    Err(StoreError::Vcs(SyncError::Conflicts { files, .. })) => {
                        return put_back(home, known, Outcome::Conflict, conflict(&files), |row| LandRow {
                            files: files.clone(),
                            ..row
                        });
                    }
                    merged => merged?,
                };
                let failed = if merged == head { None } else { trial.check(home, &merged, one.issue.as_deref())? };
                if let Some(failed) = failed {
                    trial.refuse_without(home, &head)?;
                    let why = format!("its check failed: {}", failed.why);
                    return put_back(home, known, Outcome::CheckFailed, why, |row| LandRow {
                        output: Some(failed.output.clone()).filter(|output| !output.is_empty()),
                        ..row
                    });
                }
                (merged, Some(head))
            }
        };
        let (commit, head) = &tried;
        if branch_of(home)? != began_on {
            return Err(WorkspaceError::OtherBranch { branch: began_on }.into());
        }
        match home.land(&Arriving { commit, branch: &branch }, head.as_deref()) {
            Err(StoreError::Vcs(SyncError::Conflicts { files, .. })) => {
                return put_back(home, known, Outcome::Conflict, conflict(&files), |row| LandRow {
                    files: files.clone(),
                    ..row
                });
            }
            Ok(Some(landed)) => {
                note_merged(home, known, &landed.after, cwd)?;
                let row = LandRow::of(home, known, Outcome::Landed, None)?;
                return Ok(LandRow { before: Some(landed.before), commit: Some(landed.after), ..row });
            }
            Ok(None) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(StoreError::from(SyncError::Busy { root: here::root(home) }).into())
}

/// The branch that work comes home to.
pub(super) fn branch_of(home: &Store) -> Result<String> {
    let root = here::root(home);
    vcs::open(&root).branch().ok_or_else(|| WorkspaceError::NoBranch { root }.into())
}

fn conflict(files: &[PathBuf]) -> String {
    let shown: Vec<String> = files.iter().take(5).map(|file| file.display().to_string()).collect();
    let more = if files.len() > 5 { format!(" and {} more", files.len() - 5) } else { String::new() };
    format!("it conflicts in {}{more}", shown.join(", "))
}

/// Commits the ledger of a checkout, so that it comes home with the rest. One that is shared with another checkout, or
/// that is never committed, stays as it is.
fn commit_ledger(there: &mut Store, root: &Path) -> Result<()> {
    let is_own = there.ledger_path(0).is_some_and(|ledger| real_path(ledger).starts_with(real_path(root)));
    let vcs = vcs::open(root);
    let is_known = |inside: &PathBuf| vcs.committed(inside, &there.host().env).is_ok_and(|known| known.is_some());
    if !is_own || !there.own_ledgers().iter().all(is_known) {
        return Ok(());
    }
    let done = there.commit_now(Some(0), None, false)?;
    match done.into_iter().find_map(|one| one.error) {
        // A contributor has written nothing there.
        None | Some(StoreError::NotCommitter { .. }) => Ok(()),
        Some(error) => Err(error.into()),
    }
}

/// Records that its work is here.
fn note_merged(home: &Store, known: &Known, commit: &str, cwd: &Path) -> Result<()> {
    let one = &known.workspace;
    let merged = WorkspaceUpdate {
        state: Some(State::Merged),
        merge_commit: Some(commit.to_owned()),
        ..WorkspaceUpdate::default()
    };
    update(home, &one.id, &merged)?;
    if home.settings().flag("workspace.cleanup_on_complete") && !one.is_adopted {
        // It stays where something prevents that, and `gc` tries again.
        let _ = remove::remove(home, &one.id, Removal::default(), cwd);
    }
    Ok(())
}

/// Makes the issue ready again, with the reason, and counts the attempt. The workspace stays.
fn put_back(
    home: &mut Store,
    known: &Known,
    outcome: Outcome,
    why: String,
    with: impl FnOnce(LandRow) -> LandRow,
) -> Result<LandRow> {
    let one = &known.workspace;
    let mut attempts = None;
    if let Some(issue) = &one.issue {
        let branch = one.branch.as_deref().unwrap_or("its branch");
        let text = format!("Not landed: {why}. The work is on {branch} in the workspace {}.", one.id);
        home.look_again()?;
        let row = home.get(issue)?;
        // A landing that was killed has said so already.
        let is_known = row.as_ref().is_some_and(|row| row.issue.comments.last().is_some_and(|last| last.text == text));
        if !is_known && row.is_some() {
            home.change(issue, vec![Change::AddComment(comment(home, text, None))])?;
        }
        if home.settings().flag("claims.remote") && !home.is_plan(issue)? {
            match remote::release(home, issue, Some(&why)) {
                Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) => {}
                released => drop(released?),
            }
        }
        let mut there = home.opened_at(&one.directory())?;
        there.look_again()?;
        if there.get(issue)?.is_some_and(|row| row.issue.status.is_done()) {
            there.change(issue, vec![Change::Reopen { comment: None }])?;
        }
        home.look_again()?;
        attempts = count(home, issue, &why)?;
        let root = here::root(home);
        commit_ledger(home, &root)?;
    }
    let row = LandRow::of(home, known, outcome, Some(why))?;
    Ok(with(LandRow { attempts, ..row }))
}

/// Counts a failed attempt; `None` if somebody has taken the issue meanwhile.
fn count(home: &mut Store, issue: &str, why: &str) -> Result<Option<i64>> {
    // If this process is killed in between, the claim ends with it.
    let owner = sys::owner(std::process::id());
    match home.claim(issue, &ClaimWish { aside: true, owner, ..ClaimWish::default() }) {
        Ok(_) => {
            let failed = ReleaseWish { failed: Some(why.to_owned()), reason: None };
            Ok(Some(home.release(issue, &failed)?.attempts))
        }
        Err(StoreError::Lease(_) | StoreError::Change(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
