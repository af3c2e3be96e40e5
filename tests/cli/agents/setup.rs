//! Setting `bd` up for clients, and taking it away: every other byte stays.

use std::collections::BTreeMap;

use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::project::{Project, bytes_below as files};

const CLIENTS: [&str; 6] = ["claude", "codex", "gemini", "cursor", "copilot", "agents-md"];

/// A realistic settings file: comments, an odd order, hooks of others, tabs.
const SETTINGS: &str = "{
\t// ours
\t\"permissions\": {\"allow\": [\"Bash(git status)\"], \"deny\": []},
\t\"model\": \"large\",
\t\"hooks\": {
\t\t\"Stop\": [
\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}
\t\t],
\t\t\"SessionStart\": [ /* keep */
\t\t\t{\"matcher\": \"startup\", \"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}
\t\t], // the end
\t\t\"sessionStart\": [{\"command\": \"date\"}]
\t},
\t\"mcpServers\": {\"other\": {\"command\": \"x\"}},
\t\"zebra\": 1,
}
";

#[test]
fn what_is_set_up_is_taken_away_without_a_trace() {
    let settings = [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".mcp.json",
        ".cursor/mcp.json",
        ".github/mcp.json",
    ];
    let crlf = format!("\u{feff}{}", SETTINGS.replace('\n', "\r\n"));
    for text in [None, Some(SETTINGS), Some(crlf.as_str()), Some("{}"), Some("{\"a\":1}\n")] {
        let env = Env::new();
        if let Some(text) = text {
            settings.iter().for_each(|name| drop(env.write(name, text)));
            env.write("AGENTS.md", "# Rules\r\n\r\nBe kind.");
            env.write(".codex/config.toml", "# mine\nmodel = \"x\" # odd\n\n[mcp_servers.other]\ncommand = 'y'");
        }
        let before = files(&env.path(""));
        for client in CLIENTS {
            env.bd(["setup", client, "--check"]).fails(1, &[]);
            assert_eq!(files(&env.path("")), before, "--check writes nothing");
            env.bd(["setup", client]).ok();
            let with = files(&env.path(""));
            assert_ne!(with, before);
            env.bd(["setup", client, "--check"]).ok();
            let again = env.bd(["setup", client]).ok().stdout;
            assert!(again.lines().all(|line| line.starts_with("installed")), "{again}");
            assert_eq!(files(&env.path("")), with, "a second run changes nothing");
            if client != "agents-md" {
                env.bd(["setup", client, "--mcp"]).ok();
                env.bd(["setup", client, "--mcp", "--check"]).ok();
            }
            env.bd(["setup", client, "--remove"]).ok();
            let after = files(&env.path(""));
            for (name, bytes) in before.iter().chain(&after) {
                let text = |files: &BTreeMap<String, Vec<u8>>| {
                    files.get(name).map(|b| String::from_utf8_lossy(b).into_owned())
                };
                assert_eq!(text(&after), text(&before), "{client} {name} of {} bytes", bytes.len());
            }
        }
        // All at once, and taken away in another order.
        CLIENTS.iter().for_each(|client| drop(env.bd(["setup", client]).ok()));
        let block = std::fs::read_to_string(env.path("AGENTS.md")).unwrap();
        assert_eq!(block.matches("bd:begin").count(), 1, "one block for all clients");
        CLIENTS.iter().for_each(|client| drop(env.bd(["setup", client, "--remove"]).ok()));
        assert_eq!(files(&env.path("")), before);
    }
}

