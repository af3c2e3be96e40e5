//! Several agents in one process, on one store: each takes issues, works on them, and files what it finds; another thread watches.
//!
//! `cargo run --release --example threads -- DIRECTORY [AGENTS]`

use std::thread;
use std::time::Duration;

use beads::{EventKind, NewIssue, Query, Store, Update, WatchOptions};

const TTL: Duration = Duration::from_secs(600);

fn main() -> beads::Result<()> {
    let mut args = std::env::args().skip(1);
    let directory = args.next().unwrap_or_else(|| ".".to_owned());
    let agents: usize = args.next().and_then(|text| text.parse().ok()).unwrap_or(2);
    let store = Store::open(directory)?;
    let watch = store.watch(WatchOptions::new().kind(EventKind::Closed))?;
    let stopper = watch.stopper();
    let watcher = thread::spawn(move || watch.flatten().filter(|event| event.kind == EventKind::Closed).count());
    let workers: Vec<_> = (0..agents).map(|n| spawn(store.clone(), format!("worker-{n}"))).collect();
    for worker in workers {
        let (name, done) = worker.join().expect("a worker does not panic")?;
        println!("{name} did {done}");
    }
    stopper.stop();
    println!("saw {} closed", watcher.join().expect("the watcher does not panic"));
    println!("{} ready", store.counts()?.ready);
    Ok(())
}

fn spawn(store: Store, name: String) -> thread::JoinHandle<beads::Result<(String, usize)>> {
    thread::spawn(move || {
        let agent = store.agent(&name)?;
        let mut done = 0;
        while let Some(mut lease) = agent.claim_next(&Query::new(), TTL)? {
            lease.update(&Update::new().comment(format!("{name} is on it")))?;
            if lease.issue().labels().iter().any(|label| label == "deep") {
                agent.create(NewIssue::titled("Found on the way").dependency("discovered-from", lease.issue().id()))?;
            }
            lease.close("done")?;
            done += 1;
        }
        Ok((name, done))
    })
}
