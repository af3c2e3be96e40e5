//! The first commits of a history, read with gix.

use std::path::Path;

use gix::ObjectId;

use crate::vcs::layout::opened;

/// The commits without a parent here, the oldest first: of branches, and with `with_remotes` also of remotes and tags.
pub(crate) fn first_commits(common: &Path, with_remotes: bool) -> Vec<String> {
    let own = ["refs/heads/", "refs/jj/"];
    let wanted = if with_remotes { [&own[..], &["refs/remotes/", "refs/tags/"]].concat() } else { own.to_vec() };
    let find = || -> Option<Vec<String>> {
        let repository = opened::at(common).ok()?;
        let mut tips: Vec<ObjectId> = repository.head_id().ok().map(|id| id.detach()).into_iter().collect();
        for reference in repository.references().ok()?.all().ok()?.flatten() {
            let name = reference.name().as_bstr().to_string();
            if !wanted.iter().any(|start| name.starts_with(start)) {
                continue;
            }
            let Ok(id) = reference.into_fully_peeled_id() else { continue };
            if id.header().is_ok_and(|header| header.kind() == gix::object::Kind::Commit) {
                tips.push(id.detach());
            }
        }
        let mut found = Vec::new();
        for commit in repository.rev_walk(tips).all().ok()?.flatten() {
            if commit.parent_ids().next().is_none() {
                let time = commit.object().ok().and_then(|object| Some(object.time().ok()?.seconds));
                found.push((time.unwrap_or(i64::MAX), commit.id.to_string()));
            }
        }
        found.sort();
        found.dedup();
        Some(found.into_iter().map(|(_, id)| id).collect())
    };
    find().unwrap_or_default()
}

/// Whether the repository has this commit.
pub(crate) fn has_commit(common: &Path, id: &str) -> bool {
    let Ok(id) = ObjectId::from_hex(id.as_bytes()) else { return false };
    let header = opened::at(common).ok().and_then(|repository| repository.find_header(id).ok());
    header.is_some_and(|header| header.kind() == gix::object::Kind::Commit)
}
