//! The layers stay layers: imports run downward only, and each foreign library stays in its part.

use std::collections::{BTreeMap, BTreeSet};
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
    ("api", &["model", "ledger", "cache", "store", "coordination", "ops", "view", "sys"]),
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
        // The face speaks of times as other programs do; it reads no clock.
        ("SystemTime", &["sys", "api"]),
        ("SystemTime::now", &["sys"]),
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
    // Ids of the repository and of a checkout without version control, the pointer of a workspace, and what is in the cache directory:
    // none is state of a home.
    const OTHERS: &[(&str, usize)] =
        &[("store/checkout.rs", 2), ("store/pointer.rs", 3), ("store/image.rs", 1), ("sys/cache_dir.rs", 1)];
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

/// The file system is reached through `sys`; in `vcs` through `vcs::files` too, which has a check of its own below.
#[test]
fn only_sys_and_vcs_touch_the_file_system() {
    const OTHERS: &[(&str, usize, &str)] = &[
        ("cli/commands/edit.rs", 2, "a scratch file for the editor"),
        ("coordination/workspaces/setup.rs", 1, "the end of what a job has said"),
    ];
    let mut found = BTreeMap::new();
    for (file, code) in parts().into_iter().filter(|(part, _)| part != "sys" && part != "vcs").flat_map(|(_, all)| all)
    {
        let count = touches_files(&code);
        if count > 0 {
            found.insert(file.display().to_string(), count);
        }
    }
    let named = OTHERS.iter().map(|(file, count, _)| ((*file).to_owned(), *count)).collect();
    assert_eq!(found, named, "ask sys::path or sys::below instead");
}

/// How often code names the file system of the standard library.
fn touches_files(code: &str) -> usize {
    let module = Module::read(code);
    let imported = module.uses.iter().map(|one| &one.path);
    imported.chain(&module.paths).filter(|path| path.as_str() == "std::fs" || path.starts_with("std::fs::")).count()
}

/// A front end calls operations. Only its context, which opens the store and says who acts where, calls the store itself.
#[test]
fn front_ends_call_operations() {
    const CONTEXTS: [&str; 3] = ["cli/context.rs", "api/acting.rs", "api/builder.rs"];
    let mut parts = parts();
    for (file, code) in ["cli", "api"].into_iter().flat_map(|part| parts.remove(part).unwrap()) {
        let around = reaches_around(&code);
        let is_context = CONTEXTS.contains(&file.display().to_string().as_str());
        assert!(is_context || around.is_empty(), "{}: {}: make it an operation", file.display(), around.join(" "));
    }
}

/// The calls of methods of a store: on a value of that name, on what the context gives, by the type.
fn reaches_around(code: &str) -> Vec<String> {
    let method = |rest: &str| -> Option<String> {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then(|| rest[..end].to_owned())
    };
    // A chain may be broken over lines.
    let code: String = code.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
    let ways = ["store.", "store()?.", "Store::", "View::", "Project::"];
    let calls = ways.into_iter().flat_map(|way| {
        let whole = |at: &usize| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let places: Vec<usize> = code.match_indices(way).map(|(at, _)| at + way.len()).collect();
        places
            .into_iter()
            .filter(move |at| whole(&(at - way.len())))
            .filter_map(|at| method(&code[at..]))
            .collect::<Vec<_>>()
    });
    calls.collect()
}

/// Plans become files in one place, and every edit gets into a plan past the guards. Files of records go the same way through the gate.
#[test]
fn one_module_writes_ledgers() {
    let writers: &[(&str, &str)] =
        &[("store/write/apply.rs", "ledgers"), ("store/records.rs", "records of the state home")];
    let mut found = BTreeSet::new();
    for (file, code) in parts().into_iter().filter(|(part, _)| part != "ledger").flat_map(|(_, files)| files) {
        let applies = ["lock.apply(", "locked.apply(", ".apply::<", "LockedLedger::apply"];
        if applies.iter().any(|call| code.contains(call)) {
            found.insert(file.display().to_string());
        }
    }
    let named = writers.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(found, named, "another way to write a ledger");
}

