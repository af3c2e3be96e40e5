//! Variables in texts: `{{name}}`, and `{{{{` for a literal `{{`.

use crate::model::plan::Wrong;

/// All texts together, after the values were put in.
pub const MAX_FILLED: usize = 4 << 20;
pub(super) const MAX_NAME: usize = 64;

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
const LITERAL: &str = "{{{{";

pub(super) fn is_variable(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty()
        && text.len() <= MAX_NAME
        && text.bytes().all(fits)
        && (text.as_bytes()[0].is_ascii_alphabetic() || text.starts_with('_'))
}

/// Puts values into a text, or says everything that is wrong with it. The result takes away from the room that is left; a text
/// that is too large for it is not built.
pub(super) fn fill(
    text: &str,
    room: &mut usize,
    mut value: impl FnMut(&str) -> Result<String, Wrong>,
) -> Result<String, Vec<Wrong>> {
    let mut out = String::with_capacity(text.len());
    let mut wrong = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix(LITERAL) {
            out.push_str(OPEN);
            rest = after;
            continue;
        }
        let inner = &rest[OPEN.len()..];
        let Some(end) = inner.find(CLOSE) else {
            wrong.push(Wrong::Placeholder { text: shortened(rest) });
            return Err(wrong);
        };
        let name = inner[..end].trim();
        if is_variable(name) {
            match value(name) {
                Ok(value) => {
                    out.push_str(&value);
                    if out.len() > *room {
                        *room = 0;
                        return Err(vec![Wrong::TooLarge { most: MAX_FILLED }]);
                    }
                }
                Err(problem) => wrong.push(problem),
            }
        } else {
            wrong.push(Wrong::Placeholder { text: shortened(&rest[..OPEN.len() + end + CLOSE.len()]) });
        }
        rest = &inner[end + CLOSE.len()..];
    }
    out.push_str(rest);
    *room = room.saturating_sub(out.len());
    if wrong.is_empty() { Ok(out) } else { Err(wrong) }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A text that is filled in as this one.
pub(super) fn escape(text: &str) -> String {
    text.replace(OPEN, LITERAL)
}
