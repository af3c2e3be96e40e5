//! Which lines of a file are in some commit: the history is walked back from the local branches, newest commits first.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::Path;

use gix::ObjectId;

use super::opened;
use crate::model::time::SECOND;
use crate::vcs::lines::Sought;

/// So many bytes of old versions are looked at; what is not found by then counts as not committed.
const MOST: usize = 256 << 20;
/// A clock may be set back.
const SLACK: i64 = 3600 * SECOND;

/// For each line whether a version of the file in the history of `HEAD` or of a local branch holds it. A commit that is older
/// than a line by more than an hour is not asked about it.
pub fn committed_lines(file: &Path, lines: &[Sought<'_>]) -> Option<Vec<bool>> {
    let file = std::fs::canonicalize(file.parent()?).ok()?.join(file.file_name()?);
    let repository = opened::around(file.parent()?)?;
    let root = std::fs::canonicalize(repository.workdir()?).ok()?;
    let inside = file.strip_prefix(&root).ok()?;
    let mut wanted: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (n, line) in lines.iter().enumerate() {
        wanted.entry(line.text.as_bytes()).or_default().push(n);
    }
    let mut found = vec![false; lines.len()];
    let (mut waiting, mut known) = (BinaryHeap::new(), HashSet::new());
    let mut push = |id: ObjectId, waiting: &mut BinaryHeap<(i64, ObjectId)>| {
        if known.insert(id)
            && let Ok(commit) = repository.find_commit(id)
        {
            waiting.push((commit.time().map_or(i64::MAX, |time| time.seconds), id));
        }
    };
    if let Ok(head) = repository.head_id() {
        push(head.detach(), &mut waiting);
    }
    for branch in repository.references().ok()?.local_branches().ok()?.flatten() {
        if let Ok(tip) = branch.into_fully_peeled_id() {
            push(tip.detach(), &mut waiting);
        }
    }
    let (mut versions, mut read) = (HashSet::new(), 0);
    while let Some((seconds, id)) = waiting.pop() {
        let oldest = wanted.values().flatten().map(|n| lines[*n].since.nanos().saturating_sub(SLACK)).min();
        if read > MOST || oldest.is_none_or(|oldest| seconds.saturating_mul(SECOND) < oldest) {
            break;
        }
        let Ok(commit) = repository.find_commit(id) else { continue };
        commit.parent_ids().for_each(|parent| push(parent.detach(), &mut waiting));
        let version = commit.tree().ok().and_then(|tree| tree.lookup_entry_by_path(inside).ok().flatten());
        let Some(version) = version.filter(|version| versions.insert(version.object_id())) else { continue };
        let Ok(object) = version.object() else { continue };
        read += object.data.len();
        for line in object.data.split(|byte| *byte == b'\n') {
            for n in wanted.remove(line.strip_suffix(b"\r").unwrap_or(line)).unwrap_or_default() {
                found[n] = true;
            }
        }
    }
    Some(found)
}
