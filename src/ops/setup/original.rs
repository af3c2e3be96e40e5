//! What the original set up for agents: hooks that run its commands, and its server. Ours replace them.

use std::path::PathBuf;

use serde_json::Value;

use super::artefacts::SETUP_CLIENTS;
use super::files::{Place, place_in};
use crate::model::jsonc;
use crate::store::Store;

/// Its commands in a client's settings.
pub(super) fn original_commands(bytes: &[u8]) -> Vec<String> {
    jsonc::judged(bytes, original)
}

/// The settings without them. Other hooks of the same group stay.
pub(super) fn without_original(bytes: &[u8]) -> Vec<u8> {
    jsonc::without_judged(bytes, original)
}

/// The settings of clients here and in the user's home that have some: client, file and commands.
pub fn original_agents(store: &Store) -> Vec<(&'static str, PathBuf, Vec<String>)> {
    let home = store.host().env.home();
    let mut found: Vec<(&'static str, PathBuf, Vec<String>)> = Vec::new();
    for client in &SETUP_CLIENTS {
        for target in client.hook.iter().chain(&client.mcp) {
            let here = place_in(store.repo().root(), target.project).ok();
            let there = home.as_ref().filter(|_| !target.user.is_empty()).map(|home| Place::in_home(home, target.user));
            for place in here.into_iter().chain(there) {
                let commands = place.read().ok().flatten().map(|bytes| original_commands(&bytes)).unwrap_or_default();
                if !commands.is_empty() && found.iter().all(|(_, path, _)| *path != place.path()) {
                    found.push((client.name, place.path(), commands));
                }
            }
        }
    }
    found
}

/// The command of an entry that is the original's: a hook, a group of such hooks, or its server.
fn original(value: &Value) -> Option<String> {
    match value.get("hooks").and_then(Value::as_array) {
        Some(hooks) if !hooks.is_empty() => {
            hooks.iter().map(original).collect::<Option<Vec<_>>>().map(|all| all.join(", "))
        }
        _ => {
            let command = value.get("command")?.as_str()?;
            let args = value.get("args").and_then(Value::as_array).into_iter().flatten();
            let is_server = args.filter_map(Value::as_str).chain([command]).any(|word| word == "beads-mcp");
            let is_hook = match command.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["bd", "codex-hook", ..] => true,
                ["bd", "prime", flags @ ..] => !flags.contains(&"--hook"),
                _ => false,
            };
            (is_server || is_hook).then(|| command.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_original_come_out() {
        let hook = |command: &str| format!(r#"{{"type": "command", "command": "{command}"}}"#);
        let group = |hooks: &[String]| format!(r#"{{"matcher": "", "hooks": [{}]}}"#, hooks.join(", "));
        let [old, own, other] = ["bd prime --stealth", "bd prime --hook claude", "make check"].map(hook);
        let text = |groups: &str| format!("{{\n  \"hooks\": {{\n    \"SessionStart\": [{groups}]\n  }} // end\n}}\n");
        for (groups, left) in [
            (group(&[old.clone()]), String::new()),
            (format!("{}, {}", group(&[own.clone()]), group(&[old.clone()])), group(&[own.clone()])),
            (group(&[old.clone(), other.clone()]), group(&[other.clone()])),
            (group(&[other.clone(), old.clone(), old.clone()]), group(&[other.clone()])),
            (group(&[own.clone()]), group(&[own])),
        ] {
            assert_eq!(String::from_utf8_lossy(&without_original(text(&groups).as_bytes())), text(&left), "{groups}");
        }
        assert_eq!(original_commands(text(&group(&[old, other])).as_bytes()), ["bd prime --stealth"]);
        let servers = |entries: &str| format!("{{\"mcpServers\": {{{entries}}}}}");
        let [beads, uvx] =
            [r#""beads": {"command": "beads-mcp"}"#, r#""b": {"command": "uvx", "args": ["beads-mcp"]}"#];
        let left = without_original(servers(&format!("{beads}, \"a\": {{}}, {uvx}")).as_bytes());
        assert_eq!(String::from_utf8_lossy(&left), servers("\"a\": {}"));
    }
}
