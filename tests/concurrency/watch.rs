//! `bd watch` and `bd mail inbox --wait`: events are reported soon, none is lost, none is invented, and a waiting
//! process uses no CPU. (Files that come and go: `watch_files`.)

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, describe};
use crate::support::effort::pick;
use crate::support::process::{self, Sleeper};
use crate::support::user::BD;
use crate::support::wait::{PATIENCE, until};

pub const QUIET: Duration = Duration::from_millis(400);

/// A watch at work, and the lines that it has printed.
pub struct Watch {
    child: Child,
    lines: Receiver<(Instant, Value)>,
}

impl Watch {
    /// Starts one, and waits until it says that it watches.
    fn start(mut bd: Command) -> Self {
        let mut child = bd.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
                if send.send((Instant::now(), event)).is_err() {
                    break;
                }
            }
        });
        let watch = Watch { child, lines };
        watch.until("watching");
        watch
    }

    pub fn in_repo(sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::start(sandbox.bd(&[&["watch", "--json"][..], args].concat()))
    }

    /// The next event of a kind, and when it came; others are passed over.
    pub fn until(&self, kind: &str) -> (Instant, Value) {
        let end = Instant::now() + PATIENCE;
        let mut others = Vec::new();
        while let Ok((at, event)) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if event["event"] == kind {
                return (at, event);
            }
            others.push(event);
        }
        panic!("no {kind}, but {others:?}");
    }

    /// The next events, as many as expected, and whatever more comes soon after them.
    pub fn next(&self, count: usize) -> Vec<Value> {
        let end = Instant::now() + PATIENCE;
        let mut found = Vec::new();
        while found.len() < count {
            let next = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            found.push(next.unwrap_or_else(|_| panic!("{count} events were expected: {found:#?}")).1);
        }
        found.extend(self.rest());
        found
    }

    /// Everything that comes until nothing comes for a while: for what must not come.
    pub fn rest(&self) -> Vec<Value> {
        let mut found = Vec::new();
        while let Ok((_, event)) = self.lines.recv_timeout(QUIET) {
            found.push(event);
        }
        found
    }

    /// Nothing is reported, for a while.
    #[track_caller]
    pub fn is_silent(&self, why: &str) {
        assert_eq!(self.rest(), Vec::<Value>::new(), "{why}");
    }

    /// Exactly these are reported next. A command writes several files, and a read may come between them: so in any
    /// order.
    #[track_caller]
    pub fn tells(&self, kinds: &[&str]) {
        let (found, mut expected) = (self.next(kinds.len()), kinds.to_vec());
        let mut found: Vec<&str> = found.iter().map(|event| event["event"].as_str().unwrap()).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    fn stop(mut self, signal: &str) -> std::process::ExitStatus {
        self.signal(signal);
        self.child.wait().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn as_agent(sandbox: &Sandbox, agent: &str, args: &[&str]) {
    let output = sandbox.bd(args).env("BD_AGENT", agent).output().unwrap();
    assert!(output.status.success(), "{}", describe(&output));
}

fn ids(events: &[Value], kind: &str) -> BTreeSet<String> {
    let of_kind = events.iter().filter(|event| event["event"] == kind);
    of_kind.map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

/// Writes one after the other: each is reported, and soon.
#[test]
fn every_write_is_told_soon() {
    let _turn = alone();
    let writes = pick(15, 25, 500);
    let sandbox = Sandbox::with_issues(200);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    let (mut delays, mut adds) = (Vec::new(), Vec::new());
    for n in 0..writes {
        let start = Instant::now();
        let id = sandbox.add(&format!("Write {n}"));
        adds.push(start.elapsed());
        // The write was on disk before this; so the delay is rather too long than too short.
        let written = fs::metadata(sandbox.ledger()).unwrap().modified().unwrap();
        let (_, event) = watch.until("issue_created");
        assert_eq!(event["id"], id.as_str());
        delays.push(written.elapsed().unwrap());
    }
    watch.is_silent("every write was told of");
    let (median, most) = told_soon(delays, adds);
    println!("watch: {writes} writes, from the write to the line: median {median:?}, at most {most:?}, none lost");
}

/// Soon is a matter of the machine: next to a command that takes as long as it takes here and now. Gives the median and the most.
pub fn told_soon(mut delays: Vec<Duration>, mut commands: Vec<Duration>) -> (Duration, Duration) {
    delays.sort();
    commands.sort();
    let (median, command) = (delays[delays.len() / 2], commands[commands.len() / 2]);
    assert!(median < command * 25, "a command takes {command:?}, the news of it: {delays:?}");
    (median, delays[delays.len() - 1])
}

/// Many processes write as fast as they can, in several repos: every issue is reported.
#[test]
fn nothing_is_lost_in_a_burst() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    sandbox.join(&["second"]);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    let (writers, each) = pick((8, 5), (8, 10), (16, 50));
    let made = crate::concurrency::sandbox::at_once(writers, |n| {
        let repo = if n % 2 == 0 { "." } else { "../second" };
        let made = (0..each).map(|k| {
            let said = sandbox.ok(&["add", &format!("Burst {n} {k}"), "--repo", repo]);
            said.split_whitespace().last().unwrap().to_owned()
        });
        made.collect::<Vec<String>>()
    });
    let made: BTreeSet<String> = made.into_iter().flatten().collect();
    let events = watch.next(made.len());
    assert_eq!(ids(&events, "issue_created"), made);
    assert_eq!(events.len(), made.len(), "each once, and nothing else");
    let repos: BTreeSet<&str> = events.iter().map(|event| event["source_repo"].as_str().unwrap()).collect();
    assert_eq!(repos.len(), 2, "{repos:?}");
    println!("watch: {} issues by {writers} processes in two repos, every one told of once", made.len());
}

#[test]
fn the_life_of_an_issue() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let first = sandbox.add("First");
    let next = sandbox.add("Next");
    sandbox.ok(&["dep", "add", &next, &first]);
    let watch = Watch::start(sandbox.bd(&["watch", "--json", "--events", "all"]));
    let told = |args: &[&str], kinds: &[&str]| {
        as_agent(&sandbox, "ann", args);
        watch.tells(kinds);
    };
    sandbox.ok(&["agent", "register", "ann"]);
    watch.tells(&["agent_registered"]);
    told(&["claim", &first], &["issue_updated", "lease_granted", "issue_unready"]);
    told(&["claim", &first, "--ttl", "1h"], &["lease_renewed"]);
    told(&["close", &first, "-r", "done"], &["issue_closed", "lease_released", "issue_ready"]);
    told(&["reopen", &first], &["issue_reopened", "issue_ready", "issue_unready"]);
    sandbox.ok(&["update", &next, "--priority", "1", "--title", "Later"]);
    let (_, event) = watch.until("issue_updated");
    let mut fields: Vec<&str> = event["fields"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["priority", "title"], "{event}");
    assert_eq!((&event["title"], &event["source_repo"]), (&"Later".into(), &".".into()));
    watch.rest();
    as_agent(&sandbox, "ann", &["delete", &next, "--yes"]);
    assert_eq!(watch.next(1)[0]["event"], "issue_deleted");
}

/// A claim that expires, one that is taken over, and one whose holder is notified by mail.
#[test]
fn claims_that_end_by_themselves() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let id = sandbox.add("One");
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "lease,mail", "--all-mail", "--issue", &id]);
    let start = Instant::now();
    as_agent(&sandbox, "ann", &["claim", &id, "--ttl", "1s"]);
    watch.until("lease_granted");
    let (at, event) = watch.until("lease_expired");
    let after = at - start;
    assert!(after > Duration::from_secs(1), "{after:?}");
    assert_eq!((&event["holder"], &event["epoch"]), (&"ann".into(), &1.into()));
    as_agent(&sandbox, "bob", &["claim", &id]);
    let (_, event) = watch.until("lease_taken");
    let expected = ("bob", "ann", 2);
    let found = (event["holder"].as_str().unwrap(), event["from"]["holder"].as_str().unwrap(), event["epoch"].as_i64());
    assert_eq!((found.0, found.1, found.2.unwrap()), expected);
    println!("watch: a claim of 1 s was told to be over {:.2} s after it was asked for", after.as_secs_f64());
}

