//! Rows of state files, and objects inside of lines: a type says once which keys it has, and is read and written by that.
//!
//! `row!` declares a struct whose fields are keys, in the order in which a new row has them. The type of a field says what its
//! value may be: an `Option` may be missing, a `Vec` is missing while it is empty, everything else must be there unless the
//! declaration gives a value for it (`= value`). `as "key"` names a key that differs from its field; a word after `as` names a
//! [`Form`] other than the usual one.
//!
//! A row that replaces another changes only the keys whose values differ: what this version does not know stays, byte for byte.

use std::path::PathBuf;

use super::json::{Dialect, Json, decode_string, elements, integer};
use super::record::Record;
use super::time::{Instant, MILLI};

/// A struct that is a line of a state file, or an object in one.
pub trait Row: Sized {
    /// `None` if something is missing that it cannot do without.
    fn parse(record: &Record<'_>) -> Option<Self>;

    /// Adds its keys.
    fn write(&self, into: &mut Vec<(String, Json)>);

    fn json(&self) -> Json {
        let mut members = Vec::new();
        self.write(&mut members);
        Json::Object(members)
    }

    /// The line of a new one in a state file.
    fn line(&self) -> String {
        Dialect::default().render(&self.json())
    }

    /// The line that replaces an earlier one.
    fn line_over(&self, old: &Record<'_>) -> String {
        let before = Self::parse(old).map_or_else(|| "{}".to_owned(), |old| old.line());
        old.moved(&before, &self.line(), Dialect::default())
    }
}

/// A value under a key.
pub trait Cell: Sized {
    fn read(raw: &str) -> Option<Self>;

    /// The same in a list.
    fn element(raw: &str) -> Option<Self> {
        Self::read(raw)
    }

    fn json(&self) -> Json;
}

/// What a field makes of its key: the usual form is that of a [`Cell`], of an `Option` or a `Vec` of one.
pub trait Field: Sized {
    fn read(raw: Option<&str>) -> Option<Self>;

    /// `None` leaves the key out.
    fn json(&self) -> Option<Json>;
}

/// How a field is read and written.
pub trait Form<T> {
    fn read(record: &Record<'_>, key: &str) -> Option<T>;

    fn write(value: &T, key: &str, into: &mut Vec<(String, Json)>);
}

/// The usual form.
pub enum Plain {}

/// Left out while it is what a missing one is read as.
pub enum Sparse {}

/// Text that may be empty: that is another thing than none.
pub enum Exact {}

/// Nanoseconds, written in milliseconds.
pub enum Millis {}

/// JSON of any kind, kept as it is.
pub enum Raw {}

/// The keys of another row among those of this one.
pub enum Part {}

impl<T: Field> Form<T> for Plain {
    fn read(record: &Record<'_>, key: &str) -> Option<T> {
        T::read(record.raw(key))
    }

    fn write(value: &T, key: &str, into: &mut Vec<(String, Json)>) {
        into.extend(value.json().map(|json| (key.to_owned(), json)));
    }
}

impl<T: Field + Default + PartialEq> Form<T> for Sparse {
    fn read(record: &Record<'_>, key: &str) -> Option<T> {
        Some(T::read(record.raw(key)).unwrap_or_default())
    }

    fn write(value: &T, key: &str, into: &mut Vec<(String, Json)>) {
        if *value != T::default() {
            Plain::write(value, key, into);
        }
    }
}

impl Form<String> for Exact {
    fn read(record: &Record<'_>, key: &str) -> Option<String> {
        record.string(key).map(|text| text.into_owned())
    }

    fn write(value: &String, key: &str, into: &mut Vec<(String, Json)>) {
        Plain::write(value, key, into);
    }
}

impl Form<Option<String>> for Exact {
    fn read(record: &Record<'_>, key: &str) -> Option<Option<String>> {
        Some(<Exact as Form<String>>::read(record, key))
    }

    fn write(value: &Option<String>, key: &str, into: &mut Vec<(String, Json)>) {
        Plain::write(value, key, into);
    }
}

impl Form<Option<i64>> for Millis {
    fn read(record: &Record<'_>, key: &str) -> Option<Option<i64>> {
        Some(record.integer(key).map(|millis| millis.saturating_mul(MILLI)))
    }

    fn write(value: &Option<i64>, key: &str, into: &mut Vec<(String, Json)>) {
        Plain::write(&value.map(|nanos| nanos / MILLI), key, into);
    }
}

impl Form<Option<String>> for Raw {
    fn read(record: &Record<'_>, key: &str) -> Option<Option<String>> {
        Some(record.raw(key).map(str::to_owned))
    }

    fn write(value: &Option<String>, key: &str, into: &mut Vec<(String, Json)>) {
        into.extend(value.clone().map(|raw| (key.to_owned(), Json::Raw(raw))));
    }
}

impl<T: Row> Form<T> for Part {
    fn read(record: &Record<'_>, _: &str) -> Option<T> {
        T::parse(record)
    }

