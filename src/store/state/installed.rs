//! What is needed to undo an installation: `<state home>/hooks.json`, and `merge-driver.json` beside it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::record::Record;
use crate::model::row::{self, Row};
use crate::store::file_names::MARK_NAME;
use crate::sys::below;
use crate::sys::fs::FsError;

const NAME: &str = "hooks.json";
const DRIVER_NAME: &str = "merge-driver.json";
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

impl Manifest {
    pub(crate) fn read(home: &Path) -> Option<Self> {
        read(&home.join(NAME))
    }

    pub(crate) fn write(&self, home: &Path) -> Result<(), FsError> {
        write(self, &home.join(NAME))
    }

    pub(crate) fn remove(&self, home: &Path) -> Result<(), FsError> {
        remove(&home.join(NAME), self.made_home)
    }
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

impl DriverManifest {
    pub(crate) fn read(home: &Path) -> Option<Self> {
        read(&home.join(DRIVER_NAME))
    }

    pub(crate) fn write(&self, home: &Path) -> Result<(), FsError> {
        write(self, &home.join(DRIVER_NAME))
    }

    pub(crate) fn remove(&self, home: &Path) -> Result<(), FsError> {
        remove(&home.join(DRIVER_NAME), self.made_home)
    }
}

fn read<T: Row>(path: &Path) -> Option<T> {
    T::parse(&Record::parse(text_of(path)?.trim_end()).ok()?)
}

fn text_of(path: &Path) -> Option<String> {
    let (home, name) = below::parted(path);
    String::from_utf8(below::read(home, name, MAX_MANIFEST).ok()?.bytes).ok()
}

/// Keeps unknown keys of an earlier row.
fn write(row: &impl Row, path: &Path) -> Result<(), FsError> {
    let old = text_of(path).unwrap_or_default();
    let line = Record::parse(old.trim_end()).map_or_else(|_| row.line(), |old| row.line_over(&old));
    let (home, name) = below::parted(path);
    below::put(home, name, (line + "\n").as_bytes())
}

fn remove(path: &Path, made_home: bool) -> Result<(), FsError> {
    let (home, name) = below::parted(path);
    below::remove(home, name)?;
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

#[cfg(test)]
mod tests {
    use super::super::installed::*;

    #[test]
    fn manifests_of_an_earlier_version_are_written_as_they_were() {
        let text = |name: &str| {
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows").join(name)).unwrap()
        };
        let hooks = text(NAME);
        assert_eq!(Manifest::parse(&Record::parse(hooks.trim()).unwrap()).unwrap().line(), hooks.trim());
        let driver = text(DRIVER_NAME);
        assert_eq!(DriverManifest::parse(&Record::parse(driver.trim()).unwrap()).unwrap().line(), driver.trim());
        // The earlier value may be empty, which differs from none.
        let line = r#"{"directory":"/h","made_directory":true,"made_home":true,"shared":false,"hooks":"","after":"sum","previous":"","before":""}"#;
        let read = Manifest::parse(&Record::parse(line).unwrap()).unwrap();
        let some = Some(String::new());
        let settings = Redirection { hooks: String::new(), after: "sum".into(), previous: some.clone(), before: some };
        assert_eq!((read.settings.as_ref(), read.line().as_str()), (Some(&settings), line));
    }
}
