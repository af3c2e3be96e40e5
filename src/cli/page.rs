//! Help pages fitted to the terminal: paragraphs are filled, and table rows continue in their own column.

use unicode_width::UnicodeWidthStr as _;

use super::width::{plain_cells, wrapped};

/// Longer lines are hard to read.
const WIDEST: usize = 100;
const NARROWEST: usize = 20;
/// The minimum width of a row's text beside its name.
const BESIDE: usize = 20;

/// A page fitted to a terminal's width; unchanged without one.
pub(super) fn filled(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.map(|width| width.clamp(NARROWEST, WIDEST)) else { return text.to_owned() };
    let mut lines = Vec::new();
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let all: Vec<&str> = text.lines().collect();
    for block in all.chunk_by(|one, next| is_prose(one) && is_prose(next)) {
        match block {
            [line] if line.starts_with(' ') => row(line, width, &mut lines),
            prose => put("", 0, &prose.join(" "), width, &mut lines),
        }
    }
    lines.join("\n")
}

/// An indented line: a name, at least two blanks, and a text.
fn row(line: &str, width: usize, lines: &mut Vec<String>) {
    let body = line.trim_start();
    let indent = line.width() - body.width();
    let description = body.split_once("  ").map_or("", |(_, description)| description.trim_start());
    let head = &line[..line.len() - description.len()];
    if !description.is_empty() && head.width() + BESIDE.min(description.width()) <= width {
        return put(head, head.width(), description, width, lines);
    }
    let text = if description.is_empty() { body.to_owned() } else { format!("{}  {description}", head.trim()) };
    let first = " ".repeat(indent);
    for (n, part) in wrapped(&plain_cells(&text), Some(width - indent - 4)).into_iter().enumerate() {
        let more = if n == 0 { "" } else { "    " };
        let part: String = part.iter().map(|cell| cell.0).collect();
        lines.push(format!("{first}{more}{}", part.trim_end()));
    }
}

/// A text after a head, continued at a column.
fn put(head: &str, column: usize, text: &str, width: usize, lines: &mut Vec<String>) {
    for (n, part) in wrapped(&plain_cells(text), Some(width - column)).into_iter().enumerate() {
        let before = if n == 0 { head.to_owned() } else { " ".repeat(column) };
        lines.push(format!("{before}{}", part.iter().map(|cell| cell.0).collect::<String>()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "Dates\n\nA date without a time is a whole day in\nyour time zone.\n\n  eow, eom      the last day of the week or month\n  bd list 'due<=eow'\n";

    #[test]
    fn paragraphs_are_filled_and_rows_stay_rows() {
        assert_eq!(filled(PAGE, None), PAGE);
        assert_eq!(
            filled(PAGE, Some(40)),
            "Dates\n\nA date without a time is a whole day in\nyour time zone.\n\n  eow, eom      the last day of the week\n                or month\n  bd list 'due<=eow'"
        );
        assert_eq!(
            filled(PAGE, Some(60)).lines().nth(2),
            Some("A date without a time is a whole day in your time zone.")
        );
        assert_eq!(
            filled(PAGE, Some(5)),
            "Dates\n\nA date without a\ntime is a whole day\nin your time zone.\n\n  eow, eom  the\n      last day of\n      the week or\n      month\n  bd list\n      'due<=eow'"
        );
    }
}
