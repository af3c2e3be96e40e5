//! Status and assignee that are this user's own: of what they proposed, and of what they claimed and may not write.
//!
//! The ledger of the project says nothing of it, and no write takes it from here: only answers show it.

use super::{Access, Result, View};
use crate::cache::{Key, Own};
use crate::model::issue;
use crate::model::lease::Standing;
use crate::model::proposal::{self, Proposal};
use crate::model::record::Record;

impl View {
    /// Brings what is shown as this user's own up to date.
    pub(super) fn show_own(&mut self) -> Result<()> {
        let is_past = (0..self.sources.len()).any(|source| self.sources.is_frozen(source));
        let own = match self.has_roles() && !is_past {
            true => [self.own_proposed(), self.own_claimed()?].concat(),
            false => Vec::new(),
        };
        Ok(self.cache.set_own(&own)?)
    }

    /// Proposed issues whose planning copies say more than the target may know.
    fn own_proposed(&self) -> Vec<(Key, Own)> {
        let own = |(planning, target): &(Key, Key)| {
            let (ours, theirs) = (self.sources.text(*planning), self.sources.text(*target));
            let (ours, theirs) = (Record::parse(&ours).ok()?, Record::parse(&theirs).ok()?);
            // The target's line can be of another proposal, or a stranger's.
            let is_same = Proposal::of(&ours)?.id == Proposal::of(&theirs)?.id;
            let (status, assignee) = proposal::own_state(&ours, &theirs).filter(|_| is_same)?;
            self.is_planning(self.sources.member_of_key(*planning)).then_some((*target, Own { status, assignee }))
        };
        self.sources.pairs().iter().filter_map(own).collect()
    }

    /// Issues of the project that somebody has claimed here and that this user may not write.
    fn own_claimed(&mut self) -> Result<Vec<(Key, Own)>> {
        let now = self.host.clock.both();
        // What cannot be read is told by those who ask for claims.
        let Ok(claims) = self.claims() else { return Ok(Vec::new()) };
        let live = claims.iter().filter(|(_, lease)| super::leases::standing(lease, &now) == Standing::Live);
        let held = live.filter_map(|(id, lease)| Some((id.clone(), lease.holder.as_ref()?.name.clone())));
        let held: Vec<(String, String)> = held.collect();
        let mut found: Vec<(Key, Own)> = Vec::new();
        for (id, name) in held {
            let Some(source) = self.sources.owner(&id).filter(|n| self.sources.member_of(*n) == 0) else { continue };
            let line = self.sources.line(source, &id).unwrap_or_default();
            let Ok(record) = Record::parse(&line) else { continue };
            let assignee = record.text_of("assignee").filter(|known| *known != name);
            if issue::status_of(&record).as_str() != "open" || assignee.is_some() {
                continue;
            }
            if self.access_to_line(0, &id, &line)? == Access::Write {
                continue;
            }
            let own = Own { status: "in_progress".to_owned(), assignee: Some(name) };
            found.extend(
                self.cache.key_of(&id)?.filter(|key| found.iter().all(|(known, _)| known != key)).map(|key| (key, own)),
            );
        }
        Ok(found)
    }
}
