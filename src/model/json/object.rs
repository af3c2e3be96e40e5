//! Builds JSON text from pieces that are already JSON.

use super::Dialect;

/// An object under construction; keys keep the order in which they are added.
#[derive(Debug, Clone)]
pub struct Object {
    /// The text so far, from the opening brace on.
    text: String,
}

impl Default for Object {
    fn default() -> Self {
        Object { text: "{".to_owned() }
    }
}

impl Object {
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty object with room for `bytes` bytes.
    pub fn sized(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes);
        text.push('{');
        Object { text }
    }

    fn is_empty(&self) -> bool {
        self.text.len() == 1
    }

    /// Adds a value that is already JSON text.
    pub fn raw(mut self, key: &str, json: &str) -> Self {
        self.key(key);
        self.text.push_str(json);
        self
    }

    fn key(&mut self, key: &str) {
        if !self.is_empty() {
            self.text.push(',');
        }
        Dialect::default().write_string(key, &mut self.text);
        self.text.push(':');
    }

    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        Dialect::default().write_string(value, &mut self.text);
        self
    }

    pub fn optional(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    pub fn number(self, key: &str, value: i64) -> Self {
        self.raw(key, &value.to_string())
    }

    pub fn flag(self, key: &str, value: bool) -> Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    pub fn texts<S: AsRef<str>>(self, key: &str, values: impl IntoIterator<Item = S>) -> Self {
        let items = values.into_iter().map(|value| Dialect::default().string(value.as_ref()));
        self.raw(key, &array(items))
    }

    /// Appends the keys of another object.
    pub fn join(mut self, other: Object) -> Self {
        if !self.is_empty() && !other.is_empty() {
            self.text.push(',');
        }
        self.text.push_str(&other.text[1..]);
        self
    }

    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

impl From<Object> for String {
    fn from(object: Object) -> String {
        object.finish()
    }
}

/// An array of JSON texts.
pub fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}