#[test]
fn a_hook_is_what_the_client_reads() {
    let env = Env::new();
    let read = |name: &str| -> Value { serde_json::from_slice(&std::fs::read(env.path(name)).unwrap()).unwrap() };
    assert_data_eq!(
        env.bd(["setup", "claude"]).ok().snapshot(),
        str![[r#"
$ bd setup claude
added  instructions  AGENTS.md
added  skill  .claude/skills/bd/SKILL.md
added  hook  .claude/settings.json
! the next session of Claude Code begins with bd prime; it reads AGENTS.md only if CLAUDE.md has the line @AGENTS.md

"#]]
    );
    CLIENTS.iter().for_each(|client| drop(env.bd(["setup", client]).ok()));
    for (name, client) in [("claude/settings", "claude"), ("codex/hooks", "codex"), ("gemini/settings", "gemini")] {
        let hook = &read(&format!(".{name}.json"))["hooks"]["SessionStart"][0]["hooks"][0];
        assert_eq!(
            (hook["type"].as_str(), hook["command"].as_str()),
            (Some("command"), Some(format!("bd prime --hook {client}").as_str()))
        );
    }
    let cursor = read(".cursor/hooks.json");
    assert_eq!(
        (cursor["version"].as_u64(), cursor["hooks"]["sessionStart"][0]["command"].as_str()),
        (Some(1), Some("bd prime --hook cursor"))
    );
    let copilot = read(".github/hooks/bd.json");
    assert_eq!(copilot["hooks"]["sessionStart"][0]["bash"].as_str(), Some("bd prime --hook copilot"));
    // A skill: its name is that of its directory, and its description short enough.
    let skill = std::fs::read_to_string(env.path(".agents/skills/bd/SKILL.md")).unwrap();
    let head: Vec<&str> = skill.lines().take(4).collect();
    assert_eq!((head[0], head[1], head[3]), ("---", "name: bd", "---"));
    let description = head[2].strip_prefix("description: ").unwrap();
    assert!(description.len() <= 1024 && !description.contains(": "), "{description}");
    env.bd(["setup", "codex", "--mcp"]).ok();
    let config = std::fs::read_to_string(env.path(".codex/config.toml")).unwrap();
    assert_eq!(config, "# added by bd setup\n[mcp_servers.bd]\ncommand = \"bd\"\nargs = [\"mcp\"]\n");
    env.bd(["setup", "claude", "--mcp"]).ok();
    assert_eq!(read(".mcp.json")["mcpServers"]["bd"]["args"][0].as_str(), Some("mcp"));
    let json = env.bd(["setup", "claude", "--check", "--json"]).ok().json();
    assert_eq!((json["client"].as_str(), json["scope"].as_str()), (Some("claude"), Some("project")));
    let block = env.bd(["onboard"]).ok().stdout;
    assert!(std::fs::read_to_string(env.path("AGENTS.md")).unwrap().ends_with(&block), "{block}");
    assert!(block.lines().count() <= 8, "{block}");
}

#[test]
fn printing_writes_nothing() {
    let env = Env::new();
    let before = files(&env.root());
    for client in CLIENTS {
        let said = env.bd(["setup", client, "--print"]).ok().stdout;
        assert!(said.contains("bd prime"), "{said}");
    }
    assert!(env.bd(["setup", "cursor", "--print", "--mcp"]).ok().stdout.contains("mcpServers"));
    assert_eq!(files(&env.root()), before);
}

#[test]
fn instructions_are_followed_to_where_they_stand() {
    let block = |env: &Env, name: &str| std::fs::read_to_string(env.path(name)).unwrap().matches("bd:begin").count();
    // A link.
    let env = Env::new();
    env.write("AGENTS.md", "# Rules\n");
    std::os::unix::fs::symlink("AGENTS.md", env.path("CLAUDE.md")).unwrap();
    env.given("setup claude");
    assert_eq!(block(&env, "AGENTS.md"), 1);
    assert!(env.path("CLAUDE.md").symlink_metadata().unwrap().is_symlink());
    env.given("setup claude --remove");
    assert_eq!(std::fs::read_to_string(env.path("AGENTS.md")).unwrap(), "# Rules\n");
    // A file that names the other one.
    let env = Env::new();
    env.write("AGENTS.md", "# Rules\n");
    env.write("CLAUDE.md", "@AGENTS.md\n");
    env.given("setup claude");
    assert_eq!((block(&env, "AGENTS.md"), block(&env, "CLAUDE.md")), (1, 0));
    // A file of its own.
    let env = Env::new();
    env.write("AGENTS.md", "# Rules\n");
    env.write("CLAUDE.md", "# Mine\n");
    env.given("setup claude");
    assert_eq!((block(&env, "AGENTS.md"), block(&env, "CLAUDE.md")), (0, 1));
}

#[test]
fn a_home_directory_serves_all_projects() {
    let env = Env::bare();
    env.write("../home/dot/settings.json", SETTINGS);
    std::fs::create_dir_all(env.root().join("home/.claude")).unwrap();
    std::os::unix::fs::symlink("../dot/settings.json", env.root().join("home/.claude/settings.json")).unwrap();
    let before = files(&env.root().join("home"));
    for client in CLIENTS {
        env.bd(["setup", client, "--user"]).ok();
        env.bd(["setup", client, "--user", "--check"]).ok();
    }
    assert!(
        std::fs::read_to_string(env.root().join("home/dot/settings.json")).unwrap().contains("bd prime --hook claude")
    );
    assert!(env.root().join("home/.claude/settings.json").symlink_metadata().unwrap().is_symlink());
    assert!(files(&env.path("")).is_empty(), "nothing is written into the project");
    for client in CLIENTS {
        env.bd(["setup", client, "--user", "--remove"]).ok();
    }
    let after = files(&env.root().join("home"));
    assert_eq!(
        after.keys().filter(|name| !name.contains("state/")).collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
    assert_eq!(std::fs::read_to_string(env.root().join("home/dot/settings.json")).unwrap(), SETTINGS);
    env.bd(["setup", "claude", "--user", "--mcp"]).fails(1, &["claude mcp add"]);
    env.bd(["setup", "claude"]).fails(9, &[]);
}

#[test]
fn nothing_of_a_contributor_s_set_up_lands_in_a_pull_request() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.write("AGENTS.md", "# Rules\n");
    project.git("add -A").ok();
    project.git("commit -qm rules").ok();
    for client in CLIENTS.iter().filter(|client| **client != "agents-md") {
        let run = env.bd(["setup", client]).ok();
        assert!(run.stderr.contains("in your home directory: you are a contributor here"), "{}", run.snapshot());
        assert_eq!(project.git("status --porcelain").ok().stdout, "", "{client}");
    }
    assert!(env.root().join("home/.claude/settings.json").exists());
    env.bd(["setup", "agents-md"]).fails(5, &["AGENTS.md could end up in a pull request", "--user"]);
    assert_eq!(std::fs::read_to_string(env.path("AGENTS.md")).unwrap(), "# Rules\n");
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    // Files that version control ignores cannot get there.
    project.git("rm -q --cached AGENTS.md").ok();
    project.git("commit -qm gone").ok();
    env.write(".git/info/exclude", "AGENTS.md\n.agents/\n");
    env.given("setup agents-md");
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    assert!(std::fs::read_to_string(env.path("AGENTS.md")).unwrap().contains("bd:begin"));
}

/// What the original set up is named, and replaced by ours; what else is in the files stays.
#[test]
fn entries_of_the_original_are_named_and_replaced() {
    let env = Env::new();
    let old = "{\n  \"hooks\": {\n    \"PreCompact\": [{\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"bd prime\"}]}],\n    \"SessionStart\": [\n      {\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"bd prime --stealth\"}, {\"type\": \"command\", \"command\": \"date\"}]}\n    ]\n  },\n  \"model\": \"large\"\n}\n";
    env.write(".claude/settings.json", old);
    env.write(".codex/hooks.json", "{\"hooks\": {\"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bd codex-hook UserPromptSubmit\"}]}]}}");
    let read = |name: &str| std::fs::read_to_string(env.path(name)).unwrap();
    let named = env.bd(["doctor"]).ok().stdout;
    for part in ["bd prime, bd prime --stealth", "bd setup claude", "bd codex-hook UserPromptSubmit", "bd setup codex"]
    {
        assert!(named.contains(part), "{part}: {named}");
    }
    let check = env.bd(["setup", "claude", "--check"]);
    assert!(check.stdout.contains("to be replaced: bd prime, bd prime --stealth"), "{}", check.snapshot());
    let done = env.bd(["setup", "claude"]).ok();
    assert!(done.stdout.contains("replaced: bd prime, bd prime --stealth"), "{}", done.snapshot());
    let text = read(".claude/settings.json");
    assert!(text.contains("\"command\": \"date\"") && text.contains("bd prime --hook claude"), "{text}");
    assert!(
        !text.contains("\"bd prime\"") && !text.contains("--stealth") && text.contains("\"model\": \"large\""),
        "{text}"
    );
    env.bd(["setup", "codex"]).ok();
    assert!(!read(".codex/hooks.json").contains("codex-hook"));
    let named = env.bd(["doctor"]).ok().stdout;
    assert!(!named.contains("original"), "{named}");
    assert!(env.bd(["setup", "claude"]).ok().stdout.contains("installed  hook"), "once is enough");
}
