//! Markdown for people: headings, lists, quotes, code, emphasis and links are highlighted. Lines are not joined.
//!
//! Only a terminal with colours gets this. The text is escaped first, so it cannot act on a terminal.

use crate::cli::ui::{Style, Ui};
use crate::cli::width::{Cell, plain_cells};
use crate::view::block;

/// Prints a text written by people, wrapped on a terminal.
pub(super) fn text(ui: &mut Ui, indent: &str, text: &str) {
    let mut is_code = false;
    for line in block(text).lines() {
        // Columns cannot be counted with tabs; elsewhere the bytes stay.
        let line = if ui.width().is_some() { line.replace('\t', "    ") } else { line.to_owned() };
        if !ui.renders_markdown() {
            plain(ui, indent, &line);
            continue;
        }
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
        } else if is_code {
            let line = ui.paint(Style::Cyan, &line);
            ui.line(format!("{indent}  {line}").trim_end());
        } else {
            rendered(ui, indent, &line);
        }
    }
}

/// Unchanged, except that words that do not fit go on the next line.
fn plain(ui: &mut Ui, indent: &str, line: &str) {
    let (lead, rest) = (lead(line), &line[lead(line).len()..]);
    let hang = marker(rest).map_or(0, |(marker, _)| marker.len());
    let first = format!("{indent}{lead}");
    ui.cells(&first, &format!("{first}{}", " ".repeat(hang)), &plain_cells(rest));
}

fn rendered(ui: &mut Ui, indent: &str, line: &str) {
    let lead = lead(line);
    let rest = &line[lead.len()..];
    let level = rest.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&level) && rest[level..].starts_with(' ') {
        let cells: Vec<Cell> = spans(rest[level..].trim()).into_iter().map(|(c, _)| (c, Style::Bold)).collect();
        return ui.cells(indent, indent, &cells);
    }
    let first = format!("{indent}{lead}");
    if let Some(quoted) = rest.strip_prefix('>') {
        let bar = format!("{first}{} ", if ui.draws_lines() { "│" } else { ">" });
        return ui.cells(&bar, &bar, &spans(quoted.trim_start()));
    }
    if let Some((marker, text)) = marker(rest) {
        let is_bullet = marker.starts_with(['-', '*', '+']);
        let shown = if is_bullet && ui.draws_lines() { "• ".to_owned() } else { marker.to_owned() };
        let hang = " ".repeat(marker.len());
        return ui.cells(&format!("{first}{shown}"), &format!("{first}{hang}"), &spans(text));
    }
    ui.cells(&first, &first, &spans(rest));
}

fn lead(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

/// The marker of a list item, with its blank, and the item's text.
fn marker(line: &str) -> Option<(&str, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let length = match line.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 2,
        b'.' | b')' if (1..=3).contains(&digits) => digits + 2,
        _ => return None,
    };
    line.as_bytes().get(length - 1).filter(|byte| **byte == b' ').map(|_| line.split_at(length))
}

/// A line with its emphasis, code and links highlighted.
fn spans(line: &str) -> Vec<Cell> {
    let chars: Vec<char> = line.chars().collect();
    let mut cells = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match span(&chars, at) {
            Some((found, next)) => {
                cells.extend(found);
                at = next;
            }
            None => {
                cells.push((chars[at], Style::Plain));
                at += 1;
            }
        }
    }
    cells
}

/// The highlighted span that starts here, and where the rest starts.
fn span(chars: &[char], at: usize) -> Option<(Vec<Cell>, usize)> {
    let in_style = |from: usize, to: usize, style| chars[from..to].iter().map(|c| (*c, style)).collect::<Vec<Cell>>();
    let before = at.checked_sub(1).map(|at| chars[at]);
    match chars[at] {
        '`' => {
            let end = find(chars, at + 1, &['`']).filter(|end| *end > at + 1)?;
            Some((in_style(at + 1, end, Style::Cyan), end + 1))
        }
        mark @ ('*' | '_') => {
            let double = chars.get(at + 1) == Some(&mark);
            let (marks, style) = if double { (vec![mark, mark], Style::Bold) } else { (vec![mark], Style::Italic) };
            let from = at + marks.len();
            let end = find(chars, from, &marks)?;
            let after = chars.get(end + marks.len());
            // With blanks inside, or letters around, it is not emphasis: `2 * 3`, `snake_case`.
            let is_apart = |c: Option<&char>| c.is_none_or(|c| !c.is_alphanumeric() && *c != mark);
            let holds = end > from && !chars[from].is_whitespace() && !chars[end - 1].is_whitespace();
            (holds && is_apart(before.as_ref()) && is_apart(after))
                .then(|| (in_style(from, end, style), end + marks.len()))
        }
        '[' => {
            let end = find(chars, at + 1, &[']', '(']).filter(|end| *end > at + 1)?;
            let close = find(chars, end + 2, &[')']).filter(|close| *close > end + 2)?;
            if chars[end + 2..close].contains(&' ') {
                return None;
            }
            let mut cells = in_style(at + 1, end, Style::Underline);
            cells.extend([(' ', Style::Dim), ('(', Style::Dim)]);
            cells.extend(in_style(end + 2, close, Style::Dim));
            cells.push((')', Style::Dim));
            Some((cells, close + 1))
        }
        _ => None,
    }
}

fn find(chars: &[char], from: usize, wanted: &[char]) -> Option<usize> {
    let found = chars.get(from..)?.windows(wanted.len()).position(|window| window == wanted)?;
    Some(from + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styled(line: &str) -> String {
        spans(line).chunk_by(|one, next| one.1 == next.1).fold(String::new(), |text, run| {
            let run_text: String = run.iter().map(|cell| cell.0).collect();
            match run[0].1 {
                Style::Plain => text + &run_text,
                style => format!("{text}<{style:?}:{run_text}>"),
            }
        })
    }

    #[test]
    fn emphasis_code_and_links_are_set_off_and_nothing_else() {
        assert_eq!(styled("a **b** *c* `d*e*` _f_."), "a <Bold:b> <Italic:c> <Cyan:d*e*> <Italic:f>.");
        assert_eq!(styled("see [docs](https://x/y)"), "see <Underline:docs><Dim: (https://x/y)>");
        for plain in ["2 * 3 * 4", "snake_case_name", "a[0](b c)", "**open", "`", "[x]", "[](y)", "****", "*a *"] {
            assert_eq!(styled(plain), plain);
        }
    }

    #[test]
    fn items_of_lists() {
        assert_eq!(marker("- a"), Some(("- ", "a")));
        assert_eq!(marker("12. a"), Some(("12. ", "a")));
        assert_eq!(
            (marker("-a"), marker("1.5 x"), marker("2026. x"), marker(""), marker("*")),
            (None, None, None, None, None)
        );
    }
}
