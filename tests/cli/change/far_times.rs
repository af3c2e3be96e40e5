//! Timestamps in the future: an edit is still later than what it edits, and nothing undoes it.

use crate::support::harness::{Env, put_file};

const FAR: [&str; 5] = [
    "2262-04-12T00:00:00Z",
    "2300-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59.999999999Z",
];

fn line(updated: &str, title: &str) -> String {
    format!(
        "{{\"id\":\"bd-1\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"{updated}\"}}\n"
    )
}

fn title(env: &Env) -> String {
    env.bd(["show", "bd-1", "--json"]).ok().json()[0]["title"].as_str().unwrap().to_owned()
}

#[test]
fn an_edit_after_a_time_in_the_far_future_stays() {
    for updated in FAR {
        let old = line(updated, "Old");
        let env = Env::with_ledger(&old);
        env.bd(["update", "bd-1", "--title", "New"]).ok();
        let new = env.ledger_text();
        // Another program brings the old line back, by import and beside the new one.
        let file = env.write("old.jsonl", &old);
        env.bd(["import", file.to_str().unwrap()]).ok();
        assert_eq!(title(&env), "New", "{updated}");
        for both in [format!("{old}{new}"), format!("{new}{old}")] {
            env.put_ledger(both);
            assert_eq!(title(&env), "New", "{updated}");
            env.bd(["doctor", "--fix"]);
            assert_eq!((title(&env), env.ledger_text().lines().count()), ("New".to_owned(), 1), "{updated}");
        }
        // A branch that edited the same text earlier.
        let early = line(updated, "Early");
        for (ours, theirs) in [(&new, &early), (&early, &new)] {
            let paths = [("base", &line("2026-01-01T00:00:00Z", "Old")), ("ours", ours), ("theirs", theirs)]
                .map(|(name, text)| (env.path(name), text.clone()));
            paths.iter().for_each(|(path, text)| put_file(path, text.as_bytes()));
            let names = paths.iter().map(|(path, _)| path.to_str().unwrap());
            env.bd(["merge-driver"].into_iter().chain(names)).ok();
            let merged = std::fs::read_to_string(env.path("ours")).unwrap();
            assert!(merged.contains("\"title\":\"New\""), "{updated}: {merged}");
        }
        // And the edit after that.
        env.put_ledger(&new);
        env.bd(["update", "bd-1", "--title", "Newer"]).ok();
        env.put_ledger(format!("{}{new}", env.ledger_text()));
        assert_eq!(title(&env), "Newer", "{updated}");
    }
}

#[test]
fn doctor_names_times_in_the_future() {
    let env = Env::with_ledger(line("2300-01-01T00:00:00Z", "Old"));
    let found = env.bd(["doctor"]).ok();
    assert!(
        found.stdout.contains("beads.jsonl:1: updated_at of bd-1 is in the future: 2300-01-01T00:00:00Z"),
        "{}",
        found.snapshot()
    );
    // Clocks differ by a little.
    let env = Env::with_ledger(line("2026-01-05T09:05:00Z", "Near"));
    assert!(!env.bd(["doctor"]).ok().stdout.contains("in the future"));
}

#[test]
fn lists_hold_the_order_of_far_times() {
    let times = ["0001-01-01T00:00:00Z", "1600-01-01T00:00:00Z", "2026-01-01T00:00:00Z", FAR[0], FAR[1], FAR[3]];
    let ledger: String =
        times.iter().enumerate().map(|(n, at)| line(at, "T").replace("bd-1", &format!("bd-{}", 9 - n))).rev().collect();
    let env = Env::with_ledger(ledger);
    let listed = env.bd(["list", "--sort", "updated", "--json"]).ok().ids();
    assert_eq!(listed, ["bd-4", "bd-5", "bd-6", "bd-7", "bd-8", "bd-9"]);
    let after = env.bd(["list", "--updated-after", "2290-01-01", "--json"]).ok().ids();
    assert_eq!(after.len(), 2, "{after:?}");
}
