//! A contributor at work: a clone of someone's project, a planning repo, and random commands.
//!
//! Every private text contains a mark, so that it is found wherever it turns up.

use std::collections::BTreeSet;
use std::path::PathBuf;

use beads::internal::model::change::{Change, NewComment, NewIssue};
use beads::internal::model::dependency::DependencyType;
use beads::internal::model::issue::{Priority, Status};
use beads::internal::model::proposal::Include;
use beads::internal::model::query::Expr;
use beads::internal::ops::{self, ConfigRequest, Filing, ImportOptions};
use beads::internal::store::{ClaimWish, Config, ProposeRequest, ReleaseWish, Store};
use beads::internal::sys::{Clock, Entropy, Host};
use serde_json::Value;

use crate::support::dice::Dice;
use crate::support::ledger::line;
use crate::support::user::User;

/// Marks of texts that must stay private whatever happens.
const MARKS: [&str; 6] = ["NOTE-", "REMARK-", "REASON-", "REF-", "ASSIGNEE-", "TITLE-OF-"];

pub struct Contributor {
    dir: tempfile::TempDir,
    pub ran: usize,
    pub refused: usize,
    /// Remarks that went to a companion.
    pub beside: usize,
    /// Ids that were ever proposed: these are public, and so are their titles.
    pub proposed: BTreeSet<String>,
    ids: Vec<String>,
    branches: usize,
    counter: usize,
    trail: Vec<String>,
}

pub struct Seen {
    pub commits: usize,
    pub lines: usize,
}

impl Contributor {
    pub fn new(seed: u64) -> Self {
        let dir = crate::support::place::in_memory("bd-leaks-");
        let new = Contributor {
            dir,
            ran: 0,
            refused: 0,
            beside: 0,
            proposed: BTreeSet::new(),
            ids: Vec::new(),
            branches: 0,
            counter: 0,
            trail: vec![format!("seed {seed}")],
        };
        for name in ["home", "project", "plans"] {
            std::fs::create_dir(new.path(name)).unwrap();
        }
        new.git(&["init", "-q", "-b", "main"]).unwrap();
        std::fs::create_dir(new.path("project/.beads")).unwrap();
        let lines: String = ["up-1", "up-2", "up-3"].map(|id| line(id, "Upstream")).concat();
        std::fs::write(new.path("project/.beads/beads.jsonl"), lines).unwrap();
        std::fs::write(new.path("project/.beads/config.toml"), "issue_prefix = \"up\"\n").unwrap();
        new.git(&["add", "-A"]).unwrap();
        new.git(&["commit", "-q", "-m", "upstream"]).unwrap();
        new.git(&["remote", "add", "origin", "https://example.org/upstream.git"]).unwrap();
        std::fs::create_dir(new.path("plans/.beads")).unwrap();
        std::fs::write(new.path("plans/.beads/beads.jsonl"), "").unwrap();
        std::fs::write(new.path("plans/.beads/config.toml"), "issue_prefix = \"plan\"\n").unwrap();
        let plans = new.path("plans").display().to_string();
        let request =
            ConfigRequest { add: vec![plans], routing: Some("contributor".into()), ..ConfigRequest::default() };
        ops::configure(&mut new.store(), &request).unwrap();
        new
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn store(&self) -> Store {
        let env = self.user().env(&self.path("project"));
        let host = Host { clock: Clock::System, entropy: Entropy::System, env };
        Store::open_with(Config { host, actor: Some("ann".to_owned()), ..Config::at(self.path("project")) }).unwrap()
    }

    fn user(&self) -> User {
        User::at(self.path("home"))
    }

    fn git(&self, args: &[&str]) -> Option<String> {
        self.user().named("ann").try_git(&self.path("project"), args)
    }

    fn fresh(&mut self, mark: &str) -> String {
        self.counter += 1;
        format!("{mark}{}", self.counter)
    }

    fn done<T, E: std::fmt::Debug>(&mut self, what: String, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => {
                self.trail.push(what);
                self.ran += 1;
                Some(value)
            }
            Err(error) => {
                self.trail.push(format!("{what}: refused: {error:?}"));
                self.refused += 1;
                None
            }
        }
    }

    fn any_id(&self, dice: &mut Dice) -> String {
        let upstream = ["up-1", "up-2", "up-3"];
        match dice.pick(&self.ids) {
            Some(id) if !dice.chance(5) => id.clone(),
            _ => (*dice.pick(&upstream).unwrap()).to_owned(),
        }
    }

