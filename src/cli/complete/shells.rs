//! The requests of each shell, and its answers.
//!
//! Completions may come from a stranger's ledger, and become part of a command line. Characters that act on a terminal,
//! and line ends, are never offered. zsh, fish and elvish quote what they insert; bash and PowerShell insert it
//! unchanged, so for bash it is quoted here, and PowerShell gets only plain words.

use std::ffi::OsString;

use clap_complete::env::Shells;
use clap_complete::{CompletionCandidate, Shell};

use crate::sys::Env;
use crate::view::inline;

/// Set by the script of a shell, with the shell's name.
pub(crate) const VARIABLE: &str = "BD_COMPLETE";

/// A command line, and the word of it that is completed.
pub(crate) struct CompletionRequest {
    shell: Shell,
    pub words: Vec<OsString>,
    /// The index of the word.
    pub at: usize,
    /// What precedes the inserted text.
    behind: Word,
    separator: String,
}

/// A word as the program would receive it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// The quote still open at its end.
    open: Option<char>,
}

/// The script that sets up completion in a shell.
pub(crate) fn script(shell: Shell) -> String {
    if shell == Shell::Bash {
        return include_str!("bash.sh").to_owned();
    }
    let mut text = Vec::new();
    let known = Shells::builtins();
    let written = known
        .completer(&shell.to_string())
        .map(|known| known.write_registration(VARIABLE, "bd", "bd", "bd", &mut text));
    debug_assert!(matches!(written, Some(Ok(()))), "every shell has its script");
    let text = String::from_utf8_lossy(&text);
    // bd offers only matches, which may be ids typed without their prefix.
    text.trim_start().replace("'values' other", "'values' other -M 'l:|=*'")
}

/// Parses a shell's request; `None` if the shell is unknown or the request is invalid.
pub(crate) fn request(name: &str, words: Vec<OsString>, env: &Env) -> Option<CompletionRequest> {
    let shell = name.rsplit('/').next()?.parse().ok()?;
    let separator = env.var("_CLAP_IFS").unwrap_or_else(|| "\n".to_owned());
    let index = env.var("_CLAP_COMPLETE_INDEX").and_then(|index| index.parse().ok());
    let mut request = CompletionRequest {
        shell,
        at: index.unwrap_or(words.len().saturating_sub(1)),
        words,
        behind: Word::default(),
        separator,
    };
    match (shell, env.var("BD_COMPLETE_LINE")) {
        (Shell::Bash, Some(line)) => {
            let head = line.strip_suffix(&env.var("BD_COMPLETE_WORD").unwrap_or_default())?;
            request.behind = split(head).pop().unwrap_or_default();
            request.words = split(&line).into_iter().map(|word| word.text.into()).collect();
            request.at = request.words.len().saturating_sub(1);
        }
        // These shells pass words as typed, with their quotes.
        (Shell::Bash | Shell::Zsh, _) => {
            let plain = |word: OsString| match word.to_str() {
                Some(text) => split(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ").into(),
                None => word,
            };
            request.words = request.words.into_iter().map(plain).collect();
            if request.words.len() == request.at {
                request.words.push(OsString::new());
            }
        }
        _ => {}
    }
    (request.at > 0 && request.at < request.words.len()).then_some(request)
}

impl CompletionRequest {
    /// The words before the one to complete, without the program.
    pub(crate) fn before(&self) -> &[OsString] {
        &self.words[1..self.at]
    }

    /// The answer in the shell's format.
    pub(crate) fn answered(&self, found: &[CompletionCandidate]) -> String {
        let mut answer = Vec::new();
        for candidate in found {
            let Some(value) = candidate.get_value().to_str().and_then(|value| self.inserted(value)) else { continue };
            let about = candidate.get_help().map(ToString::to_string).unwrap_or_default();
            let about = inline(about.lines().next().unwrap_or_default()).into_owned();
            answer.push(match self.shell {
                Shell::Zsh => {
                    let value = value.replace('\\', "\\\\").replace(':', "\\:");
                    let about = about.replace('\\', "\\\\");
                    if about.is_empty() { value } else { format!("{value}:{about}") }
                }
                Shell::Fish | Shell::PowerShell if !about.is_empty() => format!("{value}\t{about}"),
                _ => value,
            });
        }
        // A loop that reads lines needs the last line end too.
        let end = if self.separator == "\n" && !answer.is_empty() { "\n" } else { "" };
        answer.join(&self.separator) + end
    }

    /// A candidate as inserted into the line; `None` if that would be unsafe.
    fn inserted(&self, value: &str) -> Option<String> {
        if value.is_empty() || inline(value) != value {
            return None;
        }
        match self.shell {
            Shell::Bash => quoted(value.strip_prefix(&self.behind.text)?, self.behind.open),
            Shell::PowerShell => value.chars().all(|c| is_plain(c) && !",@%".contains(c)).then(|| value.to_owned()),
            _ => Some(value.to_owned()),
        }
    }
}

/// It has no special meaning for any shell.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./:@+,=%".contains(c)
}

