//! One log line: what one write did to one ledger, or an additional note for `bd recover`.

use std::path::Path;

use crate::ledger::LineChange;
use crate::model::json::{Dialect, decode_string};
use crate::model::record::Record;
use crate::model::words::words;
use crate::sys::fs::FileStamp;

words! {
    /// Why a write cannot be undone.
    pub(crate) enum Stays {
        /// It repaired the file, and changed no issue on purpose.
        Repair = "repair",
        /// It changed more than the log keeps.
        Large = "large",
    }
}

/// The text of a settings file before and after; `None` if the file is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingsChange {
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Entry {
    /// Equal in all parts of a write; empty in a line only for `bd recover`.
    pub write: String,
    /// The command, if known.
    pub command: String,
    /// The `.beads` directory of the project that wrote it.
    pub from: String,
    /// The mark of that directory's checkout.
    pub checkout: Option<String>,
    /// The written file, with links resolved.
    pub ledger: String,
    /// The mark of that file's checkout.
    pub ledger_checkout: Option<String>,
    /// The files that the same write had changed before.
    pub with: Vec<String>,
    /// Files in repos that only the command named: the write may have changed them later.
    pub guests: Vec<String>,
    pub at: String,
    pub actor: String,
    pub stays: Option<Stays>,
    pub changes: Vec<LineChange>,
    /// The write's change of the committed settings beside the ledger.
    pub settings: Option<SettingsChange>,
    /// `bd recover` ignores these changes, or has them in other lines.
    pub is_forgotten: bool,
    /// The lines, by [`name_of`], that `bd recover` may forget.
    pub forgets: Vec<String>,
    /// It may forget everything before this line.
    pub forgets_all: bool,
    /// Nothing in the log was missing from the file with this stamp.
    pub stamp: Option<String>,
}

