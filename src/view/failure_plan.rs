//! Failures of plans and templates.

use super::failure::Failure;
use crate::model::plan::Problem;
use crate::ops::templates::TemplateError;
use crate::sys::lock::LockError;

impl Failure {
    /// A plan with problems, all of which are listed.
    pub fn broken_plan(message: String, problems: &[Problem]) -> Self {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self::usage(message).texts("problems", &problems)
    }
}

impl From<&TemplateError> for Failure {
    fn from(error: &TemplateError) -> Self {
        let message = error.to_string();
        match error {
            TemplateError::NotFound { .. } => Self::not_found(message).hint("run `bd template list` to see them"),
            TemplateError::BadName { .. } | TemplateError::BadVariable { .. } => Self::usage(message),
            TemplateError::Broken { problems, .. } => Self::broken_plan(message, problems)
                .hint("nothing was written; fix it and check with `bd template validate FILE`"),
            TemplateError::Variables { missing, unknown, .. } => {
                let missing: Vec<String> = missing.iter().map(|one| one.name.clone()).collect();
                let unknown: Vec<String> = unknown.iter().map(|(name, _)| name.clone()).collect();
                Self::usage(message)
                    .hint("set each with --var NAME=VALUE; run `bd template show` for their meaning")
                    .texts("missing", &missing)
                    .texts("unknown", &unknown)
            }
            TemplateError::Exists { .. } => {
                Self::illegal(message).hint("nothing was written; choose another name, or replace it with --force")
            }
            TemplateError::NoUserPlace | TemplateError::Unreadable { .. } => Self::failed(message),
            TemplateError::Fs(_) => Self::failed(message),
            TemplateError::Lock(LockError::Timeout { .. }) => Self::busy(message),
            TemplateError::Lock(_) => Self::failed(message),
        }
    }
}
