//! The context of a command: the streams, the global flags, and the store, opened on demand.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;

use super::global::GlobalArgs;
use super::json::JsonArray;
use super::layout::{self, Layout};
use super::page::filled;
use super::ui::Ui;
use crate::model::id::PrefixIndex;
use crate::model::query::is_me;
use crate::model::when::{Bare, When};
use crate::ops::{self, OpError};
use crate::store::settings::{find_key, nearest_key};
use crate::store::{self, AGENT_VARIABLE, Config, Moment, Place, Row, STATE_DIR, Store, StoreError, Warning};
use crate::sys::activity::Step;
use crate::sys::fs::FsError;
use crate::sys::{Activity, Host};
use crate::view::{self, Exit, Failure, RowShape};

/// The maximum size of a text from a file.
const MAX_TEXT: u64 = 64 << 20;

/// With `--json`, prints the answer and ends the command.
macro_rules! json_answer {
    ($cx:ident, $answer:expr) => {
        if $cx.ui.wants_json() {
            $cx.json($answer);
            return Ok($crate::view::Exit::Ok);
        }
    };
}

/// What a command comes to.
pub(super) type Outcome = Result<Exit, Failure>;

/// The store of a directory, without reading anything yet.
pub(super) fn opened(directory: Option<&PathBuf>) -> Option<Store> {
    let mut host = Host::real();
    let here = host.env.cwd().to_owned();
    let directory = directory.map_or_else(|| here.clone(), |directory| here.join(directory));
    host.env = host.env.at(directory.clone());
    Store::open_with(Config::on(host, directory)).ok()
}

/// The store of a directory for a single question without side effects, if it will answer fast or its ledgers are not
/// larger than this.
pub(super) fn glance(directory: Option<&PathBuf>, most: u64) -> Option<Store> {
    let mut store = opened(directory)?;
    ops::identify(&mut store).ok()?;
    store.glance(most).then_some(store)
}

pub(super) struct Context {
    pub global: GlobalArgs,
    pub ui: Ui,
    host: Host,
    store: Option<Store>,
    /// The command itself reports problems of the files.
    pub reports_problems: bool,
    /// It lists the repos: those that are not in use belong to the answer.
    pub lists_repos: bool,
    /// The command itself reports missing writes.
    pub answers_removed: bool,
    /// The words typed after `bd`, without arguments.
    pub command: String,
    /// Progress for a person who waits for the command to end.
    working: Option<Step>,
    activity: Activity,
    /// How much of each issue to print as JSON.
    pub shape: RowShape,
    /// The layout of issues as text.
    pub layout: Layout,
    /// Standard input has been read.
    stdin_taken: Cell<bool>,
}

impl Context {
    /// `only_looks`: it is safe for a reader to stop the command.
    pub(super) fn new(global: GlobalArgs, command: String, only_looks: bool, waits: bool) -> Self {
        let mut host = Host::real();
        if let Some(agent) = &global.agent {
            host.env = host.env.clone().with(AGENT_VARIABLE, agent);
        }
        let mut ui = Ui::new(&host, &global);
        if only_looks && !global.no_pager {
            ui.page(None);
        }
        let activity = Activity::default();
        let working = (!waits).then(|| activity.begin(format!("bd {command}")));
        ui.show_activity(&activity);
        Context {
            global,
            ui,
            host,
            store: None,
            reports_problems: false,
            lists_repos: false,
            answers_removed: false,
            command,
            working,
            activity,
            shape: RowShape::default(),
            layout: Layout::default(),
            stdin_taken: Cell::new(false),
        }
    }

    /// The machine.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// The host with the command's directory as working directory.
    pub(super) fn host_here(&self) -> Host {
        let mut host = self.host.clone();
        host.env = host.env.at(self.directory());
        host
    }

