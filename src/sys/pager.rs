//! The program in which people read long output: that of `BD_PAGER`, else of `PAGER`, else `less`.
//!
//! Only the environment chooses it, never a setting, which may come from somebody else's repository.

use std::io::{self, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

use super::Env;
use super::process::{Program, exists};

/// Exit codes of a shell that could not start what it was told to.
const NOT_STARTED: [i32; 2] = [126, 127];

#[derive(Debug)]
pub struct Pager {
    child: Child,
    input: Option<ChildStdin>,
    name: String,
}

/// The program is missing.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the pager {0:?}")]
pub struct NoPager(String);

impl Pager {
    /// Starts the user's pager; `None` if there is none to start.
    pub fn start(env: &Env) -> Result<Option<Self>, NoPager> {
        let named = ["BD_PAGER", "PAGER"].into_iter().find_map(|name| env.said(name)).map(str::trim);
        let (mut command, name) = match named {
            Some("" | "cat") => return Ok(None),
            Some(text) => {
                // A shell splits it; what is more than a word is the shell's to judge.
                let first = text.split_whitespace().next().unwrap_or_default();
                let is_word = first.chars().all(|c| c.is_alphanumeric() || "-_./+".contains(c));
                if is_word && !exists(first, env) {
                    return Err(NoPager(first.to_owned()));
                }
                let mut shell = Command::new("/bin/sh");
                shell.arg("-c").arg(text);
                (shell, text.to_owned())
            }
            None => match Program::new("less", env).find() {
                Some(path) => (Command::new(path), "less".to_owned()),
                None => return Ok(None),
            },
        };
        // Colours as they are, the text stays on the screen, and what fits is not paged.
        for (variable, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if env.said(variable).is_none() {
                command.env(variable, value);
            }
        }
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|_| NoPager(name.clone()))?;
        // An interrupt is for the pager, which has the terminal.
        let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        Ok(Some(Pager { input: child.stdin.take(), child, name }))
    }

    pub fn write(&mut self, text: &str) -> io::Result<()> {
        self.input.as_mut().map_or(Ok(()), |input| input.write_all(text.as_bytes()))
    }

    /// Waits until the reader has seen enough.
    pub fn wait(mut self) -> Result<(), NoPager> {
        drop(self.input.take());
        let code = self.child.wait().ok().and_then(|status| status.code());
        if code.is_some_and(|code| NOT_STARTED.contains(&code)) { Err(NoPager(self.name)) } else { Ok(()) }
    }
}
