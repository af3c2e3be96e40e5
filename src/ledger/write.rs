//! The only way a ledger is written (R1), with the check that nothing is lost by it (R6).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use super::document::{Document, EMPTIED, MAX_LEDGER};
use super::line::Line;
use super::markers::Parts;
use super::read::{Expectation, Snapshot};
use super::{Ledger, LedgerError};
use crate::sys::Entropy;
use crate::sys::fs::{self, Dir, FileStamp};
use crate::sys::lock::DirLock;

/// A change to the lines of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// New text for the line that holds this issue.
    Set { line: usize, id: String, text: String },
    /// A new line, placed by its id if the file is sorted, else at the end.
    Insert { id: String, text: String },
    /// Takes a line out: a damaged one that was put elsewhere, or a copy that was joined with another.
    Remove { line: usize },
    /// Puts the lines into the order of their ids.
    Sort,
    /// Drops carriage returns and a byte order mark.
    Normalise,
    /// The whole text of a conflicted file, merged. Goes alone.
    Resolve {
        text: Vec<u8>,
        /// The versions that it was merged from, where version control keeps them.
        kept: Option<Parts>,
    },
}

/// What the gate refused is kept under a name like this.
pub const REFUSED_PREFIX: &str = ".bd-refused-";

const OWNER_WRITES: u32 = 0o200;

/// How often a write starts over because another program was faster.
const MAX_TRIES: usize = 100;

/// What a write came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every byte stays; the file was not touched.
    Unchanged,
    Written,
}

/// An issue before and after a write; without a line where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    pub id: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What a write did, for whoever keeps account of it.
#[derive(Debug)]
pub struct Applied {
    pub changes: Vec<LineChange>,
    /// The file that it was made from.
    pub read: FileStamp,
    /// The file that it left; `None` if another program has replaced that one already.
    pub left: Option<FileStamp>,
    pub document: Document,
}

/// A ledger whose lock is held. Dropping it releases the lock; nothing is written before [`LockedLedger::apply`].
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct LockedLedger {
    ledger: Ledger,
    held: Held,
}

/// How others are kept out.
#[derive(Debug)]
enum Held {
    /// By the lock of the directory.
    Own(DirLock),
    /// By a lock that the caller holds.
    Callers(Dir),
}

impl Held {
    fn dir(&self) -> &Dir {
        match self {
            Held::Own(lock) => lock.dir(),
            Held::Callers(dir) => dir,
        }
    }
}

impl LockedLedger {
    pub(super) fn new(ledger: Ledger, lock: DirLock) -> Self {
        LockedLedger { ledger, held: Held::Own(lock) }
    }

    pub(super) fn within(ledger: Ledger, dir: Dir) -> Self {
        LockedLedger { ledger, held: Held::Callers(dir) }
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Reads the ledger now, plans edits on what was read, and replaces the file. If another program changes the file
    /// between the read and the replacement, everything is done again on what it left. `note` is told of a write when it is on
    /// disk, while the lock is held.
    pub fn apply<E: From<LedgerError>>(
        &self,
        entropy: &Entropy,
        expected: impl Fn() -> Expectation,
        mut plan: impl FnMut(&Document) -> Result<Vec<Edit>, E>,
        note: impl FnOnce(Applied),
    ) -> Result<Outcome, E> {
        for _ in 0..MAX_TRIES {
            let snapshot = self.ledger.read(&expected).map_err(E::from)?;
            let edits = plan(&snapshot.document)?;
            if edits.is_empty() {
                return Ok(Outcome::Unchanged);
            }
            match self.replace(&snapshot, &edits, entropy).map_err(E::from)? {
                Some(None) => return Ok(Outcome::Unchanged),
                Some(Some(applied)) => {
                    note(applied);
                    return Ok(Outcome::Written);
                }
                None if !self.held.dir().is_current() => break,
                None => continue,
            }
        }
        Err(LedgerError::Unstable { path: self.ledger.path().to_owned() }.into())
    }

    /// `None` if another program was faster, `Some(None)` if there is nothing to change.
    fn replace(
        &self,
        snapshot: &Snapshot,
        edits: &[Edit],
        entropy: &Entropy,
    ) -> Result<Option<Option<Applied>>, LedgerError> {
        let empty = Document::new(Vec::new());
        let document = if snapshot.document.bytes() == EMPTIED { &empty } else { &snapshot.document };
        let keep = |refused: &[u8]| self.keep_refused(refused, entropy);
        let Some(new) = self.ledger.rendered(snapshot, document, edits, keep)? else { return Ok(Some(None)) };
        let bytes = if new.bytes().is_empty() { EMPTIED } else { new.bytes() };
        let read = snapshot.stamp.file;
        let Some(inode) = self.held.dir().replace_by(self.ledger.name(), bytes, &read, entropy)? else {
            return Ok(None);
        };
        let size = bytes.len() as u64;
        let left = fs::stat_link(self.ledger.path()).ok().filter(|now| now.ino == inode && now.size == size);
        Ok(Some(Some(Applied { changes: changes(document, &new, edits), read, left, document: new })))
    }

    fn keep_refused(&self, bytes: &[u8], entropy: &Entropy) -> Option<PathBuf> {
        let name = format!("{REFUSED_PREFIX}{}", &blake3::hash(bytes).to_hex()[..12]);
        // One that is there already has the same bytes: its name is their hash.
        self.held.dir().create(&name, bytes, entropy).ok()?;
        Some(self.held.dir().path().join(name))
    }
}

impl Ledger {
    /// Goes the way of a write up to where the file would be replaced.
    pub fn rehearse(&self, snapshot: &Snapshot, edits: &[Edit]) -> Result<(), LedgerError> {
        let empty = Document::new(Vec::new());
        let document = if snapshot.document.bytes() == EMPTIED { &empty } else { &snapshot.document };
        if edits.is_empty() { Ok(()) } else { self.rendered(snapshot, document, edits, |_| None).map(drop) }
    }

