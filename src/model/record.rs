//! One line of a ledger as an ordered list of keys and raw values.
//!
//! Invariant: what is not edited keeps its bytes and its place. New keys go where [`super::field`] puts them.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::field::{self, Field};
use super::json::{self, Dialect, Member, ScanError};
use super::time::Instant;

/// A parsed line that borrows its text.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    text: &'a str,
    members: Cow<'a, [Member]>,
    /// The members sorted by key, made for a lookup among many.
    sorted: OnceLock<Vec<usize>>,
    /// For each field its member, counted from 1, made for a lookup among more than a few.
    places: OnceLock<[u8; field::ALL.len()]>,
}

/// With at most this many members, comparing keys is faster than finding the field.
const FEW: usize = 8;

/// More members than an ordinary issue has: lookups use the sorted members.
const MANY: usize = 100;

/// One key of a record with its new raw value, or `None` to remove it.
pub type KeyEdit = (&'static str, Option<String>);

impl<'a> Record<'a> {
    /// Parses a line (without its line end) strictly; see [`json::members`].
    pub fn parse(text: &'a str) -> Result<Self, ScanError> {
        Ok(Record::known(text, json::members(text)?.into()))
    }

    /// Parses an object inside a record, such as a comment; see [`json::members_of_part`].
    pub fn parse_part(text: &'a str) -> Result<Self, ScanError> {
        Ok(Record::known(text, json::members_of_part(text)?.into()))
    }

    /// A line that was parsed before, with its members from then.
    pub fn known(text: &'a str, members: Cow<'a, [Member]>) -> Self {
        Record { text, members, sorted: OnceLock::new(), places: OnceLock::new() }
    }

    pub fn into_members(self) -> Vec<Member> {
        self.members.into_owned()
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Keys (decoded) and raw values in the order of the line.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'a, str>, &'a str)> + '_ {
        self.members.iter().map(|m| (self.key(m), &self.text[m.value.clone()]))
    }

    /// The raw value of a key.
    pub fn raw(&self, key: &str) -> Option<&'a str> {
        self.find(key).map(|n| &self.text[self.members[n].value.clone()])
    }

    /// The raw value of a field, found without looking at its key.
    pub fn raw_of(&self, field: Field) -> Option<&'a str> {
        let found = match self.members.len() {
            len if len > FEW && len <= MANY => usize::from(self.places()[field as usize]).checked_sub(1),
            _ => self.find(field.key()),
        };
        found.map(|n| &self.text[self.members[n].value.clone()])
    }

    /// A string value; `None` when absent, null or of another kind.
    pub fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        self.raw(key).and_then(json::decode_string)
    }

    /// A string value that is not empty: absent, null and empty are all `None`.
    pub fn text_of(&self, key: &str) -> Option<Cow<'a, str>> {
        self.string(key).filter(|text| !text.is_empty())
    }

    /// A moment; `None` when absent or in no form of one.
    pub fn time(&self, key: &str) -> Option<Instant> {
        Instant::parse(&self.string(key)?)
    }

    pub fn integer(&self, key: &str) -> Option<i64> {
        self.raw(key).and_then(json::integer)
    }

    pub fn flag(&self, key: &str) -> bool {
        self.raw(key) == Some("true")
    }

    /// The raw elements of an array value; empty when absent or not an array.
    pub fn elements(&self, key: &str) -> Vec<&'a str> {
        self.raw(key).map(elements).unwrap_or_default()
    }

    /// The same for a field.
    pub fn elements_of(&self, field: Field) -> Vec<&'a str> {
        self.raw_of(field).map(elements).unwrap_or_default()
    }

    /// The line with some keys set or removed; everything else keeps its bytes.
    pub fn with(&self, edits: &[KeyEdit], dialect: Dialect) -> String {
        let mut line = self.text.to_owned();
        for (key, value) in edits {
            let now = Record::parse(&line).expect("an edited record stays a valid object");
            line = match value {
                Some(raw) => now.set(key, raw, dialect),
                None => now.unset(key),
            };
        }
        line
    }

    /// The line with one key, of any name, set to a raw value or removed.
    pub fn with_key(&self, key: &str, raw: Option<&str>, dialect: Dialect) -> String {
        match raw {
            Some(raw) => self.set(key, raw, dialect),
            None => self.unset(key),
        }
    }

    /// Applies the difference between two renderings of the known keys to the line; everything else keeps its bytes,
    /// also values that this version understands only in part.
    pub fn moved(&self, before: &str, after: &str, dialect: Dialect) -> String {
        let parse = |text| Record::parse(text).expect("a rendered record is a valid object");
        let (before, after) = (parse(before), parse(after));
        let mut line = self.text.to_owned();
        for (key, _) in before.iter().chain(after.iter()) {
            if before.raw(&key) != after.raw(&key) {
                let now = Record::parse(&line).expect("an edited record stays a valid object");
                line = now.with_key(&key, after.raw(&key), dialect);
            }
        }
        line
    }

    fn key(&self, member: &Member) -> Cow<'a, str> {
        let plain = &self.text[member.key.clone()];
        if member.is_escaped {
            json::decode_string(&self.text[member.key.start - 1..member.key.end + 1]).unwrap_or(Cow::Borrowed(plain))
        } else {
            Cow::Borrowed(plain)
        }
    }

    fn find(&self, key: &str) -> Option<usize> {
        if self.members.len() > MANY {
            let key_of = |n: &usize| self.key(&self.members[*n]);
            let sorted = self.sorted.get_or_init(|| {
                let mut all: Vec<usize> = (0..self.members.len()).collect();
                all.sort_by_cached_key(key_of);
                all
            });
            return sorted.binary_search_by(|n| key_of(n).as_ref().cmp(key)).ok().map(|at| sorted[at]);
        }
        if let Some(field) = Field::of(key).filter(|_| self.members.len() > FEW) {
            return (self.places()[field as usize] as usize).checked_sub(1);
        }
        let text = self.text.as_bytes();
        let literal = self.members.iter().position(|m| text[m.key.clone()] == *key.as_bytes());
        if !self.members.iter().any(|m| m.is_escaped) {
            return literal;
        }
        // A key with a backslash matches only by its meaning: `"a\\nb"` and `"a\nb"` are two keys.
        literal.filter(|_| !key.contains('\\')).or_else(|| {
            let escaped = |m: &Member| m.is_escaped && self.key(m) == key;
            self.members.iter().position(escaped)
        })
    }

    fn places(&self) -> &[u8; field::ALL.len()] {
        self.places.get_or_init(|| {
            let mut places = [0; field::ALL.len()];
            // A plain key takes precedence over an escaped one.
            for is_escaped in [false, true] {
                for (n, member) in self.members.iter().enumerate().filter(|(_, m)| m.is_escaped == is_escaped) {
                    if let Some(field) = Field::of(&self.key(member))
                        && places[field as usize] == 0
                    {
                        places[field as usize] = n as u8 + 1;
                    }
                }
            }
            places
        })
    }

    fn set(&self, key: &str, raw: &str, dialect: Dialect) -> String {
        if let Some(n) = self.find(key) {
            let span = &self.members[n].value;
            return [&self.text[..span.start], raw, &self.text[span.end..]].concat();
        }
        let member = [&dialect.string(key), dialect.colon(), raw].concat();
        let before = Field::of(key).and_then(|mine| {
            let known = |m: &Member| Field::of(&self.key(m)).is_some_and(|theirs| (theirs as u8) < mine as u8);
            self.members.iter().rposition(known)
        });
        match before.or(self.members.len().checked_sub(1)) {
            Some(n) => {
                let at = self.members[n].value.end;
                [&self.text[..at], dialect.comma(), &member, &self.text[at..]].concat()
            }
            None => {
                let at = self.text.find('{').map_or(0, |at| at + 1);
                [&self.text[..at], &member, &self.text[at..]].concat()
            }
        }
    }

    fn unset(&self, key: &str) -> String {
        let Some(n) = self.find(key) else { return self.text.to_owned() };
        let quote_before = |m: &Member| m.key.start - 1;
        let (from, to) = match (n.checked_sub(1), self.members.get(n + 1)) {
            // Removed the way it would have been added, so that no trace is left.
            (Some(previous), _) => (self.members[previous].value.end, self.members[n].value.end),
            (None, Some(next)) => (quote_before(&self.members[n]), quote_before(next)),
            (None, None) => (quote_before(&self.members[n]), self.members[n].value.end),
        };
        [&self.text[..from], &self.text[to..]].concat()
    }
}

