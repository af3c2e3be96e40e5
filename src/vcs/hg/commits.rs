//! The commits of hg and sl, from `log`.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::call::{Client, is_node, without_answer};
use crate::model::time::{Instant, SECOND};
use crate::vcs::archive::Commit;
use crate::vcs::files::path_of;
use crate::vcs::{Carried, HistoryError, SyncError};

/// The template of a commit: a NUL follows each field, and no field contains one.
const FIELDS: &str =
    r"{node}\0{p1node}\0{p2node}\0{sub(r'\x00', '', author)}\0{date|hgdate}\0{sub(r'\x00', '', desc|firstline)}\0";
const COUNT: usize = 6;
/// The template of an outgoing commit: its hash, whether it is a merge, the first line of its message, its files; a NUL
/// after each, and one at the end.
const CARRIED: &str = r"{node}\0{ifeq(p2rev, -1, '', 'm')}\0{sub(r'\x00', '', desc|firstline)}\0{files % '{file}\0'}\0";
/// Functions of the revision language that talk to another side, and so may run ssh.
const FAR: [&str; 2] = ["remote", "outgoing"];

/// These commits and all their ancestors, children first.
pub(super) fn below(client: &Client<'_>, from: &[String]) -> Result<Vec<Commit>, SyncError> {
    if from.is_empty() {
        return Ok(Vec::new());
    }
    let output = client.must(&[], &["log", &set_below(from)?, &format!("--template={FIELDS}")], &[])?;
    let found = parse(&output.stdout);
    found.ok_or_else(|| client.failed(&["log"], &without_answer("it did not answer as asked")))
}

