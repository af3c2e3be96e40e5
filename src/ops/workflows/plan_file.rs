//! Plan files, as people name them.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use crate::model::plan::{self, Draft, Format, MAX_BYTES, Plan, Problem, Wrong};
use crate::ops::{OpError, Result};
use crate::store::{StoreError, read_named};
use crate::sys::fs::FsError;

/// A plan file's content.
#[derive(Debug, Clone)]
pub struct PlanFile {
    /// The path, or another name for it.
    pub place: String,
    pub text: String,
    pub draft: Draft,
}

impl PlanFile {
    /// Reads a file, or a program's output from a pipe. `directory` is in the project.
    pub fn open(path: &Path, directory: &Path) -> Result<Self> {
        let place = path.display().to_string();
        match read_named(path, directory, MAX_BYTES) {
            Ok(bytes) => Self::read(&place, bytes.as_slice()),
            Err(error) if error.source.kind() == ErrorKind::FileTooLarge => Err(too_large(&place)),
            Err(error) => Err(StoreError::from(error).into()),
        }
    }

    /// Reads to the end. The extension of `place` determines the format.
    pub fn read(place: &str, from: impl std::io::Read) -> Result<Self> {
        let mut bytes = Vec::new();
        let read = from.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|e| StoreError::from(FsError::new("read", place, e)))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(too_large(place));
        }
        let not_text = |_| broken(place, Problem::at(0, None, Wrong::Syntax("is not UTF-8".to_owned())));
        let text = String::from_utf8(bytes).map_err(not_text)?;
        let draft = plan::draft(&text, Format::of(Some(place), &text)).map_err(|problem| broken(place, problem))?;
        Ok(PlanFile { place: place.to_owned(), text, draft })
    }

    /// The plan, if it holds by itself.
    pub fn plan(self) -> Result<Plan> {
        let place = self.place;
        self.draft.settle().map_err(|problems| OpError::BrokenPlan { place, problems })
    }
}

fn too_large(place: &str) -> OpError {
    let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    broken(place, Problem::at(0, None, Wrong::TooLarge { most }))
}

fn broken(place: &str, problem: Problem) -> OpError {
    OpError::BrokenPlan { place: place.to_owned(), problems: vec![problem] }
}