    /// The command's directory.
    pub(super) fn directory(&self) -> PathBuf {
        let cwd = self.host().env.cwd();
        self.global.directory.as_ref().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir))
    }

    /// How to open the store, from the global flags.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        let directory = self.directory();
        if !directory.is_dir() {
            return Err(Failure::usage(format!("no such directory: {}", directory.display())));
        }
        let path = self.global.db.as_ref().map_or_else(|| directory.clone(), |db| directory.join(db));
        if let Some((name, _)) = self.global.config.iter().find(|(name, _)| find_key(name).is_none()) {
            return Err(StoreError::UnknownKey { name: name.clone(), nearest: nearest_key(name) }.into());
        }
        let mut host = self.host().clone();
        host.env = host.env.at(directory);
        if let Some(named) = &self.global.state_dir {
            host.env = host.env.clone().with(STATE_DIR, self.host.env.cwd().join(named));
        }
        let mut settings = self.global.config.clone();
        if self.global.global {
            settings.push(("state.mode".to_owned(), "global".to_owned()));
        }
        Ok(Config {
            actor: self.global.actor.clone(),
            lock_wait: self.global.lock_timeout.unwrap_or(Config::LOCK_WAIT),
            ignore_env: self.global.db.is_some(),
            settings,
            ..Config::on(host, path)
        })
    }

    /// The project's store, opened on first use.
    pub(super) fn store(&mut self) -> Result<&mut Store, Failure> {
        if self.store.is_none() {
            self.store = Some(self.open_store()?);
        }
        Ok(self.store.as_mut().expect("just opened"))
    }

    fn open_store(&mut self) -> Result<Store, Failure> {
        let config = self.config()?;
        let mut store = Store::open_with(config)?;
        store.report_to(self.activity.clone());
        store.write_as_one(&self.command);
        self.confirm_settings(&mut store)?;
        // An agent being registered does not have its name yet; and a read-only command sends no heartbeat.
        if self.command == "agent register" || self.command == "prime" || self.global.readonly {
            ops::identify(&mut store)?;
        } else {
            ops::join_as_agent(&mut store)?;
        }
        Ok(store)
    }

    /// Sets an environment variable for this command.
    pub(super) fn set_variable(&mut self, name: &str, value: &str) {
        self.host.env = self.host.env.clone().with(name, value);
    }

    /// The store, or `None` outside of a project.
    pub(super) fn project(&mut self) -> Result<Option<&mut Store>, Failure> {
        match self.store() {
            Err(failure) if failure.exit == Exit::NoRepository => Ok(None),
            Err(failure) => Err(failure),
            Ok(_) => Ok(self.store.as_mut()),
        }
    }

    /// Asks a person whether unmarked personal settings are theirs, if probably their own `bd` wrote them.
    fn confirm_settings(&mut self, store: &mut Store) -> Result<(), Failure> {
        if self.command == "trust" || !self.ui.is_interactive() || !store.may_ask_for_marks() {
            return Ok(());
        }
        let words = store.home_contents();
        for word in words.iter().filter(|word| !word.is_trusted) {
            self.ui.note(&format!("{} is not known to be yours:", word.home.display()));
            word.contents.iter().for_each(|line| self.ui.note(&format!("  {line}")));
        }
        if self.ui.confirm("Did you put this there with bd?") {
            store.trust_homes(&words)?;
        }
        Ok(())
    }

    /// Reads changed settings again.
    pub(super) fn reopen(&mut self) -> Result<(), Failure> {
        Ok(self.store()?.reopen()?)
    }

    /// Store and streams together.
    pub(super) fn parts(&mut self) -> Result<(&mut Store, &mut Ui), Failure> {
        self.store()?;
        Ok((self.store.as_mut().expect("just opened"), &mut self.ui))
    }

    /// The unambiguous parts of ids, and the streams.
    pub(super) fn index(&mut self) -> Result<(PrefixIndex, &mut Ui), Failure> {
        let index = ops::prefix_index(self.store()?)?;
        Ok((index, &mut self.ui))
    }

    /// Resolves a typed id or the beginning of one.
    pub(super) fn resolve(&mut self, typed: &str) -> Result<String, Failure> {
        Ok(self.store()?.resolve(typed)?)
    }

    /// Whether a text with blanks is an id: some ids from other programs contain blanks.
    pub(super) fn is_id(&mut self, text: &str) -> Result<bool, Failure> {
        match self.store()?.resolve(text) {
            Ok(_) => Ok(true),
            Err(error) if error.is_unknown_id() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the repo of an issue matters.
    pub(super) fn has_several_repos(&mut self) -> Result<bool, Failure> {
        Ok(self.store()?.repos().members.len() > 1)
    }

    /// The acting agent; `None` for a person.
    pub(super) fn agent(&mut self) -> Result<Option<String>, Failure> {
        Ok(self.store()?.agent().map(|agent| agent.name.clone()))
    }

    pub(super) fn actor(&mut self) -> Result<String, Failure> {
        Ok(self.store()?.actor().to_owned())
    }

    /// A person's name from a flag: `me` is the actor.
    pub(super) fn person(&mut self, name: &str) -> Result<String, Failure> {
        if is_me(name) { self.actor() } else { Ok(name.to_owned()) }
    }

    /// A date from a flag.
    pub(super) fn date(&self, flag: &'static str, value: &str, bare: Bare) -> Result<When, Failure> {
        let found = self.host().clock.calendar().parse(value, bare);
        found.ok_or_else(|| OpError::Date { flag, value: value.to_owned() }.into())
    }

    /// A new date for an issue, or `none` for no date.
    pub(super) fn date_or_none(&self, flag: &'static str, value: &str) -> Result<Option<When>, Failure> {
        if value.eq_ignore_ascii_case("none") { Ok(None) } else { self.date(flag, value, Bare::Future).map(Some) }
    }

    /// A typed point in the past.
    pub(super) fn moment(&self, text: &str) -> Moment {
        Moment::parse(text, &self.host().clock.calendar())
    }

    /// Makes the store answer as of a point in the past, if one is given.
    pub(super) fn go_back(&mut self, at: Option<&str>) -> Result<(), Failure> {
        let Some(text) = at else { return Ok(()) };
        let moment = self.moment(text);
        let store = self.store()?;
        let point = store.point(&moment, None)?;
        store.go_back(&point)?;
        if !self.ui.wants_json() {
            let of = point.commit.as_ref().map_or_else(
                || "before the first commit".to_owned(),
                |commit| format!("commit {}", view::short(commit)),
            );
            self.ui.note(&format!("as of {} ({of})", self.ui.calendar().full(point.time)));
        }
        self.tell_shallow()
    }

    /// Switches to another checkout, if one is given; returns it.
    pub(super) fn go_to(&mut self, worktree: Option<&str>) -> Result<Option<Place>, Failure> {
        let Some(typed) = worktree else { return Ok(None) };
        let store = self.store()?;
        let found = store.find_worktree(typed)?;
        if !found.is_here {
            let there = ops::open_in(store, &found)?;
            self.store = Some(there);
        }
        Ok(Some(Place::from(&found)))
    }

    /// Notes which repos have an incomplete history.
    pub(super) fn tell_shallow(&mut self) -> Result<(), Failure> {
        for repo in self.store()?.shallow_repos() {
            self.ui.note(&format!("{repo} is a shallow clone: what was before its first commit is not known"));
        }
        Ok(())
    }

    /// Text from an argument, from a file (`-` is standard input), or from standard input: exactly one of them.
    pub(super) fn text(&self, given: Option<&str>, file: Option<&str>, stdin: bool) -> Result<Option<String>, Failure> {
        if [given.is_some(), file.is_some(), stdin].into_iter().filter(|is_given| *is_given).count() > 1 {
            return Err(Failure::usage("the text is given more than once: type it, or name a file or standard input"));
        }
        match (given, file) {
            (Some(text), _) => Ok(Some(text.to_owned())),
            (None, Some("-")) => self.stdin().map(Some),
            (None, Some(path)) => {
                let path = self.directory().join(path);
                let bytes = store::read_named(&path, &self.directory(), MAX_TEXT).map_err(OpError::Fs)?;
                let not_text = |_| std::io::Error::new(std::io::ErrorKind::InvalidData, "is not UTF-8");
                let text = String::from_utf8(bytes).map_err(not_text);
                let text = text.map_err(|e| OpError::Fs(FsError::new("read", &path, e)))?;
                Ok(Some(text.trim_end_matches('\n').to_owned()))
            }
            (None, None) if stdin => self.stdin().map(Some),
            (None, None) => Ok(None),
        }
    }

    /// All of standard input, which can be read only once.
    pub(super) fn stdin(&self) -> Result<String, Failure> {
        if self.stdin_taken.replace(true) {
            return Err(Failure::usage("standard input can be read only once: for ids or for a text"));
        }
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|e| OpError::Fs(FsError::new("read", "standard input", e)))?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn warnings(&self) -> Vec<String> {
        view::warning_texts(&self.found_warnings())
    }

    fn found_warnings(&self) -> Vec<Warning> {
        let mut found = self.store.as_ref().map_or_else(Vec::new, |store| store.warnings());
        let is_answered = |warning: &Warning| self.answers_removed && matches!(warning, Warning::Removed { .. });
        found.retain(|warning| !is_answered(warning));
        found
    }

    /// Prints JSON with the warnings of the store.
    pub(super) fn json(&mut self, json: impl Into<String>) {
        let warnings = self.warnings();
        self.ui.json(json, &warnings);
    }

    /// Answers with what was done, as JSON or as a line, and ends the command.
    pub(super) fn answer(&mut self, json: impl Into<String>, done: &str) -> Outcome {
        json_answer!(self, json);
        self.ui.done(done);
        Ok(Exit::Ok)
    }

    /// Prints an array of issues, in the requested shape.
    pub(super) fn json_rows(&mut self, rows: impl IntoIterator<Item = view::Object>) -> Result<(), Failure> {
        let rows = rows.into_iter().map(view::Object::finish);
        let shape = std::mem::take(&mut self.shape);
        let blockers = match shape {
            RowShape::Full => {
                let mut array = self.ui.begin_array();
                rows.for_each(|row| self.ui.add_item(&mut array, &row));
                self.end_array(&array);
                return Ok(());
            }
            RowShape::Fields(_) => HashMap::new(),
            RowShape::Compact => ops::blockers(self.store()?)?,
        };
        let text = view::shaped(&view::array(rows), &shape, &blockers)?;
        let warnings = self.warnings();
        self.ui.json_compact(&text, &warnings);
        Ok(())
    }

    /// Prints issues in the requested layout; `false` if that is the usual table.
    pub(super) fn laid_out<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) -> bool {
        layout::print(&mut self.ui, std::mem::take(&mut self.layout), rows)
    }

    /// Prints the issues of a listing as an array, each as soon as it is built. Returns how many, and the total number.
    pub(super) fn json_listing(
        &mut self,
        listing: &ops::Listing,
        place: Option<Place>,
    ) -> Result<(usize, usize), Failure> {
        let (store, ui) = self.parts()?;
        let layout = ui.layout();
        let shape = |row: &Row| layout.item(&view::summary(row).finish());
        // Errors come before the first item: then nothing is printed.
        let mut array = None;
        let numbers = ops::list_each(store, listing, place, shape, |text| {
            let array = array.get_or_insert_with(|| ui.begin_array());
            ui.add_text(array, &text);
        })?;
        let array = array.unwrap_or_else(|| ui.begin_array());
        self.end_array(&array);
        Ok(numbers)
    }

    /// Ends an array that was printed piece by piece.
    pub(super) fn end_array(&mut self, array: &JsonArray) {
        let warnings = self.warnings();
        self.ui.end_array(array, &warnings);
    }

    /// Prints text that is the answer itself; with --json as an object, so that it can be parsed.
    pub(super) fn text_answer(&mut self, text: &str) -> Outcome {
        json_answer!(self, view::Object::new().text("text", text));
        self.ui.line(text);
        Ok(Exit::Ok)
    }

    /// Prints a page of help, fitted to the terminal.
    pub(super) fn page_answer(&mut self, text: &str) -> Outcome {
        let width = self.ui.width().filter(|_| !self.ui.wants_json());
        self.text_answer(&filled(text, width))
    }

    /// If a ledger could not be read when needed, the command fails, whatever it has printed.
    pub(super) fn refuse_failed_read(&self) -> Result<(), Failure> {
        Ok(self.store.as_ref().map_or(Ok(()), |store| store.refuse_failed_read())?)
    }

    /// Ends the command: prints warnings and the failure, if any, and returns the exit code.
    pub(super) fn finish(&mut self, result: Result<Exit, Failure>) -> Exit {
        self.working = None;
        let stays = self.store.as_mut().map(ops::end_command).unwrap_or_default();
        stays.iter().for_each(|warning| self.ui.warning(warning));
        if self.store.as_ref().is_some_and(|store| store.has_written()) {
            self.ui.note_change();
        }
        if !self.reports_problems {
            let message = result.as_ref().err().map(|failure| failure.message.as_str());
            for warning in self.warnings_to_print() {
                // The failure itself has the same text.
                if !message.is_some_and(|message| warning.starts_with(message)) {
                    self.ui.warning(&warning);
                }
            }
        }
        let exit = match result {
            Ok(exit) => exit,
            Err(failure) => {
                self.ui.failure(&failure, None);
                failure.exit
            }
        };
        self.ui.end();
        exit
    }

    fn warnings_to_print(&self) -> Vec<String> {
        const SHOWN: usize = 5;
        let mut found = self.found_warnings();
        // Joined repos that are not in use are reported once, and again when that changes.
        if let Some(store) = self.store.as_ref().filter(|_| !self.ui.wants_json() && !self.lists_repos)
            && ops::was_reported(store, &found)
        {
            found.retain(|warning| !matches!(warning, Warning::Repo(problem) if problem.is_unused()));
        }
        let mut warnings = view::warning_texts(&found);
        if warnings.len() > SHOWN {
            let more = view::plural(warnings.len() - SHOWN, "problem");
            warnings.truncate(SHOWN);
            warnings.push(format!("{more} more in the ledger; run `bd doctor` to list all of them"));
        }
        warnings
    }
}
