//! The stories of `archive.rs`, run with git, jj and hg.

use std::path::Path;

use crate::vcs::archive::{Scribe, archive};
use crate::vcs::lab::Lab;

/// The committer, as words that a shell understands.
fn address(who: &str) -> String {
    format!("{}@example.org", who.to_lowercase())
}

struct Git;

impl Scribe for Git {
    const PROGRAMS: &'static [&'static str] = &["git"];
    const NAMES: &'static [&'static str] = &["marked", "branch", "refs/tags/marked", "marked^{commit}"];
    const PARENT: &'static str = "x~1";
    const NOT_ONE: &'static [&'static str] = &["HEAD~9", "marked..branch", "HEAD:.beads", "main:code"];

    fn init(lab: &Lab) {
        lab.sh("git init -q -b main a");
    }

    fn commit(lab: &Lab, who: &str, seconds: i64, message: &str) -> String {
        let address = address(who);
        lab.sh(&format!(
            "cd a; git add -A; export GIT_AUTHOR_NAME={who} GIT_AUTHOR_EMAIL={address} GIT_AUTHOR_DATE='@{seconds} +0100'
             GIT_COMMITTER_DATE='@{seconds} +0100' git commit -q --allow-empty -m '{message}'; git rev-parse HEAD"
        ))
    }

    fn go(lab: &Lab, commit: &str) {
        lab.sh(&format!("git -C a checkout -q --detach {commit}"));
    }

    fn join(lab: &Lab, one: &str, other: &str) {
        lab.sh(&format!("cd a; git checkout -q --detach {one}; git merge -q --no-commit --no-ff -s ours {other}"));
    }

    fn rename(lab: &Lab, from: &str, to: &str) {
        lab.sh(&format!("git -C a mv {from} {to}"));
    }

    fn mark(lab: &Lab, commit: &str) {
        lab.sh(&format!("cd a; git tag -a -m words marked {commit}; git branch branch {commit}"));
    }

    fn show(lab: &Lab, commit: &str) -> String {
        lab.sh(&format!(
            "cd a; git ls-tree -r --name-only {commit} |
             while read -r name; do printf '%s\\0' \"$name\"; git show {commit}:\"$name\"; printf '\\0'; done"
        ))
    }

    fn told(lab: &Lab, commit: &str) -> String {
        lab.sh(&format!("git -C a log -1 --format='%an|%ae|%at|%ct|%s' {commit}")).trim().to_owned()
    }

    fn state(lab: &Lab) -> String {
        lab.sh("cd a; git status --porcelain; git for-each-ref; git rev-parse HEAD; git reflog")
    }
}

archive!(git, super::Git);

trait Way {
    const FLAG: &'static str;
}

struct Beside;
struct Alone;

impl Way for Beside {
    const FLAG: &'static str = "--colocate";
}

impl Way for Alone {
    const FLAG: &'static str = "--no-colocate";
}

