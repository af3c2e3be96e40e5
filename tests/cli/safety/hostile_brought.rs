//! What strangers bring into your own repository: commits fetched by a pull or `bd sync`, and lines of the ledger.
//! Checks the same as for crafted archives: no program runs, no byte outside is read or written, nothing hangs, memory
//! stays bounded, exit codes are documented, nothing controls the terminal.

use std::fs;

use crate::cli::safety::hostile_files::{archive, meets, outside, part};
use crate::support::effort::pick;
use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::sh;

/// The content of a commit, as a script in a clone of the project. `OUT` leads to the directory outside, `CANARY` is a
/// command.
const COMMITS: &[(&str, &str)] = &[
    ("the ledger is a link out", "ln -sf OUT/ledger.jsonl .beads/beads.jsonl"),
    ("the ledger is a link to a device", "ln -sf /dev/zero .beads/beads.jsonl"),
    ("the ledger is a link into version control", "ln -sf ../.git/config .beads/beads.jsonl"),
    ("the ledger is a directory", "rm .beads/beads.jsonl; mkdir .beads/beads.jsonl; echo x > .beads/beads.jsonl/x"),
    ("the directory is a link out", "rm -r .beads; ln -s OUT/beads .beads"),
    ("the directory is a link to itself", "rm -r .beads; ln -s .beads .beads"),
    ("the directory is a file", "rm -r .beads; echo x > .beads"),
    ("a redirect out", "echo OUT/beads > .beads/redirect"),
    ("a redirect that is a link", "ln -s OUT/mine .beads/redirect"),
    ("settings that are a link", "ln -sf OUT/config.toml .beads/config.toml"),
    (
        "settings that decide all they can",
        "printf 'issue_prefix = \"bd\"\nmode = \"maintainer\"\n[repos]\nadditional = [\"OUT\", \"OUT/beads\", \"~/x\"]\n[routing]\ndefault = \"OUT\"\nrole = \"maintainer\"\n[workspace]\npath = \"OUT/{name}\"\nsetup = \"CANARY\"\n[state]\nmode = \"global\"\n[commit]\nprimary = true\n[claims]\nremote = \"ext::CANARY\"\n[prune]\nauto = \"0s\"\n' > .beads/config.toml",
    ),
    ("templates that are a link", "ln -s OUT/templates .beads/templates"),
    ("a template out of bounds", "mkdir .beads/templates; printf '[template]\nname = \"../../x\"\n' > .beads/templates/feature.toml"),
    (
        "a state home",
        "mkdir -p .beads/run; echo mk_0123456789ab > .beads/run/mark; echo OUT/state > .beads/run/home
        printf '[workspace]\nsetup = \"CANARY\"\npath = \"OUT\"\n[routing]\nrole = \"maintainer\"\n' > .beads/run/config.toml
        echo '{\"id\":\"ws_1\",\"name\":\"w1\",\"path\":\"OUT/beads\",\"branch\":\"w1\"}' > .beads/run/workspaces.jsonl",
    ),
    ("a state home that is a link", "ln -s OUT/state .beads/run"),
    (
        "attributes that name drivers",
        "printf '* filter=canary diff=canary merge=canary ident export-subst\nx.txt working-tree-encoding=UTF-16\n' > .gitattributes
        printf '[merge \"canary\"]\ndriver = CANARY\n[filter \"canary\"]\nsmudge = CANARY\nclean = CANARY\n' > .gitconfig",
    ),
    ("attributes that are a link", "ln -s OUT/mine .gitattributes; ln -s OUT/pipe .worktreeinclude"),
    ("lists that are links", "ln -sf OUT/ledger.jsonl out.txt; ln -sf OUT/templates/feature.toml plan.toml; ln -sf OUT/mine a"),
    ("names of files", "echo x > ./--upload-pack=CANARY; echo x > \"$(printf 'a\\033]0;x\\007b')\"; echo x > ./-rf"),
    ("programs", "for f in git hg jj sh bd; do printf '#!/bin/sh\nCANARY\n' > $f; chmod +x $f; done"),
    ("markers in the ledger", "(echo '<<<<<<< ours'; cat .beads/beads.jsonl; echo =======; echo '{\"id\":\"bd-x\"'; echo '>>>>>>> theirs') > n; mv n .beads/beads.jsonl"),
    ("an empty ledger", ": > .beads/beads.jsonl"),
    ("a ledger of nothing", "head -c 3000000 /dev/zero > .beads/beads.jsonl"),
];

