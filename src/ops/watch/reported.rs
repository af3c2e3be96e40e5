//! Changes that were reported already: one that another checkout takes over is not news.

use std::collections::BTreeMap;

use super::event::{EventKind, IssueNews};
use super::issues::Ledgers;
use crate::model::difference::difference;

/// How many values of a field are remembered.
const VALUES: usize = 8;
/// In place of a field: the issue is gone.
const GONE: &str = "";

/// Each close has its own time.
const CLOSES: [&str; 2] = ["status", "closed_at"];

/// A value, and the checkout that had it; an empty name for this one.
type Known = (Option<String>, String);

/// For each issue and field the latest values.
#[derive(Debug, Default)]
pub(super) struct Reported(BTreeMap<(String, String), Vec<Known>>);

impl Reported {
    /// Drops what another checkout had before.
    pub(super) fn only_new(&mut self, events: Vec<(EventKind, IssueNews)>) -> Vec<(EventKind, IssueNews)> {
        events.into_iter().filter_map(|(kind, news)| self.rest(kind, news)).collect()
    }

    fn rest(&mut self, kind: EventKind, mut news: IssueNews) -> Option<(EventKind, IssueNews)> {
        let place = news.checkout.as_ref().map(|one| one.worktree.clone()).unwrap_or_default();
        if kind == EventKind::IssueDeleted {
            return self.is_new(&news.id, GONE, None, &place).then_some((kind, news));
        }
        self.0.remove(&(news.id.clone(), GONE.to_owned()));
        let all = news.fields.len();
        news.fields.retain(|change| self.is_new(&news.id, &change.field, change.after.as_ref(), &place));
        let is_same = news.fields.len() == all;
        let has_status = news.fields.iter().any(|change| CLOSES.contains(&&*change.field));
        match kind {
            _ if news.fields.is_empty() && all > 0 => None,
            EventKind::IssueCreated if is_same => Some((kind, IssueNews { fields: Vec::new(), ..news })),
            EventKind::IssueClosed | EventKind::IssueReopened if has_status => Some((kind, news)),
            _ => Some((EventKind::IssueUpdated, news)),
        }
    }

    /// Whether no other checkout had this value, or this one had it before.
    fn is_new(&mut self, id: &str, field: &str, value: Option<&String>, place: &str) -> bool {
        let known = self.0.entry((id.to_owned(), field.to_owned())).or_default();
        let had = |one: &&Known| one.0.as_ref() == value;
        let is_new = !known.iter().any(|one| had(&one)) || known.iter().filter(had).any(|one| one.1 == place);
        if !known.iter().filter(had).any(|one| one.1 == place) {
            known.push((value.cloned(), place.to_owned()));
            let old = known.len().saturating_sub(VALUES);
            known.drain(..old);
        }
        is_new
    }

    /// An earlier watch has reported the versions in other checkouts.
    pub(super) fn elsewhere(&mut self, ledgers: &Ledgers) {
        for (place, id, ours, theirs) in ledgers.differing() {
            for change in difference(&[ours], Some(theirs)).map(|(_, fields)| fields).unwrap_or_default() {
                self.is_new(&id, &change.field, change.after.as_ref(), &place.worktree);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reported::*;
    use crate::model::difference::FieldChange;
    use crate::store::Place;

    fn news(fields: &[(&str, &str)], place: &str) -> IssueNews {
        let change = |(field, after): &(&str, &str)| FieldChange {
            field: (*field).to_owned(),
            before: None,
            after: Some((*after).to_owned()),
            won: None,
        };
        let checkout = (!place.is_empty()).then(|| Place { worktree_id: None, worktree: place.to_owned() });
        let fields = fields.iter().map(change).collect();
        IssueNews { id: "a".into(), fields, checkout, ..IssueNews::default() }
    }

    #[test]
    fn a_change_that_is_merged_is_reported_once() {
        let mut reported = Reported::default();
        let mut tell = |kind, fields: &[(&str, &str)], place| {
            let found = reported.only_new(vec![(kind, news(fields, place))]).pop();
            found.map(|(kind, news)| {
                let fields: Vec<String> = news.fields.into_iter().map(|change| change.field).collect();
                format!("{} {}", kind.word(), fields.join(" "))
            })
        };
        let closed: &[(&str, &str)] = &[("status", "closed"), ("closed_at", "9:00")];
        assert_eq!(tell(EventKind::IssueClosed, closed, "one").unwrap(), "issue_closed status closed_at");
        assert_eq!(tell(EventKind::IssueClosed, closed, ""), None);
        assert_eq!(tell(EventKind::IssueClosed, closed, "two"), None);
        let again: &[(&str, &str)] = &[("status", "closed"), ("closed_at", "9:01")];
        assert_eq!(tell(EventKind::IssueClosed, again, "four").unwrap(), "issue_closed closed_at");
        let more: &[(&str, &str)] = &[("status", "closed"), ("closed_at", "9:00"), ("labels", "x")];
        assert_eq!(tell(EventKind::IssueClosed, more, "three").unwrap(), "issue_updated labels");
        let open: &[(&str, &str)] = &[("status", "open")];
        assert_eq!(tell(EventKind::IssueReopened, open, "").unwrap(), "issue_reopened status");
        assert_eq!(tell(EventKind::IssueClosed, closed, "").unwrap(), "issue_closed status closed_at", "once more");
        let new: &[(&str, &str)] = &[("title", "T"), ("status", "new")];
        assert_eq!(tell(EventKind::IssueCreated, new, "one").unwrap(), "issue_created ");
        assert_eq!(tell(EventKind::IssueCreated, new, ""), None);
        assert_eq!(tell(EventKind::IssueDeleted, &[], "one").unwrap(), "issue_deleted ");
        assert_eq!(tell(EventKind::IssueDeleted, &[], ""), None);
    }
}
