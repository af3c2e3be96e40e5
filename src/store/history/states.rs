//! Two states of the project, compared issue by issue.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::effective_among;
use super::{Moment, Point};
use crate::ledger::Document;
use crate::model::difference::{ChangeKind, FieldChange, difference};
use crate::store::{Result, Store, StoreError};
use crate::vcs::{self, Kind};

/// A state of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The files as they are.
    Now,
    /// What was committed last.
    Committed,
    At(Moment),
    /// The last common commit of these two; the second is what was committed last if it is not given.
    Common(Moment, Option<Moment>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffKind {
    Added,
    Changed,
    Removed,
    /// From this repo.
    Moved(String),
}

/// An issue that is not the same in two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffEntry {
    pub id: String,
    /// Where it is; where it was, if it was removed.
    pub source_repo: String,
    pub kind: DiffKind,
    pub fields: Vec<FieldChange>,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The lines of a state by id and repo.
type Lines = BTreeMap<String, BTreeMap<usize, String>>;

impl Store {
    /// What is different between two states, by id; of one repo if one is asked for.
    pub fn differences(&mut self, from: &State, to: &State, repo: Option<usize>) -> Result<Vec<DiffEntry>> {
        self.refresh()?;
        let (old, new) = (self.lines_in(from, repo)?, self.lines_in(to, repo)?);
        let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let none = BTreeMap::new();
        let mut entries = Vec::new();
        for id in ids {
            let (was, is) = (old.get(id).unwrap_or(&none), new.get(id).unwrap_or(&none));
            let mut gone: Vec<usize> = was.keys().filter(|repo| !is.contains_key(repo)).copied().collect();
            for (repo, line) in is {
                let source_repo = self.name(*repo).to_owned();
                let (kind, before) = match was.get(repo) {
                    Some(before) => (DiffKind::Changed, Some(before)),
                    None if gone.is_empty() => (DiffKind::Added, None),
                    None => {
                        let from = gone.remove(0);
                        (DiffKind::Moved(self.name(from).to_owned()), was.get(&from))
                    }
                };
                let fields = difference(&[before.map(String::as_str)], Some(line)).map(|(_, fields)| fields);
                if kind == DiffKind::Changed && fields.is_none() {
                    continue;
                }
                entries.push(DiffEntry {
                    id: id.clone(),
                    source_repo,
                    kind,
                    fields: fields.unwrap_or_default(),
                    before: before.cloned(),
                    after: Some(line.clone()),
                });
            }
            for repo in gone {
                let before = was.get(&repo);
                let told = difference(&[before.map(String::as_str)], None);
                let Some((ChangeKind::Removed, fields)) = told else { continue };
                entries.push(DiffEntry {
                    id: id.clone(),
                    source_repo: self.name(repo).to_owned(),
                    kind: DiffKind::Removed,
                    fields,
                    before: before.cloned(),
                    after: None,
                });
            }
        }
        Ok(entries)
    }

    fn lines_in(&self, state: &State, repo: Option<usize>) -> Result<Lines> {
        let documents: Vec<Option<Document>> = match self.point_of(state, repo)? {
            None => (0..self.sources.len()).map(|source| Some(self.present(source))).collect(),
            Some(point) => self.documents_at(&point)?,
        };
        let mut lines = Lines::new();
        for (source, document) in documents.into_iter().enumerate() {
            let member = self.sources.member_of(source);
            // Without a past there is nothing to compare with.
            let Some(document) = document.filter(|_| repo.is_none_or(|repo| repo == member)) else { continue };
            if !self.remembers(source) {
                continue;
            }
            let ids: BTreeSet<String> = document.ids().map(|id| id.into_owned()).collect();
            for (id, line) in effective_among(&document, &ids) {
                lines.entry(id).or_default().entry(member).or_insert(line);
            }
        }
        Ok(lines)
    }

    fn remembers(&self, source: usize) -> bool {
        vcs::kind(&super::super::place::real(self.sources.ledger(source).path())) != Kind::None
    }

    /// `None` for the present.
    fn point_of(&self, state: &State, repo: Option<usize>) -> Result<Option<Point>> {
        match state {
            State::Now => {
                self.remembering_copies(repo)?;
                Ok(None)
            }
            State::Committed => self.head_point().map(Some),
            State::At(moment) => self.point(moment, repo).map(Some),
            State::Common(one, other) => {
                let one = self.point(one, repo)?;
                let other = match other {
                    Some(other) => self.point(other, repo)?,
                    None => self.head_point()?,
                };
                let (Some(a), Some(b)) = (&one.commit, &other.commit) else { return Ok(Some(one)) };
                let copies = self.working_copies(Some(repo.unwrap_or(0)));
                let Some(copy) = copies.first() else { return Ok(Some(one)) };
                let base = self.with_archive(copy, |archive| Ok(vcs::merge_base(archive, &a.id, &b.id)?))?;
                match base {
                    Some(base) => self.point(&Moment::Revision(base.id), repo).map(Some),
                    None => Err(StoreError::NoCommonCommit { one: a.id.clone(), other: b.id.clone() }),
                }
            }
        }
    }
}
