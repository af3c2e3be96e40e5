//! Who changed which field of which issue in which commit, newest first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::lines::{Documents, LinesOf, changed_ids, effective, effective_among};
use super::{Moment, Place};
use crate::ledger::Document;
use crate::model::difference::{ChangeKind, FieldChange, Side, merged_difference};
use crate::model::query::folded;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::store::sync::WorkingCopy;
use crate::store::{Result, View};
use crate::vcs::{Archive, Commit, Steps, Version};

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

/// The changes that were asked for, all at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    pub events: Vec<Event>,
    pub end: LogEnd,
}

/// What there is to say when all changes are told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogEnd {
    /// There are more than the limit.
    pub is_limited: bool,
    /// Repos that are under no version control.
    pub without_past: Vec<String>,
    /// A shallow clone does not have what was before these commits.
    pub cut: Vec<Commit>,
    /// The issue that was asked for has left the ledger under this id, and is there under the other.
    pub renamed: Option<(String, String)>,
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

impl View {
    /// What changed, across the repos of the project.
    pub fn log(&mut self, query: &LogQuery) -> Result<Log> {
        let mut events = Vec::new();
        let end = self.log_each(query, |event| events.push(event))?;
        Ok(Log { events, end })
    }

    /// Tells each change as it is found, newest first: however many there are, only those of one commit of each ledger are in
    /// memory at once.
    pub fn log_each(&mut self, query: &LogQuery, mut tell: impl FnMut(Event)) -> Result<LogEnd> {
        self.refresh()?;
        let copies = self.remembering_copies(query.repo)?;
        let point = query.since.as_ref().map(|moment| self.point(moment, query.repo)).transpose()?;
        let mut end = LogEnd { without_past: self.without_past(&copies), ..LogEnd::default() };
        let copies: Vec<&WorkingCopy> = copies.iter().filter(|copy| copy.vcs.is_versioned()).collect();
        copies.iter().try_for_each(|copy| self.refuse_filtered(copy))?;
        let archives = copies.iter().map(|copy| Ok(copy.vcs.archive(&self.host.env)?));
        let mut archives = archives.collect::<Result<Vec<_>>>()?;
        let mut streams = Vec::new();
        for (n, copy) in copies.iter().enumerate() {
            let since = match (&query.since, &point) {
                (Some(Moment::Date(time)), _) => Since::Time(*time),
                (_, Some(point)) => match point.commit(copy) {
                    Some(commit) => {
                        let known = archives[n].ancestors(std::slice::from_ref(&commit.id))?;
                        Since::Commits(known.into_iter().map(|commit| commit.id).collect())
                    }
                    None => Since::Always,
                },
                _ => Since::Always,
            };
            let since = Rc::new(since);
            for place in self.places(copy, query.repo) {
                let wanted = Wanted { query, source_repo: self.name(place.member) };
                let stream =
                    Stream::open(&mut *archives[n], &place, self.present(&place.sources), wanted, Rc::clone(&since));
                streams.push((n, stream?));
            }
        }
        let mut told = 0;
        loop {
            for (n, stream) in &mut streams {
                stream.fill(&mut *archives[*n], &mut end.cut)?;
            }
            // By time; each ledger's own order stays.
            let heads = streams.iter().enumerate().filter_map(|(n, (_, stream))| Some((Reverse(stream.time()?), n)));
            let Some((_, next)) = heads.min() else { break };
            if query.limit.is_some_and(|limit| told == limit) {
                end.is_limited = true;
                break;
            }
            streams[next].1.waiting.pop_front().into_iter().for_each(&mut tell);
            told += 1;
        }
        Ok(end)
    }
}

/// The changes of one ledger, step by step.
struct Stream<'a> {
    steps: Steps,
    /// The next step to look at.
    next: usize,
    reader: Reader,
    wanted: Wanted<'a>,
    since: Rc<Since>,
    /// What the last step changed and nobody has been told yet.
    waiting: VecDeque<Event>,
}

