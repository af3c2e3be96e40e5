//! Compares two versions of an issue field by field.

use std::collections::BTreeSet;

use super::field::{self, Field, place_of};
use super::merge::{is_given_up, same_value};
use super::record::Record;
use super::words::words;

/// A changed field; the values are JSON as the line writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldChange {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// The number of the side whose value a merge took, against another side's change.
    pub won: Option<usize>,
}

words! {
    /// What happened to an issue.
    #[derive(PartialOrd, Ord)]
    pub enum ChangeKind {
        Added = "added",
        Changed = "changed",
        Removed = "removed",
    }
}

/// Whether changes of a field are reported: not the id, nor what a merge records for the next one.
pub fn is_reported(key: &str) -> bool {
    key != Field::Id.key() && !field::is(key, |row| row.note)
}

/// A renamed issue reports its id.
fn is_unreported(key: &str, kind: ChangeKind) -> bool {
    let is_renamed = key == Field::Id.key() && kind == ChangeKind::Changed;
    !is_reported(key) && !is_renamed
}

/// A version that a merge joins with others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Side<'a> {
    pub line: Option<&'a str>,
    /// The versions that it shares with the other sides: where they parted, empty if they never met. `None` if that is
    /// unknown; then the side's own changes are unknown too.
    pub common: Option<Vec<Option<&'a str>>>,
}

/// The changes from a version to the next; with several versions before, nothing is known about their common ones.
/// `None` if nothing changed.
pub fn difference(before: &[Option<&str>], after: Option<&str>) -> Option<(ChangeKind, Vec<FieldChange>)> {
    let sides: Vec<Side<'_>> = before.iter().map(|line| Side { line: *line, common: None }).collect();
    merged_difference(&sides, after)
}

/// The changes that a merge made to its sides. A field is reported if no side that has the issue has this value, or if
/// the merge gave up a side's change since they parted. An issue as a whole is reported as added or removed if no side
/// lacks or has it, or if the merge gave up a side's removal or change. `None` if nothing changed.
pub fn merged_difference(sides: &[Side<'_>], after: Option<&str>) -> Option<(ChangeKind, Vec<FieldChange>)> {
    let read: Vec<Read<'_>> = sides.iter().map(Read::of).collect();
    let new = parse(after);
    let is_there = read.iter().any(|side| side.record.is_some());
    let kind = match &new {
        None if !is_there => return None,
        None if read.iter().all(|side| side.record.is_some()) || read.iter().any(Read::made_something) => {
            ChangeKind::Removed
        }
        None => return None,
        Some(_) if !is_there || read.iter().any(Read::removed) => ChangeKind::Added,
        Some(_) => ChangeKind::Changed,
    };
    let mut keys: BTreeSet<(usize, String)> = BTreeSet::new();
    for record in read.iter().filter_map(|side| side.record.as_ref()).chain(&new) {
        keys.extend(record.iter().map(|(key, _)| (place_of(&key), key.into_owned())));
    }
    let mut fields = Vec::new();
    for (_, key) in keys.into_iter().filter(|(_, key)| !is_unreported(key, kind)) {
        let now = new.as_ref().and_then(|record| record.raw(&key));
        let reported = |value: &&str| !same_value(&key, None, Some(*value));
        fields.extend(match kind {
            ChangeKind::Added => {
                now.filter(reported).map(|after| FieldChange { after: Some(after.to_owned()), ..named(&key) })
            }
            ChangeKind::Removed => {
                let mut values = read.iter().filter_map(|side| side.record.as_ref()?.raw(&key));
                values.find(reported).map(|before| FieldChange { before: Some(before.to_owned()), ..named(&key) })
            }
            ChangeKind::Changed => field_change(&key, &read, now),
        });
    }
    if kind == ChangeKind::Changed && fields.is_empty() {
        return None;
    }
    Some((kind, fields))
}

fn named(key: &str) -> FieldChange {
    FieldChange { field: key.to_owned(), ..FieldChange::default() }
}

/// The change of one field, given the sides that have the issue.
fn field_change(key: &str, sides: &[Read<'_>], now: Option<&str>) -> Option<FieldChange> {
    let values: Vec<(usize, Option<&str>)> =
        (0..sides.len()).filter_map(|n| Some((n, sides[n].record.as_ref()?.raw(key)))).collect();
    let taken = values.iter().find(|(_, value)| same_value(key, *value, now)).map(|(n, _)| *n);
    let before = match taken {
        None => values.iter().find_map(|(_, value)| *value),
        Some(_) => values.iter().find(|(n, value)| sides[*n].gave_up(key, *value, now))?.1,
    };
    let after = now.map(str::to_owned);
    Some(FieldChange { before: before.map(str::to_owned), after, won: taken, ..named(key) })
}

/// A side of a merge, parsed.
struct Read<'a> {
    record: Option<Record<'a>>,
    common: Option<Vec<Option<Record<'a>>>>,
}

impl<'a> Read<'a> {
    fn of(side: &Side<'a>) -> Self {
        let common = side.common.as_ref().map(|lines| lines.iter().map(|line| parse(*line)).collect());
        Read { record: parse(side.line), common }
    }

    /// It lacks an issue that existed when the sides parted.
    fn removed(&self) -> bool {
        let common = self.common.as_deref().unwrap_or_default();
        self.record.is_none() && !common.is_empty() && common.iter().all(Option::is_some)
    }

    /// It has an issue that did not exist when the sides parted, or changed it.
    fn made_something(&self) -> bool {
        let (Some(record), Some(common)) = (&self.record, &self.common) else { return false };
        let differs = |other: &Record<'_>| {
            let keys: BTreeSet<_> = record.iter().chain(other.iter()).map(|(key, _)| key).collect();
            let mut reported = keys.iter().filter(|key| is_reported(key));
            reported.any(|key| !same_value(key, record.raw(key), other.raw(key)))
        };
        common.iter().all(|other| other.as_ref().is_none_or(differs))
    }

    /// Whether the merge gave up this side's change of a field.
    fn gave_up(&self, key: &str, value: Option<&str>, now: Option<&str>) -> bool {
        let Some(common) = &self.common else { return false };
        let then = common.iter().map(|record| record.as_ref().and_then(|record| record.raw(key)));
        let then: Vec<Option<&str>> = if common.is_empty() { vec![None] } else { then.collect() };
        then.into_iter().all(|then| is_given_up(key, value, then, now))
    }
}

