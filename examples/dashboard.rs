//! A dashboard in the terminal: how many issues there are, what is ready, what waits, and what happens.
//!
//! `cargo run --release --example dashboard -- DIRECTORY [SECONDS]`
//!
//! It draws once, and again whenever something happens, without polling. Where it was is kept in `dashboard.position` of the
//! temporary directory, so that the next start tells what happened in between.

use std::fs;
use std::time::Duration;

use beads::{Query, Store, WatchOptions};

fn main() -> beads::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().unwrap_or_else(|| ".".to_owned());
    let seconds: u64 = args.next().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX / 4);
    let store = Store::open(directory)?;
    let place = std::env::temp_dir().join("dashboard.position");
    let mut options = WatchOptions::new().at_most(Duration::from_secs(seconds));
    if let Ok(text) = fs::read_to_string(&place) {
        options = options.since(text.parse()?);
    }
    let mut watch = store.watch(options)?;
    while let Some(events) = watch.next() {
        for event in events.iter().filter(|event| !event.is_initial) {
            let issue = event.issue.as_ref().map(|id| id.as_str()).unwrap_or_default();
            println!("{:?} {issue} {}", event.kind, event.title.as_deref().unwrap_or_default());
        }
        draw(&store)?;
        if let Err(error) = fs::write(&place, watch.since().to_string()) {
            eprintln!("{}: {error}", place.display());
        }
    }
    Ok(())
}

fn draw(store: &Store) -> beads::Result<()> {
    let counts = store.counts()?;
    println!("{} open, {} in progress, {} closed", counts.open, counts.in_progress, counts.closed);
    let ready = store.ready(&Query::new().limit(10))?;
    for issue in &ready {
        println!("  P{} {} {}", issue.priority(), issue.id(), issue.title());
    }
    if ready.total() > ready.len() {
        println!("  and {} more", ready.total() - ready.len());
    }
    for one in store.blocked(&Query::new().limit(10))?.iter() {
        let blockers: Vec<&str> = one.blockers.iter().chain(&one.ancestors).map(|id| id.as_str()).collect();
        println!("  {} waits for {}", one.issue.id(), blockers.join(" "));
    }
    for warning in store.warnings() {
        println!("  warning: {warning}");
    }
    Ok(())
}
