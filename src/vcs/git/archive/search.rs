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
use gix::odb::loose;
use gix::zlib::Inflate;

use super::packs::{Entry, Packs, Place};
use super::rope::{Rope, Sought};

/// More threads do not help: they would wait for memory.
const THREADS: usize = 8;

/// The lines of one version.
type Lines = Vec<Vec<u8>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stored {
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
            let mut reader = Reader { shelves: self, packs: &packs, inflate: Inflate::default(), found: Vec::new() };
            while let Some(root) = forest.roots.get(next.fetch_add(1, Ordering::Relaxed)) {
                reader.walk(&forest, *root, sought);
            }
            reader.found
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
    found: Vec<(usize, Lines)>,
}

impl Reader<'_> {
    fn walk(&mut self, forest: &Forest<'_>, root: usize, sought: &Sought<'_>) {
        let Some(whole) = self.bytes(forest.nodes[root].stored) else { return };
        let whole = Rc::new(Rope::whole(whole, sought));
        let mut waiting = vec![(root, None)];
        while let Some((number, base)) = waiting.pop() {
            let node = &forest.nodes[number];
            let rope = match base {
                None => Rc::clone(&whole),
                Some(base) => match self.changed(&base, node.stored, sought) {
                    Some(rope) => Rc::new(rope),
                    None => continue,
                },
            };
            if !node.versions.is_empty() {
                let lines = rope.lines(sought);
                self.found.extend(node.versions.iter().map(|version| (*version, lines.clone())));
            }
            waiting.extend(node.deltas.iter().map(|delta| (*delta, Some(Rc::clone(&rope)))));
        }
    }

    fn changed(&mut self, base: &Rc<Rope>, stored: Stored, sought: &Sought<'_>) -> Option<Rope> {
        let delta = self.bytes(stored)?;
        base.changed(&delta, sought)
    }

    fn bytes(&mut self, stored: Stored) -> Option<Vec<u8>> {
        match stored {
            Stored::Packed(place) => self.packs.bytes(place, &mut self.inflate),
            Stored::Loose(id) => self.shelves.directories.iter().find_map(|directory| {
                let mut bytes = Vec::new();
                let found = loose::Store::at(directory, self.shelves.hash).try_find(&id, &mut bytes).ok()??;
                (found.kind == gix::objs::Kind::Blob).then_some(())?;
                Some(bytes)
            }),
        }
    }
}
