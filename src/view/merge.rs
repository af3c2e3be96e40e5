//! Merges, as programs read them.

use super::object::{Object, array};
use crate::ledger::MergedLine;
use crate::store::ResolvedLedger;

pub fn resolved(resolved: &[ResolvedLedger], dry_run: bool) -> String {
    let ledgers = resolved.iter().map(|ledger| {
        Object::new()
            .text("file", &ledger.file.display().to_string())
            .text("source_repo", &ledger.source_repo)
            .number("regions", ledger.regions as i64)
            .raw("issues", &array(ledger.lines.iter().map(merged_line)))
            .optional("next", ledger.next.as_deref())
            .finish()
    });
    Object::new().flag("dry_run", dry_run).raw("resolved", &array(ledgers)).finish()
}

fn merged_line(line: &MergedLine) -> String {
    let clashes = line.clashes.iter().map(|clash| {
        let object = Object::new().text("field", &clash.field);
        let object = clash.kept.iter().fold(object, |object, value| object.raw("kept", value));
        clash.lost.iter().fold(object, |object, value| object.raw("lost", value)).finish()
    });
    Object::new()
        .text("id", &line.id)
        .texts("from_ours", &line.from_ours)
        .texts("from_theirs", &line.from_theirs)
        .raw("clashes", &array(clashes))
        .finish()
}

/// What became of one issue, in words.
pub fn merged_text(line: &MergedLine) -> String {
    let mut parts = Vec::new();
    for (fields, side) in [(&line.from_ours, "ours"), (&line.from_theirs, "theirs")] {
        if !fields.is_empty() {
            parts.push(format!("{} from {side}", fields.join(", ")));
        }
    }
    let clashes: Vec<&str> = line.clashes.iter().map(|clash| clash.field.as_str()).collect();
    if !clashes.is_empty() {
        parts.push(format!("changed on both sides: {}", clashes.join(", ")));
    }
    if parts.is_empty() { "merged".to_owned() } else { parts.join("; ") }
}
