//! Removing workspaces: what is nowhere else stays, and is named.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::Value;

use crate::cli::workspace::workspaces::text;
use crate::support::checkouts::{Family, files};
use crate::support::harness::Run;

/// A repository with a remote, and workspaces that are made of it.
pub struct Bench {
    pub family: Family,
}

impl Bench {
    pub fn new() -> Option<Self> {
        let family = Family::new()?;
        let web = family.web();
        fs::write(web.join("file"), "one\ntwo\nthree\n").unwrap();
        fs::write(web.join(".gitignore"), "target/\n*.log\n.env\n").unwrap();
        family.commit(&web);
        family.git(&web, "clone -q --bare . ../up.git").ok();
        family.git(&web, &format!("remote add origin '{}'", family.path("up.git").display())).ok();
        family.git(&web, "fetch -q origin").ok();
        Some(Bench { family })
    }

    pub fn bd(&self, line: &str) -> Run {
        self.family.bd(&self.family.web(), line)
    }

    /// A new workspace: its id and its directory.
    pub fn make(&self, line: &str) -> (String, PathBuf) {
        let made = self.bd(format!("workspace create --json {line}").trim_end()).ok().json();
        (text(&made, "id"), PathBuf::from(text(&made, "path")))
    }

    pub fn record(&self, id: &str) -> Value {
        self.bd(&format!("workspace show {id} --json")).ok().json()
    }

    pub fn state(&self, id: &str) -> String {
        text(&self.record(id), "state")
    }

    /// It is refused for these kinds of reasons, and nothing is touched.
    pub fn stays(&self, id: &str, path: &Path, kinds: &[&str], words: &[&str]) {
        let before = files(path);
        let run = self.bd(&format!("workspace remove {id} --json")).fails(8, words);
        let error = run.error();
        assert_eq!(error["code"], "would_lose", "{error}");
        let found: Vec<&str> = error["kinds"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(found, kinds, "{error}");
        assert_eq!(error["reasons"].as_array().unwrap().len(), kinds.len());
        // git may freshen its index when it is asked.
        let plain = |all: Vec<String>| all.into_iter().filter(|line| !line.contains("/.git")).collect::<Vec<_>>();
        assert_eq!(plain(files(path)), plain(before), "nothing is touched");
        assert!(self.state(id) != "removing" && self.state(id) != "removed");
        let told = self.bd(&format!("workspace remove {id} --dry-run"));
        assert_eq!(told.code, 8, "a rehearsal refuses the same");
    }

    pub fn goes(&self, id: &str, path: &Path, line: &str) -> Value {
        let answer = self.bd(format!("workspace remove {id} --json {line}").trim_end()).ok().json();
        assert!(!path.exists(), "{answer}");
        assert_eq!(self.state(id), "removed");
        assert!(self.record(id)["removed_at"].is_string());
        let left: Vec<String> = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains(id))
            .collect();
        assert!(left.is_empty(), "{left:?}");
        answer
    }

    /// Commits a new file.
    pub fn work(&self, place: &Path, name: &str) {
        fs::write(place.join(name), name).unwrap();
        self.family.commit(place);
    }

    pub fn git(&self, place: &Path, line: &str) -> String {
        self.family.git(place, line).ok().stdout
    }
}

pub fn change(place: &Path, line: &str) {
    fs::write(place.join("file"), format!("one\n{line}\nthree\n")).unwrap();
}

/// Everything that git can tell of what a working copy holds, and its files.
fn held(bench: &Bench, place: &Path) -> Vec<String> {
    let ask = |line: &str| bench.git(place, line);
    vec![
        ask("for-each-ref --format=%(objectname)%(refname) refs/heads refs/tags"),
        ask("symbolic-ref HEAD"),
        ask("stash list --format=%H"),
        ask("status --porcelain --untracked-files=all"),
        ask("diff"),
        fs::read_to_string(place.join("new/deep")).unwrap_or_default(),
    ]
}

