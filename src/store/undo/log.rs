//! The log of what `bd` wrote from here, for taking it back.
//!
//! Owns `<state home>/undo.jsonl`, and `undo.1.jsonl`, which that one becomes when it is large. One line for each ledger that a
//! write changed, in the state home of that ledger's repo, with the lines before and after; the parts of one write bear one name,
//! and a part names the ledgers that were written before it. Unlike the journal it
//! also knows what commits hold, and says nothing about losses. It is appended to with one write and without a lock; only who makes
//! room takes the lock of the state home, and if that is not free, somebody else makes it later. A file that is moved away keeps
//! what is still appended to it. Nothing is synced: the log is a convenience, and no source for anything but `bd undo`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ledger::LineChange;
use crate::model::json::{Dialect, decode_string};
use crate::model::record::Record;
use crate::store::home_dir::prepare;
use crate::store::journal::JournalError;
use crate::store::names::UNDO_NAME;
use crate::sys::fs::FsError;
use crate::sys::log::Log;
use crate::sys::{below, lock};

const EARLIER_NAME: &str = "undo.1.jsonl";

/// From this size on the log is put aside, and what was put aside before is forgotten.
const LARGE: u64 = 512 << 10;
/// What changes more than this is not kept.
const LARGEST_WRITE: usize = 4 << 20;
/// A larger log is not looked at.
const MOST: u64 = 256 << 20;

/// Why a write cannot be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// It put the file in order, and changed no issue on purpose.
    Repair,
    /// It changed more than is kept.
    Large,
}

impl Stays {
    const ALL: [(Stays, &'static str); 2] = [(Stays::Repair, "repair"), (Stays::Large, "large")];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, word)| word)
    }
}

/// What one write did to one ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// The same in all parts of a write.
    pub write: String,
    /// The command, where it is known.
    pub command: String,
    /// The `.beads` directory of the project that it was written from.
    pub from: String,
    /// The mark of the checkout which that is in.
    pub checkout: Option<String>,
    /// The file that was written, without links.
    pub ledger: String,
    /// The files that the same write had changed before.
    pub with: Vec<String>,
    /// The files of repos that only the command named: the write may have changed them later.
    pub guests: Vec<String>,
    pub at: String,
    pub actor: String,
    pub stays: Option<Stays>,
    pub changes: Vec<LineChange>,
}

impl Part {
    /// Reads a line; `None` for one that was cut off, and for anything that is no part of a write.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let record = Record::parse(std::str::from_utf8(line).ok()?).ok()?;
        let text = |key: &str| record.string(key).map(|text| text.into_owned());
        let texts = |key: &str| -> Option<Vec<String>> {
            record.elements(key).into_iter().map(|raw| Some(decode_string(raw)?.into_owned())).collect()
        };
        let change = |raw: &str| {
            let record = Record::parse_part(raw).ok()?;
            let text = |key: &str| record.string(key).map(|text| text.into_owned());
            Some(LineChange { id: text("id")?, before: text("before"), after: text("after") })
        };
        let stays = match record.string("stays") {
            Some(word) => Some(Stays::ALL.iter().find(|(_, known)| *known == word)?.0),
            None => None,
        };
        record.raw("changes")?;
        Some(Part {
            write: text("write")?,
            command: text("command").unwrap_or_default(),
            from: text("from")?,
            checkout: text("checkout"),
            ledger: text("ledger")?,
            with: texts("with")?,
            guests: texts("guests")?,
            at: text("at")?,
            actor: text("actor")?,
            stays,
            changes: record.elements("changes").into_iter().map(change).collect::<Option<_>>()?,
        })
    }

    /// The line with its end.
    pub fn render(&self) -> String {
        let dialect = Dialect::default();
        let object = |pairs: &[(&str, Option<&str>)]| {
            let pairs = pairs.iter().filter_map(|(key, value)| Some((key, (*value)?)));
            pairs.map(|(key, value)| format!("\"{key}\":{}", dialect.string(value))).collect::<Vec<_>>().join(",")
        };
        let head = object(&[
            ("write", Some(&self.write)),
            ("command", Some(self.command.as_str()).filter(|word| !word.is_empty())),
            ("from", Some(&self.from)),
            ("checkout", self.checkout.as_deref()),
            ("ledger", Some(&self.ledger)),
            ("at", Some(&self.at)),
            ("actor", Some(&self.actor)),
            ("stays", self.stays.map(Stays::word)),
        ]);
        let list = |key: &str, ledgers: &[String]| {
            let ledgers: Vec<String> = ledgers.iter().map(|ledger| dialect.string(ledger)).collect();
            if ledgers.is_empty() { String::new() } else { format!(",\"{key}\":[{}]", ledgers.join(",")) }
        };
        let lists = list("with", &self.with) + &list("guests", &self.guests);
        let change = |change: &LineChange| {
            let LineChange { id, before, after } = change;
            format!("{{{}}}", object(&[("id", Some(id)), ("before", before.as_deref()), ("after", after.as_deref())]))
        };
        let changes: Vec<String> = self.changes.iter().map(change).collect();
        format!("{{{head}{lists},\"changes\":[{}]}}\n", changes.join(","))
    }
}

