//! All that `bd` says to people: its pages, its help, and the texts in its source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::support::user::{BD, User};

/// A text and where it is from.
pub struct Text {
    pub place: String,
    pub text: String,
    /// It is what a hint says.
    pub hint: bool,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The pages that a reader of the project sees, the topics of the help and the built-in templates, by their path below the root. The
/// changelog says what was true of each version.
pub fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = ["README.md", "AGENTS.md"].map(str::to_owned).to_vec();
    for directory in ["docs", "docs/walkthrough", "src/cli/topics", "src/ops/templates/builtin"] {
        for entry in std::fs::read_dir(root().join(directory)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") && name != "changelog.md"
                || [".txt", ".toml"].iter().any(|end| name.ends_with(end))
            {
                names.push(format!("{directory}/{name}"));
            }
        }
    }
    names.sort();
    let read = |name: String| {
        let text = std::fs::read_to_string(root().join(&name)).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

fn bd() -> Command {
    User::at("/nonexistent").command(BD, Path::new("/"))
}

/// The help of a command, as its words name it; `None` if there is no such command.
pub fn help(words: &[&str]) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<String, Option<String>>> = Mutex::new(BTreeMap::new());
    let key = words.join(" ");
    if let Some(known) = KNOWN.lock().unwrap().get(&key) {
        return known.clone();
    }
    let output = bd().args(words).arg("--help").env("COLUMNS", "100").output().unwrap();
    let text = output.status.success().then(|| String::from_utf8(output.stdout).unwrap());
    KNOWN.lock().unwrap().insert(key, text.clone());
    text
}

/// The commands that a help lists under `Commands:`.
pub fn listed(help: &str) -> Vec<&str> {
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = below.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

/// Every command with its subcommands, as `bd help --all` and the helps list them.
pub fn commands() -> Vec<Vec<String>> {
    let output = bd().args(["help", "--all"]).output().unwrap();
    let all = String::from_utf8(output.stdout).unwrap();
    let rows = all.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = rows.filter_map(|line| line.split_whitespace().next());
    let mut found: Vec<Vec<String>> = names.map(|name| vec![name.to_owned()]).collect();
    let mut next = 0;
    while next < found.len() {
        let words = found[next].clone();
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = help(&names).unwrap_or_else(|| panic!("bd {} --help fails", words.join(" ")));
        let below = listed(&text).into_iter().map(|name| [&words[..], &[name.to_owned()]].concat());
        found.extend(below);
        next += 1;
    }
    found
}

/// The texts in the source: string literals outside of tests.
pub fn literals() -> Vec<Text> {
    let mut texts = Vec::new();
    for (name, source) in sources("src") {
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
        if !name.ends_with("tests.rs") {
            strings(&name, source, &mut texts);
        }
    }
    texts
}

/// The Rust files of a folder below the root, by their paths from there.
pub fn sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    gather(&root().join(folder), &mut files);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        (name, std::fs::read_to_string(&path).unwrap())
    };
    files.into_iter().map(read).collect()
}

fn gather(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
}

/// Takes string literals out of Rust, and notes which ones are the argument of a function that gives a hint.
fn strings(name: &str, source: &str, texts: &mut Vec<Text>) {
    let mut rest = source;
    let mut before = String::new();
    let line = |rest: &str| source[..source.len() - rest.len()].matches('\n').count() + 1;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(skipped) = ["'\"'", "'\\\"'", "b'\"'"].iter().find_map(|quoted| rest.strip_prefix(quoted)) {
            rest = skipped;
        } else if let Some((text, after)) = literal(rest) {
            let call = before.trim_end_matches("format!(").trim_end_matches('&');
            // The later sentences of a hint may explain it.
            let is_first = call.ends_with(".shell(") && !call.ends_with(").shell(");
            let is_command = call.ends_with("run(") && text.starts_with("bd ");
            let text = if is_command { format!("run `{text}`") } else { text };
            let hint = call.ends_with("hint(") || is_first || is_command;
            texts.push(Text { place: format!("{name}:{}", line(rest)), text, hint });
            before.clear();
            rest = after;
        } else {
            if !first.is_whitespace() {
                before.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
}

/// A literal at the beginning of this, and what follows it.
pub fn literal(rest: &str) -> Option<(String, &str)> {
    for hashes in ["#", "##"] {
        if let Some(raw) = rest.strip_prefix(&format!("r{hashes}\"")) {
            let (text, after) = raw.split_once(&format!("\"{hashes}"))?;
            return Some((text.to_owned(), after));
        }
    }
    let inner = rest.strip_prefix('"')?;
    let mut text = String::new();
    let mut at = 0;
    loop {
        let c = inner[at..].chars().next()?;
        at += c.len_utf8();
        match c {
            '"' => return Some((text, &inner[at..])),
            '\\' => {
                let escaped = inner[at..].chars().next()?;
                at += escaped.len_utf8();
                match escaped {
                    // The literal goes on in the next line.
                    '\n' => at += inner[at..].len() - inner[at..].trim_start().len(),
                    'n' => text.push('\n'),
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
}