/// Those of the same commits that report a change of a file. A merge does not report a file that it took from a parent.
pub(super) fn naming_below(client: &Client<'_>, from: &[String], file: &Path) -> Result<HashSet<String>, SyncError> {
    let template = format!("--template={{ifcontains({}, files, '{{node}}\\n')}}", literal(file));
    let output = client.must(&[], &["log", &set_below(from)?, &template], &[])?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The one commit that a revision means.
pub(super) fn resolve(client: &Client<'_>, revision: &str) -> Result<Option<Commit>, SyncError> {
    if revision.trim().is_empty() || revision.contains('\0') || is_far(revision) {
        return Ok(None);
    }
    let (set, template) = (format!("--rev={revision}"), format!("--template={FIELDS}"));
    let output = client.run(&[], &["log", &set, "--limit=2", &template], &[])?;
    if !output.status.success() {
        // The revision is unknown or invalid; for any other problem, this fails too.
        client.must(&[], &["log", "--rev=null", "--template="], &[])?;
        return Ok(None);
    }
    let mut found = parse(&output.stdout).unwrap_or_default();
    if found.len() > 1 {
        return Err(SyncError::Several { revision: revision.to_owned() });
    }
    Ok(found.pop().filter(|commit| is_commit(&commit.id)))
}

/// Whether it is neither the null revision nor the working copy.
fn is_commit(node: &str) -> bool {
    is_node(node) && node.bytes().any(|byte| byte != b'f')
}

/// Whether a revision would talk to another side.
pub(super) fn is_far(revision: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    FAR.iter().any(|name| {
        revision.match_indices(name).any(|(at, _)| {
            let (before, after) = (&revision[..at], &revision[at + name.len()..]);
            !before.ends_with(is_word) && after.trim_start().starts_with('(')
        })
    })
}

fn set_below(from: &[String]) -> Result<String, SyncError> {
    match from.iter().find(|id| !is_node(id)) {
        Some(id) => Err(no_commit(id)),
        None => Ok(format!("--rev=reverse(::({}))", from.join("+"))),
    }
}

pub(super) fn no_commit(id: &str) -> SyncError {
    HistoryError::object(id, "this is not the full hash of a commit").into()
}

/// A name as a string of the template language, with every special character escaped.
fn literal(file: &Path) -> String {
    let bytes: String = file.as_os_str().as_bytes().iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("'{bytes}'")
}

fn parse(output: &[u8]) -> Option<Vec<Commit>> {
    let output = String::from_utf8_lossy(output);
    let mut fields: Vec<&str> = output.split('\0').collect();
    fields.pop().filter(|rest| rest.is_empty())?;
    let commit = |fields: &[&str]| {
        let &[id, one, other, user, date, summary] = fields else { return None };
        let seconds: i64 = date.split(' ').next()?.parse().ok()?;
        let time = Instant::from_nanos(seconds.saturating_mul(SECOND));
        let (author, email) = person(user);
        let parents = [one, other].into_iter().filter(|node| is_node(node)).map(str::to_owned).collect();
        let (id, summary) = (id.to_owned(), summary.to_owned());
        Some(Commit { id, parents, author, email, authored: time, committed: time, summary, is_cut: false })
    };
    fields.chunks(COUNT).map(commit).collect()
}

/// The name and the address in `Name <address>`; other text counts as one of them.
fn person(user: &str) -> (String, String) {
    match user.split_once('<') {
        Some((name, rest)) => {
            let address = rest.split('>').next().unwrap_or(rest).trim();
            let name = name.trim();
            ((if name.is_empty() { address } else { name }).to_owned(), address.to_owned())
        }
        None => {
            let user = user.trim();
            let is_address = user.contains('@') && !user.contains(char::is_whitespace);
            (user.to_owned(), if is_address { user.to_owned() } else { String::new() })
        }
    }
}

/// The commits of a set, oldest first. A commit without files that is not a merge does not belong to a ledger: it
/// closes or opens a branch.
pub(crate) fn carried(
    client: &Client<'_>,
    set: &str,
    is_ledger: &dyn Fn(&Path) -> bool,
) -> Result<Vec<Carried>, SyncError> {
    let output =
        client.must(&[], &["log", &format!("--rev=sort({set}, rev)"), &format!("--template={CARRIED}")], &[])?;
    let mut fields = output.stdout.split(|byte| *byte == 0);
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let mut commits = Vec::new();
    while let (Some(id), Some(merge), Some(subject)) = (fields.next(), fields.next(), fields.next()) {
        let files: Vec<&[u8]> = fields.by_ref().take_while(|file| !file.is_empty()).collect();
        let has_code = files.iter().any(|file| !is_ledger(&path_of(file))) || (files.is_empty() && merge.is_empty());
        let has_ledger = files.iter().any(|file| is_ledger(&path_of(file)));
        commits.push(Carried { id: text(id), subject: text(subject), has_code, has_ledger });
    }
    Ok(commits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people() {
        let person = |user: &str| {
            let (name, address) = person(user);
            format!("{name}|{address}")
        };
        assert_eq!(person("Ann Example <ann@example.org>"), "Ann Example|ann@example.org");
        assert_eq!(person("ann@example.org"), "ann@example.org|ann@example.org");
        assert_eq!((person("Ann"), person("<ann@x>")), ("Ann|".to_owned(), "ann@x|ann@x".to_owned()));
    }

    #[test]
    fn revisions_that_reach_out() {
        for far in ["remote()", "outgoing('ssh://x')", "::remote (\"x\")", "not(outgoing\n())"] {
            assert!(is_far(far), "{far}");
        }
        for near in ["remote", "remote/main", "my_remote(x)", "branch(remote)", "outgoing-fix", "."] {
            assert!(!is_far(near), "{near}");
        }
    }

    #[test]
    fn answers_of_log() {
        let (a, b, none) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let output = format!("{a}\0{b}\0{none}\0Ann <ann@x>\x00-5 -3600\0first\0{b}\0{none}\0{none}\0Bob\x007 0\0\0");
        let found = parse(output.as_bytes()).expect("an answer");
        let commit = &found[0];
        assert_eq!((commit.parents.as_slice(), commit.authored), ([b].as_slice(), Instant::from_nanos(-5 * SECOND)));
        assert_eq!((found[1].parents.len(), found[1].summary.as_str()), (0, ""));
        assert_eq!(parse(b""), Some(vec![]));
        assert_eq!((parse(b"half\0of"), parse(b"too\0few\0")), (None, None));
    }
}
