//! The changes that a step, or an uncommitted change, made to issues, compared with its parents.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::changed::{Placed, changes, lines_at, naming};
use crate::ledger::Document;
use crate::model::difference::{ChangeKind, FieldChange, Side, merged_difference};
use crate::model::record::Record;
use crate::store::Result;
use crate::vcs::{self, Archive, Changes, Pair, Spot, Steps, Texts, Version};

/// One issue before and after.
pub(super) type Change = (String, ChangeKind, Vec<FieldChange>, String);

/// How many steps to compare at once.
const AT_ONCE: usize = 64;
/// How many bytes of lines to read at once; one step is always read completely.
const ROOM: usize = 4 << 20;

/// A parent version of a step, and the merge bases it shares with the other parents.
pub(super) struct Joined<'a> {
    pub version: Option<&'a Version>,
    pub common: Option<Vec<Option<&'a Version>>>,
}

impl<'a> Joined<'a> {
    /// The parents of a step; `None` if it changed nothing itself, as a merge that took everything from the only side
    /// that had changed.
    pub(super) fn of_step(steps: &'a Steps, n: usize) -> Option<Vec<Self>> {
        let step = &steps.all[n];
        let is_merge = step.before.len() > 1;
        let side = |side: usize| Joined {
            version: step.before[side].version.as_ref(),
            common: if is_merge { steps.common(n, side) } else { None },
        };
        let before: Vec<Joined<'_>> = (0..step.before.len()).map(side).collect();
        let after = step.after.as_ref();
        let is_taken = before.iter().any(|side| side.version == after);
        let is_nothing = is_merge && is_taken && before.iter().all(|side| side.version == after || side.is_untouched());
        (!is_nothing).then_some(before)
    }

    /// This side equals the merge base.
    fn is_untouched(&self) -> bool {
        self.common.as_ref().is_none_or(|common| common.contains(&self.version))
    }

    /// The pairs of versions to compare: with the step's result, and with the merge bases.
    fn pairs(&self, after: Option<&Version>) -> Vec<Pair> {
        let common = self.common.iter().flatten().map(|common| (common.cloned(), self.version.cloned()));
        common.chain([(self.version.cloned(), after.cloned())]).collect()
    }
}

/// The places of an issue's lines.
type Lines<'a> = (Option<&'a Version>, &'a [Spot]);
/// Identifies a line of a version by the first place that has its id.
type Key = (Version, u32, u32);
/// The lines that a side shares with others, if known.
type Common = Option<Vec<Option<Key>>>;

/// An issue that a step may have changed: its line on each side, the shared ones, and the new one.
struct Touched {
    id: String,
    sides: Vec<(Option<Key>, Common)>,
    now: Option<Key>,
}

/// The changes of the next steps.
#[derive(Default)]
pub(super) struct Pairs {
    steps: Range<usize>,
    known: HashMap<Pair, Changes>,
    /// The issues of steps whose lines have been read, and the first of these steps.
    touched: VecDeque<Vec<Touched>>,
    first: usize,
    lines: HashMap<Key, Option<String>>,
}

impl Pairs {
    /// What a step changed. Steps must be asked for in order.
    pub(super) fn compare(&mut self, archive: &mut dyn Archive, steps: &Steps, n: usize) -> Result<Vec<Change>> {
        while self.first < n && self.touched.pop_front().is_some() {
            self.first += 1;
        }
        if self.first != n || self.touched.is_empty() {
            self.read(archive, steps, n)?;
        }
        let touched = self.touched.pop_front().unwrap_or_default();
        self.first = n + 1;
        Ok(touched.iter().filter_map(|issue| self.change_of(issue)).collect())
    }

