//! Requests with a key: carried out once, and answered in the same way when they come again.
//!
//! A request is recorded before it is carried out and its answer afterwards, under a lock of its own for both: a repetition
//! waits for the first one. A record without an answer is of a request that was interrupted.

use super::change::Batch;
use super::mail::{self, Sent};
use super::{OpError, Result, here};
use crate::model::issue::{Comment, Time};
use crate::model::key_use::KeyUse;
use crate::model::query::{Expr, Field};
use crate::model::time::{DAY, Instant, SECOND};
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
    pub interrupted: Option<Interrupted>,
}

/// The same request began before, and did not end.
#[derive(Debug)]
pub struct Interrupted {
    key: String,
    began: Instant,
    /// The text that it was to change is as it was.
    is_unchanged: bool,
}

#[derive(Debug)]
pub enum KeyState {
    /// The request is to be carried out.
    Open(Box<Keyed>),
    /// It was; what was printed, and the exit code.
    Answered { answer: String, exit: i64 },
}

/// Looks up a key, and records the request if it is new, with the text that it is to change.
pub fn take_key(store: &Store, key: &str, request: &str, before: Option<&str>) -> Result<KeyState> {
    if key.trim().is_empty() || key.len() > MAX_KEY {
        return Err(OpError::Usage(format!("a key is a text of at most {MAX_KEY} bytes")));
    }
    let actor = here::acting(store).name;
    let state = store.state();
    let place = KEYS.directory(&state);
    let held = place.lock(store.lock_wait())?;
    let repo = here::repo(store, &state)?.unwrap_or_default();
    let hash = |texts: &[&str]| blake3::hash(texts.join("\0").as_bytes()).to_hex()[..16].to_owned();
    let mut row = KeyUse {
        id: hash(&[&repo, &actor, key]),
        key: key.to_owned(),
        actor,
        request: hash(&[request]),
        began: store.host().clock.now(),
        before: before.map(|text| hash(&[text])),
        answer: None,
        exit: None,
    };
    let file = place.file("answers.jsonl");
    let mut interrupted = None;
    let document = store.records(&file)?;
    if let Some(known) = KEYS.row(&document, &row.id) {
        if known.request != row.request {
            return Err(OpError::KeyTaken { key: key.to_owned(), at: known.began.to_string() });
        }
        if let Some(answer) = known.answer {
            return Ok(KeyState::Answered { answer, exit: known.exit.unwrap_or(0) });
        }
        row.began = known.began;
        let is_unchanged = row.before.is_some() && row.before == known.before;
        row.before = known.before;
        interrupted = Some(Interrupted { key: known.key, began: known.began, is_unchanged });
    } else if memchr::memmem::find(document.bytes(), row.id.as_bytes()).is_some() {
        // A damaged record of it: what it says of the time is not known.
        interrupted = Some(Interrupted { key: row.key.clone(), began: Instant::from_nanos(0), is_unchanged: false });
    }
    let keyed = Keyed { held, file, row, interrupted };
    keyed.write(store, Some(&keyed.row))?;
    Ok(KeyState::Open(Box::new(keyed)))
}

impl Keyed {
    /// Records what the request came to: the exit code, `None` for an error, and what was printed. If nothing was done,
    /// the key is free again; a request that failed halfway counts as interrupted.
    pub fn end(mut self, store: &Store, exit: Option<i64>, answer: &str) -> Result<()> {
        match exit {
            None if store.has_written() => Ok(()),
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

/// The notes of an issue, with those that only the actor sees.
pub fn notes(store: &Store, typed: &str) -> Result<String> {
    let row = store.find(typed)?;
    let beside = row.beside.and_then(|beside| beside.notes);
    Ok([row.issue.notes, beside].map(Option::unwrap_or_default).join("\0"))
}

impl Interrupted {
    /// Its result is unknown.
    pub fn unknown<T>(&self) -> Result<Option<T>> {
        Err(OpError::KeyInterrupted { key: self.key.clone(), at: self.began.to_string() })
    }

    /// The issues of these titles that the actor has filed since.
    pub fn filed(&self, store: &Store, titles: &[String]) -> Result<Option<Vec<Written>>> {
        let actor = here::acting(store).name;
        let rows = store.list(&Expr::And(vec![Expr::text(Field::Author, &actor)]), Default::default(), None)?.rows;
        let mut rows: Vec<Row> = rows.into_iter().filter(|row| self.is_before(row.issue.created_at.as_ref())).collect();
        let found: Vec<Row> = titles
            .iter()
            .filter_map(|title| Some(rows.remove(rows.iter().position(|row| row.issue.title == *title)?)))
            .collect();
        match found.len() {
            0 => Ok(None),
            all if all == titles.len() => Ok(Some(found.into_iter().map(written).collect())),
            _ => self.unknown(),
        }
    }

    /// The issue with this among its notes, if it was changed since.
    pub fn noted(&self, store: &Store, typed: &str, text: &str) -> Result<Option<Batch>> {
        if self.is_unchanged {
            return Ok(None);
        }
        let row = store.find(typed)?;
        let holds = |notes: &Option<String>| {
            notes.as_ref().is_some_and(|notes| format!("\n{notes}\n").contains(&format!("\n{text}\n")))
        };
        let beside = row.beside.as_ref().is_some_and(|beside| holds(&beside.notes));
        let is_done = beside || holds(&row.issue.notes) && self.is_before(row.issue.updated_at.as_ref());
        Ok(is_done.then(|| done(typed, row)))
    }

    /// The issue with this comment of the author, if it was made since.
    pub fn commented(&self, store: &Store, typed: &str, author: &str, text: &str) -> Result<Option<Batch>> {
        let row = super::find_with_own(store, typed)?;
        let is_it = |one: &Comment| one.author == author && one.text == text && self.is_before(one.created_at.as_ref());
        Ok(row.issue.comments.iter().any(is_it).then(|| done(typed, row)))
    }

    /// The message that the actor sent since, to all of these addresses.
    pub fn sent(&self, store: &Store, to: &[String], body: &str) -> Result<Option<Sent>> {
        let from = here::acting(store).name;
        let began = self.began.plus_nanos(-SECOND);
        let mut found = mail::everything(store)?;
        found.retain(|one| one.created >= began && one.body == body && one.from.as_ref() == Some(&from));
        let Some(id) = found.first().map(|one| one.id.clone()) else { return Ok(None) };
        found.retain(|one| one.id == id);
        let recipients = mail::resolve(store, to)?;
        let all = recipients.iter().all(|(_, mailbox)| found.iter().any(|one| one.recipient == mailbox.name()));
        match found.into_iter().next().filter(|_| all) {
            Some(message) => {
                let recipients = recipients.into_iter().map(|(_, mailbox)| mailbox).collect();
                Ok(Some(Sent { message, recipients, back: None }))
            }
            None => self.unknown(),
        }
    }

    fn is_before(&self, time: Option<&Time>) -> bool {
        // Times in a ledger may have whole seconds.
        time.is_some_and(|time| time.instant >= self.began.plus_nanos(-SECOND))
    }
}

fn done(typed: &str, row: Row) -> Batch {
    Batch { results: vec![(typed.to_owned(), Ok(written(row)))], ..Batch::default() }
}

fn written(row: Row) -> Written {
    Written { id: row.issue.id, line: row.line, before: None, changed: true, source_repo: row.source_repo }
}
