//! The index of the past in the cache directory: it may be there, lack something, be damaged or be missing, and the answers are
//! the same bytes.

use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::harness::{BD, Env};
use crate::support::programs::have;
use crate::support::repos::sh;

/// Questions about the past. The last issue has left, and `t-0` changes often.
const QUESTIONS: [&str; 11] = [
    "log -n 0 --json",
    "log -n 7",
    "log t-0 --json",
    "log t-gone --json",
    "log --since HEAD~9 --json",
    "blame t-0 --json",
    "blame t-gone --json",
    "changelog --since 2025-06-15T20:00:00Z",
    "diff HEAD~30..HEAD~2 --json",
    "show t-0 t-gone --at HEAD~80 --json",
    "show t-gone --json",
];

/// Commits of a ledger, for `git fast-import`: issues change, come and leave, the ledger gets another name, and every tenth
/// commit joins a branch that began a few commits before.
fn stream(commits: usize, padding: usize) -> String {
    let mut issues: Vec<(String, String)> = (0..12).map(|n| (format!("t-{n}"), String::new())).collect();
    issues.push(("t-gone".to_owned(), String::new()));
    let mut stream = String::new();
    let text = |issues: &[(String, String)]| -> String {
        let line = |(id, more): &(String, String)| format!("{{\"id\":\"{id}\",\"title\":\"Secret of {id}\"{more}}}\n");
        let padding = format!("{{\"id\":\"t-x\",\"title\":\"{}\"}}\n", "x".repeat(padding));
        issues.iter().map(line).chain([padding]).collect()
    };
    let mut commit = |branch: &str, mark: usize, parents: &[usize], issues: &[(String, String)], name: &str| {
        let text = text(issues);
        write!(
            stream,
            "commit refs/heads/{branch}\nmark :{mark}\ncommitter Ann <ann@x> {} +0000\ndata 2\nc\n",
            1_750_000_000 + 600 * (mark % 1000)
        )
        .unwrap();
        for (n, parent) in parents.iter().enumerate() {
            writeln!(stream, "{} :{parent}", if n == 0 { "from" } else { "merge" }).unwrap();
        }
        write!(stream, "deleteall\nM 644 inline .beads/{name}.jsonl\ndata {}\n{text}\n", text.len()).unwrap();
    };
    for n in 1..=commits {
        let name = if n < commits / 3 { "issues" } else { "beads" };
        let parents: Vec<usize> = if n == 1 { Vec::new() } else { vec![n - 1] };
        let issue = n * 7 % 12;
        let status = if n % 4 == 0 { "closed" } else { "open" };
        issues[if n % 3 == 0 { 0 } else { issue }].1 = format!(",\"status\":\"{status}\",\"notes\":\"change {n}\"");
        if n == commits / 2 {
            issues.retain(|(id, _)| id != "t-gone");
        }
        if n % 10 == 0 {
            let mut side = issues.clone();
            side[5].1 = format!(",\"assignee\":\"side {n}\"");
            commit("side", 1000 + n, &[n - 1], &side, name);
            issues[5] = side[5].clone();
            commit("main", n, &[n - 1, 1000 + n], &issues, name);
        } else {
            commit("main", n, &parents, &issues, name);
        }
    }
    stream
}

/// A repository with such a history, everything loose.
fn long(commits: usize) -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::new();
    sh(&env, "cd web; git init -q -b main; git config user.name t; git config user.email t@example.org");
    std::fs::write(env.root().join("stream"), stream(commits, 0)).unwrap();
    sh(
        &env,
        "cd web; git -c fastimport.unpackLimit=100000 fast-import --quiet --force < ../stream; git reset -q --hard main",
    );
    Some(env)
}

fn answer(env: &Env, question: &str, without: bool) -> String {
    let vars: &[(&str, &str)] = if without { &[("BD_NO_IMAGE", "1")] } else { &[] };
    let run = env.bd_with(question.split(' '), None, vars);
    format!("{question}\n{}\n{}\n{}", run.code, run.stdout, run.stderr)
}

/// All answers, the same with and without the index.
#[track_caller]
fn answers(env: &Env) -> Vec<String> {
    let ask = |question: &&str| {
        let (with, without) = (answer(env, question, false), answer(env, question, true));
        assert!(with == without, "with the index:\n{with}\nwithout:\n{without}");
        assert!(with.starts_with(&format!("{question}\n0\n")), "{with}");
        with
    };
    QUESTIONS.iter().map(ask).collect()
}