    /// One command, whatever it comes to.
    pub fn step(&mut self, dice: &mut Dice) {
        match dice.below(32) {
            0..=5 => self.add(dice),
            6..=11 => self.edit(dice),
            12 | 13 => self.depend(dice),
            14..=18 => self.propose(dice),
            19 => self.withdraw(dice),
            20 => self.tidy(dice),
            21 => self.migrate(dice),
            22 | 23 => self.switch(dice),
            24 => self.import(dice),
            25 => self.configure(dice),
            26..=28 => self.remark(dice),
            29 | 30 => self.claim(dice),
            _ => self.bring_plans(dice),
        }
    }

    fn add(&mut self, dice: &mut Dice) {
        let title = self.fresh("TITLE-OF-");
        let mut filing = Filing::of(NewIssue { notes: self.fresh("NOTE-"), ..NewIssue::titled(title) });
        filing.issue.assignee = self.fresh("ASSIGNEE-");
        if dice.chance(3) {
            filing.parent = Some(self.any_id(dice));
        }
        if dice.chance(3) {
            filing.dependencies.push((DependencyType::new("discovered-from"), self.any_id(dice)));
        }
        if dice.chance(6) {
            filing.repo = Some(".".to_owned());
        }
        let what = format!("add {:?} {:?} {:?}", filing.parent, filing.dependencies, filing.repo);
        let result = ops::file_all(&mut self.store(), vec![filing]);
        if let Some(written) = self.done(what, result) {
            self.ids.extend(written.into_iter().map(|one| one.id));
        }
    }

    fn edit(&mut self, dice: &mut Dice) {
        let id = self.any_id(dice);
        let change = match dice.below(11) {
            0 => Change::AppendNotes(self.fresh("NOTE-")),
            1 => Change::AddComment(NewComment { id: 7, author: "ann".into(), text: self.fresh("REMARK-") }),
            2 => Change::Close { reason: Some(self.fresh("REASON-")) },
            3 => Change::Reopen { comment: None },
            4 => Change::Claim { assignee: self.fresh("ASSIGNEE-") },
            5 => Change::Text(beads::internal::model::field::Field::ExternalRef, self.fresh("REF-")),
            6 => Change::AddLabel("public".into()),
            7 => Change::Priority(Priority::typed("1").unwrap()),
            8 => Change::Status(Status::new("in_progress")),
            9 => Change::Delete { reason: Some(self.fresh("REASON-")) },
            _ => Change::Text(beads::internal::model::field::Field::Assignee, self.fresh("ASSIGNEE-")),
        };
        let what = format!("edit {id} {change:?}");
        let result = ops::change_each(&mut self.store(), &[id], |_| vec![change.clone()]);
        let result = result.map_err(|e| e.to_string()).and_then(|batch| {
            let (_, one) = batch.results.into_iter().next().unwrap();
            one.map_err(|e| e.to_string())
        });
        self.done(what, result);
    }

    /// Notes and comments beside an issue of the project, or on whatever it is.
    fn remark(&mut self, dice: &mut Dice) {
        let id = (*dice.pick(&["up-1", "up-2", "up-3"]).unwrap()).to_owned();
        let id = if dice.chance(4) { self.any_id(dice) } else { id };
        let change = match dice.below(3) {
            0 => Change::AppendNotes(self.fresh("NOTE-")),
            1 => Change::Text(beads::internal::model::field::Field::Notes, self.fresh("NOTE-")),
            _ => Change::AddComment(NewComment { id: 8, author: "ann".into(), text: self.fresh("REMARK-") }),
        };
        let what = format!("remark {id} {change:?}");
        let result = ops::change_each(&mut self.store(), &[id], |_| vec![change.clone()]);
        let result = result.map_err(|e| e.to_string()).and_then(|batch| {
            let (_, one) = batch.results.into_iter().next().unwrap();
            one.map_err(|e| e.to_string())
        });
        if self.done(what, result).is_some_and(|written| written.is_beside()) {
            self.beside += 1;
        }
    }