/// How a file can be reached without the door of `sys::below`, or by the side of it that follows links.
const WAYS: &[&str] = &[
    "fs::read(",
    "fs::read_to_string(",
    "fs::read_dir(",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "fs::remove_file(",
    "fs::remove_dir",
    "fs::create_dir",
    "fs::hard_link(",
    "fs::set_permissions(",
    "fs::symlink(",
    "File::open(",
    "File::create",
    "File::options(",
    "OpenOptions",
    "tempfile::",
    "Dir::open(",
    "path::make(",
    "path::make_all(",
    "path::rename(",
    "path::link_or_rename(",
    "path::remove(",
    "path::remove_all(",
    "path::entries(",
    "path::is_empty(",
    "read_own(",
    "read_any(",
    "write_any(",
    "make_own(",
];

/// Who may, how often, and why that is no file of a repository.
const OTHER_WAYS: &[(&str, usize, &str)] = &[
    ("cli/commands/edit.rs", 3, "a scratch file for the editor"),
    ("coordination/checkpoints/mod.rs", 1, "whether the directory that a person named is empty"),
    ("coordination/templates/places.rs", 1, "the user's own templates"),
    ("coordination/templates/save.rs", 1, "the user's own templates"),
    ("coordination/workspaces/checkout.rs", 3, "the directory of a new workspace"),
    ("coordination/workspaces/create.rs", 3, "the directories of a new workspace"),
    ("coordination/workspaces/finish.rs", 1, "the directory of a workspace, as a whole"),
    ("coordination/workspaces/orphans.rs", 3, "the directories of workspaces, as a whole"),
    ("coordination/workspaces/places.rs", 1, "the directory of all workspaces"),
    ("coordination/workspaces/rescue.rs", 1, "whether a directory is empty"),
    ("coordination/workspaces/reuse.rs", 1, "the directory of a workspace"),
    ("coordination/workspaces/setup.rs", 1, "what a job has said, in its own directory"),
    ("coordination/workspaces/steps.rs", 5, "the directory of a workspace, as a whole"),
    ("ops/init.rs", 1, "the directory of a planning repo that a person named"),
    ("ops/merge_files.rs", 2, "the files that version control names to its merge driver"),
    ("store/home_dir.rs", 1, "the user's own directories"),
    ("store/hooks/files.rs", 2, "hooks, which git runs through a link, too"),
    ("store/image.rs", 1, "the user's cache"),
    ("store/leaks.rs", 1, "a file that a person named"),
    ("store/place.rs", 2, "a file that a person named, outside of the working copy"),
    ("store/settings/edit.rs", 1, "the user's own settings"),
    ("store/settings/file.rs", 1, "the user's own settings"),
    ("store/settings/trust.rs", 2, "the user's own record of trust"),
];

/// How often something is named in the code, not as the end of another name.
fn calls(code: &str, way: &str) -> usize {
    let is_whole = |(at, _): &(usize, &str)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(way).filter(is_whole).count()
}

/// Files below a repository are opened by `sys::below` alone. Looks at names (`exists`, `symlink_metadata`) open nothing and are
/// free; `vcs` reads version control's own directories, see the next test.
#[test]
fn files_below_a_repository_have_one_door() {
    let mut found = BTreeMap::new();
    for (part, files) in parts() {
        if matches!(part.as_str(), "sys" | "vcs") {
            continue;
        }
        for (file, code) in files {
            let count: usize = WAYS.iter().map(|way| calls(&code, way)).sum();
            if count > 0 {
                found.insert(file.display().to_string(), count);
            }
        }
    }
    let named = OTHER_WAYS.iter().map(|(file, count, _)| ((*file).to_owned(), *count)).collect();
    assert_eq!(found, named, "another way to a file");
}

/// The directories of version control may come from strangers, too: what is read there by name goes through `vcs::files`, which
/// neither waits nor reads without end, and the library of git opens a repository only after a look at it.
#[test]
fn files_of_version_control_are_read_in_one_way() {
    // A regular file of the working copy, and the beginning of one of hg's, looked at before they are opened.
    const OTHERS: &[(&str, usize)] = &[("vcs/copies.rs", 1), ("vcs/git/opened.rs", 4), ("vcs/hg/dirs.rs", 1)];
    let ways = ["fs::read(", "fs::read_to_string(", "File::open(", "gix::open", "gix::discover"];
    let mut found = BTreeMap::new();
    for (file, code) in parts().remove("vcs").unwrap() {
        let count: usize = ways.iter().map(|way| calls(&code, way)).sum();
        if count > 0 {
            found.insert(file.display().to_string(), count);
        }
    }
    let named = OTHERS.iter().map(|(file, count)| ((*file).to_owned(), *count)).collect();
    assert_eq!(found, named, "another way to a file of version control");
}

