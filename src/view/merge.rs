//! Merges, as JSON and text.

use super::answer::{Any, answer, each, filled, object};
use super::escape::plural;
use super::failure::Failure;
use super::setup::trusted_path;
use super::shapes::failure_object;
use super::value::{is_shown, value_text};
use crate::ledger::MergedLine;
use crate::model::merge::Clash;
use crate::model::when::Calendar;
use crate::ops::Agreed;
use crate::store::{Carried, Integrated, Received, Reconciled, RepoSync, ResolvedLedger, SyncReport};

answer! {
    fn clash(clash: &Clash) {
        field: &clash.field, kept: clash.kept.clone().map(Any), lost: clash.lost.clone().map(Any),
    }

    fn merged_line(line: &MergedLine) {
        id: &line.id, from_ours: &line.from_ours, from_theirs: &line.from_theirs, clashes: each(&line.clashes, clash),
    }

    fn resolved_ledger(ledger: &ResolvedLedger) {
        file: &ledger.file, source_repo: &ledger.source_repo, regions: ledger.regions,
        issues: each(&ledger.lines, merged_line), next: &ledger.next,
    }

    pub fn resolved(resolved: &[ResolvedLedger], dry_run: bool) {
        dry_run: dry_run, resolved: each(resolved, resolved_ledger),
    }

    fn reconciled(one: &Reconciled) {
        id: &one.id, what: &one.what,
    }

    /// Reconciled proposals.
    pub fn reconciliation(done: &[Reconciled], dry_run: bool) {
        dry_run: dry_run, reconciled: each(done, reconciled),
    }

    fn carried(one: &Carried) {
        commit: &one.id, subject: &one.subject,
    }

    fn received(one: &Received) {
        added: &one.added, changed: &one.changed, removed: &one.removed,
    }

    fn repo(one: &RepoSync, failure: &Option<Failure>) {
        repos: &one.repos, vcs: one.vcs, branch: &one.standing.branch, upstream: &one.standing.upstream,
        ahead: one.standing.ahead, behind: one.standing.behind, committed: one.committed,
        integrated: one.integrated.map(integrated_word), received: received(&one.received),
        merged: each(&one.merged, merged_line),
        received_code: filled(&one.received_code).map(|all| each(all, carried)),
        outgoing: filled(&one.outgoing).map(|all| each(all, carried)), sends_to: &one.sends_to,
        pruned: filled(&one.pruned), pushed: one.pushed, retries: one.retries, notes: &one.notes,
        error: failure.as_ref().map(failure_object),
    }

    /// The failures belong to the repos, in order.
    pub fn synced(report: &SyncReport, failures: &[Option<Failure>], dry_run: bool) {
        dry_run: dry_run, repos: each(report.repos.iter().zip(failures), |(one, failure)| repo(one, failure)),
        reconciled: each(&report.reconciled, reconciled),
    }

    fn committed_repo(one: &RepoSync, failure: &Option<Failure>) {
        repos: &one.repos, vcs: one.vcs, committed: one.committed, pruned: filled(&one.pruned), notes: &one.notes,
        error: failure.as_ref().map(failure_object),
    }

    pub fn committed(done: &[RepoSync], failures: &[Option<Failure>], dry_run: bool) {
        dry_run: dry_run, repos: each(done.iter().zip(failures), |(one, failure)| committed_repo(one, failure)),
    }

    /// What the user has agreed to.
    pub fn trusted(agreed: &Agreed, dry_run: bool) {
        dry_run: dry_run, paths: each(&agreed.paths, trusted_path),
        working_copies: each(&agreed.copies, |one| object! {
            path: &one.root, programs: &one.programs, idle: &one.idle, known: one.known,
        }),
        state_homes: each(&agreed.homes, |one| object! { path: &one.home, says: &one.contents, known: one.is_trusted }),
        prime: agreed.text.as_ref().map(|one| object! { path: &one.path, text: &one.text, known: one.known }),
    }
}

