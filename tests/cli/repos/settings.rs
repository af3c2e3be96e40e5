//! Settings: got, set and taken out, in layers of which a later one wins.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::repos::{joined, put_issues, repo};

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
changed: .beads/config.toml (shared)
$ bd config get routing.mode
auto
$ bd config get routing.mode --json
{
  "key": "routing.mode",
  "value": "auto"
}
$ bd config set commit.primary yes --personal
changed: .beads/run/config.toml (personal)
$ bd config get commit.primary --json
{
  "key": "commit.primary",
  "value": true
}
$ bd config set routing.maintainers ann@example.org bob@example.org
changed: .beads/config.toml (shared)
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
already so: .beads/config.toml (shared)
$ bd config unset routing.mode
changed: .beads/config.toml (shared)
$ bd config get routing.mode
single
$ bd config set routing.mode both
! error: routing.mode must be one of single auto explicit, not "both"
[exit 2]
$ bd config set routing.mod auto
! error: no setting "routing.mod"; did you mean routing.mode?
! hint: run `bd config list` to see every setting
[exit 2]
$ bd config get zebra
! error: no setting "zebra"
! hint: run `bd config list` to see every setting
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
mode                           multi
issue_prefix                   bd
repos.primary                  .
repos.additional               ~/plan
routing.mode                   single
routing.role                   contributor
routing.auto.maintainer        .
legacy.db                      false
ready.unknown_blocks           true
commit.planning                false
commit.primary                 false
state.mode                     repo
lease.ttl                      30m
lease.max_attempts             3
claims.remote                  false
claims.closed_ttl              14d
ledger.write                   checkout
reserve.mode                   block
workspace.kind                 clone
workspace.branch               bd/{issue}
workspace.copy_limit           512M
workspace.setup_timeout        30m
workspace.ports                10
workspace.port_base            20000
workspace.min_free             1G
workspace.ssh                  false
workspace.reuse                true
workspace.cleanup_on_complete  false
land.timeout                   15m
prune.budget                   25k
prune.auto                     off
repos.addresses                (not set)
lint.sections                  (not set)
repos.exclude                  (not set)
routing.default                (not set)
routing.maintainers            (not set)
routing.auto.contributor       (not set)
ledger.file                    (not set)
status.custom                  (not set)
types.custom                   (not set)
workspace.path                 (not set)
workspace.copy                 (not set)
workspace.setup                (not set)
workspace.max_size             (not set)
workspace.max_count            (not set)
fleet.remote                   (not set)
land.check                     (not set)
$ bd config list --origin
mode                           multi        personal     .beads/run/config.toml:2
issue_prefix                   bd           shared       .beads/config.toml:2
repos.primary                  .            built-in
repos.additional               ~/plan       personal     .beads/run/config.toml:2
routing.mode                   single       built-in
routing.role                   contributor  personal     .beads/run/config.toml:5
routing.auto.maintainer        .            built-in
legacy.db                      false        built-in
ready.unknown_blocks           true         environment  BD_READY_UNKNOWN_BLOCKS
commit.planning                false        user         ~/config/beads/config.toml:2
commit.primary                 false        built-in
state.mode                     repo         built-in
lease.ttl                      30m          built-in
lease.max_attempts             3            built-in
claims.remote                  false        built-in
claims.closed_ttl              14d          built-in
ledger.write                   checkout     built-in
reserve.mode                   block        built-in
workspace.kind                 clone        built-in
workspace.branch               bd/{issue}   built-in
workspace.copy_limit           512M         built-in
workspace.setup_timeout        30m          built-in
workspace.ports                10           built-in
workspace.port_base            20000        built-in
workspace.min_free             1G           built-in
workspace.ssh                  false        built-in
workspace.reuse                true         built-in
workspace.cleanup_on_complete  false        built-in
land.timeout                   15m          built-in
prune.budget                   25k          built-in
prune.auto                     off          built-in
repos.addresses                (not set)
lint.sections                  (not set)
repos.exclude                  (not set)
routing.default                (not set)
routing.maintainers            (not set)
routing.auto.contributor       (not set)
ledger.file                    (not set)
status.custom                  (not set)
types.custom                   (not set)
workspace.path                 (not set)
workspace.copy                 (not set)
workspace.setup                (not set)
workspace.max_size             (not set)
workspace.max_count            (not set)
fleet.remote                   (not set)
land.check                     (not set)
$ bd --config routing.mode=auto config list --origin
mode                           multi        personal     .beads/run/config.toml:2
issue_prefix                   bd           shared       .beads/config.toml:2
repos.primary                  .            built-in
repos.additional               ~/plan       personal     .beads/run/config.toml:2
routing.mode                   auto         flag
routing.role                   contributor  personal     .beads/run/config.toml:5
routing.auto.maintainer        .            built-in
legacy.db                      false        built-in
ready.unknown_blocks           true         environment  BD_READY_UNKNOWN_BLOCKS
commit.planning                false        user         ~/config/beads/config.toml:2
commit.primary                 false        built-in
state.mode                     repo         built-in
lease.ttl                      30m          built-in
lease.max_attempts             3            built-in
claims.remote                  false        built-in
claims.closed_ttl              14d          built-in
ledger.write                   checkout     built-in
reserve.mode                   block        built-in
workspace.kind                 clone        built-in
workspace.branch               bd/{issue}   built-in
workspace.copy_limit           512M         built-in
workspace.setup_timeout        30m          built-in
workspace.ports                10           built-in
workspace.port_base            20000        built-in
workspace.min_free             1G           built-in
workspace.ssh                  false        built-in
workspace.reuse                true         built-in
workspace.cleanup_on_complete  false        built-in
land.timeout                   15m          built-in
prune.budget                   25k          built-in
prune.auto                     off          built-in
repos.addresses                (not set)
lint.sections                  (not set)
repos.exclude                  (not set)
routing.default                (not set)
routing.maintainers            (not set)
routing.auto.contributor       (not set)
ledger.file                    (not set)
status.custom                  (not set)
types.custom                   (not set)
workspace.path                 (not set)
workspace.copy                 (not set)
workspace.setup                (not set)
workspace.max_size             (not set)
workspace.max_count            (not set)
fleet.remote                   (not set)
land.check                     (not set)

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
    // A value in a later file would override a change in an earlier one, so the change goes there.
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
changed: .beads/run/config.toml (personal)
.      primary     0 issues  writable
~/one  additional  0 issues  writable
~/two  additional  0 issues  writable
$ bd config --add-repo '~/three' --remove-repo '~/one' --routing contributor --list-repos
changed: .beads/run/config.toml (personal)
.        primary     0 issues  read-only: you are a contributor here: routing.role in the personal settings says so
~/two    additional  0 issues  writable
~/three  planning    0 issues  writable
$ bd config --list-repos --json
[
  {
    "id": "rp_dchy2fxt8thq",
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
    "id": "rp_j1tm1ryuutjv",
    "source_repo": "~/two",
    "path": "$ROOT/home/two",
    "kind": "additional",
    "origin": "personal",
    "ledger": "$ROOT/home/two/.beads/beads.jsonl",
    "issues": 0,
    "writable": true,
    "auto_commit": false
  },
  {
    "id": "rp_co6xku2ympjb",
    "source_repo": "~/three",
    "path": "$ROOT/home/three",
    "kind": "planning",
    "origin": "personal",
    "ledger": "$ROOT/home/three/.beads/beads.jsonl",
    "issues": 0,
    "writable": true,
    "auto_commit": false
  }
]
$ bd config --routing king
! error: --routing must be one of single auto explicit maintainer contributor, not "king"
[exit 2]
$ bd config --add-repo '~/three' --routing auto
already so: .beads/run/config.toml (personal)
! ~/three is already listed in the personal settings

