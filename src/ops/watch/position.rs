//! The position of a watch, so that another can continue there: for every issue a hash of its line and its state, the
//! holders, and the ready issues. The watching program can store it as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use super::event::{About, EventKind, IssueNews};
use super::issues::State;
use super::{issues, leases};
use crate::model::issue::{self, Issue};
use crate::model::lease::{Holder, Lease, Standing};
use crate::model::record::Record;

/// The first line of the text.
const HEAD: &str = "bd-watch 1";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Trace {
    line: u64,
    state: State,
    is_ready: bool,
}

/// The state as of a watch's last batch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Position {
    issues: BTreeMap<String, Trace>,
    /// Epoch, whether it was valid, holder.
    claims: BTreeMap<String, (i64, bool, String)>,
}

/// The error for a text that is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of a watch position cannot be read")]
pub struct PositionError {
    line: usize,
}

type Lines<'a> = BTreeMap<String, (&'a str, String)>;

impl Position {
    pub(super) fn of(lines: &Lines<'_>, claims: &leases::Claims, ready: &BTreeSet<String>) -> Self {
        let trace = |(id, (line, _)): (&String, &(&str, String))| {
            let trace = Trace { line: hash(line), state: state_of(line), is_ready: ready.contains(id) };
            (id.clone(), trace)
        };
        let claim = |(id, (lease, standing)): (&String, &(Lease, Standing))| {
            let holder = lease.holder.as_ref()?.name.replace(['\n', '\r'], " ");
            Some((id.clone(), (lease.epoch, *standing == Standing::Live, holder)))
        };
        Position { issues: lines.iter().map(trace).collect(), claims: claims.iter().filter_map(claim).collect() }
    }

    /// What has happened since.
    pub(super) fn news(
        &self,
        lines: &Lines<'_>,
        claims: &leases::Claims,
        ready: &BTreeSet<String>,
    ) -> Vec<(EventKind, About)> {
        let mut found = Vec::new();
        let current = |id: &str| {
            let (line, repo) = lines.get(id)?;
            let issue = Issue::decode(&Record::parse(line).ok()?);
            Some(issues::of(id, issue, repo.clone()))
        };
        let mut tell = |kind, id: &str| {
            let news = current(id).unwrap_or_else(|| IssueNews { id: id.to_owned(), ..IssueNews::default() });
            found.push((kind, About::Issue(Box::new(news))));
        };
        let ids: BTreeSet<&String> = self.issues.keys().chain(lines.keys()).collect();
        for id in ids {
            let (before, line) = (self.issues.get(id), lines.get(id).map(|(line, _)| *line));
            let was = before.map_or(State::Gone, |trace| trace.state);
            let is = line.map_or(State::Gone, state_of);
            let is_same = before.map(|trace| trace.line) == line.map(hash);
            if let Some(kind) = was.event_to(is).filter(|kind| *kind != EventKind::IssueUpdated || !is_same) {
                tell(kind, id);
            }
            match (before.is_some_and(|trace| trace.is_ready), ready.contains(id)) {
                (false, true) => tell(EventKind::IssueReady, id),
                (true, false) => tell(EventKind::IssueUnready, id),
                _ => {}
            }
        }
        let before = self.claims.iter().map(|(id, (epoch, is_live, name))| {
            let holder = Some(Holder { name: name.clone(), ..Holder::default() });
            let standing = if *is_live { Standing::Live } else { Standing::Expired };
            (id.clone(), (Lease { epoch: *epoch, holder, ..Lease::new(id) }, standing))
        });
        let changes = leases::changes(&before.collect(), claims).into_iter();
        // The position does not contain times of renewal.
        let changes = changes.filter(|(kind, _)| *kind != EventKind::LeaseRenewed);
        found.extend(changes.map(|(kind, news)| (kind, About::Lease(Box::new(news)))));
        found
    }
}

fn hash(line: &str) -> u64 {
    let hash = blake3::hash(line.as_bytes());
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
}

fn state_of(line: &str) -> State {
    Record::parse(line).map_or(State::Open, |record| State::of(&issue::status_of(&record)))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        for (id, Trace { line, state, is_ready }) in &self.issues {
            writeln!(f, "i\t{line:016x}\t{}\t{}\t{id}", state.word(), u8::from(*is_ready))?;
        }
        for (id, (epoch, is_live, holder)) in &self.claims {
            writeln!(f, "c\t{epoch}\t{}\t{id}\t{holder}", u8::from(*is_live))?;
        }
        Ok(())
    }
}

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let mut position = Position::default();
        for (n, line) in text.lines().enumerate() {
            let parts: Vec<&str> = line.splitn(5, '\t').collect();
            let read = match (n, parts.as_slice()) {
                (0, [HEAD]) => Some(()),
                (1.., ["i", line, word, ready, id]) => read_issue(line, word, ready).map(|trace| {
                    position.issues.insert((*id).to_owned(), trace);
                }),
                (1.., ["c", epoch, live, id, holder]) => epoch.parse().ok().map(|epoch| {
                    position.claims.insert((*id).to_owned(), (epoch, *live == "1", (*holder).to_owned()));
                }),
                _ => None,
            };
            read.ok_or(PositionError { line: n + 1 })?;
        }
        if text.is_empty() { Err(PositionError { line: 1 }) } else { Ok(position) }
    }
}

fn read_issue(line: &str, word: &str, ready: &str) -> Option<Trace> {
    Some(Trace { line: u64::from_str_radix(line, 16).ok()?, state: State::parse(word)?, is_ready: ready == "1" })
}
