//! The one setting of the original's own file, `.beads/config.yaml`, that counts here too: the prefix of its ids.
//!
//! Only a line of the outermost map is read; the rest of the file is that tool's business, and the file is never written.

use std::path::Path;

use crate::model::id;
use crate::sys::below;

const CONFIG_NAME: &str = "config.yaml";
const KEYS: [&str; 2] = ["issue-prefix", "issue_prefix"];

/// The prefix of new ids that the original uses in a repo, if its file names one that is legal here.
pub fn original_prefix(beads: &Path) -> Option<String> {
    prefix_in(&below::text(beads, CONFIG_NAME).ok()??)
}

fn prefix_in(text: &str) -> Option<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once(':')?;
        KEYS.contains(&key.trim_end().trim_matches(['"', '\''])).then(|| scalar(value))
    };
    let prefix = text.lines().find_map(value)?;
    let prefix = prefix.strip_suffix('-').unwrap_or(&prefix);
    id::check_prefix(prefix).ok().map(|()| prefix.to_owned())
}

/// A plain or quoted text, without a remark behind it.
fn scalar(value: &str) -> String {
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default().to_owned(),
        _ => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::original::*;

    #[test]
    fn prefixes_of_the_original() {
        for (text, expected) in [
            ("issue-prefix: app\n", Some("app")),
            ("# head\nno-db: false\nissue-prefix: \"my-app\"  # why\nactor: x\n", Some("my-app")),
            ("issue-prefix : 'app-'\r\n", Some("app")),
            ("issue_prefix: app # why\n", Some("app")),
            ("# issue-prefix: \"app\"\n", None),
            ("issue-prefix: \"\"\n", None),
            ("issue-prefix:\n", None),
            ("issue-prefix: Home Lab\n", None),
            ("sync:\n  issue-prefix: app\n", None),
            ("", None),
        ] {
            assert_eq!(prefix_in(text).as_deref(), expected, "{text:?}");
        }
    }
}
