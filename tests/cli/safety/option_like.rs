//! Values that look like an option, a URL or a command, wherever a repository or a user can put one: refused, or taken as they are.

use std::fs;

use crate::support::effort::pick;
use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::sh;

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

const NASTY: &[&str] = &[
    "--upload-pack=touch ran;",
    "--receive-pack=touch ran",
    "-oProxyCommand=touch ran",
    "--config=alias.status=!touch ran",
    "--exec=touch ran",
    "-x",
    "--",
    "-",
    "--help",
    "-c core.pager=touch ran",
    "ext::sh -c touch% ran",
    "ext::touch ran",
    "fd::17",
    "ssh://-oProxyCommand=touch ran/x",
    "-oProxyCommand=touch ran:x",
    "git://127.0.0.1:1/;touch ran",
    "file:///nowhere;touch ran",
    "file:///nowhere$(touch ran)",
    "/nowhere`touch ran`",
    "../../../../nowhere",
    "$(touch ran)",
    "`touch ran`",
    "; touch ran #",
    "| touch ran",
    "& touch ran",
    "> ran",
    "a\nb",
    "a\rb",
    "a\x1b[31mb",
    "a\u{202e}b",
    "@{-1}",
    "HEAD",
    "a..b",
    "refs/heads/../../x",
    "main:refs/heads/evil",
    "+main",
    "^main",
    "hg::--config=alias.x=!touch ran",
    "--config=hooks.pre-status=touch ran",
    "set:'touch ran'",
];

