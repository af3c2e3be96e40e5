//! Three projects with separate servers that plan in one private repo, a stranger who commits to them, and a
//! contributor who moves, syncs, pushes and proposes at random, in the projects and in workspaces of every kind, in
//! every mode of the state home.
//!
//! Every private text contains a mark, and so does the name of the planning repo. In the end every object of the
//! servers is read.

mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use beads::internal::model::change::{Change, NewComment, NewIssue};
use beads::internal::model::dependency::DependencyType;
use beads::internal::model::field::Field;
use beads::internal::ops::{self, ConfigRequest, Filing};
use beads::internal::ops::{NewCheckpoint, add_checkpoint};
use beads::internal::store::{ClaimWish, Config, Identity, ProposeRequest, Store, SyncOptions};
use beads::internal::sys::{Clock, Entropy, Host};

use crate::support::dice::Dice;
use crate::support::fixture;
use crate::support::ledger::line;
use crate::support::user::User;

/// Marks of texts that must stay private whatever happens: the last is the name of the planning repo.
const MARKS: [&str; 6] = ["NOTE-", "REMARK-", "REASON-", "ASSIGNEE-", "CHECKPOINT-", "takeover"];
const PLANS: &str = "acme-takeover";
const PROJECTS: [&str; 3] = ["one", "two", "three"];

pub struct Neighbours {
    dir: tempfile::TempDir,
    pub ran: usize,
    pub refused: usize,
    /// How often something was proposed, synced, forged, moved, or a remote was written in another way.
    pub did: BTreeMap<&'static str, usize>,
    /// The titles that were proposed to each project: these are public there.
    proposed: [BTreeSet<String>; 3],
    /// Ids of planning issues and their titles.
    plans: BTreeMap<String, String>,
    /// Ids that the stranger has written into each project.
    forged: [BTreeSet<String>; 3],
    /// Where the projects are now.
    places: [String; 3],
    /// The project that a planning issue was filed or moved from.
    owners: BTreeMap<String, usize>,
    /// Workspaces, with the project of each.
    workspaces: Vec<(usize, String)>,
    /// The workspace in which the next command is given.
    stands: Option<usize>,
    mode: places::Mode,
    counter: usize,
    trail: Vec<String>,
}

#[derive(Default)]
pub struct Seen {
    pub objects: usize,
    pub proposals: usize,
}

/// The servers, the clones and the planning repo, before anything was planned.
fn make(root: &Path) {
    let home = root.join("home");
    let user = User::at(&home).named("ann");
    let git = |place: &str, args: &[&str]| user.git(&root.join(place), args);
    std::fs::create_dir(&home).unwrap();
    std::os::unix::fs::symlink(".", root.join("link")).unwrap();
    for (n, name) in PROJECTS.iter().enumerate() {
        let server = format!("{name}.git");
        git(".", &["init", "-q", "--bare", "-b", "main", &server]);
        git(".", &["clone", "-q", &server, "work"]);
        std::fs::create_dir(root.join("work/.beads")).unwrap();
        let line = |id| line(id, "Upstream");
        std::fs::write(root.join("work/.beads/beads.jsonl"), line("up-1") + &line("up-2")).unwrap();
        std::fs::write(root.join("work/.beads/config.toml"), "issue_prefix = \"up\"\n").unwrap();
        std::fs::write(root.join("work/README"), format!("project {n}\n")).unwrap();
        git("work", &["add", "-A"]);
        git("work", &["commit", "-q", "-m", &format!("project {n}")]);
        git("work", &["push", "-q", "origin", "HEAD:main"]);
        std::fs::remove_dir_all(root.join("work")).unwrap();
        git(".", &["clone", "-q", &server, name]);
        git(".", &["clone", "-q", &server, &format!("stranger-{name}")]);
    }
    git(".", &["init", "-q", "--bare", "-b", "main", "own.git"]);
    git(".", &["init", "-q", "-b", "main", PLANS]);
    std::fs::create_dir(root.join(PLANS).join(".beads")).unwrap();
    std::fs::write(root.join(PLANS).join(".beads/beads.jsonl"), "").unwrap();
    std::fs::write(root.join(PLANS).join(".beads/config.toml"), format!("issue_prefix = \"{PLANS}\"\n")).unwrap();
    git(PLANS, &["add", "-A"]);
    git(PLANS, &["commit", "-q", "-m", "plans"]);
    git(PLANS, &["remote", "add", "origin", "../own.git"]);
    git(PLANS, &["push", "-q", "-u", "origin", "main"]);
    for place in PROJECTS {
        let plans = root.join(PLANS).display().to_string();
        let request =
            ConfigRequest { add: vec![plans], routing: Some("contributor".into()), ..ConfigRequest::default() };
        ops::configure(&mut open(root, place, places::Mode::Repo), &request).unwrap();
        set(root, place, "commit.planning", "false");
        set(root, place, "workspace.min_free", "0");
    }
}

