//! A hermetic place to run `bd` in: an empty home, a cleared environment, a clock that advances by one second per
//! command, and seeded randomness, so that ids and times are the same in every run.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

pub use super::user::BD;
use super::user::User;

/// A user, and a repo named `web` beside their home. The clock is that of [`User::in_turn`].
pub struct Env {
    root: tempfile::TempDir,
    commands: Cell<u64>,
    vars: RefCell<Vec<(String, String)>>,
}

/// The result of one command.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
    typed: String,
    root: String,
}

impl Env {
    /// An initialised repo; new ids start with `bd-`.
    pub fn new() -> Self {
        let env = Self::bare();
        env.bd(["init", "--quiet", "--prefix", "bd"]).ok();
        env.commands.set(0);
        env
    }

    /// A directory without a ledger.
    pub fn bare() -> Self {
        let root = crate::support::place::in_memory("bd-cli-");
        for dir in ["home", "tmp", "web"] {
            std::fs::create_dir(root.path().join(dir)).unwrap();
        }
        Env { root, commands: Cell::new(0), vars: RefCell::new(Vec::new()) }
    }

    /// An initialised repo whose ledger has these bytes.
    pub fn with_ledger(bytes: impl AsRef<[u8]>) -> Self {
        let env = Self::new();
        env.put_ledger(bytes);
        env
    }

    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// A path below the repo.
    pub fn path(&self, below: &str) -> PathBuf {
        self.root().join("web").join(below)
    }

    pub fn ledger_path(&self) -> PathBuf {
        self.path(".beads/beads.jsonl")
    }

    pub fn ledger(&self) -> Vec<u8> {
        std::fs::read(self.ledger_path()).unwrap()
    }

    pub fn ledger_text(&self) -> String {
        String::from_utf8(self.ledger()).unwrap()
    }

    /// Writes the ledger as another program would have a minute ago: a reader waits for a torn file that is younger.
    pub fn put_ledger(&self, bytes: impl AsRef<[u8]>) {
        put_file(&self.ledger_path(), bytes.as_ref());
    }

    pub fn write(&self, below: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Sets a variable for all commands from now on.
    pub fn set(&self, name: &str, value: impl AsRef<Path>) {
        let value = value.as_ref().to_str().unwrap().to_owned();
        self.vars.borrow_mut().retain(|(known, _)| known != name);
        self.vars.borrow_mut().push((name.to_owned(), value));
    }

    pub fn user(&self) -> User {
        let root = self.root();
        User::at(root.join("home")).with_places().with("TMPDIR", root.join("tmp"))
    }

    /// A command of another program in the same surroundings.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.user().command(program, &self.root().join("web"))
    }

    /// `bd`, at its moment and with its seed.
    pub fn bd_command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let n = self.commands.get();
        self.commands.set(n + 1);
        let user = self.user().in_turn(n).with("BD_ACTOR", "ann");
        let mut command = user.command(program, &self.root().join("web"));
        command.envs(self.vars.borrow().iter().map(|(name, value)| (name.clone(), value.clone())));
        command
    }

    /// git in a directory; see `words` for the line. The `bd` in its hooks is Ann's.
    pub fn git(&self, directory: &Path, line: &str) -> Run {
        let mut command = self.user().command("git", directory);
        command.args(words(line)).env("BD_ACTOR", "ann");
        self.run(command, format!("git {line}"), None)
    }

    pub fn bd<S: AsRef<str>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        self.bd_with(args, None, &[])
    }

    /// Runs `bd` with standard input and further variables.
    pub fn bd_with<S: AsRef<str>>(
        &self,
        args: impl IntoIterator<Item = S>,
        stdin: Option<&str>,
        vars: &[(&str, &str)],
    ) -> Run {
        let args: Vec<String> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let mut command = self.bd_command(BD);
        command.args(&args).envs(vars.iter().copied());
        let typed = args.iter().fold("bd".to_owned(), |line, arg| format!("{line} {}", quoted(arg)));
        let run = self.run(command, typed, stdin);
        if run.code == 0 && args.iter().any(|arg| arg == "--json") {
            crate::support::schema::check_reply(&args, &run.stdout);
        }
        run
    }

    /// Runs a prepared command and gathers what it did.
    pub fn run(&self, mut command: Command, typed: String, stdin: Option<&str>) -> Run {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if stdin.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{typed}: {error}"));
        if let Some(text) = stdin {
            match child.stdin.take().unwrap().write_all(text.as_bytes()) {
                // A command need not read what it is given.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                written => written.unwrap(),
            }
        }
        let output = child.wait_with_output().unwrap();
        Run {
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
            code: output.status.code().unwrap_or_else(|| panic!("{typed}: ended by a signal")),
            typed,
            root: self.root().to_str().unwrap().to_owned(),
        }
    }

    /// Runs the commands of a text, one per line and without the leading `bd`, and gives everything that was to be seen.
    /// See `words`.
    pub fn script(&self, text: &str) -> String {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(|line| self.bd(words(line)).snapshot()).collect()
    }

    /// Runs the commands of a text whose output does not matter; each must succeed.
    pub fn given(&self, text: &str) -> &Self {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            self.bd(words(line)).ok();
        }
        self
    }
}

