//! What is different between two versions of an issue, field by field.

use std::collections::BTreeSet;

use super::merge::same_value;
use super::record::{Record, place_of};

/// A field that is not what it was; the values are JSON as it stands in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What became of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Changed,
    Removed,
}

impl ChangeKind {
    pub fn word(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Changed => "changed",
            ChangeKind::Removed => "removed",
        }
    }
}

/// Fields that say nothing of their own: the name of the line, and what a merge notes for the next one.
const UNTOLD: [&str; 2] = ["id", "field_times"];

/// What a version makes of those before it; there are several where a merge joins them. A field counts as changed only if
/// its value is that of none of them, an issue as added or removed only if none of them lacks or has it. `None` if nothing
/// changed.
pub fn difference(before: &[Option<&str>], after: Option<&str>) -> Option<(ChangeKind, Vec<FieldChange>)> {
    let records: Vec<Option<Record<'_>>> = before.iter().map(|line| parse(*line)).collect();
    let new = parse(after);
    let kind = match &new {
        None if records.iter().any(Option::is_none) => return None,
        None => ChangeKind::Removed,
        Some(_) if records.iter().all(Option::is_none) => ChangeKind::Added,
        Some(_) => ChangeKind::Changed,
    };
    let mut keys: BTreeSet<(usize, String)> = BTreeSet::new();
    for record in records.iter().flatten().chain(&new) {
        keys.extend(record.iter().map(|(key, _)| (place_of(&key), key.into_owned())));
    }
    let mut fields = Vec::new();
    for (_, key) in keys {
        if UNTOLD.contains(&key.as_str()) {
            continue;
        }
        let now = new.as_ref().and_then(|record| record.raw(&key));
        let values: Vec<Option<&str>> =
            records.iter().map(|record| record.as_ref().and_then(|record| record.raw(&key))).collect();
        let is_new = |value: &Option<&str>| !same_value(&key, *value, now);
        let changed = if values.is_empty() { is_new(&None) } else { values.iter().all(is_new) };
        if changed {
            let before = values.iter().flatten().next().map(|raw| (*raw).to_owned());
            fields.push(FieldChange { field: key, before, after: now.map(str::to_owned) });
        }
    }
    if kind == ChangeKind::Changed && fields.is_empty() {
        return None;
    }
    Some((kind, fields))
}

fn parse(line: Option<&str>) -> Option<Record<'_>> {
    line.and_then(|line| Record::parse(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &[Option<&str>], after: Option<&str>) -> Option<(ChangeKind, String)> {
        let (kind, fields) = difference(before, after)?;
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        let fields: Vec<String> =
            fields.iter().map(|f| format!("{} {}>{}", f.field, text(&f.before), text(&f.after))).collect();
        Some((kind, fields.join(" ")))
    }

    #[test]
    fn one_version_after_the_other() {
        let one = r#"{"id":"a","title":"T","labels":["x","y"],"priority":1}"#;
        let two = r#"{"id":"a","title":"T","priority":2,"labels":["y", "x"]}"#;
        assert_eq!(told(&[Some(one)], Some(two)), Some((ChangeKind::Changed, "priority 1>2".into())));
        assert_eq!(told(&[Some(one)], Some(one)), None);
        assert_eq!(told(&[Some(one)], Some(&one.replace(',', ", "))), None, "blanks are no change");
        let (kind, fields) = told(&[None], Some(two)).unwrap();
        assert_eq!((kind, fields.as_str()), (ChangeKind::Added, r#"title ->"T" priority ->2 labels ->["y", "x"]"#));
        assert_eq!(told(&[], Some(two)).unwrap().0, ChangeKind::Added);
        assert_eq!(told(&[Some(two)], None).unwrap().0, ChangeKind::Removed);
        assert_eq!(told(&[None], None), None);
        assert_eq!(told(&[Some("no record")], Some("neither")), None);
    }

    #[test]
    fn a_merge_tells_only_what_is_new_in_it() {
        let ours = r#"{"id":"a","title":"O","priority":1}"#;
        let theirs = r#"{"id":"a","title":"T","priority":2}"#;
        let both = r#"{"id":"a","title":"O","priority":2}"#;
        let own = r#"{"id":"a","title":"N","priority":2}"#;
        assert_eq!(told(&[Some(ours), Some(theirs)], Some(both)), None);
        assert_eq!(
            told(&[Some(ours), Some(theirs)], Some(own)),
            Some((ChangeKind::Changed, r#"title "O">"N""#.into()))
        );
        assert_eq!(told(&[Some(ours), None], Some(ours)), None, "it came from one side");
        assert_eq!(told(&[Some(ours), None], None), None, "it went on one side");
        assert_eq!(told(&[Some(ours), Some(theirs)], None).unwrap().0, ChangeKind::Removed);
        assert_eq!(told(&[None, None], Some(ours)).unwrap().0, ChangeKind::Added);
    }
}
