//! Texts that are put into files and taken out of them, byte for byte.
//!
//! A text carries the sum of its own bytes, line ends aside. If the sum is right, `bd` wrote the text, in this version or in another,
//! and may replace it or take it out; otherwise somebody has edited it.

use super::artefacts::{BLOCK, BLOCK_BEGIN, BLOCK_END};
use crate::ops::error::SetupError;

/// The digits of a sum.
const DIGITS: usize = 8;

fn find(bytes: &[u8], part: &str) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part.as_bytes())
}

fn with_feeds_of(bytes: &[u8], text: &str) -> String {
    if find(bytes, "\r\n").is_some() { text.replace('\n', "\r\n") } else { text.to_owned() }
}

/// How a file compares with what is wanted in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Missing,
    /// As this version writes it.
    Same,
    /// As another version wrote it.
    Older,
    /// The user's own, with the same effect.
    Equal,
    /// `bd` wrote it, and somebody has edited it since.
    Edited,
    /// The user's own, with another effect: why it is not replaced.
    Other(SetupError),
}

/// The sum that a text names after its mark, and the one that it has.
fn sums(text: &str, mark: &str) -> Option<(String, String)> {
    let at = text.find(mark)? + mark.len();
    let digits = text.get(at..at + DIGITS).unwrap_or_default();
    let rest = [&text[..at], &text[at + digits.len()..]].concat();
    Some((digits.to_owned(), blake3::hash(rest.as_bytes()).to_hex()[..DIGITS].to_owned()))
}

/// The state of a text with a mark, compared with what it should be.
pub(super) fn compared(bytes: &[u8], wanted: &str, mark: &str) -> Standing {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    match sums(&text, mark) {
        _ if text == wanted => Standing::Same,
        None => Standing::Missing,
        Some((named, has)) if named == has => Standing::Older,
        Some(_) => Standing::Edited,
    }
}

/// Adds a text at the end of a file: after an empty line, or on the next line if the last one has no end. A file that was not there
/// holds the text alone.
pub(super) fn append(bytes: Option<&[u8]>, text: &str) -> Vec<u8> {
    let Some(bytes) = bytes else { return text.as_bytes().to_vec() };
    let (feed, text) = (with_feeds_of(bytes, "\n"), with_feeds_of(bytes, text));
    [bytes, feed.as_bytes(), text.as_bytes()].concat()
}

/// Cuts out what was appended; `None` if there was no file before.
fn cut(bytes: &[u8], (from, to): (usize, usize)) -> Option<Vec<u8>> {
    let (head, rest) = (&bytes[..from], &bytes[to..]);
    if head.is_empty() && rest.is_empty() {
        return None;
    }
    let before = ["\r\n", "\n"].into_iter().find_map(|feed| {
        let before = head.strip_suffix(feed.as_bytes())?;
        (with_feeds_of(before, "\n") == feed).then_some(before)
    });
    Some([before.unwrap_or(head), rest].concat())
}

/// Takes out a text that was appended and not changed since: what is left, or `None` if the text is not there as it was.
pub(super) fn take(bytes: &[u8], text: &str) -> Option<Option<Vec<u8>>> {
    let (plain, crlf) = (text.to_owned(), text.replace('\n', "\r\n"));
    let (from, length) = [plain, crlf].iter().find_map(|text| Some((find(bytes, text)?, text.len())))?;
    let starts_line = from == 0 || bytes[from - 1] == b'\n';
    starts_line.then(|| cut(bytes, (from, from + length)))
}

/// A block, from its first line to the end of its last, or the line of one that is broken.
fn block_span(bytes: &[u8]) -> Option<Result<(usize, usize), usize>> {
    let (mut at, mut fence, mut opened, mut whole) = (0, None, None, None);
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let start = at;
        at += line.len();
        // A block in an example says nothing to an agent.
        if opened.is_none() || fence.is_some() {
            fence = fence_after(fence, line);
        }
        if fence.is_some() {
            continue;
        }
        match opened {
            None if line.starts_with(BLOCK_BEGIN.as_bytes()) && whole.is_some() => return Some(Err(number + 1)),
            None if line.starts_with(BLOCK_BEGIN.as_bytes()) => opened = Some((start, number + 1)),
            Some((from, _)) if line.starts_with(BLOCK_END.as_bytes()) => (whole, opened) = (Some((from, at)), None),
            _ => {}
        }
    }
    match (opened, whole) {
        (Some((_, line)), _) => Some(Err(line)),
        (None, whole) => whole.map(Ok),
    }
}

/// The code fence that is open after a line: its character and its length.
fn fence_after(fence: Option<(u8, usize)>, line: &[u8]) -> Option<(u8, usize)> {
    let text = line.trim_ascii();
    let mark = text.first().filter(|byte| matches!(byte, b'`' | b'~')).copied();
    let ticks = mark.map(|mark| (mark, text.iter().take_while(|byte| **byte == mark).count()));
    match (fence, ticks.filter(|(_, count)| *count > 2)) {
        (None, open) => open,
        (Some((open, length)), Some((byte, count))) if open == byte && count >= length => None,
        (fence, _) => fence,
    }
}

