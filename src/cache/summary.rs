//! What the label of an image says of it, so that the most frequent question needs no database: what can be worked on?

use std::path::{Path, PathBuf};

use super::db::Db;
use super::image::{exist, open};
use super::ready::{ReadyOrder, ReadyQuery};
use super::row::{AskedRow, Counts, ImageId, ImageLine, Key, LinePlace};
use super::unknown::UnknownIds;
use super::{Cache, Listing, Result};
use crate::model::bytes::{Reader, put_number};
use crate::model::time::Instant;

/// So many issues at the front are told.
const MOST: usize = 50;

/// A few facts of an image. They were asked of it, so that it would say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The rule about unknown ids that it was made by.
    pub(super) unknown: UnknownIds,
    /// Some row is behind another one of the same id.
    pub(super) shadowed: bool,
    /// Some row has edges of another one.
    pub(super) lent: bool,
    /// Some issue is the task of a workflow.
    pub(super) has_tasks: bool,
    /// From when, and until when, the front is this. In microseconds.
    from: i64,
    until: i64,
    /// The first issues that can be worked on, and how many there are.
    first: Vec<(Key, AskedRow)>,
    total: usize,
}

impl Cache {
    /// An image of which the summary is known: it is opened when that does not tell enough, if it may be used then.
    pub fn ask_later(
        summary: Summary,
        path: PathBuf,
        id: ImageId,
        may_be_used: impl Fn(&Path) -> bool + Send + 'static,
    ) -> Self {
        let open = move |_: Option<&[u8]>| match may_be_used(&path) {
            true => open(&path, &id),
            false => Err(rusqlite::Error::InvalidPath(path.clone())),
        };
        Cache {
            blocked_known: Some(summary.unknown),
            shadowed: summary.shadowed,
            lent: summary.lent,
            in_file: true,
            summary: Some(summary),
            ..Self::computed(Db::made_by(open))
        }
    }

    /// Whether it can be asked: it is opened if it was not.
    pub fn is_there(&self) -> bool {
        self.db.on().is_ok()
    }

    /// What the label of this image may say from now on; nothing if that would have to be computed first.
    pub fn summary(&mut self, now: Instant) -> Result<Option<Summary>> {
        let Some(unknown) = self.blocked_known.filter(|_| self.front_known) else { return Ok(None) };
        let Listing { keys, total } = self.ready(&ReadyQuery::plain(now, unknown, MOST))?;
        let first = keys.into_iter().map(|key| Ok(self.asked_row(key)?.map(|row| (key, row))));
        let first = first.collect::<Result<Option<Vec<_>>>>()?;
        let until = "SELECT coalesce(min(since), ?2) FROM front WHERE since IS NOT NULL AND since > ?1";
        let until = self.db.query_row(until, [now.micros(), i64::MAX], |row| row.get(0))?;
        let [shadowed, lent, has_tasks] = exist(self.db.on()?)?;
        let of = |first| Summary { unknown, shadowed, lent, has_tasks, from: now.micros(), until, first, total };
        Ok(first.map(of))
    }
}

impl Summary {
    /// The first issues that can be worked on, if it tells as many as are wanted, and how many there are.
    pub(super) fn ready(&self, query: &ReadyQuery) -> Option<(&[(Key, AskedRow)], usize)> {
        let ReadyQuery { filter, now, order, include_deferred, include_epics, any_type, unknown, without, limit } =
            query;
        let is_plain = filter.is_all()
            && *order == ReadyOrder::Priority
            && !(*include_deferred || *include_epics || *any_type)
            && without.is_empty();
        let is_now = (self.from..self.until).contains(&now.micros()) && *unknown == self.unknown;
        let wanted = limit.unwrap_or(self.total).min(self.total);
        let first = self.first.get(..wanted).filter(|_| is_plain && is_now)?;
        Some((first, self.total))
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let flags = [self.shadowed, self.lent, self.has_tasks].map(i64::from);
        let [shadowed, lent, has_tasks] = flags;
        for number in [self.unknown as i64, shadowed, lent, has_tasks, self.from, self.until, self.total as i64] {
            put_number(&mut out, number as u64);
        }
        for (_, AskedRow { place, counts }) in &self.first {
            place.of.write(&mut out);
            for number in [place.source as u64, place.line as u64, place.start] {
                put_number(&mut out, number);
            }
            for number in [counts.dependencies, counts.dependents, counts.comments] {
                put_number(&mut out, number as u64);
            }
        }
        out
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let mut number = || reader.number().map(|number| number as i64);
        let (unknown, shadowed, lent, has_tasks) = (number()?, number()? == 1, number()? == 1, number()? == 1);
        let (from, until, total) = (number()?, number()?, number()? as usize);
        let mut first = Vec::new();
        while !reader.0.is_empty() {
            let of = ImageLine::read(&reader.take()?);
            let mut number = || reader.number();
            let place = LinePlace { source: number()? as usize, line: number()? as usize, start: number()?, of };
            let mut number = || reader.number().map(|number| number as i64);
            let counts = Counts { dependencies: number()?, dependents: number()?, comments: number()? };
            first.push((of.key, AskedRow { place, counts }));
        }
        let unknown = UnknownIds::of(unknown)?;
        Some(Summary { unknown, shadowed, lent, has_tasks, from, until, first, total })
    }
}
