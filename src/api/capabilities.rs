//! The abilities of this build.

use crate::view::schema;

/// The version and the features of this build, for programs that work with several versions of the library.
///
/// ```
/// let capabilities = beads::Capabilities::of_build();
/// println!("{} {}", capabilities.version, capabilities.has("git"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// The version of the library, and of `bd`.
    pub version: &'static str,
    /// The version of `bd`'s JSON, `schema_version` in its envelope.
    pub schema_version: i64,
    /// The cargo features that are on.
    pub features: Vec<&'static str>,
}

impl Capabilities {
    /// Those of this build.
    pub fn of_build() -> Self {
        let all = [
            ("cli", cfg!(feature = "cli")),
            ("git", cfg!(feature = "git")),
            ("mcp", cfg!(feature = "mcp")),
            ("serde", cfg!(feature = "serde")),
            ("watch", cfg!(feature = "watch")),
        ];
        let features = all.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name).collect();
        Capabilities { version: env!("CARGO_PKG_VERSION"), schema_version: schema::VERSION, features }
    }

    /// Whether a cargo feature is on.
    pub fn has(&self, feature: &str) -> bool {
        self.features.contains(&feature)
    }
}
