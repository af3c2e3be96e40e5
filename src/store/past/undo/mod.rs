//! Undo: takes back the last writes of an actor, from this checkout's log or else from the actor's commits, as a new
//! write.
//!
//! History is never rewritten, and later edits by others are kept: on a line edited since, only the actor's own values
//! are reverted, and if just those were changed again, the whole undo is refused. Everything is planned and checked
//! before the first byte is written; an undo may not do what a write may not do.

mod outcome;
mod plan;
mod settings;

pub use outcome::{Undo, UndoAction, UndoneIssue, UndoneWrite};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::history::OwnCommit;
use crate::ledger::{LedgerError, LineChange};
use crate::model::merge::differing;
use crate::store::file_names::{WRITES_NAME, is_renamed_ledger};
use crate::store::project::settings::{ConfigError, ConfigFault};
use crate::store::project::{home, mark, paths};
use crate::store::state::checkout_id::Noted;
use crate::store::state::log::{Contents, Entry, Line, Stays, woven};
use crate::store::write::current_write::CurrentWrite;
use crate::store::write::{Locks, Written};
use crate::store::{Project, Result, Snapshot, Store, StoreError};
use plan::{Past, Plan};

impl Project {
    /// The name of this checkout in the log.
    pub(in crate::store) fn undo_key(&self) -> String {
        self.repos.primary_member().repo.beads().display().to_string()
    }

    /// Treats what this checkout wrote before it was moved as written here.
    fn follow_move(&self, home: &Path, lines: &mut [Line]) {
        let now = PathBuf::from(self.undo_key());
        let Some(own) = Noted::of(&now.join("ledger"), home) else { return };
        for part in lines.iter_mut().filter_map(|line| line.entry.as_mut()) {
            let is_own = part.checkout.as_ref() == Some(&own.mark);
            if let Some(root) = is_own.then(|| own.former_root(Path::new(&part.from), &now)).flatten() {
                part.moved(&root, &own.root);
            }
        }
    }

    /// Refuses to touch a ledger outside the project that is only named by a log not known to be this user's.
    fn refuse_unmarked_log(&self, past: &Past, ledger: &str) -> Result<()> {
        let names =
            |part: &Entry| part.ledger == ledger || part.with.iter().chain(&part.guests).any(|one| one == ledger);
        let naming = past.parts.iter().zip(&past.homes).filter(|(part, _)| names(part)).map(|(_, home)| home);
        match naming.into_iter().find(|home| !mark::is_own(home, &self.host.env)) {
            Some(home) => {
                let message = format!("names {ledger}, and is not known to be yours");
                Err(ConfigError::whole(home.join(WRITES_NAME), message, ConfigFault::Unmarked).into())
            }
            None => Ok(()),
        }
    }
}

impl Snapshot {
    /// The logs of all repos as one, and the time before which one of them is incomplete.
    fn undo_lines(&self) -> Result<(Vec<Line>, String)> {
        let homes: BTreeSet<&Path> = (0..self.sources.len()).map(|source| self.sources.home(source)).collect();
        let mut logs = Vec::new();
        let mut since = String::new();
        for home in homes {
            let Contents { newest: mut lines, has_forgotten, .. } = Contents::read(home, &self.outboxes_at(home))?;
            // Notes for `bd recover` are not writes.
            lines.retain(|line| line.entry.as_ref().is_none_or(|entry| !entry.write.is_empty()));
            self.follow_move(home, &mut lines);
            if let (true, Some(first)) = (has_forgotten, lines.iter().find_map(|line| line.entry.as_ref())) {
                since = since.max(first.at.clone());
            }
            logs.push(lines);
        }
        Ok((woven(logs), since))
    }

