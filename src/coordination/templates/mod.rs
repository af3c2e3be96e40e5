//! Templates of workflows: where they are, and reading and saving them.
//!
//! Three places, the first that has a name wins: `.beads/templates/` of the project, `templates/` beside the user's settings, and
//! those that `bd` brings. A template of the project is data from strangers: it is read within limits, never through a link, and
//! does nothing but name tasks. One that is broken is listed with its problems and hides what lies behind it; it must not turn into
//! another template in silence.

mod places;
mod save;

pub use places::{Found, Origin, find, list, read_file};
pub use save::{SaveWish, Saved, save};

use std::path::PathBuf;

use super::Result;
use crate::model::nearest::nearest;
use crate::model::plan::{Plan, Problem};
use crate::model::template::{FillProblem, Variable};
use crate::store::Store;
use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

/// Why a template cannot be used or saved.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    #[error("no template is called {name:?}{}", crate::model::plan::meant(nearest))]
    NotFound { name: String, nearest: Option<String> },
    #[error("{name:?} is no name for a template: letters, digits, - _ and . between them, at most 64")]
    BadName { name: String },
    #[error("{place}: {}", several(problems))]
    Broken { place: String, problems: Vec<Problem> },
    #[error("the template {name} {}", variables(missing, unknown))]
    Variables { name: String, missing: Vec<Variable>, unknown: Vec<(String, Option<String>)> },
    #[error("{text:?} is not NAME=VALUE")]
    BadVariable { text: String },
    #[error("{} is there already", path.display())]
    Exists { path: PathBuf },
    #[error("HOME is not set: there is no place for templates of the user")]
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

/// A template with its variables put in.
#[derive(Debug, Clone)]
pub struct Filled {
    pub found: Found,
    pub plan: Plan,
}

/// Finds a template and puts values in, given as `NAME=VALUE`. Nothing is written.
pub fn fill(store: &Store, name: &str, values: &[String]) -> Result<Filled> {
    let given = values.iter().map(|text| match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err(TemplateError::BadVariable { text: text.clone() }),
    });
    let given = given.collect::<std::result::Result<Vec<_>, _>>()?;
    let found = find(store, name)?;
    let template = found.usable()?;
    let plan = template.fill(&given).map_err(|problem| match problem {
        FillProblem::Variables { missing, unknown } => {
            TemplateError::Variables { name: name.to_owned(), missing, unknown }
        }
        FillProblem::Plan(problems) => TemplateError::Broken { place: found.place(), problems },
    })?;
    Ok(Filled { found, plan })
}

/// The name that a wrong one was probably meant to be.
fn not_found(name: &str, known: &[Found]) -> TemplateError {
    let nearest = nearest(name, known.iter().map(|one| one.name.as_str())).map(str::to_owned);
    TemplateError::NotFound { name: name.to_owned(), nearest }
}
