//! Smaller rows for readers: only some keys, or a compact form.

use std::collections::{HashMap, HashSet};

use super::answer::filled;
use super::failure::Failure;
use super::issue::issue_fields;
use crate::model::json::{self, Object};
use crate::model::nearest::nearest;
use crate::model::record::Record;

/// How much of each row to print.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RowShape {
    #[default]
    Full,
    /// Only these keys.
    Fields(Vec<String>),
    /// Short rows.
    Compact,
}

impl RowShape {
    /// The requested keys; `type` is the name in compact rows.
    pub fn of(fields: &[String], compact: bool) -> Self {
        let key = |field: &String| if field == "type" { "issue_type".to_owned() } else { field.trim().to_owned() };
        match fields {
            [] if compact => RowShape::Compact,
            [] => RowShape::Full,
            fields => RowShape::Fields(fields.iter().map(key).collect()),
        }
    }
}

/// An array of issues in another shape, one per line and without blanks. `blockers` has what each issue waits for.
pub fn shaped(rows: &str, shape: &RowShape, blockers: &HashMap<String, Vec<String>>) -> Result<String, Failure> {
    let spans = json::elements(rows).unwrap_or_default();
    let records: Vec<Record<'_>> = spans.iter().filter_map(|span| Record::parse(&rows[span.clone()]).ok()).collect();
    let rows: Vec<String> = match shape {
        RowShape::Full => return Ok(rows.to_owned()),
        RowShape::Compact => records.iter().map(|row| compact(row, blockers)).collect(),
        RowShape::Fields(fields) => {
            check(fields, &records)?;
            let is_wanted = |key: &str| fields.iter().any(|field| field == key);
            let trimmed = |row: &Record<'_>| {
                let kept = row.iter().filter(|(key, _)| is_wanted(key));
                kept.fold(Object::new(), |object, (key, raw)| object.raw(&key, raw)).finish()
            };
            records.iter().map(trimmed).collect()
        }
    };
    Ok(format!("[{}]", rows.join(",\n")))
}

/// Refuses a key that no issue has: otherwise it would be silently missing.
fn check(fields: &[String], rows: &[Record<'_>]) -> Result<(), Failure> {
    let known: HashSet<&str> = issue_fields().collect();
    let is_there = |field: &str| rows.iter().any(|row| row.raw(field).is_some());
    match fields.iter().find(|field| !known.contains(field.as_str()) && !is_there(field)) {
        None => Ok(()),
        Some(field) => {
            Err(Failure::usage(format!("issues have no field {field:?}")).meant(nearest(field, issue_fields())))
        }
    }
}

fn compact(row: &Record<'_>, blockers: &HashMap<String, Vec<String>>) -> String {
    let keys =
        [("id", "id"), ("title", "title"), ("status", "status"), ("priority", "priority"), ("issue_type", "type")];
    let values = keys.iter().filter_map(|(key, name)| Some((name, row.raw(key)?)));
    let object = values.fold(Object::new(), |object, (name, raw)| object.raw(name, raw));
    let waits = row.string("id").and_then(|id| blockers.get(id.as_ref()));
    match waits.and_then(|waits| filled(waits)) {
        Some(ids) => object.texts("blocked_by", ids),
        None => object,
    }
    .finish()
}
