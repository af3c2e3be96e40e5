//! Several repos as one project: settings in layers, repos joined and left out, where answers come from and writes go to.

use std::os::unix::fs::symlink;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::harness::Env;
use crate::projects::{bd_in, contributing, issues, joined, ledger, put_issues, repo};

#[test]
fn settings_are_set_got_listed_and_taken_out() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "config get routing.mode
             config get routing.default
             config set routing.mode auto
             config get routing.mode
             config get routing.mode --json
             config set commit.primary yes --personal
             config get commit.primary --json
             config set routing.maintainers ann@example.org bob@example.org
             config get routing.maintainers
             config get routing.maintainers --json
             config set routing.mode auto
             config unset routing.mode
             config get routing.mode
             config set routing.mode both
             config set routing.mod auto
             config get zebra
             config set commit.primary perhaps
             config"
        ),
        str![[r#"
$ bd config get routing.mode
single
$ bd config get routing.default
! error: routing.default is not set
[exit 3]
$ bd config set routing.mode auto
changed: $ROOT/web/.beads/config.toml (shared)
$ bd config get routing.mode
auto
$ bd config get routing.mode --json
{
  "key": "routing.mode",
  "value": "auto"
}
$ bd config set commit.primary yes --personal
changed: $ROOT/web/.beads/run/config.toml (personal)
$ bd config get commit.primary --json
{
  "key": "commit.primary",
  "value": true
}
$ bd config set routing.maintainers ann@example.org bob@example.org
changed: $ROOT/web/.beads/config.toml (shared)
$ bd config get routing.maintainers
ann@example.org
bob@example.org
$ bd config get routing.maintainers --json
{
  "key": "routing.maintainers",
  "value": [
    "ann@example.org",
    "bob@example.org"
  ]
}
$ bd config set routing.mode auto
already so: $ROOT/web/.beads/config.toml (shared)
$ bd config unset routing.mode
changed: $ROOT/web/.beads/config.toml (shared)
$ bd config get routing.mode
single
$ bd config set routing.mode both
! error: routing.mode must be one of single auto explicit, not "both"
[exit 2]
$ bd config set routing.mod auto
! error: no setting "routing.mod"; did you mean routing.mode?
! hint: bd config list shows every setting
[exit 2]
$ bd config get zebra
! error: no setting "zebra"
! hint: bd config list shows every setting
[exit 2]
$ bd config set commit.primary perhaps
! error: commit.primary must be true or false, not "perhaps"
[exit 2]
$ bd config
! error: nothing to do: --add-repo, --remove-repo, --list-repos, --routing, or get, set, list
[exit 2]

"#]]
        .raw()
    );
}

