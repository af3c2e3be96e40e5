//! Committing with git beside whatever the user is in the middle of.

use beads::internal::vcs::{CommitError, Committed, init_git};

use crate::support::programs::find;
use crate::support::wait;
use crate::vcs::lab::Lab;

const LEDGER: &str = "a/.beads/beads.jsonl";

/// A repository with one commit and a changed, committed ledger; some of the user's work is staged, some is not.
fn busy_user(lab: &Lab) {
    lab.begin(
        "git init -q a; cd a; mkdir .beads; echo '{}' > .beads/beads.jsonl; echo 1 > both; echo 1 > staged
            echo 1 > unstaged; echo 1 > gone; git add -A; git commit -q -m first
            echo 2 > both; echo 2 > staged; echo new > added; git rm -q --cached gone
            git add both staged added; echo 3 > both; echo 2 > unstaged; echo u > untracked; echo i > intended
            git add -N intended; echo '{}' >> .beads/beads.jsonl",
    );
}

/// All that the index and the working tree hold besides the ledger.
fn state(lab: &Lab) -> [String; 4] {
    [
        "cd a; git diff --cached --full-index -- . ':!.beads'",
        "cd a; git diff --full-index -- . ':!.beads'",
        "cd a; git status --porcelain --untracked-files=all -- . ':!.beads'",
        "cd a; git ls-files --stage -- . ':!.beads'",
    ]
    .map(|script| lab.sh(script))
}

#[test]
fn other_work_stays_as_it_was() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    let before = state(&lab);
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(state(&lab), before);
    assert_eq!(lab.sh("cd a; git show --format= --name-status HEAD"), "M\t.beads/beads.jsonl\n");
    assert_eq!(lab.sh("cd a; git status --porcelain -- .beads"), "");
}

#[test]
fn an_untracked_ledger_beside_other_work() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    let before = state(&lab);
    lab.write("a/.beads/more.jsonl", "{}\n");
    assert_eq!(lab.commit(&["a/.beads/more.jsonl", LEDGER]).unwrap(), Committed::Done);
    assert_eq!(state(&lab), before);
    let shown = lab.sh("cd a; git show --format= --name-status HEAD");
    assert_eq!(shown, "M\t.beads/beads.jsonl\nA\t.beads/more.jsonl\n");
}

#[test]
fn an_unborn_branch() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    std::fs::create_dir(lab.path("a")).unwrap();
    init_git(&lab.path("a"), &lab.env()).unwrap();
    lab.sh("cd a; echo s > staged; git add staged");
    lab.write(LEDGER, "{}\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(
        lab.sh("cd a; git ls-tree -r --name-only HEAD; git status --porcelain"),
        ".beads/beads.jsonl\nA  staged\n"
    );
}

#[test]
fn a_linked_worktree() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    let before = state(&lab);
    lab.sh("cd a; git worktree add -q ../b");
    lab.write("b/.beads/beads.jsonl", "changed\n");
    assert_eq!(lab.commit(&["b/.beads/beads.jsonl"]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("git -C b log -1 --format=%s; git -C a log -1 --format=%s"), "bd: a write\nfirst\n");
    assert_eq!(state(&lab), before);
}

/// A held lock is reported soon, and a lock that goes away in time does no harm.
#[test]
fn a_held_lock() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    lab.write("a/.beads/more.jsonl", "{}\n");
    let before = (state(&lab), lab.sh("cd a; git status --porcelain; git log --format=%s"));
    for lock in ["index.lock", "HEAD.lock"] {
        lab.sh(&format!("touch a/.git/{lock}"));
        for file in [LEDGER, "a/.beads/more.jsonl"] {
            let error = lab.commit(&[file]).unwrap_err();
            assert!(matches!(error, CommitError::Busy { .. }), "{lock}: {error}");
        }
        assert!(lab.path("a/.git").join(lock).exists(), "not ours to remove");
        lab.sh(&format!("rm a/.git/{lock}"));
        assert_eq!((state(&lab), lab.sh("cd a; git status --porcelain; git log --format=%s")), before, "{lock}");
    }
    // The lock goes away as soon as git has met it.
    let git = find("git").expect("git");
    let script = format!(
        "#!/bin/sh\ncode=0; '{}' \"$@\" 2> '{met}' || code=$?; cat '{met}' >&2\n\
         grep -q index.lock '{met}' && rm -f '{lock}' && cp '{met}' '{met}.before'\nexit $code\n",
        git.display(),
        met = lab.path("met").display(),
        lock = lab.path("a/.git/index.lock").display()
    );
    lab.write("bin/git", &script);
    lab.sh("chmod +x bin/git");
    let path = format!("{}:{}", lab.path("bin").display(), lab.env().var("PATH").expect("a PATH"));
    let env = lab.env().with("PATH", path);
    // On a very busy machine the first attempt may take all the time, and there is no second one.
    let done = wait::until_some("a commit in spite of a lock", || {
        lab.sh("rm -f met*; touch a/.git/index.lock");
        match lab.commit_in(&[LEDGER], &env) {
            Err(CommitError::Busy { .. }) => None,
            other => Some(other),
        }
    });
    assert_eq!(done.unwrap(), Committed::Done);
    assert!(lab.path("met.before").exists(), "git met the lock");
}

