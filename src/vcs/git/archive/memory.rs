//! An index of commits that were read before, stored beside the user's caches, so that the past is not walked again.
//!
//! Owns `<user cache>/beads/<name>.past`, one per object store. For each commit it holds the parents, the time and the
//! ledger's blobs, and for each pair of versions the lines that differ: names and places, no texts. Every entry is
//! stored under the hash of its object, and hashes never change their meaning; so the index may lack entries but is
//! never wrong. It only answers questions about commits that a walk from the tips of the working copy reaches: commits
//! of a rewritten history are never looked up. If a commit may not match its hash (replaced objects, the end of a
//! shallow clone), nothing is stored.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::{ObjectId, hashtable};

use super::kept::{Kept, Written, body};
use super::record::{Reader, Writer};
use crate::model::time::Instant;
use crate::sys;
use crate::sys::Env;
use crate::sys::cache_dir::{self, Kind};
use crate::vcs::archive::{Changes, Pair, Version, only};

/// Its own version, and that of the program: the names of lines may change with it.
const KIND: Kind = Kind {
    suffix: ".past",
    family: b"bd-past-",
    version: concat!("3 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes(),
    limit: 64 << 20,
};

/// The file for an object store. A directory that replaces it later is another store.
fn place(env: &Env, objects: &Path) -> Option<PathBuf> {
    let real = sys::path::real(objects).ok()?;
    let stamp = sys::fs::stat(&real).ok()?;
    let parts = [real.as_os_str().as_encoded_bytes(), &stamp.dev.to_le_bytes(), &stamp.ino.to_le_bytes()];
    Some(KIND.at(&cache_dir::place(env, parts)?))
}

/// A history with fewer commits is walked faster than an index is loaded.
const WORTH: usize = 64;

/// A commit's place, and the files that were looked up in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub committed: Instant,
    pub parents: Vec<ObjectId>,
    /// By the number of the path.
    files: Vec<(u16, Option<ObjectId>)>,
}

/// A lookup of a file's former name: the child, the parent, the path in the child, and the paths beside it.
type Rename = (ObjectId, ObjectId, u16, Vec<u16>);
/// Identifies a pair of versions.
type Key = [u8; 16];

#[derive(Default)]
pub(super) struct Memory {
    /// Where it is stored.
    place: Option<PathBuf>,
    paths: Vec<PathBuf>,
    commits: hashtable::HashMap<ObjectId, Known>,
    renames: HashMap<Rename, Option<u16>>,
    changes: HashMap<Key, Kept>,
    /// The changes in the file.
    written: Written,
    /// The entries used in this run: if there are too many, the others are dropped first.
    used_commits: hashtable::HashSet<ObjectId>,
    used_changes: HashSet<Key>,
    is_new: bool,
}

impl Memory {
    /// Opens the index of an object store.
    pub(super) fn open(env: &Env, objects: &Path) -> Self {
        let Some(place) = place(env, objects) else { return Memory::default() };
        let mut memory = KIND.load(&place).and_then(Memory::decode).unwrap_or_default();
        memory.place = Some(place);
        memory
    }

    /// Whether new entries will be stored.
    pub(super) fn is_kept(&self) -> bool {
        self.place.is_some()
    }

    pub(super) fn commit(&mut self, id: ObjectId) -> Option<&Known> {
        let known = self.commits.get(&id)?;
        self.used_commits.insert(id);
        Some(known)
    }

    pub(super) fn learn_commit(&mut self, id: ObjectId, committed: Instant, parents: Vec<ObjectId>) {
        self.commits.insert(id, Known { committed, parents, files: Vec::new() });
        self.used_commits.insert(id);
        self.is_new = true;
    }

    fn number(&self, path: &Path) -> Option<u16> {
        self.paths.iter().position(|known| known.as_os_str() == path.as_os_str()).map(|at| at as u16)
    }

    /// The number of a path, which may be new; `None` if there are too many.
    fn add(&mut self, path: &Path) -> Option<u16> {
        if let Some(number) = self.number(path) {
            return Some(number);
        }
        let number = u16::try_from(self.paths.len()).ok()?;
        self.paths.push(path.to_owned());
        Some(number)
    }

    /// A commit's entry at a path, if it was looked up before.
    pub(super) fn file(&self, commit: ObjectId, path: &Path) -> Option<Option<ObjectId>> {
        let number = self.number(path)?;
        let known = self.commits.get(&commit)?;
        known.files.iter().find(|(path, _)| *path == number).map(|(_, file)| *file)
    }

