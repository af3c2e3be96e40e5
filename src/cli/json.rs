//! How an answer in JSON is laid out: indented, or with `--ndjson` a list's items one per line.

use crate::model::json;
use crate::view;

#[derive(Clone, Copy)]
pub(super) struct JsonLayout {
    /// Each item of an array is a line of its own.
    pub lines: bool,
    /// Answers are wrapped, with a version and warnings.
    pub envelope: bool,
    /// The output is a terminal.
    pub escapes: bool,
}

/// An array being printed.
#[must_use]
pub(super) struct JsonArray {
    is_empty: bool,
}

impl JsonLayout {
    /// Starts an array that is printed piece by piece, and looks as if printed at once.
    pub(super) fn begin(self) -> (JsonArray, &'static str) {
        let text = match (self.lines, self.envelope) {
            (true, _) => "",
            (false, true) => "{\n  \"schema_version\": 1,\n  \"data\": [",
            (false, false) => "[",
        };
        (JsonArray { is_empty: true }, text)
    }

    /// An item of an array.
    pub(super) fn item(self, json: &str) -> String {
        match self.lines {
            true => self.row(json),
            false => self.escaped(json::pretty_inside(json, self.depth())),
        }
    }

    /// What an item is preceded and followed by.
    pub(super) fn around(self, array: &mut JsonArray) -> [&'static str; 3] {
        let comma = if std::mem::take(&mut array.is_empty) { "" } else { "," };
        if self.lines { ["", "", "\n"] } else { [comma, self.indent(), ""] }
    }

    /// What ends an array.
    pub(super) fn end(self, array: &JsonArray, warnings: &[String]) -> String {
        if self.lines {
            return String::new();
        }
        let indent = if array.is_empty { "" } else { &self.indent()[..1 + 2 * (self.depth() - 1)] };
        let tail = self.envelope.then(|| json::pretty(&view::Object::new().texts("warnings", warnings).finish()));
        format!("{indent}]{}{}\n", if self.envelope { "," } else { "" }, tail.as_deref().map_or("", |tail| &tail[1..]))
    }

    /// One object, on one line.
    pub(super) fn row(self, json: &str) -> String {
        self.escaped(if self.envelope { enveloped(json, &[]) } else { json.to_owned() })
    }

    /// A whole answer, without its last newline.
    pub(super) fn whole(self, json: String, is_compact: bool, warnings: &[String]) -> String {
        if self.lines
            && let Ok(items) = json::elements(&json)
        {
            let rows: Vec<String> = items.into_iter().map(|item| self.row(&json[item])).collect();
            return rows.join("\n");
        }
        let text = if self.envelope { enveloped(&json, warnings) } else { view::with_warnings(json, warnings) };
        self.escaped(if is_compact || self.lines { text } else { json::pretty(&text) })
    }

    fn depth(self) -> usize {
        if self.envelope { 2 } else { 1 }
    }

    fn indent(self) -> &'static str {
        &"\n    "[..1 + 2 * self.depth()]
    }

    fn escaped(self, text: String) -> String {
        if self.escapes { json::ascii_only(&text) } else { text }
    }
}

fn enveloped(json: &str, warnings: &[String]) -> String {
    view::Object::new().number("schema_version", 1).raw("data", json).texts("warnings", warnings).finish()
}
