//! The text of the hooks. Each has a checksum, so that a manual change is noticed.
//!
//! A hook stops git only when `bd` reports that something private would leave (exit code 8). If `bd` is missing or does
//! not know this check, the hook says so and lets git continue: we must never break anyone's git.

use std::path::{Path, PathBuf};

use super::site::ASIDE;

const MARK: &str = "# bd-hook ";

/// What runs after the check.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next<'a> {
    /// The previous hook, renamed.
    Aside,
    /// The hook of this name in another directory.
    In(&'a str),
    /// Nothing: the previous hook was the original's.
    Nothing,
}

/// The whole text of a hook.
pub(super) fn text(name: &str, bd: Option<&Path>, next: Next<'_>) -> String {
    let mut body = String::from("# Made by \"bd hooks install\"; \"bd hooks uninstall\" takes it away again.\n");
    let previous = match next {
        Next::Aside => format!("\"${{0%/*}}/{name}{}\"", ASIDE),
        Next::In(directory) => quoted(&format!("{directory}/{name}")),
        Next::Nothing => "''".to_owned(),
    };
    body.push_str(&format!("previous={previous}\n"));
    body.push_str(match next {
        Next::Aside => RUN_ASIDE,
        Next::In(_) | Next::Nothing => RUN,
    });
    let check = match name {
        "pre-commit" => Some("\"$bd\" check-leaks --hook pre-commit >&2"),
        "pre-push" => {
            Some("printf '%s' \"$input\" 2>/dev/null | \"$bd\" check-leaks --hook pre-push --remote \"${1:-}\" >&2")
        }
        _ => None,
    };
    if name == "pre-push" {
        // Command substitution alone would drop trailing line feeds.
        body.push_str("input=$(cat; printf x)\ninput=${input%x}\n");
    }
    if let Some(check) = check {
        let bd = bd.and_then(Path::to_str).map(quoted).unwrap_or_else(|| "''".to_owned());
        body.push_str(&format!("bd={bd}\n{FIND}{check}\n{JUDGE}"));
    }
    body.push_str(if name == "pre-push" {
        "printf '%s' \"$input\" 2>/dev/null | run_previous \"$@\"\n"
    } else {
        "run_previous \"$@\"\n"
    });
    format!("#!/bin/sh\n{MARK}{}\n{body}", sum(&body))
}

const FIND: &str = "[ -x \"$bd\" ] || bd=$(command -v bd) || bd=
if [ -z \"$bd\" ]; then
    echo 'bd hooks: bd was not found, so nobody looked for private issues' >&2
else
    ";
const JUDGE: &str = "    code=$?
    if [ \"$code\" -eq 8 ]; then
        exit 8
    elif [ \"$code\" -ne 0 ]; then
        echo \"bd hooks: $bd could not look for private issues (exit code $code)\" >&2
    fi
fi
";
const RUN: &str = "run_previous() {
    [ -x \"$previous\" ] || exit 0
    exec \"$previous\" \"$@\"
}
";
/// A hook may check its own name, so a script runs under the name it had.
const RUN_ASIDE: &str = "run_previous() {
    [ -x \"$previous\" ] || exit 0
    line=
    [ -L \"$previous\" ] || IFS= read -r line <\"$previous\"
    case $line in
    '#!/bin/sh' | '#!/usr/bin/sh' | '#!/usr/bin/env sh' | '#! /bin/sh') shell=sh ;;
    '#!/bin/bash' | '#!/usr/bin/bash' | '#!/usr/bin/env bash') shell=bash ;;
    *) exec \"$previous\" \"$@\" ;;
    esac
    exec \"$shell\" -c 'hook=$1; shift; . \"$hook\"' \"$0\" \"$previous\" \"$@\"
}
";

fn sum(body: &str) -> String {
    blake3::hash(body.as_bytes()).to_hex()[..32].to_owned()
}

/// Quotes a word for the shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Who wrote a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Ours,
    /// Ours, but edited by hand.
    Edited,
    Foreign,
}

