//! Issues and the edits that `bd` and other tools make to them. Every new value contains a unique word.

use super::dice::Dice;

/// A line before it is written: keys and raw values.
#[derive(Debug, Clone)]
pub struct Draft {
    members: Vec<(String, String)>,
    /// A line that keeps the layout of its file can be merged in any order.
    layout: Layout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Compact,
    Spaced,
    Escaped,
    Turned,
}

/// The kinds of edits to an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everything that has been seen in real ledgers.
    All,
    /// Edits that three sides can merge in any order: `bd`'s own without deletions; long texts are edited elsewhere.
    Orderly,
}

const LABELS: [&str; 5] = ["ui", "core", "a<b", "größe", "ui:x y"];
const TARGETS: [&str; 3] = ["p-1", "p-2", "q"];
const KINDS: [&str; 3] = ["blocks", "parent-child", "related"];
const ODD_KEYS: [&str; 4] = ["x", "größe", "metadata", "a\\nb"];

impl Draft {
    pub fn new(id: &str, dice: &mut Dice) -> Self {
        let mut draft = Draft { members: vec![("id".into(), quoted(id))], layout: Layout::Compact };
        draft.set("title", quoted(&format!("{} & <b>", dice.word())));
        if dice.percent(70) {
            let lines: Vec<String> = (0..dice.roll(9)).map(|_| dice.word()).collect();
            draft.set("description", quoted(&lines.join("\n")));
        }
        if dice.percent(40) {
            draft.set("notes", quoted(&dice.word()));
        }
        draft.set("status", quoted("open"));
        draft.set("priority", dice.roll(5).to_string());
        draft.set("created_at", quoted("2026-01-01T05:00:00Z"));
        draft.set("updated_at", quoted(&time(0)));
        for _ in 0..dice.roll(4) {
            draft.edit(dice, Scope::Orderly);
        }
        draft.set("updated_at", quoted(&time(0)));
        if dice.percent(15) {
            draft.close(dice, 0);
        }
        draft
    }