/// How one issue was merged: a line about what came from which side, then one for each value that lost.
pub fn merged_text(line: &MergedLine, calendar: &Calendar) -> Vec<String> {
    let clashes: Vec<&Clash> = line.clashes.iter().filter(|clash| is_shown(&clash.field)).collect();
    let settled = |field: &&String| is_shown(field) && !clashes.iter().any(|clash| clash.field == **field);
    let mut parts = Vec::new();
    let (ours, theirs): (&[String], &[String]) = (&line.from_ours, &line.from_theirs);
    // A set or text with something from each side is in both lists.
    for (fields, side, joined) in [(ours, OURS, false), (theirs, THEIRS, false), (ours, "both", true)] {
        let fits = |field: &&String| (ours.contains(field) && theirs.contains(field)) == joined;
        let fields: Vec<&str> = fields.iter().filter(settled).filter(fits).map(String::as_str).collect();
        if !fields.is_empty() {
            parts.push(format!("{} from {side}", fields.join(", ")));
        }
    }
    if clashes.iter().any(|clash| clash.field == CREATED) {
        parts.push("two different issues had this id and were joined".to_owned());
    }
    if line.revived {
        parts.push("removed on one side, edited on the other: kept".to_owned());
    }
    if !clashes.is_empty() {
        parts.push("changed on both sides:".to_owned());
    }
    let what = if parts.is_empty() { "merged".to_owned() } else { parts.join("; ") };
    let mut lines = vec![format!("{}: {what}", line.id)];
    lines.extend(clashes.iter().map(|clash| format!("  {}", clash_text(clash, line, calendar))));
    lines
}

/// A clash over this field: the sides are not versions of one issue.
const CREATED: &str = "created_at";

const OURS: &str = "ours";
const THEIRS: &str = "theirs";

/// Both values, their sides, and where the losing one is now.
fn clash_text(clash: &Clash, line: &MergedLine, calendar: &Calendar) -> String {
    let has = |fields: &[String]| fields.contains(&clash.field);
    let (winner, loser) = match (has(&line.from_ours), has(&line.from_theirs)) {
        (true, false) => (format!(" from {OURS}"), format!(" from {THEIRS}")),
        (false, true) => (format!(" from {THEIRS}"), format!(" from {OURS}")),
        _ => (String::new(), String::new()),
    };
    let value = |raw: &Option<String>| value_text(&clash.field, raw.as_deref(), Some(calendar));
    let kept = if clash.lost.is_some() { ", which is kept as a comment" } else { "" };
    format!("{}: {}{winner}, not {}{loser}{kept}", clash.field, value(&clash.kept), value(&clash.lost))
}

fn integrated_word(integrated: Integrated) -> &'static str {
    match integrated {
        Integrated::UpToDate => "up_to_date",
        Integrated::Forwarded => "forwarded",
        Integrated::Merged => "merged",
        Integrated::Rebased => "rebased",
    }
}

/// The result for one working copy.
pub fn synced_text(one: &RepoSync, failed: bool, dry_run: bool) -> String {
    let mut parts = Vec::new();
    if one.committed {
        parts.push(if dry_run { "would be committed" } else { "committed" }.to_owned());
    }
    match one.integrated {
        Some(Integrated::Merged) => parts.push("merged".to_owned()),
        Some(Integrated::Rebased) => parts.push("rebased".to_owned()),
        Some(Integrated::Forwarded) => parts.push("fast-forwarded".to_owned()),
        Some(Integrated::UpToDate) | None => {}
    }
    let counts = [("new", &one.received.added), ("changed", &one.received.changed), ("removed", &one.received.removed)];
    let counts: Vec<_> = counts.iter().filter(|(_, ids)| !ids.is_empty()).collect();
    let noun = if counts.last().is_some_and(|(_, ids)| ids.len() == 1) { "issue" } else { "issues" };
    let counts: Vec<String> = counts.into_iter().map(|(word, ids)| format!("{} {word}", ids.len())).collect();
    if !counts.is_empty() {
        parts.push(format!("received {} {noun}", counts.join(", ")));
    }
    parts.extend(pruned_text(one, dry_run));
    if one.pushed {
        let again = if one.retries > 0 {
            format!(" after {}", plural(one.retries as usize, "more attempt"))
        } else {
            String::new()
        };
        parts.push(format!("pushed{again}"));
    }
    if dry_run && one.standing.behind > 0 {
        parts.push(format!("{} to merge", plural(one.standing.behind, "commit")));
    }
    if let Some(to) = &one.sends_to {
        let count = plural(one.outgoing.len() + usize::from(one.committed), "commit");
        let what = if one.standing.behind > 0 { "what comes of it" } else { &count };
        parts.push(format!("would push {what} to {to}"));
    }
    if parts.is_empty() {
        parts.push(if failed { "failed" } else { "nothing to do" }.to_owned());
    }
    let upstream = one.standing.upstream.as_deref().map(|name| format!(" ({} with {name})", one.vcs));
    let place = format!("{}{}", one.repos.join(", "), upstream.unwrap_or_else(|| format!(" ({})", one.vcs)));
    format!("{place}: {}", parts.join(", "))
}

