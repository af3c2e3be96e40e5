//! Rows of state files, and objects inside of lines: structs that derive `Serialize` and `Deserialize`.
//!
//! Fields are keys, in the order in which a new row has them. A key whose value is odd counts as missing, and so does an empty
//! text; an odd element of a list is left out. A key without a value is not written: `None`, an empty list or object.
//! The functions and modules here are for `deserialize_with` and `with`, where a field is another thing than its type says.
//!
//! A row that replaces another changes only the keys whose values differ: what this version does not know stays, byte for byte.

use std::cell::Cell;
use std::slice::Iter;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer, forward_to_deserialize_any};

use super::json::{Dialect, Json, decode_string, elements, integer};
use super::record::Record;

/// A field whose name begins with this is not a key: the keys of its value are among those of the row.
const PART: &str = "..";
/// The one key of what stands for [`Raw`] JSON until it is written.
const RAW: &str = "..raw";

/// A struct that is a line of a state file, or an object in one.
pub trait Row: Serialize + Sized {
    /// `None` if something is missing that it cannot do without.
    fn parse(record: &Record<'_>) -> Option<Self>;

    /// Reads an object of a line.
    fn parse_part(raw: &str) -> Option<Self> {
        Self::parse(&Record::parse_part(raw).ok()?)
    }

    /// The text of a new one.
    fn render(&self, dialect: Dialect) -> String {
        let text = serde_json::to_string(self).expect("the keys of rows are texts");
        dialect.render(&Json::Object(members(&text)))
    }

    /// The line of a new one in a state file.
    fn line(&self) -> String {
        self.render(Dialect::default())
    }

    /// The line that replaces an earlier one.
    fn line_over(&self, old: &Record<'_>) -> String {
        let before = Self::parse(old).map_or_else(|| "{}".to_owned(), |old| old.line());
        old.moved(&before, &self.line(), Dialect::default())
    }
}

impl<T: Serialize + DeserializeOwned> Row for T {
    fn parse(record: &Record<'_>) -> Option<Self> {
        read(record.text(), Some(record))
    }
}

/// JSON of any kind, kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Raw(pub String);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(RAW, &self.0)])
    }
}

/// Text that may be empty: that is another thing than none.
pub fn exact<'de, D: Deserializer<'de>, T: Deserialize<'de>>(source: D) -> Result<T, D::Error> {
    #[derive(Deserialize)]
    struct Exact<T>(T);
    Exact::deserialize(source).map(|exact| exact.0)
}

/// A list without its odd elements.
pub fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(source: D) -> Result<Vec<T>, D::Error> {
    let raw = Raw::deserialize(source)?.0;
    let spans = elements(&raw).unwrap_or_default();
    Ok(spans.into_iter().filter_map(|span| read(&raw[span], None)).collect())
}

/// For `skip_serializing_if`.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Nanoseconds, written in milliseconds.
pub mod millis {
    use super::*;
    use crate::model::time::MILLI;

    pub fn serialize<S: Serializer>(nanos: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        nanos.map(|nanos| nanos / MILLI).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<Option<i64>, D::Error> {
        i64::deserialize(source).map(|millis| Some(millis.saturating_mul(MILLI)))
    }
}

/// A path, which may be one that is not UTF-8.
pub mod path {
    use super::*;
    use std::path::{Path, PathBuf};

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&path.display())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<PathBuf, D::Error> {
        exact(source)
    }
}

/// An object of which nothing is known: keys with raw values.
pub mod pairs {
    use super::*;

