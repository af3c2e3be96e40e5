//! Errors of templates.

use std::path::PathBuf;

use crate::model::plan::Problem;
use crate::model::template::Variable;
use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

/// Why a template cannot be used or saved.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    #[error("no template is called {name:?}{}", crate::model::plan::meant(nearest))]
    NotFound { name: String, nearest: Option<String> },
    #[error("{name:?} is not a valid template name: letters, digits, - _ and . between them, at most 64")]
    BadName { name: String },
    #[error("{place}: {}", several(problems))]
    Broken { place: String, problems: Vec<Problem> },
    #[error("the template {name} {}", variables(missing, unknown))]
    Variables { name: String, missing: Vec<Variable>, unknown: Vec<(String, Option<String>)> },
    #[error("{text:?} is not NAME=VALUE")]
    BadVariable { text: String },
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("HOME is not set, so you have no directory for your own templates")]
    NoUserPlace,
    #[error("{}: {problem}", path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// All problems in one message.
pub fn several(problems: &[Problem]) -> String {
    match problems {
        [one] => one.to_string(),
        many => {
            let lines: Vec<String> = many.iter().map(|problem| format!("\n  {problem}")).collect();
            format!("{} problems:{}", many.len(), lines.concat())
        }
    }
}

fn variables(missing: &[Variable], unknown: &[(String, Option<String>)]) -> String {
    let mut parts = Vec::new();
    if !missing.is_empty() {
        let names = missing.iter().map(|one| match &one.description {
            Some(text) => format!("{} ({text})", one.name),
            None => one.name.clone(),
        });
        parts.push(format!("needs {}", names.collect::<Vec<_>>().join(", ")));
    }
    for (name, nearest) in unknown {
        parts.push(format!("has no variable {name:?}{}", crate::model::plan::meant(nearest)));
    }
    parts.join("; it ")
}
