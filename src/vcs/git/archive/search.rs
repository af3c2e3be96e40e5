//! The lines of many versions that hold a text, without putting the versions together.
//!
//! The versions and what they are deltas of form trees. Each tree is walked from the object that is kept whole, so that
//! only this one and the way down from it are in memory. Trees are independent of each other and are shared out to threads.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix::ObjectId;
use gix::hash::Kind;
use gix::zlib::Inflate;

use super::packs::{Entry, Packs, Place};
use super::rope::{Rope, Sought};
use super::table::{Names, Table};

/// More threads do not help: they would wait for memory.
const THREADS: usize = 8;

/// The lines of one version.
type Lines = Vec<Vec<u8>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stored {
    Packed(Place),
    Loose(ObjectId),
}

struct Node {
    stored: Stored,
    /// The versions that were asked for, by number. There may be none, and only others need it.
    versions: Vec<usize>,
    /// What is kept as a delta of it.
    deltas: Vec<usize>,
}

/// The directories that hold the objects of a repository: one like `.git/objects`, and those that it borrows from.
pub struct Shelves {
    pub directories: Vec<PathBuf>,
    pub hash: Kind,
}

impl Shelves {
    /// For each version its lines; `None` for one that must be read another way.
    pub fn lines(&self, versions: &[ObjectId], sought: &Sought<'_>) -> Vec<Option<Lines>> {
        let packs = Packs::open(&self.directories, self.hash);
        let mut forest = Forest::new(&packs);
        for (version, id) in versions.iter().enumerate() {
            forest.plant(version, *id);
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut reader = Reader { shelves: self, packs: &packs, inflate: Inflate::default() };
            let mut found: Vec<(usize, Lines)> = Vec::new();
            while let Some(root) = forest.roots.get(next.fetch_add(1, Ordering::Relaxed)) {
                let make = |bytes: Vec<u8>, base: Option<&Rope>| match base {
                    None => Some(Rope::whole(bytes, sought)),
                    Some(base) => base.changed(&bytes, sought),
                };
                reader.walk(&forest, *root, make, |versions, rope| {
                    let lines = rope.lines(sought);
                    found.extend(versions.iter().map(|version| (*version, lines.clone())));
                });
            }
            found
        };
        let most = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let found = std::thread::scope(|scope| {
            let others: Vec<_> = (1..most.min(forest.roots.len())).map(|_| scope.spawn(work)).collect();
            let mut found = work();
            // Nothing is lost with a thread: its versions are read another way.
            found.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
            found
        });
        let mut lines = vec![None; versions.len()];
        found.into_iter().for_each(|(version, found)| lines[version] = Some(found));
        lines
    }

    /// For each version a table of its lines; `None` for one that must be read another way, and for what comes after so many
    /// bytes.
    pub fn tables(&self, versions: &[ObjectId], names: &mut Names, room: usize) -> Vec<Option<Rc<Table>>> {
        let packs = Packs::open(&self.directories, self.hash);
        let mut forest = Forest::new(&packs);
        for (version, id) in versions.iter().enumerate() {
            forest.plant(version, *id);
        }
        let mut reader = Reader { shelves: self, packs: &packs, inflate: Inflate::default() };
        let mut tables = vec![None; versions.len()];
        // What was made last: the next object that is kept whole has most lines in common with it.
        let mut last: Option<Rc<Table>> = None;
        for root in &forest.roots {
            let near = last.take();
            let make = |bytes: Vec<u8>, base: Option<&Table>| match (base, &near) {
                _ if names.bytes > room => None,
                (Some(base), _) => base.changed(&bytes, names),
                (None, Some(near)) => Some(Table::beside(&bytes, near, names)),
                (None, None) => Some(Table::whole(bytes, names)),
            };
            reader.walk(&forest, *root, make, |versions, table| {
                versions.iter().for_each(|version| tables[*version] = Some(Rc::clone(table)));
                last = Some(Rc::clone(table));
            });
        }
        tables
    }
}

struct Forest<'a> {
    packs: &'a Packs,
    nodes: Vec<Node>,
    numbers: HashMap<Stored, usize>,
    /// What is kept whole.
    roots: Vec<usize>,
}

