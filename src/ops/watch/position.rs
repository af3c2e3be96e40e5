//! The position of a watch, so that another can continue there: for every issue a hash of its line and its state, also
//! in other checkouts, the holders, the ready issues, and what is known of mail and other records. It can be stored as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::event::{About, EventKind, IssueNews};
use super::issues::{Ledgers, State};
use super::records::Records;
use super::{issues, leases};
use crate::model::issue::{self, Issue};
use crate::model::lease::{Holder, Lease, Standing};
use crate::model::record::Record;
use crate::ops::{OpError, Result as OpResult};
use crate::store::{Place, Store, real_path};
use crate::sys::below;

/// The first line of the text. Earlier versions have no more than issues and claims.
const HEAD: &str = "bd-watch 2";
const EARLIER: &str = "bd-watch 1";
/// The last line.
const END: &str = "end";
/// A larger file is not a position.
const MAX_FILE: u64 = 256 << 20;

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
    /// Versions in other checkouts that are not those of the project, by the checkout's name and the id.
    elsewhere: BTreeMap<(String, String), (u64, State)>,
    /// As far as they were looked at.
    pub(super) mail: Option<BTreeSet<(String, String)>>,
    pub(super) records: Option<Records>,
    /// The checkout that it is of, if that has an id.
    pub(super) checkout: Option<String>,
}

/// The error for a text that is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of a watch position cannot be read")]
pub struct PositionError {
    line: usize,
}

impl Position {
    pub(super) fn of(ledgers: &Ledgers, claims: &leases::Claims, ready: &BTreeSet<String>) -> Self {
        let trace = |(id, (line, _)): (&String, &(&str, String))| {
            let trace = Trace { line: hash(line), state: state_of(line), is_ready: ready.contains(id) };
            (id.clone(), trace)
        };
        let claim = |(id, (lease, standing)): (&String, &(Lease, Standing))| {
            let holder = lease.holder.as_ref()?.name.replace(['\n', '\r'], " ");
            Some((id.clone(), (lease.epoch, *standing == Standing::Live, holder)))
        };
        let other = |(place, id, _, line): (Place, String, Option<&str>, &str)| {
            ((place.worktree.replace(['\n', '\r', '\t'], " "), id), (hash(line), state_of(line)))
        };
        Position {
            issues: ledgers.counting().iter().map(trace).collect(),
            claims: claims.iter().filter_map(claim).collect(),
            elsewhere: ledgers.differing().into_iter().map(other).collect(),
            ..Position::default()
        }
    }

    /// Reads a file of the user's; `None` if it is missing or empty. Then it is made, so that it can be replaced.
    pub(super) fn load(path: &Path) -> OpResult<Option<Self>> {
        let path = real_path(path);
        let (above, name) = below::parted(&path);
        below::put_new(above, name, b"")?;
        let text = String::from_utf8_lossy(&below::read(above, name, MAX_FILE)?.bytes).into_owned();
        if text.is_empty() {
            return Ok(None);
        }
        let position: Position =
            text.parse().map_err(|error| OpError::Usage(format!("{}: {error}", path.display())))?;
        position.save(&path)?;
        Ok(Some(position))
    }

    /// Replaces the file.
    pub(super) fn save(&self, path: &Path) -> OpResult<()> {
        let path = real_path(path);
        let (above, name) = below::parted(&path);
        Ok(below::put(above, name, self.to_string().as_bytes())?)
    }

    /// Refuses the position of another checkout: its ledger and its claims may be others.
    pub(super) fn check(&self, store: &Store) -> OpResult<()> {
        match (&self.checkout, store.known_worktree_id()) {
            (Some(then), Some(now)) if *then != now => Err(OpError::Usage(format!(
                "the position is of another checkout ({then}, and this is {now}); start without it"
            ))),
            _ => Ok(()),
        }
    }

