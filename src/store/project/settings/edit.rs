//! Changing a config file: comments, order and everything that is not named stay as they are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml_edit::{Array, DocumentMut, Item, TableLike};

use super::file::{self, Owner, Value};
use super::keys::{Key, find};
use super::origin::{Origin, owner};
use crate::store::error::{ConfigError, ConfigFault, SettingsError};
use crate::store::file_names::CONFIG_NAME;
use crate::sys::fs::FsError;
use crate::sys::{self, Entropy, below, lock};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Edit {
    Set(String, Value),
    Unset(String),
    /// One more item of a list, unless it is there.
    Add(&'static Key, String),
    /// Takes these items out of a list.
    Remove(&'static Key, Vec<String>),
}

/// Changes to one file, made together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edits(Vec<Edit>);

impl Edits {
    /// Sets a key, ours or that of another tool.
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.push(Edit::Set(name.to_owned(), value));
    }

    pub fn unset(&mut self, name: &str) {
        self.0.push(Edit::Unset(name.to_owned()));
    }

    pub fn add(&mut self, key: &'static Key, item: String) {
        self.0.push(Edit::Add(key, item));
    }

    pub fn remove(&mut self, key: &'static Key, items: Vec<String>) {
        self.0.push(Edit::Remove(key, items));
    }

    /// Something is set that counts only as the user's own word.
    pub fn decide(&self) -> bool {
        self.0.iter().any(|edit| match edit {
            Edit::Set(name, _) => find(name).is_some_and(Key::decides),
            Edit::Add(key, _) => key.decides(),
            Edit::Unset(_) | Edit::Remove(..) => false,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes the changes in the file of a layer, under the lock of the file's directory; `false` if they change nothing.
    pub fn apply(&self, path: &Path, origin: Origin, wait: Duration, entropy: &Entropy) -> Result<bool, SettingsError> {
        let owner = owner(origin);
        // The user's own file may be a link: what it leads to is changed, and the link stays.
        let real = if owner == Owner::User { real_own(path)? } else { path.to_owned() };
        let path = real.as_path();
        let (directory, _) = below::parted(path);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(CONFIG_NAME);
        let lock = lock::lock(directory, wait)?;
        lock.dir().remove_orphans()?;
        for _ in 0..20 {
            let stamp = lock.dir().regular_at(name)?;
            let old = file::text(path, owner)?.unwrap_or_default();
            let new = self.edited(&old, path)?;
            if new == old {
                return Ok(false);
            }
            file::parse(&new, path)?;
            if lock.dir().put_after(name, new.as_bytes(), stamp.as_ref(), entropy)? {
                return Ok(true);
            }
        }
        Err(SettingsError::Unstable { path: path.display().to_string() })
    }

    fn edited(&self, text: &str, path: &Path) -> Result<String, SettingsError> {
        // The same reader as everywhere names line and column of what is wrong.
        file::parse(text, path)?;
        let mut document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| ConfigError::whole(path, error.message(), ConfigFault::Broken))?;
        for edit in &self.0 {
            apply(document.as_table_mut(), edit).map_err(|(key, name)| SettingsError::Shape {
                path: path.display().to_string(),
                key,
                name,
            })?;
        }
        Ok(document.to_string())
    }
}

/// The text of a committed settings file; `None` if there is none.
pub fn shared_text(path: &Path) -> Result<Option<String>, SettingsError> {
    Ok(file::text(path, owner(Origin::Shared))?)
}

/// Puts a text in the place of another, or takes the file away.
pub fn put_shared(
    path: &Path,
    old: Option<&str>,
    new: Option<&str>,
    wait: Duration,
    entropy: &Entropy,
) -> Result<(), SettingsError> {
    let (directory, _) = below::parted(path);
    let lock = lock::lock(directory, wait)?;
    let stamp = lock.dir().regular_at(CONFIG_NAME)?;
    let is_known = shared_text(path)?.as_deref() == old;
    let done = match (stamp, new) {
        _ if !is_known => false,
        (stamp, Some(new)) => lock.dir().put_after(CONFIG_NAME, new.as_bytes(), stamp.as_ref(), entropy)?,
        (Some(_), None) => lock.dir().remove(CONFIG_NAME).map(|()| true)?,
        (None, None) => true,
    };
    if done { Ok(()) } else { Err(SettingsError::Unstable { path: path.display().to_string() }) }
}

/// The user's own file behind all links, in a directory that is there.
fn real_own(path: &Path) -> Result<PathBuf, SettingsError> {
    file::text(path, Owner::User)?;
    let (directory, name) = below::parted(path);
    below::make_own(directory)?;
    let real = |path: &Path| sys::path::real(path).map_err(|e| FsError::new("find", path, e));
    Ok(if path.exists() { real(path)? } else { real(directory)?.join(name) })
}

fn apply(root: &mut dyn TableLike, edit: &Edit) -> Result<(), (String, String)> {
    let name = match edit {
        Edit::Set(name, _) | Edit::Unset(name) => name.as_str(),
        Edit::Add(key, _) | Edit::Remove(key, _) => key.name,
    };
    let create = matches!(edit, Edit::Set(..) | Edit::Add(..));
    let mut parts: Vec<&str> = name.split('.').collect();
    let last = parts.pop().unwrap_or(name);
    let Some(table) = descend(root, &parts, create).map_err(|part| (part, name.to_owned()))? else { return Ok(()) };
    match edit {
        Edit::Set(_, value) => {
            let mut item = item(value);
            // The old value's comment on the same line stays.
            if let (Some(old), Some(new)) = (table.get(last).and_then(Item::as_value), item.as_value_mut()) {
                *new.decor_mut() = old.decor().clone();
            }
            if let Some(place) = table.get_mut(last) {
                *place = item;
            } else {
                table.insert(last, item);
            }
        }
        Edit::Unset(_) => drop(table.remove(last)),
        Edit::Add(_, text) => {
            let place = table.entry(last).or_insert_with(|| item(&Value::List(Vec::new())));
            if let Some(array) = place.as_array_mut()
                && !array.iter().any(|known| known.as_str() == Some(text))
            {
                push(array, text);
            }
        }
        Edit::Remove(_, texts) => {
            if let Some(array) = table.get_mut(last).and_then(Item::as_array_mut) {
                let named = |item: &toml_edit::Value| item.as_str().is_some_and(|text| texts.iter().any(|t| t == text));
                for at in (0..array.len()).rev() {
                    if array.get(at).is_some_and(named) {
                        take_out(array, at);
                    }
                }
                if array.is_empty() {
                    table.remove(last);
                }
            }
        }
    }
    Ok(())
}

/// The table that contains a key; made, if wanted, as `[a.b]` without an empty `[a]`.
fn descend<'t>(
    table: &'t mut dyn TableLike,
    parts: &[&str],
    create: bool,
) -> Result<Option<&'t mut dyn TableLike>, String> {
    let Some((first, rest)) = parts.split_first() else { return Ok(Some(table)) };
    if table.get(first).is_none() {
        if !create {
            return Ok(None);
        }
        let mut new = toml_edit::Table::new();
        new.set_implicit(!rest.is_empty());
        table.insert(first, Item::Table(new));
    }
    match table.get_mut(first).and_then(Item::as_table_like_mut) {
        Some(inner) => descend(inner, rest, create),
        None => Err((*first).to_owned()),
    }
}

fn item(value: &Value) -> Item {
    match value {
        Value::Text(text) => toml_edit::value(text.as_str()),
        Value::Flag(flag) => toml_edit::value(*flag),
        Value::List(items) => toml_edit::value(items.iter().map(String::as_str).collect::<Array>()),
    }
}

fn raw(text: Option<&toml_edit::RawString>) -> String {
    text.and_then(toml_edit::RawString::as_str).unwrap_or_default().to_owned()
}

/// Adds an item in the way the list is laid out. The text behind the last item on its line stays there.
fn push(array: &mut Array, text: &str) {
    let behind = raw(Some(array.trailing()));
    if !behind.contains('\n') {
        array.push(text);
        return;
    }
    let before = array.iter().last().map(|item| raw(item.decor().prefix())).unwrap_or_default();
    let indent = before.rsplit('\n').next().filter(|indent| indent.trim().is_empty() && !indent.is_empty());
    let indent = indent.unwrap_or("  ").to_owned();
    let mut item = toml_edit::Value::from(text);
    item.decor_mut().set_prefix(format!("{}\n{indent}", behind.trim_end()));
    array.push_formatted(item);
    array.set_trailing("\n");
    array.set_trailing_comma(true);
}

/// Takes an item out with the text behind it on its line, and leaves the text behind the one before.
fn take_out(array: &mut Array, at: usize) {
    let before = array.get(at).map(|item| raw(item.decor().prefix())).unwrap_or_default();
    array.remove(at);
    match array.get_mut(at) {
        Some(next) => next.decor_mut().set_prefix(before),
        None if before.contains('\n') => {
            let kept = before.rsplit_once('\n').map_or("", |(kept, _)| kept);
            array.set_trailing(format!("{kept}\n"));
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::edit::*;

    fn edited(text: &str, edit: Edit) -> String {
        Edits(vec![edit]).edited(text, Path::new("config.toml")).unwrap()
    }

    fn set(name: &str, text: &str) -> Edit {
        Edit::Set(name.to_owned(), Value::Text(text.to_owned()))
    }

    fn add(text: &str) -> Edit {
        Edit::Add(find("repos.additional").unwrap(), text.to_owned())
    }

    fn remove(text: &str) -> Edit {
        Edit::Remove(find("repos.additional").unwrap(), vec![text.to_owned()])
    }

    #[test]
    fn tables_appear_where_they_are_missing() {
        assert_eq!(edited("", set("routing.mode", "auto")), "[routing]\nmode = \"auto\"\n");
        assert_eq!(
            edited("# head\nissue_prefix = \"x\" # why\n", set("routing.auto.contributor", "~/p")),
            "# head\nissue_prefix = \"x\" # why\n\n[routing.auto]\ncontributor = \"~/p\"\n"
        );
        assert_eq!(edited("", add("~/p")), "[repos]\nadditional = [\"~/p\"]\n");
        assert_eq!(edited("", set("jira.map.odd name", "x")), "[jira.map]\n\"odd name\" = \"x\"\n");
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# one\n[routing] # two\n# three\nmode = \"auto\"   # four\ndefault = \"x\"\n# five\n";
        assert_eq!(edited(text, set("routing.mode", "single")), text.replace("auto", "single"));
        assert_eq!(
            edited(text, Edit::Unset("routing.default".to_owned())),
            "# one\n[routing] # two\n# three\nmode = \"auto\"   # four\n# five\n"
        );
        assert_eq!(edited(text, Edit::Unset("ledger.file".to_owned())), text);
        assert_eq!(
            edited("routing = { mode = \"auto\" }\n", set("routing.default", "x")),
            "routing = { mode = \"auto\" , default = \"x\" }\n"
        );
    }

    #[test]
    fn lists_keep_their_layout() {
        let text = "[repos]\nadditional = [\n  \"~/a\",  # mine\n  \"~/b\",  # ours\n]\n";
        assert_eq!(
            edited(text, add("~/c")),
            "[repos]\nadditional = [\n  \"~/a\",  # mine\n  \"~/b\",  # ours\n  \"~/c\",\n]\n"
        );
        assert_eq!(edited(text, remove("~/b")), "[repos]\nadditional = [\n  \"~/a\",  # mine\n]\n");
        assert_eq!(edited(text, remove("~/a")), "[repos]\nadditional = [\n  \"~/b\",  # ours\n]\n");
        assert_eq!(edited(text, add("~/a")), text);
        assert_eq!(edited(text, remove("~/z")), text);
        assert_eq!(edited("[repos]\nadditional = [\"a\"]\n", add("b")), "[repos]\nadditional = [\"a\", \"b\"]\n");
        assert_eq!(edited("[repos]\nadditional = [\"a\"]\n", remove("a")), "[repos]\n");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_changed() {
        let edits = Edits(vec![set("routing.mode", "auto")]);
        assert!(edits.edited("[routing\n", Path::new("config.toml")).is_err());
        assert!(edits.edited("routing = 3\n", Path::new("config.toml")).is_err());
    }
}
