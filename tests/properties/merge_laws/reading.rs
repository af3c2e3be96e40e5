//! A reading of lines that shares no code with the merge: what a side says, and what may not be missing from a result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::{Verdict, ensure};

/// The author of comments that a merge adds.
pub const TELLER: &str = "bd merge";

/// Times that accompany an edit, hashes and counters: a losing value of these is not reported.
const SILENT: [&str; 13] = [
    "created_at",
    "updated_at",
    "started_at",
    "closed_at",
    "deleted_at",
    "compacted_at",
    "content_hash",
    "dependency_count",
    "dependent_count",
    "comment_count",
    "source_repo",
    "source_repo_path",
    "field_times",
];
/// Keys that win or lose together.
const GROUPS: [&[&str]; 3] = [
    &["status", "close_reason", "closed_by_session", "deleted_by", "delete_reason", "original_type"],
    &["assignee", "started_at"],
    &["visibility", "proposal"],
];
/// The status and its dates, which come from one side.
const STATE: [&str; 6] = ["status", "closed_at", "close_reason", "deleted_at", "deleted_by", "delete_reason"];
const LONG: [&str; 4] = ["description", "design", "acceptance_criteria", "notes"];

/// The keys of a line with their raw values.
#[derive(Debug, Clone)]
pub struct Reading(BTreeMap<String, Box<RawValue>>);

impl Reading {
    pub fn of(line: &str) -> Self {
        Self::try_of(line).unwrap_or_else(|| panic!("not an object: {line}"))
    }

    pub fn try_of(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok().map(Reading)
    }

