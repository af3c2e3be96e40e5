//! The merge tool `bd` in jj's settings for a repository.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::program::jj;
use crate::sys::Env;
use crate::sys::process::Output;
use crate::vcs::HistoryError;
use crate::vcs::files::path_of;

const PROGRAM: &str = "merge-tools.bd.program";
const ARGUMENTS: &str = "merge-tools.bd.merge-args";
/// The placeholders that jj replaces by the files of a conflict.
const FILES: [&str; 6] = ["merge-driver", "$base", "$left", "$right", "--output", "$output"];

/// The tool as one text: its program and its arguments.
pub(crate) fn tool(root: &Path, env: &Env) -> Result<Option<String>, HistoryError> {
    let output = config(root, env, &["list", "--repo", "merge-tools.bd"])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let table: Table = text.parse().unwrap_or_default();
    let tool = table.get("merge-tools").and_then(|tools| tools.get("bd"));
    Ok(tool.and_then(|tool| tool.get("program")).map(|program| {
        let arguments = tool.and_then(|tool| tool.get("merge-args")).and_then(Value::as_array);
        let words = [program].into_iter().chain(arguments.into_iter().flatten());
        words.map(|word| word.as_str().unwrap_or("?")).collect::<Vec<_>>().join(" ")
    }))
}

pub(crate) fn set_tool(root: &Path, program: Option<&str>, env: &Env) -> Result<(), HistoryError> {
    match program {
        Some(program) => {
            config(root, env, &["set", "--repo", PROGRAM, &Value::from(program).to_string()])?;
            let arguments = Value::from(FILES.map(Value::from).to_vec()).to_string();
            config(root, env, &["set", "--repo", ARGUMENTS, &arguments])?;
        }
        None => {
            config(root, env, &["unset", "--repo", PROGRAM])?;
            config(root, env, &["unset", "--repo", ARGUMENTS])?;
        }
    }
    Ok(())
}

/// The file in which jj keeps the settings of a repository.
pub(crate) fn settings(root: &Path, env: &Env) -> Result<PathBuf, HistoryError> {
    let output = config(root, env, &["path", "--repo"])?;
    Ok(path_of(output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout)))
}

fn config(root: &Path, env: &Env, arguments: &[&str]) -> Result<Output, HistoryError> {
    let output = jj(root, env).args(["--ignore-working-copy", "config"]).args(arguments).run()?;
    if output.status.success() {
        return Ok(output);
    }
    let printed = String::from_utf8_lossy(&output.stderr).lines().take(3).collect::<Vec<_>>().join("; ");
    Err(HistoryError::Failed { program: "jj config", status: output.status, printed })
}
