//! Results of pruning, as programs and people read them.

use super::answer::{answer, each};
use crate::store::{Kept, KeptIssue, Pruned, PrunedIssue};

answer! {
    fn gone(one: &PrunedIssue) {
        id: &one.id, title: &one.title, status: &one.status,
        deleted_at: (one.status == "tombstone").then_some(one.at), closed_at: (one.status != "tombstone").then_some(one.at),
        bytes: one.bytes,
    }

    pub fn pruned(done: &Pruned, dry_run: bool) {
        dry_run: dry_run, source_repo: &done.source_repo, file: &done.file,
        pruned: each(&done.pruned, gone), kept: each(&done.kept, kept),
        bytes_before: done.bytes_before, bytes_after: done.bytes_after,
        budget: done.budget, fits: done.budget.map(|_| done.fits()),
    }

    fn kept(one: &KeptIssue) {
        id: &one.id, reason: word(&one.why),
        needed_by: if let Kept::Needed(ids) | Kept::Children(ids) = &one.why { Some(ids) } else { None },
        message: kept_text(&one.why),
    }
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
        Kept::Uncommitted => "not committed as it is; run `bd commit`".to_owned(),
        Kept::Unpublished => "not published as it is; run `bd sync`".to_owned(),
        Kept::Needed(ids) if ids.is_empty() => "other issues may depend on it; there are too many to check".to_owned(),
        Kept::Needed(ids) => format!("without it another answer would be given about {}", some(ids)),
        Kept::Children(ids) => format!("has children that are not done: {}", some(ids)),
        Kept::Proposed => "its proposal awaits a decision".to_owned(),
        Kept::News => "other clones have yet to hear of it; --tombstones lets it go".to_owned(),
        Kept::Pinned => "pinned".to_owned(),
        Kept::Copies => "is on several lines, here or in another repo".to_owned(),
        Kept::Undated => "nothing says when it was closed".to_owned(),
    }
}
