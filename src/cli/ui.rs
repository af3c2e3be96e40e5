//! The streams. Data goes to stdout, messages to stderr; colour only to a terminal; every text is escaped.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use super::global::GlobalArgs;
use super::json::{JsonArray, JsonLayout};
use super::meter::Meter;
use super::output::Output;
use super::paths;
pub(super) use super::style::Style;
use super::width::{Cell, fitted, plain_cells, wrapped};
use crate::model::json;
use crate::model::when::Calendar;
use crate::store::{AGENT_VARIABLE, display_path};
use crate::sys::{Activity, Clock, Env, Host, terminal};
use crate::view::{self, Failure, block, inline};
use unicode_width::UnicodeWidthStr as _;

pub(super) struct Ui {
    json: bool,
    layout: JsonLayout,
    quiet: bool,
    colour: bool,
    colour_err: bool,
    terminal: bool,
    /// A line on standard error can be redrawn.
    draws: bool,
    width: Option<usize>,
    /// The same for standard error.
    width_err: Option<usize>,
    clock: Clock,
    env: Env,
    out: Output,
    /// Progress, for a person who waits.
    meter: Option<Meter>,
}

impl Ui {
    pub(super) fn new(host: &Host, global: &GlobalArgs) -> Self {
        let (env, colours) = (&host.env, global.color.unwrap_or_default());
        let (terminal, terminal_err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let columns = env.var("COLUMNS").and_then(|text| text.parse().ok());
        Ui {
            json: global.wants_json(),
            layout: JsonLayout {
                lines: global.ndjson,
                envelope: env.var("BD_JSON_ENVELOPE").is_some_and(|value| value == "1"),
                escapes: terminal,
            },
            quiet: global.quiet,
            colour: colours.are_wanted(env, terminal),
            colour_err: colours.are_wanted(env, terminal_err),
            terminal,
            draws: terminal_err && env.var("TERM").is_none_or(|term| term != "dumb"),
            width: terminal.then(|| columns.or_else(terminal::columns).filter(|n| *n > 0).unwrap_or(80)),
            width_err: terminal_err.then(|| columns.or_else(terminal::error_columns).filter(|n| *n > 0).unwrap_or(80)),
            clock: host.clock.clone(),
            env: env.clone(),
            out: Output::new(),
            meter: None,
        }
    }

    /// Sends long output to the user's pager, if a person reads it.
    pub(super) fn page(&mut self, with: Option<&str>) {
        if self.terminal && !self.json && self.env.var("TERM").is_some_and(|term| term != "dumb") {
            let rows = self.env.var("LINES").and_then(|text| text.parse().ok()).or_else(terminal::rows);
            let rows = with.map(|_| 1).or(rows.filter(|n| *n > 0)).unwrap_or(24);
            let env = self.env.clone();
            self.out.page(rows, with.map_or(env.clone(), |program| env.with("BD_PAGER", program)));
        }
    }

    /// Whether the lines of trees may use more than ASCII.
    pub(super) fn draws_lines(&self) -> bool {
        self.env.is_utf8()
    }

    /// Whether to render Markdown: for a person, and only where it can be highlighted.
    pub(super) fn renders_markdown(&self) -> bool {
        self.terminal && self.colour
    }

    /// A path for people, escaped: relative to the working directory or home.
    pub(super) fn path(&self, path: &Path) -> String {
        // A path that is not absolute is short already, or means something else, such as `--config`.
        let short = path.is_absolute().then(|| display_path(path, self.env.cwd(), &self.env));
        inline(&short.unwrap_or_else(|| path.display().to_string())).into_owned()
    }

    /// One of the program's own texts, with paths shortened in the same way.
    pub(super) fn short(&self, text: &str) -> String {
        paths::shorten(text, &self.env)
    }

    /// Times are shown in people's own zone.
    pub(super) fn calendar(&self) -> Calendar {
        self.clock.calendar()
    }

    pub(super) fn wants_json(&self) -> bool {
        self.json
    }

    /// Switches to JSON output, as with `--json`.
    pub(super) fn answer_in_json(&mut self) {
        self.json = true;
    }

    /// Shows progress on the terminal, if the work takes long.
    pub(super) fn show_activity(&mut self, activity: &Activity) {
        if !self.json && !self.quiet && self.draws {
            self.meter = Some(Meter::start(activity.clone()));
        }
    }

    /// Removes the progress line.
    fn clear_line(&self) {
        if let Some(meter) = &self.meter {
            meter.hide();
        }
    }

    /// A person is there who can answer questions.
    pub(super) fn is_interactive(&self) -> bool {
        let wants_none = self.json || self.quiet || self.env.var(AGENT_VARIABLE).is_some();
        !wants_none && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a person; an empty answer means the default.
    pub(super) fn ask(&mut self, question: &str, default: &str) -> String {
        let answer = self.answer(&format!("{} [{}]: ", inline(question), inline(default)));
        if answer.is_empty() { default.to_owned() } else { answer }
    }

    /// Asks a person for confirmation; only an explicit yes counts.
    pub(super) fn confirm(&mut self, question: &str) -> bool {
        let answer = self.answer(&format!("{} (y/N) ", inline(question)));
        matches!(answer.to_lowercase().as_str(), "y" | "yes")
    }

    /// A person's answer to a question; empty at the end of input.
    fn answer(&mut self, question: &str) -> String {
        self.lend_terminal(|| {
            let _ = write!(io::stderr(), "{question}");
            let mut answer = String::new();
            let read = io::stdin().read_line(&mut answer);
            if !answer.ends_with('\n') {
                // Start a new line for what follows.
                let _ = writeln!(io::stderr());
            }
            if read.is_ok() { answer.trim().to_owned() } else { String::new() }
        })
    }

    /// Lets a person or another program use the terminal for a while.
    pub(super) fn lend_terminal<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.flush();
        if let Some(meter) = &self.meter {
            meter.hand_over();
        }
        let answer = run();
        if let Some(meter) = &self.meter {
            meter.take_back();
        }
        answer
    }

    /// The terminal's width; `None` if the output is not a terminal, and nothing need be shortened.
    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Applies a style to text that is already escaped.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if self.colour && style != Style::Plain {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.to_owned()
        }
    }