#[test]
fn a_list_of_settings_says_where_each_comes_from() {
    let env = joined();
    env.given(
        "config set commit.planning false --user
         config set routing.role contributor",
    );
    env.set("BD_READY_UNKNOWN_BLOCKS", "true");
    assert_data_eq!(
        env.script(
            "config list
             config list --origin
             --config routing.mode=auto config list --origin"
        ),
        str![[r#"
$ bd config list
mode                     multi
issue_prefix             bd
repos.primary            .
repos.additional         ~/plan
routing.mode             single
routing.role             contributor
routing.auto.maintainer  .
ready.unknown_blocks     true
commit.planning          false
commit.primary           false
$ bd config list --origin
mode                     multi        shared       $ROOT/web/.beads/config.toml:5
issue_prefix             bd           shared       $ROOT/web/.beads/config.toml:2
repos.primary            .            built-in
repos.additional         ~/plan       shared       $ROOT/web/.beads/config.toml:5
routing.mode             single       built-in
routing.role             contributor  personal     $ROOT/web/.beads/run/config.toml:2
routing.auto.maintainer  .            built-in
ready.unknown_blocks     true         environment  BD_READY_UNKNOWN_BLOCKS
commit.planning          false        user         $ROOT/home/config/beads/config.toml:2
commit.primary           false        built-in
$ bd --config routing.mode=auto config list --origin
mode                     multi        shared       $ROOT/web/.beads/config.toml:5
issue_prefix             bd           shared       $ROOT/web/.beads/config.toml:2
repos.primary            .            built-in
repos.additional         ~/plan       shared       $ROOT/web/.beads/config.toml:5
routing.mode             auto         flag
routing.role             contributor  personal     $ROOT/web/.beads/run/config.toml:2
routing.auto.maintainer  .            built-in
ready.unknown_blocks     true         environment  BD_READY_UNKNOWN_BLOCKS
commit.planning          false        user         $ROOT/home/config/beads/config.toml:2
commit.primary           false        built-in

"#]]
        .raw()
    );
    let json = env.bd(["config", "list", "--json"]).ok().json();
    let of = |key: &str| json.as_array().unwrap().iter().find(|row| row["key"] == key).unwrap().clone();
    assert_eq!(of("commit.planning")["value"], false);
    assert_eq!(of("commit.planning")["origin"], "user");
    assert_eq!(of("repos.additional")["value"], serde_json::json!(["~/plan"]));
    assert_eq!(of("ready.unknown_blocks")["place"], "BD_READY_UNKNOWN_BLOCKS");
}

#[test]
fn a_later_layer_wins() {
    let env = Env::new();
    let mode = |vars: &[(&str, &str)], flag: &[&str]| {
        let args = flag.iter().copied().chain(["config", "list", "--json"]);
        let json = env.bd_with(args, None, vars).ok().json();
        let row = json.as_array().unwrap().iter().find(|row| row["key"] == "commit.primary").unwrap().clone();
        (row["value"].as_bool().unwrap(), row["origin"].as_str().unwrap().to_owned())
    };
    assert_eq!(mode(&[], &[]), (false, "built-in".into()));
    env.given("config set commit.primary true --user");
    assert_eq!(mode(&[], &[]), (true, "user".into()));
    env.given("config set commit.primary false --shared");
    assert_eq!(mode(&[], &[]), (false, "shared".into()));
    env.given("config set commit.primary true --personal");
    assert_eq!(mode(&[], &[]), (true, "personal".into()));
    assert_eq!(mode(&[("BD_COMMIT_PRIMARY", "false")], &[]), (false, "environment".into()));
    let flag = ["--config", "commit.primary=true"];
    assert_eq!(mode(&[("BD_COMMIT_PRIMARY", "false")], &flag), (true, "flag".into()));
    // What a later file says would win over a change of an earlier one, so the change goes there.
    let changed = env.bd(["config", "set", "commit.primary", "false"]).ok();
    assert!(changed.stdout.contains("(personal)"), "{}", changed.snapshot());
    assert_eq!(mode(&[], &[]), (false, "personal".into()));
}

#[test]
fn the_layer_that_wins_is_the_one_in_effect() {
    let env = Env::new();
    let role = |vars: &[(&str, &str)], flag: &[&str]| {
        let json = env.bd_with(flag.iter().copied().chain(["role", "--json"]), None, vars).ok().json();
        (json["role"].as_str().unwrap().to_owned(), json["because"].as_str().unwrap().to_owned())
    };
    let (maintainer, contributor) = ("maintainer".to_owned(), "contributor".to_owned());
    let says = |layer: &str| format!("routing.role in the {layer} settings says so");
    env.given("config set routing.role contributor --user");
    assert_eq!(role(&[], &[]), (contributor.clone(), says("user")));
    env.given("config set routing.role maintainer --shared");
    assert_eq!(role(&[], &[]), (maintainer.clone(), says("shared")));
    env.given("config set routing.role contributor --personal");
    assert_eq!(role(&[], &[]), (contributor.clone(), says("personal")));
    let variable = [("BD_ROUTING_ROLE", "maintainer")];
    assert_eq!(role(&variable, &[]), (maintainer, "BD_ROUTING_ROLE says so".to_owned()));
    assert_eq!(role(&variable, &["--config", "routing.role=contributor"]), (contributor, says("flag")));
}

#[test]
fn repos_of_all_layers_add_up() {
    let env = Env::new();
    for name in ["user", "shared", "personal", "variable", "flag"] {
        repo(&env, &format!("home/{name}"), name);
        put_issues(&env, &format!("home/{name}"), &[&format!("{name}-1")]);
    }
    env.given(
        "config --add-repo ~/user --user
         config --add-repo ~/shared --shared
         config --add-repo ~/personal --personal",
    );
    env.set("BD_REPOS_ADDITIONAL", "~/variable");
    let ids = env.bd(["--config", "repos.additional=~/flag", "list", "--sort", "id", "--json"]).ok();
    assert_eq!(ids.ids(), ["flag-1", "personal-1", "shared-1", "user-1", "variable-1"]);
    assert_eq!(ids.stderr, "");
    let single = env.bd(["--config", "mode=single", "list", "--json"]).ok();
    assert_eq!(single.stdout, "[]\n");
}

#[test]
fn several_changes_in_one_call() {
    let env = Env::new();
    repo(&env, "home/one", "one");
    repo(&env, "home/two", "two");
    repo(&env, "home/three", "three");
    assert_data_eq!(
        env.script(
            "config --add-repo ~/one --add-repo ~/two --list-repos
             config --add-repo ~/three --remove-repo ~/one --routing contributor --list-repos
             config --list-repos --json
             config --routing king
             config --add-repo ~/three --routing auto"
        ),
        str![[r#"
$ bd config --add-repo '~/one' --add-repo '~/two' --list-repos
changed: $ROOT/web/.beads/config.toml (shared)
.      primary     0 issues  writable
~/one  additional  0 issues  writable
~/two  additional  0 issues  writable
$ bd config --add-repo '~/three' --remove-repo '~/one' --routing contributor --list-repos
changed: $ROOT/web/.beads/run/config.toml (personal)
changed: $ROOT/web/.beads/config.toml (shared)
.        primary     0 issues  read-only: you are a contributor here: routing.role in the personal settings says so
~/two    additional  0 issues  writable
~/three  planning    0 issues  writable, committed after each write
$ bd config --list-repos --json
[
  {
    "source_repo": ".",
    "path": "$ROOT/web",
    "kind": "primary",
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "issues": 0,
    "writable": false,
    "auto_commit": false,
    "reason": "you are a contributor here: routing.role in the personal settings says so"
  },
  {
    "source_repo": "~/two",
    "path": "$ROOT/home/two",
    "kind": "additional",
    "origin": "shared",
    "ledger": "$ROOT/home/two/.beads/beads.jsonl",
    "issues": 0,
    "writable": true,
    "auto_commit": false
  },
  {
    "source_repo": "~/three",
    "path": "$ROOT/home/three",
    "kind": "planning",
    "origin": "personal",
    "ledger": "$ROOT/home/three/.beads/beads.jsonl",
    "issues": 0,
    "writable": true,
    "auto_commit": true
  }
]
$ bd config --routing king
! error: --routing must be one of single auto explicit maintainer contributor, not "king"
[exit 2]
$ bd config --add-repo '~/three' --routing auto
already so: $ROOT/web/.beads/run/config.toml (personal)
! ~/three is already listed in the personal settings

"#]]
        .raw()
    );
    assert_data_eq!(
        std::fs::read_to_string(env.path(".beads/config.toml")).unwrap(),
        str![[r##"
# Settings of this repo's ledger; see `bd help`.
issue_prefix = "bd"

[repos]
additional = ["~/two"]

"##]]
        .raw()
    );
    assert_data_eq!(
        std::fs::read_to_string(env.path(".beads/run/config.toml")).unwrap(),
        str![[r#"
[repos]
additional = ["~/three"]

[routing]
mode = "auto"
role = "contributor"

[routing.auto]
contributor = "~/three"

"#]]
        .raw()
    );
}

#[test]
fn repo_add_remove_list() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    put_issues(&env, "home/plan", &["plan-far"]);
    let before = ledger(&env, "home/plan");
    assert_data_eq!(
        env.script(
            "repo
             repo add ~/plan
             repo add ~/plan/.beads
             repo list
             repo list --json
             list
             repo remove plan
             list
             repo remove ~/plan
             repo add .
             repo remove ."
        ),
        str![[r#"
$ bd repo
.  primary  0 issues  writable
$ bd repo add '~/plan'
changed: $ROOT/web/.beads/config.toml (shared)
$ bd repo add '~/plan/.beads'
! ~/plan is already listed in the shared settings
$ bd repo list
.       primary     0 issues  writable
~/plan  additional  1 issue   writable
$ bd repo list --json
[
  {
    "source_repo": ".",
    "path": "$ROOT/web",
    "kind": "primary",
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "issues": 0,
    "writable": true,
    "auto_commit": false
  },
  {
    "source_repo": "~/plan",
    "path": "$ROOT/home/plan",
    "kind": "additional",
    "origin": "shared",
    "ledger": "$ROOT/home/plan/.beads/beads.jsonl",
    "issues": 1,
    "writable": true,
    "auto_commit": false
  }
]
$ bd list
plan-far  P2  open  task  PLAN-FAR (~/plan)
$ bd repo remove plan
changed: $ROOT/web/.beads/config.toml (shared)
$ bd list
! no issues
$ bd repo remove '~/plan'
! error: no repo "~/plan" in this project; it has .
! hint: bd repo list shows the repos; bd repo add PATH joins one
[exit 3]
$ bd repo add .
! error: . is this project's own repo; it is always read
[exit 2]
$ bd repo remove .
! error: . is this project's own repo; it cannot be removed
[exit 2]

"#]]
        .raw()
    );
    assert_eq!(ledger(&env, "home/plan"), before);
}

#[test]
fn a_contributor_leaves_a_shared_repo_out_for_himself() {
    let env = joined();
    let committed = std::fs::read(env.path(".beads/config.toml")).unwrap();
    env.set("BD_ROLE", "contributor");
    env.bd(["repo", "remove", "~/plan"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-own"]);
    env.bd(["repo", "add", "~/plan"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids().len(), 2);
    assert_eq!(std::fs::read(env.path(".beads/config.toml")).unwrap(), committed);
}

#[test]
fn removing_the_target_of_a_route_unsets_it() {
    let env = contributing();
    assert_data_eq!(
        env.script(
            "repo remove ~/plan
             add 'Nowhere'"
        ),
        str![[r#"
$ bd repo remove '~/plan'
changed: $ROOT/web/.beads/run/config.toml (personal)
! ~/plan is in the committed file; you leave it out for yourself
! routing.auto.contributor named it and is unset
$ bd add Nowhere
! error: routing.mode is auto, but routing.auto.contributor is not set
! hint: bd config set routing.auto.contributor PATH, or name the repo with --repo
[exit 2]

"#]]
        .raw()
    );
}

#[test]
fn unknown_keys_are_named_with_the_nearest() {
    let env = Env::new();
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n[repos]\naditional = [\"~/plan\"]\n[zebra]\ncolour = 1\n");
    assert_data_eq!(
        env.script(
            "list
             add 'Still works' --id bd-1
             --config routing.modus=auto list"
        ),
        str![[r#"
$ bd list
! no issues
! warning: $ROOT/web/.beads/config.toml:3: no setting "repos.aditional"; did you mean repos.additional?
! warning: $ROOT/web/.beads/config.toml:4: no setting "zebra"
$ bd add 'Still works' --id bd-1
Created issue: bd-1
! warning: $ROOT/web/.beads/config.toml:3: no setting "repos.aditional"; did you mean repos.additional?
! warning: $ROOT/web/.beads/config.toml:4: no setting "zebra"
$ bd --config routing.modus=auto list
bd-1  P2  open  task  Still works
! warning: $ROOT/web/.beads/config.toml:3: no setting "repos.aditional"; did you mean repos.additional?
! warning: $ROOT/web/.beads/config.toml:4: no setting "zebra"
! warning: --config: no setting "routing.modus"; did you mean routing.mode?

"#]]
        .raw()
    );
}

#[test]
fn comments_and_order_survive_edits() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    let text = "# Ours.\nissue_prefix = \"bd\"   # short\n\n# Where things go.\n[routing]\n# see docs\nmode = \"single\" # for now\nzebra = 1\n\n[commit]\nprimary = true\n# the end\n";
    env.write(".beads/config.toml", text);
    env.given(
        "config set routing.mode auto
         config --add-repo ~/plan
         config set issue_prefix web
         config unset commit.primary",
    );
    assert_data_eq!(
        std::fs::read_to_string(env.path(".beads/config.toml")).unwrap(),
        str![[r##"
# Ours.
issue_prefix = "web"   # short

# Where things go.
[routing]
# see docs
mode = "auto" # for now
zebra = 1

[commit]

[repos]
additional = ["~/plan"]
# the end

"##]]
        .raw()
    );
}

#[test]
fn every_answer_names_the_repo() {
    let env = joined();
    env.given(
        "dep add bd-own plan-far
         label add plan-far x",
    );
    let of = |line: &str, id: &str| {
        let run = env.bd(line.split(' ')).ok();
        let json = run.json();
        let rows = json.as_array().cloned().unwrap_or_else(|| vec![json.clone()]);
        let row = rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{}", run.snapshot()));
        row["source_repo"].as_str().unwrap_or_else(|| panic!("no source_repo\n{}", run.snapshot())).to_owned()
    };
    for line in [
        "list --json",
        "ready --json",
        "search far --json",
        "show plan-far --json",
        "dep tree bd-own --json",
        "update plan-far -p 1 --json",
        "note plan-far x --json",
        "status plan-far blocked --json",
        "defer plan-far --until 2w --json",
        "undefer plan-far --json",
        "work plan-far --json",
        "close plan-far --json",
        "reopen plan-far --json",
    ] {
        assert_eq!(of(line, "plan-far"), "~/plan", "{line}");
    }
    for line in
        ["list --json", "blocked --json", "show bd-own --json", "dep tree bd-own --json", "update bd-own -p 1 --json"]
    {
        assert_eq!(of(line, "bd-own"), ".", "{line}");
    }
    assert_eq!(env.bd(["show", "bd-own", "--json"]).json()[0]["dependencies"][0]["source_repo"], "~/plan");
    let add = |args: &[&str]| env.bd(["add", "New", "--json"].iter().chain(args)).ok().json()["source_repo"].clone();
    assert_eq!((add(&[]), add(&["--repo", "plan"])), (".".into(), "~/plan".into()));
    for below in ["web", "home/plan"] {
        assert!(!ledger(&env, below).contains("source_repo"), "it is never stored");
    }
}

#[test]
fn a_repo_is_named_in_many_ways() {
    let env = joined();
    std::fs::create_dir_all(env.path("src/deep")).unwrap();
    let absolute = env.root().join("home/plan").to_str().unwrap().to_owned();
    for (from, name) in [
        ("web", "~/plan"),
        ("web", "plan"),
        ("web", "../home/plan"),
        ("web", "../home/plan/"),
        ("web", "~/plan/.beads"),
        ("web", absolute.as_str()),
        ("web/src/deep", "~/plan"),
        ("web/src/deep", "plan"),
        ("web/src/deep", "../../../home/plan"),
        ("web/src/deep", absolute.as_str()),
    ] {
        for line in ["list", "show", "ready", "search FAR"] {
            let args = line.split(' ').chain(["--repo", name, "--json"]);
            let run = bd_in(&env, from, args).ok();
            assert_eq!(run.ids(), ["plan-far"], "from {from}: {}", run.snapshot());
        }
        assert_eq!(bd_in(&env, from, ["stats", "--repo", name, "--json"]).ok().json()["total_issues"], 1);
        assert_eq!(bd_in(&env, from, ["count", "--repo", name, "--json"]).ok().json()["count"], 1);
        let add = bd_in(&env, from, ["add", "x", "--repo", name, "--dry-run", "--json"]).ok();
        assert_eq!(add.json()[0]["source_repo"], "~/plan");
    }
    for from in ["web", "web/src/deep"] {
        assert_eq!(bd_in(&env, from, ["list", "--repo", ".", "--json"]).ok().ids(), ["bd-own"], "from {from}");
    }
    let both = env.bd(["list", "--repo", ".", "--repo", "plan", "--json", "--sort", "id"]).ok();
    assert_eq!(both.ids(), ["bd-own", "plan-far"]);
}

#[test]
fn an_unknown_repo_is_not_found() {
    let env = joined();
    for line in ["list", "show", "ready", "search FAR", "stats", "count"] {
        let args = line.split(' ').chain(["--repo", "nosuch"]);
        env.bd(args).fails(3, &["no repo \"nosuch\" in this project; it has ., ~/plan", "bd repo list"]);
    }
    let before = (env.ledger_text(), ledger(&env, "home/plan"));
    env.bd(["add", "x", "--repo", "nosuch"]).fails(3, &["no repo \"nosuch\""]);
    env.bd(["add", "x", "--repo", "~/nosuch"]).fails(9, &["there is no repo at", "home/nosuch"]);
    assert_eq!((env.ledger_text(), ledger(&env, "home/plan")), before);
}

#[test]
fn one_directory_counts_once() {
    let env = joined();
    symlink(env.root().join("home/plan"), env.root().join("home/alias")).unwrap();
    env.write(".beads/run/config.toml", "[repos]\nadditional = [\"~/alias\", \"~/plan/.beads\", \"../home/plan\"]\n");
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ["bd-own", "plan-far"]);
    assert_eq!(env.bd(["repo", "list", "--json"]).ok().json().as_array().unwrap().len(), 2);
    let far = env.bd(["list", "--repo", "~/alias", "--json"]).ok();
    assert_eq!(far.ids(), ["plan-far"]);
    env.bd(["repo", "add", "~/alias"]).ok();
    assert_eq!(env.bd(["repo", "list", "--json"]).ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn a_name_that_two_repos_share_stands_for_neither() {
    let env = joined();
    repo(&env, "home/other/plan", "other");
    put_issues(&env, "home/other/plan", &["other-1"]);
    env.given("repo add ~/other/plan");
    env.bd(["list", "--repo", "plan"]).fails(3, &["no repo \"plan\" in this project; it has ., ~/plan, ~/other/plan"]);
    assert_eq!(env.bd(["list", "--repo", "~/plan", "--json"]).ok().ids(), ["plan-far"]);
}

#[test]
fn the_same_id_in_two_repos() {
    let env = joined();
    let far =
        issues(&["bd-own", "plan-far"]).replace("BD-OWN", "As planned").replace("\"priority\":2", "\"priority\":0");
    std::fs::write(env.root().join("home/plan/.beads/beads.jsonl"), far).unwrap();
    assert_data_eq!(
        env.script(
            "list
             list --copies
             show bd-own
             show bd-own --copies
             show bd-own --repo plan
             list --repo plan
             ready
             stats --repo plan"
        ),
        str![[r#"
$ bd list
plan-far  P0  open  task  PLAN-FAR (~/plan)
bd-own    P2  open  task  BD-OWN
$ bd list --copies
bd-own    P0  open  task  As planned (~/plan) (behind another copy)
plan-far  P0  open  task  PLAN-FAR (~/plan)
bd-own    P2  open  task  BD-OWN
$ bd show bd-own
bd-own  BD-OWN
P2  open  task
Created     2026-01-02T09:00:00Z
Updated     2026-01-02T09:00:00Z
Lives in    . ($ROOT/web/.beads/beads.jsonl:1), writable
Copies in   ~/plan
$ bd show bd-own --copies
bd-own  BD-OWN
P2  open  task
Created     2026-01-02T09:00:00Z
Updated     2026-01-02T09:00:00Z
Lives in    . ($ROOT/web/.beads/beads.jsonl:1), writable
Copies in   ~/plan

bd-own  As planned
P0  open  task
Created     2026-01-02T09:00:00Z
Updated     2026-01-02T09:00:00Z
Lives in    ~/plan ($ROOT/home/plan/.beads/beads.jsonl:1), writable, behind another repo's copy
Copies in   .
$ bd show bd-own --repo plan
bd-own  As planned
P0  open  task
Created     2026-01-02T09:00:00Z
Updated     2026-01-02T09:00:00Z
Lives in    ~/plan ($ROOT/home/plan/.beads/beads.jsonl:1), writable, behind another repo's copy
Copies in   .
$ bd list --repo plan
plan-far  P0  open  task  PLAN-FAR (~/plan)
$ bd ready
plan-far  P0  open  task  PLAN-FAR (~/plan)
bd-own    P2  open  task  BD-OWN
$ bd stats --repo plan
Total Issues:        1
Open:                1
In Progress:         0
Ready:               1
Blocked:             0
Deferred:            0
Closed:              0
Deleted:             0
Epics to close:      0
Average lead:      0.0 h

"#]]
        .raw()
    );
    let before = ledger(&env, "home/plan");
    env.given("update bd-own --title Changed");
    assert_eq!(ledger(&env, "home/plan"), before, "the effective copy is written");
    assert!(env.ledger_text().contains("\"title\":\"Changed\""));
}

#[test]
fn semantic_labels_sort_first_wherever_they_live_and_never_route() {
    let env = contributing();
    env.given(
        "--config routing.mode=single add 'Near, urgent' --id bd-urgent -p 0
         --config routing.mode=single add 'Near blocker' --id bd-blocker -p 4 -l discovered:blocker
         add 'Far baseline' --id plan-base -p 4 -l baseline-failure
         add 'Far blocker' --id plan-blocker -p 3 -l discovered:blocker
         --config routing.mode=single add 'Near baseline' --id bd-base -p 3 -l baseline-failure",
    );
    assert_eq!(
        env.bd(["ready", "--json"]).ok().ids(),
        ["bd-base", "plan-base", "plan-blocker", "bd-blocker", "bd-urgent", "bd-own", "plan-far"]
    );
    for label in ["discovered:blocker", "discovered:related", "no-auto-claim", "baseline-failure", "plan", "repo:."] {
        let run = env.bd(["add", "Labelled", "-l", label, "--dry-run", "--json"]).ok();
        assert_eq!(run.json()[0]["source_repo"], "~/plan", "{label}");
    }
}

#[test]
fn what_belongs_together_stays_together() {
    let env = joined();
    assert_data_eq!(
        env.script(
            "add 'Child' --parent plan-far --dry-run
             add 'Found' --deps discovered-from:plan-far --dry-run
             add 'Waits' --deps blocks:plan-far --dry-run
             add 'Child' --parent plan-far --repo . --dry-run
             add 'Both' --parent bd-own --deps discovered-from:plan-far --dry-run
             add 'Plain' --dry-run --json
             add 'Child' --parent plan-far --id plan-child
             add 'Grandchild' --parent plan-child --json --id plan-grandchild"
        ),
        str![[r#"
$ bd add Child --parent plan-far --dry-run
Would file P2 task "Child" in $ROOT/home/plan/.beads/beads.jsonl
  repo ~/plan: its parent plan-far lives there
$ bd add Found --deps discovered-from:plan-far --dry-run
Would file P2 task "Found" in $ROOT/home/plan/.beads/beads.jsonl
  repo ~/plan: its origin plan-far lives there
$ bd add Waits --deps blocks:plan-far --dry-run
Would file P2 task "Waits" in $ROOT/web/.beads/beads.jsonl
  repo .: routing.mode is single
$ bd add Child --parent plan-far --repo . --dry-run
Would file P2 task "Child" in $ROOT/web/.beads/beads.jsonl
  repo .: --repo names it
$ bd add Both --parent bd-own --deps discovered-from:plan-far --dry-run
Would file P2 task "Both" in $ROOT/web/.beads/beads.jsonl
  repo .: its parent bd-own lives there
$ bd add Plain --dry-run --json
[
  {
    "dry_run": true,
    "title": "Plain",
    "issue_type": "task",
    "priority": 2,
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "source_repo": ".",
    "routing_rule": "routing.mode is single"
  }
]
$ bd add Child --parent plan-far --id plan-child
Created issue in ~/plan: plan-child
$ bd add Grandchild --parent plan-child --json --id plan-grandchild
{
  "id": "plan-grandchild",
  "title": "Grandchild",
  "created_by": "ann",
  "status": "open",
  "priority": 2,
  "issue_type": "task",
  "created_at": "2026-01-05T09:00:09.000Z",
  "updated_at": "2026-01-05T09:00:09.000Z",
  "parent": "plan-child",
  "visibility": "canonical",
  "source_repo": "~/plan",
  "dependency_count": 1,
  "comment_count": 0
}

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text().lines().count(), 1);
    assert_eq!(ledger(&env, "home/plan").lines().count(), 3);
}

#[test]
fn a_contributor_plans_below_the_project_s_issues() {
    let env = contributing();
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "add 'Child' --parent bd-own --dry-run
             add 'Child' --parent bd-own --id plan-child
             add 'Found' --deps discovered-from:bd-own --id plan-found
             add 'Deeper' --parent plan-child --dry-run
             children bd-own
             add 'Refused' --repo ."
        ),
        str![[r#"
$ bd add Child --parent bd-own --dry-run
Would file P2 task "Child" in $ROOT/home/plan/.beads/beads.jsonl
  repo ~/plan: routing.mode is auto and you are a contributor (routing.role in the personal settings says so): routing.auto.contributor; its parent bd-own lives in ., which is not yours to write
$ bd add Child --parent bd-own --id plan-child
Created issue in ~/plan: plan-child
$ bd add Found --deps discovered-from:bd-own --id plan-found
Created issue in ~/plan: plan-found
$ bd add Deeper --parent plan-child --dry-run
Would file P2 task "Deeper" in $ROOT/home/plan/.beads/beads.jsonl
  repo ~/plan: its parent plan-child lives there
$ bd children bd-own
plan-child  P2  open  task  Child (~/plan)
$ bd add Refused --repo .
! error: a new issue cannot be written to .: you are a contributor here: routing.role in the personal settings says so
! hint: plan it in your own repo (bd add without --repo goes there); if you maintain this project: bd config set routing.role maintainer
[exit 5]

"#]].raw()
    );
    assert_eq!(env.ledger(), before);
}

/// Every command that writes, on an issue of the project.
const WRITES: &[&str] = &[
    "update bd-own -p 0",
    "update bd-own --title 'Mine now'",
    "update bd-own --claim",
    "status bd-own in_progress",
    "work bd-own",
    "close bd-own",
    "reopen bd-gone",
    "note bd-own 'A note'",
    "comment bd-own 'A comment'",
    "comments add bd-own 'A comment'",
    "label add bd-own x",
    "label remove bd-own l",
    "dep add bd-own plan-far",
    "dep remove bd-own bd-gone",
    "delete bd-own --yes",
    "edit bd-own",
    "defer bd-own --until 2w",
    "undefer bd-later",
    "import more.jsonl",
    "import more.jsonl --repo .",
    "add 'New' --repo .",
    "q 'New' --repo .",
    "migrate --move-to . --filter id=plan-far",
    "migrate --move-to ~/plan --filter id=bd-own",
    "epic close-eligible",
];

#[test]
fn a_contributor_changes_no_byte_of_the_project() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    put_issues(&env, "home/plan", &["plan-far"]);
    env.given(
        "add 'Own' --id bd-own -l l
         add 'Gone' --id bd-gone
         dep add bd-own bd-gone
         close bd-gone
         add 'Later' --id bd-later
         defer bd-later --until 2w
         add 'Whole' --id bd-whole -t epic
         add 'Part' --id bd-part --parent bd-whole
         close bd-part
         config --add-repo ~/plan --routing contributor",
    );
    env.write("more.jsonl", issues(&["bd-more", "bd-own"]).replace("2026-01-02", "2026-01-09"));
    env.write("../editor.sh", "sed -i 's/^Own$/Edited/' \"$1\"\n");
    env.set("EDITOR", format!("sh {}", env.path("../editor.sh").display()));
    let before = env.ledger();
    for line in WRITES {
        let said = env.script(line);
        assert!(said.ends_with("[exit 5]\n"), "{said}");
        assert!(said.contains("you are a contributor here"), "{said}");
        assert_eq!(env.ledger(), before, "{said}");
        assert_eq!(ledger(&env, "home/plan"), issues(&["plan-far"]), "{said}");
    }
    // The same commands do write for a maintainer: each of them is one that could have.
    let mut unchanged = Vec::new();
    for line in WRITES {
        env.put_ledger(&before);
        put_issues(&env, "home/plan", &["plan-far"]);
        env.set("BD_ROLE", "maintainer");
        env.script(line);
        if env.ledger() == before {
            unchanged.push(*line);
        }
    }
    assert_eq!(unchanged, [""; 0]);
}

#[test]
fn a_contributor_s_own_issues_are_his_to_write() {
    let env = contributing();
    let before = env.ledger();
    env.given(
        "update plan-far -p 0
         note plan-far 'A note'
         comment plan-far 'A comment'
         label add plan-far x
         dep add plan-far bd-own
         close plan-far
         reopen plan-far
         add 'New' --id plan-new
         delete plan-new --yes",
    );
    assert_eq!(env.ledger(), before);
}

#[test]
fn several_ids_of_several_repos() {
    let env = contributing();
    let before = env.ledger();
    let run = env.bd(["close", "plan-far", "bd-own"]).fails(5, &["bd-own cannot be written to ."]);
    assert!(run.stdout.contains("Closed plan-far"), "{}", run.snapshot());
    assert_eq!(env.ledger(), before);
    env.set("BD_ROLE", "maintainer");
    env.given("reopen plan-far");
    env.bd(["close", "plan-far", "bd-own"]).ok();
    assert!(env.ledger_text().contains("\"closed\"") && ledger(&env, "home/plan").contains("\"closed\""));
}