    /// The last writes of this actor from here, newest first.
    fn chosen(&self, lines: &[Line], since: &str, count: usize, repairs: &mut Vec<UndoneWrite>) -> Result<Vec<Past>> {
        let (actor, here) = (self.actor().to_owned(), self.undo_key());
        let mut all: Vec<Past> = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            let own = |part: &&Entry| part.actor == actor && part.from == here;
            let Some(part) = line.entry.as_ref().filter(own) else { continue };
            let home = line.path.parent().unwrap_or(Path::new("")).to_owned();
            match all.iter_mut().rev().find(|past| past.parts[0].write == part.write) {
                Some(past) => {
                    past.parts.push(part.clone());
                    past.homes.push(home);
                }
                None => all.push(Past { parts: vec![part.clone()], homes: vec![home], first: n, commit: None }),
            }
        }
        all.retain(|past| past.parts.iter().all(|part| part.at.as_str() >= since));
        let mut chosen = Vec::new();
        for past in all.into_iter().rev() {
            if chosen.len() == count {
                break;
            }
            match past.stays() {
                Some(Stays::Repair) => repairs.push(past.summary()),
                Some(Stays::Large) => {
                    let UndoneWrite { command, at, .. } = past.summary();
                    return Err(StoreError::UndoTooLarge { command, at });
                }
                None => chosen.push(past),
            }
        }
        // An unreadable line may belong to one of these writes, or have changed the same issues.
        let first = chosen.last().filter(|_| chosen.len() == count).map_or(0, |past| past.first);
        match lines.iter().skip(first).find(|line| line.entry.is_none()) {
            Some(line) => Err(StoreError::UndoLog { path: line.path.clone(), line: line.number }),
            None if chosen.is_empty() => self.committed(&actor, &here, count),
            None if chosen.len() < count => Err(StoreError::NothingToUndo { actor, known: chosen.len(), count }),
            None => chosen.iter().try_for_each(|past| self.refuse_strays(past)).map(|()| chosen),
        }
    }

    /// Refuses a write if a log names ledgers it is not the log of. An unpacked archive may contain such a log; it is
    /// valid only for its own ledger.
    fn refuse_strays(&self, past: &Past) -> Result<()> {
        let is_stray = |(part, home): &(&Entry, &PathBuf)| {
            let theirs = match self.source_at(&part.ledger) {
                Some(source) => self.sources.home(source).to_owned(),
                None => {
                    let beads = Path::new(&part.ledger).parent().unwrap_or(Path::new(""));
                    home::Site::of(beads, &self.host.env).settings_home()
                }
            };
            paths::real(&theirs) != paths::real(home)
        };
        match past.parts.iter().zip(&past.homes).find(is_stray) {
            Some((part, _)) => Err(StoreError::UndoElsewhere { ledger: PathBuf::from(&part.ledger) }),
            None => Ok(()),
        }
    }

    /// The last commits of this actor, if the log has nothing: on another machine, or after it was deleted.
    fn committed(&self, actor: &str, here: &str, count: usize) -> Result<Vec<Past>> {
        let commits = self.commits_of(actor, count)?;
        if commits.len() < count {
            return Err(StoreError::NothingToUndo { actor: actor.to_owned(), known: commits.len(), count });
        }
        let past = |one: OwnCommit| {
            let part = |(source, changes): (usize, Vec<LineChange>)| Entry {
                write: one.commit.id.clone(),
                from: here.to_owned(),
                ledger: self.sources.ledger(source).path().display().to_string(),
                at: one.commit.authored.to_string(),
                actor: actor.to_owned(),
                changes,
                ..Entry::default()
            };
            let parts = one.changes.into_iter().map(part).collect();
            Past { parts, homes: Vec::new(), first: 0, commit: Some(one.commit.id.clone()) }
        };
        Ok(commits.into_iter().map(past).collect())
    }

    /// The other ledgers in repos that only the command named.
    pub(in crate::store) fn guest_ledgers(&self, but: &str) -> Vec<String> {
        let members = &self.repos.members;
        let guests = (0..self.sources.len()).filter(|n| self.is_guest(&members[self.sources.member_of(*n)].name));
        let guests = guests.map(|n| self.sources.ledger(n).path().display().to_string());
        guests.filter(|ledger| ledger != but).collect()
    }

    /// The ledger with this name in the log.
    pub(in crate::store) fn source_at(&self, ledger: &str) -> Option<usize> {
        let then = Path::new(ledger);
        (0..self.sources.len()).find(|n| {
            let now = self.sources.ledger(*n).path();
            now == then || is_renamed_ledger(then, now)
        })
    }

    /// The ledgers that were written; all of them if references and cycles must be checked over the whole project.
    fn ledgers_to_lock(&self, chosen: &[Past]) -> Result<Vec<usize>> {
        let parts = || chosen.iter().flat_map(|past| &past.parts);
        let sources: Vec<usize> = parts().filter_map(|part| self.source_at(&part.ledger)).collect();
        let mut wanted = Vec::new();
        for source in sources {
            wanted.push(self.writable(self.sources.member_of(source))?);
        }
        let binds = |before: &Option<String>, after: &Option<String>| match (before, after) {
            (Some(before), Some(after)) => differing(before, after).iter().any(|key| key == "dependencies"),
            _ => true,
        };
        if parts().flat_map(|part| &part.changes).any(|change| binds(&change.before, &change.after)) {
            let all = (0..self.repos.members.len()).filter_map(|n| self.sources.of_member(n).first().copied());
            wanted.extend(all.collect::<Vec<_>>());
        }
        Ok(wanted)
    }

    fn undone(&self, step: &plan::Step) -> UndoneIssue {
        let (action, fields) = match (&step.now, &step.new) {
            (Some(now), Some(new)) => (UndoAction::Reverted, differing(now, new)),
            (Some(_), None) => (UndoAction::Removed, Vec::new()),
            (None, _) => (UndoAction::Restored, Vec::new()),
        };
        let source_repo = self.name(self.sources.member_of(step.source)).to_owned();
        UndoneIssue { id: step.id.clone(), source_repo, action, fields, line: step.new.clone() }
    }

    fn as_written(&self, step: &plan::Step) -> Written {
        Written {
            id: step.id.clone(),
            line: step.new.clone().or_else(|| step.now.clone()).unwrap_or_default(),
            before: step.now.clone(),
            changed: true,
            source_repo: self.name(self.sources.member_of(step.source)).to_owned(),
        }
    }
}