    /// What has happened since.
    pub(super) fn news(
        &self,
        ledgers: &Ledgers,
        claims: &leases::Claims,
        ready: &BTreeSet<String>,
    ) -> Vec<(EventKind, About)> {
        let mut found = self.news_elsewhere(ledgers);
        let lines = ledgers.counting();
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
            let was = before.map(|trace| (trace.line, trace.state));
            if let Some(kind) = self.event(id, was, line.map(|line| (hash(line), state_of(line)))) {
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

impl Position {
    /// What happened to an issue in one place. A version that was reported of another place is not news.
    fn event(&self, id: &str, was: Option<(u64, State)>, is: Option<(u64, State)>) -> Option<EventKind> {
        if was == is {
            return None;
        }
        let others = self.elsewhere.iter().filter(|((_, other), _)| other == id).map(|(_, version)| *version);
        let own = self.issues.get(id).map(|trace| (trace.line, trace.state));
        let known: Vec<(u64, State)> = others.chain(own).collect();
        if is.is_some_and(|now| known.contains(&now)) {
            return None;
        }
        let now = is.map_or(State::Gone, |(_, state)| state);
        let is_known = known.iter().any(|(_, state)| *state == now);
        let first = || known.first().map_or(State::Gone, |(_, state)| *state);
        let before = if is_known && now == State::Done { now } else { was.map_or_else(first, |(_, state)| state) };
        before.event_to(now)
    }

    fn news_elsewhere(&self, ledgers: &Ledgers) -> Vec<(EventKind, About)> {
        let news = |(place, id, ours, line): (Place, String, Option<&str>, &str)| {
            let own = || self.issues.get(&id).map(|trace| (trace.line, trace.state));
            let was = self.elsewhere.get(&(place.worktree.clone(), id.clone())).copied().or_else(own);
            let kind = self.event(&id, was, Some((hash(line), state_of(line))))?;
            let issue = Issue::decode(&Record::parse(line).ok()?);
            // A checkout that went back to an earlier commit has not changed it.
            let ours = ours.and_then(|line| Issue::decode(&Record::parse(line).ok()?).updated_at);
            if kind != EventKind::IssueClosed
                && ours.map(|at| at.instant) > issue.updated_at.as_ref().map(|at| at.instant)
            {
                return None;
            }
            let news = IssueNews { checkout: Some(place), ..issues::of(&id, issue, ".".to_owned()) };
            Some((kind, About::Issue(Box::new(news))))
        };
        ledgers.differing().into_iter().filter_map(news).collect()
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
        for ((place, id), (line, state)) in &self.elsewhere {
            writeln!(f, "e\t{line:016x}\t{}\t{id}\t{place}", state.word())?;
        }
        if let Some(mail) = &self.mail {
            writeln!(f, "mail")?;
            mail.iter().try_for_each(|(recipient, id)| writeln!(f, "m\t{id}\t{recipient}"))?;
        }
        if let Some(records) = &self.records {
            writeln!(f, "records")?;
            records.iter().try_for_each(|(key, state)| writeln!(f, "r\t{key}\t{state}"))?;
        }
        if let Some(checkout) = &self.checkout {
            writeln!(f, "checkout\t{checkout}")?;
        }
        writeln!(f, "{END}")?;
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
                (0, [HEAD | EARLIER]) => Some(()),
                (1.., ["i", line, word, ready, id]) => read_issue(line, word, ready).map(|trace| {
                    position.issues.insert((*id).to_owned(), trace);
                }),
                (1.., ["c", epoch, live, id, holder]) => epoch.parse().ok().map(|epoch| {
                    position.claims.insert((*id).to_owned(), (epoch, *live == "1", (*holder).to_owned()));
                }),
                (1.., ["e", line, word, id, place]) => read_other(line, word).map(|other| {
                    position.elsewhere.insert(((*place).to_owned(), (*id).to_owned()), other);
                }),
                (1.., ["mail"]) => {
                    position.mail = Some(BTreeSet::new());
                    Some(())
                }
                (1.., ["m", id, recipient]) => position.mail.as_mut().map(|mail| {
                    mail.insert(((*recipient).to_owned(), (*id).to_owned()));
                }),
                (1.., ["records"]) => {
                    position.records = Some(Records::new());
                    Some(())
                }
                (1.., ["r", key, state]) => position.records.as_mut().map(|records| {
                    records.insert((*key).to_owned(), (*state).to_owned());
                }),
                (1.., [END]) => Some(()),
                (1.., ["checkout", id]) => {
                    position.checkout = Some((*id).to_owned());
                    Some(())
                }
                _ => None,
            };
            read.ok_or(PositionError { line: n + 1 })?;
        }
        // A text that was cut off knows too little.
        let is_whole = text.starts_with(EARLIER) || text.lines().next_back() == Some(END);
        if is_whole { Ok(position) } else { Err(PositionError { line: text.lines().count() + 1 }) }
    }
}

fn read_issue(line: &str, word: &str, ready: &str) -> Option<Trace> {
    Some(Trace { line: u64::from_str_radix(line, 16).ok()?, state: State::parse(word)?, is_ready: ready == "1" })
}

fn read_other(line: &str, word: &str) -> Option<(u64, State)> {
    Some((u64::from_str_radix(line, 16).ok()?, State::parse(word)?))
}