fn elements(raw: &str) -> Vec<&str> {
    let spans = json::elements(raw).unwrap_or_default();
    spans.into_iter().map(|span| &raw[span]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPACT: Dialect = Dialect { html: false, spaced: false };
    const SPACED: Dialect = Dialect { html: false, spaced: true };

    fn edit(line: &str, edits: &[KeyEdit], dialect: Dialect) -> String {
        Record::parse(line).unwrap().with(edits, dialect)
    }

    #[test]
    fn fields_are_found_whatever_their_keys_look_like() {
        let more = (0..FEW).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",");
        let line = format!(r#"{{"\u0069d":"x",{more},"title":"y","not\u0065s":"z","k\u006b":7}}"#);
        let record = Record::parse(&line).unwrap();
        let found = ["id", "title", "notes", "design", "k3", "kk"].map(|key| record.raw(key));
        assert_eq!(found, [Some("\"x\""), Some("\"y\""), Some("\"z\""), None, Some("3"), Some("7")]);
        // Inside a line a key may occur twice: the plain one counts.
        let part = format!(r#"{{"\u0069d":1,{more},"id":2,"id":3}}"#);
        assert_eq!(Record::parse_part(&part).unwrap().raw("id"), Some("2"));
    }

    #[test]
    fn a_key_among_many_is_found_as_among_few() {
        let members = (0..MANY + 1).rev().map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",");
        let line = format!("{{{members},\"\\u0061\":\"escaped\",\"id\":\"x\"}}");
        let record = Record::parse(&line).unwrap();
        assert!((0..=MANY).all(|n| record.raw(&format!("k{n}")) == Some(n.to_string().as_str())));
        assert_eq!((record.raw("a"), record.raw("id"), record.raw("k")), (Some("\"escaped\""), Some("\"x\""), None));
    }

    #[test]
    fn only_the_changed_value_changes() {
        let line = r#"{"z":18446744073709551616,"id":"a","priority":2,"x":"\u00e9\/","updated_at":"t"}"#;
        let edits = [("priority", Some("1".into())), ("updated_at", Some("\"u\"".into()))];
        let expected = r#"{"z":18446744073709551616,"id":"a","priority":1,"x":"\u00e9\/","updated_at":"u"}"#;
        assert_eq!(edit(line, &edits, COMPACT), expected);
    }

    #[test]
    fn new_keys_find_their_place() {
        let line = r#"{"id":"a","title":"t","status":"open","zz":1,"created_at":"c","labels":["x"]}"#;
        let edits = [("priority", Some("1".into())), ("comments", Some("[]".into())), ("updated_at", Some("2".into()))];
        assert_eq!(
            edit(line, &edits, COMPACT),
            r#"{"id":"a","title":"t","status":"open","priority":1,"zz":1,"created_at":"c","updated_at":2,"labels":["x"],"comments":[]}"#
        );
        assert_eq!(edit(r#"{"id": "a"}"#, &[("title", Some("\"t\"".into()))], SPACED), r#"{"id": "a", "title": "t"}"#);
    }

    #[test]
    fn keys_leave_without_a_trace() {
        let line = r#"{"a":1,"b":2,"c":3}"#;
        assert_eq!(edit(line, &[("a", None)], COMPACT), r#"{"b":2,"c":3}"#);
        assert_eq!(edit(line, &[("b", None)], COMPACT), r#"{"a":1,"c":3}"#);
        assert_eq!(edit(line, &[("c", None)], COMPACT), r#"{"a":1,"b":2}"#);
        assert_eq!(edit(r#"{"a":1}"#, &[("a", None), ("b", Some("2".into()))], COMPACT), r#"{"b":2}"#);
    }
}
