//! Text styles on a terminal.

/// A text style on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Bold,
    Dim,
    Red,
    Yellow,
    Cyan,
    Italic,
    Underline,
    /// The unambiguous part of an id.
    Prefix,
}

impl Style {
    pub(super) fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Red => "31",
            Style::Yellow => "33",
            Style::Cyan => "36",
            Style::Italic => "3",
            Style::Underline => "4",
            Style::Prefix => "1;4",
        }
    }
}
