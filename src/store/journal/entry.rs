//! One line of the journal: an issue as a write left it, or what the file was after it.

use crate::model::json::Dialect;
use crate::model::record::Record;
use crate::sys::fs::FileStamp;

/// What one write did to one issue of one ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The file that was written, without links.
    pub ledger: String,
    /// The mark of the checkout that it was in.
    pub checkout: Option<String>,
    pub at: String,
    pub actor: String,
    /// Empty in a line that only carries a stamp.
    pub id: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Nothing that the journal knows was missing from this file.
    pub stamp: Option<String>,
}

impl Entry {
    /// Reads a line; `None` for one that was cut off, and for anything that is no entry.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let record = Record::parse(std::str::from_utf8(line).ok()?).ok()?;
        let text = |key: &str| record.string(key).map(|text| text.into_owned());
        Some(Entry {
            ledger: text("ledger")?,
            checkout: text("checkout"),
            at: text("at").unwrap_or_default(),
            actor: text("actor").unwrap_or_default(),
            id: text("id").unwrap_or_default(),
            before: text("before"),
            after: text("after"),
            stamp: text("stamp"),
        })
    }

    /// The line with its end.
    pub fn render(&self) -> String {
        let dialect = Dialect::default();
        let mut line = format!("{{\"ledger\":{}", dialect.string(&self.ledger));
        let known = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        for (key, value) in [
            ("checkout", self.checkout.clone()),
            ("at", known(&self.at)),
            ("actor", known(&self.actor)),
            ("id", known(&self.id)),
            ("before", self.before.clone()),
            ("after", self.after.clone()),
            ("stamp", self.stamp.clone()),
        ] {
            if let Some(value) = value {
                line.push_str(&format!(",\"{key}\":{}", dialect.string(&value)));
            }
        }
        line.push_str("}\n");
        line
    }
}

/// The stamp of a file as text.
pub fn stamp_text(stamp: &FileStamp) -> String {
    let FileStamp { dev, ino, size, mtime, ctime } = stamp;
    format!("{dev}-{ino}-{size}-{}-{}", mtime.nanos(), ctime.nanos())
}

/// Whether these lines hold the stamp. No text of an issue can look like it: in there a quotation mark has a backslash before it.
pub fn holds_stamp(bytes: &[u8], stamp: &FileStamp) -> bool {
    let text = format!(",\"stamp\":\"{}\"}}\n", stamp_text(stamp));
    memchr::memmem::rfind(bytes, text.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Instant;

    #[test]
    fn an_entry_comes_back_and_a_part_of_one_does_not() {
        let time = Instant::from_nanos(7);
        let stamp = FileStamp { dev: 1, ino: 2, size: 3, mtime: time, ctime: time };
        let entry = Entry {
            ledger: "/a \"b\"/beads.jsonl".into(),
            checkout: Some("wt_0123456789ab".into()),
            at: "2026-01-05T09:00:00.000Z".into(),
            actor: "ann".into(),
            id: "bd-1".into(),
            before: None,
            after: Some("{\"id\":\"bd-1\",\"x\":\",\\\"stamp\\\":\\\"1-2-3-7-7\\\"}\"}".into()),
            stamp: None,
        };
        let line = entry.render();
        assert_eq!(Entry::parse(line.trim_end().as_bytes()), Some(entry.clone()));
        assert!(!holds_stamp(line.as_bytes(), &stamp), "a text that looks like a stamp");
        for end in 0..line.len() - 1 {
            assert_eq!(Entry::parse(&line.as_bytes()[..end]), None, "cut off after {end} bytes");
        }
        let stamped = Entry { stamp: Some(stamp_text(&stamp)), ..entry }.render();
        assert!(holds_stamp(stamped.as_bytes(), &stamp));
    }
}
