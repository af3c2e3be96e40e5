//! Our lines in a file of the user's: between two comments, after everything else, and removable byte for byte.

const BEGIN: &str = "# >>> merge driver of bd: \"bd hooks install\" put this in, \"bd hooks uninstall\" takes it out";
/// The file did not end with a line feed; the one before our lines is ours too.
const BEGIN_JOINED: &str = "# >>> merge driver of bd (and the line feed before): \"bd hooks install\" put this in, \"bd hooks uninstall\" takes it out";
const END: &str = "# <<< merge driver of bd";

/// Appends our lines to a text.
pub(super) fn with_block(text: &[u8], lines: &[Vec<u8>]) -> Vec<u8> {
    let joined = !text.is_empty() && !text.ends_with(b"\n");
    let mut out = text.to_vec();
    if joined {
        out.push(b'\n');
    }
    let begin = if joined { BEGIN_JOINED } else { BEGIN };
    for line in [begin.as_bytes()].into_iter().chain(lines.iter().map(Vec::as_slice)).chain([END.as_bytes()]) {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

/// The text without our lines, and those lines; `None` if it has none.
pub(super) fn without_block(text: &[u8]) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text).map(|end| end + 1));
    let line = |n: usize| {
        let end = starts.get(n + 1).map_or(text.len(), |next| next - 1);
        &text[starts[n]..end]
    };
    let is_begin = |n: &usize| [BEGIN.as_bytes(), BEGIN_JOINED.as_bytes()].contains(&line(*n));
    let begin = (0..starts.len()).find(is_begin)?;
    let end = (begin..starts.len()).find(|n| line(*n) == END.as_bytes())?;
    let mut from = starts[begin];
    if line(begin) == BEGIN_JOINED.as_bytes() {
        from = from.saturating_sub(1);
    }
    let rest = starts.get(end + 1).map_or(&b""[..], |next| &text[*next..]);
    // Text that someone added after our lines starts on a line of its own.
    let feed: &[u8] = if from < starts[begin] && !rest.is_empty() { b"\n" } else { b"" };
    let lines = (begin + 1..end).map(|n| line(n).to_vec()).collect();
    Some(([&text[..from], feed, rest].concat(), lines))
}

#[cfg(test)]
mod tests {
    use super::super::block::*;

    #[test]
    fn in_and_out_again_to_the_byte() {
        let lines = [b"/x merge=bd".to_vec()];
        for text in ["", "a\n", "a", "a\r\n", "\n", "# comment\n\n"] {
            let with = with_block(text.as_bytes(), &lines);
            assert!(with.starts_with(text.as_bytes()) && with.ends_with(b"\n"));
            assert_eq!(without_block(&with), Some((text.as_bytes().to_vec(), lines.to_vec())), "{text:?}");
            assert_eq!(without_block(text.as_bytes()), None);
            let more = [&with[..], b"more"].concat();
            let kept = if text == "a" { "a\nmore".to_owned() } else { format!("{text}more") };
            assert_eq!(without_block(&more).unwrap().0, kept.as_bytes());
        }
        let cut = &with_block(b"a\n", &lines)[..60];
        assert_eq!(without_block(cut), None, "a block without an end is not ours to judge");
    }
}
