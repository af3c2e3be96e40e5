//! Mail between agents and people: one box for each, `mail/<box>.jsonl` in the state home.
//!
//! A message is put into the box of every recipient, and each recipient has separate marks (read, acknowledged,
//! archived). All boxes have one lock. Readers take none. Nothing is ever removed from a box; expired messages are not
//! shown.

mod address;
mod marks;
mod questions;
mod read;
mod send;
mod wait;

pub use address::is_group;
pub use marks::{acknowledge, archive, archive_read, read};
pub use questions::{BroughtBack, open_questions};
pub use read::{InboxFilter, inbox, inbox_counts, overdue, thread};
pub use send::{Letter, Sender, Sent, about, reply, send};
pub use wait::{Waited, wait_for_mail};

use crate::model::message::Message;
use crate::model::state_id::AGENT;
use crate::ops::Result;
use crate::store::{MAIL, RecordError, RecordFile, StateDir, StateTable, Store};

const PERSON: &str = "person-";

/// The owner of a box.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mailbox {
    Agent { id: String, name: String },
    Person { name: String },
}

impl Mailbox {
    pub fn name(&self) -> &str {
        match self {
            Mailbox::Agent { name, .. } | Mailbox::Person { name } => name,
        }
    }

    /// The same box, whatever the owner's current name.
    fn is_same(&self, other: &Mailbox) -> bool {
        self.file_name() == other.file_name()
    }

    /// A file name valid on every file system, including those that ignore case.
    fn file_name(&self) -> String {
        match self {
            Mailbox::Agent { id, .. } => format!("{id}.jsonl"),
            Mailbox::Person { name } => format!("{PERSON}{}.jsonl", encoded(name)),
        }
    }

    fn file(&self, store: &Store) -> RecordFile {
        place(store).file(&self.file_name())
    }
}

/// A name in lower-case letters, digits and `%` followed by two of them; a long one by its hash.
fn encoded(name: &str) -> String {
    const LONGEST: usize = 180;
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => text.push(char::from(byte)),
            other => text.push_str(&format!("%{other:02x}")),
        }
    }
    if text.len() > LONGEST { format!("%{}", blake3::hash(name.as_bytes()).to_hex()) } else { text }
}

pub(in crate::ops) fn place(store: &Store) -> StateDir {
    MAIL.directory(&store.state())
}

/// The actor's box; an unregistered agent has none yet.
pub fn own_box(store: &Store) -> Option<Mailbox> {
    match store.agent() {
        Some(agent) => agent.id.clone().map(|id| Mailbox::Agent { id, name: agent.name.clone() }),
        None => Some(Mailbox::Person { name: store.actor().to_owned() }),
    }
}

/// All messages in a box that have not expired, newest first.
fn messages(store: &Store, mailbox: &Mailbox) -> Result<Vec<Message>> {
    let now = store.host().clock.now();
    let mut all: Vec<Message> = MAIL.rows(&store.records(&mailbox.file(store))?).collect();
    all.retain(|message| !message.is_expired(now));
    all.sort_by(|a, b| (b.created, &b.id).cmp(&(a.created, &a.id)));
    Ok(all)
}

/// All messages in all boxes that have not expired.
pub(in crate::ops) fn everything(store: &Store) -> Result<Vec<Message>> {
    let now = store.host().clock.now();
    let place = place(store);
    let mut all = Vec::new();
    let boxes = StateTable::spot(&MAIL).files(&store.state()).map_err(RecordError::from)?;
    for (_, name) in boxes.iter().filter(|(_, name)| name.starts_with(PERSON) || name.starts_with(AGENT)) {
        all.extend(MAIL.rows(&store.records(&place.file(name))?));
    }
    all.retain(|message| !message.is_expired(now));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use crate::ops::mail::*;

    #[test]
    fn every_person_has_a_file_of_its_own() {
        let file = |name: &str| Mailbox::Person { name: name.into() }.file_name();
        assert_eq!(file("ann"), "person-ann.jsonl");
        assert_eq!(file("Ann B. / é"), "person-%41nn%20%42%2e%20%2f%20%c3%a9.jsonl");
        assert_ne!(file("a%20b"), file("a b"));
        let (long, longer) = (file(&"é".repeat(100)), file(&"é".repeat(101)));
        assert!(long.len() < 100 && long != longer, "{long}");
    }
}
