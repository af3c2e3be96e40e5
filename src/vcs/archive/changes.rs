//! Compares two versions of a file line by line.
//!
//! The caller gives each line a name; lines without a name do not count. A change records the positions of its lines in
//! both versions, so that it can be stored without the texts.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

use super::results::Version;
use crate::model::lines;
use crate::vcs::SyncError;

/// The name of a line, if it has one.
pub type Naming = fn(&[u8]) -> Option<String>;

/// Two versions to compare; `None` is an empty file.
pub type Pair = (Option<Version>, Option<Version>);

/// The position of a line in a version, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The part of the version.
    pub part: u32,
    pub start: u32,
    pub len: u32,
}

impl Spot {
    fn of(part: usize, start: usize, line: &[u8]) -> Self {
        Spot { part: part as u32, start: start as u32, len: line.len() as u32 }
    }
}

/// The lines of one name in two versions, in file order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: Rc<str>,
    pub before: Vec<Spot>,
    pub after: Vec<Spot>,
}

/// Sorted by name.
pub type Changes = Rc<[Change]>;

/// The changes to lines with these names.
pub(crate) fn only(changes: &Changes, names: &BTreeSet<String>) -> Changes {
    changes.iter().filter(|change| names.contains(&*change.name)).cloned().collect()
}

/// How many texts are cached: each is compared with its neighbours, and neighbours are requested in a row.
const KEPT: usize = 8;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Compares versions whose texts are in memory.
#[derive(Default)]
pub struct Texts {
    kept: VecDeque<(String, Rc<Vec<u8>>)>,
}

impl Texts {
    fn text(
        &mut self,
        part: &str,
        read: &mut impl FnMut(&Version) -> Result<Vec<u8>, SyncError>,
    ) -> Result<Rc<Vec<u8>>, SyncError> {
        if let Some((_, text)) = self.kept.iter().find(|(known, _)| known == part) {
            return Ok(Rc::clone(text));
        }
        let text = Rc::new(read(&Version::of(part.to_owned()))?);
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((part.to_owned(), Rc::clone(&text)));
        Ok(text)
    }

    pub fn changes(
        &mut self,
        (before, after): &Pair,
        naming: Naming,
        mut read: impl FnMut(&Version) -> Result<Vec<u8>, SyncError>,
    ) -> Result<Changes, SyncError> {
        if before == after {
            return Ok(Rc::new([]));
        }
        let mut sides = Vec::new();
        for version in [before, after] {
            let parts = version.iter().flat_map(|version| version.0.iter());
            sides.push(parts.map(|part| self.text(part, &mut read)).collect::<Result<Vec<_>, _>>()?);
        }
        let [before, after] = [&sides[0], &sides[1]].map(|texts| placed(texts));
        Ok(compared(&before, &after, naming).into())
    }

    pub fn line(
        &mut self,
        version: &Version,
        spot: Spot,
        mut read: impl FnMut(&Version) -> Result<Vec<u8>, SyncError>,
    ) -> Result<Vec<u8>, SyncError> {
        let Some(part) = version.0.get(spot.part as usize) else { return Ok(Vec::new()) };
        let text = self.text(part, &mut read)?;
        let start = spot.start as usize;
        Ok(text.get(start..start + spot.len as usize).unwrap_or_default().to_vec())
    }
}

/// A line with its position: the part, and the byte.
type Placed<'a> = ((usize, usize), &'a [u8]);

/// All lines.
fn placed(texts: &[Rc<Vec<u8>>]) -> Vec<Placed<'_>> {
    let mut all = Vec::new();
    for (part, text) in texts.iter().enumerate() {
        let mut start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        while start < text.len() {
            let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end);
            all.push(((part, start), &text[start..end]));
            start = end + 1;
        }
    }
    all
}

fn compared(before: &[Placed<'_>], after: &[Placed<'_>], naming: Naming) -> Vec<Change> {
    let [old, new] = [before, after].map(|lines| lines.iter().map(|(_, text)| *text).collect::<Vec<_>>());
    let origins = lines::origins(&old, &new);
    let came = after.iter().zip(&origins).filter(|(_, from)| from.is_none()).map(|(line, _)| line);
    let gone = lines::gone(&origins, before.len()).map(|n| &before[n]);
    let names: BTreeSet<String> = came.chain(gone).filter_map(|(_, text)| naming(text)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let spots = |lines: &[Placed<'_>]| {
        let mut spots: HashMap<String, Vec<Spot>> = HashMap::new();
        for ((part, start), text) in lines {
            if let Some(name) = naming(text).filter(|name| names.contains(name)) {
                spots.entry(name).or_default().push(Spot::of(*part, *start, text));
            }
        }
        spots
    };
    let (mut before, mut after) = (spots(before), spots(after));
    let change = |name: &String| Change {
        before: before.remove(name).unwrap_or_default(),
        after: after.remove(name).unwrap_or_default(),
        name: name.as_str().into(),
    };
    names.iter().map(change).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Names a line by its first word.
    pub(crate) fn first_word(line: &[u8]) -> Option<String> {
        let word = line.split(|byte| *byte == b' ').next().filter(|word| !word.is_empty())?;
        String::from_utf8(word.to_vec()).ok()
    }

    /// The changes between two texts: each name with its lines in both.
    pub(crate) fn shown(before: &str, after: &str) -> Vec<String> {
        let mut texts = Texts::default();
        let version = |text: &str| (!text.is_empty()).then(|| Version::of(text.to_owned()));
        let read = |version: &Version| Ok(version.0[0].clone().into_bytes());
        let pair = (version(before), version(after));
        let changes = texts.changes(&pair, first_word, read).unwrap();
        let lines = |version: &Option<Version>, spots: &[Spot]| -> String {
            let texts = &mut Texts::default();
            let line = |spot: &Spot| texts.line(version.as_ref().unwrap(), *spot, read).unwrap();
            spots.iter().map(line).map(|line| String::from_utf8(line).unwrap()).collect::<Vec<_>>().join("|")
        };
        let one = |change: &Change| {
            let (before, after) = (lines(&pair.0, &change.before), lines(&pair.1, &change.after));
            format!("{}: {before} -> {after}", change.name)
        };
        changes.iter().map(one).collect()
    }

    #[test]
    fn differences_are_reported_by_name_with_their_lines() {
        assert_eq!(shown("a 1\nb 1\nc 1\n", "a 1\nb 2\nc 1\n"), ["b: b 1 -> b 2"]);
        assert_eq!(shown("", "a 1\n\nb 1"), ["a:  -> a 1", "b:  -> b 1"]);
        assert_eq!(shown("a 1\nb 1\n", ""), ["a: a 1 -> ", "b: b 1 -> "]);
        assert_eq!(shown("a 1\nb 1\nc 1\n", "c 1\nb 1\na 1\n"), Vec::<String>::new(), "moved lines are the same");
        assert_eq!(shown("a 1\nb 1\na 2\n", "a 1\nb 1\na 3\n"), ["a: a 1|a 2 -> a 1|a 3"], "all lines of the name");
        assert_eq!(shown("\u{feff}a 1\nb 1\n", "a 1\nb 1\n"), Vec::<String>::new());
    }
}