    /// Takes an issue of any kind, and gives it back.
    fn claim(&mut self, dice: &mut Dice) {
        let id = self.any_id(dice);
        let typed = std::slice::from_ref(&id);
        let gives_back = dice.chance(3);
        let first = |mut all: Vec<(String, Result<(), String>)>| all.remove(0).1;
        let result = match gives_back {
            true => {
                let wish = ReleaseWish { reason: Some(self.fresh("REASON-")), ..ReleaseWish::default() };
                let done = ops::release(&mut self.store(), typed, &wish).map_err(|e| e.to_string());
                done.map(|all| {
                    all.into_iter().map(|(id, one)| (id, one.map(drop).map_err(|e| e.to_string()))).collect()
                })
            }
            false => {
                let done =
                    ops::claim(&mut self.store(), typed, &ClaimWish::default(), false).map_err(|e| e.to_string());
                done.map(|all| {
                    all.into_iter().map(|(id, one)| (id, one.map(drop).map_err(|e| e.to_string()))).collect()
                })
            }
        };
        self.done(format!("claim {id}, back: {gives_back}"), result.and_then(first));
    }

    /// The planning ledger as a file that is imported, or the last write taken back.
    fn bring_plans(&mut self, dice: &mut Dice) {
        if dice.chance(2) {
            let result = ops::undo(&mut self.store(), 1, false);
            self.done("undo".into(), result);
            return;
        }
        let bytes = std::fs::read(self.path("plans/.beads/beads.jsonl")).unwrap();
        let repo = if dice.chance(2) { Some(".") } else { None };
        let options = ImportOptions { repo, ..ImportOptions::default() };
        let result = ops::import(&mut self.store(), "plans", bytes, options);
        self.done(format!("import the plans {repo:?}"), result);
    }

    fn depend(&mut self, dice: &mut Dice) {
        let (one, other) = (self.any_id(dice), self.any_id(dice));
        let kind = if dice.chance(3) { DependencyType::parent_child() } else { DependencyType::blocks() };
        let result = ops::add_dependency(&mut self.store(), &one, &other, kind);
        self.done(format!("dep add {one} {other}"), result);
    }

    fn propose(&mut self, dice: &mut Dice) {
        let id = self.any_id(dice);
        let with_deps = dice.chance(3);
        let request = ProposeRequest { with_deps, include: Include::default(), ..ProposeRequest::default() };
        let result = ops::propose(&mut self.store(), std::slice::from_ref(&id), None, request);
        if let Some(results) = self.done(format!("propose {id} {with_deps}"), result) {
            for (id, result) in results {
                match result {
                    Ok(one) => {
                        self.ids.push(one.id.clone());
                        self.proposed.insert(one.id);
                    }
                    Err(error) => self.trail.push(format!("  {id}: {error}")),
                }
            }
        }
    }

    fn withdraw(&mut self, dice: &mut Dice) {
        let id = self.any_id(dice);
        let result = ops::withdraw(&mut self.store(), std::slice::from_ref(&id), None);
        self.done(format!("withdraw {id}"), result);
    }

    fn tidy(&mut self, dice: &mut Dice) {
        if dice.chance(2) {
            let result = ops::reconcile(&mut self.store(), false);
            self.done("reconcile".into(), result);
        } else {
            let result = ops::doctor(&mut self.store(), true);
            self.done("doctor --fix".into(), result);
        }
    }

    fn migrate(&mut self, dice: &mut Dice) {
        let to = if dice.chance(3) { self.path("plans").display().to_string() } else { ".".to_owned() };
        let result = ops::migrate(&mut self.store(), &to, &Expr::ALL, false, Some(dice.below(40)));
        let result = result.map_err(|e| e.to_string()).and_then(|report| match report.failed.into_iter().next() {
            Some((id, error)) => Err(format!("{id}: {error}")),
            None => Ok(()),
        });
        self.done(format!("migrate --move-to {to}"), result);
    }

    fn switch(&mut self, dice: &mut Dice) {
        if dice.chance(2) {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-q", "-m", "work"]);
            self.trail.push("git add -A, commit".into());
        }
        let switched = if dice.chance(3) || self.branches == 0 {
            self.branches += 1;
            self.git(&["switch", "-q", "-c", &format!("b{}", self.branches)])
        } else {
            let n = dice.below(self.branches + 1);
            let name = if n == 0 { "main".to_owned() } else { format!("b{n}") };
            self.git(&["switch", "-q", &name])
        };
        self.trail.push(format!("git switch: {}", switched.is_some()));
    }

