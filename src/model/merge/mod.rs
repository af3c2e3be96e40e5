//! Merges two versions of one issue, with or without their common base.
//!
//! A pure function of the three lines. A change on one side is taken; sets merge per element; comments only accumulate;
//! of two different values the later edit wins (ties are broken by bytes), and the loser is kept as a comment, so
//! nothing that anyone wrote is lost. Laws, byte for byte: the sides can be swapped; merging a result with one of its
//! sides again changes nothing; with a common base, three sides give the same line in any merge order. The last law
//! does not cover long texts, workflows and tasks that all three sides changed (unless each changed another part), a
//! deletion among three sides, and lines that were written in another layout; nothing is lost in these cases either.
//!
//! For the order not to matter, a line must record when a value was edited if that was before the line's last edit. The
//! key `field_times` does this; it counts only while its `at` equals the line's `updated_at`. The next edit keeps only
//! the time of the status, which decides between statuses; see `state`.

mod fields;
mod keep;
mod object;
mod revert;
mod sets;
mod settle;
mod side;
mod state;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::field::{Field, Kind, place_of};
use super::json::{Dialect, DialectEvidence, Json, decode_string, elements};
use super::record::Record;
use super::time::Instant;
use fields::Register;
pub use fields::{AGREED, same_text as same_value};
pub use revert::{differing, revert};
use sets::MergeComments;
pub use sets::is_own as is_merge_comment;
use settle::{Settled, settle};
pub use side::{FIELD_TIMES, set_at};
use side::{Side, Stamp};
pub use state::{edited, with_state_of};

/// A value that both sides changed differently: the winner, and the loser that was kept as a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub field: String,
    /// The raw JSON of the winning value; `None` if the key is absent.
    pub kept: Option<String>,
    /// The raw JSON of the losing value.
    pub lost: Option<String>,
}

/// The result of merging one issue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergedIssue {
    pub line: String,
    /// The keys whose change came from our side, and from theirs; a merged set or text is in both lists.
    pub ours: Vec<String>,
    pub theirs: Vec<String>,
    pub clashes: Vec<Clash>,
}

/// Merges two versions of an issue, with their common base if they have one; `None` if a line is not a record.
pub fn merge_issue(base: Option<&str>, ours: &str, theirs: &str, usual: Dialect) -> Option<MergedIssue> {
    let one = |line: &str| Some(MergedIssue { line: line.to_owned(), ..MergedIssue::default() });
    if ours == theirs || base == Some(theirs) {
        return one(ours);
    }
    if base == Some(ours) {
        return one(theirs);
    }
    let sides = (Side::parse(ours)?, Side::parse(theirs)?);
    let base = match base {
        Some(line) => Some(Side::parse(line)?),
        None => None,
    };
    Some(merge(base.as_ref(), &sides.0, &sides.1, usual))
}

/// The identity of a set's element: of a label, a dependency or a comment.
pub fn element_identity(key: &str, raw: &str) -> String {
    identity(key).unwrap_or(sets::label_identity)(raw)
}

fn identity(key: &str) -> Option<fn(&str) -> String> {
    match Field::of(key)?.row().kind {
        Kind::Labels => Some(sets::label_identity),
        Kind::Edges => Some(sets::edge_identity),
        Kind::Comments => Some(sets::comment_identity),
        _ => None,
    }
}

/// The comment that keeps a displaced value.
pub fn kept(id: &str, key: &str, raw: &str, at: Instant, dialect: Dialect) -> String {
    let value = decode_string(raw).map_or(raw.to_owned(), Cow::into_owned);
    keep::comment(id, &keep::text(key, &value), &at.to_string(), dialect)
}

