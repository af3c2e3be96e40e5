//! The past of git repositories in every way that git stores it: loose, in packs of all kinds, borrowed, cut off, damaged.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use beads::internal::vcs::{self, Archive, Pair, Spot, Steps, SyncError, Trail, Version};

use crate::vcs::lab::Lab;

const LEDGER: &str = ".beads/beads.jsonl";

/// Asks the archive of a working copy.
fn ask<T>(lab: &Lab, name: &str, question: impl FnOnce(&mut dyn Archive) -> T) -> T {
    let (vcs, env) = (vcs::open(&lab.path(name)), lab.env());
    let mut archive = vcs.archive(&env).expect("an archive");
    question(archive.as_mut())
}

fn steps(archive: &mut dyn Archive) -> Steps {
    let tips = archive.tips().expect("tips");
    archive.steps(&Trail::of(Path::new(LEDGER)), &tips).expect("steps")
}

/// The summaries of the steps, newest first.
fn summaries(archive: &mut dyn Archive) -> Vec<String> {
    let steps = steps(archive);
    steps.all.iter().map(|step| archive.commit(&step.commit.id).expect("a commit").summary).collect()
}

fn names(steps: &Steps) -> Vec<&str> {
    steps.all.iter().map(|step| step.names[0].to_str().expect("a name")).collect()
}

fn versions(steps: &Steps) -> Vec<Version> {
    steps.all.iter().filter_map(|step| step.after.clone()).collect()
}

/// So many lines, each with a word.
fn ledger(lines: usize, word: &str) -> String {
    (0..lines).map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"{word} {n}\"}}\n")).collect()
}

/// A repository with this ledger and nothing else, in one commit called `first`.
fn one(file: &str, text: &str) -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    lab.write(&format!("a/{file}"), text);
    lab.sh("git init -q -b main a; cd a; git add .; git commit -q -m first");
    Some(lab)
}

/// git's own answer about a revision.
fn git_id(lab: &Lab, name: &str, revision: &str) -> String {
    lab.sh(&format!("cd {name}; git rev-parse '{revision}^{{commit}}'")).trim().to_owned()
}

