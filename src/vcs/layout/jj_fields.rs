//! The binary format of jj's files: numbered fields, of which only texts and nested messages are used here.

/// The texts of a message with their field numbers. Reading stops at invalid bytes.
pub(super) fn texts(mut rest: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        loop {
            let key = number(&mut rest)?;
            let length = match key & 7 {
                0 => {
                    number(&mut rest)?;
                    continue;
                }
                1 => 8,
                2 => usize::try_from(number(&mut rest)?).ok()?,
                5 => 4,
                _ => return None,
            };
            let (text, after) = rest.split_at_checked(length)?;
            rest = after;
            if key & 7 == 2 {
                return Some((key >> 3, text));
            }
        }
    })
}

/// A number with seven bits per byte, the lowest first.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::texts;

    fn read(bytes: &[u8]) -> Vec<(u64, &[u8])> {
        texts(bytes).collect()
    }

    #[test]
    fn texts_between_numbers() {
        let bytes = b"\x08\x96\x01\x12\x02hi\x19eightbyt\x25four\x1a\x00";
        assert_eq!(read(bytes), [(2, b"hi".as_slice()), (3, b"".as_slice())]);
    }

    #[test]
    fn damage_ends_the_reading() {
        assert_eq!(read(b"\x0a\x01a\x0a\x05b"), [(1, b"a".as_slice())], "shorter than it says");
        assert_eq!(read(b"\x0a\x01a\x0b\x0a\x01b"), [(1, b"a".as_slice())], "an unknown kind");
        assert_eq!(read(&[0xff; 20]), []);
        assert_eq!(read(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7fa"), []);
    }
}
