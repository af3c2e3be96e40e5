//! Where the contributor works, and what a move brings into planning repos: workspaces of every kind in every mode of
//! the state home, directories of other version control committed by a stranger, and issues filed into the project by
//! mistake.

use std::path::Path;

use beads::internal::model::workspace::Kind;
use beads::internal::ops;
use beads::internal::ops::{WorkspaceWish, create_workspace};

use super::{Neighbours, PLANS, PROJECTS, open, set};
use crate::support::dice::Dice;

/// Where claims and the like are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Repo,
    /// By a personal setting of each project.
    Global,
    /// By the user's own settings.
    GlobalForUser,
    Worktree,
    /// By a variable.
    Named,
}

impl Mode {
    const ALL: [Mode; 5] = [Mode::Repo, Mode::Global, Mode::Named, Mode::GlobalForUser, Mode::Worktree];

    /// The mode of a sequence, set up below a root.
    pub fn of(seed: u64, root: &Path) -> Self {
        let mode = Self::ALL[(seed % 5) as usize];
        let word = match mode {
            Mode::Global => "global",
            Mode::Worktree => "worktree",
            Mode::GlobalForUser => {
                let settings = root.join("home/.config/beads");
                std::fs::create_dir_all(&settings).unwrap();
                std::fs::write(settings.join("config.toml"), "[state]\nmode = \"global\"\n").unwrap();
                return mode;
            }
            Mode::Repo | Mode::Named => return mode,
        };
        PROJECTS.iter().for_each(|place| set(root, place, "state.mode", word));
        mode
    }
}

impl Neighbours {
    /// Chooses the project itself, or one of its workspaces.
    pub(super) fn stand(&mut self, at: usize, dice: &mut Dice) {
        let own: Vec<usize> = (0..self.workspaces.len()).filter(|n| self.workspaces[*n].0 == at).collect();
        // A worktree whose repository was moved away is unusable, and says so.
        let there = |n: &usize| self.git(&self.workspaces[*n].1, &["rev-parse", "HEAD"]).is_some();
        self.stands = dice.pick(&own).copied().filter(|_| !dice.chance(3)).filter(there);
        self.trail.extend(self.stands.map(|n| format!("in {}", self.workspaces[n].1)));
    }

    /// Makes a workspace, from the project or from another workspace of it.
    pub(super) fn make_workspace(&mut self, at: usize, dice: &mut Dice) {
        let kind = *dice.pick(&[Kind::Clone, Kind::Copy, Kind::Worktree]).unwrap();
        let name = self.fresh("workspace");
        let wish = WorkspaceWish {
            kind: Some(kind),
            path: Some(self.path(&name)),
            issue: dice.chance(2).then(|| self.any_id(dice)).filter(|id| self.plans.contains_key(id)),
            reuse: Some(false),
            ..WorkspaceWish::default()
        };
        let result = create_workspace(&mut self.store(at), &wish);
        if self.done(format!("{at}: workspace {name} {kind:?} for {:?}", wish.issue), result).is_some() {
            self.note("workspaces");
            self.workspaces.push((at, name));
        }
    }

    /// A stranger commits what looks like the directory of another version control.
    pub(super) fn pull_marker(&mut self, at: usize, dice: &mut Dice) {
        let place = format!("stranger-{}", PROJECTS[at]);
        self.git(&place, &["pull", "-q", "--rebase"]);
        let names =
            [".beads/.hg/requires", ".beads/.sl/requires", ".beads/.jj/repo/x", ".jj/repo/x", ".hg/requires", ".sl/x"];
        let name = *dice.pick(&names).unwrap();
        let file = self.path(&place).join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "store\n").unwrap();
        self.git(&place, &["add", "-A", "-f"]);
        self.git(&place, &["commit", "-qm", "marker"]);
        self.git(&place, &["push", "-q", "origin", "HEAD:main"]);
        let pulled = self.pull(at);
        self.note("markers");
        self.trail.push(format!("{at}: pulled {name}: {pulled}"));
    }

    /// An issue that another program filed into the project is moved into the planning repo before it is committed.
    pub(super) fn move_into_plans(&mut self, at: usize, dice: &mut Dice) {
        self.counter += 1;
        // No id is the beginning of another: the servers' objects are searched for them.
        let (id, title) = (format!("up-moved{}x", self.counter), format!("TITLE-OF-{}.", self.counter));
        let ledger = self.path(&self.places[at]).join(".beads/beads.jsonl");
        let before = std::fs::read_to_string(&ledger).unwrap();
        let note = self.fresh("NOTE-");
        let line = format!(
            "{{\"id\":\"{id}\",\"title\":\"{title}\",\"notes\":\"{note}\",\"status\":\"open\",\"updated_at\":\"2026-01-01T00:00:00.000Z\"}}\n"
        );
        std::fs::write(&ledger, before.clone() + &line).unwrap();
        let mut store = open(&self.path(""), &self.places[at], self.mode);
        let to = self.path(PLANS).display().to_string();
        let result = ops::parse_query(&mut store, &format!("id={id}"))
            .and_then(|filter| ops::migrate(&mut store, &to, &filter, dice.chance(5), None));
        drop(store);
        let moved = self.done(format!("{at}: move {id}"), result).is_some_and(|done| !done.moved.is_empty());
        if !moved {
            // It is the contributor's own mistake then, and not what is looked for here.
            let now = std::fs::read_to_string(&ledger).unwrap();
            std::fs::write(&ledger, now.replace(&line, "")).unwrap();
            return;
        }
        self.note("migrated");
        self.owners.insert(id.clone(), at);
        self.plans.insert(id, title);
    }

    /// Commits everything in the workspaces of a project and pushes every ref that they have.
    pub(super) fn push_workspaces(&self, at: usize) {
        let server = self.path(&format!("{}.git", PROJECTS[at])).display().to_string();
        for (n, (_, place)) in self.workspaces.iter().enumerate().filter(|(_, (of, _))| *of == at) {
            self.git(place, &["add", "-A"]);
            self.git(place, &["commit", "-q", "-m", "work"]);
            self.git(place, &["push", "-q", &server, &format!("+refs/*:refs/workspace-{n}/*")]);
        }
    }
}
