//! Decides which value of a register wins.
//!
//! Every register is totally ordered with the base at the bottom: unchanged, then the same meaning in other bytes, then
//! changed. The greater side wins. This is the only reason why the merge order does not matter.

use std::cmp::Reverse;

use super::fields::{CREATED, Register, is_empty, is_kept, is_silent, same};
use super::sets::{self, edge_identity};
use super::side::{Side, Stamp};
use super::{object, text};
use crate::model::field::Merge;
use crate::model::issue::{Status, status_of};
use crate::model::json::{Dialect, decode_string};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::workflow::State;

/// The winning value, its origin, and the loser.
#[derive(Debug)]
pub(super) struct Settled {
    pub values: Vec<Option<String>>,
    pub stamp: Stamp,
    /// A side changed the meaning of the base's value.
    pub changed: bool,
    pub from_ours: bool,
    pub from_theirs: bool,
    pub lost: Option<Lost>,
}

impl Settled {
    /// The winning value as if it had lost.
    pub(super) fn as_lost(&self) -> Lost {
        Lost { values: self.values.clone(), stamp: self.stamp.clone() }
    }

    /// An empty value on one side, of a key that neither the other side nor the base has, does not influence the
    /// choice, and stays.
    fn with_empties(
        mut self,
        register: &Register<'_>,
        base: Option<&Side<'_>>,
        ours: &Side<'_>,
        theirs: &Side<'_>,
    ) -> Self {
        for (key, value) in register.keys.iter().zip(&mut self.values) {
            let is_nothing = value.as_deref().is_none_or(|raw| raw == "null");
            if is_nothing && base.is_none_or(|base| base.record.raw(key).is_none()) {
                let values = [ours, theirs].map(|side| side.record.raw(key).filter(|raw| is_empty(Some(raw))));
                *value = values.into_iter().flatten().max_by_key(|raw| (*raw != "null", *raw)).map(str::to_owned);
            }
        }
        self
    }
}

/// A displaced value.
#[derive(Debug)]
pub(super) struct Lost {
    pub values: Vec<Option<String>>,
    pub stamp: Stamp,
}

impl Register<'_> {
    /// The key under which a clash is reported: the first one that differs and has a value.
    pub(super) fn shown(&self, lost: &Lost, kept: &Settled, apart: bool) -> Option<usize> {
        let differs = |n: &usize| !same(&self.keys[*n], lost.values[*n].as_deref(), kept.values[*n].as_deref());
        (0..self.keys.len()).filter(|n| is_kept(&self.keys[*n], apart)).find(differs)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Unchanged,
    Rewritten,
    /// Only a time that every edit sets differs; it must not win over a real change.
    Dated,
    Changed,
}

/// One side's value with everything that decides, in order of precedence.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Weight<'a> {
    rank: Rank,
    class: Class,
    stamp: Stamp,
    /// Breaks a tie of two states: finished work wins.
    is_done: bool,
    values: Vec<Option<&'a str>>,
}

/// What decides before the time of the edit.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Ordinary,
    /// First come, first served: the older creation, and the earlier of two claims.
    Assigned,
    Earliest(Reverse<Instant>),
}

