//! Running the user's editor: the only program that `bd` starts on one repo.

use std::path::Path;
use std::process::{Command, ExitStatus};

use super::Env;

#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    #[error("no editor: set VISUAL or EDITOR")]
    Unset,
    #[error("cannot start the editor {program:?}")]
    Start { program: String, source: std::io::Error },
    #[error("the editor {program:?} ended with {status}")]
    Failed { program: String, status: ExitStatus },
}

/// Opens a file in the user's editor and waits. The variable may hold arguments, so a shell splits it; the file's path is
/// handed over as an argument and never becomes part of the command text.
pub fn edit(env: &Env, file: &Path) -> Result<(), EditorError> {
    let program = env.var("VISUAL").or_else(|| env.var("EDITOR")).ok_or(EditorError::Unset)?;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{program} \"$1\"")).arg("sh").arg(file);
    let status = command.status().map_err(|source| EditorError::Start { program: program.clone(), source })?;
    if status.success() { Ok(()) } else { Err(EditorError::Failed { program, status }) }
}
