//! The note that a clone shows the other machines of its user, in a private repository.

use serde::{Deserialize, Serialize};

use super::row;

/// The agents of one clone, and the work that waits to be merged there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FleetNote {
    /// The clone.
    pub id: String,
    /// When this was written.
    #[serde(default)]
    pub at: String,
    pub host: Option<String>,
    #[serde(default, deserialize_with = "row::list")]
    pub agents: Vec<NotedAgent>,
    #[serde(default, deserialize_with = "row::list")]
    pub finished: Vec<NotedIssue>,
    /// How many private issues are claimed there; they are not named.
    #[serde(default)]
    pub private: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NotedAgent {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub status: String,
    /// When it was last heard of.
    pub heartbeat: Option<String>,
    #[serde(default, deserialize_with = "row::list")]
    pub holds: Vec<NotedIssue>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NotedIssue {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub title: String,
    pub since: Option<String>,
    #[serde(default)]
    pub attempts: i64,
    pub last_error: Option<String>,
    /// The latest checkpoint.
    pub checkpoint: Option<String>,
}