fn weigh<'a>(register: &Register<'_>, base: Option<&Side<'_>>, side: &Side<'a>) -> Weight<'a> {
    let values = register.values(side);
    let before = base.map(|base| register.values(base)).unwrap_or_else(|| vec![None; values.len()]);
    let pairs = || register.keys.iter().zip(values.iter().zip(&before));
    // Without a base, every present value was added.
    let is_same = |key: &str, now: Option<&str>, then: Option<&str>| match base {
        Some(_) => same(key, now, then),
        None => is_empty(now),
    };
    let rank = if base.is_some() && pairs().all(|(_, (now, then))| now == then) {
        Rank::Unchanged
    } else if pairs().all(|(key, (now, then))| is_same(key, *now, *then)) {
        Rank::Rewritten
    } else if pairs().all(|(key, (now, then))| is_silent(key) || is_same(key, *now, *then)) {
        Rank::Dated
    } else {
        Rank::Changed
    };
    let is_state = register.name() == "status";
    // The same status, set again since: closed again after a reopen, or open again after a close.
    let is_renewed = is_state && base.is_some_and(|base| base.state().at < side.state().at);
    let rank = if is_renewed { Rank::Changed } else { rank };
    let time = |raw: Option<&str>| raw.and_then(decode_string).and_then(|text| Instant::parse(&text));
    // The time of the last edit is the later side's, whatever the base has; an unreadable one counts as absent.
    let rank = match (register.name(), time(values[0])) {
        ("updated_at", Some(_)) => Rank::Rewritten,
        ("updated_at", None) => Rank::Unchanged,
        _ => rank,
    };
    let class = match register.name() {
        CREATED => time(values[0]).map_or(Class::Ordinary, |at| Class::Earliest(Reverse(at))),
        "assignee" if !is_empty(values[0]) => {
            time(values[1]).map_or(Class::Assigned, |at| Class::Earliest(Reverse(at)))
        }
        _ => Class::Ordinary,
    };
    // The state of a workflow belongs to its status.
    let stamp = if is_state || register.name() == "workflow" { side.state() } else { side.stamp(register.name()) };
    let is_done = is_state && status_of(&side.record).is_done();
    Weight { rank, class, stamp: stamp.clone(), is_done, values }
}

pub(super) fn settle(
    register: &Register<'_>,
    base: Option<&Side<'_>>,
    ours: &Side<'_>,
    theirs: &Side<'_>,
    dialect: Dialect,
) -> Settled {
    let (a, b) = (weigh(register, base, ours), weigh(register, base, theirs));
    let changed = |weight: &Weight<'_>| weight.rank == Rank::Changed;
    if !(changed(&a) && changed(&b)) || a.values == b.values {
        return winner(a, b, false).with_empties(register, base, ours, theirs);
    }
    let known = base.and_then(|base| base.record.raw(register.name()));
    let both = |value: Option<String>| Settled {
        values: vec![value],
        stamp: a.stamp.clone().max(b.stamp.clone()),
        changed: true,
        from_ours: true,
        from_theirs: true,
        lost: None,
    };
    match register.merge {
        Merge::Labels => both(sets::labels(known, a.values[0], b.values[0], dialect)),
        Merge::Edges => both(sets::merge(known, a.values[0], b.values[0], dialect, edge_identity)),
        Merge::Long => {
            let texts = a.values[0].and_then(decode_string).zip(b.values[0].and_then(decode_string));
            let before = known.and_then(decode_string).unwrap_or_default();
            let merged = texts.and_then(|(one, other)| {
                let ours_first = (&a.stamp, &one) <= (&b.stamp, &other);
                let sides = if ours_first { (&*one, &*other) } else { (&*other, &*one) };
                let merged = text::merge(&before, sides.0, sides.1, register.name() == "notes")?;
                // A side that has all values keeps its spelling.
                let own = [(&one, a.values[0]), (&other, b.values[0])].into_iter().filter(|(text, _)| **text == merged);
                Some(own.filter_map(|(_, raw)| raw).max().map_or_else(|| dialect.string(&merged), str::to_owned))
            });
            match merged {
                Some(raw) => both(Some(raw)),
                None => winner(a, b, true),
            }
        }
        Merge::Object => {
            let sides = known.zip(a.values[0]).zip(b.values[0]);
            let join = |((before, one), other)| object::join(before, (one, &a.stamp), (other, &b.stamp), None, dialect);
            match sides.and_then(join) {
                Some(joined) => {
                    let lost = joined.lost.map(|part| {
                        let stamp = if part.of_one { &a.stamp } else { &b.stamp };
                        Lost { values: vec![Some(part.text)], stamp: stamp.clone() }
                    });
                    Settled { lost, ..both(Some(joined.text)) }
                }
                None => winner(a, b, true),
            }
        }
        Merge::Plain | Merge::With(_) | Merge::Apart => {
            let keys = register.keys.iter();
            let agree = keys.zip(a.values.iter().zip(&b.values)).all(|(key, (one, other))| same(key, *one, *other));
            winner(a, b, !agree).with_empties(register, base, ours, theirs)
        }
    }
}

