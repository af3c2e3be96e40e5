//! The deltas of git's packs: what to copy from another object, and what to put between.

/// The largest object that is looked at.
pub const MOST: usize = 256 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction<'a> {
    /// So many bytes of the base, from there.
    Copy {
        from: usize,
        len: usize,
    },
    Insert(&'a [u8]),
}

/// A delta whose sizes were read.
pub struct Delta<'a> {
    /// Of the object that it changes.
    pub base: usize,
    /// Of the object that it makes.
    pub result: usize,
    instructions: &'a [u8],
}

impl<'a> Delta<'a> {
    /// `None` if it is not a delta, or one that makes more than anybody wants.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (base, rest) = size(bytes)?;
        let (result, instructions) = size(rest)?;
        Some(Delta { base, result, instructions })
    }

    /// What it says, in order; `None` for an instruction that git does not know or that is cut off, and then nothing more.
    pub fn instructions(&self) -> impl Iterator<Item = Option<Instruction<'a>>> + use<'a> {
        let mut left = self.instructions;
        std::iter::from_fn(move || {
            if left.is_empty() {
                return None;
            }
            let read = instruction(left);
            left = read.map_or(&[], |(_, rest)| rest);
            Some(read.map(|(instruction, _)| instruction))
        })
    }
}

/// Seven bits per byte, the lowest first.
fn size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut size = 0;
    for (n, byte) in bytes.iter().enumerate().take(6) {
        size |= usize::from(byte & 0x7f) << (7 * n);
        if byte & 0x80 == 0 {
            return (size <= MOST).then_some((size, &bytes[n + 1..]));
        }
    }
    None
}

fn instruction(bytes: &[u8]) -> Option<(Instruction<'_>, &[u8])> {
    let (command, mut rest) = bytes.split_first()?;
    if command & 0x80 == 0 {
        let (inserted, rest) = rest.split_at_checked(usize::from(*command)).filter(|(bytes, _)| !bytes.is_empty())?;
        return Some((Instruction::Insert(inserted), rest));
    }
    // Only the bytes of both numbers that are not zero are there: four of the first, three of the second.
    let mut numbers = [0_usize; 7];
    for (n, number) in numbers.iter_mut().enumerate().filter(|(n, _)| command & (1 << n) != 0) {
        let (byte, after) = rest.split_first()?;
        *number = usize::from(*byte) << (8 * (n % 4));
        rest = after;
    }
    let from = numbers[..4].iter().sum();
    let len = numbers[4..].iter().sum();
    Some((Instruction::Copy { from, len: if len == 0 { 0x10000 } else { len } }, rest))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The other way round: a delta that says this.
    pub fn written(base: usize, result: usize, instructions: &[Instruction<'_>]) -> Vec<u8> {
        let mut delta = Vec::new();
        for mut size in [base, result] {
            while size > 0x7f {
                delta.push(size as u8 | 0x80);
                size >>= 7;
            }
            delta.push(size as u8);
        }
        for instruction in instructions {
            match instruction {
                Instruction::Insert(bytes) => {
                    delta.push(bytes.len() as u8);
                    delta.extend_from_slice(bytes);
                }
                Instruction::Copy { from, len } => {
                    let command = delta.len();
                    delta.push(0x80);
                    let len = if *len == 0x10000 { 0 } else { *len };
                    let bytes = from.to_le_bytes().into_iter().take(4).chain(len.to_le_bytes().into_iter().take(3));
                    for (n, byte) in bytes.enumerate().filter(|(_, byte)| *byte != 0) {
                        delta[command] |= 1 << n;
                        delta.push(byte);
                    }
                }
            }
        }
        delta
    }

    #[test]
    fn what_was_written_is_read() {
        let said = [
            Instruction::Copy { from: 0, len: 1 },
            Instruction::Insert(b"new"),
            Instruction::Copy { from: 0x0102_0304, len: 0x10000 },
            Instruction::Copy { from: 0x0100_0000, len: 0x00ff_ffff },
            Instruction::Insert(&[b'x'; 127]),
        ];
        let bytes = written(300, 70_000, &said);
        let delta = Delta::read(&bytes).unwrap();
        assert_eq!((delta.base, delta.result), (300, 70_000));
        assert_eq!(delta.instructions().collect::<Option<Vec<_>>>().unwrap(), said);
    }

    #[test]
    fn what_is_no_delta() {
        assert!(Delta::read(b"").is_none());
        assert!(Delta::read(b"\x01").is_none(), "only one size");
        assert!(Delta::read(b"\xff\xff\xff\xff\xff\xff\xff\x01").is_none(), "a size without end");
        assert!(Delta::read(b"\x01\xff\xff\xff\xff\x7f").is_none(), "more than anybody wants");
        for cut in [b"\x01\x01\x00".as_slice(), b"\x01\x01\x05abc", b"\x01\x01\x93\x01"] {
            assert_eq!(Delta::read(cut).unwrap().instructions().collect::<Vec<_>>(), [None], "{cut:?}");
        }
    }
}