/// A deferred issue becomes ready at its time, without a change of files.
#[test]
fn an_issue_that_was_put_off() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let id = sandbox.add("Later");
    // A round in which its time came before the watch had begun shows nothing: the next one has more of it.
    let shown = [2, 4, 8, 16, 32].into_iter().any(|seconds| {
        let end = SystemTime::now() + Duration::from_secs(seconds - 1);
        sandbox.ok(&["defer", &id, "--until", &in_seconds(seconds)]);
        let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "ready"]);
        if SystemTime::now() > end {
            return false;
        }
        assert_eq!(watch.until("issue_ready").1["id"], id.as_str());
        true
    });
    assert!(shown, "no watch began in time");
}

/// A moment so many seconds from now, as RFC 3339.
fn in_seconds(seconds: u64) -> String {
    let output =
        Command::new("date").args(["-u", "-d", &format!("+{seconds} sec"), "+%Y-%m-%dT%H:%M:%SZ"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Mail for the actor; earlier messages are reported first.
#[test]
fn mail_for_the_one_who_acts() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    sandbox.ok(&["agent", "register", "bob"]);
    sandbox.ok(&["mail", "send", "bob", "-m", "before"]);
    let mut bd = sandbox.bd(&["watch", "--json", "--events", "mail"]);
    bd.env("BD_AGENT", "bob").stdout(Stdio::piped());
    let mut child = bd.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap()).unwrap();
    let first = next();
    assert_eq!((&first["initial"], &first["message"]["body"]), (&true.into(), &"before".into()), "{first}");
    assert_eq!(next()["event"], "watching");
    sandbox.ok(&["mail", "send", "person:carol", "-m", "not for bob"]);
    sandbox.ok(&["mail", "send", "bob", "-m", "after"]);
    let second = next();
    assert_eq!((&second["initial"], &second["message"]["body"]), (&Value::Null, &"after".into()), "{second}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// It ends on request, when enough has happened, and when its output is no longer read.
#[test]
fn the_end_of_a_watch() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
        let status = Watch::in_repo(&sandbox, &[]).stop(signal);
        assert_eq!(status.signal(), Some(number));
    }
    let mut watch = Watch::in_repo(&sandbox, &["--count", "2"]);
    sandbox.add("One");
    assert_eq!(watch.until("issue_ready").1["title"], "One");
    assert!(watch.child.wait().unwrap().success());
    let start = Instant::now();
    let output = sandbox.run(&["watch", "--for", "1s", "--json"]);
    assert!(output.status.success() && start.elapsed() >= Duration::from_secs(1), "{}", describe(&output));
    let mut child = sandbox.bd(&["watch"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < PATIENCE, "nobody reads, and it goes on");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
}

/// Where the system has nothing left to watch with, it says so and looks by itself. Five open files are enough to read a ledger, and
/// not for inotify.
#[test]
#[cfg(target_os = "linux")]
fn without_file_events() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let mut bd = sandbox.program("sh");
    let words = "ulimit -n 5; exec \"$0\" watch --json --since-now --events issue --count 1 --for 10m";
    bd.args(["-c", words, BD]);
    let watch = Watch::start(bd);
    sandbox.add("One");
    assert_eq!(watch.until("issue_created").1["title"], "One");
    let mut watch = watch;
    let mut said = String::new();
    std::io::Read::read_to_string(&mut watch.child.stderr.take().unwrap(), &mut said).unwrap();
    assert!(said.contains("looking every two seconds"), "{said}");
}

/// A process that waits for mail gets it soon after it was sent.
#[test]
fn mail_wakes_who_waits() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let (mut delays, mut sends) = (Vec::new(), Vec::new());
    for round in 0..pick(4, 10, 50) {
        let mut waiting = sandbox.bd(&["mail", "inbox", "--wait", "10m", "--json"]);
        let waiting = waiting.stdout(Stdio::piped()).spawn().unwrap();
        is_waiting(waiting.id());
        let start = Instant::now();
        sandbox.ok(&["mail", "send", "person:ann", "-m", &format!("round {round}")]);
        let sent = Instant::now();
        sends.push(start.elapsed());
        let output = waiting.wait_with_output().unwrap();
        delays.push(sent.elapsed());
        let mail: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(mail[0]["body"], format!("round {round}"));
        sandbox.ok(&["mail", "read", mail[0]["id"].as_str().unwrap()]);
    }
    let (median, most) = told_soon(delays, sends);
    println!(
        "mail: from the end of bd mail send to the end of bd mail inbox --wait: median {median:?}, at most {most:?}"
    );
}

