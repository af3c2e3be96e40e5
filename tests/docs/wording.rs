//! How `bd` speaks: the rules that a program can check, over the pages, the help and the texts in the source.

use super::texts::{self, Text};

/// Words that sound translated, and what to write instead.
pub const BANNED: &[(&str, &str)] = &[
    ("is no ", "is not a, has no"),
    ("are no ", "are not, have no"),
    ("mend", "repair, fix"),
    ("mends", "repairs, fixes"),
    ("mended", "repaired, fixed"),
    ("mending", "repairing"),
    ("anew", "again"),
    ("his own", "its, their"),
    ("his", "its, their"),
    ("one's own", "your own"),
    ("stand", "is, is in"),
    ("stands", "is, wins, is stored"),
    ("stood", "was"),
    ("lies", "is, is stored"),
    ("goes with", "belongs to"),
    ("looks out for", "checks for"),
    ("look out for", "check for"),
    ("takes it from there", "continues"),
    ("says a word", "says"),
    ("without a word", "silently"),
    ("nobody that", "no one matches"),
    ("put before the", "proposed to the"),
    ("before the maintainers", "to the maintainers"),
    ("lately", "recently"),
    ("for its like", "for the same"),
    ("puts it right", "repairs it"),
    ("put it right", "repair it"),
    ("cannot be told", "cannot tell"),
    ("is talk", "is for messages"),
];

/// Good English with a banned word, and quotations of other programs.
pub const FINE: &[&str] = &[
    "stands for",
    "stand for",
    "there is no ",
    "there are no ",
    "is no longer",
    "are no longer",
    "is no more than",
    "are no more than",
];

#[test]
fn pages_use_ordinary_words() {
    let pages = texts::pages().into_iter().flat_map(|(name, text)| {
        let prose = prose(&text);
        prose.into_iter().map(move |(line, text)| Text { place: format!("{name}:{line}"), text, hint: false })
    });
    none(pages);
}

#[test]
fn help_uses_ordinary_words() {
    let help = texts::commands().into_iter().map(|words| {
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        Text { place: format!("bd {} --help", words.join(" ")), text: texts::help(&names).unwrap(), hint: false }
    });
    none(help);
}

#[test]
fn messages_use_ordinary_words() {
    let all = texts::literals();
    assert!(all.len() > 3000, "{} texts were found in the source", all.len());
    none(all.into_iter());
}

/// A hint says what to do: it begins with a verb, not with the name of a command or a flag.
#[test]
fn hints_instruct() {
    let hints: Vec<Text> = texts::literals().into_iter().filter(|text| text.hint).collect();
    assert!(hints.len() > 100, "{} hints were found in the source", hints.len());
    let described = |text: &&Text| {
        ["bd ", "`bd ", "-", "`-", "git ", "jj ", "hg "].iter().any(|start| text.text.starts_with(start))
    };
    let wrong: Vec<String> =
        hints.iter().filter(described).map(|text| format!("{}: {}", text.place, text.text)).collect();
    assert!(wrong.is_empty(), "hints that begin with a command:\n{}", wrong.join("\n"));
}

/// The paragraphs, items and rows of a page, each with its first line, without what is code: fenced blocks and spans between backticks.
fn prose(page: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in page.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if fenced || fence || line.trim().is_empty() {
            goes_on = false;
            continue;
        }
        match found.last_mut() {
            Some((_, text)) if goes_on && !line.starts_with(['|', '-', '#']) => *text += &format!("\n{line}"),
            _ => found.push((at + 1, line.to_owned())),
        }
        goes_on = !line.starts_with('#');
    }
    found.into_iter().map(|(at, text)| (at, text.split('`').step_by(2).collect::<Vec<_>>().join("`"))).collect()
}

fn none(texts: impl Iterator<Item = Text>) {
    let hits: Vec<String> =
        texts.flat_map(|text| wrong(&text.text).into_iter().map(move |hit| format!("{}: {hit}", text.place))).collect();
    assert!(hits.is_empty(), "{} hits:\n{}", hits.len(), hits.join("\n"));
}

fn wrong(text: &str) -> Vec<String> {
    hits(text, BANNED, FINE).into_iter().map(|(_, hit)| hit).collect()
}

/// The banned words of a text, each with its place in the text (counted with single blanks) and the words around it.
pub fn hits(text: &str, banned: &[(&str, &str)], fine: &[&str]) -> Vec<(usize, String)> {
    let mut flat = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase() + " ";
    for fine in fine {
        flat = flat.replace(fine, &("_".repeat(fine.len() - 1) + " "));
    }
    let mut found = Vec::new();
    for (word, instead) in banned {
        for (at, _) in flat.match_indices(word) {
            let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
            if is_end(flat[..at].chars().next_back())
                && (word.ends_with(' ') || is_end(flat[at + word.len()..].chars().next()))
            {
                let from = flat[..at].char_indices().rev().nth(25).map_or(0, |(at, _)| at);
                let around: String = flat[from..].chars().take(60).collect();
                found.push((at, format!("{word:?} (write: {instead}) in …{around}…")));
            }
        }
    }
    found
}

#[test]
fn the_check_finds_what_it_looks_for() {
    for text in [
        "This is no date",
        "bd worktree repair there mends it",
        "the contributor's copy is his own",
        "A hook\nlies there",
        "find the cause, mend it, look for its like",
        "Put planned issues before the maintainers",
    ] {
        assert!(!wrong(text).is_empty(), "{text}");
    }
    for text in ["There is no server", "it is no longer there", "an amended commit", "recommends", "believes"] {
        assert!(wrong(text).is_empty(), "{text}");
    }
}
