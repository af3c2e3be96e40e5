//! An automation that polls for work: takes what is ready, does it, closes it.
//!
//! `cargo run --release --example executor -- DIRECTORY [ROUNDS]`
//!
//! It keeps one [`Store`] for its whole life, over all repos that the project's settings join. A round in which no file changed
//! costs a few `stat` calls per repo; issues that carry the label `no-auto-claim` are left to people, and so is everything in
//! a repo that this user may not write.

use std::time::{Duration, Instant};

use beads::store::Access;
use beads::{Change, Expr, ReadyFilter, Row, Store, StoreError};

fn main() -> Result<(), StoreError> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().unwrap_or_else(|| ".".to_owned());
    let rounds: u64 = args.next().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let mut store = Store::open(directory)?;
    let repos: Vec<&str> = store.repos().members.iter().map(|member| member.name.as_str()).collect();
    eprintln!("polling {}", repos.join(" "));
    let me = format!("executor-{}", std::process::id());
    for _ in 0..rounds {
        let start = Instant::now();
        let refresh = store.refresh()?;
        let took = start.elapsed();
        if refresh.changed > 0 {
            eprintln!("{} ledgers changed, {} lines read, {took:?}", refresh.changed, refresh.parsed);
        }
        for row in store.ready(&automatic())?.rows {
            if store.access_to(&row)? != Access::Write {
                continue;
            }
            // Another executor may be faster: the claim is decided under the ledger's lock.
            match store.update(&row.issue.id, vec![Change::Claim { assignee: me.clone() }]) {
                Ok(_) => perform(&mut store, &row)?,
                Err(error) => eprintln!("not mine: {error}"),
            }
        }
        std::thread::sleep(Duration::from_secs(5));
    }
    Ok(())
}

fn automatic() -> ReadyFilter {
    let label = beads::model::query::Field::Label;
    ReadyFilter { filter: Expr::text(label, "no-auto-claim").negate(), ..ReadyFilter::default() }
}

fn perform(store: &mut Store, row: &Row) -> Result<(), StoreError> {
    println!("doing {} {} ({})", row.issue.id, row.issue.title, row.source_repo);
    store.close(&row.issue.id, Some("done by the example executor".to_owned()))?;
    Ok(())
}
