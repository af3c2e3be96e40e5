//! Committed settings that a command changed together with issues: part of its write, and undone with it.
//!
//! The log names no file: it is the settings file beside the ledger of the log line. Settings changed alone are not
//! logged.

use std::path::{Path, PathBuf};

use super::plan::Past;
use crate::store::error::UndoClash;
use crate::store::file_names::CONFIG_NAME;
use crate::store::project::settings::{put_shared, shared_text};
use crate::store::state::log::{Entry, SettingsChange, WriteLog};
use crate::store::{Result, Store, StoreError, Warning};

/// What an undo does to one settings file.
#[derive(Debug)]
pub(super) struct SettingsStep {
    ledger: PathBuf,
    path: PathBuf,
    now: Option<String>,
    new: Option<String>,
}

/// The settings files that these writes changed, newest write first, with their earlier content.
pub(super) fn steps(chosen: &[Past]) -> Result<Vec<SettingsStep>> {
    let mut steps: Vec<SettingsStep> = Vec::new();
    for part in chosen.iter().flat_map(|past| past.parts.iter().rev()) {
        let Some(change) = &part.settings else { continue };
        let ledger = PathBuf::from(&part.ledger);
        let path = beside(&ledger);
        let known = steps.iter().position(|step| step.path == path);
        let at = match known {
            Some(at) => at,
            None => {
                let now = shared_text(&path)?;
                steps.push(SettingsStep { ledger, path, new: now.clone(), now });
                steps.len() - 1
            }
        };
        let step = &mut steps[at];
        if step.new != change.after {
            let (id, field) = (step.path.display().to_string(), "settings".to_owned());
            return Err(StoreError::UndoClash { clashes: vec![UndoClash { id, field, by: None, at: None }] });
        }
        step.new = change.before.clone();
    }
    Ok(steps)
}

fn beside(ledger: &Path) -> PathBuf {
    ledger.with_file_name(CONFIG_NAME)
}

impl Store {
    /// The committed settings now, for [`Store::note_settings`].
    pub fn settings_before(&self) -> Result<Option<String>> {
        Ok(shared_text(&self.settings.files.shared)?)
    }

    /// Logs a change of the committed settings, if the command has changed issues too. A failure does not undo the
    /// change.
    pub fn note_settings(&self, before: Option<String>) {
        let Some(ledger) = self.sources.of_member(0).first().map(|source| self.sources.ledger(*source).path()) else {
            return;
        };
        if beside(ledger) == self.settings.files.shared
            && let Ok(after) = shared_text(&self.settings.files.shared)
        {
            self.log_settings(ledger, SettingsChange { before, after });
        }
    }

    pub(super) fn apply_settings(&mut self, steps: Vec<SettingsStep>) -> Result<()> {
        let is_any = !steps.is_empty();
        for SettingsStep { ledger, path, now, new } in steps {
            put_shared(&path, now.as_deref(), new.as_deref(), self.lock_wait, &self.host.entropy)?;
            self.log_settings(&ledger, SettingsChange { before: now, after: new });
        }
        if is_any { self.reopen() } else { Ok(()) }
    }

    fn log_settings(&self, ledger: &Path, change: SettingsChange) {
        let source = self.source_at(&ledger.display().to_string());
        let Some(home) = source.map(|source| self.sources.home(source).to_owned()) else { return };
        let writing = self.current_write.borrow();
        let Some(write) = writing.name.clone().filter(|_| change.before != change.after) else { return };
        let log = WriteLog { home: &home, outboxes: self.outboxes_at(&home), ledger, host: &self.host };
        let entry = Entry {
            write,
            command: writing.command().to_owned(),
            from: self.undo_key(),
            checkout: self.checkout_in(&home),
            ledger: crate::store::project::paths::real(ledger).display().to_string(),
            at: self.host.clock.now().to_string(),
            actor: self.actor().to_owned(),
            settings: Some(change),
            ..Entry::default()
        };
        if let Err(error) = log.add(entry) {
            let repo = source.map_or(".", |source| self.name(self.sources.member_of(source))).to_owned();
            self.notices.add(Warning::NotLogged { repo, message: error.to_string() });
        }
    }
}
