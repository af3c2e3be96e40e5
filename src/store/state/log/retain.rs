//! What the log keeps, and for how long: decided only here.
//!
//! `bd undo` needs the newest writes completely, at least [`NEWEST`] bytes. `bd recover` needs changes of any age that
//! no remote has and no one gave up; a line records which of them it forgets. When the log has grown large, entries
//! older than `bd undo` needs are joined: each issue keeps its first and last line.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::entry::{Entry, Stays, forgotten, name_of, stamp_text};
use super::file::{Contents, Line, header, is_there};
use super::{Missing, WriteLog};
use crate::ledger::{Document, LedgerError};
use crate::sys::fs::{FileStamp, FsError};
use crate::sys::log::Log;
use crate::vcs::Reach;

/// How much of the newest writes to keep for `bd undo`, at least.
const NEWEST: u64 = 512 << 10;
/// The header line is at most this long.
const HEADER: u64 = 64;
/// Of a larger write, `bd undo` knows only the name once lines are joined.
const LARGEST_WRITE: usize = 4 << 20;

/// Lines to forget, left by writes, and the ledger, if it is not the log's own.
pub(crate) type Lost<'a> = (Option<&'a Path>, &'a [String]);

/// The log has more than twice the necessary content.
fn is_due(log: &Log) -> Result<bool, FsError> {
    let size = log.stamp().size;
    if size < 2 * NEWEST {
        return Ok(false);
    }
    let (joined, then) = header(&log.read(0, HEADER)?).unwrap_or_default();
    Ok(size >= then + joined.max(NEWEST))
}

impl WriteLog<'_> {
    /// Shrinks the log if it has become large.
    pub(super) fn keep_small(&self, log: &Log) -> Result<(), FsError> {
        if is_due(log)? {
            self.forget_pushed()?;
            self.join()?;
        }
        Ok(())
    }

    /// Forgets what a remote has, if there is a log.
    pub(crate) fn prune(&self) -> Result<(), LedgerError> {
        if !is_there(self.home) {
            return Ok(());
        }
        let _lock = self.lock()?;
        let (joined, _) = header(&self.open()?.read(0, HEADER)?).unwrap_or_default();
        // Joined lines can be large, so remove them at once.
        if self.forget_pushed()? && joined > 0 {
            self.join()?;
        }
        Ok(())
    }

    /// Records what a remote has by now; returns whether that was anything. The lock is held.
    fn forget_pushed(&self) -> Result<bool, FsError> {
        let (mut marks, mut is_all) = (Vec::new(), true);
        for (ledger, mut known) in self.by_ledger(self.entries()?) {
            // The history covers all checkouts: for a deleted one, use this one's.
            let file = Path::new(&ledger);
            let file = if file.parent().is_some_and(Path::is_dir) { file } else { self.ledger };
            let pushed = self.leave_out(&mut known.fold, file, Reach::Remote, |_| true);
            is_all &= known.fold.issues.is_empty();
            if !pushed.is_empty() {
                let forgets = pushed.iter().map(|line| name_of(line)).collect();
                marks.push(Entry { forgets, stamp: known.stamp.clone(), ..known.note(ledger) });
            }
        }
        let Some(last) = marks.last_mut() else { return Ok(false) };
        last.forgets_all = is_all;
        self.put(&mut self.open()?, &marks)?;
        Ok(true)
    }

    /// Forgets missing lines of a document, and returns what is still missing. The stamp is that of the document's
    /// file.
    pub(crate) fn forget(
        &self,
        lost: &[Lost<'_>],
        document: &Document,
        stamp: Option<FileStamp>,
    ) -> Result<Vec<Missing>, LedgerError> {
        let _lock = self.lock()?;
        let mut entries = self.entries()?;
        let mut known = self.by_ledger(entries.clone());
        let mut marks: BTreeMap<String, Entry> = BTreeMap::new();
        for (ledger, lines) in lost {
            let ledger = ledger.map_or_else(|| self.key(), |path| path.display().to_string());
            let note = || known.remove(&ledger).unwrap_or_default().note(ledger.clone());
            let mark = marks.entry(ledger.clone()).or_insert_with(note);
            mark.forgets.extend(lines.iter().map(|line| name_of(line)));
        }
        entries.extend(marks.values().cloned());
        let missing = self.compare(entries, document);
        if let (Some(mark), []) = (marks.get_mut(&self.key()), missing.as_slice()) {
            mark.stamp = stamp.as_ref().map(stamp_text);
        }
        self.put(&mut self.open()?, &marks.into_values().collect::<Vec<_>>())?;
        Ok(missing)
    }

    /// Joins entries older than the newest writes. The lock is held, and version 1's files are gone.
    fn join(&self) -> Result<(), FsError> {
        let Contents { joined, mut newest, stamp, .. } = Contents::read_file(self.home)?;
        let entries = |lines: &[Line]| lines.iter().filter_map(|line| line.entry.clone()).collect::<Vec<_>>();
        let forgets: HashSet<String> = entries(&newest).into_iter().flat_map(|entry| entry.forgets).collect();
        let first = first_to_keep(&newest);
        let end = newest.iter().rposition(is_large).map_or(first, |last| first.max(last + 1));
        // `bd recover` gets the content of kept lines from what they are joined to.
        let old = [entries(&joined), entries(&newest[..end])].concat();
        for line in &mut newest[first..end] {
            line.text = match &line.entry {
                Some(entry) if is_large(line) => {
                    let entry = Entry { stays: Some(Stays::Large), changes: Vec::new(), ..entry.clone() };
                    entry.render().trim_end().into()
                }
                _ => forgotten(&line.text),
            };
        }
        let mut joined = Vec::new();
        for (ledger, mut known) in self.by_ledger(self.followed(old)) {
            known.fold.forget(&forgets);
            joined.extend(known.fold.entries(&known.note(ledger.clone())));
            joined.extend(known.stamp.clone().map(|stamp| Entry { ledger, stamp: Some(stamp), ..Entry::default() }));
        }
        let line = |entry: Entry| Line { text: entry.render().trim_end().into(), ..Line::default() };
        let (joined, newest) = (joined.into_iter().map(line).collect::<Vec<_>>(), newest.split_off(first));
        let size = joined.iter().chain(&newest).map(|line| line.text.len() as u64 + 1).sum();
        // `bd` writes here only under the lock: leave another program's changes alone.
        Contents { joined, newest, has_forgotten: true, size, stamp }.write(self.home, &self.host.entropy)?;
        Ok(())
    }
}

