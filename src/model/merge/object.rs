//! Merges objects whose keys are edited one by one, key by key.
//!
//! If both sides changed a key, the later side's value wins and the other is reported as lost. Keys that only make
//! sense together win or lose together: a state and its reason come from one side. The users' `config` is merged by its
//! own keys.

use std::collections::BTreeSet;

use super::fields::same_text as same;
use super::side::Stamp;
use crate::model::json::Dialect;
use crate::model::record::Record;

/// Keys that change together.
const TOGETHER: [&[&str]; 2] = [&["state", "reason", "merge_commit"], &["outcome", "outcome_detail"]];

/// An object inside the object, with keys that only users define.
const INNER: &str = "config";

/// Two versions of an object, merged.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub text: String,
    pub lost: Option<LostPart>,
}

/// The values that lost, as an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LostPart {
    pub text: String,
    /// Whether they were the first side's.
    pub of_one: bool,
}

/// A key, or a key of the inner object.
type Path = (String, Option<String>);

/// The base with the changes of both sides; `None` if they changed one key differently. The result does not depend on
/// which side is which.
pub(super) fn merge(base: &str, one: &str, other: &str, dialect: Dialect) -> Option<String> {
    let never = Stamp::default();
    let joined = join(base, (one, &never), (other, &never), None, dialect)?;
    joined.lost.is_none().then_some(joined.text)
}

/// The base with the changes of both sides; where they clash, the later side wins, unless the caller knows whether it is
/// the first. `None` if a side is not an object.
pub(super) fn join(
    base: &str,
    one: (&str, &Stamp),
    other: (&str, &Stamp),
    first: Option<bool>,
    dialect: Dialect,
) -> Option<Joined> {
    let [before, a, b] = [base, one.0, other.0].map(object);
    let (before, a, b) = (before?, a?, b?);
    let (mut taken, mut clashes): (Vec<(Path, Option<&str>)>, Vec<Path>) = (Vec::new(), Vec::new());
    for part in parts(&[&before, &a, &b]) {
        let changed = |side: &Record<'_>| part.iter().any(|path| !same(&path.0, get(&before, path), get(side, path)));
        let side = match (changed(&a), changed(&b)) {
            (false, false) => continue,
            (true, false) => &a,
            (false, true) => &b,
            (true, true) if part.iter().all(|path| same(&path.0, get(&a, path), get(&b, path))) => {
                // Same meaning in different bytes: choose one, independent of the side.
                let bytes =
                    |side: &Record<'_>| part.iter().map(|path| get(side, path).map(str::to_owned)).collect::<Vec<_>>();
                if bytes(&a) >= bytes(&b) { &a } else { &b }
            }
            (true, true) => {
                clashes.extend(part);
                continue;
            }
        };
        taken.extend(part.into_iter().map(|path| (path.clone(), get(side, &path))));
    }
    let weight = |side: &Record<'_>, stamp: &Stamp| {
        let values: Vec<Option<String>> = clashes.iter().map(|path| get(side, path).map(str::to_owned)).collect();
        (stamp.clone(), values)
    };
    let one_wins = first.unwrap_or_else(|| weight(&a, one.1) > weight(&b, other.1));
    let (winner, loser) = if one_wins { (&a, &b) } else { (&b, &a) };
    taken.extend(clashes.iter().map(|path| (path.clone(), get(winner, path))));
    // In a fixed order, so that the merge order leaves no trace.
    taken.sort_unstable();
    let mut text = base.to_owned();
    for (path, value) in taken {
        text = set(&text, &path, value, dialect)?;
    }
    let mut lost = None;
    if !clashes.is_empty() {
        let text =
            clashes.iter().try_fold("{}".to_owned(), |text, path| set(&text, path, get(loser, path), dialect))?;
        lost = Some(LostPart { text, of_one: !one_wins });
    }
    Some(Joined { text, lost })
}

