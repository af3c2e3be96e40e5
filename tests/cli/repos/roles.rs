//! Maintainer or contributor: the first rule that matches.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::sh;

/// A repository with one commit to clone from.
const ORIGIN: &str = "git init -q origin; git -C origin commit -q --allow-empty -m first; rmdir web;";

struct Case {
    name: &'static str,
    programs: &'static [&'static str],
    /// Shell, in the directory that holds `web`.
    script: &'static str,
    vars: &'static [(&'static str, &'static str)],
    /// Commands of `bd` after `bd init`.
    commands: &'static str,
    role: &'static str,
    rule: &'static str,
}

impl Case {
    const fn new(name: &'static str, script: &'static str, role: &'static str, rule: &'static str) -> Self {
        Case { name, programs: &["git"], script, vars: &[], commands: "", role, rule }
    }
}

const CASES: &[Case] = &[
    Case { programs: &[], ..Case::new("no version control", "", "maintainer", "no-remote") },
    Case::new("git without a remote", "git init -q web", "maintainer", "no-remote"),
    Case::new("a clone", "git clone -q origin web", "contributor", "uncertain"),
    Case::new(
        "a clone that pushed to the default branch",
        "git clone -q origin web; cd web; git -C ../origin config receive.denyCurrentBranch ignore
         git commit -q --allow-empty -m mine; git push -q origin main",
        "maintainer",
        "pushed",
    ),
    Case::new(
        "a clone that pushed another branch",
        "git clone -q origin web; cd web; git checkout -qb mine; git commit -q --allow-empty -m mine; git push -q origin mine",
        "contributor",
        "uncertain",
    ),
    Case::new(
        "a worktree of a clone that pushed",
        "git clone -q origin main; cd main; git -C ../origin config receive.denyCurrentBranch ignore
         git commit -q --allow-empty -m mine; git push -q origin main; git worktree add -q ../web",
        "maintainer",
        "pushed",
    ),
    Case::new(
        "a remote of another name that was pushed to",
        "git clone -q -o server origin web; cd web; git -C ../origin config receive.denyCurrentBranch ignore
         git commit -q --allow-empty -m mine; git push -q server main",
        "maintainer",
        "pushed",
    ),
    Case::new(
        "upstream is the same repository as origin",
        "git init -q web; cd web; git remote add origin https://host/app.git; git remote add upstream https://host/app/",
        "contributor",
        "uncertain",
    ),
    Case::new(
        "upstream differs from origin",
        "git init -q web; cd web; git remote add origin https://host/me/app; git remote add upstream https://host/app",
        "contributor",
        "fork",
    ),
    Case::new(
        "a fork whose owner pushed to it",
        "git clone -q origin web; cd web; git -C ../origin config receive.denyCurrentBranch ignore
         git commit -q --allow-empty -m mine; git push -q origin main; git remote add upstream https://host/app",
        "contributor",
        "fork",
    ),
    Case::new(
        "a URL that only a member of the project would use",
        "git init -q web; git -C web remote add origin git@host:app.git",
        "contributor",
        "uncertain",
    ),
    Case::new(
        "a URL with https",
        "git init -q web; git -C web remote add origin https://host/app.git",
        "contributor",
        "uncertain",
    ),
    Case {
        vars: &[("BD_ROLE", "maintainer")],
        ..Case::new(
            "BD_ROLE in a fork with everything against it",
            "git init -q web; cd web; git remote add origin https://host/me/app; git remote add upstream https://host/app
             git config beads.role contributor",
            "maintainer",
            "env",
        )
    },
    Case {
        vars: &[("BD_ROLE", "contributor")],
        commands: "config set routing.role maintainer",
        ..Case::new(
            "BD_ROLE without a remote",
            "git init -q web; git -C web config beads.role maintainer",
            "contributor",
            "env",
        )
    },
    Case::new(
        "git config beads.role",
        "git init -q web; git -C web config beads.role contributor",
        "contributor",
        "vcs-config",
    ),
    Case {
        commands: "config set routing.role contributor",
        ..Case::new(
            "git config beads.role wins over routing.role",
            "git clone -q origin web; git -C web config beads.role maintainer",
            "maintainer",
            "vcs-config",
        )
    },
    Case {
        commands: "config set routing.role maintainer",
        ..Case::new("routing.role in a clone", "git clone -q origin web", "maintainer", "pinned")
    },
    Case {
        commands: "config set routing.role contributor
                   config set routing.maintainers me@example.org",
        ..Case::new(
            "routing.role wins over routing.maintainers",
            "git init -q web; git -C web config user.email me@example.org",
            "contributor",
            "pinned",
        )
    },
    Case {
        commands: "config set routing.maintainers other@example.org ME@Example.Org --shared",
        ..Case::new(
            "my address in routing.maintainers, in a fork",
            "git init -q web; cd web; git remote add origin https://host/me/app; git remote add upstream https://host/app
             git config user.email me@example.org",
            "maintainer",
            "maintainers",
        )
    },
    Case {
        commands: "config set routing.maintainers other@example.org --shared",
        ..Case::new(
            "only another address in routing.maintainers",
            "git clone -q origin web; git -C web config user.email me@example.org",
            "contributor",
            "uncertain",
        )
    },
    Case {
        vars: &[("BD_ROLE", "king")],
        ..Case::new("a word in BD_ROLE that is no role", "git clone -q origin web", "contributor", "uncertain")
    },
    Case {
        vars: &[("BD_ROLE", "king")],
        ..Case::new(
            "a word in BD_ROLE that is no role, and another rule",
            "git clone -q origin web; git -C web config beads.role maintainer",
            "maintainer",
            "vcs-config",
        )
    },
    Case { programs: &["hg"], ..Case::new("hg without paths", "hg init web", "maintainer", "no-remote") },
    Case {
        programs: &["hg"],
        ..Case::new(
            "hg with a default path",
            "hg init up; rmdir web; hg clone -q up web",
            "contributor",
            "uncertain",
        )
    },
    Case {
        programs: &["hg"],
        ..Case::new(
            "hg config beads.role",
            "hg init up; rmdir web; hg clone -q up web; printf '[beads]\\nrole = maintainer\\n' >> web/.hg/hgrc",
            "maintainer",
            "vcs-config",
        )
    },
    Case {
        programs: &["jj"],
        ..Case::new("jj without a remote", "jj git init --quiet --no-colocate web", "maintainer", "no-remote")
    },
    Case {
        programs: &["jj"],
        ..Case::new(
            "jj with a remote",
            "jj git init --quiet --no-colocate web; cd web; jj git remote add origin https://host/app",
            "contributor",
            "uncertain",
        )
    },
    Case {
        programs: &["git", "jj"],
        ..Case::new(
            "jj beside git, with upstream and origin",
            "jj git init --quiet --colocate web; cd web; jj git remote add origin https://host/me/app
             jj git remote add upstream https://host/app",
            "contributor",
            "fork",
        )
    },
    Case {
        programs: &["git", "jj"],
        ..Case::new("jj beside git, without a remote", "jj git init --quiet --colocate web", "maintainer", "no-remote")
    },
];

