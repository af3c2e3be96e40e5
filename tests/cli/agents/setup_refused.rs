//! Settings files that `bd setup` does not touch, with the line and the remedy.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::cli::agents::prime::everything;
use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::sh;

const PLACE: &str = ".claude/settings.json";

#[test]
fn what_cannot_be_read_is_refused_untouched() {
    for (text, line, what) in [
        ("\u{feff}", 1, "value"),
        ("{\n  \"hooks\": {\n", 3, "key or }"),
        ("{\n  \"hooks\": []\n}\n", 2, "\"hooks\" is not an object"),
        ("{\n  \"hooks\": null\n}\n", 2, "\"hooks\" is not an object"),
        ("{\n  \"hooks\": {\"SessionStart\": {}}\n}\n", 2, "\"SessionStart\" is not an array"),
        ("[1]", 1, "not an object"),
        ("{\"a\": 1,\n \"a\": 2}", 2, "twice"),
        ("{\"a\": \u{1}}", 1, "value"),
        ("not JSON", 1, "value"),
    ] {
        let env = Env::new();
        env.write(PLACE, text);
        let place = format!("{PLACE}:{line}: ");
        env.bd(["setup", "claude"]).fails(1, &[&place, what, "nothing was changed", "--print"]);
        assert_eq!(std::fs::read_to_string(env.path(PLACE)).unwrap(), text);
        // Nothing else was written before it was noticed.
        assert!(!env.path("AGENTS.md").exists() && !env.path(".claude/skills").exists(), "{text}");
        env.bd(["setup", "claude", "--check"]).fails(1, &[&place]);
        // Where nothing of ours could be put, nothing of ours is to be taken out.
        match what.starts_with('"') {
            true => drop(env.bd(["setup", "claude", "--remove"]).ok()),
            false => drop(env.bd(["setup", "claude", "--remove"]).fails(1, &[&place])),
        }
        assert_eq!(std::fs::read_to_string(env.path(PLACE)).unwrap(), text);
    }
    let env = Env::new();
    env.write(".codex/config.toml", "a = 1\nb = [\n");
    env.bd(["setup", "codex", "--mcp"]).fails(1, &[".codex/config.toml:", "nothing was changed"]);
    env.write("AGENTS.md", "a\n<!-- bd:begin 1 -->\nno end\n");
    env.bd(["setup", "agents-md"]).fails(1, &["AGENTS.md:2: the block of bd has no end"]);
}

#[test]
fn a_link_to_a_file_of_another_kind_is_refused() {
    let refused = [
        ("AGENTS.md", ".beads/beads.jsonl", "a file of bd"),
        ("AGENTS.md", "docs/../.beads/config.toml", "a file of bd"),
        ("AGENTS.md", ".beads/PRIME.md", "a file of bd"),
        ("AGENTS.md", ".git/description", "a file of version control"),
        ("AGENTS.md", ".git/new.md", "a file of version control"),
        ("AGENTS.md", ".gitattributes", "not a Markdown document"),
        ("AGENTS.md", "Makefile", "not a Markdown document"),
        ("CLAUDE.md", "plans/.BEADS/issues.jsonl", "a file of bd"),
        (".claude/settings.json", "../.beads/metadata.json", "a file of bd"),
        (".claude/settings.json", "../AGENTS.md", "a file of another kind"),
        (".claude", ".beads", "a file of bd"),
        (".claude/skills", "../.git", "a file of version control"),
    ];
    for (name, target, why) in refused {
        let env = Env::new();
        env.given("add One --id bd-1");
        for kept in [".beads/config.toml", ".git/description", ".gitattributes", "Makefile", "docs/x.md"] {
            env.write(kept, "# kept\n");
        }
        if let Some(above) = env.path(name).parent() {
            std::fs::create_dir_all(above).unwrap();
        }
        symlink(target, env.path(name)).unwrap();
        let before = everything(&env);
        for action in [&["setup", "claude"][..], &["setup", "claude", "--remove"], &["setup", "claude", "--force"]] {
            env.bd(action.iter().copied()).fails(1, &["is a link to", why, "nothing was changed"]);
            assert_eq!(everything(&env), before, "{name} -> {target}: {action:?} wrote");
        }
    }
    for (name, target) in [("CLAUDE.md", "AGENTS.md"), ("AGENTS.md", "docs/agents.md"), ("CLAUDE.md", ".cursorrules")] {
        let env = Env::new();
        env.write("docs/x.md", "");
        symlink(target, env.path(name)).unwrap();
        env.bd(["setup", "claude"]).ok();
        assert!(std::fs::read_to_string(env.path(target)).unwrap().contains("bd prime"), "{name} -> {target}");
        assert!(env.path(name).is_symlink(), "{name}");
        env.bd(["setup", "claude", "--remove"]).ok();
    }
}

