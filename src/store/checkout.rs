//! The checkouts of the project's repository: which there are, and the id that each bears.
//!
//! Owns `beads-id` in the directory that version control keeps for a checkout alone, and `registry.jsonl` in the state home.
//! An id is minted once, is no hash of a path, and moves with the checkout. The registry knows what version control does not list
//! (workspaces of jj, shares of hg) and what is gone. A checkout need not be made by `bd` to be known.

use std::path::{Path, PathBuf};

use super::records::{Put, RecordError};
use super::{Result, StateDir, Store, place};
use crate::ledger::Document;
use crate::model::json::Object;
use crate::model::record::{KeyEdit, Record};
use crate::model::state_id;
use crate::sys::fs::{Dir, FsError};
use crate::vcs;

const ID_NAME: &str = "beads-id";
const REPO_ID_NAME: &str = "repo-id";
pub(super) const REGISTRY: &str = "registry.jsonl";

/// A checkout of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// `wt_` and 12 characters; `None` if it has none yet and could not be given one.
    pub id: Option<String>,
    /// `main`, or the name of its directory.
    pub name: String,
    pub root: PathBuf,
    pub branch: Option<String>,
    pub is_main: bool,
    /// It is the one that the project was found in.
    pub is_here: bool,
    /// Its directory is there.
    pub exists: bool,
}

impl Worktree {
    /// How answers name it: its id, if it has one, else its name.
    pub fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }

    /// Whether a person who typed this means it.
    pub fn is_called(&self, text: &str) -> bool {
        self.id.as_deref() == Some(text) || self.name == text || self.root.to_str() == Some(text)
    }
}

impl Store {
    /// The checkout that the project was found in, with its id; both are noted in the state home if they are new.
    pub fn worktree(&self) -> Result<Worktree> {
        let (root, admin) = self.own_places();
        let state = self.state();
        let registered = state.file(REGISTRY).read()?;
        let known = read_id(&admin);
        let is_copy = known.as_deref().is_some_and(|id| is_elsewhere(&registered, id, &root, &admin));
        let id = match known.filter(|_| !is_copy) {
            Some(id) => id,
            None => self.mint(&admin, ID_NAME, state_id::WORKTREE, is_copy)?,
        };
        let all = self.named(vec![]);
        let own = all.into_iter().find(|one| one.is_here).expect("this checkout is always among them");
        let own = Worktree { id: Some(id), ..own };
        self.register(&state, &own, &registered)?;
        Ok(own)
    }

    /// Every checkout that version control or the registry knows of, the main one first; those that are gone last.
    pub fn worktrees(&self) -> Result<Vec<Worktree>> {
        let registered = self.state().file(REGISTRY).read()?;
        Ok(self.named(listed(&registered)))
    }

    /// The same, and every one that is there has an id.
    pub fn worktrees_with_ids(&self) -> Result<Vec<Worktree>> {
        self.worktree()?;
        let mut all = self.worktrees()?;
        for one in all.iter_mut().filter(|one| one.exists && one.id.is_none()) {
            if let Some(admin) = vcs::open(&one.root).admin_dir() {
                one.id = self.mint(&admin, ID_NAME, state_id::WORKTREE, false).ok();
            }
        }
        Ok(all)
    }

    /// The checkout that a person means, by id, name or path.
    pub fn find_worktree(&self, text: &str) -> Result<Worktree> {
        let all = self.worktrees_with_ids()?;
        let path = place::real(&self.host.env.path(text)).display().to_string();
        let found = all.iter().find(|one| one.is_called(text)).or_else(|| all.iter().find(|one| one.is_called(&path)));
        found.cloned().ok_or_else(|| {
            let known = all.iter().map(|one| one.name.clone()).collect();
            super::StoreError::NoSuchWorktree { text: text.to_owned(), known }
        })
    }

    /// An id for the repository, for state homes that several repositories share.
    pub(super) fn repo_id(&self, member: usize) -> Result<String> {
        let beads = self.project.members[member].repo.beads();
        let directory = vcs::common_dir(beads).map_or_else(|| beads.join("run"), |common| common.join("beads"));
        match read_text(&directory.join(REPO_ID_NAME)).filter(|id| state_id::is(state_id::REPOSITORY, id)) {
            Some(id) => Ok(id),
            None => Ok(self.mint(&directory, REPO_ID_NAME, state_id::REPOSITORY, false)?),
        }
    }

    /// What names this clone among all clones of the repository.
    pub fn clone_id(&self) -> Result<String> {
        self.repo_id(0)
    }

    /// Where the repo that owns an issue is.
    pub fn root_of(&mut self, id: &str) -> Result<PathBuf> {
        let source = self.owner_of(id)?;
        Ok(self.project.members[self.sources.member_of(source)].repo.root().to_owned())
    }

    /// The root of this checkout, and the directory that version control keeps for it alone.
    fn own_places(&self) -> (PathBuf, PathBuf) {
        let beads = self.repo.beads();
        let vcs = vcs::open(beads);
        match vcs.admin_dir() {
            Some(admin) => (place::real(vcs.root()), admin),
            None => (place::real(self.repo.root()), beads.join("run")),
        }
    }

