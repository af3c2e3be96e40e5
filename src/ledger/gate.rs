//! The check that a write loses nothing (R6).

use std::collections::{BTreeSet, HashMap, HashSet};

use super::document::Document;
use super::edit::Edit;
use super::line::Line;
use super::markers::Parts;

/// The conservation gate: the new text, divided afresh, holds every line that no edit named, byte for byte, and besides
/// them only the lines that the edits put there. It shares no code with [`super::edit::render`] but the division into lines.
pub(super) fn conserves(old: &Document, new: &Document, edits: &[Edit]) -> Result<(), String> {
    match edits {
        [Edit::Resolve { kept, .. }] => return resolves(old, new, kept.as_ref()),
        _ if edits.iter().any(|edit| matches!(edit, Edit::Resolve { .. })) => return Err("a merge goes alone".into()),
        _ => {}
    }
    let reorders = edits.contains(&Edit::Sort);
    let bare = edits.contains(&Edit::Normalise);
    let mut named = BTreeSet::new();
    let mut wanted: HashMap<&[u8], (usize, &str)> = HashMap::new();
    for edit in edits {
        if let Edit::Set { line, .. } | Edit::Remove { line } = edit {
            named.insert(*line);
        }
        if let Edit::Set { id, text, .. } | Edit::Insert { id, text } = edit {
            wanted.entry(text.as_bytes()).or_insert((0, id)).0 += 1;
        }
    }
    let mut inserted = HashSet::new();
    for edit in edits {
        if let Edit::Insert { id, .. } = edit
            && !inserted.insert(id.as_str())
        {
            return Err(format!("{id} would be there twice"));
        }
    }
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

/// The gate for a conflicted file that was merged: no marker is left, and every issue and every unreadable line of every side
/// is there. Only what one side took away and another left as it was may be gone.
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
    // Whatever the versions say: an issue that stands between the markers goes only if it stands there as it was.
    for (id, texts) in &Contents::of(old).issues {
        let was_there =
            |text: &&[u8]| bases.iter().any(|base| base.issues.get(id).is_some_and(|old| old.contains(text)));
        if !found.issues.contains_key(id) && !texts.iter().all(was_there) {
            return Err(format!("{id} would go"));
        }
    }
    for side in &sides {
        for (id, texts) in &side.issues {
            let taken_away = sides.iter().any(|other| !other.issues.contains_key(id));
            let untouched = bases.iter().any(|base| base.issues.get(id) == Some(texts));
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

/// What a text holds, for comparing.
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
        let new = Document::new(render(&doc, edits));
        conserves(&doc, &new, edits).unwrap();
        String::from_utf8(new.bytes().to_vec()).unwrap()
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

    /// A18: what a writer with a stale, empty or confused idea of the file would produce.
    #[test]
    fn the_gate_refuses_every_seeded_bug() {
        let text = "{\"id\":\"a\"}\n{\"id\":\"b\"}\nopaque\n{\"id\":\"c\"}\n";
        let doc = document(text);
        let set = [Edit::Set { line: 1, id: "b".into(), text: "{\"id\":\"b\",\"x\":1}".into() }];
        let good = "{\"id\":\"a\"}\n{\"id\":\"b\",\"x\":1}\nopaque\n{\"id\":\"c\"}\n";
        assert_eq!(conserves(&doc, &document(good), &set), Ok(()));
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
            assert!(conserves(&doc, &document(bytes), &set).is_err(), "{bug}");
        }
        let wrong = [Edit::Set { line: 1, id: "b".into(), text: "{\"id\":\"z\"}".into() }];
        assert!(conserves(&doc, &Document::new(render(&doc, &wrong)), &wrong).is_err(), "an edit that changes the id");
        let broken = [Edit::Insert { id: "d".into(), text: "{\"id\":\"d\"".into() }];
        assert!(conserves(&doc, &Document::new(render(&doc, &broken)), &broken).is_err(), "an edit that is not JSON");
    }

    #[test]
    fn the_gate_of_a_merge_lets_no_side_lose_a_line() {
        let text = "{\"id\":\"a\"}\n<<<<<<< x\n{\"id\":\"b\",\"x\":1}\nprose\n||||||| o\n{\"id\":\"b\"}\n{\"id\":\"d\"}\n=======\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n{\"id\":\"d\"}\n>>>>>>> y\n";
        let doc = document(text);
        let resolved = |text: &str| {
            let edits = [Edit::Resolve { text: text.into(), kept: None }];
            conserves(&doc, &Document::new(render(&doc, &edits)), &edits)
        };
        // One side took d away and the other left it as it was.
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
            conserves(&plain, &document(""), &[Edit::Resolve { text: Vec::new(), kept: None }]).is_err(),
            "no conflict"
        );
        let both = [Edit::Resolve { text: text.into(), kept: None }, Edit::Sort];
        assert!(conserves(&doc, &document(text), &both).is_err(), "not alone");
    }
}
