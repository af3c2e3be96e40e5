//! A point in the past: the commit that each working copy was at.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::ledger::Document;
use crate::model::time::Instant;
use crate::model::when::{Bare, Calendar};
use crate::store::read::working_copies::WorkingCopy;
use crate::store::state::stamps::Stamps;
use crate::store::{Project, Result, Snapshot, Store, StoreError, Warning};
use crate::sys::Clock;
use crate::vcs::{Archive, Commit, SyncError, Trail, Version, as_of};

/// A point in time, as people write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    Date(Instant),
    /// In the syntax of the primary repo's version control.
    Revision(String),
}

impl Moment {
    /// Anything that parses as a date is one: `2026-03-01`, `yesterday`, `3d` for three days ago. Everything else is a
    /// revision.
    pub fn parse(text: &str, calendar: &Calendar) -> Self {
        match calendar.parse(text, Bare::Past) {
            Some(when) => Moment::Date(when.start()),
            None => Moment::Revision(text.trim().to_owned()),
        }
    }
}

/// A ledger file in the past: its path from the root, and its content.
pub(super) type PastFile = (PathBuf, Vec<u8>);

/// The project at a point in the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub time: Instant,
    /// The commit of the primary's working copy; `None` if it is later than that.
    pub commit: Option<Commit>,
    copies: Vec<(PathBuf, Option<Commit>)>,
}

impl Point {
    /// The commit of a working copy at that point.
    pub(super) fn commit(&self, copy: &WorkingCopy) -> Option<&Commit> {
        self.copies.iter().find(|(root, _)| *root == copy.root).and_then(|(_, commit)| commit.as_ref())
    }
}

impl Project {
    fn point_at(
        &self,
        copies: &[WorkingCopy],
        own: &WorkingCopy,
        time: Instant,
        named: Option<Commit>,
    ) -> Result<Point> {
        let mut found = Vec::new();
        for copy in copies.iter().filter(|copy| copy.vcs.is_versioned()) {
            let commit = match &named {
                Some(commit) if copy.root == own.root => Some(commit.clone()),
                _ => self.with_archive(copy, |archive| match archive.tips()?.first() {
                    Some(tip) => Ok(as_of(archive, tip, time)?),
                    None => Ok(None),
                })?,
            };
            found.push((copy.root.clone(), commit));
        }
        let commit = found.iter().find(|(root, _)| *root == own.root).and_then(|(_, commit)| commit.clone());
        Ok(Point { time, commit, copies: found })
    }
}

impl Snapshot {
    /// Finds a point in the past of every working copy. A revision is one of the primary's, or of the given repo; the
    /// others are taken at the time of that commit.
    pub fn point(&self, moment: &Moment, repo: Option<usize>) -> Result<Point> {
        let member = repo.unwrap_or(0);
        let copies = self.remembering_copies(None)?;
        let Some(own) = copies.iter().find(|copy| copy.members.contains(&member)) else {
            return Err(SyncError::NoHistory { root: self.repo.root().to_owned() }.into());
        };
        if !own.vcs.is_versioned() {
            return Err(SyncError::NoHistory { root: own.root.clone() }.into());
        }
        let (time, named) = match moment {
            Moment::Date(time) => (*time, None),
            Moment::Revision(text) => match self.with_archive(own, |archive| Ok(archive.resolve(text)?))? {
                Some(commit) => (commit.committed, Some(commit)),
                None => return Err(StoreError::NoSuchRevision { text: text.clone(), root: own.root.clone() }),
            },
        };
        self.point_at(&copies, own, time, named)
    }

    /// The checked-out commits of the working copies.
    pub fn head_point(&self) -> Result<Point> {
        // Regardless of clocks.
        let last = Instant::from_nanos(i64::MAX);
        self.point_at(&self.remembering_copies(None)?, &self.working_copies(Some(0))[0], last, None)
    }

    /// The files of every ledger at a point, by repo. Repos without a known past have no entry.
    pub(super) fn files_at(&self, point: &Point) -> Result<BTreeMap<usize, Vec<PastFile>>> {
        let mut found = BTreeMap::new();
        for copy in self.working_copies(None).iter().filter(|copy| copy.vcs.is_versioned()) {
            for place in self.places(copy, None) {
                let files = match point.commit(copy) {
                    Some(commit) => self.with_archive(copy, |archive| {
                        let files = files_at(archive, &place.trail, &commit.id)?;
                        let read = files.into_iter().map(|(name, version)| Ok((name, archive.text(&version)?)));
                        read.collect::<Result<Vec<PastFile>>>()
                    })?,
                    None => Vec::new(),
                };
                found.insert(place.member, files);
            }
        }
        Ok(found)
    }
}

impl Store {
    /// Makes this store answer as it would have at that point, with today's settings. It becomes read-only.
    pub fn go_back(&mut self, point: &Point) -> Result<()> {
        self.look_again()?;
        let mut files = self.files_at(point)?;
        self.reopen()?;
        for member in 0..self.repos.members.len() {
            let past = files.remove(&member);
            if past.is_none() && !self.sources.of_member(member).is_empty() {
                let repo = self.name(member).to_owned();
                self.notices.add(Warning::NoPast { repo });
            }
            let past = past.unwrap_or_default().into_iter();
            self.sources.freeze(member, past.map(|(name, text)| (name, Document::new(text))).collect());
        }
        self.project.seen = Stamps::default();
        self.host.clock = Clock::Fixed(point.time);
        Ok(())
    }
}

/// The ledger's files in a commit, under the names they have there.
fn files_at(archive: &mut dyn Archive, trail: &Trail, commit: &str) -> Result<Vec<(PathBuf, Version)>> {
    let among = |archive: &mut dyn Archive, names: &[PathBuf]| -> Result<Vec<(PathBuf, Version)>> {
        let mut files = Vec::new();
        for name in names {
            files.extend(archive.version(name, commit)?.map(|version| (name.clone(), version)));
        }
        Ok(files)
    };
    let found = among(archive, trail.names())?;
    if !found.is_empty() {
        return Ok(found);
    }
    let tips = archive.tips()?;
    if let Some(names) = archive.steps(trail, &tips)?.renamed.remove(commit) {
        return among(archive, &names);
    }
    // A commit of another branch, from before the ledger got its configured name.
    let beside = trail.names().first().map(|name| trail.beside(name));
    among(archive, &beside.unwrap_or_default())
}

/// A ledger in a commit, as one document.
pub(super) fn document_at(archive: &mut dyn Archive, trail: &Trail, commit: &str) -> Result<Document> {
    let version = Version::joined(files_at(archive, trail, commit)?.into_iter().map(|(_, version)| version));
    Ok(Document::new(version.map(|version| archive.text(&version)).transpose()?.unwrap_or_default()))
}
