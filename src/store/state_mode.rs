//! Where the state of a project is kept, as a choice.

/// Which directory is the state home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateMode {
    /// One that was named.
    Named,
    /// That of the repository which this checkout is a workspace of.
    Workspace,
    /// One for all repositories of the user.
    Global,
    /// One for this checkout alone.
    Worktree,
    /// One for all checkouts of the repository.
    Repo,
}

impl StateMode {
    /// What `state.mode` may say.
    pub const WORDS: &'static [&'static str] = &["repo", "global", "worktree"];

    pub fn word(self) -> &'static str {
        match self {
            StateMode::Named => "named",
            StateMode::Workspace => "workspace",
            StateMode::Global => "global",
            StateMode::Worktree => "worktree",
            StateMode::Repo => "repo",
        }
    }

    /// The mode that a setting asks for.
    pub fn asked(word: &str) -> Self {
        match word {
            "global" => StateMode::Global,
            "worktree" => StateMode::Worktree,
            _ => StateMode::Repo,
        }
    }
}
