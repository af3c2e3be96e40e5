//! Chooses the bookmark that a working copy's commits go to, and compares it with the remote's.
//!
//! jj has no current bookmark. The user can name one. Otherwise it is the remote bookmark from which the working copy's
//! commits started: one that contains their last commit on the remote. A tracked one is preferred, then one exactly at
//! that commit, then the usual name of a trunk, then the first by name. A bookmark that only this repository has is
//! never chosen. If the remote has no bookmark at all, the nearest local one counts. `docs/sync.md` has the rule for
//! users.

use super::config;
use super::program::{Operation, Repo, quoted};
use crate::vcs::{Standing, SyncError};

const TRUNKS: [&str; 3] = ["main", "master", "trunk"];

/// A bookmark here and on the remote.
#[derive(Debug, Clone)]
pub(super) struct Bookmark {
    pub name: String,
    pub remote: String,
    /// The commit of the remote's, as fetched last.
    pub there: String,
    /// The commits of ours; several if both sides moved it.
    pub here: Vec<String>,
    pub tracked: bool,
}

impl Bookmark {
    /// The remote's, as jj writes it.
    pub(super) fn upstream(&self) -> String {
        format!("{}@{}", self.name, self.remote)
    }

    /// A pattern for this bookmark alone.
    pub(super) fn pattern(&self) -> String {
        format!("exact:{}", quoted(&self.name))
    }
}

/// The destination of commits.
pub(super) struct Course {
    /// The remote: `origin`, or the only one.
    pub remote: Option<String>,
    pub bookmark: Option<Bookmark>,
    /// The name of a local bookmark, if none is chosen on the remote.
    pub local: Option<String>,
    /// Whether the remote has no bookmarks at all.
    pub fresh: bool,
}

#[derive(Debug)]
struct Ref {
    name: String,
    remote: Option<String>,
    tracked: bool,
    targets: Vec<String>,
}

/// The remote: `origin`, or the only one.
pub(super) fn remote(repo: &Repo) -> Option<String> {
    let remotes = config::facts(&repo.root.join(".jj"), repo.env).remotes;
    let chosen = remotes.iter().find(|remote| remote.name == "origin");
    chosen.or(if let [only] = remotes.as_slice() { Some(only) } else { None }).map(|remote| remote.name.clone())
}

/// The destination for a working copy in one state, with the bookmark that the user named.
pub(super) fn course(repo: &Repo, at: Option<&Operation>, named: Option<&str>) -> Result<Course, SyncError> {
    let refs = refs(repo, at)?;
    let below = repo.ids(at, "heads(::@ & bookmarks())")?;
    let locals = refs.iter().filter(|found| found.remote.is_none());
    let local = locals.filter(|found| found.targets.iter().any(|target| below.contains(target)));
    let local = local.map(|found| found.name.clone()).min_by_key(|name| (rank(name), name.clone()));
    let local = named.map(str::to_owned).or(local);
    let Some(remote) = remote(repo) else {
        return Ok(Course { remote: None, bookmark: None, local, fresh: false });
    };
    let theirs: Vec<&Ref> = refs.iter().filter(|found| found.remote.as_deref() == Some(&*remote)).collect();
    if theirs.is_empty() {
        return Ok(Course { remote: Some(remote), bookmark: None, local, fresh: true });
    }
    let all = format!("remote_bookmarks(remote=exact:{})", quoted(&remote));
    let fork = repo.ids(at, &format!("heads(::@ & ::{all})"))?;
    let near = repo.ids(at, &format!("heads(::@ & ::{all}):: & {all}"))?;
    let candidates = theirs.into_iter().filter_map(|found| {
        let is_near = |target: &&String| named.is_some() || near.contains(target);
        let target = found.targets.first().filter(is_near)?;
        let exact = fork.contains(target);
        let is_usual = found.tracked || exact || TRUNKS.contains(&&*found.name);
        let is_meant = named.map_or(is_usual, |named| found.name == named);
        is_meant.then_some(((!found.tracked, !exact, rank(&found.name), &found.name), found))
    });
    let chosen = candidates.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, found)| found);
    let bookmark = chosen.and_then(|found| {
        let here = refs.iter().find(|other| other.remote.is_none() && other.name == found.name);
        Some(Bookmark {
            name: found.name.clone(),
            remote: remote.clone(),
            there: found.targets.first()?.clone(),
            here: here.map(|here| here.targets.clone()).unwrap_or_default(),
            tracked: found.tracked,
        })
    });
    Ok(Course { remote: Some(remote), bookmark, local, fresh: false })
}

fn rank(name: &str) -> usize {
    TRUNKS.iter().position(|trunk| *trunk == name).unwrap_or(TRUNKS.len())
}

/// All bookmarks. Those of the remote `git` mirror ours in a git repository beside jj's.
fn refs(repo: &Repo, at: Option<&Operation>) -> Result<Vec<Ref>, SyncError> {
    let fields = [
        "json(name)",
        "if(remote, json(remote))",
        "if(tracked, \"t\")",
        "added_targets.map(|commit| commit.commit_id()).join(\" \")",
    ];
    let template = format!("--template={} ++ \"\\n\"", fields.join(" ++ \"\\0\" ++ "));
    let output = repo.output(at, &["bookmark", "list", "--all-remotes", &template])?;
    let text = |field: &str| serde_json::from_str::<String>(field).ok();
    let read = |line: &str| {
        let [name, remote, tracked, targets] = line.split('\0').collect::<Vec<_>>().try_into().ok()?;
        let targets: Vec<String> = targets.split_whitespace().map(str::to_owned).collect();
        Some(Ref { name: text(name)?, remote: text(remote), tracked: !tracked.is_empty(), targets })
    };
    let all = output.lines().filter_map(read);
    Ok(all.filter(|found| found.remote.as_deref() != Some("git") && !found.targets.is_empty()).collect())
}

/// The number of commits only here and only there. After a deliberate rewrite of the bookmark here, the remote has
/// nothing new.
pub(super) fn distance(repo: &Repo, at: Option<&Operation>, bookmark: &Bookmark) -> Result<(usize, usize), SyncError> {
    let there = &bookmark.there;
    let ahead = repo.count(at, &format!("({there}..@-) ~ (empty() ~ merges())"))?;
    let behind = if is_rewritten(repo, at, bookmark)? { 0 } else { repo.count(at, &format!("@..{there}"))? };
    Ok((ahead, behind))
}

/// Whether the user has replaced or abandoned the commit that the remote still has, without pushing that.
pub(super) fn is_rewritten(repo: &Repo, at: Option<&Operation>, bookmark: &Bookmark) -> Result<bool, SyncError> {
    repo.log(at, &bookmark.there, "if(hidden, \"h\")").map(|printed| !printed.is_empty())
}

/// Compares with the last fetched state.
pub(super) fn standing(repo: &Repo, named: Option<&str>) -> Result<Standing, SyncError> {
    let course = course(repo, None, named)?;
    let Some(bookmark) = course.bookmark else { return Ok(Standing { branch: course.local, ..Standing::default() }) };
    let (ahead, behind) = distance(repo, None, &bookmark)?;
    Ok(Standing { upstream: Some(bookmark.upstream()), branch: Some(bookmark.name), ahead, behind })
}
