//! Documentation that runs: every `console` block, with exactly the output that the page shows, every line of the `sh` blocks, and `bd` over
//! every `json` and `toml` block. Every command and flag that a page, the help or
//! a message names exists, and pages, texts, comments and names use ordinary words.
//!
//! `SNAPSHOTS=overwrite cargo test --test stories docs::` writes the outputs again; read the difference before you commit it.

mod comments;
mod given;
mod named;
mod newcomer;
mod page;
mod shell;
mod stage;
pub mod texts;
mod wording;

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

/// One test for each other page, after what it takes for granted.
macro_rules! pages {
    ($($test:ident: $name:literal, $given:expr;)*) => {
        const FOLLOWED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            follow($name, $given);
        })*
    };
}

const PROJECT: &str = "git init -q ~/web && cd ~/web && bd init -q --prefix web";

pages! {
    readme: "README.md", "mkdir web && cd web && git init -q";
    every_day: "docs/every-day.md", "";
    history: "docs/history.md", &format!(
        "{PROJECT} && bd hooks install -q && bd add -q 'Read files' --id web-a3f8 && git add -A && git commit -qm Start
        git switch -qc side && BD_TEST_NOW=2026-01-05T11:00:00Z bd update -q web-a3f8 -p 1 && git commit -qam Urgent
        git switch -q main && BD_TEST_NOW=2026-01-05T10:00:00Z bd update -q web-a3f8 -p 3 && git commit -qam Later
        git merge -q side"
    );
    prune: "docs/prune.md", &format!(
        "export BD_TEST_NOW=2025-10-02T09:00:00Z
        {PROJECT} && bd add -q 'Fix the parser' --id web-a1 && bd add -q 'Name the colours' --id web-b2
        bd close -q web-a1 && git add -A && git commit -qm Start && bd close -q web-b2"
    );
    recover: "docs/recover.md", &format!(
        "{PROJECT} && bd add -q 'Name the colours' --id web-b2 && git add -A && git commit -qm Start
        bd add -q 'Fix the parser' --id web-a1 && bd update -q web-b2 -p 0 && git checkout -q .beads"
    );
    start: "docs/start.md", "";
    sync_of_the_ledger_alone: "docs/sync.md", &format!(
        "git init -q --bare ~/server && {PROJECT} && git add -A && git commit -qm Start
        git remote add origin ~/server && git push -qu origin main
        echo login >login.rs && git add login.rs && git commit -qm 'Fix the login' && bd add -q 'Release notes'"
    );
    undo: "docs/undo.md", &format!(
        "{PROJECT} && bd add -q 'Fix the parser' --id web-a1 && bd add -q 'Name the colours' --id web-b2"
    );
    which_way_back: "docs/which-way-back.md", "";
}

/// The first words allowed in a code block, as docs/contributing.md explains.
const TAGS: [&str; 6] = ["console", "sh", "text", "json", "toml", "rust"];

/// Blocks of commands run, or are marked as something else.
#[test]
fn every_code_block_says_what_it_is() {
    for (name, text) in texts::pages() {
        let mut open = false;
        for (at, line) in text.lines().enumerate() {
            let Some(tag) = line.trim_start().strip_prefix("```") else { continue };
            open = !open;
            assert!(line.starts_with('`'), "{name}:{}: a block is not indented", at + 1);
            assert!(!open || TAGS.contains(&tag), "{name}:{}: a block is one of {TAGS:?}, not {tag:?}", at + 1);
            let runs = FOLLOWED.contains(&name.as_str()) || name.starts_with("docs/walkthrough/");
            assert!(!open || tag != "console" || runs, "{name}:{}: no test runs this block", at + 1);
        }
        assert!(!open, "{name}: a block is not closed");
    }
}

/// Every link from one page to another leads to a file, and every page is in the book.
#[test]
fn links_lead_somewhere() {
    let pages = texts::pages();
    for (name, text) in &pages {
        let here = root().join(name);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            if path.contains("://") {
                continue;
            }
            let there = if path.is_empty() { here.clone() } else { here.parent().unwrap().join(path) };
            assert!(there.exists(), "{name} links to {target}");
            if !heading.is_empty() {
                let page = std::fs::read_to_string(&there).unwrap();
                let mut slugs = page.lines().filter(|line| line.starts_with('#')).map(slug);
                assert!(slugs.any(|slug| slug == heading), "{name} links to {target}");
            }
        }
    }
    let book = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    for (name, _) in &pages {
        let Some(below) = name.strip_prefix("docs/").filter(|below| *below != "README.md") else { continue };
        assert!(book.contains(&format!("]({below})")), "docs/README.md does not list {below}");
    }
}

/// A heading as links name it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
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
    let source = std::fs::read_to_string(root().join("src/view/failure/mod.rs")).unwrap();
    let (_, classes) = source.split_once("\nclasses! {\n").unwrap();
    let rows = classes.lines().take_while(|line| *line != "}");
    let given: BTreeSet<String> = rows.filter_map(|row| row.split('"').nth(1)).map(str::to_owned).collect();
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
        let output = stage.run(&format!("set -e; {given}"));
        assert!(!output.contains("[exit "), "{given}\n{output}");
    }
    let path = root().join(name);
    let page = Page::parse(name, &std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let shown: Vec<String> = page.steps().map(|step| stage.run(&step.command)).collect();
    if std::env::var("SNAPSHOTS").as_deref() == Ok("overwrite") {
        std::fs::write(&path, page.with_outputs(&shown)).unwrap();
        return;
    }
    if let Err(report) = page.compare(&shown) {
        panic!("{report}\nSNAPSHOTS=overwrite cargo test --test stories docs:: writes {name} again");
    }
}
