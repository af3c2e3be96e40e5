//! A fleet: agents on two machines work off the issues of two repos. Each machine has a clone of each repo, with worktrees; half of
//! the agents publish by git, half by `bd sync`; one is killed at work, one is stopped for longer than its claim lasts, one machine
//! is offline for a while, and one agent leaves its work on a branch that is not merged. `.ci/fleet` runs it in full.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, alone, describe};
use crate::support::effort::pick;
use crate::support::place;
use crate::support::user::{BD, User};

const REPOS: [&str; 2] = ["app", "lib"];
const STALE: i32 = 7;

/// How much there is to do.
struct Size {
    /// In each repo.
    issues: usize,
    work: Duration,
    /// How long a claim lasts. The stalled agent stays away for longer.
    claim: Duration,
    offline: Duration,
}

fn size() -> Size {
    let (issues, work, claim, offline) = pick((5, 100, 20, 1), (8, 200, 20, 2), (60, 3_000, 60, 30));
    let [claim, offline] = [claim, offline].map(Duration::from_secs);
    Size { issues, work: Duration::from_millis(work), claim, offline }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Publishing {
    /// fetch, merge and push by git.
    Git,
    /// `bd sync --with-code`.
    Sync,
    /// By git, to a branch that nobody merges until the end.
    Branch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accident {
    None,
    /// Gone in the middle of its work, and started again.
    Kill,
    /// Stopped for longer than a claim lasts.
    Stall,
}

/// One agent: where it works, and what happens to it.
#[derive(Debug, Clone)]
struct Agent {
    name: String,
    machine: usize,
    repo: usize,
    checkout: PathBuf,
    publishing: Publishing,
    accident: Accident,
}

/// What an agent did with an issue.
#[derive(Debug, Clone)]
struct Done {
    id: String,
    /// It was online and at work all the time.
    is_orderly: bool,
}

#[derive(Default)]
struct Figures {
    done: Vec<Done>,
    published: BTreeMap<String, usize>,
    git_times: Vec<Duration>,
    sync_times: Vec<Duration>,
    /// Commands that ended in a way that an agent cannot expect.
    odd: Vec<String>,
    last_failure: String,
    /// What happened to each issue, and when.
    events: Vec<(String, String)>,
    offline_claims: usize,
    refused_offline: usize,
}

struct Fleet {
    dir: tempfile::TempDir,
    agents: Vec<Agent>,
    figures: Mutex<Figures>,
    is_offline: AtomicBool,
    left: AtomicUsize,
    start: Instant,
    is_remote: bool,
    size: Size,
}

impl Fleet {
    fn new(is_remote: bool) -> Self {
        let dir = place::in_memory("fleet");
        let size = size();
        let mut agents = Vec::new();
        for machine in 0..2 {
            // Three worktrees of the first repo and one agent in its clone; a worktree of the second and one in its clone.
            for (n, repo) in [0, 0, 0, 0, 1, 1].into_iter().enumerate() {
                let name = format!("agent-{machine}-{n}");
                let checkout = if matches!(n, 3 | 5) { REPOS[repo].to_owned() } else { format!("{}-{n}", REPOS[repo]) };
                let checkout = dir.path().join(format!("machine-{machine}")).join(checkout);
                let publishing = match n {
                    2 if machine == 0 => Publishing::Branch,
                    0 | 2 | 4 => Publishing::Git,
                    _ => Publishing::Sync,
                };
                let accident = match (machine, n) {
                    (0, 1) | (1, 4) => Accident::Kill,
                    (1, 0) => Accident::Stall,
                    _ => Accident::None,
                };
                agents.push(Agent { name, machine, repo, checkout, publishing, accident });
            }
        }
        let (figures, left) = (Mutex::default(), AtomicUsize::new(size.issues * REPOS.len()));
        let fleet = Fleet {
            dir,
            agents,
            figures,
            is_offline: AtomicBool::new(false),
            left,
            start: Instant::now(),
            is_remote,
            size,
        };
        fleet.prepare(is_remote);
        fleet
    }

    fn prepare(&self, is_remote: bool) {
        for machine in 0..2 {
            fs::create_dir_all(self.machine(machine)).unwrap();
            self.connect(machine, true);
        }
        for repo in REPOS {
            let first = self.dir.path().join("first");
            fs::create_dir(&first).unwrap();
            self.git(0, &first, &["init", "-q", "-b", "main"]);
            self.ok(0, &first, None, &["init", "--prefix", repo]);
            self.ok(
                0,
                &first,
                None,
                &["config", "set", "lease.ttl", &format!("{}s", self.size.claim.as_secs()), "--shared"],
            );
            if is_remote {
                self.ok(0, &first, None, &["config", "set", "claims.remote", "true", "--shared"]);
            }
            for n in 0..self.size.issues {
                self.ok(0, &first, None, &["add", &format!("Task {n}")]);
            }
            self.git(0, &first, &["add", "-A"]);
            self.git(0, &first, &["commit", "-q", "-m", "Begin"]);
            self.git(0, &first, &["clone", "-q", "--bare", ".", &self.server(repo).display().to_string()]);
            fs::remove_dir_all(&first).unwrap();
            for machine in 0..2 {
                let clone = self.machine(machine).join(repo);
                let (from, to) = (self.net(machine).join(format!("{repo}.git")), clone.display().to_string());
                self.git(machine, &self.machine(machine), &["clone", "-q", &from.display().to_string(), &to]);
                self.ok(machine, &clone, None, &["hooks", "install"]);
                for agent in self.agents.iter().filter(|agent| agent.machine == machine && REPOS[agent.repo] == repo) {
                    if agent.checkout != clone {
                        let (path, branch) = (agent.checkout.display().to_string(), agent.name.clone());
                        self.git(
                            machine,
                            &clone,
                            &["worktree", "add", "-q", "-b", &branch, &path, "--no-track", "main"],
                        );
                        self.git(machine, &agent.checkout, &["branch", "-q", "--set-upstream-to", "origin/main"]);
                        self.git(machine, &agent.checkout, &["config", "push.default", "upstream"]);
                    }
                }
            }
        }
    }

    fn server(&self, repo: &str) -> PathBuf {
        self.dir.path().join("servers").join(format!("{repo}.git"))
    }

    fn machine(&self, machine: usize) -> PathBuf {
        self.dir.path().join(format!("machine-{machine}"))
    }

    fn user(&self, machine: usize) -> User {
        let home = self.machine(machine).join("home");
        User::at(home).with_places().with("LC_ALL", "C").named(&format!("machine-{machine}"))
    }

    fn git(&self, machine: usize, place: &Path, args: &[&str]) -> String {
        self.user(machine).git(place, args)
    }

    /// Connects a machine with the servers, or not.
    fn connect(&self, machine: usize, is_online: bool) {
        let net = self.net(machine);
        match is_online {
            true => std::os::unix::fs::symlink(self.dir.path().join("servers"), net).unwrap(),
            false => fs::remove_file(net).unwrap(),
        }
    }

    /// Where a machine finds the servers.
    fn net(&self, machine: usize) -> PathBuf {
        self.dir.path().join(format!("net-{machine}"))
    }

    fn command(&self, machine: usize, place: &Path, program: &str, args: &[&str]) -> Command {
        let mut command = self.user(machine).command(program, place);
        command.args(args);
        command
    }

    fn bd(&self, agent: &Agent, args: &[&str]) -> Output {
        let mut bd = self.command(agent.machine, &agent.checkout, BD, &["--lock-timeout", "600"]);
        bd.args(args).env("BD_AGENT", &agent.name).output().unwrap()
    }

    fn ok(&self, machine: usize, place: &Path, agent: Option<&str>, args: &[&str]) -> String {
        let mut bd = self.command(machine, place, BD, args);
        let output = bd.envs(agent.map(|agent| ("BD_AGENT", agent))).output().unwrap();
        assert!(output.status.success(), "bd {}: {}", args.join(" "), describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn note<T>(&self, change: impl FnOnce(&mut Figures) -> T) -> T {
        change(&mut self.figures.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn run(&self) {
        let until = Instant::now() + Duration::from_secs(1_200);
        thread::scope(|scope| {
            for agent in &self.agents {
                scope.spawn(move || self.work(agent, until));
            }
            scope.spawn(|| {
                thread::sleep(self.size.work * 3);
                self.connect(1, false);
                self.is_offline.store(true, Ordering::SeqCst);
                thread::sleep(self.size.offline);
                self.is_offline.store(false, Ordering::SeqCst);
                self.connect(1, true);
            });
        });
        assert!(Instant::now() < until, "the fleet is stuck: {} issues left", self.left.load(Ordering::SeqCst));
    }

    fn tell(&self, id: &str, agent: &Agent, what: &str) {
        let event = format!("{:?} {} {what}", self.start.elapsed(), agent.name);
        self.note(|figures| figures.events.push((id.to_owned(), event)));
    }

    /// Claims, works, closes and publishes until nothing is left.
    fn work(&self, agent: &Agent, until: Instant) {
        let mut accident = agent.accident;
        let mut idle = 0;
        while self.left.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            let began_offline = agent.machine == 1 && self.is_offline.load(Ordering::SeqCst);
            let claimed = self.bd(agent, &["ready", "--claim", "--json"]);
            let is_offline = agent.machine == 1 && self.is_offline.load(Ordering::SeqCst);
            let Some(id) = claimed_id(&claimed) else {
                if began_offline && is_offline && claimed.status.code() == Some(1) {
                    self.note(|figures| figures.refused_offline += 1);
                }
                idle += 1;
                // Others may have published what this one waits for.
                self.publish(agent, false);
                thread::sleep(Duration::from_millis(200 * idle.min(10)));
                continue;
            };
            idle = 0;
            self.tell(&id, agent, &format!("claimed{}", if began_offline { ", offline" } else { "" }));
            if began_offline && is_offline {
                self.note(|figures| figures.offline_claims += 1);
            }
            let happened = std::mem::replace(&mut accident, Accident::None);
            thread::sleep(self.size.work);
            match happened {
                Accident::None => {}
                // A new process, which still holds what the old one claimed.
                Accident::Kill => thread::sleep(self.size.work),
                Accident::Stall => thread::sleep(self.size.claim + self.size.claim / 2),
            }
            let file = format!("{id}-{}.txt", agent.name);
            fs::write(agent.checkout.join(&file), &id).unwrap();
            self.git(agent.machine, &agent.checkout, &["add", &file]);
            self.git(agent.machine, &agent.checkout, &["commit", "-q", "-m", &format!("Work on {id}")]);
            let closed = self.bd(agent, &["close", &id, "--reason", "done"]);
            self.tell(&id, agent, &format!("close: {}", describe(&closed)));
            match closed.status.code() {
                Some(0) => {
                    let is_orderly = happened == Accident::None && !began_offline;
                    let done = Done { id: id.clone(), is_orderly };
                    let is_new = self.note(|figures| {
                        let is_new = figures.done.iter().all(|done| done.id != id);
                        figures.done.push(done);
                        is_new
                    });
                    if is_new {
                        self.left.fetch_sub(1, Ordering::SeqCst);
                    }
                }
                // Another one has it by now.
                Some(STALE) if happened == Accident::Stall || !self.is_remote => {}
                _ => {
                    self.note(|figures| figures.odd.push(format!("{}: close {id}: {}", agent.name, describe(&closed))))
                }
            }
            let is_published = self.publish(agent, true);
            self.tell(&id, agent, if is_published { "published" } else { "not published" });
            if is_published {
                self.note(|figures| *figures.published.entry(agent.name.clone()).or_default() += 1);
            }
        }
    }

    /// Brings what is committed to the server. `false` if that fails for good.
    fn publish(&self, agent: &Agent, has_work: bool) -> bool {
        let place = &agent.checkout;
        for _ in 0..12 {
            let start = Instant::now();
            if agent.publishing == Publishing::Sync {
                let done = self.bd(agent, &["sync", "--with-code"]).status.success();
                self.note(|figures| figures.sync_times.extend(has_work.then(|| start.elapsed())));
                if done {
                    return true;
                }
            } else {
                let git = |args: &[&str]| self.command(agent.machine, place, "git", args).output().unwrap();
                if has_work && !git(&["diff", "--quiet", "HEAD", "--", ".beads"]).status.success() {
                    git(&["commit", "-q", "-m", "Close", "--", ".beads"]);
                }
                let to = if agent.publishing == Publishing::Branch { agent.name.as_str() } else { "main" };
                let push = format!("HEAD:refs/heads/{to}");
                let steps: [&[&str]; 3] = [
                    &["fetch", "-q", "origin"],
                    &["merge", "-q", "--no-edit", "origin/main"],
                    &["push", "-q", "origin", &push],
                ];
                let failed = steps.iter().map(|step| git(step)).find(|output| !output.status.success());
                let done = failed.is_none();
                if let Some(failed) = failed {
                    let status = git(&["status", "--short"]);
                    self.note(|figures| figures.last_failure = format!("{}\n{}", describe(&failed), describe(&status)));
                    git(&["merge", "--abort"]);
                }
                self.note(|figures| figures.git_times.extend(has_work.then(|| start.elapsed())));
                if done {
                    return true;
                }
            }
            if agent.machine == 1 && self.is_offline.load(Ordering::SeqCst) {
                return false;
            }
        }
        false
    }

    /// Brings everything together at the end, and gives the ledgers.
    fn gather(&self) -> Vec<Issues> {
        for agent in &self.agents {
            let merged = Agent { publishing: Publishing::Git, ..agent.clone() };
            let why = || self.note(|figures| figures.last_failure.clone());
            assert!(self.publish(&merged, true), "{} cannot publish at the end: {}", agent.name, why());
        }
        let ledger = |repo: &&str| {
            let clone = self.dir.path().join(format!("end-{repo}"));
            self.git(
                0,
                self.dir.path(),
                &["clone", "-q", &self.server(repo).display().to_string(), &clone.display().to_string()],
            );
            Issues::read(&clone.join(".beads/beads.jsonl"))
        };
        REPOS.iter().map(ledger).collect()
    }

    /// Merges that bd made, and commits with code.
    fn commits(&self) -> (usize, usize) {
        let count = |repo: &str, args: &[&str]| {
            let all = [&["log", "--format=%s", "main"][..], args].concat();
            self.git(0, &self.server(repo), &all).lines().count()
        };
        let ours: usize = REPOS.iter().map(|repo| count(repo, &["--merges", "--grep=merge the ledger"])).sum();
        (ours, REPOS.iter().map(|repo| count(repo, &["--grep=^Work on "])).sum())
    }
}

/// The issue that `ready --claim` took.
fn claimed_id(output: &Output) -> Option<String> {
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    let first = answer.get(0).unwrap_or(&answer);
    first["id"].as_str().filter(|_| output.status.success()).map(str::to_owned)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Runs a fleet; gives the issues that two agents worked on although nothing had happened to them.
fn run(is_remote: bool) -> BTreeSet<String> {
    let fleet = Fleet::new(is_remote);
    let start = Instant::now();
    fleet.run();
    let took = start.elapsed();
    let ledgers = fleet.gather();
    let (merges, code) = fleet.commits();
    let figures = fleet.figures.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut by: BTreeMap<&str, Vec<&Done>> = BTreeMap::new();
    figures.done.iter().for_each(|done| by.entry(&done.id).or_default().push(done));
    let twice: BTreeSet<String> = by
        .iter()
        .filter(|(_, all)| all.iter().filter(|done| done.is_orderly).count() > 1)
        .map(|(id, _)| id.to_string())
        .collect();
    let in_all = by.values().filter(|all| all.len() > 1).count();
    let status = |id: &str| {
        ledgers.iter().find(|ledger| ledger.ids().contains(&id)).map(|ledger| ledger.get(id)["status"].clone())
    };
    let undone: Vec<&str> = by.keys().copied().filter(|id| status(id) != Some("closed".into())).collect();
    let mean = |publishing: Publishing| {
        let own: Vec<&Agent> = fleet.agents.iter().filter(|agent| agent.publishing == publishing).collect();
        let published: usize = own.iter().map(|agent| figures.published.get(&agent.name).copied().unwrap_or(0)).sum();
        published as f64 / own.len() as f64
    };
    let (by_git, by_sync) = (mean(Publishing::Git), mean(Publishing::Sync));
    let (git, sync) = (median(figures.git_times), median(figures.sync_times));
    let is_wrong = |id: &String| is_remote && twice.contains(id) || undone.contains(&id.as_str());
    for (id, event) in figures.events.iter().filter(|(id, _)| is_wrong(id)) {
        println!("{id}: {event}");
    }
    println!(
        "fleet, claims {}: {} issues, {} agents, {:.0} s; worked on twice: {} by agents that were online ({in_all} in all); {} \
         closes undone; published per agent by git {by_git:.1}, by sync {by_sync:.1}; median of fetch, merge and push by git {} ms, \
         of sync {} ms; {merges} merges of ours for {code} commits with code; claimed offline {}, refused offline {}",
        if is_remote { "on the remote" } else { "in each clone" },
        fleet.size.issues * REPOS.len(),
        fleet.agents.len(),
        took.as_secs_f64(),
        twice.len(),
        undone.len(),
        git.as_millis(),
        sync.as_millis(),
        figures.offline_claims,
        figures.refused_offline,
    );
    assert_eq!(undone, [""; 0], "acknowledged closes are in the end");
    assert_eq!(figures.odd, [""; 0]);
    if is_remote {
        assert_eq!(figures.offline_claims, 0, "an agent without a network claims nothing");
    }
    twice
}

#[test]
fn no_issue_is_worked_on_twice() {
    let _turn = alone();
    assert_eq!(run(true), BTreeSet::new());
}

/// Without claims on the remote, clones only find out afterwards; for comparison.
#[test]
fn a_fleet_without_claims_on_the_remote_ends_too() {
    let _turn = alone();
    run(false);
}
