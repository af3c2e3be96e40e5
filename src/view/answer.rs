//! Answers: what a command prints as JSON and what `bd schema` says about it, from one declaration.
//!
//! `answer!` declares a shape as a function of an operation's result: keys with their values, in print order. The type
//! of a value determines its JSON, and an `Option` that the key is optional: nothing is declared twice.

use std::path::{Path, PathBuf};

use crate::model::issue::{IssueType, Priority, Status, Time};
use crate::model::json::{Dialect, Object, array};
use crate::model::time::Instant;

/// A type that can be the value of a key.
pub trait Value: Sized {
    /// Its type in a schema; empty if it has no single one, and the schema omits it.
    const KIND: &'static str;
    const OPTIONAL: bool = false;

    /// The JSON text; `None` omits the key.
    fn json(self) -> Option<String>;
}

/// A key of a shape.
#[derive(Debug)]
pub struct Field {
    pub key: &'static str,
    /// Empty if it has no single one.
    pub kind: &'static str,
    pub required: bool,
}

/// The keys of a shape, in print order.
#[derive(Debug, Default)]
pub struct Fields(pub Vec<Field>);

impl Fields {
    /// Adds a key; the function returns its value, and is not called.
    pub fn add<A, V: Value>(&mut self, key: &'static str, _: impl Fn(A) -> V) {
        self.push(Field { key, kind: V::KIND, required: !V::OPTIONAL });
    }

    /// Adds the keys of a shape that may be missing as a whole.
    pub fn add_optional(&mut self, shape: fn(&mut Fields)) {
        let mut inner = Fields::default();
        shape(&mut inner);
        inner.0.into_iter().for_each(|field| self.push(Field { required: false, ..field }));
    }

    /// A key in several variants is added once.
    pub fn push(&mut self, field: Field) {
        match self.0.iter_mut().find(|known| known.key == field.key) {
            Some(known) if known.kind != field.kind => known.kind = "",
            Some(known) => known.required |= field.required,
            None => self.0.push(field),
        }
    }
}

/// Adds a key, if it has a value.
pub(super) fn put(object: Object, key: &str, value: impl Value) -> Object {
    match value.json() {
        Some(json) => object.raw(key, &json),
        None => object,
    }
}

/// An object: `key: value` for each key, `..shape(argument)` for all keys of another shape, and `..shape?(argument)`
/// for those of an optional one.
macro_rules! object {
    (@add $into:ident;) => {};
    (@add $into:ident; ..$shape:ident? ($value:expr) $(, $($rest:tt)*)?) => {
        let $into = match $value {
            Some(value) => $into.join($shape(value)),
            None => $into,
        };
        $($crate::view::answer::object!(@add $into; $($rest)*);)?
    };
    (@add $into:ident; ..$shape:ident ($($value:expr),*) $(, $($rest:tt)*)?) => {
        let $into = $into.join($shape($($value),*));
        $($crate::view::answer::object!(@add $into; $($rest)*);)?
    };
    (@add $into:ident; $key:ident: $value:expr $(, $($rest:tt)*)?) => {
        let $into = $crate::view::answer::put($into, stringify!($key), $value);
        $($crate::view::answer::object!(@add $into; $($rest)*);)?
    };
    (@in $into:ident; $($fields:tt)*) => {{
        let $into = $crate::model::json::Object::new();
        $crate::view::answer::object!(@add $into; $($fields)*);
        $into
    }};
    ($($fields:tt)*) => { $crate::view::answer::object!(@in object; $($fields)*) };
}

