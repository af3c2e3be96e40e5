//! What `bd setup` did not write, or others still need, is neither overwritten nor removed; earlier content comes back.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;

use snapbox::{assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::project::{Project, bytes_below as files};

const SKILL: &str = ".claude/skills/bd/SKILL.md";
const SETTINGS: &str = ".claude/settings.json";

fn text(env: &Env, name: &str) -> String {
    std::fs::read_to_string(env.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files below the project, but for the ledger.
fn project(env: &Env) -> BTreeMap<String, Vec<u8>> {
    let mut found = files(&env.path(""));
    found.retain(|name, _| !name.starts_with(".beads"));
    found
}

#[test]
fn an_empty_file_is_empty_again() {
    for blank in ["", "\n", " \r\n"] {
        let env = Env::new();
        let names =
            ["AGENTS.md", ".codex/config.toml", ".codex/hooks.json", SETTINGS, ".mcp.json", ".gemini/settings.json"];
        names.iter().for_each(|name| drop(env.write(name, blank)));
        let before = project(&env);
        for client in ["codex", "claude", "gemini"] {
            env.bd(["setup", client]).ok();
            env.bd(["setup", client, "--mcp"]).ok();
            env.bd(["setup", client, "--check"]).ok();
            assert_ne!(project(&env), before);
            env.bd(["setup", client, "--remove"]).ok();
            assert_eq!(project(&env), before, "{client} {blank:?}");
        }
    }
}

#[test]
fn an_entry_of_the_user_s_own_stays() {
    let env = Env::new();
    let own = "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"bd prime --hook claude\"}\n        ]\n      }\n    ]\n  }\n}\n";
    env.write(".codex/config.toml", "[mcp_servers.bd] # mine\ncommand = \"bd\"\nargs = [\"mcp\"]\n");
    env.write(SETTINGS, own);
    env.write(".mcp.json", "{\"mcpServers\": {\"bd\": {\"command\": \"other\"}}}");
    let before = project(&env);
    env.given("setup claude\nsetup codex --mcp");
    assert_eq!(text(&env, SETTINGS), own, "it does what the hook does, so none is added");
    for client in ["codex", "claude"] {
        let run = env.bd(["setup", client, "--remove"]).ok();
        assert!(run.stdout.contains(": bd did not write it like this; add --force to remove it"), "{}", run.snapshot());
    }
    let mut after = project(&env);
    // A client with an entry uses the block, whoever wrote the entry.
    assert!(after.remove("AGENTS.md").is_some());
    assert_eq!(after, before);
    env.bd(["setup", "codex", "--remove", "--force"]).ok();
    assert_eq!(text(&env, ".codex/config.toml"), "");
    // A key that was added below the entry belongs to it.
    env.write(".codex/config.toml", "a = 1\n");
    env.bd(["setup", "codex", "--mcp"]).ok();
    let edited = text(&env, ".codex/config.toml") + "env = { X = \"1\" }\n";
    env.write(".codex/config.toml", &edited);
    env.bd(["setup", "codex", "--remove"]).ok();
    assert_eq!(text(&env, ".codex/config.toml"), edited);
}

#[test]
fn a_skill_and_a_block_that_were_edited_stay() {
    let env = Env::new();
    env.given("setup claude");
    let (skill, block) = (text(&env, SKILL) + "Mine.\n", text(&env, "AGENTS.md").replace("## Issues", "## Work"));
    env.write(SKILL, &skill);
    env.write("AGENTS.md", &block);
    assert_data_eq!(
        env.bd(["setup", "claude"]).ok().snapshot(),
        str![[r#"
$ bd setup claude
kept  instructions  AGENTS.md: it was edited since bd wrote it; add --force to overwrite it
kept  skill  .claude/skills/bd/SKILL.md: it was edited since bd wrote it; add --force to overwrite it
installed  hook  .claude/settings.json

"#]]
    );
    assert!(env.bd(["setup", "claude", "--check"]).ok().stdout.starts_with("edited  instructions"));
    let json = env.bd(["setup", "claude", "--remove", "--json"]).ok().json();
    assert_eq!((&json["files"][1]["state"], &json["files"][2]["state"]), (&"kept".into(), &"removed".into()), "{json}");
    assert!(json["files"][1]["because"].as_str().unwrap().contains("--force"), "{json}");
    assert_eq!((text(&env, SKILL), text(&env, "AGENTS.md")), (skill, block));
    env.given("setup claude --force");
    assert!(!text(&env, SKILL).contains("Mine.") && text(&env, "AGENTS.md").contains("## Issues"));
    env.write(SKILL, "Mine alone.\n");
    let run = env.bd(["setup", "claude", "--remove", "--force"]).ok();
    assert!(run.stdout.contains("SKILL.md: bd did not write it\n"), "{}", run.snapshot());
    assert_eq!(project(&env).into_keys().collect::<Vec<_>>(), [SKILL]);
    env.bd(["setup", "claude", "--check", "--force"]).fails(2, &["cannot be used with"]);
}

#[test]
fn what_another_client_uses_stays() {
    let env = Env::new();
    env.given("setup claude\nsetup copilot --mcp\nsetup cursor");
    let run = env.bd(["setup", "claude", "--remove"]).ok();
    assert!(run.stdout.contains("AGENTS.md: cursor still uses it"), "{}", run.snapshot());
    assert!(run.stdout.contains("SKILL.md: copilot still uses it"), "{}", run.snapshot());
    env.bd(["setup", "cursor", "--check"]).ok();
    env.bd(["setup", "copilot", "--mcp", "--check"]).ok();
    env.given("setup cursor --remove");
    assert!(text(&env, "AGENTS.md").contains("bd prime"));
    env.given("setup copilot --remove");
    assert!(project(&env).is_empty(), "the last one takes it: {:?}", project(&env).keys());
    // The files of a home directory are others.
    env.given("setup codex --user\nsetup codex\nsetup codex --remove");
    assert!(project(&env).is_empty());
    env.bd(["setup", "codex", "--user", "--check"]).ok();
}

#[test]
fn a_directory_that_a_link_leads_to_stays() {
    let env = Env::new();
    std::fs::create_dir_all(env.path("shared/claude")).unwrap();
    symlink("shared/claude", env.path(".claude")).unwrap();
    env.given("setup claude\nsetup claude --remove");
    assert!(env.path("shared/claude").is_dir() && !env.path("shared/claude/skills").exists());
    // In the home the target of a link need not exist yet, nor the directories above it.
    let home = env.root().join("home");
    symlink("../far/off/claude", home.join(".claude")).unwrap();
    env.given("setup claude --user\nsetup claude --user --check");
    let far = env.root().join("far/off/claude");
    assert!(std::fs::read_to_string(far.join("settings.json")).unwrap().contains("bd prime --hook claude"));
    env.given("setup claude --user --remove");
    assert!(far.is_dir() && !far.join("skills").exists() && !far.join("settings.json").exists());
}

#[test]
fn instructions_that_do_not_exist_yet_are_made() {
    let env = Env::new();
    symlink("AGENTS.md", env.path("CLAUDE.md")).unwrap();
    env.given("setup claude");
    assert!(text(&env, "AGENTS.md").contains("bd prime"));
    env.given("setup claude --remove");
    assert!(!env.path("AGENTS.md").exists() && env.path("CLAUDE.md").symlink_metadata().unwrap().is_symlink());
    // A link in a circle leads nowhere.
    symlink("GEMINI.md", env.path("GEMINI.md")).unwrap();
    env.bd(["setup", "gemini"]).fails(1, &["GEMINI.md"]);
}

#[test]
fn a_block_in_an_example_is_not_the_block() {
    let env = Env::new();
    let block = env.bd(["onboard"]).ok().stdout;
    let example = format!("Paste this:\n\n```\n{block}```\n");
    env.write("AGENTS.md", &example);
    env.bd(["setup", "agents-md", "--check"]).fails(1, &[]);
    env.given("setup agents-md\nsetup agents-md --check");
    assert_eq!(text(&env, "AGENTS.md").matches("bd:begin").count(), 2);
    env.given("setup agents-md --remove");
    assert_eq!(text(&env, "AGENTS.md"), example);
}

/// Version control may have changed the line ends since.
#[test]
fn other_line_ends_leave_nothing_behind() {
    let env = Env::new();
    for client in ["claude", "codex", "cursor", "copilot"] {
        env.bd(["setup", client]).ok();
        let all = [SETTINGS, ".codex/hooks.json", ".cursor/hooks.json", ".github/hooks/bd.json", SKILL, "AGENTS.md"];
        for name in all.iter().filter(|name| env.path(name).exists()) {
            env.write(name, text(&env, name).replace('\n', "\r\n"));
        }
        env.bd(["setup", client, "--check"]).ok();
        env.bd(["setup", client, "--remove"]).ok();
        assert!(project(&env).is_empty(), "{client}: {:?}", project(&env).keys());
    }
    env.write(SETTINGS, "{\n  \"a\": 1\n}\n");
    env.given("setup claude");
    env.write(SETTINGS, text(&env, SETTINGS).replace('\n', "\r\n"));
    env.given("setup claude --remove");
    assert_eq!(text(&env, SETTINGS), "{\r\n  \"a\": 1\r\n}\r\n");
}

#[test]
fn a_hook_that_is_turned_off_is_told() {
    let env = Env::new();
    let home = env.root().join("home/.claude");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("settings.json"), "{\"disableAllHooks\": true}").unwrap();
    let run = env.bd(["setup", "claude"]).ok();
    let off = "~/.claude/settings.json turns all hooks off\n";
    assert!(run.stdout.contains(off) && !run.stderr.contains("begins with bd prime"), "{}", run.snapshot());
    let run = env.bd(["setup", "claude", "--check"]).fails(1, &[]);
    assert!(run.stdout.contains("disabled  hook") && run.stdout.contains(off), "{}", run.snapshot());
    // The nearest file decides.
    env.write(".claude/settings.local.json", "{\"disableAllHooks\": false}");
    env.bd(["setup", "claude", "--check"]).ok();
    env.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    env.bd(["setup", "claude", "--check"]).fails(1, &[]);
    let run = env.bd(["setup", "claude", "--mcp"]).ok();
    assert!(run.stderr.contains("asks whether to use the MCP server bd"), "{}", run.snapshot());
}

#[test]
fn a_contributor_takes_away_what_is_in_the_project_too() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let maintainer = [("BD_MODE", "single"), ("BD_ROLE", "maintainer")];
    for client in ["claude", "cursor"] {
        env.bd_with(["setup", client], None, &maintainer).ok();
    }
    // The project has one of these; the other is private.
    project.git("add AGENTS.md .cursor").ok();
    project.git("commit -qm rules").ok();
    env.given("setup claude");
    let home = |name: &str| env.root().join("home").join(name);
    assert!(home(SETTINGS).exists() && env.path(SETTINGS).exists());
    let run = env.bd(["setup", "claude", "--remove"]).ok();
    let gone = |path: &Path| !path.exists();
    assert!(gone(&home(SETTINGS)) && gone(&env.path(SETTINGS)) && gone(&env.path(SKILL)), "{}", run.snapshot());
    let run = env.bd(["setup", "cursor", "--remove"]).ok();
    assert!(run.stdout.contains("hooks.json: it is the project's; you are a contributor here"), "{}", run.snapshot());
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
}