fn is_large(line: &Line) -> bool {
    line.entry.as_ref().is_some_and(|entry| entry.weight() > LARGEST_WRITE)
}

/// The first line that `bd undo` needs. The parts of one write stay together.
fn first_to_keep(lines: &[Line]) -> usize {
    let write = |line: &Line| line.entry.as_ref().map(|entry| entry.write.clone()).filter(|write| !write.is_empty());
    let mut begins: HashMap<String, usize> = HashMap::new();
    for (n, line) in lines.iter().enumerate() {
        write(line).map(|write| begins.entry(write).or_insert(n));
    }
    let (mut first, mut size, mut n) = (lines.len(), 0, lines.len());
    while n > 0 && (size < NEWEST || n > first) {
        n -= 1;
        size += if is_large(&lines[n]) { 0 } else { lines[n].text.len() as u64 + 1 };
        let begin = write(&lines[n]).and_then(|write| begins.get(&write).copied());
        first = first.min(begin.unwrap_or(n)).min(n);
    }
    first
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::retain::*;
    use crate::ledger::LineChange;
    use crate::store::state::home::Outboxes;
    use crate::sys::Host;

    struct Place {
        _directory: tempfile::TempDir,
        home: PathBuf,
        ledger: PathBuf,
        host: Host,
    }

    impl Place {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let beads = directory.path().join(".beads");
            std::fs::create_dir(&beads).unwrap();
            let (home, ledger) = (beads.join("run"), beads.join("beads.jsonl"));
            Place { _directory: directory, home, ledger, host: Host::real() }
        }

        fn log(&self) -> WriteLog<'_> {
            WriteLog { home: &self.home, outboxes: Outboxes::default(), ledger: &self.ledger, host: &self.host }
        }

        /// A write that changes the issue `id`, starting from `before`.
        fn write(&self, write: &str, id: &str, before: Option<String>, after: String) {
            let entry = Entry {
                write: write.into(),
                from: "/b".into(),
                ledger: self.log().key(),
                at: "2026-01-05T09:00:00.000Z".into(),
                actor: "ann".into(),
                changes: vec![LineChange { id: id.into(), before, after: Some(after) }],
                ..Entry::default()
            };
            let log = self.log();
            log.add(entry).unwrap();
            let _lock = log.lock().unwrap();
            log.keep_small(&log.open().unwrap()).unwrap();
        }

        fn size(&self) -> u64 {
            std::fs::metadata(self.home.join("writes.jsonl")).unwrap().len()
        }

        /// The writes that `bd undo` knows, oldest first.
        fn writes(&self) -> Vec<String> {
            let lines = Contents::read(&self.home, &[]).unwrap().newest;
            lines.into_iter().map(|line| line.entry.unwrap().write).filter(|write| !write.is_empty()).collect()
        }

        fn missing(&self) -> Vec<String> {
            let missing = self.log().all_missing(&Document::default()).unwrap();
            missing.into_iter().map(|missing| missing.line).collect()
        }
    }

    fn line(id: &str, n: usize, length: usize) -> String {
        format!("{{\"id\":\"{id}\",\"n\":{n},\"text\":\"{}\"}}", "x".repeat(length))
    }

    #[test]
    fn the_log_stays_small_keeps_the_newest_writes_and_joins_the_others() {
        let place = Place::new();
        for n in 0..80 {
            let before = (n > 0).then(|| line("a", n - 1, 20_000));
            place.write(&n.to_string(), "a", before, line("a", n, 20_000));
            assert!(place.size() < 2 * NEWEST + 100_000, "{n}: {}", place.size());
            let writes: Vec<usize> = place.writes().iter().map(|write| write.parse().unwrap()).collect();
            assert_eq!(writes, (writes[0]..=n).collect::<Vec<_>>());
            assert!(n - writes[0] >= 12.min(n), "{n}: only from {} on", writes[0]);
            if n % 20 == 19 {
                assert_eq!(place.missing(), [line("a", n, 20_000)]);
            }
        }
    }

    #[test]
    fn what_was_written_once_and_never_again_stays() {
        let place = Place::new();
        let old: Vec<String> = (0..20).map(|n| line(&format!("old-{n:02}"), n, 100)).collect();
        for (n, text) in old.iter().enumerate() {
            place.write("old", &format!("old-{n:02}"), None, text.clone());
        }
        let edits = |from: usize| {
            for n in from..from + 40 {
                let before = (n > 0).then(|| line("z", n - 1, 20_000));
                place.write(&format!("new-{n}"), "z", before, line("z", n, 20_000));
            }
        };
        edits(0);
        assert!(!place.writes().contains(&"old".to_owned()));
        assert_eq!(place.missing()[..20], old);
        // Lines that are given up are also removed from joined ones at the next join.
        let lost: Vec<String> = old[..10].to_vec();
        place.log().forget(&[(None, &lost)], &Document::default(), None).unwrap();
        assert_eq!(place.missing()[..10], old[10..]);
        edits(40);
        assert_eq!(place.missing()[..10], old[10..]);
        assert!(!std::fs::read_to_string(place.home.join("writes.jsonl")).unwrap().contains("old-09"));
    }

    #[test]
    fn the_parts_of_a_write_stay_together() {
        let lines = |writes: &[(&str, usize)]| -> Vec<Line> {
            let line = |(write, length): &(&str, usize)| Line {
                text: vec![b'x'; *length],
                entry: Some(Entry { write: (*write).into(), ..Entry::default() }),
                ..Line::default()
            };
            writes.iter().map(line).collect()
        };
        let half = NEWEST as usize / 2;
        assert_eq!(first_to_keep(&lines(&[("a", half), ("b", half), ("c", half), ("d", half)])), 2);
        assert_eq!(first_to_keep(&lines(&[("a", half), ("b", half), ("c", half), ("b", half)])), 1);
        assert_eq!(first_to_keep(&lines(&[("a", 9), ("b", 9), ("a", 9), ("b", half), ("c", half)])), 0);
        assert_eq!(first_to_keep(&lines(&[("", half), ("", half), ("", half)])), 1);
        assert_eq!(first_to_keep(&lines(&[("a", 9)])), 0);
    }

    #[test]
    fn of_a_write_that_is_too_large_undo_knows_the_name_and_recover_the_lines() {
        let place = Place::new();
        place.write("small", "a", None, line("a", 0, 10));
        place.write("large", "b", None, line("b", 1, LARGEST_WRITE));
        place.write("later", "a", Some(line("a", 0, 10)), line("a", 2, 10));
        assert_eq!(place.writes(), ["small", "large", "later"]);
        let large = Contents::read(&place.home, &[]).unwrap().newest[1].entry.clone().unwrap();
        assert_eq!((large.stays, large.changes.len()), (Some(Stays::Large), 0));
        assert_eq!(place.missing(), [line("a", 2, 10), line("b", 1, LARGEST_WRITE)]);
        assert!(place.size() < LARGEST_WRITE as u64 + 10_000, "the large lines are there once");
    }

    #[test]
    fn a_line_that_was_cut_off_does_not_take_the_next_one_with_it() {
        let place = Place::new();
        place.write("1", "a", None, line("a", 0, 10));
        let path = place.home.join("writes.jsonl");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        place.write("2", "b", None, line("b", 0, 10));
        let lines = Contents::read(&place.home, &[]).unwrap().newest;
        let found: Vec<Option<String>> = lines.into_iter().map(|line| line.entry.map(|entry| entry.write)).collect();
        assert_eq!(found, [None, Some("2".to_owned())]);
        assert_eq!(place.missing(), [line("b", 0, 10)]);
    }
}
