//! Finds lines of a file in commits: walks the history back from branches, newest commits first.

use std::collections::{BinaryHeap, HashSet};
use std::path::Path;

use gix::ObjectId;

use crate::model::time::SECOND;
use crate::vcs::layout::opened;
use crate::vcs::lines::{DatedLine, Reach, Wanted};

/// The limit for bytes of old versions; a line not found by then counts as not committed.
const MOST: usize = 256 << 20;

/// Refs whose commits are easily found again.
const KEPT: [&str; 3] = ["refs/remotes/", "refs/heads/", "refs/tags/"];

/// For each line whether a version of the file, named from the root, contains it. `also` are commits that another
/// program on top of git knows. A commit that is older than a line by more than an hour is not searched for it.
pub(crate) fn committed_lines(
    dot_git: &Path,
    file: &Path,
    lines: &[DatedLine<'_>],
    reach: Reach,
    also: &[ObjectId],
) -> Option<Vec<bool>> {
    let repository = opened::at(dot_git).ok()?;
    let mut wanted = Wanted::new(lines);
    let (mut waiting, mut known) = (BinaryHeap::new(), HashSet::new());
    let mut push = |id: ObjectId, waiting: &mut BinaryHeap<(i64, ObjectId)>| {
        if known.insert(id)
            && let Ok(commit) = repository.find_commit(id)
        {
            waiting.push((commit.time().map_or(i64::MAX, |time| time.seconds), id));
        }
    };
    let kept = if reach == Reach::Remote { &KEPT[..1] } else { &KEPT[..] };
    for prefix in kept {
        for found in repository.references().ok()?.prefixed(*prefix).ok()?.flatten() {
            if let Ok(tip) = found.into_fully_peeled_id() {
                push(tip.detach(), &mut waiting);
            }
        }
    }
    also.iter().for_each(|id| push(*id, &mut waiting));
    let (mut versions, mut read) = (HashSet::new(), 0);
    while let Some((seconds, id)) = waiting.pop() {
        if read > MOST || wanted.oldest().is_none_or(|oldest| seconds.saturating_mul(SECOND) < oldest) {
            break;
        }
        let Ok(commit) = repository.find_commit(id) else { continue };
        commit.parent_ids().for_each(|parent| push(parent.detach(), &mut waiting));
        let version = commit.tree().ok().and_then(|tree| tree.lookup_entry_by_path(file).ok().flatten());
        let Some(version) = version.filter(|version| versions.insert(version.object_id())) else { continue };
        let Ok(object) = version.object() else { continue };
        read += object.data.len();
        wanted.see(&object.data);
    }
    Some(wanted.found())
}
