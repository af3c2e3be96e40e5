//! The log file, `<state home>/writes.jsonl`, as lines, and version 1's files with the same content.
//!
//! It starts with lines that only `bd recover` needs, if any, followed by all of the newest writes, which `bd undo`
//! needs too. A header line stores the size of the former, and shows that `bd undo` once knew more.
//!
//! Version 1 had a journal for `bd recover` and a log for `bd undo`, with the same changes in both. They are migrated
//! under the log's lock before anything else is written: the new file is synced before the others are removed, and
//! existing lines are not added again. So an interruption does no harm, and what an old `bd` appends later is migrated
//! later. Until then readers merge the lines in memory in the same way.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::directory::prepare;
use super::super::outbox;
use super::entry::{Entry, FORGETS_ALL, forgotten};
use crate::ledger::LedgerError;
use crate::model::record::Record;
use crate::store::file_names::WRITES_NAME;
use crate::sys::fs::{Dir, FileStamp, FsError};
use crate::sys::lock::{DirLock, LockError};
use crate::sys::log::Log;
use crate::sys::{self, Entropy, below, lock};

/// Larger logs are not read.
pub(super) const MAX_SIZE: u64 = 256 << 20;
/// How long a write waits for others that append. The write itself is already on disk.
const PATIENCE: Duration = Duration::from_secs(5);

/// Version 1's files, oldest first, and how to convert their lines.
const EARLIER: [(&str, Reading); 3] =
    [(FORMER_LOG, undo_line), ("undo.jsonl", undo_line), ("journal.jsonl", journal_line)];
/// The name of `bd undo`'s log after it had grown large; the previous file of that name was then forgotten.
const FORMER_LOG: &str = "undo.1.jsonl";

/// Converts the text of a line; `None` if it says nothing.
type Reading = fn(&[u8]) -> Option<(Vec<u8>, Option<Entry>)>;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    pub path: PathBuf,
    /// Counted from 1.
    pub number: usize,
    pub text: Vec<u8>,
    /// `None` if it cannot be read.
    pub entry: Option<Entry>,
}

/// A complete log.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Lines that only `bd recover` needs.
    pub joined: Vec<Line>,
    /// The newest writes and the notes between them.
    pub newest: Vec<Line>,
    /// `bd undo` once knew older writes.
    pub has_forgotten: bool,
    /// Its size when older lines were joined.
    pub size: u64,
    /// The file's stamp, if it exists.
    pub(super) stamp: Option<FileStamp>,
}

impl Contents {
    /// Reads the log of a state home. Takes no lock and writes nothing.
    pub(crate) fn read(home: &Path, outboxes: &[PathBuf]) -> Result<Self, FsError> {
        // Before the file itself: lines migrated meanwhile are then seen twice instead of never.
        let others = others(home, outboxes)?;
        let mut contents = Self::read_file(home)?;
        for Other { name, log, reading, .. } in &others {
            contents.has_forgotten |= *name == FORMER_LOG;
            contents.take_in(read_lines(&home.join(name), &log.whole(MAX_SIZE)?, *reading));
        }
        Ok(contents)
    }

    /// The same for `bd recover`, without lines it can skip.
    pub(super) fn read_to_recover(home: &Path, outboxes: &[PathBuf]) -> Result<Self, FsError> {
        if !others(home, outboxes)?.is_empty() {
            return Self::read(home, outboxes);
        }
        let bytes = Log::open(&home.join(WRITES_NAME))?.map_or(Ok(Vec::new()), |log| log.whole(MAX_SIZE))?;
        let newest = match memchr::memmem::rfind(&bytes, format!("\n{FORGETS_ALL}").as_bytes()) {
            Some(end) => &bytes[end..],
            None => &bytes,
        };
        Ok(Contents { newest: read_lines(Path::new(""), newest, own_line), ..Self::default() })
    }

    /// The same without files that are still to be migrated.
    pub(super) fn read_file(home: &Path) -> Result<Self, FsError> {
        let path = home.join(WRITES_NAME);
        let Some(log) = Log::open(&path)? else { return Ok(Self::default()) };
        let bytes = log.whole(MAX_SIZE)?;
        let mut newest = read_lines(&path, &bytes, own_line);
        let mut contents = Contents { stamp: Some(log.stamp()), ..Self::default() };
        if let Some((joined, size)) = header(&bytes) {
            (contents.has_forgotten, contents.size) = (true, size);
            newest.remove(0);
            let mut read = 0;
            let is_joined = |line: &Line| {
                read += line.text.len() as u64 + 1;
                read <= joined
            };
            let count = newest.iter().map(is_joined).take_while(|is_joined| *is_joined).count();
            let rest = newest.split_off(count);
            contents.joined = std::mem::replace(&mut newest, rest);
        }
        Ok(Contents { newest, ..contents })
    }

