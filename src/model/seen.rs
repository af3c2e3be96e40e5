//! Records of the state home: checkouts of its repository, and the repositories of projects.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::row;

/// A known checkout. A deleted one keeps its row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeenCheckout {
    pub id: String,
    #[serde(rename = "path", with = "row::path")]
    pub root: PathBuf,
    /// The repository, if several share a state home.
    pub repo: Option<String>,
    pub created_at: Option<String>,
    pub moved_at: Option<String>,
    pub gone_at: Option<String>,
}

/// A repository of a project, as last seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeenRepository {
    pub id: String,
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub name: String,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}
