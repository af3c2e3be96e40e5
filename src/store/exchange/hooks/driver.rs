//! The merge driver of the primary's ledgers: registered with git, hg or jj, and removable without a trace.
//!
//! For git, `merge.bd.driver` is set by git's own program, wrapped so that any failure is a failed merge. The attribute
//! for the ledgers goes to `info/attributes`, which is never committed and overrides every committed file; or, on
//! request, to `.gitattributes`.

use std::path::{Path, PathBuf};

use super::block::{with_block, without_block};
use super::files::{put_text, read, read_text, sum};
use crate::store::error::{HookError, as_store};
use crate::store::project::paths;
use crate::store::state::directory::prepare;
use crate::store::state::installed::{DRIVER, DriverManifest, HOOKS};
use crate::store::{Project, Result, Snapshot, StoreError};
use crate::sys::{below, process};
use crate::vcs::{self, GIT_DRIVER, MergeTool};

const CALL: &str = " merge-driver %O %A %B %L %P; s=$?; [ $s -le 1 ] && exit $s; exit 129";

/// The state of the merge driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverStatus {
    /// installed, absent, outdated or unsupported.
    pub state: &'static str,
    /// What version control runs.
    pub command: Option<String>,
    /// The file that assigns the driver to ledgers.
    pub file: Option<PathBuf>,
    /// Whether that file is committed.
    pub shared: bool,
}

impl DriverStatus {
    fn bare(state: &'static str) -> Self {
        DriverStatus { state, command: None, file: None, shared: false }
    }
}

/// Where the driver is registered.
pub(super) struct DriverPlace {
    pub tool: MergeTool,
    pub home: PathBuf,
    /// The ledgers, relative to the root.
    ledgers: Vec<PathBuf>,
}

impl DriverPlace {
    /// The value to register: git's setting, or a program.
    fn command(&self, env: &crate::sys::Env) -> String {
        let program = process::own_name("bd", env);
        match self.tool.runs_scripts() {
            true if program == "bd" => format!("bd{CALL}"),
            // git would expand a single `%`.
            true => format!("{}{CALL}", super::script::quoted(&program).replace('%', "%%")),
            false => program,
        }
    }
}

impl Project {
    /// What version control would run now.
    fn registered(&self, place: &DriverPlace) -> Result<Option<String>> {
        place.tool.registered(&self.host.env).map_err(|e| as_store(e, "bd hooks"))
    }

    fn put_in_driver(&self, place: &DriverPlace, shared: bool, previous: Option<String>) -> Result<()> {
        let env = &self.host.env;
        let hooks_made_home = HOOKS.read(&place.home).is_some_and(|known| known.made_home);
        let made_home = !place.home.exists() || hooks_made_home;
        prepare(&place.home)?;
        let command = place.command(env);
        let failed = |error| as_store(error, "bd hooks");
        let file = place.tool.file(shared, env).map_err(failed)?;
        if !place.tool.names_files() {
            let before = read(&file).and_then(|bytes| String::from_utf8(bytes).ok());
            let made_file = !file.exists();
            let mut manifest =
                DriverManifest { command, file, made_file, made_home, before, ..DriverManifest::default() };
            DRIVER.write(&place.home, &manifest)?;
            self.mark_installation(&place.home)?;
            place.tool.register(&manifest.command, env).map_err(failed)?;
            manifest.after = sum(&read(&manifest.file).unwrap_or_default());
            return Ok(DRIVER.write(&place.home, &manifest)?);
        }
        let directory = file.parent().unwrap_or(Path::new(".")).to_owned();
        let manifest = DriverManifest {
            made_file: !file.exists(),
            made_directory: !directory.exists(),
            command,
            previous,
            shared,
            made_home,
            file,
            ..DriverManifest::default()
        };
        DRIVER.write(&place.home, &manifest)?;
        self.mark_installation(&place.home)?;
        below::make_missing(&directory)?;
        let old = read_text(&manifest.file)?.unwrap_or_default();
        let old = without_block(&old).map_or(old, |(rest, _)| rest);
        put_text(&manifest.file, &with_block(&old, &place.tool.lines(&manifest.command, &place.ledgers)))?;
        place.tool.register(&manifest.command, env).map_err(failed)
    }

