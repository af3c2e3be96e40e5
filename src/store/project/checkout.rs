//! The checkouts of the project's repository, and their ids.
//!
//! Owns `beads-id` in the directory that version control keeps for a single checkout; `registry.rs` records where each
//! was seen. An id is minted once, is not derived from a path, and moves with the checkout. The registry knows
//! checkouts that version control does not list (workspaces of jj, shares of hg) and deleted ones. Checkouts count
//! whether or not `bd` made them.

use std::path::{Path, PathBuf};

use super::pointer::Pointer;
use super::worktree::Worktree;
use super::{family, paths};
use crate::ledger::Document;
use crate::model::seen::SeenCheckout;
use crate::model::state_id;
use crate::store::state::checkout_id::{ID_NAME, REPO_ID_NAME, place_of, read_id, read_text, without_repository};
use crate::store::state::directory::{fill, prepare};
use crate::store::state::outbox;
use crate::store::state::record_error::RecordError;
use crate::store::state::tables::REGISTRY;
use crate::store::{Project, Repo, Result, StateDir, Store, StoreError};
use crate::sys::below;
use crate::vcs;

impl Project {
    /// The id of this checkout, if it already has one; writes nothing.
    pub fn known_worktree_id(&self) -> Option<String> {
        own_id(&self.repo)
    }

    fn own(&self, registered: &Document) -> Worktree {
        let all = self.named(0, REGISTRY.rows(registered).collect());
        all.into_iter().find(|one| one.is_here).expect("this checkout is always among them")
    }

    /// Every checkout that version control or the registry knows, the main one first, deleted ones last.
    pub fn worktrees(&self) -> Result<Vec<Worktree>> {
        self.worktrees_of(0)
    }

    /// The checkouts of one repo of the project. `is_here` then marks the one that the project reads.
    pub(in crate::store) fn worktrees_of(&self, member: usize) -> Result<Vec<Worktree>> {
        let mut known: Vec<SeenCheckout> = REGISTRY.rows(&self.registry_of(member)?).collect();
        if member != 0 && self.registry_path_of(member) != self.registry_path_of(0) {
            // Earlier versions registered the workspaces of every repo here.
            let noted_here: Vec<SeenCheckout> = REGISTRY.rows(&self.registry_of(0)?).collect();
            known.extend(noted_here.into_iter().filter(|entry| has_id(&entry.root, &entry.id)));
        }
        Ok(self.named(member, known))
    }

    /// The id of a checkout, minted if necessary; `None` without version control.
    pub fn worktree_id_for(&self, root: &Path) -> Result<Option<String>> {
        let Some(admin) = vcs::open(&paths::real(root)).admin_dir() else { return Ok(None) };
        match read_id(&admin) {
            Some(id) => Ok(Some(id)),
            None => Ok(Some(self.mint_id(&admin, &root.join(crate::store::BEADS_DIR), false)?)),
        }
    }

    /// An id for the repository, for state homes shared by several repositories.
    pub fn repository_id(&self, member: usize) -> Result<String> {
        match self.known_repository_id(member) {
            Some(id) => Ok(id),
            None => Ok(self.mint(&self.repo_id_directory(member), REPO_ID_NAME, state_id::REPOSITORY, false, None)?),
        }
    }

    /// The id of a repo of the project, if it has one yet.
    pub(in crate::store) fn known_repository_id(&self, member: usize) -> Option<String> {
        let id = read_text(&self.repo_id_directory(member), REPO_ID_NAME)?;
        Some(id).filter(|id| state_id::is(state_id::REPOSITORY, id))
    }

    /// Where the id of a repository is stored.
    fn repo_id_directory(&self, member: usize) -> PathBuf {
        let beads = self.repos.members[member].repo.beads();
        vcs::common_dir(beads).map_or_else(|| without_repository(beads), |common| place_of(&common))
    }

    /// Identifies this clone among all clones of the repository.
    pub fn known_clone_id(&self) -> Option<String> {
        self.known_repository_id(0)
    }

