//! Texts that are put into files and taken out of them, byte for byte.

use super::artefacts::{BLOCK, BLOCK_BEGIN, BLOCK_END};

fn find(bytes: &[u8], part: &str) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part.as_bytes())
}

fn with_feeds_of(bytes: &[u8], text: &str) -> String {
    if find(bytes, "\r\n").is_some() { text.replace('\n', "\r\n") } else { text.to_owned() }
}

/// Adds a text at the end, after an empty line, or on the next line if the last one has no end: that tells the two apart when the
/// text is taken out.
pub fn append(bytes: &[u8], text: &str) -> Vec<u8> {
    let feed = with_feeds_of(bytes, "\n");
    let mut all = bytes.to_vec();
    if !bytes.is_empty() {
        all.extend_from_slice(feed.as_bytes());
    }
    all.extend_from_slice(with_feeds_of(bytes, text).as_bytes());
    all
}

/// What was there before a text was appended; `None` if that cannot be told.
pub fn unappend(bytes: &[u8], text: &str) -> Option<Vec<u8>> {
    let at = find(bytes, &with_feeds_of(bytes, text))?;
    let ends = (0..=at).rev().take(5);
    ends.map(|end| bytes[..end].to_vec()).find(|before| append(before, text) == bytes)
}

/// Where the block of instructions stands, with the end of its last line.
fn block_span(bytes: &[u8]) -> Option<Result<(usize, usize), usize>> {
    let from = find(bytes, BLOCK_BEGIN)?;
    let line = || bytes[..from].iter().filter(|byte| **byte == b'\n').count() + 1;
    let Some(end) = find(&bytes[from..], BLOCK_END) else { return Some(Err(line())) };
    let mut to = from + end + BLOCK_END.len();
    to += match &bytes[to..] {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    };
    let is_again = find(&bytes[to..], BLOCK_BEGIN).is_some();
    Some(if is_again { Err(line()) } else { Ok((from, to)) })
}

/// What a file of instructions says of `bd`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Nothing,
    Same,
    /// A block of another version.
    Other,
}

/// The line of a block that is broken, or there twice, is an error.
pub fn block_in(bytes: &[u8]) -> Result<Found, usize> {
    match block_span(bytes) {
        None => Ok(Found::Nothing),
        Some(span) => {
            let (from, to) = span?;
            let same = bytes[from..to] == *with_feeds_of(bytes, BLOCK).as_bytes();
            Ok(if same { Found::Same } else { Found::Other })
        }
    }
}

/// Puts the block in, or in the place of another version.
pub fn put_block(bytes: &[u8]) -> Result<Vec<u8>, usize> {
    match block_span(bytes) {
        None => Ok(append(bytes, BLOCK)),
        Some(span) => {
            let (from, to) = span?;
            Ok([&bytes[..from], with_feeds_of(bytes, BLOCK).as_bytes(), &bytes[to..]].concat())
        }
    }
}

/// Takes the block out; an empty answer means that there was no file before.
pub fn take_block(bytes: &[u8]) -> Result<Vec<u8>, usize> {
    let Some(span) = block_span(bytes) else { return Ok(bytes.to_vec()) };
    let (from, to) = span?;
    if let Some(before) = unappend(bytes, BLOCK) {
        return Ok(before);
    }
    // Somebody wrote on after it: the empty line before it goes with it.
    let head = &bytes[..from];
    let head = head.strip_suffix(b"\n").filter(|head| head.ends_with(b"\n")).unwrap_or(head);
    Ok([head, &bytes[to..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_out_without_a_trace() {
        for text in ["", "# Rules\n", "# Rules", "# Rules\r\n\r\nmore\r\n", "\n", "a\n\n\n", "\u{feff}a"] {
            let with = put_block(text.as_bytes()).unwrap();
            assert_eq!(block_in(&with), Ok(Found::Same), "{text:?}");
            assert_eq!(put_block(&with).unwrap(), with);
            assert_eq!(String::from_utf8(take_block(&with).unwrap()).unwrap(), text);
        }
        let changed = format!("a\n\n{BLOCK}\nb\n");
        assert_eq!(take_block(changed.as_bytes()).unwrap(), b"a\n\nb\n");
        assert_eq!(block_in(b"x\n<!-- bd:begin 1 -->\n"), Err(2));
        let old = "a\n<!-- bd:begin 0 -->\nold\n<!-- bd:end -->\nb\n";
        assert_eq!(block_in(old.as_bytes()), Ok(Found::Other));
        assert_eq!(put_block(old.as_bytes()).unwrap(), format!("a\n{BLOCK}b\n").as_bytes());
    }
}
