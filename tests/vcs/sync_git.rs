//! Exchanging commits with git: the common stories, and what only git has.

use std::path::{Path, PathBuf};

use beads::internal::vcs::{Integrated, Integration, Kind, Pushed, SyncError, Versions};

use crate::vcs::conformance::{
    FIRST, LEDGER, Shop, bytes, conformance, distance, everything, fetch, integrate, open, push, record, standing,
    text, two_people, union,
};
use crate::vcs::lab::{self, Lab, areas};

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

/// Some of the user's work is staged, some is not, some is new; none of it is known to the other side.
fn busy_user(lab: &Lab) {
    lab.sh("cd bob; echo 1 > both; echo 1 > staged; echo 1 > gone; git add .; git commit -q -m 'by bob'; git push -q
            cd ../ann; git pull -q
            cd ../bob; echo 2 > both; echo 2 > staged; echo new > added; git rm -q --cached gone
            git add both staged added; echo 3 > both; echo 2 > code; echo u > untracked; echo i > intended
            git add -N intended; echo '*.o' > .git/info/exclude; echo o > ignored.o");
}

/// All that the index and the working tree hold besides the ledger.
fn work(lab: &Lab) -> [String; 5] {
    [
        "cd bob; git diff --cached --full-index -- . ':!.beads'",
        "cd bob; git diff --full-index -- . ':!.beads'",
        "cd bob; git status --porcelain --untracked-files=all --ignored -- . ':!.beads'",
        "cd bob; git ls-files --stage -- . ':!.beads'; git stash list",
        "cd bob; tail both staged gone added code untracked intended ignored.o",
    ]
    .map(|script| lab.sh(script))
}

fn shop() -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    two_people::<Git>(&lab);
    Some(lab)
}

/// Both sides change the ledger, and the one of `ann` is fetched by `bob`.
fn diverge(lab: &Lab) {
    record(lab, "ann", &format!("a\n{FIRST}"));
    Git::send(lab, "ann");
    record(lab, "bob", &format!("b\n{FIRST}"));
    fetch(lab, "bob");
}

fn merged() -> String {
    format!("a\nb\n{FIRST}")
}

#[test]
fn staged_changes_stay_staged() {
    let Some(lab) = shop() else { return };
    busy_user(&lab);
    let before = work(&lab);
    record(&lab, "ann", &format!("x\n{FIRST}"));
    Git::send(&lab, "ann");
    fetch(&lab, "bob");
    assert_eq!(integrate(&lab, "bob").0.unwrap(), Integrated::Forwarded);
    assert_eq!(work(&lab), before);
    diverge(&lab);
    assert_eq!(integrate(&lab, "bob").0.unwrap(), Integrated::Merged);
    assert_eq!(work(&lab), before);
    assert_eq!(text(&lab, "bob/.beads/beads.jsonl"), merged());
    assert_eq!(
        lab.sh("cd bob; git log -1 --format=%p | wc -w; git ls-tree --name-only HEAD"),
        "2\n.beads\nboth\ncode\ngone\nstaged\n"
    );
}