    pub fn serialize<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(pairs.iter().map(|(key, raw)| (key, Raw(raw.clone()))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<(String, String)>, D::Error> {
        let raw = Raw::deserialize(source)?.0;
        let object = Record::parse_part(&raw).map_err(D::Error::custom)?;
        Ok(object.iter().map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect())
    }
}

/// The members of what serde has written, without those that have no value.
fn members(text: &str) -> Vec<(String, Json)> {
    let object = Record::parse_part(text).expect("serde writes the object of a struct");
    let mut found = Vec::new();
    for (key, raw) in object.iter() {
        match json(raw) {
            Some(Json::Object(part)) if key.starts_with(PART) => found.extend(part),
            value => found.extend(value.map(|value| (key.into_owned(), value))),
        }
    }
    found
}

fn json(raw: &str) -> Option<Json> {
    match raw.as_bytes()[0] {
        b'n' => None,
        b'"' => Some(Json::Text(decode_string(raw)?.into_owned())),
        b'[' => {
            let all: Vec<Json> = elements(raw).ok()?.into_iter().filter_map(|span| json(&raw[span])).collect();
            (!all.is_empty()).then_some(Json::List(all))
        }
        b'{' => {
            let text = Record::parse_part(raw).ok()?.string(RAW).map(|text| Json::Raw(text.into_owned()));
            text.or_else(|| Some(Json::Object(members(raw))).filter(|object| *object != Json::Object(Vec::new())))
        }
        _ => Some(Json::Raw(raw.to_owned())),
    }
}

/// Reads a value as often as something in it is odd, each time without that.
fn read<T: DeserializeOwned>(raw: &str, row: Option<&Record<'_>>) -> Option<T> {
    let mut left_out: Vec<usize> = Vec::new();
    loop {
        let walk = Walk { left_out: &left_out, seen: Cell::new(0), odd: Cell::new(None) };
        let found = T::deserialize(Source { raw, row, is_exact: true, walk: &walk });
        if let Ok(value) = found {
            return Some(value);
        }
        let odd = walk.odd.get()?;
        // Without it, what was left out of it is not come to.
        left_out.retain(|n| *n < odd);
        left_out.push(odd);
    }
}

/// One reading of a value. The values under its keys, and under theirs, are counted from 1 as they are come to.
struct Walk<'a> {
    left_out: &'a [usize],
    seen: Cell<usize>,
    /// The innermost one that could not be read.
    odd: Cell<Option<usize>>,
}

type Names = &'static [&'static str];

/// A value that is read.
#[derive(Clone, Copy)]
struct Source<'a> {
    raw: &'a str,
    /// The same, where it was parsed before.
    row: Option<&'a Record<'a>>,
    is_exact: bool,
    walk: &'a Walk<'a>,
}

impl Source<'_> {
    fn text(&self) -> Result<std::borrow::Cow<'_, str>, Error> {
        let text = decode_string(self.raw).filter(|text| self.is_exact || !text.is_empty());
        text.ok_or_else(|| Error::custom("no text"))
    }
}

