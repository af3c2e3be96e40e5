//! A project, its repos and settings as JSON.

use super::answer::{Any, Value, answer, each, filled, object, or_null};
use super::shapes::rows;
use crate::ops::{
    Configured, Facts, Initialised, Migrated, MissingRepo, Placed, RepoStatus, SetupFile, SetupReport, StateMoved,
    Whereabouts,
};
use crate::store::settings::{ForeignSetting, HeldBecause, Setting, Value as Set};
use crate::store::{Access, OutsidePath, RenamedLedger, RenamedPrefix, RoleDecision, StateHome};

answer! {
    pub fn initialised(made: &Initialised) {
        status: if made.already { "already_initialized" } else { "initialized" },
        path: &made.beads, ledger: &made.ledger, prefix: &made.prefix, steps: &made.steps,
        config: made.configured.as_ref().map(configured),
    }

    fn set_up_file(file: &SetupFile) {
        what: file.what, path: &file.path, state: file.state.word(), because: &file.because, text: &file.text,
        replaces: filled(&file.replaces),
    }

    /// The result or state of setting up a client.
    pub fn set_up(report: &SetupReport) {
        client: report.client, scope: report.scope, because: &report.because,
        files: each(&report.files, set_up_file), next: report.next,
    }

    /// Settings that were changed.
    pub fn configured(done: &Configured) {
        files: each(&done.files, |file| object! { path: &file.path, origin: file.origin.word(), changed: file.changed }),
        remarks: &done.remarks,
    }

    /// A setting with its value, which may have several types.
    pub fn setting_value(key: &str, value: &Set) {
        key: key, value: set(value),
    }

    pub fn setting(setting: &Setting, held: Option<HeldBecause>) {
        key: setting.key.name, value: set(&setting.value), origin: setting.origin.word(),
        place: Some(&setting.place).filter(|place| !place.is_empty()), held: held.map(HeldBecause::text),
    }

    /// A setting of another program.
    pub fn foreign_setting(one: &ForeignSetting) {
        key: &one.name, value: or_null(Some(&one.value)), origin: one.origin.word(), place: &one.place,
        held: one.held.map(HeldBecause::text),
    }

    pub fn trusted_path(path: &OutsidePath) {
        key: path.key, path: &path.text, resolved: &path.resolved, missing: path.is_missing().then_some(true),
    }

    pub fn trusted_paths(paths: &[OutsidePath], dry_run: bool) {
        trusted: each(paths, trusted_path), dry_run: dry_run,
    }

    fn missing_repo(one: &MissingRepo) {
        path: &one.path, address: &one.address,
    }

    pub fn cloned_repos(cloned: &[MissingRepo], unknown: &[MissingRepo], dry_run: bool) {
        cloned: each(cloned, missing_repo), without_address: each(unknown, missing_repo), dry_run: dry_run,
    }

    pub fn repo_status(repo: &RepoStatus) {
        id: &repo.id, source_repo: &repo.name, path: &repo.path, kind: repo.kind, origin: repo.origin,
        ledger: &repo.ledger, issues: repo.issues, writable: repo.access == Access::Write, auto_commit: repo.commits,
        reason: if let Access::Read(reason) = &repo.access { Some(reason) } else { None },
    }

    pub fn role(decision: &RoleDecision, in_effect: bool) {
        role: decision.role.to_string(), rule: decision.rule, because: &decision.because, in_effect: in_effect,
    }

    pub fn whereabouts(one: &Whereabouts) {
        path: &one.beads, prefix: &one.prefix, database_path: &one.ledger, ledger: &one.ledger, source_repo: ".",
        reason: &one.reason, state_home: &one.state.path, state_mode: one.state.mode.word(),
        state_reason: &one.state.reason, state_outbox: &one.outbox,
        worktree_id: one.checkout.as_ref().and_then(|place| place.id.as_ref()),
        worktree: one.checkout.as_ref().map(|place| &place.name),
        workspace_id: one.workspace.as_ref().map(|space| &space.id),
        agent: one.agent.as_ref().map(|(name, _)| name), repos: &one.repos,
        new_issues: one.route.as_ref().ok().map(|(repo, _)| repo),
        routing_rule: one.route.as_ref().ok().map(|(_, rule)| rule),
        routing_error: one.route.as_ref().err().map(ToString::to_string),
    }

    fn prefix_config(prefix: &str) {
        issue_prefix: prefix,
    }

    pub fn info(facts: &Facts, place: &Whereabouts, decision: &RoleDecision, matters: bool) {
        database_path: &facts.ledger, ledger: &facts.ledger, issue_count: facts.issues, ledger_bytes: facts.bytes,
        mode: "direct", actor: &facts.actor, version: env!("CARGO_PKG_VERSION"), config: prefix_config(&facts.prefix),
        place: whereabouts(place), role: role(decision, matters),
    }

    pub fn version(version: &str) {
        version: version, build: "release", branch: "",
    }

    pub fn state_home(home: &StateHome, exists: bool) {
        state_home: &home.path, mode: home.mode.word(), reason: &home.reason, exists: exists,
    }

    pub fn moved_state(moved: &StateMoved, dry_run: bool) {
        from: &moved.from.path, to: &moved.to.path, mode: moved.to.mode.word(),
        records: moved.copied.iter().map(|(_, count)| count).sum::<usize>(),
        files: each(&moved.copied, |(name, count)| object! { file: name, records: *count }), dry_run: dry_run,
    }

    pub fn migrated(done: &Migrated, dry_run: bool) {
        target: &done.to, dry_run: dry_run, moved: &done.moved, would_move: rows(done.chosen.iter().filter(|_| dry_run)),
    }

    pub fn renamed_ledger(done: &RenamedLedger, dry_run: bool) {
        from: &done.from, ledger: &done.to, changed: done.changed, dry_run: dry_run,
    }

    /// What the original would report as migrations.
    pub fn migrations(count: usize, prefix: &str) {
        registered_migrations: Vec::<&str>::new(),
        current_state: object! {
            schema_version: env!("CARGO_PKG_VERSION"), issue_count: count, config: prefix_config(prefix),
            missing_config: Vec::<&str>::new(), db_exists: true,
        },
        warnings: Vec::<&str>::new(), invariants_to_check: Vec::<&str>::new(),
    }

    pub fn renamed_prefix(done: &RenamedPrefix, dry_run: bool) {
        old_prefix: &done.old, new_prefix: &done.new, issues_count: done.names.len(), issues_unchanged: done.others,
        dry_run: dry_run,
    }

    pub fn exported(count: usize, path: &std::path::Path) {
        exported: count, path: path,
    }

    /// An issue that would be filed.
    pub fn placed(one: &Placed) {
        dry_run: true, title: &one.issue.title, issue_type: &one.issue.issue_type, priority: one.issue.priority,
        ledger: &one.ledger, source_repo: &one.repo, routing_rule: &one.route.rule,
    }
}

fn set(value: &Set) -> Any {
    Any(match value {
        Set::Text(text) => text.json(),
        Set::Flag(flag) => flag.json(),
        Set::List(items) => items.json(),
    }
    .unwrap_or_default())
}
