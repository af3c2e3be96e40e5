//! The layers stay layers: imports run downward only, and each foreign library stays in its part.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each part and the parts it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("sys", &["model"]),
    ("ledger", &["model", "sys"]),
    ("vcs", &["model", "sys"]),
    ("cache", &["model"]),
    ("store", &["model", "sys", "ledger", "vcs", "cache"]),
    ("coordination", &["model", "sys", "ledger", "vcs", "store"]),
    ("ops", &["model", "sys", "ledger", "cache", "store", "coordination"]),
    ("view", &["model", "ledger", "cache", "store", "coordination", "ops", "sys"]),
    ("cli", &["model", "cache", "store", "coordination", "ops", "view", "sys"]),
];

/// Libraries that only one part may touch.
const CONFINED: &[(&str, &str)] = &[
    ("rusqlite", "cache"),
    ("clap", "cli"),
    ("clap_complete", "cli"),
    ("gix", "vcs"),
    ("fs4", "sys"),
    ("rustix", "sys"),
    ("rand", "sys"),
    ("signal_hook", "sys"),
    ("notify", "sys"),
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

/// The code of every file in `src`, by part, without comments and unit tests.
fn parts() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut parts: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(&root).unwrap();
        let Some(part) = inside.components().next().filter(|_| inside.components().count() > 1) else { continue };
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code: String =
            code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
        parts.entry(part.as_os_str().to_str().unwrap().to_owned()).or_default().push((inside.to_owned(), code));
    }
    parts
}

/// The words that follow `before` in the code.
fn words_after<'a>(code: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(before).filter_map(move |(at, _)| {
        let starts = at == 0 || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &code[at + before.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        starts.then_some(&rest[..end])
    })
}

#[test]
fn imports_run_downward() {
    let parts = parts();
    let known: Vec<&str> = LAYERS.iter().map(|(part, _)| *part).collect();
    let found: Vec<&str> = parts.keys().map(String::as_str).collect();
    let mut expected = known.clone();
    expected.sort_unstable();
    assert_eq!(found, expected, "a part of src is missing from the layers");
    for (part, allowed) in LAYERS {
        for (file, code) in &parts[*part] {
            for used in words_after(code, "crate::") {
                let fine = !known.contains(&used) || used == *part || allowed.contains(&used);
                assert!(fine, "{}: {part} must not use {used}", file.display());
            }
        }
    }
}

#[test]
fn libraries_stay_in_their_part() {
    for (part, files) in parts() {
        for (file, code) in files {
            for (library, home) in CONFINED {
                let used = code.contains(&format!("use {library}::")) || code.contains(&format!("{library}::"));
                let used = used && words_after(&code, library).next().is_some();
                assert!(!used || part == *home, "{}: {library} belongs to {home}", file.display());
            }
        }
    }
}

/// Time, randomness, environment, processes and streams have one door each.
#[test]
fn the_host_is_reached_through_sys() {
    let doors: &[(&str, &[&str])] = &[
        ("SystemTime", &["sys"]),
        ("std::env::var", &["sys"]),
        ("std::process::Command", &["sys"]),
        ("println!", &[]),
        ("eprintln!", &[]),
        ("io::stdout", &["cli", "sys"]),
        ("io::stderr", &["cli", "sys"]),
    ];
    for (part, files) in parts() {
        for (file, code) in files {
            for (call, homes) in doors {
                assert!(!code.contains(call) || homes.contains(&part.as_str()), "{}: {call}", file.display());
            }
        }
    }
}

/// Where a state home is, is decided in one place: nothing else joins `beads` or `run` to a directory that checkouts share.
#[test]
fn one_function_finds_the_state_home() {
    const RESOLVER: &str = "store/home.rs";
    // Ids of the repository and of a checkout without version control, the pointer of a workspace, and the image in the cache:
    // none is state of a home.
    const OTHERS: &[(&str, usize)] = &[("store/checkout.rs", 2), ("store/family.rs", 2), ("store/image.rs", 1)];
    let mut found = BTreeMap::new();
    for (file, code) in parts().into_values().flatten() {
        let joins = [".join(\"beads\")", ".join(\"run\")", "STATE_DIR)"].map(|text| code.matches(text).count());
        let count: usize = joins.iter().sum();
        if count > 0 {
            found.insert(file.display().to_string(), count);
        }
    }
    assert!(found.remove(RESOLVER).is_some_and(|count| count >= 4), "the resolver is not where it was");
    let expected: BTreeMap<String, usize> = OTHERS.iter().map(|(file, count)| ((*file).to_owned(), *count)).collect();
    assert_eq!(found, expected, "a second function says where state is kept");
}

#[test]
fn the_check_itself_can_fail() {
    let words: Vec<&str> = words_after("use crate::store::X; mycrate::no; crate::cli", "crate::").collect();
    assert_eq!(words, ["store", "cli"]);
}
