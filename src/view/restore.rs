//! Results of restoring from history, as programs and people read them.

use super::answer::{Line, answer};
use super::history::{commit, short};
use crate::store::Restored;

answer! {
    /// A restored issue, or restored fields of one.
    pub fn restored(one: &Restored, dry_run: bool) {
        id: &one.id, dry_run: dry_run, action: action(one), source_repo: &one.source_repo, file: &one.file,
        fields: changed_fields(one), commit: commit(&one.commit), removed_by: one.removed.as_ref().map(commit), line: Line(&*one.line),
    }
}

fn action(one: &Restored) -> &'static str {
    match (&one.before, one.changed()) {
        (None, _) => "restored",
        (Some(_), true) => "changed",
        (Some(_), false) => "unchanged",
    }
}

/// The changed fields, except the edit time itself.
fn changed_fields(one: &Restored) -> Vec<&str> {
    one.fields.iter().map(|change| change.field.as_str()).filter(|field| *field != "updated_at").collect()
}

/// One issue as text; the id comes last.
pub fn restored_text(one: &Restored, dry_run: bool) -> String {
    if !one.changed() {
        return format!("Nothing to change: {}", one.id);
    }
    let verb = if dry_run { "Would restore" } else { "Restored" };
    let fields = changed_fields(one);
    let fields = if fields.is_empty() { String::new() } else { format!(" {}", fields.join(", ")) };
    let removed = one.removed.as_ref().map(|by| format!(", removed by {}", short(by))).unwrap_or_default();
    let version = &one.commit;
    let day: String = version.committed.to_string().chars().take(10).collect();
    let from = format!("{} ({day} by {}: {})", short(version), version.author, version.summary);
    format!("{verb}{fields} in {} from {from}{removed}: {}", one.source_repo, one.id)
}