    /// The file with the edits, if it may be replaced by that; `None` if nothing would change. What the gate refuses is given to `keep`.
    fn rendered(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        edits: &[Edit],
        keep: impl FnOnce(&[u8]) -> Option<PathBuf>,
    ) -> Result<Option<Document>, LedgerError> {
        let path = || self.path().to_owned();
        self.refuse(document, edits)?;
        if snapshot.links > 1 {
            return Err(LedgerError::HardLinks { path: path(), links: snapshot.links });
        }
        // The directory would let us; whoever took the right away from the file meant something by it.
        if snapshot.mode & OWNER_WRITES == 0 {
            return Err(LedgerError::WriteProtected { path: path() });
        }
        let new = Document::new(render(document, edits));
        if new.bytes().len() as u64 > MAX_LEDGER {
            return Err(LedgerError::TooLarge { path: path() });
        }
        if new.bytes() == document.bytes() {
            return Ok(None);
        }
        match conserves(document, &new, edits) {
            Ok(()) => Ok(Some(new)),
            Err(what) => Err(LedgerError::Gate { path: path(), what, kept: keep(new.bytes()) }),
        }
    }

    /// Refuses edits that damage forbids. A torn file takes no change but a repair. In a file with conflict markers only
    /// issues outside of them can be changed: whichever side is chosen later, such a line is in it.
    pub fn refuse(&self, document: &Document, edits: &[Edit]) -> Result<(), LedgerError> {
        let path = || self.path().to_owned();
        let repairs = |n: usize| edits.contains(&Edit::Remove { line: n });
        if let Some((n, damage)) = document.torn().filter(|(n, _)| !repairs(*n)) {
            return Err(LedgerError::Torn { path: path(), line: n + 1, reason: damage.to_string() });
        }
        for region in document.conflicts() {
            let refused = |what| Err(LedgerError::Conflicted { path: path(), line: region.start + 1, what });
            for edit in edits {
                match edit {
                    Edit::Set { line, .. } if region.contains(line) => return refused("this issue is in conflict"),
                    Edit::Insert { .. } => return refused("no issue can be added"),
                    Edit::Sort | Edit::Normalise => return refused("the file cannot be put in order"),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// The issues that edits name, before and after. Only where lines go can an id stand on more lines than its edit tells.
fn changes(old: &Document, new: &Document, edits: &[Edit]) -> Vec<LineChange> {
    let text = |document: &Document, line: usize| String::from_utf8_lossy(document.text(line)).into_owned();
    if !edits.iter().any(|edit| matches!(edit, Edit::Remove { .. } | Edit::Resolve { .. })) {
        let change = |edit: &Edit| {
            let (id, before, after) = match edit {
                Edit::Set { line, id, text: after } => (id, Some(text(old, *line)), after),
                Edit::Insert { id, text: after } => (id, None, after),
                Edit::Remove { .. } | Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => return None,
            };
            Some(LineChange { id: id.clone(), before, after: Some(after.clone()) })
        };
        return edits.iter().filter_map(change).collect();
    }
    let named: BTreeSet<String> = edits
        .iter()
        .flat_map(|edit| match edit {
            Edit::Set { id, .. } | Edit::Insert { id, .. } => vec![id.clone()],
            Edit::Remove { line } => {
                let id = old.record(*line).and_then(|record| record.string("id").map(Cow::into_owned));
                id.into_iter().collect()
            }
            Edit::Resolve { .. } => old.ids().chain(new.ids()).map(Cow::into_owned).collect(),
            Edit::Sort | Edit::Normalise => Vec::new(),
        })
        .collect();
    let (before, after) = (old.effective_among(&named), new.effective_among(&named));
    let line_of =
        |document: &Document, lines: &HashMap<String, usize>, id: &str| lines.get(id).map(|line| text(document, *line));
    let change = |id: String| LineChange { before: line_of(old, &before, &id), after: line_of(new, &after, &id), id };
    named.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

fn render(document: &Document, edits: &[Edit]) -> Vec<u8> {
    if let [Edit::Resolve { text, .. }] = edits {
        return text.clone();
    }
    let mut set: HashMap<usize, &str> = HashMap::new();
    let mut removed = HashSet::new();
    let mut inserted: Vec<(&str, &str)> = Vec::new();
    let (mut sort, mut normalise) = (false, false);
    for edit in edits {
        match edit {
            Edit::Set { line, text, .. } => drop(set.insert(*line, text)),
            Edit::Insert { id, text } => inserted.push((id, text)),
            Edit::Remove { line } => drop(removed.insert(*line)),
            Edit::Sort => sort = true,
            Edit::Normalise => normalise = true,
            // Never among others; the gate sees that nothing came of it.
            Edit::Resolve { .. } => {}
        }
    }
    inserted.sort();
    let sorted = sort || inserted.is_empty() || document.is_sorted();
    let mut order: Vec<usize> = (0..document.len()).filter(|n| !removed.contains(n)).collect();
    if sort {
        // Lines without an id keep their order, after those with one.
        order.sort_by_cached_key(|n| document.id(*n).map_or((1, String::new()), |id| (0, id.into_owned())));
    }
    let end = if normalise { &b"\n"[..] } else { document.line_end() };
    let mut out = Vec::with_capacity(document.bytes().len() + inserted.iter().map(|(_, t)| t.len() + 2).sum::<usize>());
    if document.has_bom() && !normalise {
        out.extend_from_slice(&document.bytes()[..3]);
    }
    let mut waiting = inserted.into_iter().peekable();
    let last_with_id = order.iter().rposition(|n| document.id(*n).is_some());
    for (place, n) in order.iter().enumerate() {
        if sorted && waiting.peek().is_some() {
            let id = document.id(*n);
            while waiting.peek().is_some_and(|(new, _)| id.as_deref().is_some_and(|id| *new < id)) {
                push(&mut out, waiting.next().map_or("", |(_, text)| text).as_bytes(), end);
            }
        }
        let raw = document.raw(*n);
        let cr = raw.ends_with(b"\r") && !normalise;
        match set.get(n) {
            Some(text) => push(&mut out, text.as_bytes(), if cr { b"\r\n" } else { b"\n" }),
            None if normalise => push(&mut out, document.text(*n), b"\n"),
            None => push(&mut out, raw, b"\n"),
        }
        if sorted && Some(place) == last_with_id {
            for (_, text) in waiting.by_ref() {
                push(&mut out, text.as_bytes(), end);
            }
        }
    }
    for (_, text) in waiting {
        push(&mut out, text.as_bytes(), end);
    }
    out
}

fn push(out: &mut Vec<u8>, text: &[u8], end: &[u8]) {
    out.extend_from_slice(text);
    out.extend_from_slice(end);
}

/// The conservation gate: the new text, divided afresh, holds every line that no edit named, byte for byte, and besides
/// them only the lines that the edits put there. It shares no code with [`render`] but the division into lines.
fn conserves(old: &Document, new: &Document, edits: &[Edit]) -> Result<(), String> {
    match edits {
        [Edit::Resolve { kept, .. }] => return resolves(old, new, kept.as_ref()),
        _ if edits.iter().any(|edit| matches!(edit, Edit::Resolve { .. })) => return Err("a merge goes alone".into()),
        _ => {}
    }
    let reorders = edits.contains(&Edit::Sort);
    let bare = edits.contains(&Edit::Normalise);
    let mut named = HashSet::new();
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
                return Err(format!("a line that is no issue would go: {start}"));
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
        assert!(conserves(&doc, &Document::new(render(&doc, &broken)), &broken).is_err(), "an edit that is no JSON");
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