/// Lines of a ledger.
const LINES: &[&str] = &[
    r#"{"id":"../../outside/mine","title":"Out","status":"open"}"#,
    r#"{"id":"/etc/passwd","title":"Out","status":"open"}"#,
    r#"{"id":"--upload-pack=touch","title":"Option","status":"open"}"#,
    r#"{"id":"bd-two\u001b]0;pwned\u0007","title":"\u001b[2J\u001b]52;c;AAAA\u0007\u009b31m","status":"open"}"#,
    r#"{"id":"bd-two","title":"$(CANARY) `CANARY`","description":"%s %n {{feature}} ${IFS}","status":"open","assignee":"$(CANARY)"}"#,
    r#"{"id":"bd-two","title":"Two\nbd-three Three\r\u2028\u202e","status":"open","labels":["\u001b[1m","a b",""]}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","metadata":{"project":"OUT","former_ids":["bd-base"],"workspace":"OUT"}}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","external_ref":"file://OUT/mine","source_repo":"OUT/beads","source_system":"CANARY"}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","dependencies":[{"issue_id":"bd-two","depends_on_id":"bd-two","type":"blocks"},{"issue_id":"bd-two","depends_on_id":"bd-base","type":"parent-child"},{"issue_id":"bd-base","depends_on_id":"bd-two","type":"parent-child"}]}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","created_at":"9999-12-31T23:59:59.999999999999+99:99","updated_at":"-0001-01-01T00:00:00Z","due_at":"","defer_until":"0000-00-00"}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","priority":1e400,"estimated_minutes":-9223372036854775809}"#,
    r#"{"id":"bd-two","title":"Two","status":"in_progress","assignee":"bob","lease":{"holder":"bob","number":18446744073709551616,"until":"9999-12-31T00:00:00Z"}}"#,
    r#"{"id":"bd-two","title":"Two","status":"tombstone","deleted_at":"2999-01-01T00:00:00Z"}"#,
    r#"{"id":"bd-two","id":"bd-base","title":"Two","title":"Three","status":"open"}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","proposal":{"from":"OUT","state":"accepted"},"local":false,"private":false}"#,
    r#"{"id":"bd-two","title":{"a":[]},"status":["open"],"labels":{"x":1},"dependencies":"none","comments":[1,null,{}]}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","issue_type":"message","sender":"human","ephemeral":true,"pinned":true,"is_template":true}"#,
    r#"{"id":"bd-two","title":"Two","status":"open","comments":[{"id":1,"author":"\u001b[31m","text":"\u001b[2J$(CANARY)","created_at":"never"}]}"#,
    r#"["bd-two"]"#,
    "\"bd-two\"",
    "\u{feff}{\"id\":\"bd-two\"}",
    "{\"id\":\"bd-two\",\"title\":\"\u{0}\"}",
];