    fn write(value: &T, _: &str, into: &mut Vec<(String, Json)>) {
        value.write(into);
    }
}

impl<T: Row> Form<Option<T>> for Part {
    fn read(record: &Record<'_>, _: &str) -> Option<Option<T>> {
        Some(T::parse(record))
    }

    fn write(value: &Option<T>, _: &str, into: &mut Vec<(String, Json)>) {
        value.iter().for_each(|value| value.write(into));
    }
}

impl<T: Cell> Field for T {
    fn read(raw: Option<&str>) -> Option<Self> {
        Cell::read(raw?)
    }

    fn json(&self) -> Option<Json> {
        Some(Cell::json(self))
    }
}

impl<T: Cell> Field for Option<T> {
    fn read(raw: Option<&str>) -> Option<Self> {
        Some(raw.and_then(T::read))
    }

    fn json(&self) -> Option<Json> {
        self.as_ref().map(Cell::json)
    }
}

impl<T: Cell> Field for Vec<T> {
    fn read(raw: Option<&str>) -> Option<Self> {
        let spans = |raw| elements(raw).unwrap_or_default().into_iter().map(move |span| &raw[span]);
        Some(raw.into_iter().flat_map(spans).filter_map(T::element).collect())
    }

    fn json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| Json::List(self.iter().map(Cell::json).collect()))
    }
}

/// An object of which nothing is known: keys with raw values.
impl Field for Vec<(String, String)> {
    fn read(raw: Option<&str>) -> Option<Self> {
        let record = raw.and_then(|raw| Record::parse_part(raw).ok());
        let pairs = record.iter().flat_map(|record| record.iter());
        Some(pairs.map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect())
    }

    fn json(&self) -> Option<Json> {
        let members = self.iter().map(|(key, raw)| (key.clone(), Json::Raw(raw.clone())));
        (!self.is_empty()).then(|| Json::Object(members.collect()))
    }
}

/// Declares cells: how the text of a value is understood, and what a value is written as.
macro_rules! cells {
    ($($type:ty: |$raw:ident| $read:expr, |$value:ident| $json:expr;)*) => {$(
        impl $crate::model::row::Cell for $type {
            fn read($raw: &str) -> Option<Self> {
                $read
            }

            fn json(&self) -> $crate::model::json::Json {
                let $value = self;
                $json
            }
        }
    )*};
}

/// Text that says something: an empty one is none, except in a list.
impl Cell for String {
    fn read(raw: &str) -> Option<Self> {
        Self::element(raw).filter(|text| !text.is_empty())
    }

    fn element(raw: &str) -> Option<Self> {
        decode_string(raw).map(|text| text.into_owned())
    }

    fn json(&self) -> Json {
        Json::Text(self.clone())
    }
}

cells! {
    PathBuf: |raw| decode_string(raw).map(|text| PathBuf::from(text.as_ref())),
        |path| Json::Text(path.display().to_string());
    Instant: |raw| Instant::parse(&decode_string(raw)?), |at| Json::Text(at.to_string());
    bool: |raw| Some(raw == "true"), |flag| Json::Bool(*flag);
    i64: |raw| integer(raw), |number| Json::Int(*number);
    u16: |raw| u16::try_from(integer(raw)?).ok(), |number| Json::Int(i64::from(*number));
}

/// Declares a row; see the head of this file.
macro_rules! row {
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@form) => { $crate::model::row::Plain };
    (@form $form:ident) => { $form };
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $(
        $(#[$about:meta])* $sight:vis $field:ident: $type:ty
            $(as $($key:literal)? $($form:ident)?)? $(= $default:expr)?
    ),* $(,)? }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$about])* $sight $field: $type),* }

        impl $crate::model::row::Row for $name {
            fn parse(record: &$crate::model::record::Record<'_>) -> Option<Self> {
                Some($name { $($field: {
                    type Form = $crate::model::row::row!(@form $($($form)?)?);
                    let key = $crate::model::row::row!(@key $field $($($key)?)?);
                    let found = <Form as $crate::model::row::Form<$type>>::read(record, key);
                    found$(.or_else(|| Some($default)))??
                }),* })
            }

            fn write(&self, into: &mut Vec<(String, $crate::model::json::Json)>) {$({
                type Form = $crate::model::row::row!(@form $($($form)?)?);
                let key = $crate::model::row::row!(@key $field $($($key)?)?);
                <Form as $crate::model::row::Form<$type>>::write(&self.$field, key, into);
            })*}
        }

        impl $name {
            /// The text of a new one, in the dialect of a ledger.
            #[allow(dead_code, reason = "most rows are lines of state files")]
            pub fn render(&self, dialect: $crate::model::json::Dialect) -> String {
                dialect.render(&$crate::model::row::Row::json(self))
            }
        }

        $crate::model::row::cells! {
            $name: |raw| $crate::model::row::Row::parse(&$crate::model::record::Record::parse_part(raw).ok()?),
                |row| $crate::model::row::Row::json(row);
        }
    };
}

pub(crate) use {cells, row};
