//! Splits a ledger with conflict markers into the versions that were merged.
//!
//! It knows the regions of git (`<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`, of any length) and those of jj, whose parts
//! are whole versions (`+++++++`, `-------`) or differences (`%%%%%%%`), for two sides or more. Lines outside of
//! regions belong to every version. A nested region is merged in place. Anything that does not fit is an error with its
//! line, never a guess.

use std::borrow::Cow;
use std::collections::HashSet;

use super::document::Document;
use super::line::is_marker;
use super::merge::{Merged, merge};

/// The limit for nested regions; merges of merges have two or three levels.
const MAX_DEPTH: usize = 16;

/// A misplaced marker, and its line, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMarkers {
    pub line: usize,
    pub what: &'static str,
}

/// One version, and the others to merge into it: each side with the base that it grew from. An empty base means one
/// that the markers do not show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    pub first: Vec<u8>,
    pub others: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Parts {
    /// Merges all sides into one.
    pub fn merge(&self) -> Merged {
        let start = Merged { bytes: self.first.clone(), ..Merged::default() };
        self.others.iter().fold(start, |done, (base, side)| {
            let next = merge(base, &done.bytes, side);
            let older = done.lines.into_iter().filter(|line| next.lines.iter().all(|new| new.id != line.id));
            let mut lines: Vec<_> = older.chain(next.lines.iter().cloned()).collect();
            lines.sort_by(|a, b| a.id.cmp(&b.id));
            Merged { bytes: next.bytes, lines }
        })
    }

    /// Every side.
    pub fn sides(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&self.first[..]).chain(self.others.iter().map(|(_, side)| &side[..]))
    }

    pub fn bases(&self) -> impl Iterator<Item = &[u8]> {
        self.others.iter().map(|(base, _)| &base[..])
    }

    /// The same without markers inside the versions: the lines between them count. `None` if a version is not a ledger.
    fn without_markers(&self) -> Option<Parts> {
        let plain = |version: &[u8]| {
            let document = Document::new(version.to_vec());
            // A filter of version control has changed its form.
            if document.ids().next().is_none() && document.len() > 1 {
                return None;
            }
            if document.conflicts().is_empty() {
                return Some(version.to_vec());
            }
            let lines = (0..document.len()).filter(|n| !is_marker(document.text(*n)));
            Some(lines.flat_map(|n| [document.raw(n), b"\n"]).flatten().copied().collect())
        };
        let others = self.others.iter().map(|(base, side)| Some((plain(base)?, plain(side)?)));
        Some(Parts { first: plain(&self.first)?, others: others.collect::<Option<_>>()? })
    }
}

impl Document {
    /// The versions in a conflicted document. If version control keeps them, these, and as another version the later
    /// edits of the document; otherwise those that the markers show. `None` if there are no markers.
    pub fn versions(&self, kept: Option<&Parts>) -> Result<Option<Parts>, BadMarkers> {
        let kept = kept.filter(|_| !self.conflicts().is_empty()).and_then(Parts::without_markers);
        let Some(mut parts) = kept else { return self.take_apart() };
        let base = parts.others.first().map(|(base, _)| base.clone()).unwrap_or_default();
        if let Some(edited) = self.edited_since(&parts, &base) {
            parts.others.push((base, edited));
        }
        Ok(Some(parts))
    }

    /// The base with the lines that are here and in no version.
    fn edited_since(&self, parts: &Parts, base: &[u8]) -> Option<Vec<u8>> {
        let versions: Vec<Document> =
            parts.sides().chain(parts.bases()).map(|text| Document::new(text.to_vec())).collect();
        let known: HashSet<&[u8]> =
            versions.iter().flat_map(|version| (0..version.len()).map(|n| version.text(n))).collect();
        let is_new = |n: &usize| {
            let text = self.text(*n);
            !text.trim_ascii().is_empty() && !is_marker(text) && !known.contains(text)
        };
        let new: Vec<usize> = (0..self.len()).filter(is_new).collect();
        let ids: HashSet<Cow<'_, str>> = new.iter().filter_map(|n| self.id(*n)).collect();
        let base = Document::new(base.to_vec());
        let stays = |n: &usize| base.id(*n).is_none_or(|id| !ids.contains(&id));
        let lines = (0..base.len()).filter(stays).map(|n| base.text(n)).chain(new.iter().map(|n| self.text(*n)));
        (!new.is_empty()).then(|| lines.flat_map(|line| [line, b"\n"]).flatten().copied().collect())
    }