/// The line of a code fence that is never closed: a block after it would be an example.
pub(super) fn open_fence(bytes: &[u8]) -> Option<usize> {
    let (mut fence, mut line_of) = (None, 0);
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let before = fence;
        fence = fence_after(fence, line);
        if before.is_none() && fence.is_some() {
            line_of = number + 1;
        }
    }
    fence.map(|_| line_of)
}

/// The line of a block that is broken, or there twice, is an error.
pub(super) fn block_in(bytes: &[u8]) -> Result<Standing, usize> {
    match block_span(bytes) {
        None => Ok(Standing::Missing),
        Some(span) => span.map(|(from, to)| compared(&bytes[from..to], BLOCK, BLOCK_BEGIN)),
    }
}

/// Puts the block in, or in the place of another version.
pub(super) fn put_block(bytes: Option<&[u8]>) -> Result<Vec<u8>, usize> {
    match bytes.and_then(|bytes| Some((bytes, block_span(bytes)?))) {
        None => Ok(append(bytes, BLOCK)),
        Some((bytes, span)) => {
            let (from, to) = span?;
            Ok([&bytes[..from], with_feeds_of(bytes, BLOCK).as_bytes(), &bytes[to..]].concat())
        }
    }
}

/// Takes the block out; `None` if there was no file before.
pub(super) fn take_block(bytes: &[u8]) -> Result<Option<Vec<u8>>, usize> {
    match block_span(bytes) {
        None => Ok(Some(bytes.to_vec())),
        Some(span) => Ok(cut(bytes, span?)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::artefacts::{SKILL, SKILL_MARK};
    use super::*;

    #[test]
    fn a_block_comes_out_without_a_trace() {
        for text in ["", "# Rules\n", "# Rules", "# Rules\r\n\r\nmore\r\n", "\n", "a\n\n\n", "\u{feff}a"] {
            let with = put_block(Some(text.as_bytes())).unwrap();
            assert_eq!(block_in(&with), Ok(Standing::Same), "{text:?}");
            assert_eq!(put_block(Some(&with)).unwrap(), with);
            assert_eq!(String::from_utf8(take_block(&with).unwrap().unwrap()).unwrap(), text);
        }
        let new = put_block(None).unwrap();
        assert_eq!((new.as_slice(), take_block(&new)), (BLOCK.as_bytes(), Ok(None)));
        let changed = format!("a\n\n{BLOCK}\nb\n");
        assert_eq!(take_block(changed.as_bytes()).unwrap().unwrap(), b"a\n\nb\n");
        assert_eq!(block_in(b"x\n<!-- bd:begin 1 -->\n"), Err(2));
        let second = BLOCK.lines().count() + 2;
        assert_eq!(block_in(format!("{BLOCK}\n{BLOCK}").as_bytes()), Err(second));
    }

    #[test]
    fn a_sum_tells_another_version_from_an_edit() {
        for (text, mark) in [(BLOCK, BLOCK_BEGIN), (SKILL, SKILL_MARK)] {
            let (named, has) = sums(text, mark).unwrap();
            assert_eq!(named, has, "the sum of the text that begins with {}", &text[..20]);
        }
        let body = "<!-- bd:begin  -->\nold\n<!-- bd:end -->\n";
        let sum = &blake3::hash(body.as_bytes()).to_hex()[..DIGITS];
        let old = body.replace("begin ", &format!("begin {sum}"));
        let file = format!("a\n{old}b\n");
        assert_eq!(block_in(file.as_bytes()), Ok(Standing::Older));
        assert_eq!(block_in(file.replace('\n', "\r\n").as_bytes()), Ok(Standing::Older));
        assert_eq!(put_block(Some(file.as_bytes())).unwrap(), format!("a\n{BLOCK}b\n").as_bytes());
        assert_eq!(block_in(file.replace("old", "mine").as_bytes()), Ok(Standing::Edited));
        assert_eq!(block_in(b"<!-- bd:begin 1 -->\nx\n<!-- bd:end -->\n"), Ok(Standing::Edited));
    }

    #[test]
    fn a_block_in_an_example_is_none() {
        for fence in ["```", "~~~", "  ````markdown\n```"] {
            let end = fence.trim().split("markdown").next().unwrap();
            let text = format!("See:\n{fence}\n{BLOCK}{end}\n");
            assert_eq!(block_in(text.as_bytes()), Ok(Standing::Missing), "{fence}");
            let with = put_block(Some(text.as_bytes())).unwrap();
            assert_eq!((block_in(&with), with.len()), (Ok(Standing::Same), text.len() + BLOCK.len() + 1));
            assert_eq!(take_block(&with).unwrap().unwrap(), text.as_bytes());
        }
        assert_eq!(block_in(format!("say `{BLOCK}`").as_bytes()), Ok(Standing::Missing));
    }
}