fn set(root: &Path, place: &str, key: &str, value: &str) {
    let set = vec![(key.to_owned(), vec![value.to_owned()])];
    ops::configure(&mut open(root, place, places::Mode::Repo), &ConfigRequest { set, ..ConfigRequest::default() })
        .unwrap();
}

fn open(root: &Path, place: &str, mode: places::Mode) -> Store {
    let at = root.join(place);
    let env = User::at(root.join("home")).env(&at);
    let env = if mode == places::Mode::Named { env.with("BD_STATE_DIR", root.join("named")) } else { env };
    let host = Host { clock: Clock::System, entropy: Entropy::System, env };
    Store::open_with(Config { host, actor: Some("ann".to_owned()), ..Config::at(at) }).unwrap()
}

impl Neighbours {
    pub fn new(seed: u64) -> Self {
        let dir = crate::support::place::in_memory("bd-leaks-");
        fixture::copy("neighbours", dir.path(), make);
        let mode = places::Mode::of(seed, dir.path());
        Neighbours {
            dir,
            ran: 0,
            refused: 0,
            did: BTreeMap::new(),
            proposed: Default::default(),
            plans: BTreeMap::new(),
            forged: Default::default(),
            places: PROJECTS.map(str::to_owned),
            owners: BTreeMap::new(),
            workspaces: Vec::new(),
            stands: None,
            mode,
            counter: 0,
            trail: vec![format!("seed {seed}, {mode:?}")],
        }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn git(&self, place: &str, args: &[&str]) -> Option<String> {
        User::at(self.path("home")).named("ann").try_git(&self.path(place), args)
    }

    /// One of the projects, or the planning repo itself.
    fn store(&self, at: usize) -> Store {
        let workspace = self.stands.map(|n| &self.workspaces[n]).filter(|(of, _)| *of == at);
        let place = workspace.map(|(_, place)| place).or(self.places.get(at));
        open(&self.path(""), place.map_or(PLANS, String::as_str), self.mode)
    }

    fn fresh(&mut self, mark: &str) -> String {
        self.counter += 1;
        format!("{mark}{}", self.counter)
    }

    fn done<T, E: std::fmt::Display>(&mut self, what: String, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => {
                self.trail.push(what);
                self.ran += 1;
                Some(value)
            }
            Err(error) => {
                self.trail.push(format!("{what}: refused: {error}"));
                self.refused += 1;
                None
            }
        }
    }

    fn note(&mut self, what: &'static str) {
        *self.did.entry(what).or_default() += 1;
    }

    fn any_id(&self, dice: &mut Dice) -> String {
        let ids: Vec<&String> = self.plans.keys().collect();
        match dice.pick(&ids) {
            Some(id) if !dice.chance(6) => (*id).clone(),
            _ => (*dice.pick(&["up-1", "up-2"]).unwrap()).to_owned(),
        }
    }

    /// One command, whatever it comes to.
    pub fn step(&mut self, dice: &mut Dice) {
        let at = dice.below(PROJECTS.len());
        self.stand(at, dice);
        match dice.below(36) {
            0..=6 => self.add(if dice.chance(3) { PROJECTS.len() } else { at }, dice),
            7..=10 => self.edit(at, dice),
            11 | 12 => self.depend(at, dice),
            13..=18 => self.propose(at, dice),
            19 => self.withdraw(at, dice),
            20 => self.tidy(at, dice),
            21 => self.checkpoint(at, dice),
            22 | 23 => self.sync(dice.below(PROJECTS.len() + 1)),
            24 => self.rewrite_remote(dice),
            25 | 26 => self.forge(at, dice),
            27 => self.pull_settings(at, dice),
            28 => self.move_project(at),
            29 => self.claim(at, dice),
            30..=32 => self.make_workspace(at, dice),
            33 => self.pull_marker(at, dice),
            34 | 35 => self.move_into_plans(at, dice),
            _ => self.push(at),
        }
    }

