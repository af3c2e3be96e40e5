//! The conservation gate: checks that a write loses nothing. Every write passes it, because a bug in an edit must not
//! cost an issue.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter::Peekable;
use std::ops::Range;

use super::document::Document;
use super::edit::Edit;
use super::line::{Line, MAX_LINE};
use super::markers::Parts;
use super::pieces::{Piece, Pieces};
use crate::model::merge::means_same;

/// Checks that the new text has every line that no edit named, byte for byte, and otherwise only the lines that the
/// edits add.
pub(super) fn conserves(old: &Document, new: &Pieces<'_>, edits: &[Edit]) -> Result<(), String> {
    match edits.iter().all(|edit| matches!(edit, Edit::Set { .. } | Edit::Insert { .. } | Edit::Remove { .. })) {
        true => keeps(old, new, edits),
        false => holds(old, &new.joined(), edits),
    }
}

/// The lines that edits name, and the texts that they add, with the count and id of each.
type Named<'e> = (BTreeSet<usize>, HashMap<&'e [u8], (usize, &'e str)>);

fn named(edits: &[Edit]) -> Result<Named<'_>, String> {
    let (mut named, mut wanted) = (BTreeSet::new(), HashMap::new());
    let mut inserted = HashSet::new();
    for edit in edits {
        if let Edit::Set { line, .. } | Edit::Remove { line } = edit {
            named.insert(*line);
        }
        if let Edit::Set { id, text, .. } | Edit::Insert { id, text } = edit {
            wanted.entry(text.as_bytes()).or_insert((0, id.as_str())).0 += 1;
        }
        if let Edit::Insert { id, .. } = edit
            && !inserted.insert(id.as_str())
        {
            return Err(format!("{id} would be there twice"));
        }
    }
    Ok((named, wanted))
}

/// The gate for a text whose lines keep their places: the kept pieces of the old text are all of it, in order and in
/// whole lines, except for lines that edits name. It shares no code with [`super::edit::render`] except the division of
/// the old text into lines.
fn keeps(old: &Document, new: &Pieces<'_>, edits: &[Edit]) -> Result<(), String> {
    let (named, mut wanted) = named(edits)?;
    let bytes = old.bytes();
    let starts_line = |at: usize| at == 0 || bytes[at - 1] == b'\n' || old.has_bom() && at == 3;
    let (mut at, mut is_ended) = (0, true);
    let mut going = named.iter().copied().peekable();
    for piece in new.all() {
        match piece {
            Piece::Kept(range) => {
                if range.start < at || range.end > bytes.len() || range.is_empty() {
                    return Err("lines would be there twice, or in another order".into());
                }
                let has_line_ends = starts_line(range.start) && (range.end == bytes.len() || starts_line(range.end));
                if !has_line_ends || !is_ended {
                    return Err("a line would be divided, or joined with another".into());
                }
                take_out(old, at..range.start, &mut going)?;
                at = range.end;
                is_ended = bytes[at - 1] == b'\n' || starts_line(at);
            }
            Piece::New(text) if !is_ended && text == b"\n" => is_ended = true,
            Piece::New(line) => {
                let text = line.strip_suffix(b"\n").map(|text| text.strip_suffix(b"\r").unwrap_or(text));
                let wanted = text.and_then(|text| Some((text, wanted.get_mut(text).filter(|(count, _)| *count > 0)?)));
                let Some((text, (count, id))) = wanted.filter(|_| is_ended) else {
                    return Err("a line would be there that no change names".into());
                };
                *count -= 1;
                let record = match Line::read(text, MAX_LINE) {
                    Line::Issue(record) if !text.contains(&b'\n') => record,
                    _ => return Err(format!("the new line of {id} cannot be read back")),
                };
                if record.string("id").as_deref() != Some(*id) {
                    return Err(format!("the new line of {id} bears another id"));
                }
            }
        }
    }
    take_out(old, at..bytes.len(), &mut going)?;
    if let Some((_, id)) = wanted.values().find(|(count, _)| *count > 0) {
        return Err(format!("the new line of {id} is missing"));
    }
    match going.next() {
        Some(n) => Err(format!("line {} should go or change, and would stay", n + 1)),
        None if !is_ended => Err("the last line would have no end".into()),
        None => Ok(()),
    }
}

