//! Restores issues from history: a line that left the ledger, byte for byte, or an older version of an existing one, as
//! an edit.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::ledger::{Document, Edit, LedgerError, Outcome};
use crate::model::change::{Stamp, before_deletion, restore};
use crate::model::difference::{FieldChange, difference};
use crate::model::issue::status_of;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::record::Record;
use crate::store::project::paths;
use crate::store::read::typed_ids::each_once;
use crate::store::write::{Draft, Written};
use crate::store::{Access, Moment, PastLine, Result, Snapshot, Store, StoreError};
use crate::vcs::{self, Commit};

/// An issue that was restored, or in a dry run would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub id: String,
    pub source_repo: String,
    pub file: PathBuf,
    /// The line now.
    pub line: String,
    pub before: Option<String>,
    /// The commit with that version.
    pub commit: Commit,
    /// The commit that removed it from the ledger.
    pub removed: Option<Commit>,
    /// The differences from the ledger, or for a removed line, from its last version.
    pub fields: Vec<FieldChange>,
}

impl Restored {
    /// Whether the file was changed, or would be.
    pub fn changed(&self) -> bool {
        self.before.as_deref() != Some(self.line.as_str())
    }
}

/// A version to restore.
struct Wanted {
    id: String,
    source: usize,
    /// The line it is based on: the ledger's, or its last one.
    base: String,
    /// The version whose values to restore; `None` for the base as it is.
    past: Option<String>,
    is_present: bool,
    commit: Commit,
    removed: Option<Commit>,
}

/// History of the issues to restore, by id, looked up for all of them at once.
#[derive(Default)]
struct Found {
    /// Their versions at the requested point.
    then: HashMap<String, PastLine>,
    /// The last versions of removed ones.
    last: HashMap<String, PastLine>,
    /// The last versions of deleted ones before that.
    living: HashMap<String, PastLine>,
    /// The current ids of removed ones.
    renamed: HashMap<String, String>,
}

/// The result for each issue, in the order given.
type Each = Vec<(String, Result<Restored>)>;

impl Snapshot {
    /// Looks issues up in history.
    fn look_up(&self, ids: &BTreeSet<String>, last: HashMap<String, PastLine>, at: Option<&Moment>) -> Result<Found> {
        let mut found = Found { last, ..Found::default() };
        if let Some(moment) = at.filter(|_| !ids.is_empty()) {
            found.then = self.lines_at(ids, moment)?;
        }
        let absent = |id: &&String| self.owner(id).is_none() && !found.last.contains_key(*id);
        let absent: BTreeSet<String> = ids.iter().filter(absent).cloned().collect();
        if !absent.is_empty() {
            found.last.extend(self.last_of_each(&absent)?);
        }
        let left: Vec<PastLine> = ids.iter().filter_map(|id| found.last.get(id)).cloned().collect();
        found.renamed = self.called_now_each(&left)?;
        let mut deleted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for id in ids.iter().filter(|_| at.is_none()) {
            if let Some(source) = self.owner(id).filter(|source| self.is_deleted(*source, id)) {
                deleted.entry(self.sources.member_of(source)).or_default().insert(id.clone());
            }
        }
        for (member, ids) in deleted {
            found.living.extend(self.last_living(member, &ids)?);
        }
        Ok(found)
    }

    fn is_deleted(&self, source: usize, id: &str) -> bool {
        let line = self.line_in(source, id).unwrap_or_default();
        Record::parse(&line).is_ok_and(|record| status_of(&record).is_tombstone())
    }

    /// What to restore of an issue, if this user may.
    fn wanted(&self, id: &str, found: &Found, is_earlier: bool) -> Result<Wanted> {
        let wanted = match self.owner(id) {
            Some(source) => self.older(source, id, found, is_earlier)?,
            None => self.departed(id, found, is_earlier)?,
        };
        let member = self.sources.member_of(wanted.source);
        if let Access::Read(reason) = self.access_to_line(member, id, &wanted.base)? {
            return Err(StoreError::ReadOnly { what: id.to_owned(), repo: self.name(member).to_owned(), reason });
        }
        self.refuse_private(id, wanted.past.as_deref().unwrap_or(&wanted.base), false, member)?;
        self.writable(member)?;
        Ok(wanted)
    }

    /// An older version of an existing issue.
    fn older(&self, source: usize, id: &str, found: &Found, is_earlier: bool) -> Result<Wanted> {
        let refused = |why: String| Err(StoreError::CannotRestore { id: id.to_owned(), why });
        let line = self.line_in(source, id).unwrap_or_default();
        let past = if is_earlier {
            found.then.get(id).ok_or_else(|| not_then(id))?
        } else if self.is_deleted(source, id) {
            match found.living.get(id) {
                Some(past) => past,
                None => return refused("no commit has it as it was before it was deleted".to_owned()),
            }
        } else {
            return refused("it is there; --at REV or --at DATE names the version to bring back".to_owned());
        };
        if self.pair(id).is_some() {
            return refused("it is proposed, and has two copies; withdraw it first".to_owned());
        }
        let member = self.sources.member_of(source);
        if past.repo != member {
            // A text that was private there must not appear here.
            return refused(format!("it was in {} then, and is in {} now", self.name(past.repo), self.name(member)));
        }
        let PastLine { line: mut then, commit, removed, .. } = past.clone();
        if !is_earlier {
            let dialect = DialectEvidence::of(&line).or(Dialect::default());
            then = before_deletion(&line, &then, dialect).unwrap_or(then);
        }
        Ok(Wanted { id: id.to_owned(), source, base: line, past: Some(then), is_present: true, commit, removed })
    }