    /// The same issue after some edits, the last of them in this second.
    pub fn edited(&self, dice: &mut Dice, second: u32, scope: Scope) -> Self {
        let mut draft = self.clone();
        for _ in 0..1 + dice.roll(3) {
            draft.edit(dice, scope);
        }
        draft.state(dice, second, scope);
        draft.set("updated_at", quoted(&time(second)));
        if scope == Scope::All {
            draft.carelessly(dice, second);
        }
        draft
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, raw)| raw.as_str())
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|raw| serde_json::from_str(raw).ok())
    }

    pub fn set(&mut self, key: &str, raw: impl Into<String>) {
        let raw = raw.into();
        match self.members.iter_mut().find(|(name, _)| name == key) {
            Some((_, known)) => *known = raw,
            None => self.members.push((key.to_owned(), raw)),
        }
    }

    fn unset(&mut self, key: &str) {
        self.members.retain(|(name, _)| name != key);
    }

    fn list(&self, key: &str) -> Vec<String> {
        let items: Vec<Box<serde_json::value::RawValue>> =
            self.get(key).and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        items.iter().map(|item| item.get().to_owned()).collect()
    }

    fn set_list(&mut self, key: &str, items: &[String]) {
        match items {
            [] => self.unset(key),
            items => self.set(key, format!("[{}]", items.join(","))),
        }
    }

    fn edit(&mut self, dice: &mut Dice, scope: Scope) {
        let odd = *dice.pick(&ODD_KEYS);
        match dice.roll(11) {
            0 => self.set("title", quoted(&dice.word())),
            1 => self.set("priority", dice.roll(5).to_string()),
            2 if scope == Scope::All => self.edit_text("description", dice),
            3 if scope == Scope::All => self.append_note(dice),
            4 => self.toggle("labels", quoted(dice.pick::<&str>(&LABELS))),
            5 => {
                let (target, kind) = (dice.pick(&TARGETS), dice.pick(&KINDS));
                self.toggle("dependencies", format!(r#"{{"depends_on_id":"{target}","type":"{kind}"}}"#));
            }
            6 => self.comment(dice),
            7 => self.set(odd, format!("18446744073709551{}", 616 + dice.roll(9))),
            8 => self.set(odd, format!(r#"{{"n":1e400,"w":"{}"}}"#, dice.word())),
            9 => self.unset(odd),
            _ => self.set("external_ref", quoted(&dice.word())),
        }
    }

    /// Status, claim and deletion: groups of keys that change together.
    fn state(&mut self, dice: &mut Dice, second: u32, scope: Scope) {
        match dice.roll(8) {
            0 => self.close(dice, second),
            1 => {
                self.set("status", quoted("open"));
                ["closed_at", "close_reason", "deleted_at", "deleted_by"].into_iter().for_each(|key| self.unset(key));
            }
            2 => {
                self.set("status", quoted("in_progress"));
                self.set("assignee", quoted(&dice.word()));
                self.set("started_at", quoted(&time(second)));
            }
            3 if scope == Scope::All => {
                self.set("status", quoted("tombstone"));
                self.set("deleted_at", quoted(&time(second)));
                self.set("deleted_by", quoted(&dice.word()));
            }
            _ => {}
        }
    }

    fn close(&mut self, dice: &mut Dice, second: u32) {
        self.set("status", quoted("closed"));
        self.set("closed_at", quoted(&time(second)));
        self.set("close_reason", quoted(&dice.word()));
    }

    /// Edits by tools that know less than they should.
    fn carelessly(&mut self, dice: &mut Dice, second: u32) {
        match dice.roll(16) {
            0 => self.set("updated_at", quoted(&time(0))),
            1 => self.unset("updated_at"),
            2 => self.set("updated_at", "null"),
            3 => self.layout = Layout::Spaced,
            4 => self.layout = Layout::Escaped,
            5 => self.layout = Layout::Turned,
            6 => self.set("notes", "null"),
            7 => self.set("labels", "[]"),
            8 => self.unset("comments"),
            9 => self.unset("title"),
            10 => self.set("created_at", quoted("2026-01-01T06:00:00+01:00")),
            11 => self.set("updated_at", quoted(&local(second))),
            12 => self.set("description", r#""""#),
            _ => {}
        }
    }

    fn edit_text(&mut self, key: &str, dice: &mut Dice) {
        let text = self.text(key).unwrap_or_default();
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let at = dice.roll(lines.len());
        match dice.roll(3) {
            0 => lines[at] = dice.word(),
            1 => lines.insert(at, dice.word()),
            _ => drop(lines.remove(at)),
        }
        self.set(key, quoted(&lines.join("\n")));
    }

    /// Rewrites one line of the description, if it has so many.
    pub fn rewrite_line(&mut self, at: usize, dice: &mut Dice) {
        let text = self.text("description").unwrap_or_default();
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        if at < lines.len() {
            lines[at] = dice.word();
            self.set("description", quoted(&lines.join("\n")));
        }
    }

    pub fn append_note(&mut self, dice: &mut Dice) {
        let notes = self.text("notes").filter(|notes| !notes.is_empty());
        let word = dice.word();
        self.set("notes", quoted(&notes.map_or(word.clone(), |notes| format!("{notes}\n{word}"))));
    }

    fn toggle(&mut self, key: &str, item: String) {
        let mut items = self.list(key);
        match items.iter().position(|known| *known == item) {
            Some(at) => drop(items.remove(at)),
            None => items.push(item),
        }
        items.sort();
        self.set_list(key, &items);
    }

    fn comment(&mut self, dice: &mut Dice) {
        let (number, second) = (dice.roll(1000), dice.roll(60));
        let (word, at) = (dice.word(), time(second as u32));
        let mut items = self.list("comments");
        items.push(format!(r#"{{"id":{number},"author":"Ann","text":"{word}","created_at":"{at}"}}"#));
        self.set_list("comments", &items);
    }

    pub fn line(&self) -> String {
        let mut members = self.members.clone();
        let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
        members.sort_by_key(|(key, _)| (place(key), key.clone()));
        if self.layout == Layout::Turned {
            members.rotate_left(1);
        }
        let (colon, comma) = if self.layout == Layout::Spaced { (": ", ", ") } else { (":", ",") };
        let parts: Vec<String> = members.iter().map(|(key, raw)| format!("\"{key}\"{colon}{raw}")).collect();
        let line = format!("{{{}}}", parts.join(comma));
        if self.layout == Layout::Escaped { line.replace('<', "\\u003c").replace('é', "\\u00e9") } else { line }
    }
}

const ORDER: [&str; 21] = [
    "id",
    "title",
    "description",
    "notes",
    "status",
    "priority",
    "assignee",
    "created_at",
    "updated_at",
    "started_at",
    "closed_at",
    "close_reason",
    "external_ref",
    "metadata",
    "labels",
    "dependencies",
    "comments",
    "deleted_at",
    "deleted_by",
    "größe",
    "x",
];

/// A second of the day on which everything happens; beyond 86,400 it is the next one.
pub fn time(second: u32) -> String {
    let (day, rest) = (1 + second / 86_400, second % 86_400);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("2026-01-{day:02}T{:02}:{minute:02}:{second:02}Z", 6 + hour % 12)
}

/// The same instant an hour ahead.
fn local(second: u32) -> String {
    let utc = time(second);
    let hour: u32 = utc[11..13].parse().expect("two digits");
    format!("{}{:02}{}+01:00", &utc[..11], hour + 1, &utc[13..utc.len() - 1])
}

pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text")
}
