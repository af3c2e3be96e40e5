//! The programs that agents run in: how each identifies its session, and how a hook of each is answered.
//!
//! Only variables that a client is known to set for its commands are listed; `docs/agents.md` gives the sources.

use serde_json::{Value, json};

/// The format of a hook's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Envelope {
    /// `hookSpecificOutput.additionalContext`.
    Nested,
    /// `additional_context`.
    Snake,
    /// `additionalContext`.
    Camel,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    pub name: &'static str,
    /// The variable that holds the session.
    pub variable: Option<&'static str>,
    envelope: Envelope,
}

/// If several are set, the first one names the session.
pub const CLIENTS: [Client; 5] = [
    Client { name: "codex", variable: Some("CODEX_THREAD_ID"), envelope: Envelope::Nested },
    Client { name: "cursor", variable: Some("CURSOR_CONVERSATION_ID"), envelope: Envelope::Snake },
    Client { name: "copilot", variable: Some("COPILOT_AGENT_SESSION_ID"), envelope: Envelope::Camel },
    Client { name: "claude", variable: Some("CLAUDE_CODE_SESSION_ID"), envelope: Envelope::Nested },
    // Its commands learn only that it is Gemini (GEMINI_CLI), not the session.
    Client { name: "gemini", variable: None, envelope: Envelope::Nested },
];

impl Client {
    pub fn find(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The name of a session of this client, unless another source has a better one.
    pub fn session(&self, id: &str) -> String {
        label(self.name, &format!("{}={id}\n", self.name))
    }
}

/// The session in the environment, as a short name: the client, and a hash. A client that was started by another has
/// the variables of both, and is a separate session.
pub fn session(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let known = CLIENTS.iter().filter_map(|client| Some((client.name, variable(client.variable?)?)));
    let found: Vec<(&str, String)> = known.collect();
    let all: String = found.iter().map(|(name, id)| format!("{name}={id}\n")).collect();
    found.first().map(|(name, _)| label(name, &all))
}

/// Whether a client of this name has said which session it is.
pub fn is_in_session(program: &str, variable: impl Fn(&str) -> Option<String>) -> bool {
    let program = program.to_lowercase();
    CLIENTS
        .iter()
        .any(|client| program.contains(client.name) && client.variable.is_some_and(|name| variable(name).is_some()))
}

fn label(name: &str, all: &str) -> String {
    format!("{name}-{}", &blake3::hash(all.as_bytes()).to_hex()[..8])
}

/// What a client passes to its hook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookInput {
    pub session: Option<String>,
    /// Why the session starts: startup, resume, clear, compact.
    pub source: Option<String>,
    /// The session's directory.
    pub directory: Option<String>,
}

impl HookInput {
    /// Reads what is recognizable; nothing is an error.
    pub fn read(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(Value::Object(input)) = serde_json::from_slice(bytes) else { return HookInput::default() };
        let text = |keys: &[&str]| {
            let found = keys.iter().find_map(|key| input.get(*key)?.as_str()).filter(|text| !text.is_empty());
            found.map(str::to_owned)
        };
        let first_root = || Some(input.get("workspace_roots")?.get(0)?.as_str()?.to_owned());
        HookInput {
            session: text(&["session_id", "sessionId", "conversation_id"]).map(shortened),
            source: text(&["source"]),
            directory: text(&["cwd"]).or_else(first_root),
        }
    }
}

/// An id of limited length, for a command's environment.
fn shortened(id: String) -> String {
    if id.len() <= 1 << 16 { id } else { blake3::hash(id.as_bytes()).to_hex().to_string() }
}

/// A text as the answer of a session hook; without one, an answer that adds nothing. An unknown client gets the most
/// common envelope.
pub fn envelope(client: Option<&Client>, text: Option<&str>) -> String {
    let Some(text) = text else { return "{}".to_owned() };
    let answer = match client.map_or(Envelope::Nested, |client| client.envelope) {
        Envelope::Nested => {
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})
        }
        Envelope::Snake => json!({"additional_context": text}),
        Envelope::Camel => json!({"additionalContext": text}),
    };
    answer.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_have_names_of_their_own() {
        let with = |set: &[(&str, &str)]| {
            let set: Vec<(String, String)> = set.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            session(move |name| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        assert_eq!(with(&[("CLAUDECODE", "1"), ("GEMINI_CLI", "1")]), None);
        let outer = with(&[("CLAUDE_CODE_SESSION_ID", "a")]).unwrap();
        assert!(outer.starts_with("claude-") && outer.len() == 15, "{outer}");
        assert_eq!(Client::find("claude").unwrap().session("a"), outer);
        let inner = with(&[("CLAUDE_CODE_SESSION_ID", "a"), ("CODEX_THREAD_ID", "1")]).unwrap();
        let beside = with(&[("CLAUDE_CODE_SESSION_ID", "a"), ("CODEX_THREAD_ID", "2")]).unwrap();
        assert!(inner.starts_with("codex-") && inner != beside, "{inner} {beside}");
    }

    #[test]
    fn any_input_of_a_client_is_accepted() {
        for bytes in [&b""[..], b"no", b"[]", b"{", b"\xff", b"{\"session_id\":7,\"source\":null,\"cwd\":[]}"] {
            assert_eq!(HookInput::read(bytes), HookInput::default());
        }
        let read = HookInput::read(
            b"\xef\xbb\xbf{\"conversation_id\":\"c\",\"workspace_roots\":[\"/w\"],\"source\":\"compact\"}",
        );
        assert_eq!((read.session.as_deref(), read.directory.as_deref()), (Some("c"), Some("/w")));
    }
}
