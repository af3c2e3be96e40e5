//! The default prefix of new ids: the most common one.

use std::borrow::Cow;
use std::collections::HashMap;

use super::parts::{Sources, Texts};
use crate::ledger::Document;
use crate::model::id;
use crate::store::Result;

impl Sources {
    /// The most common prefix of ids in a repo.
    pub(crate) fn usual_prefix(&self, member: usize) -> Result<Option<String>> {
        let texts = self.texts()?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        for source in self.of_member(member) {
            let found =
                if texts.image.is_some() { self.ask(|cache| cache.prefixes(source))? } else { texts.prefixes(source) };
            for (prefix, count) in found {
                *counts.entry(prefix).or_default() += count;
            }
        }
        Ok(most_used(counts))
    }

    /// The project has a single ledger, which is not read yet. A write is about to read it anyway.
    pub(crate) fn is_unread(&self) -> bool {
        self.all.len() == 1 && self.texts.known().is_none()
    }
}

impl Texts {
    /// How many ids of a ledger have each prefix.
    pub(super) fn prefixes(&self, source: usize) -> Vec<(String, usize)> {
        counted(self.document(source).into_iter().flat_map(Document::raw_ids)).into_iter().collect()
    }
}

/// The most common prefix of ids in a ledger.
pub(crate) fn usual_in(document: &Document) -> Option<String> {
    most_used(counted(document.raw_ids()))
}

/// How many ids have each prefix.
fn counted<'a>(ids: impl Iterator<Item = Cow<'a, [u8]>>) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut add = |prefix: Vec<u8>, times: usize| {
        if let (Ok(prefix), 1..) = (String::from_utf8(prefix), times) {
            *counts.entry(prefix).or_default() += times;
        }
    };
    // It is usually that of the previous line.
    let (mut last, mut times) = (Vec::new(), 0);
    for id in ids {
        let Some(prefix) = id.iter().rposition(|byte| *byte == b'-').map(|dash| &id[..dash]) else { continue };
        if prefix != last {
            add(std::mem::replace(&mut last, prefix.to_owned()), std::mem::take(&mut times));
        }
        times += 1;
    }
    add(last, times);
    counts
}

fn most_used(counts: impl IntoIterator<Item = (String, usize)>) -> Option<String> {
    let usable = counts.into_iter().filter(|(prefix, _)| id::check_prefix(prefix).is_ok());
    usable.max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map(|(prefix, _)| prefix)
}
