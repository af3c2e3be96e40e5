//! Writes missing from the ledgers, and the results of recovery.

use super::answer::{Line, answer, each, object};
use crate::store::{Recovered, Recovery};

answer! {
    fn recovered(one: &Recovered) {
        id: &one.id, source_repo: &one.source_repo, action: if one.was_gone { "restored" } else { "merged" },
        fields: &one.fields, written_at: &one.at, actor: &one.actor, from: &one.from, line: Line(&*one.line),
    }

    pub fn recovery(found: &Recovery, dry_run: bool, discarded: bool) {
        dry_run: dry_run,
        recovered: each(found.recovered.iter().filter(|_| !discarded), recovered),
        discarded: found.recovered.iter().filter(|_| discarded).map(|one| &one.id).collect::<Vec<_>>(),
        gone: each(&found.gone, |(ledger, id)| object! { ledger: ledger, id: id }),
    }
}