    /// Prints a line of data whose pieces are already escaped.
    pub(super) fn line(&mut self, text: &str) {
        self.write(text);
        self.write("\n");
    }

    /// Prints a blank line, as between two parts.
    pub(super) fn blank_if(&mut self, called_for: bool) {
        if called_for {
            self.line("");
        }
    }

    /// Prints lines that belong to the line above them.
    pub(super) fn below(&mut self, lines: impl IntoIterator<Item = impl Display>) {
        lines.into_iter().for_each(|line| self.line(&inline(&format!("  {line}"))));
    }

    /// Prints lines of already escaped pieces, wrapped on a terminal; `first` precedes the first line, `rest` the
    /// others.
    pub(super) fn cells(&mut self, first: &str, rest: &str, cells: &[Cell]) {
        self.titled(first, first.width().max(rest.width()), rest, cells);
    }

    /// Prints pieces after a head (already styled) of the given width.
    pub(super) fn titled(&mut self, head: &str, columns: usize, rest: &str, cells: &[Cell]) {
        let room = self.width.map(|width| width.saturating_sub(columns).max(4));
        for (n, line) in wrapped(cells, room).into_iter().enumerate() {
            let text = format!("{}{}", if n == 0 { head } else { rest }, self.painted(line));
            self.line(text.trim_end());
        }
    }

    /// Applies each piece's style.
    pub(super) fn painted(&self, cells: &[Cell]) -> String {
        let mut text = String::new();
        for run in cells.chunk_by(|one, next| one.1 == next.1) {
            let plain: String = run.iter().map(|cell| cell.0).collect();
            text.push_str(&self.paint(run[0].1, &plain));
        }
        text
    }

    /// Prints facts about one thing, one per line.
    pub(super) fn facts(&mut self, facts: impl IntoIterator<Item = (&'static str, String)>) {
        facts.into_iter().for_each(|(name, value)| self.fact(name, &self.short(&value)));
    }

    pub(super) fn fact(&mut self, name: &str, value: &str) {
        if self.width.is_some_and(|width| width < 40) {
            return self.cells("", "  ", &plain_cells(&format!("{name}  {}", inline(value))));
        }
        self.cells(&format!("{name:<12}"), "            ", &plain_cells(&inline(value)));
    }

    /// Prints a confirmation, unless only data is wanted.
    pub(super) fn done(&mut self, text: &str) {
        if !self.quiet {
            self.line(&inline(text));
        }
    }

    pub(super) fn done_if(&mut self, called_for: bool, text: &str) {
        if called_for {
            self.done(text);
        }
    }

    /// Prints a ledger's bytes unchanged, for `export`: never escaped, so not meant for a terminal.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.write(text);
    }

    /// Prints a line of a stream, flushed at once.
    pub(super) fn line_at_once(&mut self, text: &str) {
        self.line(text);
        self.flush();
    }

    /// Clears the screen; `false` if the output is not a terminal.
    pub(super) fn clear_screen(&mut self) -> bool {
        if self.width.is_some() {
            self.write("\x1b[H\x1b[2J");
        }
        self.width.is_some()
    }

    /// Prints one object of a stream, on one line, flushed at once.
    pub(super) fn json_line(&mut self, json: &str) {
        self.json_row(json);
        self.flush();
    }

    /// Prints one of several objects, on one line.
    pub(super) fn json_row(&mut self, json: &str) {
        let text = self.layout.row(json);
        self.line(&text);
    }

