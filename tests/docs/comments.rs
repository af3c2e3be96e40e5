//! How comments and names of the source read: the rules of [`super::wording`], and some that only code needs.
//!
//! Comments say what a thing is and why, in the words of an engineer. A name says what a thing is to its reader.

use super::texts;
use super::wording;

/// Folders of `tests` whose comments follow them.
const CHECKED_TESTS: &[&str] = &["docs"];

/// Words that are not in comments, besides those of [`wording::BANNED`].
const PHRASES: &[(&str, &str)] = &[
    ("nobody", "no one, no process, or the passive"),
    ("lie", "be, be stored"),
    ("lay", "was, was stored"),
    ("of its own accord", "by itself"),
    ("in vain", "without success, fails"),
    ("has no say", "does not decide"),
    ("puts right", "repairs"),
    ("put right", "repair"),
    ("its like", "the same kind"),
    ("and the like", "or name the things"),
    ("thereby", "so"),
    ("beforehand", "first, before"),
];

/// Phrases with a banned word that are good English in comments.
const FINE: &[&str] = &["stand for", "stands for", "stand in for", "stands in for"];

/// Parts of names that puzzle a reader, and what to write instead.
const NAMES: &[(&str, &str)] = &[
    ("along", "with"),
    ("anew", "again"),
    ("asked", "query, requested"),
    ("begun", "started"),
    ("lent", "borrowed"),
    ("mend", "repair"),
    ("nobody", "none, no_one"),
    ("said", "output, reported"),
    ("says", "has, is, reports"),
    ("sought", "wanted"),
    ("stands", "wins, is"),
    ("told", "reported, output"),
    ("untold", "hidden"),
];

/// Names that are the exact words of a format, with the file: keys of JSON answers.
const EXACT: &[(&str, &str)] = &[("src/view/merge.rs", "says")];

/// Verbs of which a title such as "What went wrong" has one, and a clause with a verb of its own has two.
const VERBS: &[&str] = &[
    "are", "became", "becomes", "belongs", "came", "can", "changed", "comes", "counts", "did", "does", "fits", "goes",
    "had", "has", "have", "holds", "is", "keeps", "knows", "lost", "makes", "may", "means", "must", "needs", "remains",
    "stays", "takes", "was", "went", "were", "will", "would",
];

/// The comments and identifiers of a Rust file, with their lines.
#[derive(Debug, Default)]
struct Source {
    comments: Vec<Comment>,
    names: Vec<(usize, String)>,
}

/// Comment lines that follow each other.
#[derive(Debug)]
struct Comment {
    marker: &'static str,
    lines: Vec<(usize, String)>,
    /// Whether clap prints it as help: those texts follow [`wording`].
    is_help: bool,
}

#[test]
fn comments_use_ordinary_words() {
    let tests = CHECKED_TESTS.iter().map(|part| format!("tests/{part}"));
    none(tests.chain(["src".to_owned()]), |_, source| {
        source.comments.iter().filter(|one| !one.is_help).flat_map(wrong_words).collect()
    });
}

#[test]
fn names_use_ordinary_words() {
    none(["src".to_owned()].into_iter(), |file, source| {
        let is_free = |(_, name): &&(usize, String)| !EXACT.contains(&(file, name));
        source.names.iter().filter(is_free).filter_map(wrong_name).collect()
    });
}

/// Fails if `check` finds something in a file of these folders.
fn none(folders: impl Iterator<Item = String>, check: impl Fn(&str, &Source) -> Vec<(usize, String)>) {
    let mut found = Vec::new();
    for folder in folders {
        let files = texts::sources(&folder);
        assert!(!files.is_empty(), "{folder} has no source");
        for (name, text) in files {
            found.extend(check(&name, &lex(&text)).into_iter().map(|(line, hit)| format!("{name}:{line}: {hit}")));
        }
    }
    assert!(found.is_empty(), "{} hits:\n{}", found.len(), found.join("\n"));
}

fn lex(text: &str) -> Source {
    let mut source = Source::default();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let after = if rest.starts_with("//") {
            let (comment, after) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
            let marker = ["//!", "///", "//"].into_iter().find(|marker| comment.starts_with(marker)).unwrap();
            let words = comment[marker.len()..].trim().to_owned();
            let next = after.trim_start().lines().next().unwrap_or_default();
            let is_help = next.starts_with("#[arg(") || next.starts_with("#[derive(") && next.contains("Args");
            match source.comments.last_mut() {
                Some(last)
                    if last.marker == marker && last.lines.last().is_some_and(|(before, _)| before + 1 == line) =>
                {
                    last.lines.push((line, words));
                    last.is_help = is_help;
                }
                _ => source.comments.push(Comment { marker, lines: vec![(line, words)], is_help }),
            }
            after
        } else if let Some((_, after)) = texts::literal(rest.strip_prefix('b').unwrap_or(rest)) {
            after
        } else if first == '\'' {
            let escaped = if rest[1..].starts_with('\\') { 2 } else { 1 };
            let end = rest[escaped..].chars().next().map_or(escaped, |c| escaped + c.len_utf8());
            // A lifetime has no second quote.
            rest[end..].strip_prefix('\'').unwrap_or(&rest[1..])
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            source.names.push((line, rest[..end].to_owned()));
            &rest[end..]
        } else {
            &rest[first.len_utf8()..]
        };
        line += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
    }
    source
}