fn parse(line: Option<&str>) -> Option<Record<'_>> {
    line.and_then(|line| Record::parse(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(before: &[Option<&str>], after: Option<&str>) -> Option<(ChangeKind, String)> {
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
        assert_eq!(reported(&[Some(one)], Some(two)), Some((ChangeKind::Changed, "priority 1>2".into())));
        assert_eq!(reported(&[Some(one)], Some(one)), None);
        assert_eq!(reported(&[Some(one)], Some(&one.replace(',', ", "))), None, "blanks are no change");
        let (kind, fields) = reported(&[None], Some(two)).unwrap();
        assert_eq!((kind, fields.as_str()), (ChangeKind::Added, r#"title ->"T" priority ->2 labels ->["y", "x"]"#));
        assert_eq!(reported(&[], Some(two)).unwrap().0, ChangeKind::Added);
        assert_eq!(reported(&[Some(two)], None).unwrap().0, ChangeKind::Removed);
        assert_eq!(reported(&[None], None), None);
        assert_eq!(reported(&[Some("no record")], Some("neither")), None);
        let renamed = one.replace("\"a\"", "\"b\"");
        assert_eq!(reported(&[Some(one)], Some(&renamed)), Some((ChangeKind::Changed, r#"id "a">"b""#.into())));
    }

    #[test]
    fn a_merge_tells_only_what_is_new_in_it() {
        let ours = r#"{"id":"a","title":"O","priority":1}"#;
        let theirs = r#"{"id":"a","title":"T","priority":2}"#;
        let both = r#"{"id":"a","title":"O","priority":2}"#;
        let own = r#"{"id":"a","title":"N","priority":2}"#;
        assert_eq!(reported(&[Some(ours), Some(theirs)], Some(both)), None);
        assert_eq!(
            reported(&[Some(ours), Some(theirs)], Some(own)),
            Some((ChangeKind::Changed, r#"title "O">"N""#.into()))
        );
        assert_eq!(reported(&[Some(ours), None], Some(ours)), None, "it came from one side");
        assert_eq!(reported(&[Some(ours), None], None), None, "it went on one side");
        assert_eq!(reported(&[Some(ours), Some(theirs)], None).unwrap().0, ChangeKind::Removed);
        assert_eq!(reported(&[None, None], Some(ours)).unwrap().0, ChangeKind::Added);
    }

    /// The changes of a merge of two sides that parted at a version.
    fn merged(common: Option<&str>, sides: [Option<&str>; 2], after: Option<&str>) -> Option<(ChangeKind, String)> {
        let sides = sides.map(|line| Side { line, common: Some(vec![common]) });
        let (kind, fields) = merged_difference(&sides, after)?;
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        let won = |change: &FieldChange| change.won.map(|side| format!(" ({side})")).unwrap_or_default();
        let fields: Vec<String> =
            fields.iter().map(|f| format!("{} {}>{}{}", f.field, text(&f.before), text(&f.after), won(f))).collect();
        Some((kind, fields.join(" ")))
    }

    #[test]
    fn a_merge_tells_what_it_gave_up_of_a_side() {
        let line = |title: &str, priority: u8| format!(r#"{{"id":"a","title":"{title}","priority":{priority}}}"#);
        let (base, ours, theirs) = (line("B", 0), line("O", 0), line("T", 1));
        let reported = |after: &str| merged(Some(&base), [Some(&ours), Some(&theirs)], Some(after));
        let changed = |text: &str| Some((ChangeKind::Changed, text.to_owned()));
        assert_eq!(reported(&line("O", 1)), changed(r#"title "T">"O" (0)"#), "both changed it, and one won");
        assert_eq!(reported(&line("T", 1)), changed(r#"title "O">"T" (1)"#));
        assert_eq!(
            reported(&line("O", 0)),
            changed(r#"title "T">"O" (0) priority 1>0 (0)"#),
            "what only one changed is lost"
        );
        assert_eq!(merged(Some(&base), [Some(&base), Some(&theirs)], Some(&theirs)), None, "only one changed anything");
        assert_eq!(merged(None, [Some(&ours), Some(&ours)], Some(&ours)), None);
        let each = changed(r#"title "T">"O" (0) priority 3>1 (1)"#);
        let both = [Some(line("O", 3)), Some(theirs.clone())];
        assert_eq!(merged(None, both.each_ref().map(Option::as_deref), Some(&line("O", 1))), each, "both added it");
        let touched = base.replace('}', r#","updated_at":"2026-01-01T00:00:00Z"}"#);
        let later = base.replace('}', r#","updated_at":"2026-01-02T00:00:00Z"}"#);
        assert_eq!(
            merged(Some(&base), [Some(&touched), Some(&later)], Some(&later)),
            None,
            "a later time does not count as lost"
        );
    }

    #[test]
    fn a_merge_of_what_only_one_side_has() {
        let whole = r#"{"id":"a","title":"T","labels":["x"]}"#;
        let less = r#"{"id":"a","title":"T"}"#;
        let dropped = Some((ChangeKind::Changed, r#"labels ["x"]>-"#.to_owned()));
        assert_eq!(merged(None, [Some(whole), None], Some(less)), dropped);
        assert_eq!(reported(&[Some(whole), None], Some(less)), dropped, "also where nothing is known of before");
        let removed = Some((ChangeKind::Removed, r#"title "T">- labels ["x"]>-"#.to_owned()));
        assert_eq!(merged(None, [Some(whole), None], None), removed, "a new issue got lost");
        assert_eq!(merged(Some(less), [Some(whole), None], None), removed, "an edit got lost");
        assert_eq!(merged(Some(whole), [Some(whole), None], None), None, "it was removed there");
        let back = Some((ChangeKind::Added, r#"title ->"T""#.to_owned()));
        assert_eq!(merged(Some(less), [Some(less), None], Some(less)), back, "the removal was undone");
        assert_eq!(merged(None, [Some(less), None], Some(less)), None, "it came there");
    }

    #[test]
    fn of_a_set_a_merge_gives_up_elements() {
        let labels = |list: &str| format!(r#"{{"id":"a","labels":[{list}]}}"#);
        let (none, a, both) = (labels(""), labels(r#""a""#), labels(r#""a","b""#));
        assert_eq!(merged(Some(&none), [Some(&a), Some(&both)], Some(&both)), None, "what was added is there");
        let lost = Some((ChangeKind::Changed, r#"labels ["a","b"]>["a"] (0)"#.to_owned()));
        assert_eq!(merged(Some(&none), [Some(&a), Some(&both)], Some(&a)), lost);
        let back = Some((ChangeKind::Changed, r#"labels []>["a"] (1)"#.to_owned()));
        assert_eq!(merged(Some(&a), [Some(&none), Some(&a)], Some(&a)), back, "what was taken off is there again");
        let edge = |by: &str| {
            format!(
                r#"{{"id":"a","dependencies":[{{"issue_id":"a","depends_on_id":"b","type":"blocks","created_by":"{by}"}}]}}"#
            )
        };
        let [ann, bob, eve] = ["ann", "bob", "eve"].map(edge);
        assert_eq!(
            merged(Some(&ann), [Some(&bob), Some(&eve)], Some(&eve)),
            None,
            "an edge is its target and its type"
        );
    }
}
