//! `bd sync` carries the ledger and nothing else: code goes only when it is asked to.

use crate::cli::share::sync::{clones, head, other};
use crate::support::harness::Env;
use crate::support::programs::{have, put};
use crate::support::repos::{bd_in, repo, sh};

fn hook(env: &Env, text: &str) {
    put(&env.path(".git/hooks/pre-push"), format!("#!/bin/sh\n{text}\n"));
}

#[test]
fn code_stays_here_until_it_is_asked_for() {
    let Some(env) = clones() else { return };
    hook(&env, "exit 1");
    sh(&env, "cd web; echo s > secret.txt; git add secret.txt; git commit -q -m 'Keep a secret'");
    other(&env, "add Two --id bd-two\nsync -q");
    let before = head(&env, "upstream");
    // Unpushed work is no failure where the ledger has nothing to send.
    for command in ["sync --dry-run", "sync"] {
        let run = env.bd(command.split(' ')).ok();
        assert!(run.stdout.contains("of yours not pushed: nothing of the ledger"), "{}", run.snapshot());
    }
    assert_eq!(head(&env, "upstream"), before);
    env.given("add One --id bd-one");
    let wanted = ["not pushed to origin/main: 1 commit touches files", "Keep a secret", "git push", "--with-code"];
    let run = env.bd(["sync"]).fails(1, &wanted);
    assert!(run.stdout.contains("committed") && !run.stdout.contains("pushed"), "{}", run.snapshot());
    assert_eq!(head(&env, "upstream"), before);
    assert_eq!(env.bd(["list", "--json", "--sort", "id"]).ids(), ["bd-base", "bd-one", "bd-two"], "pulling goes on");
    let told = env.bd(["sync", "--json"]);
    assert_eq!((told.code, &told.json()["repos"][0]["error"]["code"]), (1, &"holds_code".into()));

    // The repository's own hook decides, after the user has agreed to it.
    env.bd(["sync", "--with-code"]).fails(10, &["hook pre-push", "bd trust"]);
    env.bd(["trust"]).ok();
    env.bd(["sync", "--with-code"]).fails(1, &["a hook of this repository refuses the push"]);
    assert_eq!(head(&env, "upstream"), before);
    hook(&env, "cat > ../seen");
    env.bd(["sync", "--with-code"]).fails(10, &["hook pre-push"]);
    env.bd(["trust"]).ok();
    let done = env.bd(["sync", "--with-code"]).ok();
    assert!(done.stdout.contains("pushed"), "{}", done.snapshot());
    assert_eq!(head(&env, "upstream"), head(&env, "web"));
    assert!(sh(&env, "cat seen").starts_with("refs/heads/main "));
    env.bd(["sync"]).ok();
}

/// Only agreed hooks run, including the one behind the hook that `bd hooks install` puts in front.
#[test]
fn a_hook_that_runs_next_is_agreed_to_as_well() {
    let Some(env) = clones() else { return };
    hook(&env, "exit 0");
    env.bd(["hooks", "install"]).ok();
    let code = |name: &str| sh(&env, &format!("cd web; echo x > {name}; git add {name}; git commit -q -m {name}"));
    code("one");
    env.bd(["sync", "--with-code"]).fails(10, &["pre-push.bd-previous"]);
    env.bd(["trust"]).ok();
    env.bd(["sync", "--with-code"]).ok();
    put(&env.path(".git/hooks/pre-push.bd-previous"), "#!/bin/sh\ntouch ../ran\n");
    code("two");
    assert!(!env.bd(["trust", "--dry-run"]).ok().stdout.contains("already"));
    env.bd(["sync", "--with-code"]).fails(10, &["pre-push.bd-previous"]);
    assert!(!env.path("../ran").exists());
}

/// What `bd hooks install` has just written needs no agreement; somebody else's text with our mark does.
#[test]
fn our_own_hook_is_agreed_to() {
    let Some(env) = clones() else { return };
    env.bd(["hooks", "install"]).ok();
    sh(&env, "cd web; echo x > one; git add one; git commit -q -m one");
    env.bd(["sync", "--with-code"]).ok();
    assert_eq!(head(&env, "upstream"), head(&env, "web"));
    let body = "touch ../ran\n";
    let sum = &blake3::hash(body.as_bytes()).to_hex()[..32];
    put(&env.path(".git/hooks/pre-push"), format!("#!/bin/sh\n# bd-hook {sum}\n{body}"));
    sh(&env, "cd web; echo x > two; git add two; git commit -q -m two");
    env.bd(["sync", "--with-code"]).fails(10, &["hook pre-push"]);
    assert!(!env.path("../ran").exists());
}

