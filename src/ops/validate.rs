//! Checks of the data, as requested by clients of the original. The checks are those of `bd doctor` and
//! `bd duplicates`, counted by kind.

use super::{Batch, OpError, Result, change_each, duplicates, not_done};
use crate::cache::{Sort, SortBy};
use crate::model::change::Change;
use crate::model::dependency::DependencyType;
use crate::store::{Row, Store};

/// The checks, by the names that clients use.
pub const CHECKS: [&str; 4] = ["duplicates", "orphans", "pollution", "conflicts"];

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub name: &'static str,
    /// The problems, one text for each.
    pub found: Vec<String>,
    /// How many of these were repaired.
    pub fixed: usize,
    /// The ledger cannot be written until this is repaired.
    pub damage: bool,
}

/// Runs some of the checks; with `fix`, removes dependencies on missing issues.
pub fn validate(store: &mut Store, names: &[&'static str], fix: bool) -> Result<Vec<Check>> {
    let mut all = Vec::new();
    for name in names {
        let mut check = Check { name, found: Vec::new(), fixed: 0, damage: false };
        match *name {
            "duplicates" => {
                let ids = |rows: Vec<Row>| rows.into_iter().map(|row| row.issue.id).collect::<Vec<_>>().join(" ");
                check.found = duplicates(store, false)?.into_values().map(ids).collect();
            }
            "orphans" => {
                let edges = dangling_dependencies(store)?;
                check.found = edges.iter().map(|(id, to, kind)| format!("{id} depends ({kind}) on {to}")).collect();
                if fix {
                    check.fixed = remove_dangling(store, &edges)?.written().count();
                }
            }
            "pollution" => {
                check.found = pollution(store)?.iter().map(|one| one.row.issue.id.clone()).collect();
            }
            _ => {
                check.found = conflicts(store)?;
                check.damage = !check.found.is_empty();
            }
        }
        all.push(check);
    }
    Ok(all)
}

/// Dependencies on issues in no ledger and no commit: issue, target and type.
pub fn dangling_dependencies(store: &Store) -> Result<Vec<(String, String, String)>> {
    let mut all = store.dangling()?;
    all.retain(|(_, target, _)| !target.starts_with("external:"));
    if !all.is_empty() {
        let targets = all.iter().map(|(_, target, _)| target.clone()).collect();
        let pruned = store.had_once(&targets).unwrap_or_default();
        all.retain(|(_, target, _)| !pruned.contains(target));
    }
    Ok(all)
}

/// Removes such dependencies. Refused while a repo of the project cannot be read: it may have the targets.
pub fn remove_dangling(store: &mut Store, edges: &[(String, String, String)]) -> Result<Batch> {
    let unjoined = store.unjoined();
    if !unjoined.is_empty() && !edges.is_empty() {
        let message =
            format!("{} cannot be read and may hold what is missing; nothing was removed", unjoined.join(", "));
        return Err(OpError::Usage(message));
    }
    let mut ids: Vec<String> = edges.iter().map(|(id, _, _)| id.clone()).collect();
    ids.dedup();
    let mut results = Vec::new();
    for id in ids {
        let mine = || edges.iter().filter(|(of, _, _)| *of == id);
        let remove = |(_, target, kind): &(String, String, String)| Change::RemoveDependency {
            target: target.clone(),
            kind: Some(DependencyType::new(kind.as_str())),
        };
        let batch = change_each(store, std::slice::from_ref(&id), |_| mine().map(remove).collect())?;
        results.extend(batch.results);
    }
    Ok(Batch { results, ..Batch::default() })
}

/// An issue that looks like a test entry.
#[derive(Debug, Clone)]
pub struct Polluted {
    pub row: Row,
    /// In tenths, at least 7.
    pub score: u32,
    pub reasons: Vec<&'static str>,
}

/// Open issues with titles typical of tests.
pub fn pollution(store: &Store) -> Result<Vec<Polluted>> {
    let rows = store.list(&not_done(), Sort::by(SortBy::Id), None)?.rows;
    let judged = rows.into_iter().map(|row| {
        let (score, reasons) = judged(&row.issue.title, row.issue.description.as_deref().unwrap_or_default());
        Polluted { row, score, reasons }
    });
    Ok(judged.filter(|one| one.score >= 7).collect())
}

fn judged(title: &str, description: &str) -> (u32, Vec<&'static str>) {
    const STARTS: [&str; 7] = ["test", "benchmark", "sample", "tmp", "temp", "debug", "dummy"];
    const PARTS: [&str; 3] = ["issue for testing", "test issue", "sample issue"];
    let title = title.to_lowercase();
    let begins = |word: &&str| title.strip_prefix(*word).is_some_and(|rest| rest.starts_with(['-', '_', ' ']));
    let bare = description.trim().chars().count();
    let signs = [
        (STARTS.iter().any(begins), 7, "Title starts with test prefix"),
        (PARTS.iter().any(|part| title.contains(part)), 5, "Generic test title"),
        (bare == 0, 2, "No description"),
        (bare > 0 && bare < 20, 1, "Very short description"),
    ];
    let found: Vec<_> = signs.into_iter().filter(|(is_so, _, _)| *is_so).collect();
    (found.iter().map(|(_, score, _)| score).sum(), found.iter().map(|(_, _, reason)| *reason).collect())
}

/// Lines with conflict markers, by file and line.
fn conflicts(store: &mut Store) -> Result<Vec<String>> {
    store.look_again()?;
    let mut found = Vec::new();
    for (_, ledger, document) in store.documents() {
        let place = |start: usize| format!("{}:{}: conflict markers", ledger.path().display(), start + 1);
        found.extend(document.conflicts().iter().map(|region| place(region.start)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::judged;

    #[test]
    fn titles_of_tests() {
        let score = |title, description| judged(title, description).0;
        assert!(score("test-1", "") >= 7 && score("Tmp x", "a long enough description") >= 7);
        assert!(score("Sample issue for all", "") >= 7);
        assert!(
            score("Testing the parser", "") < 7 && score("Test", "") < 7 && score("Fix the test issue list", "x") < 7
        );
    }
}
