//! The repos of the project, and the hint that another could be joined.

use std::path::PathBuf;

use super::Result;
use crate::ledger::Document;
use crate::model::proposal::is_companion_line;
use crate::ops;
use crate::store::{self, Access, RepoProblem, Store, Warning};
use crate::sys::below;
use crate::sys::cache_dir::{self, Kind};

/// In the state home of a clone whose user was asked about a planning repo.
const HINTED_NAME: &str = "hinted";

/// A repo of the project and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoStatus {
    /// `rp_` and 12 characters, if requested and available.
    pub id: Option<String>,
    pub name: String,
    pub path: String,
    /// primary, planning or additional.
    pub kind: &'static str,
    /// The layer that configures it; `None` for the primary.
    pub origin: Option<&'static str>,
    pub ledger: Option<String>,
    pub issues: usize,
    pub access: Access,
    /// Its ledger is committed after each write.
    pub commits: bool,
}

/// All repos of the project. Their ids are included only on request: a repo without one then gets one.
pub fn repos(store: &mut Store, with_ids: bool) -> Result<Vec<RepoStatus>> {
    store.look_again()?;
    let ids = if with_ids { ops::repository_ids(store) } else { vec![None; store.repos().members.len()] };
    let mut all = Vec::new();
    for (n, id) in ids.into_iter().enumerate() {
        let access = store.access(n)?;
        let counted = store.documents().into_iter().filter(|(repo, _, _)| *repo == n);
        let lines = |document: &Document| {
            let issue = |n: &usize| document.id(*n).is_some() && !is_companion_line(document.text(*n));
            (0..document.len()).filter(issue).count()
        };
        let issues = counted.map(|(_, _, document)| lines(document)).sum();
        let planning = store.is_planning(n);
        let member = &store.repos().members[n];
        let kind = match (n, planning) {
            (0, _) => "primary",
            (_, true) => "planning",
            _ => "additional",
        };
        all.push(RepoStatus {
            id,
            name: member.name.clone(),
            path: member.repo.root().display().to_string(),
            kind,
            origin: member.origin.map(|origin| origin.word()),
            ledger: store.ledger_path(n).map(|path| path.display().to_string()),
            issues,
            access,
            commits: store.commits(n),
        });
    }
    Ok(all)
}

/// The repos of the project, named as in answers, its own first.
pub fn repo_names(store: &Store) -> Vec<String> {
    store.repos().members.iter().map(|member| member.name.clone()).collect()
}

/// Whether to ask a person about a planning repo: once for each clone. Records that it was asked.
pub fn asks_for_planning(store: &Store) -> bool {
    let Some(home) = store.settings().files.personal.parent() else { return false };
    if home.join(HINTED_NAME).exists() {
        return false;
    }
    crate::store::prepare_home(home).is_ok() && below::put(home, HINTED_NAME, b"planning\n").is_ok()
}

/// The number of a named repo; one outside the project joins it temporarily.
pub fn join(store: &mut Store, text: &str) -> Result<usize> {
    Ok(store.join(text)?)
}

/// Whether a repo, named as in an answer, is outside the project.
pub fn is_guest(store: &Store, name: &str) -> bool {
    store.is_guest(name)
}

/// The last report of joined repos that are not in use.
const REPORTED: Kind = Kind { suffix: ".reported", family: b"bd-reported-", version: b"1", limit: 1 << 16 };

/// Whether the joined repos that are not in use were reported to the user; if not, they count as reported now.
pub fn was_reported(store: &Store, warnings: &[Warning]) -> bool {
    let unused = warnings.iter().filter(|warning| matches!(warning, Warning::Repo(problem) if problem.is_unused()));
    let text: String = unused.map(|warning| format!("{warning:?}\n")).collect();
    let root = store.repo().root().as_os_str().as_encoded_bytes();
    let Some(path) = cache_dir::place(&store.host().env, [root]).filter(|_| !text.is_empty()) else { return false };
    let path = REPORTED.at(&path);
    let known = REPORTED.load(&path).is_some_and(|known| known == text.as_bytes());
    if !known {
        REPORTED.save(&path, text.as_bytes());
    }
    known
}

/// A joined repo that is not there, and where the committed settings say that it can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRepo {
    pub text: String,
    pub path: PathBuf,
    pub address: Option<String>,
}

/// The joined repos that are only left out.
fn unused_repos(store: &Store) -> Vec<RepoProblem> {
    store.repos().problems.iter().filter(|problem| problem.is_unused()).cloned().collect()
}

pub fn missing_repos(store: &Store) -> Vec<MissingRepo> {
    let addresses: Vec<&str> = store.settings().list("repos.addresses").into_iter().map(|(text, _)| text).collect();
    let address = |of: &str| {
        let pairs = addresses.iter().filter_map(|text| text.trim().rsplit_once(char::is_whitespace));
        let address = pairs.into_iter().find(|(path, _)| path.trim() == of).map(|(_, address)| address);
        // An address may be a path from the project.
        address.map(|address| match address.starts_with("./") || address.starts_with("../") {
            true => store.repos().root.join(address).display().to_string(),
            false => address.to_owned(),
        })
    };
    let mut found = Vec::new();
    for problem in unused_repos(store) {
        if let RepoProblem::Missing { text, path, .. } = problem {
            found.push(MissingRepo { address: address(&text), text, path });
        }
    }
    found
}

/// Clones a joined repo from its address.
pub fn clone_repo(store: &Store, one: &MissingRepo) -> Result<()> {
    let address = one.address.as_deref().unwrap_or_default();
    Ok(store::clone_repository(address, &one.path, &store.host().env)?)
}
