//! Which issues differ between versions of a ledger.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::ledger::{Document, line_id};
use crate::store::Result;
use crate::vcs::{Archive, Changes, Pair, Spot, Step, Version};

/// Names a line by the id of its issue.
pub(super) fn naming(line: &[u8]) -> Option<String> {
    line_id(line.strip_suffix(b"\r").unwrap_or(line)).map(Cow::into_owned)
}

/// The differences between versions, by id, optionally limited to some issues; may include unchanged ones with repeated or
/// moved lines.
pub(super) fn changes(
    archive: &mut dyn Archive,
    pairs: &[Pair],
    of: Option<&BTreeSet<String>>,
) -> Result<Vec<Changes>> {
    Ok(archive.changes(pairs, naming, of)?)
}

/// What each step changed against each of its parents; the first commit against nothing.
pub(super) fn changed_in(
    archive: &mut dyn Archive,
    steps: &[Step],
    of: Option<&BTreeSet<String>>,
) -> Result<Vec<Vec<Changes>>> {
    let pairs_of = |step: &Step| -> Vec<Pair> {
        let before = step.before.iter().map(|before| (before.version.clone(), step.after.clone()));
        if step.before.is_empty() { vec![(None, step.after.clone())] } else { before.collect() }
    };
    let pairs: Vec<Vec<Pair>> = steps.iter().map(pairs_of).collect();
    let mut all = changes(archive, &pairs.concat(), of)?.into_iter();
    Ok(pairs.iter().map(|pairs| all.by_ref().take(pairs.len()).collect()).collect())
}

/// All ids that any of these steps changed.
pub(super) fn ids_changed_in(archive: &mut dyn Archive, steps: &[Step]) -> Result<BTreeSet<String>> {
    let changed = changed_in(archive, steps, None)?;
    let all = changed.iter().flatten().flat_map(|changes| changes.iter());
    Ok(all.map(|change| change.name.to_string()).collect())
}

/// An issue, and the places of its lines in a version.
pub(super) type Placed<'a> = (&'a str, &'a Version, &'a [Spot]);

/// The effective line of each issue, among those at its places.
pub(super) fn lines_at(archive: &mut dyn Archive, placed: &[Placed<'_>]) -> Result<Vec<Option<String>>> {
    let wanted: Vec<(&Version, &[Spot])> = placed.iter().map(|(_, version, spots)| (*version, *spots)).collect();
    let found = archive.lines_at(&wanted)?;
    let line = |((id, ..), lines): (&Placed<'_>, Vec<Vec<u8>>)| Document::new(lines.join(&b'\n')).effective_line(id);
    Ok(placed.iter().zip(found).map(line).collect())
}
