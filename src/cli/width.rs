//! How wide a text is on a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::style::Style;

/// A character, and how it is set off.
pub type Cell = (char, Style);

pub fn plain_cells(text: &str) -> Vec<Cell> {
    text.chars().map(|c| (c, Style::Plain)).collect()
}

/// Pieces of text, each in its style, as characters.
pub fn cells_of(pieces: &[(Style, String)]) -> Vec<Cell> {
    pieces.iter().flat_map(|(style, text)| text.chars().map(|c| (c, *style))).collect()
}

/// Parts a text into lines that fit, between words where that can be; a word that is too wide is cut. One line without a limit.
pub fn wrapped(cells: &[Cell], room: Option<usize>) -> Vec<&[Cell]> {
    let Some(room) = room else { return vec![cells] };
    let mut lines = Vec::new();
    let mut rest = cells;
    loop {
        let indent = rest.iter().take_while(|cell| cell.0 == ' ').count();
        let mut used = 0;
        let over = rest.iter().position(|cell| {
            used += cell.0.width().unwrap_or(0);
            used > room
        });
        let Some(over) = over else {
            lines.push(rest);
            return lines;
        };
        // A blank that does not fit any more ends the line as well.
        let blank = rest[..=over].iter().rposition(|cell| cell.0 == ' ').filter(|at| *at > indent);
        let end = blank.unwrap_or(over.max(1));
        lines.push(&rest[..end]);
        let skipped = rest[end..].iter().take_while(|cell| cell.0 == ' ').count();
        rest = &rest[end + skipped..];
        if rest.is_empty() {
            return lines;
        }
    }
}

/// A text that fits into so many columns.
pub fn shortened(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
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
}