/// Whether a merge gave up a side's change of a field since the common version. Derived times and counters do not count as loss,
/// and a set can only lose elements.
pub fn is_given_up(key: &str, side: Option<&str>, common: Option<&str>, result: Option<&str>) -> bool {
    if fields::is_silent(key) || fields::same(key, side, common) || fields::same(key, side, result) {
        return false;
    }
    let Some(identity) = identity(key) else { return true };
    let names = |raw: Option<&str>| -> BTreeSet<String> {
        let raw = raw.filter(|_| !fields::is_empty(raw)).unwrap_or("[]");
        match elements(raw) {
            Ok(spans) => spans.into_iter().map(|span| identity(&raw[span])).collect(),
            Err(_) => BTreeSet::from([identity(raw)]),
        }
    };
    let [side, common, result] = [side, common, result].map(names);
    let mut came = side.difference(&common);
    let mut went = common.difference(&side);
    came.any(|one| !result.contains(one)) || went.any(|one| result.contains(one))
}

/// Whether two lines mean the same issue, in any layout.
pub fn means_same(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (Record::parse(one), Record::parse(other)) else { return one == other };
    let covers = |a: &Record<'_>, b: &Record<'_>| a.iter().all(|(key, raw)| fields::same(&key, Some(raw), b.raw(&key)));
    covers(&one, &other) && covers(&other, &one)
}

/// Whether a merge joined two issues in this line that only shared an id: they were created at different times.
pub fn was_joined(line: &str) -> bool {
    let text = keep::text(fields::CREATED, "");
    let Some(record) = line.contains(&text).then(|| Record::parse(line).ok()).flatten() else { return false };
    record.elements("comments").into_iter().any(|raw| {
        let found = Record::parse_part(raw).ok().and_then(|comment| comment.string("text").map(Cow::into_owned));
        sets::is_own(raw) && found.is_some_and(|found| found.starts_with(&text))
    })
}

/// When the issue was closed, if a merge reopened it although the close was later than its status. Versions that
/// compare the times of whole lines did this; the comment that keeps the lost value shows it.
pub fn lost_close(line: &str) -> Option<Instant> {
    let text = keep::text(Field::Status.key(), "closed");
    let record = line.contains(&text).then(|| Record::parse(line).ok()).flatten()?;
    let is_it = |comment: &Record<'_>| comment.string("text").as_deref() == Some(text.as_str());
    let merge_comments = record.elements("comments").into_iter().filter(|raw| sets::is_own(raw));
    let closed = merge_comments.filter_map(|raw| Record::parse_part(raw).ok()).filter(is_it);
    let closed = closed.filter_map(|comment| Instant::parse(&comment.string("created_at")?)).max()?;
    (set_at(&record).at < Some(closed)).then_some(closed)
}

/// Joins two copies of an issue that have no common ancestor; `None` if a line is not a record.
pub fn join_copies(one: &str, other: &str, dialect: Dialect) -> Option<String> {
    merge_issue(None, one, other, dialect).map(|merged| merged.line)
}

