//! Completion as shells ask for it: ids with titles, labels, statuses; and it leaves nothing behind.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::harness::{BD, Env};
use crate::support::programs::have;

/// A project with two issues, one of which waits for the other.
fn project() -> (Env, [String; 2]) {
    let env = Env::new();
    let first = env.bd(["q", "Fix the login", "-l", "ui"]).ok().stdout.trim().to_owned();
    let second = env.bd(["q", "Say $(touch pwned) `twice`", "-l", "backend"]).ok().stdout.trim().to_owned();
    env.bd(["dep", "add", &first, &second]).ok();
    (env, [first, second])
}

/// Runs a shell's program text with `bd` in its path.
fn shell(env: &Env, program: &[&str], text: &str) -> String {
    let mut command = env.bd_command(program[0]);
    let bin = Path::new(BD).parent().unwrap().to_str().unwrap().to_owned();
    command.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap())).args(&program[1..]).arg(text);
    env.run(command, text.to_owned(), None).ok().stdout
}

fn script(env: &Env, shell: &str) -> String {
    let text = env.bd(["completions", shell]).ok().stdout;
    env.write(&format!("script.{shell}"), text).to_str().unwrap().to_owned()
}

/// What a shell is told, without the shell.
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
fn bash_completes_ids_and_labels() {
    if !have(&["bash"]) {
        return;
    }
    let (env, [first, _]) = project();
    let script = script(&env, "bash");
    let ask = |words: &str, at: usize, word: &str| {
        let text = format!(
            "source '{script}'; COMP_WORDS=({words}); COMP_CWORD={at}; _clap_complete_bd bd '{word}' x; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        shell(&env, &["bash", "--norc", "-c"], &text)
    };
    assert_eq!(ask(&format!("bd show {}", &first[..6]), 2, &first[..6]), format!("{first}\n"));
    assert_eq!(ask("bd list -l back", 3, "back"), "backend\n");
    assert_eq!(ask("bd update x --status in", 4, "in"), "in_progress\n");
    assert!(!env.path("pwned").exists());
}

#[test]
fn fish_shows_titles() {
    if !have(&["fish"]) {
        return;
    }
    let (env, [first, second]) = project();
    let script = script(&env, "fish");
    let text = format!("source '{script}'; complete -C 'bd show {}'", &first[..5]);
    let said = shell(&env, &["fish", "--no-config", "-c"], &text);
    assert!(said.contains(&format!("{first}\tFix the login")), "{said}");
    let text = format!("source '{script}'; complete -C 'bd close {second}'");
    assert!(shell(&env, &["fish", "--no-config", "-c"], &text).contains("$(touch pwned) `twice`"));
    assert!(!env.path("pwned").exists());
}

#[test]
fn zsh_completes_as_somebody_types() {
    if !have(&["zsh"]) {
        return;
    }
    let (env, [first, _]) = project();
    let script = script(&env, "zsh");
    let (start, rest) = first.split_at(first.len() - 3);
    let text = format!(
        "zmodload zsh/zpty; zpty t env TERM=dumb zsh -f -i
         zpty -w t 'PS1=; autoload -U compinit; compinit -u -D; source {script}; compdef _clap_dynamic_completer_bd bd; echo READY$((1+1))'
         zpty -r -m t out '*READY2*'
         zpty -w -n t $'bd show {start}\\t'
         zpty -r -m t out '*{first}*' || exit 1
         print -r -- $out; zpty -d t"
    );
    let said = shell(&env, &["zsh", "-f", "-c"], &text);
    assert!(said.contains(&format!("bd show {start}{rest}")), "{said}");
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
    // What can be worked on comes first, what is closed last.
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
    assert_eq!(starting(&["und"], "und").len(), 2);
    assert_eq!(starting(&["list", "--no-d"], "--no-d"), [""; 0], "a hidden flag");
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

#[test]
fn manual_pages_are_printed_and_installed() {
    let env = Env::bare();
    let page = env.bd(["man", "list"]).ok().stdout;
    assert!(page.contains(".TH BD-LIST 1") && page.contains("bd list"), "{page}");
    env.bd(["man", "nosuch"]).fails(2, &["no command \"nosuch\"; run `bd help --all`"]);
    env.bd(["man", "--install"]).ok();
    let installed = env.root().join("home/data/man/man1");
    assert_eq!(std::fs::read_to_string(installed.join("bd-list.1")).unwrap(), page);
    assert!(std::fs::read_to_string(installed.join("bd.1")).unwrap().contains(".TH BD 1"));
    let count = std::fs::read_dir(installed).unwrap().count();
    env.bd(["man", "--install", "--dir", "pages"]).ok();
    assert_eq!(std::fs::read_dir(env.path("pages")).unwrap().count(), count);
    // A file that is in the way is named.
    std::fs::write(env.path("file"), "").unwrap();
    env.bd(["man", "--install", "--dir", "file"]).fails(1, &["file"]);
}
