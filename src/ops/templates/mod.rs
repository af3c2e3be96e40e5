//! Templates of workflows: where they are, and reading and saving them.
//!
//! Three places, the first that has a name wins: `.beads/templates/` of the project, `templates/` beside the user's settings, and
//! those that `bd` brings. A template of the project is data from strangers: it is read within limits, never through a link, and
//! does nothing but name tasks. One that is broken is listed with its problems and hides what lies behind it; it must not turn into
//! another template in silence.

mod places;
mod save;

pub use super::error::{TemplateError, several};
pub use places::{Found, Origin, find, list, read_file};
pub use save::{SaveWish, Saved, save};

use crate::model::nearest::nearest;
use crate::model::plan::Plan;
use crate::model::template::FillProblem;
use crate::ops::Result;
use crate::store::Store;

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