#[test]
fn one_in_which_nothing_was_done_goes() {
    let Some(bench) = Bench::new() else { return };
    let refs = bench.git(&bench.family.web(), "for-each-ref");
    for kind in ["clone", "worktree"] {
        let (id, path) = bench.make(&format!("--kind {kind}"));
        fs::create_dir(path.join("target")).unwrap();
        fs::write(path.join("target/big"), "ignored files go with it").unwrap();
        let told = bench.bd(&format!("workspace remove {id} --dry-run --json")).ok().json();
        assert_eq!(told["dry_run"], true);
        assert!(path.exists() && bench.state(&id) == "active", "{told}");
        bench.goes(&id, &path, "");
        assert!(!Path::new(&text(&bench.record(&id), "context_dir")).exists());
        bench.bd(&format!("workspace remove {id}")).fails(3, &["gone already"]);
    }
    assert_eq!(bench.git(&bench.family.web(), "for-each-ref"), refs, "no branch is left, and none was touched");
    assert_eq!(bench.git(&bench.family.web(), "worktree list").lines().count(), 1);
}

#[test]
fn changed_untracked_and_unfinished_files_stay() {
    let Some(bench) = Bench::new() else { return };
    for kind in ["clone", "worktree"] {
        let (id, path) = bench.make(&format!("--kind {kind}"));
        change(&path, "changed");
        bench.stays(&id, &path, &["changed"], &["file is changed and not committed"]);
        fs::write(path.join("a note"), "mine").unwrap();
        bench.stays(&id, &path, &["changed", "untracked"], &["a note is untracked"]);
        bench.git(&path, "checkout -q file");
        bench.stays(&id, &path, &["untracked"], &["a note is untracked"]);
        fs::remove_file(path.join("a note")).unwrap();
        bench.goes(&id, &path, "");
    }
    let (id, path) = bench.make("");
    let own = bench.git(&path, "rev-parse --abbrev-ref HEAD");
    bench.git(&path, "checkout -q -b other");
    change(&path, "theirs");
    bench.git(&path, "commit -qam theirs");
    bench.git(&path, &format!("checkout -q {}", own.trim()));
    change(&path, "ours");
    bench.git(&path, "commit -qam ours");
    assert_ne!(bench.family.git(&path, "merge other").code, 0);
    bench.stays(&id, &path, &["unfinished", "changed", "unpushed", "unpushed"], &["a merge is not finished"]);
}

#[test]
fn commits_that_are_nowhere_else_stay() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    change(&path, "work");
    bench.git(&path, "commit -qam work");
    bench.stays(&id, &path, &["unpushed"], &["one commit of the branch", "is nowhere else"]);
    bench.git(&path, "checkout -q -b other");
    bench.work(&path, "more");
    bench.git(&path, "checkout -q -");
    bench.stays(&id, &path, &["unpushed", "unpushed"], &["2 commits of the branch other are nowhere else"]);
    bench.git(&path, "push -q origin HEAD other");
    bench.goes(&id, &path, "");
    let (id, path) = bench.make("");
    bench.git(&path, "checkout -q --detach");
    bench.work(&path, "detached");
    bench.stays(&id, &path, &["unpushed"], &["one commit of HEAD"]);
    bench.git(&path, "checkout -q -");
    bench.stays(&id, &path, &["loose"], &["is known only to the reflog"]);
    let (id, path) = bench.make("");
    bench.git(&path, "tag -m mine mine");
    bench.stays(&id, &path, &["tags"], &["the tag mine is nowhere else"]);
    bench.git(&path, "tag -d mine");
    bench.work(&path, "first");
    bench.git(&path, "commit -q --amend -m second");
    bench.git(&path, "push -q origin HEAD");
    bench.goes(&id, &path, "");
}

#[test]
fn a_parent_that_fetched_the_commits_has_them() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    change(&path, "work");
    bench.git(&path, "commit -qam work");
    bench.git(&bench.family.web(), &format!("fetch -q '{}' HEAD:refs/heads/taken", path.display()));
    bench.goes(&id, &path, "");
}

#[test]
fn shelved_changes_stay() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    change(&path, "later");
    bench.git(&path, "stash -q");
    bench.stays(&id, &path, &["stash"], &["1 shelved change would be lost"]);
    let (other, place) = bench.make("--kind worktree");
    bench.goes(&other, &place, "");
}

