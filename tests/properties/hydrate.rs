//! Proves that a store that lives through any sequence of foreign edits answers as one that was opened just now, and that
//! it parses no line which it knew before.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use beads::internal::cache::Sort;
use beads::internal::model::query::Expr;
use beads::internal::store::{ReadyFilter, Row, Store};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;

use super::cases;
use crate::library::scratch::Scratch;

const NONE: Vec<String> = Vec::new();

/// Everything a store can be asked, a line of text for each fact, without the handles that differ from store to store.
pub fn facts(store: &Store) -> Vec<String> {
    let mut facts = Vec::new();
    let mut add = |what: &str, fact: &dyn std::fmt::Debug| facts.push(format!("{what}: {fact:?}"));
    let short = |row: &Row| format!("{}:{} {:?} {}", row.file.display(), row.line_number, row.counts, row.line);
    for row in store.list(&Expr::ALL, Sort::default(), None).expect("a list").rows {
        add("list", &short(&row));
        add("get", &store.get(&row.issue.id).expect("an answer").as_ref().map(short));
    }
    for row in store.ready(&ReadyFilter::default()).expect("ready").rows {
        add("ready", &short(&row));
    }
    for found in store.blocked(&Expr::ALL, None).expect("blocked").0 {
        add("blocked", &(short(&found.row), found.blocked.blockers, found.blocked.inherited));
    }
    for hit in store.search("fix").expect("a search") {
        add("search", &(short(&hit.row), hit.fields));
    }
    add("labels", &store.labels().expect("labels"));
    add("dangling", &store.dangling().expect("dangling"));
    add("cycles", &store.cycles().expect("cycles"));
    add("statistics", &store.statistics(&beads::internal::model::query::Expr::ALL).expect("statistics"));
    add("prefix", &store.prefix(0).expect("a prefix"));
    store.warnings().iter().for_each(|warning| add("warning", warning));
    facts
}

/// The differences between two stores' answers.
pub fn difference(long: &Store, fresh: &Store) -> Vec<String> {
    let (long, fresh) = (facts(long), facts(fresh));
    if long == fresh {
        return Vec::new();
    }
    let mut lines: Vec<String> =
        long.iter().filter(|f| !fresh.contains(f)).map(|f| format!("long-lived {f}")).collect();
    lines.extend(fresh.iter().filter(|f| !long.contains(f)).map(|f| format!("fresh {f}")));
    if lines.is_empty() && long != fresh {
        lines.push(format!("another order: {long:#?} {fresh:#?}"));
    }
    lines
}

/// What another program does to the file.
#[derive(Debug, Clone)]
pub enum Step {
    Replace(Index, String),
    SameSize(Index),
    Add(Index, String),
    Remove(Index),
    /// Copies a line to another place.
    Double(Index, Index),
    Swap(Index, Index),
    Rotate(Index),
    Garbage(Index, &'static [u8]),
    CarriageReturn(Index),
    Mark,
    NoFinalNewline,
    /// Cuts the last line somewhere.
    Cut(Index),
    Touch,
}

pub fn line() -> impl Strategy<Value = String> {
    let id = select(vec!["a", "b", "c", "d", "e", "f", "g.1", "h"]);
    let status = select(vec!["open", "open", "open", "in_progress", "closed", "tombstone", "blocked"]);
    let time = select(vec!["2026-01-01T00:00:00Z", "2026-01-02T00:00:00+01:00", "2026-01-03T00:00:00.5Z"]);
    let kind = select(vec!["blocks", "parent-child", "waits-for", "related"]);
    let title = select(vec!["Fix it", "Fix that", "Find out", "Write it down"]);
    let label = select(vec!["\"ui\"", "\"core\"", "\"ui\",\"core\"", "", "7"]);
    (id.clone(), title, status, 0..4, (time.clone(), time), (kind, id), label).prop_map(
        |(id, title, status, priority, (created, updated), (kind, target), labels)| {
            format!(
                r#"{{"id":"t-{id}","title":"{title}","status":"{status}","priority":{priority},"created_at":"{created}","updated_at":"{updated}","labels":[{labels}],"dependencies":[{{"depends_on_id":"t-{target}","type":"{kind}"}}]}}"#
            )
        },
    )
}

pub fn step() -> impl Strategy<Value = Step> {
    let at = any::<Index>;
    let garbage: Vec<&'static [u8]> =
        vec![b"rubbish", b"{\"id\":\"t-a\"", b"<<<<<<< x", b">>>>>>> y", b"", b"\xff\0", b"{\"_type\":\"memory\"}"];
    prop_oneof![
        4 => (at(), line()).prop_map(|(n, line)| Step::Replace(n, line)),
        3 => at().prop_map(Step::SameSize),
        3 => (at(), line()).prop_map(|(n, line)| Step::Add(n, line)),
        3 => at().prop_map(Step::Remove),
        3 => (at(), at()).prop_map(|(n, to)| Step::Double(n, to)),
        2 => (at(), at()).prop_map(|(n, to)| Step::Swap(n, to)),
        1 => at().prop_map(Step::Rotate),
        2 => (at(), select(garbage)).prop_map(|(n, bytes)| Step::Garbage(n, bytes)),
        1 => at().prop_map(Step::CarriageReturn),
        1 => Just(Step::Mark),
        1 => Just(Step::NoFinalNewline),
        1 => at().prop_map(Step::Cut),
        1 => Just(Step::Touch),
    ]
}

/// The file as a list of lines, and how it begins and ends.
#[derive(Debug, Default)]
pub struct Text {
    pub lines: Vec<Vec<u8>>,
    marked: bool,
    unended: bool,
    cut: Option<Index>,
}

impl Text {
    /// The content of a file.
    pub fn of(bytes: &[u8]) -> Self {
        let marked = bytes.starts_with(b"\xef\xbb\xbf");
        let bytes = if marked { &bytes[3..] } else { bytes };
        let lines =
            bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        Text { lines, marked, unended: false, cut: None }
    }