    /// What is not committed.
    pub(super) fn of_present(archive: &mut dyn Archive, below: &[Joined<'_>], now: &Document) -> Result<Vec<Change>> {
        let here = Version::of_no_archive();
        let mut texts = Texts::default();
        let mut read =
            |version: &Version| if *version == here { Ok(now.bytes().to_vec()) } else { archive.text(version) };
        let mut pairs = Pairs::default();
        for pair in all_pairs(below, Some(&here)) {
            let changes = texts.changes(&pair, naming, &mut read)?;
            pairs.known.insert(pair, changes);
        }
        let mut wanted: Vec<(Placed<'_>, Key)> = Vec::new();
        let touched = pairs.touched(below, Some(&here), |placed, key| wanted.push((placed, key.clone())));
        let mut lines = HashMap::new();
        for ((id, version, spots), key) in wanted {
            let found = spots.iter().map(|spot| texts.line(version, *spot, &mut read));
            let found: Vec<Vec<u8>> = found.collect::<std::result::Result<_, _>>()?;
            lines.insert(key, Document::new(found.join(&b'\n')).effective_line(id));
        }
        pairs.lines = lines;
        Ok(touched.iter().filter_map(|issue| pairs.change_of(issue)).collect())
    }

    fn change_of(&self, issue: &Touched) -> Option<Change> {
        let line = |key: &Option<Key>| self.lines.get(key.as_ref()?)?.as_deref();
        let sides: Vec<Side<'_>> = issue
            .sides
            .iter()
            .map(|(key, common)| Side {
                line: line(key),
                common: common.as_ref().map(|common| common.iter().map(line).collect()),
            })
            .collect();
        change(&issue.id, &sides, line(&issue.now))
    }

    /// Reads the lines of a step and of following ones, up to the size limit.
    fn read(&mut self, archive: &mut dyn Archive, steps: &Steps, n: usize) -> Result<()> {
        if !self.steps.contains(&n) {
            self.fetch(archive, steps, n..steps.all.len().min(n + AT_ONCE))?;
        }
        let (mut touched, mut wanted, mut keys) = (VecDeque::new(), Vec::new(), HashSet::new());
        let mut bytes = 0;
        for step in n..self.steps.end {
            let before = Joined::of_step(steps, step);
            touched.push_back(before.map_or_else(Vec::new, |before| {
                self.touched(&before, steps.all[step].after.as_ref(), |placed, key| {
                    if keys.insert(key.clone()) {
                        bytes += placed.2.iter().map(|spot| spot.len as usize).sum::<usize>();
                        wanted.push(placed);
                    }
                })
            }));
            if bytes > ROOM {
                break;
            }
        }
        let lines = lines_at(archive, &wanted)?;
        let key = |(_, version, spots): &Placed<'_>| ((*version).clone(), spots[0].part, spots[0].start);
        self.lines = wanted.iter().map(key).zip(lines).collect();
        (self.touched, self.first) = (touched, n);
        Ok(())
    }

    /// The issues that a step may have changed, by id; also passes on each of their lines.
    fn touched<'a>(
        &'a self,
        before: &[Joined<'a>],
        after: Option<&'a Version>,
        mut see: impl FnMut(Placed<'a>, &Key),
    ) -> Vec<Touched> {
        let nothing = [Joined { version: None, common: None }];
        let below = if before.is_empty() { nothing.as_slice() } else { before };
        let mut found = Vec::new();
        for id in self.ids(below, after) {
            let now = below.iter().find_map(|side| Some((after, spots(self.between(side.version, after), id)?.1)));
            let Some(now) = now else { continue };
            let mut key = |(version, spots): Lines<'a>| {
                let (version, first) = (version?, spots.first()?);
                let key = (version.clone(), first.part, first.start);
                see((id, version, spots), &key);
                Some(key)
            };
            let mut sides = Vec::new();
            for side in before {
                // An issue without a change is the same as on the other side.
                let was = spots(self.between(side.version, after), id).map_or(now, |spots| (side.version, spots.0));
                let common = side.common.as_ref().map(|common| {
                    let made = |version: &Option<&'a Version>| {
                        let made = spots(self.between(*version, side.version), id);
                        made.map_or(was, |spots| (*version, spots.0))
                    };
                    common.iter().map(|version| key(made(version))).collect()
                });
                sides.push((key(was), common));
            }
            found.push(Touched { id: id.to_owned(), sides, now: key(now) });
        }
        found
    }

    /// Issues that differ from every parent, and those that differ from a side's merge base without being taken from
    /// it.
    fn ids(&self, below: &[Joined<'_>], after: Option<&Version>) -> BTreeSet<&str> {
        let (mut everywhere, mut ids): (Option<BTreeSet<&str>>, BTreeSet<&str>) = (None, BTreeSet::new());
        for side in below {
            let changed = ids_in(self.between(side.version, after));
            if !side.is_untouched() {
                let mut own = changed.clone();
                for common in side.common.iter().flatten() {
                    let made: HashSet<&str> = ids_in(self.between(*common, side.version)).into_iter().collect();
                    own.retain(|id| made.contains(id));
                }
                ids.extend(own);
            }
            everywhere = Some(match everywhere {
                Some(others) => others.intersection(&changed).copied().collect(),
                None => changed,
            });
        }
        ids.extend(everywhere.unwrap_or_default());
        ids
    }

    fn fetch(&mut self, archive: &mut dyn Archive, steps: &Steps, range: Range<usize>) -> Result<()> {
        let mut pairs: Vec<Pair> = Vec::new();
        for n in range.clone() {
            let before = Joined::of_step(steps, n);
            pairs.extend(before.iter().flat_map(|before| all_pairs(before, steps.all[n].after.as_ref())));
        }
        let found = changes(archive, &pairs, None)?;
        self.known = pairs.into_iter().zip(found).collect();
        self.steps = range;
        Ok(())
    }

    fn between(&self, before: Option<&Version>, after: Option<&Version>) -> &[vcs::Change] {
        self.known.get(&(before.cloned(), after.cloned())).map_or(&[], |changes| changes)
    }
}

/// The versions to compare to tell what became of what was there before.
fn all_pairs(before: &[Joined<'_>], after: Option<&Version>) -> Vec<Pair> {
    match before {
        [] => vec![(None, after.cloned())],
        sides => sides.iter().flat_map(|side| side.pairs(after)).collect(),
    }
}

fn ids_in(changes: &[vcs::Change]) -> BTreeSet<&str> {
    changes.iter().map(|change| &*change.name).collect()
}

/// The places of an issue before and after.
fn spots<'a>(changes: &'a [vcs::Change], id: &str) -> Option<(&'a [Spot], &'a [Spot])> {
    let at = changes.binary_search_by(|change| (*change.name).cmp(id)).ok()?;
    Some((&changes[at].before, &changes[at].after))
}

/// The lines of an issue in the parents of a step.
pub(super) fn sides_of<'a>(before: &[Joined<'_>], line: impl Fn(Option<&Version>) -> Option<&'a str>) -> Vec<Side<'a>> {
    let side = |side: &Joined<'_>| Side {
        line: line(side.version),
        common: side.common.as_ref().map(|common| common.iter().map(|version| line(*version)).collect()),
    };
    before.iter().map(side).collect()
}

fn change(id: &str, before: &[Side<'_>], after: Option<&str>) -> Option<Change> {
    let (kind, fields) = merged_difference(before, after)?;
    let line = after.or_else(|| before.iter().find_map(|side| side.line))?;
    Some((id.to_owned(), kind, fields, line.to_owned()))
}

/// The same for a single issue, under the id it had then.
pub(super) fn change_of_one(before: &[Side<'_>], after: Option<&str>) -> Option<Change> {
    let line = after.or_else(|| before.iter().find_map(|side| side.line))?;
    let id = Record::parse(line).ok()?.string("id")?.into_owned();
    change(&id, before, after)
}
