//! What serde makes of an issue: the keys and values of its line, as far as this library knows them.

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Issue, IssueId};
use crate::model::field::{self, Field};
use crate::model::issue::FieldValue;

impl Serialize for IssueId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for IssueId {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        String::deserialize(source)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Issue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        for field in field::ALL {
            let key = field.key();
            match (field, self.inner.issue.value(*field)) {
                (Field::Title, _) => object.serialize_entry(key, self.title())?,
                (Field::Label, _) => some(&mut object, key, self.labels())?,
                (Field::Dependencies, _) => some(&mut object, key, &self.dependencies())?,
                (Field::Comments, _) => some(&mut object, key, &self.comments())?,
                (_, FieldValue::Text(text)) => object.serialize_entry(key, text)?,
                (_, FieldValue::Number(number)) => object.serialize_entry(key, &number)?,
                (_, FieldValue::Time(time)) => object.serialize_entry(key, &time.text)?,
                (_, FieldValue::Nothing) => {}
            }
        }
        object.end()
    }
}

fn some<M: SerializeMap, T: Serialize>(object: &mut M, key: &str, all: &[T]) -> Result<(), M::Error> {
    if all.is_empty() { Ok(()) } else { object.serialize_entry(key, all) }
}
