//! Repositories from elsewhere, in which everything that can name a program names a canary: no command of `bd` runs one
//! before `bd trust`. (That each canary can fire is shown in `tests/vcs/hostile_git.rs`.)

use std::fs;

use crate::support::harness::{BD, Env, Run};
use crate::support::programs::have;
use crate::support::repos::sh;

/// Every command with a call that only looks; a command that has none is in [`WRITERS`].
pub const READERS: &[&str] = &[
    "ready",
    "list",
    "show bd-base",
    "search Base",
    "why bd-base",
    "doctor",
    "help",
    "comments bd-base",
    "blocked",
    "children bd-base",
    "epic status",
    "query type=task",
    "count",
    "stats",
    "stale",
    "triage",
    "repo clone --dry-run",
    "duplicates",
    "orphans",
    "types",
    "graph bd-base",
    "graph --all",
    "lint --type chore",
    "human list",
    "validate",
    "repair-deps",
    "detect-pollution",
    "migrate --inspect",
    "log",
    "log bd-base",
    "log --since 3d",
    "blame bd-base",
    "diff",
    "diff 3d..",
    "list --at 3d",
    "ready --at 2100-01-01",
    "show bd-base --at 2100-01-01",
    "changelog --since 3d",
    "prune --dry-run",
    "config list",
    "repo list",
    "role",
    "fleet",
    "proposals",
    "check-leaks",
    "check-leaks --staged",
    "check-leaks --range HEAD~1..HEAD",
    "hooks status",
    "trust --dry-run",
    "commit --dry-run",
    "sync --dry-run",
    "export",
    "resolve --dry-run",
    "recover --dry-run",
    "leases",
    "reclaim --dry-run",
    "state",
    "state move --to global --dry-run",
    "agent list",
    "agent sweep --dry-run",
    "mail inbox",
    "mail thread bd-base",
    "mail overdue --all",
    "watch --for 0s",
    "reserve list",
    "reserve check a b",
    "reserve check --staged",
    "checkpoint list",
    "checkpoint list bd-base --all-worktrees",
    "resume",
    "context bd-base",
    "prime",
    "onboard",
    "setup claude --print",
    "workflow list --all",
    "template list --all",
    "template show feature",
    "workspace list --all",
    "workspace list --orphans",
    "workspace list --stale",
    "workspace list --merged",
    "workspace gc",
    "workspace du",
    "worktree list --all",
    "worktree info",
    "worktree prune",
    "status --all-worktrees",
    "list --all-worktrees",
    "ready --all-worktrees",
    "show bd-base --all-worktrees",
    "where",
    "info",
    "schema",
    "completions bash",
    "man list",
    "version",
    "quickstart",
    "mcp",
    "dep list bd-base",
    "label list bd-base",
    "update bd-base --help",
];
/// Commands that change something: they must work, or refuse, without running a canary.
pub const WRITERS: &[&str] = &[
    "init",
    "add Two --id bd-two",
    "work bd-two",
    "restore bd-two --at 2100-01-01",
    "prune --closed-before tomorrow",
    "update bd-two -p 1",
    "note bd-two words",
    "close bd-two",
    "dep add bd-two bd-base",
    "label add bd-two x",
    "q Three",
    "batch none.jsonl",
    "agent register bob",
    "claim bd-two",
    "release bd-two",
    "assign bd-two bob",
    "run bd-two -- true",
    "ready --claim",
    "claim bd-two --remote",
    "leases --remote",
    "fleet init --yes",
    "reclaim",
    "state move --to worktree",
    "state move --to repo",
    "--agent bob mail send human holder:bd-two -m words",
    "mail archive --read-older-than 1d",
    "reserve src/** --ttl 5m",
    "reserve release --all",
    "checkpoint add bd-two -m words --files auto --snapshot --key k",
    "checkpoint restore bd-two#1 --to out",
    "checkpoint prune --closed-older-than 0s --apply",
    "workflow create Flow --id bd-flow",
    "workflow show bd-flow",
    "workflow set bd-flow --title Other",
    "workflow start bd-flow",
    "workflow next bd-flow --claim",
    "workflow progress bd-flow",
    "workflow add-task bd-flow a",
    "workflow remove-task bd-flow a",
    "workflow replan bd-flow plan.toml",
    "workflow lock bd-flow",
    "workflow unlock bd-flow",
    "workflow wait bd-flow --timeout 0s",
    "template save t --from bd-flow",
    "template validate .beads/templates/t.toml",
    "template apply feature --var feature=x",
    "workflow abandon bd-flow -r enough",
    "workspace create --branch w1 --path ../w1",
    "workspace create --kind worktree --branch w2 --path ../w2",
    "workspace create --kind copy --branch w3 --path ../w3",
    "workspace env w1",
    "workspace update w1 --fetch",
    "workspace update w1 --status idle",
    "workspace create --branch w4",
    "workspace remove w1 --force",
    "workspace remove w2 --force",
    "workspace remove w3",
    "workspace merge w1",
    "land --check true",
    "workspace gc --older-than 0s --apply",
    "workspace gc --artifacts-only --apply",
    "worktree create w --path ../w",
    "worktree remove w",
    "worktree remove w --force",
    "worktree prune --apply",
    "worktree repair",
    "status bd-two open",
    "reopen bd-two",
    "defer bd-two",
    "undefer bd-two",
    "comment bd-two hm",
    "comments add bd-two hm",
    "config set routing.mode single",
    "config trust",
    "repo add ../none",
    "migrate --move-to . --filter status=open",
    "propose bd-two",
    "withdraw bd-two",
    "accept bd-two",
    "reject bd-two --reason no",
    "proposals reconcile",
    "hooks install",
    "hooks uninstall",
    "import out.txt",
    "export -o out.txt",
    "resolve",
    "recover",
    "merge-driver a b c",
    "edit bd-two",
    "doctor --fix",
    "dep relate bd-two bd-base",
    "dep unrelate bd-two bd-base",
    "duplicate bd-two --of bd-base",
    "supersede bd-two --with bd-base",
    "validate --fix-all",
    "repair-deps --fix",
    "detect-pollution --clean --yes",
    "rename-prefix bd --repair",
    "migrate --ledger issues.jsonl",
    "migrate --ledger beads.jsonl",
    "human respond bd-two -r yes",
    "delete bd-two --yes",
    "undo --yes",
    "undo --yes",
];
const SETTINGS: &[&str] = &[
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "core.askPass",
    "diff.external",
    "diff.canary.textconv",
    "diff.canary.command",
    "filter.canary.clean",
    "filter.canary.smudge",
    "filter.canary.process",
    "merge.canary.driver",
    "credential.helper",
    "gpg.program",
    "gpg.ssh.program",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "alias.canary",
    "trailer.x.cmd",
    "uploadpack.packObjectsHook",
    "sequence.editor",
];
const HOOKS: &[&str] = &[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-push",
    "post-merge",
    "post-checkout",
    "reference-transaction",
    "post-index-change",
    "pre-rebase",
    "fsmonitor-watchman",
];

