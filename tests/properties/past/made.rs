//! Random histories: branches, merges that take and mix, pruned and restored issues, a ledger that changes its name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::model::Fields;

/// Small, and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const NAMES: [&str; 2] = [".beads/beads.jsonl", ".beads/issues.jsonl"];

#[derive(Debug, Clone)]
pub struct Made {
    pub parents: Vec<usize>,
    pub issues: BTreeMap<String, Fields>,
    pub hash: String,
    name: usize,
    spaced: bool,
    time: i64,
}

pub struct History {
    directory: tempfile::TempDir,
    /// Parents first; the last one is checked out.
    pub commits: Vec<Made>,
    /// What the file holds.
    pub present: BTreeMap<String, Fields>,
    numbers: HashMap<String, usize>,
    below: Vec<BTreeSet<usize>>,
}

impl History {
    pub fn make(random: &mut Random, length: usize) -> Self {
        let mut commits = Vec::new();
        let mut pruned: Vec<(String, Fields)> = Vec::new();
        let mut heads = vec![grow(random, None, &mut pruned, &mut commits)];
        while commits.len() < length {
            match random.below(10) {
                0 | 1 if heads.len() < 4 => heads.push(random.pick(&heads)),
                2 | 3 if heads.len() > 1 => join(random, &mut heads, &mut commits),
                4 if heads.len() == 1 => {
                    let mut next = commits[heads[0]].clone();
                    if next.issues.len() >= 4 {
                        next.name = 1 - next.name;
                        heads[0] = push(random, vec![heads[0]], next, &mut commits);
                    }
                }
                _ => {
                    let which = random.below(heads.len());
                    heads[which] = grow(random, Some(heads[which]), &mut pruned, &mut commits);
                }
            }
        }
        heads.sort_unstable();
        heads.dedup();
        while heads.len() > 1 {
            join(random, &mut heads, &mut commits);
        }
        // The tip is the last one.
        if heads[0] != commits.len() - 1 {
            grow(random, Some(heads[0]), &mut pruned, &mut commits);
        }
        let mut present = commits[commits.len() - 1].clone();
        if random.one_in(2) {
            change(random, &mut present.issues, &mut pruned);
        }
        Self::write(commits, present)
    }