    /// Removes the driver and restores what was there before.
    pub(super) fn take_out_driver(&self, place: &DriverPlace, manifest: &DriverManifest) -> Result<Vec<String>> {
        let env = &self.host.env;
        let mut remarks = Vec::new();
        let failed = |error| as_store(error, "bd hooks");
        if !place.tool.names_files() {
            let now = read(&manifest.file).unwrap_or_default();
            match &manifest.before {
                _ if sum(&now) != manifest.after => {
                    if self.registered(place)?.is_some() {
                        place.tool.unregister(None, env).map_err(failed)?;
                    }
                }
                Some(before) => put_text(&manifest.file, before.as_bytes())?,
                None => super::remove(&manifest.file)?,
            }
        } else {
            match self.registered(place)? {
                Some(current) if current == manifest.command => {
                    place.tool.unregister(manifest.previous.as_deref(), env).map_err(failed)?;
                }
                Some(_) => remarks.push(format!("{GIT_DRIVER} is another by now and stays")),
                None => {}
            }
            let text = read_text(&manifest.file)?.unwrap_or_default();
            match without_block(&text) {
                Some((rest, _)) if rest.is_empty() && manifest.made_file => super::remove(&manifest.file)?,
                Some((rest, _)) => put_text(&manifest.file, &rest)?,
                None if text.is_empty() => {}
                None => remarks.push(format!("{} has no lines of ours any more", manifest.file.display())),
            }
            if manifest.made_directory {
                let (above, name) = below::parted(below::parted(&manifest.file).0);
                let _ = below::remove_empty(above, name);
            }
        }
        DRIVER.remove(&place.home, manifest.made_home)?;
        Ok(remarks)
    }

    fn no_driver(&self) -> StoreError {
        let root = self.repos.primary_member().repo.root().to_owned();
        StoreError::NotGit { what: "bd hooks", kind: vcs::open(&root).name().to_owned(), root }
    }
}

impl Snapshot {
    /// `None` where no driver can be registered.
    pub(super) fn driver_place(&self) -> Option<DriverPlace> {
        let member = self.repos.primary_member();
        let tool = MergeTool::of(member.repo.root())?;
        let real = paths::real(&tool.root);
        let ledgers = self.sources.of_member(0).into_iter().map(|n| paths::real(self.sources.ledger(n).path()));
        let ledgers = ledgers.filter_map(|path| path.strip_prefix(&real).ok().map(Path::to_owned)).collect();
        let home = member.site.settings_home();
        Some(DriverPlace { tool, home, ledgers })
    }

    pub(super) fn driver_status(&self) -> Result<DriverStatus> {
        let Some(place) = self.driver_place() else { return Ok(DriverStatus::bare("unsupported")) };
        let Some(manifest) = DRIVER.read(&place.home) else { return Ok(DriverStatus::bare("absent")) };
        let wanted = place.command(&self.host.env);
        let current = self.registered(&place)?;
        let marked = || {
            let found = read(&manifest.file).and_then(|text| without_block(&text));
            found.is_some_and(|(_, lines)| lines == place.tool.lines(&wanted, &place.ledgers))
        };
        let registered = place.tool.is_registered(current.as_deref(), &wanted);
        let state = if registered && (!place.tool.names_files() || marked()) { "installed" } else { "outdated" };
        Ok(DriverStatus { state, command: Some(manifest.command), file: Some(manifest.file), shared: manifest.shared })
    }

    /// Registers the driver; `false` if it already is.
    pub(super) fn install_driver(&self, shared: bool) -> Result<bool> {
        let Some(place) = self.driver_place() else { return Err(self.no_driver()) };
        let now = self.driver_status()?;
        if now.state == "installed" && now.shared == shared {
            return Ok(false);
        }
        if let Some(known) = DRIVER.read(&place.home) {
            self.take_out_driver(&place, &known)?;
        }
        let current = self.registered(&place)?;
        if let Some(value) = current.as_ref().filter(|value| !is_ours(value)) {
            return Err(HookError::OtherDriver { value: value.clone() }.into());
        }
        if let Err(error) = self.put_in_driver(&place, shared, current) {
            if let Some(half) = DRIVER.read(&place.home) {
                let _ = self.take_out_driver(&place, &half);
            }
            return Err(error);
        }
        Ok(true)
    }
}

/// Whether a registration is ours, wherever the program was installed.
fn is_ours(value: &str) -> bool {
    value.contains(" merge-driver ")
}

/// The program that a registered command starts.
pub(super) fn program_of(command: &str) -> String {
    match command.strip_prefix('\'') {
        None => command.split(' ').next().unwrap_or_default().to_owned(),
        Some(quoted) => {
            let word = quoted.replace("'\\''", "\u{0}");
            word.split('\'').next().unwrap_or_default().replace('\u{0}', "'").replace("%%", "%")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::*;

    #[test]
    fn the_program_of_a_command() {
        for path in ["/usr/bin/bd", "/it's/a b/bd", "/50%/bd"] {
            let command = format!("{}{CALL}", super::super::script::quoted(path).replace('%', "%%"));
            assert_eq!(program_of(&command), path);
        }
        assert_eq!(program_of(&format!("bd{CALL}")), "bd");
    }
}