/// No setting and no attribute has a say in the content of the ledger.
#[test]
fn settings_and_attributes() {
    for attribute in ["merge=union", "merge=beads", "-merge", "merge=binary", "-diff -text"] {
        let Some(lab) = shop() else { return };
        lab.sh(&format!(
            "cd ann; echo '*.jsonl {attribute}' > .gitattributes; git add .; git commit -q -m attributes; git push -q"
        ));
        lab.sh("cd bob; git pull -q; git config merge.beads.driver 'touch ../ran; exit 129'
                git config merge.ff false; git config merge.verifySignatures true; git config submodule.recurse true
                git config branch.main.mergeOptions '--no-ff --squash --no-commit'; git config pull.rebase true
                git config commit.gpgsign true; git config merge.conflictStyle diff3; git config merge.autoStash true
                git config core.attributesFile ../nosuch; git config merge.renames false; git config rerere.enabled true");
        lab.sh("cd ann; echo a > by_ann; git add .; git commit -q -m a; cd ../bob; echo b > by_bob; git add .; git -c commit.gpgsign=false commit -q -m b");
        diverge(&lab);
        let (result, asked) = integrate(&lab, "bob");
        assert_eq!((result.unwrap(), asked.len()), (Integrated::Merged, 1), "{attribute}");
        assert_eq!(Git::last(&lab, "bob", LEDGER).unwrap(), merged(), "{attribute}");
        assert_eq!(
            lab.sh("cd bob; git status --porcelain; git show -s --format=%s; ls; ls .git/MERGE* 2>/dev/null || true"),
            "bd: merge\nby_ann\nby_bob\ncode\n"
        );
        assert!(!lab.path("ran").exists(), "{attribute}");
    }
}

/// The merge sees what people see, and history keeps what the filter makes of it.
#[test]
fn an_encrypted_ledger() {
    let Some(lab) = Lab::with(&["git", "tr"]) else { return };
    two_people::<Git>(&lab);
    let rot = "git config filter.rot.clean 'tr a-z n-za-m'; git config filter.rot.smudge 'tr a-z n-za-m'
               git config filter.rot.required true";
    lab.sh(&format!(
        "cd ann; {rot}; echo '*.jsonl filter=rot' > .gitattributes; echo plain > .beads/beads.jsonl
                     git add -A; git commit -q -m encrypted; git push -q; cd ../bob; {rot}; git pull -q"
    ));
    record(&lab, "ann", "plain\nann\n");
    assert_eq!(push(&lab, "ann"), Pushed::Done);
    record(&lab, "bob", "plain\nbob\n");
    fetch(&lab, "bob");
    let (result, asked) = integrate(&lab, "bob");
    assert_eq!(result.unwrap(), Integrated::Merged);
    let expected = Versions { base: bytes("plain\n"), ours: bytes("plain\nbob\n"), theirs: bytes("plain\nann\n") };
    assert_eq!(asked, [expected]);
    assert_eq!(text(&lab, "bob/.beads/beads.jsonl"), "ann\nbob\nplain\n");
    assert_eq!(
        lab.sh("cd bob; git cat-file blob HEAD:.beads/beads.jsonl; git status --porcelain"),
        "naa\nobo\ncynva\n"
    );
}

/// Two common versions, because both sides merged the other's last state: they are merged with each other first.
#[test]
fn a_criss_cross() {
    let Some(lab) = shop() else { return };
    lab.sh("cd ann; echo 1 > one; git add .; git commit -q -m one; git push -q; cd ../bob; git pull -q");
    record(&lab, "ann", &format!("a\n{FIRST}"));
    record(&lab, "bob", &format!("b\n{FIRST}"));
    lab.sh("cd ann; echo a > one; git commit -q -a -m a; cd ../bob; echo b > two; git add .; git commit -q -m b
            cd ../ann; git fetch -q ../bob main:bob; cd ../bob; git fetch -q ../ann main:ann");
    let both = merged();
    lab.sh(&format!(
        "for who in ann bob; do other=$(echo bobann | sed s/$who//); cd $who
         git merge -q $other >/dev/null 2>&1 || true; printf '{}' > .beads/beads.jsonl; git add -A
         git commit -q -m merged; git branch -q -D $other; cd ..; done",
        both.replace('\n', "\\n")
    ));
    record(&lab, "ann", &format!("{both}x\n"));
    lab.sh("cd ann; echo ax > one; git commit -q -a -m ax");
    Git::send(&lab, "ann");
    record(&lab, "bob", &format!("{both}y\n"));
    lab.sh("cd bob; echo bx > two; git commit -q -a -m bx");
    fetch(&lab, "bob");
    assert_eq!(lab.sh("cd bob; git merge-base --all HEAD origin/main | wc -l"), "2\n");
    let (result, asked) = integrate(&lab, "bob");
    assert_eq!(result.unwrap(), Integrated::Merged);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(asked[0].base, bytes(FIRST));
    assert_eq!(asked[1].base, bytes(&both));
    assert_eq!(
        (asked[1].ours.clone(), asked[1].theirs.clone()),
        (bytes(&format!("{both}y\n")), bytes(&format!("{both}x\n")))
    );
    assert_eq!(lab.sh("cd bob; cat one two; git status --porcelain"), "ax\nbx\n");
}

/// Two people began with an empty server.
#[test]
fn histories_without_a_common_commit() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    Git::server(&lab);
    Git::clone(&lab, "ann");
    Git::clone(&lab, "bob");
    record(&lab, "ann", "a\n");
    record(&lab, "bob", "b\n");
    assert_eq!(push(&lab, "ann"), Pushed::Done);
    assert_eq!(push(&lab, "bob"), Pushed::Held("`origin` has a branch `main` that is not fetched here".to_owned()));
    fetch(&lab, "bob");
    let (result, asked) = integrate(&lab, "bob");
    assert_eq!(result.unwrap(), Integrated::Merged);
    assert_eq!(asked, [Versions { base: None, ours: bytes("b\n"), theirs: bytes("a\n") }]);
    assert_eq!((text(&lab, "bob/.beads/beads.jsonl"), push(&lab, "bob")), ("a\nb\n".to_owned(), Pushed::Done));

    // Without the same ledger on both sides it is rather the wrong server.
    Git::alone(&lab, "eve");
    lab.sh("cd eve; git remote add origin ../server; git fetch -q; git branch -q --set-upstream-to=origin/main");
    let before = everything::<Git>(&lab, "eve");
    let error = integrate(&lab, "eve").0.unwrap_err();
    assert!(error.to_string().contains("no commit in common"), "{error}");
    assert_eq!(everything::<Git>(&lab, "eve"), before);
    // A clone without commits takes the existing ones.
    lab.sh("git init -q -b main new; cd new; git remote add origin ../server; git config branch.main.remote origin
        git config branch.main.merge refs/heads/main");
    fetch(&lab, "new");
    assert_eq!(distance(&lab, "new"), (0, 3));
    assert_eq!(integrate(&lab, "new").0.unwrap(), Integrated::Forwarded);
    assert_eq!(text(&lab, "new/.beads/beads.jsonl"), "a\nb\n");
}

#[test]
fn held_locks() {
    let Some(lab) = shop() else { return };
    diverge(&lab);
    let before = everything::<Git>(&lab, "bob");
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
        lab.sh(&format!("touch bob/.git/{lock}"));
        let error = integrate(&lab, "bob").0.unwrap_err();
        assert!(matches!(error, SyncError::Busy { .. }), "{lock}: {error:?}");
        lab.sh(&format!("rm bob/.git/{lock}"));
        assert_eq!(everything::<Git>(&lab, "bob"), before, "{lock}");
    }
    assert_eq!(integrate(&lab, "bob").0.unwrap(), Integrated::Merged);
}

#[test]
fn unfinished_business() {
    let Some(lab) = shop() else { return };
    diverge(&lab);
    lab.sh(
        "cd bob; git checkout -q -b side; echo 2 > code; git commit -q -a -m side; git checkout -q main; echo 3 > code
            git commit -q -a -m main; git merge -q side >/dev/null 2>&1 || true",
    );
    let before = everything::<Git>(&lab, "bob");
    let error = integrate(&lab, "bob").0.unwrap_err();
    assert_eq!(error.to_string(), format!("a merge is not finished in {}", lab.path("bob").display()));
    lab.sh("cd bob; rm .git/MERGE_HEAD");
    let error = integrate(&lab, "bob").0.unwrap_err();
    assert!(matches!(error, SyncError::Unfinished { .. }), "files are unmerged: {error:?}");
    assert_eq!((everything::<Git>(&lab, "bob").1, before.0.contains("UU code")), (before.1, true));
}

/// Also files that git itself would overwrite silently.
#[test]
fn ignored_and_untracked_things_in_the_way() {
    let Some(lab) = shop() else { return };
    lab.sh("cd ann; mkdir dir; echo 1 > secret.env; echo 1 > dir/file; echo 1 > plain; git add -f .; git commit -q -m files");
    diverge(&lab);
    let refused = |script: &str, expected: &[&str]| {
        lab.sh(&format!("cd bob; {script}"));
        let before = everything::<Git>(&lab, "bob");
        match integrate(&lab, "bob").0.unwrap_err() {
            SyncError::InTheWay { files, .. } => {
                assert_eq!(files, expected.iter().map(PathBuf::from).collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(everything::<Git>(&lab, "bob"), before);
    };
    refused("echo '*.env' > .git/info/exclude; echo mine > secret.env", &["secret.env"]);
    refused("rm secret.env; echo mine > dir", &["dir"]);
    refused("rm dir; mkdir plain; echo mine > plain/file", &["plain/file"]);
    lab.sh("cd bob; rm -r plain");
    // The ledger itself, written after the commit.
    refused("echo late >> .beads/beads.jsonl", &[".beads/beads.jsonl"]);
    lab.sh("cd bob; git checkout -q .beads");
    assert_eq!(integrate(&lab, "bob").0.unwrap(), Integrated::Merged);
}

#[test]
fn renames_and_what_git_cannot_merge() {
    let Some(lab) = shop() else { return };
    lab.sh("cd ann; seq 20 > list; git add .; git commit -q -m list; git push -q; cd ../bob; git pull -q
            cd ../ann; git mv list moved; git commit -q -m moved; cd ../bob; echo 21 >> list; git commit -q -a -m longer");
    diverge(&lab);
    assert_eq!(integrate(&lab, "bob").0.unwrap(), Integrated::Merged);
    assert_eq!(lab.sh("cd bob; tail -1 moved; ls"), "21\ncode\nmoved\n");
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    // A directory on one side, a file on the other.
    lab.sh("cd ann; git pull -q; mkdir thing; echo 1 > thing/x; git add .; git commit -q -m directory; git push -q
            cd ../bob; echo 1 > thing; git add .; git commit -q -m file");
    fetch(&lab, "bob");
    let before = everything::<Git>(&lab, "bob");
    match integrate(&lab, "bob").0.unwrap_err() {
        SyncError::Conflicts { files, .. } => assert!(files[0].to_string_lossy().starts_with("thing"), "{files:?}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(everything::<Git>(&lab, "bob"), before);
}

/// Something else than a file is where the ledger should be.
#[test]
fn no_ledger_but_something_else() {
    for (script, file) in [
        ("git rm -q -r .beads; echo 1 > .beads", ".beads"),
        ("rm .beads/beads.jsonl; ln -s ../code .beads/beads.jsonl", LEDGER),
        ("rm .beads/beads.jsonl; mkdir .beads/beads.jsonl; echo 1 > .beads/beads.jsonl/x", LEDGER),
    ] {
        let Some(lab) = shop() else { return };
        lab.sh(&format!("cd ann; {script}; git add -A; git commit -q -m odd; git push -q"));
        record(&lab, "bob", &format!("b\n{FIRST}"));
        fetch(&lab, "bob");
        let before = everything::<Git>(&lab, "bob");
        match integrate(&lab, "bob").0.unwrap_err() {
            SyncError::Conflicts { files, .. } => assert_eq!(files, [PathBuf::from(file)], "{script}"),
            other => panic!("{script}: {other:?}"),
        }
        assert_eq!(everything::<Git>(&lab, "bob"), before, "{script}");
    }
}

#[test]
fn a_linked_worktree() {
    let Some(lab) = shop() else { return };
    lab.sh("cd bob; git checkout -q -b other; git worktree add -q ../linked main; echo half > code");
    record(&lab, "ann", &format!("a\n{FIRST}"));
    Git::send(&lab, "ann");
    record(&lab, "linked", &format!("b\n{FIRST}"));
    fetch(&lab, "linked");
    assert_eq!(distance(&lab, "linked"), (1, 1));
    assert_eq!(integrate(&lab, "linked").0.unwrap(), Integrated::Merged);
    assert_eq!((text(&lab, "linked/.beads/beads.jsonl"), text(&lab, "bob/code")), (merged(), "half\n".to_owned()));
    let committed = open(&lab, "linked").committed(Path::new(LEDGER), &lab.env()).unwrap();
    assert_eq!(committed, bytes(&merged()));
    assert_eq!(push(&lab, "linked"), Pushed::Done);
    assert_eq!(
        lab.sh("cd bob; git rev-parse --abbrev-ref HEAD; git log -1 --format=%s; git status --porcelain"),
        "other\nchange code\n M code\n"
    );
}

#[test]
fn what_is_held_back() {
    let Some(lab) = shop() else { return };
    record(&lab, "bob", &format!("b\n{FIRST}"));
    let held = |script: &str, reason: &str| {
        lab.sh(&format!("cd bob; {script}"));
        match push(&lab, "bob") {
            Pushed::Held(text) => assert!(text.contains(reason), "{text}"),
            other => panic!("{script}: {other:?}"),
        }
    };
    let server = lab.sh("git -C server for-each-ref");
    held("git checkout -q --detach", "no branch");
    assert_eq!(standing(&lab, "bob").branch, None);
    held("git checkout -q -b topic", "`origin` has no branch `topic` yet; push it once with git");
    assert_eq!(standing(&lab, "bob").upstream, None);
    held("git branch -q --set-upstream-to=main", "follows no branch of a remote");
    held(
        "git checkout -q main; git remote add fork ../fork; git config remote.pushDefault fork",
        "is pushed to `fork`",
    );
    held("git config --unset remote.pushDefault; git config branch.main.remote ../server", "follows no branch");
    assert_eq!(lab.sh("git -C server for-each-ref"), server);
    lab.sh("cd bob; git config branch.main.remote -x; git config remote.-x.url ../server");
    for error in [
        lab::push(&*open(&lab, "bob"), &lab.env()).unwrap_err(),
        open(&lab, "bob").exchange().unwrap().fetch(&lab.env()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("begins with `-`"), "{error}");
    }
}

#[test]
fn a_server_that_refuses() {
    let Some(lab) = shop() else { return };
    record(&lab, "bob", &format!("b\n{FIRST}"));
    lab.write("server/hooks/pre-receive", "#!/bin/sh\necho 'main is protected' >&2\nexit 1\n");
    lab.sh("chmod +x server/hooks/pre-receive");
    let error = lab::push(&*open(&lab, "bob"), &lab.env()).unwrap_err();
    assert!(matches!(error, SyncError::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("remote: main is protected"), "{error}");
    lab.sh("rm server/hooks/pre-receive; touch server/refs/heads/main.lock");
    assert_eq!(push(&lab, "bob"), Pushed::Outrun, "somebody else pushes right now");
    lab.sh("rm server/refs/heads/main.lock; mv server away");
    for error in [
        lab::push(&*open(&lab, "bob"), &lab.env()).unwrap_err(),
        open(&lab, "bob").exchange().unwrap().fetch(&lab.env()).unwrap_err(),
    ] {
        assert!(matches!(error, SyncError::Unreachable { .. }), "{error:?}");
    }
    lab.sh("cd bob; git config remote.origin.url 'ext::touch ../ran'; git config protocol.ext.allow always");
    assert!(matches!(
        open(&lab, "bob").exchange().unwrap().fetch(&lab.env()).unwrap_err(),
        SyncError::Unreachable { .. }
    ));
    assert!(!lab.path("ran").exists());
}

/// Hooks of the user and of the repository see nothing of it.
#[test]
fn no_hook_runs() {
    let Some(lab) = shop() else { return };
    let hook = format!("#!/bin/sh\necho $0 >> '{}'\n", lab.path("ran").display());
    let names =
        ["post-merge", "pre-push", "post-checkout", "reference-transaction", "post-index-change", "pre-merge-commit"];
    names.iter().for_each(|name| drop(lab.write(&format!("bob/.git/hooks/{name}"), &hook)));
    lab.sh("chmod +x bob/.git/hooks/*");
    diverge(&lab);
    assert_eq!(integrate(&lab, "bob").0.unwrap(), Integrated::Merged);
    assert_eq!(push(&lab, "bob"), Pushed::Done);
    assert!(!lab.path("ran").exists());
    lab.sh("cd bob; git commit -q --allow-empty -m x; git push -q");
    assert!(lab.path("ran").exists(), "they do run for the user");
}

#[test]
fn several_ledgers() {
    let Some(lab) = shop() else { return };
    for (who, line) in [("ann", "a"), ("bob", "b")] {
        lab.write(&format!("{who}/.beads/more.jsonl"), &format!("{line}\n"));
        lab.sh(&format!("cd {who}; git add .; git commit -q -m more"));
    }
    diverge(&lab);
    let ledgers = [PathBuf::from(LEDGER), ".beads/more.jsonl".into(), "nosuch/ledger".into()];
    let mut asked = Vec::new();
    let mut merge = |path: &Path, versions: &Versions| {
        asked.push(path.to_owned());
        union(versions)
    };
    let env = lab.env();
    let integration = Integration {
        ledgers: &ledgers,
        areas: &areas(),
        merge: &mut merge,
        message: "-m",
        author: "Ann",
        replaces: None,
        env: &env,
    };
    assert_eq!(open(&lab, "bob").exchange().unwrap().integrate(integration).unwrap(), Integrated::Merged);
    assert_eq!(asked, ledgers[..2]);
    assert_eq!(lab.sh("cd bob; cat .beads/more.jsonl; git status --porcelain; git log -1 --format='%an <%ae>|%s'; git fsck --strict 2>/dev/null"), "a\nb\nAnn <>|-m\n");
    assert_eq!(text(&lab, "bob/.beads/beads.jsonl"), merged());
}
