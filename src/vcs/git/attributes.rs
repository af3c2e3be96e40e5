//! Reads `.gitattributes` and similar files for the merge and filter attributes of a file.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::glob::{Pattern, pattern::Case, wildmatch};

use super::config;
use crate::sys::Env;
use crate::vcs::files;
use crate::vcs::layout::git::common_dir;

/// The attribute `merge` of a file, by its path from the root: `union`, `bd`, …; a bare or negative one reads as `text`
/// or `binary`, the drivers that git then uses. `None` if it is not set.
pub(crate) fn merge_attribute(root: &Path, file: &Path, env: &Env) -> Option<String> {
    attribute(root, file, env, merge_value)
}

/// The filter for a file, if the settings define a program for it.
pub(super) fn filter(root: &Path, file: &Path, env: &Env) -> Option<String> {
    let name = attribute(root, file, env, filter_value)?;
    let settings = config::read(&root.join(".git"), env);
    let runs =
        |key: &str| settings.string(format!("filter.{name}.{key}").as_str()).is_some_and(|text| !text.is_empty());
    ["clean", "smudge", "process"].into_iter().any(runs).then_some(name)
}

/// The last value set for a file; an inner `None` unsets an earlier one.
fn attribute(root: &Path, file: &Path, env: &Env, value: fn(&[u8]) -> Option<Option<String>>) -> Option<String> {
    let dot_git = root.join(".git");
    let path = file.as_os_str().as_encoded_bytes();
    let mut found = None;
    let mut look = |source: PathBuf, path: &[u8]| {
        for line in files::bytes(&source).unwrap_or_default().lines() {
            if let Some(value) = on_line(line, path, value) {
                found = value;
            }
        }
    };
    if env.var("GIT_CONFIG_NOSYSTEM").is_none() && env.var("GIT_ATTR_NOSYSTEM").is_none() {
        look("/etc/gitattributes".into(), path);
    }
    let named = config::text(&dot_git, "core.attributesFile", env).map(|text| env.path(&text));
    let user = named.or_else(|| env.config_home().map(|dir| dir.join("git/attributes")));
    user.into_iter().for_each(|user| look(user, path));
    let mut below = path;
    let mut directory = root.to_owned();
    loop {
        look(directory.join(".gitattributes"), below);
        let Some(slash) = below.find_byte(b'/') else { break };
        directory.push(files::path_of(&below[..slash]));
        below = &below[slash + 1..];
    }
    look(common_dir(&dot_git)?.join("info/attributes"), path);
    found
}

/// The value that one line sets for a path.
fn on_line(line: &[u8], path: &[u8], value: fn(&[u8]) -> Option<Option<String>>) -> Option<Option<String>> {
    let line = line.trim_ascii_start();
    if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"[attr]") {
        return None;
    }
    let (pattern, rest) = if line.starts_with(b"\"") {
        let (pattern, length) = gix::quote::ansi_c::undo(line.as_bstr()).ok()?;
        (pattern.into_owned(), &line[length..])
    } else {
        let end = line.find_byteset(b" \t\r").unwrap_or(line.len());
        (line[..end].into(), &line[end..])
    };
    let found = rest.fields().filter_map(value).last();
    found.filter(|_| matches(&pattern, path))
}

fn merge_value(word: &[u8]) -> Option<Option<String>> {
    match word {
        b"merge" => Some(Some("text".to_owned())),
        b"-merge" | b"binary" => Some(Some("binary".to_owned())),
        b"!merge" => Some(None),
        _ => word.strip_prefix(b"merge=").map(|name| Some(name.to_str_lossy().into_owned())),
    }
}

fn filter_value(word: &[u8]) -> Option<Option<String>> {
    match word {
        b"filter" | b"-filter" | b"!filter" => Some(None),
        _ => word.strip_prefix(b"filter=").map(|name| Some(name.to_str_lossy().into_owned())),
    }
}

fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let Some(pattern) = Pattern::from_bytes_without_negation(pattern) else { return false };
    let basename = path.rfind_byte(b'/').map(|slash| slash + 1);
    let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
    pattern.matches_repo_relative_path(path.as_bstr(), basename, Some(false), Case::Sensitive, mode)
}

/// A pattern that matches only this file, by its path from the directory of the attributes file.
pub(crate) fn pattern(file: &Path) -> Vec<u8> {
    let mut pattern = vec![b'/'];
    for byte in file.as_os_str().as_encoded_bytes() {
        if b"*?[\\".contains(byte) {
            pattern.push(b'\\');
        }
        pattern.push(*byte);
    }
    let plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'"' || *byte >= 0x80;
    if pattern.iter().all(plain) {
        return pattern;
    }
    let mut quoted = vec![b'"'];
    for byte in pattern {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            byte if byte < b' ' || byte == 0x7f => quoted.extend(format!("\\{byte:03o}").bytes()),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_for(line: &str, path: &str) -> Option<Option<String>> {
        on_line(line.as_bytes(), path.as_bytes(), merge_value)
    }

    #[test]
    fn lines() {
        let value = |text: &str| Some(Some(text.to_owned()));
        let path = ".beads/beads.jsonl";
        assert_eq!(value_for("*.jsonl -text merge=union", path), value("union"));
        assert_eq!(value_for("/.beads/beads.jsonl merge=bd", path), value("bd"));
        assert_eq!(value_for(".beads/*.jsonl merge", path), value("text"));
        assert_eq!(value_for("beads.jsonl binary", path), value("binary"));
        assert_eq!(value_for("*.jsonl !merge", path), Some(None));
        assert_eq!(value_for("\"/.beads/beads.jsonl\" merge=bd", path), value("bd"));
        for line in ["*.json merge=union", "# *.jsonl merge=union", "beads/ merge=union", "*.jsonl text", ""] {
            assert_eq!(value_for(line, path), None, "{line}");
        }
    }

    #[test]
    fn a_pattern_means_its_file_alone() {
        let text = |name: &str| String::from_utf8(pattern(Path::new(name))).unwrap();
        assert_eq!(text(".beads/beads.jsonl"), "/.beads/beads.jsonl");
        assert_eq!(text("a b/x.jsonl"), "\"/a b/x.jsonl\"");
        assert_eq!(text("a*/[x].jsonl"), "/a\\*/\\[x].jsonl");
        assert_eq!(text("a \"b\\"), "\"/a \\\"b\\\\\\\\\"");
        for name in [".beads/beads.jsonl", "a b/x.jsonl", "a*/[x].jsonl", "a \"b\\c", "ü\n/x"] {
            let line = [&pattern(Path::new(name))[..], b" merge=bd"].concat();
            assert_eq!(on_line(&line, name.as_bytes(), merge_value), Some(Some("bd".to_owned())), "{name}");
        }
        assert_eq!(value_for("/a\\*/x merge=bd", "ab/x"), None);
    }
}
