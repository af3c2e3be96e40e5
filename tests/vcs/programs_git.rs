//! All programs that a git repository's settings make git run are found, and none in ordinary settings.

use beads::internal::vcs;

use crate::vcs::lab::Lab;

fn programs(lab: &Lab) -> Vec<String> {
    vcs::open(&lab.path("a")).judge(&lab.env()).named()
}

fn clone() -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    lab.begin("git init -q -b main server; cd server; echo 1 > x; git add .; git commit -q -m first; cd ..; git clone -q server a");
    Some(lab)
}

const OWN_DRIVER: &str = "bd merge-driver %O %A %B %L %P; s=$?; [ $s -le 1 ] && exit $s; exit 129";

#[test]
fn an_ordinary_clone() {
    let Some(lab) = clone() else { return };
    lab.sh("git config --global alias.x '!true'; git config --global credential.helper store
            git config --global filter.lfs.process git-lfs; git config --global core.editor vi");
    lab.sh("cd a; git config user.name Ann; git config user.email ann@example.org; git config user.signingKey ABC
            git config commit.gpgsign true; git config push.default current; git config pull.rebase true
            git config branch.main.description text; git config core.autocrlf input; git config core.fsmonitor true
            git config core.untrackedCache true; git config gc.auto 0; git config remote.up.url git@example.org:a/b.git
            git config remote.six.url 'ssh://git@[::1]:22/a'; git config url.git@example.org:.insteadOf https://example.org/
            git config submodule.lib.update rebase; git config pager.log false; git config credential.helper ''
            git config lfs.repositoryformatversion 0; git config diff.algorithm histogram; git config rerere.enabled true
            git config core.hooksPath .husky; git config beads.role maintainer; git config protocol.file.allow always
            git config merge.conflictStyle diff3; git config include.path nosuch; git config receive.denyCurrentBranch ignore");
    assert_eq!(programs(&lab), ["core.hookspath = .husky"], "it is overridden");
    assert!(vcs::open(&lab.path("a")).judge(&lab.env()).asks.is_empty());
    lab.write("a/.git/hooks/pre-commit", "#!/bin/sh\n");
    lab.sh("chmod +x a/.git/hooks/pre-commit");
    assert_eq!(programs(&lab), ["core.hookspath = .husky"], "hooks are switched off");
}

#[test]
fn every_setting_that_names_a_program() {
    let Some(lab) = clone() else { return };
    let settings = [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "merge.x.driver",
        "diff.x.command",
        "diff.x.textconv",
        "diff.external",
        "core.fsmonitor",
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.editor",
        "core.pager",
        "core.alternateRefsCommand",
        "credential.helper",
        "credential.https://example.org.helper",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultKeyCommand",
        "remote.origin.uploadpack",
        "remote.origin.receivepack",
        "remote.origin.vcs",
        "protocol.ext.allow",
        "protocol.allow",
        "alias.st",
        "uploadpack.packObjectsHook",
        "trailer.x.command",
        "trailer.x.cmd",
        "sequence.editor",
        "hook.x.command",
        "pager.log",
        "core.worktree",
        "filter.a.b.clean",
        "lfs.customtransfer.x.path",
    ];
    for key in settings {
        lab.sh(&format!("cp a/.git/config saved; cd a; git config '{key}' /bin/canary"));
        let found = programs(&lab);
        assert_eq!(found.len(), 1, "{key}: {found:?}");
        assert!(found[0].eq_ignore_ascii_case(&format!("{key} = /bin/canary")), "{key}: {found:?}");
        lab.sh("cp saved a/.git/config");
    }
    let values = [
        ("remote.up.url", "ext::sh -c canary"),
        ("remote.up.url", "-oProxyCommand=canary"),
        ("remote.up.pushurl", "ext::x"),
        ("remote.up.url", "ssh://-oProxyCommand=canary/x"),
        ("remote.up.url", "a\tb"),
        ("submodule.x.update", "!canary"),
        ("url.ext::sh -c canary.insteadOf", "https://"),
        ("url.-x.pushInsteadOf", "https://"),
        ("url.fd::3.insteadOf", "x"),
    ];
    for (key, value) in values {
        lab.sh(&format!("cp a/.git/config saved; cd a; git config '{key}' '{value}'"));
        assert_eq!(programs(&lab).len(), 1, "{key} = {value}");
        lab.sh("cp saved a/.git/config");
    }
}

/// By any way that leads from the repository's own file, whatever the condition.
#[test]
fn other_files_and_other_spellings() {
    let Some(lab) = clone() else { return };
    let found = vec!["core.sshcommand = /bin/canary".to_owned()];
    let reset = "cd a; cp ../saved .git/config; rm -f .git/extra .git/config.worktree";
    lab.sh("cp a/.git/config saved");
    let ways = [
        "git config include.path extra",
        "git config includeIf.hasconfig:remote.*.url:**.path extra",
        "git config includeIf.gitdir:/nowhere/.path extra",
        "git config include.path extra2; printf '[include]\\npath = extra\\n' > .git/extra2",
        "printf '[Include]\\n\\tPATH = \"extra\"\\n' >> .git/config",
        "cp .git/extra ~/extra; git config include.path '~/extra'",
        "cp .git/extra committed; git config include.path ../committed",
        "cat .git/extra >> .git/config.worktree; git config extensions.worktreeConfig true",
        "printf '[CORE]\\nSSHCommand = /bin/ca\\\\\\nnary\\n' >> .git/config",
        "printf '[core] sshCommand = /bin/canary ; a comment\\n' >> .git/config",
    ];
    for way in ways {
        lab.sh(reset);
        lab.sh(&format!("cd a; printf '[core]\\nsshCommand = /bin/canary\\n' > .git/extra; {way}"));
        assert_eq!(programs(&lab), found, "{way}");
    }
    lab.sh(reset);
    lab.sh("cd a; printf '[filter.legacy]\\nclean = canary\\n' >> .git/config");
    assert_eq!(programs(&lab), ["filter.legacy.clean = canary"]);
    lab.sh(reset);
    lab.sh("cd a; echo '[broken' >> .git/config");
    assert!(programs(&lab)[0].ends_with("cannot be read as settings of git"));
    lab.sh(reset);
    lab.sh("cd a; git config include.path '~root/x'");
    assert_eq!(programs(&lab), ["include.path = ~root/x"]);
    lab.sh(reset);
    lab.sh("cd a; git config include.path config");
    assert_eq!(programs(&lab), Vec::<String>::new(), "a file that includes itself");
    // A linked worktree has the settings of its repository.
    lab.sh(reset);
    lab.sh("cd a; git worktree add -q ../b; git config core.sshCommand /bin/canary");
    assert_eq!(vcs::open(&lab.path("b")).judge(&lab.env()).named(), found);
}

#[test]
fn the_driver_of_bd_itself() {
    let Some(lab) = clone() else { return };
    let listed = |line: &str| {
        lab.sh("cp a/.git/config saved");
        lab.sh(&format!("cd a; git config merge.beads.driver \"$(cat <<'END'\n{line}\nEND\n)\""));
        let found = programs(&lab).len();
        lab.sh("cp saved a/.git/config");
        found == 1
    };
    assert!(!listed(OWN_DRIVER));
    let own = std::env::current_exe().unwrap().display().to_string();
    assert!(!listed(&OWN_DRIVER.replacen("bd", &own, 1)), "this very program");
    assert!(!listed(&OWN_DRIVER.replacen("bd", &format!("'{own}'"), 1)), "this very program");
    let inside = lab.path("a/bd").display().to_string();
    let in_git = lab.path("a/.git/bd").display().to_string();
    for program in [
        "/usr/bin/bd",
        "'/opt/my tools/bd'",
        "/proc/self/cwd/tools/bd",
        "./bd",
        "bin/bd",
        "/usr/bin/evil",
        "/tmp/x;bd",
        "$(x)/bd",
        "/tmp/'x'/bd",
        "/x/../bd",
        &inside,
        &in_git,
    ] {
        assert!(listed(&OWN_DRIVER.replacen("bd", program, 1)), "{program}");
    }
    assert!(listed(&format!("{OWN_DRIVER}; canary")));
    assert!(listed("bd merge-driver %O %A %B"));
}
