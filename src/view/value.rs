//! Short texts of field values and their changes. With a calendar they are for people, and times are local.

use std::collections::BTreeSet;

use crate::model::difference::FieldChange;
use crate::model::field::Field;
use crate::model::json;
use crate::model::merge::AGREED;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::when::Calendar;

/// The value of a field: a time in readable form, anything else as JSON, cut to fit beside another one.
pub(super) fn value_text(field: &str, raw: Option<&str>, calendar: Option<&Calendar>) -> String {
    const SHOWN: usize = 40;
    let Some(raw) = raw else { return "nothing".to_owned() };
    let Some(text) = json::decode_string(raw) else { return cut(raw, SHOWN) };
    let known = Field::of(field).filter(|field| field.is_time());
    match calendar.zip(known).zip(Instant::parse(&text)) {
        Some(((calendar, field), at)) if field.is_date() => calendar.date(at),
        Some(((calendar, _), at)) => calendar.full(at),
        None => format!("\"{}\"", cut(&text, SHOWN)),
    }
}

pub(super) fn cut(text: &str, shown: usize) -> String {
    match text.char_indices().nth(shown) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Derived fields are not interesting to people.
pub(super) fn is_shown(field: &str) -> bool {
    !matches!(field, "updated_at" | "started_at" | "closed_at" | "deleted_at" | "content_hash" | "field_times" | AGREED)
}

/// Fields that change with every write.
pub(super) fn is_bookkeeping(field: &str) -> bool {
    matches!(field, "updated_at" | "content_hash" | "field_times" | AGREED)
}

/// Which side of a merge won, in version control's words.
pub(super) fn winner(change: &FieldChange) -> Option<String> {
    change.won.map(|side| match side {
        0 => "ours".to_owned(),
        1 => "theirs".to_owned(),
        more => format!("parent {}", more + 1),
    })
}

/// The change of a field: sets by what was added and removed, other values by both; and the winner, where a merge had
/// to choose.
pub(super) fn change_text(change: &FieldChange, calendar: Option<&Calendar>) -> String {
    let won = winner(change).map(|side| format!(" ({side} won)")).unwrap_or_default();
    values_text(change, calendar) + &won
}

fn values_text(change: &FieldChange, calendar: Option<&Calendar>) -> String {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let set: Option<fn(&str) -> String> = match change.field.as_str() {
        "labels" => Some(label),
        "dependencies" => Some(edge),
        "comments" => Some(comment),
        _ => None,
    };
    if let Some(name) = set {
        let (old, new) = (members(before, name), members(after, name));
        let gone = old.difference(&new).map(|text| format!("-{text}"));
        let came = new.difference(&old).map(|text| format!("+{text}"));
        let parts: Vec<String> = gone.chain(came).collect();
        return format!("{}: {}", change.field, if parts.is_empty() { "changed".into() } else { parts.join(" ") });
    }
    let value = |raw: Option<&str>| value_text(&change.field, raw, calendar);
    format!("{}: {} → {}", change.field, value(before), value(after))
}

fn members(raw: Option<&str>, name: fn(&str) -> String) -> BTreeSet<String> {
    let Some(raw) = raw else { return BTreeSet::new() };
    let spans = json::elements(raw).unwrap_or_default();
    spans.into_iter().map(|span| name(&raw[span])).collect()
}

fn label(raw: &str) -> String {
    json::decode_string(raw).map_or_else(|| raw.to_owned(), |text| text.into_owned())
}

fn edge(raw: &str) -> String {
    let Ok(record) = Record::parse_part(raw) else { return raw.to_owned() };
    let text = |key: &str| record.string(key).map(|text| text.into_owned()).unwrap_or_default();
    let target = ["depends_on_id", "depends_on", "target"].map(text).into_iter().find(|text| !text.is_empty());
    format!("{} {}", text("type"), target.unwrap_or_default()).trim().to_owned()
}

fn comment(raw: &str) -> String {
    let Ok(record) = Record::parse_part(raw) else { return cut(raw, 40) };
    let text = |key: &str| record.string(key).map(|text| text.into_owned()).unwrap_or_default();
    format!("{} \"{}\"", text("author"), cut(&text("text"), 40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_words() {
        let text = |field: &str, before: Option<&str>, after: Option<&str>| {
            let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
            change_text(&FieldChange { field: field.into(), before, after, won: None }, None)
        };
        assert_eq!(text("status", Some("\"open\""), Some("\"closed\"")), "status: \"open\" → \"closed\"");
        assert_eq!(text("assignee", None, Some("\"ann\"")), "assignee: nothing → \"ann\"");
        assert_eq!(text("labels", Some(r#"["a","b"]"#), Some(r#"["b","c"]"#)), "labels: -a +c");
        assert_eq!(
            text("dependencies", None, Some(r#"[{"issue_id":"a","depends_on_id":"b","type":"blocks"}]"#)),
            "dependencies: +blocks b"
        );
        assert_eq!(
            text("comments", None, Some(r#"[{"id":1,"author":"ann","text":"why?"}]"#)),
            "comments: +ann \"why?\""
        );
        assert_eq!(text("labels", Some(r#"["a"]"#), Some("7")), "labels: -a");
        let won = |side| FieldChange { field: "x".into(), after: Some("1".into()), won: Some(side), before: None };
        let texts = [0, 1, 2].map(|side| change_text(&won(side), None));
        assert_eq!(
            texts,
            ["x: nothing → 1 (ours won)", "x: nothing → 1 (theirs won)", "x: nothing → 1 (parent 3 won)"]
        );
    }

    #[test]
    fn people_read_local_times() {
        let now = Instant::parse("2026-11-17T12:00:00Z").unwrap();
        let calendar = Calendar::utc(now);
        let text = |field: &str, raw: &str, calendar| value_text(field, Some(raw), calendar);
        let end_of_day = r#""2026-11-20T23:59:59.999Z""#;
        assert_eq!(text("due_at", end_of_day, Some(&calendar)), "2026-11-20");
        assert_eq!(text("due_at", end_of_day, None), end_of_day);
        assert_eq!(text("closed_at", r#""2026-11-20T22:00:07Z""#, Some(&calendar)), "2026-11-20 22:00");
        assert_eq!(text("due_at", "\"someday\"", Some(&calendar)), "\"someday\"");
        assert_eq!(text("title", r#""2026-11-20T22:00:00Z""#, Some(&calendar)), r#""2026-11-20T22:00:00Z""#);
    }
}
