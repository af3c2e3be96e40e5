//! The width of text on a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::style::Style;

/// A character and its style.
pub(super) type Cell = (char, Style);

pub(super) fn plain_cells(text: &str) -> Vec<Cell> {
    text.chars().map(|c| (c, Style::Plain)).collect()
}

/// Pieces of text, each in its style, as characters.
pub(super) fn cells_of(pieces: &[(Style, String)]) -> Vec<Cell> {
    pieces.iter().flat_map(|(style, text)| text.chars().map(|c| (c, *style))).collect()
}

/// Splits a text into lines that fit, between words if possible; a word that is too wide is cut. Without a limit, one
/// line.
pub(super) fn wrapped(cells: &[Cell], room: Option<usize>) -> Vec<&[Cell]> {
    let Some(room) = room else { return vec![cells] };
    let mut lines = Vec::new();
    let mut rest = cells;
    loop {
        let indent = rest.iter().take_while(|cell| cell.0 == ' ').count();
        let over = fitting(rest, room);
        if over == rest.len() {
            lines.push(rest);
            return lines;
        }
        // A blank that does not fit also ends the line.
        let blank = rest[..=over].iter().rposition(|cell| cell.0 == ' ').filter(|at| *at > indent);
        let end = blank.unwrap_or_else(|| over.max(unit(rest).0));
        lines.push(&rest[..end]);
        let skipped = rest[end..].iter().take_while(|cell| cell.0 == ' ').count();
        rest = &rest[end + skipped..];
        if rest.is_empty() {
            return lines;
        }
    }
}

/// How many characters fit into this width.
fn fitting(cells: &[Cell], room: usize) -> usize {
    let (mut end, mut used) = (0, 0);
    while end < cells.len() {
        let (length, width) = unit(&cells[end..]);
        used += width;
        if used > room {
            break;
        }
        end += length;
    }
    end
}

/// The number of characters at the beginning that must not be separated, and their width: an escape, a letter with its
/// marks, a joined emoji.
fn unit(cells: &[Cell]) -> (usize, usize) {
    let at = |n: usize| cells.get(n).map(|cell| cell.0);
    let Some(first) = at(0) else { return (0, 0) };
    if first == '\\' && at(1) == Some('u') && at(2) == Some('{') {
        let digits = cells[3..].iter().take_while(|cell| cell.0.is_ascii_hexdigit()).count();
        if (1..=6).contains(&digits) && at(3 + digits) == Some('}') {
            return (digits + 4, digits + 4);
        }
    }
    if at(1).is_none_or(|next| next.is_ascii()) {
        return (1, first.width().unwrap_or(0));
    }
    let mut length = 1;
    while at(length).is_some_and(|next| is_continued(cells[length - 1].0, next, length)) {
        length += 1;
    }
    let text: String = cells[..length].iter().map(|cell| cell.0).collect();
    (length, text.width())
}

/// A character belongs to the previous one, in a unit of the given length.
fn is_continued(last: char, next: char, length: usize) -> bool {
    const JOINER: char = '\u{200d}';
    let is_region = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    let is_tone = matches!(next, '\u{1f3fb}'..='\u{1f3ff}');
    let is_flag = length == 1 && is_region(last) && is_region(next);
    next.width() == Some(0) || is_tone || is_flag || (last == JOINER && !next.is_ascii())
}

/// Shortens a text to this width.
pub(super) fn shortened(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let end = fitting(&plain_cells(text), room.saturating_sub(1));
    text.chars().take(end).chain(['…']).collect()
}

/// Lines wrapped to a width.
pub(super) fn fitted(text: &str, width: usize) -> String {
    let shown = |line: &[Cell]| line.iter().map(|cell| cell.0).collect::<String>();
    let fit = |line| wrapped(&plain_cells(line), Some(width)).into_iter().map(shown).collect::<Vec<_>>();
    text.split('\n').flat_map(fit).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, room: usize) -> Vec<String> {
        let cells = plain_cells(text);
        wrapped(&cells, Some(room)).iter().map(|line| line.iter().map(|cell| cell.0).collect()).collect()
    }

    #[test]
    fn lines_end_between_words_and_wide_characters_count_double() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("  one two", 6), ["  one", "two"]);
        assert_eq!(lines("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(lines("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(lines("漢字", 1), ["漢", "字"], "one that fits nowhere is not lost");
        assert_eq!(lines("one   ", 3), ["one"]);
        assert_eq!(lines("", 3), [""]);
    }

    #[test]
    fn what_belongs_together_stays_on_one_line() {
        assert_eq!(lines("ab\\u{202e}c", 8), ["ab", "\\u{202e}", "c"]);
        assert_eq!(lines("\\u{202e}", 3), ["\\u{202e}"]);
        assert_eq!(lines("👨\u{200d}💻👨\u{200d}💻x", 4), ["👨\u{200d}💻👨\u{200d}💻", "x"]);
        assert_eq!(lines("🇩🇪🇫🇷", 2), ["🇩🇪", "🇫🇷"]);
        assert_eq!(lines("e\u{301}e\u{301}e", 2), ["e\u{301}e\u{301}", "e"]);
        assert_eq!(shortened("👨\u{200d}💻👨\u{200d}💻👍", 5), "👨\u{200d}💻👨\u{200d}💻…");
        assert_eq!(shortened("a\\u{202e}", 5), "a…");
    }
}
