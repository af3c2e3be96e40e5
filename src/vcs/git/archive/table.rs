//! The lines of a version, put together from those of the object that it is a delta of.
//!
//! Thousands of versions of a large file have nearly all lines in common. So a version is a list of runs of lines that are in
//! memory anyway, and a delta makes another list of it: only lines that it cuts or inserts are new. Two versions are compared
//! by their runs; what both have of one source need not be looked at.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use twox_hash::XxHash3_64;

use super::delta::{Delta, Instruction};
use crate::vcs::archive::{Change, Naming, Spot};

/// With more runs than this a version is put together after all.
const RUNS: usize = 1024;
/// The same for one whose bytes are at hand: it costs nothing but memory, and those after it begin with fewer runs.
const FEW_RUNS: usize = 256;
/// No honest delta makes so many.
const TOO_MANY: usize = 1 << 20;
const NAMELESS: u32 = u32::MAX;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The names of lines by number, and how many bytes the lines need that were named.
pub struct Names {
    naming: Naming,
    numbers: HashMap<Rc<str>, u32>,
    all: Vec<Rc<str>>,
    pub bytes: usize,
}

impl Names {
    pub fn new(naming: Naming) -> Self {
        Names { naming, numbers: HashMap::new(), all: Vec::new(), bytes: 0 }
    }

    fn number(&mut self, line: &[u8]) -> u32 {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let Some(name) = (self.naming)(line.strip_prefix(BOM).unwrap_or(line)) else { return NAMELESS };
        if let Some(number) = self.numbers.get(name.as_str()) {
            return *number;
        }
        let (name, number): (Rc<str>, u32) = (name.into(), self.all.len() as u32);
        self.all.push(Rc::clone(&name));
        self.numbers.insert(name, number);
        number
    }
}

/// Lines in memory, each with its line feed; only the last may lack it.
struct Source {
    bytes: Vec<u8>,
    /// Where each line begins, and where the last one ends.
    starts: Vec<u32>,
    names: Vec<u32>,
    /// The lines that have a name, in the order of the names; those of one name in file order.
    by_name: Vec<u32>,
}

impl Source {
    fn new(bytes: Vec<u8>, names: &mut Names) -> Rc<Self> {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &bytes).map(|end| end as u32 + 1));
        if starts.last().is_some_and(|last| (*last as usize) < bytes.len()) {
            starts.push(bytes.len() as u32);
        }
        let numbers = starts.windows(2).map(|line| names.number(&bytes[line[0] as usize..line[1] as usize]));
        let numbers: Vec<u32> = numbers.collect();
        let named = |line: &u32| numbers[*line as usize] != NAMELESS;
        let mut by_name: Vec<u32> = (0..numbers.len() as u32).filter(named).collect();
        by_name.sort_by_key(|line| numbers[*line as usize]);
        names.bytes += bytes.len() + 12 * numbers.len();
        Rc::new(Source { bytes, starts, names: numbers, by_name })
    }

    /// A line with its end.
    fn ended(&self, n: u32) -> &[u8] {
        &self.bytes[self.starts[n as usize] as usize..self.starts[n as usize + 1] as usize]
    }

    fn line(&self, n: u32) -> &[u8] {
        let line = self.ended(n);
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// The lines of a name.
    fn named(&self, name: u32) -> &[u32] {
        let first = self.by_name.partition_point(|line| self.names[*line as usize] < name);
        let end = self.by_name.partition_point(|line| self.names[*line as usize] <= name);
        &self.by_name[first..end]
    }
}

/// Lines of a source that stand together.
struct Run {
    source: Rc<Source>,
    lines: Range<u32>,
    /// Where in the version they begin.
    at: usize,
}

impl Run {
    /// Where its bytes are in the source.
    fn bytes(&self) -> Range<usize> {
        self.source.starts[self.lines.start as usize] as usize..self.source.starts[self.lines.end as usize] as usize
    }

    fn end(&self) -> usize {
        self.at + self.bytes().len()
    }
}

/// No run is empty, and each begins where the one before it ends.
#[derive(Default)]
pub struct Table {
    runs: Vec<Run>,
    len: usize,
}

