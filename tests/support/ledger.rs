//! Ledgers as tests write and read them: without any of the code under test.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde_json::Value;

/// A line with what every program writes.
pub fn line(id: &str, title: &str) -> String {
    described(id, title, "")
}

/// The same with a description, so that it can be as long as that of a real issue.
pub fn described(id: &str, title: &str, description: &str) -> String {
    let description =
        if description.is_empty() { String::new() } else { format!(",\"description\":\"{description}\"") };
    format!(
        "{{\"id\":\"{id}\",\"title\":\"{title}\"{description},\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\
         \"created_at\":\"2026-01-02T09:00:00Z\",\"updated_at\":\"2026-01-02T09:00:00Z\"}}\n"
    )
}

/// What a ledger holds, read with nothing but a JSON parser.
pub struct Issues {
    lines: Vec<Value>,
}

impl Issues {
    #[track_caller]
    pub fn read(path: &Path) -> Self {
        Self::parse(&std::fs::read(path).unwrap()).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
    }

    /// Every line is an object with an id of its own, and the last one is complete.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        if !text.is_empty() && !text.ends_with('\n') {
            return Err("the last line has no end".into());
        }
        let lines: Vec<Value> = text
            .lines()
            .enumerate()
            .map(|(n, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}: {line}", n + 1)))
            .collect::<Result<_, _>>()?;
        let mut seen = HashSet::new();
        for line in &lines {
            let id = line["id"].as_str().ok_or_else(|| format!("a line without an id: {line}"))?;
            if !seen.insert(id) {
                return Err(format!("{id} stands there twice"));
            }
        }
        Ok(Issues { lines })
    }

    pub fn ids(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line["id"].as_str()).collect()
    }

    pub fn titles(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line["title"].as_str()).collect()
    }

    pub fn get(&self, id: &str) -> &Value {
        self.lines.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id} is not in the ledger"))
    }
}

/// The lines of a ledger by id; fails if it is not a whole ledger without doubles.
#[track_caller]
pub fn by_id(bytes: &[u8]) -> BTreeMap<String, Value> {
    let issues = Issues::parse(bytes).unwrap_or_else(|problem| panic!("{problem}"));
    issues.lines.into_iter().map(|line| (line["id"].as_str().unwrap_or_default().to_owned(), line)).collect()
}