/// Whatever a commit does to other files is code: also what another one takes back, and a merge that drops the others' work.
#[test]
fn every_way_to_touch_other_files_counts() {
    for (name, script) in [
        ("removed", "git rm -q code; git commit -q -m odd"),
        ("mode", "chmod +x code; git commit -q -a -m odd"),
        ("taken back", "echo x > code; git commit -q -a -m odd; git revert --no-edit HEAD >/dev/null"),
        ("a link", "ln -s code .beads-link; git add .beads-link; git commit -q -m odd"),
        ("a directory like it", "mkdir -p sub/.beads; echo x > sub/.beads/run.sh; git add sub; git commit -q -m odd"),
        ("a submodule", "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),lib; git commit -q -m odd"),
        ("a replacement", "echo x > code; git commit -q -a -m odd; git replace HEAD HEAD~1"),
    ] {
        let Some(env) = clones() else { return };
        let before = head(&env, "upstream");
        sh(&env, &format!("cd web; {script}"));
        env.given("add One --id bd-one");
        env.bd(["sync", "--dry-run"]).fails(1, &["not pushed to origin/main", "odd"]);
        env.bd(["sync"]).fails(1, &["not pushed to origin/main", "odd"]);
        assert_eq!(head(&env, "upstream"), before, "{name}");
    }
    let Some(env) = clones() else { return };
    sh(&env, "cd other; echo theirs > code; git commit -q -a -m theirs; git push -q
        cd ../web; git fetch -q; git commit -q --allow-empty -m empty; git merge -q -s ours -m 'drop theirs' origin/main");
    env.given("add One --id bd-one");
    let before = head(&env, "upstream");
    env.bd(["sync"]).fails(1, &["drop theirs"]);
    assert_eq!(head(&env, "upstream"), before);
}

/// A merge that brings the others' code together with the ledger of this clone holds no code of this clone.
#[test]
fn a_merge_with_their_code_travels() {
    let Some(env) = clones() else { return };
    env.given("add Zero --id bd-zero\ncommit");
    sh(&env, "cd other; echo theirs > code; git commit -q -a -m 'Change the code'; git push -q");
    env.given("add One --id bd-one");
    let run = env.bd(["sync"]).ok();
    assert!(run.stdout.contains("merged") && run.stdout.contains("pushed"), "{}", run.snapshot());
    assert!(run.stdout.contains("brought 1 commit with files outside of the ledger: "), "{}", run.snapshot());
    assert!(run.stdout.contains("Change the code"), "{}", run.snapshot());
    assert_eq!(head(&env, "upstream"), head(&env, "web"));
}

#[test]
fn a_dry_run_tells_what_would_go() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one\ncommit\nadd Two --id bd-two");
    let before = (head(&env, "web"), head(&env, "upstream"));
    let run = env.bd(["sync", "--dry-run"]).ok();
    assert!(run.stdout.contains("would be committed, would push 2 commits to origin/main"), "{}", run.snapshot());
    assert!(run.stdout.contains("add bd-one: One"), "{}", run.snapshot());
    let json = env.bd(["sync", "--dry-run", "--json"]).ok().json();
    assert_eq!(json["repos"][0]["outgoing"][0]["subject"], "add bd-one: One");
    sh(&env, "cd web; echo x > x; git add x; git commit -q -m 'Add x'");
    env.bd(["sync", "--dry-run"]).fails(1, &["Add x"]);
    sh(&env, "cd web; git reset -q --hard HEAD~1; git checkout -q -b side");
    let run = env.bd(["sync", "--dry-run"]).ok();
    assert!(run.stdout.contains("would not be pushed: the branch `side` follows no branch"), "{}", run.snapshot());
    sh(&env, "cd web; git checkout -q main");
    assert_eq!((head(&env, "web"), head(&env, "upstream")), before);
    env.bd(["sync", "--bookmark", "main"]).fails(2, &["--bookmark is for jj and hg"]);
    env.bd(["sync", "--with-code", "--no-push"]).fails(2, &["--no-push"]);
}

