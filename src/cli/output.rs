//! The destination of data: standard output, or on a terminal the user's pager, once the output exceeds the screen.

use std::io::{self, Write as _};

use crate::sys::Env;
use crate::sys::pager::{NoPager, Pager};

/// How many bytes to write at a time.
const BUFFER: usize = 1 << 16;

pub(super) struct Output {
    out: io::BufWriter<io::Stdout>,
    way: Way,
    has_changed: bool,
}

enum Way {
    Straight,
    /// Kept until it is asked for.
    Kept(String),
    /// Buffered until it is known whether it fits the screen.
    Held {
        text: String,
        lines: usize,
        rows: usize,
        env: Env,
    },
    /// The pager's input is kept, in case it never started.
    Paged {
        pager: Pager,
        text: String,
    },
}

impl Output {
    pub(super) fn new() -> Self {
        Output { out: io::BufWriter::with_capacity(BUFFER, io::stdout()), way: Way::Straight, has_changed: false }
    }

    /// Pages output with more than this many rows.
    pub(super) fn page(&mut self, rows: usize, env: Env) {
        self.way = Way::Held { text: String::new(), lines: 0, rows, env };
    }

    /// Keeps what is written from here on, instead of printing it.
    pub(super) fn keep(&mut self) {
        self.way = Way::Kept(String::new());
    }

    /// What was kept; from here on everything is printed.
    pub(super) fn kept(&mut self) -> String {
        match std::mem::replace(&mut self.way, Way::Straight) {
            Way::Kept(text) => text,
            _ => String::new(),
        }
    }

    pub(super) fn is_paged(&self) -> bool {
        matches!(self.way, Way::Paged { .. })
    }

    pub(super) fn write(&mut self, text: &str) {
        match &mut self.way {
            Way::Straight => self.put(text),
            Way::Kept(kept) => kept.push_str(text),
            Way::Held { text: held, lines, rows, .. } => {
                held.push_str(text);
                *lines += text.bytes().filter(|byte| *byte == b'\n').count();
                if *lines >= *rows {
                    self.start();
                }
            }
            Way::Paged { pager, text: kept } => {
                kept.push_str(text);
                if pager.write(text).is_err() {
                    self.end_reading();
                }
            }
        }
    }

    /// Flushes the output; a pager shows it in its own time.
    pub(super) fn flush(&mut self) {
        if let Way::Held { text, .. } = &self.way {
            if text.is_empty() {
                return;
            }
            self.release();
        }
        if let Err(error) = self.out.flush() {
            let answer = self.has_changed.then(|| String::from_utf8_lossy(self.out.buffer()).into_owned());
            stop_writing(&error, answer.as_deref());
        }
    }

    /// The command has changed something: if its answer cannot be printed, the user must know that, or they will repeat
    /// the change.
    pub(super) fn note_change(&mut self) {
        self.has_changed = true;
    }

    /// Waits until the pager is closed.
    pub(super) fn end(&mut self) {
        self.release();
        if let Way::Paged { pager, text } = std::mem::replace(&mut self.way, Way::Straight)
            && let Err(missing) = pager.wait()
        {
            self.without(&missing, &text);
        }
        self.flush();
    }

    fn put(&mut self, text: &str) {
        if let Err(error) = self.out.write_all(text.as_bytes()) {
            stop_writing(&error, self.has_changed.then_some(text));
        }
    }

    /// Prints the buffer: it fits the screen.
    fn release(&mut self) {
        if let Way::Held { text, .. } = &mut self.way {
            let text = std::mem::take(text);
            self.way = Way::Straight;
            self.put(&text);
        }
    }

    fn start(&mut self) {
        let Way::Held { text, env, .. } = std::mem::replace(&mut self.way, Way::Straight) else { return };
        match Pager::start(&env) {
            Ok(Some(mut pager)) => {
                let wrote = pager.write(&text);
                self.way = Way::Paged { pager, text };
                if wrote.is_err() {
                    self.end_reading();
                }
            }
            Ok(None) => self.put(&text),
            Err(missing) => self.without(&missing, &text),
        }
    }

    /// The pager was closed, or never started.
    fn end_reading(&mut self) {
        let Way::Paged { pager, text } = std::mem::replace(&mut self.way, Way::Straight) else { return };
        match pager.wait() {
            Ok(()) => std::process::exit(0),
            Err(missing) => self.without(&missing, &text),
        }
    }

    fn without(&mut self, missing: &NoPager, text: &str) {
        let _ = writeln!(io::stderr(), "{missing}; printing without it");
        self.put(text);
    }
}

/// A reader that went away (`bd list | head`) is not an error; an output that cannot be written is.
fn stop_writing(error: &io::Error, answer: Option<&str>) {
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    let _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
    if let Some(answer) = answer {
        let _ = writeln!(io::stderr(), "hint: the change was made; do not repeat it. The answer was:");
        let _ = writeln!(io::stderr(), "{}", answer.trim_end());
    }
    std::process::exit(1);
}
