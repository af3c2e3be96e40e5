//! An automation that polls for work: claims what is ready, does it, closes it.
//!
//! `cargo run --release --example executor -- DIRECTORY [ROUNDS [SECONDS]]`
//!
//! It keeps one [`Store`] for its whole life, over all repos that the project's settings join. A round in which nothing changed costs
//! a few `stat` calls per repo. Issues that carry the label `no-auto-claim` are left to people, and so is everything in a repo that
//! this user may not write. If it dies, its claims end by themselves, and another executor takes the work.

use std::time::Duration;

use beads::{Agent, ErrorKind, Query, Store};

const TTL: Duration = Duration::from_secs(30 * 60);

fn main() -> beads::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().unwrap_or_else(|| ".".to_owned());
    let rounds: u64 = args.next().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let pause: u64 = args.next().and_then(|text| text.parse().ok()).unwrap_or(5);
    let store = Store::open(directory)?;
    eprintln!("polling {}", store.repos()?.join(" "));
    let agent = store.agent(format!("executor-{}", std::process::id()))?;
    let mut seen = None;
    for round in 0..rounds {
        if round > 0 {
            std::thread::sleep(Duration::from_secs(pause));
        }
        let generation = store.poll()?;
        if seen.replace(generation) == Some(generation) {
            continue;
        }
        match work(&agent) {
            Err(error) if error.is_retryable() => {
                eprintln!("later: {error}");
                seen = None;
            }
            done => done?,
        }
    }
    Ok(())
}

/// Does everything that is ready.
fn work(agent: &Agent) -> beads::Result<()> {
    while let Some(mut lease) = agent.claim_next(&Query::new(), TTL)? {
        let issue = lease.issue().clone();
        println!("doing {} {} ({})", issue.id(), issue.title(), issue.repo());
        let done = match perform(issue.title()) {
            Ok(result) => lease.close(&result).map(drop),
            Err(why) => lease.fail(&why),
        };
        match done {
            // It took too long, and another has it now: nothing was written.
            Err(error) if error.kind() == ErrorKind::Stale => eprintln!("lost: {error}"),
            done => done?,
        }
    }
    Ok(())
}

/// The work itself; this one refuses what is said to be impossible.
fn perform(title: &str) -> Result<String, String> {
    if title.contains("impossible") {
        Err("it cannot be done".to_owned())
    } else {
        Ok("done by the example".to_owned())
    }
}