#[test]
fn what_only_its_ledger_says_is_brought_home_first() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    // Said there, committed or not, and said here meanwhile.
    bench.family.bd(&path, "add Found --id bd-found").ok();
    bench.git(&path, "commit -qam found");
    bench.git(&path, "push -q origin HEAD");
    bench.family.bd(&path, "label add bd-base there").ok();
    bench.bd("label add bd-base here").ok();
    let would = bench.bd(&format!("workspace remove {id} --dry-run --json")).ok().json();
    assert_eq!(would["brought"], serde_json::json!(["bd-base", "bd-found"]), "{would}");
    assert_eq!(bench.bd("show bd-found").code, 3);
    let removed = bench.bd(&format!("workspace remove {id} --json")).ok().json();
    assert_eq!(removed["brought"], would["brought"]);
    assert!(!path.exists());
    assert_eq!(bench.bd("show bd-found").code, 0);
    let labels = bench.bd("show bd-base --json").ok().json()[0]["labels"].clone();
    assert_eq!(labels, serde_json::json!(["here", "there"]));
}

#[test]
fn what_cannot_be_brought_home_keeps_it() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    let ledger = path.join(".beads/beads.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, format!("{text}{{\"kind\":\"a line of another tool\"}}\n")).unwrap();
    bench.stays(&id, &path, &["ledger"], &["lines that are not issues"]);
    fs::write(&ledger, &text).unwrap();
    bench.family.bd(&path, "add Found --id bd-found").ok();
    // The ledger at home is in the middle of a merge.
    let home = bench.family.web().join(".beads/beads.jsonl");
    let whole = fs::read_to_string(&home).unwrap();
    fs::write(&home, format!("<<<<<<< ours\n{whole}=======\n>>>>>>> theirs\n")).unwrap();
    let run = bench.bd(&format!("workspace remove {id}"));
    assert_eq!((run.code, path.exists()), (8, true), "{run:?}");
    fs::write(&home, whole).unwrap();
    bench.bd(&format!("workspace remove {id}")).ok();
    assert_eq!(bench.bd("show bd-found").code, 0);
}

#[test]
fn somebody_at_work_stays_even_by_force() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    bench.family.bd_with(&path, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    bench.git(&path, "commit -qam claimed");
    bench.git(&path, "push -q origin HEAD");
    let run = bench.bd(&format!("workspace remove {id} --force")).fails(8, &["bob holds bd-base there"]);
    assert!(!run.stderr.contains("restore"), "{}", run.stderr);
    bench.family.bd_with(&path, "release bd-base", &[("BD_AGENT", "bob")]).ok();
    bench.git(&path, "checkout -q -- .");
    let (id, path) = bench.make("");
    let mut program = sleeper(&path);
    bench.stays(&id, &path, &["process"], &[&format!("process {} (sleep) works there", program.id())]);
    bench.bd(&format!("workspace remove {id} --force")).fails(8, &["works there"]);
    program.kill().unwrap();
    program.wait().unwrap();
    let inside = bench.family.bd(&path, &format!("workspace remove {id} --json")).fails(8, &["current directory"]);
    assert_eq!(inside.error()["kinds"], serde_json::json!(["current_directory"]));
    bench.family.bd(&path, &format!("workspace remove {id} --force")).fails(8, &["current directory"]);
    bench.goes(&id, &path, "");
}

pub fn sleeper(place: &Path) -> Child {
    Command::new("sleep").arg("600").current_dir(place).spawn().unwrap()
}

#[test]
fn what_is_not_a_part_of_it_stays_even_by_force() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    fs::create_dir(path.join("target")).unwrap();
    bench.git(&path, "init -q target/inner");
    bench.stays(&id, &path, &["repository"], &["another repository is inside"]);
    bench.bd(&format!("workspace remove {id} --force")).fails(8, &["another repository is inside"]);
    fs::remove_dir_all(path.join("target")).unwrap();
    bench.git(&path, "worktree add -q ../aside");
    bench.stays(&id, &path, &["child"], &["aside belongs to it"]);
}

#[test]
fn work_that_came_into_the_base_as_one_commit_is_merged() {
    let Some(bench) = Bench::new() else { return };
    let web = bench.family.web();
    for (kind, after) in [("clone", false), ("clone", true), ("worktree", false), ("worktree", true)] {
        let (id, path) = bench.make(&format!("--kind {kind} --base main"));
        let name = format!("new-{id}");
        for line in ["first\n", "first\nsecond\n"] {
            fs::write(path.join(&name), line).unwrap();
            bench.family.commit(&path);
        }
        bench.stays(&id, &path, &["unpushed"], &["2 commits of the branch", "are nowhere else"]);
        bench.git(&web, &format!("fetch -q '{}' HEAD", path.display()));
        bench.git(&web, "merge -q --squash FETCH_HEAD");
        bench.git(&web, "commit -qm squashed");
        let squashed = bench.git(&web, "rev-parse HEAD").trim().to_owned();
        if after {
            // Later work on the same lines makes a merge conflict; the commit is still recognised.
            fs::write(web.join(&name), "third\n").unwrap();
            bench.git(&web, "commit -qam after");
        }
        let answer = bench.goes(&id, &path, "");
        assert_eq!(text(&answer, "merge_commit"), squashed, "{kind} {after}");
        let branches = bench.git(&web, "branch --list bd/*");
        assert_eq!(branches, "", "the branch of a worktree that is merged goes too");
    }
}

