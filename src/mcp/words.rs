//! Refusals in the words of tools: the operations speak to a terminal, and an agent without one can neither run commands nor add flags.

use crate::view::Clause;

/// A text that clients of the original match in a message; over MCP no client can follow it.
const OVERRIDE: &str = " (use --force to override)";

/// A message without flags: an argument has the same name.
pub(super) fn message(text: &str) -> String {
    let text = text.replace(OVERRIDE, "");
    // Quoted text is by somebody else.
    let parts = text.split('"').enumerate();
    let parts: Vec<String> = parts.map(|(n, part)| if n % 2 == 0 { plain(part) } else { part.to_owned() }).collect();
    parts.join("\"")
}

fn plain(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix("--") {
        Some(flag) if flag.starts_with(|c: char| c.is_ascii_lowercase()) => flag.replace('-', "_"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A clause of a hint as a client can follow it; `None` if it is for a terminal.
pub(super) fn clause(clause: &Clause) -> Option<String> {
    match clause {
        Clause::Text(text) => Some(plain(text)),
        Clause::Run(command, what) if command == "bd dep remove" => {
            Some(format!("call `update` with remove_deps {what}"))
        }
        Clause::Run(command, _) if command == "bd help query" => {
            Some("write it like status=open priority<=1 label=api title~crash".to_owned())
        }
        Clause::Run(..) | Clause::Shell(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_terminal_is_left() {
        let call = "call `update` with remove_deps if it does not wait";
        for (terminal, client) in [
            (Clause::from("nothing was changed"), Some("nothing was changed")),
            (Clause::from("leave --id out"), Some("leave id out")),
            (Clause::Run("bd leases".into(), "to see who holds what".into()), None),
            (Clause::Run("bd dep remove".into(), "if it does not wait".into()), Some(call)),
            (Clause::Shell("name the agent with BD_AGENT or --agent".into()), None),
        ] {
            assert_eq!(clause(&terminal).as_deref(), client, "{terminal}");
        }
        assert_eq!(message("cannot close a: b (use --force to override)"), "cannot close a: b");
        assert_eq!(message("invalid --due-at format \"x --y\": -- --z"), "invalid due_at format \"x --y\": -- z");
    }
}
