//! A newcomer's path, from the pages alone and counted in commands.

use super::page::Page;
use super::root;
use super::stage::Stage;

/// The commands of a page with what they printed; none fails.
fn walked(name: &str, given: &str) -> Option<Vec<(String, String)>> {
    let mut stage = Stage::set()?;
    if !given.is_empty() {
        assert_eq!(stage.run(given), "", "{given}");
    }
    let page = Page::parse(name, &std::fs::read_to_string(root().join(name)).unwrap()).unwrap();
    let walk: Vec<_> = page.steps().map(|step| (step.command.clone(), stage.run(&step.command))).collect();
    for (line, output) in &walk {
        assert!(!output.contains("[exit "), "$ {line}\n{output}");
    }
    Some(walk)
}

/// How many commands a line has: `a && b` is two.
fn count(line: &str) -> usize {
    let typed = line.split(" # ").next().unwrap();
    typed.split("&&").flat_map(|part| part.split(';')).count()
}

/// The commands up to the first line that begins with `last`, counted from the one that begins with `first`.
fn commands(walk: &[(String, String)], first: &str, last: &str) -> (usize, String) {
    let from = walk.iter().position(|(line, _)| line.starts_with(first)).unwrap_or_else(|| panic!("no {first}"));
    let length =
        walk[from..].iter().position(|(line, _)| line.starts_with(last)).unwrap_or_else(|| panic!("no {last}"));
    let path = &walk[from..=from + length];
    (path.iter().map(|(line, _)| count(line)).sum(), path.last().unwrap().1.clone())
}

#[test]
fn a_first_ready_issue_takes_at_most_four_commands() {
    let Some(walk) = walked("README.md", "mkdir web && cd web && git init -q") else { return };
    let (made, ready) = commands(&walk, "bd init", "bd ready");
    assert!(made <= 4 && ready.contains("Fix the parser"), "{made} commands: {ready}");
    let (cloned, ready) = commands(&walk, "git clone", "bd ready");
    assert!(cloned <= 4 && ready.contains("Release notes"), "{cloned} commands: {ready}");
}

/// From nothing to a proposal that the maintainers have accepted: a project and its ledger included.
#[test]
fn an_accepted_proposal_takes_one_page() {
    let Some(walk) = walked("docs/start.md", "") else { return };
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let book = std::fs::read_to_string(root().join("docs/README.md")).unwrap();
    assert!(readme.contains("(docs/README.md)") && book.contains("(start.md)"), "the README leads to the page");
    let (all, accepted) = commands(&walk, "git init", "bd accept");
    assert!(accepted.contains("app-dark"), "{accepted}");
    assert!(all <= 20, "{all} commands");
    let own = walk.iter().skip_while(|(line, _)| !line.starts_with("bd init -q --contributor"));
    let own =
        own.take_while(|(line, _)| !line.starts_with("cd ~/maintainer")).map(|(line, _)| count(line)).sum::<usize>();
    assert!(own <= 6, "{own} commands of the contributor");
}

#[test]
fn commands_are_counted() {
    assert_eq!(count("bd ready    # what && can be; worked on"), 1);
    assert_eq!(count("git init -q && cd web; bd init"), 3);
}

/// Two people, two branches, one merge, one sync: all of the README's first page, and nothing conflicts.
#[test]
fn two_people_merge_without_a_conflict() {
    let Some(walk) = walked("README.md", "mkdir web && cd web && git init -q") else { return };
    let (_, synced) = commands(&walk, "git switch -qc", "bd sync");
    assert!(synced.contains("received 2 new issues") || synced.contains("merged"), "{synced}");
    let (_, listed) = commands(&walk, "bd sync", "bd list");
    for title in ["Release notes", "Draw the logo", "Print the manual"] {
        assert!(listed.contains(title), "{listed}");
    }
    assert!(walk.iter().all(|(_, output)| !output.contains("CONFLICT")));
}

/// Somebody who comes from the original: the file is used as it is; a database is named, and stays.
#[test]
fn a_switcher_finds_everything_or_is_told_where_it_is() {
    let Some(mut stage) = Stage::set() else { return };
    let line = r#"{"id":"old-1","title":"From before","status":"open","priority":1,"issue_type":"task","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z","x_own":{"a":1.50}}"#;
    let project = |name: &str| format!("git init -q ~/{name} && mkdir -p ~/{name}/.beads && cd ~/{name}");
    stage.run(&format!("{} && printf '%s\\n' '{line}' > .beads/issues.jsonl", project("file")));
    let listed = stage.run("bd ready && bd add -q 'New here' --id old-2 && bd update -q old-2 -p 0");
    assert!(listed.contains("From before") && !listed.contains("[exit"), "{listed}");
    assert!(stage.run("cat .beads/issues.jsonl").contains(line), "every byte of the line is there");
    for (name, make) in [
        ("sqlite", "printf 'SQLite format 3' > .beads/beads.db"),
        ("dolt", "mkdir -p .beads/dolt/x/.dolt && echo '{\"backend\":\"dolt\"}' > .beads/metadata.json"),
    ] {
        stage.run(&format!("{} && {make} && git add -A && git commit -qm Before", project(name)));
        for command in ["bd list", "bd ready", "bd add New", "bd init", "bd doctor"] {
            let told = stage.run(command);
            assert!(told.contains("run `bd export -o ~/") && told.contains("[exit 9]"), "$ {command}\n{told}");
        }
        assert_eq!(stage.run("git status --short"), "", "{name}: nothing is lost and nothing is begun");
        assert!(!stage.run("bd init --empty").contains("[exit"));
        assert!(stage.run("bd doctor").contains("database of the original"), "{name}");
    }
}
