//! Transferring issues between a workspace and its parent checkout.
//!
//! A workspace starts with what is committed, which may not include its issue, so that is brought in. Issues that were written
//! in the workspace are brought home before the workspace is removed. Nothing is removed on either side; if both have
//! changed an issue, the two versions are merged.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::ledger::{Document, Line, MAX_LEDGER};
use crate::model::json::DialectEvidence;
use crate::model::merge::{join_copies, means_same};
use crate::model::workspace::Workspace;
use crate::ops::Result;
use crate::store::{Scope, Store, StoreError, Write};
use crate::sys::below;
use crate::{ledger, vcs};

/// How many ancestors to follow, in case of a cycle.
const DEEP: usize = 16;

/// Gives a workspace the lines of an issue, its ancestors and its blockers that it lacks.
pub(in crate::ops) fn bring_in(parent: &mut Store, there: &mut Store, id: &str) -> Result<()> {
    parent.look_again()?;
    there.look_again()?;
    let mut wanted = vec![id.to_owned()];
    let mut at = Some(id.to_owned());
    while let Some(id) = at.take().filter(|_| wanted.len() < DEEP) {
        let Some(row) = parent.get(&id)? else { break };
        for edge in &row.issue.dependencies {
            let is_new = !wanted.contains(&edge.target);
            if edge.kind.is_parent_child() && is_new {
                at = Some(edge.target.clone());
            }
            if is_new {
                wanted.push(edge.target.clone());
            }
        }
    }
    let mut lines = Vec::new();
    for id in wanted {
        // An issue of another repo is in no clone of this one.
        let Some(ours) = parent.get(&id)?.filter(|row| row.repo == 0) else { continue };
        let theirs = there.get(&id)?;
        if theirs.as_ref().is_none_or(|row| row.repo == 0 && row.line != ours.line) {
            lines.push((id, ours.line));
        }
    }
    put(there, lines)
}

/// What a workspace's ledger has and its parent's lacks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Homeward {
    /// The ledgers, as paths inside the workspace.
    pub ledgers: Vec<PathBuf>,
    /// Issues, with the lines that the parent should get.
    pub lines: Vec<(String, String)>,
    /// Some lines only there are not issues.
    pub has_others: bool,
}

/// Finds what to bring home from a workspace, whose directory may have been renamed.
pub(super) fn homeward(parent: &Store, one: &Workspace, at: &Path) -> Result<Homeward> {
    let mut found = Homeward::default();
    let read = |root: &Path, inside: &Path| match below::read(root, inside, MAX_LEDGER) {
        Ok(contents) => Ok(Some(contents.bytes)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(StoreError::from(error)),
    };
    for inside in parent.own_ledgers() {
        let Some(theirs) = read(at, &inside)? else { continue };
        let ours = read(Path::new(&one.parent), &inside)?.unwrap_or_default();
        found.ledgers.push(inside.clone());
        if ours == theirs {
            continue;
        }
        let base = began_with(parent, one, at, &inside);
        let merged = Document::new(ledger::merge(&base, &ours, &theirs).bytes);
        let ours = Document::new(ours);
        let texts: HashSet<&[u8]> = (0..ours.len()).map(|line| ours.text(line)).collect();
        for n in 0..merged.len() {
            match merged.line(n) {
                _ if texts.contains(merged.text(n)) => {}
                Line::Issue(record) => {
                    let id = record.string("id").unwrap_or_default().into_owned();
                    let known = ours.effective(&id).and_then(|line| ours.record(line));
                    if !known.is_some_and(|known| means_same(known.text(), record.text())) {
                        found.lines.push((id, record.text().to_owned()));
                    }
                }
                Line::Blank => {}
                Line::Other | Line::Damaged(_) => found.has_others = true,
            }
        }
    }
    Ok(found)
}

/// In the directory of a job: its initial ledgers, without version control.
const BEGAN: &str = "began";

/// Saves the current ledgers of an unversioned workspace: what is written from here on is new.
pub(super) fn keep_beginning(parent: &Store, one: &Workspace) -> Result<()> {
    let Some(context) = &one.context_dir else { return Ok(()) };
    if vcs::is_versioned(Path::new(&one.path)) {
        return Ok(());
    }
    for inside in parent.own_ledgers() {
        let to = Path::new(BEGAN).join(&inside);
        below::make(Path::new(context), to.parent().unwrap_or(&to)).map_err(StoreError::from)?;
        match below::read(Path::new(&one.path), &inside, MAX_LEDGER) {
            Err(error) if error.is_missing() => {}
            from => {
                let kept = from.and_then(|from| below::put(Path::new(context), &to, &from.bytes));
                kept.map_err(StoreError::from)?;
            }
        }
    }
    Ok(())
}

/// The initial ledger of a workspace; empty if unknown.
fn began_with(parent: &Store, one: &Workspace, at: &Path, inside: &Path) -> Vec<u8> {
    let (env, vcs) = (&parent.host().env, vcs::open(at));
    if !vcs.is_versioned() {
        return one
            .context_dir
            .as_ref()
            .and_then(|context| below::read(Path::new(context), Path::new(BEGAN).join(inside), MAX_LEDGER).ok())
            .map(|contents| contents.bytes)
            .unwrap_or_default();
    }
    let then = one.base_commit.as_deref().and_then(|commit| {
        let mut archive = vcs.archive(env).ok()?;
        let version = archive.version(inside, commit).ok()??;
        archive.text(&version).ok()
    });
    then.or_else(|| vcs.committed(inside, env).ok()?).unwrap_or_default()
}

/// Puts what is to be brought home into the parent's ledger. Returns the ids.
pub(super) fn bring_home(parent: &mut Store, one: &Workspace, at: &Path) -> Result<Vec<String>> {
    let mut transaction = parent.begin(Scope::Repos(vec![0]))?;
    // Decide under the lock: another workspace may be brought home at the same time.
    let found = homeward(transaction.store(), one, at)?;
    let mut ids = Vec::new();
    for (id, line) in found.lines {
        transaction.stage(Write::Put { id: id.clone(), line, repo: 0 })?;
        ids.push(id);
    }
    let (_, failed) = transaction.commit_all()?;
    failed.map_or(Ok(ids), |error| Err(error.into()))
}

/// Puts lines into the project's own ledger, merged with existing ones.
fn put(store: &mut Store, lines: Vec<(String, String)>) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut transaction = store.begin(Scope::Repos(vec![0]))?;
    for (id, line) in lines {
        let line = match transaction.store().get(&id)? {
            Some(row) if row.line == line => continue,
            Some(row) => {
                let dialect = DialectEvidence::of(&row.line).or(Default::default());
                join_copies(&line, &row.line, dialect).unwrap_or(line)
            }
            None => line,
        };
        match transaction.stage(Write::Put { id, line, repo: 0 }) {
            // A user who may not write the project has written nothing there.
            Ok(()) | Err(StoreError::ReadOnly { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let (_, failed) = transaction.commit_all()?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}
