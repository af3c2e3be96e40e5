//! Everything from a ledger, a config or an error passes through here before a person sees it.
//!
//! Terminals obey control characters, and readers trust what they see: a title can abuse both. Invisible characters
//! that join the letters of a script or the parts of an emoji are kept where they do just that.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use crate::model::unseen::is_unseen;

/// A number with its noun.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Text for one line: line ends and tabs are shown as escapes too.
pub fn inline(text: &str) -> Cow<'_, str> {
    escape(text, |chars, at| !is_hazard(chars[at]) || joins(chars, at))
}

/// Text that may span lines.
pub fn block(text: &str) -> Cow<'_, str> {
    escape(text, |chars, at| matches!(chars[at], '\n' | '\t') || !is_hazard(chars[at]) || joins(chars, at))
}

/// Quotes a word of a command that a person may copy.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The same for a path.
pub fn shell_path(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// Text on one line for a program: unchanged except for what would end the line or act on a terminal.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, |chars, at| !chars[at].is_control() && !matches!(chars[at], '\u{2028}' | '\u{2029}'))
}

/// Escapes everything that `keeps` rejects.
fn escape(text: &str, keeps: impl Fn(&[char], usize) -> bool) -> Cow<'_, str> {
    if !text.chars().any(is_hazard) {
        return Cow::Borrowed(text);
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in chars.iter().enumerate() {
        match c {
            c if keeps(&chars, at) => out.push(*c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", *c as u32);
            }
        }
    }
    Cow::Owned(out)
}

/// Characters that act on a terminal, reorder text, or are invisible.
fn is_hazard(c: char) -> bool {
    c.is_control() || is_unseen(c)
}

/// An invisible character that belongs to its neighbours: a joiner between two letters or emoji, a variation selector
/// after its base, the region in a flag. ASCII has nothing to join, so there it could only deceive.
fn joins(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| chars[at]);
    let after = chars.get(at + 1).copied();
    let is_shown = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !c.is_whitespace() && !is_hazard(c));
    match chars[at] {
        '\u{200c}' | '\u{200d}' => {
            let varied = before.is_some_and(is_variation) && joins(chars, at - 1);
            (varied || is_shown(before)) && is_shown(after)
        }
        // Keycaps are the digits, # and * with a variation selector.
        '\u{fe0f}' if after == Some('\u{20e3}') => before.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*')),
        c if is_variation(c) => is_shown(before),
        '\u{e0020}'..='\u{e007f}' => is_in_flag(chars, at),
        _ => false,
    }
}

fn is_variation(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// In a black flag with a region in tags, such as Scotland's: few letters, and an end.
fn is_in_flag(chars: &[char], at: usize) -> bool {
    const LONGEST: usize = 6;
    let is_letter = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let back = chars[..at].iter().rev().take_while(|c| is_letter(c)).count();
    let start = at - back;
    let letters = chars[start..].iter().take_while(|c| is_letter(c)).count();
    start > 0
        && chars[start - 1] == '\u{1f3f4}'
        && (1..=LONGEST).contains(&letters)
        && chars.get(start + letters) == Some(&'\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell_path(Path::new("/home/ann/web-2")), "/home/ann/web-2");
        assert_eq!(shell_path(Path::new("/ann's web")), "'/ann'\\''s web'");
    }

    #[test]
    fn hazards_are_shown_and_words_are_left() {
        assert_eq!(inline("plain – ünï 漢字 👍"), "plain – ünï 漢字 👍");
        assert_eq!(inline("a\x1b[31mb\nc\td\r"), "a\\u{1b}[31mb\\nc\\td\\r");
        assert_eq!(block("a\nb\tc\u{7f}\u{9b}"), "a\nb\tc\\u{7f}\\u{9b}");
        for c in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{200d}', '\u{feff}', '\u{2028}', '\u{e0041}', '\0', '\u{fe0f}']
        {
            assert!(block(&c.to_string()).starts_with("\\u{"), "{:x}", c as u32);
        }
    }

    #[test]
    fn scripts_and_emoji_keep_what_joins_them() {
        for whole in [
            "👨\u{200d}💻",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "❤\u{fe0f}\u{200d}🔥 ☎\u{fe0e}",
            "👩🏽\u{200d}🤝\u{200d}👨🏿",
            "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "葛\u{e0100}飾",
        ] {
            assert_eq!(inline(whole), whole);
            assert_eq!(block(whole), whole);
        }
    }

    #[test]
    fn what_joins_nothing_is_shown() {
        for (text, shown) in [
            ("ad\u{200d}min", "ad\\u{200d}min"),
            ("é\u{200c}", "é\\u{200c}"),
            ("é\u{200d}\u{200d}é", "é\\u{200d}\\u{200d}é"),
            ("é\u{200d} é", "é\\u{200d} é"),
            ("a\u{fe0f}b", "a\\u{fe0f}b"),
            ("é\u{fe0f}\u{fe0f}", "é\u{fe0f}\\u{fe0f}"),
            ("1\u{fe0f}", "1\\u{fe0f}"),
            ("🏴\u{e0067}", "🏴\\u{e0067}"),
            ("x\u{e0067}\u{e007f}", "x\\u{e0067}\\u{e007f}"),
            ("é\u{200d}\u{202e}", "é\\u{200d}\\u{202e}"),
        ] {
            assert_eq!(inline(text), shown);
        }
        let hidden = format!("🏴{}\u{e007f}", "\u{e0061}".repeat(7));
        assert!(!inline(&hidden).contains('\u{e0061}'));
    }

    #[test]
    fn programs_get_the_text_on_one_line() {
        assert_eq!(one_line("a\u{200b}\u{202e}b\u{200d}"), "a\u{200b}\u{202e}b\u{200d}");
        assert_eq!(one_line("a\nb\x1b[1m\u{2028}"), "a\\nb\\u{1b}[1m\\u{2028}");
    }
}
