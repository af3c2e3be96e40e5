//! Help topics beyond single commands.

use std::borrow::Cow;

use super::signposts;
use crate::model::field;

/// What `bd help TOPIC` prints.
pub(super) const TOPICS: &[(&str, &str)] = &[
    ("quickstart", include_str!("topics/quickstart.txt")),
    (QUERY, include_str!("topics/query.txt")),
    ("dates", include_str!("topics/dates.txt")),
    ("ids", include_str!("topics/ids.txt")),
    ("roles", include_str!("topics/roles.txt")),
    ("way-back", include_str!("topics/way-back.txt")),
    ("programs", include_str!("topics/programs.txt")),
    ("environment", include_str!("topics/environment.txt")),
    // Written from its table.
    (OTHER_TOOLS, ""),
];

const QUERY: &str = "query";
const OTHER_TOOLS: &str = "other-tools";

pub(super) fn find(name: &str) -> Option<Cow<'static, str>> {
    let (_, text) = TOPICS.iter().find(|(topic, _)| *topic == name)?;
    Some(match name {
        OTHER_TOOLS => signposts::page().into(),
        QUERY => text.replace("{fields}", &field::query_names().join(" ")).into(),
        _ => (*text).into(),
    })
}

/// The topics, for the end of a help page.
pub(super) fn names() -> String {
    let names: Vec<&str> = TOPICS.iter().map(|(topic, _)| *topic).collect();
    format!("Topics: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_no_group_lists_are_named_in_a_topic() {
        let text: String = TOPICS.iter().map(|(_, text)| *text).collect();
        for name in
            ["count", "human", "man", "recover", "rename-prefix", "restore", "schema", "state", "types", "version"]
        {
            assert!(text.contains(&format!("bd {name}")), "{name}");
        }
    }
}
