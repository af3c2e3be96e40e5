//! Completions for a shell. Read-only.

use super::{AgentFilter, Result, templates};
use crate::model::field::Field;
use crate::model::issue::{IssueType, Status};
use crate::ops;
use crate::store::{ReadyFilter, Store};

/// The maximum number of issues for one word.
const MAX_OFFERS: usize = 200;
/// The maximum number of ready issues listed before the others.
const MAX_READY: usize = 20;

/// What a word may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    Issues,
    /// The same, ready ones first.
    Work,
    /// The same, closed ones first.
    Closed,
    /// Dependencies of this issue.
    Dependencies(String),
    Statuses,
    Types,
    Labels,
    Repos,
    Agents,
    People,
    Templates,
    /// Saved queries, as they are typed.
    Queries,
}

/// A completion with a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub word: String,
    pub about: String,
}

impl Offer {
    pub fn plain(word: impl Into<String>) -> Self {
        Offer { word: word.into(), about: String::new() }
    }
}

/// The words of a kind that start with the typed text.
pub fn offer(store: &Store, wanted: &Wanted, typed: &str) -> Result<Vec<Offer>> {
    let mut found = match wanted {
        Wanted::Issues => return issues(store, typed, false),
        Wanted::Closed => return issues(store, typed, true),
        Wanted::Work => return work(store, typed),
        Wanted::Dependencies(of) => {
            let edges = super::show(store, of)?.dependencies.into_iter();
            let edges = edges.map(|edge| (edge.id, edge.row.map(|row| row.issue.title).unwrap_or_default()));
            return Ok(fitting(edges.map(|(word, about)| Offer { word, about }).collect(), typed));
        }
        Wanted::Queries => {
            let saved = store.settings().own_names("query").into_iter();
            saved.map(|(name, about)| Offer { word: format!("@{name}"), about }).collect()
        }
        Wanted::Statuses => words(Status::KNOWN, store.statuses()?),
        Wanted::Types => words(IssueType::KNOWN, store.types()?),
        Wanted::Labels => {
            let count = |(word, count): (String, i64)| Offer { word, about: format!("on {count}") };
            store.labels()?.into_iter().map(count).collect()
        }
        Wanted::Repos => super::repo_names(store).into_iter().map(Offer::plain).collect(),
        Wanted::Agents => {
            let seen = ops::agents(store, &AgentFilter::default())?;
            seen.into_iter().map(|seen| Offer::plain(seen.agent.name)).collect()
        }
        Wanted::People => store.people(Field::Assignee)?.into_iter().map(Offer::plain).collect(),
        Wanted::Templates => templates::list(store).into_iter().map(|found| Offer::plain(found.name)).collect(),
    };
    found.retain(|one| one.word.starts_with(typed));
    Ok(found)
}

/// Ready issues, then the others.
fn work(store: &Store, typed: &str) -> Result<Vec<Offer>> {
    let ready = store.ready(&ReadyFilter { limit: Some(MAX_READY), ..ReadyFilter::default() })?;
    let ready = ready.rows.into_iter().map(|row| Offer { word: row.issue.id, about: row.issue.title });
    let mut found = fitting(ready.collect(), typed);
    let others = issues(store, typed, false)?.into_iter();
    let others: Vec<Offer> = others.filter(|other| found.iter().all(|one| one.word != other.word)).collect();
    found.extend(others);
    Ok(fitting(found, typed))
}

fn issues(store: &Store, typed: &str, is_closed_first: bool) -> Result<Vec<Offer>> {
    let titles = store.titles(typed, is_closed_first, MAX_OFFERS)?;
    Ok(fitting(titles.into_iter().map(|(word, about)| Offer { word, about }).collect(), typed))
}

/// Ids that start with the typed text; if there are none, those whose hash does. A shell replaces the text by their
/// common beginning, so these share one prefix.
fn fitting(mut ids: Vec<Offer>, typed: &str) -> Vec<Offer> {
    if ids.iter().any(|one| one.word.starts_with(typed)) {
        ids.retain(|one| one.word.starts_with(typed));
        return ids;
    }
    let part = format!("-{typed}");
    let prefix = |one: &Offer| one.word.find(&part).map(|at| one.word[..at].to_owned());
    let Some(first) = ids.iter().find_map(prefix) else { return Vec::new() };
    ids.retain(|one| prefix(one).as_ref() == Some(&first));
    ids
}

fn words(known: &[&str], used: Vec<String>) -> Vec<Offer> {
    let mut all: Vec<String> = known.iter().map(|word| (*word).to_owned()).collect();
    all.extend(used.into_iter().filter(|word| !known.contains(&word.as_str())));
    all.into_iter().map(Offer::plain).collect()
}