#[test]
fn the_branch_of_a_worktree_stays_if_asked_or_if_it_was_there_before() {
    let Some(bench) = Bench::new() else { return };
    let web = bench.family.web();
    bench.git(&web, "branch mine");
    let (id, path) = bench.make("--kind worktree --branch mine");
    bench.goes(&id, &path, "");
    let (id, path) = bench.make("--kind worktree --branch ours");
    bench.goes(&id, &path, "--keep-branch");
    let (id, path) = bench.make("--kind worktree --branch gone");
    let answer = bench.goes(&id, &path, "");
    assert_eq!(text(&answer, "branch_deleted"), "gone");
    let branches = bench.git(&web, "for-each-ref --format=%(refname:short) refs/heads");
    assert_eq!(branches, "main\nmine\nours\n");
}

#[test]
fn by_force_everything_is_kept_and_comes_back() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    change(&path, "shelved");
    bench.git(&path, "stash -q");
    change(&path, "shelved too");
    bench.git(&path, "stash -q");
    bench.work(&path, "one");
    bench.git(&path, "branch aside");
    bench.work(&path, "two");
    bench.git(&path, "tag -m mine mine");
    change(&path, "not committed");
    fs::create_dir(path.join("new")).unwrap();
    fs::write(path.join("new/deep"), [0, 159, 146, 150]).unwrap();
    std::os::unix::fs::symlink("file", path.join("link")).unwrap();
    let before = held(&bench, &path);
    let bytes = fs::read(path.join("new/deep")).unwrap();
    let answer = bench.goes(&id, &path, "--force");
    assert_eq!(
        answer["kinds"],
        serde_json::json!(["changed", "untracked", "unpushed", "unpushed", "unpushed", "tags", "stash"])
    );
    let key = text(&answer["kept"], "id");
    assert_eq!(text(&bench.record(&id), "rescue"), key);
    // Nothing unnamed is collected, and the user's own refs are as they were.
    bench.git(&bench.family.web(), "gc -q --prune=now");
    assert_eq!(bench.git(&bench.family.web(), "branch --format=%(refname:short)"), "main\n");
    let again = bench.family.path("again");
    bench.bd(&format!("workspace restore {key} --to '{}'", again.display())).ok();
    assert_eq!(held(&bench, &again), before);
    assert_eq!(fs::read(again.join("new/deep")).unwrap(), bytes);
    assert_eq!(fs::read_link(again.join("link")).unwrap(), Path::new("file"));
    bench.bd(&format!("workspace restore {id} --to '{}'", again.display())).fails(8, &["is not empty"]);
    bench.bd("workspace restore cp_000000000000 --to x").fails(3, &[]);
    let (id, path) = bench.make("--kind worktree");
    change(&path, "not committed");
    let answer = bench.goes(&id, &path, "--force");
    let again = bench.family.path("files");
    bench.bd(&format!("workspace restore {} --to '{}'", text(&answer["kept"], "id"), again.display())).ok();
    assert_eq!(fs::read_to_string(again.join("file")).unwrap(), "one\nnot committed\nthree\n");
}

#[test]
fn snapshots_of_checkpoints_outlive_the_clone_that_they_were_made_in() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    change(&path, "as it was");
    let made = bench.family.bd(&path, "checkpoint add bd-base -m half --snapshot --json").ok().json();
    bench.git(&path, "checkout -q -- .");
    bench.goes(&id, &path, "");
    let to = bench.family.path("there");
    bench.bd(&format!("checkpoint restore {} --to '{}'", text(&made, "id"), to.display())).ok();
    assert_eq!(fs::read_to_string(to.join("file")).unwrap(), "one\nas it was\nthree\n");
}

