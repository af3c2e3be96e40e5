//! Claims across clones, by commands: of clones that race for an issue on one remote, one wins and the others learn by
//! whom.

use std::path::PathBuf;
use std::process::Output;
use std::time::Instant;

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, alone, at_once, describe};
use crate::support::effort::pick;
use crate::support::user::BD;
use crate::support::wait::until;

const CLAIMED: i32 = 4;
const STALE: i32 = 7;
/// Ten minutes on: more than clocks may be apart.
const LATER: (&str, &str) = ("BD_TEST_SHIFT", "600");
/// Two days on: what was published then is known to everybody.
const MUCH_LATER: (&str, &str) = ("BD_TEST_SHIFT", "172800");
const ILLEGAL: i32 = 5;
const NOW: (&str, &str) = ("BD_TEST_SHIFT", "0");

/// A bare remote, and clones of it, each with an agent of its own.
struct Clones {
    sandbox: Sandbox,
    places: Vec<PathBuf>,
    ids: Vec<String>,
}

impl Clones {
    fn new(count: usize, issues: usize) -> Self {
        let sandbox = Sandbox::new();
        let ids = (0..issues).map(|n| sandbox.add(&format!("Task {n}"))).collect();
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "ledger"]);
        sandbox.git(&["clone", "-q", "--bare", ".", "../server"]);
        let place = |n: usize| sandbox.repo().parent().unwrap().join(format!("clone-{n}"));
        let places: Vec<PathBuf> = (0..count).map(place).collect();
        for place in &places {
            sandbox.git(&["clone", "-q", "../server", place.to_str().unwrap()]);
        }
        Clones { sandbox, places, ids }
    }

    /// A command of the agent in a clone.
    fn run(&self, clone: usize, args: &[&str], shift: (&str, &str)) -> Output {
        let mut bd = self.sandbox.bd(args);
        bd.current_dir(&self.places[clone]).env("BD_AGENT", name(clone)).env(shift.0, shift.1);
        bd.arg("--json").output().unwrap()
    }

    fn ok(&self, clone: usize, args: &[&str]) -> Value {
        let output = self.run(clone, args, NOW);
        assert!(output.status.success(), "bd {}: {}", args.join(" "), describe(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Refused with an exit code; gives the error.
    fn refused(&self, clone: usize, args: &[&str], code: i32) -> Value {
        error(&self.run(clone, args, NOW), code)
    }

    /// All of `clones` claim at the same moment. Returns the winner, once all others have been refused.
    fn race(&self, clones: &[usize], id: &str, shift: (&str, &str)) -> (usize, Value) {
        let outputs = at_once(clones.len(), |n| self.run(clones[n], &["claim", id, "--remote"], shift));
        let winners: Vec<usize> = (0..clones.len()).filter(|n| outputs[*n].status.success()).collect();
        let said: Vec<String> = outputs.iter().map(describe).collect();
        assert_eq!(winners.len(), 1, "{id}: {said:#?}");
        let winner = winners[0];
        for (n, output) in outputs.iter().enumerate().filter(|(n, _)| *n != winner) {
            let error = error(output, CLAIMED);
            assert_eq!(error["holder"], self.agent(clones[winner]), "a loser is told by whom");
            assert_eq!(self.issue(clones[n], id)["status"], "open", "a loser writes nothing");
        }
        let claimed: Value = serde_json::from_slice(&outputs[winner].stdout).unwrap();
        let (winner, claimed) = (clones[winner], claimed[0].clone());
        let issue = self.issue(winner, id);
        assert_eq!((&issue["status"], &issue["assignee"]), (&"in_progress".into(), &name(winner).into()));
        (winner, claimed)
    }

    fn issue(&self, clone: usize, id: &str) -> Value {
        Issues::read(&self.places[clone].join(".beads/beads.jsonl")).get(id).clone()
    }

    /// The id of a clone's agent, which is all that the remote knows of it.
    fn agent(&self, clone: usize) -> String {
        self.ok(clone, &["agent", "show", &name(clone)])["id"].as_str().unwrap().to_owned()
    }

    /// Issues on the remote, each with its holder and status, as a clone sees them.
    fn on_remote(&self, clone: usize) -> Vec<(String, String, String)> {
        let leases = self.ok(clone, &["leases", "--remote"]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let all = leases.as_array().unwrap().iter();
        all.map(|one| (text(&one["id"]), text(&one["agent"]), text(&one["status"]))).collect()
    }

    /// One issue that a clone holds, as `on_remote` shows it.
    fn held(&self, id: &str, clone: usize) -> Vec<(String, String, String)> {
        vec![(id.to_owned(), self.agent(clone), "live".to_owned())]
    }

    fn git(&self, clone: usize, args: &str) {
        self.sandbox.git_in(&self.places[clone], &args.split(' ').collect::<Vec<_>>());
    }

    /// Whether a clone considers the claim of an issue valid, asked by a non-holder: any command of the holder would
    /// renew its own.
    fn is_live(&self, clone: usize, id: &str) -> bool {
        let mut bd = self.sandbox.bd(&["leases", "--json"]);
        let output = bd.current_dir(&self.places[clone]).env("BD_AGENT", "onlooker").output().unwrap();
        let leases: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", describe(&output)));
        let lease = leases.as_array().unwrap().iter().find(|lease| lease["id"] == id);
        lease.unwrap_or_else(|| panic!("no claim of {id}: {leases}"))["status"] == "live"
    }

    /// The refs of claims, asked of git alone.
    fn refs(&self) -> String {
        let mut git = self.sandbox.program("git");
        let output = git.args(["--git-dir", "../server", "for-each-ref", "refs/beads"]).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn name(clone: usize) -> String {
    format!("agent-{clone}")
}

fn error(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{}", describe(output));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap_or_else(|e| panic!("{e}: {}", describe(output)));
    error["error"].clone()
}

#[test]
fn one_clone_wins() {
    let _turn = alone();
    let (count, rounds) = (8, pick(3, 5, 100));
    let clones = Clones::new(count, rounds);
    let everybody: Vec<usize> = (0..count).collect();
    let start = Instant::now();
    for (round, id) in clones.ids.iter().enumerate() {
        let (winner, claimed) = clones.race(&everybody, id, NOW);
        assert_eq!(claimed["epoch"], 1);
        let loser = (winner + 1) % count;
        assert_eq!(clones.on_remote(loser), clones.held(id, winner));
        // Given back, it is anybody's again; done, it is nobody's until the others can see that.
        clones.ok(winner, &["release", id]);
        assert_eq!(clones.refs(), "", "round {round}");
        clones.ok(loser, &["claim", id, "--remote"]);
        let again = clones.refused(winner, &["claim", id, "--remote"], CLAIMED);
        assert_eq!(again["holder"], clones.agent(loser));
        clones.ok(loser, &["close", id, "-r", "done"]);
        clones.refused(winner, &["claim", id, "--remote"], ILLEGAL);
        let closed = clones.on_remote(winner).into_iter().find(|(known, ..)| known == id).unwrap();
        assert_eq!(closed.2, "closed", "round {round}");
        clones.ok(loser, &["release", id, "--remote"]);
    }
    println!(
        "remote claims: {count} clones, {rounds} rounds: exactly one winner each; {:.1} s",
        start.elapsed().as_secs_f64()
    );
}

/// The holder is silent for longer than its claim lasts and clocks may differ: of those who take it over, one does.
#[test]
fn a_claim_that_is_over() {
    let _turn = alone();
    let rounds = pick(1, 2, 20);
    let clones = Clones::new(4, rounds);
    for id in &clones.ids {
        let claimed = clones.ok(0, &["claim", id, "--remote", "--ttl", "1s"]);
        assert_eq!(claimed[0]["epoch"], 1);
        let first = clones.refs();
        until("its time is over", || !clones.is_live(0, id));
        // Over here, and perhaps not there.
        let held = clones.refused(1, &["claim", id, "--remote"], CLAIMED);
        assert_eq!(held["holder"], clones.agent(0));
        let (winner, _) = clones.race(&[1, 2, 3], id, LATER);
        assert_ne!(clones.refs(), first);
        assert_eq!(clones.on_remote(0), clones.held(id, winner));
        // The one who slept can neither write nor take the other's claim off the remote.
        clones.refused(0, &["note", id, "late"], STALE);
        let held = clones.refused(0, &["claim", id, "--remote"], CLAIMED);
        assert_eq!(held["holder"], clones.agent(winner));
        clones.run(0, &["release", id], NOW);
        assert_eq!(clones.on_remote(0), clones.held(id, winner));
        clones.ok(winner, &["release", id]);
        assert_eq!(clones.refs(), "");
    }
}

#[test]
fn a_remote_that_is_out_of_reach() {
    let _turn = alone();
    let clones = Clones::new(1, 1);
    let id = &clones.ids[0];
    let server = clones.sandbox.repo().parent().unwrap().join("server");
    std::fs::rename(&server, server.with_extension("away")).unwrap();
    let ledger = clones.places[0].join(".beads/beads.jsonl");
    let before = std::fs::read(&ledger).unwrap();
    let error = clones.refused(0, &["claim", id, "--remote"], 1);
    assert_eq!(error["code"], "unreachable", "{error}");
    assert!(error["hint"].as_str().unwrap().starts_with("nothing was claimed"), "{error}");
    assert_eq!(std::fs::read(&ledger).unwrap(), before, "nothing is claimed here");
    assert_eq!(clones.ok(0, &["leases"]), Value::Array(Vec::new()));
    clones.refused(0, &["leases", "--remote"], 1);
    // Given back, or done, while the remote is away: it stays claimed there, and that is said.
    for (command, status) in [("release", "open"), ("close", "closed")] {
        std::fs::rename(server.with_extension("away"), &server).unwrap();
        clones.ok(0, &["claim", id, "--remote"]);
        std::fs::rename(&server, server.with_extension("away")).unwrap();
        let done = clones.run(0, &[command, id], NOW);
        assert!(done.status.success(), "{}", describe(&done));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(said.matches(&format!("the remote still says that {id} is claimed")).count(), 1, "{said}");
        assert_eq!(clones.issue(0, id)["status"], status);
        assert_eq!(clones.ok(0, &["leases"]), Value::Array(Vec::new()));
    }
}

fn on(clones: &Clones) {
    for clone in 0..clones.places.len() {
        clones.ok(clone, &["config", "set", "claims.remote", "true", "--personal"]);
    }
}

/// Between the close and the day on which everybody has fetched it, nobody does the work a second time.
#[test]
fn a_close_holds_until_others_can_see_it() {
    let _turn = alone();
    let clones = Clones::new(2, 1);
    let id = &clones.ids[0];
    on(&clones);
    clones.ok(0, &["claim", id]);
    clones.ok(0, &["close", id, "-r", "done"]);
    let error = clones.refused(1, &["claim", id], ILLEGAL);
    assert!(error["message"].as_str().unwrap().contains("was closed in another clone"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("bd sync"), "{error}");
    clones.refused(1, &["claim", id, "--takeover", "--reason", "mine"], ILLEGAL);
    let none = clones.ok(1, &["ready", "--claim"]);
    assert_eq!(none, Value::Array(Vec::new()));
    clones.git(0, "commit -qam done");
    clones.git(0, "push -q");
    // Published, and known here: the ledger says it, and the remote goes on for those who have not fetched.
    clones.ok(1, &["sync"]);
    clones.refused(1, &["claim", id], ILLEGAL);
    assert_ne!(clones.refs(), "");
    let tidied = clones.run(1, &["sync"], MUCH_LATER);
    assert!(tidied.status.success() && clones.refs().is_empty(), "{}", describe(&tidied));
}

#[test]
fn an_issue_that_is_open_again_can_be_claimed() {
    let _turn = alone();
    let clones = Clones::new(2, 1);
    let id = &clones.ids[0];
    on(&clones);
    clones.ok(0, &["claim", id]);
    clones.ok(0, &["close", id, "-r", "done"]);
    clones.ok(0, &["sync"]);
    let reopened = clones.run(0, &["reopen", id], LATER);
    assert!(reopened.status.success(), "{}", describe(&reopened));
    clones.ok(0, &["update", id, "--assignee", ""]);
    clones.ok(0, &["sync"]);
    clones.ok(1, &["sync"]);
    clones.ok(1, &["claim", id]);
    assert_eq!(clones.on_remote(0), clones.held(id, 1));
}

/// An agent that is gone does not keep its own clone waiting for the clocks of others.
#[test]
fn the_own_clone_takes_back_what_is_over() {
    let _turn = alone();
    let clones = Clones::new(2, 2);
    on(&clones);
    let [one, other] = clones.ids.as_slice() else { unreachable!("two issues") };
    for id in [one, other] {
        clones.ok(0, &["claim", id, "--ttl", "1s"]);
        until("its time is over", || !clones.is_live(0, id));
    }
    let taken = clones.sandbox.bd(&["reclaim", one]).current_dir(&clones.places[0]).output().unwrap();
    assert!(taken.status.success(), "{}", describe(&taken));
    clones.ok(1, &["claim", one]);
    let mut bd = clones.sandbox.bd(&["claim", other]);
    let next = bd.current_dir(&clones.places[0]).env("BD_AGENT", "another").output().unwrap();
    assert!(next.status.success(), "{}", describe(&next));
    clones.refused(1, &["claim", other], CLAIMED);
}

/// Whoever renews a claim here renews it there; whoever lost it there has lost it here.
#[test]
fn a_claim_is_renewed_on_the_remote() {
    let _turn = alone();
    let clones = Clones::new(2, 1);
    let id = &clones.ids[0];
    on(&clones);
    clones.ok(0, &["claim", id]);
    let first = clones.refs();
    clones.ok(0, &["agent", "heartbeat"]);
    assert_ne!(clones.refs(), first);
    clones.ok(1, &["claim", id, "--takeover", "--reason", "it is urgent"]);
    let beat = clones.run(0, &["agent", "heartbeat"], NOW);
    assert!(beat.status.success(), "{}", describe(&beat));
    clones.refused(0, &["note", id, "late"], STALE);
    assert_eq!(clones.on_remote(0), clones.held(id, 1));
}

/// The remote knows an issue that has not come here yet, and the first candidate is taken.
#[test]
fn what_is_unknown_here_is_not_handed_out() {
    let _turn = alone();
    let clones = Clones::new(2, 3);
    on(&clones);
    let first = clones.ok(0, &["ready", "--claim"])[0]["id"].clone();
    let new = clones.ok(0, &["add", "New here"])["id"].as_str().unwrap().to_owned();
    clones.ok(0, &["claim", &new]);
    let got = clones.ok(1, &["ready", "--claim"]);
    assert!(got[0]["id"].is_string() && got[0]["id"] != first, "{got}");
}

/// With a planning repo, the most urgent issue is a private one.
#[test]
fn a_private_issue_is_handed_out_without_the_remote() {
    let _turn = alone();
    let clones = Clones::new(1, 1);
    on(&clones);
    clones.ok(0, &["init", "--contributor"]);
    let secret = clones.ok(0, &["add", "Secret", "-p", "0"])["id"].clone();
    let got = clones.ok(0, &["ready", "--claim"]);
    assert_eq!(got[0]["id"], secret);
    assert_eq!(clones.refs(), "");
}

/// A server that cannot store anything for a while is not one that takes no claims.
#[test]
fn a_server_that_fails_grants_nothing() {
    let _turn = alone();
    let clones = Clones::new(2, 1);
    let id = &clones.ids[0];
    on(&clones);
    let hook = clones.sandbox.repo().parent().unwrap().join("server/objects");
    let kept = hook.with_extension("kept");
    std::fs::rename(&hook, &kept).unwrap();
    std::fs::write(&hook, "").unwrap();
    clones.refused(0, &["claim", id], 1);
    std::fs::remove_file(&hook).unwrap();
    std::fs::rename(&kept, &hook).unwrap();
    clones.ok(1, &["claim", id]);
    clones.refused(0, &["claim", id], CLAIMED);
}

/// What another agent of the same clone holds is not taken off the remote.
#[test]
fn only_the_holder_of_a_clone_takes_its_claim_off_the_remote() {
    let _turn = alone();
    let clones = Clones::new(2, 1);
    let id = &clones.ids[0];
    on(&clones);
    clones.ok(0, &["claim", id]);
    let mut bd = clones.sandbox.bd(&["release", id, "--remote", "--reason", "mine", "--json"]);
    let other = bd.current_dir(&clones.places[0]).env("BD_AGENT", "another").output().unwrap();
    error(&other, CLAIMED);
    clones.refused(1, &["release", id, "--remote"], CLAIMED);
    assert_eq!(clones.on_remote(1), clones.held(id, 0));
}

/// Nothing of a claim names anybody or anything but the issue.
#[test]
fn what_stands_on_the_remote() {
    let _turn = alone();
    let clones = Clones::new(1, 2);
    on(&clones);
    clones.ok(0, &["claim", &clones.ids[0]]);
    clones.ok(0, &["claim", &clones.ids[1]]);
    clones.ok(0, &["close", &clones.ids[1], "-r", "done"]);
    let person = clones.sandbox.bd(&["add", "A secret title"]).current_dir(&clones.places[0]).output().unwrap();
    let third = String::from_utf8_lossy(&person.stdout).trim().rsplit(' ').next().unwrap().to_owned();
    let mut bd = clones.sandbox.bd(&["claim", &third]);
    assert!(bd.current_dir(&clones.places[0]).output().unwrap().status.success());
    let mut git = clones.sandbox.program("git");
    let list = ["--git-dir", "../server", "for-each-ref", "--format=%(refname) %(raw)", "refs/beads"];
    let shown = String::from_utf8(git.args(list).output().unwrap().stdout).unwrap();
    assert_eq!(shown.matches("refs/beads/claims/").count(), 3, "{shown}");
    let host = String::from_utf8(clones.sandbox.program("hostname").output().unwrap().stdout).unwrap();
    let shown = shown.replace("refs/beads/claims/", "").replace("bd <bd@invalid>", "");
    for word in [host.trim(), "agent-0", "secret", "Task", "@", "/", "Ann", "done"] {
        assert!(!shown.contains(word), "{word}: {shown}");
    }
    let keys = ["id", "epoch", "holder", "acquired", "expires", "clone", "closed"];
    for line in shown.lines().filter(|line| line.starts_with('{')) {
        let claim: Value = serde_json::from_str(line).unwrap();
        assert!(claim.as_object().unwrap().keys().all(|key| keys.contains(&key.as_str())), "{line}");
    }
}

/// A server may take branches alone: a claim is then what it is in one clone, and that is said.
#[test]
fn a_server_without_such_refs() {
    let _turn = alone();
    let clones = Clones::new(1, 1);
    let id = &clones.ids[0];
    clones.sandbox.git(&["--git-dir", "../server", "config", "receive.hideRefs", "refs/beads"]);
    clones.refused(0, &["claim", id, "--remote"], 1);
    clones.refused(0, &["fleet", "init", "--yes"], 1);
    on(&clones);
    let claimed = clones.run(0, &["claim", id], NOW);
    let said = String::from_utf8_lossy(&claimed.stderr).into_owned();
    assert!(claimed.status.success(), "{}", describe(&claimed));
    assert!(said.contains("claimed in this clone alone") && said.contains("hidden ref"), "{said}");
}

#[test]
fn a_fleet_is_joined_and_left() {
    let _turn = alone();
    let clones = Clones::new(2, 2);
    let off = clones.ok(0, &["fleet"]);
    assert_eq!((&off["on"], &off["repos"][0]["remote"]), (&false.into(), &"origin".into()), "{off}");
    let asked = clones.run(0, &["fleet", "init"], NOW);
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert_eq!(asked.status.code(), Some(2), "{said}");
    assert!(said.contains("no host name, path, e-mail address, title or text"), "{said}");
    assert_eq!(clones.ok(0, &["fleet", "init", "--yes"])["on"], true);
    assert_eq!(clones.refs(), "", "the trial is taken back");
    clones.ok(0, &["claim", &clones.ids[0]]);
    clones.ok(0, &["claim", &clones.ids[1]]);
    clones.ok(0, &["close", &clones.ids[1], "-r", "done"]);
    let left = clones.ok(0, &["fleet", "leave"]);
    assert_eq!((&left["on"], &left["removed"]), (&false.into(), &1.into()), "{left}");
    assert_eq!(clones.on_remote(1).len(), 1, "what is closed is told until others see it");
    clones.ok(1, &["claim", &clones.ids[0], "--remote"]);
}

/// What ended here while the remote was away is told by a later sync; a claim that was just made there is left alone.
#[test]
fn a_sync_tells_what_the_remote_missed() {
    let _turn = alone();
    let clones = Clones::new(1, 2);
    on(&clones);
    let [kept, closed] = clones.ids.as_slice() else { unreachable!("two issues") };
    clones.ok(0, &["claim", kept]);
    clones.ok(0, &["claim", closed]);
    let server = clones.sandbox.repo().parent().unwrap().join("server");
    std::fs::rename(&server, server.with_extension("away")).unwrap();
    clones.ok(0, &["release", kept]);
    clones.ok(0, &["close", closed, "-r", "done"]);
    std::fs::rename(server.with_extension("away"), &server).unwrap();
    clones.ok(0, &["sync"]);
    assert_eq!(clones.on_remote(0).len(), 2, "they may have been made a moment ago");
    let synced = clones.run(0, &["sync"], LATER);
    assert!(synced.status.success(), "{}", describe(&synced));
    assert_eq!(clones.on_remote(0), [(closed.clone(), clones.agent(0), "closed".to_owned())]);
}

/// The calls at which a claim on the remote or the end of one can be cut short, with those of git's programs.
const STEPS: &str = "trace=execve,rename,renameat,renameat2,unlink,unlinkat,linkat,flock,fsync,wait4";

/// Kills a command of a clone at one of its steps, with everything that it started, or only counts these.
fn cut_short(clones: &Clones, clone: usize, args: &[&str], at: Option<&str>) -> (Output, Vec<String>) {
    let log = tempfile::NamedTempFile::new_in(clones.sandbox.home()).unwrap();
    let mut command = clones.sandbox.program("strace");
    command.args(["-e", STEPS, "-o"]).arg(log.path());
    if let Some(at) = at {
        command.args(["-e", at]);
    }
    command.current_dir(&clones.places[clone]).env("BD_AGENT", name(clone));
    let output = command.arg(BD).args(["--lock-timeout", "600"]).args(args).output().unwrap();
    let mut seen = std::collections::HashMap::new();
    let text = std::fs::read_to_string(log.path()).unwrap();
    let calls = text.lines().filter_map(|line| line.split_once('(').map(|(name, _)| name.to_owned()));
    let calls = calls.filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric()));
    let places = calls.map(|name| {
        let nth = seen.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
        format!("inject={name}:signal=KILL:when={nth}")
    });
    (output, places.collect())
}

/// An agent that is killed at any step of its claim, its close or its release blocks nobody beyond its time, and never makes two
/// winners. First every step once, then random ones.
#[test]
fn a_kill_at_any_step_leaves_one_winner() {
    if crate::trace::strace::is_missing() {
        return;
    }
    let _turn = alone();
    let mut clones = Clones::new(pick(3, 4, 8), 1);
    on(&clones);
    let others: Vec<usize> = (1..clones.places.len()).collect();
    let (mut kills, mut held) = (0, 0);
    let fresh = |clones: &mut Clones| {
        let mut bd = clones.sandbox.bd(&["add", "One more", "--json"]);
        let output = bd.current_dir(&clones.places[0]).output().unwrap();
        let issue: Value = serde_json::from_slice(&output.stdout).unwrap();
        clones.git(0, "commit -qam more");
        clones.git(0, "push -q");
        for other in 1..clones.places.len() {
            clones.git(other, "checkout -q .");
            clones.git(other, "pull -q");
        }
        issue["id"].as_str().unwrap().to_owned()
    };
    for act in ["claim", "close", "release"] {
        let args = |id: &str| [act.to_owned(), id.to_owned()];
        let run = |clones: &mut Clones, at: Option<&str>| {
            let id = fresh(clones);
            if act != "claim" {
                clones.ok(0, &["claim", &id]);
            }
            let own = args(&id);
            let (output, places) = cut_short(clones, 0, &own.each_ref().map(String::as_str), at);
            (id, output, places)
        };
        let (_, output, places) = run(&mut clones, None);
        assert!(output.status.success(), "{act}: {}", describe(&output));
        clones.git(0, "commit -qam done");
        let step = pick(places.len().div_ceil(3), places.len().div_ceil(6), 1);
        let random = (0..pick(0, 0, 34)).map(|n| &places[(n * 7_919) % places.len()]);
        for at in places.iter().step_by(step).chain(random) {
            let (id, output, _) = run(&mut clones, Some(at));
            let story = format!("{act} {at}: {}", describe(&output));
            kills += usize::from(!output.status.success());
            // The others, at once and now: at most one has it, and none if the first one still may.
            let codes: Vec<Option<i32>> = at_once(others.len(), |n| clones.run(others[n], &["claim", &id], NOW))
                .iter()
                .map(|output| output.status.code())
                .collect();
            let winners = codes.iter().filter(|code| **code == Some(0)).count();
            assert!(codes.iter().all(|code| matches!(code, Some(0 | CLAIMED | ILLEGAL))), "{story}: {codes:?}");
            assert!(winners <= 1, "{story}: {codes:?}");
            // Its own clone goes on with what it has, or learns who was faster.
            let again = clones.run(0, &["claim", &id], NOW);
            let is_closed = clones.issue(0, &id)["status"] == "closed";
            match (winners, again.status.code()) {
                (0, Some(0)) => held += 1,
                (0, Some(ILLEGAL)) => assert!(is_closed, "{story}: {}", describe(&again)),
                (1, Some(CLAIMED | STALE)) => {}
                (1, Some(ILLEGAL)) => assert!(is_closed, "{story}: {}", describe(&again)),
                (_, code) => panic!("{story}: {winners} winners, then {code:?}: {}", describe(&again)),
            }
            assert!(!(winners == 1 && act == "close" && is_closed), "{story}: closed, and claimed by another");
            // Nobody is kept waiting for ever: later it can be claimed, unless it is closed.
            let much_later = clones.run(1, &["claim", &id, "--takeover", "--reason", "later"], MUCH_LATER);
            assert!(much_later.status.success() || is_closed, "{story}: {}", describe(&much_later));
            clones.git(0, "commit -qam cut --allow-empty");
        }
    }
    println!("claims over {} clones: {kills} kills, {held} went on in their own clone", clones.places.len());
    assert!(kills > 0 && held > 0);
}
