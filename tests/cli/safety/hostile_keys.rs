//! Archives with version control's own directory, in which one setting or one link at a time points to a program, to a
//! file of the user's or to a place for passwords: no command that starts programs runs it, writes it, or silently
//! stops at it.
//!
//! The settings are those that the installed git and hg document themselves, so a new one is tested without being
//! listed here. In the shorter forms each setting meets some of the commands; the full form runs them all.

use std::fs;
use std::process::Command;

use crate::cli::safety::hostile_files::{git_archive, hg_archive, jj_archive, meets, outside};
use crate::support::effort::pick;
use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::sh;

/// The commands that start version control.
const STARTING: &[&str] = &[
    "sync",
    "commit -m words",
    "sync --with-code",
    "checkpoint add bd-base -m words --files auto --snapshot",
    "worktree list --all",
    "workspace gc",
    "workspace create --branch w1 --path ../w1",
    "workspace remove w1 --force",
    "worktree create w --path ../w",
    "worktree remove w --force",
    "claim bd-base --remote",
    "leases --remote",
    "check-leaks --staged",
    "check-leaks --range HEAD~1..HEAD",
    "hooks install",
    "hooks uninstall",
    "resolve",
    "reserve check --staged",
    "status --all-worktrees",
    "doctor --fix",
];
/// Commands that only read or write issues work, whatever the repository contains.
const PLAIN: &[&str] = &["list", "ready", "add Another", "update bd-base -p 1", "note bd-base words", "show bd-base"];

fn part(n: usize) -> impl Iterator<Item = &'static str> {
    let step = pick(20, 10, 1);
    STARTING.iter().copied().skip(n % step).step_by(step)
}

/// The full form takes long: there several workers share the settings, each with an archive of its own.
fn side_by_side<T: Sync>(settings: Vec<T>, work: impl Fn(&[T]) + Sync) {
    let share = settings.len().div_ceil(pick(1, 1, 4)).max(1);
    std::thread::scope(|scope| {
        for settings in settings.chunks(share) {
            scope.spawn(|| work(settings));
        }
    });
}

/// A program that leaves a trace, in the directory in which nothing may change.
fn canary(env: &Env) -> String {
    let path = env.root().join("outside/canary");
    fs::write(&path, format!("#!/bin/sh\ntouch '{}'\n", env.root().join("ran").display())).unwrap();
    sh(env, "chmod +x outside/canary");
    path.display().to_string()
}

/// A key with its placeholders replaced by names.
fn filled(key: &str) -> String {
    let mut text = String::new();
    let mut rest = key;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        text.push_str("canary");
        rest = after.split_once('>').map_or("", |(_, rest)| rest);
    }
    (text + rest).replace('*', "canary")
}

