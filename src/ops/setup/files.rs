//! The files that are set up: below a project, where a link may lead to another file of the project, and in the user's home,
//! where it may lead anywhere.

use std::path::{Path, PathBuf};

use super::error::SetupError;
use crate::ops::{OpError, Result};
use crate::store::real_path;
use crate::sys::{below, path};

/// The longest settings file.
const MOST: u64 = 8 << 20;

/// A file, and the directory below which no link is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    root: PathBuf,
    inside: PathBuf,
}

/// A file of a project, where a link may lead to another file of it.
pub fn place_in(root: &Path, name: &str) -> Result<Place> {
    let (root, real) = (real_path(root), real_path(&root.join(name)));
    match real.strip_prefix(&root) {
        Ok(inside) => Ok(Place { inside: inside.to_owned(), root }),
        Err(_) => Err(SetupError::LeadsOut { path: root.join(name) }.into()),
    }
}

impl Place {
    /// A file of the user's own.
    pub fn in_home(home: &Path, name: &str) -> Self {
        let real = real_path(&home.join(name));
        match real.strip_prefix(real_path(home)) {
            Ok(inside) => Place { root: real_path(home), inside: inside.to_owned() },
            Err(_) => {
                let (root, inside) = below::parted(&real);
                Place { root: root.to_owned(), inside: inside.to_owned() }
            }
        }
    }

    pub fn path(&self) -> PathBuf {
        self.root.join(&self.inside)
    }

    /// Its bytes; `None` if it is not there.
    pub fn read(&self) -> Result<Option<Vec<u8>>> {
        match below::read(&self.root, &self.inside, MOST) {
            Ok(contents) => Ok(Some(contents.bytes)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(OpError::Fs(error)),
        }
    }

    /// Whether it does little else than naming another file, which the client reads in its place.
    pub fn is_stub(&self, name: &str) -> Result<bool> {
        let bytes = self.read()?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .lines()
            .any(|line| matches!(line.trim().strip_prefix('@'), Some(named) if named.trim_start_matches("./") == name)))
    }

    pub fn refuse_read_only(&self) -> Result<()> {
        let path = self.path();
        match path::follow(&path) {
            Ok(meta) if meta.permissions().readonly() => Err(SetupError::ReadOnly { path }.into()),
            _ => Ok(()),
        }
    }

    /// Puts bytes in its place; none removes it, with directories that are empty then.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        if !bytes.is_empty() {
            if let Some(above) = self.inside.parent().filter(|above| !above.as_os_str().is_empty()) {
                below::make(&self.root, above)?;
            }
            return Ok(below::put(&self.root, &self.inside, bytes)?);
        }
        below::remove(&self.root, &self.inside)?;
        for above in self.inside.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            if below::remove_empty(&self.root, above).is_err() {
                break;
            }
        }
        Ok(())
    }
}
