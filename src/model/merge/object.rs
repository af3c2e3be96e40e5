//! Objects whose keys are edited one by one: both sides' changes are merged where they do not touch.

use std::collections::BTreeSet;

use super::fields::same;
use crate::model::json::Dialect;
use crate::model::record::Record;

/// The base with the changes of both sides, or `None` if they changed one key to different values. The result depends on the
/// changes alone, not on which side is which.
pub fn merge(base: &str, one: &str, other: &str, dialect: Dialect) -> Option<String> {
    let [before, one, other] =
        [base, one, other].map(|text| Record::parse_part(text).ok().filter(|_| text.starts_with('{')));
    let (before, one, other) = (before?, one?, other?);
    let keys: BTreeSet<String> =
        [&before, &one, &other].into_iter().flat_map(|record| record.iter()).map(|(key, _)| key.into_owned()).collect();
    let mut merged = base.to_owned();
    for key in keys {
        let (was, ours, theirs) = (before.raw(&key), one.raw(&key), other.raw(&key));
        let value = match (same(&key, was, ours), same(&key, was, theirs)) {
            (true, true) => continue,
            (false, true) => ours,
            (true, false) => theirs,
            (false, false) if ours == theirs => ours,
            (false, false) => return None,
        };
        merged = Record::parse_part(&merged).ok()?.with_key(&key, value, dialect);
    }
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_different_keys_are_both_there() {
        let base = r#"{"id":"wf_1","state":"in_progress","later":1e400,"reason":"x"}"#;
        let paused = r#"{"id":"wf_1","state":"paused","later":1e400}"#;
        let wider = r#"{"id":"wf_1","state":"in_progress","later":1e400,"reason":"x","max_parallel":4}"#;
        let expected = r#"{"id":"wf_1","state":"paused","later":1e400,"max_parallel":4}"#;
        for (one, other) in [(paused, wider), (wider, paused)] {
            let merged = merge(base, one, other, Dialect::default()).unwrap();
            assert_eq!(merged, expected);
            assert_eq!(merge(base, &merged, one, Dialect::default()).as_deref(), Some(expected), "again");
        }
        let failed = r#"{"id":"wf_1","state":"failed","later":1e400,"reason":"x"}"#;
        assert_eq!(merge(base, paused, failed, Dialect::default()), None, "one key, two values");
        assert_eq!(merge("7", paused, failed, Dialect::default()), None);
    }
}
