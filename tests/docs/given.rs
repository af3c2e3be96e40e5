//! `given.toml`: what a page takes for granted before its `sh`, `json` and `toml` blocks run, and what is special about single lines.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::root;

pub struct Given {
    /// Lines of shell that run first, in an empty home.
    pub before: Vec<String>,
    pub lines: Vec<Line>,
    /// The `json` and `toml` blocks, in the order of the page.
    pub files: Vec<File>,
}

/// A line of an `sh` block that needs more than the lines above it, or does not end with 0.
pub struct Line {
    /// The whole line, without the comment behind it.
    pub is: String,
    pub before: Option<String>,
    pub exit: i64,
    pub meanwhile: Option<Meanwhile>,
}

/// Events while a waiting command runs.
pub struct Meanwhile {
    /// When it has printed this,
    once: String,
    /// this happens.
    act: String,
    /// A command that never ends is stopped when it has printed this.
    until: Option<String>,
}

/// A block that is a file: its name in the home, and what reads it.
pub struct File {
    pub name: String,
    pub run: String,
    /// A part of what `run` prints.
    pub shows: String,
}

pub fn given() -> BTreeMap<String, Given> {
    read(&std::fs::read_to_string(root().join("tests/docs/given.toml")).unwrap())
}

pub fn read(text: &str) -> BTreeMap<String, Given> {
    let table: Table = toml::from_str(text).unwrap_or_else(|error| panic!("given.toml: {error}"));
    table.into_iter().map(|(name, value)| (name, page(Entry::of(value)))).collect()
}

fn page(mut entry: Entry) -> Given {
    let Value::Array(before) = entry.value("before").unwrap_or(Value::Array(Vec::new())) else {
        panic!("before: a list")
    };
    let before = before.into_iter().map(text).collect();
    let lines = entry.tables("line").map(line).collect();
    let files = entry.tables("file").map(file).collect();
    entry.end();
    Given { before, lines, files }
}

fn line(mut entry: Entry) -> Line {
    let exit = entry.value("exit").map_or(0, |code| code.as_integer().expect("a number"));
    let why = entry.text("why");
    assert_eq!(exit != 0, why.is_some(), "an exit code has a reason, and a reason is for an exit code");
    let act = entry.text("meanwhile");
    let meanwhile = act.map(|act| Meanwhile { once: entry.needed("once"), act, until: entry.text("until") });
    let line = Line { is: entry.needed("is"), before: entry.text("before"), exit, meanwhile };
    entry.end();
    line
}

fn file(mut entry: Entry) -> File {
    let file = File { name: entry.needed("name"), run: entry.needed("run"), shows: entry.needed("shows") };
    entry.end();
    file
}

/// A table, of which every key must be asked for.
struct Entry(Table);

impl Entry {
    fn of(value: Value) -> Self {
        let Value::Table(table) = value else { panic!("{value} is not a table") };
        Entry(table)
    }

    fn value(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.value(key).map(text)
    }

    fn needed(&mut self, key: &str) -> String {
        self.text(key).unwrap_or_else(|| panic!("given.toml: {key} is missing beside {:?}", self.0))
    }

    fn tables(&mut self, key: &str) -> impl Iterator<Item = Entry> + use<> {
        let Value::Array(tables) = self.value(key).unwrap_or(Value::Array(Vec::new())) else { panic!("{key}: a list") };
        tables.into_iter().map(Entry::of)
    }

    fn end(self) {
        assert!(self.0.is_empty(), "given.toml: unknown keys: {:?}", self.0);
    }
}

fn text(value: Value) -> String {
    let Value::String(text) = value else { panic!("{value} is not a text") };
    text
}

impl Meanwhile {
    /// A shell script that runs the command beside what happens meanwhile.
    pub fn script(&self, command: &str) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        let stop = self.until.as_ref().map(|told| format!("printed {} && kill $pid", quoted(told)));
        format!(
            r#"out=$TMPDIR/out
{command} >"$out" 2>&1 &
pid=$!
printed() {{
  for _ in $(seq 1200); do
    grep -qF -- "$1" "$out" && return
    kill -0 $pid 2>/dev/null || break
    sleep 0.05
  done
  grep -qF -- "$1" "$out" && return
  echo "did not print $1"; cat "$out"; kill $pid; exit 1
}}
printed {once} && {{ {act}
}} >/dev/null
{stop}
wait $pid
code=$?
cat "$out"
exit $code"#,
            once = quoted(&self.once),
            act = self.act,
            stop = stop.unwrap_or_default(),
        )
    }
}
