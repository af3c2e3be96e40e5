//! Who changed which field of which issue in which commit, newest first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use super::lines::{Documents, LinesOf, changed_ids, effective, effective_among};
use super::{Moment, Place};
use crate::ledger::Document;
use crate::model::difference::{ChangeKind, FieldChange, difference};
use crate::model::time::Instant;
use crate::store::{Result, Store};
use crate::vcs::{Archive, Commit, Kind, Step, Version};

/// Which changes to tell. The default is all.
#[derive(Debug, Clone, Default)]
pub struct LogQuery {
    /// Of this issue, by its full id.
    pub id: Option<String>,
    /// Those after a commit or a moment.
    pub since: Option<Moment>,
    /// By people in whose name or address this occurs.
    pub author: Option<String>,
    /// Of these fields.
    pub fields: Vec<String>,
    pub repo: Option<usize>,
    pub limit: Option<usize>,
}

/// One change of one issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub id: String,
    /// The repo whose ledger it is in.
    pub source_repo: String,
    pub kind: ChangeKind,
    pub fields: Vec<FieldChange>,
    /// `None` for what is not committed yet.
    pub commit: Option<Commit>,
    /// The line after the change; before it, if the issue was removed.
    pub line: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    pub events: Vec<Event>,
    /// There are more than the limit.
    pub is_limited: bool,
    /// Repos that are under no version control.
    pub without_past: Vec<String>,
    /// A shallow clone does not have what was before these commits.
    pub cut: Vec<Commit>,
}

/// From where on changes count.
pub enum Since {
    Always,
    Time(Instant),
    /// What these commits do not have.
    Commits(HashSet<String>),
}

impl Since {
    pub fn holds(&self, commit: &Commit) -> bool {
        match self {
            Since::Always => true,
            Since::Time(time) => commit.committed >= *time,
            Since::Commits(known) => !known.contains(&commit.id),
        }
    }
}

impl Store {
    /// What changed, across the repos of the project.
    pub fn log(&mut self, query: &LogQuery) -> Result<Log> {
        self.refresh()?;
        let copies = self.remembering_copies(query.repo)?;
        let point = query.since.as_ref().map(|moment| self.point(moment, query.repo)).transpose()?;
        let mut log = Log { without_past: self.without_past(&copies), ..Log::default() };
        let mut streams = Vec::new();
        for copy in copies.iter().filter(|copy| copy.kind != Kind::None) {
            let since = match (&query.since, &point) {
                (Some(Moment::Date(time)), _) => Since::Time(*time),
                (_, Some(point)) => match point.commit(copy) {
                    Some(commit) => self.with_archive(copy, |archive| {
                        let known = archive.ancestors(std::slice::from_ref(&commit.id))?;
                        Ok(Since::Commits(known.into_iter().map(|commit| commit.id).collect()))
                    })?,
                    None => Since::Always,
                },
                _ => Since::Always,
            };
            for place in self.places(copy, query.repo) {
                streams.push(
                    self.with_archive(copy, |archive| self.events_of(archive, &place, query, &since, &mut log.cut))?,
                );
            }
        }
        log.events = merged(streams);
        if let Some(limit) = query.limit {
            log.is_limited = log.events.len() > limit;
            log.events.truncate(limit);
        }
        Ok(log)
    }

    /// The changes of one ledger; one more than the limit, so that the cut shows.
    fn events_of(
        &self,
        archive: &mut dyn Archive,
        place: &Place<'_>,
        query: &LogQuery,
        since: &Since,
        cut: &mut Vec<Commit>,
    ) -> Result<Vec<Event>> {
        let tips = archive.tips()?;
        let steps = archive.steps(place.file, &tips)?;
        let mut reader = match &query.id {
            Some(id) => Reader::One(id.clone(), LinesOf::read(archive, &steps, id)?),
            None => Reader::All(Documents::default()),
        };
        let wanted = Wanted { query, source_repo: self.name(self.sources.member_of(place.source)) };
        let enough = query.limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
        let mut events = Vec::new();
        let below: Vec<Option<&Version>> =
            steps.tips.iter().map(|tip| tip.and_then(|n| steps.all[n].after.as_ref())).collect();
        let now = reader.compare_present(archive, &below, &self.present(place.source))?;
        events.extend(now.into_iter().filter_map(|change| wanted.event(change, None)));
        for step in &steps.all {
            if events.len() >= enough {
                break;
            }
            if !since.holds(&step.commit) {
                continue;
            }
            if step.commit.is_cut {
                if !cut.contains(&step.commit) {
                    cut.push(step.commit.clone());
                }
                continue;
            }
            let changes = reader.compare(archive, step)?;
            events.extend(changes.into_iter().filter_map(|change| wanted.event(change, Some(&step.commit))));
        }
        Ok(events)
    }
}

