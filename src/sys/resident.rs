//! Programs that stay running: started once, used for many requests, ended with the environment that started them.
//!
//! Some programs take longer to start than to answer. One that serves requests over its standard streams is kept in
//! [`Env`](super::Env) between requests. It ends when its input ends, so it outlives this process by a moment at most.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use super::child::{GRACE, end};

/// The number of pieces of an answer that are buffered.
const WAITING: usize = 64;

/// A program that waits for requests.
#[derive(Debug)]
pub struct Resident {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
}

impl Resident {
    /// Wraps a program that was started with its streams in pipes.
    pub fn new(mut child: Child) -> Self {
        let (send, output) = sync_channel(WAITING);
        if let Some(mut pipe) = child.stdout.take() {
            spawn(move || {
                let mut chunk = vec![0; 1 << 16];
                while let Ok(length @ 1..) = pipe.read(&mut chunk) {
                    if send.send(chunk[..length].to_vec()).is_err() {
                        break;
                    }
                }
            });
        }
        // Drain standard error: a full pipe would block the program.
        if let Some(mut pipe) = child.stderr.take() {
            spawn(move || std::io::copy(&mut pipe, &mut std::io::sink()));
        }
        let input = child.stdin.take();
        Resident { child, input, output }
    }

    /// Sends a request; `false` if the program no longer reads.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.input.as_mut().is_some_and(|input| input.write_all(bytes).and_then(|()| input.flush()).is_ok())
    }

    /// The next piece of its output; an error if it ends, or is silent until then.
    pub fn receive(&self, until: Instant) -> Result<Vec<u8>, RecvTimeoutError> {
        self.output.recv_timeout(until.saturating_duration_since(Instant::now()))
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        drop(self.input.take());
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            sleep(Duration::from_millis(2));
        }
        let _ = end(&mut self.child);
    }
}

/// The running programs, by the directory that they serve. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Residents(Arc<Mutex<HashMap<Key, Resident>>>);

/// A directory that was removed and created again is another one.
type Key = (PathBuf, u64);

fn key(directory: &Path) -> Key {
    (directory.to_owned(), std::fs::metadata(directory).map_or(0, |found| found.ino()))
}

impl Residents {
    /// Takes the program for a directory; no other thread has it until it is put back.
    pub fn take(&self, directory: &Path) -> Option<Resident> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(directory))
    }

    pub fn put(&self, directory: &Path, resident: Resident) {
        let old = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key(directory), resident);
        drop(old);
    }

    /// Ends all of them.
    pub fn dismiss(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(all);
    }
}
