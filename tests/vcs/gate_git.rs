//! The gate before git: what asks, what does not, and by which roads it is found.

use beads::internal::vcs;

use crate::vcs::lab::Lab;

fn clone() -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    lab.begin("git init -q -b main server; cd server; echo 1 > x; git add .; git commit -q -m first; cd ..; git clone -q server a");
    Some(lab)
}

/// Keys that name a program, a file to write or a way for passwords: whatever the table says, a repository that brings one is named.
const DANGEROUS: &[&str] = &[
    "alias.x",
    "browser.x.cmd",
    "browser.x.path",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.gitProxy",
    "core.hooksPath",
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "credential.https://x.helper",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "difftool.x.cmd",
    "difftool.x.path",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.smudge",
    "format.outputDirectory",
    "fsmonitor.socketDir",
    "gc.recentObjectsHook",
    "gc.repackFilterTo",
    "gpg.program",
    "gpg.x.program",
    "gpg.ssh.defaultKeyCommand",
    "guitool.x.cmd",
    "help.browser",
    "hook.x.command",
    "http.cookieFile",
    "http.saveCookies",
    "http.https://x.cookieFile",
    "http.https://x.saveCookies",
    "http.proxySSLCAInfo",
    "http.proxySSLCert",
    "http.proxySSLKey",
    "http.sslCAInfo",
    "http.sslCAPath",
    "http.sslCert",
    "http.sslKey",
    "http.sslVerify",
    "http.https://x.sslVerify",
    "http.delegation",
    "http.curloptResolve",
    "imap.tunnel",
    "init.templateDir",
    "instaweb.browser",
    "instaweb.httpd",
    "interactive.diffFilter",
    "lfs.customtransfer.x.path",
    "lfs.extension.x.clean",
    "lfs.storage",
    "man.x.cmd",
    "man.x.path",
    "merge.x.driver",
    "mergetool.x.cmd",
    "mergetool.x.path",
    "pager.log",
    "remote.x.receivepack",
    "remote.x.uploadpack",
    "remote.x.vcs",
    "sendemail.ccCmd",
    "sendemail.headerCmd",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sequence.editor",
    "trace2.eventTarget",
    "trace2.normalTarget",
    "trace2.perfTarget",
    "trailer.x.cmd",
    "trailer.x.command",
    "uploadpack.packObjectsHook",
    "web.browser",
    "core.worktree",
    "fetch.bundleURI",
    "bundle.x.uri",
    "branch.main.mergeOptions",
    "protocol.allow",
    "protocol.ext.allow",
];

#[test]
fn dangerous_keys_are_named() {
    let Some(lab) = clone() else { return };
    for key in DANGEROUS {
        lab.sh(&format!("cp a/.git/config saved; cd a; git config '{key}' /bin/canary"));
        let named = vcs::open(&lab.path("a")).judge(&lab.env().agreeing(|_, _, _| false)).named();
        assert_eq!(named.len(), 1, "{key}: {named:?}");
        assert!(named[0].eq_ignore_ascii_case(&format!("{key} = /bin/canary")), "{key}: {named:?}");
        lab.sh("cp saved a/.git/config");
    }
}

/// A key that git does not know, in a section that it has, asks; a section of another program does not.
#[test]
fn keys_that_are_not_listed() {
    let Some(lab) = clone() else { return };
    for (key, asks) in [
        ("merge.nosuch", true),
        ("core.nosuch", true),
        ("remote.origin.nosuch", true),
        ("maintenance.nosuch", true),
        ("gitflow.branch.master", false),
        ("vscode.x", false),
        ("remote.origin.gh-resolved", false),
        ("branch.main.vscode-merge-base", false),
    ] {
        lab.sh(&format!("cp a/.git/config saved; cd a; git config '{key}' value"));
        assert_eq!(
            !vcs::open(&lab.path("a")).judge(&lab.env().agreeing(|_, _, _| false)).asks.is_empty(),
            asks,
            "{key}"
        );
        lab.sh("cp saved a/.git/config");
    }
}

