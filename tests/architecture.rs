//! The layers stay layers: imports run downward only, and each foreign library stays in its part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each part and the parts that it uses: the table at the head of the library.
fn layers() -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | `")?.strip_suffix(" |")?.split_once('`'));
    let layers: Vec<(String, Vec<String>)> = rows
        .map(|(part, rest)| {
            let used = rest.rsplit_once('|').unwrap().1.split(',').map(str::trim).filter(|used| *used != "nothing");
            (part.to_owned(), used.map(str::to_owned).collect())
        })
        .collect();
    assert!(layers.len() > 10, "{layers:?}");
    layers
}

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
    ("rmcp", "mcp"),
    ("tokio", "mcp"),
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

/// Files with their code, without comments and unit tests, by part.
type Parts = BTreeMap<String, Vec<(PathBuf, String)>>;

/// Every file in `src`.
fn parts() -> Parts {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut parts = Parts::new();
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

/// Gives what breaks a rule, a file first.
type Broken = fn(&Parts) -> Vec<String>;

const RULES: &[(&str, Broken)] = &[
    ("imports run downward", imports_that_run_up),
    ("libraries stay in their part", strayed_libraries),
    ("the host is reached through sys", other_doors_to_the_host),
    ("one function finds the state home", other_resolvers),
    ("only sys and vcs touch the file system", touched_file_systems),
    ("front ends call operations", calls_around_operations),
    ("one module writes ledgers", other_writers),
    ("files below a repository have one door", other_ways_to_files),
    ("files of version control are read in one way", other_ways_to_version_control),
    ("only vcs tells systems apart", told_systems),
    ("programs start behind a gate", ways_around_the_gate),
    ("nothing outside of the index names an image", other_names_of_images),
    ("no question changes the snapshot", questions_that_change),
    ("files of a part form no circle", circles_of_parts),
    ("folders form no circle", circles_between_folders),
    ("no file is too long", files_that_are_too_long),
];

#[test]
fn every_rule_is_kept() {
    let parts = parts();
    for (rule, broken) in RULES {
        assert_eq!(broken(&parts), [""; 0], "{rule}");
    }
}

/// The counts per file that differ from the list.
fn differing(found: BTreeMap<String, usize>, named: impl IntoIterator<Item = (&'static str, usize)>) -> Vec<String> {
    let named: BTreeMap<String, usize> = named.into_iter().map(|(file, count)| (file.to_owned(), count)).collect();
    let files: BTreeSet<&String> = found.keys().chain(named.keys()).collect();
    let differs = files.into_iter().filter(|file| found.get(*file) != named.get(*file));
    let count = |counts: &BTreeMap<String, usize>, file| counts.get(file).copied().unwrap_or_default();
    differs.map(|file| format!("{file}: {} times, not {}", count(&found, file), count(&named, file))).collect()
}

/// Every file of these parts in which something is found, and how often.
fn counted(parts: &Parts, looked_at: impl Fn(&str) -> bool, count: impl Fn(&str) -> usize) -> BTreeMap<String, usize> {
    let files = parts.iter().filter(|(part, _)| looked_at(part)).flat_map(|(_, files)| files);
    files.map(|(file, code)| (file.display().to_string(), count(code))).filter(|(_, count)| *count > 0).collect()
}

fn imports_that_run_up(parts: &Parts) -> Vec<String> {
    let layers = layers();
    let above = |part: &str| layers.iter().position(|(known, _)| known == part);
    let unknown = parts.keys().filter(|part| above(part).is_none());
    let mut broken: Vec<String> =
        unknown.map(|part| format!("{part}: a part that is missing from the layers")).collect();
    for (place, (part, allowed)) in layers.iter().enumerate() {
        let up = allowed.iter().filter(|used| above(used).is_none_or(|above| above >= place));
        broken.extend(up.map(|used| format!("the table of the layers: {used} is not below {part}")));
        let mut unused: BTreeSet<&str> = allowed.iter().map(String::as_str).collect();
        for (file, code) in &parts[part] {
            for used in words_after(code, "crate::").filter(|used| used != part && above(used).is_some()) {
                unused.remove(used);
                if !allowed.iter().any(|allowed| allowed == used) {
                    broken.push(format!("{}: {part} must not use {used}", file.display()));
                }
            }
        }
        broken.extend(unused.iter().map(|used| format!("the table of the layers: {part} does not use {used}")));
    }
    broken
}

fn strayed_libraries(parts: &Parts) -> Vec<String> {
    let mut broken = Vec::new();
    for (part, (file, code)) in parts.iter().flat_map(|(part, files)| files.iter().map(move |file| (part, file))) {
        for (library, home) in CONFINED {
            let used = code.contains(&format!("{library}::")) && words_after(code, library).next().is_some();
            if used && part != home {
                broken.push(format!("{}: {library} belongs to {home}", file.display()));
            }
        }
    }
    broken
}

/// Time, randomness, environment, processes and streams have one door each.
fn other_doors_to_the_host(parts: &Parts) -> Vec<String> {
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
    let mut broken = Vec::new();
    for (part, (file, code)) in parts.iter().flat_map(|(part, files)| files.iter().map(move |file| (part, file))) {
        let strayed = doors.iter().filter(|(call, homes)| code.contains(call) && !homes.contains(&part.as_str()));
        broken.extend(strayed.map(|(call, _)| format!("{}: {call}", file.display())));
    }
    broken
}

/// Where a state home is, is decided in one place: nothing else joins `beads` or `run` to a directory that checkouts share.
fn other_resolvers(parts: &Parts) -> Vec<String> {
    const RESOLVER: &str = "store/project/home.rs";
    // Ids of the repository and of a checkout without version control, the pointer of a workspace, and what is in the cache directory:
    // none is state of a home.
    const OTHERS: [(&str, usize); 4] = [
        ("store/project/checkout.rs", 2),
        ("store/project/pointer.rs", 1),
        ("store/state/checkout_id.rs", 2),
        ("sys/cache_dir.rs", 1),
    ];
    let joins = [".join(\"beads\")", ".join(\"run\")", "STATE_DIR)"];
    let mut found = counted(parts, |_| true, |code| joins.iter().map(|text| code.matches(text).count()).sum());
    assert!(found.remove(RESOLVER).is_some_and(|count| count >= 4), "the resolver is not where it was");
    differing(found, OTHERS)
}

/// The file system is reached through `sys`; in `vcs` through `vcs::files` too, which has a check of its own below.
fn touched_file_systems(parts: &Parts) -> Vec<String> {
    const OTHERS: [(&str, usize, &str); 1] = [("ops/workspaces/setup.rs", 1, "the end of what a job has said")];
    let found = counted(parts, |part| part != "sys" && part != "vcs", touches_files);
    differing(found, OTHERS.map(|(file, count, _)| (file, count)))
}

/// How often code names the file system of the standard library.
fn touches_files(code: &str) -> usize {
    let module = Module::read(code);
    let imported = module.uses.iter().map(|one| &one.path);
    imported.chain(&module.paths).filter(|path| path.as_str() == "std::fs" || path.starts_with("std::fs::")).count()
}

/// A front end calls operations. Only its context, which opens the store and says who acts where, calls the store itself.
fn calls_around_operations(parts: &Parts) -> Vec<String> {
    const CONTEXTS: [&str; 4] = ["cli/context.rs", "api/acting.rs", "api/builder.rs", "mcp/context.rs"];
    let found = counted(parts, |part| matches!(part, "cli" | "api" | "mcp"), |code| reaches_around(code).len());
    found.into_keys().filter(|file| !CONTEXTS.contains(&file.as_str())).collect()
}

/// The calls of methods of a store: on a value of that name, on what the context gives, by the type.
fn reaches_around(code: &str) -> Vec<String> {
    let method = |rest: &str| -> Option<String> {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then(|| rest[..end].to_owned())
    };
    // A chain may be broken over lines.
    let code: String = code.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
    let ways = ["store.", "store()?.", "Store::", "Snapshot::", "Project::"];
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
fn other_writers(parts: &Parts) -> Vec<String> {
    const WRITERS: [(&str, usize, &str); 2] =
        [("store/write/apply.rs", 1, "ledgers"), ("store/state/records.rs", 1, "records of the state home")];
    let applies = ["lock.apply(", "locked.apply(", ".apply::<", "LockedLedger::apply"];
    let writes = |code: &str| usize::from(applies.iter().any(|call| code.contains(call)));
    differing(counted(parts, |part| part != "ledger", writes), WRITERS.map(|(file, count, _)| (file, count)))
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

/// Which file may, how often, and why that is not a file of a repository.
const OTHER_WAYS: &[(&str, usize, &str)] = &[
    ("ops/checkpoints/mod.rs", 1, "whether the directory that a person named is empty"),
    ("ops/templates/places.rs", 1, "the user's own templates"),
    ("ops/templates/save.rs", 1, "the user's own templates"),
    ("ops/workspaces/checkout.rs", 3, "the directory of a new workspace"),
    ("ops/workspaces/create.rs", 3, "the directories of a new workspace"),
    ("ops/workspaces/finish.rs", 1, "the directory of a workspace, as a whole"),
    ("ops/workspaces/orphans.rs", 3, "the directories of workspaces, as a whole"),
    ("ops/workspaces/places.rs", 1, "the directory of all workspaces"),
    ("ops/workspaces/rescue.rs", 1, "whether a directory is empty"),
    ("ops/workspaces/reuse.rs", 1, "the directory of a workspace"),
    ("ops/workspaces/setup.rs", 1, "what a job has said, in its own directory"),
    ("ops/workspaces/steps.rs", 5, "the directory of a workspace, as a whole"),
    ("ops/workspaces/trial.rs", 2, "the directory in which work is tried, as a whole"),
    ("ops/init.rs", 1, "the directory of a planning repo that a person named"),
    ("ops/merge_files.rs", 2, "the files that version control names to its merge driver"),
    ("ops/pages.rs", 1, "the directory of manual pages that a person named, or their own"),
    ("store/state/directory.rs", 1, "the user's own directories"),
    ("store/exchange/hooks/files.rs", 2, "hooks, which git runs through a link, too"),
    ("store/exchange/leaks.rs", 1, "a file that a person named"),
    ("store/project/paths.rs", 2, "a file that a person named, outside of the working copy"),
    ("store/project/settings/edit.rs", 1, "the user's own settings"),
    ("store/project/settings/file.rs", 1, "the user's own settings"),
    ("store/project/trust.rs", 2, "the user's own record of trust"),
];

/// How often something is named in the code, not as the end of another name.
fn calls(code: &str, way: &str) -> usize {
    let is_whole = |(at, _): &(usize, &str)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(way).filter(is_whole).count()
}

/// Files below a repository are opened by `sys::below` alone. Looks at names (`exists`, `symlink_metadata`) open nothing and are
/// free; `vcs` reads version control's own directories, see the next test.
fn other_ways_to_files(parts: &Parts) -> Vec<String> {
    let ways = |code: &str| WAYS.iter().map(|way| calls(code, way)).sum();
    let found = counted(parts, |part| !matches!(part, "sys" | "vcs"), ways);
    differing(found, OTHER_WAYS.iter().map(|(file, count, _)| (*file, *count)))
}

/// The directories of version control may come from strangers, too: what is read there by name goes through `vcs::files`, which
/// neither waits nor reads without end, and the library of git opens a repository only after a look at it.
fn other_ways_to_version_control(parts: &Parts) -> Vec<String> {
    // A regular file of the working copy, and the beginning of one of hg's, looked at before they are opened.
    const OTHERS: [(&str, usize); 3] = [("vcs/copies.rs", 1), ("vcs/layout/hg.rs", 1), ("vcs/layout/opened.rs", 4)];
    let ways = ["fs::read(", "fs::read_to_string(", "File::open(", "gix::open", "gix::discover"];
    let count = |code: &str| ways.iter().map(|way| calls(code, way)).sum();
    differing(counted(parts, |part| part == "vcs", count), OTHERS)
}

/// Each program of version control is started in one place, with the leave that its gate gives, and no caller chooses the
/// repository that git works in.
fn ways_around_the_gate(parts: &Parts) -> Vec<String> {
    const PLACES: [(&str, usize, &str); 6] = [
        ("vcs/gate.rs", 1, "gives leave"),
        ("vcs/git/commit.rs", 2, "git, with the repository that was judged"),
        ("vcs/git/gate/settings.rs", 3, "asks git in no repository what it defines"),
        ("vcs/hg/call.rs", 1, "hg and sl"),
        ("vcs/jj/program.rs", 1, "jj"),
        ("sys/pager.rs", 2, "the user's own pager"),
    ];
    let ways = ["Program::new(", "Clearance::given(", "Clearance::unless(", "\"GIT_DIR\""];
    let count = |code: &str| ways.iter().map(|way| code.matches(way).count()).sum();
    differing(counted(parts, |_| true, count), PLACES.map(|(file, count, _)| (file, count)))
}

/// How the index is kept on disk is its own business: the rest asks questions.
fn other_names_of_images(parts: &Parts) -> Vec<String> {
    // The variable that switches off what is kept in the cache directory.
    const OTHERS: [(&str, usize); 1] = [("sys/cache_dir.rs", 1)];
    let mut found = counted(parts, |_| true, |code| code.to_lowercase().matches("image").count());
    found.retain(|file, _| !file.starts_with("store/read/index/"));
    differing(found, OTHERS)
}

/// A question takes `&self`; one file starts the next snapshot, and one takes the settings of a command.
fn questions_that_change(parts: &Parts) -> Vec<String> {
    const PLACES: [&str; 2] = ["store/read/snapshot.rs", "store/project/mod.rs"];
    let changing = |code: &str| {
        let heads = ["impl Snapshot {", "impl Project {"];
        let blocks = heads.iter().flat_map(|head| code.split(head).skip(1));
        blocks.map(|block| block.split("\n}").next().unwrap().matches("&mut self").count()).sum()
    };
    let found = counted(parts, |part| part == "store", changing);
    found.into_keys().filter(|file| !PLACES.contains(&file.as_str())).collect()
}

/// Which system it is, only `vcs` knows: the others ask it what they want to know.
fn told_systems(parts: &Parts) -> Vec<String> {
    let tells = |code: &str| {
        let module = Module::read(code);
        let named = module.uses.iter().map(|one| &one.path).chain(&module.paths);
        named.filter(|path| path.contains("vcs::Kind") || path.contains("vcs::kind")).count()
    };
    counted(parts, |part| part != "vcs", tells).into_keys().collect()
}

/// The parts in which no file uses another that uses it, directly or by others.
const STRAIGHT: &[&str] = &["model", "sys", "ledger", "cache", "vcs", "ops", "view", "api", "cli", "mcp"];
/// The same by what they import alone: a `mod.rs` still calls files below it that use it.
const STRAIGHT_IMPORTS: &[&str] = &["store"];

fn circles_of_parts(parts: &Parts) -> Vec<String> {
    let straight = STRAIGHT.iter().flat_map(|part| circles(&parts[*part], true));
    straight.chain(STRAIGHT_IMPORTS.iter().flat_map(|part| circles(&parts[*part], false))).collect()
}

fn circles_between_folders(parts: &Parts) -> Vec<String> {
    parts.values().flat_map(|files| circles_of_folders(files)).collect()
}

/// A name that a file imports: what it is called there, and the path as it is written.
struct Use {
    name: String,
    path: String,
    is_public: bool,
}

/// A file's imports, and the paths in the rest of its code.
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

/// The arrows that are part of a circle, or between two.
fn circles(files: &[(PathBuf, String)], with_children: bool) -> BTreeSet<String> {
    in_circles(arrows(files, with_children))
}

/// The same between what is in one folder: its files, and the folders in it, each as one.
fn circles_of_folders(files: &[(PathBuf, String)]) -> BTreeSet<String> {
    let mut inside: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for (from, to) in arrows(files, false) {
        let (from, to): (Vec<&str>, Vec<&str>) = (from.split("::").collect(), to.split("::").collect());
        let shared = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
        if shared < from.len() && shared < to.len() {
            let child = |path: &[&str]| path[..=shared].join("::");
            inside.entry(from[..shared].join("::")).or_default().insert((child(&from), child(&to)));
        }
    }
    inside.into_values().flat_map(in_circles).collect()
}

/// Which file uses which. An arrow leads to the file in which something is defined: names that another file passes on (`pub use`)
/// are followed.
fn arrows(files: &[(PathBuf, String)], with_children: bool) -> BTreeSet<(String, String)> {
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
    arrows
}

fn in_circles(mut arrows: BTreeSet<(String, String)>) -> BTreeSet<String> {
    // A file that no remaining one uses, or that uses none, is in no cycle.
    while let Some(one) = arrows.iter().find(|(from, to)| {
        !arrows.iter().any(|(_, other)| other == from) || !arrows.iter().any(|(other, _)| other == to)
    }) {
        let one = one.clone();
        arrows.remove(&one);
    }
    arrows.into_iter().map(|(from, to)| format!("{from} -> {to}")).collect()
}

/// The file that defines a path used in a file; `None` if it is outside of the part, or a module itself.
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
fn files_that_are_too_long(_: &Parts) -> Vec<String> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 100);
    files
        .iter()
        .filter(|file| is_too_long(&std::fs::read_to_string(file).unwrap()))
        .map(|f| f.display().to_string())
        .collect()
}

fn is_too_long(text: &str) -> bool {
    const MAX_LINES: usize = 500;
    text.lines().count() > MAX_LINES
}

/// For each rule a file that breaks it, and it alone of those that are looked at by name.
#[test]
fn every_rule_can_be_broken() {
    let seeds: &[(&str, &str, &str)] = &[
        ("imports run downward", "model/seed.rs", "use crate::store::Store;\n"),
        ("imports run downward", "seed/mod.rs", "fn f() {}\n"),
        ("libraries stay in their part", "store/seed.rs", "use rusqlite::Connection;\n"),
        ("the host is reached through sys", "ops/seed.rs", "fn f() { println!(\"x\") }\n"),
        ("the host is reached through sys", "api/seed.rs", "fn f() { SystemTime::now(); }\n"),
        ("one function finds the state home", "ops/seed.rs", "fn f() { common.join(\"beads\"); }\n"),
        ("only sys and vcs touch the file system", "store/seed.rs", "use std::fs;\n"),
        ("front ends call operations", "cli/commands/seed.rs", "fn f() { cx.store()?.undo(1, false); }\n"),
        ("front ends call operations", "mcp/tools/seed.rs", "fn f() { cx.store.undo(1, false); }\n"),
        ("libraries stay in their part", "cli/seed.rs", "use tokio::task;\n"),
        ("one module writes ledgers", "store/seed.rs", "fn f() { lock.apply(entropy, expected, plan, then); }\n"),
        ("files below a repository have one door", "ops/seed.rs", "fn f() { std::fs::read(path); }\n"),
        ("files of version control are read in one way", "vcs/seed.rs", "fn f() { File::open(path); }\n"),
        ("only vcs tells systems apart", "store/seed.rs", "use crate::vcs::Kind;\n"),
        ("only vcs tells systems apart", "ops/seed.rs", "fn f() { crate::vcs::Kind::Git }\n"),
        ("programs start behind a gate", "vcs/seed.rs", "fn f() { Program::new(\"git\", env, Clearance::given()); }\n"),
        ("programs start behind a gate", "store/seed.rs", "fn f() { git.var(\"GIT_DIR\", dir); }\n"),
        ("nothing outside of the index names an image", "cli/seed.rs", "fn f() { store.give_up_image(); }\n"),
        ("no question changes the snapshot", "store/read/seed.rs", "impl Snapshot {\n    fn f(&mut self) {}\n}\n"),
        ("files of a part form no circle", "view/seed.rs", "use crate::view::seed::below::f;\nmod below;\nfn g() {}\n"),
        ("folders form no circle", "view/seed/one.rs", "use crate::view::seeded::two::f;\nfn g() {}\n"),
    ];
    let whole = parts();
    for (rule, file, code) in seeds {
        let mut parts = whole.clone();
        let part = file.split('/').next().unwrap();
        parts.entry(part.to_owned()).or_default().push((file.into(), (*code).to_owned()));
        if rule.contains("files of a part") {
            let below = ("view/seed/below.rs".into(), "use crate::view::seed::g;\nfn f() {}\n".to_owned());
            parts.get_mut(part).unwrap().push(below);
        }
        if rule.contains("folders") {
            let files =
                [("view/seeded/two.rs", "fn f() {}\n"), ("view/seeded/three.rs", "use crate::view::seed::one::g;\n")];
            parts.get_mut(part).unwrap().extend(files.map(|(file, code)| (file.into(), code.to_owned())));
        }
        let broken = RULES.iter().find(|(name, _)| name == rule).unwrap().1;
        let found = broken(&parts).join("\n");
        assert!(found.contains("seed"), "{rule}: {code} is not found: {found}");
    }
    assert!(is_too_long(&"\n".repeat(501)) && !is_too_long(&"\n".repeat(500)));
    let unseeded = RULES.iter().filter(|(rule, _)| !seeds.iter().any(|(seeded, ..)| rule == seeded));
    assert_eq!(unseeded.map(|(rule, _)| *rule).collect::<Vec<_>>(), ["no file is too long"]);
}

#[test]
fn what_the_rules_read_is_read_right() {
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