    /// Checkouts by version control and these others, with names that differ.
    fn named(&self, others: Vec<(String, PathBuf)>) -> Vec<Worktree> {
        let (here, own_admin) = self.own_places();
        let mut all: Vec<Worktree> = Vec::new();
        for one in vcs::open(self.repo.beads()).checkouts() {
            let id = read_id(&one.admin);
            let is_here = one.root == here;
            let (root, branch, is_main, exists) = (one.root, one.branch, one.is_main, one.exists);
            all.push(Worktree { id, name: String::new(), root, branch, is_main, is_here, exists });
        }
        if !all.iter().any(|one| one.is_here) {
            let is_main = all.is_empty();
            let id = read_id(&own_admin);
            let (name, branch) = (String::new(), vcs::open(&here).branch());
            all.push(Worktree { id, name, root: here, branch, is_main, is_here: true, exists: true });
        }
        for (id, root) in others {
            match all.iter_mut().find(|one| one.root == root || one.id.as_deref() == Some(id.as_str())) {
                Some(known) if known.id.is_none() && !known.exists => known.id = Some(id),
                Some(_) => {}
                None => {
                    let vcs = vcs::open(&root);
                    let exists = vcs.admin_dir().and_then(|admin| read_id(&admin)).as_deref() == Some(id.as_str());
                    let branch = if exists { vcs.branch() } else { None };
                    let name = String::new();
                    all.push(Worktree { id: Some(id), name, root, branch, is_main: false, is_here: false, exists });
                }
            }
        }
        all.sort_by_key(|one| !one.exists);
        let mut taken: Vec<String> = Vec::new();
        for one in &mut all {
            let base = match one.root.file_name() {
                Some(name) if !one.is_main => name.to_string_lossy().into_owned(),
                _ => "main".to_owned(),
            };
            let numbered = (2..).map(|n| format!("{base}#{n}"));
            let free = std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(name));
            one.name = free.unwrap_or(base);
            taken.push(one.name.clone());
        }
        all
    }

    /// Makes an id and keeps it in a file that only one can make; a copy of another checkout gets a new one.
    fn mint(&self, directory: &Path, name: &str, prefix: &str, anew: bool) -> std::result::Result<String, RecordError> {
        std::fs::create_dir_all(directory).map_err(|e| FsError::new("make", directory, e))?;
        if directory.parent().and_then(Path::file_name).is_some_and(|parent| parent == super::BEADS_DIR) {
            super::home::prepare(directory).map_err(|e| FsError::new("make", directory, e))?;
        }
        let file = directory.join(name);
        if anew {
            std::fs::remove_file(&file).map_err(|e| FsError::new("remove", &file, e))?;
        }
        let id = state_id::mint(prefix, self.host.entropy.bytes());
        let made = Dir::open(directory)?.create(name, format!("{id}\n").as_bytes(), &self.host.entropy)?;
        if made {
            return Ok(id);
        }
        // Another was faster, or the file holds something else.
        match read_text(&file).filter(|id| state_id::is(prefix, id)) {
            Some(id) => Ok(id),
            None => {
                let odd = std::io::Error::new(std::io::ErrorKind::InvalidData, "it holds no id");
                Err(FsError::new("read", file, odd).into())
            }
        }
    }

    /// Notes where a checkout is, if the registry does not know that.
    fn register(&self, state: &StateDir, own: &Worktree, registered: &Document) -> Result<()> {
        let Some(id) = own.id.clone() else { return Ok(()) };
        let root = own.root.display().to_string();
        if listed(registered).contains(&(id.clone(), own.root.clone())) {
            return Ok(());
        }
        let held = self.hold(state.clone())?;
        state.file(REGISTRY).edit::<RecordError>(held.lock(), &self.host.entropy, |document| {
            let now = self.host.clock.now().to_string();
            let text = match document.effective(&id).and_then(|line| document.record(line)) {
                Some(record) => {
                    let dialect = crate::model::json::Dialect::default();
                    let edits: [KeyEdit; 2] =
                        [("path", Some(dialect.string(&root))), ("moved_at", Some(dialect.string(&now)))];
                    record.with(&edits, dialect)
                }
                None => Object::new().text("id", &id).text("path", &root).text("created_at", &now).finish(),
            };
            Ok(vec![Put::Line { id: id.clone(), text }])
        })?;
        Ok(())
    }
}

fn read_text(path: &Path) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
}

fn read_id(admin: &Path) -> Option<String> {
    read_text(&admin.join(ID_NAME)).filter(|id| state_id::is(state_id::WORKTREE, id))
}

/// The checkouts that the registry knows.
fn listed(registered: &Document) -> Vec<(String, PathBuf)> {
    let records = (0..registered.len()).filter_map(|line| registered.record(line));
    let found = records.filter_map(|record: Record<'_>| {
        Some((record.string("id")?.into_owned(), PathBuf::from(record.string("path")?.as_ref())))
    });
    found.collect()
}

/// The registry knows this id at another path, and there it is still: this is a copy of that checkout.
fn is_elsewhere(registered: &Document, id: &str, root: &Path, admin: &Path) -> bool {
    listed(registered).into_iter().any(|(known, path)| {
        let other = || vcs::open(&path).admin_dir().unwrap_or_else(|| path.join(super::BEADS_DIR).join("run"));
        known == id
            && path != root
            && place::real(&other()) != place::real(admin)
            && read_id(&other()).as_deref() == Some(id)
    })
}
