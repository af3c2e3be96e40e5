//! A git repository's facts about the user, its remotes and pushes.

use beads::internal::vcs::{Facts, Kind, Remote, facts};

use crate::vcs::lab::Lab;

fn remote(name: &str, url: &str) -> Remote {
    Remote { name: name.to_owned(), url: url.to_owned() }
}

/// A clone of a bare repository that has one commit on `main`.
fn clone() -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    lab.begin(
        "git init -q -b main seed; git -C seed commit -q --allow-empty -m one; git clone -q --bare seed hub.git
            git clone -q hub.git a",
    );
    Some(lab)
}

#[test]
fn no_version_control() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("home/.gitconfig", "[user]\n\temail = ann@example.org\n");
    assert_eq!(lab.facts(""), Facts::default());
    assert_eq!(lab.facts("nowhere").kind.to_string(), "none");
}

#[test]
fn no_remote() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a");
    assert_eq!(lab.facts("a"), Facts { kind: Kind::Git, ..Facts::default() });
}

#[test]
fn remotes_in_order_with_origin_first() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; cd a; git remote add upstream https://up/x; git remote add origin https://me/x
            git remote add other ../other; git config remote.broken.prune true
            git remote set-url --add origin https://second/x");
    let expected = [remote("origin", "https://me/x"), remote("upstream", "https://up/x"), remote("other", "../other")];
    assert_eq!(lab.facts("a").remotes, expected);
    lab.sh("cd a; git remote set-url upstream https://me/x; git remote remove other");
    assert_eq!(lab.facts("a").remotes, [remote("origin", "https://me/x"), remote("upstream", "https://me/x")]);
}

#[test]
fn a_clone_that_never_pushed() {
    let Some(lab) = clone() else { return };
    lab.sh("git clone -q hub.git b; git -C b commit -q --allow-empty -m two; git -C b push -q; cd a; git pull -q");
    assert!(lab.sh("cd a; git reflog show origin/main --format=%gs").contains("fast-forward"));
    let facts = lab.facts("a");
    assert_eq!(facts.remotes, [remote("origin", &lab.path("hub.git").display().to_string())]);
    assert_eq!(facts.pushed, None);
}

#[test]
fn a_push_to_the_default_branch() {
    let Some(lab) = clone() else { return };
    lab.sh("cd a; git commit -q --allow-empty -m two; git push -q; git worktree add -q ../b");
    assert_eq!(lab.facts("a").pushed.as_deref(), Some("origin/main"));
    assert_eq!(lab.facts("b").pushed.as_deref(), Some("origin/main"), "a linked worktree has the same reflog");
    lab.sh("cd a; git pack-refs --all --prune; git gc -q");
    assert_eq!(lab.facts("a").pushed.as_deref(), Some("origin/main"), "refs are packed");
    lab.sh("cd a; git remote set-head origin --delete");
    assert_eq!(lab.facts("a").pushed.as_deref(), Some("origin/main"), "the branch is only in packed-refs");
}

#[test]
fn a_push_to_another_branch_proves_nothing() {
    let Some(lab) = clone() else { return };
    lab.sh("cd a; git checkout -q -b topic; git commit -q --allow-empty -m two; git push -q origin topic");
    assert_eq!(lab.facts("a").pushed, None);
}