    /// Ends the program when its output is no longer read, even while it prints nothing.
    pub(super) fn end_with_reader(&self) {
        std::thread::spawn(|| {
            if terminal::wait_for_hangup() {
                std::process::exit(0);
            }
        });
    }

    pub(super) fn begin_array(&mut self) -> JsonArray {
        let (array, text) = self.layout.begin();
        self.write(text);
        array
    }

    pub(super) fn layout(&self) -> JsonLayout {
        self.layout
    }

    pub(super) fn add_item(&mut self, array: &mut JsonArray, json: &str) {
        self.add_text(array, &self.layout.item(json));
    }

    /// Adds an item that is already laid out.
    pub(super) fn add_text(&mut self, array: &mut JsonArray, text: &str) {
        let [comma, indent, end] = self.layout.around(array);
        [comma, indent, text, end].into_iter().for_each(|piece| self.write(piece));
    }

    pub(super) fn end_array(&mut self, array: &JsonArray, warnings: &[String]) {
        let text = self.layout.end(array, warnings);
        self.write(&text);
    }

    pub(super) fn json(&mut self, json: impl Into<String>, warnings: &[String]) {
        let text = self.layout.whole(json.into(), false, warnings);
        self.json_text(&text);
    }

    /// The same unchanged, without blanks.
    pub(super) fn json_compact(&mut self, json: &str, warnings: &[String]) {
        let text = self.layout.whole(json.to_owned(), true, warnings);
        self.json_text(&text);
    }

    /// An empty list of lines has none.
    fn json_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.line(text);
        }
    }

    pub(super) fn warning(&mut self, text: &str) {
        if self.json {
            self.flush();
            let warning = view::Object::new().text("message", text).finish();
            stderr_json(&view::Object::new().raw("warning", &warning).finish());
        } else if !self.quiet {
            self.talk(Style::Yellow, "warning:", &self.short(text));
        }
    }

    pub(super) fn hint(&mut self, text: &str) {
        if !self.quiet && !self.json {
            self.talk(Style::Cyan, "hint:", &self.short(text));
        }
    }

    /// A remark on stderr.
    pub(super) fn note(&mut self, text: &str) {
        if self.json {
            self.warning(text);
        } else if !self.quiet {
            let text = self.fitted(&block(&self.short(text)));
            self.say(&text);
        }
    }

    /// A remark on stderr that only some cases need.
    pub(super) fn note_if(&mut self, called_for: bool, text: &str) {
        if called_for {
            self.note(text);
        }
    }

    pub(super) fn failure(&mut self, failure: &Failure, id: Option<&str>) {
        self.flush();
        if self.json {
            json_error(failure, id);
            return;
        }
        // It may be read in another directory: shorten only with `~`.
        self.talk(Style::Red, "error:", &paths::from_home(&failure.message, &self.env));
        if let Some(hint) = failure.hint.text() {
            self.talk(Style::Cyan, "hint:", &paths::from_home(&hint, &self.env));
        }
    }

    fn talk(&mut self, style: Style, label: &str, text: &str) {
        let text = self.fitted(&format!("{label} {}", block(text)));
        let text = match text.strip_prefix(label).filter(|_| self.colour_err) {
            Some(rest) => format!("\x1b[{}m{label}\x1b[0m{rest}", style.code()),
            None => text,
        };
        self.say(&text);
    }

    /// Lines for standard error: on a terminal wrapped, with times of the user's zone.
    fn fitted(&self, text: &str) -> String {
        self.width_err.map_or_else(|| text.to_owned(), |width| fitted(&self.calendar().local_times(text), width.max(4)))
    }

    /// A line on standard error, after the data; in the pager while that has the terminal.
    fn say(&mut self, text: &str) {
        self.flush();
        if self.out.is_paged() && io::stderr().is_terminal() {
            self.out.write(&format!("{text}\n"));
        } else {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(meter) = self.meter.take() {
            meter.stop();
        }
        self.out.write(text);
    }

    pub(super) fn flush(&mut self) {
        self.clear_line();
        self.out.flush();
    }

    /// The command has changed something, whether or not its answer can be printed.
    pub(super) fn note_change(&mut self) {
        self.out.note_change();
    }

    /// Runs something, and returns what it would have printed.
    pub(super) fn keep(&mut self) {
        self.out.keep();
    }

    pub(super) fn kept(&mut self) -> String {
        self.out.kept()
    }

    /// Ends the command's output.
    pub(super) fn end(&mut self) {
        self.clear_line();
        self.out.end();
    }
}

pub(super) fn json_error(failure: &Failure, id: Option<&str>) {
    stderr_json(&view::error(failure, id));
}

/// One object per line.
fn stderr_json(text: &str) {
    let text = if io::stderr().is_terminal() { json::ascii_only(text) } else { text.to_owned() };
    let _ = writeln!(io::stderr(), "{text}");
}