/// The heavier side wins; in a clash the other one is lost.
fn winner(a: Weight<'_>, b: Weight<'_>, clash: bool) -> Settled {
    let owned = |values: &[Option<&str>]| values.iter().map(|value| value.map(str::to_owned)).collect::<Vec<_>>();
    let (is_changed, equal) = (a.rank.max(b.rank) >= Rank::Dated, a.values == b.values);
    let from = |weight: &Weight<'_>| weight.rank == Rank::Changed;
    let ours = a > b;
    let (from_ours, from_theirs) = if equal { (from(&a), from(&b)) } else { (from(&a) && ours, from(&b) && !ours) };
    let (winner, loser) = if ours { (a, b) } else { (b, a) };
    // The same change on both sides was last made by the later one.
    let stamp =
        if equal && loser.rank >= Rank::Dated { winner.stamp.clone().max(loser.stamp.clone()) } else { winner.stamp };
    let lost = clash.then(|| Lost { values: owned(&loser.values), stamp: loser.stamp });
    Settled { values: owned(&winner.values), stamp, changed: is_changed, from_ours, from_theirs, lost }
}

/// One side deleted the issue and the other edited it: the later one wins.
pub(super) fn deletion(
    settled: &mut [(Register<'_>, Settled)],
    base: Option<&Side<'_>>,
    ours: &Side<'_>,
    theirs: &Side<'_>,
) {
    let is_deleted = |side: &Side<'_>| side.record.string("status").as_deref() == Some("tombstone");
    let (deleted, alive) = match (is_deleted(ours), is_deleted(theirs)) {
        (true, false) => (ours, theirs),
        (false, true) => (theirs, ours),
        _ => return,
    };
    if base.is_some_and(is_deleted) {
        return;
    }
    let counts = |register: &Register<'_>| register.name() != "status" && !is_silent(register.name());
    let edits = settled.iter().filter(|(register, outcome)| outcome.changed && counts(register));
    let commented = sets::adds_comments(base, alive, deleted);
    let last_edit = edits.map(|(_, outcome)| &outcome.stamp).chain(commented).max().cloned();
    let deletion = deleted.stamp("status").clone();
    if last_edit.is_none_or(|edit| edit.at <= deletion.at) {
        return;
    }
    let Some((register, outcome)) = settled.iter_mut().find(|(register, _)| register.name() == "status") else {
        return;
    };
    let owned = |side: &Side<'_>| -> Vec<Option<String>> {
        register.values(side).into_iter().map(|value| value.map(str::to_owned)).collect()
    };
    let is_ours = std::ptr::eq(alive, ours);
    let rank = weigh(register, base, alive).rank;
    let is_changed = rank == Rank::Changed;
    *outcome = Settled {
        values: owned(alive),
        stamp: alive.state().clone(),
        changed: rank >= Rank::Dated,
        from_ours: is_changed && is_ours,
        from_theirs: is_changed && !is_ours,
        lost: Some(Lost { values: owned(deleted), stamp: deletion }),
    };
}

/// Whether two sides without a common version are two issues that only share an id: they have different titles and
/// creation times.
pub(super) fn are_apart(base: Option<&Side<'_>>, ours: &Side<'_>, theirs: &Side<'_>) -> bool {
    let differs = |key: &str| {
        let [one, other] = [ours, theirs].map(|side| side.record.raw(key).filter(|raw| !is_empty(Some(raw))));
        one.is_some() && other.is_some() && !same(key, one, other)
    };
    base.is_none() && differs("title") && differs(CREATED)
}

/// Keeps the creation time of the other of two issues.
pub(super) fn creation(settled: &mut [(Register<'_>, Settled)], ours: &Side<'_>, theirs: &Side<'_>) {
    for (_, outcome) in settled.iter_mut().filter(|(register, _)| register.name() == CREATED) {
        let is_ours = ours.record.raw(CREATED) == outcome.values[0].as_deref();
        let loser = if is_ours { theirs } else { ours };
        let values = vec![loser.record.raw(CREATED).map(str::to_owned)];
        outcome.lost = Some(Lost { values, stamp: loser.stamp(CREATED).clone() });
        (outcome.from_ours, outcome.from_theirs) = (is_ours, !is_ours);
    }
}

/// Makes workflow and task objects agree with the winning status, if they agreed with it on both sides: a finished task
/// has no error, an unfinished one no outcome, and a workflow's state comes from the same side as its status.
pub(super) fn objects(
    settled: &mut [(Register<'_>, Settled)],
    base: Option<&Side<'_>>,
    ours: &Side<'_>,
    theirs: &Side<'_>,
    dialect: Dialect,
) {
    let Some((register, status)) = settled.iter().find(|(register, _)| register.name() == "status") else { return };
    let word = |raw: Option<&str>| raw.and_then(decode_string).map_or(Status::new("open"), |word| Status::new(&*word));
    let settled_status = word(status.values[0].as_deref());
    let values: Vec<Option<&str>> = status.values.iter().map(Option::as_deref).collect();
    let is_ours = register.values(ours) == values;
    for (register, outcome) in settled.iter_mut().filter(|(_, outcome)| outcome.changed) {
        let name = register.name();
        let Some(Ok(now)) = outcome.values[0].as_deref().map(Record::parse_part) else { continue };
        let values = |side: &Side<'_>| side.record.raw(name).map(str::to_owned);
        let own = |side: &Side<'_>| Some((word(side.record.raw("status")), values(side)?));
        let sides: Vec<(Status, String)> = [ours, theirs].into_iter().filter_map(own).collect();
        match name {
            "task" => {
                let odd: &[&str] =
                    if settled_status.is_done() { &["last_error"] } else { &["outcome", "outcome_detail"] };
                let has = |(status, raw): &(Status, String)| {
                    let has = Record::parse_part(raw).is_ok_and(|task| odd.iter().any(|key| task.raw(key).is_some()));
                    status.is_done() == settled_status.is_done() && has
                };
                let is_odd = odd.iter().any(|key| now.raw(key).is_some()) && !sides.iter().any(has);
                let Some(agreed) = object::without(now.text(), odd, dialect).filter(|_| is_odd) else { continue };
                outcome.changed = base.is_none_or(|base| !same(name, base.record.raw(name), Some(&agreed)));
                outcome.values = vec![Some(agreed)];
            }
            "workflow" => {
                let state = |raw: &str| State::typed(&Record::parse_part(raw).ok()?.string("state")?);
                let agrees =
                    |(status, raw): &(Status, String)| state(raw).is_some_and(|state| state.status() == *status);
                let is_odd = state(now.text()).is_some_and(|state| state.status() != settled_status);
                let before = base.and_then(values).filter(|_| is_odd && sides.iter().all(agrees));
                let (Some(before), [one, other]) = (before, sides.as_slice()) else { continue };
                let stamps = [ours, theirs].map(|side| side.stamp(name));
                let joined = object::join(&before, (&one.1, stamps[0]), (&other.1, stamps[1]), Some(is_ours), dialect);
                let Some(joined) = joined else { continue };
                outcome.lost = joined.lost.map(|part| {
                    let stamp = if part.of_one { stamps[0] } else { stamps[1] };
                    Lost { values: vec![Some(part.text)], stamp: stamp.clone() }
                });
                outcome.values = vec![Some(joined.text)];
            }
            _ => {}
        }
    }
}