impl<'de> Deserializer<'de> for Source<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.raw, integer(self.raw)) {
            ("true" | "false", _) => visitor.visit_bool(self.raw == "true"),
            (_, Some(number)) => visitor.visit_i64(number),
            _ => visitor.visit_str(&self.text()?),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &str, visitor: V) -> Result<V::Value, Error> {
        match name {
            "Raw" => visitor.visit_newtype_struct(self.raw.into_deserializer()),
            "Exact" => visitor.visit_newtype_struct(Source { is_exact: true, ..self }),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &str, _: Names, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_enum(self.text()?.as_ref().into_deserializer())
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &str, fields: Names, visitor: V) -> Result<V::Value, Error> {
        let own = self.row.is_none().then(|| Record::parse_part(self.raw)).transpose().map_err(Error::custom)?;
        let row = self.row.or(own.as_ref()).expect("it was parsed here, or before");
        visitor.visit_map(Keys { fields: fields.iter(), row, found: None, walk: self.walk })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

/// The keys of a struct that a row has.
struct Keys<'a> {
    fields: Iter<'static, &'static str>,
    row: &'a Record<'a>,
    /// The value that is next, and its number.
    found: Option<(usize, Source<'a>)>,
    walk: &'a Walk<'a>,
}

impl<'de> MapAccess<'de> for Keys<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Keys { row, walk, .. } = *self;
        for key in self.fields.by_ref() {
            let part = key.starts_with(PART).then_some(row);
            let Some(raw) = part.map(Record::text).or_else(|| row.raw(key)) else { continue };
            let n = walk.seen.get() + 1;
            walk.seen.set(n);
            if !walk.left_out.contains(&n) {
                self.found = Some((n, Source { raw, row: part, is_exact: false, walk }));
                return seed.deserialize((*key).into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (n, source) = self.found.take().expect("its key was asked for");
        seed.deserialize(source).inspect_err(|_| self.walk.odd.set(self.walk.odd.get().or(Some(n))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::agent::{Agent, Role};
    use crate::model::checkpoint::{Checkpoint, Saved};
    use crate::model::lease::Lease;

    fn lease(line: &str) -> Option<Lease> {
        Lease::parse(&Record::parse(line).unwrap())
    }

    #[test]
    fn an_odd_key_counts_as_missing() {
        let held = lease(
            r#"{"id":"x","epoch":1e0,"holder":"ann","agent":7,"expires":"soon","ttl_ms":"1","boot":[],"deadline_ms":1,"pid":1,"pid_boot":"b","pid_start":"","host":"h","attempts":"2","last_error":""}"#,
        );
        let held = held.unwrap();
        let holder = held.holder.unwrap();
        assert_eq!((held.epoch, held.attempts, held.last_error), (1, 0, None));
        assert_eq!((holder.name.as_str(), holder.host.as_deref(), holder.acquired.as_str()), ("ann", Some("h"), ""));
        assert_eq!(
            (holder.agent, holder.expires, holder.ttl, holder.deadline, holder.owner),
            (None, None, None, None, None)
        );
        // Without a holder it is not held, whatever else it contains; without a number it is not a lease.
        assert_eq!(lease(r#"{"id":"x","epoch":1,"holder":null,"agent":"a","host":{}}"#).unwrap().holder, None);
        assert_eq!((lease(r#"{"id":"x","epoch":1.5}"#), lease(r#"{"id":"","epoch":1}"#)), (None, None));
    }

    #[test]
    fn an_odd_element_is_left_out() {
        let lost = r#"[{"holder":"","epoch":1,"x":[]},7,{"holder":"b"},{"epoch":2,"holder":"c"}]"#;
        let lost = lease(&format!(r#"{{"id":"x","epoch":9,"lost":{lost}}}"#)).unwrap().lost;
        assert_eq!(lost.iter().map(|lost| (lost.holder.as_str(), lost.epoch)).collect::<Vec<_>>(), [("", 1), ("c", 2)]);
        let odd = r#"{"id":"a","name":"n","role":["worker"],"capabilities":["","\u0061",null,[1]],"metadata":{"k":1e400,"k":"2"},"registered":"2026-01-05T09:00:00Z","heartbeat":"2026-01-05T09:00:00Z"}"#;
        let agent = Agent::parse(&Record::parse(odd).unwrap()).unwrap();
        assert_eq!(
            (agent.role, agent.sessions, agent.capabilities),
            (Role::Worker, 1, vec![String::new(), "a".into()])
        );
        assert_eq!(agent.metadata, [("k".into(), "1e400".into()), ("k".into(), "\"2\"".into())]);
    }

    #[test]
    fn empty_values_are_not_written() {
        let saved = Saved { name: "n".into(), ..Saved::default() };
        let detail = Some(Raw("null".into()));
        let one = Checkpoint { id: "<cp>".into(), snapshot: Some(saved), detail, ..Checkpoint::default() };
        let line = r#"{"id":"<cp>","issue":"","number":0,"type":"progress","summary":"","detail":null,"actor":"","created_at":"","snapshot":{"name":"n","files":[]}}"#;
        assert_eq!(one.line(), line);
        let ledger = one.render(Dialect { html: true, spaced: true });
        assert!(ledger.starts_with(r#"{"id": "\u003ccp\u003e", "issue": "", "number": 0,"#), "{ledger}");
    }
}
