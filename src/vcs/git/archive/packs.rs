//! The packs of a repository, entry by entry: what an entry is a delta of is asked without reading its bytes.
//!
//! Every pack has an index of its own, also where one index serves several. Whatever is odd about a pack or an entry makes
//! the answer `None`: then the object is read the ordinary way, which says what is wrong.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gix::ObjectId;
use gix::hash::{Kind, oid};
use gix::odb::pack::data::entry::Header;
use gix::odb::pack::{data, index};
use gix::zlib::Inflate;

use super::delta::MOST;

/// An entry in one of the packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pack: usize,
    offset: u64,
}

/// What the bytes of an entry are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    Blob,
    DeltaOf(Place),
    /// The base is in no pack.
    DeltaOfLoose(ObjectId),
}

struct Pack {
    index: index::File,
    path: PathBuf,
    data: OnceLock<Option<data::File>>,
}

impl Pack {
    fn open(index: &Path, hash: Kind) -> Option<Self> {
        let path = index.with_extension("pack");
        Some(Pack { index: index::File::at(index, hash).ok()?, path, data: OnceLock::new() })
    }

    fn data(&self) -> Option<&data::File> {
        let hash = self.index.object_hash();
        self.data.get_or_init(|| data::File::at(&self.path, hash).ok()).as_ref()
    }

    fn find(&self, id: &oid) -> Option<u64> {
        self.index.lookup(id).map(|at| self.index.pack_offset_at_index(at))
    }
}

/// The files beside the packs that end like this.
pub fn files(directories: &[PathBuf], extension: &str) -> Vec<PathBuf> {
    let all = directories.iter().flat_map(|directory| std::fs::read_dir(directory.join("pack")));
    let paths = all.flatten().flatten().map(|file| file.path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

pub struct Packs {
    packs: Vec<Pack>,
}

impl Packs {
    /// All packs of directories like `.git/objects`.
    pub fn open(directories: &[PathBuf], hash: Kind) -> Self {
        let indexes = files(directories, "idx");
        Packs { packs: indexes.iter().filter_map(|index| Pack::open(index, hash)).collect() }
    }

    pub fn place(&self, id: &oid) -> Option<Place> {
        let found = |(pack, open): (usize, &Pack)| open.find(id).map(|offset| Place { pack, offset });
        self.packs.iter().enumerate().find_map(found)
    }

    pub fn entry(&self, place: Place) -> Option<Entry> {
        let pack = &self.packs[place.pack];
        let entry = pack.data()?.entry(place.offset).ok()?;
        match entry.header {
            Header::Blob => Some(Entry::Blob),
            Header::OfsDelta { base_distance } => {
                let offset = entry.checked_base_pack_offset(base_distance)?;
                Some(Entry::DeltaOf(Place { offset, ..place }))
            }
            Header::RefDelta { base_id } => {
                let here = pack.find(&base_id).map(|offset| Place { offset, ..place });
                let base = here.or_else(|| self.place(&base_id));
                Some(base.map_or(Entry::DeltaOfLoose(base_id), Entry::DeltaOf))
            }
            Header::Commit | Header::Tree | Header::Tag => None,
        }
    }

    /// The bytes of an entry: of the blob, or of the delta.
    pub fn bytes(&self, place: Place, inflate: &mut Inflate) -> Option<Vec<u8>> {
        let data = self.packs[place.pack].data()?;
        let entry = data.entry(place.offset).ok()?;
        let size = usize::try_from(entry.decompressed_size).ok().filter(|size| *size <= MOST)?;
        let mut bytes = vec![0; size];
        data.decompress_entry(&entry, inflate, &mut bytes).ok()?;
        Some(bytes)
    }

    /// The first bytes of an entry, at least so many.
    pub fn beginning(&self, place: Place, end: usize, inflate: &mut Inflate) -> Option<Vec<u8>> {
        let data = self.packs[place.pack].data()?;
        let entry = data.entry(place.offset).ok()?;
        let size = usize::try_from(entry.decompressed_size).ok().filter(|size| *size <= MOST && *size >= end)?;
        if size - end < size / 4 {
            return self.bytes(place, inflate);
        }
        let packed = data.entry_slice(entry.data_offset..data.data_len() as u64)?;
        let mut bytes = vec![0; end];
        inflate.reset();
        let (_, _, unpacked) = inflate.once(packed, &mut bytes).ok()?;
        (unpacked == end).then_some(bytes)
    }
}
