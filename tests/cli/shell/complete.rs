//! Completion as shells ask for it: ids with titles, labels, statuses; and it leaves nothing behind.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::harness::Env;

/// A project with two issues, one of which waits for the other.
fn project() -> (Env, [String; 2]) {
    let env = Env::new();
    let first = env.bd(["q", "Fix the login", "-l", "ui"]).ok().stdout.trim().to_owned();
    let second = env.bd(["q", "Say $(touch pwned) `twice`", "-l", "backend"]).ok().stdout.trim().to_owned();
    env.bd(["dep", "add", &first, &second]).ok();
    (env, [first, second])
}

/// The answer to a shell, without running the shell.
fn offered(env: &Env, words: &[&str]) -> Vec<String> {
    let args = ["--", "bd"].iter().chain(words);
    let run = env.bd_with(args, None, &[("BD_COMPLETE", "fish")]).ok();
    assert_eq!(run.stderr, "");
    run.stdout.lines().map(str::to_owned).collect()
}

/// Every file below a directory, with its bytes and its time.
fn files(below: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(below).into_iter().flatten().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            let changed = entry.metadata().unwrap().modified().unwrap();
            found.insert(entry.path(), (std::fs::read(entry.path()).unwrap(), changed));
        }
    }
    found
}

#[test]
fn each_word_is_offered_what_fits_there() {
    let (env, [first, second]) = project();
    let closed = env.bd(["q", "Long ago"]).ok().stdout.trim().to_owned();
    env.bd(["close", &closed]).ok();
    let ids = |words: &[&str]| -> Vec<String> {
        let all = offered(&env, words).into_iter().filter(|line| line.starts_with("bd-"));
        all.map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    // Ready issues first, closed ones last.
    assert_eq!(ids(&["work", ""]), [second.clone(), first.clone(), closed.clone()]);
    assert_eq!(ids(&["show", ""]).last(), Some(&closed));
    assert_eq!(ids(&["-C", "..", "show", ""]), [""; 0], "another directory was named");
    let starting = |words: &[&str], start: &str| -> Vec<String> {
        offered(&env, words).into_iter().filter(|line| line.starts_with(start)).collect()
    };
    assert_eq!(starting(&["list", "-l", ""], "ui"), ["ui\ton 1"]);
    assert_eq!(starting(&["list", "-l", "ui,ba"], "ui,"), ["ui,backend\ton 1"]);
    assert_eq!(starting(&["list", "-t", "ep"], "ep"), ["epic"]);
    assert_eq!(starting(&["workflow", "create", "--template", ""], "feature"), ["feature"]);
    assert_eq!(starting(&["und"], "und").len(), 1);
    assert_eq!(starting(&["list", "--no-d"], "--no-d"), [""; 0], "a hidden flag");
}

/// The completions, without their descriptions.
fn words(env: &Env, typed: &[&str]) -> Vec<String> {
    offered(env, typed).into_iter().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn issues_are_offered_wherever_one_is_named() {
    let (env, [first, second]) = project();
    let closed = env.bd(["q", "Long ago"]).ok().stdout.trim().to_owned();
    env.bd(["close", &closed]).ok();
    let ids = |typed: &[&str]| -> Vec<String> {
        words(&env, typed).into_iter().filter(|word| word.contains("bd-")).collect()
    };
    assert!(ids(&["dep", "add", &first, ""]).contains(&second));
    assert_eq!(ids(&["dep", "remove", &first, ""]), [second.as_str()], "only what it depends on");
    assert_eq!(ids(&["dep", "remove", &second, ""]), [""; 0]);
    assert!(ids(&["dep", "relate", &first, "bd"]).contains(&closed));
    assert_eq!(ids(&["add", "x", "--deps", &first]), [first.as_str()]);
    let typed = format!("{first},related:{second}");
    assert_eq!(ids(&["add", "x", "--deps", &typed]), [typed]);
    assert_eq!(ids(&["reopen", ""])[0], closed);
    // Without the prefix.
    assert_eq!(ids(&["show", &second["bd-".len()..]]), [second.as_str()]);
    assert_eq!(ids(&["work", &second["bd-".len()..]]), [second]);
    assert_eq!(ids(&["mail", "read", "bd"]), [""; 0], "these are messages");
}

#[test]
fn names_are_offered_wherever_one_is_typed() {
    let (env, [first, _]) = project();
    env.given(
        "agent register worker-1\nconfig set query.soon 'due<=eow'\nconfig set alias.mine 'list -a @me'
         add Odd --assignee=-rf",
    );
    for (typed, word) in [
        ("label add ID ", "backend"),
        ("label remove ID u", "ui"),
        ("template show fea", "feature"),
        ("template apply ", "feature"),
        ("agent show wo", "worker-1"),
        ("agent unregister ", "worker-1"),
        ("agent list --status of", "offline"),
        ("agent list --role rev", "reviewer"),
        ("agent heartbeat --status ", "busy"),
        ("list --sort du", "due"),
        ("list --sort due,-upd", "due,-updated"),
        ("ready --sort hy", "hybrid"),
        ("list --columns id,assi", "id,assignee"),
        ("list --fields issue_", "issue_type"),
        ("--color al", "always"),
        ("add x -p ", "0"),
        ("list --priority-min ", "4"),
        ("dep add ID x -t disc", "discovered-from"),
        ("config get routing.m", "routing.mode"),
        ("config set lease", "lease.ttl"),
        ("config unset prune.b", "prune.budget"),
        ("config set routing.mode exp", "explicit"),
        ("list --config lease.t", "lease.ttl="),
        ("help dat", "dates"),
        ("help dep", "dep"),
        ("help dep rel", "relate"),
        ("man work", "workspace"),
        ("man dep ad", "add"),
        ("schema dep ad", "add"),
        ("list @", "@soon"),
        ("query @s", "@soon"),
        ("list --where @s", "@soon"),
        ("wo", "work"),
        ("co", "commit"),
        ("star", "start"),
    ] {
        let typed = typed.replace("ID", &first);
        let said = words(&env, &typed.split(' ').collect::<Vec<_>>());
        assert!(said.iter().any(|said| said == word), "{typed}: {said:?}");
    }
    let bare = words(&env, &[""]);
    for name in ["work", "add", "close", "commit", "list"] {
        assert!(bare.iter().any(|said| said == name), "{name}: {bare:?}");
    }
    assert!(!bare.iter().any(|said| said == "start"), "its first name is enough");
    assert!(!words(&env, &["label", "add", ""]).iter().any(|said| said == "ui"), "an issue comes first");
    assert!(!words(&env, &["list", "--assignee", ""]).iter().any(|said| said == "-rf"), "it would be a flag");
}

#[test]
fn completing_leaves_nothing_behind() {
    let (env, [first, _]) = project();
    // Neither with an image of the cache nor without one, nor where the ledger is damaged, nor outside of a project.
    for step in 0..4 {
        match step {
            1 => drop(env.bd(["list"]).ok()),
            2 => env.put_ledger([env.ledger(), b"{\"id\":\"cut".to_vec()].concat()),
            3 => std::fs::remove_dir_all(env.path(".beads")).unwrap(),
            _ => assert!(!env.root().join("home/cache/beads").exists(), "nobody has read yet"),
        }
        let before = files(&env.root());
        let said = offered(&env, &["show", ""]);
        offered(&env, &["dep", "remove", &first, ""]);
        assert_eq!(said.iter().any(|line| line.starts_with(&first)), step < 3, "step {step}: {said:?}");
        assert_eq!(files(&env.root()), before, "step {step}");
    }
}

#[test]
fn a_large_ledger_is_only_asked_by_its_image() {
    let env = Env::new();
    let line = |n: usize| {
        format!(
            "{{\"id\":\"bd-{n:05}\",\"title\":\"Issue {n}\",\"description\":\"{}\",\"created_at\":\"2026-01-01T00:00:00Z\"}}\n",
            "x".repeat(900)
        )
    };
    env.put_ledger((0..5000).map(line).collect::<String>());
    assert_eq!(offered(&env, &["show", "bd-00"]).len(), 0);
    env.bd(["count"]).ok();
    assert_eq!(offered(&env, &["show", "bd-0012"]).len(), 10);
}