/// A part of the old text is removed: it must be the next line that edits name.
fn take_out(
    old: &Document,
    part: Range<usize>,
    going: &mut Peekable<impl Iterator<Item = usize>>,
) -> Result<(), String> {
    let mut at = part.start;
    while at < part.end
        && let Some(n) = going.next_if(|n| *n < old.len() && old.span(*n).start == at)
    {
        at = (old.span(n).end + 1).min(old.bytes().len());
    }
    if at != part.end {
        let rest = &old.bytes()[at.min(part.end)..part.end];
        let start: String = String::from_utf8_lossy(rest).chars().take(60).collect();
        return Err(format!("a line that no change names would go: {start}"));
    }
    Ok(())
}

/// The gate for a text that was rebuilt: divided again, it has every line that no edit named, byte for byte, and
/// otherwise only the lines that the edits add. It shares no code with [`super::edit::render`] except the division into
/// lines.
fn holds(old: &Document, new: &Document, edits: &[Edit]) -> Result<(), String> {
    match edits {
        [Edit::Resolve { kept, .. }] => return resolves(old, new, kept.as_ref()),
        _ if edits.iter().any(|edit| matches!(edit, Edit::Resolve { .. })) => return Err("a merge goes alone".into()),
        _ => {}
    }
    let reorders = edits.contains(&Edit::Sort);
    let bare = edits.contains(&Edit::Normalise);
    let (named, mut wanted) = named(edits)?;
    let mut kept: Vec<&[u8]> = (0..old.len()).filter(|n| !named.contains(n)).map(|n| content(old, n, bare)).collect();
    let mut found: Vec<&[u8]> = Vec::with_capacity(kept.len());
    for n in 0..new.len() {
        let line = content(new, n, bare);
        if !reorders && kept.get(found.len()) == Some(&line) {
            found.push(line);
            continue;
        }
        match wanted.get_mut(new.text(n)) {
            Some((count, id)) if *count > 0 => {
                *count -= 1;
                let record = new.record(n).ok_or_else(|| format!("the new line of {id} cannot be read back"))?;
                if record.string("id").as_deref() != Some(*id) {
                    return Err(format!("the new line of {id} bears another id"));
                }
            }
            _ => found.push(line),
        }
    }
    if let Some((_, id)) = wanted.values().find(|(count, _)| *count > 0) {
        return Err(format!("the new line of {id} is missing"));
    }
    if reorders {
        kept.sort_unstable();
        found.sort_unstable();
    }
    if kept.len() != found.len() {
        return Err(format!("{} lines should stay as they are, {} would", kept.len(), found.len()));
    }
    if let Some((line, _)) = kept.iter().zip(&found).find(|(a, b)| a != b) {
        let start: String = String::from_utf8_lossy(line).chars().take(60).collect();
        return Err(format!("a line that no change names would differ: {start}"));
    }
    if old.has_bom() && !bare && !new.has_bom() {
        return Err("the byte order mark would go".into());
    }
    Ok(())
}

