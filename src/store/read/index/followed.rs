//! A write that the image has not followed yet.

use std::thread::JoinHandle;

use super::image::{ChangedImage, Label};
use crate::ledger::LeftFile;
use crate::sys::fs::FileStamp;

/// A changed copy of the image, which is made while the ledger is written.
#[derive(Debug)]
pub(super) struct Following {
    pub source: usize,
    /// What it is a copy of, and what it becomes.
    pub earlier: Label,
    pub new: Label,
    pub copy: Option<JoinHandle<Option<ChangedImage>>>,
}

impl Following {
    /// Waits for the copy.
    pub fn join(&mut self) -> Option<ChangedImage> {
        self.copy.take()?.join().ok()?
    }
}

/// One that nobody has taken goes.
impl Drop for Following {
    fn drop(&mut self) {
        drop(self.join());
    }
}

/// What an image needs to follow a write.
#[derive(Debug)]
pub(super) struct Followed {
    pub following: Following,
    pub left: FileStamp,
    pub file: LeftFile,
    /// Of the bytes of the file; `None` if its stamp will tell.
    pub hash: Option<u128>,
}