pub(super) fn owner(bytes: &[u8]) -> Owner {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once(MARK).and_then(|(_, rest)| rest.split_once('\n')) else {
        return Owner::Foreign;
    };
    let whole = format!("#!/bin/sh\n{MARK}{head}\n{body}");
    if head == sum(body) && whole.as_bytes() == bytes { Owner::Ours } else { Owner::Edited }
}

/// The hook that ours runs next, in its directory or relative to the root of the working copy.
pub(super) fn previous(bytes: &[u8], directory: &Path, root: &Path) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(bytes);
    let value = text.lines().find_map(|line| line.strip_prefix("previous="))?;
    if let Some(beside) = value.strip_prefix("\"${0%/*}/") {
        return Some(directory.join(beside.trim_end_matches('"')));
    }
    let named = value.trim_matches('\'').replace("'\\''", "'");
    (!named.is_empty()).then(|| root.join(named))
}

/// Whether the original wrote the whole hook. A hook that also has someone's own lines, or that runs another hook, does
/// not count.
pub(super) fn is_originals(bytes: &[u8]) -> bool {
    const HEADS: [&str; 4] = ["# bd-shim", "# bd-hooks-version:", "# bd (beads) ", "# Beads git hook"];
    const MIXED: [&str; 3] = ["BEGIN BEADS INTEGRATION", "chained", ".old"];
    let text = String::from_utf8_lossy(bytes);
    let has_head = text.lines().take(5).any(|line| HEADS.iter().any(|head| line.starts_with(head)));
    has_head && text.contains("bd ") && !MIXED.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::super::script::*;

    #[test]
    fn a_change_by_hand_is_seen() {
        let text = text("pre-commit", Some(Path::new("/it's/bd")), Next::Aside);
        assert_eq!(owner(text.as_bytes()), Owner::Ours);
        assert!(text.contains("bd='/it'\\''s/bd'\n"), "{text}");
        assert_eq!(owner(format!("{text}echo more\n").as_bytes()), Owner::Edited);
        assert_eq!(owner(text.replacen("#!/bin/sh", "#!/bin/dash", 1).as_bytes()), Owner::Edited);
        assert_eq!(owner(b"#!/bin/sh\nexit 0\n"), Owner::Foreign);
    }

    #[test]
    fn what_runs_next_is_reported() {
        let (directory, root) = (Path::new("/r/.git/hooks"), Path::new("/r"));
        let next = |next: Next<'_>| previous(text("pre-push", None, next).as_bytes(), directory, root);
        assert_eq!(next(Next::Aside), Some("/r/.git/hooks/pre-push.bd-previous".into()));
        assert_eq!(next(Next::In("it's/here")), Some("/r/it's/here/pre-push".into()));
        assert_eq!(next(Next::In("/out")), Some("/out/pre-push".into()));
        assert_eq!(next(Next::Nothing), None);
    }

    #[test]
    fn hooks_of_the_original() {
        let shim = "#!/usr/bin/env sh\n# bd-shim v1\n# bd-hooks-version: 0.49.3\nexec bd hooks run pre-commit \"$@\"\n";
        assert!(is_originals(shim.as_bytes()));
        assert!(is_originals(b"#!/bin/sh\n#\n# bd (beads) post-merge hook\n#\nbd sync --import-only\n"));
        let mixed =
            ["#!/bin/sh\nmake lint\n", "#!/bin/sh\n# --- BEGIN BEADS INTEGRATION v0.57 ---\nbd hooks run pre-push\n"];
        assert!(mixed.iter().all(|text| !is_originals(text.as_bytes())));
        assert!(!is_originals(shim.replace("exec", "sh .git/hooks/pre-commit.old; exec").as_bytes()));
        assert!(!is_originals(text("pre-push", None, Next::Nothing).as_bytes()));
    }
}
