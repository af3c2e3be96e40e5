//! The stories of `snapshots.rs` with git, jj, hg and without version control.

use crate::vcs::lab::Lab;
use crate::vcs::snapshots::{Shop, items, restore, snapshots, take};

pub struct Git;
struct JjBeside;
struct JjAlone;
struct Hg;
struct Nothing;

/// All that a snapshot must leave alone, beside the files themselves.
pub fn git_state(lab: &Lab, place: &str) -> String {
    lab.sh(&format!(
        "cd {place}; index=$(git rev-parse --git-path index); sha256sum \"$index\"; stat -c '%i %y' \"$index\"
         git --no-optional-locks status --porcelain=v2 --branch --untracked-files=all --ignored; git stash list
         git rev-parse HEAD 2>/dev/null; git for-each-ref refs/heads refs/tags refs/remotes; git reflog | cat"
    ))
}

impl Shop for Git {
    const PROGRAMS: &'static [&'static str] = &["git"];
    const HAS_INDEX: bool = true;

    fn begin(lab: &Lab) {
        lab.sh("cd main; echo '*.o' > .gitignore; git init -q -b main; git add -A; git commit -q -m first");
    }

    fn checkout(lab: &Lab) {
        lab.sh("cd main; git worktree add -q ../wt");
    }

    fn state(lab: &Lab) -> String {
        git_state(lab, "wt")
    }

    fn stage(lab: &Lab, file: &str) {
        lab.sh(&format!("cd wt; git add {file}"));
    }
}

fn jj_begin(lab: &Lab, flag: &str) {
    lab.write(
        "home/.jjconfig.toml",
        "[user]\nname = 'Ann'\nemail = 'ann@example.org'\n[snapshot]\nauto-track = 'none()'\n",
    );
    lab.sh(&format!(
        "cd main; echo '*.o' > .gitignore; jj git init {flag}; jj file track --include-ignored . ; jj commit -m first"
    ));
}

/// The operations, the commits and the git repository, without making jj look at the files.
fn jj_state(lab: &Lab) -> String {
    lab.sh("cd wt; jj --ignore-working-copy op log --no-graph -T id; jj --ignore-working-copy log -r 'all()' --no-graph -T commit_id
            jj --ignore-working-copy bookmark list -a")
}

impl Shop for JjBeside {
    const PROGRAMS: &'static [&'static str] = &["jj", "git"];
    const ANY_NAME: bool = false;

    fn begin(lab: &Lab) {
        jj_begin(lab, "--colocate");
    }

    fn checkout(lab: &Lab) {
        lab.sh("cd main; jj workspace add ../wt");
    }

    fn state(lab: &Lab) -> String {
        jj_state(lab)
    }

    fn stage(_: &Lab, _: &str) {}
}

impl Shop for JjAlone {
    const PROGRAMS: &'static [&'static str] = &["jj", "git"];
    const ANY_NAME: bool = false;

    fn begin(lab: &Lab) {
        jj_begin(lab, "--no-colocate");
    }

    fn checkout(lab: &Lab) {
        lab.sh("cd main; jj workspace add ../wt");
    }

    fn state(lab: &Lab) -> String {
        jj_state(lab)
    }

    fn stage(_: &Lab, _: &str) {}
}

impl Shop for Hg {
    const PROGRAMS: &'static [&'static str] = &["hg"];

    fn begin(lab: &Lab) {
        lab.sh("cd main; printf 'syntax: glob\\n*.o\\n' > .hgignore; hg init; hg commit -q -A -m first");
    }

    fn checkout(lab: &Lab) {
        lab.sh("hg --config extensions.share= share -q main wt");
    }

    fn state(lab: &Lab) -> String {
        lab.sh("cd wt; hg status; hg summary; hg log -T '{node} {phase} {tags} {bookmarks}\\n'")
    }

    fn stage(lab: &Lab, file: &str) {
        lab.sh(&format!("cd wt; hg add {file} 2>/dev/null || true"));
    }
}

impl Shop for Nothing {
    const PROGRAMS: &'static [&'static str] = &[];
    const IS_VERSIONED: bool = false;

    fn begin(_: &Lab) {}

    fn checkout(lab: &Lab) {
        lab.sh("cp -R main wt");
    }

    fn state(_: &Lab) -> String {
        String::new()
    }

    fn stage(_: &Lab, _: &str) {}
}

/// jj leaves submodules alone, so they are neither here nor removed.
#[test]
fn jj_and_submodules() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.write("home/.jjconfig.toml", "[user]\nname = 'Ann'\nemail = 'ann@example.org'\n");
    lab.sh("git init -q -b main lib; cd lib; echo 1 > x; git add .; git commit -q -m first
            git init -q -b main ../up; cd ../up; git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -q -m sub
            cd ..; jj git clone --colocate up a; echo 1 > a/new");
    let snapshot = take(&lab, "a");
    assert_eq!((snapshot.files, snapshot.left_out), (vec!["new".into()], vec![]));
    restore(&lab, "a", "back").unwrap();
    assert_eq!(items(&lab.path("back")), items(&lab.path("a")));
}

mod git {
    super::snapshots!(super::Git);
}

mod jj_with_git_beside {
    super::snapshots!(super::JjBeside);
}

mod jj_without_git_beside {
    super::snapshots!(super::JjAlone);
}

mod hg {
    super::snapshots!(super::Hg);
}

mod nothing {
    super::snapshots!(super::Nothing);
}
