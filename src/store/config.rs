//! Settings of a repo, from `.beads/config.toml`. Owns that file.

use std::path::Path;

use super::{Repo, Result, StoreError};

/// What this stage reads of the committed config. Tables that belong to later stages are left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// `issue_prefix`: what new ids start with.
    pub issue_prefix: Option<String>,
    /// `ledger.file`: the ledger's name in `.beads`.
    pub ledger_file: Option<String>,
    /// `ready.unknown_blocks`: a dependency on an id that no repo holds blocks.
    pub unknown_blocks: bool,
}

pub const CONFIG_NAME: &str = "config.toml";

impl Config {
    pub fn read(repo: &Repo) -> Result<Self> {
        Self::read_from(repo.beads())
    }

    /// Reads the config in a `.beads` directory.
    pub fn read_from(beads: &Path) -> Result<Self> {
        let path = beads.join(CONFIG_NAME);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => return Err(StoreError::Config { path, message: error.to_string() }),
        };
        Self::parse(&text).map_err(|message| StoreError::Config { path, message })
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let section = |name: &str, key: &str| table.get(name).and_then(|section| section.get(key)).cloned();
        let text_at = |value: Option<toml::Value>, key: &str| match value {
            None => Ok(None),
            Some(toml::Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("{key} must be a text, not {}", other.type_str())),
        };
        let issue_prefix = text_at(table.get("issue_prefix").cloned(), "issue_prefix")?;
        if let Some(prefix) = &issue_prefix {
            crate::model::id::check_prefix(prefix).map_err(|error| format!("issue_prefix: {error}"))?;
        }
        let ledger_file = text_at(section("ledger", "file"), "ledger.file")?;
        if let Some(name) = &ledger_file {
            // A committed config is data from strangers: it may name a file beside it and nothing else (R14).
            let plain =
                !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']) && name.ends_with(".jsonl");
            if !plain {
                return Err(format!("ledger.file must be the name of a .jsonl file in .beads, not {name:?}"));
            }
        }
        let unknown_blocks = match section("ready", "unknown_blocks") {
            None => false,
            Some(toml::Value::Boolean(flag)) => flag,
            Some(other) => return Err(format!("ready.unknown_blocks must be true or false, not {}", other.type_str())),
        };
        Ok(Config { issue_prefix, ledger_file, unknown_blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_refusals() {
        let config = Config::parse(
            "issue_prefix = \"x\"\nmode = \"single\"\n[ledger]\nfile = \"a.jsonl\"\n[ready]\nunknown_blocks = true\n",
        );
        let expected =
            Config { issue_prefix: Some("x".into()), ledger_file: Some("a.jsonl".into()), unknown_blocks: true };
        assert_eq!(config, Ok(expected));
        assert_eq!(Config::parse(""), Ok(Config::default()));
        for bad in [
            "issue_prefix = 3",
            "issue_prefix = \"A b\"",
            "[ledger]\nfile = \"../x.jsonl\"",
            "[ledger]\nfile = \"x\"",
            "= 1",
            "[ready]\nunknown_blocks = 1",
        ] {
            assert!(Config::parse(bad).is_err(), "{bad}");
        }
    }
}