    fn import(&mut self, dice: &mut Dice) {
        let id = self.fresh("im-");
        let title = self.fresh("TITLE-OF-");
        let local = if dice.chance(2) { ",\"visibility\":\"local\"" } else { "" };
        let at = "2026-01-02T00:00:00.000Z";
        let line =
            format!("{{\"id\":\"{id}\",\"title\":\"{title}\",\"notes\":\"NOTE-x\",\"updated_at\":\"{at}\"{local}}}\n");
        let repo = if dice.chance(2) { Some(".") } else { None };
        let options = ImportOptions { repo, ..ImportOptions::default() };
        let result = ops::import(&mut self.store(), "lines", line.into_bytes(), options);
        if self.done(format!("import {id} {local} {repo:?}"), result).is_some() {
            self.ids.push(id);
        }
    }

    fn configure(&mut self, dice: &mut Dice) {
        let plans = self.path("plans").display().to_string();
        let set = |key: &str, value: &str| ConfigRequest {
            set: vec![(key.to_owned(), vec![value.to_owned()])],
            ..ConfigRequest::default()
        };
        let request = match dice.below(6) {
            0 => ConfigRequest { remove: vec![plans], ..ConfigRequest::default() },
            1 => ConfigRequest { add: vec![plans], routing: Some("contributor".into()), ..ConfigRequest::default() },
            2 => set("routing.default", &plans),
            3 => ConfigRequest { routing: Some("explicit".into()), ..ConfigRequest::default() },
            4 => ConfigRequest { routing: Some("auto".into()), ..ConfigRequest::default() },
            _ => set("commit.planning", "false"),
        };
        let what = format!("config {request:?}");
        let result = ops::configure(&mut self.store(), &request);
        self.done(what, result);
    }

    /// Commits everything in the project and looks at every commit that upstream does not have.
    pub fn commit_and_inspect(&self) -> Seen {
        self.git(&["add", "-A"]).unwrap();
        self.git(&["commit", "-q", "-m", "everything"]);
        let base = self.git(&["rev-list", "--max-parents=0", "main"]).unwrap();
        let commits = self.git(&["rev-list", "--branches", "--not", base.trim()]).unwrap();
        let mut seen = Seen { commits: 0, lines: 0 };
        for commit in commits.lines() {
            seen.commits += 1;
            let added = self.git(&["show", "--format=%n", "--unified=0", "--no-color", commit]).unwrap();
            for line in added.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")) {
                seen.lines += 1;
                self.inspect(&line[1..]);
            }
            let files = self.git(&["show", "--format=%n", "--name-only", commit]).unwrap();
            for file in files.lines().filter(|file| !file.is_empty()) {
                assert_eq!(file, ".beads/beads.jsonl", "{}", self.story("a file that nobody proposed"));
            }
        }
        seen
    }

    fn inspect(&self, line: &str) {
        let issue: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{}", self.story(line)));
        let id = issue["id"].as_str().unwrap_or_default();
        assert!(self.proposed.contains(id), "{}", self.story(&format!("{id} was never proposed: {line}")));
        assert_ne!(issue["visibility"], "local", "{}", self.story(line));
        assert!(issue.get("companion").is_none(), "{}", self.story(line));
        for mark in MARKS.iter().filter(|mark| **mark != "TITLE-OF-") {
            assert!(!line.contains(mark), "{}", self.story(&format!("{mark} in {line}")));
        }
        // The title is public, and nothing else with a title's mark.
        let rest = line.replacen(issue["title"].as_str().unwrap_or_default(), "", 1);
        assert!(!rest.contains("TITLE-OF-"), "{}", self.story(line));
        for path in [self.path("home"), self.path("plans")] {
            let text = path.display().to_string();
            assert!(!line.contains(&text), "{}", self.story(line));
        }
        assert!(!line.contains("plans"), "{}", self.story(line));
        for edge in issue["dependencies"].as_array().into_iter().flatten() {
            let target = edge["depends_on_id"].as_str().unwrap_or_default();
            let public = target.starts_with("up-") || self.proposed.contains(target);
            assert!(public, "{}", self.story(&format!("a dependency on {target}, which is private: {line}")));
        }
    }

    fn story(&self, what: &str) -> String {
        format!("leaked: {what}\n{}", self.trail.join("\n"))
    }
}
