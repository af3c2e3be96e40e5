//! Whether git would merge the ledger correctly, judged from files alone.

use std::path::Path;

use super::driver::program_of;
use crate::store::Snapshot;
use crate::store::project::paths;
use crate::sys::process;
use crate::vcs;

/// Why git would not merge the ledger as `bd` does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverProblem {
    #[error("git merges the ledger as text: no merge driver is registered in this clone")]
    Missing,
    #[error(
        "git has the attribute merge={attribute} for the ledger, and no merge driver of bd is registered in this clone"
    )]
    Other { attribute: String },
    #[error(
        "the attribute merge=union is in effect for the ledger: a merge leaves two lines of an issue that both sides changed"
    )]
    Union,
    #[error("the registered merge driver {program} does not exist any more: a merge that needs it fails")]
    Gone { program: String },
}

impl Snapshot {
    /// The problem with the merge setup of the primary's ledgers, if any. A working copy without remotes needs no driver.
    pub fn driver_problem(&self) -> Option<DriverProblem> {
        let env = &self.host.env;
        let ledger = self.sources.of_member(0).first().map(|n| paths::real(self.sources.ledger(*n).path()))?;
        let setup = vcs::merge_setup(&ledger, env)?;
        match (setup.attribute.as_deref(), setup.driver) {
            (Some("union"), _) => Some(DriverProblem::Union),
            (Some("bd"), Some(driver)) => {
                let program = program_of(&driver);
                (!process::exists(&program, env)).then_some(DriverProblem::Gone { program })
            }
            // The original's driver, which calls `bd merge`.
            (Some("beads"), _)
                if setup.originals.as_deref().is_some_and(|driver| {
                    let mut words = driver.split_whitespace();
                    let is_bd =
                        words.next().is_some_and(|program| Path::new(program).file_name() == Some("bd".as_ref()));
                    is_bd && words.next() == Some("merge")
                }) =>
            {
                None
            }
            (None | Some("text"), _) if vcs::facts(&ledger, env).remotes.is_empty() => None,
            (None | Some("text"), _) => Some(DriverProblem::Missing),
            (Some(attribute), _) => Some(DriverProblem::Other { attribute: attribute.to_owned() }),
        }
    }
}
