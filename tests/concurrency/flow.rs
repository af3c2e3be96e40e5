//! One workflow of twelve tasks over three repos, processed by four agents at once. One of them is killed in the middle
//! of a task, and the plan is changed in the middle of the work. Every task is done once, in order, by a live agent;
//! never do more run than may; work finished before the plan changed is unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::concurrency::sandbox::{Ender, Sandbox, alone, at_once, describe};
use crate::support::effort::pick;

const AGENTS: usize = 4;
const MOST: usize = 3;
/// How long anything may take before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(600);

/// Tasks, the repo of each, and what it waits for.
const TASKS: [(&str, usize, &[&str]); 12] = [
    ("a1", 0, &[]),
    ("a2", 1, &[]),
    ("a3", 2, &[]),
    ("b1", 0, &["a1"]),
    ("b2", 1, &["a2"]),
    ("b3", 2, &["a3"]),
    ("b4", 0, &["a1", "a2"]),
    ("c1", 1, &["b1", "b2"]),
    ("c2", 2, &["b3"]),
    ("c3", 0, &["b4"]),
    ("d1", 1, &["c1", "c2", "c3"]),
    ("d2", 2, &["d1"]),
];
/// The task that goes when the plan is changed, the one that comes, and what waits for it.
const GOES: &str = "c3";
const COMES: (&str, usize, &[&str]) = ("e1", 1, &["d1"]);
const LAST: &str = "d2";
/// The work on this one waits until the plan is changed, so that the one that goes is not begun before.
const GATE: &str = "b4";

type Planned = (&'static str, usize, Vec<&'static str>);

fn first_plan() -> Vec<Planned> {
    TASKS.iter().map(|(name, repo, needs)| (*name, *repo, needs.to_vec())).collect()
}

fn second_plan() -> Vec<Planned> {
    let mut plan: Vec<Planned> = first_plan().into_iter().filter(|(name, _, _)| *name != GOES).collect();
    for (name, _, needs) in &mut plan {
        match *name {
            "d1" => *needs = vec!["c1", "c2", GATE],
            LAST => *needs = vec![COMES.0],
            _ => {}
        }
    }
    plan.push((COMES.0, COMES.1, COMES.2.to_vec()));
    plan
}

fn write_plan(path: &Path, plan: &[Planned], repos: &[PathBuf]) {
    let mut text = format!("name = \"Flow\"\nmax_parallel = {MOST}\n");
    for (name, repo, needs) in plan {
        text.push_str(&format!("[[tasks]]\nname = {name:?}\nrepo = {:?}\ndepends_on = {needs:?}\n", repos[*repo]));
    }
    fs::write(path, text).unwrap();
}

/// A piece of work that an agent finished.
#[derive(Debug, Clone)]
struct Done {
    agent: String,
    epoch: i64,
}

struct Stage {
    sandbox: Sandbox,
    repos: Vec<PathBuf>,
    id: String,
    done: Mutex<BTreeMap<String, Done>>,
    replanned: AtomicBool,
    /// The claim of the agent that is killed, as `KEY:EPOCH`, from just before that.
    killed: Mutex<Option<String>>,
}

