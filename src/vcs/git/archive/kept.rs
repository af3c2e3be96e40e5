//! Changes as stored in the index of the past, with names by number. Most queries are about one name, so the changes of
//! all others are skipped.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::record::{Reader, Writer, put_spots, skip_spots, spots};
use crate::vcs::archive::{Change, Changes};

/// The names of lines, by number.
#[derive(Default)]
pub(super) struct Names {
    all: Vec<Rc<str>>,
    /// Filled when the first changes are encoded.
    numbers: HashMap<Rc<str>, u64>,
}

impl Names {
    pub(super) fn of(all: Vec<Rc<str>>) -> Self {
        Names { all, ..Names::default() }
    }

    pub(super) fn all(&self) -> &[Rc<str>] {
        &self.all
    }

    /// The numbers of some names, as far as they exist.
    pub(super) fn numbers(&self, names: &BTreeSet<String>) -> HashMap<u64, Rc<str>> {
        let known = (0..).zip(&self.all).filter(|(_, name)| names.contains(&***name));
        known.map(|(number, name)| (number, Rc::clone(name))).collect()
    }

    /// The number of a name; a new one gets the next.
    fn number(&mut self, name: &Rc<str>) -> u64 {
        if self.numbers.len() < self.all.len() {
            self.numbers = self.all.iter().cloned().zip(0..).collect();
        }
        *self.numbers.entry(Rc::clone(name)).or_insert_with(|| {
            self.all.push(Rc::clone(name));
            self.all.len() as u64 - 1
        })
    }

    pub(super) fn encoded(&mut self, changes: &Changes) -> Vec<u8> {
        let mut out = Writer::default();
        out.list(changes.iter(), |out, change| {
            out.number(self.number(&change.name));
            put_spots(out, &change.before);
            put_spots(out, &change.after);
        });
        out.finish()
    }

    /// The encoded changes, or those of some names among them; `None` if they cannot be decoded.
    pub(super) fn decoded(&self, bytes: &[u8], of: Option<&HashMap<u64, Rc<str>>>) -> Option<Changes> {
        let mut input = Reader::new(bytes);
        let mut found = Vec::new();
        for _ in 0..input.count()? {
            let number = input.number()?;
            let name = match of {
                None => Some(Rc::clone(self.all.get(usize::try_from(number).ok()?)?)),
                Some(names) => names.get(&number).cloned(),
            };
            match name {
                Some(name) => found.push(Change { name, before: spots(&mut input)?, after: spots(&mut input)? }),
                None => {
                    skip_spots(&mut input)?;
                    skip_spots(&mut input)?;
                }
            }
        }
        input.is_empty().then(|| found.into())
    }
}