    pub(super) fn learn_file(&mut self, commit: ObjectId, path: &Path, file: Option<ObjectId>) {
        let Some(number) = self.add(path) else { return };
        if let Some(known) = self.commits.get_mut(&commit) {
            known.files.push((number, file));
            self.is_new = true;
        }
    }

    fn rename(&mut self, child: ObjectId, parent: ObjectId, path: &Path, beside: &[PathBuf]) -> Option<Rename> {
        let beside = beside.iter().map(|path| self.add(path)).collect::<Option<_>>()?;
        Some((child, parent, self.add(path)?, beside))
    }

    /// The former name of a file, if it was looked up before.
    pub(super) fn former_name(
        &mut self,
        child: ObjectId,
        parent: ObjectId,
        path: &Path,
        beside: &[PathBuf],
    ) -> Option<Option<PathBuf>> {
        let rename = self.rename(child, parent, path, beside)?;
        let former = *self.renames.get(&rename)?;
        Some(former.and_then(|number| self.paths.get(usize::from(number)).cloned()))
    }

    pub(super) fn learn_former_name(
        &mut self,
        child: ObjectId,
        parent: ObjectId,
        path: &Path,
        beside: &[PathBuf],
        former: Option<&Path>,
    ) {
        let Some(rename) = self.rename(child, parent, path, beside) else { return };
        let former = match former.map(|path| self.add(path)) {
            Some(None) => return,
            known => known.flatten(),
        };
        self.renames.insert(rename, former);
        self.is_new = true;
    }

    /// The differences of each pair of versions, only for some names if given, as far as they are stored.
    pub(super) fn changes(&mut self, pairs: &[Pair], of: Option<&BTreeSet<String>>) -> Vec<Option<Changes>> {
        let names = of.map(|names| self.written.numbers(names));
        let mut recall = |pair: &Pair| {
            if pair.0 == pair.1 {
                return Some(Rc::new([]) as Changes);
            }
            let key = key(pair);
            let found = match (self.changes.get(&key)?, of) {
                (Kept::Written(place), _) => self.written.changes(place, names.as_ref())?,
                (Kept::New(changes), None) => Rc::clone(changes),
                (Kept::New(changes), Some(of)) => only(changes, of),
            };
            self.used_changes.insert(key);
            Some(found)
        };
        pairs.iter().map(&mut recall).collect()
    }

    pub(super) fn learn_changes(&mut self, pair: &Pair, changes: &Changes) {
        let key = key(pair);
        self.changes.insert(key, Kept::New(Rc::clone(changes)));
        self.used_changes.insert(key);
        self.is_new = true;
    }

    /// Stores new entries.
    fn save(&mut self) {
        let Some(place) = self.place.as_ref().filter(|_| self.is_new && self.commits.len() >= WORTH) else { return };
        let mut bytes = self.encode(false);
        if bytes.len() as u64 + 1024 > KIND.limit {
            bytes = self.encode(true);
        }
        KIND.save(place, &bytes);
        self.is_new = false;
    }