/// A version in the making: runs of the base, and between them lines that are new.
#[derive(Default)]
struct Draft {
    /// A run without a source is one of new lines.
    runs: Vec<(Option<Rc<Source>>, Range<u32>)>,
    new: Vec<u8>,
    count: u32,
    /// The last new line is not ended.
    is_open: bool,
    len: usize,
}

impl Draft {
    fn add(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_open {
                self.push(None, self.count..self.count + 1);
                self.count += 1;
            }
            self.new.extend_from_slice(line);
            self.is_open = !line.ends_with(b"\n");
        }
        self.len += bytes.len();
    }

    /// What goes on where the last run ends makes that one longer.
    fn push(&mut self, source: Option<&Rc<Source>>, lines: Range<u32>) {
        match self.runs.last_mut() {
            Some((last, known))
                if known.end == lines.start && last.as_ref().map(Rc::as_ptr) == source.map(Rc::as_ptr) =>
            {
                known.end = lines.end;
            }
            _ => self.runs.push((source.cloned(), lines)),
        }
    }

    /// Takes bytes of a source: whole lines as they are, what is cut as new.
    fn take(&mut self, source: &Rc<Source>, bytes: Range<usize>) {
        let Range { mut start, end } = bytes;
        let first = source.starts.partition_point(|at| (*at as usize) < start);
        if self.is_open || source.starts.get(first).is_none_or(|at| *at as usize != start) {
            let rest = memchr::memchr(b'\n', &source.bytes[start..end]).map_or(end, |at| start + at + 1);
            self.add(&source.bytes[start..rest]);
            start = rest;
        }
        if start < end {
            let first = source.starts.partition_point(|at| (*at as usize) < start);
            let last = source.starts.partition_point(|at| *at as usize <= end) - 1;
            // A line that is not ended may go on.
            let is_ended = last > first && source.bytes[source.starts[last] as usize - 1] == b'\n';
            let last = if is_ended { last } else { last.saturating_sub(1).max(first) };
            if last > first {
                self.push(Some(source), first as u32..last as u32);
                self.len += source.starts[last] as usize - start;
                start = source.starts[last] as usize;
            }
            self.add(&source.bytes[start..end]);
        }
    }

    /// The version; with too many runs it is put together.
    fn finish(self, most: usize, names: &mut Names) -> Table {
        let new = Source::new(self.new, names);
        let mut table = Table { runs: Vec::with_capacity(self.runs.len()), len: 0 };
        for (source, lines) in self.runs {
            let run = Run { source: source.unwrap_or_else(|| Rc::clone(&new)), lines, at: table.len };
            table.len = run.end();
            table.runs.push(run);
        }
        names.bytes += table.runs.len() * size_of::<Run>();
        if table.runs.len() > most { Table::whole(table.text(), names) } else { table }
    }
}

impl Table {
    pub fn whole(bytes: Vec<u8>, names: &mut Names) -> Self {
        let len = bytes.len();
        let source = Source::new(bytes, names);
        let lines = 0..source.names.len() as u32;
        let runs = if lines.is_empty() { Vec::new() } else { vec![Run { source, lines, at: 0 }] };
        Table { runs, len }
    }

    /// The version that a delta makes of this one; `None` if the delta is not for it, or is damaged.
    pub fn changed(&self, delta: &[u8], names: &mut Names) -> Option<Self> {
        let delta = Delta::read(delta).filter(|delta| delta.base == self.len)?;
        let mut draft = Draft::default();
        // git copies no more than some bytes at once; what goes on in the base cuts no line.
        let mut copied = 0..0;
        for instruction in delta.instructions() {
            match instruction? {
                Instruction::Copy { from, len } if from == copied.end => copied.end = from.checked_add(len)?,
                Instruction::Copy { from, len } => {
                    self.copy(&copied, &mut draft)?;
                    copied = from..from.checked_add(len)?;
                }
                Instruction::Insert(bytes) => {
                    self.copy(&copied, &mut draft)?;
                    copied = 0..0;
                    draft.add(bytes);
                }
            }
            if draft.len > delta.result || draft.runs.len() > TOO_MANY {
                return None;
            }
        }
        self.copy(&copied, &mut draft)?;
        if draft.len != delta.result {
            return None;
        }
        Some(draft.finish(RUNS, names))
    }