/// Waits until a process waits for file events itself, where the system tells.
fn is_waiting(pid: u32) {
    if process::is_told() {
        until("it waits for file events", || process::listens(pid));
    }
}

#[test]
fn who_waits_uses_no_cpu() {
    let _turn = alone();
    if !process::is_told() {
        crate::support::programs::skip("no /proc");
        return;
    }
    let sandbox = Sandbox::with_issues(500);
    sandbox.checkouts(3);
    as_agent(&sandbox, "bob", &["claim", "s-00001"]);
    let watch = Watch::in_repo(&sandbox, &[]);
    let mut waiting = sandbox.bd(&["mail", "inbox", "--wait", "10m"]);
    let mut waiting = waiting.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    watch.rest();
    is_waiting(waiting.id());
    // Longer than the polling interval. Something begun before may end in the first poll.
    let window = Duration::from_millis(2500);
    let both = [watch.child.id(), waiting.id()].map(Sleeper::process);
    let turns = || both.iter().map(Sleeper::turns).collect::<Option<Vec<u64>>>();
    let is_still = |_| {
        let before = turns();
        thread::sleep(window);
        before.is_some() && turns() == before
    };
    assert!((0..6).any(is_still), "bd watch or bd mail inbox --wait woke in every one of 6 windows of {window:?}");
    println!("watch: no CPU in {window:?}, neither bd watch nor bd mail inbox --wait");
    sandbox.ok(&["mail", "send", "person:ann", "-m", "wake up"]);
    assert!(waiting.wait().unwrap().success());
}
