//! Exchanging commits with git: the common stories, and what only git has.

use beads::vcs::Kind;

use crate::conformance::{Shop, conformance};
use crate::lab::Lab;

struct Git;

impl Shop for Git {
    const KIND: Kind = Kind::Git;
    const PROGRAMS: &'static [&'static str] = &["git"];

    fn server(lab: &Lab) {
        lab.sh("git init -q --bare -b main server");
    }

    fn clone(lab: &Lab, name: &str) {
        lab.sh(&format!("git clone -q server {name} 2>&1"));
    }

    fn alone(lab: &Lab, name: &str) {
        lab.sh(&format!("git init -q -b main {name}; cd {name}; echo 1 > code; git add code; git commit -q -m first"));
    }

    fn commit(lab: &Lab, clone: &str, file: &str) {
        lab.sh(&format!("cd {clone}; git add -A {file}; git commit -q -m 'change {file}' -- {file}"));
    }

    fn send(lab: &Lab, clone: &str) {
        lab.sh(&format!("cd {clone}; git push -q origin HEAD"));
    }

    fn last(lab: &Lab, clone: &str, file: &str) -> Option<String> {
        let there = lab.sh(&format!("cd {clone}; git ls-tree --name-only HEAD {file}"));
        (!there.is_empty()).then(|| lab.sh(&format!("cd {clone}; git show HEAD:{file}")))
    }

    fn commits(lab: &Lab, clone: &str) -> usize {
        lab.sh(&format!("cd {clone}; git rev-list --count HEAD")).trim().parse().expect("a number")
    }

    fn state(lab: &Lab, clone: &str) -> String {
        lab.sh(&format!(
            "cd {clone}; git rev-parse HEAD; git symbolic-ref HEAD; git ls-files --stage
             git status --porcelain --untracked-files=all; git stash list
             cd .git; ls | grep -v -e ORIG_HEAD -e FETCH_HEAD; git for-each-ref refs/heads"
        ))
    }

    fn misplace(lab: &Lab, clone: &str) {
        lab.sh(&format!("cd {clone}; git config remote.origin.url git://127.0.0.1:1/"));
    }
}

conformance!(Git);