    fn add(&mut self, at: usize, dice: &mut Dice) {
        let title = self.fresh("TITLE-OF-") + ".";
        let mut filing = Filing::of(NewIssue { notes: self.fresh("NOTE-"), ..NewIssue::titled(title.clone()) });
        filing.issue.assignee = self.fresh("ASSIGNEE-");
        if dice.chance(3) {
            filing.issue.description = format!("As {}, later.", self.any_id(dice));
        }
        if dice.chance(3) {
            filing.parent = Some(self.any_id(dice));
        }
        if dice.chance(4) {
            filing.dependencies.push((DependencyType::blocks(), self.any_id(dice)));
        }
        if dice.chance(8) {
            filing.repo = Some(".".to_owned());
        }
        let what = format!("{at}: add {title} {:?} {:?} {:?}", filing.parent, filing.dependencies, filing.repo);
        let result = ops::file_all(&mut self.store(at), vec![filing]);
        for one in self.done(what, result).into_iter().flatten() {
            self.owners.extend((at < PROJECTS.len()).then(|| (one.id.clone(), at)));
            self.plans.insert(one.id, title.clone());
        }
    }

    fn edit(&mut self, at: usize, dice: &mut Dice) {
        let id = self.any_id(dice);
        let change = match dice.below(7) {
            0 => Change::AppendNotes(self.fresh("NOTE-")),
            1 => Change::AddComment(NewComment { id: 7, author: "ann".into(), text: self.fresh("REMARK-") }),
            2 => Change::Close { reason: Some(self.fresh("REASON-")) },
            3 => Change::Claim { assignee: self.fresh("ASSIGNEE-") },
            4 => Change::AddLabel("public".into()),
            5 => Change::Text(Field::Description, format!("Not before {}!", self.any_id(dice))),
            _ => Change::Delete { reason: Some(self.fresh("REASON-")) },
        };
        let what = format!("{at}: edit {id} {change:?}");
        let result = ops::change_each(&mut self.store(at), &[id], |_| vec![change.clone()]);
        let result = result.map_err(|e| e.to_string()).and_then(|batch| {
            let (_, one) = batch.results.into_iter().next().unwrap();
            one.map_err(|e| e.to_string())
        });
        self.done(what, result);
    }

    fn depend(&mut self, at: usize, dice: &mut Dice) {
        let (one, other) = (self.any_id(dice), self.any_id(dice));
        let kind = if dice.chance(3) { DependencyType::parent_child() } else { DependencyType::blocks() };
        let result = ops::add_dependency(&mut self.store(at), &one, &other, kind);
        self.done(format!("{at}: dep add {one} {other}"), result);
    }

    fn propose(&mut self, at: usize, dice: &mut Dice) {
        let id = self.any_id(dice);
        let (with_deps, adopt) = (dice.chance(3), dice.chance(4));
        let request = ProposeRequest { with_deps, adopt, ..ProposeRequest::default() };
        let result = ops::propose(&mut self.store(at), std::slice::from_ref(&id), None, request);
        for (id, result) in self.done(format!("{at}: propose {id} {with_deps} {adopt}"), result).into_iter().flatten() {
            match result {
                Ok(one) => {
                    self.note("proposed");
                    let former = one.former_id.clone().unwrap_or_else(|| one.id.clone());
                    let owner = self.owners.insert(former.clone(), at).filter(|owner| *owner != at && !adopt);
                    assert!(owner.is_none(), "{}", self.story(&format!("{former} of {owner:?}, published in {at}")));
                    self.owners.insert(one.id.clone(), at);
                    self.trail.push(format!("  {id}: {} to {at}", one.id));
                    let title = one.former_id.as_ref().and_then(|old| self.plans.remove(old));
                    let title = title.or_else(|| self.plans.get(&one.id).cloned()).unwrap_or_default();
                    self.proposed[at].insert(title.clone());
                    self.plans.insert(one.id, title);
                }
                Err(error) => self.trail.push(format!("  {id}: {error}")),
            }
        }
    }