fn wrong_words(comment: &Comment) -> Vec<(usize, String)> {
    let mut text = String::new();
    let mut starts = Vec::new();
    let mut is_code = false;
    for (line, words) in comment.lines.iter().filter(|(_, words)| !words.is_empty()) {
        starts.push((text.len(), *line));
        for (nth, part) in words.split('`').enumerate() {
            is_code ^= nth > 0;
            text.push_str(if is_code { "_" } else { part });
        }
        text.push(' ');
    }
    let line = |at: usize| starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, line)| *line);
    let fine = [wording::FINE, FINE].concat();
    let phrases = [wording::BANNED, PHRASES].concat();
    let mut found = wording::hits(&text, &phrases, &fine);
    found.extend(clauses(&text));
    found.extend(citations(&text));
    found.into_iter().map(|(at, hit)| (line(at), hit)).collect()
}

/// Sentences that begin with a relative clause where they should begin with a noun. Questions and short titles are fine.
fn clauses(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for sentence in text.split_inclusive(['.', '?', ';', ':']) {
        let words: Vec<&str> =
            sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty()).collect();
        let verbs = words.iter().filter(|word| VERBS.contains(word)).count();
        let is_clause = match words.first() {
            Some(&"Whoever" | &"Whatever" | &"Whom") => true,
            Some(&"What" | &"Who" | &"Whose") => verbs > 1 || words.len() > 9 && words.get(1) != Some(&"to"),
            _ => false,
        };
        if is_clause && !sentence.ends_with('?') {
            let start = at + sentence.len() - sentence.trim_start().len();
            found.push((start, format!("a clause without a noun (name the thing) in {}", sentence.trim())));
        }
        at += sentence.len();
    }
    found
}

/// Ids such as `R1` or `F26`, of lists that the repository does not have.
fn citations(text: &str) -> Vec<(usize, String)> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| {
        word.strip_prefix(['R', 'F'])
            .is_some_and(|n| (1..3).contains(&n.len()) && n.bytes().all(|c| c.is_ascii_digit()))
    });
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    words.map(|word| (place(word), format!("{word:?} is not defined here (write: the reason)"))).collect()
}

fn wrong_name((line, name): &(usize, String)) -> Option<(usize, String)> {
    let is_wrong = |part: &str| NAMES.iter().find(|(wrong, _)| part.eq_ignore_ascii_case(wrong));
    let mut parts = name.split('_').flat_map(|part| {
        let starts: Vec<usize> = part.match_indices(char::is_uppercase).map(|(at, _)| at).collect();
        let is_camel = part.contains(char::is_lowercase) && !starts.is_empty();
        let mut from = 0;
        let mut humps = Vec::new();
        for start in starts.into_iter().filter(|_| is_camel) {
            humps.push(&part[from..start]);
            from = start;
        }
        humps.push(&part[from..]);
        humps
    });
    parts.find_map(is_wrong).map(|(wrong, instead)| (*line, format!("`{name}`: {wrong:?} (write: {instead})")))
}

#[test]
fn each_rule_finds_what_it_looks_for() {
    let comments = |text: &str| lex(text).comments.iter().flat_map(wrong_words).collect::<Vec<_>>();
    for wrong in PHRASES {
        assert_eq!(comments(&format!("fn main() {{}}\n/// It {} here.", wrong.0)).len(), 1, "{}", wrong.0);
    }
    for text in [
        "//! What was there before stays.",
        "// Whoever holds it waits.",
        "/// A rule. Who lost it is refused.",
        "/// What a merge makes of the two sides where they have come apart.",
        "// Refused (F26).",
        "// R1: sorted.",
        "/// A name that\n/// stands in a line.",
        "/// This is no date",
    ] {
        assert_eq!(comments(text).len(), 1, "{text}");
    }
    for text in [
        "/// What went wrong.",
        "// What holds the lock? A file.",
        "/// What a join needs: ids of the target, and which of them are known to it by now.",
        "/// Who works on it.",
        "/// What to do when the lock is held, and how long to wait for it.",
        "/// The key `stands`, and R2D2.",
        "let text = \"nobody\"; let c = '\"'; // \"stands for\" it",
    ] {
        assert!(comments(text).is_empty(), "{text}: {:?}", comments(text));
    }
    assert_eq!(comments("fn f() {}\n\n/// One.\n/// Of nobody.")[0].0, 4);

    let names = |text: &str| lex(text).names.iter().filter_map(wrong_name).map(|(line, _)| line).collect::<Vec<_>>();
    for (wrong, _) in NAMES {
        assert_eq!(names(&format!("\nlet is_{wrong} = 1;")), [2], "{wrong}");
        let title: String = wrong[..1].to_uppercase() + &wrong[1..];
        assert_eq!(names(&format!("struct Was{title}Here;")), [1], "{title}");
        assert_eq!(names(&format!("const {}: u8 = 1;", wrong.to_uppercase())), [1], "{wrong}");
    }
    assert_eq!(names("let silent = b'\\''; // asked\nfn f<'asked_>() { \"said\" }"), [2]);
    assert!(names("let talent = basked(r#\"said\"#, 'a', \"told\");").is_empty());
}
