//! Finds private data in the lines that a file gains, so that it does not reach the primary's commits.

use std::collections::{HashMap, HashSet};

use crate::ledger::Document;
use crate::model::proposal::{Leak, Owner, Target};
use crate::model::record::Record;
use crate::model::{json, proposal};

/// What is private in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// An issue, or part of its line.
    Issue { id: String, leak: Leak },
    /// The path of something private on this machine.
    Path(&'static str),
}

/// A leak and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLeak {
    pub commit: Option<String>,
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub found: Found,
}

/// What planning repos and settings keep private.
#[derive(Debug, Default)]
pub(in crate::store) struct Guard {
    /// Identifies the primary: what was proposed to it may be in its commits.
    here: Target,
    /// The lines of planning repos, by id.
    planning: HashMap<String, Vec<String>>,
    /// Ids in repos other than planning repos.
    public: HashSet<String>,
    /// Paths in each spelling, and what is there.
    paths: Vec<(Vec<u8>, &'static str)>,
}

impl Guard {
    /// Adds a prefix under which issues are proposed to the primary.
    pub(crate) fn add_target(&mut self, prefix: String) {
        if !self.here.prefixes.contains(&prefix) {
            self.here.prefixes.push(prefix);
        }
    }

    /// Records the projects, other than the primary, that lines of planning repos name.
    pub(crate) fn set_others(&mut self, is_here: impl Fn(&Owner) -> bool) {
        let lines = self.planning.values().flatten();
        let owners: HashSet<Owner> = lines.filter_map(|line| Owner::of_line(line)).collect();
        self.here.others = owners.into_iter().filter(|owner| !is_here(owner)).map(|owner| owner.id).collect();
    }

    pub(crate) fn add_planning(&mut self, document: &Document) {
        for record in (0..document.len()).filter_map(|n| document.record(n)) {
            let id = record.string("id").unwrap_or_default().into_owned();
            self.planning.entry(id).or_default().push(record.text().to_owned());
            // The id that an issue had in the planning repo stays private, whatever happens to the issue.
            if let Some(former) = record.string(proposal::FORMER_ID) {
                let bare = format!("{{\"id\":{}}}", json::Dialect::default().string(&former));
                self.planning.insert(former.into_owned(), vec![bare]);
            }
        }
    }

    /// Adds an issue that a planning repo once had: it is still private.
    pub(crate) fn add_former(&mut self, id: String, line: String) {
        self.planning.entry(id).or_insert_with(|| vec![line]);
    }

    pub(crate) fn add_public(&mut self, document: &Document) {
        self.public.extend(document.ids().map(|id| id.into_owned()));
    }

    pub(crate) fn add_path(&mut self, path: impl Into<Vec<u8>>, what: &'static str) {
        let path = path.into();
        if !self.paths.iter().any(|(known, _)| *known == path) {
            self.paths.push((path, what));
        }
    }

    /// The private parts of those lines of `new` that no old version has, with line numbers.
    pub(crate) fn look(&self, old: &[Vec<u8>], new: &[u8]) -> Vec<(usize, Found)> {
        let known: HashSet<&[u8]> = old.iter().flat_map(|bytes| lines(bytes)).collect();
        let mut found = Vec::new();
        let mut own: Option<HashSet<String>> = None;
        for (n, line) in lines(new).enumerate().filter(|(_, line)| !known.contains(line)) {
            let paths = self.paths.iter().filter(|(path, _)| names(line, path)).map(|(_, what)| *what);
            let mut paths: Vec<&str> = paths.collect();
            paths.dedup();
            found.extend(paths.into_iter().map(|what| (n + 1, Found::Path(what))));
            let Some(text) = std::str::from_utf8(line).ok().map(str::trim).filter(|text| text.contains('"')) else {
                continue;
            };
            let record = Record::parse(text.trim_end_matches(',')).ok().filter(|_| text.starts_with('{'));
            match record.filter(|record| record.string("id").is_some()) {
                Some(record) => {
                    let own = own.get_or_insert_with(|| ids_of(new));
                    let id = record.string("id").unwrap_or_default().into_owned();
                    let before = || old.iter().flat_map(|bytes| self.earlier(bytes, &id, own));
                    let leaks = self.leaks(&record, &id, own);
                    let before: Vec<Leak> = if leaks.is_empty() { Vec::new() } else { before().collect() };
                    // A leak in the earlier line of this issue is not new.
                    let fresh = leaks.into_iter().filter(|leak| *leak == Leak::Private || !before.contains(leak));
                    found.extend(fresh.map(|leak| (n + 1, Found::Issue { id: id.clone(), leak })));
                }
                // Not a complete line, as in an indented list: match by its id.
                None => {
                    let ids = written_ids(text).into_iter().filter(|id| self.is_private(id));
                    found.extend(ids.map(|id| (n + 1, Found::Issue { id, leak: Leak::Private })));
                }
            }
        }
        found
    }

