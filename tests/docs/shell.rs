//! Blocks of `sh`, `json` and `toml`. Every line of an `sh` block runs and succeeds, and every file that a page shows is given to `bd`.
//!
//! `given.toml` has an entry for each such page: what the page takes for granted, and what is special about single lines.

use super::given::{self, File, Given, Line, given};
use super::stage::Stage;
use super::{root, texts};

/// One test for each page.
macro_rules! pages {
    ($($test:ident: $name:literal,)*) => {
        const KNOWN: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            run_page($name);
        })*
    };
}

pages! {
    readme: "README.md",
    agents: "docs/agents.md",
    batch: "docs/batch.md",
    benchmarks: "docs/benchmarks.md",
    checkpoints: "docs/checkpoints.md",
    ci: "docs/ci.md",
    claims: "docs/claims.md",
    contributing: "docs/contributing.md",
    evidence: "docs/evidence.md",
    exit_codes: "docs/exit-codes.md",
    fleets: "docs/fleets.md",
    format: "docs/format.md",
    from_beads: "docs/from-beads.md",
    plans: "docs/plans.md",
    proposals: "docs/proposals.md",
    prune: "docs/prune.md",
    query: "docs/query.md",
    repos: "docs/repos.md",
    reservations: "docs/reservations.md",
    security: "docs/security.md",
    start: "docs/start.md",
    sync: "docs/sync.md",
    templates: "docs/templates.md",
    watch: "docs/watch.md",
    workflows: "docs/workflows.md",
    workspaces: "docs/workspaces.md",
    worktrees: "docs/worktrees.md",
}

#[test]
fn every_page_with_such_a_block_has_a_test_and_an_entry() {
    let has_one = |text: &str| blocks(text).iter().any(|block| ["sh", "json", "toml"].contains(&block.tag));
    let mut pages: Vec<String> =
        texts::pages().into_iter().filter(|(_, text)| has_one(text)).map(|page| page.0).collect();
    pages.sort();
    assert_eq!(pages, KNOWN);
    assert_eq!(given().into_keys().collect::<Vec<_>>(), KNOWN, "the entries of given.toml");
}

/// Commands are in `sh` and `console` blocks, where they run.
#[test]
fn text_blocks_hold_no_commands() {
    for (name, text) in texts::pages() {
        for block in blocks(&text).iter().filter(|block| block.tag == "text") {
            let command = block.lines.iter().find(|line| line.starts_with("$ ") || line.starts_with("bd "));
            assert_eq!(command, None, "{name}:{}: tag this block `sh` or `console`", block.at);
        }
    }
}

/// A fenced block of a page.
struct Block<'a> {
    tag: &'a str,
    /// The line of the page, from 1, that opens it.
    at: usize,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (n, line) in page.lines().enumerate() {
        if let Some(tag) = line.strip_prefix("```") {
            open = !open;
            if open {
                found.push(Block { tag, at: n + 1, lines: Vec::new() });
            }
        } else if let Some(block) = found.last_mut().filter(|_| open) {
            block.lines.push(line);
        }
    }
    found
}

fn run_page(name: &str) {
    let page = std::fs::read_to_string(root().join(name)).unwrap();
    let given = given().remove(name).unwrap_or_else(|| panic!("given.toml has no entry for {name}"));
    let problems = problems(&page, &given);
    assert!(problems.is_empty(), "{name}: {} problems:\n{}", problems.len(), problems.join("\n"));
}

