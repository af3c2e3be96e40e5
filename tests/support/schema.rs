//! The schemas that are published under `docs/schema`, and the check of every JSON answer against them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema")
}

/// The file of a schema: `dep add` is in `dep-add.json`, `count --by` in `count--by.json`.
pub fn file_name(name: &str) -> String {
    format!("{}.json", name.replace(" --", "--").replace([' ', '/'], "-"))
}

/// Every published schema, by the name of its file.
fn published() -> &'static BTreeMap<String, Value> {
    static ALL: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    ALL.get_or_init(|| {
        let files = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap());
        let read = |entry: std::fs::DirEntry| {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), serde_json::from_str(&text).unwrap())
        };
        files.map(read).collect()
    })
}

/// Checks the parts of JSON Schema that `bd` uses: type, required, properties, items.
pub fn check(schema: &Value, value: &Value, place: &str) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let wanted = schema["type"].as_str().unwrap_or_else(|| panic!("{place}: no type in {schema}"));
    assert!(kind == wanted || (kind == "integer" && wanted == "number"), "{place}: {kind}, not {wanted}: {value}");
    for key in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(key.as_str().unwrap()).is_some(), "{place}: {key} is missing in {value}");
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        value.get(key).into_iter().for_each(|part| check(inner, part, &format!("{place}.{key}")));
    }
    if let (Some(items), Some(parts)) = (schema.get("items"), value.as_array()) {
        parts.iter().enumerate().for_each(|(n, part)| check(items, part, &format!("{place}[{n}]")));
    }
}

/// Options with a value that may precede a command.
const GLOBAL: &[&str] =
    &["-C", "--directory", "--db", "--actor", "--config", "--state-dir", "--agent", "--lock-timeout"];

/// Options with which a command answers otherwise than its schema says, with the schema of that answer if it has one.
const OTHERWISE: &[(&str, &str, Option<&str>)] = &[
    ("", "--help", None),
    ("", "-h", None),
    ("", "--fields", None),
    ("", "--compact", None),
    ("add", "--file", None),
    ("add", "-f", None),
    ("add", "--dry-run", None),
    ("add", "--silent", None),
    ("config", "--list-repos", Some("repo-list.json")),
    ("dep", "--blocks", None),
    ("export", "-o", Some("export--o.json")),
    ("export", "--output", Some("export--o.json")),
    ("graph", "--all", None),
    ("leases", "--remote", None),
    ("ready", "--claim", Some("claim.json")),
    ("release", "--remote", None),
    ("version", "--check", None),
];

/// The schema of what a command line answers, if one is published.
fn schema_of(args: &[String]) -> Option<(String, &'static Value)> {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            option if GLOBAL.contains(&option) && words.is_empty() => drop(rest.next()),
            option if option.starts_with('-') => {}
            word => words.push(word),
        }
    }
    let has = |option: &str| args.iter().any(|arg| arg == option || arg.starts_with(&format!("{option}=")));
    let first = match *words.first()? {
        "create" | "new" => "add",
        "view" => "show",
        "done" => "close",
        word => word,
    };
    let otherwise =
        OTHERWISE.iter().find(|(command, option, _)| (command.is_empty() || *command == first) && has(option));
    if let Some((_, _, other)) = otherwise {
        return other.map(|name| (name.to_owned(), &published()[name]));
    }
    // Without an issue it is `bd stats`.
    if first == "status" && words.len() == 1 && !has("--all-worktrees") {
        return Some(("stats.json".to_owned(), &published()["stats.json"]));
    }
    // Without --yes it is a preview.
    if first == "delete" && (!has("--yes") && !has("-y") && !has("--force") || has("--dry-run")) {
        return None;
    }
    let with_flag = published().keys().find(|name| {
        let Some((command, flag)) = name.trim_end_matches(".json").split_once("--") else { return false };
        let is_meant = [&[first], &words[1..]].concat().join("-").starts_with(command);
        let is_given = |arg: &String| arg.strip_prefix("--").is_some_and(|given| given.split('=').next() == Some(flag));
        is_meant && (args.iter().any(is_given) || flag == "by" && args.iter().any(|arg| arg.starts_with("--by-")))
    });
    let second =
        words.get(1).map(|second| format!("{first}-{second}.json")).filter(|name| published().contains_key(name));
    let name = with_flag.cloned().or(second).unwrap_or_else(|| format!("{first}.json"));
    published().get(&name).map(|schema| (name.clone(), schema))
}

/// A schema without what an issue need not have: that is printed as its line has it, however odd.
fn as_lines_are(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let is_list = schema["items"].is_object();
    let issue = if is_list { &mut schema["items"] } else { &mut schema };
    if issue["properties"]["visibility"].is_object() {
        let required: Vec<Value> = issue["required"].as_array().unwrap().clone();
        issue["properties"].as_object_mut().unwrap().retain(|key, _| required.iter().any(|one| one == key));
    }
    schema
}

/// Checks what a command printed against the schema of its answer.
pub fn check_reply(args: &[String], stdout: &str) {
    let Some((name, schema)) = schema_of(args) else { return };
    let place = format!("bd {} ({name})", args.join(" "));
    let bare = |value: &Value| match value.get("schema_version").and(value.get("data")) {
        Some(data) => data.clone(),
        None => value.clone(),
    };
    if ["batch.json", "watch.json"].contains(&name.as_str()) {
        let lines = stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        return lines.for_each(|line| check(schema, &bare(&line), &place));
    }
    if let Ok(value) = serde_json::from_str::<Value>(stdout) {
        check(&as_lines_are(schema), &bare(&value), &place);
    }
}
