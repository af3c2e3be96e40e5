//! What a state home has seen: checkouts of its repository, and the repositories of projects.

use std::path::PathBuf;

use super::row::row;

row! {
    /// A checkout that was seen. One that is gone keeps its row.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct SeenCheckout {
        pub id: String,
        pub root: PathBuf as "path",
        /// The repository, where several share a state home.
        pub repo: Option<String>,
        pub created_at: Option<String>,
        pub moved_at: Option<String>,
        pub gone_at: Option<String>,
    }
}

row! {
    /// A repository of a project, as it was seen last.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct SeenRepository {
        pub id: String,
        pub path: String = String::new(),
        pub name: String = String::new(),
        pub created_at: Option<String>,
        pub updated_at: Option<String>,
    }
}
