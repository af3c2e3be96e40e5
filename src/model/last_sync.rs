//! The last sync of a repo that received or sent something, or failed.

use serde::{Deserialize, Serialize};

use super::row;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LastSync {
    /// The repo's name.
    pub id: String,
    pub at: String,
    #[serde(default)]
    pub actor: String,
    /// How many issues changed here.
    #[serde(default)]
    pub received: i64,
    #[serde(default, skip_serializing_if = "row::is_default")]
    pub pushed: bool,
    pub error: Option<String>,
}
