//! Renames ids in a line: the issue's own and those that it refers to.

use super::FORMER_ID;
use super::mention::{self, Names};
use crate::model::field::{self, Field};
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::record::{KeyEdit, Record};

/// The line with old ids replaced, in its texts too; it keeps the issue's former id. `None` if it holds no old id.
pub fn renamed(line: &str, names: &Names) -> Option<String> {
    edited(line, names, true)
}

/// The same for a ledger whose ids change for everyone: the former id is not kept.
pub fn renamed_for_all(line: &str, names: &Names) -> Option<String> {
    edited(line, names, false)
}

fn edited(line: &str, names: &Names, keep_former: bool) -> Option<String> {
    let record = Record::parse(line).ok()?;
    let dialect = DialectEvidence::of(line).or(Dialect::default());
    let mut edits: Vec<KeyEdit> = Vec::new();
    for key in field::with(|row| row.renamed).map(Field::key) {
        let new = record.string(key).and_then(|text| mention::renamed(&text, names));
        edits.extend(new.map(|text| (key, Some(dialect.string(&text)))));
    }
    if let Some((old, new)) = record.string("id").and_then(|id| names.get_key_value(id.as_ref())) {
        edits.push(("id", Some(dialect.string(new))));
        edits.extend(keep_former.then(|| (FORMER_ID, Some(dialect.string(old)))));
    }
    if let Some(new) = record.string("parent").and_then(|id| names.get(id.as_ref())) {
        edits.push(("parent", Some(dialect.string(new))));
    }
    for key in ["dependencies", "comments"] {
        let elements = record.elements(key);
        let changed: Vec<String> = elements.iter().map(|raw| element(raw, names, dialect)).collect();
        if elements.iter().zip(&changed).any(|(old, new)| old != new) {
            edits.push((key, Some(dialect.array(changed.iter().map(String::as_str)))));
        }
    }
    (!edits.is_empty()).then(|| record.with(&edits, dialect))
}

/// An edge or a comment.
fn element(raw: &str, names: &Names, dialect: Dialect) -> String {
    let Ok(record) = Record::parse_part(raw) else { return raw.to_owned() };
    let keys = ["issue_id", "depends_on_id"];
    let edit = |key: &'static str| Some((key, Some(dialect.string(names.get(record.string(key)?.as_ref())?))));
    let mut edits: Vec<KeyEdit> = keys.into_iter().filter_map(edit).collect();
    let text = record.string("text").and_then(|text| mention::renamed(&text, names));
    edits.extend(text.map(|text| ("text", Some(dialect.string(&text)))));
    if edits.is_empty() { raw.to_owned() } else { record.with(&edits, dialect) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_line_refers_to_new_ids() {
        let names = Names::from([("pl-1".to_owned(), "web-a".to_owned()), ("pl-2".to_owned(), "web-b".to_owned())]);
        let line = r#"{"id":"pl-1","title":"about pl-1 and pl-3","dependencies":[{"issue_id":"pl-1","depends_on_id":"pl-2","x":1.0},{"issue_id":"pl-1","depends_on_id":"up-1"}],"comments":[{"id":3,"issue_id":"pl-1","text":"pl-2"}],"odd":"pl-1"}"#;
        let expected = r#"{"id":"web-a","title":"about web-a and pl-3","dependencies":[{"issue_id":"web-a","depends_on_id":"web-b","x":1.0},{"issue_id":"web-a","depends_on_id":"up-1"}],"comments":[{"id":3,"issue_id":"web-a","text":"web-b"}],"odd":"pl-1","former_id":"pl-1"}"#;
        let found = renamed(line, &names).unwrap();
        let plain = |text: &str| {
            Record::parse(text).unwrap().iter().map(|(k, v)| (k.into_owned(), v.to_owned())).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(plain(&found), plain(expected), "{found}");
        assert_eq!(renamed(r#"{"id":"up-1","title":"pl-3"}"#, &names), None);
    }

    #[test]
    fn no_former_id_where_ids_change_for_all() {
        let names = Names::from([("pl-1".to_owned(), "web-1".to_owned())]);
        let line = r#"{"id":"pl-1","title":"see pl-1","odd":"pl-1"}"#;
        let expected = r#"{"id":"web-1","title":"see web-1","odd":"pl-1"}"#;
        assert_eq!(renamed_for_all(line, &names).as_deref(), Some(expected));
        assert_eq!(renamed_for_all(r#"{"id":"up-1","title":"nothing"}"#, &names), None);
    }
}