/// One issue before and after.
type Change = (String, ChangeKind, Vec<FieldChange>, String);

/// Finds what a step changed: of one issue, whose lines are known, or of all.
enum Reader {
    One(String, LinesOf),
    All(Documents),
}

impl Reader {
    fn compare(&mut self, archive: &mut dyn Archive, step: &Step) -> Result<Vec<Change>> {
        // What a merge took over whole is no change of its own.
        if step.before.len() > 1 && step.before.iter().any(|before| before.version == step.after) {
            return Ok(Vec::new());
        }
        let before: Vec<Option<&Version>> = step.before.iter().map(|before| before.version.as_ref()).collect();
        match self {
            Reader::One(id, lines) => {
                let before: Vec<Option<&str>> = before.into_iter().map(|version| lines.get(version)).collect();
                Ok(change(id, &before, lines.get(step.after.as_ref())).into_iter().collect())
            }
            Reader::All(documents) => {
                let after = documents.get(archive, step.after.as_ref())?;
                compare_documents(documents, archive, &before, &after)
            }
        }
    }

    /// What is not committed.
    fn compare_present(
        &mut self,
        archive: &mut dyn Archive,
        below: &[Option<&Version>],
        now: &Document,
    ) -> Result<Vec<Change>> {
        match self {
            Reader::One(id, lines) => {
                let before: Vec<Option<&str>> = below.iter().map(|version| lines.get(*version)).collect();
                Ok(change(id, &before, effective(now, id).as_deref()).into_iter().collect())
            }
            Reader::All(documents) => compare_documents(documents, archive, below, now),
        }
    }
}

fn compare_documents(
    documents: &mut Documents,
    archive: &mut dyn Archive,
    before: &[Option<&Version>],
    after: &Document,
) -> Result<Vec<Change>> {
    let mut parents = Vec::new();
    for version in before {
        parents.push(documents.get(archive, *version)?);
    }
    if parents.is_empty() {
        parents.push(documents.get(archive, None)?);
    }
    let mut ids: Option<BTreeSet<String>> = None;
    for parent in &parents {
        let changed = changed_ids(parent, after);
        ids = Some(match ids {
            Some(ids) => ids.intersection(&changed).cloned().collect(),
            None => changed,
        });
    }
    let ids = ids.unwrap_or_default();
    let old: Vec<_> = parents.iter().map(|parent| effective_among(parent, &ids)).collect();
    let new = effective_among(after, &ids);
    let changes = ids.iter().filter_map(|id| {
        let before: Vec<Option<&str>> = old.iter().map(|lines| lines.get(id).map(String::as_str)).collect();
        change(id, &before, new.get(id).map(String::as_str))
    });
    Ok(changes.collect())
}

fn change(id: &str, before: &[Option<&str>], after: Option<&str>) -> Option<Change> {
    let (kind, fields) = difference(before, after)?;
    let line = after.or_else(|| before.iter().flatten().next().copied())?;
    Some((id.to_owned(), kind, fields, line.to_owned()))
}

/// What of a change is asked for.
struct Wanted<'a> {
    query: &'a LogQuery,
    source_repo: &'a str,
}

impl Wanted<'_> {
    fn event(&self, (id, kind, mut fields, line): Change, commit: Option<&Commit>) -> Option<Event> {
        if let Some(author) = &self.query.author {
            let sought = author.to_lowercase();
            let holds = |text: &str| text.to_lowercase().contains(&sought);
            if !commit.is_some_and(|commit| holds(&commit.author) || holds(&commit.email)) {
                return None;
            }
        }
        if !self.query.fields.is_empty() {
            fields.retain(|change| self.query.fields.contains(&change.field));
            if fields.is_empty() {
                return None;
            }
        }
        Some(Event { id, source_repo: self.source_repo.to_owned(), kind, fields, commit: commit.cloned(), line })
    }
}

/// Brings the changes of several ledgers into one order, by time; each one's own order stays.
fn merged(streams: Vec<Vec<Event>>) -> Vec<Event> {
    let mut streams: Vec<_> = streams.into_iter().map(|events| events.into_iter().peekable()).collect();
    let mut all = Vec::new();
    loop {
        let heads = streams.iter_mut().enumerate().filter_map(|(n, stream)| {
            let time = stream.peek()?.commit.as_ref().map_or(i64::MAX, |commit| commit.committed.nanos());
            Some((Reverse(time), n))
        });
        let Some((_, next)) = heads.min() else { return all };
        all.extend(streams[next].next());
    }
}