/// The gate for a conflicted file that was merged: it has no markers, and every issue and every unreadable line of
/// every side. An exception is what one side removed and another left unchanged.
fn resolves(old: &Document, new: &Document, kept: Option<&Parts>) -> Result<(), String> {
    let parts = match old.versions(kept) {
        Ok(Some(parts)) => parts,
        Ok(None) => return Err("there was nothing to merge".into()),
        Err(bad) => return Err(bad.what.into()),
    };
    if !new.conflicts().is_empty() {
        return Err("conflict markers would stay".into());
    }
    let found = Contents::of(new);
    let sides: Vec<Document> = parts.sides().map(|side| Document::new(side.to_vec())).collect();
    let sides: Vec<Contents<'_>> = sides.iter().map(Contents::of).collect();
    let bases: Vec<Document> = parts.bases().map(|base| Document::new(base.to_vec())).collect();
    let bases: Vec<Contents<'_>> = bases.iter().map(Contents::of).collect();
    // Independently of the kept versions: an issue between the markers may be removed only if it is unchanged there.
    for (id, texts) in &Contents::of(old).issues {
        let was_there = |text: &&[u8]| bases.iter().any(|base| base.has(id, text));
        if !found.issues.contains_key(id) && !texts.iter().all(was_there) {
            return Err(format!("{id} would go"));
        }
    }
    for side in &sides {
        for (id, texts) in &side.issues {
            let taken_away = sides.iter().any(|other| !other.issues.contains_key(id));
            let untouched = bases.iter().any(|base| texts.iter().all(|text| base.has(id, text)));
            if !(found.issues.contains_key(id) || taken_away && untouched) {
                return Err(format!("{id} would go"));
            }
        }
        for line in &side.opaque {
            let taken_away = sides.iter().any(|other| !other.opaque.contains(line));
            let untouched = bases.iter().any(|base| base.opaque.contains(line));
            if !(found.opaque.contains(line) || taken_away && untouched) {
                let start: String = String::from_utf8_lossy(line).chars().take(60).collect();
                return Err(format!("a line that is not an issue would be lost: {start}"));
            }
        }
    }
    Ok(())
}

/// The content of a text, for comparison.
struct Contents<'d> {
    issues: HashMap<String, Vec<&'d [u8]>>,
    opaque: HashSet<&'d [u8]>,
}

impl<'d> Contents<'d> {
    fn of(document: &'d Document) -> Self {
        let mut contents = Contents { issues: HashMap::new(), opaque: HashSet::new() };
        for n in 0..document.len() {
            let text = document.text(n);
            match document.line(n) {
                Line::Issue(record) => {
                    let id = record.string("id").unwrap_or_default().into_owned();
                    contents.issues.entry(id).or_default().push(text);
                }
                Line::Blank => {}
                Line::Other | Line::Damaged(_) => drop(contents.opaque.insert(text)),
            }
        }
        contents
    }

    /// Whether it has the issue with the same meaning; the merge checks the same before it drops a line.
    fn has(&self, id: &str, text: &[u8]) -> bool {
        let is_same = |known: &&[u8]| match (std::str::from_utf8(known), std::str::from_utf8(text)) {
            (Ok(known), Ok(text)) => means_same(known, text),
            _ => *known == text,
        };
        self.issues.get(id).is_some_and(|known| known.iter().any(is_same))
    }
}