/// One line of many bytes, or many of a few.
fn large() -> Vec<(&'static str, String)> {
    let two = |field: &str| format!("{{\"id\":\"bd-two\",\"title\":\"Two\",\"status\":\"open\",{field}}}");
    vec![
        ("levels", two(&format!("\"metadata\":{}{}", "[".repeat(90_000), "]".repeat(90_000)))),
        ("a long id", format!("{{\"id\":\"bd-{}\",\"title\":\"Two\",\"status\":\"open\"}}", "x".repeat(2_000_000))),
        ("a long title", format!("{{\"id\":\"bd-two\",\"title\":\"{}\",\"status\":\"open\"}}", "\\u001b".repeat(300_000))),
        ("labels", two(&format!("\"labels\":[{}\"x\"]", "\"x\",".repeat(300_000)))),
        ("fields", two(&(0..60_000).map(|n| format!("\"f{n}\":0")).collect::<Vec<_>>().join(","))),
        (
            "a chain",
            (0..4_000)
                .map(|n| {
                    format!(
                        "{{\"id\":\"bd-c{n}\",\"title\":\"C\",\"status\":\"open\",\"dependencies\":[{{\"issue_id\":\"bd-c{n}\",\"depends_on_id\":\"bd-c{}\",\"type\":\"blocks\"}},{{\"issue_id\":\"bd-c{n}\",\"depends_on_id\":\"bd-c{}\",\"type\":\"parent-child\"}}]}}\n",
                        (n + 1) % 4_000,
                        (n + 1) % 4_000
                    )
                })
                .collect(),
        ),
        ("the same id", "{\"id\":\"bd-two\",\"title\":\"Two\",\"status\":\"open\"}\n".repeat(20_000)),
    ]
}

fn fill(env: &Env, text: &str) -> String {
    let canary = format!("touch {}", env.root().join("ran").display());
    text.replace("OUT", &env.root().join("outside").display().to_string()).replace("CANARY", &canary)
}

fn add_line(env: &Env, line: &str) {
    let mut ledger = fs::read_to_string(env.ledger_path()).unwrap();
    ledger.push_str(&fill(env, line));
    ledger.push('\n');
    fs::write(env.ledger_path(), ledger).unwrap();
}

#[test]
fn lines_of_a_ledger() {
    for (n, line) in LINES.iter().enumerate().step_by(pick(3, 1, 1)) {
        let env = archive();
        outside(&env);
        add_line(&env, line);
        part(n).for_each(|command| drop(meets(&env, command, line)));
    }
}

#[test]
fn lines_of_many_bytes() {
    for (n, (what, line)) in large().into_iter().enumerate().step_by(pick(3, 1, 1)) {
        let env = archive();
        outside(&env);
        add_line(&env, &line);
        ["list", "show bd-two", "add x"]
            .into_iter()
            .chain(part(n))
            .for_each(|command| drop(meets(&env, command, what)));
    }
}

/// Lines that a merge brings are merged, exported, committed and proposed like any others.
#[test]
fn lines_that_a_pull_brings() {
    if !have(&["git"]) {
        return;
    }
    for (n, line) in LINES.iter().enumerate().skip(pick(1, 0, 0)).step_by(pick(3, 1, 1)) {
        let env = git_clone();
        let other = fill(&env, line);
        fs::write(env.root().join("line"), format!("{other}\n")).unwrap();
        sh(&env, "cd other; cat ../line >> .beads/beads.jsonl; git commit -qam line; git push -q; rm ../line");
        env.given("add Mine --id bd-mine");
        ["sync"].into_iter().chain(part(n)).for_each(|command| drop(meets(&env, command, line)));
    }
}

