//! Our commits on top of the remote's: their content, and how one file of one of them is replaced.

use std::path::{Path, PathBuf};

use super::program::{Operation, Repo, name, quoted};
use crate::vcs::SyncError;

/// One commit of a stack. Its change id survives a rewrite.
#[derive(Debug)]
pub(super) struct Commit {
    pub id: String,
    pub change: String,
    pub parents: Vec<String>,
    /// Whether it is the working copy's own.
    pub current: bool,
    pub empty: bool,
    /// For each ledger, whether this commit changes it.
    pub touches: Vec<bool>,
    pub conflicts: Vec<PathBuf>,
}

/// The commits of a set, parents first.
pub(super) fn read(
    repo: &Repo,
    at: &Operation,
    revisions: &str,
    ledgers: &[PathBuf],
) -> Result<Vec<Commit>, SyncError> {
    let touches = ledgers.iter().map(|ledger| match name(ledger) {
        Some(name) => format!("if(self.diff({}).files(), \"1\", \"0\")", quoted(&name)),
        None => "\"0\"".to_owned(),
    });
    let mut fields = vec![
        "commit_id".to_owned(),
        "change_id".to_owned(),
        "parents.map(|commit| commit.commit_id()).join(\" \")".to_owned(),
        "if(current_working_copy, \"1\")".to_owned(),
        "if(empty, \"1\")".to_owned(),
        touches.chain(["\"\"".to_owned()]).collect::<Vec<_>>().join(" ++ "),
        "stringify(conflicted_files.len())".to_owned(),
    ];
    fields.push("conflicted_files.map(|file| file.path() ++ \"\\0\").join(\"\")".to_owned());
    let printed = repo.log(Some(at), revisions, &fields.join(" ++ \"\\0\" ++ "))?;
    let mut fields = printed.split('\0');
    let mut commits = Vec::new();
    while let Some(commit) = next(&mut fields) {
        commits.push(commit);
    }
    Ok(commits)
}

fn next<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Commit> {
    let id = fields.next().filter(|id| !id.is_empty())?.to_owned();
    let change = fields.next()?.to_owned();
    let parents = fields.next()?.split_whitespace().map(str::to_owned).collect();
    let current = !fields.next()?.is_empty();
    let empty = !fields.next()?.is_empty();
    let touches = fields.next()?.chars().map(|c| c == '1').collect();
    let count = fields.next()?.parse().ok()?;
    let conflicts = fields.take(count).map(PathBuf::from).collect();
    Some(Commit { id, change, parents, current, empty, touches, conflicts })
}

/// Sets the content of one file in one commit, or removes it. Descendants are rebased.
pub(super) fn put(
    repo: &Repo,
    at: &Operation,
    revision: &str,
    file: &Path,
    bytes: Option<&[u8]>,
) -> Result<Operation, SyncError> {
    let Some(name) = name(file) else { return Ok(at.clone()) };
    let Some(bytes) = bytes else {
        return repo.change(at, &["restore", "--from=root()", &format!("--into={revision}"), "--", &name]);
    };
    let unusable = |source| SyncError::Path { path: std::env::temp_dir(), source };
    let mut prepared = tempfile::NamedTempFile::new().map_err(unusable)?;
    std::io::Write::write_all(&mut prepared, bytes).map_err(unusable)?;
    // jj passes the file to a diff editor; ours is a copy command.
    let from = prepared.path().to_string_lossy();
    let to = format!("$right/{}", file.display());
    let arguments = toml::Value::from(vec![from.as_ref(), to.as_str()]);
    let settings = [
        "--config=ui.diff-instructions=false".to_owned(),
        "--config=merge-tools.bd-put.program=\"cp\"".to_owned(),
        format!("--config=merge-tools.bd-put.edit-args={arguments}"),
    ];
    let mut command = vec!["diffedit", "--tool=bd-put", "--from=root()"];
    let into = format!("--to={revision}");
    command.push(&into);
    command.extend(settings.iter().map(String::as_str));
    command.extend(["--", &name]);
    repo.change(at, &command)
}
