//! An index of commits that were read before, stored beside the user's caches, so that the past is not walked again.
//!
//! Owns `<user cache>/beads/<name>.past`, one per object store. For each commit it holds the parents, the time and the
//! ledger's blobs, and for each pair of versions the lines that differ: names and places, no texts. Every entry is
//! stored under the hash of its object, and hashes never change their meaning; so the index may lack entries but is
//! never wrong. It only answers questions about commits that a walk from the tips of the working copy reaches: commits
//! of a rewritten history are never looked up. If a commit may not match its hash (replaced objects, the end of a
//! shallow clone), nothing is stored.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::{ObjectId, hashtable};

use super::kept::Names;
use super::record::{Reader, Writer};
use crate::model::time::Instant;
use crate::sys;
use crate::sys::Env;
use crate::sys::cache_dir::{self, Kind};
use crate::vcs::archive::{Changes, Pair, Version};

/// Its own version, and that of the program: the names of lines may change with it.
const KIND: Kind = Kind {
    suffix: ".past",
    family: b"bd-past-",
    version: concat!("4 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes(),
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

/// Identifies a pair of versions.
type Key = [u8; 16];

#[derive(Default)]
pub(super) struct Memory {
    /// Where it is stored.
    place: Option<PathBuf>,
    paths: Vec<PathBuf>,
    commits: hashtable::HashMap<ObjectId, Known>,
    /// Encoded, and decoded when they are asked for.
    changes: HashMap<Key, Vec<u8>>,
    names: Names,
    is_new: bool,
}

impl Memory {
    /// Opens the index of an object store.
    pub(super) fn open(env: &Env, objects: &Path) -> Self {
        let Some(place) = place(env, objects) else { return Memory::default() };
        let mut memory = KIND.load(&place).and_then(|bytes| Memory::decode(&bytes)).unwrap_or_default();
        memory.place = Some(place);
        memory
    }

    /// Whether new entries will be stored.
    pub(super) fn is_kept(&self) -> bool {
        self.place.is_some()
    }

    pub(super) fn commit(&self, id: ObjectId) -> Option<&Known> {
        self.commits.get(&id)
    }

    pub(super) fn learn_commit(&mut self, id: ObjectId, committed: Instant, parents: Vec<ObjectId>) {
        self.commits.insert(id, Known { committed, parents, files: Vec::new() });
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

    /// The differences of each pair of versions, only for some names if given, as far as they are stored.
    pub(super) fn changes(&self, pairs: &[Pair], of: Option<&BTreeSet<String>>) -> Vec<Option<Changes>> {
        let numbers = of.map(|names| self.names.numbers(names));
        let recall = |pair: &Pair| match pair.0 == pair.1 {
            true => Some(Rc::new([]) as Changes),
            false => self.names.decoded(self.changes.get(&key(pair))?, numbers.as_ref()),
        };
        pairs.iter().map(recall).collect()
    }

    pub(super) fn learn_changes(&mut self, pair: &Pair, changes: &Changes) {
        self.changes.insert(key(pair), self.names.encoded(changes));
        self.is_new = true;
    }

    /// Stores new entries.
    fn save(&mut self) {
        let Some(place) = self.place.clone().filter(|_| self.is_new && self.commits.len() >= WORTH) else { return };
        let mut bytes = self.encode();
        if bytes.len() as u64 + 1024 > KIND.limit {
            // They take most of the room, and questions that need some find them again.
            self.changes.clear();
            self.names = Names::default();
            bytes = self.encode();
        }
        KIND.save(&place, &bytes);
        self.is_new = false;
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.list(self.paths.iter(), |out, path| out.bytes(path.as_os_str().as_encoded_bytes()));
        out.list(self.commits.iter(), |out, (id, known)| {
            out.id(Some(*id));
            out.number(known.committed.nanos() as u64);
            out.list(known.parents.iter(), |out, parent| out.id(Some(*parent)));
            out.list(known.files.iter(), |out, (path, file)| {
                out.number(u64::from(*path));
                out.id(*file);
            });
        });
        out.list(self.names.all().iter(), |out, name| out.bytes(name.as_bytes()));
        out.list(self.changes.iter(), |out, (key, changes)| {
            out.raw(key);
            out.bytes(changes);
        });
        out.finish()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut memory = Memory::default();
        let mut input = Reader::new(bytes);
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
        let mut names = Vec::new();
        for _ in 0..input.count()? {
            names.push(std::str::from_utf8(input.bytes()?).ok()?.into());
        }
        memory.names = Names::of(names);
        for _ in 0..input.count()? {
            let key: Key = input.raw(16)?.try_into().ok()?;
            memory.changes.insert(key, input.bytes()?.to_vec());
        }
        input.is_empty().then_some(memory)
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
        let spot = |start: u32| Spot { part: 1, start, len: 300 };
        let change = |name: &str| Change { name: name.into(), before: vec![], after: vec![spot(1), spot(70_000)] };
        memory.learn_changes(&pair(7), &[change("bd-1"), change("bd-2")].into());
        memory.learn_changes(&pair(8), &[change("bd-2")].into());
        memory.learn_changes(&(None, pair(7).0), &(Rc::new([]) as Changes));
        memory
    }

    fn changes(memory: &Memory, pair: Pair) -> Option<Changes> {
        memory.changes(&[pair], None).remove(0)
    }

    fn same(one: &Memory, other: &Memory) -> bool {
        let pairs = [pair(7), pair(8), (None, pair(7).0), (pair(7).1, pair(7).0)];
        one.paths == other.paths
            && one.commits == other.commits
            && one.changes(&pairs, None) == other.changes(&pairs, None)
    }

    #[test]
    fn what_was_learned_is_known() {
        let memory = filled();
        let back = Memory::decode(&memory.encode()).unwrap();
        assert!(same(&memory, &back));
        let again = Memory::decode(&back.encode()).unwrap();
        assert!(same(&memory, &again), "what was in the file is written again");
        assert_eq!(back.file(id(1), Path::new(".beads/issues.jsonl")), Some(Some(id(7))));
        assert_eq!(back.file(id(2), Path::new(".beads/issues.jsonl")), Some(None));
        assert_eq!(back.file(id(1), Path::new(".beads/beads.jsonl")), None, "nobody asked");
        assert_eq!(changes(&back, pair(7)).unwrap().len(), 2);
        assert!(changes(&back, (pair(7).1, pair(7).0)).is_none(), "not the other way round");
    }

    #[test]
    fn one_name_is_looked_up_alone() {
        let new = filled();
        let old = Memory::decode(&new.encode()).unwrap();
        let pairs = [pair(7), pair(8), (None, pair(7).0), (pair(8).1, pair(8).0)];
        for memory in [&new, &old] {
            let names = |name: &str| {
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
        let mut memory = Memory::decode(&filled().encode()).unwrap();
        let spot = Spot { part: 0, start: 5, len: 6 };
        let change = |name: &str| Change { name: name.into(), before: vec![spot], after: vec![] };
        let later: Changes = [change("bd-2"), change("bd-3")].into();
        memory.learn_changes(&pair(20), &later);
        let back = Memory::decode(&memory.encode()).unwrap();
        assert!(same(&filled(), &back));
        assert_eq!(changes(&back, pair(20)), Some(later));
    }

    #[test]
    fn what_is_cut_or_changed_is_read_safely() {
        let bytes = filled().encode();
        for cut in 0..bytes.len() {
            assert!(Memory::decode(&bytes[..cut]).is_none(), "cut at {cut}");
        }
        // The file's checksum guards against this; decoding only has to fail safely.
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut odd = bytes.clone();
                odd[at] ^= 1 << bit;
                drop(Memory::decode(&odd).map(|memory| changes(&memory, pair(7))));
            }
        }
        assert!(Memory::decode(&[bytes.as_slice(), b"x"].concat()).is_none(), "more than there should be");
    }
}