    /// The id of this clone, minted if necessary.
    pub fn clone_id(&self) -> Result<String> {
        self.repository_id(0)
    }

    /// The state homes of the project's repos, each with the ids of the repos that use it, as far as they have one.
    pub fn homes_of_repos(&self) -> Vec<(StateDir, Vec<String>)> {
        let mut homes: Vec<(StateDir, Vec<String>)> = Vec::new();
        for member in 0..self.repos.members.len() {
            let state = StateDir::of(self.state_home_of(member));
            let id = self.known_repository_id(member);
            match homes.iter_mut().find(|(known, _)| known.path() == state.path()) {
                Some((_, ids)) => ids.extend(id),
                None => homes.push((state, id.into_iter().collect())),
            }
        }
        homes
    }

    /// The state home of one repo of the project, and the repo's id, minted if necessary.
    pub fn home_of_repo(&self, member: usize) -> Result<(StateDir, String)> {
        Ok((StateDir::of(self.state_home_of(member)), self.repository_id(member)?))
    }

    /// The checkout from which workspaces of a repo are made, and the repo's path in it. In a workspace this is the
    /// workspace's own parent.
    pub fn workspace_parent(&self, member: usize) -> (PathBuf, PathBuf) {
        let repo = &self.repos.members[member].repo;
        let own = vcs::root(repo.beads()).unwrap_or_else(|| repo.root().to_owned());
        let inside = paths::real(repo.root()).strip_prefix(paths::real(&own)).map(Path::to_owned).unwrap_or_default();
        (paths::real(&family::parent(repo.beads()).unwrap_or(own)), inside)
    }

    /// Makes a clone or a copy a workspace of one repo of the project, with the state home and id of that repo.
    pub fn make_workspace_of(&self, member: usize, root: &Path) -> Result<()> {
        let (_, repo) = self.home_of_repo(member)?;
        let directory = match vcs::common_dir(root) {
            Some(common) => place_of(&common),
            None => root.join(crate::store::BEADS_DIR).join("run"),
        };
        self.pointer_to(member)?.write(&directory, &self.host.entropy).map_err(RecordError::from)?;
        let text = format!("{repo}\n");
        fill(&directory, REPO_ID_NAME, text.as_bytes(), &self.host.entropy).map_err(RecordError::from)?;
        Ok(())
    }

    /// Points a workspace to its repo after the repo was moved.
    pub fn lead_workspace_to(&self, member: usize, root: &Path) -> Result<()> {
        let Some(common) = vcs::common_dir(root) else { return Err(StoreError::NotARepo { path: root.to_owned() }) };
        let pointer = self.pointer_to(member)?;
        Ok(pointer.rewrite(&place_of(&common)).map_err(RecordError::from)?)
    }

    fn pointer_to(&self, member: usize) -> Result<Pointer> {
        let (state, _) = self.home_of_repo(member)?;
        let repo = &self.repos.members[member].repo;
        let first = family::parent(repo.beads()).or_else(|| vcs::root(repo.beads()));
        let parent = Some(paths::real(&first.unwrap_or_else(|| repo.root().to_owned())));
        Ok(Pointer { home: paths::real(state.path()), parent })
    }

    /// The repo whose checkouts are meant: for the primary, the one that the project was found in.
    pub(in crate::store) fn repo_here(&self, member: usize) -> &Repo {
        if member == 0 { &self.repo } else { &self.repos.members[member].repo }
    }

