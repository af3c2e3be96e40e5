//! The commits that a push would send, and the files that each touches.
//!
//! A ledger's commit is pushed with all its ancestors that the remote lacks; so are commits that the user has moved the
//! bookmark over. `commit` puts ledger commits below those that the user has not pushed, so those are rarely included.

use super::beside;
use super::bookmark::{self, Bookmark, Course};
use super::commit::lowest;
use super::program::{Repo, name, quoted};
use crate::vcs::{Area, Carried, Outgoing, Parcel, Route, SyncError};

pub(super) fn outgoing(repo: &Repo, named: Option<&str>, route: &Route<'_>) -> Result<Outgoing, SyncError> {
    beside::check_finished(repo.root)?;
    let Course { remote, bookmark: found, local, fresh } = bookmark::course(repo, None, named)?;
    let Some(remote) = remote else {
        return Ok(held("there is neither a remote called origin nor exactly one other remote"));
    };
    let Some(found) = found else {
        return match named {
            _ if fresh => first(repo, &remote, local, route),
            Some(named) => Ok(held(&format!("{remote} has no bookmark `{named}`; push it once with jj"))),
            None => Ok(held(&format!("none of {remote}'s bookmarks is meant; name one with --bookmark"))),
        };
    };
    let there = &found.there;
    if bookmark::is_rewritten(repo, None, &found)? {
        return Ok(held(&format!("{} was rewritten here; push it with jj", found.name)));
    }
    if repo.count(None, &format!("@..{there}"))? > 0 {
        return Ok(Outgoing::Outrun);
    }
    let wanted = wanted(repo, &found, route)?;
    let (revisions, to) = (|tip: &str| format!("{there}..{tip}"), found.upstream());
    match wanted.as_slice() {
        [] => Ok(Outgoing::Nothing),
        [tip] if repo.count(None, &format!("{tip} & {there}::"))? == 0 => {
            Ok(held(&format!("{} does not descend from {to}; push it with jj", found.name)))
        }
        [tip] => {
            let commits = carried(repo, &revisions(tip), Some((there, tip)), route)?;
            Ok(Outgoing::Ready(Parcel { tip: tip.clone(), to, commits }))
        }
        _ => Ok(held(&format!("the ledger's commits are on several branches above {to}; merge them with jj"))),
    }
}

/// The last commits to push: of ledgers, and those that the user has moved the bookmark over.
fn wanted(repo: &Repo, found: &Bookmark, route: &Route<'_>) -> Result<Vec<String>, SyncError> {
    let there = &found.there;
    let given = if found.here.is_empty() { "none()".to_owned() } else { found.here.join("|") };
    // Settings beside the ledger that were committed with code wait for the code; the ledger itself is never skipped.
    let (all, own) = (inside(route), joined(route.ledgers.iter().filter_map(ledger_files)));
    let mut ledgers =
        format!("(({there}..@-) & ({} | ({} ~ {})))", files(&own), files(&all), files(&format!("~({all})")));
    if route.would_commit() {
        // A commit that cannot go below the user's will be on top of them.
        let names: Vec<String> = route.ledgers.iter().filter_map(fileset).collect();
        if lowest(repo, &names)?.is_none() {
            ledgers = format!("({there}..@-)");
        }
    }
    repo.ids(None, &format!("heads({ledgers} | ({there}..({given})))"))
}

/// For an empty remote.
fn first(repo: &Repo, remote: &str, local: Option<String>, route: &Route<'_>) -> Result<Outgoing, SyncError> {
    let [tip] = repo.ids(None, "@- ~ root()")?.try_into().unwrap_or_default();
    let tip: String = tip;
    if tip.is_empty() && !route.would_commit() {
        return Ok(Outgoing::Nothing);
    }
    // A new commit would be on top of the working copy's ancestors.
    let commits = carried(repo, "::@- ~ root()", None, route)?;
    let to = format!("{}@{remote}", local.as_deref().unwrap_or(super::exchange::USUAL));
    Ok(Outgoing::Ready(Parcel { tip, to, commits }))
}

pub(super) fn incoming(repo: &Repo, named: Option<&str>, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
    match bookmark::course(repo, None, named)?.bookmark {
        Some(found) => carried(repo, &format!("@..{}", found.there), None, route),
        None => Ok(Vec::new()),
    }
}

/// The commits of a set, oldest first. For a merge, files count that differ from all its parents; with both ends given,
/// also those that it reverts.
fn carried(
    repo: &Repo,
    revisions: &str,
    ends: Option<(&str, &str)>,
    route: &Route<'_>,
) -> Result<Vec<Carried>, SyncError> {
    let (inside, outside) = (inside(route), format!("~({})", inside(route)));
    let touches = |set: &str| format!("if(self.diff({}).files(), \"+\")", quoted(set));
    let fields = [
        "commit_id".to_owned(),
        touches(&outside),
        touches(&inside),
        "if(parents.len() > 1, \"m\")".to_owned(),
        "json(description.first_line())".to_owned(),
    ];
    let printed = repo.log(None, revisions, &format!("{} ++ \"\\n\"", fields.join(" ++ \"\\0\" ++ ")))?;
    let mut merges = Vec::new();
    let mut commits = Vec::new();
    for line in printed.lines() {
        let [id, code, ledger, merge, subject] = line.split('\0').collect::<Vec<_>>().try_into().unwrap_or_default();
        if !merge.is_empty() {
            merges.push(commits.len());
        }
        let subject = serde_json::from_str(subject).unwrap_or_default();
        let (has_code, has_ledger) = (!code.is_empty(), !ledger.is_empty());
        commits.push(Carried { id: id.to_owned(), subject, has_code, has_ledger });
    }
    if let Some((from, to)) = ends
        && !merges.is_empty()
        && !commits.iter().any(|commit| commit.has_code)
    {
        let (from, to) = (format!("--from={from}"), format!("--to={to}"));
        if !repo.ask(None, &["diff", "--summary", &from, &to, "--", &outside])?.is_empty() {
            merges.into_iter().for_each(|merge| commits[merge].has_code = true);
        }
    }
    Ok(commits)
}

fn files(set: &str) -> String {
    format!("files({set})")
}

/// The files of ledgers, in jj's language.
fn inside(route: &Route<'_>) -> String {
    joined(route.ledgers.iter().filter_map(fileset))
}

fn joined(sets: impl Iterator<Item = String>) -> String {
    let sets: Vec<String> = sets.collect();
    if sets.is_empty() { "none()".to_owned() } else { sets.join("|") }
}

/// A ledger without the files beside it.
fn ledger_files(area: &Area) -> Option<String> {
    match area {
        Area::Below(directory) => Some(format!("root-glob:{}", quoted(&format!("{}/*.jsonl", directory.to_str()?)))),
        _ => fileset(area),
    }
}

fn fileset(area: &Area) -> Option<String> {
    match area {
        Area::All => Some("all()".to_owned()),
        Area::Below(directory) => {
            let name = quoted(directory.to_str()?);
            Some(format!("(root:{name} ~ root-file:{name})"))
        }
        Area::File(file) => name(file),
    }
}

fn held(why: &str) -> Outgoing {
    Outgoing::Held(why.to_owned())
}