/// Declares shapes: each is a function that returns the object, and a type of the same name that knows the keys.
macro_rules! answer {
    (@keys $into:ident $arguments:tt;) => {};
    (@keys $into:ident $arguments:tt; ..$shape:ident? ($value:expr) $(, $($rest:tt)*)?) => {
        $into.add_optional($shape::fields);
        $($crate::view::answer::answer!(@keys $into $arguments; $($rest)*);)?
    };
    (@keys $into:ident $arguments:tt; ..$shape:ident ($($value:expr),*) $(, $($rest:tt)*)?) => {
        $shape::fields($into);
        $($crate::view::answer::answer!(@keys $into $arguments; $($rest)*);)?
    };
    (@keys $into:ident $arguments:tt; $key:ident: $value:expr $(, $($rest:tt)*)?) => {
        $into.add(stringify!($key), $crate::view::answer::answer!(@value $arguments $value));
        $($crate::view::answer::answer!(@keys $into $arguments; $($rest)*);)?
    };
    (@value ($($name:ident: $kind:ty),*) $value:expr) => { |($($name,)*): ($($kind,)*)| $value };
    ($($(#[$meta:meta])* $vis:vis fn $shape:ident($($name:ident: $kind:ty),* $(,)?) { $($fields:tt)* })*) => {$(
        $(#[$meta])*
        $vis fn $shape($($name: $kind),*) -> $crate::model::json::Object {
            $crate::view::answer::object!($($fields)*)
        }

        $(#[$meta])*
        #[allow(non_camel_case_types, dead_code, reason = "it goes by the name of its function, and parts have no schema")]
        $vis enum $shape {}

        impl $shape {
            #[allow(unused_variables, dead_code, reason = "each value is a function of all arguments, and parts have no schema")]
            pub(crate) fn fields(into: &mut $crate::view::answer::Fields) {
                $crate::view::answer::answer!(@keys into ($($name: $kind),*); $($fields)*);
            }
        }
    )*};
}

pub(crate) use {answer, object};

/// An array of JSON texts.
#[derive(Debug)]
pub struct List(String);

/// An array of the JSON of several things.
pub fn each<T, J: Into<String>>(all: impl IntoIterator<Item = T>, json: impl FnMut(T) -> J) -> List {
    List(array(all.into_iter().map(json).map(Into::into)))
}

impl From<List> for String {
    fn from(list: List) -> String {
        list.0
    }
}

/// An object that is already JSON text.
#[derive(Debug)]
pub(super) struct Line<S>(pub S);

/// JSON text of any type.
#[derive(Debug)]
pub(super) struct Any(pub String);

/// An object of keys with values that are JSON text.
pub(super) fn raw_object(pairs: &[(String, String)]) -> Object {
    pairs.iter().fold(Object::new(), |object, (key, raw)| object.raw(key, raw))
}

/// An array of texts.
pub fn texts(all: &[String]) -> List {
    List(all.json().unwrap_or_default())
}

/// A value, or `null`.
pub(super) fn or_null(value: Option<impl Value>) -> Any {
    Any(value.and_then(Value::json).unwrap_or_else(|| "null".to_owned()))
}

/// A list, or `None` if it is empty.
pub(super) fn filled<T>(all: &[T]) -> Option<&[T]> {
    Some(all).filter(|all| !all.is_empty())
}

macro_rules! values {
    ($kind:literal: $($type:ty, |$value:ident| $json:expr;)*) => {$(
        impl Value for $type {
            const KIND: &'static str = $kind;

            fn json(self) -> Option<String> {
                let $value = self;
                Some($json)
            }
        }
    )*};
}

values! { "string":
    &str, |text| Dialect::default().string(text);
    &&str, |text| Dialect::default().string(text);
    &String, |text| Dialect::default().string(text);
    &&String, |text| Dialect::default().string(text);
    String, |text| Dialect::default().string(&text);
    std::borrow::Cow<'_, str>, |text| Dialect::default().string(&text);
    &Path, |path| Dialect::default().string(&path.display().to_string());
    &PathBuf, |path| Dialect::default().string(&path.display().to_string());
    Instant, |time| Dialect::default().string(&time.to_string());
    &Instant, |time| Dialect::default().string(&time.to_string());
    &Time, |time| Dialect::default().string(&time.text);
    &Status, |status| Dialect::default().string(status.as_str());
    &IssueType, |kind| Dialect::default().string(kind.as_str());
}

values! { "integer":
    i32, |number| number.to_string();
    i64, |number| number.to_string();
    &i64, |number| number.to_string();
    u8, |number| number.to_string();
    u16, |number| number.to_string();
    u32, |number| number.to_string();
    u64, |number| i64::try_from(number).unwrap_or(i64::MAX).to_string();
    usize, |number| number.to_string();
    Priority, |priority| priority.number().to_string();
}

values! { "boolean":
    bool, |flag| flag.to_string();
}

values! { "number":
    f64, |number| format!("{number:.1}");
}

values! { "object":
    Object, |object| object.finish();
}

values! { "array":
    List, |list| list.0;
}

values! { "":
    Any, |any| any.0;
}

impl<S: Into<String>> Value for Line<S> {
    const KIND: &'static str = "object";

    fn json(self) -> Option<String> {
        Some(self.0.into())
    }
}

impl<T: Value> Value for Vec<T> {
    const KIND: &'static str = "array";

    fn json(self) -> Option<String> {
        Some(array(self.into_iter().filter_map(Value::json)))
    }
}

impl<'a, T> Value for &'a [T]
where
    &'a T: Value,
{
    const KIND: &'static str = "array";

    fn json(self) -> Option<String> {
        Some(array(self.iter().filter_map(Value::json)))
    }
}

impl<'a, T> Value for &'a Vec<T>
where
    &'a T: Value,
{
    const KIND: &'static str = "array";

    fn json(self) -> Option<String> {
        self.as_slice().json()
    }
}

impl<T: Value> Value for Option<T> {
    const KIND: &'static str = T::KIND;
    const OPTIONAL: bool = true;

    fn json(self) -> Option<String> {
        self.and_then(Value::json)
    }
}

impl<'a, T> Value for &'a Option<T>
where
    &'a T: Value,
{
    const KIND: &'static str = <&'a T>::KIND;
    const OPTIONAL: bool = true;

    fn json(self) -> Option<String> {
        self.as_ref().and_then(Value::json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    answer! {
        fn inner(names: &[String]) {
            names: names, first: names.first(), kind: 1,
        }

        fn outer(names: &[String], there: Option<&[String]>) {
            kind: "outer", count: names.len(), none: or_null(None::<bool>),
            ..inner?(there), list: each(names, |name| object! { type: name }),
        }
    }

    #[test]
    fn json_and_keys_come_from_one_declaration() {
        let names = ["a".to_owned()];
        let text = r#"{"kind":"outer","count":1,"none":null,"list":[{"type":"a"}]}"#;
        assert_eq!(outer(&names, None).finish(), text);
        assert_eq!(inner(&names).finish(), r#"{"names":["a"],"first":"a","kind":1}"#);
        assert_eq!(inner(&[]).finish(), r#"{"names":[],"kind":1}"#);
        let mut fields = Fields::default();
        outer::fields(&mut fields);
        let found: Vec<_> = fields.0.iter().map(|field| (field.key, field.kind, field.required)).collect();
        let wanted = [
            ("kind", "", true),
            ("count", "integer", true),
            ("none", "", true),
            ("names", "array", false),
            ("first", "string", false),
            ("list", "array", true),
        ];
        assert_eq!(found, wanted);
    }
}
