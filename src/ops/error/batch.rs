//! Why a line of a batch, or the whole batch, is refused.

/// What is wrong with a batch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    #[error("the batch has more than {limit} {unit}")]
    TooLarge { limit: u64, unit: &'static str },
    #[error("the line is not UTF-8")]
    NotText,
    #[error("the line is not a JSON object: {0}")]
    NotJson(String),
    #[error("the line has no op; known: {}", known.join(", "))]
    NoOp { known: Vec<&'static str> },
    #[error("unknown op {word:?}; known: {}", known.join(", "))]
    UnknownOp { word: String, known: Vec<&'static str> },
    #[error("{op} has no field {word:?}; known: {}", known.join(", "))]
    UnknownField { op: &'static str, word: String, known: Vec<&'static str> },
    #[error("{op} needs the field {field:?}")]
    MissingField { op: &'static str, field: &'static str },
    #[error("{field:?} is given twice")]
    TwiceGiven { field: &'static str },
    #[error("{field:?} must be {wanted}")]
    WrongType { field: &'static str, wanted: &'static str },
    #[error("{text} does not name an earlier line that files an issue")]
    NoSuchLine { text: String },
    #[error("{text} names the issue of line {line}, which was not filed")]
    NotFiled { text: String, line: usize },
    #[error("not written, because line {line} failed")]
    Aborted { line: usize },
    #[error("--atomic cannot write several repos at once: {}", repos.join(", "))]
    SeveralRepos { repos: Vec<String> },
}