    /// A version of a removed issue.
    fn departed(&self, id: &str, found: &Found, is_earlier: bool) -> Result<Wanted> {
        if self.sources.ids()?.iter().any(|known| known == id) {
            // Its line exists but cannot be read; a second one would hide that.
            return Err(StoreError::Unreadable { id: id.to_owned(), what: "damaged line".to_owned() });
        }
        let last = found.last.get(id).ok_or_else(|| StoreError::NotFound { typed: id.to_owned() })?.clone();
        if let Some(now) = found.renamed.get(id) {
            let why = format!("it is called {now} now");
            return Err(StoreError::CannotRestore { id: id.to_owned(), why });
        }
        let source = self.writable(last.repo)?;
        let then = match found.then.get(id) {
            None if is_earlier => return Err(not_then(id)),
            then => then,
        };
        if let Some(other) = then.filter(|then| then.repo != last.repo) {
            let why = format!("it was in {} then, and in {} last", self.name(other.repo), self.name(last.repo));
            return Err(StoreError::CannotRestore { id: id.to_owned(), why });
        }
        let commit = then.map_or(last.commit, |then| then.commit.clone());
        let past = then.map(|then| then.line.clone());
        let id = id.to_owned();
        Ok(Wanted { id, source, base: last.line, past, is_present: false, commit, removed: last.removed })
    }

    /// The edit that restores a version in a document, if one is needed, and the resulting line.
    fn restoring(&self, document: &Document, wanted: &Wanted) -> Result<(Option<Edit>, String)> {
        let line = document.effective(&wanted.id);
        let base = match line {
            Some(line) => document.line_text(line),
            None => wanted.base.clone(),
        };
        if line.is_some() != wanted.is_present {
            // Someone restored or removed it at this very moment.
            let path = self.sources.ledger(wanted.source).path().to_owned();
            return Err(LedgerError::Unstable { path }.into());
        }
        let dialect = DialectEvidence::of(&base).or(Dialect::default());
        let actor = self.actor();
        let stamp = Stamp { now: self.host.clock.now(), actor, dialect };
        let text = wanted.past.as_ref().and_then(|past| restore(&base, past, stamp));
        let text = text.unwrap_or_else(|| base.clone());
        let id = wanted.id.clone();
        let edit = match line {
            None => Some(Edit::Insert { id, text: text.clone() }),
            Some(line) => (text != base).then(|| Edit::Set { line, id, text: text.clone() }),
        };
        Ok((edit, text))
    }

    fn outcome(&self, wanted: &Wanted, document: &Document, line: String) -> Restored {
        let before = document.effective_line(&wanted.id);
        let compared = before.as_deref().unwrap_or(&wanted.base);
        let fields = difference(&[Some(compared)], Some(&line)).map(|(_, fields)| fields).unwrap_or_default();
        Restored {
            id: wanted.id.clone(),
            source_repo: self.name(self.sources.member_of(wanted.source)).to_owned(),
            file: self.sources.ledger(wanted.source).path().to_owned(),
            line,
            before,
            commit: wanted.commit.clone(),
            removed: wanted.removed.clone(),
            fields,
        }
    }

    /// Without version control nothing can be restored.
    fn refuse_no_history(&self, owner: Option<usize>) -> Result<()> {
        let sources: Vec<usize> = owner.map_or_else(|| (0..self.sources.len()).collect(), |source| vec![source]);
        let paths: Vec<PathBuf> = sources.iter().map(|n| paths::real(self.sources.ledger(*n).path())).collect();
        if paths.iter().any(|path| vcs::is_versioned(path)) {
            return Ok(());
        }
        let root = paths.first().and_then(|path| path.parent()?.parent()).unwrap_or(self.repo.root());
        Err(StoreError::NoHistory { root: Path::to_owned(root) })
    }
}

impl Store {
    /// Restores an issue by its full id: its last version, or that of a given point. With `dry_run`, only returns what
    /// it would do.
    pub fn restore(&mut self, id: &str, at: Option<&Moment>, dry_run: bool) -> Result<Restored> {
        let restored = self.restore_each(&[id.to_owned()], HashMap::new(), at, dry_run)?.pop();
        restored.map_or_else(|| Err(StoreError::NotFound { typed: id.to_owned() }), |(_, one)| one)
    }