/// Nothing is committed into the middle of something else.
#[test]
fn unfinished_business() {
    let begin = "git init -q -b main a; cd a; mkdir .beads; echo '{}' > .beads/beads.jsonl; echo 1 > x; git add -A
                 git commit -q -m first; git checkout -q -b side; echo 2 > x; git commit -q -a -m side
                 git checkout -q main; echo 3 > x; git commit -q -a -m main";
    let cases = [
        ("git merge -q side", "a merge"),
        ("git rebase -q side", "a rebase"),
        ("git cherry-pick side", "a cherry-pick"),
        ("git revert --no-edit HEAD~1", "a revert"),
        ("git bisect start -q; exit 1", "a bisection"),
    ];
    for (conflict, what) in cases {
        let Some(lab) = Lab::with(&["git"]) else { return };
        lab.sh(&format!("{begin}; ({conflict}) >/dev/null 2>&1 || true"));
        lab.write(LEDGER, "changed\n");
        let before = lab.sh("cd a; git status --porcelain; git log --all --format=%H");
        let error = lab.commit(&[LEDGER]).unwrap_err();
        let expected = format!("cannot commit in {}: {what} is not finished", lab.path("a").display());
        assert_eq!(error.to_string(), expected);
        assert_eq!(lab.sh("cd a; git status --porcelain; git log --all --format=%H"), before, "{what}");
    }
}

#[test]
fn an_ignored_file() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    for pattern in ["*.jsonl", ".beads/"] {
        lab.sh(&format!("rm -rf a; git init -q a; echo '{pattern}' > a/.gitignore"));
        lab.write(LEDGER, "{}\n");
        let error = lab.commit(&[LEDGER]).unwrap_err();
        assert!(matches!(error, CommitError::Ignored { .. }), "{error}");
        assert!(error.to_string().ends_with("version control ignores it"), "{error}");
        assert_eq!(lab.sh("cd a; git status --porcelain --untracked-files=all"), "?? .gitignore\n");
    }
    lab.sh("cd a; git add -f .beads; git commit -q -m tracked; echo x >> .beads/beads.jsonl");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done, "a tracked file is not ignored");
}

#[test]
fn no_program_of_the_repository_runs() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    let canary = lab.write("canary.sh", &format!("#!/bin/sh\necho $0 $@ >> '{}'\nexit 1\n", lab.path("ran").display()));
    lab.sh("chmod +x canary.sh; mkdir -p a/.git/hooks hooks; cd a
            for hook in pre-commit prepare-commit-msg commit-msg post-commit post-index-change reference-transaction; do
                cp ../canary.sh .git/hooks/$hook; cp ../canary.sh ../hooks/$hook; done");
    lab.sh(&format!(
        "cd a; for key in core.fsmonitor core.pager core.editor diff.external core.sshCommand; do
             git config $key \"'{canary}'\"; done
         git config commit.gpgsign true; git config gpg.program '{canary}'; git config --global core.hooksPath '{}'",
        lab.path("hooks").display(),
        canary = canary.display()
    ));
    lab.write("a/.beads/more.jsonl", "{}\n");
    let _ = std::fs::remove_file(lab.path("ran"));
    assert_eq!(lab.commit(&[LEDGER, "a/.beads/more.jsonl"]).unwrap(), Committed::Done);
    assert_eq!(std::fs::read_to_string(lab.path("ran")).unwrap_or_default(), "");
}

#[test]
fn identities() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a");
    let commit_as = |settings: &str| {
        lab.sh(&format!("cd a; {settings}; date +%N%s >> ledger"));
        assert_eq!(lab.commit(&["a/ledger"]).unwrap(), Committed::Done);
        lab.sh("cd a; git log -1 --format='%an <%ae> %cn <%ce>'").trim_end().to_owned()
    };
    assert_eq!(commit_as(":"), "Ann <> Ann <>");
    assert_eq!(commit_as("git config user.useConfigOnly true"), "Ann <> Ann <>");
    assert_eq!(commit_as("git config --global user.email g@example.org"), "Ann <g@example.org> Ann <g@example.org>");
    assert_eq!(commit_as("git config user.name Local"), "Local <g@example.org> Local <g@example.org>");
}

/// As inside of a hook: git tells its hooks where the repository and a temporary index are.
#[test]
fn variables_of_a_surrounding_git() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    lab.sh("git init -q other");
    let before = state(&lab);
    let env = lab.env().with("GIT_DIR", lab.path("other/.git")).with("GIT_INDEX_FILE", lab.path("other/index"));
    let env = env.with("GIT_WORK_TREE", lab.path("other")).with("GIT_AUTHOR_NAME", "Nobody").with("GIT_PREFIX", "x/");
    assert_eq!(lab.commit_in(&[LEDGER], &env).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; git log -1 --format='%an %s'"), "Ann bd: a write\n");
    assert_eq!(state(&lab), before);
    assert!(!lab.path("other/index").exists());
}

/// Staged, then put back: there is nothing to commit, and what is staged stays.
#[test]
fn a_staged_ledger() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    busy_user(&lab);
    lab.sh("cd a; git add .beads; git show HEAD:.beads/beads.jsonl > .beads/beads.jsonl");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::NothingToCommit);
    assert_eq!(lab.sh("cd a; git status --porcelain -- .beads"), "MM .beads/beads.jsonl\n");
    lab.write(LEDGER, "third\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; git show HEAD:.beads/beads.jsonl; git status --porcelain -- .beads"), "third\n");
}

/// A file that git is told to encrypt is not committed in plain text.
#[test]
fn filters_are_applied() {
    let Some(lab) = Lab::with(&["git", "tr"]) else { return };
    lab.sh(
        "git init -q a; cd a; git config filter.rot.clean 'tr a-z n-za-m'; git config filter.rot.smudge 'tr a-z n-za-m'
            echo '*.jsonl filter=rot' > .gitattributes; git add .gitattributes; git commit -q -m first",
    );
    lab.write(LEDGER, "secret\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; git cat-file -p HEAD:.beads/beads.jsonl"), "frperg\n");
}
