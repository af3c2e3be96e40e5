//! One config file, or one line of the environment, as checked entries.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::keys::{self, Key, Kind};
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::model::{duration, id, size};
use crate::store::error::{ConfigError, ConfigFault, UnknownKey};
use crate::sys::fs::FsError;
use crate::sys::{below, path};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Flag(bool),
    List(Vec<String>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::List(items) => f.write_str(&items.join(", ")),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub key: &'static Key,
    pub value: Value,
    /// From 1; 0 where there is no file.
    pub line: usize,
}

/// What another tool keeps in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    pub name: String,
    /// A text as it is meant, anything else as it is written.
    pub value: String,
    /// From 1.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Parsed {
    pub entries: Vec<Entry>,
    pub foreign: Vec<Foreign>,
    pub unknown: Vec<UnknownKey>,
}

/// No user needs more, and a config is read at every start.
const MAX_CONFIG: u64 = 1 << 20;

/// Who put a config file where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The user, in the directory for settings: a link is the user's own business and is followed.
    User,
    /// A repository, which may come from strangers: no link is followed.
    Repository,
}

/// Reads a file; one that is not there says nothing.
pub(super) fn read(path: &Path, owner: Owner) -> Result<Parsed, ConfigError> {
    match text(path, owner)? {
        Some(text) => parse(&text, path),
        None => Ok(Parsed::default()),
    }
}

/// The text of a config file, if it is there. A link that leads nowhere is not an absent file: the settings are somewhere, and
/// their content is unknown.
pub(super) fn text(path: &Path, owner: Owner) -> Result<Option<String>, ConfigError> {
    let error = |message: String| ConfigError::whole(path, message, ConfigFault::Broken);
    let (directory, name) = below::parted(path);
    let found = match owner {
        _ if path::is_missing(path) && !directory.is_symlink() => {
            Err(FsError::new("open", path, std::io::ErrorKind::NotFound))
        }
        Owner::User => below::read_own(path, MAX_CONFIG),
        Owner::Repository => below::read(directory, name, MAX_CONFIG),
    };
    // Where there is no directory, there are no settings.
    let no_place = |e: &FsError| e.source.kind() == std::io::ErrorKind::NotADirectory;
    match found {
        Ok(contents) => match String::from_utf8(contents.bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(error("is not UTF-8".into())),
        },
        Err(e) if e.is_missing() || no_place(&e) => {
            // Below what is not there is nothing.
            let above: Vec<&Path> = path.ancestors().take(3).collect();
            match above.into_iter().rev().find(|path| !path.exists()).filter(|path| path.is_symlink()) {
                Some(link) => Err(error(format!("cannot be read: {} is a link that leads nowhere", link.display()))),
                None => Ok(None),
            }
        }
        Err(e) => Err(error(format!("cannot be read: {}", e.source))),
    }
}

pub(super) fn parse(text: &str, path: &Path) -> Result<Parsed, ConfigError> {
    let error = |at: usize, message: String| {
        let (line, column) = place(text, at);
        ConfigError { path: path.to_owned(), line, column, message, fault: ConfigFault::Broken }
    };
    let table = DeTable::parse(text)
        .map_err(|e| error(e.span().map_or(0, |span| span.start), e.message().trim().replace('\n', ", ")))?;
    let mut parsed = Parsed::default();
    let mut work = vec![(String::new(), table.get_ref())];
    while let Some((above, table)) = work.pop() {
        for (name, value) in table {
            let name_text = format!("{above}{}", name.get_ref());
            let at = name.span().start;
            match (keys::find(&name_text), value.get_ref()) {
                (Some(key), value_text) => {
                    let found = typed(key, value_text).map_err(|message| error(value.span().start, message))?;
                    parsed.entries.push(Entry { key, value: found, line: place(text, at).0 });
                }
                (None, DeValue::Table(inner)) if is_table(&name_text) => work.push((format!("{name_text}."), inner)),
                (None, found) if keys::is_foreign(&name_text) => {
                    let value = match found {
                        DeValue::String(text) => text.to_string(),
                        _ => text[value.span()].to_owned(),
                    };
                    parsed.foreign.push(Foreign { name: name_text, value, line: place(text, at).0 });
                }
                (None, _) => parsed.unknown.push(UnknownKey {
                    path: path.to_owned(),
                    line: place(text, at).0,
                    nearest: keys::nearest(&name_text),
                    name: name_text,
                }),
            }
        }
    }
    parsed.entries.sort_by_key(|entry| entry.line);
    parsed.foreign.sort_by_key(|entry| entry.line);
    parsed.unknown.sort_by_key(|unknown| unknown.line);
    Ok(parsed)
}

/// Some key is in this table, ours or that of another tool.
fn is_table(name: &str) -> bool {
    let is_ours = keys::KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
    is_ours || keys::is_foreign(&format!("{name}.x"))
}

