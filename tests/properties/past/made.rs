//! Random histories: branches, merges that take, mix and drop, issues that leave and return, a ledger that changes its name at
//! once or by a copy and a later deletion, both names at the same time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::model::Fields;
use crate::support::user::User;

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

pub type Issues = BTreeMap<String, Fields>;

#[derive(Debug, Clone, Default)]
pub struct Made {
    pub parents: Vec<usize>,
    /// The issues at this commit.
    pub issues: Issues,
    pub hash: String,
    /// The content under each of both names; `None` if there is no such file.
    files: [Option<Issues>; 2],
    spaced: bool,
    time: i64,
}

impl Made {
    /// Of two copies the later one is shown, then the one with the greater bytes.
    fn view(&self) -> Issues {
        let mut shown = Issues::new();
        for (id, issue) in self.files.iter().flatten().flatten() {
            let age = |issue: &Fields| (issue.get("updated_at").map(Value::to_string), self.line(issue));
            if shown.get(id).is_none_or(|known| age(known) < age(issue)) {
                shown.insert(id.clone(), issue.clone());
            }
        }
        shown
    }

    fn line(&self, fields: &Fields) -> String {
        let line = serde_json::to_string(fields).unwrap();
        if self.spaced { format!("{{ {}\n", &line[1..]) } else { line + "\n" }
    }

    /// The existing names, with their texts.
    fn texts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let text = |issues: &Issues| issues.values().map(|issue| self.line(issue)).collect();
        NAMES.into_iter().zip(&self.files).filter_map(move |(name, issues)| Some((name, text(issues.as_ref()?))))
    }

    /// One of the files to change; there is one afterwards.
    fn file(&mut self, random: &mut Random) -> &mut Issues {
        let first = random.below(2);
        let which = if self.files[first].is_some() || self.files[1 - first].is_none() { first } else { 1 - first };
        self.files[which].get_or_insert_default()
    }

    fn has_issues(&self) -> bool {
        self.files.iter().any(Option::is_some) && self.files.iter().flatten().all(|issues| !issues.is_empty())
    }
}

/// A set of commits.
#[derive(Debug, Clone, Default)]
pub struct Commits(Vec<u64>);

impl Commits {
    fn add(&mut self, n: usize) {
        if self.0.len() <= n / 64 {
            self.0.resize(n / 64 + 1, 0);
        }
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn add_all(&mut self, others: &Commits) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    pub fn contains(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|bits| bits >> (n % 64) & 1 == 1)
    }
}

pub struct History {
    directory: tempfile::TempDir,
    /// Parents first; the last one is checked out.
    pub commits: Vec<Made>,
    /// The current content of the files.
    pub present: Issues,
    numbers: HashMap<String, usize>,
    below: Vec<Commits>,
}