impl Store {
    /// Joins repos that a write went to because its command named them. Returns whether one was added.
    fn join_ledgers_of(&mut self, chosen: &[Past]) -> Result<bool> {
        let mut joined = false;
        for past in chosen {
            let named = |part: &'_ Entry| [part.with.clone(), part.guests.clone(), vec![part.ledger.clone()]].concat();
            for ledger in &past.parts.iter().flat_map(named).collect::<Vec<String>>() {
                let elsewhere = || StoreError::UndoElsewhere { ledger: PathBuf::from(ledger) };
                if self.source_at(ledger).is_none() {
                    self.refuse_unmarked_log(past, ledger)?;
                    let root = Path::new(ledger).parent().and_then(Path::parent).ok_or_else(elsewhere)?;
                    self.join(&root.display().to_string()).map_err(|_| elsewhere())?;
                    self.source_at(ledger).ok_or_else(elsewhere)?;
                    joined = true;
                }
                // Its own log must have it too, or only a part of the write would be undone.
                let is_written = past.parts.iter().any(|part| part.with.contains(ledger));
                if is_written && !joined && !past.parts.iter().any(|part| part.ledger == *ledger) {
                    return Err(elsewhere());
                }
            }
        }
        Ok(joined)
    }

    /// Whether the current write has changed a ledger.
    pub fn has_written(&self) -> bool {
        !self.current_write.borrow().changed().is_empty()
    }

    /// Groups everything written through this store into one write for [`Store::undo`], named after a command.
    pub fn write_as_one(&mut self, command: &str) {
        self.current_write =
            CurrentWrite { command: command.to_owned(), is_one: true, ..CurrentWrite::default() }.into();
    }

    /// Takes back the last writes of this actor, or only returns what that would do.
    pub fn undo(&mut self, count: usize, dry_run: bool) -> Result<Undo> {
        self.refuse_broken()?;
        self.look_again()?;
        let mut undo = Undo::default();
        let (chosen, lines) = loop {
            let (lines, since) = self.undo_lines()?;
            undo.repairs.clear();
            let chosen = self.chosen(&lines, &since, count, &mut undo.repairs)?;
            // A repo that only the command named has its own log.
            if !self.join_ledgers_of(&chosen)? {
                break (chosen, lines);
            }
        };
        undo.writes = chosen.iter().map(Past::summary).collect();
        let numbering = self.numbering;
        let wanted = self.ledgers_to_lock(&chosen)?;
        let locks = if dry_run { Locks::none() } else { self.lock(&wanted)? };
        self.look_again()?;
        if numbering != self.numbering {
            return Err(LedgerError::Unstable { path: self.settings.files.shared.clone() }.into());
        }
        let log: Vec<&Entry> = lines.iter().filter_map(|line| line.entry.as_ref()).collect();
        let plan = Plan::make(self, &chosen, &log)?;
        plan.check(self)?;
        let settings = settings::steps(&chosen)?;
        let renames = plan.renames();
        for (source, names) in &renames {
            self.may_rename_claims(*source, names)?;
        }
        undo.issues = plan.steps.iter().map(|step| self.undone(step)).collect();
        if dry_run {
            return Ok(undo);
        }
        let mut written: Vec<(usize, Vec<Written>)> = Vec::new();
        for (source, steps) in plan.in_order() {
            let Some((_, lock)) = locks.iter().find(|(locked, _)| *locked == source) else { continue };
            self.write_ledger(lock, |draft| plan::take(&steps, draft, lock.ledger().path()))?;
            written.push((source, steps.iter().map(|step| self.as_written(step)).collect()));
        }
        for (source, names) in &renames {
            self.rename_claims(*source, names)?;
        }
        drop(locks);
        for names in renames.values() {
            self.rename_records(names)?;
        }
        self.apply_settings(settings)?;
        self.commit_ledgers(&written);
        Ok(undo)
    }
}
