//! What came back from history, as programs and people read it.

use super::history::{commit, short};
use super::{Object, array};
use crate::store::Restored;

pub fn restored(done: &[&Restored], dry_run: bool) -> String {
    array(done.iter().map(|one| {
        let object = Object::new()
            .text("id", &one.id)
            .flag("dry_run", dry_run)
            .text("action", action(one))
            .text("source_repo", &one.source_repo)
            .text("file", &one.file.display().to_string())
            .texts("fields", told(one))
            .raw("commit", &commit(&one.commit));
        let object = match &one.removed {
            Some(removed) => object.raw("removed_by", &commit(removed)),
            None => object,
        };
        object.raw("line", &one.line).finish()
    }))
}

fn action(one: &Restored) -> &'static str {
    match (&one.before, one.changed()) {
        (None, _) => "restored",
        (Some(_), true) => "changed",
        (Some(_), false) => "unchanged",
    }
}

/// The fields that changed, but for the time of the edit itself.
fn told(one: &Restored) -> Vec<&str> {
    one.fields.iter().map(|change| change.field.as_str()).filter(|field| *field != "updated_at").collect()
}

/// One issue in words; the id comes last.
pub fn restored_text(one: &Restored, dry_run: bool) -> String {
    if !one.changed() {
        return format!("Nothing to change: {}", one.id);
    }
    let verb = if dry_run { "Would restore" } else { "Restored" };
    let fields = told(one);
    let fields = if fields.is_empty() { String::new() } else { format!(" {}", fields.join(", ")) };
    let removed = one.removed.as_ref().map(|by| format!(", removed by {}", short(by))).unwrap_or_default();
    let version = &one.commit;
    let day: String = version.committed.to_string().chars().take(10).collect();
    let from = format!("{} ({day} by {}: {})", short(version), version.author, version.summary);
    format!("{verb}{fields} in {} from {from}{removed}: {}", one.source_repo, one.id)
}
