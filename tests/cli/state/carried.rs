//! A state home that version 1.7.0 has kept, under this version: see `fixtures/state-1.7.0`.

use std::fs;
use std::path::PathBuf;

use crate::support::checkouts::files;
use crate::support::fixture::state_of_1_7;
use crate::support::harness::Env;
use crate::support::programs::have;

const OLD: [&str; 3] = ["journal.jsonl", "undo.1.jsonl", "undo.jsonl"];

/// The project that the state home belongs to.
struct Earlier {
    env: Env,
}

impl Earlier {
    fn new() -> Option<Self> {
        if !have(&["git"]) {
            return None;
        }
        let env = Env::new();
        assert!(env.command("git").args(["init", "-q", "-b", "main"]).status().unwrap().success());
        state_of_1_7(&env.path(""));
        env.set("BD_TEST_NOW", "2026-01-05T09:05:00Z");
        Some(Earlier { env })
    }

    fn home(&self) -> PathBuf {
        self.env.path(".git/beads")
    }

    /// The existing logs.
    fn logs(&self) -> Vec<String> {
        let all = OLD.into_iter().chain(["writes.jsonl"]);
        all.filter(|name| self.home().join(name).exists()).map(str::to_owned).collect()
    }

    fn version(&self) -> String {
        fs::read_to_string(self.home().join("version")).unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home().join("writes.jsonl")).unwrap()
    }

    fn told(&self, line: &str) -> String {
        self.env.bd(line.split(' ')).ok().stdout
    }

    fn issue(&self, id: &str) -> serde_json::Value {
        self.env.bd(["show", id, "--json"]).ok().json()[0].clone()
    }

    /// Another program takes the line of an issue out.
    fn remove(&self, id: &str) {
        let text = self.env.ledger_text();
        let lines = text.lines().filter(|line| !line.contains(&format!("\"id\":\"{id}\"")));
        self.env.put_ledger(lines.map(|line| format!("{line}\n")).collect::<String>());
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part} in: {text}");
    }
}

/// A read-only state home can still be read.
#[test]
fn every_record_is_read_and_nothing_is_written_by_that() {
    let Some(earlier) = Earlier::new() else { return };
    let before = files(&earlier.home());
    has(&earlier.told("leases --json"), &["\"bd-1\"", "\"bob\"", "\"epoch\": 1"]);
    has(&earlier.told("agent list --json"), &["ag_i6tzjm5xbxm2", "\"bob\""]);
    has(&earlier.told("mail thread bd-1 --json"), &["msg_ifl1tf0ghzdr", "\"hi\""]);
    has(&earlier.told("reserve list --json"), &["rs_twot9ogaq0sp", "src/**"]);
    has(&earlier.told("checkpoint list bd-1 --json"), &["cp_fegefs8qwqnd", "\"here\""]);
    has(&earlier.told("workspace list --all --json"), &["ws_st41rflb52nv"]);
    has(&earlier.told("hooks status --json"), &["pre-commit"]);
    has(&earlier.told("undo"), &["bd close of 2026-01-05", "bd-2"]);
    has(&earlier.told("undo 2 --dry-run"), &["bd close of", "bd note of"]);
    let list = earlier.env.bd(["list", "--all", "--json"]).ok();
    assert_eq!((list.ids(), list.stderr.as_str()), (["bd-1", "bd-3", "bd-2"].map(str::to_owned).to_vec(), ""));
    earlier.remove("bd-3");
    has(&earlier.env.bd(["list"]).ok().stderr, &["1 acknowledged write was removed by another program (bd-3)"]);
    has(&earlier.told("recover --dry-run"), &["Would restore", "bd-3"]);
    assert_eq!(files(&earlier.home()), before);
}

