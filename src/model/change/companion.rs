//! A contributor's private line for an issue that they may not write: their notes and comments on it, in the planning
//! repo.
//!
//! It has the id of that issue but is never an issue itself: it is not listed, handed out, moved or proposed. The id is
//! public, because the project has it; everything else in the line is private.

use super::{Change, Stamp};
use crate::model::field::Field;
use crate::model::json::{Dialect, Json};
use crate::model::proposal::Visibility;
use crate::model::proposal::owner::{COMPANION, Owner, PROJECT};
use crate::model::record::Record;

/// The fields of a companion.
const REMARKS: [&str; 2] = ["notes", "comments"];

/// Whether a companion can take a change instead of its issue.
pub fn is_remark(change: &Change) -> bool {
    let is_text = matches!(change, Change::AppendNotes(_) | Change::Text(Field::Notes, _) | Change::AddComment(_));
    is_text || *change == Change::Force
}

/// A new companion without remarks. Its title is for people who read the file.
pub fn companion(issue: &Record<'_>, owner: &Owner, stamp: Stamp<'_>) -> String {
    let text = |text: &str| Json::Text(text.to_owned());
    let now = stamp.now.to_string();
    let members = [
        ("id", text(&issue.string("id").unwrap_or_default())),
        ("title", text(&issue.text_of("title").unwrap_or_default())),
        ("created_at", text(&now)),
        ("created_by", text(stamp.actor)),
        ("updated_at", text(&now)),
        ("visibility", text(Visibility::Local.word())),
        (PROJECT, Json::Raw(owner.render(stamp.dialect))),
        (COMPANION, Json::Raw("true".to_owned())),
    ];
    stamp.dialect.render(&Json::Object(members.map(|(key, value)| (key.to_owned(), value)).to_vec()))
}

/// The issue as the answer to a write of its companion: with the companion's remarks and mark.
pub fn answered(issue: &Record<'_>, companion: &Record<'_>, dialect: Dialect) -> String {
    let remarks = REMARKS.map(|key| (key, companion.raw(key).map(str::to_owned)));
    let edits: Vec<_> = remarks.into_iter().chain([(COMPANION, Some("true".to_owned()))]).collect();
    issue.with(&edits, dialect)
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::super::companion::*;
    use crate::model::proposal::owner::{is_companion, is_companion_line};
    use crate::model::time::Instant;

    #[test]
    fn a_companion_takes_remarks_and_names_its_project() {
        let issue = r#"{"id":"web-1","title":"Their issue","notes":"theirs","priority":1}"#;
        let issue = Record::parse(issue).unwrap();
        let owner = Owner { id: "4b825dc6".into(), name: "web".into(), remotes: Vec::new() };
        let stamp = Stamp { now: Instant::from_nanos(0), actor: "ann", dialect: Dialect::default() };
        let empty = companion(&issue, &owner, stamp);
        assert!(is_companion_line(empty.as_bytes()), "{empty}");
        let line = apply(&empty, &[Change::AppendNotes("mine".into())], stamp).unwrap().unwrap();
        let record = Record::parse(&line).unwrap();
        assert!(is_companion(&record) && Owner::of(&record) == Some(owner));
        let shown = answered(&issue, &record, Dialect::default());
        assert_eq!(shown, r#"{"id":"web-1","title":"Their issue","notes":"mine","priority":1,"companion":true}"#);
    }

    #[test]
    fn only_a_private_line_is_a_companion() {
        for line in [
            r#"{"id":"a","companion":true}"#,
            r#"{"id":"a","companion":true,"visibility":"canonical"}"#,
            r#"{"id":"a","companion":"true","visibility":"local"}"#,
            r#"{"id":"a","notes":"\"companion\":true","visibility":"local"}"#,
            r#"{"id":"a","companion":true,"visibility":"local""#,
        ] {
            assert!(!is_companion_line(line.as_bytes()), "{line}");
        }
        assert!(is_companion_line(br#"{"id":"a","visibility":"local", "companion": true}"#));
    }
}