    /// A version of which there are the bytes alone: lines that another one has are not kept twice.
    pub fn beside(bytes: &[u8], other: &Table, names: &mut Names) -> Self {
        let lines: Vec<(&Rc<Source>, u32)> =
            other.runs.iter().flat_map(|run| run.lines.clone().map(move |line| (&run.source, line))).collect();
        let text = |n: usize| lines.get(n).map(|(source, line)| source.ended(*line));
        // Most lines stand where one expects them; where the others are is asked if there are any.
        let places: OnceCell<HashMap<u64, usize>> = OnceCell::new();
        let sum = |line: &[u8]| XxHash3_64::oneshot(line);
        let all = || (0..lines.len()).filter_map(|n| Some((sum(text(n)?), n))).collect();
        let (mut draft, mut next) = (Draft::default(), 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let elsewhere = || places.get_or_init(all).get(&sum(line)).copied().filter(|n| text(*n) == Some(line));
            let found = [next, next + 1].into_iter().find(|n| text(*n) == Some(line)).or_else(elsewhere);
            match found {
                Some(n) => {
                    draft.push(Some(lines[n].0), lines[n].1..lines[n].1 + 1);
                    draft.len += line.len();
                    next = n + 1;
                }
                None => draft.add(line),
            }
        }
        draft.finish(FEW_RUNS, names)
    }

    /// Takes bytes of this version into another one.
    fn copy(&self, bytes: &Range<usize>, to: &mut Draft) -> Option<()> {
        if bytes.end > self.len {
            return None;
        }
        let first = self.runs.partition_point(|run| run.end() <= bytes.start);
        for run in self.runs[first..].iter().take_while(|run| run.at < bytes.end) {
            let start = run.bytes().start;
            let from = start + bytes.start.saturating_sub(run.at);
            to.take(&run.source, from..start + run.end().min(bytes.end) - run.at);
        }
        Some(())
    }

    fn text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.len);
        self.runs.iter().for_each(|run| text.extend_from_slice(&run.source.bytes[run.bytes()]));
        text
    }

    /// Where a line is that a run has.
    fn spot(&self, part: usize, run: &Run, line: u32) -> Spot {
        let text = run.source.line(line);
        let start = run.at + run.source.starts[line as usize] as usize - run.bytes().start;
        let skipped = if start == 0 && text.starts_with(BOM) { BOM.len() } else { 0 };
        Spot::of(part, start + skipped, &text[skipped..])
    }

    /// Adds the lines that have one of these names.
    fn find(&self, part: usize, names: &BTreeSet<u32>, found: &mut HashMap<u32, Vec<Spot>>) {
        let lines: usize = self.runs.iter().map(|run| run.lines.len()).sum();
        let mut add = |name: u32, run: &Run, line: u32| {
            found.entry(name).or_default().push(self.spot(part, run, line));
        };
        // Few names are looked for in each source, of many every line is asked.
        if names.len() * self.runs.len() < lines {
            for name in names {
                for run in &self.runs {
                    let lines = run.source.named(*name).iter().filter(|line| run.lines.contains(line));
                    lines.for_each(|line| add(*name, run, *line));
                }
            }
            return;
        }
        for run in &self.runs {
            for line in run.lines.clone() {
                let name = run.source.names[line as usize];
                if names.contains(&name) {
                    add(name, run, line);
                }
            }
        }
    }
}

