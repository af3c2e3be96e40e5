//! What deltas were made of lately, so that a chain of them is not followed again for each tree and commit.

use std::collections::HashMap;

use gix::objs::Kind;
use gix::odb::pack::cache::DecodeEntry;

/// So many bytes are kept; then all go.
const MOST: usize = 32 << 20;
/// Larger ones are files, which are not asked for twice.
const LARGE: usize = 1 << 20;

#[derive(Default)]
pub struct Bases {
    known: HashMap<(u32, u64), (Kind, usize, Vec<u8>)>,
    bytes: usize,
}

impl DecodeEntry for Bases {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: Kind, compressed: usize) {
        if data.len() > LARGE {
            return;
        }
        if self.bytes + data.len() > MOST {
            *self = Bases::default();
        }
        let old = self.known.insert((pack, offset), (kind, compressed, data.to_vec()));
        self.bytes += data.len();
        self.bytes -= old.map_or(0, |(_, _, data)| data.len());
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let (kind, compressed, data) = self.known.get(&(pack, offset))?;
        out.clear();
        out.extend_from_slice(data);
        Some((*kind, *compressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_got_until_there_is_too_much() {
        let (mut bases, mut out) = (Bases::default(), b"old".to_vec());
        bases.put(1, 12, b"tree", Kind::Tree, 3);
        bases.put(1, 12, b"tree", Kind::Tree, 3);
        assert_eq!((bases.get(1, 12, &mut out), out.as_slice()), (Some((Kind::Tree, 3)), b"tree".as_slice()));
        assert_eq!((bases.get(2, 12, &mut out), bases.bytes), (None, 4));
        bases.put(1, 99, &vec![0; LARGE + 1], Kind::Blob, 3);
        assert_eq!(bases.get(1, 99, &mut out), None, "too large");
        (0..MOST / LARGE).for_each(|n| bases.put(2, n as u64, &vec![0; LARGE], Kind::Tree, 3));
        assert_eq!((bases.get(1, 12, &mut out), bases.bytes), (None, LARGE), "all went, and the last came");
    }
}