/// The exchanged commits worth mentioning: what a dry run would send, and code that was received.
pub fn carried_texts(one: &RepoSync) -> Vec<String> {
    let mut texts: Vec<String> = one.outgoing.iter().map(|commit| format!("would push {commit}")).collect();
    let code: Vec<String> = one.received_code.iter().take(SHOWN).map(ToString::to_string).collect();
    if !code.is_empty() {
        let rest = one.received_code.len() - code.len();
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let count = plural(one.received_code.len(), "commit");
        texts.push(format!("brought {count} with files outside of the ledger: {}{rest}", code.join(", ")));
    }
    texts
}

/// How many commits are named.
const SHOWN: usize = 5;

/// What was pruned as the settings ask.
pub fn pruned_text(one: &RepoSync, dry_run: bool) -> Option<String> {
    let count = plural(one.pruned.len(), "closed issue");
    (!one.pruned.is_empty()).then(|| if dry_run { format!("would prune {count}") } else { format!("pruned {count}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Instant;

    fn texts(line: &MergedLine) -> Vec<String> {
        merged_text(line, &Calendar::utc(Instant::parse("2026-01-05T09:00:00Z").unwrap()))
    }

    fn line(from_ours: &[&str], from_theirs: &[&str], clashes: &[(&str, Option<&str>, Option<&str>)]) -> MergedLine {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let clash = |(field, kept, lost): &(&str, Option<&str>, Option<&str>)| Clash {
            field: (*field).to_owned(),
            kept: kept.map(str::to_owned),
            lost: lost.map(str::to_owned),
        };
        MergedLine {
            id: "bd-1".into(),
            from_ours: names(from_ours),
            from_theirs: names(from_theirs),
            clashes: clashes.iter().map(clash).collect(),
            revived: false,
        }
    }

    #[test]
    fn what_follows_from_other_fields_is_not_shown() {
        let one =
            line(&["labels", "updated_at"], &["priority", "content_hash"], &[("updated_at", Some("1"), Some("2"))]);
        assert_eq!(texts(&one), ["bd-1: labels from ours; priority from theirs"]);
        assert_eq!(texts(&line(&["updated_at"], &[], &[])), ["bd-1: merged"]);
        let revived = MergedLine { revived: true, ..line(&[], &[], &[]) };
        assert_eq!(texts(&revived), ["bd-1: removed on one side, edited on the other: kept"]);
    }

    #[test]
    fn two_issues_under_one_id() {
        let clash = ("created_at", Some(r#""2026-01-01T00:00:00Z""#), Some(r#""2026-01-02T00:00:00Z""#));
        let texts = texts(&line(&["created_at"], &[], &[clash])).concat();
        assert!(texts.starts_with("bd-1: two different issues had this id and were joined; changed"), "{texts}");
        assert!(texts.ends_with(
            "created_at: 2026-01-01 00:00 from ours, not 2026-01-02 00:00 from theirs, which is kept as a comment"
        ));
    }

    #[test]
    fn what_was_joined_is_shown_once() {
        let one = line(&["labels", "notes"], &["labels", "priority"], &[]);
        assert_eq!(texts(&one), ["bd-1: notes from ours; priority from theirs; labels from both"]);
    }

    #[test]
    fn a_clash_shows_both_values_and_where_the_other_went() {
        let long = format!("\"{}\"", "ä".repeat(60));
        let clashes = [("title", Some(r#""New""#), Some(long.as_str())), ("priority", Some("1"), None)];
        let cut = "ä".repeat(40);
        assert_eq!(
            texts(&line(&["title"], &["priority"], &clashes)),
            [
                "bd-1: changed on both sides:".to_owned(),
                format!(r#"  title: "New" from ours, not "{cut}…" from theirs, which is kept as a comment"#),
                "  priority: 1 from theirs, not nothing from ours".to_owned(),
            ]
        );
    }
}