    /// Restores several issues, named as people type them. All must be known; then each is tried. History is read once
    /// for all of them, and each ledger is written once.
    pub fn restore_named(&mut self, typed: &[String], at: Option<&Moment>, dry_run: bool) -> Result<Each> {
        // Most are full ids of removed issues: look these up together.
        let mut absent = BTreeSet::new();
        for one in typed {
            match self.resolve(one) {
                Err(StoreError::NotFound { .. }) => drop(absent.insert(one.clone())),
                Err(error) if !error.is_unknown_id() => return Err(error),
                _ => {}
            }
        }
        let last = if absent.is_empty() { HashMap::new() } else { self.last_of_each(&absent)? };
        let named = each_once(typed, |typed| match last.contains_key(typed) {
            true => Ok(typed.to_owned()),
            false => self.resolve_in_history(typed),
        })?;
        let ids: Vec<String> = named.iter().map(|one| one.id.clone()).collect();
        let restored = self.restore_each(&ids, last, at, dry_run)?;
        Ok(named.into_iter().zip(restored).map(|(one, (_, restored))| (one.typed, restored)).collect())
    }

    /// Restores issues by their full ids. Removed ones already found are not looked up again.
    fn restore_each(
        &mut self,
        ids: &[String],
        last: HashMap<String, PastLine>,
        at: Option<&Moment>,
        dry_run: bool,
    ) -> Result<Each> {
        self.refuse_broken()?;
        self.look_again()?;
        let mut done: Vec<Option<Result<Restored>>> = Vec::new();
        for id in ids {
            done.push(self.refuse_no_history(self.owner(id)).err().map(Err));
        }
        let open: BTreeSet<String> =
            ids.iter().zip(&done).filter(|(_, done)| done.is_none()).map(|(id, _)| id.clone()).collect();
        let found = self.look_up(&open, last, at)?;
        let mut by_source: BTreeMap<usize, Vec<(usize, Wanted)>> = BTreeMap::new();
        for (n, id) in ids.iter().enumerate().filter(|(_, id)| open.contains(*id)) {
            match self.wanted(id, &found, at.is_some()) {
                Ok(wanted) => by_source.entry(wanted.source).or_default().push((n, wanted)),
                Err(error) => done[n] = Some(Err(error)),
            }
        }
        for (source, wanted) in by_source {
            for (n, restored) in self.put_back(source, wanted, dry_run) {
                done[n] = Some(restored);
            }
        }
        let missing = |id: &String| Err(StoreError::NotFound { typed: id.clone() });
        Ok(ids.iter().zip(done).map(|(id, done)| (id.clone(), done.unwrap_or_else(|| missing(id)))).collect())
    }

    /// Writes the issues of one ledger in one go.
    fn put_back(
        &mut self,
        source: usize,
        mut wanted: Vec<(usize, Wanted)>,
        dry_run: bool,
    ) -> Vec<(usize, Result<Restored>)> {
        let error = match self.try_put_back(source, &wanted, dry_run) {
            Ok(restored) => return restored,
            Err(error) => error,
        };
        // A claim forbids one of them: write the others nevertheless.
        if matches!(error, StoreError::Lease(_)) && wanted.len() > 1 {
            return wanted.into_iter().flat_map(|one| self.put_back(source, vec![one], dry_run)).collect();
        }
        let why = format!("nothing could be written: {error}");
        let others = wanted.split_off(1).into_iter().map(|(n, one)| {
            let refused = StoreError::CannotRestore { id: one.id, why: why.clone() };
            (n, Err(refused))
        });
        let others: Vec<_> = others.collect();
        wanted.into_iter().map(|(n, _)| n).zip([Err(error)]).chain(others).collect()
    }

    fn try_put_back(
        &mut self,
        source: usize,
        wanted: &[(usize, Wanted)],
        dry_run: bool,
    ) -> Result<Vec<(usize, Result<Restored>)>> {
        let mut done = Vec::new();
        let plan = |store: &Store, draft: &mut Draft<'_>, done: &mut Vec<(usize, Result<Restored>)>| {
            done.clear();
            for (n, one) in wanted {
                let restored = match store.restoring(draft.document(), one) {
                    Ok((edit, text)) => {
                        draft.carry(edit)?;
                        Ok(store.outcome(one, draft.document(), text))
                    }
                    Err(error) => Err(error),
                };
                done.push((*n, restored));
            }
            Ok(())
        };
        if dry_run {
            self.rehearse_ledger::<StoreError>(self.sources.ledger(source), |draft| plan(self, draft, &mut done))?;
            return Ok(done);
        }
        let locks = self.lock(&[source])?;
        let Some((_, lock)) = locks.first() else { return Ok(done) };
        self.actor();
        let outcome = self.write_ledger(lock, |draft| plan(self, draft, &mut done))?;
        drop(locks);
        if outcome == Outcome::Written {
            let written = done.iter().filter_map(|(_, one)| one.as_ref().ok());
            let written = written.map(|one| Written {
                id: one.id.clone(),
                line: one.line.clone(),
                before: one.before.clone(),
                changed: one.changed(),
                source_repo: one.source_repo.clone(),
            });
            let written = written.collect();
            self.commit_ledgers(&[(source, written)]);
        }
        Ok(done)
    }
}

fn not_then(id: &str) -> StoreError {
    StoreError::NotThen { id: id.to_owned() }
}
