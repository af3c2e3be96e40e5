//! Few commands are named; those of earlier versions go on working without being offered.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::terminal::on_terminal;

/// Every name of `bd help --all` in 2.0.0.
const OF_2_0: &str = "init add create new q batch show view list ls ready blocked why update status work start claim \
    release reclaim leases run assign state close done reopen defer undefer delete rm undo edit note comment comments \
    label dep children epic search query count stats stale duplicates duplicate supersede orphans types graph lint human \
    validate repair-deps detect-pollution rename-prefix log blame diff changelog import export doctor resolve recover \
    prune restore sync commit trust config repo role migrate propose withdraw accept reject proposals check-leaks hooks \
    reserve checkpoint resume context prime merge-driver agent mail mcp watch workspace worktree template workflow setup \
    onboard where info schema completions completion man version quickstart help";

/// The names that a help page lists, one for each line.
fn listed(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("  ") && !line.trim_start().starts_with('-'));
    rows.filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn few_commands_are_listed_and_every_earlier_one_works() {
    let env = Env::bare();
    let all = env.bd(["help", "--all"]).ok().stdout;
    let (all, few) = (listed(&all).len(), env.bd(["help"]).ok().stdout);
    let commands = few.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    // Three more are on their way.
    assert!(all <= 72 && all > 40, "{all} commands");
    assert!(listed(commands).len() <= 20 && few.contains("Topics: quickstart, query"), "{few}");
    for name in OF_2_0.split_whitespace() {
        let run = env.bd([name, "--help"]).ok();
        assert!(run.stdout.contains("Usage: bd ") && run.stdout.contains("Examples:"), "{}", run.snapshot());
    }
}

#[test]
fn a_shell_does_not_offer_what_others_do() {
    let env = Env::new();
    let offered = |words: &[&str]| -> Vec<String> {
        let run = env.bd_with(["--", "bd"].iter().chain(words), None, &[("BD_COMPLETE", "fish")]).ok();
        run.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    for words in [&[""][..], &["help", ""]] {
        let all = offered(words);
        assert!(all.contains(&"triage".to_owned()) && all.contains(&"info".to_owned()), "{all:?}");
        let hidden =
            ["query", "stale", "duplicates", "undefer", "role", "where", "template", "validate", "stats", "types"];
        for name in hidden.iter().filter(|name| words.len() == 1 || **name != "query") {
            assert!(!all.contains(&(*name).to_owned()), "{name} in {all:?}");
        }
    }
}

#[test]
fn an_alias_of_a_later_command_wins_and_is_told() {
    let env = Env::new();
    env.given("add One --id bd-1");
    let home = env.root().join("home/config/beads");
    std::fs::create_dir_all(&home).unwrap();
    let aliases = "[alias]\ntriage = \"list --status open\"\nmine = \"triage --limit 1\"\n";
    std::fs::write(home.join("config.toml"), aliases).unwrap();
    let file = env.bd(["config", "list", "--origin"]).ok().stdout;
    assert!(file.contains("alias.triage"), "{file}");
    let run = env.bd(["triage"]).ok();
    assert!(
        run.stdout.contains("One") && run.stderr.contains("your alias triage hides a command"),
        "{}",
        run.snapshot()
    );
    assert!(run.stderr.contains("bd config unset alias.triage"), "{}", run.snapshot());
    let refused = env.bd(["config", "set", "alias.stale", "list"]);
    refused.fails(2, &["stale is a command"]);
}

#[test]
fn what_needs_a_look_is_listed_once_with_a_way_on() {
    let env = Env::new();
    env.given(
        "add Parser --id bd-1
         add parser! --id bd-2
         add Alone --id bd-3
         add Later --id bd-4
         update 3 --status in_progress
         defer 4 --until 2099-01-01",
    );
    assert_eq!(env.bd(["triage", "--days", "1"]).ok().stdout.matches("bd-").count(), 3);
    let found = env.bd(["triage", "--days", "0", "--json"]).ok().json();
    let of = |id: &str| found.as_array().unwrap().iter().filter(|one| one["id"] == id).collect::<Vec<_>>();
    assert_eq!((of("bd-3").len(), &of("bd-3")[0]["concern"]), (1, &"unheld".into()), "{found}");
    assert_eq!((of("bd-2").len(), &of("bd-2")[0]["about"]), (1, &"bd-1".into()), "{found}");
    assert_eq!(of("bd-1")[0]["concern"], "forgotten", "{found}");
    assert!(of("bd-4").is_empty(), "deferred is not forgotten: {found}");
    env.given("close bd-2 --duplicate-of bd-1\nwork bd-3");
    let closed = env.bd(["show", "bd-2", "--json"]).ok().json();
    assert_eq!((&closed[0]["status"], &closed[0]["close_reason"]), (&"closed".into(), &"duplicate of bd-1".into()));
    assert_eq!(closed[0]["dependencies"][0]["dependency_type"], "duplicates", "{closed}");
    let run = env.bd(["triage"]).ok();
    assert!(run.stderr.contains("nothing needs a look"), "{}", run.snapshot());
    env.bd(["close", "bd-1", "--superseded-by", "bd-1"]).fails(5, &["bd-1"]);
    env.bd(["close", "bd-1", "--superseded-by", "nope"]).fails(3, &["nope"]);
}

#[test]
fn deferred_issues_come_back_and_conditions_are_those_of_list() {
    let env = Env::new();
    env.given("add One --id bd-1\ndefer 1");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), [""; 0]);
    env.given("defer 1 --clear");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-1"]);
    env.bd(["defer", "1", "--clear", "--until", "2w"]).fails(2, &["--clear"]);
    for line in ["query status=open", "list status=open", "query --where status=open"] {
        let run = env.bd(line.split(' ').chain(["--json"])).ok();
        assert_eq!(run.ids(), ["bd-1"], "{line}");
    }
    env.bd(["query"]).fails(2, &["bd query"]);
}