/// In a clone of a repository that has nothing yet the ledger's commit is the first, and goes there.
#[test]
fn a_dry_run_tells_of_the_first_push() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    let settings = env.root().join("home/.jjconfig.toml");
    std::fs::write(settings, "[user]\nname = 'Ann'\nemail = 'ann@example.org'\n").unwrap();
    let identity = "git config user.name t; git config user.email t@example.org";
    let clones = [
        (
            "git",
            "origin/main",
            format!("git clone -q up-git git 2>&1; cd git; git symbolic-ref HEAD refs/heads/main; {identity}"),
        ),
        (
            "jj",
            "main@origin",
            "jj git init jj 2>&1; cd jj; jj git remote add origin ../up-jj 2>&1; jj git fetch 2>&1".to_owned(),
        ),
    ];
    for (name, to, clone) in clones.iter().filter(|(name, ..)| have(&[name])) {
        sh(&env, &format!("git init -q --bare -b main up-{name}; {clone}"));
        bd_in(&env, name, ["init", "--quiet", "--prefix", "bd"]).ok();
        bd_in(&env, name, ["add", "One", "--id", "bd-one"]).ok();
        let run = bd_in(&env, name, ["sync", "--dry-run"]).ok();
        let told = format!(". ({name}): would be committed, would push 1 commit to {to}");
        assert_eq!(run.stdout.lines().next(), Some(told.as_str()), "{}", run.snapshot());
        assert_eq!(bd_in(&env, name, ["sync", "--dry-run", "--json"]).ok().json()["repos"][0]["sends_to"], *to);
        let run = bd_in(&env, name, ["sync"]).ok();
        let told = format!(". ({name} with {to}): committed, pushed");
        assert_eq!(run.stdout.lines().next(), Some(told.as_str()), "{}", run.snapshot());
        let run = bd_in(&env, name, ["sync", "--dry-run"]).ok();
        assert!(run.stdout.lines().next().unwrap().ends_with(": nothing to do"), "{}", run.snapshot());
    }
}

/// Both sides have something new: a dry run says that the result would be sent, and what `--no-pull` refuses.
#[test]
fn a_dry_run_of_two_sides() {
    let Some(env) = clones() else { return };
    other(&env, "add Two --id bd-two\nsync -q");
    env.given("add One --id bd-one\ncommit");
    sh(&env, "git -C web fetch -q");
    let run = env.bd(["sync", "--dry-run"]).ok();
    let told = ". (git with origin/main): 1 commit to merge, would push what comes of it to origin/main\n";
    assert_eq!(run.stdout, told, "{}", run.snapshot());
    env.bd(["sync", "--dry-run", "--no-pull"]).fails(6, &["--no-pull forbids merging them"]);
    env.bd(["sync", "--no-pull"]).fails(6, &["--no-pull forbids merging them"]);
    let run = env.bd(["sync"]).ok();
    assert!(run.stdout.contains("merged, received 1 new issue, pushed"), "{}", run.snapshot());
}

/// Changes that git was told to ignore would be neither sent nor safe.
#[test]
fn a_ledger_that_git_overlooks() {
    for flag in ["skip-worktree", "assume-unchanged"] {
        let Some(env) = clones() else { return };
        sh(&env, &format!("cd web; git update-index --{flag} .beads/beads.jsonl"));
        env.given("add One --id bd-one");
        let undo = format!("git update-index --no-{flag}");
        for command in ["commit", "sync"] {
            env.bd([command]).fails(8, &[&format!("overlook changes of {}", env.ledger_path().display()), &undo]);
        }
        other(&env, "add Two --id bd-two\nsync -q");
        env.bd(["sync"]).fails(8, &[&undo]);
        assert!(env.ledger_text().contains("bd-one"));
        sh(&env, &format!("cd web; git update-index --no-{flag} .beads/beads.jsonl"));
        env.bd(["sync"]).ok();
        assert!(sh(&env, "git -C upstream show main:.beads/beads.jsonl").contains("bd-one"));
    }
}

#[test]
fn a_ledger_behind_a_filter() {
    let Some(env) = clones() else { return };
    sh(&env, "cd web; git config filter.rot.clean 'tr a-z n-za-m'; git config filter.rot.smudge 'tr a-z n-za-m'");
    env.bd(["trust"]).ok();
    env.given("add One --id bd-one");
    env.bd(["commit"]).ok();
    env.write(".beads/.gitattributes", "*.jsonl filter=rot\n");
    for command in ["commit", "sync", "log", "blame bd-base", "show bd-base --at HEAD"] {
        let run = env.bd(command.split(' '));
        assert!(run.code == 1 && run.stderr.contains("passes the filter rot"), "{}", run.snapshot());
        assert!(run.stderr.contains("beads.jsonl !filter"), "{}", run.snapshot());
    }
    env.bd(["list"]).ok();
    env.write(".beads/.gitattributes", "*.jsonl filter=rot\nbeads.jsonl !filter\n");
    env.bd(["log"]).ok();
}

