//! What is needed to undo an installation: `<state home>/hooks.json`, and `merge-driver.json` beside it.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::record::Record;
use crate::model::row::{self, Row};
use crate::store::file_names::MARK_NAME;
use crate::sys::below;
use crate::sys::fs::FsError;

pub(in crate::store) const HOOKS: Installed<Manifest> = Installed { name: "hooks.json", row: PhantomData };
pub(in crate::store) const DRIVER: Installed<DriverManifest> =
    Installed { name: "merge-driver.json", row: PhantomData };
const MAX_MANIFEST: u64 = 16 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::store) struct Manifest {
    /// The directory with our hooks.
    #[serde(with = "row::path")]
    pub directory: PathBuf,
    #[serde(default)]
    pub made_directory: bool,
    #[serde(default)]
    pub made_home: bool,
    /// Another repository that shares the directory installed the hooks.
    #[serde(default)]
    pub shared: bool,
    /// `core.hooksPath` points to our directory.
    #[serde(rename = "..")]
    pub settings: Option<Redirection>,
}

/// The repository's own settings before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::store) struct Redirection {
    /// The hooks directory, as written in the settings.
    #[serde(deserialize_with = "row::exact")]
    pub hooks: String,
    /// The checksum of the file after our change.
    #[serde(default)]
    pub after: String,
    /// `core.hooksPath` in the repository's own file.
    #[serde(default, deserialize_with = "row::exact")]
    pub previous: Option<String>,
    /// The file before our change.
    #[serde(default, deserialize_with = "row::exact")]
    pub before: Option<String>,
}

/// A registered merge driver.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::store) struct DriverManifest {
    /// The registered command.
    #[serde(deserialize_with = "row::exact")]
    pub command: String,
    /// The file with our lines, or jj's settings.
    #[serde(with = "row::path")]
    pub file: PathBuf,
    #[serde(default)]
    pub made_file: bool,
    #[serde(default)]
    pub made_directory: bool,
    #[serde(default)]
    pub made_home: bool,
    /// The file is committed.
    #[serde(default)]
    pub shared: bool,
    /// The checksum of jj's settings after our change.
    #[serde(default)]
    pub after: String,
    /// The value that was replaced.
    #[serde(default, deserialize_with = "row::exact")]
    pub previous: Option<String>,
    /// jj's settings before our change.
    #[serde(default, deserialize_with = "row::exact")]
    pub before: Option<String>,
}

/// A file of the state home with one row.
#[derive(Debug)]
pub(in crate::store) struct Installed<T> {
    name: &'static str,
    row: PhantomData<fn() -> T>,
}

impl<T: Row> Installed<T> {
    pub(crate) fn read(&self, home: &Path) -> Option<T> {
        T::parse(&Record::parse(self.text(home)?.trim_end()).ok()?)
    }

    /// Keeps unknown keys of an earlier row.
    pub(crate) fn write(&self, home: &Path, row: &T) -> Result<(), FsError> {
        let old = self.text(home).unwrap_or_default();
        let line = Record::parse(old.trim_end()).map_or_else(|_| row.line(), |old| row.line_over(&old));
        below::put(home, self.name, (line + "\n").as_bytes())
    }

    pub(crate) fn remove(&self, home: &Path, made_home: bool) -> Result<(), FsError> {
        below::remove(home, self.name)?;
        if made_home {
            // Kept if it contains anything else.
            if below::names(home, "").is_ok_and(|names| names.iter().all(|name| name == MARK_NAME)) {
                let _ = below::remove(home, MARK_NAME);
            }
            let (above, name) = below::parted(home);
            let _ = below::remove_empty(above, name);
        }
        Ok(())
    }

    fn text(&self, home: &Path) -> Option<String> {
        String::from_utf8(below::read(home, self.name, MAX_MANIFEST).ok()?.bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::installed::*;

    #[test]
    fn manifests_of_an_earlier_version_are_written_as_they_were() {
        let text = |name: &str| {
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows").join(name)).unwrap()
        };
        let hooks = text(HOOKS.name);
        assert_eq!(Manifest::parse(&Record::parse(hooks.trim()).unwrap()).unwrap().line(), hooks.trim());
        let driver = text(DRIVER.name);
        assert_eq!(DriverManifest::parse(&Record::parse(driver.trim()).unwrap()).unwrap().line(), driver.trim());
        // The earlier value may be empty, which differs from none.
        let line = r#"{"directory":"/h","made_directory":true,"made_home":true,"shared":false,"hooks":"","after":"sum","previous":"","before":""}"#;
        let read = Manifest::parse(&Record::parse(line).unwrap()).unwrap();
        let some = Some(String::new());
        let settings = Redirection { hooks: String::new(), after: "sum".into(), previous: some.clone(), before: some };
        assert_eq!((read.settings.as_ref(), read.line().as_str()), (Some(&settings), line));
    }
}