/// The problems of a page: commands that fail, files that `bd` does not accept, and entries that match nothing.
fn problems(page: &str, given: &Given) -> Vec<String> {
    let blocks = blocks(page);
    let files: Vec<&Block> = blocks.iter().filter(|block| ["json", "toml"].contains(&block.tag)).collect();
    if files.len() != given.files.len() {
        return vec![format!("{} json and toml blocks, {} files in given.toml", files.len(), given.files.len())];
    }
    let mut problems = Vec::new();
    problems.extend(files.iter().filter_map(|block| parse(block).err()));
    let commands = blocks.iter().filter(|block| block.tag == "sh").flat_map(commands).collect::<Vec<_>>();
    let Some(mut stage) = set(&files, given) else { return problems };
    // The second entry for a line is for the second time that it occurs.
    let mut special: Vec<&Line> = given.lines.iter().collect();
    for command in &commands {
        let line = special.iter().position(|line| line.is == command.text).map(|at| special.remove(at));
        problems.extend(run(&mut stage, command, line).err().map(|problem| format!("line {}: {problem}", command.at)));
    }
    problems.extend(special.iter().map(|line| format!("given.toml: no such line: {}", line.is)));
    if files.is_empty() {
        return problems;
    }
    if let Some(mut stage) = set(&files, given) {
        problems.extend(given.files.iter().filter_map(|file| take(&mut stage, file).err()));
    }
    problems
}

/// A stage with the files of a page in its home, after what the page takes for granted.
fn set(files: &[&Block], given: &Given) -> Option<Stage> {
    let mut stage = Stage::set()?;
    for (block, file) in files.iter().zip(&given.files) {
        std::fs::write(stage.home().join(&file.name), block.lines.join("\n") + "\n").unwrap();
    }
    for line in &given.before {
        let output = stage.run(line);
        assert_eq!(exit(&output), 0, "given.toml: {line}\n{output}");
    }
    Some(stage)
}

/// A line of an `sh` block.
struct Command {
    at: usize,
    /// Without the comment behind it.
    text: String,
    /// The variables exported by earlier lines.
    exports: String,
}

fn commands(block: &Block) -> Vec<Command> {
    let mut exports = String::new();
    let mut found = Vec::new();
    for (n, line) in block.lines.iter().enumerate() {
        let text = line.split(" #").next().unwrap().trim().to_owned();
        if !text.is_empty() && !text.starts_with('#') {
            found.push(Command { at: block.at + 1 + n, text: text.clone(), exports: exports.clone() });
        }
        if text.starts_with("export ") {
            exports += &(text + "\n");
        }
    }
    found
}

fn run(stage: &mut Stage, command: &Command, line: Option<&Line>) -> Result<(), String> {
    if let Some(target) = built(&command.text) {
        return target;
    }
    if let Some(before) = line.and_then(|line| line.before.as_deref()) {
        let output = stage.run(before);
        assert_eq!(exit(&output), 0, "given.toml: {before}\n{output}");
    }
    let script = line.and_then(|line| line.meanwhile.as_ref().map(|meanwhile| meanwhile.script(&command.text)));
    let output = stage.run(&format!("{}{}", command.exports, script.as_ref().unwrap_or(&command.text)));
    let expected = line.map_or(0, |line| line.exit);
    if exit(&output) == expected {
        Ok(())
    } else {
        Err(format!("$ {}\n{output}(expected: exit {expected})", command.text))
    }
}

/// The exit code of what a stage has shown.
fn exit(output: &str) -> i64 {
    let last = output.lines().last().and_then(|line| line.strip_prefix("[exit ")?.strip_suffix(']'));
    last.map_or(0, |code| code.parse().unwrap())
}

/// Lines that build `bd` and run its tests: the only ones that are not run here. What they name exists.
const BUILDS: [&str; 2] = ["cargo", ".ci/"];

fn built(command: &str) -> Option<Result<(), String>> {
    let is_variable = |word: &&str| {
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let words: Vec<&str> = command.split_whitespace().skip_while(is_variable).collect();
    BUILDS.iter().any(|program| words[0].starts_with(program)).then(|| targets_exist(&words))
}

fn targets_exist(words: &[&str]) -> Result<(), String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    if words[0].starts_with(".ci/") && !root().join(words[0]).is_file() {
        return Err(format!("no program {}", words[0]));
    }
    for pair in words.windows(2) {
        let section = match pair[0] {
            "--bench" => "[[bench]]",
            "--test" => "[[test]]",
            _ => continue,
        };
        if !manifest.contains(&format!("{section}\nname = \"{}\"\n", pair[1])) {
            return Err(format!("Cargo.toml has no {section} {}", pair[1]));
        }
    }
    let mut modules = words.iter().filter_map(|word| word.strip_suffix("::"));
    match modules.find(|module| !root().join("tests").join(module).is_dir()) {
        Some(module) => Err(format!("no tests in {module}::")),
        None => Ok(()),
    }
}

