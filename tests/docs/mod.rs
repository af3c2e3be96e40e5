//! Documentation that runs: every command of every walkthrough in `docs/walkthrough`, and those of the README, with exactly
//! the output that the text shows.
//!
//! `SNAPSHOTS=overwrite cargo test --test stories docs::` writes the outputs anew; read the difference before you commit it.

mod page;
mod stage;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use page::Page;
use stage::Stage;

/// One test for each page.
macro_rules! walkthroughs {
    ($($test:ident: $name:literal,)*) => {
        const KNOWN: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            follow(&format!("docs/walkthrough/{}", $name), "");
        })*
    };
}

walkthroughs! {
    agents: "agents.md",
    batch: "batch.md",
    jobs: "jobs.md",
    maintainer_and_contributor: "maintainer-and-contributor.md",
    opting_in: "opting-in.md",
    oss_contributor: "oss-contributor.md",
    phases: "phases.md",
    proposals: "proposals.md",
    sync: "sync.md",
    teams: "teams.md",
}

#[test]
fn readme() {
    follow("README.md", "mkdir web && cd web && git init -q");
}

#[test]
fn every_walkthrough_has_a_test() {
    let entries = std::fs::read_dir(root().join("docs/walkthrough")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, KNOWN);
}

/// The words of `code` in an error: programs rely on them, so the page names each, in its table and in its list.
#[test]
fn exit_codes_names_every_word() {
    let mut given = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("src/view")).unwrap() {
        let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let after = source.split("Exit::").skip(1).map(|rest| rest.trim_start_matches(char::is_alphanumeric));
        let words = after.filter_map(|rest| rest.strip_prefix(',')?.trim_start().strip_prefix('"')?.split('"').next());
        given.extend(words.map(str::to_owned));
    }
    assert!(given.len() > 30 && given.contains("not_found"), "{given:?}");
    let page = std::fs::read_to_string(root().join("docs/exit-codes.md")).unwrap();
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let list = page.lines().find_map(|line| line.strip_prefix("| `code` | one of ")).unwrap();
    assert_eq!(quoted(list).into_iter().collect::<BTreeSet<_>>(), given, "the list of words");
    let cells = page.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let rows = cells.filter(|cells| cells.get(1).is_some_and(|code| code.parse::<u8>().is_ok()));
    let table: BTreeSet<String> = rows.flat_map(|cells| quoted(cells[2])).collect();
    assert_eq!(table, given, "the table of exit codes");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Runs a page from top to bottom in a home of its own, after what the page takes for granted.
fn follow(name: &str, given: &str) {
    let Some(mut stage) = Stage::set() else { return };
    if !given.is_empty() {
        assert_eq!(stage.run(given), "", "{given}");
    }
    let path = root().join(name);
    let page = Page::parse(name, &std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let shown: Vec<String> = page.steps().map(|step| stage.run(&step.command)).collect();
    if std::env::var("SNAPSHOTS").as_deref() == Ok("overwrite") {
        std::fs::write(&path, page.with_outputs(&shown)).unwrap();
        return;
    }
    if let Err(report) = page.compare(&shown) {
        panic!("{report}\nSNAPSHOTS=overwrite cargo test --test stories docs:: writes {name} anew");
    }
}
