//! Plan files, as people name them.

use std::io::Read as _;
use std::path::Path;

use super::{CoordinationError, Result};
use crate::model::plan::{self, Draft, Format, MAX_BYTES, Plan, Problem, Wrong};
use crate::store::StoreError;
use crate::sys::fs::FsError;

/// A plan file as it was read.
#[derive(Debug, Clone)]
pub struct PlanFile {
    /// The path, or what else to call it.
    pub place: String,
    pub text: String,
    pub draft: Draft,
}

impl PlanFile {
    /// Reads a file, or what a program writes to a pipe.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |e: std::io::Error| StoreError::from(FsError::new("read", path, e));
        let file = std::fs::File::open(path).map_err(failed)?;
        Self::read(&path.display().to_string(), file)
    }

    /// Reads to the end. The place says by its extension how it is written.
    pub fn read(place: &str, from: impl std::io::Read) -> Result<Self> {
        let (text, draft) = read(place, from)?;
        Ok(PlanFile { place: place.to_owned(), text, draft })
    }

    /// The plan, if it holds by itself.
    pub fn plan(self) -> Result<Plan> {
        let place = self.place;
        self.draft.settle().map_err(|problems| CoordinationError::Plan { place, problems })
    }
}

fn read(place: &str, from: impl std::io::Read) -> Result<(String, Draft)> {
    let broken = |problems: Vec<Problem>| CoordinationError::Plan { place: place.to_owned(), problems };
    let mut bytes = Vec::new();
    let read = from.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|e| StoreError::from(FsError::new("read", place, e)))?;
    let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    if bytes.len() > most {
        return Err(broken(vec![Problem::at(0, None, Wrong::TooLarge { most })]));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| broken(vec![Problem::at(0, None, Wrong::Syntax("is not UTF-8".to_owned()))]))?;
    let draft = plan::draft(&text, Format::of(Some(place), &text)).map_err(|problem| broken(vec![problem]))?;
    Ok((text, draft))
}
