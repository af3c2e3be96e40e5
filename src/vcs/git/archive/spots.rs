//! A few bytes of versions, found through the deltas that they are made of.
//!
//! What is wanted of a version is some of what its delta inserts, and some of its base, and so on down to the object that is
//! kept whole. What many versions want of one such object is read at once, and no more of it is unpacked than the last byte
//! that is wanted.

use std::collections::{BTreeMap, HashMap};
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

pub struct Spots {
    shelves: Shelves,
    packs: Packs,
    inflate: Inflate,
    deltas: HashMap<Place, Rc<Vec<u8>>>,
    delta_bytes: usize,
    /// The beginning of the object that was read last of those that are kept whole.
    whole: Option<(Stored, Rc<Vec<u8>>)>,
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
            whole: None,
        }
    }

    /// Some bytes of each of these objects; `None` for what must be read another way.
    pub fn bytes(&mut self, asked: &[Option<(ObjectId, Range<usize>)>]) -> Vec<Option<Vec<u8>>> {
        let mut found = vec![None; asked.len()];
        let mut left: BTreeMap<Stored, Vec<(usize, Vec<Piece>)>> = BTreeMap::new();
        for (n, asked) in asked.iter().enumerate() {
            let traced = asked.as_ref().and_then(|(id, wanted)| self.traced(*id, wanted.clone()));
            match traced {
                Some((pieces, Some(whole))) => left.entry(whole).or_default().push((n, pieces)),
                Some((pieces, None)) => found[n] = joined(pieces, &[]),
                None => {}
            }
        }
        for (stored, asked) in left {
            let end = asked.iter().map(|(_, pieces)| wanted_end(pieces).unwrap_or_default()).max();
            let Some(whole) = self.whole(stored, end.unwrap_or_default()) else { continue };
            asked.into_iter().for_each(|(n, pieces)| found[n] = joined(pieces, &whole));
        }
        found
    }

    /// What some bytes of an object are made of, and the object that is kept whole, if there is something wanted of it.
    fn traced(&mut self, id: ObjectId, wanted: Range<usize>) -> Option<(Vec<Piece>, Option<Stored>)> {
        let mut stored = self.packs.place(&id).map_or(Stored::Loose(id), Stored::Packed);
        let mut pieces = vec![Piece::Wanted(wanted)];
        for _ in 0..DEPTH {
            if wanted_end(&pieces).is_none() {
                return Some((pieces, None));
            }
            let Stored::Packed(place) = stored else { return Some((pieces, Some(stored))) };
            let base = match self.packs.entry(place)? {
                Entry::Blob => return Some((pieces, Some(stored))),
                Entry::DeltaOf(base) => Stored::Packed(base),
                Entry::DeltaOfLoose(base) => Stored::Loose(base),
            };
            let delta = self.delta(place)?;
            pieces = below(&Delta::read(&delta)?, pieces)?;
            stored = base;
        }
        None
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
        let known = self.whole.take().filter(|(known, _)| *known == stored);
        let bytes = match known {
            Some((_, bytes)) if bytes.len() >= end => bytes,
            // Who asks twice may ask for all of it.
            known => Rc::new(match stored {
                Stored::Packed(place) if known.is_none() => self.packs.beginning(place, end, &mut self.inflate)?,
                Stored::Packed(place) => self.packs.bytes(place, &mut self.inflate)?,
                Stored::Loose(id) => self.shelves.loose(id)?,
            }),
        };
        self.whole = Some((stored, Rc::clone(&bytes)));
        Some(bytes)
    }
}

/// How far the pieces go into the base; `None` if nothing is wanted of it.
fn wanted_end(pieces: &[Piece]) -> Option<usize> {
    let ends = pieces.iter().filter_map(|piece| if let Piece::Wanted(range) = piece { Some(range.end) } else { None });
    ends.max()
}

/// The pieces one after the other, with what is wanted of an object.
fn joined(pieces: Vec<Piece>, whole: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Known(known) => bytes.extend(known),
            Piece::Wanted(range) => bytes.extend_from_slice(whole.get(range)?),
        }
    }
    Some(bytes)
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
