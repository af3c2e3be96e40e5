//! Holders that are stopped for longer than their claims last. An agent that lost an issue is refused, whatever it
//! believes, and whatever its clock says.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, describe};
use crate::support::effort::pick;
use crate::support::wait::PATIENCE;

const STALE: i32 = 7;

/// A sequence of numbers that is the same in every run with one seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One write that an agent tried under its claim.
struct Tried {
    issue: String,
    agent: String,
    epoch: i64,
    mark: String,
    code: i32,
}

struct Story {
    sandbox: Sandbox,
    ttl: Duration,
    longest_stop: Duration,
    /// Not before so many stale writes were tried.
    end: Instant,
    enough: usize,
    tried: Mutex<Vec<Tried>>,
    stops: Mutex<usize>,
}

impl Story {
    /// Runs a command as an agent, and now and then stops it in the middle for a while.
    fn run(&self, agent: usize, shift: i64, args: &[&str], lease: Option<&str>, dice: &mut Dice) -> Output {
        let mut bd = self.sandbox.bd(args);
        bd.env("BD_AGENT", format!("agent-{agent}")).env("BD_TEST_SHIFT", shift.to_string());
        if let Some(lease) = lease {
            bd.env("BD_LEASE", lease);
        }
        let child = bd.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if dice.below(100) < 15 {
            thread::sleep(Duration::from_micros(dice.below(20_000)));
            let pid = child.id().to_string();
            let signal = |name: &str| Command::new("kill").args([name, &pid]).stderr(Stdio::null()).status();
            let _ = signal("-STOP");
            *self.stops.lock().unwrap() += 1;
            thread::sleep(self.pause(dice));
            let _ = signal("-CONT");
        }
        child.wait_with_output().unwrap()
    }

    fn pause(&self, dice: &mut Dice) -> Duration {
        Duration::from_millis(dice.below(self.longest_stop.as_millis() as u64))
    }

    fn goes_on(&self) -> bool {
        let stale = self.tried.lock().unwrap().iter().filter(|one| one.code == STALE).count();
        Instant::now() < self.end || (stale < self.enough && Instant::now() < self.end + PATIENCE * 3)
    }

    /// The life of an agent: claim what is ready, write a few notes, give it back; sometimes it is asleep in between.
    fn live(&self, agent: usize) {
        let mut dice = Dice(agent as u64 * 7919 + 17);
        let shift = dice.below(1200) as i64 - 600;
        let ttl = format!("{}ms", self.ttl.as_millis());
        while self.goes_on() {
            let output = self.run(agent, shift, &["ready", "--claim", "--ttl", &ttl, "--json"], None, &mut dice);
            let claimed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let Some(issue) = claimed[0]["id"].as_str().map(str::to_owned) else {
                assert!(matches!(output.status.code(), Some(0 | 6)), "{}", describe(&output));
                thread::sleep(Duration::from_millis(200));
                continue;
            };
            let epoch = claimed[0]["epoch"].as_i64().unwrap();
            let lease = claimed[0]["lease"].as_str().unwrap();
            for note in 0..=dice.below(4) {
                if dice.below(100) < 35 {
                    thread::sleep(self.pause(&mut dice));
                }
                let mark = format!("e{epoch}-agent{agent}-{note}");
                let carries = dice.below(2) == 0;
                let output = self.run(agent, shift, &["note", &issue, &mark], carries.then_some(lease), &mut dice);
                let code = output.status.code().unwrap_or_else(|| panic!("{}", describe(&output)));
                assert!(matches!(code, 0 | 6 | 7), "{}", describe(&output));
                let (issue, agent) = (issue.clone(), format!("agent-{agent}"));
                self.tried.lock().unwrap().push(Tried { issue, agent, epoch, mark, code });
                if code == STALE {
                    break;
                }
            }
            self.run(agent, shift, &["release", &issue], None, &mut dice);
        }
    }
}

/// How long the full form takes; `BD_SECONDS` asks for another time.
fn seconds_asked() -> u64 {
    std::env::var("BD_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600)
}

#[test]
fn a_holder_that_slept_too_long_is_refused() {
    let _turn = alone();
    let (agents, ttl, longest_stop, time) = pick((8, 1, 3, 4), (12, 1, 4, 8), (20, 5, 15, seconds_asked()));
    let enough = pick(2, 3, 20);
    let seconds = Duration::from_secs;
    let sandbox = Sandbox::new();
    // Failures count; they are not what this is about.
    sandbox.ok(&["config", "set", "lease.max_attempts", "1000000"]);
    let issues: Vec<String> = (0..agents / 2).map(|n| sandbox.add(&format!("Task {n}"))).collect();
    let story = Story {
        sandbox,
        ttl: seconds(ttl),
        longest_stop: seconds(longest_stop),
        end: Instant::now() + seconds(time),
        enough,
        tried: Mutex::default(),
        stops: Mutex::default(),
    };
    thread::scope(|scope| {
        let story = &story;
        for agent in 0..agents {
            scope.spawn(move || story.live(agent));
        }
    });
    let tried = story.tried.into_inner().unwrap();
    let mut holders: BTreeMap<(String, i64), String> = BTreeMap::new();
    for one in &tried {
        let holder = holders.entry((one.issue.clone(), one.epoch)).or_insert_with(|| one.agent.clone());
        assert_eq!(*holder, one.agent, "two holders of {} under number {}", one.issue, one.epoch);
    }
    let ledger = story.sandbox.issues();
    for issue in &issues {
        let notes = ledger.get(issue)["notes"].as_str().unwrap_or_default().to_owned();
        let marks: Vec<&str> = notes.split_whitespace().collect();
        // The file is written by one at a time: its order is the order of the writes.
        let epochs: Vec<i64> = marks.iter().map(|mark| mark[1..].split('-').next().unwrap().parse().unwrap()).collect();
        assert!(epochs.is_sorted(), "a stale write came after a later holder's: {marks:?}");
        for one in tried.iter().filter(|one| one.issue == *issue) {
            let written = marks.iter().filter(|mark| **mark == one.mark).count();
            match one.code {
                0 => assert_eq!(written, 1, "{} was acknowledged", one.mark),
                _ => assert_eq!(written, 0, "{} was refused with {}", one.mark, one.code),
            }
        }
    }
    let count = |code: i32| tried.iter().filter(|one| one.code == code).count();
    let (written, refused) = (count(0), count(STALE));
    let stops = story.stops.into_inner().unwrap();
    println!(
        "stale holders: {agents} agents, {time} s, claims of {ttl} s, {stops} stops: {written} writes, {refused} refused as stale, \
         {} busy, {} grants seen, no two holders of one number",
        count(6),
        holders.len()
    );
    assert!(refused >= enough, "only {refused} stale writes were tried");
}
