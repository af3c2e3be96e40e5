//! History by field: who changed which field of which issue in which commit, newest first.

use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use super::compared::{Change, Joined, Pairs, change_of_one, sides_of};
use super::lines::LinesOf;
use super::{Moment, Place};
use crate::ledger::Document;
use crate::model::difference::{ChangeKind, FieldChange};
use crate::model::query::folded;
use crate::model::time::Instant;
use crate::store::read::working_copies::WorkingCopy;
use crate::store::{Result, Snapshot};
use crate::vcs::{Archive, Before, Commit, Node, Steps};

/// Which changes to report. The default is all.
#[derive(Debug, Clone, Default)]
pub struct LogQuery {
    /// Of this issue, by its full id.
    pub id: Option<String>,
    /// After a commit or a time.
    pub since: Option<Moment>,
    /// By people whose name or address contains this.
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
    /// The repo whose ledger has it.
    pub source_repo: String,
    pub kind: ChangeKind,
    pub fields: Vec<FieldChange>,
    /// `None` for an uncommitted change.
    pub commit: Option<Commit>,
    /// The line after the change; before it, if the issue was removed.
    pub line: String,
}

/// All requested changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    pub events: Vec<Event>,
    pub end: LogEnd,
}

/// Summary after all changes were reported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogEnd {
    /// There are more than the limit.
    pub is_limited: bool,
    /// Repos without version control.
    pub without_past: Vec<String>,
    /// The oldest commits of a shallow clone.
    pub cut: Vec<Commit>,
    /// The requested issue has left the ledger under this id, and exists under the other.
    pub renamed: Option<(String, String)>,
}

/// Where changes start to count.
pub(super) enum Since {
    Always,
    Time(Instant),
    /// Everything not reachable from these commits.
    Commits(HashSet<String>),
}

impl Since {
    pub(super) fn holds(&self, commit: &Node) -> bool {
        match self {
            Since::Always => true,
            Since::Time(time) => commit.committed >= *time,
            Since::Commits(known) => !known.contains(&commit.id),
        }
    }
}

impl Snapshot {
    /// The changes across the repos of the project.
    pub fn log(&self, query: &LogQuery) -> Result<Log> {
        let mut events = Vec::new();
        let end = self.log_each(query, |event| events.push(event))?;
        Ok(Log { events, end })
    }

    /// Reports each change as it is found, newest first; only one commit of each ledger is in memory at a time.
    pub fn log_each(&self, query: &LogQuery, mut tell: impl FnMut(Event)) -> Result<LogEnd> {
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
        let mut reported = 0;
        loop {
            for (n, stream) in &mut streams {
                stream.fill(&mut *archives[*n], &mut end.cut)?;
            }
            // By time; the order within a ledger is kept.
            let heads = streams.iter().enumerate().filter_map(|(n, (_, stream))| Some((Reverse(stream.time()?), n)));
            let Some((_, next)) = heads.min() else { break };
            if query.limit.is_some_and(|limit| reported == limit) {
                end.is_limited = true;
                break;
            }
            streams[next].1.waiting.pop_front().into_iter().for_each(&mut tell);
            reported += 1;
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
    /// Changes of the last step that have not been reported.
    waiting: VecDeque<Event>,
}

impl<'a> Stream<'a> {
    /// Starts with what is not committed.
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
            None => Reader::All(Pairs::default()),
        };
        let below = (0..steps.tips.len()).map(|n| Joined {
            version: steps.tips[n].and_then(|step| steps.all[step].after.as_ref()),
            common: if steps.tips.len() > 1 { steps.common_of_tips(n) } else { None },
        });
        let changes = reader.compare_present(archive, &below.collect::<Vec<_>>(), &now)?;
        let waiting = changes.into_iter().filter_map(|change| wanted.event(change, None)).collect();
        Ok(Stream { steps, next: 0, reader, wanted, since, waiting })
    }

    /// Continues to the next step that changed something, unless changes are pending.
    fn fill(&mut self, archive: &mut dyn Archive, cut: &mut Vec<Commit>) -> Result<()> {
        while self.waiting.is_empty() && self.next < self.steps.all.len() {
            let n = self.next;
            self.next += 1;
            let step = &self.steps.all[n];
            if !self.since.holds(&step.commit) {
                continue;
            }
            if step.commit.is_cut {
                if !cut.iter().any(|known| known.id == step.commit.id) {
                    cut.push(archive.commit(&step.commit.id)?);
                }
                continue;
            }
            let changes = self.reader.compare(archive, &self.steps, n)?;
            if changes.is_empty() {
                continue;
            }
            let commit = archive.commit(&self.steps.all[n].commit.id)?;
            self.waiting.extend(changes.into_iter().filter_map(|change| self.wanted.event(change, Some(&commit))));
        }
        Ok(())
    }

    /// The time of the next change; uncommitted changes come first.
    fn time(&self) -> Option<i64> {
        let next = self.waiting.front()?;
        Some(next.commit.as_ref().map_or(i64::MAX, |commit| commit.committed.nanos()))
    }
}

/// Finds what a step changed: in one issue, whose lines are known, or in all.
enum Reader {
    /// The id and its former ids.
    One(Vec<String>, LinesOf),
    All(Pairs),
}

impl Reader {
    fn compare(&mut self, archive: &mut dyn Archive, steps: &Steps, n: usize) -> Result<Vec<Change>> {
        match self {
            Reader::One(_, lines) => {
                let step = &steps.all[n];
                let after = lines.which(step.after.as_ref());
                // Most steps changed other issues.
                let is_same = |before: &Before| lines.which(before.version.as_ref()) == after;
                if !step.before.is_empty() && step.before.iter().all(is_same) {
                    return Ok(Vec::new());
                }
                let Some(before) = Joined::of_step(steps, n) else { return Ok(Vec::new()) };
                let sides = sides_of(&before, |version| lines.get(version));
                Ok(change_of_one(&sides, lines.get(step.after.as_ref())).into_iter().collect())
            }
            Reader::All(pairs) => pairs.compare(archive, steps, n),
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
                let line = ids.iter().find_map(|id| now.effective_line(id));
                Ok(change_of_one(&sides, line.as_deref()).into_iter().collect())
            }
            Reader::All(_) => Pairs::of_present(archive, below, now),
        }
    }
}

/// Which part of a change is requested.
struct Wanted<'a> {
    query: &'a LogQuery,
    source_repo: &'a str,
}

impl Wanted<'_> {
    fn event(&self, (id, kind, mut fields, line): Change, commit: Option<&Commit>) -> Option<Event> {
        if let Some(author) = &self.query.author {
            let wanted = folded(author);
            let holds = |text: &str| folded(text).contains(&wanted);
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
