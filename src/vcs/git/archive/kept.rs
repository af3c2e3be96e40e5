//! Changes as stored in the index of the past. Most queries are about one name, so the changes of all others are
//! skipped.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use super::record::{Reader, Writer, put_spots, skip_spots, spots};
use crate::vcs::archive::{Change, Changes};

/// The difference between two versions.
pub(super) enum Kept {
    /// At this range of the file.
    Written(Range<usize>),
    New(Changes),
}

/// The file, and the positions of the names that its changes refer to by number.
#[derive(Default)]
pub(super) struct Written {
    bytes: Vec<u8>,
    names: Vec<Range<usize>>,
}

impl Written {
    pub(super) fn new(bytes: Vec<u8>, names: Vec<Range<usize>>) -> Self {
        Written { bytes, names }
    }

    pub(super) fn bytes(&self, place: &Range<usize>) -> Option<&[u8]> {
        self.bytes.get(place.clone())
    }

    fn name(&self, place: &Range<usize>) -> Option<&str> {
        std::str::from_utf8(self.bytes(place)?).ok()
    }

    /// The numbers of some names, as far as they exist.
    pub(super) fn numbers(&self, names: &BTreeSet<String>) -> HashMap<u64, Rc<str>> {
        let known = (0..).zip(&self.names).filter_map(|(number, place)| Some((number, self.name(place)?)));
        known.filter(|(_, name)| names.contains(*name)).map(|(number, name)| (number, name.into())).collect()
    }

    /// All names with their numbers.
    pub(super) fn all_names(&self) -> HashMap<Rc<str>, u64> {
        let known = (0..).zip(&self.names).filter_map(|(number, place)| Some((self.name(place)?.into(), number)));
        known.collect()
    }

    /// The changes in a range, or those of some names among them; `None` if they cannot be decoded.
    pub(super) fn changes(&self, place: &Range<usize>, of: Option<&HashMap<u64, Rc<str>>>) -> Option<Changes> {
        let mut input = Reader::new(self.bytes(place)?);
        let mut found = Vec::new();
        for _ in 0..input.count()? {
            let number = input.number()?;
            let name = match of {
                None => Some(self.name(self.names.get(usize::try_from(number).ok()?)?)?.into()),
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

/// Encodes changes; new names get the next numbers.
pub(super) fn body(changes: &Changes, names: &mut HashMap<Rc<str>, u64>) -> Vec<u8> {
    let mut out = Writer::default();
    out.list(changes.iter(), |out, change| {
        let next = names.len() as u64;
        out.number(*names.entry(Rc::clone(&change.name)).or_insert(next));
        put_spots(out, &change.before);
        put_spots(out, &change.after);
    });
    out.finish()
}
