//! Splits work between threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Fewer items are processed in this thread.
const MANY: usize = 1000;
/// The number of items in a batch.
const PART: usize = 256;
const MOST_THREADS: usize = 4;

/// Calls `work` for each number below `count`, in several threads if there are many, and passes on the results in
/// order.
pub fn in_order<T: Send, R>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    take: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    let threads = || std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let threads = if count < MANY { 1 } else { threads() };
    if threads < 2 {
        return take(&mut (0..count).map(work));
    }
    let (next, work) = (AtomicUsize::new(0), &work);
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel(threads);
        for _ in 0..threads {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    let numbers = part * PART..count.min((part + 1) * PART);
                    // The receiver is gone if consuming a result failed.
                    if numbers.is_empty() || send.send((part, numbers.map(work).collect::<Vec<T>>())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        let parts = std::iter::from_fn(move || {
            while !early.contains_key(&wanted) {
                let (part, done) = receive.recv().ok()?;
                early.insert(part, done);
            }
            wanted += 1;
            early.remove(&(wanted - 1))
        });
        take(&mut parts.flatten())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_each_once() {
        for count in [0, 1, MANY - 1, MANY, 10 * MANY + 17] {
            let found: Vec<usize> = in_order(count, |n| n * 3, |results| results.collect());
            assert_eq!(found, (0..count).map(|n| n * 3).collect::<Vec<_>>());
        }
    }

    #[test]
    fn who_takes_no_more_ends_the_work() {
        let first: Vec<usize> = in_order(1_000_000, |n| n, |results| results.take(5).collect());
        assert_eq!(first, [0, 1, 2, 3, 4]);
    }
}