#[test]
fn a_link_out_of_the_project_is_refused() {
    let env = Env::new();
    let outside = env.root().join("home/theirs.json");
    std::fs::write(&outside, "{}").unwrap();
    std::fs::create_dir(env.path(".claude")).unwrap();
    symlink(&outside, env.path(PLACE)).unwrap();
    env.bd(["setup", "claude"]).fails(1, &["a link that leads out of the project", "--user"]);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "{}");
    // The same for a directory, and for instructions.
    let env = Env::new();
    symlink(env.root().join("home"), env.path(".claude")).unwrap();
    env.bd(["setup", "claude"]).fails(1, &["leads out of the project"]);
    let env = Env::new();
    std::fs::write(env.root().join("home/mine.md"), "x").unwrap();
    symlink(env.root().join("home/mine.md"), env.path("AGENTS.md")).unwrap();
    env.bd(["setup", "agents-md"]).fails(1, &["leads out of the project"]);
    // A link to another file of the project is followed.
    let env = Env::new();
    env.write("shared/settings.json", "{}\n");
    std::fs::create_dir(env.path(".claude")).unwrap();
    symlink("../shared/settings.json", env.path(PLACE)).unwrap();
    env.given("setup claude");
    assert!(std::fs::read_to_string(env.path("shared/settings.json")).unwrap().contains("bd prime"));
    env.given("setup claude --remove");
    assert_eq!(std::fs::read_to_string(env.path("shared/settings.json")).unwrap(), "{}\n");
    assert!(env.path(PLACE).symlink_metadata().unwrap().is_symlink());
}

#[test]
fn what_is_read_only_or_of_another_is_left_alone() {
    let env = Env::new();
    let path = env.write(PLACE, "{}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    env.bd(["setup", "claude"]).fails(1, &["settings.json is read-only", "make the file writable"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    env.given("setup claude");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600, "the mode stays");
    let env = Env::new();
    env.write(".agents/skills/bd/SKILL.md", "mine\n");
    env.bd(["setup", "codex"]).fails(1, &["SKILL.md exists, and bd did not write it"]);
    env.write(".mcp.json", "{\"mcpServers\": {\"bd\": {\"command\": \"other\"}}}");
    env.bd(["setup", "claude", "--mcp"]).fails(1, &["\"bd\" is already set to something else"]);
    env.bd(["setup", "agents-md", "--mcp"]).fails(2, &["no MCP entry"]);
    env.bd(["setup", "nobody"]).fails(2, &["claude"]);
}

#[test]
fn nothing_of_a_contributors_set_up_gets_into_a_pull_request() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    env.given("add One");
    sh(&env, "cd web && git init -q . && git add -A && git commit -qm one");
    env.given("init --contributor");
    let files = |env: &Env| sh(env, "cd web && git status --porcelain");
    let before = files(&env);
    // The home is the project itself.
    env.set("HOME", env.path(""));
    env.bd(["setup", "claude", "--user"]).fails(5, &[".claude"]);
    // Another home has no agreement to the settings that determine the role.
    let other = env.root().join("other");
    std::fs::create_dir(&other).unwrap();
    env.set("HOME", &other);
    env.set("XDG_STATE_HOME", other.join("state"));
    env.bd(["setup", "claude"]).fails(10, &["bd trust"]);
    assert_eq!(files(&env), before);
}
