//! What is computed from the rows of a first load, before there is a database.
//!
//! The rules are those of `derived.rs`, which follows changes row by row and counts where an id stands on two rows; a test there
//! compares the two.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use super::entry::NEVER;
use super::flow::{holding, inherited};
use super::pages::{Pages, Value};
use super::row::Key;
use super::unknown::UnknownIds;
use crate::model::dependency::Dependency;
use crate::model::issue::IssueType;

/// Microseconds of a second.
const MICROS: i64 = 1_000_000;

/// Before every date.
const EVER: i64 = i64::MIN;

/// What is computed from, of one row.
#[derive(Debug)]
pub(super) struct Row {
    pub key: Key,
    pub id: String,
    /// As numbers of words.
    pub status: usize,
    pub kind: usize,
    pub priority: i64,
    pub created: Option<i64>,
    pub closed: Option<i64>,
    pub defer: Option<i64>,
    pub is_proposed: bool,
    pub failed: bool,
    pub hidden: bool,
    pub task: bool,
    /// By its labels; 0 comes first.
    pub urgent: i64,
    pub dependencies: Vec<Dependency>,
}

pub(super) fn is_done(status: &str) -> bool {
    matches!(status, "closed" | "tombstone")
}

/// Whose children a `waits-for` waits for.
pub(super) fn spawner(edge: &Dependency) -> &str {
    edge.gate.as_ref().and_then(|gate| gate.spawner.as_deref()).unwrap_or(&edge.target)
}

/// Rows that are known by their ids.
pub(super) struct Known<'a> {
    rows: &'a [Row],
    words: &'a [String],
    by_id: HashMap<&'a str, usize>,
    /// The rows below each.
    children: Vec<Vec<usize>>,
}

/// An issue, what it waits for, the type of the dependency, and whether some row is that.
type Waiting<'a> = (&'a str, &'a str, &'a str, bool);

impl<'a> Known<'a> {
    pub fn of(rows: &'a [Row], words: &'a [String]) -> Self {
        let by_id: HashMap<&str, usize> = rows.iter().enumerate().map(|(n, row)| (row.id.as_str(), n)).collect();
        let mut children = vec![Vec::new(); rows.len()];
        for (n, row) in rows.iter().enumerate() {
            let parents = parents(row).filter_map(|id| by_id.get(id));
            parents.for_each(|parent| children[*parent].push(n));
        }
        Known { rows, words, by_id, children }
    }