impl Part {
    /// The same after the checkout was moved: every file that was below one directory is below another.
    pub fn moved(&mut self, from: &Path, to: &Path) {
        let moved = |text: &mut String| {
            if let Ok(inside) = Path::new(text.as_str()).strip_prefix(from) {
                *text = to.join(inside).display().to_string();
            }
        };
        let files = self.with.iter_mut().chain(&mut self.guests);
        files.chain([&mut self.from, &mut self.ledger]).for_each(moved);
    }
}

/// The log of one state home.
#[derive(Debug)]
pub struct UndoLog<'a> {
    pub home: &'a Path,
    /// The lock of the state home is held: it is that of a ledger in the same directory.
    pub is_locked: bool,
}

impl UndoLog<'_> {
    pub fn path(&self) -> PathBuf {
        self.home.join(UNDO_NAME)
    }

    /// Notes a part of a write. Room is made before the first part here only, so that the parts stay together.
    pub fn append(&self, part: Part, is_first: bool) -> Result<(), JournalError> {
        let size: usize = part
            .changes
            .iter()
            .map(|c| [&c.before, &c.after].into_iter().flatten().map(String::len).sum::<usize>())
            .sum();
        let part =
            if size > LARGEST_WRITE { Part { stays: Some(Stays::Large), changes: Vec::new(), ..part } } else { part };
        let path = self.path();
        let mut log = match Log::open_to_append(&path) {
            Err(error) if error.is_missing() => {
                prepare(self.home)?;
                Log::open_to_append(&path)?
            }
            other => other?,
        };
        if is_first && log.stamp().size >= LARGE && self.put_aside()? {
            log = Log::open_to_append(&path)?;
        }
        // The end of a line that was cut off.
        let gap = if log.tail(1)?.last().is_some_and(|last| *last != b'\n') { "\n" } else { "" };
        Ok(log.append(format!("{gap}{}", part.render()).as_bytes())?)
    }

    /// Moves a large log away; tells whether it did.
    fn put_aside(&self) -> Result<bool, FsError> {
        let lock = if self.is_locked { None } else { lock::lock(self.home, Duration::ZERO).ok() };
        if lock.is_none() && !self.is_locked {
            return Ok(false);
        }
        let path = self.path();
        // Another may have been faster.
        if Log::open(&path)?.is_none_or(|log| log.stamp().size < LARGE) {
            return Ok(true);
        }
        below::rename(self.home, UNDO_NAME, EARLIER_NAME)?;
        Ok(true)
    }

    /// Every line, oldest first.
    pub fn read(&self) -> Result<Vec<Line>, FsError> {
        let mut parts = Vec::new();
        for name in [EARLIER_NAME, UNDO_NAME] {
            let path = self.home.join(name);
            let Some(log) = Log::open(&path)? else { continue };
            let bytes = log.whole(MOST)?;
            let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
            parts.extend(lines.map(|(n, line)| Line { path: path.clone(), number: n + 1, part: Part::parse(line) }));
        }
        Ok(parts)
    }

    /// What is older than the oldest line was, or may have been, forgotten.
    pub fn has_forgotten(&self) -> bool {
        self.home.join(EARLIER_NAME).exists()
    }
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub path: PathBuf,
    /// From 1.
    pub number: usize,
    /// `None` if it cannot be read.
    pub part: Option<Part>,
}

/// The lines of several logs in the order of their times, each log in its own order. A line that cannot be read stands right
/// before the next one of its log, or at the end: it may be as late as that.
pub fn woven(logs: Vec<Vec<Line>>) -> Vec<Line> {
    let times: Vec<Vec<Option<String>>> = logs.iter().map(|log| known_times(log)).collect();
    let mut logs: Vec<_> = logs.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    let mut taken = vec![0; logs.len()];
    loop {
        // Without a time it is later than all that has one.
        let key = |n: &usize| times[*n].get(taken[*n]).map(|at| (at.is_none(), at.clone()));
        let Some(n) = (0..logs.len()).filter(|n| key(n).is_some()).min_by_key(key) else { return all };
        taken[n] += 1;
        all.extend(logs[n].next());
    }
}

