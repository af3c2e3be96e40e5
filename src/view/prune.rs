//! What pruning came to, as programs and people read it.

use super::{Object, array};
use crate::store::{Kept, KeptIssue, Pruned};

pub fn pruned(done: &Pruned, dry_run: bool) -> String {
    let gone = done.pruned.iter().map(|one| {
        let key = if one.status == "tombstone" { "deleted_at" } else { "closed_at" };
        Object::new()
            .text("id", &one.id)
            .text("title", &one.title)
            .text("status", &one.status)
            .text(key, &one.at.to_string())
            .number("bytes", one.bytes as i64)
            .finish()
    });
    let object = Object::new()
        .flag("dry_run", dry_run)
        .text("source_repo", &done.source_repo)
        .text("file", &done.file.display().to_string())
        .raw("pruned", &array(gone))
        .raw("kept", &array(done.kept.iter().map(kept)))
        .number("bytes_before", done.bytes_before as i64)
        .number("bytes_after", done.bytes_after as i64);
    match done.budget {
        Some(budget) => {
            let budget = i64::try_from(budget).unwrap_or(i64::MAX);
            object.number("budget", budget).flag("fits", done.fits()).finish()
        }
        None => object.finish(),
    }
}

fn kept(one: &KeptIssue) -> String {
    let object = Object::new().text("id", &one.id).text("reason", word(&one.why));
    let object = match &one.why {
        Kept::Needed(ids) | Kept::Children(ids) => object.texts("needed_by", ids),
        _ => object,
    };
    object.text("message", &kept_text(&one.why)).finish()
}

fn word(why: &Kept) -> &'static str {
    match why {
        Kept::Uncommitted => "uncommitted",
        Kept::Unpublished => "unpublished",
        Kept::Needed(_) => "needed",
        Kept::Children(_) => "open_children",
        Kept::Proposed => "proposed",
        Kept::News => "news",
        Kept::Pinned => "pinned",
        Kept::Copies => "copies",
        Kept::Undated => "undated",
    }
}

/// Why an issue stays.
pub fn kept_text(why: &Kept) -> String {
    const SHOWN: usize = 4;
    let some = |ids: &[String]| {
        let more = if ids.len() > SHOWN { format!(" and {} more", ids.len() - SHOWN) } else { String::new() };
        format!("{}{more}", ids[..ids.len().min(SHOWN)].join(", "))
    };
    match why {
        Kept::Uncommitted => "not committed as it is; bd commit does that".to_owned(),
        Kept::Unpublished => "others do not have it as it is; bd sync sends it".to_owned(),
        Kept::Needed(ids) if ids.is_empty() => "others may stand on it; there are too many to tell".to_owned(),
        Kept::Needed(ids) => format!("without it another answer would be given about {}", some(ids)),
        Kept::Children(ids) => format!("has children that are not done: {}", some(ids)),
        Kept::Proposed => "its proposal awaits a decision".to_owned(),
        Kept::News => "other clones have yet to hear of it; --tombstones lets it go".to_owned(),
        Kept::Pinned => "pinned".to_owned(),
        Kept::Copies => "stands on several lines, here or in another repo".to_owned(),
        Kept::Undated => "nothing says when it was closed".to_owned(),
    }
}
