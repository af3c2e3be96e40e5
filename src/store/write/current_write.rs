//! Groups the changes of ledgers that belong to one write.

use std::path::{Path, PathBuf};

use crate::ledger::Applied;

/// The write that the next change of a ledger belongs to.
#[derive(Debug, Default)]
pub(crate) struct CurrentWrite {
    pub(in crate::store) name: Option<String>,
    /// The ledgers it has written, each with its state home.
    pub(in crate::store) written: Vec<(String, PathBuf)>,
    pub(in crate::store) command: String,
    /// Everything from now on belongs to one write.
    pub(in crate::store) is_one: bool,
}

/// The identity of a part of a write in the log.
#[derive(Debug)]
pub(crate) struct WritePart {
    pub write: String,
    /// The ledgers that the write changed before, each with its state home.
    pub with: Vec<(String, PathBuf)>,
}

impl CurrentWrite {
    /// Locks are taken: a new write starts, unless the caller has joined several.
    pub(crate) fn start(&mut self) {
        if !self.is_one {
            let command = std::mem::take(&mut self.command);
            *self = CurrentWrite { command, ..CurrentWrite::default() };
        }
    }

    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// The ledgers that it has changed so far.
    pub(crate) fn changed(&self) -> Vec<String> {
        self.written.iter().map(|(ledger, _)| ledger.clone()).collect()
    }

    /// The name of the write, derived from the file it leaves behind, since no two writes leave the same one.
    pub(crate) fn name(&mut self, ledger: &str, home: &Path, at: &str, applied: &Applied<'_>) -> WritePart {
        let write = self.name.get_or_insert_with(|| made_from(ledger, at, applied)).clone();
        self.written.retain(|(known, _)| known != ledger);
        let with = self.written.clone();
        self.written.push((ledger.to_owned(), home.to_owned()));
        WritePart { write, with }
    }
}

fn made_from(ledger: &str, at: &str, applied: &Applied<'_>) -> String {
    let mut hash = blake3::Hasher::new();
    for text in [ledger, at, &format!("{:?}", (applied.planned.read, applied.left))] {
        hash.update(text.as_bytes());
        hash.update(b"\0");
    }
    hash.finalize().to_hex()[..16].to_owned()
}
