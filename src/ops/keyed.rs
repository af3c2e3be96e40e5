//! Requests with a key: carried out once, and answered in the same way when they come again.
//!
//! A request is recorded before it is carried out and its answer afterwards, under a lock of its own for both: a repetition
//! waits for the first one. A record without an answer is of a request that was interrupted.

use std::collections::HashMap;

use super::batch::{BatchLine, BatchOptions, batch};
use super::change::{Batch, change_each};
use super::file::{Filing, file_all};
use super::mail::Letter;
use super::{OpError, Result, here};
use crate::model::change::{Change, NewComment};
use crate::model::key_use::KeyUse;
use crate::model::state_id::{self, MESSAGE};
use crate::model::time::{DAY, Instant};
use crate::store::{KEYS, Put, RecordFile, Row, StateLock, Store, Written};

/// How long an answer is kept.
const KEPT: i64 = 30 * DAY;
const MAX_KEY: usize = 200;
/// A longer answer is not worth a file that everybody reads.
const MAX_ANSWER: usize = 4 << 20;

/// A request whose key is held by this process.
#[derive(Debug)]
pub struct Keyed {
    held: StateLock,
    file: RecordFile,
    row: KeyUse,
    pub given: Given,
}

/// A request before it is carried out.
#[derive(Debug, Default)]
pub struct Plan {
    /// The ids of what it makes.
    pub ids: Vec<String>,
    /// What it changes, as it is.
    pub before: Option<String>,
}

/// The plan of a request, the same when it is repeated.
#[derive(Debug, Default)]
pub struct Given {
    ids: Vec<String>,
    before: Option<String>,
    /// The same request began before, and did not end: the key, and when.
    interrupted: Option<(String, Instant)>,
}

#[derive(Debug)]
pub enum KeyState {
    /// The request is to be carried out.
    Open(Box<Keyed>),
    /// It was; what was printed, and the exit code.
    Answered { answer: String, exit: i64 },
}

