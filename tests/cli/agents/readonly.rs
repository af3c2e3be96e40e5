//! `--readonly`: what looks is let through, and everything else is refused and changes nothing.

use crate::cli::safety::hostile::{READERS, WRITERS};
use crate::support::harness::words;
use crate::support::project::{Project, listing};

#[test]
fn what_only_looks_is_let_through() {
    let Some(project) = Project::single() else { return };
    for line in READERS {
        let with = project.env.bd(words(line).iter().map(String::as_str).chain(["--readonly"]));
        let without = project.env.bd(words(line));
        assert_eq!(with.code, without.code, "{}\n{}", with.snapshot(), without.snapshot());
    }
}

#[test]
fn what_writes_is_refused() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Two --id bd-two\nworkflow create Flow --id bd-flow\nagent register bob");
    let before = [listing(&env.path("")), listing(&env.root().join("home"))];
    // A reader among them, which only has to come after what it reads.
    let looks = ["workflow show", "template validate", "workspace env", "workflow wait", "workflow progress"];
    for line in WRITERS {
        let run = env.bd(["--readonly"].into_iter().chain(words(line).iter().map(String::as_str)));
        if looks.iter().any(|known| line.starts_with(known)) {
            continue;
        }
        assert!([2, 5].contains(&run.code), "{}", run.snapshot());
        if run.code == 5 {
            assert!(run.stderr.contains("is not allowed in read-only mode"), "{}", run.snapshot());
        }
    }
    env.set("BD_AGENT", "bob");
    env.given("--readonly list\nready --readonly");
    let after = [listing(&env.path("")), listing(&env.root().join("home"))];
    let is_cache = |line: &&String| line.contains("/home/cache");
    for (before, after) in before.iter().zip(&after) {
        let (before, after): (Vec<_>, Vec<_>) = (
            before.iter().filter(|line| !is_cache(line)).collect(),
            after.iter().filter(|line| !is_cache(line)).collect(),
        );
        assert_eq!(before, after);
    }
}
