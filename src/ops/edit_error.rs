//! Why an issue was not changed as its editor wanted it.

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the line {0:?} is missing from the edited text")]
    Missing(String),
    #[error("{field} of {id} was changed by someone else while you edited it")]
    Overtaken { id: String, field: String },
    #[error("{id} was changed at {at}, after {known}")]
    Newer { id: String, known: String, at: String },
    #[error("the line {line:?} of the form is not one of {known}")]
    Detail { line: String, known: String },
    #[error("the form is that of {id}, and its id became {said:?}; an id cannot be edited")]
    OtherId { id: String, said: String },
    #[error(transparent)]
    Editor(#[from] crate::sys::process::EditorError),
}