/// Quotes a text for bash; within an already open quote, only characters without special meaning there are possible.
fn quoted(text: &str, open: Option<char>) -> Option<String> {
    if open.is_some() {
        return text.chars().all(|c| is_plain(c) || c == ' ').then(|| text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !is_plain(c) {
            out.push('\\');
        }
        out.push(c);
    }
    Some(out)
}

/// Splits a line into words like a shell, the last one possibly incomplete. Expands nothing.
fn split(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::default();
    let mut is_started = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (word.open, c) {
            (Some(open), c) if c == open => word.open = None,
            (Some('"'), '\\') => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.text.push(c),
                other => word.text.extend(['\\'].into_iter().chain(other)),
            },
            (Some(_), c) => word.text.push(c),
            (None, '\'' | '"') => word.open = Some(c),
            (None, '\\') => word.text.extend(chars.next()),
            (None, c) if c.is_whitespace() => {
                if is_started {
                    words.push(std::mem::take(&mut word));
                }
                is_started = false;
                continue;
            }
            (None, c) => word.text.push(c),
        }
        is_started = true;
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_parted_as_by_a_shell() {
        let texts = |line: &str| split(line).into_iter().map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(texts("bd list  -l 'two words' u"), ["bd", "list", "-l", "two words", "u"]);
        assert_eq!(texts("bd list "), ["bd", "list", ""]);
        assert_eq!(texts(r#"bd "a\"b\c" d\ e '' x\"#), ["bd", r#"a"b\c"#, "d e", "", "x"]);
        assert_eq!(texts("a $(b c)"), ["a", "$(b", "c)"], "nothing is expanded");
        assert_eq!(split("bd 'u").pop(), Some(Word { text: "u".into(), open: Some('\'') }));
        assert_eq!(split("bd \"a 'u").pop(), Some(Word { text: "a 'u".into(), open: Some('"') }));
        assert_eq!(split("").len(), 1);
    }

    #[test]
    fn what_a_shell_would_act_on_is_quoted_or_left_out() {
        for (text, bare) in [
            ("bd-a3f8.1", "bd-a3f8.1"),
            ("größe/部品", "größe/部品"),
            ("two words", r"two\ words"),
            ("$(x)`y`;&|<>", r"\$\(x\)\`y\`\;\&\|\<\>"),
            ("~a*?[b]{c}!#^'\"\\", "\\~a\\*\\?\\[b\\]\\{c\\}\\!\\#\\^\\'\\\"\\\\"),
        ] {
            assert_eq!(quoted(text, None).as_deref(), Some(bare));
            assert_eq!(split(bare), [Word { text: text.into(), open: None }], "it is read as it was");
        }
        assert_eq!(quoted("two words", Some('\'')).as_deref(), Some("two words"));
        assert_eq!(quoted("$(x)", Some('"')), None);
        assert_eq!(quoted("a'b", Some('\'')), None);
    }
}