/// Some of the same answers again.
#[track_caller]
fn assert_same(env: &Env, expected: &[String], why: &str) {
    for n in [0, 2, 3, 7] {
        let told = answer(env, QUESTIONS[n], false);
        assert!(told == expected[n], "{why}:\n{told}\nexpected:\n{}", expected[n]);
    }
}

fn indexes(env: &Env) -> Vec<PathBuf> {
    let Ok(all) = std::fs::read_dir(env.root().join("home/cache/beads")) else { return Vec::new() };
    let paths = all.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "past")).collect()
}

#[test]
fn answers_are_the_same_with_and_without_the_index() {
    let Some(env) = long(120) else { return };
    answer(&env, "log t-0", true);
    assert!(indexes(&env).is_empty(), "switched off");
    let first = answers(&env);
    let [index] = indexes(&env).try_into().expect("one index");
    assert_eq!(std::fs::metadata(&index).unwrap().permissions().mode() & 0o777, 0o600);
    let bytes = std::fs::read(&index).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("t-gone") && !holds("Secret") && !holds("change 9") && !holds("Ann"), "ids, and no text");
    assert_eq!(answers(&env), first, "a second time");
    assert_eq!(std::fs::read(&index).unwrap(), bytes, "nothing new was learned");
    sh(&env, "cd web; git gc -q");
    assert_same(&env, &first, "packed");
    assert_eq!(std::fs::read(&index).unwrap(), bytes, "what is packed is what it was");
}

#[test]
fn what_was_rewritten_is_never_told() {
    let Some(env) = long(120) else { return };
    let first = answers(&env);
    sh(&env, "cd web; sed -i 's/Secret of t-3\"/amended\"/' .beads/beads.jsonl; git commit -qam x --amend");
    let amended = answers(&env);
    assert!(amended[0] != first[0] && amended[0].contains("amended"));
    // The same changes in other commits, and one of them dropped.
    sh(
        &env,
        "cd web; git checkout -q -b other main~15; sed -i 's/Secret of t-7/Rebased/' .beads/beads.jsonl
         git commit -qam 'on another base'; git branch -q -D side main; git reflog expire --expire=now --all; git gc -q --prune=now",
    );
    let rebased = answers(&env);
    assert!(rebased[0].contains("Rebased") && !rebased[0].contains("amended"), "{}", rebased[0]);
    sh(&env, "cd web; git worktree add -q --detach ../beside HEAD~40");
    let beside = |vars: &[(&str, &str)]| {
        let mut command = env.bd_command(BD);
        command.args(["log", "-n", "0", "--json"]).current_dir(env.root().join("beside")).envs(vars.iter().copied());
        env.run(command, "bd log".to_owned(), None).ok().stdout
    };
    assert_eq!(beside(&[]), beside(&[("BD_NO_IMAGE", "1")]));
    assert_eq!(indexes(&env).len(), 1, "all checkouts of a repository have one");
}

