//! A write that the image does not contain yet.

use std::thread::JoinHandle;

use super::image::{ChangedImage, Label};
use crate::ledger::LeftFile;
use crate::sys::fs::FileStamp;

/// A changed copy of the image, made while the ledger is written.
#[derive(Debug)]
pub(super) struct Following {
    pub source: usize,
    /// The label of the original, and of the copy.
    pub earlier: Label,
    pub new: Label,
    pub copy: Option<JoinHandle<Option<ChangedImage>>>,
}

impl Following {
    /// Waits for the copy.
    pub(super) fn join(&mut self) -> Option<ChangedImage> {
        self.copy.take()?.join().ok()?
    }
}

/// Removes a copy that was not used.
impl Drop for Following {
    fn drop(&mut self) {
        drop(self.join());
    }
}

/// The data that is needed to update an image after a write.
#[derive(Debug)]
pub(super) struct Followed {
    pub following: Following,
    pub left: FileStamp,
    pub file: LeftFile,
    /// The hash of the file's bytes; `None` if its stamp is enough.
    pub hash: Option<u128>,
}