/// git's documented settings, and others that it reads.
fn keys_of_git() -> Vec<String> {
    let output = Command::new("git").args(["help", "--config"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // git refuses other names in its files.
    let is_name = |line: &&str| line.contains('.') && !line.contains([' ', '_']);
    let documented = text.lines().filter(is_name).map(filled);
    let others = [
        "filter.canary.process",
        "hook.canary.command",
        "trailer.canary.cmd",
        "trailer.canary.command",
        "init.templateDir",
        "lfs.customtransfer.canary.path",
        "http.https://example.org.cookieFile",
        "http.https://example.org.sslVerify",
        "credential.https://example.org.helper",
    ];
    let mut keys: Vec<String> = documented.chain(others.map(str::to_owned)).collect();
    keys.sort();
    keys.dedup();
    assert!(keys.len() > 500, "{}", keys.len());
    keys
}

/// A remote that is a path, so that a second git is started too, and attributes that lead to every driver.
fn git_with_remote() -> (Env, String) {
    let env = git_archive();
    outside(&env);
    let program = canary(&env);
    sh(&env, "git init -q --bare server; cd web; git remote add origin ../server; rm -f .git/hooks/*; git push -q -u origin main
        echo '* filter=canary diff=canary merge=canary' > .git/info/attributes; cp .git/config ../saved; rm -f ../ran");
    (env, program)
}

#[test]
fn every_setting_of_git() {
    if !have(&["git"]) {
        return;
    }
    side_by_side(keys_of_git().into_iter().enumerate().step_by(pick(16, 6, 1)).collect(), |keys| {
        let (env, program) = git_with_remote();
        for (n, key) in keys {
            sh(&env, &format!("cp saved web/.git/config; cd web; git config '{key}' '{program}'; rm -f ../ran"));
            let said = part(*n).map(|line| meets(&env, line, key)).collect::<String>();
            assert!(!said.contains("panicked"), "{key}: {said}");
            let plain = PLAIN[n % PLAIN.len()];
            let run = env.bd(plain.split(' '));
            assert!(run.code == 0, "{key} stops {plain}\n{}", run.snapshot());
        }
    });
}

/// Each of the settings of which it is known that it names a program, a file to write or a way for passwords is named.
#[test]
fn what_is_dangerous_is_named() {
    if !have(&["git"]) {
        return;
    }
    let (env, program) = git_with_remote();
    let dangerous = [
        "core.sshCommand",
        "core.hooksPath",
        "filter.canary.clean",
        "http.cookieFile",
        "http.saveCookies",
        "http.sslVerify",
        "gc.recentObjectsHook",
        "core.alternateRefsCommand",
        "credential.helper",
        "trace2.eventTarget",
        "mergetool.canary.cmd",
    ];
    for key in dangerous {
        sh(&env, &format!("cp saved web/.git/config; cd web; git config '{key}' '{program}'"));
        let run = env.bd(["trust", "--dry-run"]).ok();
        let line = format!("{} = {program}", key.to_lowercase());
        assert!(run.stdout.to_lowercase().contains(&line.to_lowercase()), "{key}\n{}", run.snapshot());
    }
}

/// hg's documented settings: every name in a section, with the canary as its value.
#[test]
fn every_setting_of_hg() {
    if !have(&["hg"]) {
        return;
    }
    let output = Command::new("hg").args(["help", "config"]).env("HGPLAIN", "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut section = String::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for pair in lines.windows(2) {
        let Some(name) = pair[0].strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { continue };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:*".contains(c));
        // The name of a section is underlined.
        match !pair[1].is_empty() && pair[1].chars().all(|c| c == '-') {
            true => section = name.to_owned(),
            false if is_name => settings.push((section.clone(), name.replace('*', "canary"))),
            false => {}
        }
    }
    let more =
        [("hooks", "pre-status"), ("alias", "log"), ("extensions", "canary"), ("merge-tools", "canary.executable")];
    settings.extend(more.map(|(section, name)| (section.to_owned(), name.to_owned())));
    assert!(settings.len() > 200, "{settings:?}");
    side_by_side(settings.into_iter().enumerate().step_by(pick(16, 8, 1)).collect(), |settings| {
        let env = hg_archive();
        outside(&env);
        let program = canary(&env);
        sh(&env, "hg clone -q web server; rm -f ran");
        for (n, (section, name)) in settings {
            let text = format!("[paths]\ndefault = ../server\n[{section}]\n{name} = {program}\n");
            fs::write(env.path(".hg/hgrc"), text).unwrap();
            part(*n).for_each(|line| drop(meets(&env, line, &format!("{section}.{name}"))));
        }
    });
}

/// Settings that an older jj kept in the repository: each that jj documents as a program or a file.
#[test]
fn settings_of_jj() {
    if !have(&["git", "jj"]) {
        return;
    }
    let env = jj_archive();
    outside(&env);
    let program = canary(&env);
    let keys = [
        "ui.editor",
        "ui.diff-editor",
        "ui.merge-editor",
        "ui.pager",
        "ui.diff-formatter",
        "ui.streampager.interface",
        "git.executable-path",
        "git.sign-on-push",
        "signing.backends.gpg.program",
        "signing.backends.ssh.program",
        "signing.backends.ssh.allowed-signers",
        "signing.key",
        "fsmonitor.backend",
        "core.fsmonitor",
        "merge-tools.canary.program",
        "fix.tools.canary.command",
        "aliases.log",
        "nosuch.key",
    ];
    for (n, key) in keys.iter().enumerate() {
        let value = if key.starts_with("aliases") {
            format!("['util', 'exec', '--', {program:?}]")
        } else {
            format!("{program:?}")
        };
        let (section, name) = key.rsplit_once('.').unwrap();
        fs::write(env.path(".jj/repo/config.toml"), format!("[{section}]\n{name} = {value}\n")).unwrap();
        let run = env.bd(["trust", "--dry-run"]).ok();
        assert!(run.stdout.contains(&format!("jj config {key} = ")), "{key}\n{}", run.snapshot());
        part(n).for_each(|line| drop(meets(&env, line, key)));
    }
}

/// Links in version control's own directory that point to files of the user's: these stay unchanged, whatever the
/// command writes.
#[test]
fn links_are_not_written_through() {
    let in_git: &[&str] = &[
        ".git/COMMIT_EDITMSG",
        ".git/logs/HEAD",
        ".git/logs/refs/heads/main",
        ".git/index",
        ".git/ORIG_HEAD",
        ".git/FETCH_HEAD",
        ".git/packed-refs",
        ".git/config",
        ".git/refs/heads/main",
        ".git/info/exclude",
    ];
    let in_hg: &[&str] = &[
        ".hg/store/00changelog.i",
        ".hg/store/00manifest.i",
        ".hg/cache/rbc-revs-v1",
        ".hg/last-message.txt",
        ".hg/dirstate",
        ".hg/undo.desc",
        ".hg/store/phaseroots",
        ".hg/store/fncache",
    ];
    let in_jj: &[&str] = &[
        ".jj/working_copy/checkout",
        ".jj/working_copy/tree_state",
        ".jj/repo/op_heads/heads/link",
        ".git/index",
        ".git/logs/HEAD",
    ];
    type Table<'a> = (&'a [&'static str], fn() -> Env, &'a [&'static str]);
    let tables: [Table<'_>; 3] =
        [(&["git"], git_archive, in_git), (&["hg"], hg_archive, in_hg), (&["git", "jj"], jj_archive, in_jj)];
    for (programs, make, links) in tables {
        if !have(programs) {
            continue;
        }
        for link in links.iter().step_by(pick(3, 1, 1)) {
            let env = make();
            outside(&env);
            env.given("add Two --id bd-two");
            let below = env.path(link);
            if below.is_file() {
                fs::copy(&below, env.root().join("outside/target")).unwrap();
                fs::remove_file(&below).unwrap();
            } else {
                fs::write(env.root().join("outside/target"), "mine\n").unwrap();
            }
            fs::create_dir_all(below.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(env.root().join("outside/target"), &below).unwrap();
            for line in ["commit -m words", "sync", "checkpoint add bd-base -m words --snapshot"] {
                meets(&env, line, link);
            }
            let run = env.bd(["trust", "--dry-run"]);
            assert!(run.stdout.contains("is a link to"), "{link}\n{}", run.snapshot());
        }
    }
}

/// Agreements made with 2.0.0 remain valid: an agreement is a checksum over its lines.
#[test]
fn agreements_of_2_0_0_hold() {
    if !have(&["git"]) {
        return;
    }
    let env = git_archive();
    sh(&env, "cd web; rm -f .git/hooks/*; git config filter.lfs.clean 'git-lfs clean -- %f'; git config core.pager less; git config core.fsmonitor .git/watch
        git config diff.canary.textconv cat; git config alias.st status");
    env.bd(["commit", "-m", "words"]).fails(10, &["diff.canary.textconv = cat"]);
    let lines = [
        "alias.st = status",
        "core.fsmonitor = .git/watch",
        "core.pager = less",
        "diff.canary.textconv = cat",
        "filter.lfs.clean = git-lfs clean -- %f",
    ];
    let sum = blake3::hash(lines.join("\n").as_bytes());
    let git = fs::canonicalize(env.path(".git")).unwrap();
    let row = format!("{{\"repository\":{git:?},\"key\":\"programs\",\"path\":\"{sum}\",\"resolved\":\"\"}}\n");
    let place = env.root().join("home/state/beads");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("trust.jsonl"), row).unwrap();
    env.given("add Three --id bd-three");
    env.bd(["commit", "-m", "words"]).ok();
    assert!(env.bd(["trust", "--dry-run"]).ok().stdout.contains("trusted already"));
    // Settings that 2.0.0 did not check now need agreement.
    sh(&env, "cd web; git config http.sslVerify false");
    env.bd(["commit", "-m", "more"]).fails(10, &["http.sslverify = false"]);
}