    /// The versions in a conflicted document, from its markers; `None` if it has none.
    pub fn take_apart(&self) -> Result<Option<Parts>, BadMarkers> {
        let mut reader = Reader { document: self, at: 0, depth: 0 };
        let mut pieces = Vec::new();
        while let Some((n, marker)) = reader.next() {
            match marker {
                None => pieces.push(Piece::Lines(reader.bytes(n))),
                Some(Marker { sign: b'<', length }) => pieces.push(Piece::Region(reader.region(n, length)?)),
                Some(_) => return Err(BadMarkers { line: n + 1, what: "this marker belongs to no region" }),
            }
        }
        let regions = pieces.iter().filter_map(|piece| match piece {
            Piece::Region(parts) => Some(parts.others.len()),
            Piece::Lines(_) => None,
        });
        let Some(count) = regions.max() else { return Ok(None) };
        let mark = if self.has_bom() { &self.bytes()[..3] } else { b"" };
        let mut whole = Parts { first: mark.to_vec(), others: vec![(mark.to_vec(), mark.to_vec()); count] };
        for piece in &pieces {
            match piece {
                Piece::Lines(bytes) => {
                    whole.first.extend(bytes);
                    for (base, side) in &mut whole.others {
                        base.extend(bytes);
                        side.extend(bytes);
                    }
                }
                Piece::Region(parts) => {
                    whole.first.extend(&parts.first);
                    for (n, (base, side)) in whole.others.iter_mut().enumerate() {
                        // A side that is missing in this region changed nothing in it.
                        let (from, to) = parts.others.get(n).map_or((&parts.first, &parts.first), |(a, b)| (a, b));
                        base.extend(from);
                        side.extend(to);
                    }
                }
            }
        }
        Ok(Some(whole))
    }
}