impl<'a> Forest<'a> {
    fn new(packs: &'a Packs) -> Self {
        Forest { packs, nodes: Vec::new(), numbers: HashMap::new(), roots: Vec::new() }
    }

    /// Adds a version, and all that it is a delta of.
    fn plant(&mut self, version: usize, id: ObjectId) {
        let mut stored = self.packs.place(&id).map_or(Stored::Loose(id), Stored::Packed);
        let mut delta = None;
        loop {
            let known = self.numbers.get(&stored).copied();
            let number = known.unwrap_or(self.nodes.len());
            if known.is_none() {
                self.numbers.insert(stored, number);
                self.nodes.push(Node { stored, versions: Vec::new(), deltas: Vec::new() });
            }
            match delta {
                None => self.nodes[number].versions.push(version),
                Some(delta) => self.nodes[number].deltas.push(delta),
            }
            let entry = match stored {
                _ if known.is_some() => return,
                Stored::Packed(place) => self.packs.entry(place),
                Stored::Loose(_) => Some(Entry::Blob),
            };
            stored = match entry {
                Some(Entry::DeltaOf(base)) => Stored::Packed(base),
                Some(Entry::DeltaOfLoose(base)) => Stored::Loose(base),
                Some(Entry::Blob) => return self.roots.push(number),
                None => return,
            };
            delta = Some(number);
        }
    }
}

/// One thread's part.
struct Reader<'a> {
    shelves: &'a Shelves,
    packs: &'a Packs,
    inflate: Inflate,
}

