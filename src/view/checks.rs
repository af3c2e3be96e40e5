//! Problems of issues, and how issues are connected, as JSON.

use std::collections::BTreeMap;

use super::answer::{Line, answer, each, object};
use super::issue::summary;
use super::shapes::{replies, rows};
use crate::model::json::Object;
use crate::model::proposal::HeldBack;
use crate::ops::{Check, Component, Concern, Linted, Polluted, Triaged};
use crate::store::{Commit, ProposalRow, Proposed, Row, Written};

answer! {
    fn check(check: &Check) {
        name: check.name, status: check_word(check), message: format!("{} found", check.found.len()),
        issue_count: check.found.len(), fixed_count: check.fixed, found: &check.found,
    }

    pub fn validated(path: &std::path::Path, checks: &[Check]) {
        path: path, overall_ok: is_ok(checks), healthy: is_ok(checks),
        total_issues: checks.iter().map(|check| check.found.len()).sum::<usize>(),
        total_fixed: checks.iter().map(|check| check.fixed).sum::<usize>(), checks: each(checks, check),
    }

    fn dangling(edge: &(String, String, String)) {
        issue_id: &edge.0, depends_on_id: &edge.1, type: &edge.2,
    }

    pub fn dangling_edges(edges: &[(String, String, String)], fixed: Option<usize>) {
        orphans_found: edges.len(), orphans: each(edges, dangling), fixed: fixed,
    }

    fn polluted(one: &Polluted) {
        id: &one.row.issue.id, title: &one.row.issue.title, score: f64::from(one.score) / 10.0, reasons: &one.reasons,
        created_at: &one.row.issue.created_at,
    }

    pub fn pollution(found: &[Polluted], deleted: Option<&[String]>) {
        polluted_count: found.len(), high_confidence: found.iter().filter(|one| one.score >= 9).count(),
        medium_confidence: found.iter().filter(|one| one.score < 9).count(), issues: each(found, polluted),
        deleted: deleted,
    }

    fn linted(one: &Linted) {
        id: &one.row.issue.id, title: &one.row.issue.title, type: &one.row.issue.issue_type, missing: &one.missing,
        warnings: one.missing.len(),
    }

    pub fn lint(found: &[Linted]) {
        total: found.iter().map(|one| one.missing.len()).sum::<usize>(), issues: found.len(), results: each(found, linted),
    }

    /// An open issue mentioned in a commit.
    pub fn named_issue(row: &Row, commit: &Commit) {
        issue_id: &row.issue.id, title: &row.issue.title, status: &row.issue.status,
        latest_commit: &commit.id, latest_commit_message: &commit.summary,
    }

    /// An issue that somebody should look at.
    pub fn triaged(one: &Triaged) {
        id: &one.row.issue.id, title: &one.row.issue.title, status: &one.row.issue.status,
        priority: one.row.issue.priority, updated_at: &one.row.issue.updated_at, concern: one.concern.word(),
        about: Some(&one.about).filter(|about| !about.is_empty()), advice: one.concern.advice(),
    }

    /// Issues with one title.
    pub fn duplicates(groups: &BTreeMap<String, Vec<Row>>) {
        duplicate_groups: groups.len(),
        groups: each(groups.values(), |all| object! { title: &all[0].issue.title, issues: rows(all) }),
    }

    pub fn duplicate(id: &str, by: &str) {
        duplicate: id, canonical: by, status: "closed",
    }

    pub fn superseded(id: &str, by: &str) {
        superseded: id, replacement: by, status: "closed",
    }

    pub fn added_dependency(id: &str, target: &str, kind: &str) {
        status: "added", issue_id: id, depends_on_id: target, type: kind,
    }

    /// The same from the other end.
    pub fn added_blocker(id: &str, target: &str, kind: &str) {
        status: "added", blocker_id: target, blocked_id: id, type: kind,
    }

    pub fn removed_dependency(id: &str, target: &str) {
        status: "removed", issue_id: id, depends_on_id: target,
    }

    pub fn related(one: &str, other: &str) {
        id1: one, id2: other, related: true,
    }

    pub fn unrelated(one: &str, other: &str) {
        id1: one, id2: other, unrelated: true,
    }

    pub fn labelled(status: &str, id: &str, label: &str) {
        status: status, issue_id: id, label: label,
    }

    pub fn label_count(label: &str, count: i64) {
        label: label, count: count,
    }

    pub fn types(core: &[(&str, &str)], custom: &[String], other: &[String], used: &[String]) {
        core_types: each(core, |(name, about)| object! { name: *name, description: *about }),
        custom_types: custom, other_types: other, used_types: used,
    }

    pub fn closed(written: &[&Written], next: &[Row]) {
        closed: replies(written.iter().copied()), unblocked: rows(next),
    }

    /// One issue that was deleted, or several.
    pub fn deleted(one: Option<&str>, many: &[&str]) {
        ..one_deleted?(one), ..many_deleted?(Some(many).filter(|_| one.is_none())),
        dependencies_removed: 0, references_updated: 0,
    }

    fn one_deleted(id: &str) {
        deleted: id,
    }

    fn many_deleted(ids: &[&str]) {
        deleted: ids, deleted_count: ids.len(),
    }

    pub fn would_delete(rows: &[&Row]) {
        preview: true, would_delete: each(rows.iter().copied(), summary),
    }

    fn layout(part: &Component) {
        Nodes: nodes(part), Layers: part.layers.iter().collect::<Vec<_>>(),
        MaxLayer: part.layers.len().saturating_sub(1), RootID: &part.root,
    }

    pub fn graph(part: &Component) {
        root: part.issues.get(&part.root).map(summary), issues: rows(part.issues.values()), layout: layout(part),
        circular: &part.circular,
    }

    fn held_back(held: &HeldBack) {
        what: &held.what, why: held.why,
    }

    pub fn proposed(one: &Proposed, dry_run: bool) {
        id: &one.id, former_id: &one.former_id, dry_run: dry_run, already: one.already, source_repo: &one.source_repo,
        target: &one.target, line: Line(&*one.line), held_back: each(&one.held_back, held_back),
    }

    /// A proposal that was withdrawn, accepted or rejected.
    pub fn decided(id: &str, state: &str, changed: bool, answer: Option<String>) {
        id: id, state: state, changed: changed, pull_request: answer,
    }

    pub fn proposal(row: &ProposalRow) {
        id: &row.id, title: &row.title, state: row.standing.word(), proposal_id: &row.proposal.id,
        author: &row.proposal.author, target: &row.proposal.target, by: &row.proposal.by, at: &row.proposal.at,
        reason: &row.proposal.reason, planning_repo: &row.planning, source_repo: &row.target, branches: &row.branches,
    }
}

fn is_ok(checks: &[Check]) -> bool {
    checks.iter().all(|check| check.found.len() == check.fixed)
}

fn check_word(check: &Check) -> &'static str {
    match (check.found.len() == check.fixed, check.damage) {
        (true, _) => "ok",
        (false, false) => "warning",
        (false, true) => "error",
    }
}

/// The place of each issue in the drawing, and what it waits for.
fn nodes(part: &Component) -> Object {
    let placed = part.layers.iter().enumerate().flat_map(|(n, layer)| layer.iter().enumerate().map(move |id| (n, id)));
    placed.fold(Object::new(), |nodes, (layer, (position, id))| {
        let waits = part.waits_for.get(id).map_or(&[][..], Vec::as_slice);
        nodes.raw(id, &object! { Layer: layer, Position: position, DependsOn: waits }.finish())
    })
}

/// An issue that somebody should look at, and why, for people.
pub fn triaged_cells(one: &Triaged) -> [String; 4] {
    let issue = &one.row.issue;
    let about = match one.concern {
        Concern::Double => format!("like {}", one.about),
        _ => one.about.clone(),
    };
    [issue.id.clone(), issue.status.to_string(), issue.title.clone(), about]
}