impl<W: Way> Scribe for W {
    const PROGRAMS: &'static [&'static str] = &["jj", "git"];
    const NAMES: &'static [&'static str] =
        &["marked", "description(exact:\"first\\n\") | description(exact:\"merge\\n\")"];
    const PARENT: &'static str = "x-";
    const NOT_ONE: &'static [&'static str] = &["none()", "::marked | @", "marked | @"];

    fn init(lab: &Lab) {
        lab.sh(&format!("jj git init {} a", W::FLAG));
    }

    fn commit(lab: &Lab, who: &str, seconds: i64, message: &str) -> String {
        let address = address(who);
        lab.sh(&format!(
            "cd a; export JJ_USER={who} JJ_EMAIL={address} JJ_TIMESTAMP=$(date -u -d @{seconds} +%Y-%m-%dT%H:%M:%S+00:00)
             jj metaedit --update-author; jj commit -m '{message}'; jj log --no-graph -r @- -T commit_id"
        ))
    }

    fn go(lab: &Lab, commit: &str) {
        lab.sh(&format!("cd a; jj new {commit}"));
    }

    fn join(lab: &Lab, one: &str, other: &str) {
        lab.sh(&format!("cd a; jj new {one} {other}"));
    }

    fn rename(lab: &Lab, from: &str, to: &str) {
        lab.sh(&format!("cd a; mv {from} {to}; jj st"));
    }

    fn mark(lab: &Lab, commit: &str) {
        lab.sh(&format!("cd a; jj bookmark create marked -r {commit}"));
    }

    fn show(lab: &Lab, commit: &str) -> String {
        let shown = lab.sh(&format!(r#"cd a; jj file show -r {commit} -T '"\0" ++ path ++ "\0"' 'all()'"#));
        format!("{}\0", shown.trim_start_matches('\0'))
    }

    fn told(lab: &Lab, commit: &str) -> String {
        let seconds = |who: &str| format!("{who}.timestamp().format('%s')");
        let fields =
            ["author.name()", "author.email()", &seconds("author"), &seconds("committer"), "description.first_line()"];
        lab.sh(&format!("cd a; jj log --no-graph -r {commit} -T \"{}\"", fields.join(" ++ '|' ++ ")))
    }

    fn state(lab: &Lab) -> String {
        lab.sh("cd a; jj --ignore-working-copy op log --no-graph -T 'id ++ \"\\n\"'; jj --ignore-working-copy bookmark list")
    }
}

archive!(jj_beside_git, super::Beside);

/// Only where the commits are kept is different: the stories in which that could matter.
mod jj_alone {
    crate::vcs::archive::archive!(super::Alone: linear, a_merge_of_both, revisions, nothing_is_changed, no_commits);
}

/// A working copy with two parents, which only jj keeps for long.
#[test]
fn two_tips_of_jj() {
    let Some(lab) = Lab::with(Beside::PROGRAMS) else { return };
    Beside::init(&lab);
    lab.sh(
        "cd a; mkdir .beads; echo 1 > .beads/beads.jsonl; jj commit -m base; jj new @-; echo l > l; jj commit -m left
            jj new 'description(exact:\"base\\n\")'; echo 2 > .beads/beads.jsonl; jj commit -m right
            jj new 'description(exact:\"left\\n\")' 'description(exact:\"right\\n\")'",
    );
    let (vcs, env) = (beads::internal::vcs::open(&lab.path("a")), lab.env());
    let mut archive = vcs.archive(&env).unwrap();
    let tips = archive.tips().unwrap();
    assert_eq!(tips.len(), 2);
    let told = crate::vcs::archive::history(&mut *archive, crate::vcs::archive::LEDGER, &tips);
    assert!(told == "right: 1 (base) -> 2\nbase:  -> 1\nat base, right" || told.ends_with("at right, base"), "{told}");
}

struct Hg;

impl Scribe for Hg {
    const PROGRAMS: &'static [&'static str] = &["hg"];
    const NAMES: &'static [&'static str] = &["marked", "bookmarked", "bookmark(bookmarked)", "marked and all()"];
    const PARENT: &'static str = "x^";
    const NOT_ONE: &'static [&'static str] = &["none()", "null", "wdir()", "marked - marked", "remote()", "99"];

    fn init(lab: &Lab) {
        lab.sh("hg init a");
    }

    fn commit(lab: &Lab, who: &str, seconds: i64, message: &str) -> String {
        let address = address(who);
        lab.sh(&format!(
            "cd a; hg commit --debug -A -u '{who} <{address}>' -d '{seconds} -3600' -m '{message}' |
             sed -n 's/^committed changeset [0-9]*://p'"
        ))
    }

    fn go(lab: &Lab, commit: &str) {
        lab.sh(&format!("cd a; hg update -q -C {commit}"));
    }

    fn join(lab: &Lab, one: &str, other: &str) {
        lab.sh(&format!("cd a; hg update -q -C {one}; hg merge -q --tool :local {other}"));
    }

    fn rename(lab: &Lab, from: &str, to: &str) {
        lab.sh(&format!("cd a; hg mv {from} {to}"));
    }

    fn mark(lab: &Lab, commit: &str) {
        lab.sh(&format!("cd a; hg tag --local -r {commit} marked; hg bookmark -r {commit} bookmarked"));
    }

    fn show(lab: &Lab, commit: &str) -> String {
        lab.sh(&format!("cd a; hg cat -r {commit} -T '{{path}}\\0{{data}}\\0' path:."))
    }

    fn told(lab: &Lab, commit: &str) -> String {
        let template = "{author|person}|{author|email}|{word(0, date|hgdate)}|{word(0, date|hgdate)}|{desc|firstline}";
        lab.sh(&format!("cd a; hg log -r {commit} -T '{template}'"))
    }

    fn state(lab: &Lab) -> String {
        let template = "{node} {phase} {bookmarks} {p1node} {p2node}\\n";
        lab.sh(&format!("cd a; hg status; hg log -r 'all() or wdir()' -T '{template}'; hg debugdirstate --no-dates"))
            // Whether hg has noted the time of a file depends on when it last looked, and `hg status` here looks.
            .replace(" unset ", " set   ")
    }

    /// hg keeps what it found out about names and manifests.
    fn is_cache(path: &Path) -> bool {
        path.starts_with(".hg/cache") || path.starts_with(".hg/wcache")
    }
}

archive!(hg, super::Hg);
