//! What was missing from the ledgers, and what became of it.

use super::{Object, array};
use crate::store::{Recovered, Recovery};

pub fn recovery(found: &Recovery, dry_run: bool, discarded: bool) -> String {
    let recovered = found.recovered.iter().filter(|_| !discarded).map(|one: &Recovered| {
        let from = one.from.as_ref().map(|path| path.display().to_string());
        Object::new()
            .text("id", &one.id)
            .text("source_repo", &one.source_repo)
            .text("action", if one.was_gone { "restored" } else { "merged" })
            .texts("fields", &one.fields)
            .text("written_at", &one.at)
            .text("actor", &one.actor)
            .optional("from", from.as_deref())
            .raw("line", &one.line)
            .finish()
    });
    let gone = found
        .gone
        .iter()
        .map(|(ledger, id)| Object::new().text("ledger", &ledger.display().to_string()).text("id", id).finish());
    Object::new()
        .flag("dry_run", dry_run)
        .raw("recovered", &array(recovered))
        .texts("discarded", found.recovered.iter().filter(|_| discarded).map(|one| &one.id))
        .raw("gone", &array(gone))
        .finish()
}