impl Entry {
    /// Parses a line; `None` if it was cut off or is not an entry.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let record = Record::parse(std::str::from_utf8(line).ok()?).ok()?;
        let is_write = record.raw("write").is_some();
        let text = |key: &str| record.string(key).map(|text| text.into_owned());
        let needed = |key: &str| text(key).or_else(|| (!is_write).then(String::new));
        let texts = |key: &str| -> Option<Vec<String>> {
            record.elements(key).into_iter().map(|raw| Some(decode_string(raw)?.into_owned())).collect()
        };
        let stays = match record.string("stays") {
            Some(word) => Some(Stays::parse(&word)?),
            None => None,
        };
        let keys = if is_write { &["changes"][..] } else { &["changes", "forgets", "stamp"] };
        keys.iter().find(|key| record.raw(key).is_some())?;
        let checkout = text("checkout");
        Some(Entry {
            write: needed("write")?,
            command: text("command").unwrap_or_default(),
            from: needed("from")?,
            ledger: text("ledger")?,
            ledger_checkout: text("ledger_checkout").or(checkout.clone()).filter(|mark| !mark.is_empty()),
            checkout,
            with: texts("with")?,
            guests: texts("guests")?,
            at: needed("at")?,
            actor: needed("actor")?,
            stays,
            changes: record.elements("changes").into_iter().map(change).collect::<Option<_>>()?,
            settings: match record.raw("settings") {
                Some(raw) => Some(settings(raw)?),
                None => None,
            },
            is_forgotten: record.flag("forgotten"),
            forgets: texts("forgets")?,
            forgets_all: record.flag("forgets_all"),
            stamp: text("stamp"),
        })
    }

    /// Parses a line of version 1's journal, which has one issue and is only for `bd recover`. Drops its stamp, which
    /// covers only that journal.
    pub(crate) fn parse_journal(line: &[u8]) -> Option<Self> {
        let record = Record::parse(std::str::from_utf8(line).ok()?).ok()?;
        let text = |key: &str| record.string(key).map(|text| text.into_owned());
        Some(Entry {
            ledger: text("ledger")?,
            ledger_checkout: text("checkout"),
            at: text("at").unwrap_or_default(),
            actor: text("actor").unwrap_or_default(),
            changes: vec![change(record.text())?],
            ..Entry::default()
        })
    }

    /// The line with its end. The stamp comes last, where [`holds_stamp`] looks for it.
    pub(crate) fn render(&self) -> String {
        let dialect = Dialect::default();
        let object = |pairs: &[(&str, Option<&str>)]| {
            let pairs = pairs.iter().filter_map(|(key, value)| Some((key, (*value)?)));
            pairs.map(|(key, value)| format!("\"{key}\":{}", dialect.string(value))).collect::<Vec<_>>().join(",")
        };
        let is_write = !self.write.is_empty();
        let known = |text: &'_ str| -> bool { !text.is_empty() };
        let elsewhere = (self.ledger_checkout != self.checkout).then(|| self.ledger_checkout.as_deref().unwrap_or(""));
        let head = object(&[
            ("write", Some(self.write.as_str()).filter(|_| is_write)),
            ("command", Some(self.command.as_str()).filter(|text| known(text))),
            ("from", Some(self.from.as_str()).filter(|_| is_write)),
            ("checkout", self.checkout.as_deref()),
            ("ledger", Some(&self.ledger)),
            ("ledger_checkout", elsewhere),
            ("at", Some(self.at.as_str()).filter(|text| is_write || known(text))),
            ("actor", Some(self.actor.as_str()).filter(|text| is_write || known(text))),
            ("stays", self.stays.map(Stays::word)),
        ]);
        let list = |key: &str, texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| dialect.string(text)).collect();
            if texts.is_empty() { String::new() } else { format!(",\"{key}\":[{}]", texts.join(",")) }
        };
        let lists = list("with", &self.with) + &list("guests", &self.guests) + &list("forgets", &self.forgets);
        let change = |change: &LineChange| {
            let LineChange { id, before, after } = change;
            format!("{{{}}}", object(&[("id", Some(id)), ("before", before.as_deref()), ("after", after.as_deref())]))
        };
        let changes = match self.changes.iter().map(change).collect::<Vec<_>>() {
            none if none.is_empty() && !is_write => String::new(),
            changes => format!(",\"changes\":[{}]", changes.join(",")),
        };
        let settings = self.settings.as_ref().map(|SettingsChange { before, after }| {
            format!(",\"settings\":{{{}}}", object(&[("before", before.as_deref()), ("after", after.as_deref())]))
        });
        let settings = settings.unwrap_or_default();
        let stamp =
            self.stamp.as_ref().map(|stamp| format!(",\"stamp\":{}", dialect.string(stamp))).unwrap_or_default();
        let begin = match (self.is_forgotten, self.forgets_all) {
            (true, _) => FORGOTTEN,
            (false, true) => FORGETS_ALL,
            (false, false) => "{",
        };
        format!("{begin}{head}{lists}{changes}{settings}{stamp}}}\n")
    }

    /// The same after the checkout was moved: every path below one directory is now below another.
    pub(crate) fn moved(&mut self, from: &Path, to: &Path) {
        let moved = |text: &mut String| {
            if let Ok(inside) = Path::new(text.as_str()).strip_prefix(from) {
                *text = to.join(inside).display().to_string();
            }
        };
        let files = self.with.iter_mut().chain(&mut self.guests);
        files.chain([&mut self.from, &mut self.ledger]).for_each(moved);
    }

    /// The number of bytes of changed lines.
    pub(crate) fn weight(&self) -> usize {
        let lines = self.changes.iter().flat_map(|change| [&change.before, &change.after]);
        lines.flatten().map(String::len).sum()
    }
}

/// The beginning of a line that `bd recover` skips.
const FORGOTTEN: &str = "{\"forgotten\":true,";
/// The beginning of a line before which it need not look.
pub(super) const FORGETS_ALL: &str = "{\"forgets_all\":true,";

/// The text of a line, now only for `bd undo`.
pub(super) fn forgotten(text: &[u8]) -> Vec<u8> {
    match text.strip_prefix(b"{") {
        Some(rest) if !text.starts_with(FORGOTTEN.as_bytes()) => [FORGOTTEN.as_bytes(), rest].concat(),
        _ => text.to_vec(),
    }
}

fn change(raw: &str) -> Option<LineChange> {
    let record = Record::parse_part(raw).ok()?;
    let text = |key: &str| record.string(key).map(|text| text.into_owned());
    Some(LineChange { id: text("id")?, before: text("before"), after: text("after") })
}

fn settings(raw: &str) -> Option<SettingsChange> {
    let record = Record::parse_part(raw).ok()?;
    let text = |key: &str| record.string(key).map(|text| text.into_owned());
    Some(SettingsChange { before: text("before"), after: text("after") })
}

/// Identifies a ledger line in the list of forgotten ones.
pub(super) fn name_of(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex()[..16].to_owned()
}

