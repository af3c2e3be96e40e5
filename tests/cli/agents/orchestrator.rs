//! A program of sixty lines drives several workers through the command line, without a special case.

use serde_json::Value;

use crate::support::harness::{BD, Env};
use crate::support::programs::have;

#[test]
fn four_workers_finish_twenty_issues_of_which_one_fails() {
    if !have(&["git", "python3"]) {
        return;
    }
    let env = Env::new();
    assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
    let ids: Vec<String> = (1..20).map(|n| format!("bd-{n}")).collect();
    let lines: String = ids.iter().map(|id| crate::support::ledger::line(id, "Work")).collect();
    env.put_ledger(lines);
    env.given("add Bad --id bd-bad\nadd Last --id bd-last --deps bd-7\nclose bd-19 -r before");
    let work = env.write(
        "work.sh",
        "#!/bin/sh\n[ \"$BD_ISSUE\" = bd-bad ] && exit 1\nexec bd close \"$BD_ISSUE\" -q -r \"done by $BD_AGENT\"\n",
    );
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/orchestrate.py");
    let mut command = env.command("python3");
    // The `bd` that is tested comes first.
    let path = std::env::var("PATH").unwrap_or_default();
    let own = std::path::Path::new(BD).parent().unwrap().display().to_string();
    command.args([script, "4", "sh"]).arg(work).env("PATH", format!("{own}:{path}"));
    let run = env.run(command, "orchestrate".to_owned(), None).ok();
    let ends: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (sum, ends) = ends.split_last().unwrap();
    assert_eq!(sum["closed"], 19, "{}", run.snapshot());
    assert_eq!(
        (&sum["twice"], &sum["needs_attention"]),
        (&0.into(), &serde_json::json!(["bd-bad"])),
        "{}",
        run.snapshot()
    );
    let failed = ends.iter().filter(|end| end["outcome"] == "failed");
    assert!(failed.clone().count() == 3 && failed.clone().all(|end| end["id"] == "bd-bad"), "{}", run.snapshot());
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-bad"]);
    assert_eq!(env.bd(["leases", "--json"]).ok().ids(), [""; 0]);
}

/// What --claimable lists is what --claim hands out, so a loop over it ends.
#[test]
fn what_is_claimable_is_what_is_handed_out() {
    let env = Env::new();
    env.given(
        "add Kept --id bd-1 -l no-auto-claim -p 0
         add Given --id bd-2 -a bob
         add Free --id bd-3
         add Waits --id bd-4 --deps bd-3
         add Special --id bd-5 -l requires:gpu -p 1",
    );
    let claimable = || env.bd(["ready", "--claimable", "--json", "--agent", "kay"]).ok().ids();
    assert_eq!(env.bd(["ready", "--json"]).ok().ids().len(), 4);
    assert_eq!(claimable(), ["bd-3"]);
    let taken = env.bd(["ready", "--claim", "--json", "--agent", "kay"]).ok().json();
    assert_eq!(taken[0]["id"], "bd-3", "{taken}");
    assert_eq!(claimable(), [""; 0]);
    env.bd(["ready", "--claimable", "--claim"]).fails(2, &["cannot be used with"]);
}
