//! Merges, as programs read them.

use super::failure::Failure;
use super::object::{Object, array};
use super::plural;
use super::shapes::failure_object;
use crate::ledger::MergedLine;
use crate::store::{Integrated, NamedPrograms, Received, RepoSync, ResolvedLedger, SyncReport};

pub fn resolved(resolved: &[ResolvedLedger], dry_run: bool) -> String {
    let ledgers = resolved.iter().map(|ledger| {
        Object::new()
            .text("file", &ledger.file.display().to_string())
            .text("source_repo", &ledger.source_repo)
            .number("regions", ledger.regions as i64)
            .raw("issues", &array(ledger.lines.iter().map(merged_line)))
            .optional("next", ledger.next.as_deref())
            .finish()
    });
    Object::new().flag("dry_run", dry_run).raw("resolved", &array(ledgers)).finish()
}

fn merged_line(line: &MergedLine) -> String {
    let clashes = line.clashes.iter().map(|clash| {
        let object = Object::new().text("field", &clash.field);
        let object = clash.kept.iter().fold(object, |object, value| object.raw("kept", value));
        clash.lost.iter().fold(object, |object, value| object.raw("lost", value)).finish()
    });
    Object::new()
        .text("id", &line.id)
        .texts("from_ours", &line.from_ours)
        .texts("from_theirs", &line.from_theirs)
        .raw("clashes", &array(clashes))
        .finish()
}

/// What became of one issue, in words.
pub fn merged_text(line: &MergedLine) -> String {
    let mut parts = Vec::new();
    for (fields, side) in [(&line.from_ours, "ours"), (&line.from_theirs, "theirs")] {
        if !fields.is_empty() {
            parts.push(format!("{} from {side}", fields.join(", ")));
        }
    }
    let clashes: Vec<&str> = line.clashes.iter().map(|clash| clash.field.as_str()).collect();
    if !clashes.is_empty() {
        parts.push(format!("changed on both sides: {}", clashes.join(", ")));
    }
    if parts.is_empty() { "merged".to_owned() } else { parts.join("; ") }
}

/// The failures are those of the repos, in their order.
pub fn synced(report: &SyncReport, failures: &[Option<Failure>], dry_run: bool) -> String {
    let reconciled =
        report.reconciled.iter().map(|done| Object::new().text("id", &done.id).text("what", &done.what).finish());
    Object::new()
        .flag("dry_run", dry_run)
        .raw("repos", &array(report.repos.iter().zip(failures).map(repo)))
        .raw("reconciled", &array(reconciled))
        .finish()
}

pub fn committed(done: &[RepoSync], failures: &[Option<Failure>], dry_run: bool) -> String {
    let repos = done.iter().zip(failures).map(|(one, failure)| {
        let object = Object::new().texts("repos", &one.repos).text("vcs", &one.kind.to_string());
        with_error(object.flag("committed", one.committed).texts("notes", &one.notes), failure).finish()
    });
    Object::new().flag("dry_run", dry_run).raw("repos", &array(repos)).finish()
}

fn repo((one, failure): (&RepoSync, &Option<Failure>)) -> String {
    let Received { added, changed, removed, .. } = &one.received;
    let received = Object::new().texts("added", added).texts("changed", changed).texts("removed", removed).finish();
    let object = Object::new()
        .texts("repos", &one.repos)
        .text("vcs", &one.kind.to_string())
        .optional("branch", one.standing.branch.as_deref())
        .optional("upstream", one.standing.upstream.as_deref())
        .number("ahead", one.standing.ahead as i64)
        .number("behind", one.standing.behind as i64)
        .flag("committed", one.committed)
        .optional("integrated", one.integrated.map(integrated_word))
        .raw("received", &received)
        .raw("merged", &array(one.merged.iter().map(merged_line)))
        .flag("pushed", one.pushed)
        .number("retries", i64::from(one.retries))
        .texts("notes", &one.notes);
    with_error(object, failure).finish()
}

fn with_error(object: Object, failure: &Option<Failure>) -> Object {
    match failure {
        Some(failure) => object.raw("error", &failure_object(failure)),
        None => object,
    }
}

fn integrated_word(integrated: Integrated) -> &'static str {
    match integrated {
        Integrated::UpToDate => "up_to_date",
        Integrated::Forwarded => "forwarded",
        Integrated::Merged => "merged",
        Integrated::Rebased => "rebased",
    }
}

/// What became of one working copy, in words.
pub fn synced_text(one: &RepoSync, failed: bool, dry_run: bool) -> String {
    let mut parts = Vec::new();
    if one.committed {
        parts.push(if dry_run { "would be committed" } else { "committed" }.to_owned());
    }
    match one.integrated {
        Some(Integrated::Merged) => parts.push("merged".to_owned()),
        Some(Integrated::Rebased) => parts.push("rebased".to_owned()),
        Some(Integrated::Forwarded | Integrated::UpToDate) | None => {}
    }
    let counts = [("new", &one.received.added), ("changed", &one.received.changed), ("removed", &one.received.removed)];
    let counts = counts.iter().filter(|(_, ids)| !ids.is_empty());
    let counts: Vec<String> = counts.map(|(word, ids)| format!("{} {word}", ids.len())).collect();
    if !counts.is_empty() {
        parts.push(format!("received {}", counts.join(", ")));
    }
    if one.pushed {
        let again = if one.retries > 0 {
            format!(" after {}", plural(one.retries as usize, "more attempt"))
        } else {
            String::new()
        };
        parts.push(format!("pushed{again}"));
    }
    if dry_run && one.standing.ahead > 0 {
        parts.push(format!("{} to push", plural(one.standing.ahead, "commit")));
    }
    if dry_run && one.standing.behind > 0 {
        parts.push(format!("{} to merge", plural(one.standing.behind, "commit")));
    }
    if parts.is_empty() {
        parts.push(if failed { "failed" } else { "nothing to do" }.to_owned());
    }
    let upstream = one.standing.upstream.as_deref().map(|name| format!(" ({} with {name})", one.kind));
    let place = format!("{}{}", one.repos.join(", "), upstream.unwrap_or_else(|| format!(" ({})", one.kind)));
    format!("{place}: {}", parts.join(", "))
}

pub fn trusted(found: &[NamedPrograms], dry_run: bool) -> String {
    let copies = found.iter().map(|one| {
        Object::new()
            .text("path", &one.root.display().to_string())
            .texts("programs", &one.programs)
            .flag("known", one.known)
            .finish()
    });
    Object::new().flag("dry_run", dry_run).raw("working_copies", &array(copies)).finish()
}
