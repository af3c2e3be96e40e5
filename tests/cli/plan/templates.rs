//! Templates: the three places, variables, saving, and what a hostile one cannot do.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::plan::workflows::{bd, ready};
use crate::support::harness::{Env, words};
use crate::support::project::Project;

const SHIP: &str = r#"
name = "ship"
description = "Ship something"
title = "Ship {{what}}"
[variables.what]
description = "what to ship"
[variables.where]
[variables.how]
default = "by boat"
[[tasks]]
name = "pack-{{what}}"
labels = ["{{where}}"]
[[tasks]]
name = "send"
description = "To {{where}} {{how}}, a literal {{{{how}}"
depends_on = ["pack-{{what}}"]
"#;

fn with_ship() -> Env {
    let env = Env::new();
    env.write(".beads/templates/ship.toml", SHIP);
    env
}

#[test]
fn from_a_template_to_a_workflow() {
    let env = with_ship();
    assert_data_eq!(
        env.script(
            "template list
             template apply ship --id bd-w --var what=tea --var where=Home --max-parallel 2
             workflow show bd-w
             template apply ship
             template apply ship --var wat=tea --var where=x
             template apply shop
             template apply ship --var what"
        ),
        str![[r#"
$ bd template list
bugfix    built-in  5 tasks  Fix a bug: reproduce it, find the cause, fix it, and check for the same mistake elsewhere
feature   built-in  5 tasks  Build a feature: design, implement, test, document and review it
refactor  built-in  5 tasks  Restructure code without changing its behaviour: record what it does, change it in steps, compare
release   built-in  6 tasks  Make a release: freeze, check, write the notes, build, publish and verify it
ship      project   2 tasks  Ship something
$ bd template apply ship --id bd-w --var what=tea --var where=Home --max-parallel 2
Created a workflow with 2 tasks: bd-w
$ bd workflow show bd-w
ready  Ship tea  (0 of 2 done, 1 pending, 1 blocked)  bd-w
  pending  pack-tea                      bd-9ocopt85
  blocked  send      waits for pack-tea  bd-dsxod4pn
! bd workflow start bd-w hands its tasks out
$ bd template apply ship
! error: the template ship needs what (what to ship), where
! hint: set each with --var NAME=VALUE; run `bd workflow template show` for their meaning
[exit 2]
$ bd template apply ship --var wat=tea --var where=x
! error: the template ship needs what (what to ship); it has no variable "wat"; did you mean "what"?
! hint: set each with --var NAME=VALUE; run `bd workflow template show` for their meaning
[exit 2]
$ bd template apply shop
! error: no template is called "shop"; did you mean "ship"?
! hint: run `bd workflow template list` to see them
[exit 3]
$ bd template apply ship --var what
! error: "what" is not NAME=VALUE
[exit 2]

"#]]
        .raw()
    );
    let shown = bd(&env, "workflow show bd-w --json").ok().json();
    assert_eq!(shown["max_parallel"], 2);
    assert_eq!(shown["description"], "Ship something");
    let send = bd(&env, &format!("show {} --json", shown["tasks"][1]["id"].as_str().unwrap())).ok().json();
    assert_eq!(send[0]["description"], "To Home by boat, a literal {{how}}");
    let error = bd(&env, "template apply ship --json").error();
    assert_eq!(error["missing"].as_array().unwrap().len(), 2);
}

#[test]
fn the_same_as_workflow_create() {
    let env = with_ship();
    bd(&env, "workflow create Tea --id bd-a --template ship --var what=x --var where=y").ok();
    bd(&env, "template apply ship Tea --id bd-b --var what=x --var where=y").ok();
    let [a, b] = ["bd-a", "bd-b"].map(|id| bd(&env, &format!("workflow show {id} --json")).ok().json());
    for key in ["title", "max_parallel", "description", "total"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    assert_eq!(a["title"], "Tea");
}

#[test]
fn the_project_s_come_before_the_user_s_and_those_before_bd_s() {
    let env = Env::new();
    let config = env.root().join("home/config");
    env.set("XDG_CONFIG_HOME", &config);
    let text = |what: &str| format!("description = \"{what}\"\n[[tasks]]\nname = \"{what}\"\n");
    let user = config.join("beads/templates");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(user.join("feature.toml"), text("users")).unwrap();
    let first =
        |env: &Env| bd(env, "template show feature --json").ok().json()["description"].as_str().map(str::to_owned);
    assert_eq!(first(&env).as_deref(), Some("users"));
    env.write(".beads/templates/feature.toml", text("ours"));
    assert_eq!(first(&env).as_deref(), Some("ours"));
    let all = bd(&env, "template list --all --json").ok().json();
    let places: Vec<(&str, bool)> = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["name"] == "feature")
        .map(|one| (one["origin"].as_str().unwrap(), one["hidden"].as_bool().unwrap()))
        .collect();
    assert_eq!(places, [("project", false), ("user", true), ("built-in", true)]);
}

#[test]
fn a_broken_one_is_listed_and_hides_what_lies_behind_it() {
    let env = with_ship();
    env.write(".beads/templates/feature.toml", "[[tasks]]\nname = \"{{x}}\"\n");
    env.write(".beads/templates/bytes.toml", b"\xff\xfe");
    env.write(".beads/templates/huge.toml", vec![b'#'; (1 << 20) + 1]);
    env.write(".beads/templates/odd name\u{1b}.toml", SHIP);
    env.write(".beads/templates/notes.txt", "no template");
    std::fs::create_dir(env.path(".beads/templates/dir.toml")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", env.path(".beads/templates/link.toml")).unwrap();
    let run = bd(&env, "template list").ok();
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    let all = bd(&env, "template list --json").ok().json();
    let broken: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["usable"] == false)
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(broken, ["bytes", "dir", "feature", "huge", "link", "odd name\u{1b}"]);
    let before = env.ledger();
    bd(&env, "template apply feature --var feature=x").fails(2, &["{{x}} is not a variable of this template"]);
    bd(&env, "template apply link").fails(1, &["link.toml"]);
    assert_eq!(env.ledger(), before);
    bd(&env, "template apply ship --var what=a --var where=b").ok();
}

#[test]
fn names_and_links_do_not_lead_out() {
    let env = ready();
    env.write("secret.toml", SHIP);
    for name in ["../secret", "..", "a/b", "/etc/passwd", ".hidden", "", "a\u{7}"] {
        env.bd(["template", "show", name]).fails(2, &["is not a valid template name"]);
        env.bd(["template", "apply", name]).fails(2, &["is not a valid template name"]);
        env.bd(["template", "save", name, "--from", "bd-w"]).fails(2, &["is not a valid template name"]);
    }
    std::fs::create_dir(env.root().join("outside")).unwrap();
    std::os::unix::fs::symlink(env.root().join("outside"), env.path(".beads/templates")).unwrap();
    bd(&env, "template list").ok();
    bd(&env, "template show feature").fails(1, &["is a link"]);
    bd(&env, "template save mine --from bd-w").fails(1, &["is a link"]);
    assert_eq!(std::fs::read_dir(env.root().join("outside")).unwrap().count(), 0);
}

#[test]
fn values_never_become_structure() {
    let env = with_ship();
    let evil = "x\"\ndepends_on = []\n[[tasks]]\nname = \"evil\"\n{{where}}";
    let run = env.bd(["template", "apply", "ship", "--id", "bd-w", "--var", "what=a", "--var", "where=b", "--var"]
        .into_iter()
        .chain([format!("how={evil}").as_str()]));
    run.ok();
    let shown = bd(&env, "workflow show bd-w --json").ok().json();
    assert_eq!(shown["total"], 2);
    let send = bd(&env, &format!("show {} --json", shown["tasks"][1]["id"].as_str().unwrap())).ok().json();
    assert_eq!(send[0]["description"], format!("To b {evil}, a literal {{{{how}}}}"));
    // A name is one line, and two tasks have two names.
    env.bd(["template", "apply", "ship", "--var", "what=a\nb", "--var", "where=b"])
        .fails(2, &["name must be one line"]);
    let clash = SHIP.replace("\"send\"", "\"pack-{{where}}\"");
    env.write(".beads/templates/ship.toml", clash);
    bd(&env, "template apply ship --var what=a --var where=a").fails(2, &["a second task of this name"]);
}

#[test]
fn a_workflow_saved_comes_back_the_same() {
    let env = ready();
    assert_data_eq!(
        env.script(
            "template save mine --from bd-w
             template save mine --from bd-w
             template save mine --from bd-w --force
             template validate .beads/templates/mine.toml
             template apply mine --id bd-x"
        ),
        str![[r#"
$ bd template save mine --from bd-w
Saved: .beads/templates/mine.toml
$ bd template save mine --from bd-w
! error: $ROOT/web/.beads/templates/mine.toml exists already
! hint: nothing was written; choose another name, or replace it with --force
[exit 5]
$ bd template save mine --from bd-w --force
Replaced: .beads/templates/mine.toml
$ bd template validate .beads/templates/mine.toml
In order: .beads/templates/mine.toml
$ bd template apply mine --id bd-x
Created a workflow with 4 tasks: bd-x

"#]]
        .raw()
    );
    let [old, new] = ["bd-w", "bd-x"].map(|id| bd(&env, &format!("workflow show {id} --json")).ok().json());
    for n in 0..4 {
        for key in ["name", "title", "blocked_by", "context_from", "priority"] {
            assert_eq!(old["tasks"][n][key], new["tasks"][n][key], "{n} {key}");
        }
    }
    let informs = |id: &str| bd(&env, &format!("show {id} --json")).ok().stdout.matches("\"informs\"").count();
    let build = |flow: &serde_json::Value| flow["tasks"][1]["id"].as_str().unwrap().to_owned();
    assert_eq!((informs(&build(&old)), informs(&build(&new))), (1, 1));
}

#[test]
fn what_is_private_stays_out_of_the_project() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.write("plan.toml", "[[tasks]]\nname = \"secret\"\n");
    bd(env, "workflow create Secret --id plan-w --plan plan.toml").ok();
    bd(env, "template save mine --from plan-w").fails(5, &["private", "--user"]);
    assert!(!env.path(".beads/templates").exists());
    let saved = bd(env, "template save mine --from plan-w --user --json").ok().json();
    assert_eq!(saved["origin"], "user");
    assert!(saved["path"].as_str().unwrap().contains("/home/"), "{saved}");
    bd(env, "template show mine").ok();
    assert_eq!(project.git("status --porcelain").ok().stdout, "?? plan.toml\n");
}

#[test]
fn every_problem_of_a_template() {
    let env = Env::new();
    env.write(
        "t.toml",
        "[variables.a]\n[variables.b]\n[[tasks]]\nname = \"{{a}} {{c}}\"\ndepends_on = [\"{{ x y }}\"]\n",
    );
    assert_data_eq!(
        env.script("template validate t.toml\ntemplate validate nosuch.toml"),
        str![[r#"
$ bd template validate t.toml
! error: $ROOT/web/t.toml: 2 problems:
!   line 4: {{c}} is not a variable of this template
!   line 5: "{{ x y }}" is not a variable; a literal {{ is written {{{{
! hint: nothing was written; fix it and check with `bd workflow template validate FILE`
[exit 2]
$ bd template validate nosuch.toml
! error: cannot read $ROOT/web/nosuch.toml: No such file or directory (os error 2)
[exit 1]

"#]]
        .raw()
    );
    env.write("t.toml", "[variables.a]\n[variables.b]\n[[tasks]]\nname = \"{{a}}\"\n");
    let run = bd(&env, "template validate t.toml").ok();
    assert!(run.stderr.contains("the variable b is not used"), "{}", run.stderr);
}

/// The examples in the help work as printed.
#[test]
fn examples_with_built_in_templates_work() {
    let mut seen = 0;
    for command in ["template", "workflow create"] {
        let env = Env::new();
        let help = bd(&env, &format!("{command} --help")).ok().stdout;
        for line in help.lines().filter(|line| line.starts_with("  bd ") && line.contains("--var")) {
            env.bd(words(line.trim().strip_prefix("bd ").unwrap())).ok();
            seen += 1;
        }
    }
    assert_eq!(seen, 2);
}
