//! Agents for whom version control's directory is read-only, as in the sandboxes of their clients: they claim, write and send mail
//! all the same, and everybody else sees it.
//!
//! The directory is mounted read-only for one command, in a mount namespace of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, alone, at_once, describe};
use crate::support::effort::pick;
use crate::support::programs::{have, skip};
use crate::support::user::BD;

const CLAIMED: i32 = 4;
const SCRIPT: &str = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro,nosuid,nodev \"$0\" && exec \"$@\"";

/// Which checkout the confined agent works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Main,
    Worktree,
    /// A clone in which no `bd` has written yet.
    FreshClone,
}

const PLACES: [Where; 3] = [Where::Main, Where::Worktree, Where::FreshClone];

/// A repo with an agent who may not write in version control's directory, and one who may.
struct Stage {
    sandbox: Sandbox,
    /// Where the confined agent is.
    inside: PathBuf,
    /// Where the other one is: another checkout of the same repo, or the same.
    outside: PathBuf,
    /// What is read-only.
    common: PathBuf,
    ids: Vec<String>,
}

impl Stage {
    /// `None` where no directory can be mounted.
    fn new(place: Where, issues: usize) -> Option<Self> {
        if !have(&["unshare", "mount"]) {
            return None;
        }
        let sandbox = Sandbox::new();
        let ids = (0..issues).map(|n| sandbox.add(&format!("Task {n}"))).collect();
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "ledger"]);
        let (repo, other) = (sandbox.repo(), sandbox.repo().parent().unwrap().join("other"));
        let (inside, outside, common) = match place {
            Where::Main => (repo.clone(), repo.clone(), repo.join(".git")),
            Where::Worktree => {
                sandbox.git(&["worktree", "add", "-q", "-b", "work", "../other"]);
                (other, repo.clone(), repo.join(".git"))
            }
            Where::FreshClone => {
                sandbox.git(&["clone", "-q", ".", "../other"]);
                (other.clone(), other.clone(), other.join(".git"))
            }
        };
        let stage = Stage { sandbox, inside, outside, common, ids };
        let probe = stage.confined(&stage.inside, "true", &[]).output().unwrap();
        let is_mounted = probe.status.success() || skip(&format!("cannot mount: {}", describe(&probe)));
        is_mounted.then_some(stage)
    }

    /// A program that may not write in version control's directory.
    fn confined(&self, checkout: &Path, program: &str, args: &[&str]) -> Command {
        let mut command = self.sandbox.user().command("unshare", checkout);
        if !is_root() {
            command.arg("--map-root-user");
        }
        command.args(["--mount", "sh", "-c", SCRIPT]).arg(&self.common).arg(program).args(args);
        command.env("BD_AGENT", "kay");
        command
    }

    fn inside(&self, args: &[&str]) -> Output {
        self.confined(&self.inside, BD, args).output().unwrap()
    }

    fn outside(&self, args: &[&str]) -> Output {
        let mut bd = self.sandbox.bd(args);
        bd.current_dir(&self.outside).env("BD_AGENT", "lee").output().unwrap()
    }

    fn outbox(&self) -> PathBuf {
        self.inside.join(".beads/run/outbox")
    }

    /// The files that wait.
    fn waiting(&self) -> Vec<String> {
        let output = Command::new("find").arg(self.outbox()).args(["-type", "f"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter_map(|line| Some(Path::new(line).file_name()?.to_str()?.to_owned())).collect()
    }

    /// Who holds an issue, asked from outside.
    fn holder(&self, id: &str) -> Option<String> {
        let leases = json(&self.outside(&["leases", "--json"]));
        let lease = leases.as_array().unwrap().iter().find(|lease| lease["id"] == id)?.clone();
        Some(lease["holder"].as_str().unwrap().to_owned())
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

fn good(output: &Output) -> String {
    assert!(output.status.success(), "{}", describe(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&good(output)).unwrap()
}

#[test]
fn an_agent_works_where_it_cannot_write_the_state_home() {
    for place in PLACES {
        let Some(stage) = Stage::new(place, 3) else { return };
        let (id, other) = (stage.ids[0].as_str(), stage.ids[1].as_str());
        good(&stage.inside(&["claim", id]));
        assert!(stage.waiting().contains(&"leases.jsonl".to_owned()), "{place:?}: {:?}", stage.waiting());
        assert_eq!(stage.holder(id).as_deref(), Some("kay"), "{place:?}");
        assert_eq!(stage.outside(&["claim", id]).status.code(), Some(CLAIMED), "{place:?}");
        good(&stage.inside(&["checkpoint", "add", id, "--type", "progress", "-m", "Half of it"]));
        good(&stage.inside(&["note", id, "Began with the parser"]));
        good(&stage.inside(&["mail", "send", "lee", "-s", "Question", "-m", "Who has the parser?"]));
        let inbox = json(&stage.outside(&["mail", "inbox", "--json"]));
        assert_eq!(inbox[0]["subject"], "Question", "{place:?}: {inbox}");
        good(&stage.outside(&["mail", "reply", inbox[0]["id"].as_str().unwrap(), "-m", "You do"]));
        let inbox = json(&stage.inside(&["mail", "inbox", "--json"]));
        assert_eq!(inbox[0]["body"], "You do", "{place:?}: {inbox}");
        good(&stage.inside(&["mail", "read", inbox[0]["id"].as_str().unwrap()]));
        let resumed = good(&stage.inside(&["resume", id]));
        assert!(resumed.contains("Half of it"), "{place:?}: {resumed}");
        good(&stage.inside(&["close", id, "--reason", "done"]));
        assert_eq!(stage.holder(id), None, "{place:?}");
        // The log knows the close, so it can be taken back.
        good(&stage.inside(&["undo", "--yes"]));
        let issues = Issues::read(&stage.inside.join(".beads/beads.jsonl"));
        assert_ne!(issues.get(id)["status"], "closed", "{place:?}");
        good(&stage.inside(&["claim", other]));
        // The next command that can write takes everything in.
        good(&stage.outside(&["agent", "register", "mia"]));
        good(&stage.outside(&["claim", &stage.ids[2]]));
        let home = stage.common.join("beads");
        let text = |name: &str| fs::read_to_string(home.join(name)).unwrap_or_default();
        assert!(text("leases.jsonl").contains(other), "{place:?}");
        assert_eq!(stage.holder(other).as_deref(), Some("kay"), "{place:?}");
        let left = stage.waiting();
        assert!(!left.contains(&"leases.jsonl".to_owned()) && !left.contains(&"agents.jsonl".to_owned()), "{left:?}");
        let points = json(&stage.outside(&["checkpoint", "list", id, "--all-worktrees", "--json"]));
        assert_eq!(points.as_array().unwrap().len(), 1, "{place:?}: {points}");
        assert!(!stage.git_status().contains("outbox"), "{place:?}");
    }
}

impl Stage {
    fn git_status(&self) -> String {
        self.sandbox.git_in(&self.inside, &["status", "--porcelain", "--untracked-files=all"])
    }
}

#[test]
fn one_of_two_wins_when_one_cannot_write_the_state_home() {
    let _turn = alone();
    let rounds = pick(8, 16, 200);
    for place in PLACES {
        let Some(stage) = Stage::new(place, rounds) else { return };
        let mut wins = [0, 0];
        for id in &stage.ids {
            let outputs = at_once(2, |n| match n {
                0 => stage.inside(&["--lock-timeout", "600", "claim", id]),
                _ => stage.outside(&["claim", id]),
            });
            let codes: Vec<Option<i32>> = outputs.iter().map(|output| output.status.code()).collect();
            let winner = match codes[..] {
                [Some(0), Some(CLAIMED)] => 0,
                [Some(CLAIMED), Some(0)] => 1,
                _ => panic!("{place:?}, {id}: {:#?}", outputs.iter().map(describe).collect::<Vec<_>>()),
            };
            wins[winner] += 1;
            assert_eq!(stage.holder(id).as_deref(), Some(["kay", "lee"][winner]), "{place:?}");
        }
        println!("{place:?}: {rounds} races, {} won inside, {} outside", wins[0], wins[1]);
    }
}

#[test]
fn two_confined_agents_in_two_worktrees_take_turns() {
    let Some(stage) = Stage::new(Where::Worktree, 1) else { return };
    stage.sandbox.git(&["worktree", "add", "-q", "-b", "more", "../third"]);
    let third = stage.sandbox.repo().parent().unwrap().join("third");
    let id = stage.ids[0].as_str();
    let there = |args: &[&str]| stage.confined(&third, BD, args).env("BD_AGENT", "max").output().unwrap();
    for round in 0..3 {
        good(&stage.inside(&["claim", id]));
        assert_eq!(there(&["claim", id]).status.code(), Some(CLAIMED), "{round}");
        good(&stage.inside(&["release", id]));
        good(&there(&["claim", id]));
        assert_eq!(stage.inside(&["claim", id]).status.code(), Some(CLAIMED), "{round}");
        assert_eq!(stage.holder(id).as_deref(), Some("max"), "{round}");
        good(&there(&["release", id]));
    }
    // The file of the second one is brought to the state home together with that of the first.
    good(&stage.outside(&["claim", id]));
    assert_eq!(stage.holder(id).as_deref(), Some("lee"));
    assert!(!third.join(".beads/run/outbox/leases.jsonl").exists());
}

#[test]
fn a_checkout_that_is_removed_leaves_its_records() {
    let Some(stage) = Stage::new(Where::Worktree, 1) else { return };
    let id = stage.ids[0].as_str();
    good(&stage.inside(&["claim", id]));
    good(&stage.inside(&["checkpoint", "add", id, "--type", "progress", "-m", "Half of it"]));
    good(&stage.inside(&["release", id]));
    stage.sandbox.git_in(&stage.inside, &["checkout", "-q", "."]);
    let removed = good(&stage.outside(&["worktree", "remove", "other", "--force"]));
    assert!(!stage.inside.exists(), "{removed}");
    let points = json(&stage.outside(&["checkpoint", "list", id, "--all-worktrees", "--json"]));
    assert_eq!(points.as_array().unwrap().len(), 1, "{points}");
    let log = fs::read_to_string(stage.common.join("beads/writes.jsonl")).unwrap();
    assert!(log.contains("bd claim") || log.contains("\"claim\""), "{log}");
}

#[test]
fn a_commit_brings_no_claims() {
    let Some(stage) = Stage::new(Where::Worktree, 2) else { return };
    let id = stage.ids[0].as_str();
    good(&stage.inside(&["claim", id]));
    assert_eq!(stage.holder(id).as_deref(), Some("kay"));
    stage.sandbox.git_in(&stage.inside, &["add", "--force", ".beads/run/outbox"]);
    assert_eq!(stage.holder(id), None, "what version control has is not read");
    let doctor = stage.outside(&["doctor"]);
    let text = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(text.contains("leases.jsonl") && text.contains("are not read: it is under version control"), "{text}");
    // There is no place left for what this agent would write.
    let refused = stage.inside(&["claim", &stage.ids[1]]);
    assert_eq!(refused.status.code(), Some(8), "{}", describe(&refused));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("git rm --cached"), "{}", describe(&refused));
    // Nobody's command removes it.
    good(&stage.outside(&["claim", &stage.ids[1]]));
    assert!(stage.waiting().contains(&"leases.jsonl".to_owned()), "{:?}", stage.waiting());
}

/// A file that a commit brings into an outbox is not read, and what waits beside it is.
#[test]
fn what_a_commit_brings_takes_nothing_away() {
    let Some(stage) = Stage::new(Where::Worktree, 2) else { return };
    let id = stage.ids[0].as_str();
    good(&stage.inside(&["claim", id]));
    good(&stage.inside(&["checkpoint", "add", id, "--type", "progress", "-m", "Half of it"]));
    fs::write(stage.outbox().join("README"), "").unwrap();
    stage.sandbox.git_in(&stage.inside, &["add", "--force", ".beads/run/outbox/README"]);
    stage.sandbox.git_in(&stage.inside, &["commit", "-q", "-m", "a file", "--", ".beads/run/outbox/README"]);
    good(&stage.outside(&["agent", "register", "mia"]));
    assert_eq!(stage.holder(id).as_deref(), Some("kay"));
    let points = json(&stage.outside(&["checkpoint", "list", id, "--all-worktrees", "--json"]));
    assert_eq!(points.as_array().unwrap().len(), 1, "{points}");
    assert!(stage.outbox().join("README").exists());
}

/// What is wrong in the outbox of one checkout stops nobody else, and is named.
#[test]
fn an_odd_outbox_stops_nobody_else() {
    let Some(stage) = Stage::new(Where::Worktree, 2) else { return };
    good(&stage.inside(&["claim", &stage.ids[0]]));
    let (file, kept) = (stage.outbox().join("leases.jsonl"), stage.outbox().join("kept"));
    fs::rename(&file, &kept).unwrap();
    let makers: [(&str, &dyn Fn()); 4] = [
        ("a pipe", &|| assert!(Command::new("mkfifo").arg(&file).status().unwrap().success())),
        ("a link", &|| std::os::unix::fs::symlink("/etc/passwd", &file).unwrap()),
        ("a directory", &|| fs::create_dir(&file).unwrap()),
        ("a long file", &|| fs::File::create(&file).unwrap().set_len(20 << 20).unwrap()),
    ];
    for (what, make) in makers {
        make();
        let listed = stage.outside(&["leases"]);
        good(&listed);
        let said = String::from_utf8_lossy(&listed.stderr).into_owned();
        assert!(said.contains("leases.jsonl") && said.contains("does not count"), "{what}: {said}");
        good(&stage.outside(&["claim", &stage.ids[1]]));
        good(&stage.outside(&["release", &stage.ids[1]]));
        let doctor = String::from_utf8(stage.outside(&["doctor"]).stdout).unwrap();
        assert!(doctor.contains("are not read"), "{what}: {doctor}");
        if file.is_dir() { fs::remove_dir(&file).unwrap() } else { fs::remove_file(&file).unwrap() }
    }
    // A line that cannot be read keeps its issue from being claimed twice.
    let text = fs::read_to_string(&kept).unwrap();
    fs::write(&file, text.trim_end().trim_end_matches('}').to_owned() + "\n").unwrap();
    let refused = stage.outside(&["claim", &stage.ids[0], "--takeover", "--reason", "mine"]);
    assert_eq!(refused.status.code(), Some(8), "{}", describe(&refused));
    let doctor = String::from_utf8(stage.outside(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("a record that cannot be read"), "{doctor}");
}

/// Nobody would see what waits in a checkout that others cannot find.
#[test]
fn a_checkout_that_others_cannot_find_has_no_outbox() {
    let Some(mut stage) = Stage::new(Where::Worktree, 1) else { return };
    let moved = stage.inside.with_extension("moved");
    fs::rename(&stage.inside, &moved).unwrap();
    stage.inside = moved;
    let refused = stage.inside(&["claim", &stage.ids[0]]);
    assert_eq!(refused.status.code(), Some(1), "{}", describe(&refused));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("sandbox"), "{}", describe(&refused));
    good(&stage.outside(&["claim", &stage.ids[0]]));
}

#[test]
fn a_state_home_of_an_earlier_version_is_not_written_around() {
    let Some(stage) = Stage::new(Where::Main, 1) else { return };
    good(&stage.outside(&["agent", "register", "lee"]));
    let version = stage.common.join("beads/version");
    let text = fs::read_to_string(&version).unwrap();
    assert!(text.contains("\"layout\":3"), "{text}");
    fs::write(&version, text.replace("\"layout\":3", "\"layout\":2")).unwrap();
    let refused = stage.inside(&["claim", &stage.ids[0]]);
    assert_eq!(refused.status.code(), Some(1), "{}", describe(&refused));
    assert!(!stage.outbox().join("leases.jsonl").exists());
    good(&stage.outside(&["claim", &stage.ids[0]]));
    assert_eq!(
        fs::read_to_string(&version).unwrap().replace(char::is_whitespace, "").matches("\"layout\":3").count(),
        1
    );
}

#[test]
fn what_needs_the_state_home_itself_is_refused_by_name() {
    let Some(stage) = Stage::new(Where::Main, 1) else { return };
    let refused = stage.inside(&["reserve", "src/parser.rs"]);
    assert_eq!(refused.status.code(), Some(1), "{}", describe(&refused));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("sandbox"), "{}", describe(&refused));
    good(&stage.outside(&["agent", "register", "lee"]));
    let place = json(&stage.inside(&["where", "--json"]));
    assert!(place["state_outbox"].as_str().unwrap().ends_with(".beads/run/outbox"), "{place}");
    assert!(json(&stage.outside(&["where", "--json"]))["state_outbox"].is_null());
    let doctor = String::from_utf8(stage.inside(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("wait in an outbox"), "{doctor}");
}
