//! The one place through which text from a ledger, a config or an error passes before a person sees it.
//!
//! Terminals obey control characters, and readers trust what they see: both can be abused by a title (F53).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// A number with its noun.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Text for one line: line ends and tabs are shown as escapes too.
pub fn inline(text: &str) -> Cow<'_, str> {
    escape(text, false)
}

/// Text that may span lines.
pub fn block(text: &str) -> Cow<'_, str> {
    escape(text, true)
}

/// A path as a word of a command that a person may copy.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn escape(text: &str, lines: bool) -> Cow<'_, str> {
    let plain = |c: char| (lines && matches!(c, '\n' | '\t')) || !is_hazard(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if plain(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
        }
    }
    Cow::Owned(out)
}

/// Characters that act on a terminal, reorder text, or cannot be seen.
fn is_hazard(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell_word(Path::new("/home/ann/web-2")), "/home/ann/web-2");
        assert_eq!(shell_word(Path::new("/ann's web")), "'/ann'\\''s web'");
    }

    #[test]
    fn hazards_are_shown_and_words_are_left() {
        assert_eq!(inline("plain – ünï 漢字 👍"), "plain – ünï 漢字 👍");
        assert_eq!(inline("a\x1b[31mb\nc\td\r"), "a\\u{1b}[31mb\\nc\\td\\r");
        assert_eq!(block("a\nb\tc\u{7f}\u{9b}"), "a\nb\tc\\u{7f}\\u{9b}");
        for c in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{200d}', '\u{feff}', '\u{2028}', '\u{e0041}', '\0'] {
            assert!(block(&c.to_string()).starts_with("\\u{"), "{:x}", c as u32);
        }
    }
}