/// The place of a case, with `bd` initialised in it.
fn set_up(case: &Case) -> Option<Env> {
    if !have(case.programs) {
        return None;
    }
    let env = Env::bare();
    let origin = if case.script.contains("clone") && case.programs == ["git"] { ORIGIN } else { "" };
    sh(&env, &format!("{origin}\n{}", case.script));
    env.given("init --quiet --prefix bd").given(case.commands);
    case.vars.iter().for_each(|(name, value)| env.set(name, value));
    Some(env)
}

#[test]
fn the_first_rule_that_decides() {
    let mut wrong = Vec::new();
    for case in CASES {
        let Some(env) = set_up(case) else { continue };
        let found = env.bd(["role", "--json"]).ok().json();
        if (&found["role"], &found["rule"]) != (&case.role.into(), &case.rule.into()) {
            wrong.push(format!("{}: expected {} ({}), found {found}", case.name, case.role, case.rule));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(CASES.len(), 29);
}

#[test]
fn the_role_is_told_with_its_reason() {
    let fork = CASES.iter().find(|case| case.rule == "fork").unwrap();
    let Some(env) = set_up(fork) else { return };
    assert_data_eq!(
        env.script(
            "role
             config set routing.mode auto
             role
             role --json"
        ),
        str![[r#"
$ bd role
contributor
Rule        fork
Because     the remote upstream differs from origin, so this is a fork
In effect   no: routing.mode is single, everything goes to this repo
$ bd config set routing.mode auto
changed: .git/beads/config.toml (personal)
$ bd role
contributor
Rule        fork
Because     the remote upstream differs from origin, so this is a fork
$ bd role --json
{
  "role": "contributor",
  "rule": "fork",
  "because": "the remote upstream differs from origin, so this is a fork",
  "in_effect": true
}

"#]]
        .raw()
    );
}

#[test]
fn a_word_that_is_no_role_is_named_and_passed_over() {
    let env = Env::new();
    let run = env.bd_with(["role"], None, &[("BD_ROLE", "king")]).ok();
    assert_data_eq!(
        run.snapshot(),
        str![[r#"
$ bd role
maintainer
Rule        no-remote
Because     no version control here, so the project is yours
In effect   no: routing.mode is single, everything goes to this repo
! warning: BD_ROLE is "king", which is neither maintainer nor contributor

"#]]
        .raw()
    );
    env.bd(["config", "set", "routing.role", "king"]).fails(2, &["routing.role must be one of maintainer contributor"]);
}

#[test]
fn roles_mean_nothing_while_there_is_one_repo() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(&env, "git init -q web; git -C web remote add origin https://host/app");
    env.given(
        "init --quiet --prefix bd
         add 'Mine' --id bd-mine
         update mine -p 0
         close mine",
    );
    let role = env.bd(["role", "--json"]).ok().json();
    assert_eq!((&role["role"], &role["in_effect"]), (&"contributor".into(), &false.into()));
    assert!(env.ledger_text().contains("\"status\":\"closed\""));
}

#[test]
fn the_role_follows_the_first_push() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(
        &env,
        &format!("git init -q --bare server; {ORIGIN} git -C origin push -q ../server main; git clone -q server web"),
    );
    env.given("init --quiet --prefix bd --team");
    env.bd(["add", "Too early"]).fails(2, &["you are a contributor here and have no planning repo yet"]);
    assert_eq!(env.ledger_text(), "");
    sh(&env, "cd web; git add .beads; git commit -qm ledger; git push -q origin main");
    let add = env.bd(["add", "Now it may", "--json"]).ok().json();
    assert_eq!(add["source_repo"], ".");
}
