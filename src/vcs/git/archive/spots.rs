//! A few bytes of a version, found through the deltas that it is made of.
//!
//! What is wanted of a version is some of what its delta inserts, and some of its base, and so on down to the object that is
//! kept whole. Of that one no more is unpacked than the last byte that is wanted, as long as it is asked once.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use gix::ObjectId;
use gix::odb::loose;
use gix::zlib::Inflate;

use super::delta::{Delta, Instruction};
use super::packs::{Entry, Packs, Place};
use super::search::{Shelves, Stored};

/// No chain of deltas is longer; a circle would be.
const DEPTH: usize = 4096;
/// So many bytes of deltas are kept; then all go.
const DELTAS: usize = 8 << 20;
/// So many bytes of whole objects are kept, and one in any case.
const WHOLE: usize = 24 << 20;

/// The beginning of an object that is kept whole.
struct Whole {
    stored: Stored,
    bytes: Rc<Vec<u8>>,
}

pub struct Spots {
    shelves: Shelves,
    packs: Packs,
    inflate: Inflate,
    deltas: HashMap<Place, Rc<Vec<u8>>>,
    delta_bytes: usize,
    wholes: VecDeque<Whole>,
}

enum Piece {
    Known(Vec<u8>),
    /// Bytes of the base.
    Wanted(Range<usize>),
}

impl Spots {
    pub fn new(shelves: Shelves) -> Self {
        Spots {
            packs: Packs::open(&shelves.directories, shelves.hash),
            shelves,
            inflate: Inflate::default(),
            deltas: HashMap::new(),
            delta_bytes: 0,
            wholes: VecDeque::new(),
        }
    }

    /// Some bytes of an object; `None` if they must be read another way.
    pub fn bytes(&mut self, id: ObjectId, wanted: Range<usize>) -> Option<Vec<u8>> {
        let mut stored = self.packs.place(&id).map_or(Stored::Loose(id), Stored::Packed);
        let mut pieces = vec![Piece::Wanted(wanted)];
        for _ in 0..DEPTH {
            let ends =
                pieces.iter().filter_map(|piece| if let Piece::Wanted(range) = piece { Some(range.end) } else { None });
            let Some(end) = ends.max() else { break };
            let entry = match stored {
                Stored::Packed(place) => self.packs.entry(place)?,
                Stored::Loose(_) => Entry::Blob,
            };
            let base = match entry {
                Entry::Blob => {
                    let whole = self.whole(stored, end)?;
                    for piece in &mut pieces {
                        if let Piece::Wanted(range) = piece {
                            *piece = Piece::Known(whole.get(range.clone())?.to_vec());
                        }
                    }
                    break;
                }
                Entry::DeltaOf(base) => Stored::Packed(base),
                Entry::DeltaOfLoose(base) => Stored::Loose(base),
            };
            let Stored::Packed(place) = stored else { return None };
            let delta = self.delta(place)?;
            pieces = below(&Delta::read(&delta)?, pieces)?;
            stored = base;
        }
        let mut bytes = Vec::new();
        for piece in pieces {
            let Piece::Known(known) = piece else { return None };
            bytes.extend(known);
        }
        Some(bytes)
    }

    fn delta(&mut self, place: Place) -> Option<Rc<Vec<u8>>> {
        if let Some(known) = self.deltas.get(&place) {
            return Some(Rc::clone(known));
        }
        let delta = Rc::new(self.packs.bytes(place, &mut self.inflate)?);
        if self.delta_bytes + delta.len() > DELTAS {
            self.deltas.clear();
            self.delta_bytes = 0;
        }
        self.delta_bytes += delta.len();
        self.deltas.insert(place, Rc::clone(&delta));
        Some(delta)
    }

    /// At least the first bytes of an object that is kept whole.
    fn whole(&mut self, stored: Stored, end: usize) -> Option<Rc<Vec<u8>>> {
        let known = self.wholes.iter().position(|whole| whole.stored == stored).and_then(|at| self.wholes.remove(at));
        let bytes = match known {
            Some(whole) if whole.bytes.len() >= end => whole.bytes,
            // Who asks twice may ask for all of it.
            known => Rc::new(match stored {
                Stored::Packed(place) if known.is_none() => self.packs.beginning(place, end, &mut self.inflate)?,
                Stored::Packed(place) => self.packs.bytes(place, &mut self.inflate)?,
                Stored::Loose(id) => self.shelves.loose(id)?,
            }),
        };
        self.wholes.push_back(Whole { stored, bytes: Rc::clone(&bytes) });
        while self.wholes.len() > 1 && self.wholes.iter().map(|whole| whole.bytes.len()).sum::<usize>() > WHOLE {
            self.wholes.pop_front();
        }
        Some(bytes)
    }
}

/// What is wanted of a version, told by its delta: known bytes, and what is wanted of its base.
fn below(delta: &Delta<'_>, pieces: Vec<Piece>) -> Option<Vec<Piece>> {
    let mut found = Vec::with_capacity(pieces.len() + 2);
    for piece in pieces {
        let Piece::Wanted(wanted) = piece else {
            found.push(piece);
            continue;
        };
        let mut at = 0;
        for instruction in delta.instructions() {
            let instruction = instruction?;
            let len = match instruction {
                Instruction::Copy { len, .. } => len,
                Instruction::Insert(bytes) => bytes.len(),
            };
            let (start, end) = (wanted.start.max(at), wanted.end.min(at + len));
            if start < end {
                let inside = start - at..end - at;
                match (instruction, found.last_mut()) {
                    (Instruction::Insert(bytes), _) => found.push(Piece::Known(bytes[inside].to_vec())),
                    (Instruction::Copy { from, .. }, Some(Piece::Wanted(last))) if last.end == from + inside.start => {
                        last.end = from + inside.end;
                    }
                    (Instruction::Copy { from, .. }, _) => {
                        found.push(Piece::Wanted(from + inside.start..from + inside.end));
                    }
                }
            }
            at += len;
            if at >= wanted.end {
                break;
            }
        }
        if at < wanted.end {
            return None;
        }
    }
    Some(found)
}

impl Shelves {
    /// The bytes of a file that is in no pack.
    pub fn loose(&self, id: ObjectId) -> Option<Vec<u8>> {
        self.directories.iter().find_map(|directory| {
            let mut bytes = Vec::new();
            let found = loose::Store::at(directory, self.hash).try_find(&id, &mut bytes).ok()??;
            (found.kind == gix::objs::Kind::Blob).then_some(())?;
            Some(bytes)
        })
    }
}
