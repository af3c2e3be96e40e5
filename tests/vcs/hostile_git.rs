//! A repository in which everything that can name a program names a canary: reading it runs none.
//!
//! Each canary is first shown to fire: the plain git command that it waits for is run once.

use std::path::{Path, PathBuf};

use beads::internal::sys::Env;
use beads::internal::vcs;

use crate::vcs::lab::Lab;

const LEDGER: &str = ".beads/beads.jsonl";
const HOOKS: [&str; 10] = [
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
];

/// Every setting with the plain command that makes its canary fire in the repository `a`.
const CANARIES: [(&str, &str); 18] = [
    ("core.fsmonitor", "git status"),
    ("core.pager", "script -qec 'git log' /dev/null"),
    ("core.editor", "git commit --allow-empty"),
    ("core.sshCommand", "git fetch ssh://127.0.0.1:1/x"),
    ("core.gitProxy", "git fetch git://127.0.0.1:1/x"),
    ("core.alternateRefsCommand", "git fetch ../upstream"),
    ("diff.external", "git diff"),
    ("diff.canary.textconv", "git diff"),
    ("diff.canary.command", "git diff"),
    ("filter.canary.clean", "git add -f .beads"),
    ("filter.canary.smudge", "rm -f .beads/beads.jsonl; git checkout .beads"),
    ("filter.canary.process", "git add -f .beads"),
    ("merge.canary.driver", "git merge side"),
    ("credential.helper", "printf 'protocol=https\\nhost=example.org\\n\\n' | git credential fill"),
    ("gpg.program", "git commit --allow-empty -S -m signed"),
    ("remote.origin.uploadpack", "git fetch origin"),
    ("remote.origin.receivepack", "git push origin HEAD:refs/heads/new"),
    ("alias.canary", "git canary"),
];

fn fired(lab: &Lab) -> String {
    std::fs::read_to_string(lab.path("ran")).unwrap_or_default()
}

/// A program that leaves its name.
fn canary(lab: &Lab, name: &str) -> PathBuf {
    let file = format!("canaries/{name}");
    let path = lab.write(&file, &format!("#!/bin/sh\necho '{name}' >> '{}'\nexit 1\n", lab.path("ran").display()));
    lab.sh(&format!("chmod +x '{file}'"));
    path
}