fn merge(base: Option<&Side<'_>>, ours: &Side<'_>, theirs: &Side<'_>, usual: Dialect) -> MergedIssue {
    let usual_line = base.unwrap_or_else(|| if keeps_layout(ours, theirs) { ours } else { theirs });
    let dialect = DialectEvidence::of(usual_line.record.text()).or(usual);
    let registers = fields::registers(&[base, Some(ours), Some(theirs)]);
    let mut settled: Vec<(Register<'_>, Settled)> = registers
        .into_iter()
        .map(|register| {
            let outcome = settle(&register, base, ours, theirs, dialect);
            (register, outcome)
        })
        .collect();
    settle::deletion(&mut settled, base, ours, theirs);
    settle::objects(&mut settled, base, ours, theirs, dialect);
    let apart = settle::are_apart(base, ours, theirs);
    if apart {
        settle::creation(&mut settled, ours, theirs);
    }

    let mut merged = MergedIssue::default();
    let mut kept = MergeComments::default();
    let id = ours.record.string("id").unwrap_or_default();
    for (register, outcome) in &settled {
        // Without a base, a value that both sides have does not count as changed.
        let is_reported = fields::is_kept(register.name(), apart) && (base.is_some() || !register.agrees(ours, theirs));
        merged.ours.extend((is_reported && outcome.from_ours).then(|| register.name().to_owned()));
        merged.theirs.extend((is_reported && outcome.from_theirs).then(|| register.name().to_owned()));
        kept.outdated.extend(keep::comments(&id, register, &outcome.as_lost(), (base, apart), dialect));
        if let Some(lost) = &outcome.lost {
            kept.lost.extend(keep::comments(&id, register, lost, (base, apart), dialect));
            merged.clashes.extend(register.shown(lost, outcome, apart).map(|key| Clash {
                field: register.keys[key].clone().into_owned(),
                kept: outcome.values[key].clone(),
                lost: lost.values[key].clone(),
            }));
        }
    }
    let mut values: BTreeMap<Cow<'_, str>, Option<String>> = BTreeMap::new();
    for (register, outcome) in &settled {
        values.extend(register.keys.iter().cloned().zip(outcome.values.iter().cloned()));
    }
    values.insert(Cow::Borrowed("comments"), sets::comments(base, ours, theirs, &kept, dialect));
    values.insert(Cow::Borrowed(FIELD_TIMES), None);
    let line = written(usual_line, &values, dialect);
    values.insert(Cow::Borrowed(FIELD_TIMES), field_times(&settled, &line, base, dialect));
    merged.line = written(usual_line, &values, dialect);
    // A side that already has every merged value keeps its layout: always without a base, else if both differ from it
    // in nothing else.
    if base.is_none_or(|base| base.record.text() == merged.line) {
        let complete = |side: &&&Side<'_>| base.is_some() || written(side, &values, dialect) == side.record.text();
        let own = [ours, theirs].iter().filter(complete).map(|side| side.record.text()).max();
        merged.line = own.map_or(merged.line, str::to_owned);
    }
    merged
}

/// Of two copies without an ancestor, whether the layout of `one` is kept.
fn keeps_layout(one: &Side<'_>, other: &Side<'_>) -> bool {
    (one.updated(), one.record.text()) >= (other.updated(), other.record.text())
}

/// When values older than the line were edited, and when its status was set; `None` if the line itself shows it.
/// Without a base only the status has a time.
fn field_times(
    settled: &[(Register<'_>, Settled)],
    line: &str,
    base: Option<&Side<'_>>,
    dialect: Dialect,
) -> Option<String> {
    let has_base = base.is_some();
    let record = Record::parse(line).ok()?;
    let (_, updated) = settled.iter().find(|(register, _)| register.name() == "updated_at")?;
    let at = updated.values.first()?.clone()?;
    let latest: &Stamp = &updated.stamp;
    let mut times = vec![("at".to_owned(), Json::Raw(at))];
    for (register, outcome) in settled {
        let earlier = outcome.changed && outcome.stamp.at.is_some() && outcome.stamp.at != latest.at;
        let was_empty = || fields::is_empty(base.and_then(|base| base.record.raw(register.name())));
        let is_noted = match register.name() {
            "updated_at" => false,
            // The date that follows it changed, and there is and was no assignee.
            "assignee" if fields::is_empty(outcome.values[0].as_deref()) && was_empty() => false,
            "status" if has_base => state::wants_note(&record, &outcome.stamp),
            "status" => outcome.stamp.at.is_some() && side::dated(&record).at != outcome.stamp.at,
            _ => has_base && earlier,
        };
        if is_noted {
            times.push((register.name().to_owned(), Json::Text(outcome.stamp.text.clone())));
        }
    }
    times[1..].sort_by(|a, b| a.0.cmp(&b.0));
    (times.len() > 1).then(|| dialect.render(&Json::Object(times)))
}

/// The skeleton's line with these values; missing keys are added in a fixed order, so that the merge order leaves no
/// trace.
fn written(skeleton: &Side<'_>, values: &BTreeMap<Cow<'_, str>, Option<String>>, dialect: Dialect) -> String {
    let mut order: Vec<_> = values.iter().collect();
    order.sort_by_key(|(key, _)| (place_of(key), key.as_ref().to_owned()));
    let mut line = skeleton.record.text().to_owned();
    let mut rest = order.as_slice();
    loop {
        let record = Record::parse(&line).expect("an edited record stays a valid object");
        let Some(next) = rest.iter().position(|(key, value)| record.raw(key) != value.as_deref()) else { break };
        let (key, value) = rest[next];
        line = record.with_key(key, value.as_deref(), dialect);
        rest = &rest[next + 1..];
    }
    line
}

#[cfg(test)]
mod tests;
