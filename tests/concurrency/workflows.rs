//! Many agents at work at the same time, in several repos and several checkouts of each: register, claim, checkpoints,
//! mail, close. Every command succeeds, and everything that was acknowledged exists exactly once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, alone, at_once, describe};
use crate::support::effort::pick;

const CHECKPOINTS: usize = 5;
const MAILS: usize = 3;

/// One repo with its checkouts.
struct Site {
    sandbox: Sandbox,
    checkouts: Vec<PathBuf>,
}

impl Site {
    /// With this many committed issues to work on, and someone to write to.
    fn new(issues: usize, checkouts: usize) -> (Self, Vec<String>) {
        let sandbox = Sandbox::new();
        let ids = (0..issues).map(|n| sandbox.add(&format!("Task {n}"))).collect();
        sandbox.ok(&["agent", "register", "lead", "--role", "coordinator"]);
        let checkouts = sandbox.checkouts(checkouts);
        (Site { sandbox, checkouts }, ids)
    }

    fn state_home(&self) -> PathBuf {
        self.sandbox.repo().join(".git/beads")
    }

    /// The records of a file, by id; each must be there once.
    fn records(&self, file: &Path) -> BTreeMap<String, Value> {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let mut found = BTreeMap::new();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let id = record["id"].as_str().unwrap().to_owned();
            assert!(found.insert(id.clone(), record).is_none(), "{id} is twice in {}", file.display());
        }
        found
    }

    /// The content of all files below a directory of the state home.
    fn below(&self, directory: &str, name: &str) -> Vec<Value> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.state_home().join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let file = if path.is_dir() { path.join(name) } else { path };
            if file.extension().is_some_and(|end| end == "jsonl") && file.exists() {
                found.extend(self.records(&file).into_values());
            }
        }
        found
    }

    /// Every file of the state home.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut found, mut open) = (BTreeMap::new(), vec![self.state_home()]);
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { open.push(path) } else { drop(found.insert(path.clone(), fs::read(path).unwrap())) }
            }
        }
        found
    }
}

/// The work of one agent on one issue.
struct Workflow<'a> {
    site: &'a Site,
    checkout: &'a Path,
    agent: String,
    issue: &'a str,
}

