//! Questions about the past: changes, their authors, closed issues.

use super::Result;
use crate::model::issue::Issue;
use crate::model::record::Record;
use crate::store::{Blame, DiffEntry, Event, LogEnd, LogQuery, Moment, State, Store};

/// Reports each change of one issue, or of all, as it is found.
pub fn log(
    store: &Store,
    typed: Option<&str>,
    repo: Option<&str>,
    query: LogQuery,
    tell: impl FnMut(Event),
) -> Result<LogEnd> {
    let repo = repo.map(|text| store.named_repo(text)).transpose()?;
    let id = typed.map(|typed| store.resolve_in_history(typed)).transpose()?;
    let query = LogQuery { id, repo, ..query };
    let mut end = store.log_each(&query, tell)?;
    if let Some(id) = query.id {
        end.renamed = store.renamed_since(&id)?.map(|now| (id, now));
    }
    Ok(end)
}

pub fn blame(store: &Store, typed: &str) -> Result<Blame> {
    let id = store.resolve_in_history(typed)?;
    Ok(store.blame(&id)?)
}

/// The differences between two states. For publication, only the primary or the named repo, and nothing private in it.
pub fn diff(
    store: &Store,
    from: &State,
    to: &State,
    repo: Option<&str>,
    for_publication: bool,
) -> Result<Vec<DiffEntry>> {
    let named = repo.map(|text| store.named_repo(text)).transpose()?;
    let repo = if for_publication { named.or(Some(0)) } else { named };
    let mut entries = store.differences(from, to, repo)?;
    if for_publication && named.is_none() {
        entries.retain(|entry| entry.after.iter().chain(&entry.before).all(|line| is_public(line)));
    }
    Ok(entries)
}

/// The two states of a range: `A..B`; `A..` up to now; `..B` from the last commit; `A` like `A..`; with three dots from
/// their merge base. By default, what is not committed.
pub fn parse_range(text: Option<&str>, moment: impl Fn(&str) -> Moment) -> (State, State) {
    let Some(text) = text else { return (State::Committed, State::Now) };
    let at = |text: &str, other: State| if text.is_empty() { other } else { State::At(moment(text)) };
    if let Some((from, to)) = text.split_once("...") {
        let end = (!to.is_empty()).then(|| moment(to));
        let start = if from.is_empty() { State::Committed } else { State::Common(moment(from), end) };
        return (start, at(to, State::Now));
    }
    match text.split_once("..") {
        Some((from, to)) => (at(from, State::Committed), at(to, State::Now)),
        None => (at(text, State::Committed), State::Now),
    }
}

/// A closed issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedIssue {
    pub issue: Issue,
    pub source_repo: String,
}

/// Issues closed since a given time that are still closed, including those that have left the ledger. Only the primary
/// or the named repo, and nothing private in it.
pub fn changelog(store: &Store, since: Moment, repo: Option<&str>) -> Result<Vec<ClosedIssue>> {
    let named = repo.map(|text| store.named_repo(text)).transpose()?;
    let member = named.unwrap_or(0);
    let source_repo = store.name(member).to_owned();
    let closed = store.closed_since(&since, member)?.into_values();
    let mut found: Vec<ClosedIssue> = closed
        .filter(|line| named.is_some() || is_public(line))
        .filter_map(|line| {
            let issue = Issue::decode(&Record::parse(&line).ok()?);
            Some(ClosedIssue { issue, source_repo: source_repo.clone() })
        })
        .collect();
    let at = |one: &ClosedIssue| one.issue.closed_at.as_ref().map(|time| time.text.clone());
    found.sort_by(|a, b| at(b).cmp(&at(a)).then_with(|| a.issue.id.cmp(&b.issue.id)));
    Ok(found)
}

/// The issue may be shown to everyone who sees the repo.
fn is_public(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| record.string("visibility").as_deref() != Some("local"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_typed() {
        let rev = |text: &str| Moment::Revision(text.to_owned());
        let parse = |text: &str| parse_range(Some(text), rev);
        let at = |text: &str| State::At(rev(text));
        assert_eq!(parse_range(None, rev), (State::Committed, State::Now));
        assert_eq!(parse("main"), (at("main"), State::Now));
        assert_eq!(parse("main.."), (at("main"), State::Now));
        assert_eq!(parse("..v2"), (State::Committed, at("v2")));
        assert_eq!(parse("v1..v2"), (at("v1"), at("v2")));
        assert_eq!(parse(".."), (State::Committed, State::Now));
        assert_eq!(parse("main..."), (State::Common(rev("main"), None), State::Now));
        assert_eq!(parse("a...b"), (State::Common(rev("a"), Some(rev("b"))), at("b")));
    }
}