#[test]
fn a_damaged_index_is_ignored_and_made_again() {
    let Some(env) = long(90) else { return };
    let expected = answers(&env);
    let [index] = indexes(&env).try_into().expect("one index");
    let bytes = std::fs::read(&index).unwrap();
    let changed = |at: usize| {
        let mut odd = bytes.clone();
        odd[at] ^= 0x40;
        odd
    };
    let odd: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("another version", changed(9)),
        ("another kind", changed(0)),
        ("a bit of it", changed(bytes.len() / 2)),
        ("its sum", changed(bytes.len() - 1)),
        ("half of it", bytes[..bytes.len() / 2].to_vec()),
        ("all but a byte", bytes[..bytes.len() - 1].to_vec()),
        ("something else", b"not an index at all".to_vec()),
    ];
    for (what, odd) in &odd {
        std::fs::write(&index, odd).unwrap();
        assert_eq!(answer(&env, QUESTIONS[0], false), expected[0], "{what}");
        assert_eq!(answer(&env, QUESTIONS[2], false), expected[2], "{what}");
        let again = std::fs::read(&index).unwrap();
        assert!(again != *odd && again.len() > bytes.len() / 2, "{what}: it is made again");
        std::fs::write(&index, &bytes).unwrap();
    }
    std::fs::set_permissions(&index, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_same(&env, &expected, "others could have written it");
    assert_eq!(std::fs::metadata(&index).unwrap().permissions().mode() & 0o777, 0o600, "it is made again");
    // A link is not followed, and is replaced itself.
    let elsewhere = env.root().join("elsewhere");
    std::fs::rename(&index, &elsewhere).unwrap();
    symlink(&elsewhere, &index).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    assert_same(&env, &expected, "a link");
    assert!(!index.is_symlink() && std::fs::read(&elsewhere).unwrap() == before);
    // A directory that is a link, and one that cannot be written to.
    let cache = env.root().join("home/cache");
    std::fs::remove_dir_all(cache.join("beads")).unwrap();
    symlink(env.root().join("tmp"), cache.join("beads")).unwrap();
    assert_same(&env, &expected, "a directory that is a link");
    assert_eq!(std::fs::read_dir(env.root().join("tmp")).unwrap().count(), 0, "nothing is written behind a link");
    std::fs::remove_file(cache.join("beads")).unwrap();
    std::fs::write(cache.join("beads"), "a file").unwrap();
    assert_same(&env, &expected, "a file");
}

#[test]
fn several_processes_at_once() {
    let Some(env) = long(90) else { return };
    let expected: Vec<String> = QUESTIONS.iter().map(|question| answer(&env, question, true)).collect();
    for round in 0..2 {
        let start = |question: &&str| {
            let mut command = env.bd_command(BD);
            command.args(question.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let children: Vec<_> = QUESTIONS.iter().map(|question| (question, start(question))).collect();
        for ((question, child), expected) in children.into_iter().zip(&expected) {
            let output = child.wait_with_output().unwrap();
            let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
            let told = format!("{question}\n{}\n{out}\n{err}", output.status.code().unwrap());
            assert!(told == *expected, "round {round}: {told}");
        }
        assert_eq!(indexes(&env).len(), 1);
    }
    assert_same(&env, &expected, "afterwards");
}

/// How many objects that are not packed a command opens.
fn objects_opened(env: &Env, args: &[&str]) -> usize {
    let log = env.root().join("strace");
    let mut command = env.bd_command("strace");
    command.args(["-f", "-e", "trace=openat,open", "-o"]).arg(&log).arg(BD).args(args);
    env.run(command, "strace".to_owned(), None).ok();
    let said = std::fs::read_to_string(log).unwrap();
    let is_object = |line: &&str| {
        let name = line.split(".git/objects/").nth(1).and_then(|rest| rest.split('"').next());
        let (Some(name), false) = (name, line.contains("= -1")) else { return false };
        name.len() == 41 && name.as_bytes()[2] == b'/'
    };
    said.lines().filter(is_object).count()
}

#[test]
fn a_new_commit_costs_that_commit() {
    if !have(&["strace"]) {
        return;
    }
    let Some(env) = long(120) else { return };
    let all = objects_opened(&env, &["log", "t-8"]);
    let known = objects_opened(&env, &["log", "t-8"]);
    sh(&env, "cd web; sed -i 's/Secret of t-3\"/More\"/' .beads/beads.jsonl; git commit -qam more");
    let one_more = objects_opened(&env, &["log", "t-8"]);
    assert!(all > 400, "{all} objects: every commit, its trees and its ledger");
    assert!(known < all / 4, "{known} of {all} objects: what is told of the issue");
    // The commit, its two trees, and its ledger and the one before it.
    assert!((known + 2..=known + 6).contains(&one_more), "{one_more} objects after {known}");
}

/// Some 250 MB of versions, in a process that may have 96 MB.
#[test]
fn all_changes_are_told_in_little_memory() {
    let Some(env) = long(1) else { return };
    std::fs::write(env.root().join("stream"), stream(250, 1_000_000)).unwrap();
    sh(&env, "cd web; git fast-import --quiet --force < ../stream; git reset -q --hard main");
    let ask = || sh(&env, &format!("cd web; ulimit -d 98304; '{BD}' log -n 0 --json > ../out; wc -l < ../out"));
    let (cold, warm) = (ask(), ask());
    assert_eq!((indexes(&env).len(), &cold), (1, &warm));
}
