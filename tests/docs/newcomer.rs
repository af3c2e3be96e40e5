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