/// Which system it is, only `vcs` knows: the others ask it what they want to know.
#[test]
fn only_vcs_tells_systems_apart() {
    for (file, code) in parts().into_iter().filter(|(part, _)| part != "vcs").flat_map(|(_, files)| files) {
        let module = Module::read(&code);
        let named = module.uses.iter().map(|one| &one.path).chain(&module.paths);
        let kind = named.into_iter().find(|path| path.contains("vcs::Kind") || path.contains("vcs::kind"));
        assert_eq!(kind, None, "{}: ask vcs instead", file.display());
    }
}

/// The parts in which no file uses another that uses it, directly or by others.
const STRAIGHT: &[&str] = &["model", "sys", "vcs", "ops", "view", "api"];
/// The same by what they import alone: a `mod.rs` still calls files below it that use it.
const STRAIGHT_IMPORTS: &[&str] = &["ledger", "cache", "store", "coordination", "cli"];

#[test]
fn files_of_a_part_form_no_circle() {
    let parts = parts();
    let lists = [(STRAIGHT, true), (STRAIGHT_IMPORTS, false)];
    for (part, with_children) in lists.iter().flat_map(|(list, calls)| list.iter().map(|part| (*part, *calls))) {
        assert_eq!(circles(&parts[part], with_children), BTreeSet::new(), "arrows of circles in {part}");
    }
}

/// A name that a file imports: what it is called there, and the path as it is written.
struct Use {
    name: String,
    path: String,
    is_public: bool,
}

/// What a file imports, and the paths in the rest of its code.
struct Module {
    uses: Vec<Use>,
    paths: Vec<String>,
}

impl Module {
    fn read(code: &str) -> Self {
        let (mut uses, mut rest) = (Vec::new(), String::new());
        for statement in code.split_inclusive(';') {
            let start = statement.match_indices("use ").map(|(at, _)| at).find(|at| {
                let line = statement[..*at].rsplit('\n').next().unwrap_or_default().trim();
                line.is_empty() || line.starts_with("pub")
            });
            let Some(at) = start else {
                rest.push_str(statement);
                continue;
            };
            let (before, tree) = (&statement[..at], statement[at + 4..].trim_end_matches(';'));
            rest.push_str(before);
            leaves(tree, "", before.rsplit('\n').next().is_some_and(|line| line.contains("pub")), &mut uses);
        }
        let words = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let paths = words.map(|word| word.trim_matches(':')).filter(|word| word.contains("::"));
        Module { uses, paths: paths.map(str::to_owned).collect() }
    }
}

/// The single names of a tree such as `a::{b, c::d as e}`.
fn leaves(tree: &str, before: &str, is_public: bool, found: &mut Vec<Use>) {
    let tree = tree.trim();
    if let Some((head, inner)) = tree.split_once('{') {
        let (mut depth, before) = (0, format!("{before}{}", head.trim()));
        let items = inner.rsplit_once('}').map_or(inner, |(items, _)| items).split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        items.for_each(|item| leaves(item, &before, is_public, found));
    } else if !tree.is_empty() {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let path = format!("{before}{path}");
        let path = path.strip_suffix("::self").unwrap_or(&path).to_owned();
        let name = if name.is_empty() { path.rsplit("::").next().unwrap_or_default() } else { name };
        found.push(Use { name: name.to_owned(), path, is_public });
    }
}

/// The arrows that are part of a circle, or between two. An arrow leads to the file in which something is defined: names that
/// another file passes on (`pub use`) are followed.
fn circles(files: &[(PathBuf, String)], with_children: bool) -> BTreeSet<String> {
    let name = |file: &Path| {
        let name = file.with_extension("").display().to_string().replace('/', "::");
        name.strip_suffix("::mod").map(str::to_owned).unwrap_or(name)
    };
    let modules: BTreeMap<String, Module> = files.iter().map(|(file, code)| (name(file), Module::read(code))).collect();
    let mut arrows = BTreeSet::new();
    for (from, module) in &modules {
        let imported = module.uses.iter().filter(|one| !one.is_public).map(|one| one.path.clone());
        let is_import = |path: &&String| {
            let first = path.split("::").next().unwrap_or_default();
            let is_passed_on = || module.uses.iter().any(|one| one.is_public && one.name == first);
            with_children || !modules.contains_key(&format!("{from}::{first}")) && !is_passed_on()
        };
        for path in imported.chain(module.paths.iter().filter(is_import).cloned()) {
            arrows.extend(home(&modules, from, &path, 0).filter(|to| to != from).map(|to| (from.clone(), to)));
        }
    }
    // What nobody left uses, or what uses nobody left, is in no circle.
    while let Some(one) = arrows.iter().find(|(from, to)| {
        !arrows.iter().any(|(_, other)| other == from) || !arrows.iter().any(|(other, _)| other == to)
    }) {
        let one = one.clone();
        arrows.remove(&one);
    }
    arrows.into_iter().map(|(from, to)| format!("{from} -> {to}")).collect()
}