fn ran(env: &Env) -> String {
    fs::read_to_string(env.root().join("ran")).unwrap_or_default()
}

fn canary(env: &Env, name: &str) -> String {
    format!("echo '{name}' >> '{}'; exit 1; :", env.root().join("ran").display())
}

/// Programs of version control in the work tree, and a `PATH` that leads there before all else.
fn fakes(env: &Env) {
    for name in ["git", "hg", "jj", "sl", "sh", "bin/git", "bin/hg", "bin/jj", ".beads/git"] {
        env.write(name, format!("#!/bin/sh\n{}", canary(env, &format!("a {name} of the work tree"))));
    }
    sh(env, "cd web; chmod +x git hg jj sl sh bin/* .beads/git");
    env.set("PATH", format!(".::bin:{}", std::env::var("PATH").unwrap()));
}

/// A clone with commits on both sides and hostile settings, in git.
fn git_repository() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(&env, "git init -q --bare upstream; cd web; git init -q; echo '*.jsonl filter=canary diff=canary merge=canary' > .gitattributes
        git add .; git commit -q -m base; echo 1 > x; git add x; git commit -q -m second
        git remote add origin ../upstream; git push -q -u origin main");
    // The others, before the repository turns hostile.
    sh(&env, "git clone -q upstream other; cd other; echo 2 > y; git add y; git commit -q -m other; git push -q");
    for key in SETTINGS {
        let bang = if key.starts_with("alias.") { "!" } else { "" };
        sh(&env, &format!("cd web; git config '{key}' \"{bang}{}\"", canary(&env, key)));
    }
    for hook in HOOKS {
        env.write(&format!(".git/hooks/{hook}"), format!("#!/bin/sh\n{}", canary(&env, hook)));
    }
    sh(&env, "chmod +x web/.git/hooks/*; rm -f ran");
    fakes(&env);
    Some(env)
}