/// What differs between two versions, each of one table per part.
pub fn changes(before: &[Rc<Table>], after: &[Rc<Table>], names: &Names) -> Vec<Change> {
    let (one, other) = (left_over(before, after), left_over(after, before));
    let line = |(source, line): &(&Source, u32)| source.line(*line).to_vec();
    let same = |(one, other): &(&(&Source, u32), &(&Source, u32))| one.0.line(one.1) == other.0.line(other.1);
    let start = one.iter().zip(&other).take_while(same).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(same).count();
    let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
    let mut changed = BTreeSet::new();
    for (from, to) in [(one, other), (other, one)] {
        let known: HashSet<Vec<u8>> = from.iter().map(line).collect();
        let new = to.iter().filter(|(source, line)| !known.contains(source.line(*line)));
        changed.extend(new.map(|(source, line)| source.names[*line as usize]));
    }
    changed.remove(&NAMELESS);
    let spots = |tables: &[Rc<Table>]| {
        let mut found = HashMap::new();
        tables.iter().enumerate().for_each(|(part, table)| table.find(part, &changed, &mut found));
        found
    };
    let (mut before, mut after) = (spots(before), spots(after));
    let change = |name: &u32| Change {
        name: Rc::clone(&names.all[*name as usize]),
        before: before.remove(name).unwrap_or_default(),
        after: after.remove(name).unwrap_or_default(),
    };
    let mut changes: Vec<Change> = changed.iter().map(change).collect();
    changes.sort_by(|one, other| one.name.cmp(&other.name));
    changes
}

