//! Checks whether commits of the primary would carry private data: private issues, their notes, the path of the
//! planning repo.

use std::path::{Path, PathBuf};

use super::guard::{Found, FoundLeak, Guard};
use crate::ledger::{Document, MAX_LEDGER};
use crate::model::id;
use crate::store::error::as_store;
use crate::store::project::warning::Warning;
use crate::store::project::{paths, planning_repo};
use crate::store::read::index::expected;
use crate::store::{Project, RepoProblem, Result, Snapshot, StoreError};
use crate::sys::{below, fs};
use crate::vcs::{Changed, Span, SyncError};
use crate::{sys, vcs};

/// What to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeakScope {
    /// What is staged, against the last commit; with jj and hg, what a commit would include.
    Staged,
    /// Every commit of `A..B`, or of a revset of jj or hg, against its parents.
    Range(String),
    /// What a push would send: the remote's name, and the lines that git passes to its hook.
    Push { remote: String, refs: String },
    /// One file, completely.
    Ledger(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeakReport {
    /// How many versions of files were checked.
    pub checked: usize,
    pub leaks: Vec<FoundLeak>,
    /// Files that were too large to check.
    pub skipped: Vec<String>,
}

const PLANNING: &str = "a planning repo";
const SETTINGS: &str = "the personal settings";

impl Project {
    /// Refuses to write private issues to a file that the primary's next commit may include.
    pub fn check_export(&self, path: &Path, rows: &[crate::store::Row]) -> Result<()> {
        let is_private =
            |row: &&crate::store::Row| self.is_planning(row.repo) || row.issue.visibility.as_deref() == Some("local");
        let ids: Vec<String> = rows.iter().filter(is_private).map(|row| row.issue.id.clone()).collect();
        let real = landing(path);
        // A hard link: its other names may be anywhere, perhaps a ledger or a tracked file.
        if let Some(names) = fs::names_of(&real).filter(|names| *names > 1) {
            return Err(StoreError::SharedFile { path: path.to_owned(), names });
        }
        let primary = self.repos.primary_member().repo.root();
        let root = |path: &Path| vcs::root(path).map(|root| paths::real(&root));
        let above = real.parent().unwrap_or(&real);
        // Another checkout or clone of the project is just as unsafe.
        let family = |found: &PathBuf| {
            Some(found) == root(primary).as_ref() || planning_repo::is_same_project(primary, found, &self.host.env)
        };
        let Some(inside) = root(above).filter(family) else { return Ok(()) };
        // Version control never commits its own files.
        let own = [".git", ".jj", ".hg", ".sl"].iter().any(|name| real.starts_with(inside.join(name)));
        if ids.is_empty() || own || vcs::is_ignored(&real, &self.host.env) == Some(true) {
            return Ok(());
        }
        Err(StoreError::PrivateExport { path: path.to_owned(), ids })
    }

    /// The working copy whose commits are checked: that of the current directory. A workspace may have no ledger of its
    /// own, and a variable can name another checkout's ledger. A planning repo has nothing to hide from itself, so
    /// there it is the primary.
    fn leaving(&self) -> PathBuf {
        let root = |path: &Path| vcs::root(path).map(|root| paths::real(&root));
        let plans = (0..self.repos.members.len()).filter(|member| self.is_planning(*member));
        let plans: Vec<PathBuf> = plans.filter_map(|member| root(self.repos.members[member].repo.root())).collect();
        let here = root(&self.start).filter(|here| !plans.contains(here));
        here.unwrap_or_else(|| self.repos.primary_member().repo.root().to_owned())
    }

    /// Paths that no one else needs to know.
    fn private_paths(&self) -> Vec<(PathBuf, &'static str)> {
        let mut paths = vec![(self.settings.files.personal.clone(), SETTINGS)];
        let primary = paths::real(self.repos.primary_member().repo.root());
        let home = self.host.env.home().map(|home| paths::real(&home));
        let wide = |path: &Path| primary.starts_with(path) || home.as_deref() == Some(path);
        for (_, member) in self.repos.members.iter().enumerate().filter(|(n, _)| self.is_planning(*n)) {
            // A planning repo above the project is recognised by its ledger; other files there are not private.
            let root = member.repo.root();
            paths.push((if wide(root) { member.repo.beads() } else { root }.to_owned(), PLANNING));
        }
        if self.has_roles() {
            let named =
                ["routing.auto.contributor", "routing.default"].iter().filter_map(|key| self.settings.text(key));
            let named = named.map(|(text, _)| self.repos.path_of(text, &self.host.env));
            let missing = self.repos.problems.iter().filter_map(|problem| match problem {
                RepoProblem::Missing { path, .. } | RepoProblem::NoRepo { path, .. } => Some(path.clone()),
                _ => None,
            });
            paths.extend(named.chain(missing).filter(|path| !wide(&paths::real(path))).map(|path| (path, PLANNING)));
        }
        paths
    }

    /// The ways in which people and programs write a path.
    fn spellings(&self, path: &Path) -> Vec<Vec<u8>> {
        let home = self.host.env.home();
        let homes: Vec<PathBuf> = home.into_iter().flat_map(|home| [paths::real(&home), home]).collect();
        let mut texts = Vec::new();
        for path in [paths::plain(path), paths::real(path)] {
            texts.push(path.as_os_str().as_encoded_bytes().to_vec());
            let below = homes.iter().filter_map(|home| path.strip_prefix(home).ok());
            for below in below.filter(|below| !below.as_os_str().is_empty()) {
                let below = below.as_os_str().as_encoded_bytes();
                texts.extend(["~/", "$HOME/", "${HOME}/"].map(|start| [start.as_bytes(), below].concat()));
            }
        }
        texts
    }
}

impl Snapshot {
    /// Finds what a commit of the primary must not carry.
    pub fn check_leaks(&self, scope: &LeakScope) -> Result<LeakReport> {
        self.refuse_broken()?;
        let guard = self.guard();
        let mut report = LeakReport::default();
        let mut look = |changed: Changed| {
            let file = changed.path.display().to_string();
            let Some(new) = changed.new else { return report.skipped.push(file) };
            report.checked += 1;
            for (line, found) in guard.look(&changed.old, &new) {
                report.leaks.push(FoundLeak { commit: changed.commit.clone(), file: file.clone(), line, found });
            }
        };
        let (span, what) = match scope {
            LeakScope::Ledger(path) => {
                let new = below::read_own(path, MAX_LEDGER)?.bytes;
                look(Changed { commit: None, path: path.clone(), old: Vec::new(), new: Some(new) });
                return Ok(report);
            }
            LeakScope::Staged => (Span::Staged, "--staged"),
            LeakScope::Range(text) => (Span::Range(text), "--range"),
            LeakScope::Push { remote, refs } => (Span::Push { remote, refs }, "a check before a push"),
        };
        vcs::open(&self.leaving()).changes(span, &self.host.env, &mut look).map_err(|error| match error {
            SyncError::History(error) => as_store(error, what),
            other => other.into(),
        })?;
        Ok(report)
    }

    /// Everything private, from all readable repos; a warning names each that cannot be read.
    pub(in crate::store) fn guard(&self) -> Guard {
        let mut guard = Guard::default();
        let primary = self.repos.primary_member();
        let configured = primary.prefix.clone();
        guard.add_target(primary.named_prefix().unwrap_or_else(|| primary.repo.default_prefix()));
        for source in 0..self.sources.len() {
            let ledger = self.sources.ledger(source);
            let member = self.sources.member_of(source);
            if member == 0 {
                // Without waiting for locks: in a hook git is always in the middle of an operation.
                for document in ledger.bytes_now().into_iter().map(Document::new) {
                    guard.add_public(&document);
                    // An unconfigured prefix was the most common one at that time, which may have changed.
                    if configured.is_none() {
                        document
                            .ids()
                            .filter_map(|id| id::prefix_of(&id).map(str::to_owned))
                            .for_each(|prefix| guard.add_target(prefix));
                    }
                }
                continue;
            }
            match ledger.read(|| expected(ledger.path())) {
                Ok(read) if self.is_planning(member) => {
                    guard.add_planning(&read.document);
                    // An issue that left the ledger is still private.
                    match self.ever_in(source) {
                        Ok(former) => former.into_iter().for_each(|(id, line)| guard.add_former(id, line)),
                        Err(error) => {
                            let (repo, message) = (self.name(member).to_owned(), error.to_string());
                            self.notices.add(Warning::Unread { repo, message });
                        }
                    }
                }
                Ok(read) => guard.add_public(&read.document),
                Err(error) => {
                    let (repo, message) = (self.name(member).to_owned(), error.to_string());
                    self.notices.add(Warning::Unread { repo, message });
                }
            }
        }
        guard.set_others(|owner| self.is_owner(owner, 0));
        for (path, what) in self.private_paths() {
            for text in self.spellings(&path) {
                guard.add_path(text, what);
            }
        }
        guard
    }
}

/// Where a file would be written: through links, even dangling ones.
fn landing(path: &Path) -> PathBuf {
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = sys::path::link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    paths::real(&path)
}

impl Found {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        use crate::model::proposal::Leak;
        match self {
            Found::Issue { leak: Leak::Local, .. } => "local_issue",
            Found::Issue { leak: Leak::Private, .. } => "private_issue",
            Found::Issue { leak: Leak::Field(_), .. } => "private_field",
            Found::Issue { leak: Leak::Dependency(_), .. } => "private_dependency",
            Found::Issue { leak: Leak::Mention(_), .. } => "private_mention",
            Found::Path(_) => "path",
        }
    }
}
