//! Failures of batches and their lines.

use super::failure::{Exit, Failure};
use crate::model::nearest::nearest;
use crate::ops::BatchError;

impl From<&BatchError> for Failure {
    fn from(error: &BatchError) -> Self {
        let message = error.to_string();
        match error {
            BatchError::TooLarge { .. } => Self::usage(message).hint("nothing was written; divide it"),
            BatchError::UnknownOp { word, known } | BatchError::UnknownField { word, known, .. } => {
                Self::usage(message).meant(nearest(word, known.iter().copied()))
            }
            BatchError::NoSuchLine { .. } => {
                Self::usage(message).hint("$N is the issue that line N of the input files; name an earlier line")
            }
            BatchError::NotFiled { line, .. } => {
                Self::new(Exit::Failed, "not_written", message).number("failed_line", *line as i64)
            }
            BatchError::Aborted { line } => {
                Self::new(Exit::Failed, "not_written", message).number("failed_line", *line as i64)
            }
            BatchError::SeveralRepos { .. } => {
                Self::illegal(message).hint("nothing was written; make one batch for each repo, or leave out --atomic")
            }
            BatchError::NotText
            | BatchError::NotJson(_)
            | BatchError::NoOp { .. }
            | BatchError::MissingField { .. }
            | BatchError::TwiceGiven { .. }
            | BatchError::WrongType { .. } => Self::usage(message),
        }
    }
}