fn typed(key: &Key, value: &DeValue<'_>) -> Result<Value, String> {
    let wrong = |wanted: &str| Err(format!("{} must be {wanted}, not {}", key.name, value.type_str()));
    match (key.kind, value) {
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Flag, _) => wrong("true or false"),
        (Kind::Texts | Kind::Paths, DeValue::Array(items)) => {
            let mut texts = Vec::new();
            for item in items.iter() {
                match item.get_ref() {
                    DeValue::String(text) => texts.push(text.to_string()),
                    other => {
                        return Err(format!("{} must be a list of texts; {} is in it", key.name, other.type_str()));
                    }
                }
            }
            check(key, Value::List(texts))
        }
        (Kind::Texts | Kind::Paths, _) => wrong("a list of texts"),
        (Kind::Size | Kind::Number, DeValue::Integer(number)) => check(key, Value::Text(number.to_string())),
        (_, DeValue::String(text)) => check(key, Value::Text(text.to_string())),
        _ => wrong("a text"),
    }
}

/// A value from words on the command line; a list takes several.
pub fn typed_value(key: &'static Key, words: &[String]) -> Result<Value, String> {
    match words {
        [word] if !key.kind.is_list() => typed_text(key, word),
        _ if key.kind.is_list() => check(key, Value::List(words.to_vec())),
        _ => Err(format!("{} takes one value", key.name)),
    }
}

/// A value as typed on the command line or set in the environment. Lists are separated by colons (paths) or commas.
pub(super) fn typed_text(key: &'static Key, text: &str) -> Result<Value, String> {
    let split = |by: char| text.split(by).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let value = match key.kind {
        Kind::Flag => match text {
            "true" | "1" | "yes" | "on" => Value::Flag(true),
            "false" | "0" | "no" | "off" => Value::Flag(false),
            _ => return Err(format!("{} must be true or false, not {text:?}", key.name)),
        },
        Kind::Texts => Value::List(split(',')),
        Kind::Paths => Value::List(split(':')),
        _ => Value::Text(text.to_owned()),
    };
    check(key, value)
}

/// What the type alone does not say.
pub(super) fn check(key: &Key, value: Value) -> Result<Value, String> {
    let texts: &[String] = match &value {
        Value::Text(text) => std::slice::from_ref(text),
        Value::List(items) => items,
        Value::Flag(_) => &[],
    };
    for text in texts {
        if key.kind.is_path() && (text.trim().is_empty() || text.contains(['\0', '\r', '\n'])) {
            return Err(format!("{} must be a path, not {text:?}", key.name));
        }
        match (key.kind, key.name) {
            (Kind::OneOf(words), _) if !words.contains(&text.as_str()) => {
                return Err(format!("{} must be one of {}, not {text:?}", key.name, words.join(" ")));
            }
            (Kind::Size, _) if size::parse(text).is_none() => {
                return Err(format!("{} must be a size such as 25k or 1M, not {text:?}", key.name));
            }
            (Kind::Age, _) if !is_age(text) => {
                return Err(format!("{} must be a length of time such as 30d, or off, not {text:?}", key.name));
            }
            (Kind::Duration, _) if duration::parse(text).is_none() => {
                return Err(format!("{} must be a length of time such as 30m or 2h, not {text:?}", key.name));
            }
            (Kind::Number, _) if text.parse::<u32>().is_err() => {
                return Err(format!("{} must be a number, not {text:?}", key.name));
            }
            (_, "status.custom" | "types.custom") => {
                custom_words(text)
                    .map_err(|word| format!("{}: {word:?} is not a lower-case word", key.name))
                    .map(drop)?;
            }
            (_, "issue_prefix") => id::check_prefix(text).map_err(|error| format!("issue_prefix: {error}"))?,
            // A committed config is data from strangers: it may only name a file beside it.
            (_, "ledger.file") if !is_ledger_name(text) => {
                return Err(format!("ledger.file must be the name of a .jsonl file in .beads, not {text:?}"));
            }
            _ => {}
        }
    }
    Ok(value)
}

/// The words of a list such as `review:active,parked`; the part after a colon is not used here. An error is the word that is not
/// one.
pub(super) fn custom_words(text: &str) -> Result<Vec<String>, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let is_word =
        |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase()) && word.len() <= 50 && word.chars().all(plain);
    let words = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let words = words.map(|part| part.split_once(':').map_or(part, |(word, _)| word).to_owned());
    words.map(|word| if is_word(&word) { Ok(word) } else { Err(word) }).collect()
}

fn is_age(text: &str) -> bool {
    text == "off" || Calendar::utc(Instant::default()).back(text).is_some()
}

pub fn is_ledger_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']) && name.ends_with(".jsonl")
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.char_indices().take_while(|(n, _)| *n < at);
    before.fold((1, 1), |(line, column), (_, c)| if c == '\n' { (line + 1, 1) } else { (line, column + 1) })
}

#[cfg(test)]
mod tests {
    use super::super::file::*;

    fn parsed(text: &str) -> Result<Parsed, ConfigError> {
        parse(text, Path::new("config.toml"))
    }