"#]]
        .raw()
    );
    assert_data_eq!(
        std::fs::read_to_string(env.path(".beads/config.toml")).unwrap(),
        str![[r##"
# Settings of this repo's ledger; see `bd help`.
issue_prefix = "bd"

"##]]
        .raw()
    );
    assert_data_eq!(
        std::fs::read_to_string(env.path(".beads/run/config.toml")).unwrap(),
        str![[r#"
[repos]
additional = ["~/two", "~/three"]

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
! warning: .beads/config.toml:3: no setting "repos.aditional"; did you mean repos.additional?
$ bd add 'Still works' --id bd-1
Created issue: bd-1
! warning: .beads/config.toml:3: no setting "repos.aditional"; did you mean repos.additional?
$ bd --config routing.modus=auto list
! error: no setting "routing.modus"; did you mean routing.mode?
! hint: run `bd config list` to see every setting
[exit 2]

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
         config --add-repo ../home/plan
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
additional = ["../home/plan"]
# the end

"##]]
        .raw()
    );
}

/// A setting that has no say in the committed file is not put there.
#[test]
fn where_state_is_kept_is_everybodys_own_choice() {
    let env = Env::new();
    env.bd(["agent", "register", "bot"]).ok();
    env.bd(["config", "set", "state.mode", "global", "--shared"]).fails(2, &["counts only in your own settings"]);
    let run = env.bd(["config", "set", "state.mode", "global"]).ok();
    assert!(run.stdout.contains("personal") && run.stderr.contains("bd state move --from"), "{}", run.snapshot());
    assert_eq!(env.bd(["where", "--json"]).ok().json()["state_mode"], "global");
    let committed = std::fs::read_to_string(env.path(".beads/config.toml")).unwrap_or_default();
    assert!(!committed.contains("state"), "{committed}");
    env.bd(["config", "set", "state.mode", "workspace"]).fails(2, &["repo global worktree"]);
}