/// A record that leads elsewhere deletes nothing.
#[test]
fn hostile_records_delete_nothing() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    let web = bench.family.web();
    let victim = bench.family.path("victim");
    fs::create_dir_all(victim.join("ws_aaaaaaaaaaaa")).unwrap();
    fs::write(victim.join("mine"), "mine").unwrap();
    let other = bench.family.worktree("other");
    bench.family.id(&other);
    let link = path.with_file_name("ws_bbbbbbbbbbbb");
    std::os::unix::fs::symlink(&victim, &link).unwrap();
    let file = web.join(".git/beads/workspaces.jsonl");
    let record = fs::read_to_string(&file).unwrap();
    let home = bench.family.env().root().join("home");
    let escape = path.join("../../../victim");
    let targets = [
        Path::new("/"),
        &home,
        &web,
        &victim,
        &victim.join("ws_aaaaaaaaaaaa"),
        &link,
        &escape,
        Path::new("web"),
        bench.family.env().root().as_path(),
        &web.join(".git"),
        &other,
    ]
    .map(Path::to_owned);
    for target in targets {
        for kind in ["clone", "worktree", "copy"] {
            let text = record
                .replace(path.to_str().unwrap(), target.to_str().unwrap())
                .replace("\"kind\":\"clone\"", &format!("\"kind\":\"{kind}\""));
            assert_ne!(text, record);
            fs::write(&file, &text).unwrap();
            for force in ["", " --force"] {
                let run = bench.bd(&format!("workspace remove {id}{force}"));
                assert_eq!(run.code, 8, "{} {kind}: {} {}", target.display(), run.stdout, run.stderr);
            }
        }
    }
    assert_eq!(fs::read_to_string(victim.join("mine")).unwrap(), "mine");
    assert!(web.join("file").exists() && other.join("file").exists() && path.join("file").exists());
    fs::write(&file, &record).unwrap();
    bench.goes(&id, &path, "");
    assert!(link.is_symlink());
}

#[test]
fn links_and_read_only_directories_are_no_trap() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    let outside = bench.family.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("mine"), "mine").unwrap();
    let deep = path.join("target/pkg/mod");
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("file"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, path.join("target/link")).unwrap();
    for place in [deep.as_path(), deep.parent().unwrap()] {
        fs::set_permissions(place, fs::Permissions::from_mode(0o555)).unwrap();
    }
    bench.goes(&id, &path, "");
    assert_eq!(fs::read_to_string(outside.join("mine")).unwrap(), "mine");
}

/// The one who is removing it is gone, or is at it.
#[test]
fn a_directory_that_is_gone_is_noted() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    fs::remove_dir_all(&path).unwrap();
    bench.bd(&format!("workspace remove {id}")).ok();
    assert_eq!(bench.state(&id), "removed");
}

/// A workspace is a checkout too, and is removed as what it is.
#[test]
fn worktrees_and_workspaces_agree() {
    let Some(bench) = Bench::new() else { return };
    for kind in ["clone", "worktree"] {
        let (id, path) = bench.make(&format!("--kind {kind}"));
        let all = bench.bd("worktree list --json").ok().json();
        let worktree = text(&bench.record(&id), "worktree_id");
        let row = all.as_array().unwrap().iter().find(|row| row["worktree_id"] == worktree.as_str()).cloned();
        assert_eq!(row.unwrap_or_else(|| panic!("{all}"))["path"], path.display().to_string());
        for force in ["", " --force"] {
            let line = format!("worktree remove {worktree}{force}");
            bench.bd(&line).fails(8, &[&format!("it is the workspace {id}")]);
        }
        bench.goes(&id, &path, "");
        let all = bench.bd("worktree list --all --json").ok().json();
        let row = all.as_array().unwrap().iter().find(|row| row["worktree_id"] == worktree.as_str()).unwrap();
        assert!(row["exists"] == false && row["gone_at"].is_string(), "{row}");
    }
}

#[test]
fn a_copy_is_looked_at_like_a_clone() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("--kind copy");
    fs::write(path.join("a note"), "mine").unwrap();
    bench.stays(&id, &path, &["untracked"], &["a note is untracked"]);
    fs::remove_file(path.join("a note")).unwrap();
    bench.work(&path, "work");
    bench.stays(&id, &path, &["unpushed"], &["nowhere else"]);
    bench.git(&path, "push -q origin HEAD");
    bench.goes(&id, &path, "");
}
