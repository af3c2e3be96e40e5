//! A request under a key, and its answer: the same request under the same key is carried out once.

use serde::{Deserialize, Serialize};

use super::row;
use super::time::Instant;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUse {
    /// The hash of the key and of whoever used it.
    pub id: String,
    pub key: String,
    #[serde(default)]
    pub actor: String,
    /// The hash of what was asked for, and in which form.
    pub request: String,
    pub began: Instant,
    /// The ids of what it makes.
    #[serde(default, deserialize_with = "row::list", skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// The hash of what the request was to change, as it was before.
    pub before: Option<String>,
    /// What was printed; `None` as long as the command runs, or if it was interrupted.
    pub answer: Option<String>,
    /// The exit code, if it is not 0.
    pub exit: Option<i64>,
}