enum Piece {
    Lines(Vec<u8>),
    Region(Parts),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marker {
    sign: u8,
    length: usize,
}

struct Reader<'d> {
    document: &'d Document,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<(usize, Option<Marker>)> {
        let n = self.at;
        if n == self.document.len() {
            return None;
        }
        self.at += 1;
        Some((n, self.marker(n)))
    }

    fn marker(&self, n: usize) -> Option<Marker> {
        let text = self.document.text(n);
        let sign = *text.first().filter(|_| is_marker(text))?;
        Some(Marker { sign, length: text.iter().take_while(|byte| **byte == sign).count() })
    }

    /// A line with its line end, which is added to the last line of a file if necessary.
    fn bytes(&self, n: usize) -> Vec<u8> {
        [self.document.raw(n), b"\n"].concat()
    }

    /// Parses the region that the marker on this line opens. All its markers have the length of the first.
    fn region(&mut self, open: usize, length: usize) -> Result<Parts, BadMarkers> {
        if self.depth == MAX_DEPTH {
            return Err(BadMarkers { line: open + 1, what: "too many regions inside of each other" });
        }
        self.depth += 1;
        let first = (self.at < self.document.len()).then(|| self.marker(self.at)).flatten();
        let parts = match first {
            Some(marker) if marker.length == length && b"%+-".contains(&marker.sign) => self.of_jj(open, length),
            _ => self.of_git(open, length),
        };
        self.depth -= 1;
        parts
    }

    fn of_git(&mut self, open: usize, length: usize) -> Result<Parts, BadMarkers> {
        let (mut ours, mut base, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        let mut part = b'<';
        while let Some((n, marker)) = self.next() {
            let bytes = match marker {
                None => self.bytes(n),
                Some(Marker { sign: b'<', length }) => self.region(n, length)?.merge().bytes,
                Some(marker) if marker.length == length => match (part, marker.sign) {
                    (b'<', b'|') | (b'<' | b'|', b'=') => {
                        part = marker.sign;
                        continue;
                    }
                    (b'=', b'>') => return Ok(Parts { first: ours, others: vec![(base, theirs)] }),
                    _ => return Err(BadMarkers { line: n + 1, what: "this marker does not fit into its region" }),
                },
                Some(_) => {
                    return Err(BadMarkers { line: n + 1, what: "this marker is of another length than its region" });
                }
            };
            match part {
                b'<' => ours.extend(bytes),
                b'|' => base.extend(bytes),
                _ => theirs.extend(bytes),
            }
        }
        Err(BadMarkers { line: open + 1, what: "the region that begins here does not end" })
    }

    fn of_jj(&mut self, open: usize, length: usize) -> Result<Parts, BadMarkers> {
        let (mut sides, mut bases) = (Vec::<Vec<u8>>::new(), Vec::<Vec<u8>>::new());
        let mut changes = Vec::<(Vec<u8>, Vec<u8>)>::new();
        let mut part = b'<';
        while let Some((n, marker)) = self.next() {
            match marker.filter(|marker| marker.length == length).map(|marker| marker.sign) {
                Some(b'+') => sides.push(Vec::new()),
                Some(b'-') => bases.push(Vec::new()),
                Some(b'%') => changes.push(Default::default()),
                // The label of a difference continues.
                Some(b'\\')
                    if part == b'%' && changes.last().is_some_and(|(from, to)| from.is_empty() && to.is_empty()) => {}
                Some(b'>') if sides.len() == bases.len() + 1 && sides.len() + changes.len() > 1 => {
                    let first = sides.remove(0);
                    changes.extend(bases.into_iter().zip(sides));
                    return Ok(Parts { first, others: changes });
                }
                Some(b'>') => {
                    let what = "the region that begins here lacks a side or has one too many";
                    return Err(BadMarkers { line: open + 1, what });
                }
                Some(_) => return Err(BadMarkers { line: n + 1, what: "this marker does not fit into its region" }),
                None => {
                    let bytes = self.bytes(n);
                    match (part, sides.last_mut(), bases.last_mut(), changes.last_mut()) {
                        (b'+', Some(side), _, _) => side.extend(bytes),
                        (b'-', _, Some(base), _) => base.extend(bytes),
                        (b'%', _, _, Some((from, to))) => match bytes[0] {
                            b' ' => {
                                from.extend(&bytes[1..]);
                                to.extend(&bytes[1..]);
                            }
                            b'-' => from.extend(&bytes[1..]),
                            b'+' => to.extend(&bytes[1..]),
                            // An editor removed the trailing blank.
                            b'\n' | b'\r' => {
                                from.extend(&bytes);
                                to.extend(&bytes);
                            }
                            _ => return Err(BadMarkers { line: n + 1, what: "this line of a difference has no sign" }),
                        },
                        _ => return Err(BadMarkers { line: n + 1, what: "this line belongs to no side" }),
                    }
                    continue;
                }
            }
            part = marker.map_or(part, |marker| if marker.sign == b'\\' { part } else { marker.sign });
        }
        Err(BadMarkers { line: open + 1, what: "the region that begins here does not end" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<Option<Parts>, (usize, &'static str)> {
        Document::new(text.into()).take_apart().map_err(|bad| (bad.line, bad.what))
    }

    fn two(first: &str, base: &str, other: &str) -> Result<Option<Parts>, (usize, &'static str)> {
        Ok(Some(Parts { first: first.into(), others: vec![(base.into(), other.into())] }))
    }

    #[test]
    fn regions_of_git() {
        assert_eq!(parts("a\nb\n"), Ok(None));
        assert_eq!(parts("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n"), two("a\nb\nd\n", "a\nd\n", "a\nc\nd\n"));
        let diff3 = "<<<<<<< HEAD\nb\n||||||| 123\no\n=======\nc\n>>>>>>> x\nd\n";
        assert_eq!(parts(diff3), two("b\nd\n", "o\nd\n", "c\nd\n"));
        let several = "<<<<<<< A\nb\n=======\n>>>>>>> x\nm\n<<<<<<< A\n=======\nc\n>>>>>>> x";
        assert_eq!(parts(several), two("b\nm\n", "m\n", "m\nc\n"));
        let long = "<<<<<<<<<<<< HEAD\nb\r\n============\nc\r\n>>>>>>>>>>>> x\n";
        assert_eq!(parts(long), two("b\r\n", "", "c\r\n"));
        assert_eq!(
            parts("\u{feff}<<<<<<< A\nb\n=======\nc\n>>>>>>> x\n"),
            two("\u{feff}b\n", "\u{feff}", "\u{feff}c\n")
        );
    }

    #[test]
    fn versions_that_are_kept() {
        let line = |id: &str, title: &str| format!("{{\"id\":\"{id}\",\"title\":\"{title}\"}}\n");
        let (a, b, c) = (line("p-a", "A"), line("p-b", "B"), line("p-c", "C"));
        let kept = Parts {
            first: [&*b, &*a].concat().into(),
            others: vec![([&*a, &*b].concat().into(), [&*a, &*b, &*c].concat().into())],
        };
        let of = |text: &str| Document::new(text.into()).versions(Some(&kept)).map_err(|bad| bad.line);
        // The moved line is in one half only.
        let moved = format!("<<<<<<< A\n{b}=======\n>>>>>>> x\n{a}{c}");
        assert_eq!(of(&moved), Ok(Some(kept.clone())));
        assert_eq!(of(&format!("{a}{b}")), Ok(None), "no markers");
        // Later edits are a separate version; some markers may be gone.
        let edited = line("p-b", "By hand");
        let with_edit = of(&format!("<<<<<<< A\n{edited}=======\n{a}{c}")).unwrap().unwrap();
        assert_eq!(with_edit.others[1], (kept.others[0].0.clone(), [&*a, &*edited].concat().into()));
        // Versions that are not ledgers are ignored.
        let other = Parts { first: "\u{1}x\ny\n".into(), others: kept.others.clone() };
        let shown = Document::new(moved.clone().into());
        assert_eq!(shown.versions(Some(&other)).unwrap(), shown.take_apart().unwrap());
    }

    #[test]
    fn a_region_in_a_region() {
        // A base that was itself a merge, with longer markers.
        let base = "||||||| merged common ancestors\n<<<<<<<<< one\np\n========= \np\n>>>>>>>>> two\n";
        let text = format!("<<<<<<< HEAD\nb\n{base}=======\nc\n>>>>>>> x\n");
        assert_eq!(parts(&text), two("b\n", "p\n", "c\n"));
        let same_length = "<<<<<<< A\n<<<<<<< B\nb\n=======\nb\n>>>>>>> B\n=======\nc\n>>>>>>> A\n";
        assert_eq!(parts(same_length), two("b\n", "", "c\n"));
    }

    #[test]
    fn regions_of_jj() {
        let diff = "a\n<<<<<<< conflict 1 of 1\n%%%%%%% diff from: x \"base\"\n\\\\\\\\\\\\\\        to: y \"one\"\n n\n-b\n+b1\n+++++++ z \"two\"\nn\nb2\n>>>>>>> conflict 1 of 1 ends\nc\n";
        assert_eq!(parts(diff), two("a\nn\nb2\nc\n", "a\nn\nb\nc\n", "a\nn\nb1\nc\n"));
        let snapshot = "<<<<<<< conflict 1 of 1\n+++++++ one\nb1\n------- base\nb\n+++++++ two\nb2\n>>>>>>> conflict 1 of 1 ends\n";
        assert_eq!(parts(snapshot), two("b1\n", "b\n", "b2\n"));
        let three =
            "<<<<<<< conflict 1 of 1\n%%%%%%% one\n-b\n+b1\n%%%%%%% two\n-b\n+b2\n+++++++ three\nb3\n>>>>>>> ends\n";
        let others = vec![("b\n".into(), "b1\n".into()), ("b\n".into(), "b2\n".into())];
        assert_eq!(parts(three), Ok(Some(Parts { first: "b3\n".into(), others })));
        // Text that looks like a marker makes jj's own markers longer.
        let long = "<<<<<<<<< c\n%%%%%%%%% d\n------- x\n+++++++++++ y\n+++++++++ z\nb\n>>>>>>>>> c\n";
        assert_eq!(parts(long), two("b\n", "------ x\n", "++++++++++ y\n"));
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_line() {
        for (text, line) in [
            ("a\n<<<<<<< A\nb\n", 2),
            ("a\n<<<<<<< A\nb\n=======\nc\n", 2),
            ("a\n=======\nb\n", 2),
            ("a\n>>>>>>> x\n", 2),
            ("<<<<<<< A\nb\n>>>>>>> x\n", 3),
            ("<<<<<<< A\nb\n=======\nc\n=======\nd\n>>>>>>> x\n", 5),
            ("<<<<<<< A\nb\n=======\nc\n||||||| o\n>>>>>>> x\n", 5),
            ("<<<<<<< A\nb\n========\nc\n>>>>>>> x\n", 3),
            ("<<<<<<< A\n<<<<<<< B\nb\n=======\nc\n>>>>>>> x\n", 1),
            ("<<<<<<< A\n+++++++ s\nb\n>>>>>>> x\n", 1),
            ("<<<<<<< A\n------- s\nb\n>>>>>>> x\n", 1),
            ("<<<<<<< A\n%%%%%%% s\nb\n+++++++ t\n>>>>>>> x\n", 3),
            ("<<<<<<< A\n+++++++ s\nb\n=======\n+++++++ t\n>>>>>>> x\n", 4),
            ("a\n+++++++ x\n", 2),
            (&"<<<<<<< A\n".repeat(100_000), 17),
        ] {
            assert_eq!(parts(text).map_err(|(line, _)| line), Err(line), "{text}");
        }
    }
}