/// A value that looks like an option or a command, wherever a repository can put one.
#[test]
fn option_like_values_are_refused_or_taken_as_they_are() {
    if !have(&["git"]) {
        return;
    }
    assert_eq!(NASTY.len(), 40);
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(&env, "git init -q --bare upstream; cd web; git init -q; git config user.name t; git config user.email t@example.org
        git add .; git commit -q -m base; git remote add origin ../upstream; git push -q -u origin main; cp .git/config ../config");
    let plain = fs::read_to_string(env.root().join("config")).unwrap();
    let heads = || sh(&env, "git -C upstream for-each-ref");
    let nothing_ran = |what: &str, value: &str| {
        for place in ["ran", "web/ran", "upstream/ran", "home/ran", "other/ran"] {
            assert!(!env.root().join(place).exists(), "{what}: {value:?}");
        }
    };
    let quoted = |value: &str| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
    for (n, value) in NASTY.iter().enumerate().step_by(pick(8, 3, 1)) {
        let configs = [
            ("url", plain.replace("url = ../upstream", &format!("url = {}", quoted(value)))),
            (
                "push url",
                plain.replace("url = ../upstream", &format!("url = ../upstream\n\tpushurl = {}", quoted(value))),
            ),
            (
                "remote",
                plain
                    .replace("[remote \"origin\"]", &format!("[remote {}]", quoted(value)))
                    .replace("remote = origin", &format!("remote = {}", quoted(value))),
            ),
            ("upstream", plain.replace("merge = refs/heads/main", &format!("merge = {}", quoted(value)))),
        ];
        env.bd(["update", "bd-base", "--notes", &format!("round {n}")]).ok();
        for (what, config) in configs {
            assert_ne!(config, plain, "{what}");
            fs::write(env.path(".git/config"), config).unwrap();
            let before = heads();
            for line in ["sync --dry-run", "sync", "role"] {
                let run = env.bd(words(line));
                nothing_ran(&format!("{what}, bd {line}"), value);
                assert!(run.code <= 10, "{}", run.snapshot());
            }
            // A strange name of a remote whose URL is fine may be used; no other branch comes of anything.
            assert!(what == "remote" || heads() == before, "{what}: {value:?}");
            assert!(heads().trim().ends_with("commit\trefs/heads/main") && heads().lines().count() == 1, "{}", heads());
        }
        fs::write(env.path(".git/config"), &plain).unwrap();
        // As values of a user: the message, the name, a repo, a title.
        let repo = format!("--repo={value}");
        for command in ["sync", "commit"] {
            let run = env.bd([command, repo.as_str()]);
            assert!([1, 2, 3, 9].contains(&run.code), "{}", run.snapshot());
        }
        let trust = env.bd(["trust", "--", value]);
        assert!([0, 2, 3, 9].contains(&trust.code), "{}", trust.snapshot());
        let id = env.bd(["add", &format!("--title={value}"), "--json"]);
        nothing_ran("title", value);
        if id.code == 0 {
            let run = env.bd_with(["commit"], None, &[("BD_ACTOR", value)]);
            nothing_ran("actor", value);
            assert!(run.code <= 10, "{}", run.snapshot());
            env.bd(["commit"]).ok();
        }
        env.bd(["update", "bd-base", "--notes", &format!("again {n}")]).ok();
        let message = format!("--message={value}");
        env.bd(["commit", message.as_str()]).ok();
        let log = sh(&env, "git -C web log -1 --format=%B");
        assert_eq!(log.trim().replace('\r', ""), value.trim().replace('\r', ""), "the message as it is");
        nothing_ran("message", value);
    }
    env.bd(["sync"]).ok();
}

/// Invalid names for the ledger file.
#[test]
fn option_like_ledger_names() {
    if !have(&["git"]) {
        return;
    }
    for value in NASTY {
        let env = Env::new();
        sh(&env, "cd web; git init -q; git add .; git commit -q -m base");
        let quoted: String = value
            .chars()
            .map(|c| if c.is_control() { format!("\\u{:04x}", c as u32) } else { c.to_string() })
            .collect();
        env.write(".beads/config.toml", format!("[ledger]\nfile = \"{}\"\n", quoted.replace('"', "\\\"")));
        for line in ["list", "add X", "commit", "sync"] {
            let run = env.bd(words(line));
            assert!(run.code <= 10, "{}", run.snapshot());
        }
        for place in ["ran", "web/ran", "web/.beads/ran"] {
            assert!(!env.root().join(place).exists(), "{value:?}");
        }
    }
}

/// Branches that look like options; git makes none of them, but a file does.
#[test]
fn option_like_branches() {
    if !have(&["git"]) {
        return;
    }
    for value in ["-x", "--upload-pack=ran", "--exec=ran", "-oProxyCommand=ran", "--force", "--mirror", "--delete"] {
        let env = Env::new();
        env.given("add Base --id bd-base");
        sh(
            &env,
            "git init -q --bare upstream; cd web; git init -q; git add .; git commit -q -m base; git remote add origin ../upstream; git push -q -u origin main",
        );
        fs::copy(env.path(".git/refs/heads/main"), env.path(&format!(".git/refs/heads/{value}"))).unwrap();
        fs::write(env.path(".git/HEAD"), format!("ref: refs/heads/{value}\n")).unwrap();
        let before = sh(&env, "git -C upstream for-each-ref");
        env.given("add More --id bd-more");
        for line in ["sync --dry-run", "sync", "commit"] {
            let run = env.bd(words(line));
            assert!(run.code <= 10, "{}", run.snapshot());
        }
        let after = sh(&env, "git -C upstream for-each-ref");
        assert!(after.contains(before.trim()), "{value}: {before}{after}");
    }
}

#[test]
fn option_like_paths_in_hg() {
    if !have(&["hg"]) {
        return;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(&env, "cd web; hg init; hg add -q .; hg commit -q -m base");
    for value in NASTY.iter().filter(|value| !value.contains('\n')) {
        env.write(".hg/hgrc", format!("[paths]\ndefault = {value}\n"));
        for line in ["sync --dry-run", "sync", "where"] {
            let run = env.bd(words(line));
            assert!(run.code <= 10, "{}", run.snapshot());
            for place in ["ran", "web/ran"] {
                assert!(!env.root().join(place).exists(), "{value:?}: {}", run.snapshot());
            }
        }
    }
}