#[test]
fn the_default_branch_has_any_name() {
    let Some(lab) = clone() else { return };
    lab.sh("git -C hub.git branch -m main team/next; git clone -q hub.git b; cd b; git commit -q --allow-empty -m two
            git push -q");
    assert_eq!(lab.facts("b").pushed.as_deref(), Some("origin/team/next"));
}

#[test]
fn a_push_to_a_fork_is_not_a_push_to_origin() {
    let Some(lab) = clone() else { return };
    lab.sh("git clone -q --bare hub.git fork.git; cd a; git remote add fork ../fork.git
            git commit -q --allow-empty -m two; git push -q fork main");
    assert_eq!(lab.facts("a").pushed, None);
    lab.sh("cd a; git remote remove origin");
    assert_eq!(lab.facts("a").pushed.as_deref(), Some("fork/main"), "the only remote counts");
    lab.sh("cd a; git remote add third ../x");
    assert_eq!(lab.facts("a").pushed, None, "of two remotes none is called origin");
}

#[test]
fn role_and_email_from_every_file() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; cd a; git commit -q --allow-empty -m one; git worktree add -q ../b
            git config --global user.email global@example.org; git config --global beads.role contributor");
    let role = |name: &str| lab.facts(name).role.map(|(role, _)| role);
    assert_eq!(lab.facts("a").email.as_deref(), Some("global@example.org"));
    assert_eq!(lab.facts("a").role, Some(("contributor".to_owned(), "git config beads.role".to_owned())));
    lab.sh("cd a; git config beads.role maintainer; git config user.email local@example.org");
    assert_eq!((role("a").as_deref(), role("b").as_deref()), (Some("maintainer"), Some("maintainer")));
    assert_eq!(lab.facts("b").email.as_deref(), Some("local@example.org"));
    lab.sh("cd b; git config extensions.worktreeConfig true; git config --worktree beads.role reviewer");
    assert_eq!((role("a").as_deref(), role("b").as_deref()), (Some("maintainer"), Some("reviewer")));
}

#[test]
fn included_files() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main work/a; git init -q b; git -C b remote add origin https://corp/x");
    lab.write("home/work.inc", "[user]\n\temail = work@example.org\n");
    lab.write("home/corp.inc", "[user]\n\temail = corp@example.org\n");
    lab.write("home/main.inc", "[beads]\n\trole = maintainer\n");
    let includes = format!(
        "[user]\n\temail = me@example.org\n[includeIf \"gitdir:{}/\"]\n\tpath = work.inc\n\
         [includeIf \"hasconfig:remote.*.url:https://corp/**\"]\n\tpath = ~/corp.inc\n\
         [includeIf \"onbranch:main\"]\n\tpath = main.inc\n[include]\n\tpath = missing.inc\n",
        lab.path("work").display()
    );
    lab.write("home/.gitconfig", &includes);
    assert_eq!(lab.facts("work/a").email.as_deref(), Some("work@example.org"));
    assert_eq!(lab.facts("work/a").role.unwrap().0, "maintainer");
    assert_eq!(lab.facts("b").email.as_deref(), Some("corp@example.org"));
    // git's own answers.
    assert_eq!(
        lab.sh("git -C b config user.email; git -C work/a config user.email"),
        "corp@example.org\nwork@example.org\n"
    );
}

#[test]
fn the_environment_says_where_the_settings_are() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; git config --global user.email home@example.org");
    lab.write("xdg/git/config", "[user]\n\temail = xdg@example.org\n[beads]\n\trole = contributor\n");
    let other = lab.write("other", "[user]\n\temail = other@example.org\n");
    let xdg = facts(&lab.path("a"), &lab.env().with("XDG_CONFIG_HOME", lab.path("xdg")));
    assert_eq!((xdg.email.as_deref(), xdg.role.is_some()), (Some("home@example.org"), true), "both files are read");
    let global = facts(&lab.path("a"), &lab.env().with("GIT_CONFIG_GLOBAL", other));
    assert_eq!(global.email.as_deref(), Some("other@example.org"));
}

#[test]
fn a_broken_file_hides_only_itself() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; git -C a config user.email local@example.org");
    lab.write("home/.gitconfig", "[user\nthis is no config");
    assert_eq!(lab.facts("a").email.as_deref(), Some("local@example.org"));
}

/// A pipe would be read for ever.
#[test]
fn a_pipe_in_place_of_settings() {
    let Some(lab) = Lab::with(&["git", "mkfifo"]) else { return };
    lab.sh("git init -q a; git -C a remote add origin https://me/x; mkfifo home/.gitconfig a/.git/packed-refs");
    assert_eq!(lab.facts("a").remotes, [remote("origin", "https://me/x")]);
}
