//! Builds rows from lines. Large results are split among threads and never in memory at once.

use std::borrow::Cow;
use std::path::Path;

use super::row::{Beside, Row};
use crate::cache::{Counts, Key, Own, Sort};
use crate::model::issue::{Issue, Status};
use crate::model::query::Expr;
use crate::model::record::Record;
use crate::store::{Result, Snapshot};
use crate::sys::Clock;
use crate::sys::parallel::in_order;

/// The parts of a row.
struct Parts<'a> {
    line: Cow<'a, str>,
    /// Private values that the line does not have, and the line with them.
    own: Option<(Own, Cow<'a, str>)>,
    repo: usize,
    source_repo: &'a str,
    file: &'a Path,
    line_number: usize,
    shadowed: bool,
    counts: Counts,
    beside: Option<Beside>,
}

impl Parts<'_> {
    fn row(&self, clock: &Clock) -> Row {
        // The line was validated when it got its key.
        let record = Record::parse_part(&self.line).expect("a key stands for a valid record");
        let mut issue = Issue::decode_in(&record, &|| clock.calendar());
        if let Some((own, planned)) = &self.own {
            (issue.status, issue.assignee) = (Status::new(own.status.as_str()), own.assignee.clone());
            if let Ok(record) = Record::parse(planned) {
                issue.fill_own(Issue::decode_in(&record, &|| clock.calendar()));
            }
        }
        Row {
            issue,
            members: record.into_members(),
            line: self.line.clone().into_owned(),
            source_repo: self.source_repo.to_owned(),
            repo: self.repo,
            shadowed: self.shadowed,
            file: self.file.to_owned(),
            line_number: self.line_number,
            counts: self.counts,
            place: None,
            elsewhere: Vec::new(),
            beside: self.beside.clone(),
        }
    }
}

impl Snapshot {
    pub(in crate::store) fn row(&self, key: Key) -> Result<Row> {
        Ok(self.parts(key)?.row(&self.host.clock))
    }

    fn parts(&self, key: Key) -> Result<Parts<'_>> {
        let (source, line) = self.sources.place(key)?;
        let repo = self.sources.member_of(source);
        let (own, shadowed, counts) =
            self.ask(|cache| Ok((cache.own(key).cloned(), cache.is_shadowed(key)?, cache.counts(key)?)))?;
        let own = match own {
            Some(own) => {
                let planned = own.from.map(|key| self.sources.text(key)).transpose()?;
                Some((own, planned.unwrap_or_default()))
            }
            None => None,
        };
        Ok(Parts {
            line: self.sources.text(key)?,
            own,
            repo,
            source_repo: self.name(repo),
            file: self.sources.ledger(source).path(),
            line_number: line + 1,
            shadowed,
            counts,
            beside: if repo == 0 && self.has_planning() { self.companion_of(key)? } else { None },
        })
    }

    fn has_planning(&self) -> bool {
        (0..self.repos.members.len()).any(|repo| self.is_planning(repo))
    }

    fn companion_of(&self, key: Key) -> Result<Option<Beside>> {
        Ok(self.ask(|cache| cache.id_of(key))?.and_then(|id| self.companion(&id)))
    }

    /// Passes the matching issues on one after the other, converted by `shape` and marked with other checkouts'
    /// versions. All errors come before the first. Returns how many were passed on, and how many there are.
    pub fn list_each<T: Send>(
        &self,
        filter: &Expr,
        sort: Sort,
        limit: Option<usize>,
        shape: impl Fn(Row) -> T + Sync,
        take: impl FnMut(T),
    ) -> Result<(usize, usize)> {
        let listing = self.listing(filter, sort, limit)?;
        let siblings = self.siblings()?;
        self.ask_rows(&listing.keys)?;
        let parts = listing.keys.iter().map(|key| self.parts(*key)).collect::<Result<Vec<_>>>()?;
        let clock = &self.host.clock;
        let make = |n: usize| {
            let mut row = parts[n].row(clock);
            siblings.mark(&mut row);
            shape(row)
        };
        in_order(parts.len(), make, |rows| rows.for_each(take));
        Ok((parts.len(), listing.total))
    }

    /// Prepares queries about several rows.
    pub(in crate::store) fn ask_rows(&self, keys: &[Key]) -> Result<()> {
        // A few rows are counted faster by a scan than with a new index.
        if keys.len() > 8 {
            self.ask(|cache| cache.index())?;
        }
        self.sources.expect_lines(keys.len());
        self.ask(|cache| cache.ask_rows(keys))
    }
}
