//! A form in the user's editor: a file in a directory of its own below the temporary directory, beside what was shown first.
//!
//! The directory is only this user's, and is gone once the form was used. What was refused is kept, and can be opened again.

use std::fs;
use std::path::{Path, PathBuf};

use super::Env;
use super::fs::FsError;
use super::process::{EditorError, edit};

const PREFIX: &str = "bd-form-";
const FORM: &str = "form.md";
const SHOWN: &str = "shown.md";

#[derive(Debug)]
pub struct FormFile {
    directory: tempfile::TempDir,
    /// What is in the form before it is edited.
    begun: String,
}

/// A form that was kept.
#[derive(Debug)]
pub struct KeptForm {
    path: PathBuf,
    pub text: String,
    /// What was shown first.
    pub shown: String,
}

impl FormFile {
    /// Puts a text into a form; `shown` is what changes are measured by.
    pub fn new(text: &str, shown: &str) -> Result<Self, FsError> {
        let made = tempfile::Builder::new().prefix(PREFIX).tempdir();
        let directory = made.map_err(|e| FsError::new("create", std::env::temp_dir(), e))?;
        for (name, text) in [(FORM, text), (SHOWN, shown)] {
            let path = directory.path().join(name);
            fs::write(&path, text).map_err(|e| FsError::new("write", &path, e))?;
        }
        Ok(FormFile { directory, begun: text.to_owned() })
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join(FORM)
    }

    pub fn edit(&self, env: &Env, program: Option<String>) -> Result<(), EditorError> {
        edit(env, program, &self.path())
    }

    pub fn text(&self) -> Result<String, FsError> {
        fs::read_to_string(self.path()).map_err(|e| FsError::new("read", self.path(), e))
    }

    /// Somebody wrote something into it.
    pub fn is_touched(&self) -> bool {
        self.text().is_ok_and(|text| text != self.begun)
    }

    /// Leaves the form where it is, and says where.
    pub fn keep(self) -> PathBuf {
        self.directory.keep().join(FORM)
    }
}

impl KeptForm {
    pub fn open(path: &Path) -> Result<Self, FsError> {
        let read = |path: &Path| fs::read_to_string(path).map_err(|e| FsError::new("read", path, e));
        let shown = path.with_file_name(SHOWN);
        Ok(KeptForm { path: path.to_owned(), text: read(path)?, shown: read(&shown)? })
    }

    /// Removes what was taken up again.
    pub fn remove(self) {
        let Some(directory) = self.path.parent() else { return };
        let is_own = directory.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if is_own && self.path.file_name().is_some_and(|name| name == FORM) {
            // What stays is in the way of nobody.
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(self.path.with_file_name(SHOWN));
            let _ = fs::remove_dir(directory);
        }
    }
}
