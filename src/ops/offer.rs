//! What could come next, for a shell that completes a word. It only looks.

use super::Result;
use crate::coordination::{self, AgentFilter, templates};
use crate::model::field::Field;
use crate::model::issue::{IssueType, Status};
use crate::store::{ReadyFilter, Store};

/// The most issues that are offered for one word.
const MOST: usize = 200;
/// The most ready issues that come before the others.
const MOST_READY: usize = 20;

/// What a word may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Issues,
    /// The same, those first that can be worked on now.
    Work,
    Statuses,
    Types,
    Labels,
    Repos,
    Agents,
    People,
    Templates,
}

/// A word that could come next, and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub word: String,
    pub about: String,
}

impl Offer {
    fn plain(word: impl Into<String>) -> Self {
        Offer { word: word.into(), about: String::new() }
    }
}

/// The words of a kind that begin like what was typed.
pub fn offer(store: &mut Store, wanted: Wanted, typed: &str) -> Result<Vec<Offer>> {
    let mut found = match wanted {
        Wanted::Issues => issues(store, typed)?,
        Wanted::Work => {
            let ready = store.ready(&ReadyFilter { limit: Some(MOST_READY), ..ReadyFilter::default() })?;
            let ready = ready.rows.into_iter().map(|row| Offer { word: row.issue.id, about: row.issue.title });
            let mut found: Vec<Offer> = ready.collect();
            let others =
                issues(store, typed)?.into_iter().filter(|other| found.iter().all(|one| one.word != other.word));
            let others: Vec<Offer> = others.collect();
            found.extend(others);
            found
        }
        Wanted::Statuses => words(Status::KNOWN, store.statuses()?),
        Wanted::Types => words(IssueType::KNOWN, store.types()?),
        Wanted::Labels => {
            let count = |(word, count): (String, i64)| Offer { word, about: format!("on {count}") };
            store.labels()?.into_iter().map(count).collect()
        }
        Wanted::Repos => super::repo_names(store).into_iter().map(Offer::plain).collect(),
        Wanted::Agents => {
            let seen = coordination::agents(store, &AgentFilter::default())?;
            seen.into_iter().map(|seen| Offer::plain(seen.agent.name)).collect()
        }
        Wanted::People => store.people(Field::Assignee)?.into_iter().map(Offer::plain).collect(),
        Wanted::Templates => templates::list(store).into_iter().map(|found| Offer::plain(found.name)).collect(),
    };
    found.retain(|one| one.word.starts_with(typed));
    Ok(found)
}

fn issues(store: &mut Store, typed: &str) -> Result<Vec<Offer>> {
    let titles = store.titles(typed, MOST)?;
    Ok(titles.into_iter().map(|(word, about)| Offer { word, about }).collect())
}

fn words(known: &[&str], used: Vec<String>) -> Vec<Offer> {
    let mut all: Vec<String> = known.iter().map(|word| (*word).to_owned()).collect();
    all.extend(used.into_iter().filter(|word| !known.contains(&word.as_str())));
    all.into_iter().map(Offer::plain).collect()
}
