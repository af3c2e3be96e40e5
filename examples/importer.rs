//! Files the rows of a table as issues: all of them or none.
//!
//! `cargo run --release --example importer -- DIRECTORY FILE`
//!
//! Each line is `NAME<tab>PRIORITY<tab>PARENT<tab>TITLE`. `NAME` is how later lines call the issue, `PARENT` such a name or nothing.

use std::collections::HashMap;

use beads::{IssueId, NewIssue, Store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(directory), Some(file)) = (args.next(), args.next()) else {
        return Err("usage: importer DIRECTORY FILE".into());
    };
    let store = Store::open(directory)?;
    let mut batch = store.batch();
    let mut ids: HashMap<String, IssueId> = HashMap::new();
    for (number, line) in std::fs::read_to_string(&file)?.lines().enumerate() {
        let place = || format!("{file}:{}", number + 1);
        let [name, priority, parent, title] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("{}: four columns are wanted", place()).into());
        };
        let mut issue = NewIssue::titled(title).external_ref(name);
        if !priority.is_empty() {
            issue = issue.priority(priority.parse().map_err(|error| format!("{}: {error}", place()))?);
        }
        if !parent.is_empty() {
            // An issue of this batch, or one that the ledger has.
            issue = issue.parent(ids.get(parent).map_or(parent, |id| id.as_str()));
        }
        let id = batch.create(issue).map_err(|error| format!("{}: {error}", place()))?;
        ids.insert(name.to_owned(), id);
    }
    let written = batch.commit(|progress| {
        if progress.done % 1000 == 0 {
            eprintln!("{} of {}", progress.done, progress.total);
        }
    })?;
    println!("filed {} issues", written.len());
    Ok(())
}
