//! A moment of the past, and the commit that each working copy had then.

use std::path::{Path, PathBuf};

use crate::ledger::Document;
use crate::model::time::Instant;
use crate::model::when::{Bare, Calendar};
use crate::store::sync::WorkingCopy;
use crate::store::{LEDGER_NAMES, Result, Store, StoreError, Warning};
use crate::sys::Clock;
use crate::vcs::{Archive, Commit, Kind, SyncError, Version, as_of};

/// When, as people say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    Date(Instant),
    /// In the language of the version control of the primary repo.
    Revision(String),
}

impl Moment {
    /// What is a date is taken for one: `2026-03-01`, `yesterday`, `3d` for three days ago. Everything else is a revision.
    pub fn parse(text: &str, calendar: &Calendar) -> Self {
        match calendar.parse(text, Bare::Past) {
            Some(time) => Moment::Date(time),
            None => Moment::Revision(text.trim().to_owned()),
        }
    }
}

/// The project at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub time: Instant,
    /// The commit of the primary's working copy; `None` if it is later than the moment.
    pub commit: Option<Commit>,
    copies: Vec<(PathBuf, Option<Commit>)>,
}

impl Point {
    /// The commit of a working copy at that moment.
    pub(super) fn commit(&self, copy: &WorkingCopy) -> Option<&Commit> {
        self.copies.iter().find(|(root, _)| *root == copy.root).and_then(|(_, commit)| commit.as_ref())
    }
}

impl Store {
    /// Finds a moment in the past of every working copy. A revision is one of the primary's, or of the repo that is named;
    /// the others are taken as they were when it was committed.
    pub fn point(&self, moment: &Moment, repo: Option<usize>) -> Result<Point> {
        let member = repo.unwrap_or(0);
        let copies = self.remembering_copies(None)?;
        let Some(own) = copies.iter().find(|copy| copy.members.contains(&member)) else {
            return Err(SyncError::NoVcs { root: self.repo.root().to_owned() }.into());
        };
        if own.kind == Kind::None {
            return Err(SyncError::NoVcs { root: own.root.clone() }.into());
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

    /// The commits that the working copies stand on.
    pub fn head_point(&self) -> Result<Point> {
        // Whatever their clocks said.
        let last = Instant::from_nanos(i64::MAX);
        self.point_at(&self.remembering_copies(None)?, &self.working_copies(Some(0))[0], last, None)
    }

    fn point_at(
        &self,
        copies: &[WorkingCopy],
        own: &WorkingCopy,
        time: Instant,
        named: Option<Commit>,
    ) -> Result<Point> {
        let mut found = Vec::new();
        for copy in copies.iter().filter(|copy| copy.kind != Kind::None) {
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

    /// Every ledger as it was at a point, by source; `None` where the past is not known.
    pub(super) fn documents_at(&self, point: &Point) -> Result<Vec<Option<Document>>> {
        let mut documents: Vec<Option<Document>> = (0..self.sources.len()).map(|_| None).collect();
        for copy in self.working_copies(None).iter().filter(|copy| copy.kind != Kind::None) {
            for place in self.places(copy, None) {
                let bytes = match point.commit(copy) {
                    Some(commit) => self.with_archive(copy, |archive| {
                        let version = version_at(archive, place.file, &commit.id)?;
                        Ok(version.map(|version| archive.text(&version)).transpose()?)
                    })?,
                    None => None,
                };
                documents[place.source] = Some(Document::new(bytes.unwrap_or_default()));
            }
        }
        Ok(documents)
    }

    /// Makes this store answer as it would have at a moment, with the settings of today. It cannot be written any more.
    pub fn go_back(&mut self, point: &Point) -> Result<()> {
        self.look_around()?;
        let documents = self.documents_at(point)?;
        self.reopen()?;
        for (source, document) in documents.into_iter().enumerate() {
            if document.is_none() {
                let repo = self.name(self.sources.member_of(source)).to_owned();
                self.notices.push(Warning::NoPast { repo });
            }
            self.sources.freeze(source, document.unwrap_or_else(|| Document::new(Vec::new())));
        }
        self.surroundings.clear();
        self.host.clock = Clock::Fixed(point.time);
        Ok(())
    }
}

/// A ledger in a commit, under the name that it had there.
pub(super) fn version_at(archive: &mut dyn Archive, file: &Path, commit: &str) -> Result<Option<Version>> {
    if let Some(version) = archive.version(file, commit)? {
        return Ok(Some(version));
    }
    let tips = archive.tips()?;
    if let Some(name) = archive.steps(file, &tips)?.renamed.get(commit) {
        return Ok(archive.version(name, commit)?);
    }
    for name in LEDGER_NAMES {
        if let Some(version) = archive.version(&file.with_file_name(name), commit)? {
            return Ok(Some(version));
        }
    }
    Ok(None)
}