impl Reader<'_> {
    /// Makes something of an object that is kept whole, and of each delta with what was made of its base.
    fn walk<T>(
        &mut self,
        forest: &Forest<'_>,
        root: usize,
        mut make: impl FnMut(Vec<u8>, Option<&T>) -> Option<T>,
        mut each: impl FnMut(&[usize], &Rc<T>),
    ) {
        let mut waiting: Vec<(usize, Option<Rc<T>>)> = vec![(root, None)];
        while let Some((number, base)) = waiting.pop() {
            let node = &forest.nodes[number];
            let made = self.bytes(node.stored).and_then(|bytes| make(bytes, base.as_deref()));
            let Some(made) = made.map(Rc::new) else { continue };
            if !node.versions.is_empty() {
                each(&node.versions, &made);
            }
            waiting.extend(node.deltas.iter().map(|delta| (*delta, Some(Rc::clone(&made)))));
        }
    }

    fn bytes(&mut self, stored: Stored) -> Option<Vec<u8>> {
        match stored {
            Stored::Packed(place) => self.packs.bytes(place, &mut self.inflate),
            Stored::Loose(id) => self.shelves.loose(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use gix::objs::compute_hash;
    use gix::odb::loose;
    use gix::zlib::Compression;
    use gix::zlib::stream::deflate;

    use super::super::delta::Instruction::{Copy, Insert};
    use super::super::delta::tests::written;
    use super::*;

    const SHA1: Kind = Kind::Sha1;

    fn id(text: &[u8]) -> ObjectId {
        compute_hash(SHA1, gix::objs::Kind::Blob, text).unwrap()
    }

    /// A pack with its index, entry by entry.
    #[derive(Default)]
    struct Writer {
        pack: Vec<u8>,
        entries: Vec<(ObjectId, u32)>,
    }

    impl Writer {
        /// An entry: the type of git, what stands between header and data, the data, and the object that it makes.
        fn add(&mut self, kind: u8, base: &[u8], data: &[u8], object: &[u8]) -> u64 {
            if self.pack.is_empty() {
                self.pack.extend_from_slice(b"PACK\0\0\0\x02\0\0\0\0");
            }
            let offset = self.pack.len();
            self.entries.push((id(object), offset as u32));
            let mut size = data.len() >> 4;
            self.pack.push(kind << 4 | (data.len() & 15) as u8 | if size > 0 { 0x80 } else { 0 });
            while size > 0 {
                self.pack.push((size & 0x7f) as u8 | if size > 0x7f { 0x80 } else { 0 });
                size >>= 7;
            }
            self.pack.extend_from_slice(base);
            let mut deflate = deflate::Write::new(&mut self.pack, Compression::DEFAULT);
            deflate.write_all(data).unwrap();
            deflate.flush().unwrap();
            offset as u64
        }

        fn write(mut self, directory: &std::path::Path) {
            std::fs::create_dir_all(directory.join("pack")).unwrap();
            let count = self.entries.len() as u32;
            self.pack[8..12].copy_from_slice(&count.to_be_bytes());
            self.pack.extend([0; 20]);
            self.entries.sort();
            let mut index = b"\xfftOc\0\0\0\x02".to_vec();
            for byte in 0..=255_u8 {
                let below = self.entries.iter().filter(|(id, _)| id.as_slice()[0] <= byte).count() as u32;
                index.extend(below.to_be_bytes());
            }
            self.entries.iter().for_each(|(id, _)| index.extend_from_slice(id.as_slice()));
            index.extend(vec![0; self.entries.len() * 4]);
            self.entries.iter().for_each(|(_, offset)| index.extend(offset.to_be_bytes()));
            index.extend([0; 40]);
            std::fs::write(directory.join("pack/pack-1.pack"), self.pack).unwrap();
            std::fs::write(directory.join("pack/pack-1.idx"), index).unwrap();
        }
    }

    /// None of these is read the other way.
    #[test]
    fn blobs_and_both_kinds_of_deltas() {
        let first = b"one bd-1\ntwo\nthree bd-1 bd-1\n".to_vec();
        let second = b"one bd-1\ntwo bd-2\nthree bd-1 bd-1\n".to_vec();
        let third = b"two bd-2\nnew bd-1\n".to_vec();
        let to_second = written(29, 34, &[Copy { from: 0, len: 12 }, Insert(b" bd-2"), Copy { from: 12, len: 17 }]);
        let to_third = written(34, 18, &[Copy { from: 9, len: 9 }, Insert(b"new b"), Copy { from: 30, len: 4 }]);
        let mut writer = Writer::default();
        let at = writer.add(3, &[], &first, &first);
        let distance = writer.pack.len() as u64 - at;
        writer.add(6, &[distance as u8], &to_second, &second);
        writer.add(7, id(&second).as_slice(), &to_third, &third);
        // A delta of something that is in no pack.
        let loose = b"loose bd-1\n".to_vec();
        let after = b"loose bd-1\nmore\n".to_vec();
        writer.add(7, id(&loose).as_slice(), &written(11, 16, &[Copy { from: 0, len: 11 }, Insert(b"more\n")]), &after);
        // Two that are deltas of each other, one of nothing, and one that is no file.
        writer.add(7, id(b"b").as_slice(), &written(1, 1, &[Insert(b"a")]), b"a");
        writer.add(7, id(b"a").as_slice(), &written(1, 1, &[Insert(b"b")]), b"b");
        writer.add(7, id(b"nowhere").as_slice(), &written(1, 1, &[Insert(b"c")]), b"c");
        writer.add(2, &[], b"tree", b"d");
        let place = tempfile::tempdir().unwrap();
        writer.write(place.path());
        let store = loose::Store::at(place.path(), SHA1);
        gix::objs::Write::write_buf(&store, gix::objs::Kind::Blob, &loose).unwrap();

        let texts = [&third, &first, &second, &after, &loose, &third];
        let versions: Vec<ObjectId> = texts.iter().map(|text| id(text)).collect();
        let missing = tempfile::tempdir().unwrap();
        let shelves = Shelves { directories: vec![missing.path().join("gone"), place.path().to_owned()], hash: SHA1 };
        for sought in ["bd-1", "bd-2", "w", "nothing", "one bd-1"] {
            let found = shelves.lines(&versions, &Sought::new(sought.as_bytes()).unwrap());
            let expected = texts.map(|text| Some(crate::vcs::archive::lines_holding(text, sought.as_bytes())));
            assert_eq!(found, expected, "{sought}");
        }
        let odd = [b"a", b"b", b"c", b"d", b"e"].map(|text| id(text));
        assert_eq!(shelves.lines(&odd, &Sought::new(b"a").unwrap()), [None, None, None, None, None]);
    }
}
