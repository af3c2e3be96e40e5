use std::ffi::OsString;
use std::time::Duration;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, WorkspaceError};
use crate::store::StoreError;
use crate::sys::job::Job;
use crate::view::{Exit, Failure};

/// Open a workspace in $BD_OPEN, $VISUAL, $EDITOR or $SHELL
///
/// The program gets the variables that `bd workspace env` prints. The exit code is that of the program.
#[derive(Debug, Args)]
pub(super) struct OpenArgs {
    /// Its id, path, issue or branch
    workspace: String,
}

pub(super) fn run(args: OpenArgs, cx: &mut Context) -> Outcome {
    let env = cx.host().env.clone();
    let json = cx.ui.wants_json();
    let store = cx.store()?;
    let one = ops::find_workspace(store, &args.workspace)?;
    let directory = one.directory();
    if !directory.is_dir() {
        return Err(Failure::from(WorkspaceError::Gone { id: one.id, path: directory }));
    }
    let vars = ops::workspace_env(store, &one)?;
    let named = ["BD_OPEN", "VISUAL", "EDITOR"].into_iter().find_map(|name| env.var(name));
    let (program, arguments): (OsString, Vec<OsString>) = match named {
        // The variable may contain arguments, so a shell splits it; the path is never part of the shell's text.
        Some(command) => {
            let script = format!("{command} \"$1\"");
            ("/bin/sh".into(), vec!["-c".into(), script.into(), "sh".into(), directory.clone().into()])
        }
        None => match env.var_os("SHELL") {
            Some(shell) => (shell.to_owned(), Vec::new()),
            None => return Err(Failure::usage("nothing to open it with: set BD_OPEN, VISUAL, EDITOR or SHELL")),
        },
    };
    let mut job = Job::start(&program, &arguments, &directory, &vars, json).map_err(StoreError::from)?;
    loop {
        if let Some(ended) = job.wait(Duration::from_secs(3600)).map_err(StoreError::from)? {
            if json {
                cx.json(crate::view::opened_workspace(&one.id, ended.code()));
            }
            return Ok(if ended.is_success() { Exit::Ok } else { Exit::Program(ended.code()) });
        }
    }
}