    fn withdraw(&mut self, at: usize, dice: &mut Dice) {
        let id = self.any_id(dice);
        let result = ops::withdraw(&mut self.store(at), std::slice::from_ref(&id), None);
        self.done(format!("{at}: withdraw {id}"), result);
    }

    fn tidy(&mut self, at: usize, dice: &mut Dice) {
        if dice.chance(2) {
            let result = ops::reconcile(&mut self.store(at), false);
            self.done(format!("{at}: reconcile"), result);
        } else {
            let result = ops::doctor(&mut self.store(at), true);
            self.done(format!("{at}: doctor --fix"), result);
        }
    }

    fn checkpoint(&mut self, at: usize, dice: &mut Dice) {
        let new = NewCheckpoint {
            issue: Some(self.any_id(dice)),
            summary: self.fresh("CHECKPOINT-"),
            detail: Some(format!("\"{}\"", self.fresh("CHECKPOINT-"))),
            snapshot: true,
            ..NewCheckpoint::default()
        };
        let result = add_checkpoint(&mut self.store(at), &new);
        if self.done(format!("{at}: checkpoint {:?}", new.issue), result).is_some() {
            self.note("snapshots");
        }
    }

    /// Claims an issue on the remote, as an agent or a person, and ends the claim in one of the ways.
    fn claim(&mut self, at: usize, dice: &mut Dice) {
        let id = self.any_id(dice);
        let mut store = self.store(at);
        if dice.chance(2) {
            let name = self.fresh("AGENT-");
            store.act_as(Identity { name, id: None, is_coordinator: false, capabilities: Vec::new(), workspace: None });
        }
        let wish = ClaimWish { to_write: true, ..ClaimWish::default() };
        let claimed = ops::claim(&mut store, std::slice::from_ref(&id), &wish, dice.chance(2));
        let claimed = claimed.and_then(|each| each.into_iter().try_for_each(|(_, one)| one.map(drop)));
        if self.done(format!("{at}: claim {id} on the remote"), claimed).is_some() {
            self.note("claimed");
            let text = Some(self.fresh("REASON-"));
            let changes = match dice.below(3) {
                0 => vec![Change::Close { reason: text }],
                1 => vec![Change::Delete { reason: text }],
                _ => Vec::new(),
            };
            if !changes.is_empty() {
                let _ = ops::change_each(&mut store, &[id], |_| changes.clone());
            }
        }
        ops::end_command(&mut store);
    }

    /// Reads what a server has beside branches: claims of issues that the project may know, and nothing else about them.
    fn inspect_claims(&self, at: usize, name: &str) {
        const KEYS: [&str; 7] = ["id", "epoch", "holder", "acquired", "expires", "clone", "closed"];
        let server = format!("{name}.git");
        let refs =
            self.git(&server, &["for-each-ref", "--format=%(refname) %(authorname) %(raw)", "refs/beads"]).unwrap();
        for line in refs.lines().filter(|line| !line.is_empty()) {
            let story = || self.story(&format!("a ref of {at} says: {line}\n{refs}"));
            if line.starts_with("refs/") {
                let id = line
                    .split(' ')
                    .next()
                    .unwrap()
                    .strip_prefix("refs/beads/claims/")
                    .unwrap_or_else(|| panic!("{}", story()));
                let is_public = self.plans.get(id).is_none_or(|title| self.proposed[at].contains(title));
                assert!(is_public || self.forged[at].contains(id), "{}", story());
            }
            if line.starts_with('{') {
                let claim: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(claim.as_object().unwrap().keys().all(|key| KEYS.contains(&key.as_str())), "{}", story());
            }
            assert!(!line.contains("AGENT-") && !line.contains("ann"), "{}", story());
        }
    }