/// Whether a block is in the language that it says. A `json` block may hold several values, one on each line.
fn parse(block: &Block) -> Result<(), String> {
    let text = block.lines.join("\n");
    let parsed = match block.tag {
        "toml" => toml::from_str::<toml::Table>(&text).map(drop).map_err(|error| error.to_string()),
        _ => serde_json::Deserializer::from_str(&text)
            .into_iter::<serde_json::Value>()
            .try_for_each(|value| value.map(drop))
            .map_err(|error| error.to_string()),
    };
    parsed.map_err(|error| format!("line {}: {error}", block.at))
}

/// Gives a file of the page to `bd`.
fn take(stage: &mut Stage, file: &File) -> Result<(), String> {
    let output = stage.run(&file.run);
    let fits = exit(&output) == 0 && output.contains(&file.shows);
    if fits { Ok(()) } else { Err(format!("{}: $ {}\n{output}(expected: {:?})", file.name, file.run, file.shows)) }
}

#[test]
fn the_check_finds_what_it_looks_for() {
    let page = "```sh\n# a comment\ntrue # fine\nexit 3\nexport A=4\nexit $A\ncargo bench --bench swim\n.ci/swim\n```\n
```json\n{\"a\":}\n```\n\n```toml\na = 1\n```\n";
    let entry = |rest: &str| given::read(&format!("[page]\n{rest}")).remove("page").unwrap();
    let files = "[[page.file]]\nname = 'a'\nrun = 'cat a'\nshows = ':}'\n[[page.file]]\nname = 'b'\nrun = 'cat b'\nshows = '2'\n";
    let lines =
        "[[page.line]]\nis = 'exit $A'\nexit = 4\nwhy = 'it says so'\n[[page.line]]\nis = 'exit 5'\nbefore = 'true'\n";
    if Stage::set().is_none() {
        return;
    }
    let found = problems(page, &entry(&format!("{files}{lines}")));
    let expected = [
        "line 11: expected value",
        "line 4: $ exit 3\n[exit 3]",
        "line 7: Cargo.toml has no [[bench]] swim",
        "line 8: no program .ci/swim",
        "given.toml: no such line: exit 5",
        "b: $ cat b\na = 1\n(expected: \"2\")",
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:?}");
    assert_eq!(problems(page, &entry("")), ["2 json and toml blocks, 0 files in given.toml"]);
}

#[test]
fn a_command_that_waits_is_told_and_stopped() {
    let line = "sh -c 'touch news; echo here; exec tail -f news'";
    let notes = "once = 'here'\nmeanwhile = 'echo rain >>news'\nuntil = 'rain'\nexit = 143\nwhy = 'it never ends'";
    let given = given::read(&format!("[page]\n[[page.line]]\nis = \"{line}\"\n{notes}")).remove("page").unwrap();
    assert_eq!(problems(&format!("```sh\n{line}\n```\n"), &given), [""; 0]);
}

#[test]
fn a_command_that_ends_too_early_is_a_problem() {
    let given = "[page]\n[[page.line]]\nis = 'echo here'\nonce = 'there'\nmeanwhile = 'true'";
    let given = given::read(given).remove("page").unwrap();
    if Stage::set().is_some() {
        let found = problems("```sh\necho here\n```\n", &given);
        assert!(found.len() == 1 && found[0].contains("did not print there\nhere\n"), "{found:?}");
    }
}