#[test]
fn one_command_tells_where_one_is() {
    let env = Env::new();
    let info = env.bd(["info", "--json"]).ok().json();
    assert_eq!(info["place"], env.bd(["where", "--json"]).ok().json());
    assert_eq!(info["role"], env.bd(["role", "--json"]).ok().json());
    let text = env.bd(["info"]).ok().stdout;
    for line in env.bd(["where"]).ok().stdout.lines() {
        assert!(text.contains(line), "{line} in {text}");
    }
}

/// Each part is shown and asked for on a terminal; a script agrees to all, and a look changes nothing.
#[test]
fn trust_asks_for_each_part() {
    if !have(&["git", "script"]) {
        return;
    }
    let project = || {
        let env = Env::new();
        assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
        assert!(env.command("git").args(["config", "merge.beads.driver", "touch ran %A"]).status().unwrap().success());
        env.write(".beads/config.toml", "issue_prefix = \"bd\"\n[repos]\nadditional = [\"../lib\"]\n");
        env.write(".beads/PRIME.md", "Be brave.\n");
        env
    };
    let env = project();
    let look = env.bd(["trust", "--dry-run"]).ok().stdout;
    for part in ["repos.additional = ../lib", "merge.beads.driver", "Be brave."] {
        assert!(look.contains(part), "{part}: {look}");
    }
    let (code, seen) = on_terminal(&env, "trust", "y\nn\ny\n");
    for question in
        ["Use these? (y/N)", "May version control run these for bd? (y/N)", "show this text to agents? (y/N)"]
    {
        assert!(seen.contains(question), "{code} {question}: {seen}");
    }
    let left = env.bd(["trust", "--dry-run", "--json"]).ok().json();
    assert_eq!(
        (&left["paths"], &left["working_copies"][0]["known"]),
        (&serde_json::json!([]), &false.into()),
        "{left}"
    );
    assert_eq!(left["prime"]["known"], true, "{left}");
    let (code, seen) = on_terminal(&env, "trust --yes", "");
    assert!(code == 0 && !seen.contains("(y/N)"), "{seen}");
    assert_eq!(env.bd(["trust", "--dry-run", "--json"]).ok().json()["working_copies"][0]["known"], true);
    let script = project();
    script.bd(["trust"]).ok();
    let left = script.bd(["trust", "--dry-run", "--json"]).ok().json();
    assert_eq!((&left["paths"], &left["working_copies"][0]["known"]), (&serde_json::json!([]), &true.into()), "{left}");
}