    fn status(&self, n: usize) -> &'a str {
        &self.words[self.rows[n].status]
    }

    fn kind(&self, n: usize) -> &'a str {
        &self.words[self.rows[n].kind]
    }

    fn children_that(&self, parent: usize, are: impl Fn(&str) -> bool) -> usize {
        self.children[parent].iter().filter(|child| are(self.status(**child))).count()
    }

    fn has_open_children(&self, parent: usize) -> bool {
        self.children_that(parent, |status| !is_done(status)) > 0
    }

    /// What an edge makes its issue wait for.
    fn blocker(&self, edge: &'a Dependency, unknown: UnknownIds) -> Option<(&'a str, bool)> {
        let id = match edge.kind.as_str() {
            "blocks" | "conditional-blocks" => edge.target.as_str(),
            "waits-for" => spawner(edge),
            _ => return None,
        };
        let Some(&n) = self.by_id.get(id) else { return unknown.blocks(id).then_some((id, false)) };
        let status = self.status(n);
        let waits = match edge.kind.as_str() {
            "blocks" => !is_done(status) && status != "pinned",
            "conditional-blocks" if status == "closed" => !self.rows[n].failed,
            "conditional-blocks" => status != "tombstone",
            _ if self.children_that(n, |status| status != "tombstone") == 0 => !is_done(status),
            _ if edge.gate.as_ref().is_some_and(|gate| gate.any) => {
                self.children_that(n, |status| status == "closed") == 0
            }
            _ => self.has_open_children(n),
        };
        waits.then_some((id, true))
    }

    /// Fills everything that is computed.
    pub fn write(&self, pages: &mut Pages, unknown: UnknownIds) {
        let kin: Vec<(&str, &str)> =
            self.rows.iter().flat_map(|row| parents(row).map(|parent| (row.id.as_str(), parent))).collect();
        pages.fill("kin", kin.iter().map(|(child, parent)| [(*child).into(), (*parent).into()]));
        let mut sides: [Vec<(&str, Key)>; 2] = Default::default();
        for ((child, parent), n) in kin.into_iter().zip(1..) {
            sides[0].push((child, n));
            sides[1].push((parent, n));
        }
        for (name, mut side) in ["kin_child", "kin_parent"].into_iter().zip(sides) {
            side.sort_unstable();
            pages.fill(name, side.into_iter().map(|(id, n)| [id.into(), n.into()]));
        }
        let blockers = self.write_blockers(pages, unknown);
        let (holding, inherited) = self.held_back(&blockers);
        let mut is_held = vec![false; self.rows.len()];
        let ids = blockers.iter().map(|(id, ..)| *id).chain(inherited.iter().map(String::as_str));
        ids.filter_map(|id| self.by_id.get(id)).for_each(|n| is_held[*n] = true);
        for (name, mut ids) in [("holding", holding), ("inherited", inherited)] {
            ids.sort_unstable();
            pages.fill(name, ids.iter().map(|id| [id.as_str().into()]));
        }
        self.write_front(pages, &is_held);
        self.write_tally(pages);
    }

    fn write_blockers(&self, pages: &mut Pages, unknown: UnknownIds) -> Vec<Waiting<'a>> {
        let mut found: Vec<Waiting<'a>> = Vec::new();
        for row in self.rows.iter().filter(|row| !is_done(&self.words[row.status])) {
            let waits = row.dependencies.iter().filter_map(|edge| Some((edge, self.blocker(edge, unknown)?)));
            found.extend(waits.map(|(edge, (id, known))| (row.id.as_str(), id, edge.kind.as_str(), known)));
        }
        // In this order numbers and index agree.
        found.sort_unstable();
        let values = |(id, blocker, kind, known): &Waiting<'a>| -> [Value<'a>; 4] {
            [(*id).into(), (*blocker).into(), (*kind).into(), (*known).into()]
        };
        pages.fill("blockers", found.iter().map(values));
        pages.fill(
            "blockers_id",
            found.iter().zip(1_i64..).map(|(one, n)| {
                let [id, blocker, kind, known] = values(one);
                [id, blocker, kind, known, n.into()]
            }),
        );
        found
    }

    /// The issues that hold back what is below them, and what is below one of these.
    fn held_back(&self, blockers: &[Waiting<'a>]) -> (Vec<String>, Vec<String>) {
        let row = |id: &str| self.by_id.get(id).map(|n| &self.rows[*n]);
        let is_parent = |id: &str| self.by_id.get(id).is_some_and(|n| !self.children[*n].is_empty());
        let has_parent = |id: &str| row(id).is_some_and(|row| parents(row).next().is_some());
        let mut candidates: Vec<(String, String, bool)> = blockers
            .iter()
            .filter(|(id, ..)| is_parent(id))
            .map(|(id, blocker, ..)| ((*id).to_owned(), (*blocker).to_owned(), has_parent(blocker)))
            .collect();
        candidates.dedup();
        let above = |id: &str| Ok::<_, Infallible>(row(id).into_iter().flat_map(parents).map(str::to_owned).collect());
        let Ok(holding) = holding(candidates, above);
        let below = |id: &str| {
            let children = self.by_id.get(id).map_or(&[][..], |n| &self.children[*n]);
            let open = children.iter().filter(|child| !is_done(self.status(**child)));
            Ok::<_, Infallible>(open.map(|child| self.rows[*child].id.clone()).collect())
        };
        let Ok(inherited) = inherited(&holding, below);
        (holding, inherited)
    }

    fn write_front(&self, pages: &mut Pages, is_held: &[bool]) {
        let (mut front, mut held, mut epics) = (pages.tree("front"), pages.tree("held"), pages.tree("epics"));
        let (mut order, mut later, mut held_order, mut closeable) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut numbers = [0_i64; 3];
        for (n, row) in self.rows.iter().enumerate() {
            let (status, id, created) = (self.status(n), row.id.as_str(), row.created.unwrap_or(EVER));
            if is_held[n] || status == "blocked" {
                held.add(pages, row.key, &[Value::Null, id.into(), row.priority.into(), created.into()]);
                held_order.push((row.priority, created, id, row.key));
            }
            let is_epic = self.kind(n) == "epic";
            if is_epic && !is_done(status) {
                let children = self.children_that(n, |status| status != "tombstone") as i64;
                let closed = self.children_that(n, |status| status == "closed") as i64;
                epics.add(pages, row.key, &[Value::Null, children.into(), closed.into()]);
                closeable.extend((children > 0 && children == closed).then_some(row.key));
            }
            if is_held[n] || row.hidden || !matches!(status, "open" | "deferred") {
                continue;
            }
            let kind = if IssueType::INTERNAL.contains(&self.kind(n)) {
                2
            } else {
                i64::from(is_epic && self.has_open_children(n))
            };
            let since = if status == "open" { row.defer } else { Some(row.defer.unwrap_or(NEVER)) };
            let asked = if row.is_proposed { created } else { 0 };
            let place = (row.is_proposed, asked, row.urgent, row.priority, created, id, kind, since, row.key);
            front.add(
                pages,
                row.key,
                &[&[Value::Null, id.into()], &front_values(place)[..5], &[since.into(), kind.into()]].concat(),
            );
            order.push(place);
            match since {
                Some(since) => later.push((since, kind, row.key)),
                None => numbers[kind as usize] += 1,
            }
        }
        [front, held, epics].into_iter().for_each(|tree| tree.finish(pages));
        let held = held_order.len() as i64;
        order.sort_unstable();
        later.sort_unstable();
        held_order.sort_unstable();
        pages.fill("front_order", order.into_iter().map(front_values));
        pages.fill("front_later", later.into_iter().map(|(since, kind, key)| [since, kind, key].map(Value::Int)));
        pages.fill(
            "held_order",
            held_order
                .into_iter()
                .map(|(priority, created, id, key)| [priority.into(), created.into(), id.into(), key.into()]),
        );
        pages.fill("closeable", closeable.into_iter().map(|key| [key, key].map(Value::Int)));
        let front = numbers.into_iter().enumerate().map(|(kind, n)| ("front", kind as i64, n));
        pages.fill(
            "numbers",
            front.chain([("held", 0, held)]).map(|(name, kind, n)| [name.into(), kind.into(), n.into()]),
        );
    }

    fn write_tally(&self, pages: &mut Pages) {
        let mut tally: BTreeMap<(&str, i64, &str), [i64; 3]> = BTreeMap::new();
        for (n, row) in self.rows.iter().enumerate() {
            let lead = match (self.status(n), row.created, row.closed) {
                ("closed", Some(created), Some(closed)) if closed >= created => {
                    Some(closed.saturating_sub(created) / MICROS)
                }
                _ => None,
            };
            let counts = tally.entry((self.status(n), row.priority, self.kind(n))).or_default();
            let more = [1, lead.unwrap_or(0), i64::from(lead.is_some())];
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        pages.fill(
            "tally",
            tally.into_iter().map(|((status, priority, kind), [n, lead, leads])| {
                [status.into(), priority.into(), kind.into(), n.into(), lead.into(), leads.into()]
            }),
        );
    }
}

/// A row of `front` in its order.
type Place<'a> = (bool, i64, i64, i64, i64, &'a str, i64, Option<i64>, Key);

fn front_values<'a>((proposed, asked, urgent, priority, created, id, kind, since, key): Place<'a>) -> [Value<'a>; 9] {
    let (proposed, asked, urgent) = (proposed.into(), asked.into(), urgent.into());
    [proposed, asked, urgent, priority.into(), created.into(), id.into(), kind.into(), since.into(), key.into()]
}

/// The issues that a row is a child of.
fn parents(row: &Row) -> impl Iterator<Item = &str> {
    let parents = row.dependencies.iter().filter(|edge| edge.kind.is_parent_child());
    parents.map(|edge| edge.target.as_str())
}
