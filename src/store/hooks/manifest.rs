//! What an installation has to remember so that it can be undone: `<state home>/hooks.json`, and `merge-driver.json` beside it.

use std::path::{Path, PathBuf};

use crate::model::json::{Dialect, Json};
use crate::model::record::Record;
use crate::store::names::MARK_NAME;
use crate::sys::below;
use crate::sys::fs::FsError;

const NAME: &str = "hooks.json";
const DRIVER_NAME: &str = "merge-driver.json";
const MAX_MANIFEST: u64 = 16 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Manifest {
    /// The directory that holds our hooks.
    pub directory: PathBuf,
    pub made_directory: bool,
    pub made_home: bool,
    /// The hooks are those of another repository that shares the directory.
    pub shared: bool,
    /// `core.hooksPath` leads to our directory.
    pub settings: Option<Redirection>,
}

/// What the repository's own settings were before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Redirection {
    /// Where hooks were, as the settings named it.
    pub hooks: String,
    /// `core.hooksPath` in the repository's own file.
    pub previous: Option<String>,
    /// The file before our change, and the checksum of it after.
    pub before: Option<String>,
    pub after: String,
}

impl Manifest {
    pub fn read(home: &Path) -> Option<Self> {
        let text = text_of(&home.join(NAME))?;
        let record = Record::parse(text.trim_end()).ok()?;
        let field = |key: &str| record.string(key).map(|value| value.into_owned());
        let settings = field("hooks").map(|hooks| Redirection {
            hooks,
            previous: field("previous"),
            before: field("before"),
            after: field("after").unwrap_or_default(),
        });
        Some(Manifest {
            directory: field("directory")?.into(),
            made_directory: record.flag("made_directory"),
            made_home: record.flag("made_home"),
            shared: record.flag("shared"),
            settings,
        })
    }

    pub fn write(&self, home: &Path) -> Result<(), FsError> {
        let text = |text: &str| Json::Text(text.to_owned());
        let flag = |value: bool| Json::Raw(value.to_string());
        let mut members = vec![
            ("directory".to_owned(), text(&self.directory.display().to_string())),
            ("made_directory".to_owned(), flag(self.made_directory)),
            ("made_home".to_owned(), flag(self.made_home)),
            ("shared".to_owned(), flag(self.shared)),
        ];
        if let Some(settings) = &self.settings {
            members.push(("hooks".to_owned(), text(&settings.hooks)));
            members.push(("after".to_owned(), text(&settings.after)));
            members.extend(settings.previous.as_deref().map(|value| ("previous".to_owned(), text(value))));
            members.extend(settings.before.as_deref().map(|value| ("before".to_owned(), text(value))));
        }
        put(&home.join(NAME), members)
    }

    pub fn remove(&self, home: &Path) -> Result<(), FsError> {
        remove(&home.join(NAME), self.made_home)
    }
}

/// A registered merge driver.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DriverManifest {
    /// What was registered.
    pub command: String,
    /// The value that it replaced.
    pub previous: Option<String>,
    /// The file that our lines are in, or jj's settings.
    pub file: PathBuf,
    pub made_file: bool,
    pub made_directory: bool,
    pub made_home: bool,
    /// The file is committed.
    pub shared: bool,
    /// jj's settings before our change, and the checksum of them after.
    pub before: Option<String>,
    pub after: String,
}

impl DriverManifest {
    pub fn read(home: &Path) -> Option<Self> {
        let text = text_of(&home.join(DRIVER_NAME))?;
        let record = Record::parse(text.trim_end()).ok()?;
        let field = |key: &str| record.string(key).map(|value| value.into_owned());
        Some(DriverManifest {
            command: field("command")?,
            previous: field("previous"),
            file: field("file")?.into(),
            made_file: record.flag("made_file"),
            made_directory: record.flag("made_directory"),
            made_home: record.flag("made_home"),
            shared: record.flag("shared"),
            before: field("before"),
            after: field("after").unwrap_or_default(),
        })
    }

    pub fn write(&self, home: &Path) -> Result<(), FsError> {
        let text = |text: &str| Json::Text(text.to_owned());
        let flag = |value: bool| Json::Raw(value.to_string());
        let mut members = vec![
            ("command".to_owned(), text(&self.command)),
            ("file".to_owned(), text(&self.file.display().to_string())),
            ("made_file".to_owned(), flag(self.made_file)),
            ("made_directory".to_owned(), flag(self.made_directory)),
            ("made_home".to_owned(), flag(self.made_home)),
            ("shared".to_owned(), flag(self.shared)),
            ("after".to_owned(), text(&self.after)),
        ];
        members.extend(self.previous.as_deref().map(|value| ("previous".to_owned(), text(value))));
        members.extend(self.before.as_deref().map(|value| ("before".to_owned(), text(value))));
        put(&home.join(DRIVER_NAME), members)
    }

    pub fn remove(&self, home: &Path) -> Result<(), FsError> {
        remove(&home.join(DRIVER_NAME), self.made_home)
    }
}

fn text_of(path: &Path) -> Option<String> {
    let (home, name) = below::parted(path);
    String::from_utf8(below::read(home, name, MAX_MANIFEST).ok()?.bytes).ok()
}

fn put(path: &Path, members: Vec<(String, Json)>) -> Result<(), FsError> {
    let line = Dialect::default().render(&Json::Object(members));
    let (home, name) = below::parted(path);
    below::put(home, name, (line + "\n").as_bytes())
}

fn remove(path: &Path, made_home: bool) -> Result<(), FsError> {
    let (home, name) = below::parted(path);
    below::remove(home, name)?;
    if made_home {
        // Stays if something else came to live in it.
        if below::names(home, "").is_ok_and(|names| names.iter().all(|name| name == MARK_NAME)) {
            let _ = below::remove(home, MARK_NAME);
        }
        let (above, name) = below::parted(home);
        let _ = below::remove_empty(above, name);
    }
    Ok(())
}
