//! Shortens full paths in a text for people. JSON keeps full paths.

use std::path::Path;

use crate::store::real_path;
use crate::sys::Env;

/// Makes paths below the working directory relative, and starts those below the home directory with `~`.
pub(super) fn shorten(text: &str, env: &Env) -> String {
    from_home(&replace(text, env.cwd(), ""), env)
}

/// Only those below the home directory: the short form then means the same in every directory.
pub(super) fn from_home(text: &str, env: &Env) -> String {
    let Some(home) = env.home() else { return text.to_owned() };
    let real = real_path(&home);
    let text = replace(text, &real, "~");
    if real == home { text } else { replace(&text, &home, "~") }
}

/// Replaces a directory at the beginning of words by `short`. In a quoted word, `~` goes before the quotes, where the
/// shell expands it.
fn replace(text: &str, directory: &Path, short: &str) -> String {
    let Some(whole) = directory.to_str().filter(|_| directory.parent().is_some()) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, _) in text.match_indices(whole) {
        let (before, rest) = (&text[copied..at], &text[at + whole.len()..]);
        let (before, quote) = before.strip_suffix('\'').map_or((before, ""), |before| (before, "'"));
        let begins = if before.is_empty() { copied == 0 } else { before.ends_with(is_before) };
        let (slash, rest) = match rest.strip_prefix('/') {
            Some(below) if below.starts_with(is_part) => (if short.is_empty() { "" } else { "/" }, below),
            None if !rest.starts_with(is_part) && !short.is_empty() && quote.is_empty() => ("", rest),
            _ => continue,
        };
        if begins {
            out.extend([before, short, slash, quote]);
            copied = text.len() - rest.len();
        }
    }
    out.push_str(&text[copied..]);
    out
}

fn is_before(c: char) -> bool {
    c.is_whitespace() || "(`".contains(c)
}

/// Whether the character may continue a name in a path.
fn is_part(c: char) -> bool {
    !c.is_whitespace() && !"/:;,)`'\"".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> String {
        shorten(text, &Env::default().with("HOME", "/no/ann").at("/no/ann/web".into()))
    }

    #[test]
    fn paths_in_a_text_become_short() {
        assert_eq!(short("/no/ann/web/.beads/x.jsonl:3: torn"), ".beads/x.jsonl:3: torn");
        assert_eq!(short("see /no/ann/plan, /no/ann/web (/no/ann)"), "see ~/plan, ~/web (~)");
        assert_eq!(short("moved /no/ann/web/a to /no/ann/b"), "moved a to ~/b");
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for text in ["/no/anna/x", "/srv/no/ann/x", "\"/no/ann/x\"", "--dir=/no/ann/x", "/no/ann//x", "/no/ann-old"] {
            assert_eq!(short(text), text);
        }
        assert_eq!(shorten("/x /y", &Env::default().with("HOME", "/").at("/".into())), "/x /y");
    }

    #[test]
    fn a_shell_still_understands_a_short_path() {
        assert_eq!(short("run `cd '/no/ann/my plan'`"), "run `cd ~/'my plan'`");
        assert_eq!(short("run `cd '/no/ann/web/my plan'`"), "run `cd 'my plan'`");
    }
}
