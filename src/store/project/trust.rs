//! The consents of this user: paths and commands of committed configs, programs, and the marks of the user's own state homes.
//!
//! Owns `<user state>/trust.jsonl`. A committed config is data from strangers: a path in it that leaves the repository is
//! used only when the user said so (`bd trust`) or put it there. Trust covers one path under one key of one
//! repository, as it is written and as it resolves today; change either and it must be trusted again. A mark is listed by its
//! id alone, because it must survive a move of the repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{home, paths};
use crate::model::record::Record;
use crate::model::row::{self, Row};
use crate::store::error::SettingsError;
use crate::sys::fs::FsError;
use crate::sys::{Entropy, Env, below, lock};

pub(crate) const TRUST_NAME: &str = "trust.jsonl";
/// The key of a mark.
pub(crate) const MARK: &str = "mark";
const MAX_TRUST: u64 = 16 << 20;

/// A path in a committed config that leads out of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsidePath {
    /// The repository whose config names it.
    pub repository: PathBuf,
    /// The project's directory: what stands for the repository before it is under version control.
    pub root: PathBuf,
    pub key: &'static str,
    /// As it is written.
    pub text: String,
    /// Where it leads.
    pub resolved: PathBuf,
}

impl OutsidePath {
    /// It leads to nothing that is there; a command leads nowhere.
    pub fn is_missing(&self) -> bool {
        !self.resolved.as_os_str().is_empty() && !self.resolved.exists()
    }

    fn agreed(&self) -> Agreed {
        let (repository, resolved) = (self.repository.clone(), self.resolved.clone());
        Agreed { repository, key: self.key.to_owned(), path: self.text.clone(), resolved }
    }
}

/// Something that was agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Agreed {
    #[serde(with = "row::path")]
    repository: PathBuf,
    #[serde(deserialize_with = "row::exact")]
    key: String,
    #[serde(deserialize_with = "row::exact")]
    path: String,
    #[serde(with = "row::path")]
    resolved: PathBuf,
}

/// What this user trusts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trust {
    file: Option<PathBuf>,
    rows: Vec<Agreed>,
}

impl Trust {
    /// Reads what is trusted; without a place for it, nothing is.
    pub fn read(directory: Option<&Path>) -> Self {
        let file = directory.map(|directory| directory.join(TRUST_NAME));
        let text = file.as_deref().and_then(|file| below::read_own(file, MAX_TRUST).ok());
        let text = text.and_then(|contents| String::from_utf8(contents.bytes).ok()).unwrap_or_default();
        let row = |line: &str| Agreed::parse(&Record::parse(line).ok()?);
        Trust { rows: text.lines().filter_map(row).collect(), file }
    }

    pub fn path(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    pub fn covers(&self, path: &OutsidePath) -> bool {
        self.rows.iter().any(|row| {
            [&path.repository, &path.root].contains(&&row.repository)
                && row.key == path.key
                && row.path == path.text
                && row.resolved == path.resolved
        })
    }

    /// The id is that of a mark which this user made.
    pub fn lists(&self, mark: &str) -> bool {
        self.rows.iter().any(|row| row.key == MARK && row.path == mark)
    }

    /// Adds paths, and returns once that is on disk.
    pub fn add(&self, paths: &[OutsidePath], wait: Duration, entropy: &Entropy) -> Result<(), SettingsError> {
        let Some(file) = &self.file else {
            let e = std::io::Error::new(std::io::ErrorKind::NotFound, "HOME is not set");
            return Err(FsError::new("find a place for", TRUST_NAME, e).into());
        };
        let directory = file.parent().unwrap_or(Path::new("."));
        below::make_own(directory)?;
        let lock = lock::lock(&paths::real(directory), wait)?;
        for _ in 0..20 {
            let known = match lock.dir().read(Path::new(TRUST_NAME), MAX_TRUST) {
                Ok(contents) => Some(contents),
                Err(error) if error.is_missing() => None,
                Err(error) => return Err(error.into()),
            };
            let mut bytes = known.as_ref().map_or_else(Vec::new, |contents| contents.bytes.clone());
            if !bytes.is_empty() && !bytes.ends_with(b"\n") {
                bytes.push(b'\n');
            }
            bytes.extend(paths.iter().flat_map(|path| (path.agreed().line() + "\n").into_bytes()));
            if lock.dir().put_after(TRUST_NAME, &bytes, known.map(|known| known.stamp).as_ref(), entropy)? {
                return Ok(());
            }
        }
        Err(SettingsError::Unstable { path: file.display().to_string() })
    }
}

/// The trust of this user.
pub fn read(env: &Env) -> Trust {
    Trust::read(home::user_state(env).as_deref())
}