    /// Syncs one of the projects and its planning repo, or the planning repo from inside.
    fn sync(&mut self, at: usize) {
        let both = SyncOptions { pull: true, push: true, repo: None, dry_run: false, with_code: false, bookmark: None };
        let result = ops::sync(&mut self.store(at), None, both);
        let result = result.map_err(|error| error.to_string()).and_then(|report| {
            let errors: Vec<String> =
                report.repos.iter().filter_map(|one| one.error.as_ref()?.to_string().into()).collect();
            if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
        });
        self.note("synced");
        self.done(format!("{at}: sync"), result);
    }

    /// The remote of the planning repo, written so that it is its own or that of a project.
    fn rewrite_remote(&mut self, dice: &mut Dice) {
        let root = self.path("").display().to_string();
        let (server, clone) = (*dice.pick(&["one", "two", "three", "own"]).unwrap(), dice.pick(&PROJECTS).unwrap());
        let url = match dice.below(6) {
            0 => format!("file://{root}/{server}.git"),
            1 => format!("{root}/link/link/{server}"),
            2 => format!("../{server}.git/"),
            3 => format!("srv:{server}.git"),
            4 => format!("file://localhost{root}/./{server}.git"),
            _ => format!("../{clone}"),
        };
        self.git(PLANS, &["config", &format!("url.{root}/.insteadOf"), "srv:"]).unwrap();
        let key = if dice.chance(2) { "remote.origin.pushurl" } else { "remote.origin.url" };
        let set = self.git(PLANS, &["config", key, &url]);
        self.note("remotes");
        self.trail.push(format!("planning: {key} {url}: {}", set.is_some()));
    }

    /// A stranger pushes a line with one of our ids, our name and a proposal that was never made, or decided about one.
    fn forge(&mut self, at: usize, dice: &mut Dice) {
        let ids: Vec<&String> = self.plans.keys().filter(|id| !id.contains("takeover")).collect();
        let Some(id) = dice.pick(&ids).map(|id| (*id).clone()) else { return };
        let place = format!("stranger-{}", PROJECTS[at]);
        let ledger = self.path(&place).join(".beads/beads.jsonl");
        self.git(&place, &["pull", "-q", "--rebase"]);
        let known = std::fs::read_to_string(&ledger).unwrap();
        let (state, visibility) =
            *dice.pick(&[("open", "proposed"), ("accepted", "canonical"), ("rejected", "proposed")]).unwrap();
        let proposal = self.open_proposal(&id).filter(|_| dice.chance(2)).unwrap_or("prop_forged".to_owned());
        let line = format!(
            "{{\"id\":\"{id}\",\"title\":\"Forged\",\"status\":\"open\",\"updated_at\":\"2027-01-01T00:00:00.000Z\",\"visibility\":\"{visibility}\",\
             \"proposal\":{{\"id\":\"{proposal}\",\"author\":\"ann\",\"target\":\"up\",\"state\":\"{state}\",\"by\":\"ann\",\"at\":\"2027-01-01T00:00:00.000Z\",\"include\":[\"notes\",\"comments\"]}}}}\n"
        );
        let others: String = known
            .lines()
            .filter(|line| !line.contains(&format!("\"id\":\"{id}\",\"title\"")))
            .map(|line| format!("{line}\n"))
            .collect();
        std::fs::write(&ledger, others + &line).unwrap();
        self.git(&place, &["commit", "-qam", "forged"]);
        self.git(&place, &["push", "-q", "origin", "HEAD:main"]);
        self.forged[at].insert(id.clone());
        self.note("forged");
        let pulled = self.pull(at);
        self.trail.push(format!("{at}: a stranger forged {id}, {state}; pulled: {pulled}"));
    }