    pub fn raw(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|raw| raw.get())
    }

    /// The text of a key: decoded if it is a string, raw otherwise; `None` if it is empty.
    pub fn text(&self, key: &str) -> Option<String> {
        let raw = self.raw(key)?;
        let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
        (!matches!(text.as_str(), "" | "null" | "[]" | "{}")).then_some(text)
    }

    /// The meaning of a value; absent and empty are one.
    fn meaning(&self, key: &str) -> Option<String> {
        self.text(key)?;
        self.raw(key).map(|raw| match instant(key, raw) {
            Some(instant) => instant,
            None => meaning(raw),
        })
    }

    /// All keys that say something, with their meaning.
    pub fn says(&self) -> BTreeMap<&str, Option<String>> {
        self.keys().filter(|key| self.text(key).is_some()).map(|key| (key, self.meaning(key))).collect()
    }

    pub fn list(&self, key: &str) -> Vec<String> {
        let Some(raw) = self.raw(key).filter(|_| self.text(key).is_some()) else { return Vec::new() };
        match serde_json::from_str::<Vec<Box<RawValue>>>(raw) {
            Ok(items) => items.iter().map(|item| item.get().to_owned()).collect(),
            Err(_) => vec![raw.to_owned()],
        }
    }

    fn labels(&self) -> BTreeSet<String> {
        self.list("labels").iter().map(|raw| meaning(raw)).collect()
    }

    fn edges(&self) -> BTreeSet<String> {
        let edge = |raw: &String| match Reading::try_of(raw) {
            Some(edge) if edge.text("depends_on_id").is_some() => {
                let kind = edge.text("type").unwrap_or_else(|| "blocks".into());
                format!("{} {kind}", edge.text("depends_on_id").unwrap_or_default())
            }
            _ => raw.clone(),
        };
        self.list("dependencies").iter().map(edge).collect()
    }

    /// Author and text of every comment.
    pub fn comments(&self) -> Vec<(String, String)> {
        let comment = |raw: &String| match Reading::try_of(raw) {
            Some(said) => (said.text("author").unwrap_or_default(), said.text("text").unwrap_or_default()),
            None => (String::new(), raw.clone()),
        };
        self.list("comments").iter().map(comment).collect()
    }

    /// Whether a comment of a merge tells this value of this key.
    fn is_told(&self, key: &str, value: &str) -> bool {
        let (alone, part) = (format!("{key} of the other version: {value}"), format!("{key}: {value}"));
        // A deletion is reported with everything that belongs to it.
        let with_deletion = |text: &str| {
            let rest = text.strip_prefix("status of the other version: tombstone (").and_then(|r| r.strip_suffix(')'));
            let is_part = |rest: &str| format!(", {rest}, ").contains(&format!(", {part}, "));
            rest.is_some_and(|rest| (key, value) == ("status", "tombstone") || is_part(rest))
        };
        self.comments().iter().any(|(author, text)| author == TELLER && (*text == alone || with_deletion(text)))
    }

    /// A comment of an earlier merge about a value that has won now.
    fn is_void(&self, (author, text): &(String, String)) -> bool {
        let told = text.split_once(" of the other version: ").filter(|_| author == TELLER);
        told.is_some_and(|(key, rest)| self.text(key).is_some_and(|value| rest.starts_with(&value)))
    }

    fn is(&self, other: &Reading) -> bool {
        self.0.len() == other.0.len() && self.keys().all(|key| self.raw(key) == other.raw(key))
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// A value without its layout: numbers as they are written, strings decoded, keys sorted.
fn meaning(raw: &str) -> String {
    if let Ok(text) = serde_json::from_str::<String>(raw) {
        return format!("{text:?}");
    }
    if let Ok(items) = serde_json::from_str::<Vec<Box<RawValue>>>(raw) {
        return format!("{:?}", items.iter().map(|item| meaning(item.get())).collect::<Vec<_>>());
    }
    match serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(raw) {
        Ok(members) => {
            let members = members.iter().map(|(key, value)| (key, meaning(value.get())));
            format!("{:?}", members.collect::<Vec<_>>())
        }
        Err(_) => raw.to_owned(),
    }
}

/// The one other way in which the drafts write a time: an hour ahead of UTC.
fn instant(key: &str, raw: &str) -> Option<String> {
    let text = serde_json::from_str::<String>(raw).ok().filter(|_| key.ends_with("_at"))?;
    let local = text.strip_suffix("+01:00")?;
    let hour: u32 = local.get(11..13)?.parse().ok()?;
    let hour = hour.checked_sub(1)?;
    Some(format!("{:?}", format!("{}{hour:02}{}Z", &local[..11], &local[13..])))
}

/// Nothing of either side is missing from the result, and what a side removed alone is gone.
pub fn conserves(base: Option<&Reading>, ours: &Reading, theirs: &Reading, merged: &Reading) -> Verdict {
    let nothing = Reading(BTreeMap::new());
    let before = base.unwrap_or(&nothing);
    for (side, other) in [(ours, theirs), (theirs, ours)] {
        let keys: BTreeSet<&str> = side.keys().chain(before.keys()).collect();
        for key in keys {
            match key {
                "labels" | "dependencies" => continue,
                // With the other side as it was, a side may drop comments; else they only grow.
                "comments" if side.is(before) => {}
                "comments" => {
                    let there: BTreeSet<_> = merged.comments().into_iter().collect();
                    for comment in side.comments().into_iter().filter(|comment| !merged.is_void(comment)) {
                        ensure(there.contains(&comment), || format!("comment {comment:?} is missing"))?;
                    }
                }
                key if !SILENT.contains(&key) => value_is_there(key, before, side, other, merged)?,
                _ => {}
            }
        }
    }
    for (what, set) in [("labels", Reading::labels as fn(&Reading) -> _), ("dependencies", Reading::edges)] {
        let [o, a, b] = [before, ours, theirs].map(set);
        let expected: BTreeSet<String> =
            a.union(&b).filter(|item| !o.contains(*item) || a.contains(*item) && b.contains(*item)).cloned().collect();
        let got = set(merged);
        ensure(got == expected, || format!("{what}: {got:?}, expected {expected:?}"))?;
    }
    let state = |reading: &Reading| STATE.map(|key| reading.meaning(key));
    let is_whole = [ours, theirs, before].into_iter().any(|reading| state(reading) == state(merged));
    ensure(is_whole, || format!("the status and what goes with it are from two sides: {:?}", state(merged)))
}

fn value_is_there(key: &str, before: &Reading, side: &Reading, other: &Reading, merged: &Reading) -> Verdict {
    let [then, now, theirs, got] = [before, side, other, merged].map(|reading| reading.meaning(key));
    let group = GROUPS.iter().find(|group| group.contains(&key)).copied().unwrap_or(&[]);
    let untouched = |reading: &Reading| {
        let is_same = |key: &&str| reading.meaning(key) == before.meaning(key);
        reading.meaning(key) == then && group.iter().all(is_same)
    };
    if now == then {
        let alone = untouched(side) && untouched(other);
        return ensure(!alone || got == now, || format!("{key}: nobody changed it, and it is {got:?}"));
    }
    let Some(value) = side.text(key) else {
        // Removed here: it stays away unless the other side changed it.
        let alone = untouched(other);
        return ensure(!alone || got.is_none() || is_revived(before, side, other), || {
            format!("{key}: removed, and is back: {got:?}")
        });
    };
    if got == now || merged.is_told(key, &value) {
        return Ok(());
    }
    if LONG.contains(&key) && theirs != then {
        let (was, is) = (before.text(key).unwrap_or_default(), merged.text(key).unwrap_or_default());
        let missing: Vec<&str> = value
            .split('\n')
            .filter(|line| !was.split('\n').any(|old| old == *line))
            .filter(|line| !is.split('\n').any(|new| new == *line))
            .collect();
        return ensure(missing.is_empty(), || format!("{key}: lines {missing:?} are missing"));
    }
    Err(format!("{key}: {value:?} is neither there nor told"))
}

/// A status of a deleted issue that the other side edited later.
fn is_revived(before: &Reading, side: &Reading, other: &Reading) -> bool {
    let deleted = |reading: &Reading| reading.text("status").as_deref() == Some("tombstone");
    !deleted(before) && (deleted(side) != deleted(other))
}

/// Comments added by a merge report only losses: a value that a side had, the base had not, and that did not win.
pub fn tells_only_losses(base: Option<&Reading>, ours: &Reading, theirs: &Reading, merged: &Reading) -> Verdict {
    let known: BTreeSet<_> = ours.comments().into_iter().chain(theirs.comments()).collect();
    for (author, text) in merged.comments() {
        if known.contains(&(author.clone(), text.clone())) {
            continue;
        }
        ensure(author == TELLER, || format!("a comment of nobody's: {author}: {text}"))?;
        let (key, told) =
            text.split_once(" of the other version: ").ok_or_else(|| format!("an odd comment: {text}"))?;
        ensure(merged.text(key).as_deref() != Some(told), || format!("a comment that tells what stands: {text}"))?;
        let lost = [ours, theirs].into_iter().any(|side| {
            let is_new = base.is_none_or(|base| base.meaning(key) != side.meaning(key));
            is_new && side.meaning(key).is_some() && side.text(key).is_some_and(|value| text.contains(&value))
        });
        ensure(lost, || format!("a comment that tells nothing: {text}"))?;
    }
    Ok(())
}
