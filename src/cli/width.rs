//! How wide a text is on a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

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
