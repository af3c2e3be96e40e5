//! Questions about issues, and how an answer resumes an issue that was deferred until it came.

use super::read;
use crate::model::change::Change;
use crate::model::issue;
use crate::model::json::is_unset;
use crate::model::message::{Kind, Message};
use crate::model::record::Record;
use crate::ops::{Result, here};
use crate::store::{Row, Store};

/// An issue that an answer resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroughtBack {
    pub id: String,
    /// The checkout in which it was deferred, if it is another one.
    pub worktree: Option<String>,
    /// Why it is still deferred; the answer was sent nevertheless.
    pub problem: Option<String>,
}

/// Questions about an issue without a reply.
pub fn open_questions(store: &Store, issue: &str) -> Result<Vec<Message>> {
    let now = store.host().clock.now();
    // A message has a copy for each recipient, with the same text.
    let all: Vec<Message> =
        read::thread(store, issue)?.into_iter().filter_map(|copies| copies.into_iter().next()).collect();
    let is_answered = |one: &Message| all.iter().any(|other| other.reply_to.as_ref() == Some(&one.id));
    let is_open = |one: &&Message| one.kind == Kind::Query && !one.is_expired(now) && !is_answered(one);
    Ok(all.iter().filter(is_open).cloned().collect())
}

/// Resumes the issue of a question that was just answered, if it was deferred without a date and has no other open
/// question. With a date it resumes by itself. Done in the checkout where it was deferred.
pub(super) fn bring_back(store: &mut Store, answered: &Message) -> Option<BroughtBack> {
    let id = answered.issue.clone().filter(|_| answered.kind == Kind::Query)?;
    let brought_back = |worktree: Option<String>, undone: Result<()>| {
        let problem = undone.err().map(|error| error.to_string());
        Some(BroughtBack { id: id.clone(), worktree, problem })
    };
    match open_questions(store, &id) {
        Ok(open) if open.is_empty() => {}
        Ok(_) => return None,
        Err(error) => return brought_back(None, Err(error)),
    }
    match store.get(&id) {
        Ok(Some(row)) if waits(&row.line) => return brought_back(None, undefer(store, &row)),
        Ok(_) => {}
        Err(error) => return brought_back(None, Err(error.into())),
    }
    let there = store.elsewhere(&id).ok()?.into_iter().find(|other| waits(&other.line))?;
    let undone = (|| {
        let worktree = store.find_worktree(&there.worktree)?;
        let mut other = here::open_in(store, &worktree)?;
        match other.get(&id)? {
            Some(row) if waits(&row.line) => undefer(&mut other, &row),
            _ => Ok(()),
        }
    })();
    brought_back(Some(there.worktree), undone)
}

/// It is deferred without a date. A paused workflow is resumed only by its own command.
fn waits(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| {
        issue::status_of(&record).as_str() == "deferred"
            && record.raw("defer_until").is_none_or(is_unset)
            && record.raw(crate::model::workflow::WORKFLOW).is_none()
    })
}

fn undefer(store: &mut Store, row: &Row) -> Result<()> {
    store.change(&row.issue.id, vec![Change::Undefer])?;
    Ok(())
}
