//! Two states of the project, compared issue by issue.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::effective_lines;
use super::{Moment, Point};
use crate::ledger::Document;
use crate::model::difference::{ChangeKind, FieldChange, difference};
use crate::model::proposal::is_companion_line;
use crate::store::read::index::is_rejected;
use crate::store::{Project, Result, Snapshot, StoreError};
use crate::vcs;

/// A state of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The files in the working copy.
    Now,
    /// The last commit.
    Committed,
    At(Moment),
    /// The merge base of these two; the second defaults to the last commit.
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

/// An issue that differs between two states.
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

/// The lines of a state, by id and repo.
type Lines = BTreeMap<String, BTreeMap<usize, String>>;

impl Project {
    /// How the copies of an issue in several repos changed, the effective one first.
    fn copies_compared(&self, id: &str, was: &BTreeMap<usize, String>, is: &BTreeMap<usize, String>) -> Vec<DiffEntry> {
        let entry = |repo: usize, kind, fields, before: Option<&String>, after: Option<&String>| {
            let (id, source_repo) = (id.to_owned(), self.name(repo).to_owned());
            DiffEntry { id, source_repo, kind, fields, before: before.cloned(), after: after.cloned() }
        };
        let mut entries = Vec::new();
        let mut gone: Vec<usize> = was.keys().filter(|repo| !is.contains_key(repo)).copied().collect();
        let mut present: Vec<(&usize, &String)> = is.iter().collect();
        present.sort_by_key(|(repo, line)| (is_rejected(line), **repo));
        for (repo, line) in present {
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
            entries.push(entry(*repo, kind, fields.unwrap_or_default(), before, Some(line)));
        }
        for repo in gone {
            let before = was.get(&repo);
            let change = difference(&[before.map(String::as_str)], None);
            let Some((ChangeKind::Removed, fields)) = change else { continue };
            entries.push(entry(repo, DiffKind::Removed, fields, before, None));
        }
        entries
    }
}

impl Snapshot {
    /// The differences between two states, by id, each issue once; optionally of one repo.
    pub fn differences(&self, from: &State, to: &State, repo: Option<usize>) -> Result<Vec<DiffEntry>> {
        let (old, new) = (self.lines_in(from, repo)?, self.lines_in(to, repo)?);
        let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let none = BTreeMap::new();
        // Most issues are unchanged.
        let differing = ids.into_iter().filter(|id| old.get(*id) != new.get(*id));
        let differences = differing.filter_map(|id| {
            let copies = self.copies_compared(id, old.get(id).unwrap_or(&none), new.get(id).unwrap_or(&none));
            // The effective copy shows how the issue changed; the others add only what they alone have.
            copies.into_iter().reduce(|mut one, other| {
                let known = |change: &FieldChange| one.fields.iter().any(|reported| reported.field == change.field);
                let more: Vec<FieldChange> = other.fields.into_iter().filter(|change| !known(change)).collect();
                if one.kind == DiffKind::Changed {
                    one.fields.extend(more);
                }
                one
            })
        });
        Ok(differences.collect())
    }

    fn lines_in(&self, state: &State, repo: Option<usize>) -> Result<Lines> {
        let point = self.point_of(state, repo)?;
        let mut files = point.as_ref().map(|point| self.files_at(point)).transpose()?.unwrap_or_default();
        let mut lines = Lines::new();
        for member in (0..self.repos.members.len()).filter(|member| repo.is_none_or(|repo| repo == *member)) {
            let sources = self.sources.of_member(member);
            // Without history there is nothing to compare with.
            if !sources.iter().any(|source| self.remembers(*source)) {
                continue;
            }
            let document = match point {
                None => self.present(&sources),
                Some(_) => {
                    let texts = files.remove(&member).unwrap_or_default().into_iter().map(|(_, text)| text);
                    Document::new(vcs::joined(texts.collect()))
                }
            };
            let issues = effective_lines(&document).into_iter();
            for (id, line) in issues.filter(|(_, line)| !is_companion_line(line.as_bytes())) {
                lines.entry(id).or_default().insert(member, line);
            }
        }
        Ok(lines)
    }

    fn remembers(&self, source: usize) -> bool {
        vcs::is_versioned(&crate::store::project::paths::real(self.sources.ledger(source).path()))
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