#[test]
fn the_first_write_carries_the_logs_over_and_both_readers_go_on() {
    let Some(earlier) = Earlier::new() else { return };
    earlier.env.given("undo --yes");
    assert_eq!(earlier.logs(), ["writes.jsonl"]);
    assert_eq!(earlier.version(), "{\"layout\":3,\"scope\":\"repo\"}\n");
    assert_eq!(earlier.issue("bd-2")["status"], "open");
    // Migrated writes can still be undone, and so can an undo.
    earlier.env.given("undo --yes");
    assert_eq!(earlier.issue("bd-2")["status"], "closed");
    earlier.env.bd_with(["undo", "--yes"], None, &[("BD_ACTOR", "eve")]).ok();
    earlier.env.bd(["show", "bd-3"]).fails(3, &[]);
    earlier.env.bd_with(["undo", "--yes"], None, &[("BD_ACTOR", "eve")]).ok();
    has(&earlier.told("undo 4"), &["bd note of", "bd close of"]);
    // Entries only in version 1's journal are found again.
    earlier.remove("bd-1");
    has(&earlier.env.bd(["list"]).ok().stderr, &["(bd-1)"]);
    has(&earlier.told("recover"), &["Restored", "bd-1"]);
    assert_eq!((&earlier.issue("bd-1")["priority"], &earlier.issue("bd-1")["assignee"]), (&0.into(), &"bob".into()));
    has(&earlier.told("leases --json"), &["\"epoch\": 1"]);
    let names = ["f3a4a919a074421b", "605a0a24a7a4135d", "b91196f0b9a9d5fa", "9c6181444e7ea3ed", "a1993a5992e0b0f2"];
    for name in names {
        assert_eq!(earlier.log().matches(name).count(), 1, "{name}");
    }
}

/// Without a write to a ledger, too.
#[test]
fn a_write_to_the_records_alone_carries_the_logs_over() {
    let Some(earlier) = Earlier::new() else { return };
    earlier.env.given("mail send bob -m again");
    assert_eq!(earlier.logs(), ["writes.jsonl"]);
    assert_eq!(earlier.version(), "{\"layout\":3,\"scope\":\"repo\"}\n");
    has(&earlier.told("undo"), &["bd close of 2026-01-05", "bd-2"]);
    // A `bd` that knows one layout less refuses: this one, for instance, if there is a later one.
    fs::write(earlier.home().join("version"), "{\"layout\":4,\"scope\":\"repo\"}\n").unwrap();
    for line in ["leases", "mail send bob -m more", "note bd-1 words"] {
        earlier.env.bd(line.split(' ')).fails(8, &["has layout 4, this bd knows up to 3", "hint: use the newer bd"]);
    }
}

/// A `bd` of version 1 was under way, or has no claims to look at and so does not look at the layout.
#[test]
fn what_an_old_bd_writes_later_is_carried_over_later() {
    let Some(earlier) = Earlier::new() else { return };
    let old = OLD.map(|name| fs::read_to_string(earlier.home().join(name)).unwrap());
    let (known, late) = old[0].trim_end().rsplit_once('\n').unwrap();
    fs::write(earlier.home().join(OLD[0]), format!("{known}\n")).unwrap();
    let (undo, late_undo) = old[2].trim_end().rsplit_once('\n').unwrap();
    fs::write(earlier.home().join(OLD[2]), format!("{undo}\n")).unwrap();
    earlier.env.given("update bd-3 -p 1");
    assert_eq!(earlier.logs(), ["writes.jsonl"]);
    // The last write of version 1, which closed bd-2, is noted by it only now.
    fs::write(earlier.home().join(OLD[0]), format!("{late}\n")).unwrap();
    fs::write(earlier.home().join(OLD[2]), format!("{late_undo}\n")).unwrap();
    has(&earlier.told("undo 2"), &["bd update of 2026-01-05", "bd close of 2026-01-05"]);
    assert_eq!(earlier.logs(), ["journal.jsonl", "undo.jsonl", "writes.jsonl"]);
    earlier.remove("bd-2");
    has(&earlier.env.bd(["list"]).ok().stderr, &["(bd-2)"]);
    has(&earlier.told("recover"), &["bd-2"]);
    assert_eq!(earlier.logs(), ["writes.jsonl"]);
    assert_eq!(earlier.issue("bd-2")["status"], "closed");
    assert_eq!(earlier.log().matches("15f1e32c3f0e0bf1").count(), 1);
    // In the order of the times.
    let place = |text: &str| earlier.log().find(text).unwrap();
    assert!(place("15f1e32c3f0e0bf1") < place("2026-01-05T09:05:00.000Z"));
}