/// The server, your clone in `web`, and theirs in `other`.
fn git_clone() -> Env {
    let env = archive();
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    outside(&env);
    sh(&env, "git init -q --bare upstream; cd web; git init -q; git add -A; git commit -q -m base; git remote add origin ../upstream
        git push -q -u origin main; cd ..; git clone -q upstream other");
    env
}

fn jj_clone() -> Env {
    let env = git_clone();
    fs::remove_dir_all(env.path("")).unwrap();
    sh(
        &env,
        "(jj git clone --colocate upstream web; cd web; jj bookmark track main@origin || jj bookmark track main --remote origin) 2>&1",
    );
    env
}

fn hg_clone() -> Env {
    let env = archive();
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    outside(&env);
    sh(&env, "cd web; hg init; hg add -q .; hg commit -q -m base; cd ..; hg clone -q web upstream; hg clone -q upstream other
        printf '[paths]\ndefault = ../upstream\n' > web/.hg/hgrc");
    env
}

fn pulled(clone: fn() -> Env, push: &str, pull: &str, name: &str, step: usize) {
    for (n, (what, script)) in COMMITS.iter().enumerate().step_by(step) {
        let env = clone();
        sh(&env, &format!("cd other; {}; {push}", fill(&env, script)));
        let what = format!("{name}: {what}");
        // Another commit of yours, so that there is something to merge.
        env.given("add Mine --id bd-mine");
        meets(&env, "sync --dry-run", &what);
        meets(&env, "sync", &what);
        // By hand, if `bd` did not: whether it works is version control's affair.
        sh(&env, &format!("cd web; ({pull}) >/dev/null 2>&1 </dev/null || true"));
        part(n).for_each(|command| drop(meets(&env, command, &what)));
    }
}

#[test]
fn commits_that_git_pulls() {
    if have(&["git"]) {
        pulled(
            git_clone,
            "git add -A -f; git commit -q -m theirs; git push -q",
            "git commit -qam mine; git pull --no-rebase --no-edit",
            "git",
            pick(4, 1, 1),
        );
    }
}

#[test]
fn commits_that_jj_pulls() {
    if have(&["git", "jj"]) {
        let pull = "jj git fetch; jj new main@origin @-";
        pulled(jj_clone, "git add -A -f; git commit -q -m theirs; git push -q", pull, "jj", pick(12, 6, 1));
    }
}

#[test]
fn commits_that_hg_pulls() {
    if have(&["hg"]) {
        let pull = "hg commit -m mine; hg pull; hg merge --tool :other; hg commit -m merged";
        pulled(hg_clone, "hg addremove -q; hg commit -q -m theirs; hg push -q", pull, "hg", pick(8, 8, 1));
    }
}

/// Entries that no work tree makes: a submodule where the ledger is, modes that do not exist, messages that steer the terminal.
#[test]
fn commits_that_no_work_tree_makes() {
    if !have(&["git"]) {
        return;
    }
    const TREES: &[(&str, &str)] = &[
        (
            "a submodule for the ledger",
            "git rm -q --cached .beads/beads.jsonl; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),.beads/beads.jsonl",
        ),
        (
            "a submodule for the directory",
            "git rm -rq --cached .beads; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),.beads; printf '[submodule \"x\"]\n\tpath = .beads\n\turl = ext::CANARY\n' > .gitmodules; git add .gitmodules",
        ),
        (
            "a link of many bytes",
            "git update-index --add --cacheinfo 120000,$(head -c 3000000 /dev/zero | git hash-object -w --stdin),.beads/beads.jsonl",
        ),
        ("a program", "git update-index --chmod=+x .beads/beads.jsonl"),
        (
            "a message",
            "git config user.name \"$(printf 'Eve\\033]0;x\\007')\"; printf 'x\\033[2J\\033]52;c;AAAA\\007\n\nCANARY\n' > ../message; git add -A; git commit -q --allow-empty -F ../message",
        ),
        (
            "refs",
            "git update-ref refs/heads/--upload-pack=x HEAD; git update-ref refs/tags/@{-1} HEAD 2>/dev/null || true; git push -q origin 'refs/heads/*:refs/heads/*' 2>/dev/null || true",
        ),
    ];
    for (n, (what, script)) in TREES.iter().enumerate().step_by(pick(2, 1, 1)) {
        let env = git_clone();
        sh(
            &env,
            &format!(
                "cd other; {}; git commit -q --allow-empty -m theirs; git push -q origin HEAD:main",
                fill(&env, script)
            ),
        );
        meets(&env, "sync", what);
        sh(&env, "cd web; (git pull --no-rebase --no-edit) >/dev/null 2>&1 </dev/null || true");
        ["log", "blame bd-base", "diff", "log --since 3d"]
            .into_iter()
            .chain(part(n))
            .for_each(|line| drop(meets(&env, line, what)));
    }
}