    /// Every entry, oldest first.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = Entry> {
        self.joined.into_iter().chain(self.newest).filter_map(|line| line.entry)
    }

    /// Inserts lines of other files that are missing here, ordered by time.
    fn take_in(&mut self, mut lines: Vec<Line>) {
        let known: HashSet<&[u8]> = self.joined.iter().chain(&self.newest).map(|line| line.text.as_slice()).collect();
        lines.retain(|line| !known.contains(line.text.as_slice()));
        if !lines.is_empty() {
            // `bd recover` must examine them, wherever they are.
            for line in &mut self.newest {
                if let Some(rest) = line.text.strip_prefix(FORGETS_ALL.as_bytes()) {
                    line.text = [b"{", rest].concat();
                }
            }
            self.newest = woven(vec![std::mem::take(&mut self.newest), lines]);
        }
    }

    /// Replaces the file; `false` if another program has changed the file since it was read.
    pub(crate) fn write(&self, home: &Path, entropy: &Entropy) -> Result<bool, FsError> {
        let length = |lines: &[Line]| lines.iter().map(|line| line.text.len() + 1).sum::<usize>();
        let mut bytes = Vec::new();
        if self.has_forgotten {
            let (joined, size) = (length(&self.joined), self.size);
            bytes.extend_from_slice(format!("{{\"joined\":{joined},\"size\":{size}}}\n").as_bytes());
        }
        for line in self.joined.iter().chain(&self.newest) {
            bytes.extend_from_slice(&line.text);
            bytes.push(b'\n');
        }
        let dir = Dir::root(home)?;
        dir.remove_old_orphans()?;
        let read = match self.stamp {
            Some(stamp) => stamp,
            None => Log::open_to_append(&home.join(WRITES_NAME))?.stamp(),
        };
        dir.put_after(WRITES_NAME, &bytes, Some(&read), entropy)
    }
}

/// The number of joined bytes, and the total size at that time.
pub(super) fn header(bytes: &[u8]) -> Option<(u64, u64)> {
    let line = &bytes[..memchr::memchr(b'\n', bytes)?];
    let record = Record::parse(std::str::from_utf8(line).ok()?).ok()?;
    let number = |key: &str| u64::try_from(record.integer(key)?).ok();
    Some((number("joined")?, number("size")?))
}

/// Locks the log of a state home, creating the home if necessary.
pub(super) fn lock(home: &Path) -> Result<DirLock, LedgerError> {
    match lock::lock(home, PATIENCE) {
        Err(LockError::Open(error)) if error.is_missing() => {
            prepare(home)?;
            Ok(lock::lock(home, PATIENCE)?)
        }
        other => Ok(other?),
    }
}

/// Migrates version 1's files, and those in outboxes.
pub(crate) fn carry_over(home: &Path, outboxes: &[PathBuf], entropy: &Entropy) -> Result<(), LedgerError> {
    let _lock = lock(home)?;
    Ok(carry_over_held(home, outboxes, entropy)?)
}

/// The same while the lock is held.
pub(super) fn carry_over_held(home: &Path, outboxes: &[PathBuf], entropy: &Entropy) -> Result<(), FsError> {
    let others = others(home, outboxes)?;
    if others.is_empty() {
        return Ok(());
    }
    let (now, whole) = (Contents::read_file(home)?, Contents::read(home, outboxes)?);
    if whole.newest.len() != now.newest.len() && !whole.write(home, entropy)? {
        return Ok(());
    }
    for Other { place, name, log, reading } in others {
        let known = log.stamp().size;
        below::remove(&place, name)?;
        // A `bd` of version 1 appends without the lock: it may have opened the file before it was removed.
        let late = log.read(known, below::SMALL)?;
        let mut file = Log::open_to_append(&home.join(WRITES_NAME))?;
        for line in read_lines(&home.join(name), &late, reading) {
            file.append(&[line.text.as_slice(), b"\n"].concat())?;
        }
    }
    Ok(())
}

/// This state home has a log.
pub(super) fn is_there(home: &Path) -> bool {
    EARLIER.iter().map(|(name, _)| *name).chain([WRITES_NAME]).any(|name| sys::path::is_there(&home.join(name)))
}

