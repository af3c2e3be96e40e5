//! Help topics beyond single commands.

use std::borrow::Cow;

use super::signposts;

/// What `bd help TOPIC` prints.
pub(super) const TOPICS: &[(&str, &str)] = &[
    ("dates", include_str!("topics/dates.txt")),
    ("query", include_str!("topics/query.txt")),
    ("ids", include_str!("topics/ids.txt")),
    ("roles", include_str!("topics/roles.txt")),
    ("environment", include_str!("topics/environment.txt")),
    ("way-back", include_str!("topics/way-back.txt")),
    // Written from its table.
    (OTHER_TOOLS, ""),
];

const OTHER_TOOLS: &str = "other-tools";

pub(super) fn find(name: &str) -> Option<Cow<'static, str>> {
    if name == OTHER_TOOLS {
        return Some(signposts::page().into());
    }
    TOPICS.iter().find(|(topic, _)| *topic == name).map(|(_, text)| (*text).into())
}
