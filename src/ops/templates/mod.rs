//! Templates of workflows: finding, reading and saving them.
//!
//! Of three places, the first with a name wins: `.beads/templates/` of the project, `templates/` beside the user's
//! settings, and `bd`'s own. A project's template is data from strangers: it is read within limits, never through a
//! link, and can only name tasks. A broken one is listed with its problems and still hides others of its name; another
//! template must not silently replace it.

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

/// A template with values for its variables.
#[derive(Debug, Clone)]
pub struct Filled {
    pub found: Found,
    pub plan: Plan,
}

/// Finds a template and fills in values, given as `NAME=VALUE`. Writes nothing.
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

/// An error that suggests the nearest name.
fn not_found(name: &str, known: &[Found]) -> TemplateError {
    let nearest = nearest(name, known.iter().map(|one| one.name.as_str())).map(str::to_owned);
    TemplateError::NotFound { name: name.to_owned(), nearest }
}