/// Looks up a key; a new request is planned and recorded.
pub fn take_key(
    store: &mut Store,
    key: &str,
    request: &str,
    plan: impl FnOnce(&mut Store) -> Result<Plan>,
) -> Result<KeyState> {
    if key.trim().is_empty() || key.len() > MAX_KEY || key.contains(char::is_control) {
        return Err(OpError::Usage(format!("a key has 1 to {MAX_KEY} bytes on one line")));
    }
    let actor = here::acting(store).name;
    let state = store.state();
    let place = KEYS.directory(&state);
    let held = place.lock(store.lock_wait())?;
    let repo = here::repo(store, &state)?.unwrap_or_default();
    let (id, request) = (hash(&[&repo, &actor, key].join("\0")), hash(request));
    let file = place.file("answers.jsonl");
    let document = store.records(&file)?;
    let known = KEYS.row(&document, &id);
    // A damaged record of it: whether the request was carried out is not known.
    let is_damaged = known.is_none() && memchr::memmem::find(document.bytes(), id.as_bytes()).is_some();
    let row = match known {
        _ if is_damaged => return Err(OpError::KeyDamaged { key: key.to_owned() }),
        Some(known) if known.request != request => {
            return Err(OpError::KeyTaken { key: key.to_owned(), at: known.began.to_string() });
        }
        Some(KeyUse { answer: Some(answer), exit, .. }) => {
            return Ok(KeyState::Answered { answer, exit: exit.unwrap_or(0) });
        }
        Some(known) => {
            let interrupted = Some((known.key.clone(), known.began));
            let given = Given { ids: known.ids.clone(), before: known.before.clone(), interrupted };
            return Ok(KeyState::Open(Box::new(Keyed { held, file, row: known, given })));
        }
        None => {
            let Plan { ids, before } = plan(store)?;
            let (key, began) = (key.to_owned(), store.host().clock.now());
            let before = before.map(|text| hash(&text));
            KeyUse { id, key, actor, request, began, ids, before, answer: None, exit: None }
        }
    };
    let given = Given { ids: row.ids.clone(), before: row.before.clone(), interrupted: None };
    let keyed = Keyed { held, file, row, given };
    keyed.write(store, Some(&keyed.row))?;
    Ok(KeyState::Open(Box::new(keyed)))
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

impl Keyed {
    /// Records what the request came to: the exit code, `None` for an error, and what was printed. If nothing was done,
    /// the key is free again; a request that failed halfway, or once more after an interruption, counts as interrupted.
    pub fn end(mut self, store: &Store, exit: Option<i64>, answer: &str) -> Result<()> {
        match exit {
            None if store.has_written() || self.given.interrupted.is_some() => Ok(()),
            Some(exit) if exit == 0 || store.has_written() => {
                let kept = if answer.len() > MAX_ANSWER { "" } else { answer };
                self.row.answer = Some(kept.to_owned());
                self.row.exit = Some(exit).filter(|exit| *exit != 0);
                self.write(store, Some(&self.row))
            }
            _ => self.write(store, None),
        }
    }

    fn write(&self, store: &Store, row: Option<&KeyUse>) -> Result<()> {
        let oldest = store.host().clock.now().plus_nanos(-KEPT);
        self.file.edit::<OpError>(&self.held, &store.host().entropy, |document| {
            let old = KEYS.rows(document).filter(|other| other.began < oldest && other.id != self.row.id);
            let gone = old.map(|other| Put::Gone { id: other.id });
            let own = row.map_or(Put::Gone { id: self.row.id.clone() }, |row| KEYS.put(document, &row.id, row));
            Ok(gone.chain([own]).collect())
        })?;
        Ok(())
    }
}

impl Given {
    /// Whether it was carried out by halves is unknown.
    fn refuse<T>(&self) -> Result<T> {
        let (key, began) = self.interrupted.clone().unwrap_or_default();
        Err(OpError::KeyInterrupted { key, at: began.to_string() })
    }

    fn first_id(&self) -> Option<&String> {
        self.ids.first()
    }
}

/// The ids of issues to file.
pub fn plan_filings(store: &mut Store, filings: &[Filing]) -> Result<Plan> {
    let mint = |filing: &Filing| Ok(super::mint(store, filing.clone(), &HashMap::new())?.id.to_string());
    Ok(Plan { ids: filings.iter().map(mint).collect::<Result<_>>()?, before: None })
}

/// Files issues under the planned ids; those that an interrupted request has filed are there already.
pub fn file_once(store: &mut Store, filings: Vec<Filing>, given: &Given) -> Result<Vec<Written>> {
    let mut there: HashMap<usize, Written> = HashMap::new();
    let mut missing = Vec::new();
    for (n, filing) in filings.into_iter().enumerate() {
        let id = given.ids.get(n).cloned().or(filing.id.clone());
        let row = match (&given.interrupted, &id) {
            (Some(_), Some(id)) => store.get(id)?,
            _ => None,
        };
        match row {
            Some(row) => drop(there.insert(n, written(row))),
            None => missing.push(Filing { id, ..filing }),
        }
    }
    let all = there.len() + missing.len();
    let mut filed = if missing.is_empty() { Vec::new() } else { file_all(store, missing)? }.into_iter();
    Ok((0..all).filter_map(|n| there.remove(&n).or_else(|| filed.next())).collect())
}

/// The id of a comment to make.
pub fn plan_comment(store: &Store) -> Plan {
    Plan { ids: vec![store.host().entropy.comment_id().to_string()], before: None }
}

/// Comments under the planned id, once.
pub fn comment_once(store: &mut Store, typed: &str, text: &str, author: &str, given: &Given) -> Result<Batch> {
    if given.interrupted.is_some() {
        let row = super::find_with_own(store, typed)?;
        if row.issue.comments.iter().any(|one| Some(&one.id) == given.first_id()) {
            return Ok(done(typed, row));
        }
    }
    let id = given.first_id().and_then(|id| id.parse().ok());
    change_each(store, &[typed.to_owned()], |store| {
        let new = super::comment(store, text.to_owned(), Some(author.to_owned()));
        vec![Change::AddComment(NewComment { id: id.unwrap_or(new.id), ..new })]
    })
}

/// The notes as they are, and how often they hold a text.
pub fn plan_note(store: &Store, typed: &str) -> Result<Plan> {
    Ok(Plan { ids: Vec::new(), before: Some(notes(&store.find(typed)?)) })
}

/// Adds to the notes, once: what an interrupted request has added is there already.
pub fn note_once(store: &mut Store, typed: &str, text: &str, given: &Given) -> Result<Batch> {
    if given.interrupted.is_some() {
        let row = store.find(typed)?;
        let now = notes(&row);
        // Somebody has changed the notes: the request, if they hold its text.
        if Some(hash(&now)) != given.before {
            let is_there = format!("\n{now}\n").contains(&format!("\n{text}\n"));
            return if is_there { Ok(done(typed, row)) } else { given.refuse() };
        }
    }
    change_each(store, &[typed.to_owned()], |_| vec![Change::AppendNotes(text.to_owned())])
}

/// With those that only the actor sees.
fn notes(row: &Row) -> String {
    let beside = row.beside.as_ref().and_then(|beside| beside.notes.clone());
    [row.issue.notes.clone(), beside].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The ledgers as they are.
pub fn plan_batch(store: &mut Store) -> Result<Plan> {
    Ok(Plan { ids: Vec::new(), before: Some(ledgers(store)?) })
}

/// Runs a batch, if none of it was carried out before, as far as the ledgers tell.
pub fn batch_once(store: &mut Store, bytes: &[u8], options: BatchOptions, given: &Given) -> Result<Vec<BatchLine>> {
    if given.interrupted.is_some() && Some(hash(&ledgers(store)?)) != given.before {
        return given.refuse();
    }
    batch(store, bytes, options)
}

fn ledgers(store: &mut Store) -> Result<String> {
    store.look_again()?;
    let sums = store.documents().into_iter().map(|(_, _, document)| blake3::hash(document.bytes()).to_string());
    Ok(sums.collect::<Vec<_>>().join(" "))
}

/// The id of a message to send.
pub fn plan_mail(store: &Store) -> Plan {
    Plan { ids: vec![state_id::mint(MESSAGE, store.host().entropy.bytes())], before: None }
}

/// A letter under the planned id: boxes that have it already get no second one.
pub fn letter_once(letter: Letter, given: &Given) -> Letter {
    Letter { id: given.first_id().cloned(), ..letter }
}

fn done(typed: &str, row: Row) -> Batch {
    Batch { results: vec![(typed.to_owned(), Ok(written(row)))], ..Batch::default() }
}

fn written(row: Row) -> Written {
    Written { id: row.issue.id, line: row.line, before: None, changed: true, source_repo: row.source_repo }
}
