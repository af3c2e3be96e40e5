//! What the original set up for agents: hooks that run its commands, and its server. Ours replace them.

use std::path::PathBuf;

use serde_json::Value;

use super::artefacts::SETUP_CLIENTS;
use super::files::{Place, place_in};
use crate::model::jsonc;
use crate::store::Store;

/// Where an entry of ours goes, an entry of the original is looked for: below a key, and told by its command.
fn place_of(what: &str) -> (&'static str, jsonc::Judge) {
    if what == "mcp" { ("mcpServers", server) } else { ("hooks", hook) }
}

/// Its commands in a client's settings, of hooks or of servers.
pub(super) fn original_commands(bytes: &[u8], what: &str) -> Vec<String> {
    let (key, judge) = place_of(what);
    jsonc::judged(bytes, key, judge)
}

/// The settings without them. Other hooks of the same group stay.
pub(super) fn without_original(bytes: &[u8], what: &str) -> Vec<u8> {
    let (key, judge) = place_of(what);
    jsonc::without_judged(bytes, key, judge)
}

/// The settings of clients here and in the user's home that have some: the command that replaces them, file and commands.
pub fn original_agents(store: &Store) -> Vec<(String, PathBuf, Vec<String>)> {
    let home = store.host().env.home();
    let mut found: Vec<(String, PathBuf, Vec<String>)> = Vec::new();
    for client in &SETUP_CLIENTS {
        let hook = client.hook.iter().map(|target| (target, "hook", ""));
        for (target, what, flag) in hook.chain(client.mcp.iter().map(|target| (target, "mcp", " --mcp"))) {
            let here = place_in(store.repo().root(), target.project).ok();
            let there = home.as_ref().filter(|_| !target.user.is_empty()).map(|home| Place::in_home(home, target.user));
            for (place, user) in [(here, ""), (there, " --user")] {
                let Some(place) = place else { continue };
                let bytes = place.read().ok().flatten().unwrap_or_default();
                let commands = original_commands(&bytes, what);
                let command = format!("bd setup {}{user}{flag}", client.name);
                let is_known = found.iter().any(|(_, path, known)| *path == place.path() && *known == commands);
                if !commands.is_empty() && !is_known {
                    found.push((command, place.path(), commands));
                }
            }
        }
    }
    found
}

/// Keys that an entry of the original has; with any other it is the user's own.
const KEYS: [&str; 7] = ["type", "command", "args", "env", "timeout", "matcher", "hooks"];

fn has_only_known_keys(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.keys().all(|key| KEYS.contains(&key.as_str())))
}

/// The command of a hook of the original, or those of a group of such hooks.
fn hook(value: &Value) -> Option<String> {
    if !has_only_known_keys(value) {
        return None;
    }
    if let Some(hooks) = value.get("hooks").and_then(Value::as_array).filter(|hooks| !hooks.is_empty()) {
        return hooks.iter().map(hook).collect::<Option<Vec<_>>>().map(|all| all.join(", "));
    }
    let command = value.get("command")?.as_str()?;
    // With anything that a shell reads as more than words it does something else, too.
    let is_plain = command.chars().all(|c| c.is_ascii_alphanumeric() || " -_=./".contains(c));
    let is_own = match command.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["bd", "codex-hook", ..] => true,
        ["bd", "prime", flags @ ..] => !flags.contains(&"--hook"),
        _ => false,
    };
    (is_plain && is_own).then(|| command.to_owned())
}

/// The command of a server of the original that is started as it says.
fn server(value: &Value) -> Option<String> {
    if !has_only_known_keys(value) || value.get("env").and_then(Value::as_object).is_some_and(|env| !env.is_empty()) {
        return None;
    }
    let command = value.get("command")?.as_str()?;
    let args: Vec<&str> =
        value.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let is_own = match command {
        "beads-mcp" => args.is_empty(),
        "uvx" => args == ["beads-mcp"],
        _ => false,
    };
    is_own.then(|| [vec![command], args].concat().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_original_come_out() {
        let hook = |command: &str| format!(r#"{{"type": "command", "command": "{command}"}}"#);
        let group = |hooks: &[&str]| format!(r#"{{"matcher": "", "hooks": [{}]}}"#, hooks.join(", "));
        let [old, own, other] = ["bd prime --stealth", "bd prime --hook claude", "make check"].map(hook);
        let text = |groups: &str| format!("{{\n  \"hooks\": {{\n    \"SessionStart\": [{groups}]\n  }} // end\n}}\n");
        for (groups, left) in [
            (group(&[&old]), String::new()),
            (format!("{}, {}", group(&[&own]), group(&[&old])), group(&[&own])),
            (group(&[&old, &other]), group(&[&other])),
            (group(&[&other, &old, &old]), group(&[&other])),
            (group(&[&own]), group(&[&own])),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&without_original(text(&groups).as_bytes(), "hook")),
                text(&left),
                "{groups}"
            );
        }
        assert_eq!(original_commands(text(&group(&[&old, &other])).as_bytes(), "hook"), ["bd prime --stealth"]);
        let servers = |entries: &str| format!("{{\"mcpServers\": {{{entries}}}}}");
        let [beads, uvx] =
            [r#""beads": {"command": "beads-mcp"}"#, r#""b": {"command": "uvx", "args": ["beads-mcp"]}"#];
        let left = without_original(servers(&format!("{beads}, \"a\": {{}}, {uvx}")).as_bytes(), "mcp");
        assert_eq!(String::from_utf8_lossy(&left), servers("\"a\": {}"));
        // The user's own programs, and words in other places, are not the original's.
        for own in
            ["bd codex-hook stop && ./mine", "bd prime | tee log", "bd prime > x", "bd prime; ./x", "bd prime $(x)"]
        {
            let text = text(&group(&[&hook(own)]));
            assert_eq!(String::from_utf8_lossy(&without_original(text.as_bytes(), "hook")), text);
        }
        for own in [
            r#"{"permissions": {"deny": [{"command": "bd prime"}]}}"#,
            r#"{"statusLine": {"type": "command", "command": "bd prime"}}"#,
            r#"{"hooks": {"Stop": [{"command": "bd prime", "note": ["x"]}]}}"#,
            r#"{"mcpServers": {"b": {"command": "docker", "args": ["run", "beads-mcp"]}}}"#,
            r#"{"mcpServers": {"b": {"command": "beads-mcp", "env": {"TOKEN": "x"}}}}"#,
        ] {
            for what in ["hook", "mcp"] {
                assert_eq!(String::from_utf8_lossy(&without_original(own.as_bytes(), what)), own);
            }
        }
    }
}