/// The lines of some tables that are not in others by the same source.
fn left_over<'a>(of: &'a [Rc<Table>], without: &[Rc<Table>]) -> Vec<(&'a Source, u32)> {
    let mut known: HashMap<*const Source, Vec<Range<u32>>> = HashMap::new();
    for run in without.iter().flat_map(|table| &table.runs) {
        known.entry(Rc::as_ptr(&run.source)).or_default().push(run.lines.clone());
    }
    for ranges in known.values_mut() {
        ranges.sort_by_key(|range| range.start);
        // Apart from each other, so that their ends are in order too.
        ranges.dedup_by(|next, last| {
            let is_joined = next.start <= last.end;
            if is_joined {
                last.end = last.end.max(next.end);
            }
            is_joined
        });
    }
    let mut left = Vec::new();
    for run in of.iter().flat_map(|table| &table.runs) {
        let mut at = run.lines.start;
        let ranges = known.get(&Rc::as_ptr(&run.source)).map_or(&[] as &[Range<u32>], |ranges| ranges);
        for range in &ranges[ranges.partition_point(|range| range.end <= at)..] {
            if range.start >= run.lines.end {
                break;
            }
            left.extend((at..range.start.max(at)).map(|line| (&*run.source, line)));
            at = at.max(range.end);
        }
        left.extend((at..run.lines.end.max(at)).map(|line| (&*run.source, line)));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::super::delta::Instruction::{Copy, Insert};
    use super::super::delta::tests::written;
    use super::*;
    use crate::vcs::archive::tests::{first_word, told};

    fn names() -> Names {
        Names::new(first_word)
    }

    /// What the tables of two versions tell, in the words of the plain comparison.
    fn compared(before: &Rc<Table>, after: &Rc<Table>, names: &Names) -> Vec<String> {
        let lines = |table: &Table, spots: &[Spot]| {
            let text = table.text();
            let line = |spot: &Spot| &text[spot.start as usize..(spot.start + spot.len) as usize];
            spots.iter().map(|spot| String::from_utf8_lossy(line(spot)).into_owned()).collect::<Vec<_>>().join("|")
        };
        let found = changes(std::slice::from_ref(before), std::slice::from_ref(after), names);
        let one = |change: &Change| {
            format!("{}: {} -> {}", change.name, lines(before, &change.before), lines(after, &change.after))
        };
        found.iter().map(one).collect()
    }

    #[test]
    fn a_delta_cuts_lines_anywhere() {
        let base = "a 1\nb 1\nc 1\nd 1\n";
        let cases: [(&str, &[Instruction<'_>]); 7] = [
            ("a 1\nb 2\nc 1\nd 1\n", &[Copy { from: 0, len: 6 }, Insert(b"2"), Copy { from: 7, len: 9 }]),
            ("b 1\nc 1\n", &[Copy { from: 4, len: 8 }]),
            ("d 1\na 1", &[Copy { from: 12, len: 4 }, Copy { from: 0, len: 3 }]),
            (" 1\nb 1\nxc 1\n", &[Copy { from: 1, len: 7 }, Insert(b"x"), Copy { from: 8, len: 4 }]),
            ("d 1\nb 1\na 1\n", &[Copy { from: 12, len: 4 }, Copy { from: 4, len: 4 }, Copy { from: 0, len: 4 }]),
            ("new 1\nmore", &[Insert(b"new 1\nmo"), Insert(b"re")]),
            ("a b 1\nc ", &[Copy { from: 0, len: 2 }, Copy { from: 4, len: 6 }]),
        ];
        for (text, instructions) in cases {
            let mut names = names();
            let whole = Rc::new(Table::whole(base.as_bytes().to_vec(), &mut names));
            let delta = written(base.len(), text.len(), instructions);
            let table = Rc::new(whole.changed(&delta, &mut names).expect(text));
            assert_eq!(String::from_utf8(table.text()).unwrap(), text);
            assert_eq!(compared(&whole, &table, &names), told(base, text), "{text:?}");
            assert_eq!(compared(&table, &whole, &names), told(text, base), "{text:?} back");
        }
    }

    #[test]
    fn a_text_beside_another_is_the_same_as_one_alone() {
        let texts = ["a 1\nb 1\nc 1\nd 1\n", "a 1\nb 2\nc 1\nd 1\n", "d 1\nx 1\na 1\n", "b 1\nc 1\nd 1", "d 1", ""];
        for (base, text) in texts.iter().flat_map(|base| texts.map(|text| (*base, text))) {
            let mut names = names();
            let whole = Rc::new(Table::whole(base.as_bytes().to_vec(), &mut names));
            let table = Rc::new(Table::beside(text.as_bytes(), &whole, &mut names));
            assert_eq!((table.text(), table.len), (text.as_bytes().to_vec(), text.len()), "{text:?} beside {base:?}");
            assert_eq!(compared(&whole, &table, &names), told(base, text), "{text:?} beside {base:?}");
            assert_eq!(compared(&table, &whole, &names), told(text, base), "{text:?} beside {base:?}");
        }
        let mut names = names();
        let whole = Table::whole(texts[0].as_bytes().to_vec(), &mut names);
        let needed = names.bytes;
        Table::beside(texts[0].as_bytes(), &whole, &mut names);
        assert!(names.bytes < 2 * needed, "no line is kept twice");
        let twice = "a 1\na 1\nd 1\nd 1\n";
        assert_eq!(Table::beside(twice.as_bytes(), &whole, &mut names).text(), twice.as_bytes());
    }

    #[test]
    fn what_goes_on_in_the_base_is_one_run() {
        let mut names = names();
        let whole = Table::whole(b"a 1\nb 1\nc 1\n".to_vec(), &mut names);
        let delta = written(12, 14, &[Copy { from: 0, len: 6 }, Copy { from: 6, len: 6 }, Insert(b"d\n")]);
        let table = whole.changed(&delta, &mut names).unwrap();
        assert_eq!((table.text().as_slice(), table.runs.len()), (b"a 1\nb 1\nc 1\nd\n".as_slice(), 2));
    }

    #[test]
    fn a_line_without_an_end_goes_on() {
        let mut names = names();
        let whole = Table::whole(b"a 1\nb".to_vec(), &mut names);
        let text = "a 1\nb 2\nc 3\n";
        let delta = written(5, text.len(), &[Copy { from: 0, len: 5 }, Insert(b" 2\nc 3\n")]);
        let table = whole.changed(&delta, &mut names).unwrap();
        assert_eq!(String::from_utf8(table.text()).unwrap(), text);
        let again = written(text.len(), 5, &[Copy { from: 0, len: 5 }]);
        assert_eq!(table.changed(&again, &mut names).unwrap().text(), b"a 1\nb");
    }

    #[test]
    fn a_delta_for_something_else() {
        let mut names = names();
        let whole = Table::whole(b"a 1\n".to_vec(), &mut names);
        for odd in [
            written(5, 1, &[Copy { from: 0, len: 1 }]),
            written(4, 2, &[Copy { from: 0, len: 1 }]),
            written(4, 9, &[Copy { from: 0, len: 9 }]),
            b"\x04\x01\x00".to_vec(),
        ] {
            assert!(whole.changed(&odd, &mut names).is_none(), "{odd:?}");
        }
    }
}
