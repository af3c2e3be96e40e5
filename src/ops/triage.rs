//! Open issues that somebody should look at: in progress without a holder, perhaps done, perhaps double, forgotten.

use std::collections::HashSet;

use super::claims::abandoned::abandoned;
use super::{OpError, Result, duplicates, not_done, orphans};
use crate::cache::{Sort, SortBy};
use crate::model::query::{Expr, Field, Op, Value};
use crate::model::time::DAY;
use crate::store::{Row, Store, StoreError, SyncError};

/// Why an issue is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Concern {
    Unheld,
    Mentioned,
    Double,
    Forgotten,
}

impl Concern {
    /// In the order of the list: what others wait for comes first.
    pub const ALL: [Concern; 4] = [Concern::Unheld, Concern::Mentioned, Concern::Double, Concern::Forgotten];

    pub fn word(self) -> &'static str {
        match self {
            Concern::Unheld => "unheld",
            Concern::Mentioned => "mentioned",
            Concern::Double => "double",
            Concern::Forgotten => "forgotten",
        }
    }

    pub fn heading(self) -> &'static str {
        match self {
            Concern::Unheld => "In progress without a holder",
            Concern::Mentioned => "Perhaps done: a commit names it",
            Concern::Double => "Perhaps a duplicate: another issue has the same title",
            Concern::Forgotten => "Forgotten: not updated for a long time",
        }
    }

    pub fn advice(self) -> &'static str {
        match self {
            Concern::Unheld => "take it with `bd work ID`, or put all back with `bd reclaim --orphans`",
            Concern::Mentioned => "if it is done, run `bd close ID`",
            Concern::Double => "run `bd close ID --duplicate-of OTHER`",
            Concern::Forgotten => "run `bd close ID -r WHY`, `bd defer ID --until DATE`, or add a note to keep it",
        }
    }
}

/// An issue of the list; `about` is the commit or the other issue.
#[derive(Debug, Clone)]
pub struct Triaged {
    pub concern: Concern,
    pub row: Row,
    pub about: String,
}

/// Every such issue once, with the first concern that fits. An issue is forgotten if it was not updated for so many days.
pub fn triage(store: &Store, days: u32) -> Result<Vec<Triaged>> {
    let entry = |concern, row, about| Triaged { concern, row, about };
    let mut found: Vec<Triaged> =
        abandoned(store)?.into_iter().map(|(row, _)| entry(Concern::Unheld, row, String::new())).collect();
    // Without version control no commit names anything.
    let mentioned = match orphans(store) {
        Err(OpError::Store(StoreError::Vcs(SyncError::NoHistory { .. }))) => Vec::new(),
        found => found?,
    };
    found.extend(mentioned.into_iter().map(|(row, commit)| entry(Concern::Mentioned, row, commit.summary)));
    for rows in duplicates(store, false)?.into_values() {
        let oldest = rows.iter().min_by_key(|row| row.issue.created_at.as_ref().map(|at| at.instant));
        let oldest = oldest.map(|row| row.issue.id.clone()).unwrap_or_default();
        let later = rows.into_iter().filter(|row| row.issue.id != oldest);
        found.extend(later.map(|row| entry(Concern::Double, row, oldest.clone())));
    }
    let since = store.host().clock.now().plus_nanos(-i64::from(days).saturating_mul(DAY));
    let is_silent = Expr::Is(Field::Updated, Op::Less, Value::Time(since));
    let silent = Expr::And(vec![is_silent, not_done(), Expr::text(Field::Status, "deferred").negate()]);
    let sort = Sort { reverse: true, ..Sort::by(SortBy::Updated) };
    found.extend(
        store.list(&silent, sort, None)?.rows.into_iter().map(|row| entry(Concern::Forgotten, row, String::new())),
    );
    let mut seen = HashSet::new();
    found.retain(|one| seen.insert(one.row.issue.id.clone()));
    Ok(found)
}
