//! The version control systems.

/// A version control system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    Git,
    Jj,
    Hg,
    Sl,
    #[default]
    None,
}

impl Kind {
    pub fn is_versioned(self) -> bool {
        self != Kind::None
    }

    /// As people call it, and as its program is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Git => "git",
            Kind::Jj => "jj",
            Kind::Hg => "hg",
            Kind::Sl => "sl",
            Kind::None => "none",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
