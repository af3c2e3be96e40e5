//! Making a repo into one that has a ledger. Touches nothing outside `.beads`.

use std::path::{Path, PathBuf};

use super::{OpError, Result};
use crate::ledger::Ledger;
use crate::model::id;
use crate::store::{BEADS_DIR, Config, LEDGER_NAMES, StoreError};
use crate::sys::Host;
use crate::sys::fs::FsError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialised {
    pub beads: PathBuf,
    pub ledger: PathBuf,
    pub prefix: String,
    /// There was a ledger already; nothing was changed.
    pub already: bool,
}

/// Files that some clients look for, and that keep other programs from harming the ledger.
const GITIGNORE: &str = "# Left only by an interrupted write; the next one removes it.\n.bd-tmp-*\n.bd-refused-*\n.bd-displaced-*\n# Databases of other tools.\n*.db\n*.db-*\n";
const GITATTRIBUTES: &str = "# The ledger's bytes are its truth: no line end conversion.\n*.jsonl -text\n";

pub fn init(host: &Host, directory: &Path, prefix: Option<&str>) -> Result<Initialised> {
    let beads = place(host, directory)?;
    if let Some(prefix) = prefix {
        id::check_prefix(prefix).map_err(StoreError::from)?;
    }
    let configured = Config::read_from(&beads).map_err(OpError::from)?.ledger_file;
    let names = configured.iter().map(String::as_str).chain(LEDGER_NAMES.into_iter().filter(|_| configured.is_none()));
    let existing = names.map(|name| beads.join(name)).find(|path| path.exists());
    let name = beads.parent().and_then(|root| std::fs::canonicalize(root).ok());
    let name = name.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("bd").to_owned();
    let prefix = prefix.map_or_else(|| id::prefix_from(&name), str::to_owned);
    if let Some(ledger) = existing {
        return Ok(Initialised { beads, ledger, prefix, already: true });
    }
    std::fs::create_dir_all(&beads).map_err(|e| OpError::Fs(FsError::new("create", &beads, e)))?;
    write_new(
        &beads.join("config.toml"),
        &format!("# Settings of this repo's ledger; see `bd help`.\nissue_prefix = \"{prefix}\"\n"),
    )?;
    write_new(&beads.join("metadata.json"), "{\"backend\":\"jsonl\",\"jsonl_export\":\"beads.jsonl\"}\n")?;
    write_new(&beads.join(".gitignore"), GITIGNORE)?;
    write_new(&beads.join(".gitattributes"), GITATTRIBUTES)?;
    let path = beads.join(configured.as_deref().unwrap_or(LEDGER_NAMES[0]));
    let ledger = Ledger::at(&path, &beads).map_err(StoreError::from)?;
    let created = ledger.create(crate::store::Options::LOCK_WAIT, &host.entropy).map_err(StoreError::from)?;
    Ok(Initialised { beads, ledger: path, prefix, already: !created })
}

/// The `.beads` directory to make: in the directory that the command is about, or where the environment says.
fn place(host: &Host, directory: &Path) -> Result<PathBuf> {
    let named = |name| host.env.var(name).map(|value| host.env.path(&value));
    let is_beads = |path: &Path| path.file_name().is_some_and(|name| name == BEADS_DIR);
    let beads = match (named("BEADS_DIR"), named("BEADS_DB")) {
        (Some(path), _) if is_beads(&path) => path,
        (Some(path), _) => path.join(BEADS_DIR),
        (None, Some(file)) => match file.parent() {
            Some(parent) if is_beads(parent) => parent.to_owned(),
            _ => file.join(BEADS_DIR),
        },
        (None, None) => directory.join(BEADS_DIR),
    };
    match beads.parent() {
        Some(root) if !root.is_dir() => Err(OpError::Usage(format!("no such directory: {}", root.display()))),
        _ => Ok(beads),
    }
}

/// Writes a file unless there is one.
fn write_new(path: &Path, text: &str) -> Result<()> {
    use std::io::Write as _;
    let error = |e| OpError::Fs(FsError::new("write", path, e));
    match std::fs::File::options().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map_err(error),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(error(e)),
    }
}
