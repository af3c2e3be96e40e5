//! `.gitignore` patterns.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use gix::bstr::{BStr, ByteSlice as _};
use gix::glob::pattern::Case;
use gix::glob::{Pattern, wildmatch};

/// A list of patterns; the last match decides, and everything below a matching directory matches too.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patterns(Vec<Pattern>);

impl Patterns {
    /// Adds the lines of a file. Empty lines and comments are skipped.
    pub fn add(&mut self, text: &[u8]) {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines = lines.filter(|line| !line.starts_with(b"#")).map(trimmed);
        self.0.extend(lines.filter_map(Pattern::from_bytes));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a file matches; the path is relative to the root.
    pub fn mean(&self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_bytes();
        let above = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &bytes[..at]);
        above.map(|directory| self.verdict(directory, true)).any(|verdict| verdict == Some(true))
            || self.verdict(bytes, false) == Some(true)
    }

    fn verdict(&self, path: &[u8], is_dir: bool) -> Option<bool> {
        let path: &BStr = path.as_bstr();
        let name_at = path.rfind_byte(b'/').map(|at| at + 1);
        let fits = |pattern: &&Pattern| {
            let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
            pattern.matches_repo_relative_path(path, name_at, Some(is_dir), Case::Sensitive, mode)
        };
        self.0.iter().rev().find(fits).map(|pattern| !pattern.is_negative())
    }
}

/// Trailing blanks do not count, unless the last is escaped.
fn trimmed(line: &[u8]) -> &[u8] {
    let short = line.trim_ascii_end();
    if short.ends_with(b"\\") && short.len() < line.len() { &line[..=short.len()] } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_meant_as_git_ignores_them() {
        let mut patterns = Patterns::default();
        patterns.add(b"# secrets\n.env\n/config/*.key\r\nbuild/\n*.log\n!keep.log\n\ndata/**/raw\nodd\\ \n");
        for meant in [
            ".env",
            "deep/below/.env",
            "config/a.key",
            "build/x/y.txt",
            "deep/build/z",
            "a.log",
            "data/raw",
            "data/1/2/raw",
            "odd ",
        ] {
            assert!(patterns.mean(Path::new(meant)), "{meant}");
        }
        for other in [".envrc", "config/deep/a.key", "sub/config/a.key", "build", "keep.log", "data/x", "#", "odd"] {
            assert!(!patterns.mean(Path::new(other)), "{other}");
        }
        assert!(Patterns::default().is_empty() && !Patterns::default().mean(Path::new("x")));
    }
}