    fn copies(&self, id: &str) -> Vec<Record<'_>> {
        self.planning.get(id).into_iter().flatten().filter_map(|line| Record::parse(line).ok()).collect()
    }

    fn is_private(&self, id: &str) -> bool {
        proposal::is_planned_only(&self.copies(id), &self.here)
    }

    fn leaks(&self, record: &Record<'_>, id: &str, own: &HashSet<String>) -> Vec<Leak> {
        let is_planned = |other: &str| {
            let lines = self.planning.get(other).into_iter().flatten();
            lines.into_iter().any(|line| !proposal::is_companion_line(line.as_bytes()))
        };
        let hidden = |other: &str| !self.public.contains(other) && !own.contains(other) && is_planned(other);
        let unnamed = |other: &str| hidden(other) && self.is_private(other);
        proposal::leaks(record, &self.copies(id), &self.here, hidden, unnamed)
    }

    /// The leaks that an earlier version of the file had in its line of an issue.
    fn earlier(&self, bytes: &[u8], id: &str, own: &HashSet<String>) -> Vec<Leak> {
        let texts = lines(bytes).filter_map(|line| std::str::from_utf8(line).ok()).map(str::trim);
        let records = texts.filter(|text| text.starts_with('{') && text.contains(id));
        let records = records.filter_map(|text| Record::parse(text.trim_end_matches(',')).ok());
        let same = records.filter(|record| record.string("id").as_deref() == Some(id));
        same.flat_map(|record| self.leaks(&record, id, own)).collect()
    }
}

fn ids_of(bytes: &[u8]) -> HashSet<String> {
    Document::new(bytes.to_vec()).ids().map(|id| id.into_owned()).collect()
}

/// The lines without line ends and byte order mark.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// The values of keys named `id` in a piece of JSON.
fn written_ids(text: &str) -> Vec<String> {
    let value = |at: usize| {
        let rest = text[at + 4..].trim_start().strip_prefix(':')?.trim_start();
        let end = rest.get(1..)?.find('"')? + 2;
        json::decode_string(rest.get(..end)?).map(|id| id.into_owned())
    };
    text.match_indices("\"id\"").filter_map(|(at, _)| value(at)).collect()
}

/// Whether a line names a path, or something below it.
fn names(line: &[u8], path: &[u8]) -> bool {
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 0x80;
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&line[from..], path) {
        let (start, end) = (from + at, from + at + path.len());
        let begins = start == 0 || !(in_name(line[start - 1]) || matches!(line[start - 1], b'.' | b'~'));
        let ends = match (line.get(end), line.get(end + 1)) {
            (None, _) => true,
            // A full stop ends a sentence, or is part of a longer name.
            (Some(b'.'), next) => !next.is_some_and(|next| in_name(*next)),
            (Some(next), _) => !in_name(*next),
        };
        if begins && ends {
            return true;
        }
        from = start + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::guard::*;

    #[test]
    fn a_path_is_found_whole() {
        let has = |line: &str| names(line.as_bytes(), b"/home/ann/plan");
        for line in ["/home/ann/plan", "see /home/ann/plan.", "\"/home/ann/plan/.beads\"", "file:///home/ann/plan,"] {
            assert!(has(line), "{line}");
        }
        for line in [
            "/home/ann/plan-b",
            "/home/ann/plan.old",
            "/mnt/home/ann/plans",
            "/srv/x/home/ann/plan2",
            "x/home/ann/plan",
        ] {
            assert!(!has(line), "{line}");
        }
    }

    #[test]
    fn only_new_lines_count() {
        let mut guard = Guard::default();
        guard.add_planning(&Document::new(b"{\"id\":\"pl-1\"}\n{\"id\":\"pl-2\"}\n".to_vec()));
        let new = b"{\"id\":\"pl-1\"}\r\n  {\"id\": \"pl-2\"},\n   \"id\" : \"pl-2\",\n\"other_id\":\"pl-2\"\n";
        let at = |old: &[Vec<u8>]| guard.look(old, new).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(at(&[]), [1, 2, 3]);
        assert_eq!(at(&[b"{\"id\":\"pl-1\"}\n".to_vec()]), [2, 3]);
        assert_eq!(at(&[new.to_vec()]), [0; 0]);
    }
}