#[test]
fn a_ledger_with_another_name() {
    let Some(lab) = one(".beads/issues.jsonl", &ledger(4, "old")) else { return };
    lab.sh("cd a; sed -i s/old/new/ .beads/issues.jsonl; git commit -qam second
            git mv .beads/issues.jsonl .beads/beads.jsonl; git commit -qm moved
            sed -i s/new/newer/ .beads/beads.jsonl; git commit -qam third");
    let steps = ask(&lab, "a", steps);
    assert_eq!(ask(&lab, "a", summaries), ["third", "second", "first"], "a new name alone changes no byte");
    assert_eq!(names(&steps), [LEDGER, ".beads/issues.jsonl", ".beads/issues.jsonl"]);
    let old = PathBuf::from(".beads/issues.jsonl");
    let expected = ["HEAD~2", "HEAD~3"].map(|at| (git_id(&lab, "a", at), [old.clone()].into()));
    assert_eq!(steps.renamed, expected.into());
}

#[test]
fn a_name_and_lines_changed_at_once() {
    let Some(lab) = one("plan/issues.jsonl", &ledger(4, "same")) else { return };
    // Half of the lines are unchanged. Another removed ledger shares fewer of them, and a text is not a ledger.
    lab.write("a/other.jsonl", &format!("{}{}", ledger(1, "same"), ledger(1, "other")));
    lab.write("a/notes.txt", &ledger(4, "same"));
    lab.sh("cd a; git add .; git commit -qm decoys; mkdir .beads; git mv plan/issues.jsonl .beads/beads.jsonl
            git rm -q other.jsonl notes.txt; sed -i '1,2s/same/else/' .beads/beads.jsonl; git add .; git commit -qm moved");
    let found = ask(&lab, "a", steps);
    assert_eq!(names(&found), [LEDGER, "plan/issues.jsonl"]);
    assert_eq!(found.all[0].before[0].version, found.all[1].after);
    lab.sh("cd a; git rm -q .beads/beads.jsonl; mkdir -p .beads; echo '{\"id\":\"x\"}' > .beads/beads.jsonl
            git add .; git mv .beads/beads.jsonl b.jsonl; git commit -qm other; git mv b.jsonl c; mkdir -p .beads
            git mv c .beads/beads.jsonl; git commit -qm back");
    let found = ask(&lab, "a", steps);
    assert_eq!(ask(&lab, "a", summaries)[..1], ["other"], "too little in common");
    assert_eq!((names(&found)[0], found.all[0].before[0].version.is_none()), ("b.jsonl", true));
}

#[test]
fn files_without_a_byte_are_not_the_same_file() {
    let Some(lab) = one("src/empty.py", "") else { return };
    lab.sh("cd a; git rm -q src/empty.py; mkdir .beads; touch .beads/beads.jsonl; git add .; git commit -qm moved");
    let steps = ask(&lab, "a", steps);
    assert_eq!((ask(&lab, "a", summaries), steps.renamed.len()), (vec!["moved".to_owned()], 0));
}

#[test]
fn a_directory_moved_and_a_file_in_its_place() {
    let Some(lab) = one("sub/.beads/beads.jsonl", &ledger(3, "a")) else { return };
    lab.sh("cd a; echo x > sub/other; echo y > same; git add .; git commit -qm more; git mv sub/.beads .beads
            git rm -qr sub; echo file > sub; git add .; git commit -qm moved; echo '{}' >> .beads/beads.jsonl; git commit -qam more");
    assert_eq!(names(&ask(&lab, "a", steps)), [LEDGER, "sub/.beads/beads.jsonl"]);
}

#[test]
fn a_new_name_on_one_side_of_a_merge() {
    let Some(lab) = one(".beads/issues.jsonl", &ledger(6, "a")) else { return };
    lab.sh("cd a; git checkout -q -b side; sed -i '6s/a 5/side/' .beads/issues.jsonl; git commit -qam side
            git checkout -q main; git mv .beads/issues.jsonl .beads/beads.jsonl; git commit -qm moved
            sed -i '1s/a 0/main/' .beads/beads.jsonl; git commit -qam main; git merge -q -m merge side");
    let (steps, summaries) = (ask(&lab, "a", steps), ask(&lab, "a", summaries));
    assert_eq!(summaries[0], "merge");
    let numbers: Vec<Option<usize>> = steps.all[0].before.iter().map(|before| before.step).collect();
    let told: Vec<&String> = numbers.iter().map(|number| &summaries[number.expect("a step")]).collect();
    assert_eq!(told, ["main", "side"]);
    let name =
        |summary: &str| summaries.iter().position(|known| known == summary).map(|n| steps.all[n].names[0].clone());
    assert_eq!(name("side"), Some(".beads/issues.jsonl".into()));
    assert_eq!(name("first"), Some(".beads/issues.jsonl".into()));
}

/// A history in one pack as `git fast-import` makes it: each commit changes, adds or takes out a few lines.
fn long_history() -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    lab.fill("a long history", import);
    Some(lab)
}

fn import(lab: &Lab) {
    let mut lines: Vec<String> = (0..300).map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"{n}\"}}")).collect();
    let mut commands = String::new();
    for n in 0..120_usize {
        let at = n * 37 % lines.len();
        match n % 5 {
            0 => lines[at] = format!("{{\"id\":\"bd-{at}\",\"title\":\"changed in {n}\"}}"),
            1 => drop(lines.remove(at)),
            2 => lines.insert(at, format!("{{\"id\":\"new-{n}\",\"needs\":\"bd-7\",\"blocks\":\"bd-7\"}}")),
            3 => lines.push(format!("{{\"id\":\"bd-7\",\"title\":\"twice, {n}\"}}")),
            _ => lines[at].push_str(" bd-7"),
        }
        let text = lines.join("\n") + if n % 2 == 0 { "\n" } else { "" };
        let time = 1_700_000_000 + n * 60;
        let _ = write!(commands, "commit refs/heads/main\ncommitter Ann <ann@example.org> {time} +0000\ndata 1\nx\n");
        let _ = write!(commands, "M 100644 inline {LEDGER}\ndata {}\n{text}\n", text.len());
    }
    lab.write("commands", &commands);
    lab.sh("git init -q -b main a; cd a; git fast-import --quiet < ../commands; git reset -q --hard");
}

/// The lines of all versions are those that git shows.
fn assert_lines(lab: &Lab, name: &str, commits: usize) {
    ask(lab, name, |archive| {
        let steps = steps(archive);
        assert_eq!(steps.all.len(), commits, "{name}");
        let versions = versions(&steps);
        for sought in ["bd-7\"", "changed in", "\"id\":\"bd-29", "}", "nowhere", "\"title\":\"twice, 3"] {
            let found = archive.lines_with(&versions, sought.as_bytes()).expect("lines");
            for (version, found) in versions.iter().zip(found) {
                let text = String::from_utf8(archive.text(version).expect("a text")).expect("UTF-8");
                let expected: Vec<&[u8]> =
                    text.lines().filter(|line| line.contains(sought)).map(str::as_bytes).collect();
                assert_eq!(found, expected, "{name}: {sought}");
            }
        }
        let oldest =
            String::from_utf8(archive.text(versions.last().expect("a version")).expect("a text")).expect("UTF-8");
        let first = &steps.all.last().expect("a step").commit.id;
        assert_eq!(oldest, lab.sh(&format!("cd {name}; git show {first}:{LEDGER}")));
    });
}

#[test]
fn every_kind_of_pack() {
    let Some(lab) = long_history() else { return };
    assert_lines(&lab, "a", 120);
    for repack in [
        "git gc -q; git verify-pack -v .git/objects/pack/*.idx | grep -q 'chain length = 9'",
        "git repack -qadf --depth=3 --window=5; ! git verify-pack -v .git/objects/pack/*.idx | grep -q 'chain length = 4'",
        // The base of a delta is named by its hash.
        "git -c repack.useDeltaBaseOffset=false repack -qadf --depth=200 --window=20",
        // One index for two packs.
        "git branch old main~60; git repack -qd; printf 'main~30\\n' | git pack-objects -q --revs .git/objects/pack/pack
         git multi-pack-index write",
        // Everything loose.
        "mv .git/objects/pack ../packs; mkdir .git/objects/pack; for pack in ../packs/*.pack; do
         git unpack-objects -q < $pack; done; rm -rf ../packs; test -z \"$(ls .git/objects/pack)\"",
        // The newer half loose, the older in a pack.
        "git rev-parse main~60 | git pack-objects -q --revs .git/objects/pack/pack; git prune-packed",
    ] {
        lab.sh(&format!("cd a; {repack}; git fsck"));
        assert_lines(&lab, "a", 120);
    }
    // Packs as fetches bring them: deltas against what was there already, completed.
    lab.sh("git init -q -b main b; cd b; git remote add origin ../a; git config fetch.unpackLimit 1
            for n in 100 80 60 40 20 0; do git -C ../a branch -f part main~$n; git fetch -q origin part; done
            git reset -q --hard FETCH_HEAD; test $(ls .git/objects/pack/*.pack | wc -l) = 6");
    assert_lines(&lab, "b", 120);
}

#[test]
fn objects_of_another_repository() {
    let Some(lab) = long_history() else { return };
    lab.sh("git clone -q --shared a b; cd b; echo '{\"id\":\"bd-7\"}' >> .beads/beads.jsonl; git commit -qam here
            git clone -q --shared . ../c");
    assert_lines(&lab, "b", 121);
    assert_lines(&lab, "c", 121);
    lab.sh(
        "cd b; git worktree add -q --detach ../d HEAD~1; git replace HEAD~1:.beads/beads.jsonl HEAD:.beads/beads.jsonl",
    );
    assert_lines(&lab, "d", 120);
    ask(&lab, "d", |archive| {
        let steps = steps(archive);
        let found = archive.lines_with(&versions(&steps)[..1], b"{\"id\":\"bd-7\"}").expect("lines");
        assert_eq!(found[0].len(), 1, "what git replaced is replaced");
        assert!(!archive.remembers(), "a hash does not say what is behind it");
    });
}

#[test]
fn a_shallow_clone_ends_somewhere() {
    let Some(lab) = long_history() else { return };
    lab.sh("git clone -q --depth 5 \"file://$PWD/a\" b");
    ask(&lab, "b", |archive| {
        let tips = archive.tips().expect("tips");
        let commits = archive.ancestors(&tips).expect("commits");
        let cut: Vec<bool> = commits.iter().map(|commit| commit.is_cut).collect();
        assert_eq!(cut, [false, false, false, false, true]);
        assert_eq!(commits[4].parents, Vec::<String>::new());
        let found = archive.resolve("HEAD~4").expect("an answer");
        assert_eq!(found.as_ref().map(vcs::Node::from), Some(commits[4].clone()));
        assert!(!archive.remembers(), "what a shallow clone knows of commits is not all there is");
        assert_eq!(archive.resolve("HEAD~5").expect("an answer"), None);
    });
    assert_lines(&lab, "b", 5);
    lab.sh("cd b; git fetch -q --unshallow");
    assert_lines(&lab, "b", 120);
}

#[test]
fn a_partial_clone_is_told_what_to_do() {
    let Some(lab) = long_history() else { return };
    lab.sh("git -C a config uploadpack.allowFilter true; git -C a config uploadpack.allowAnySHA1InWant true
            git clone -q --filter=blob:none \"file://$PWD/a\" b");
    let count = || lab.sh("cd b; GIT_NO_LAZY_FETCH=1 git count-objects -v");
    let before = count();
    let missing = lab.sh("cd b; git rev-parse HEAD~100:.beads/beads.jsonl").trim().to_owned();
    ask(&lab, "b", |archive| {
        let steps = steps(archive);
        assert_eq!(steps.all.len(), 120, "trees are enough");
        let versions = versions(&steps);
        let text = archive.text(&versions[100]).expect_err("no such object").to_string();
        assert!(text.contains(&missing) && text.contains("git fetch --refetch --no-filter"), "{text}");
        assert!(archive.text(&versions[0]).is_ok(), "what is checked out is there");
        let lines = archive.lines_with(&versions, b"bd-7").expect_err("no such object").to_string();
        assert!(lines.contains("partial clone"), "{lines}");
    });
    assert_eq!(count(), before, "nothing was fetched");
    lab.sh("cd b; git fetch -q --refetch --no-filter");
    assert_lines(&lab, "b", 120);
}

#[test]
fn where_a_working_copy_stands() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a");
    ask(&lab, "a", |archive| {
        assert_eq!(archive.tips().expect("an answer"), Vec::<String>::new());
        assert_eq!(archive.resolve("HEAD").expect("an answer"), None);
        assert_eq!(steps(archive), Steps::default());
        assert_eq!(archive.lines_with(&[], b"x").expect("an answer"), Vec::<Vec<Vec<u8>>>::new());
    });
    lab.sh("cd a; for n in 1 2 3; do git commit -q --allow-empty -m $n; done; git worktree add -q ../b HEAD~1
            git worktree add -q --detach ../c HEAD~2");
    for (name, summary) in [("a", "3"), ("b", "2"), ("c", "1")] {
        let tips = ask(&lab, name, |archive| archive.tips().expect("tips"));
        assert_eq!(tips, [git_id(&lab, name, "HEAD")]);
        let found = ask(&lab, name, |archive| archive.resolve("HEAD").expect("an answer"));
        assert_eq!(found.expect("a commit").summary, summary);
    }
}

#[test]
fn whatever_git_takes_for_a_commit() {
    let Some(lab) = one(LEDGER, "{}\n") else { return };
    lab.sh("cd a; for n in 1 2 3 4; do git commit -q --allow-empty -m $n; done; git tag light HEAD~1; git tag -a -m x noted HEAD~2
            git tag -a -m y again noted; git checkout -q -b topic/one HEAD~3; git commit -q --allow-empty -m topic
            git checkout -q main; cd ..; git clone -q a b; cd b; git commit -q --allow-empty -m here");
    let short = git_id(&lab, "b", "HEAD~2")[..7].to_owned();
    let full = git_id(&lab, "b", "HEAD~3").to_uppercase();
    let good = [
        "main",
        "HEAD",
        "@",
        "HEAD~3",
        "HEAD^",
        "main^^",
        "light",
        "noted",
        "again",
        "noted^{commit}",
        "origin/main",
        "origin/topic/one",
        "main@{u}",
        "@{upstream}~1",
        "main@{1}",
        "refs/heads/main",
        "heads/main",
        "noted~1",
        &short,
        &full,
    ];
    for revision in good {
        let found = ask(&lab, "b", |archive| archive.resolve(revision).expect("an answer"));
        assert_eq!(found.map(|commit| commit.id), Some(git_id(&lab, "b", revision)), "{revision}");
    }
    let bad = [
        "",
        " ",
        "nothing",
        "HEAD~99",
        "--all",
        "-n1",
        "--output=x",
        "main..HEAD",
        "^main",
        "HEAD:",
        "HEAD:.beads/beads.jsonl",
        "0000000000000000000000000000000000000000",
        "a\0b",
        "main main",
        "@{999}",
        "$(touch x)",
        "..",
        ":/",
    ];
    for revision in bad {
        let found = ask(&lab, "b", |archive| archive.resolve(revision).expect("an answer"));
        assert_eq!(found.map(|commit| commit.id), None, "{revision:?}");
    }
    // The first digit alone names many objects.
    let digits: Vec<String> = "0123456789abcdef".chars().map(|digit| digit.to_string()).collect();
    for digit in digits {
        assert_eq!(ask(&lab, "b", |archive| archive.resolve(&digit).expect("an answer")), None, "{digit}");
    }
}

/// A damaged pack is an error that names the object, and never a wrong answer.
#[test]
fn a_damaged_pack() {
    let Some(lab) = long_history() else { return };
    lab.sh("cd a; git gc -q; chmod u+w .git/objects/pack/*");
    let files = lab.sh("cd a; ls .git/objects/pack/*.pack");
    let path = lab.path("a").join(files.trim());
    let whole = std::fs::read(&path).expect("a pack");
    // The lines that hold a text, and all lines that ever changed.
    let answer = |archive: &mut dyn Archive| -> Result<_, SyncError> {
        let tips = archive.tips()?;
        let steps = archive.steps(&Trail::of(Path::new(LEDGER)), &tips)?;
        let pairs =
            steps.all.iter().map(|step| (step.before.first().and_then(|one| one.version.clone()), step.after.clone()));
        let mut told = archive.lines_with(&versions(&steps), b"bd-7")?;
        let naming = |line: &[u8]| String::from_utf8(line.get(..12)?.to_vec()).ok();
        let pairs: Vec<Pair> = pairs.collect();
        let changes = archive.changes(&pairs, naming, None)?;
        let mut placed: Vec<(&Version, &[Spot])> = Vec::new();
        for (step, changes) in steps.all.iter().zip(&changes) {
            let version = step.after.as_ref().expect("a version");
            placed.extend(changes.iter().map(|change| (version, change.after.as_slice())));
        }
        told.extend(archive.lines_at(&placed)?);
        // Those of one name are the same ones.
        let name = changes.iter().flat_map(|changes| changes.iter()).next().expect("a change").name.to_string();
        let of_one = archive.changes(&pairs, naming, Some(&BTreeSet::from([name.clone()])))?;
        for (all, one) in changes.iter().zip(of_one) {
            assert_eq!(
                all.iter().filter(|change| *change.name == *name).collect::<Vec<_>>(),
                one.iter().collect::<Vec<_>>()
            );
        }
        Ok(told)
    };
    let without = |lab: &Lab| {
        let (vcs, env) = (vcs::open(&lab.path("a")), lab.env().with("BD_NO_IMAGE", "1"));
        answer(vcs.archive(&env)?.as_mut())
    };
    let expected = ask(&lab, "a", answer).expect("lines");
    assert!(expected.len() > 120 && without(&lab).expect("lines") == expected);
    let mut failed = 0;
    for n in 0..150 {
        let mut damaged = whole.clone();
        let at = 12 + n * (whole.len() - 32) / 150;
        damaged[at] ^= 1 << (n % 8);
        std::fs::write(&path, &damaged).expect("a pack");
        if n % 5 == 0
            && let Ok(lines) = ask(&lab, "a", answer)
        {
            assert_eq!(lines, expected, "byte {at}, with what is remembered");
        }
        match without(&lab) {
            Ok(lines) => assert_eq!(lines, expected, "byte {at}"),
            Err(error) => {
                failed += 1;
                let said = error.to_string();
                assert!(said.starts_with("cannot read the object "), "{said}");
            }
        }
    }
    assert!(failed > 50, "{failed}");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("a pack");
    assert!(ask(&lab, "a", answer).is_err());
    std::fs::write(&path, &whole).expect("a pack");
    assert_lines(&lab, "a", 120);
}

/// A missing object in a clone that should have all.
#[test]
fn a_lost_object() {
    let Some(lab) = one(LEDGER, "{\"id\":\"bd-1\"}\n") else { return };
    lab.sh("cd a; echo '{\"id\":\"bd-2\"}' > .beads/beads.jsonl; git commit -qam second; id=$(git rev-parse HEAD~1:.beads/beads.jsonl)
            rm -f .git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)");
    let error = ask(&lab, "a", |archive| {
        let steps = steps(archive);
        archive.lines_with(&versions(&steps), b"bd-").expect_err("an object is lost").to_string()
    });
    assert!(error.contains("it is missing") && error.contains("git fsck"), "{error}");
}