/// The file that defines what a path in a file means; `None` for what is no file of the part, and for a module by itself.
fn home(modules: &BTreeMap<String, Module>, from: &str, path: &str, depth: usize) -> Option<String> {
    let (first, rest) = path.split_once("::").unwrap_or((path, ""));
    let join = |one: &str, other: &str| if other.is_empty() { one.to_owned() } else { format!("{one}::{other}") };
    let imported = |module: &str, name: &str| {
        let found = modules[module].uses.iter().find(|one| one.name == name && depth < 9);
        found.map(|one| one.path.clone())
    };
    let full = match first {
        "crate" => rest.to_owned(),
        "self" => join(from, rest),
        "super" if rest.starts_with("super::") => return home(modules, from.rsplit_once("::")?.0, rest, depth),
        "super" => join(from.rsplit_once("::")?.0, rest),
        _ if modules.contains_key(&join(from, first)) => join(from, path),
        _ => return home(modules, from, &join(&imported(from, first)?, rest), depth + 1),
    };
    let is_module = |at: &usize| modules.contains_key(&full[..*at]);
    let end = full.match_indices("::").map(|(at, _)| at).chain([full.len()]).filter(is_module).last()?;
    let (module, inside) = (&full[..end], full[end..].strip_prefix("::")?);
    let (name, rest) = inside.split_once("::").unwrap_or((inside, ""));
    match imported(module, name) {
        Some(path) => home(modules, module, &join(&path, rest), depth + 1),
        None => Some(module.to_owned()),
    }
}

/// A file is read in one sitting.
#[test]
fn no_file_is_too_long() {
    const MAX_LINES: usize = 500;
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let lines = |file: &PathBuf| std::fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<_> = files.iter().map(|file| (lines(file), file)).filter(|(lines, _)| *lines > MAX_LINES).collect();
    assert!(files.len() > 100 && long.is_empty(), "too long: {long:?}");
}

#[test]
fn the_check_itself_can_fail() {
    let words: Vec<&str> = words_after("use crate::store::X; mycrate::no; crate::cli", "crate::").collect();
    assert_eq!(words, ["store", "cli"]);
    assert_eq!(touches_files("use std::fs::File;\nfn f() { std::fs::read(x); sys::fs::read(x) }\n"), 2);
    assert_eq!(
        reaches_around("fn f(cx: &mut Context) { ops::list(cx.store()?, x); restore.list(); store.name }"),
        [""; 0]
    );
    assert_eq!(
        reaches_around("fn f(cx: &mut Context) {\n    cx.store()?\n        .list(x); store.ready(y); Store::open(z) }"),
        ["ready", "list", "open"]
    );
    let found = |files: &[(&str, &str)]| {
        let files: Vec<(PathBuf, String)> =
            files.iter().map(|(file, code)| (file.into(), (*code).to_owned())).collect();
        circles(&files, true).into_iter().collect::<Vec<_>>().join(", ")
    };
    let top = ("a/mod.rs", "mod b;\nmod c;\npub use b::B;\npub(super) use c::{self as d, C};\n");
    let b = ("a/b.rs", "pub struct B;\n");
    assert_eq!(found(&[top, b, ("a/c.rs", "use super::B;\nfn f() -> B {}\n")]), "");
    let circle = "a::b -> a::c, a::c -> a::b";
    assert_eq!(found(&[top, ("a/b.rs", "use super::C;\n"), ("a/c.rs", "use crate::a::{x, B};\n")]), circle);
    assert_eq!(
        found(&[top, ("a/b.rs", "use super::d;\nfn f() { d::C }\n"), ("a/c.rs", "fn f() { super::b::B }\n")]),
        circle
    );
    assert_eq!(
        found(&[("a/mod.rs", "mod b;\nfn f() { b::g() }\n"), ("a/b.rs", "use super::f;\n")]),
        "a -> a::b, a::b -> a"
    );
}
