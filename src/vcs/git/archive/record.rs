//! Encodes numbers, hashes and texts as bytes. Decoding trusts nothing: truncated or excess data is `None`.

use gix::ObjectId;
use gix::hash::oid;

use crate::vcs::archive::Spot;

#[derive(Default)]
pub(super) struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Seven bits per byte, the lowest first.
    pub(super) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub(super) fn id(&mut self, id: Option<ObjectId>) {
        self.bytes(id.as_ref().map_or(&[], |id| id.as_slice()));
    }

    pub(super) fn list<T>(&mut self, items: impl Iterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        let items: Vec<T> = items.collect();
        self.number(items.len() as u64);
        items.into_iter().for_each(|item| each(self, item));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }
}

pub(super) struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader { left: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for n in 0..10 {
            let (byte, rest) = self.left.split_first()?;
            self.left = rest;
            number |= u64::from(byte & 0x7f).checked_shl(7 * n)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The number of items that follow; each takes at least a byte.
    pub(super) fn count(&mut self) -> Option<usize> {
        self.number().and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= self.left.len())
    }

    pub(super) fn raw(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.left.split_at_checked(len)?;
        self.left = rest;
        Some(bytes)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.count()?;
        self.raw(len)
    }

    /// Skips a number.
    fn skip(&mut self) -> Option<()> {
        let end = self.left.iter().position(|byte| byte & 0x80 == 0)?;
        self.left = &self.left[end + 1..];
        Some(())
    }

    /// A hash, or an explicit absence.
    pub(super) fn id(&mut self) -> Option<Option<ObjectId>> {
        match self.bytes()? {
            [] => Some(None),
            bytes => Some(Some(oid::try_from_bytes(bytes).ok()?.to_owned())),
        }
    }
}

pub(super) fn put_spots(out: &mut Writer, spots: &[Spot]) {
    out.list(spots.iter(), |out, spot| {
        [spot.part, spot.start, spot.len].iter().for_each(|number| out.number(u64::from(*number)));
    });
}

pub(super) fn skip_spots(input: &mut Reader<'_>) -> Option<()> {
    (0..input.count()?).try_for_each(|_| (0..3).try_for_each(|_| input.skip()))
}

pub(super) fn spots(input: &mut Reader<'_>) -> Option<Vec<Spot>> {
    let count = input.count()?;
    let mut spots = Vec::with_capacity(count.min(4));
    for _ in 0..count {
        let mut number = || u32::try_from(input.number()?).ok();
        spots.push(Spot { part: number()?, start: number()?, len: number()? });
    }
    Some(spots)
}