impl Stage {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let mut repos = vec![sandbox.repo()];
        let others = sandbox.join(&["server", "app"]);
        repos.extend(others.iter().map(|ledger| ledger.parent().and_then(Path::parent).unwrap().to_owned()));
        // From each of them all are visible, and all claims are in one place.
        let settings = sandbox.home().join("config/beads/config.toml");
        fs::write(settings, format!("[repos]\nadditional = {repos:?}\n[state]\nmode = \"global\"\n")).unwrap();
        let plan = sandbox.home().join("plan.toml");
        write_plan(&plan, &first_plan(), &repos);
        let made = sandbox.ok(&["workflow", "create", "--plan", plan.to_str().unwrap(), "--json"]);
        let made: Value = serde_json::from_str(&made).unwrap();
        assert_eq!(made["total"], 12);
        let id = made["id"].as_str().unwrap().to_owned();
        sandbox.ok(&["workflow", "start", &id]);
        let (done, replanned, killed) = (Mutex::default(), AtomicBool::new(false), Mutex::new(None));
        Stage { sandbox, repos, id, done, replanned, killed }
    }

    /// Runs `bd` as an agent in one of the repos.
    fn bd(&self, agent: usize, args: &[&str]) -> Value {
        let name = name(agent);
        let mut bd = self.sandbox.bd(args);
        bd.arg("--json").env("BD_AGENT", &name).current_dir(&self.repos[agent % self.repos.len()]);
        let output = bd.output().unwrap();
        assert!(output.status.success(), "{name}: bd {}: {}", args.join(" "), describe(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn shown(&self) -> Value {
        serde_json::from_str(&self.sandbox.ok(&["workflow", "show", &self.id, "--json"])).unwrap()
    }

    /// The file of claims as it is now.
    fn leases(&self) -> String {
        fs::read_to_string(self.sandbox.home().join("state/beads/leases.jsonl")).unwrap_or_default()
    }

    fn is_over(&self) -> bool {
        let last = self.done.lock().unwrap().contains_key(LAST);
        last && self.done.lock().unwrap().len() == TASKS.len()
    }

    /// Works until nothing is left. The first agent is killed in its first task and comes back under another name.
    fn work(&self, agent: usize, start: Instant) {
        let mut victim = agent == 0;
        while !self.is_over() {
            assert!(start.elapsed() < PATIENCE, "{} is stuck: {}", name(agent), self.shown());
            let next = self.bd(agent, &["workflow", "next", &self.id, "--claim"]);
            let Some(issue) = next["claimed"]["id"].as_str() else {
                std::thread::sleep(Duration::from_millis(30));
                continue;
            };
            let task = next["claimed"]["issue"]["task"]["name"].as_str().unwrap().to_owned();
            let epoch = next["claimed"]["epoch"].as_i64().unwrap();
            if std::mem::take(&mut victim) {
                self.die(agent, issue, epoch);
                // The dead do not come back.
                return;
            }
            while task == GATE && !self.replanned.load(Ordering::SeqCst) {
                assert!(start.elapsed() < PATIENCE, "nobody changes the plan");
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(20 + 17 * (epoch as u64 + agent as u64)));
            self.bd(agent, &["close", issue, "-r", &format!("{task} by {}", name(agent))]);
            let done = Done { agent: name(agent), epoch };
            let before = self.done.lock().unwrap().insert(task.clone(), done);
            assert!(before.is_none(), "{task} was done twice");
        }
    }

    /// Runs a program on the task with `bd run`, and kills both in the middle of it.
    fn die(&self, agent: usize, issue: &str, epoch: i64) {
        let mark = self.sandbox.home().join("began");
        let script = "echo $$ > \"$MARK.new\" && mv \"$MARK.new\" \"$MARK\" && exec sleep 600";
        let mut bd = self.sandbox.bd(&["run", issue, "--", "sh", "-c", script]);
        bd.env("MARK", &mark).env("BD_AGENT", name(agent)).current_dir(&self.repos[agent % self.repos.len()]);
        bd.stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = bd.spawn().unwrap();
        let start = Instant::now();
        let pid = loop {
            assert!(start.elapsed() < PATIENCE, "the program does not start");
            match fs::read_to_string(&mark) {
                Ok(text) => break text.trim().to_owned(),
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        // From now on the claim lives and dies with the program.
        while !self.leases().lines().any(|line| line.contains(&format!("/{issue}\"")) && line.contains("\"pid\"")) {
            assert!(start.elapsed() < PATIENCE, "the claim does not name the program: {}", self.leases());
            std::thread::sleep(Duration::from_millis(10));
        }
        *self.killed.lock().unwrap() = Some(format!("{issue}:{epoch}"));
        run.kill().unwrap();
        run.wait().unwrap();
        let killed = self.sandbox.program("kill").args(["-9", &pid]).status().unwrap();
        assert!(killed.success(), "the program of the killed agent ran");
    }

    /// Changes the plan once the first tasks are done, and looks whether those stay.
    fn replan(&self, start: Instant) {
        while self.done.lock().unwrap().len() < 3 {
            assert!(start.elapsed() < PATIENCE, "nothing gets done: {}", self.shown());
            std::thread::sleep(Duration::from_millis(10));
        }
        let plan = self.sandbox.home().join("second.toml");
        write_plan(&plan, &second_plan(), &self.repos);
        let closed = |shown: &Value| -> BTreeMap<String, Value> {
            let tasks = shown["tasks"].as_array().unwrap().iter().filter(|task| task["status"] == "closed");
            tasks.map(|task| (task["name"].as_str().unwrap().to_owned(), task.clone())).collect()
        };
        let before = closed(&self.shown());
        assert!(before.len() >= 3, "{before:?}");
        self.sandbox.ok(&["workflow", "replan", &self.id, plan.to_str().unwrap()]);
        let after = closed(&self.shown());
        for (name, task) in &before {
            assert_eq!(after.get(name), Some(task), "{name} was done, and stays as it was");
        }
        self.replanned.store(true, Ordering::SeqCst);
    }

    /// Looks at the claims all the time; gives how often, and the most that ran at once.
    fn sample(&self, over: &AtomicBool) -> (usize, usize) {
        let (mut looks, mut most) = (0, 0);
        while !over.load(Ordering::Relaxed) {
            let killed = self.killed.lock().unwrap().clone();
            let running = running(&self.leases(), killed.as_deref());
            assert!(running <= MOST, "{running} tasks run, {MOST} may");
            (looks, most) = (looks + 1, most.max(running));
            std::thread::sleep(Duration::from_millis(1));
        }
        (looks, most)
    }
}

fn name(agent: usize) -> String {
    format!("agent-{agent}")
}

/// How many claims a file of claims knows, one of a killed agent left out.
fn running(text: &str, killed: Option<&str>) -> usize {
    let held = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).filter(|lease| {
        let key = lease["id"].as_str().unwrap_or_default();
        let number = format!("{}:{}", key.rsplit('/').next().unwrap_or(key), lease["epoch"]);
        lease["holder"].is_string() && killed != Some(number.as_str())
    });
    held.count()
}

#[test]
fn a_workflow_over_three_repos_is_worked_off() {
    let _turn = alone();
    for round in 0..pick(1, 1, 10) {
        one_round(round);
    }
}

fn one_round(round: usize) {
    let stage = Stage::new();
    let (over, busy) = (AtomicBool::new(false), AtomicUsize::new(AGENTS));
    let start = Instant::now();
    let results = at_once(AGENTS + 2, |n| match n {
        n if n < AGENTS => {
            // Whatever happens to an agent, the one who looks at the claims comes to an end.
            let _end = (n == 1).then(|| Ender(&over));
            stage.work(n, start);
            busy.fetch_sub(1, Ordering::SeqCst);
            None
        }
        n if n == AGENTS => {
            stage.replan(start);
            None
        }
        _ => Some(stage.sample(&over)),
    });
    let (looks, most) = results.into_iter().flatten().next().unwrap();
    let done = stage.done.lock().unwrap().clone();
    let names: Vec<&str> = second_plan().iter().map(|(name, _, _)| *name).collect();
    assert!(names.iter().all(|name| done.contains_key(*name)) && done.len() == names.len(), "{:?}", done.keys());
    // According to the ledgers, no task began before its blockers were closed.
    let listed: Value = serde_json::from_str(&stage.sandbox.ok(&["list", "--all", "--json"])).unwrap();
    let time = |name: &str, key: &str| {
        let issue = listed.as_array().unwrap().iter().find(|issue| issue["task"]["name"] == name).unwrap();
        issue[key].as_str().unwrap_or_else(|| panic!("{name} has no {key}")).to_owned()
    };
    for (name, _, needs) in second_plan() {
        for before in needs {
            assert!(time(before, "closed_at") <= time(name, "started_at"), "{name} was begun before {before} was done");
        }
    }
    // The task of the killed agent was handed on, under the next number.
    let killed = stage.killed.lock().unwrap().clone().unwrap();
    let (issue, epoch) = killed.rsplit_once(':').unwrap();
    let shown = stage.shown();
    let task = shown["tasks"].as_array().unwrap().iter().find(|task| task["id"] == issue).unwrap();
    let handed = &done[task["name"].as_str().unwrap()];
    assert_ne!(handed.agent, name(0));
    assert_eq!(handed.epoch, epoch.parse::<i64>().unwrap() + 1);
    for (name, done) in &done {
        let task = shown["tasks"].as_array().unwrap().iter().find(|task| task["name"] == **name).unwrap();
        assert_eq!(
            (&task["state"], &task["outcome"]),
            (&"completed".into(), &format!("{name} by {}", done.agent).into())
        );
    }
    assert_eq!((&shown["done"], busy.load(Ordering::SeqCst)), (&true.into(), 0));
    stage.sandbox.ok(&["workflow", "complete", &stage.id]);
    assert_eq!(stage.shown()["state"], "completed");
    println!(
        "round {round}: {} tasks over 3 repos by {} agents in {:.1} s; {looks} looks, at most {most} of {MOST} at once; {killed} handed on to {}",
        done.len(),
        AGENTS,
        start.elapsed().as_secs_f64(),
        handed.agent
    );
}

/// The one who looks at the claims can see one too many.
#[test]
fn too_many_claims_would_be_seen() {
    let line = |n: usize, holder: &str| format!("{{\"id\":\"rp_1/t-{n}\",\"epoch\":2{holder}}}\n");
    let text: String = (0..4).map(|n| line(n, ",\"holder\":\"a\"")).collect::<String>() + &line(9, "");
    assert_eq!(running(&text, None), MOST + 1);
    assert_eq!(running(&text, Some("t-0:2")), MOST);
    assert_eq!(running(&text, Some("t-0:1")), MOST + 1, "another claim on the same issue counts");
}
