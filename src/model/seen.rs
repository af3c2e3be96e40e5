//! Records of the state home: checkouts of its repository, and the repositories of projects.

use std::path::PathBuf;

use super::row::row;

row! {
    /// A known checkout. A deleted one keeps its row.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct SeenCheckout {
        pub id: String,
        pub root: PathBuf as "path",
        /// The repository, if several share a state home.
        pub repo: Option<String>,
        pub created_at: Option<String>,
        pub moved_at: Option<String>,
        pub gone_at: Option<String>,
    }
}

row! {
    /// A repository of a project, as last seen.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct SeenRepository {
        pub id: String,
        pub path: String = String::new(),
        pub name: String = String::new(),
        pub created_at: Option<String>,
        pub updated_at: Option<String>,
    }
}