/// A ledger in version control is not replaced by an empty one.
#[test]
fn init_where_the_ledger_is_not_checked_out() {
    let Some(env) = clones() else { return };
    let text = env.ledger_text();
    let refuse = |way: &str| env.bd(["init"]).fails(8, &["version control has issues in .beads/beads.jsonl", way]);
    sh(&env, "cd web; rm -rf .beads");
    refuse("git checkout -- .beads/beads.jsonl");
    assert!(!env.path(".beads").exists());
    sh(&env, "cd web; git checkout -q -- .beads; git sparse-checkout set --no-cone /code");
    assert!(!env.path(".beads").exists());
    refuse("git sparse-checkout add");
    sh(&env, "cd web; git sparse-checkout disable");
    assert_eq!(env.ledger_text(), text);
    sh(&env, "cd web; git rm -q -r .beads; git commit -q -m 'give up the ledger'");
    env.bd(["init"]).ok();
}

/// jj with a `.git` beside it, a project that joins a planning repo, and a remote.
fn with_jj() -> Option<Env> {
    if !have(&["jj", "git"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    // jj pushes no commit of a person without an address.
    let settings = env.root().join("home/.jjconfig.toml");
    std::fs::write(settings, "[user]\nname = 'Ann'\nemail = 'ann@example.org'\n").unwrap();
    sh(
        &env,
        "git init -q --bare -b main upstream; cd web; jj git init --colocate 2>&1; echo 1 > code; jj commit -m base 2>&1
         jj bookmark create main -r @- 2>&1; jj git remote add origin ../upstream 2>&1; jj git push -b main 2>&1",
    );
    repo(&env, "plan", "pl");
    bd_in(&env, "plan", ["add", "Secret", "--id", "pl-1"]).ok();
    env.given("repo add ../plan\nconfig set routing.role maintainer");
    Some(env)
}

/// Each issue is reported once, however many of our commits have to be merged, and however many ways are tried.
#[test]
fn jj_tells_each_merged_issue_once() {
    for conflicts in [false, true] {
        let Some(env) = with_jj() else { return };
        sh(&env, "git clone -q upstream other; cd other; git config user.name t; git config user.email t@example.org");
        other(&env, "label add bd-base theirs\nsync -q");
        env.given("update bd-base --title Ours\ncommit -q\nupdate bd-base -p 0\ncommit -q");
        if conflicts {
            // Commits that cannot be rebased one by one; both ends fit together.
            sh(&env, "cd other; echo theirs > code; git commit -q -a -m theirs; git push -q");
            sh(&env, "cd web; echo ours > code; jj commit -m there 2>&1; echo 1 > code; jj commit -m back 2>&1");
        }
        let run = env.bd(["sync", "--no-push"]).ok();
        let way = if conflicts { "merged" } else { "rebased" };
        assert!(run.stdout.contains(way), "{}", run.snapshot());
        let told: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("  bd-base: ")).collect();
        assert_eq!(told, ["  bd-base: title, priority from ours; labels from theirs"], "{}", run.snapshot());
        let shown = &env.bd(["show", "bd-base", "--json"]).ok().json()[0];
        assert_eq!((&shown["title"], &shown["labels"][0]), (&"Ours".into(), &"theirs".into()));
    }
}

const PRIVATE: &str = "{\"id\":\"bd-zz\",\"title\":\"Secret\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"visibility\":\"local\"}\n";

#[test]
fn jj_sends_nothing_private_and_no_code() {
    let Some(env) = with_jj() else { return };
    let before = head(&env, "upstream");
    env.put_ledger(env.ledger_text() + PRIVATE);
    env.bd(["check-leaks"]).fails(8, &["1 private thing"]);
    sh(&env, "cd web; jj commit -m 'by hand' .beads/beads.jsonl 2>&1");
    env.bd(["sync"]).fails(8, &["would publish something private"]);
    env.bd(["sync", "--dry-run"]).fails(8, &["would publish something private"]);
    env.bd(["check-leaks", "--range", "main@origin..@-"]).fails(8, &["1 private thing"]);
    env.bd(["check-leaks", "--range", "nosuch()"]).fails(2, &["is not a revset", "jj: a revset"]);
    assert_eq!(head(&env, "upstream"), before);
    sh(&env, "cd web; jj abandon @- 2>&1; jj restore .beads/beads.jsonl 2>&1");
    env.bd(["check-leaks", "--range", "main@origin::@"]).ok();
    // The bookmark was moved over code: that is for the user to push.
    sh(&env, "cd web; echo 2 > code; jj commit -m 'Write code' code 2>&1; jj bookmark set main -r @- 2>&1");
    env.given("add One --id bd-one");
    env.bd(["sync"]).fails(1, &["not pushed to main@origin", "Write code", "jj git push"]);
    assert_eq!(head(&env, "upstream"), before);
    env.bd(["sync", "--bookmark", "nosuch"]).ok();
    assert_eq!(sh(&env, "git -C upstream for-each-ref --format='%(refname)'"), "refs/heads/main\n");
    env.bd(["sync", "--with-code"]).ok();
    assert_ne!(head(&env, "upstream"), before);
}

/// Settings that lie in a commit with code do not keep the ledger here; a ledger in such a commit is never passed over.
#[test]
fn jj_sends_the_ledger_below_code_and_settings() {
    let Some(env) = with_jj() else { return };
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n[prune]\nbudget = \"30k\"\n");
    sh(&env, "cd web; echo 2 > code; jj commit -m 'Write code' 2>&1");
    env.given("add One --id bd-one");
    env.bd(["sync"]).ok();
    let there = sh(&env, "git -C upstream show main:.beads/beads.jsonl");
    assert!(there.contains("bd-one"), "{there}");
    assert!(!sh(&env, "git -C upstream log --format=%s main").contains("Write code"));
    let line = "{\"id\":\"bd-two\",\"title\":\"Two\",\"status\":\"open\"}\n";
    env.put_ledger(env.ledger_text() + line);
    sh(&env, "cd web; echo 3 > code; jj commit -m 'Both at once' 2>&1");
    env.bd(["sync"]).fails(1, &["not pushed to main@origin", "Both at once"]);
}