impl Run {
    /// What a person sees: the command, stdout, stderr with `! ` before each line, the exit code unless it is 0.
    pub fn snapshot(&self) -> String {
        self.render(self.stdout.clone())
    }

    /// The same with JSON squeezed: one line for an object or for each element of an array.
    pub fn compact(&self) -> String {
        self.render(squeeze(&self.stdout))
    }

    fn render(&self, stdout: String) -> String {
        let mut text = format!("$ {}\n{stdout}", self.typed);
        if !text.ends_with('\n') {
            text.push_str("[no line feed]\n");
        }
        self.stderr.lines().for_each(|line| writeln!(text, "! {line}").unwrap());
        if self.code != 0 {
            writeln!(text, "[exit {}]", self.code).unwrap();
        }
        text.replace(&self.root, "$ROOT")
    }

    /// The command must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}", self.snapshot());
        self
    }

    /// The command must have failed with this code, and its talk must hold all of these texts.
    #[track_caller]
    pub fn fails(self, code: i32, texts: &[&str]) -> Self {
        assert_eq!(self.code, code, "{}", self.snapshot());
        for text in texts {
            assert!(self.stderr.contains(text), "stderr lacks {text:?}\n{}", self.snapshot());
        }
        self
    }

    /// The JSON on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}", self.snapshot()))
    }

    /// The first error object on stderr.
    #[track_caller]
    pub fn error(&self) -> Value {
        let value: Value = self
            .stderr
            .lines()
            .find_map(|line| serde_json::from_str(line).ok().filter(|value: &Value| value["error"].is_object()))
            .unwrap_or_else(|| panic!("no JSON on stderr\n{}", self.snapshot()));
        value["error"].clone()
    }

    /// The messages on stderr; with `--json`, those in the objects there.
    pub fn talk(&self) -> String {
        let message = |line: &str| {
            let value: Value = serde_json::from_str(line).ok()?;
            value.as_object()?.values().next()?["message"].as_str().map(str::to_owned)
        };
        self.stderr.lines().map(|line| message(line).unwrap_or(line.to_owned()) + "\n").collect()
    }

    /// The ids of an array of issues, in its order.
    #[track_caller]
    pub fn ids(&self) -> Vec<String> {
        let value = self.json();
        let rows = value.as_array().unwrap_or_else(|| panic!("not an array\n{}", self.snapshot()));
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// Writes a file and dates it back by a minute.
pub fn put_file(path: &Path, bytes: &[u8]) {
    let mut file = File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
}

/// The arguments of a line: parted by blanks, but for those in single quotes.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn quoted(arg: &str) -> String {
    let plain = !arg.is_empty() && arg.chars().all(|c| c.is_alphanumeric() || "-_./:=,+@$".contains(c));
    if plain { arg.to_owned() } else { format!("'{}'", arg.escape_debug()).replace("\\\"", "\"") }
}

/// Takes the blanks out of pretty JSON, and parts the elements of an outer array by line feeds.
fn squeeze(json: &str) -> String {
    let (mut text, mut depth, mut quoted, mut escaped) = (String::new(), 0, false, false);
    for c in json.chars() {
        if quoted {
            text.push(c);
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            c if c.is_whitespace() => continue,
            '"' => quoted = true,
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        if c == ']' && depth == 0 && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push(c);
        if text == "[" || (c == ',' && depth == 1 && text.starts_with('[')) {
            text.push('\n');
        }
    }
    text.replace("[\n]", "[]") + "\n"
}