/// An outbox has lines of the log.
pub(super) fn is_waiting(outboxes: &[PathBuf]) -> bool {
    outboxes.iter().any(|outbox| outbox::may_read(outbox, Path::new(WRITES_NAME)))
}

/// Another file whose lines belong to the log.
struct Other {
    place: PathBuf,
    name: &'static str,
    log: Log,
    reading: Reading,
}

/// The existing files of version 1, and those in outboxes.
fn others(home: &Path, outboxes: &[PathBuf]) -> Result<Vec<Other>, FsError> {
    let earlier = EARLIER.into_iter().map(|(name, reading)| (home, name, reading));
    let waiting = outboxes.iter().filter(|outbox| outbox::may_read(outbox, Path::new(WRITES_NAME)));
    let waiting = waiting.map(|outbox| (outbox.as_path(), WRITES_NAME, own_line as Reading));
    let open = |(place, name, reading): (&Path, &'static str, Reading)| match Log::open(&place.join(name)) {
        Ok(log) => log.map(|log| Ok(Other { place: place.to_owned(), name, log, reading })),
        Err(error) => Some(Err(error)),
    };
    earlier.chain(waiting).filter_map(open).collect()
}

fn own_line(text: &[u8]) -> Option<(Vec<u8>, Option<Entry>)> {
    Some((text.to_vec(), Entry::parse(text)))
}

/// A line of `bd undo`'s log: `bd recover` has its own lines, or has forgotten them.
fn undo_line(text: &[u8]) -> Option<(Vec<u8>, Option<Entry>)> {
    let text = if Entry::parse(text).is_some() { forgotten(text) } else { text.to_vec() };
    let entry = Entry::parse(&text);
    Some((text, entry))
}

fn journal_line(text: &[u8]) -> Option<(Vec<u8>, Option<Entry>)> {
    let entry = Entry::parse_journal(text)?;
    Some((entry.render().trim_end().into(), Some(entry)))
}

fn read_lines(path: &Path, bytes: &[u8], reading: Reading) -> Vec<Line> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, text)| !text.is_empty());
    let line = |(n, text)| {
        let (text, entry) = reading(text)?;
        Some(Line { path: path.to_owned(), number: n + 1, text, entry })
    };
    lines.filter_map(line).collect()
}

/// The lines of several logs by time, each log in its own order. An unreadable line comes right before the next one of
/// its log, or at the end: it may be as late as that.
pub(crate) fn woven(logs: Vec<Vec<Line>>) -> Vec<Line> {
    let times: Vec<Vec<Option<String>>> = logs.iter().map(|log| known_times(log)).collect();
    let mut logs: Vec<_> = logs.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    let mut taken = vec![0; logs.len()];
    loop {
        // Lines without a time come last.
        let key = |n: &usize| times[*n].get(taken[*n]).map(|at| (at.is_none(), at.as_ref()));
        let Some(n) = (0..logs.len()).filter(|n| key(n).is_some()).min_by_key(key) else { return all };
        taken[n] += 1;
        all.extend(logs[n].next());
    }
}

/// The time of each line, or that of the next line with one.
fn known_times(log: &[Line]) -> Vec<Option<String>> {
    let mut times: Vec<Option<String>> = Vec::new();
    for line in log.iter().rev() {
        let own = line.entry.as_ref().map(|entry| entry.at.clone()).filter(|at| !at.is_empty());
        times.push(own.or_else(|| times.last().cloned().flatten()));
    }
    times.reverse();
    times
}

#[cfg(test)]
mod tests {
    use super::super::file::*;

    fn write(name: &str, at: &str) -> String {
        let change = format!("{{\"id\":\"a\",\"after\":\"{name}\"}}");
        format!(
            "{{\"write\":\"{name}\",\"from\":\"/b\",\"ledger\":\"/l\",\"at\":\"{at}\",\"actor\":\"ann\",\"changes\":[{change}]}}\n"
        )
    }

    fn journaled(id: &str, at: &str) -> String {
        format!(
            "{{\"ledger\":\"/l\",\"at\":\"{at}\",\"actor\":\"ann\",\"id\":\"{id}\",\"after\":\"{id}\",\"stamp\":\"1-2\"}}\n"
        )
    }

    /// The content of each line: the write, or the first issue of a line for `bd recover`.
    fn described(contents: &Contents) -> Vec<String> {
        let described = |line: &Line| match &line.entry {
            Some(entry) if entry.write.is_empty() => entry.changes[0].id.clone(),
            Some(entry) => format!("{}{}", entry.write, if entry.is_forgotten { " for undo" } else { "" }),
            None => "?".to_owned(),
        };
        contents.joined.iter().chain(&contents.newest).map(described).collect()
    }