    fn write(mut commits: Vec<Made>, present: Made) -> Self {
        let directory = crate::support::place::in_memory("past");
        git(directory.path(), &["init", "-q", "-b", "main", "."]);
        let marks = directory.path().join(".git/marks");
        let export = format!("--export-marks={}", marks.display());
        let mut import = command(directory.path(), &["fast-import", "--quiet", "--force", &export])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let stream = stream(&commits);
        import.stdin.take().unwrap().write_all(&stream).unwrap();
        assert!(import.wait().unwrap().success());
        for line in std::fs::read_to_string(&marks).unwrap().lines() {
            let (mark, hash) = line.strip_prefix(':').unwrap().split_once(' ').unwrap();
            commits[mark.parse::<usize>().unwrap() - 1].hash = hash.to_owned();
        }
        git(directory.path(), &["reset", "-q", "--hard", "main"]);
        std::fs::create_dir_all(directory.path().join(".beads")).unwrap();
        std::fs::write(directory.path().join(NAMES[present.name]), text(&present)).unwrap();
        let numbers = commits.iter().enumerate().map(|(n, commit)| (commit.hash.clone(), n)).collect();
        let mut below: Vec<BTreeSet<usize>> = Vec::new();
        for commit in &commits {
            let mut all: BTreeSet<usize> = commit.parents.iter().copied().collect();
            commit.parents.iter().for_each(|parent| all.extend(below[*parent].iter().copied()));
            below.push(all);
        }
        History { directory, commits, present: present.issues, numbers, below }
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    pub fn number(&self, hash: &str) -> usize {
        self.numbers[hash]
    }

    /// Whether one commit is an ancestor of another.
    pub fn is_below(&self, one: usize, other: usize) -> bool {
        self.below[other].contains(&one)
    }

    /// Every id that any version has.
    pub fn ids(&self) -> BTreeSet<String> {
        let all = self.commits.iter().flat_map(|commit| commit.issues.keys());
        all.chain(self.present.keys()).cloned().collect()
    }
}

fn push(random: &mut Random, parents: Vec<usize>, mut next: Made, commits: &mut Vec<Made>) -> usize {
    next.parents = parents;
    // Clocks differ: a commit may be older than what it stands on.
    next.time = 1_750_000_000 + 60 * commits.len() as i64 - random.below(200) as i64;
    commits.push(next);
    commits.len() - 1
}

/// One more commit on a branch.
fn grow(random: &mut Random, on: Option<usize>, pruned: &mut Vec<(String, Fields)>, commits: &mut Vec<Made>) -> usize {
    let mut next = on.map_or_else(
        || Made { parents: Vec::new(), issues: BTreeMap::new(), hash: String::new(), name: 0, spaced: false, time: 0 },
        |on| commits[on].clone(),
    );
    if random.one_in(15) {
        // Every line is new, and nothing has changed.
        next.spaced = !next.spaced;
    } else {
        for _ in 0..1 + random.below(2) {
            change(random, &mut next.issues, pruned);
        }
    }
    push(random, on.into_iter().collect(), next, commits)
}

fn change(random: &mut Random, issues: &mut BTreeMap<String, Fields>, pruned: &mut Vec<(String, Fields)>) {
    let ids: Vec<String> = issues.keys().cloned().collect();
    match random.below(10) {
        _ if ids.is_empty() => add(random, issues),
        0 | 1 => add(random, issues),
        2 => {
            let id = random.pick(&ids);
            let issue = issues.remove(&id).unwrap();
            pruned.push((id, issue));
        }
        3 if !pruned.is_empty() => {
            let (id, issue) = random.pick(pruned);
            issues.insert(id, issue);
        }
        _ => {
            let id = random.pick(&ids);
            let (key, value) = edit(random);
            issues.get_mut(&id).unwrap().insert(key.to_owned(), value);
        }
    }
}

fn add(random: &mut Random, issues: &mut BTreeMap<String, Fields>) {
    let id = format!("t-{}", random.below(12));
    let mut fields = Fields::new();
    fields.insert("id".into(), json!(id));
    fields.insert("title".into(), json!(format!("Title {}", random.below(1_000))));
    fields.insert("status".into(), json!("open"));
    // Another issue's id in the text must not be taken for the issue.
    let other = format!("see t-{} and \"t-{}\"", random.below(12), random.below(12));
    fields.insert("description".into(), json!(other));
    issues.entry(id).or_insert(fields);
}

fn edit(random: &mut Random) -> (&'static str, Value) {
    match random.below(7) {
        0 => ("title", json!(format!("Title {}", random.below(1_000)))),
        1 => ("status", json!(random.pick(&["open", "closed", "in_progress"]))),
        2 => ("priority", json!(random.below(5))),
        3 => ("assignee", json!(random.pick(&["", "ann", "bob"]))),
        4 => {
            let count = random.below(3);
            ("labels", (0..count).map(|_| json!(random.pick(&["a", "b", "c"]))).collect())
        }
        5 => ("notes", random.pick(&[Value::Null, json!("one\ntwo"), json!("ü <&> \"x\"")])),
        _ => ("x_own", json!({"n": random.below(3)})),
    }
}

/// Merges two branches: each field from either side, now and then one of its own, issues gone or kept.
fn join(random: &mut Random, heads: &mut Vec<usize>, commits: &mut Vec<Made>) {
    let one = heads.remove(random.below(heads.len()));
    let which = random.below(heads.len());
    let other = heads[which];
    if one == other {
        return;
    }
    let (a, b) = (&commits[one], &commits[other]);
    let mut next = a.clone();
    if !random.one_in(5) {
        let ids: BTreeSet<String> = a.issues.keys().chain(b.issues.keys()).cloned().collect();
        next.issues = BTreeMap::new();
        for id in ids {
            let mixed = match (a.issues.get(&id), b.issues.get(&id)) {
                (Some(a), Some(b)) => mix(random, a, b),
                _ if random.one_in(3) => continue,
                (one, other) => one.or(other).unwrap().clone(),
            };
            next.issues.insert(id, mixed);
        }
        if random.one_in(4) {
            change(random, &mut next.issues, &mut Vec::new());
        }
    }
    heads[which] = push(random, vec![one, other], next, commits);
}

fn mix(random: &mut Random, a: &Fields, b: &Fields) -> Fields {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let mut mixed = Fields::new();
    for key in keys {
        let side = if random.one_in(2) { a } else { b };
        if let Some(value) = side.get(key).or_else(|| (key == "title").then(|| &a[key])) {
            mixed.insert(key.clone(), value.clone());
        }
    }
    mixed
}

fn text(commit: &Made) -> String {
    let line = |fields: &Fields| {
        let mut line = serde_json::to_string(fields).unwrap();
        if commit.spaced {
            line = format!("{{ {}", &line[1..]);
        }
        line + "\n"
    };
    commit.issues.values().map(line).collect()
}

fn stream(commits: &[Made]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, commit) in commits.iter().enumerate() {
        let who = ["Ann <ann@x>", "Bob <bob@x>"][n % 2];
        let ledger = text(commit);
        let time = commit.time;
        write!(
            out,
            "commit refs/heads/main\nmark :{}\nauthor {who} {time} +0000\ncommitter {who} {time} +0000\n",
            n + 1
        )
        .unwrap();
        write!(out, "data 1\nc\n").unwrap();
        for (place, parent) in commit.parents.iter().enumerate() {
            writeln!(out, "{} :{}", if place == 0 { "from" } else { "merge" }, parent + 1).unwrap();
        }
        writeln!(out, "deleteall").unwrap();
        write!(out, "M 644 inline code.txt\ndata {}\n{n}\n", n.to_string().len() + 1).unwrap();
        write!(out, "\nM 644 inline {}\ndata {}\n{ledger}\n", NAMES[commit.name], ledger.len()).unwrap();
    }
    out
}

fn command(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(root).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command
}

fn git(root: &Path, args: &[&str]) {
    let output = command(root, args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}