    pub fn apply(&mut self, step: &Step) {
        // The next step repairs a cut and a missing line feed.
        (self.unended, self.cut) = (false, None);
        let count = self.lines.len();
        let at = |index: &Index| index.index(count);
        match step {
            Step::Replace(n, line) => self.lines[at(n)] = line.clone().into(),
            Step::SameSize(n) => {
                let n = at(n);
                let places = self.lines[n].windows(3).position(|part| part == b"Fix" || part == b"Fax");
                if let Some(place) = places {
                    let letter = &mut self.lines[n][place + 1];
                    *letter = if *letter == b'i' { b'a' } else { b'i' };
                }
            }
            Step::Add(n, line) => self.lines.insert(at(n), line.clone().into()),
            Step::Remove(n) if count > 1 => drop(self.lines.remove(at(n))),
            Step::Double(n, to) => self.lines.insert(at(to), self.lines[at(n)].clone()),
            Step::Swap(n, to) => self.lines.swap(at(n), at(to)),
            Step::Rotate(n) => self.lines.rotate_left(at(n)),
            Step::Garbage(n, bytes) => self.lines.insert(at(n), bytes.to_vec()),
            Step::CarriageReturn(n) => self.lines[at(n)].push(b'\r'),
            Step::Mark => self.marked = !self.marked,
            Step::NoFinalNewline => self.unended = true,
            Step::Cut(n) => self.cut = Some(*n),
            Step::Remove(_) | Step::Touch => {}
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mark: &[u8] = if self.marked { b"\xef\xbb\xbf" } else { b"" };
        let mut lines = self.lines.clone();
        if let (Some(cut), Some(last)) = (self.cut, lines.last_mut()) {
            last.truncate(cut.index(last.len() + 1));
        }
        let mut bytes = [mark, &lines.join(&b'\n')].concat();
        // An emptied file is waited for, so there is always something in it.
        if !self.unended && self.cut.is_none() || bytes.len() == mark.len() {
            bytes.push(b'\n');
        }
        bytes
    }
}

/// How many lines of the new file have no counterpart in the old one.
pub fn unknown(old: &[u8], new: &[u8]) -> usize {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let mut stock = lines(old);
    let mut taken =
        |line: &Vec<u8>| stock.iter().position(|known| known == line).map(|n| stock.swap_remove(n)).is_some();
    lines(new).iter().filter(|line| !taken(line)).count()
}

proptest! {
    #![proptest_config(Config { max_shrink_iters: 400, ..cases(24, 5) })]

    #[test]
    fn a_long_life_and_a_fresh_start_agree(
        first in vec(line(), 1..8), steps in vec((step(), any::<bool>()), 25),
    ) {
        let mut text = Text { lines: first.into_iter().map(String::into_bytes).collect(), ..Text::default() };
        let scratch = Scratch::with(text.bytes());
        let mut store = scratch.open();
        prop_assert_eq!(difference(&store, &scratch.open()), NONE);
        for (step, by_rename) in steps {
            let before = text.bytes();
            text.apply(&step);
            if by_rename {
                scratch.swap_in(text.bytes());
            } else {
                fs::write(scratch.ledger(), text.bytes()).expect("a write in place");
            }
            // An old file is not waited for: what it lacks at its end will not come any more.
            let old = SystemTime::now() - Duration::from_secs(3600);
            File::options().write(true).open(scratch.ledger()).and_then(|f| f.set_modified(old)).expect("an old time");
            let refresh = store.refresh().expect("a refresh");
            prop_assert_eq!(refresh.parsed, unknown(&before, &text.bytes()), "after {:?}", step);
            prop_assert_eq!(difference(&store, &scratch.open()), NONE, "after {:?}", step);
        }
    }
}