impl<'a> Stream<'a> {
    /// Begins with what is not committed.
    fn open(
        archive: &mut dyn Archive,
        place: &Place,
        now: Document,
        wanted: Wanted<'a>,
        since: Rc<Since>,
    ) -> Result<Self> {
        let tips = archive.tips()?;
        let steps = archive.steps(&place.trail, &tips)?;
        let mut reader = match &wanted.query.id {
            Some(id) => {
                let mut lines = LinesOf::read(archive, &steps, id)?;
                let ids = lines.follow(archive, &steps, id, &now)?;
                Reader::One(ids, lines)
            }
            None => Reader::All(Documents::default()),
        };
        let below = (0..steps.tips.len()).map(|n| Joined {
            version: steps.tips[n].and_then(|step| steps.all[step].after.as_ref()),
            common: if steps.tips.len() > 1 { steps.common_of_tips(n) } else { None },
        });
        let changes = reader.compare_present(archive, &below.collect::<Vec<_>>(), &now)?;
        let waiting = changes.into_iter().filter_map(|change| wanted.event(change, None)).collect();
        Ok(Stream { steps, next: 0, reader, wanted, since, waiting })
    }

    /// Goes on to the next step that changed something, unless there is something to tell.
    fn fill(&mut self, archive: &mut dyn Archive, cut: &mut Vec<Commit>) -> Result<()> {
        while self.waiting.is_empty() && self.next < self.steps.all.len() {
            let n = self.next;
            self.next += 1;
            let step = &self.steps.all[n];
            if !self.since.holds(&step.commit) {
                continue;
            }
            if step.commit.is_cut {
                if !cut.contains(&step.commit) {
                    cut.push(step.commit.clone());
                }
                continue;
            }
            let changes = self.reader.compare(archive, &self.steps, n)?;
            let commit = Some(&self.steps.all[n].commit);
            self.waiting.extend(changes.into_iter().filter_map(|change| self.wanted.event(change, commit)));
        }
        Ok(())
    }

    /// When the next change was made; what is not committed comes before all else.
    fn time(&self) -> Option<i64> {
        let next = self.waiting.front()?;
        Some(next.commit.as_ref().map_or(i64::MAX, |commit| commit.committed.nanos()))
    }
}

/// One issue before and after.
type Change = (String, ChangeKind, Vec<FieldChange>, String);

/// A version that a step stands on, and those that it has in common with the others of a merge.
struct Joined<'a> {
    version: Option<&'a Version>,
    common: Option<Vec<Option<&'a Version>>>,
}

impl Joined<'_> {
    /// It is what it was where the ways parted.
    fn is_untouched(&self) -> bool {
        self.common.as_ref().is_none_or(|common| common.contains(&self.version))
    }
}

/// Finds what a step changed: of one issue, whose lines are known, or of all.
enum Reader {
    /// The id, and those that it had before.
    One(Vec<String>, LinesOf),
    All(Documents),
}

impl Reader {
    fn compare(&mut self, archive: &mut dyn Archive, steps: &Steps, n: usize) -> Result<Vec<Change>> {
        let step = &steps.all[n];
        let is_merge = step.before.len() > 1;
        let before: Vec<Joined<'_>> = (0..step.before.len())
            .map(|side| Joined {
                version: step.before[side].version.as_ref(),
                common: if is_merge { steps.common(n, side) } else { None },
            })
            .collect();
        let after = step.after.as_ref();
        // What a merge took over whole, and from a side that alone had changed anything, is no change of its own.
        let is_taken = before.iter().any(|side| side.version == after);
        if is_merge && is_taken && before.iter().all(|side| side.version == after || side.is_untouched()) {
            return Ok(Vec::new());
        }
        match self {
            Reader::One(_, lines) => {
                let sides = sides_of(&before, |version| lines.get(version));
                Ok(change_of_one(&sides, lines.get(after)).into_iter().collect())
            }
            Reader::All(documents) => {
                let after = documents.get(archive, after)?;
                compare_documents(documents, archive, &before, &after)
            }
        }
    }

