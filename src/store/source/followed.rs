//! A write that the image has not followed yet.

use crate::ledger::{LeftFile, LineChange};
use crate::store::image::Label;
use crate::sys::fs::FileStamp;

/// What an image needs to follow a write.
#[derive(Debug)]
pub(super) struct Followed {
    pub source: usize,
    /// The image that is to follow, and what it becomes.
    pub earlier: Label,
    pub new: Label,
    /// With the line that each stands on now.
    pub changes: Vec<(LineChange, Option<usize>)>,
    pub left: FileStamp,
    pub file: LeftFile,
    /// Of the bytes of the file; `None` if its stamp will tell.
    pub hash: Option<u128>,
}
