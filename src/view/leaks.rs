//! Leaks, and the hooks that check for them.

use super::answer::{answer, each, object};
use crate::model::proposal::Leak;
use crate::store::{Found, FoundLeak, HookState, HooksStatus, LeakReport};

/// Describes a leak: the field, never its content.
pub fn leak_text(found: &Found) -> String {
    match found {
        Found::Path(what) => format!("the path of {what}"),
        Found::Issue { id, leak } => match leak {
            Leak::Local => format!("an issue that is local: {id}"),
            Leak::Private => format!("a private issue of a planning repo: {id}"),
            Leak::Field(field) => format!("the private {field} of {id}"),
            Leak::Dependency(target) => format!("{id} depends on a private issue: {target}"),
            Leak::Mention(target) => format!("{id} names a private issue: {target}"),
        },
    }
}

answer! {
    fn leak(leak: &FoundLeak) {
        commit: &leak.commit, file: &leak.file, line: leak.line, kind: leak.found.kind(),
        ..named?(if let Found::Issue { id, leak } = &leak.found { Some((id, leak)) } else { None }),
        message: leak_text(&leak.found),
    }

    fn named(found: (&String, &Leak)) {
        id: found.0,
        field: if let Leak::Field(field) = found.1 { Some(field) } else { None },
        depends_on_id: if let Leak::Dependency(target) = found.1 { Some(target) } else { None },
        names: if let Leak::Mention(target) = found.1 { Some(target) } else { None },
    }

    pub fn leak_report(report: &LeakReport) {
        ok: report.leaks.is_empty(), checked: report.checked, leaks: each(&report.leaks, leak), skipped: &report.skipped,
    }

    fn hook(hook: &HookState) {
        name: &hook.name, state: hook.state, chained: &hook.chained,
    }

    pub fn hooks(status: &HooksStatus, changed: bool) {
        installed: status.installed, changed: changed, directory: &status.directory,
        hooks: each(&status.hooks, hook), remarks: &status.remarks,
        merge_driver: object! {
            state: status.driver.state, command: &status.driver.command, file: &status.driver.file,
            shared: status.driver.shared,
        },
    }
}