    /// The planning repo's record, if the stranger has seen it in the project.
    fn open_proposal(&self, id: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.path(PLANS).join(".beads/beads.jsonl")).unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("{{\"id\":\"{id}\"")))?;
        let at = line.find("\"prop_")? + 1;
        Some(line[at..].split('"').next()?.to_owned())
    }

    fn pull(&self, at: usize) -> bool {
        let place = &self.places[at];
        self.git(place, &["stash", "-q"]);
        let pulled =
            self.git(place, &["pull", "-q", "--no-edit", "--no-rebase", "-X", "theirs", "origin", "main"]).is_some();
        if !pulled {
            self.git(place, &["merge", "--abort"]);
        }
        if self.git(place, &["stash", "pop", "-q"]).is_none() {
            self.git(place, &["checkout", "-q", "stash@{0}", "--", "."]);
            self.git(place, &["stash", "drop", "-q"]);
            self.git(place, &["reset", "-q"]);
        }
        pulled
    }

    /// Settings that a stranger commits.
    fn pull_settings(&mut self, at: usize, dice: &mut Dice) {
        let place = format!("stranger-{}", PROJECTS[at]);
        self.git(&place, &["pull", "-q", "--rebase"]);
        let more = *dice
            .pick(&[
                "",
                "[routing]\nmode = \"single\"\n",
                "[routing]\nmode = \"explicit\"\ndefault = \".\"\n",
                "[routing]\nmode = \"auto\"\n[routing.auto]\ncontributor = \".\"\n",
                "[repos]\nadditional = [\"docs\"]\n",
            ])
            .unwrap();
        std::fs::write(self.path(&place).join(".beads/config.toml"), format!("issue_prefix = \"up\"\n{more}")).unwrap();
        self.git(&place, &["commit", "-qam", "settings"]);
        self.git(&place, &["push", "-q", "origin", "HEAD:main"]);
        let pulled = self.pull(at);
        self.note("settings");
        self.trail.push(format!("{at}: pulled settings {more:?}: {pulled}"));
    }

    fn move_project(&mut self, at: usize) {
        let (old, new) = (self.path(&self.places[at]), self.fresh("moved"));
        std::fs::rename(old, self.path(&new)).unwrap();
        self.git(
            &new,
            &["remote", "set-url", "origin", &self.path(&format!("{}.git", PROJECTS[at])).display().to_string()],
        );
        self.note("moved");
        self.trail.push(format!("{at}: moved to {new}"));
        self.places[at] = new;
    }

    /// Commits everything in a project and pushes every ref that the clone has.
    fn push(&mut self, at: usize) {
        let place = self.places[at].clone();
        self.git(&place, &["add", "-A"]).unwrap();
        self.git(&place, &["commit", "-q", "-m", "work"]);
        let pushed = self.git(&place, &["push", "-q", "origin", "+refs/*:refs/contributor/*"]);
        assert!(pushed.is_some(), "{}", self.story("cannot push"));
        self.push_workspaces(at);
        self.trail.push(format!("{at}: pushed everything"));
    }

    /// Pushes all there is and reads every object of the servers.
    pub fn push_and_inspect(&mut self) -> Seen {
        let mut seen = Seen::default();
        for (at, name) in PROJECTS.iter().enumerate() {
            self.push(at);
            let listed =
                self.git(&format!("{name}.git"), &["cat-file", "--batch-all-objects", "--batch-check"]).unwrap();
            seen.objects += listed.lines().count();
            let text = self.git(&format!("{name}.git"), &["cat-file", "--batch-all-objects", "--batch"]).unwrap();
            self.inspect(at, &text);
            self.inspect_claims(at, name);
            seen.proposals += text.matches("\"visibility\":\"proposed\"").count();
        }
        seen
    }

    fn inspect(&self, at: usize, text: &str) {
        let line_of = |word: &str| text.lines().find(|line| line.contains(word)).unwrap_or_default().to_owned();
        for mark in MARKS {
            assert!(!text.contains(mark), "{}", self.story(&format!("{mark} in {at}: {}", line_of(mark))));
        }
        assert!(!text.contains("\"visibility\":\"local\""), "{}", self.story(&format!("a local line in {at}")));
        for word in ["former_id", "\"project\"", &self.path("home").display().to_string()] {
            assert!(!text.contains(word), "{}", self.story(&format!("{word} in {at}: {}", line_of(word))));
        }
        for (id, title) in &self.plans {
            let public = self.proposed[at].contains(title);
            assert!(
                public || !text.contains(title.as_str()),
                "{}",
                self.story(&format!("{title} in {at}: {}", line_of(title)))
            );
            let known = public || self.forged[at].contains(id);
            assert!(known || !text.contains(id.as_str()), "{}", self.story(&format!("{id} in {at}: {}", line_of(id))));
        }
    }

    fn story(&self, what: &str) -> String {
        format!("leaked: {what}\n{}", self.trail.join("\n"))
    }
}