/// An object without some of its keys.
pub(super) fn without(object: &str, keys: &[&str], dialect: Dialect) -> Option<String> {
    keys.iter().try_fold(object.to_owned(), |text, key| set(&text, &((*key).to_owned(), None), None, dialect))
}

/// The keys of some objects: those that change together as one part, the others one by one.
fn parts(objects: &[&Record<'_>]) -> Vec<Vec<Path>> {
    let mut keys: BTreeSet<String> =
        objects.iter().flat_map(|object| object.iter()).map(|(key, _)| key.into_owned()).collect();
    let mut parts: Vec<Vec<Path>> = Vec::new();
    for group in TOGETHER {
        if group.iter().filter(|key| keys.remove(**key)).count() > 0 {
            parts.push(group.iter().map(|key| ((*key).to_owned(), None)).collect());
        }
    }
    let inner: Vec<Option<Record<'_>>> = objects.iter().filter_map(|object| object.raw(INNER)).map(object).collect();
    if !inner.is_empty() && inner.iter().all(Option::is_some) {
        keys.remove(INNER);
        let all = inner.iter().flatten().flat_map(|object| object.iter()).map(|(key, _)| key.into_owned());
        let all: BTreeSet<String> = all.collect();
        parts.extend(all.into_iter().map(|key| vec![(INNER.to_owned(), Some(key))]));
    }
    parts.extend(keys.into_iter().map(|key| vec![(key, None)]));
    parts
}

fn object(text: &str) -> Option<Record<'_>> {
    Record::parse_part(text).ok().filter(|_| text.starts_with('{'))
}

fn get<'a>(record: &Record<'a>, (key, inner): &Path) -> Option<&'a str> {
    match inner {
        None => record.raw(key),
        Some(inner) => object(record.raw(key)?)?.raw(inner),
    }
}

fn set(text: &str, (key, inner): &Path, value: Option<&str>, dialect: Dialect) -> Option<String> {
    let record = Record::parse_part(text).ok()?;
    let Some(inner) = inner else { return Some(record.with_key(key, value, dialect)) };
    let text = object(record.raw(key).unwrap_or("{}"))?.with_key(inner, value, dialect);
    let is_empty = object(&text)?.iter().next().is_none();
    Some(record.with_key(key, Some(text.as_str()).filter(|_| !is_empty), dialect))
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

    #[test]
    fn of_two_values_of_one_key_the_later_wins_with_the_keys_that_belong_to_it() {
        let stamp = |at: &str| Stamp { at: crate::model::time::Instant::parse(at), text: at.to_owned() };
        let (early, late) = (stamp("2026-01-01T00:00:00Z"), stamp("2026-01-02T00:00:00Z"));
        let base = r#"{"id":"wf_1","state":"in_progress","config":{"x":1}}"#;
        let paused = r#"{"id":"wf_1","state":"paused","reason":"broken","config":{"x":1,"k":2}}"#;
        let over = r#"{"id":"wf_1","state":"abandoned","config":{"j":3}}"#;
        let join = |a: (&str, &Stamp), b: (&str, &Stamp)| join(base, a, b, None, Dialect::default()).unwrap();
        let found = join((paused, &early), (over, &late));
        assert_eq!(found.text, r#"{"id":"wf_1","state":"abandoned","config":{"j":3,"k":2}}"#);
        let lost = found.lost.unwrap();
        assert_eq!((lost.text.as_str(), lost.of_one), (r#"{"state":"paused","reason":"broken"}"#, true));
        let found = join((over, &early), (paused, &late));
        assert_eq!(found.text, r#"{"id":"wf_1","state":"paused","config":{"j":3,"k":2},"reason":"broken"}"#);
        for (a, b) in [((paused, &early), (over, &early)), ((paused, &early), (over, &late))] {
            let both = join(a, b);
            assert_eq!(both.text, join(b, a).text, "whichever side is which");
            for side in [a, b] {
                let stamp = a.1.max(b.1);
                assert_eq!(join((&both.text, stamp), side).text, both.text, "again");
            }
        }
    }
}