fn hg_repository() -> Option<Env> {
    if !have(&["hg"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(&env, "cd web; hg init; hg add -q .; hg commit -q -m base; cd ..; hg clone -q web upstream");
    let ran = env.root().join("ran");
    env.write("evil.py", format!("open({:?}, 'a').write('extension\\n')\n", ran.display().to_string()));
    let command = canary(&env, "hgrc");
    let hooks = [
        "pre-status",
        "pre-commit",
        "precommit",
        "pretxncommit",
        "commit",
        "pre-pull",
        "incoming",
        "update",
        "outgoing",
        "preupdate",
        "post-log",
        "pre-log",
        "pre-cat",
        "pre-id",
    ];
    let hooks: String = hooks.iter().map(|hook| format!("{hook} = {command}\n")).collect();
    let aliases: String = ["status", "log", "commit", "cat", "id", "pull", "push", "files"]
        .iter()
        .map(|name| format!("{name} = !{command}\n"))
        .collect();
    env.write(
        ".hg/hgrc",
        format!("[paths]\ndefault = ../upstream\n[extensions]\nevil = evil.py\nevil2 = {}\n[hooks]\n{hooks}[alias]\n{aliases}[ui]\nssh = {command}\neditor = {command}\nmerge = canary\n[merge-tools]\ncanary.executable = {command}\n", env.path("evil.py").display()),
    );
    fakes(&env);
    Some(env)
}

fn jj_repository() -> Option<Env> {
    if !have(&["git", "jj"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(&env, "git init -q --bare upstream; cd web; (jj git init --colocate; jj commit -m base; echo 1 > x; jj commit -m second; jj git remote add origin ../upstream
        jj bookmark create main -r @-; jj git push --bookmark main --allow-new || jj git push --bookmark main) 2>&1");
    let command = canary(&env, "jj");
    env.write(
        ".jj/repo/config.toml",
        format!(
            "[core]\nfsmonitor = 'watchman'\n[fix.tools.canary]\ncommand = ['sh', '-c', {command:?}]\npatterns = ['all()']\n[merge-tools.canary]\nprogram = 'sh'\nmerge-args = ['-c', {command:?}]\n[ui]\nmerge-editor = 'canary'\npager = ['sh', '-c', {command:?}]\neditor = ['sh', '-c', {command:?}]\n[aliases]\nlog = ['util', 'exec', '--', 'sh', '-c', {command:?}]\n[git]\nexecutable-path = {:?}\n[signing]\nbehavior = 'own'\nbackend = 'gpg'\n[signing.backends.gpg]\nprogram = {:?}\n",
            env.path("git").display().to_string(),
            env.path("git").display().to_string()
        ),
    );
    fakes(&env);
    Some(env)
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Every file, so that a command that refuses is shown to have changed nothing.
fn state(env: &Env) -> String {
    let path = std::env::var("PATH").unwrap();
    sh(
        env,
        &format!(
            "PATH='{path}'; cd web; find . -type f ! -path './.git/bd/*' -print0 | sort -z | xargs -0 sha256sum; cat .git/HEAD 2>/dev/null || true"
        ),
    )
}

#[test]
fn every_command_is_called_here() {
    let help = Env::bare().bd(["help", "--all"]).ok().stdout;
    let named = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let all: Vec<&str> = help.lines().filter(named).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(all.len() > 50, "{all:?}");
    let called = |name: &&str| READERS.iter().chain(WRITERS).any(|line| words(line)[0] == *name);
    let missing: Vec<&str> =
        all.into_iter().filter(|name| !called(name)).filter(|name| !name.starts_with('-')).collect();
    assert_eq!(missing, [""; 0], "a command that is not called in a hostile repository");
}

#[track_caller]
fn quiet(env: &Env, line: &str) -> Run {
    let run = env.bd(words(line));
    assert_eq!(ran(env), "", "{line}\n{}", run.snapshot());
    assert_ne!(run.code, 101, "{}", run.snapshot());
    run
}

/// Questions that version control answers.
const PAST: &[&str] = &[
    "triage",
    "orphans",
    "log",
    "blame",
    "diff",
    "list --at",
    "ready --at",
    "show bd-base --at",
    "changelog",
    "worktree prune",
];

fn reads(env: &Env) {
    for line in READERS {
        let run = quiet(env, line);
        let refuses = line.contains("--dry-run") || line.starts_with("check-leaks") || line.ends_with("check --staged");
        // git's range syntax means nothing in hg.
        if line.contains("--range") && env.path(".hg").exists() {
            assert_eq!(run.code, 2, "{}", run.snapshot());
            continue;
        }
        // Behind a filter there is no history to show.
        let filtered = run.code == 1 && run.stderr.contains("passes the filter canary");
        // jj would take settings that the repository brings over as the user's own: it is not asked for the past.
        let is_of_jj = env.path(".jj").exists() && run.code == 10 && PAST.iter().any(|start| line.starts_with(start));
        let is_refused = (refuses || *line == "worktree prune") && [9, 10].contains(&run.code) || is_of_jj;
        assert!(run.code == 0 || filtered || is_refused, "{}", run.snapshot());
    }
}

fn writes(env: &Env) {
    env.set("EDITOR", "true");
    WRITERS.iter().for_each(|line| drop(quiet(env, line)));
    let ids = env.bd(["list", "--all", "--json"]).ok();
    assert!(ids.ids().len() > 1, "{}", ids.snapshot());
    env.write(".beads/config.toml", "[commit]\nprimary = true\n");
    let run = quiet(env, "add Four --id bd-four");
    assert_eq!(run.code, 0, "{}", run.snapshot());
    assert!(run.stderr.contains("not committed"), "{}", run.snapshot());
    fs::remove_file(env.path(".beads/config.toml")).unwrap();
}

/// Refused with the programs and the remedy, and nothing at all is different afterwards.
fn refuses(env: &Env, program: &str) {
    let before = state(env);
    for line in
        ["sync", "commit", "sync --no-push", "sync --no-pull", "sync --dry-run", "commit --dry-run", "commit -m words"]
    {
        quiet(env, line).fails(10, &[program, "bd trust"]);
        assert_eq!(state(env), before, "{line}");
    }
}

#[test]
fn reading_in_git() {
    let Some(env) = git_repository() else { return };
    reads(&env);
}

#[test]
fn reading_in_hg() {
    let Some(env) = hg_repository() else { return };
    reads(&env);
}

#[test]
fn reading_in_jj() {
    let Some(env) = jj_repository() else { return };
    reads(&env);
}

#[test]
fn writing_in_git() {
    let Some(env) = git_repository() else { return };
    writes(&env);
}

#[test]
fn writing_in_hg() {
    let Some(env) = hg_repository() else { return };
    writes(&env);
}

#[test]
fn writing_in_jj() {
    let Some(env) = jj_repository() else { return };
    writes(&env);
}

#[test]
fn exchanging_in_git_needs_trust() {
    let Some(env) = git_repository() else { return };
    env.given("add New --id bd-new");
    refuses(&env, "core.sshcommand");
    let shown = quiet(&env, "trust --dry-run").ok();
    for key in SETTINGS {
        assert!(
            shown.stdout.to_lowercase().contains(&format!(" {} = ", key.to_lowercase())),
            "{key}\n{}",
            shown.snapshot()
        );
    }
    assert!(shown.stdout.contains("not trusted"), "{}", shown.snapshot());
    refuses(&env, "core.sshcommand");
    // Removes what would really break the exchange; harmless, agreed settings stay.
    sh(&env, "cd web; for key in filter.canary diff.canary merge.canary; do git config --remove-section $key; done
        for key in core.fsmonitor core.sshCommand core.alternateRefsCommand remote.origin.uploadpack remote.origin.receivepack; do git config --unset $key; done
        git config merge.fine.driver true; rm -f ../ran");
    refuses(&env, "core.gitproxy");
    assert!(quiet(&env, "trust").ok().stdout.contains(": trusted\n"));
    assert!(quiet(&env, "trust").ok().stdout.contains("trusted already"));
    let synced = quiet(&env, "sync").ok();
    assert!(synced.stdout.contains("pushed"), "{}", synced.snapshot());
    sh(&env, "cd web; git config merge.fine.driver false");
    env.given("add More --id bd-more");
    refuses(&env, "core.gitproxy");
}

#[test]
fn exchanging_in_jj_needs_trust() {
    let Some(env) = jj_repository() else { return };
    env.given("add New --id bd-new");
    refuses(&env, "merge-tools.canary");
    assert!(quiet(&env, "trust --dry-run").ok().stdout.contains("not trusted"));
}

#[test]
fn exchanging_in_hg_needs_trust() {
    let Some(env) = hg_repository() else { return };
    env.given("add New --id bd-new");
    refuses(&env, "alias.commit");
    assert!(quiet(&env, "trust --dry-run").ok().stdout.contains("not trusted"));
}

#[test]
fn trust_outside_of_version_control() {
    let env = Env::new();
    fs::create_dir(env.root().join("plain")).unwrap();
    env.bd(["trust", "../plain"]).fails(9, &["not under version control"]);
    env.bd(["trust"]).fails(9, &["not under version control"]);
    env.bd(["trust", "../nosuch"]).fails(3, &["directory not found"]);
    env.bd(["trust", "--upload-pack=x"]).fails(2, &["--upload-pack"]);
}

/// A planning repo is committed after each write; a hostile one is written to and not committed.
#[test]
fn a_hostile_planning_repo() {
    if !have(&["git"]) {
        return;
    }
    let Some(project) = crate::support::project::Project::new() else { return };
    let env = &project.env;
    env.given("add Plan --id pl-1");
    let git = env.root().join("home/.beads-planning/.git");
    assert!(git.is_dir(), "a planning repo is under git");
    for key in ["core.fsmonitor", "filter.canary.clean", "core.sshCommand"] {
        sh(env, &format!("cd home/.beads-planning; git config '{key}' \"{}\"", canary(env, key)));
    }
    fs::write(git.join("info/attributes"), "* filter=canary\n").unwrap();
    let run = quiet(env, "add Second --id pl-2").ok();
    assert!(run.stderr.contains("not committed") && run.stderr.contains("core.sshcommand"), "{}", run.snapshot());
    let _ = fs::remove_file(env.root().join("ran"));
    quiet(env, "sync").fails(10, &["core.sshcommand", "bd trust"]);
}

/// The canaries of this file work: ordinary programs run them.
#[test]
fn the_canaries_can_fire() {
    let Some(env) = git_repository() else { return };
    let _ = env.command("git").args(["status"]).output();
    assert!(ran(&env).contains("core.fsmonitor"), "{}", ran(&env));
    if let Some(env) = hg_repository() {
        let _ = env.command("hg").args(["status"]).output();
        assert!(ran(&env).contains("hgrc") || ran(&env).contains("extension"), "{}", ran(&env));
    }
    assert!(BD.ends_with("bd"));
}