/// A repository with two sides of the ledger, attributes for it, and something changed.
fn repository(lab: &Lab) {
    lab.sh("git init -q -b main upstream; cd upstream; echo 1 > x; git add .; git commit -q -m first
            cd ..; git clone -q upstream a; cd a; mkdir .beads; echo 1 > .beads/beads.jsonl
            echo '*.jsonl filter=canary diff=canary merge=canary' > .gitattributes; git add .; git commit -q -m ledger
            git checkout -q -b side; echo side > .beads/beads.jsonl; git commit -q -a -m side; git checkout -q main
            echo main > .beads/beads.jsonl; git commit -q -a -m main; echo changed > .beads/beads.jsonl");
}

/// git starts these itself. A path for a shell must be quoted, because it may contain a blank.
const STARTED_WITHOUT_SHELL: [&str; 4] = ["core.gitProxy", "gpg.program", "core.askPass", "gpg.ssh.program"];

fn set(lab: &Lab, key: &str) {
    let path = canary(lab, key).display().to_string();
    let command = match key {
        "credential.helper" | "alias.canary" => format!("!'{path}'"),
        _ if STARTED_WITHOUT_SHELL.contains(&key) => path,
        _ => format!("'{path}'"),
    };
    lab.sh(&format!("cd a; git config '{key}' \"{command}\""));
}

#[test]
fn each_canary_can_fire() {
    for (key, command) in CANARIES {
        let Some(lab) = Lab::with(&["git", "script"]) else { return };
        repository(&lab);
        if key == "core.alternateRefsCommand" {
            lab.sh("cd a; git repack -q -a -d; git clone -q --bare . ../alternate; echo ../../../alternate/objects > .git/objects/info/alternates
                    cd ../upstream; echo 2 > x; git commit -q -a -m second");
        }
        if key == "merge.canary.driver" {
            lab.sh("cd a; git checkout -q .");
        }
        set(&lab, key);
        lab.sh(&format!("cd a; ({command}) </dev/null >/dev/null 2>&1 || true"));
        assert!(fired(&lab).starts_with(key), "{key}: {}", fired(&lab));
    }
}

#[test]
fn each_hook_can_fire() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    for hook in HOOKS {
        lab.write(
            &format!("a/.git/hooks/{hook}"),
            &format!("#!/bin/sh\necho {hook} >> '{}'\n", lab.path("ran").display()),
        );
    }
    lab.sh("chmod +x a/.git/hooks/*; cd a; git commit -q -a -m x; git push -q origin HEAD:refs/heads/new; git checkout -q side
            git merge -q -s ours main; git rebase -q main >/dev/null 2>&1 || true");
    HOOKS.iter().for_each(|hook| assert!(fired(&lab).contains(hook), "{hook}: {}", fired(&lab)));
}

/// All that `bd` asks of a repository before the user has said that it may run programs.
fn read_everything(root: &Path, env: &Env) {
    let vcs = vcs::open(root);
    assert!(!vcs.facts(env).remotes.is_empty());
    assert!(!vcs::is_busy(root));
    assert_eq!(vcs.committed(Path::new(LEDGER), env).unwrap().as_deref(), Some(&b"main\n"[..]));
    assert_eq!(vcs.exchange().unwrap().standing(env).unwrap().ahead, 2);
    assert!(vcs::common_dir(root).is_some());
    assert_eq!(vcs::committed_size(&root.join(LEDGER)), Some(5));
    assert!(vcs.tips(10, env).unwrap().all.iter().any(|tip| tip.name == "side"));
    let _ = vcs::user_name(root, env);
    assert!(vcs::exclude_file(root).is_some());
}

#[test]
fn reading_runs_no_program_of_the_repository() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    CANARIES.iter().for_each(|(key, _)| set(&lab, key));
    for key in ["core.askPass", "gpg.ssh.program", "trailer.x.cmd", "uploadpack.packObjectsHook", "sequence.editor"] {
        set(&lab, key);
    }
    for hook in HOOKS {
        std::fs::copy(canary(&lab, hook), lab.path(&format!("a/.git/hooks/{hook}"))).unwrap();
    }
    let fake = canary(&lab, "git");
    for name in ["a/git", "a/bin/git", "a/.beads/git"] {
        std::fs::create_dir_all(lab.path("a/bin")).unwrap();
        std::fs::copy(&fake, lab.path(name)).unwrap();
    }
    // Objects that are not there must not be asked for: that would start the program of the remote.
    lab.sh("cd a; git config core.repositoryFormatVersion 1; git config extensions.partialClone origin
            git config remote.origin.promisor true; rm -f ../ran");
    let root = lab.path("a");
    let path = format!(".::bin:{}", lab.env().var("PATH").unwrap());
    let env = lab.env().at(root.clone()).with("PATH", path);
    read_everything(&root, &env);
    read_everything(&root, &env.clone().with("GIT_DIR", "/nowhere").with("GIT_EXTERNAL_DIFF", "/nowhere"));
    assert_eq!(fired(&lab), "");
    let listed = vcs::open(&root).judge(&env).named();
    for (key, _) in CANARIES {
        let named = |line: &&String| line.to_lowercase().starts_with(&format!("{} = ", key.to_lowercase()));
        assert_eq!(listed.iter().filter(named).count(), 1, "{key}: {listed:?}");
    }
    assert_eq!(fired(&lab), "", "to list them runs none either");
}

/// An object that is missing makes git ask the remote of a partial clone for it, with the program that the settings name.
#[test]
fn a_missing_object_starts_no_program() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    set(&lab, "remote.origin.uploadpack");
    lab.sh("cd a; git config core.repositoryFormatVersion 1; git config extensions.partialClone origin
            git config remote.origin.promisor true
            rm -f .git/objects/$(git rev-parse HEAD | sed 's,^..,&/,')");
    let vcs = vcs::open(&lab.path("a"));
    let _ = vcs.exchange().unwrap().standing(&lab.env());
    assert!(vcs.committed(Path::new(LEDGER), &lab.env()).is_err());
    assert_eq!(fired(&lab), "");
    lab.sh("cd a; git rev-parse --verify 'HEAD^{commit}' >/dev/null 2>&1 || true");
    assert!(fired(&lab).contains("uploadpack"), "it can fire");
}