    fn values(text: &str) -> Vec<(&'static str, String, usize)> {
        parsed(text).unwrap().entries.into_iter().map(|e| (e.key.name, e.value.to_string(), e.line)).collect()
    }

    #[test]
    fn entries_have_names_values_and_lines() {
        let text = "issue_prefix = \"x\"\n\n[repos]\nadditional = [\"~/a\", \"b\"]\n[routing]\nmode = \"auto\"\nauto.contributor = \"~/a\"\n[ready]\nunknown_blocks = true\n";
        let expected = [
            ("issue_prefix", "x".to_owned(), 1),
            ("repos.additional", "~/a, b".to_owned(), 4),
            ("routing.mode", "auto".to_owned(), 6),
            ("routing.auto.contributor", "~/a".to_owned(), 7),
            ("ready.unknown_blocks", "true".to_owned(), 9),
        ];
        assert_eq!(values(text), expected);
        assert_eq!(values(""), []);
    }

    #[test]
    fn unknown_keys_are_kept_apart_with_a_suggestion() {
        let found = parsed("zebra = 2\n[repos]\naditional = []\n[routing.zebra]\nx = 1\n").unwrap();
        assert!(found.entries.is_empty() && found.foreign.is_empty());
        let names: Vec<_> = found.unknown.iter().map(|u| (u.name.as_str(), u.line, u.nearest.as_deref())).collect();
        let expected =
            [("zebra", 1, None), ("repos.aditional", 3, Some("repos.additional")), ("routing.zebra", 4, None)];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_other_tools_keep_is_read() {
        let found = parsed("[jira]\nurl = \"https://x\"\nretries = 3\n[jira.map]\nbugs = [\"a\"]\n").unwrap();
        assert!(found.entries.is_empty() && found.unknown.is_empty());
        let all: Vec<_> = found.foreign.iter().map(|one| (one.name.as_str(), one.value.as_str(), one.line)).collect();
        assert_eq!(all, [("jira.url", "https://x", 2), ("jira.retries", "3", 3), ("jira.map.bugs", "[\"a\"]", 5)]);
    }

    #[test]
    fn words_of_a_project() {
        let words = |text: &str| custom_words(text).map(|words| words.join(" "));
        assert_eq!(words("review:active, parked,"), Ok("review parked".to_owned()));
        assert_eq!(words(""), Ok(String::new()));
        assert_eq!(words("fine,Not fine"), Err("Not fine".to_owned()));
        assert_eq!(words("9x"), Err("9x".to_owned()));
    }

    #[test]
    fn refusals_name_line_and_column() {
        for (bad, line, column, part) in [
            ("= 1", 1, 1, "key"),
            ("a = [1,\n2\nb = 3", 3, 1, ""),
            ("issue_prefix = 3", 1, 16, "must be a text, not integer"),
            ("\nissue_prefix = \"A b\"", 2, 16, "issue_prefix"),
            ("[ledger]\nfile = \"../x.jsonl\"", 2, 8, "in .beads"),
            ("[ledger]\nfile = \"x\"", 2, 8, "in .beads"),
            ("[ready]\nunknown_blocks = 1", 2, 18, "true or false"),
            ("[routing]\nmode = \"both\"", 2, 8, "single auto explicit"),
            ("[repos]\nadditional = \"x\"", 2, 14, "a list"),
            ("[repos]\nadditional = [1]", 2, 14, "list of texts"),
            ("[repos]\nadditional = [\"\"]", 2, 14, "a path"),
            ("[prune]\nbudget = \"-1\"", 2, 10, "prune.budget must be a size"),
            ("[prune]\nbudget = -1", 2, 10, "prune.budget must be a size"),
            ("[prune]\nbudget = true", 2, 10, "prune.budget must be a text"),
            ("[prune]\nauto = \"soon\"", 2, 8, "prune.auto must be a length of time"),
            ("[prune]\nauto = \"2026-01-01\"", 2, 8, "prune.auto must be a length of time"),
            ("[prune]\nauto = 30", 2, 8, "prune.auto must be a text"),
        ] {
            let error = parsed(bad).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{bad}: {error}");
            assert!(error.message.contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn typed_values() {
        let typed = |name, text| typed_text(keys::find(name).unwrap(), text);
        assert_eq!(typed("commit.planning", "no"), Ok(Value::Flag(false)));
        assert_eq!(typed("repos.additional", "~/a:/b"), Ok(Value::List(vec!["~/a".into(), "/b".into()])));
        assert!(typed("commit.planning", "perhaps").is_err());
        for (name, text) in [("prune.auto", "30d"), ("prune.auto", "off"), ("prune.budget", "1M")] {
            assert_eq!(typed(name, text), Ok(Value::Text(text.into())));
        }
        assert_eq!(values("[prune]\nbudget = 30000\n"), [("prune.budget", "30000".to_owned(), 2)]);
        assert!(typed("routing.role", "king").is_err());
    }
}