impl History {
    pub fn make(random: &mut Random, length: usize) -> Self {
        let mut commits = Vec::new();
        let mut pruned: Vec<(String, Fields)> = Vec::new();
        let mut heads = vec![grow(random, None, &mut pruned, &mut commits)];
        while commits.len() < length {
            match random.below(12) {
                0 | 1 if heads.len() < 4 => heads.push(random.pick(&heads)),
                2 | 3 if heads.len() > 1 => join(random, &mut heads, &mut commits),
                4 | 5 => {
                    let which = random.below(heads.len());
                    heads[which] = rename(random, heads[which], &mut commits);
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
        // The tip is the last one, and has something to show.
        let mut tip = heads[0];
        while tip != commits.len() - 1 || !commits[tip].has_issues() {
            let mut next = commits[tip].clone();
            next.files.iter_mut().flatten().filter(|issues| issues.is_empty()).for_each(|issues| add(random, issues));
            let file = next.file(random);
            add(random, file);
            tip = push(random, vec![tip], next, &mut commits);
        }
        let mut present = commits[tip].clone();
        if random.one_in(2) {
            let file = present.file(random);
            change(random, file, &mut pruned);
        }
        if !present.has_issues() {
            present = commits[tip].clone();
        }
        Self::write(commits, present)
    }

    fn write(mut commits: Vec<Made>, present: Made) -> Self {
        let directory = crate::support::place::in_memory("past");
        let user = User::at(directory.path());
        user.git(directory.path(), &["init", "-q", "-b", "main", "."]);
        let marks = directory.path().join(".git/marks");
        let export = format!("--export-marks={}", marks.display());
        let mut import = user.command("git", directory.path());
        let mut import =
            import.args(["fast-import", "--quiet", "--force", &export]).stdin(Stdio::piped()).spawn().unwrap();
        let stream = stream(&commits);
        import.stdin.take().unwrap().write_all(&stream).unwrap();
        assert!(import.wait().unwrap().success());
        for line in std::fs::read_to_string(&marks).unwrap().lines() {
            let (mark, hash) = line.strip_prefix(':').unwrap().split_once(' ').unwrap();
            commits[mark.parse::<usize>().unwrap() - 1].hash = hash.to_owned();
        }
        user.git(directory.path(), &["reset", "-q", "--hard", "main"]);
        for (name, text) in present.texts() {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let numbers = commits.iter().enumerate().map(|(n, commit)| (commit.hash.clone(), n)).collect();
        let mut below: Vec<Commits> = Vec::new();
        for commit in &commits {
            let mut all = Commits::default();
            for parent in &commit.parents {
                all.add(*parent);
                all.add_all(&below[*parent]);
            }
            below.push(all);
        }
        History { directory, commits, present: present.view(), numbers, below }
    }

    /// The last commits that one of several has in common with the others.
    pub fn common(&self, of: &[usize], one: usize) -> Vec<usize> {
        let reaches = |n: usize, commit: usize| of[n] == commit || self.below[of[n]].contains(commit);
        let mut found: Vec<usize> = Vec::new();
        for commit in (0..self.commits.len()).rev() {
            let is_common = reaches(one, commit) && (0..of.len()).any(|n| n != one && reaches(n, commit));
            if is_common && !found.iter().any(|later| self.below[*later].contains(commit)) {
                found.push(commit);
            }
        }
        found
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    pub fn number(&self, hash: &str) -> usize {
        self.numbers[hash]
    }

    /// Whether one commit is an ancestor of another.
    pub fn is_below(&self, one: usize, other: usize) -> bool {
        self.below[other].contains(one)
    }

    /// Every id that any version has.
    pub fn ids(&self) -> BTreeSet<String> {
        let all = self.commits.iter().flat_map(|commit| commit.issues.keys());
        all.chain(self.present.keys()).cloned().collect()
    }
}

fn push(random: &mut Random, parents: Vec<usize>, mut next: Made, commits: &mut Vec<Made>) -> usize {
    next.parents = parents;
    next.issues = next.view();
    // Clocks differ: a commit may be older than its parent.
    next.time = 1_750_000_000 + 60 * commits.len() as i64 - random.below(200) as i64;
    commits.push(next);
    commits.len() - 1
}

/// One more commit on a branch.
fn grow(random: &mut Random, on: Option<usize>, pruned: &mut Vec<(String, Fields)>, commits: &mut Vec<Made>) -> usize {
    let mut next = on.map(|on| commits[on].clone()).unwrap_or_default();
    if random.one_in(15) {
        // Every line is new, and nothing has changed.
        next.spaced = !next.spaced;
    } else {
        for _ in 0..1 + random.below(2) {
            let file = next.file(random);
            change(random, file, pruned);
        }
    }
    push(random, on.into_iter().collect(), next, commits)
}

/// Renames the ledger at once, or in two steps: then both exist in between.
fn rename(random: &mut Random, on: usize, commits: &mut Vec<Made>) -> usize {
    let mut next = commits[on].clone();
    match &mut next.files {
        files @ ([None, Some(_)] | [Some(_), None]) => match random.below(5) {
            0 | 1 => files.swap(0, 1),
            2 | 3 => *files = std::array::from_fn(|n| files[n].clone().or_else(|| files[1 - n].clone())),
            _ => *files = [None, None],
        },
        files => files[random.below(2)] = None,
    }
    push(random, vec![on], next, commits)
}

fn change(random: &mut Random, issues: &mut Issues, pruned: &mut Vec<(String, Fields)>) {
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
            let issue = issues.get_mut(&id).unwrap();
            issue.insert(key.to_owned(), value);
            if random.one_in(2) {
                issue.insert("updated_at".to_owned(), time(random));
            }
        }
    }
}

/// The clocks of those who write are not those of who commits.
fn time(random: &mut Random) -> Value {
    json!(format!("2026-01-01T00:{:02}:00Z", random.below(60)))
}

fn add(random: &mut Random, issues: &mut Issues) {
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

/// Merges two branches: each file from either side, or mixed.
fn join(random: &mut Random, heads: &mut Vec<usize>, commits: &mut Vec<Made>) {
    let one = heads.remove(random.below(heads.len()));
    let which = random.below(heads.len());
    let other = heads[which];
    if one == other {
        return;
    }
    let (a, b) = (&commits[one], &commits[other]);
    let mut next = a.clone();
    let whole = random.below(10);
    for n in 0..2 {
        next.files[n] = match (&a.files[n], &b.files[n]) {
            (ours, _) if whole == 0 => ours.clone(),
            (_, theirs) if whole == 1 => theirs.clone(),
            (Some(ours), Some(theirs)) => Some(mixed(random, ours, theirs)),
            (None, None) => None,
            (ours, theirs) if random.one_in(2) => ours.as_ref().or(theirs.as_ref()).cloned(),
            _ => None,
        };
    }
    if random.one_in(4) {
        let file = next.file(random);
        change(random, file, &mut Vec::new());
    }
    heads[which] = push(random, vec![one, other], next, commits);
}

/// Each field from either side, issues of one side gone, kept or with a field less.
fn mixed(random: &mut Random, a: &Issues, b: &Issues) -> Issues {
    let ids: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let mut all = Issues::new();
    for id in ids {
        let issue = match (a.get(id), b.get(id)) {
            (Some(a), Some(b)) => mix(random, a, b),
            _ if random.one_in(3) => continue,
            (one, other) => {
                let mut issue = one.or(other).unwrap().clone();
                let keys: Vec<String> =
                    issue.keys().filter(|key| !["id", "title"].contains(&key.as_str())).cloned().collect();
                if random.one_in(2) && !keys.is_empty() {
                    issue.remove(&random.pick(&keys));
                }
                issue
            }
        };
        all.insert(id.clone(), issue);
    }
    all
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

fn stream(commits: &[Made]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, commit) in commits.iter().enumerate() {
        let who = ["Ann <ann@x>", "Bob <bob@x>"][n % 2];
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
        write!(out, "M 644 inline code.txt\ndata {}\n{n}\n\n", n.to_string().len() + 1).unwrap();
        for (name, text) in commit.texts() {
            write!(out, "M 644 inline {name}\ndata {}\n{text}\n", text.len()).unwrap();
        }
    }
    out
}