/// The time of each line, that of the next one where it has none of its own.
fn known_times(log: &[Line]) -> Vec<Option<String>> {
    let mut times: Vec<Option<String>> = Vec::new();
    for line in log.iter().rev() {
        let own = line.part.as_ref().map(|part| part.at.clone());
        times.push(own.or_else(|| times.last().cloned().flatten()));
    }
    times.reverse();
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(write: &str, text: &str) -> Part {
        Part {
            write: write.into(),
            command: "update".into(),
            from: "/a \"b\"/.beads".into(),
            checkout: Some("wt_0123456789ab".into()),
            ledger: "/a/.beads/beads.jsonl".into(),
            with: vec!["/b \"c\".jsonl".into()],
            guests: vec!["/d".into(), "/e".into()],
            at: "2026-01-05T09:00:00.000Z".into(),
            actor: "ann".into(),
            stays: None,
            changes: vec![
                LineChange { id: "bd-1".into(), before: None, after: Some(format!("{{\"id\":\"{text}\"}}")) },
                LineChange { id: "bd-2".into(), before: Some("{}".into()), after: None },
            ],
        }
    }

    #[test]
    fn a_part_comes_back_and_a_piece_of_one_does_not() {
        for part in [
            part("w", "x"),
            Part { stays: Some(Stays::Repair), command: String::new(), with: Vec::new(), ..part("w", "y") },
        ] {
            let line = part.render();
            assert_eq!(Part::parse(line.trim_end().as_bytes()), Some(part));
            for end in 0..line.len() - 1 {
                assert_eq!(Part::parse(&line.as_bytes()[..end]), None, "cut off after {end} bytes");
            }
        }
        assert_eq!(
            Part::parse(br#"{"write":"w","from":"","ledger":"","at":"","actor":"","stays":"?","changes":[]}"#),
            None
        );
    }

    #[test]
    fn the_log_stays_small_and_keeps_the_newest_writes() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("made/at/need");
        let log = UndoLog { home: &home, is_locked: false };
        let text = "x".repeat(20_000);
        for n in 0..200 {
            // Both parts of a write stay in one file.
            log.append(part(&n.to_string(), &text), true).unwrap();
            log.append(part(&n.to_string(), &text), false).unwrap();
            let sizes = [UNDO_NAME, EARLIER_NAME].map(|name| std::fs::metadata(home.join(name)).map_or(0, |m| m.len()));
            assert!(sizes.iter().sum::<u64>() < 2 * (LARGE + 50_000), "{n}: {sizes:?}");
            let found = log.read().unwrap();
            let writes: Vec<usize> =
                found.iter().map(|line| line.part.as_ref().unwrap().write.parse().unwrap()).collect();
            let first = writes[0];
            let expected: Vec<usize> = (first..=n).flat_map(|n| [n, n]).collect();
            assert_eq!(writes, expected);
            assert!(n - first >= 12.min(n), "{n}: only from {first} on");
        }
    }

    #[test]
    fn a_line_that_was_cut_off_does_not_take_the_next_one_along() {
        let directory = tempfile::tempdir().unwrap();
        let log = UndoLog { home: directory.path(), is_locked: false };
        log.append(part("1", "x"), true).unwrap();
        let whole = std::fs::read(log.path()).unwrap();
        std::fs::write(log.path(), &whole[..whole.len() - 9]).unwrap();
        log.append(part("2", "x"), true).unwrap();
        let found: Vec<Option<String>> =
            log.read().unwrap().into_iter().map(|line| line.part.map(|p| p.write)).collect();
        assert_eq!(found, [None, Some("2".to_owned())]);
    }

    #[test]
    fn of_a_write_that_is_too_large_only_the_name_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let log = UndoLog { home: directory.path(), is_locked: false };
        log.append(part("1", &"x".repeat(LARGEST_WRITE)), true).unwrap();
        let found = log.read().unwrap();
        let kept = found[0].part.as_ref().unwrap();
        assert_eq!((kept.stays, kept.changes.len()), (Some(Stays::Large), 0));
    }

    #[test]
    fn room_is_not_made_while_another_has_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let log = UndoLog { home: directory.path(), is_locked: false };
        std::fs::write(log.path(), vec![b'\n'; LARGE as usize]).unwrap();
        let held = lock::lock(directory.path(), Duration::ZERO).unwrap();
        log.append(part("1", "x"), true).unwrap();
        assert!(!directory.path().join(EARLIER_NAME).exists());
        drop(held);
        log.append(part("2", "x"), true).unwrap();
        assert!(directory.path().join(EARLIER_NAME).exists());
        assert_eq!(log.read().unwrap().len(), 2, "both are there");
    }

    #[test]
    fn several_logs_are_read_as_one() {
        let line = |name: &str, at: Option<&str>| Line {
            path: PathBuf::from(name),
            number: 1,
            part: at.map(|at| Part { at: at.into(), ..part(name, "x") }),
        };
        let one = vec![line("a", Some("1")), line("b", Some("4")), line("odd", None), line("c", Some("5"))];
        let two = vec![line("d", Some("2")), line("late", Some("9")), line("early", Some("3")), line("torn", None)];
        let order: Vec<String> =
            woven(vec![one, Vec::new(), two]).into_iter().map(|line| line.path.display().to_string()).collect();
        assert_eq!(order, ["a", "d", "b", "odd", "c", "late", "early", "torn"]);
    }
}