/// The stamp of a file as text.
pub(super) fn stamp_text(stamp: &FileStamp) -> String {
    let FileStamp { dev, ino, size, mtime, ctime } = stamp;
    format!("{dev}-{ino}-{size}-{}-{}", mtime.nanos(), ctime.nanos())
}

/// Whether these lines contain the stamp. An issue's text cannot look like it: there, quotation marks are escaped.
pub(super) fn holds_stamp(bytes: &[u8], stamp: &FileStamp) -> bool {
    let text = format!(",\"stamp\":\"{}\"}}\n", stamp_text(stamp));
    memchr::memmem::rfind(bytes, text.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::entry::*;
    use crate::model::time::Instant;

    fn write() -> Entry {
        Entry {
            write: "w".into(),
            command: "update".into(),
            from: "/a \"b\"/.beads".into(),
            checkout: Some("wt_0123456789ab".into()),
            ledger: "/a \"b\"/.beads/beads.jsonl".into(),
            ledger_checkout: Some("wt_0123456789ab".into()),
            with: vec!["/b \"c\".jsonl".into()],
            guests: vec!["/d".into(), "/e".into()],
            at: "2026-01-05T09:00:00.000Z".into(),
            actor: "ann".into(),
            changes: vec![
                LineChange {
                    id: "bd-1".into(),
                    before: None,
                    after: Some("{\"id\":\"bd-1\",\"x\":\",\\\"stamp\\\":\\\"1-2-3-7-7\\\"}\"}".into()),
                },
                LineChange { id: "bd-2".into(), before: Some("{}".into()), after: None },
            ],
            ..Entry::default()
        }
    }

    #[test]
    fn an_entry_comes_back_and_a_piece_of_one_does_not() {
        let joined = Entry { write: String::new(), command: String::new(), from: String::new(), ..write() };
        for entry in [
            write(),
            Entry { stays: Some(Stays::Repair), command: String::new(), with: Vec::new(), ..write() },
            Entry { ledger_checkout: None, ..write() },
            Entry {
                settings: Some(SettingsChange { before: None, after: Some("a = \"b\"\n".into()) }),
                changes: Vec::new(),
                ..write()
            },
            Entry { checkout: None, is_forgotten: true, ..write() },
            Entry { at: String::new(), actor: String::new(), checkout: None, ..joined },
            Entry { ledger: "/l".into(), forgets: vec!["0123".into()], ..Entry::default() },
            Entry { ledger: "/l".into(), forgets: vec!["0123".into()], forgets_all: true, ..Entry::default() },
            Entry { ledger: "/l".into(), stamp: Some("1-2".into()), ..Entry::default() },
        ] {
            let line = entry.render();
            assert_eq!(Entry::parse(line.trim_end().as_bytes()), Some(entry), "{line}");
            for end in 0..line.len() - 1 {
                assert_eq!(Entry::parse(&line.as_bytes()[..end]), None, "cut off after {end} bytes");
            }
        }
        for odd in [
            "{}",
            "{\"ledger\":\"/l\"}",
            "{\"write\":\"w\",\"from\":\"\",\"ledger\":\"\",\"at\":\"\",\"actor\":\"\"}",
            "{\"write\":\"w\",\"from\":\"\",\"ledger\":\"\",\"at\":\"\",\"actor\":\"\",\"stays\":\"?\",\"changes\":[]}",
            "{\"write\":\"w\",\"ledger\":\"\",\"at\":\"\",\"actor\":\"\",\"changes\":[]}",
        ] {
            assert_eq!(Entry::parse(odd.as_bytes()), None, "{odd}");
        }
    }

    #[test]
    fn a_forgotten_entry_keeps_its_other_values() {
        let line = write().render();
        let shortened = forgotten(line.trim_end().as_bytes());
        assert_eq!(Entry::parse(&shortened), Some(Entry { is_forgotten: true, ..write() }));
        assert_eq!(forgotten(&shortened), shortened);
        assert_eq!(forgotten(b"odd"), b"odd");
    }

    #[test]
    fn a_stamp_is_found_and_a_text_that_looks_like_one_is_not() {
        let time = Instant::from_nanos(7);
        let stamp = FileStamp { dev: 1, ino: 2, size: 3, mtime: time, ctime: time };
        assert!(!holds_stamp(write().render().as_bytes(), &stamp));
        let stamped = Entry { stamp: Some(stamp_text(&stamp)), ..write() };
        assert!(holds_stamp(stamped.render().as_bytes(), &stamp));
    }
}