/// A git that is newer than the table defines a section that the table does not have.
#[test]
fn a_git_that_is_newer_than_the_table() {
    let Some(lab) = clone() else { return };
    lab.sh("mkdir bin; printf '#!/bin/sh\\n[ \"$1\" = help ] && { echo novel.key; exit; }\\nexec git \"$@\"\\n' > bin/git; chmod +x bin/git
            cd a; git config novel.key /bin/canary; git config other.key /bin/canary");
    let path = format!("{}:{}", lab.path("bin").display(), std::env::var("PATH").unwrap());
    let asks = vcs::open(&lab.path("a")).judge(&lab.env().with("PATH", path)).asks;
    assert_eq!(asks.into_iter().collect::<Vec<_>>(), ["novel.key = /bin/canary"]);
    assert!(vcs::open(&lab.path("a")).judge(&lab.env().agreeing(|_, _, _| false)).asks.is_empty());
}

/// Settings that ordinary tools leave in a clone: none needs agreement.
const TOOLS: &[(&str, &str)] = &[
    ("git-lfs", "git config filter.lfs.clean 'git-lfs clean -- %f'; git config filter.lfs.smudge 'git-lfs smudge -- %f'
        git config filter.lfs.process 'git-lfs filter-process'; git config filter.lfs.required true
        git config lfs.repositoryformatversion 0; git config lfs.https://example.org/a.git/info/lfs.access basic
        git config lfs.https://example.org/a.git/info/lfs.locksverify true"),
    ("gh", "git config remote.origin.gh-resolved base; git config branch.main.gh-merge-base main
        git config remote.upstream.url https://example.org/up/a.git; git config remote.upstream.fetch '+refs/heads/*:refs/remotes/upstream/*'"),
    ("VS Code", "git config branch.main.vscode-merge-base origin/main; git config branch.main.github-pr-owner-number 'o#r#1'
        git config core.longpaths true; git config pull.rebase true; git config branch.main.gk-last-accessed 2026"),
    ("JetBrains", "git config core.autocrlf input; git config core.longpaths true; git config branch.main.rebase true; git config user.useConfigOnly true"),
    ("husky", "git config core.hooksPath .husky/_; mkdir -p .husky/_; printf '#!/bin/sh\\nexit 1\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit"),
    ("pre-commit", "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
    ("git-flow", "git config gitflow.branch.master main; git config gitflow.prefix.feature feature/; git config gitflow.path.hooks .git/hooks"),
    ("actions/checkout", "git config http.https://github.com/.extraheader 'AUTHORIZATION: basic x'; git config gc.auto 0
        git config core.sparseCheckout false; git config extensions.worktreeConfig true
        printf '[http \"https://github.com/\"]\\nextraheader = AUTHORIZATION: basic x\\n' > ../credentials
        git config includeIf.gitdir:$PWD/.git.path $PWD/../credentials; git config includeIf.gitdir:/github/workspace/.git.path /github/runner_temp/x.config"),
    ("devcontainers", "git config core.fileMode false; git config core.symlinks true; git config core.ignorecase false; git config core.precomposeunicode true"),
    ("proxy", "git config http.proxy http://proxy.example.org:3128; git config http.https://example.org.proxy ''; git config remote.origin.proxy http://p:1"),
    ("insteadOf", "git config url.https://mirror.example.org/.insteadOf https://example.org/; git config url.git@example.org:.pushInsteadOf https://example.org/"),
    ("hooks as links", "mkdir -p tools; echo x > tools/pre-push; ln -s ../../tools/pre-push .git/hooks/pre-push"),
    ("git gui", "git config gui.wmstate normal; git config gui.geometry 800x600"),
    ("git-annex's notes", "git config annex.uuid x; git config remote.origin.annex-uuid y"),
    ("bd of the original", "git config merge.beads.driver 'bd merge %A %O %A %B'; git config merge.beads.name 'bd JSONL merge driver'"),
];

#[test]
fn ordinary_tools_ask_for_nothing() {
    let Some(lab) = clone() else { return };
    for (tool, script) in TOOLS {
        lab.sh(&format!("rm -rf b; git clone -q server b; cd b; {script}"));
        let asks = vcs::open(&lab.path("b")).judge(&lab.env().agreeing(|_, _, _| false)).asks;
        assert!(asks.is_empty(), "{tool}: {asks:?}");
    }
    for (kind, script, place) in [
        ("a worktree", "git -C a worktree add -q ../wt", "wt"),
        ("a shallow clone", "git clone -q --depth 1 file://$PWD/server shallow", "shallow"),
        ("a partial clone", "git -C server config uploadpack.allowFilter true; git clone -q --filter=blob:none file://$PWD/server partial", "partial"),
        ("a clone that borrows", "git clone -q --shared server shared", "shared"),
        ("a submodule twice deep", "git init -q -b main mid; cd mid; git -c protocol.file.allow=always submodule -q add $OLDPWD/server sub; git commit -qm sub; cd ..
            git init -q -b main top; cd top; git -c protocol.file.allow=always submodule -q add $OLDPWD/mid mid; git -c protocol.file.allow=always submodule -q update --init --recursive; git commit -qm mid", "top"),
        ("a repository kept elsewhere", "git clone -q --separate-git-dir kept.git server apart", "apart"),
        (
            "a remote with links in its working copy",
            "git clone -q server par; ln -s /usr/share par/result; git clone -q par kid",
            "kid",
        ),
        (
            "a linked worktree of a submodule",
            "git init -q -b main sup; cd sup; git -c protocol.file.allow=always submodule -q add $OLDPWD/server lib; git commit -qm lib; cd lib; git worktree add -q ../../libwt",
            "libwt",
        ),
        ("a sparse checkout", "git clone -q server sparse; git -C sparse sparse-checkout set --skip-checks x", "sparse"),
    ] {
        lab.sh(script);
        let asks = vcs::open(&lab.path(place)).judge(&lab.env().agreeing(|_, _, _| false)).asks;
        assert!(asks.is_empty(), "{kind}: {asks:?}");
    }
}

/// Ways by which something that asks could go unseen, one each.
#[test]
fn roads_to_a_program() {
    let Some(lab) = clone() else { return };
    lab.sh("printf '[core]\\nsshCommand = /bin/canary\\n' > evil; mkdir outside; echo mine > outside/mine");
    let roads = [
        (
            "a link whose includes are beside its name",
            "mkdir .git/d; mv .git/config .git/d/config; printf '[include]\\npath = x\\n' >> .git/d/config
            ln -s d/config .git/config; cp ../evil .git/x",
            "core.sshcommand = /bin/canary",
        ),
        (
            "a driver by a path that depends on the directory",
            "git config merge.bd.driver '/proc/self/cwd/tools/bd merge-driver %O %A %B %L %P; s=$?; [ $s -le 1 ] && exit $s; exit 129'",
            "merge.bd.driver = ",
        ),
        (
            "a bare repository in its own directory",
            "git init -q --bare .git/server; printf '#!/bin/sh\\n' > .git/server/hooks/pre-receive; chmod +x .git/server/hooks/pre-receive; git config remote.origin.url .git/server",
            "hook ",
        ),
        (
            "the same by a file address with signs",
            "git init -q --bare .git/ser; mv .git/ser '.git/s r'; cp ../evil '.git/s r/config'; git config remote.origin.url \"file://$PWD/.git/s%20r\"",
            "core.sshcommand",
        ),
        (
            "a remote that a rule leads to a path",
            "git init -q --bare .git/server; git --git-dir=.git/server config core.alternateRefsCommand /bin/canary; git config url.$PWD/.git/.insteadOf https://x/; git config remote.origin.url https://x/server",
            "core.alternaterefscommand",
        ),
        (
            "a branch that names a path",
            "git init -q --bare .git/server; git --git-dir=.git/server config core.hooksPath $PWD/h; mkdir h; printf '#!/bin/sh\\n' > h/update; chmod +x h/update; git config branch.main.remote ./.git/server",
            "hook ",
        ),
        (
            "a path that git completes",
            "git init -q --bare .git/server.git; git --git-dir=.git/server.git config gc.recentObjectsHook /bin/canary; git config remote.origin.url .git/server",
            "gc.recentobjectshook",
        ),
        (
            "a remote that is its own worktree",
            "git worktree add -q ../wt2; printf '#!/bin/sh\\n' > .git/hooks/pre-receive; chmod +x .git/hooks/pre-receive; git config remote.origin.url ../wt2",
            "hook ",
        ),
        (
            "a path with the name of another remote",
            "git init -q --bare evil; printf '#!/bin/sh\\n' > evil/hooks/update; chmod +x evil/hooks/update; git config remote.evil.url https://x/y; git config remote.origin.url evil",
            "hook ",
        ),
        (
            "the repository itself",
            "printf '#!/bin/sh\\n' > .git/hooks/pre-receive; chmod +x .git/hooks/pre-receive; git config remote.origin.url .",
            "hook ",
        ),
        (
            "an old file of a remote",
            "mkdir .git/remotes; echo 'URL: ext::canary' > .git/remotes/origin",
            "remotes/origin names a remote",
        ),
        (
            "a submodule's own settings",
            "git init -q sub; cd sub; git commit -q --allow-empty -m s; cd ..; git add sub 2>/dev/null; git -C sub config filter.x.clean /bin/canary",
            "sub: filter.x.clean",
        ),
        (
            "a module kept in git's directory, two deep",
            "mkdir -p .git/modules/a/modules/b; echo x > .git/modules/a/HEAD; echo x > .git/modules/a/modules/b/HEAD; cp ../evil .git/modules/a/modules/b/config",
            "core.sshcommand",
        ),
        ("a link to a file outside", "ln -s $OLDPWD/outside/mine .git/COMMIT_EDITMSG", "COMMIT_EDITMSG is a link to"),
        (
            "a link for a log",
            "rm -f .git/logs/HEAD; ln -s ../../../outside/mine .git/logs/HEAD",
            "logs/HEAD is a link to",
        ),
        ("a link to what is not there", "ln -s $OLDPWD/outside/new .git/ORIG_HEAD", "ORIG_HEAD is a link to"),
        (
            "objects as a link",
            "mv .git/objects ../outside/objects; ln -s $OLDPWD/outside/objects .git/objects",
            "objects is a link to",
        ),
        (
            "packs as a link",
            "rmdir .git/objects/pack 2>/dev/null || mv .git/objects/pack ../outside/pack; ln -s $OLDPWD/outside .git/objects/pack",
            "pack is a link to",
        ),
        ("a directory that says it is a worktree", "echo ../../a/.git > .git/commondir", "commondir leads to"),
        (
            "a setting without a value",
            "printf '[branch \"main\"]\\nmergeOptions\\n' >> .git/config",
            "branch.main.mergeoptions = true",
        ),
        ("a certificate that is not checked", "git config http.sslVerify false", "http.sslverify = false"),
        ("an update that is a program", "git config submodule.x.update '!canary'", "submodule.x.update"),
    ];
    for (road, script, expected) in roads {
        lab.sh(&format!("rm -rf b wt2 outside/objects outside/pack; git -C server worktree prune; git clone -q server b; cd b; {script}"));
        let asks = vcs::open(&lab.path("b")).judge(&lab.env().agreeing(|_, _, _| false)).asks;
        assert!(asks.iter().any(|line| line.contains(expected)), "{road}: {asks:?}");
    }
}

/// hg enters the repositories inside of a working copy with their own settings, here and where it pushes to.
#[test]
fn repositories_inside_of_one_of_hg() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.begin(
        "hg init p; cd p; hg init sm; cd sm; echo a > a; hg add -q a; hg commit -q -m s; cd ..; echo 'sm = sm' > .hgsub
         hg add -q; hg commit -q -m p; cd ..; hg clone -q p other; printf '[paths]\ndefault = ../other\n' > p/.hg/hgrc",
    );
    let asks = || vcs::open(&lab.path("p")).judge(&lab.env()).asks;
    assert!(asks().is_empty(), "{:?}", asks());
    for hgrc in ["p/sm/.hg/hgrc", "other/sm/.hg/hgrc"] {
        lab.sh(&format!("cp {hgrc} kept 2>/dev/null || : > kept; printf '[hooks]\nincoming = canary\n' >> {hgrc}"));
        assert!(asks().iter().any(|line| line.contains("hooks.incoming = canary")), "{hgrc}: {:?}", asks());
        lab.sh(&format!("cp kept {hgrc}"));
    }
}
