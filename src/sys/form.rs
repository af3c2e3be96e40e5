//! A form in the user's editor: a file in a temporary directory of its own, beside a copy of the initial text.
//!
//! Only this user can read it. A form is removed once it was used or has no new content; after any other end of the
//! program it stays and can be resumed.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use super::Env;
use super::fs::FsError;
use super::path::private_scratch;
use super::process::{EditorError, edit};

const PREFIX: &str = "bd-form-";
const FORM: &str = "form.md";
const SHOWN: &str = "shown.md";

#[derive(Debug, Clone)]
pub struct FormFile {
    path: PathBuf,
    /// The text before editing; `None` for a resumed form, all of which counts as new.
    initial: Option<Vec<u8>>,
}

#[derive(Debug, thiserror::Error)]
pub enum FormError {
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error("line {line} of the form is not UTF-8; save it as UTF-8")]
    NotText { line: usize },
    #[error("{} is not a form that bd kept", path.display())]
    NotKept { path: PathBuf },
}

impl FormFile {
    /// Writes a text into a form; changes are measured against `shown`.
    pub fn new(text: &str, shown: &str) -> Result<Self, FsError> {
        let made = private_scratch(PREFIX);
        let directory = made.map_err(|e| FsError::new("create", std::env::temp_dir(), e))?;
        for (name, text) in [(FORM, text), (SHOWN, shown)] {
            write_new(&directory.path().join(name), text)?;
        }
        Ok(FormFile { path: directory.keep().join(FORM), initial: Some(text.as_bytes().to_vec()) })
    }

    /// Resumes a form; also returns the text that was shown first.
    pub fn open(path: &Path) -> Result<(Self, String), FormError> {
        fs::metadata(path).map_err(|e| FsError::new("read", path, e))?;
        let shown = fs::read_to_string(path.with_file_name(SHOWN));
        let shown = shown.map_err(|_| FormError::NotKept { path: path.to_owned() })?;
        Ok((FormFile { path: path.to_owned(), initial: None }, shown))
    }

    /// Writes another text into a resumed form. The old one stays until the new one is on disk.
    pub fn rewrite(&self, text: &str, shown: &str) -> Result<(), FsError> {
        for (path, text) in [(self.path.clone(), text), (self.path.with_file_name(SHOWN), shown)] {
            let new = path.with_extension("new");
            let _ = fs::remove_file(&new);
            write_new(&new, text)?;
            fs::rename(&new, &path).map_err(|e| FsError::new("write", &path, e))?;
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn edit(&self, env: &Env, program: Option<String>) -> Result<(), EditorError> {
        edit(env, program, &self.path)
    }

    pub fn text(&self) -> Result<String, FormError> {
        let bytes = fs::read(&self.path).map_err(|e| FsError::new("read", &self.path, e))?;
        String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            FormError::NotText { line: 1 + good.iter().filter(|byte| **byte == b'\n').count() }
        })
    }

    /// Whether it has content that is nowhere else, or that is uncertain.
    pub fn is_touched(&self) -> bool {
        match fs::read(&self.path) {
            Ok(bytes) => self.initial.as_ref() != Some(&bytes),
            Err(_) => self.exists(),
        }
    }

    pub fn exists(&self) -> bool {
        !matches!(fs::symlink_metadata(&self.path), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Removes files that are no longer needed.
    pub fn remove(self) {
        let Some(directory) = self.path.parent() else { return };
        // Leftovers do no harm.
        if self.initial.is_some() {
            let _ = fs::remove_dir_all(directory);
            return;
        }
        // In a place that the user named, remove only the files that bd put there.
        let is_own = directory.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if is_own && self.path.file_name().is_some_and(|name| name == FORM) {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_file(self.path.with_file_name(SHOWN));
            let _ = fs::remove_dir(directory);
        }
    }
}

fn write_new(path: &Path, text: &str) -> Result<(), FsError> {
    let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    new.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|e| FsError::new("write", path, e))
}

/// Calls back before a signal ends the program. An interrupt from the keyboard belongs to the program that has the
/// terminal, until [`Self::watch_interrupts`].
pub struct BeforeEnd(Option<Handle>);

impl BeforeEnd {
    pub fn call(tell: impl Fn() + Send + 'static) -> Self {
        // An interrupt that sets a flag ends nothing.
        let _ = signal_hook::flag::register(SIGINT, Arc::default());
        let Ok(mut signals) = Signals::new([SIGTERM, SIGHUP]) else { return BeforeEnd(None) };
        let handle = signals.handle();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                tell();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
        BeforeEnd(Some(handle))
    }

    /// From now on an interrupt is like the other signals.
    pub fn watch_interrupts(&self) {
        let _ = self.0.as_ref().map(|handle| handle.add_signal(SIGINT));
    }
}
