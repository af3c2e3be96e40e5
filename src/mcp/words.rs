//! Refusals in the words of tools: the operations speak to a terminal, and an agent without one can neither run commands nor add flags.

/// Advice for the terminal, and the same for a client.
const CALLS: [(&str, &str); 4] = [
    ("run `bd dep remove`", "call `update` with remove_deps"),
    ("run `bd query --help` for the language", "write it like status=open priority<=1 label=api title~crash"),
    ("look with bd show ID", "call `show`"),
    ("leave --id out", "leave id out"),
];

/// What clients of the original match in a message; over MCP nobody can follow it.
const OVERRIDE: &str = " (use --force to override)";

/// A message without flags: an argument has the same name.
pub fn message(text: &str) -> String {
    let text = text.replace(OVERRIDE, "");
    // What is quoted was said by somebody else.
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

/// The parts of a hint that a client can follow; `None` if there are none.
pub fn hint(text: &str) -> Option<String> {
    let text = CALLS.iter().fold(text.to_owned(), |text, (terminal, call)| text.replace(terminal, call));
    let mut kept = String::new();
    for sentence in text.split("; ") {
        let ways: Vec<&str> = sentence.split(", or ").filter(|way| !is_for_terminal(way)).collect();
        if !ways.is_empty() {
            kept += if kept.is_empty() { "" } else { "; " };
            kept += &ways.join(", or ");
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// It names a program, a flag or a variable.
fn is_for_terminal(text: &str) -> bool {
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | ',' | ':'));
    words.any(|word| {
        matches!(word, "bd" | "git" | "jj" | "hg") || word.starts_with('-') && word.len() > 1 || word.starts_with("BD_")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_terminal_is_left() {
        for (terminal, client) in [
            ("nothing was changed; try again", Some("nothing was changed; try again")),
            ("bd leases shows who holds what", None),
            (
                "close those first, or run `bd dep remove` if it does not wait",
                Some("close those first, or call `update` with remove_deps if it does not wait"),
            ),
            (
                "nothing was written; make one batch for each repo, or leave out --atomic",
                Some("nothing was written; make one batch for each repo"),
            ),
            ("name the agent with BD_AGENT or --agent", None),
            ("restore the file (git checkout -- FILE)", None),
            ("did you mean \"a-b\"?", Some("did you mean \"a-b\"?")),
        ] {
            assert_eq!(hint(terminal).as_deref(), client, "{terminal}");
        }
        assert_eq!(message("cannot close a: b (use --force to override)"), "cannot close a: b");
        assert_eq!(message("invalid --due-at format \"x --y\": -- --z"), "invalid due_at format \"x --y\": -- z");
    }
}