    /// Everything, or only what was used in this run.
    fn encode(&self, only_used: bool) -> Vec<u8> {
        let mut out = Writer::default();
        out.list(self.paths.iter(), |out, path| out.bytes(path.as_os_str().as_encoded_bytes()));
        let commits = self.commits.iter().filter(|(id, _)| !only_used || self.used_commits.contains(*id));
        out.list(commits, |out, (id, known)| {
            out.id(Some(*id));
            out.number(known.committed.nanos() as u64);
            out.list(known.parents.iter(), |out, parent| out.id(Some(*parent)));
            out.list(known.files.iter(), |out, (path, file)| {
                out.number(u64::from(*path));
                out.id(*file);
            });
        });
        let is_used = |rename: &Rename| self.used_commits.contains(&rename.0);
        let renames = self.renames.iter().filter(|(rename, _)| !only_used || is_used(rename));
        out.list(renames, |out, ((child, parent, path, beside), former)| {
            out.id(Some(*child));
            out.id(Some(*parent));
            out.number(u64::from(*path));
            out.list(beside.iter(), |out, path| out.number(u64::from(*path)));
            out.number(former.map_or(0, |former| u64::from(former) + 1));
        });
        let changes = self.changes.iter().filter(|(key, _)| !only_used || self.used_changes.contains(*key));
        // The stored entries stay as they are, and so do the numbers of their names.
        let mut names = if only_used { HashMap::new() } else { self.written.all_names() };
        let body = |(key, kept): (&Key, &Kept)| -> Option<(Key, Cow<'_, [u8]>)> {
            let body = match kept {
                Kept::New(changes) => body(changes, &mut names).into(),
                Kept::Written(place) if only_used => body(&self.written.changes(place, None)?, &mut names).into(),
                Kept::Written(place) => self.written.bytes(place)?.into(),
            };
            Some((*key, body))
        };
        let bodies: Vec<(Key, Cow<'_, [u8]>)> = changes.filter_map(body).collect();
        let mut names: Vec<(Rc<str>, u64)> = names.into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        out.list(names.iter(), |out, (name, _)| out.bytes(name.as_bytes()));
        out.list(bodies.iter(), |out, (key, body)| {
            out.raw(key);
            out.bytes(body);
        });
        out.finish()
    }

    fn decode(bytes: Vec<u8>) -> Option<Self> {
        let mut memory = Memory::default();
        let mut input = Reader::new(&bytes);
        for _ in 0..input.count()? {
            memory.paths.push(crate::vcs::files::path_of(input.bytes()?));
        }
        let count = memory.paths.len();
        let path = |number: u64| u16::try_from(number).ok().filter(|number| usize::from(*number) < count);
        for _ in 0..input.count()? {
            let id = input.id()??;
            let committed = Instant::from_nanos(input.number()? as i64);
            let parents = (0..input.count()?).map(|_| input.id()?).collect::<Option<_>>()?;
            let mut files = Vec::new();
            for _ in 0..input.count()? {
                files.push((path(input.number()?)?, input.id()?));
            }
            memory.commits.insert(id, Known { committed, parents, files });
        }
        for _ in 0..input.count()? {
            let (child, parent) = (input.id()??, input.id()??);
            let file = path(input.number()?)?;
            let beside = (0..input.count()?).map(|_| path(input.number()?)).collect::<Option<_>>()?;
            let former = match input.number()? {
                0 => None,
                number => Some(path(number - 1)?),
            };
            memory.renames.insert((child, parent, file, beside), former);
        }
        let mut names = Vec::new();
        for _ in 0..input.count()? {
            let len = std::str::from_utf8(input.bytes()?).ok()?.len();
            let end = bytes.len() - input.len();
            names.push(end - len..end);
        }
        for _ in 0..input.count()? {
            let key: Key = input.raw(16)?.try_into().ok()?;
            let len = input.bytes()?.len();
            let end = bytes.len() - input.len();
            memory.changes.insert(key, Kept::Written(end - len..end));
        }
        if !input.is_empty() {
            return None;
        }
        memory.written = Written::new(bytes, names);
        Some(memory)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.save();
    }
}

fn key((before, after): &Pair) -> Key {
    let mut hasher = blake3::Hasher::new();
    for version in [before, after] {
        for part in version.iter().flat_map(|Version(parts)| parts.iter()) {
            hasher.update(part.as_bytes());
            hasher.update(b" ");
        }
        hasher.update(b"\n");
    }
    let mut key = Key::default();
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vcs::archive::{Change, Spot};

    fn id(n: u8) -> ObjectId {
        ObjectId::from_bytes_or_panic(&[n; 20])
    }

    fn pair(n: u8) -> Pair {
        (Some(Version::of(id(n).to_string())), Some(Version([id(n + 1), id(n + 2)].map(|id| id.to_string()).into())))
    }

    fn filled() -> Memory {
        let mut memory = Memory::default();
        memory.learn_commit(id(1), Instant::from_nanos(-5), vec![]);
        memory.learn_commit(id(2), Instant::from_nanos(1 << 60), vec![id(1), id(9)]);
        memory.learn_file(id(1), Path::new(".beads/issues.jsonl"), Some(id(7)));
        memory.learn_file(id(2), Path::new(".beads/issues.jsonl"), None);
        memory.learn_file(id(2), Path::new(".beads/beads.jsonl"), Some(id(7)));
        let beside = [PathBuf::from(".beads/issues.jsonl")];
        memory.learn_former_name(id(2), id(1), Path::new(".beads/beads.jsonl"), &beside, Some(&beside[0]));
        memory.learn_former_name(id(2), id(9), Path::new(".beads/beads.jsonl"), &beside, None);
        let spot = |start: u32| Spot { part: 1, start, len: 300 };
        let change = |name: &str| Change { name: name.into(), before: vec![], after: vec![spot(1), spot(70_000)] };
        memory.learn_changes(&pair(7), &[change("bd-1"), change("bd-2")].into());
        memory.learn_changes(&pair(8), &[change("bd-2")].into());
        memory.learn_changes(&(None, pair(7).0), &(Rc::new([]) as Changes));
        memory
    }

    fn changes(memory: &mut Memory, pair: Pair) -> Option<Changes> {
        memory.changes(&[pair], None).remove(0)
    }

    fn same(one: &mut Memory, other: &mut Memory) -> bool {
        let pairs = [pair(7), pair(8), (None, pair(7).0), (pair(7).1, pair(7).0)];
        one.paths == other.paths
            && one.commits == other.commits
            && one.renames == other.renames
            && one.changes(&pairs, None) == other.changes(&pairs, None)
    }

    #[test]
    fn what_was_learned_is_known() {
        let mut memory = filled();
        let mut back = Memory::decode(memory.encode(false)).unwrap();
        assert!(same(&mut memory, &mut back));
        let mut again = Memory::decode(back.encode(false)).unwrap();
        assert!(same(&mut memory, &mut again), "what was in the file is written again");
        assert_eq!(back.file(id(1), Path::new(".beads/issues.jsonl")), Some(Some(id(7))));
        assert_eq!(back.file(id(2), Path::new(".beads/issues.jsonl")), Some(None));
        assert_eq!(back.file(id(1), Path::new(".beads/beads.jsonl")), None, "nobody asked");
        let beside = [PathBuf::from(".beads/issues.jsonl")];
        let former = |memory: &mut Memory, parent: u8, beside: &[PathBuf]| {
            memory.former_name(id(2), id(parent), Path::new(".beads/beads.jsonl"), beside)
        };
        assert_eq!(former(&mut back, 1, &beside), Some(Some(beside[0].clone())));
        assert_eq!(former(&mut back, 9, &beside), Some(None));
        assert_eq!(former(&mut back, 1, &[]), None, "another question");
        assert_eq!(changes(&mut back, pair(7)).unwrap().len(), 2);
        assert!(changes(&mut back, (pair(7).1, pair(7).0)).is_none(), "not the other way round");
    }

    #[test]
    fn one_name_is_looked_up_alone() {
        let mut new = filled();
        let mut old = Memory::decode(new.encode(false)).unwrap();
        let pairs = [pair(7), pair(8), (None, pair(7).0), (pair(8).1, pair(8).0)];
        for memory in [&mut new, &mut old] {
            let mut names = |name: &str| {
                let found = memory.changes(&pairs, Some(&BTreeSet::from([name.to_owned()])));
                let names = |changes: &Changes| changes.iter().map(|change| change.name.to_string()).collect();
                found.iter().map(|changes| changes.as_ref().map(names)).collect::<Vec<Option<Vec<String>>>>()
            };
            let (one, two) = (vec!["bd-1".to_owned()], vec!["bd-2".to_owned()]);
            assert_eq!(names("bd-1"), [Some(one), Some(vec![]), Some(vec![]), None]);
            assert_eq!(names("bd-2"), [Some(two.clone()), Some(two), Some(vec![]), None]);
            assert_eq!(names("bd-3"), [Some(vec![]), Some(vec![]), Some(vec![]), None]);
        }
    }

    #[test]
    fn what_is_learned_later_joins_what_was_written() {
        let mut memory = Memory::decode(filled().encode(false)).unwrap();
        let spot = Spot { part: 0, start: 5, len: 6 };
        let change = |name: &str| Change { name: name.into(), before: vec![spot], after: vec![] };
        let later: Changes = [change("bd-2"), change("bd-3")].into();
        memory.learn_changes(&pair(20), &later);
        let mut back = Memory::decode(memory.encode(false)).unwrap();
        assert!(same(&mut filled(), &mut back));
        assert_eq!(changes(&mut back, pair(20)), Some(later));
    }

    #[test]
    fn what_is_cut_or_changed_is_read_safely() {
        let bytes = filled().encode(false);
        for cut in 0..bytes.len() {
            assert!(Memory::decode(bytes[..cut].to_vec()).is_none(), "cut at {cut}");
        }
        // The file's checksum guards against this; decoding only has to fail safely.
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut odd = bytes.clone();
                odd[at] ^= 1 << bit;
                drop(Memory::decode(odd).map(|mut memory| changes(&mut memory, pair(7))));
            }
        }
        assert!(Memory::decode([bytes.as_slice(), b"x"].concat()).is_none(), "more than there should be");
    }

    #[test]
    fn unused_entries_are_dropped_first() {
        let mut memory = Memory::decode(filled().encode(false)).unwrap();
        memory.commit(id(2));
        changes(&mut memory, pair(8));
        let mut left = Memory::decode(memory.encode(true)).unwrap();
        assert!(left.commits.contains_key(&id(2)) && !left.commits.contains_key(&id(1)));
        assert_eq!((left.renames.len(), left.changes.len()), (2, 1));
        assert_eq!(changes(&mut left, pair(8)), changes(&mut filled(), pair(8)));
    }
}