#[test]
fn jj_leaves_git_alone_in_the_middle_of_something() {
    let Some(env) = with_jj() else { return };
    env.given("add One --id bd-one");
    // Staged, and another version than the file.
    sh(&env, "cd web; echo staged > code; git add code; echo later > code");
    for command in ["commit", "sync --no-pull"] {
        env.bd(command.split(' ')).fails(8, &["files are staged with git", "code"]);
    }
    assert_eq!(sh(&env, "cd web; git show :code; cat code"), "staged\nlater\n");
    sh(
        &env,
        "cd web; git checkout -q -f HEAD -- code; git checkout -q -b side; echo s > code; git commit -q -a -m side
        git checkout -q -f main; echo m > code; git commit -q -a -m main; git merge side >/dev/null 2>&1 || true",
    );
    let state = "cd web; cat .git/MERGE_HEAD .git/HEAD; git rev-parse HEAD; git ls-files -u";
    let before = sh(&env, state);
    for command in ["commit", "sync", "sync --dry-run"] {
        env.bd(command.split(' ')).fails(8, &["a merge is not finished"]);
    }
    assert_eq!(sh(&env, state), before);
}

/// A clone of hg with a planning repo, whose server holds a ledger and code.
fn with_hg() -> Option<Env> {
    if !have(&["hg"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(
        &env,
        "hg init upstream; cd web; hg init; echo 1 > code; hg add -q .beads code; hg commit -q -m base
         printf '[paths]\\ndefault = ../upstream\\n' > .hg/hgrc; hg push -q",
    );
    repo(&env, "plan", "pl");
    bd_in(&env, "plan", ["add", "Secret", "--id", "pl-1"]).ok();
    env.given("repo add ../plan\nconfig set routing.role maintainer");
    Some(env)
}

#[test]
fn hg_sends_nothing_private_no_code_and_no_bookmark() {
    let Some(env) = with_hg() else { return };
    let server = "hg -R upstream log -T '{desc|firstline};'; hg -R upstream bookmarks -T '{bookmark};'";
    env.put_ledger(env.ledger_text() + PRIVATE);
    env.bd(["check-leaks"]).fails(8, &["1 private thing"]);
    sh(&env, "cd web; hg commit -q -m 'by hand'");
    env.bd(["sync"]).fails(8, &["would publish something private"]);
    env.bd(["check-leaks", "--range", "draft()"]).fails(8, &["1 private thing"]);
    sh(&env, "cd web; hg --config extensions.strip= strip -q --no-backup .");
    env.bd(["check-leaks", "--range", "all()"]).ok();
    // As an agent has it: a bookmark of its own, and unreviewed work.
    sh(&env, "cd web; hg bookmark work; echo 2 > code; hg commit -q -m 'Write code' code");
    env.given("add One --id bd-one");
    let run = env.bd(["sync"]).ok();
    assert!(run.stdout.contains("not known to have the bookmark `work`"), "{}", run.snapshot());
    sh(&env, "cd web; hg bookmark -q --inactive work");
    env.bd(["sync"]).fails(1, &["not pushed to default: ", "Write code", "hg push"]);
    assert_eq!(sh(&env, server), "base;");
    assert_eq!(sh(&env, "cd web; hg log -r 'draft()' -T '{desc|firstline};'"), "Write code;add bd-one: One;");
}

/// Two other people's lines of code are theirs to merge.
#[test]
fn hg_merges_no_heads_of_others() {
    let Some(env) = with_hg() else { return };
    sh(
        &env,
        "hg clone -q upstream ann; hg clone -q upstream bob
        for who in ann bob; do cd $who; echo $who > $who; hg commit -q -A -m \"by $who\"; hg push -q --force; cd ..; done",
    );
    env.given("add One --id bd-one");
    env.bd(["sync"]).fails(1, &["default has several heads with code", "merge them"]);
    assert_eq!(
        sh(&env, "hg -R upstream log -r 'merge()' -T x; hg -R upstream heads -T x; hg -R web log -r 'merge()' -T x"),
        "xx"
    );
    // Their ledgers alone come together.
    sh(&env, "cd ann; hg pull -q; hg merge -q; hg commit -q -m together; hg push -q");
    let run = env.bd(["sync"]).ok();
    assert!(run.stdout.contains("brought 2 commits with files outside of the ledger"), "{}", run.snapshot());
    assert_eq!(sh(&env, "hg -R upstream heads -T x"), "x");
}

/// A dry run refuses what the sync and the commit would refuse.
#[test]
fn a_dry_run_sees_markers() {
    let Some(env) = clones() else { return };
    let text = env.ledger_text();
    let (ours, theirs) = (&text, text.replace("Base", "Other"));
    env.put_ledger(format!("<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"));
    for line in ["sync --dry-run", "sync", "commit --dry-run", "commit"] {
        env.bd(line.split(' ')).fails(8, &["conflict", "bd resolve"]);
    }
}

/// Somebody took commits off the remote that are here: bringing them back, or dropping them, is the user's choice.
#[test]
fn a_rewritten_remote_is_named_and_not_merged() {
    let Some(env) = clones() else { return };
    other(&env, "add Two --id bd-two\nsync -q");
    env.bd(["sync"]).ok();
    let rewrite = "git commit -q --amend -m Otherwise --date 2001-01-01T00:00:00 && git push -q --force";
    sh(&env, &format!("cd other; {rewrite}"));
    let (here, there) = (head(&env, "web"), head(&env, "upstream"));
    for command in ["sync", "sync --with-code"] {
        let run = env.bd(command.split(' ')).fails(8, &["was rewritten", "no longer contains", "git rebase --onto"]);
        assert!(run.stderr.contains("git reset --keep origin/main"), "{}", run.snapshot());
    }
    assert_eq!((head(&env, "web"), head(&env, "upstream")), (here, there));
    // What is written here meanwhile goes with the way that the hint names.
    env.given("add Three --id bd-three\ncommit -q");
    let told = env.bd(["sync"]).fails(8, &["git rebase"]);
    let command = told.stderr.split('`').find(|part| part.starts_with("git rebase")).unwrap().to_owned();
    sh(&env, &format!("cd web; {command}"));
    env.bd(["sync"]).ok();
    assert_eq!(env.bd(["list", "--json", "--sort", "id"]).ids(), ["bd-base", "bd-three", "bd-two"]);
    assert_eq!(head(&env, "upstream"), head(&env, "web"));
}
