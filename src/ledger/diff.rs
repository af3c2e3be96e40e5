//! What differs between two versions of a ledger.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::document::Document;
use super::edit::LineChange;
use crate::model::lines::{gone, origins};

impl Document {
    /// For each line the one of an older version that it is, if there is one; no line serves twice. Both are walked side by side
    /// by their ids, as most lines are the same and in that order; those that are left over are looked for one by one.
    pub fn origins_in(&self, old: &Document) -> Vec<Option<usize>> {
        let mut found = vec![None; self.len()];
        let (mut here, mut there) = (0, 0);
        while here < self.len() && there < old.len() {
            let is_same = self.text(here) == old.text(there);
            // A line without an id, on either side, stops nothing.
            let order = if is_same { Ordering::Equal } else { self.id(here).cmp(&old.id(there)) };
            found[here] = is_same.then_some(there);
            here += usize::from(order.is_le());
            there += usize::from(order.is_ge());
        }
        let came: Vec<usize> = (0..self.len()).filter(|n| found[*n].is_none()).collect();
        let went: Vec<usize> = gone(&found, old.len()).collect();
        let texts = |document, lines: &[usize]| lines.iter().map(|n| Document::text(document, *n)).collect::<Vec<_>>();
        for (n, from) in came.iter().zip(origins(&texts(old, &went), &texts(self, &came))) {
            found[*n] = from.map(|from| went[from]);
        }
        found
    }

    /// The ids on lines that only one of two versions has.
    pub fn changed_ids(&self, old: &Document) -> BTreeSet<String> {
        let origins = self.origins_in(old);
        let came = (0..self.len()).filter(|n| origins[*n].is_none()).filter_map(|n| self.id(n));
        let went = gone(&origins, old.len()).filter_map(|n| old.id(n));
        came.chain(went).map(|id| id.into_owned()).collect()
    }

    /// What became of some issues since an older version: those whose line that counts is another one.
    pub fn changes_among(&self, old: &Document, ids: BTreeSet<String>) -> Vec<LineChange> {
        let [(before, old), (after, new)] = [old, self].map(|document| (document.effective_among(&ids), document));
        let text = |of: &Document, line: Option<&usize>| Some(of.line_text(*line?));
        let change = |id| LineChange { before: text(old, before.get(&id)), after: text(new, after.get(&id)), id };
        ids.into_iter().map(change).filter(|change| change.before != change.after).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(lines: &[String]) -> Document {
        Document::new(lines.concat().into_bytes())
    }

    fn line(id: &str, status: &str) -> String {
        format!("{{\"id\":\"{id}\",\"status\":\"{status}\"}}\n")
    }

    #[test]
    fn lines_that_differ_are_found_in_sorted_and_unsorted_ledgers() {
        let old: Vec<String> = (0..300).map(|n| line(&format!("a{n:03}"), "open")).collect();
        let mut new = old.clone();
        new[7] = line("a007", "closed");
        new.remove(100);
        new.insert(200, "\n".to_owned());
        new.insert(250, "not an issue\n".to_owned());
        new.push(line("a999", "open"));
        new.insert(0, line("Z", "open"));
        let origins = document(&new).origins_in(&document(&old));
        let came: Vec<usize> = (0..new.len()).filter(|n| origins[*n].is_none()).collect();
        assert_eq!(came, [0, 8, 201, 251, 302]);
        assert!(gone(&origins, old.len()).eq([7, 100]));
        assert!(document(&new).changed_ids(&document(&old)).iter().eq(["Z", "a007", "a100", "a999"]));
        // In another order every line must be looked for; none of them differs.
        let turned: Vec<String> = old.iter().rev().cloned().collect();
        assert!(document(&turned).changed_ids(&document(&old)).is_empty());
        let origins = document(&turned).origins_in(&document(&old));
        assert!(origins.into_iter().eq((0..300).rev().map(Some)));
    }

    #[test]
    fn a_line_is_the_origin_of_one_line() {
        let [open, closed] = ["open", "closed"].map(|status| line("a", status));
        let origins = |old: &[&String], new: &[&String]| {
            let [old, new] = [old, new].map(|lines| document(&lines.iter().copied().cloned().collect::<Vec<_>>()));
            new.origins_in(&old)
        };
        assert_eq!(origins(&[&open, &closed], &[&closed, &open]), [Some(1), Some(0)]);
        assert_eq!(origins(&[&open], &[&open, &open]), [Some(0), None]);
        assert_eq!(origins(&[&open, &open], &[&closed, &open]), [None, Some(1)]);
        let crlf = Document::new(open.replace('\n', "\r\n").into_bytes());
        assert!(crlf.changed_ids(&document(&[open])).is_empty());
    }
}