impl Workflow<'_> {
    fn bd(&self, args: &[&str]) -> String {
        let mut bd = self.site.sandbox.bd(args);
        let output = bd.current_dir(self.checkout).env("BD_AGENT", &self.agent).output().unwrap();
        let quiet = output.status.success() && output.stderr.is_empty();
        assert!(quiet, "{}: bd {}: {}", self.agent, args.join(" "), describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn run(&self) {
        self.bd(&["agent", "register", &self.agent]);
        let claimed: Value = serde_json::from_str(&self.bd(&["claim", self.issue, "--json"])).unwrap();
        assert_eq!((&claimed[0]["epoch"], &claimed[0]["holder"]), (&1.into(), &self.agent.as_str().into()));
        let text = |what: &str, n: usize| format!("{} {what} {n}", self.agent);
        for n in 1..=CHECKPOINTS {
            self.bd(&["checkpoint", "add", self.issue, "-m", &text("step", n)]);
            if n <= MAILS {
                let to = if n == 1 { "person:ann" } else { "lead" };
                self.bd(&["mail", "send", to, "-m", &text("mail", n), "--issue", self.issue]);
            }
        }
        self.bd(&["close", self.issue, "-r", "done"]);
    }
}

#[test]
fn every_workflow_comes_to_its_end() {
    let _turn = alone();
    let (workflows, repos, checkouts) = pick((12, 2, 2), (18, 2, 3), (150, 5, 3));
    let each = workflows / repos;
    let (sites, ids): (Vec<Site>, Vec<Vec<String>>) = (0..repos).map(|_| Site::new(each, checkouts)).unzip();
    let start = Instant::now();
    at_once(workflows, |n| {
        let (repo, task) = (n % repos, n / repos);
        let site = &sites[repo];
        let checkout = &site.checkouts[task % checkouts];
        Workflow { site, checkout, agent: format!("agent-{n}"), issue: &ids[repo][task] }.run();
    });
    let took = start.elapsed();
    for (repo, site) in sites.iter().enumerate() {
        let agents: Vec<String> = (0..each).map(|task| format!("agent-{}", task * repos + repo)).collect();
        all_is_there(site, &ids[repo], &agents);
        nothing_shows(site);
    }
    let commands = workflows * (3 + CHECKPOINTS + MAILS);
    println!(
        "workflows: {workflows} at once in {repos} repos with {checkouts} checkouts each: {commands} commands in {:.1} s, none failed, \
         every record there",
        took.as_secs_f64()
    );
}

/// Agents, claims that ended, numbered checkpoints, messages, closed issues.
fn all_is_there(site: &Site, ids: &[String], agents: &[String]) {
    let registered = site.records(&site.state_home().join("agents.jsonl"));
    let names: BTreeSet<&str> = registered.values().map(|agent| agent["name"].as_str().unwrap()).collect();
    let expected: BTreeSet<&str> = agents.iter().map(String::as_str).chain(["lead"]).collect();
    assert_eq!((names, registered.len()), (expected, agents.len() + 1));

    let leases = site.records(&site.state_home().join("leases.jsonl"));
    assert_eq!(leases.keys().collect::<BTreeSet<_>>(), ids.iter().collect());
    for lease in leases.values() {
        assert_eq!((&lease["epoch"], lease.get("holder")), (&1.into(), None), "{lease}");
    }

    let checkpoints = site.below("wt", "checkpoints.jsonl");
    assert_eq!(checkpoints.len(), ids.len() * CHECKPOINTS);
    let messages = site.below("mail", "");
    assert_eq!(messages.len(), ids.len() * MAILS);
    for (issue, agent) in ids.iter().zip(agents) {
        let of_issue = checkpoints.iter().filter(|one| one["issue"] == issue.as_str());
        let steps: BTreeMap<i64, &str> =
            of_issue.map(|one| (one["number"].as_i64().unwrap(), one["summary"].as_str().unwrap())).collect();
        let texts: Vec<String> = (1..=CHECKPOINTS).map(|n| format!("{agent} step {n}")).collect();
        assert_eq!(steps, (1..).zip(texts.iter().map(String::as_str)).collect(), "{issue}");
        for n in 1..=MAILS {
            let text = format!("{agent} mail {n}");
            let found: Vec<&Value> = messages.iter().filter(|message| message["body"] == text.as_str()).collect();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((&found[0]["from"], &found[0]["issue"]), (&agent.as_str().into(), &issue.as_str().into()));
            assert_eq!(found[0]["recipient"], if n == 1 { "ann" } else { "lead" });
        }
    }
    for (place, checkout) in site.checkouts.iter().enumerate() {
        let ledger = Issues::read(&checkout.join(".beads/beads.jsonl"));
        assert_eq!(ledger.ids().len(), ids.len());
        for (task, (issue, agent)) in ids.iter().zip(agents).enumerate() {
            let line = ledger.get(issue);
            let expected = if task % site.checkouts.len() == place {
                ("closed".into(), agent.as_str().into())
            } else {
                ("open".into(), Value::Null)
            };
            assert_eq!((line["status"].clone(), line["assignee"].clone()), expected, "{issue}");
        }
    }
}

/// Version control sees the ledgers and nothing else, and tidying up takes no record away.
fn nothing_shows(site: &Site) {
    let before = site.files();
    for checkout in &site.checkouts {
        assert_eq!(site.sandbox.git_in(checkout, &["status", "--porcelain", "--ignored"]), " M .beads/beads.jsonl\n");
        assert_eq!(site.sandbox.git_in(checkout, &["clean", "-fdx"]), "");
    }
    assert_eq!(site.files(), before);
    let inbox: Value = serde_json::from_str(&site.sandbox.ok(&["mail", "inbox", "--json"])).unwrap();
    assert_eq!(inbox.as_array().unwrap().len() * MAILS, site.below("mail", "").len());
}