fn content(document: &Document, n: usize, bare: bool) -> &[u8] {
    if bare { document.text(n) } else { document.raw(n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::edit::render;

    fn document(text: &str) -> Document {
        Document::new(text.as_bytes().to_vec())
    }

    fn insert(id: &str) -> Edit {
        Edit::Insert { id: id.into(), text: format!("{{\"id\":\"{id}\"}}") }
    }

    fn rendered(text: &str, edits: &[Edit]) -> String {
        let doc = document(text);
        let new = render(&doc, edits);
        conserves(&doc, &new, edits).unwrap();
        holds(&doc, &new.joined(), edits).unwrap();
        String::from_utf8(new.joined().bytes().to_vec()).unwrap()
    }

    #[test]
    fn new_lines_go_to_their_place() {
        let sorted = "{\"id\":\"a\"}\n{\"id\":\"c\"}\n{\"_type\":\"memory\"}\n";
        assert_eq!(
            rendered(sorted, &[insert("b")]),
            "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"_type\":\"memory\"}\n"
        );
        assert_eq!(
            rendered(sorted, &[insert("d")]),
            "{\"id\":\"a\"}\n{\"id\":\"c\"}\n{\"id\":\"d\"}\n{\"_type\":\"memory\"}\n"
        );
        let unsorted = "{\"id\":\"c\"}\n{\"id\":\"a\"}\n";
        assert_eq!(rendered(unsorted, &[insert("b")]), "{\"id\":\"c\"}\n{\"id\":\"a\"}\n{\"id\":\"b\"}\n");
        assert_eq!(rendered("", &[insert("b"), insert("a")]), "{\"id\":\"a\"}\n{\"id\":\"b\"}\n");
    }

    #[test]
    fn line_ends_and_marks_stay() {
        let text = "\u{feff}{\"id\":\"a\"}\r\n{\"id\":\"c\"}\r\n\n# note\n{\"id\":\"d\"}";
        let set = Edit::Set { line: 1, id: "c".into(), text: "{\"id\":\"c\",\"x\":1}".into() };
        assert_eq!(
            rendered(text, &[set, insert("b")]),
            "\u{feff}{\"id\":\"a\"}\r\n{\"id\":\"b\"}\r\n{\"id\":\"c\",\"x\":1}\r\n\n# note\n{\"id\":\"d\"}\n"
        );
        assert_eq!(rendered(text, &[Edit::Normalise]), "{\"id\":\"a\"}\n{\"id\":\"c\"}\n\n# note\n{\"id\":\"d\"}\n");
    }

    /// The texts that a writer with a stale, empty or confused idea of the file would produce.
    #[test]
    fn the_gate_refuses_every_seeded_bug() {
        let text = "{\"id\":\"a\"}\n{\"id\":\"b\"}\nopaque\n{\"id\":\"c\"}\n";
        let doc = document(text);
        let set = [Edit::Set { line: 1, id: "b".into(), text: "{\"id\":\"b\",\"x\":1}".into() }];
        let good = "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n";
        assert_eq!(holds(&doc, &document(good), &set), Ok(()));
        for (bug, bytes) in [
            ("empty cache", ""),
            ("half load", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n"),
            ("stale snapshot", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\",\"old\":1}\n"),
            ("dropped opaque line", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n{\"id\":\"c\"}\n"),
            ("wrong id", "{\"id\":\"a\"}\n{\"id\":\"z\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n"),
            ("reordered file", "{\"id\":\"c\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"a\"}\n"),
            ("truncated", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\""),
            ("edit lost", text),
            ("doubled line", "{\"id\":\"a\"}\n{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n"),
            (
                "doubled edit",
                "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n",
            ),
            ("re-rendered neighbour", "{\"id\": \"a\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n"),
            ("old line kept too", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n"),
            ("nothing but the edit", "{\"id\":\"b\",\"x\":1}\n"),
        ] {
            assert!(holds(&doc, &document(bytes), &set).is_err(), "{bug}");
            assert!(keeps(&doc, &taken_apart(&doc, bytes), &set).is_err(), "{bug}, in pieces");
        }
        let wrong = [Edit::Set { line: 1, id: "b".into(), text: "{\"id\":\"z\"}".into() }];
        assert!(conserves(&doc, &render(&doc, &wrong), &wrong).is_err(), "an edit that changes the id");
        let broken = [Edit::Insert { id: "d".into(), text: "{\"id\":\"d\"".into() }];
        assert!(conserves(&doc, &render(&doc, &broken), &broken).is_err(), "an edit that is not JSON");
        let divided = [Edit::Insert { id: "d".into(), text: "{\n\"id\":\"d\"}".into() }];
        assert!(conserves(&doc, &render(&doc, &divided), &divided).is_err(), "an edit on two lines");
    }

    /// The pieces that a buggy writer would make of a text: equal lines at the same place are kept, the rest is new.
    fn taken_apart<'d>(doc: &'d Document, text: &str) -> Pieces<'d> {
        let mut pieces = Pieces::of(doc);
        for line in text.split_inclusive('\n') {
            let old = String::from_utf8(doc.bytes().to_vec()).unwrap();
            match old.find(line) {
                Some(at) => pieces.keep(at..at + line.len()),
                None => pieces.add(line.as_bytes(), b""),
            }
        }
        pieces
    }

    #[test]
    fn pieces_are_whole_lines_in_order() {
        let doc = document("{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}");
        let (set, new) = (
            [Edit::Set { line: 1, id: "b".into(), text: "{\"id\":\"b\",\"x\":1}".into() }],
            b"{\"id\":\"b\",\"x\":1}\n",
        );
        let verdict = |kept: &[(usize, usize)], at: usize, end: &[u8]| {
            let mut pieces = Pieces::of(&doc);
            for (n, (from, to)) in kept.iter().enumerate() {
                if n == at {
                    pieces.add(new, b"");
                }
                pieces.keep(*from..*to);
            }
            if !end.is_empty() {
                pieces.add(end, b"");
            }
            keeps(&doc, &pieces, &set)
        };
        assert_eq!(verdict(&[(0, 11), (22, 32)], 1, b"\n"), Ok(()));
        for (bug, kept, at, end) in [
            ("no line feed before the end", vec![(0, 11), (22, 32)], 1, &b""[..]),
            ("in the middle of a line", vec![(0, 5), (5, 11), (22, 32)], 1, b"\n"),
            ("before its place is kept", vec![(22, 32), (0, 11)], 1, b"\n"),
            ("a piece twice", vec![(0, 11), (0, 11), (22, 32)], 1, b"\n"),
            ("beyond the end", vec![(0, 11), (22, 33)], 1, b"\n"),
            ("without the last line", vec![(0, 11)], 1, b""),
            ("without the first line", vec![(22, 32)], 0, b"\n"),
            ("a part of a line", vec![(0, 11), (24, 32)], 1, b"\n"),
            ("the line itself too", vec![(0, 11), (11, 32)], 1, b"\n"),
            ("a line feed too many", vec![(0, 11), (22, 32)], 1, b"\n\n"),
        ] {
            assert!(verdict(&kept, at, end).is_err(), "{bug}");
        }
    }

    #[test]
    fn the_gate_of_a_merge_lets_no_side_lose_a_line() {
        let text = "{\"id\":\"a\"}\n<<<<<<< x\n{\"id\":\"b\",\"x\":1}\nprose\n||||||| o\n{\"id\":\"b\"}\n{\"id\":\"d\"}\n=======\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"id\":\"d\"}\n>>>>>>> y\n";
        let doc = document(text);
        let resolved = |text: &str| {
            let edits = [Edit::Resolve { text: text.into(), kept: None }];
            conserves(&doc, &render(&doc, &edits), &edits)
        };
        // One side removed d and the other left it unchanged, or with the same meaning.
        let emptied = document(&text.replace("{\"id\":\"d\"}\n>>>>", "{\"id\":\"d\",\"notes\":\"\"}\n>>>>"));
        let gone = "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n{\"id\":\"c\"}\nprose\n";
        let edits = [Edit::Resolve { text: gone.into(), kept: None }];
        assert_eq!(conserves(&emptied, &render(&emptied, &edits), &edits), Ok(()));
        assert_eq!(resolved("{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n{\"id\":\"c\"}\nprose\n"), Ok(()));
        for (bug, text) in [
            ("ours alone", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\nprose\n"),
            ("theirs alone", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"id\":\"d\"}\n"),
            ("outside lost", "{\"id\":\"b\",\"x\":1}\n{\"id\":\"c\"}\nprose\n"),
            ("edited lost", "{\"id\":\"a\"}\n{\"id\":\"c\"}\nprose\n"),
            ("prose lost", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n{\"id\":\"c\"}\n"),
            ("marker kept", "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\n{\"id\":\"c\"}\nprose\n=======\n"),
            ("nothing", ""),
        ] {
            assert!(resolved(text).is_err(), "{bug}");
        }
        let plain = document("{\"id\":\"a\"}\n");
        assert!(
            holds(&plain, &document(""), &[Edit::Resolve { text: Vec::new(), kept: None }]).is_err(),
            "no conflict"
        );
        let both = [Edit::Resolve { text: text.into(), kept: None }, Edit::Sort];
        assert!(holds(&doc, &document(text), &both).is_err(), "not alone");
    }
}