    /// Checkouts from version control and `others`, with unique names.
    fn named(&self, member: usize, others: Vec<SeenCheckout>) -> Vec<Worktree> {
        let beads = self.repo_here(member).beads();
        let (here, _) = places(self.repo_here(member));
        let mut all: Vec<Worktree> = Vec::new();
        let first = family::parent(beads).unwrap_or_else(|| beads.to_owned());
        for one in vcs::open(&first).checkouts() {
            let is_here = one.root == here;
            let id = if is_here { own_id(self.repo_here(member)) } else { read_id(&one.admin) };
            let (root, branch, is_main, exists) = (one.root, one.branch, one.is_main, one.exists);
            all.push(Worktree { id, root, branch, is_main, is_here, exists, ..Worktree::default() });
        }
        if !all.iter().any(|one| one.is_here) {
            let is_main = all.is_empty();
            let (id, branch, root) = (own_id(self.repo_here(member)), vcs::open(&here).branch(), here);
            all.push(Worktree { id, root, branch, is_main, is_here: true, exists: true, ..Worktree::default() });
        }
        let ours = family::family(beads);
        let is_shared = StateDir::of(self.state_home_of(member)).is_shared();
        let repo = if is_shared { self.known_repository_id(member) } else { None };
        for SeenCheckout { id, root, gone_at, repo: of, .. } in others {
            // The same registry may list another repository, or a copy of this one.
            let is_ours = match has_id(&root, &id) {
                true => ours.is_some() && family::family(&root) == ours,
                false => !is_shared || (of.is_some() && of == repo),
            };
            if !is_ours {
                continue;
            }
            match all.iter_mut().find(|one| one.is_entry(&id, &root)) {
                Some(known) if known.exists => {}
                // Moved without version control's knowledge, and seen there since.
                Some(known) if has_id(&root, &id) => {
                    let (branch, exists) = (vcs::open(&root).branch(), true);
                    *known = Worktree { id: Some(id), root, branch, exists, ..known.clone() };
                }
                Some(known) => (known.id, known.gone_at) = (Some(id), gone_at),
                None => {
                    let exists = has_id(&root, &id);
                    let branch = exists.then(|| vcs::open(&root).branch()).flatten();
                    let (id, gone_at) = (Some(id), gone_at.filter(|_| !exists));
                    all.push(Worktree { id, root, branch, exists, gone_at, ..Worktree::default() });
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

    /// Mints the id of a checkout, or stores the one that it got where version control's directory could not be written.
    fn mint_id(&self, admin: &Path, beads: &Path, replaces: bool) -> std::result::Result<String, RecordError> {
        let known = outbox::checkout_id(beads).filter(|_| !replaces);
        let mint = |directory: &Path| self.mint(directory, ID_NAME, state_id::WORKTREE, replaces, known.clone());
        match mint(admin) {
            Err(error) if error.is_forbidden() => known.clone().map_or_else(|| mint(&outbox::run(beads)), Ok),
            minted => minted,
        }
    }

    /// Mints an id and stores it in a file that only one process can create; a copy of another checkout gets a new one.
    fn mint(
        &self,
        directory: &Path,
        name: &str,
        prefix: &str,
        replaces: bool,
        known: Option<String>,
    ) -> std::result::Result<String, RecordError> {
        // Version control created its own directories; only ours may be missing.
        let is_ours =
            directory.parent().and_then(Path::file_name).is_some_and(|parent| parent == crate::store::BEADS_DIR);
        if is_ours || !directory.is_dir() {
            prepare(directory)?;
        }
        if replaces {
            below::remove(directory, name)?;
        }
        let id = known.unwrap_or_else(|| state_id::mint(prefix, self.host.entropy.bytes()));
        if fill(directory, name, format!("{id}\n").as_bytes(), &self.host.entropy)? {
            return Ok(id);
        }
        // Another process was faster, or the file contains something else.
        let known = read_text(directory, name).filter(|id| state_id::is(prefix, id));
        known.ok_or_else(|| RecordError::NoId { path: directory.join(name) })
    }
}

impl Store {
    /// The checkout that the project was found in, with its id; both are recorded in the state home if they are new.
    pub fn worktree(&self) -> Result<Worktree> {
        let (root, admin) = places(&self.repo);
        let registered = self.registry_of(0)?;
        let known = read_id(&admin);
        let is_copy = known.as_deref().is_some_and(|id| is_elsewhere(&registered, id, &root, &admin));
        let id = match known.filter(|_| !is_copy) {
            Some(id) => id,
            None => self.mint_id(&admin, self.repo.beads(), is_copy)?,
        };
        let own = Worktree { id: Some(id), ..self.own(&registered) };
        self.register(0, std::slice::from_ref(&own), &registered)?;
        Ok(own)
    }

    /// Every checkout, where each existing one gets an id and is
    /// recorded.
    pub fn worktrees_with_ids(&self) -> Result<Vec<Worktree>> {
        self.worktree()?;
        let mut all = self.worktrees()?;
        let (here, _) = places(&self.repo);
        let inside = self.repo.beads().strip_prefix(here).unwrap_or(Path::new(crate::store::BEADS_DIR)).to_owned();
        for one in all.iter_mut().filter(|one| one.exists && one.id.is_none()) {
            if let Some(admin) = vcs::open(&one.root).admin_dir() {
                one.id = self.mint_id(&admin, &one.root.join(&inside), false).ok();
            }
        }
        let there: Vec<Worktree> = all.iter().filter(|one| one.exists).cloned().collect();
        self.register(0, &there, &self.registry_of(0)?)?;
        Ok(all)
    }

    /// Gives a checkout of one repo of the project an id and records it, where version control does not list it.
    pub fn adopt_worktree(&self, member: usize, root: &Path) -> Result<Worktree> {
        let root = paths::real(root);
        let vcs = vcs::open(&root);
        let id = self.worktree_id_for(&root)?;
        let (branch, exists) = (vcs.branch(), true);
        let found = Worktree { id, branch, root: root.clone(), exists, ..Worktree::default() };
        self.register(member, std::slice::from_ref(&found), &self.registry_of(member)?)?;
        let named = self.worktrees_of(member)?.into_iter().find(|one| one.root == root);
        Ok(named.unwrap_or(found))
    }

    /// The checkout that a person named by id, name, path or branch.
    pub fn find_worktree(&self, text: &str) -> Result<Worktree> {
        let all = self.worktrees_with_ids()?;
        let path = paths::real(&self.host.env.path(text)).display().to_string();
        // The name given to `bd worktree create` is the branch's name, and the end of the directory's.
        let base = all.iter().find(|one| one.is_main).and_then(|main| main.root.file_name());
        let long = base.map(|base| format!("{}-{}", base.to_string_lossy(), text.replace('/', "-")));
        let is_meant =
            |one: &&Worktree| one.exists && (one.branch.as_deref() == Some(text) || Some(&one.name) == long.as_ref());
        let found = all.iter().find(|one| one.is_called(text)).or_else(|| all.iter().find(|one| one.is_called(&path)));
        let found = found.or_else(|| all.iter().find(is_meant));
        found.cloned().ok_or_else(|| {
            let known = all.iter().map(|one| one.name.clone()).collect();
            StoreError::NoSuchWorktree { text: text.to_owned(), known }
        })
    }
}

/// The root of a repo's checkout, and the directory that version control keeps for it alone.
fn places(repo: &Repo) -> (PathBuf, PathBuf) {
    let vcs = vcs::open(repo.beads());
    match vcs.admin_dir() {
        Some(admin) => (paths::real(vcs.root()), admin),
        None => (paths::real(repo.root()), without_repository(repo.beads())),
    }
}

/// The id of a repo's checkout, if it has one: in the directory of version control, or, where that could not be
/// written, in `.beads`.
fn own_id(repo: &Repo) -> Option<String> {
    read_id(&places(repo).1).or_else(|| outbox::checkout_id(repo.beads()))
}

/// Whether a checkout with this id is at a path.
fn has_id(root: &Path, id: &str) -> bool {
    vcs::open(root).admin_dir().and_then(|admin| read_id(&admin)).as_deref() == Some(id)
}

/// The registry lists this id at another path where it still exists: this is a copy of that checkout.
fn is_elsewhere(registered: &Document, id: &str, root: &Path, admin: &Path) -> bool {
    REGISTRY.rows(registered).any(|SeenCheckout { id: known, root: path, .. }| {
        let other = || vcs::open(&path).admin_dir().unwrap_or_else(|| path.join(crate::store::BEADS_DIR).join("run"));
        known == id
            && path != root
            && paths::real(&other()) != paths::real(admin)
            && read_id(&other()).as_deref() == Some(id)
    })
}