    /// What is not committed.
    fn compare_present(
        &mut self,
        archive: &mut dyn Archive,
        below: &[Joined<'_>],
        now: &Document,
    ) -> Result<Vec<Change>> {
        match self {
            Reader::One(ids, lines) => {
                let sides = sides_of(below, |version| lines.get(version));
                let line = ids.iter().find_map(|id| effective(now, id));
                Ok(change_of_one(&sides, line.as_deref()).into_iter().collect())
            }
            Reader::All(documents) => compare_documents(documents, archive, below, now),
        }
    }
}

/// The lines of an issue that a step stands on.
fn sides_of<'a>(before: &[Joined<'_>], line: impl Fn(Option<&Version>) -> Option<&'a str>) -> Vec<Side<'a>> {
    let side = |side: &Joined<'_>| Side {
        line: line(side.version),
        common: side.common.as_ref().map(|common| common.iter().map(|version| line(*version)).collect()),
    };
    before.iter().map(side).collect()
}

fn compare_documents(
    documents: &mut Documents,
    archive: &mut dyn Archive,
    before: &[Joined<'_>],
    after: &Document,
) -> Result<Vec<Change>> {
    // What no side has as it is now, and what a side has of its own and the step has not taken.
    let (mut everywhere, mut ids): (Option<BTreeSet<String>>, BTreeSet<String>) = (None, BTreeSet::new());
    let none = Joined { version: None, common: None };
    for side in if before.is_empty() { std::slice::from_ref(&none) } else { before } {
        let document = documents.get(archive, side.version)?;
        let changed = changed_ids(&document, after);
        if !side.is_untouched() {
            let mut own = changed.clone();
            for common in side.common.iter().flatten() {
                let common = documents.get(archive, *common)?;
                let made = changed_ids(&common, &document);
                own.retain(|id| made.contains(id));
            }
            ids.extend(own);
        }
        everywhere = Some(match everywhere {
            Some(others) => others.intersection(&changed).cloned().collect(),
            None => changed,
        });
    }
    ids.extend(everywhere.unwrap_or_default());
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines: Vec<(Option<&Version>, HashMap<String, String>)> = Vec::new();
    for version in before.iter().flat_map(|side| side.common.iter().flatten().copied().chain([side.version])) {
        if !lines.iter().any(|(known, _)| *known == version) {
            let document = documents.get(archive, version)?;
            lines.push((version, effective_among(&document, &ids)));
        }
    }
    let new = effective_among(after, &ids);
    let changes = ids.iter().filter_map(|id| {
        let line = |version: Option<&Version>| {
            let (_, lines) = lines.iter().find(|(known, _)| *known == version)?;
            lines.get(id).map(String::as_str)
        };
        change(id, &sides_of(before, line), new.get(id).map(String::as_str))
    });
    Ok(changes.collect())
}

fn change(id: &str, before: &[Side<'_>], after: Option<&str>) -> Option<Change> {
    let (kind, fields) = merged_difference(before, after)?;
    let line = after.or_else(|| before.iter().find_map(|side| side.line))?;
    Some((id.to_owned(), kind, fields, line.to_owned()))
}

/// The same under the id that the issue had then.
fn change_of_one(before: &[Side<'_>], after: Option<&str>) -> Option<Change> {
    let line = after.or_else(|| before.iter().find_map(|side| side.line))?;
    let id = Record::parse(line).ok()?.string("id")?.into_owned();
    change(&id, before, after)
}

/// What of a change is asked for.
struct Wanted<'a> {
    query: &'a LogQuery,
    source_repo: &'a str,
}

impl Wanted<'_> {
    fn event(&self, (id, kind, mut fields, line): Change, commit: Option<&Commit>) -> Option<Event> {
        if let Some(author) = &self.query.author {
            let sought = folded(author);
            let holds = |text: &str| folded(text).contains(&sought);
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