    #[test]
    fn what_version_1_kept_is_carried_over_once() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path();
        let put = |name: &str, text: &str| std::fs::write(home.join(name), text).unwrap();
        put("undo.1.jsonl", &write("one", "1"));
        put("undo.jsonl", &format!("{}torn\n{}", write("two", "3"), write("three", "5").trim_end()));
        let header = "{\"folded\":9}\n{\"ledger\":\"/l\",\"stamp\":\"1-2\"}\n";
        put("journal.jsonl", &format!("{header}{}{}", journaled("a", "2"), journaled("b", "4")));
        let expected = ["one for undo", "a", "two for undo", "b", "?", "three for undo"];
        let seen = Contents::read(home, &[]).unwrap();
        assert_eq!((described(&seen), seen.has_forgotten), (expected.map(str::to_owned).to_vec(), true));
        let names = || {
            let mut names = below::names(home, "").unwrap();
            names.retain(|name| name.ends_with(".jsonl"));
            names
        };
        assert_eq!(names(), ["journal.jsonl", "undo.1.jsonl", "undo.jsonl"], "who reads writes nothing");
        let earlier: Vec<(String, Vec<u8>)> =
            names().into_iter().map(|name| (name.clone(), std::fs::read(home.join(name)).unwrap())).collect();
        carry_over(home, &[], &Entropy::System).unwrap();
        assert_eq!(names(), [WRITES_NAME]);
        let seen = Contents::read(home, &[]).unwrap();
        assert_eq!((described(&seen), seen.has_forgotten), (expected.map(str::to_owned).to_vec(), true));
        // It was interrupted before all of them were removed, whichever those are.
        let bytes = std::fs::read(home.join(WRITES_NAME)).unwrap();
        for there in 1..8 {
            let still: Vec<_> = (0..3).filter(|n| there & (1 << n) != 0).map(|n| &earlier[n]).collect();
            still.iter().for_each(|(name, bytes)| std::fs::write(home.join(name), bytes).unwrap());
            assert_eq!(described(&Contents::read(home, &[]).unwrap()), expected);
            carry_over(home, &[], &Entropy::System).unwrap();
            assert_eq!(
                (names(), std::fs::read(home.join(WRITES_NAME)).unwrap()),
                (vec![WRITES_NAME.into()], bytes.clone())
            );
        }
        // `bd recover` may skip what is here, and then an old `bd` continues.
        let mark = Entry { ledger: "/l".into(), forgets: vec!["0".into()], forgets_all: true, ..Entry::default() };
        Log::open_to_append(&home.join(WRITES_NAME)).unwrap().append(mark.render().as_bytes()).unwrap();
        let to_recover = || Contents::read_to_recover(home, &[]).unwrap().into_entries();
        assert_eq!(to_recover().flat_map(|entry| entry.changes).count(), 0);
        put("journal.jsonl", &journaled("c", "4"));
        put("undo.jsonl", &write("four", "9"));
        let recovers = |id: &str| to_recover().any(|entry| entry.changes.iter().any(|change| change.id == id));
        assert!(recovers("c"));
        carry_over(home, &[], &Entropy::System).unwrap();
        assert!(recovers("c"));
        let mut seen = Contents::read(home, &[]).unwrap();
        seen.newest.retain(|line| line.entry.as_ref().is_none_or(|entry| entry.forgets.is_empty()));
        let expected = ["one for undo", "a", "two for undo", "b", "c", "?", "three for undo", "four for undo"];
        assert_eq!((names(), described(&seen)), (vec![WRITES_NAME.into()], expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn several_logs_are_read_as_one() {
        let line = |name: &str, at: Option<&str>| Line {
            path: PathBuf::from(name),
            entry: at.map(|at| Entry { at: at.into(), ..Entry::default() }),
            ..Line::default()
        };
        let one = vec![line("a", Some("1")), line("b", Some("4")), line("odd", None), line("c", Some("5"))];
        let two = vec![line("d", Some("2")), line("late", Some("9")), line("early", Some("3")), line("torn", None)];
        let order: Vec<String> =
            woven(vec![one, Vec::new(), two]).into_iter().map(|line| line.path.display().to_string()).collect();
        assert_eq!(order, ["a", "d", "b", "odd", "c", "late", "early", "torn"]);
    }
}
