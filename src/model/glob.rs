//! Globs over paths: whether one matches a path, and whether two match a common path.
//!
//! `*` and `?` stay inside one name, `**` as a whole name is any number of names, `[a-z]` and `[!a]` one character,
//! `{a,b}` either, and a backslash escapes the next character. A glob that ends in a literal name or in `/` also covers
//! everything below. Matching is case-sensitive; a leading dot is not special.
//!
//! Both questions are decided exactly, by walking the two globs in parallel. Length and alternatives are limited, so
//! that no glob can take long.

use std::fmt;

const MAX_LENGTH: usize = 512;
const MAX_WAYS: usize = 128;
const MAX_EXPANDED: usize = 8192;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    #[error("it is empty")]
    Empty,
    #[error("{0:?} is not closed")]
    Unclosed(char),
    #[error("it ends with a backslash")]
    Backslash,
    #[error("a range runs backwards")]
    Backwards,
    #[error("\"..\" is allowed only at the beginning")]
    Upward,
    #[error("it has control characters")]
    Control,
    #[error("it is longer than {MAX_LENGTH} bytes, or has too many alternatives")]
    TooLarge,
}

/// A glob relative to the root of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    text: String,
    /// One variant for each choice of alternatives.
    ways: Vec<Vec<Part>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Any number of names.
    Below,
    Name(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    One(Set),
    /// Any number of characters.
    Run,
}

/// Sorted, disjoint ranges of characters, without the slash.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Set(Vec<(u32, u32)>);

impl Glob {
    pub fn parse(text: &str) -> Result<Self, GlobError> {
        if text.len() > MAX_LENGTH {
            return Err(GlobError::TooLarge);
        }
        if text.is_empty() {
            return Err(GlobError::Empty);
        }
        if text.chars().any(char::is_control) {
            return Err(GlobError::Control);
        }
        let ways = expand(text)?.iter().map(|way| parts(way)).collect::<Result<_, _>>()?;
        Ok(Glob { text: text.to_owned(), ways })
    }

    /// Exactly one path, and everything below if it is a directory.
    pub fn path(path: &str, is_directory: bool) -> Self {
        let names = path.split('/').filter(|name| !name.is_empty());
        let mut way: Vec<Part> = names.map(|name| Part::Name(name.chars().map(exactly).collect())).collect();
        way.extend(is_directory.then_some(Part::Below));
        Glob { text: escape(path), ways: vec![way] }
    }

    /// Whether both match some path.
    pub fn overlaps(&self, other: &Glob) -> bool {
        self.ways.iter().any(|ours| other.ways.iter().any(|theirs| meet(ours, theirs)))
    }

    pub fn matches(&self, path: &str) -> bool {
        self.overlaps(&Glob::path(path, false))
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Escapes a path into a glob that matches only it.
pub fn escape(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// The end of a class that begins here: its closing bracket.
fn class_end(text: &[char], start: usize) -> Result<usize, GlobError> {
    let mut at = start + 1;
    if matches!(text.get(at), Some('!' | '^')) {
        at += 1;
    }
    let first = at;
    while let Some(c) = text.get(at) {
        match c {
            ']' if at > first => return Ok(at),
            '\\' => at += 2,
            _ => at += 1,
        }
    }
    Err(GlobError::Unclosed('['))
}

/// The texts for all choices of alternatives.
fn expand(text: &str) -> Result<Vec<Vec<char>>, GlobError> {
    let mut done = Vec::new();
    let mut work = vec![text.chars().collect::<Vec<char>>()];
    let mut total = 0;
    while let Some(text) = work.pop() {
        match choice(&text)? {
            None => {
                total += text.len();
                done.push(text);
            }
            Some((start, commas, end)) => {
                let mut from = start + 1;
                for to in commas.into_iter().chain([end]) {
                    work.push([&text[..start], &text[from..to], &text[end + 1..]].concat());
                    from = to + 1;
                }
            }
        }
        if done.len() + work.len() > MAX_WAYS || total > MAX_EXPANDED {
            return Err(GlobError::TooLarge);
        }
    }
    Ok(done)
}

/// The first outermost braces: their start, the commas between the choices, their end.
fn choice(text: &[char]) -> Result<Option<(usize, Vec<usize>, usize)>, GlobError> {
    let (mut start, mut commas, mut depth, mut at) = (None, Vec::new(), 0, 0);
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            '[' => at = class_end(text, at)?,
            '{' => {
                start.get_or_insert(at);
                depth += 1;
            }
            ',' if depth == 1 => commas.push(at),
            '}' if depth > 0 => {
                depth -= 1;
                if let (0, Some(start)) = (depth, start) {
                    return Ok(Some((start, commas, at)));
                }
            }
            _ => {}
        }
        at += 1;
    }
    if start.is_some() { Err(GlobError::Unclosed('{')) } else { Ok(None) }
}

fn parts(text: &[char]) -> Result<Vec<Part>, GlobError> {
    let mut parts = Vec::new();
    let mut name = Vec::new();
    let mut at = 0;
    while at <= text.len() {
        match text.get(at) {
            None | Some('/') => {
                let dots = name.len() <= 2 && !name.is_empty() && name.iter().all(|token| *token == exactly('.'));
                match (name.as_slice(), dots) {
                    // Nothing between two slashes, or the directory itself.
                    ([], _) | ([_], true) => {}
                    (_, true) => return Err(GlobError::Upward),
                    ([Token::Run, Token::Run], _) => parts.push(Part::Below),
                    _ => parts.push(Part::Name(name)),
                }
                name = Vec::new();
            }
            Some('*') => name.push(Token::Run),
            Some('?') => name.push(Token::One(Set::of(Vec::new(), true))),
            Some('[') => {
                let end = class_end(text, at)?;
                name.push(Token::One(class(&text[at + 1..end])?));
                at = end;
            }
            Some('\\') => {
                at += 1;
                let c = *text.get(at).ok_or(GlobError::Backslash)?;
                name.push(Token::One(Set::of(vec![(c as u32, c as u32)], false)));
            }
            Some(c) => name.push(exactly(*c)),
        }
        at += 1;
    }
    let is_written_out = |part: &Part| match part {
        Part::Below => false,
        Part::Name(tokens) => tokens.iter().all(|token| matches!(token, Token::One(set) if set.is_one())),
    };
    if text.last().is_none_or(|c| *c == '/') || parts.last().is_none_or(is_written_out) {
        parts.push(Part::Below);
    }
    Ok(parts)
}

fn exactly(c: char) -> Token {
    Token::One(Set(vec![(c as u32, c as u32)]))
}

/// Parses the characters between brackets.
fn class(text: &[char]) -> Result<Set, GlobError> {
    let negated = matches!(text.first(), Some('!' | '^'));
    let mut rest = &text[usize::from(negated)..];
    let mut ranges = Vec::new();
    while let Some(first) = member(&mut rest) {
        let mut last = first;
        // A dash at the end is literal.
        if let ['-', _, ..] = rest {
            rest = &rest[1..];
            last = member(&mut rest).unwrap_or(first);
        }
        if last < first {
            return Err(GlobError::Backwards);
        }
        ranges.push((first as u32, last as u32));
    }
    Ok(Set::of(ranges, negated))
}

/// Takes one character off a class. The end was found with the same escapes, so a character follows each backslash.
fn member(rest: &mut &[char]) -> Option<char> {
    let skip = usize::from(rest.first() == Some(&'\\') && rest.len() > 1);
    let found = rest.get(skip).copied();
    *rest = rest.get(skip + 1..).unwrap_or_default();
    found
}

impl Set {
    /// These ranges, or all other characters; never the slash.
    fn of(ranges: Vec<(u32, u32)>, negated: bool) -> Self {
        const SLASH: u32 = '/' as u32;
        let within = |(from, to)| Set(vec![(from, to)]);
        let all = Set(vec![(0, SLASH - 1), (SLASH + 1, char::MAX as u32)]);
        let chosen = if negated {
            ranges.into_iter().fold(all, |left, (from, to)| {
                let before = left.and(&within((0, from.saturating_sub(1)))).filter(from > 0);
                let after = left.and(&within((to.saturating_add(1), char::MAX as u32)));
                Set([before.0, after.0].concat())
            })
        } else {
            let mut ranges = ranges;
            ranges.sort_unstable();
            Set(ranges).and(&all)
        };
        Set(chosen.0.into_iter().filter(|(from, to)| from <= to).collect())
    }

    fn filter(self, keep: bool) -> Self {
        if keep { self } else { Set(Vec::new()) }
    }

    fn and(&self, other: &Set) -> Set {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Set(pairs.filter(|(from, to)| from <= to).collect())
    }

    fn meets(&self, other: &Set) -> bool {
        self.0.iter().any(|a| other.0.iter().any(|b| a.0.max(b.0) <= a.1.min(b.1)))
    }

    fn is_one(&self) -> bool {
        matches!(self.0.as_slice(), [(from, to)] if from == to)
    }
}

/// Whether two sequences have a common reading. `many` tells whether an item means any number of things, `can` whether
/// an item can be read at all, `same` whether two items can be read as one. Filled in from the end, so it takes as many
/// steps as there are pairs.
fn walk<T>(ours: &[T], theirs: &[T], many: fn(&T) -> bool, can: fn(&T) -> bool, same: fn(&T, &T) -> bool) -> bool {
    let mut below = vec![false; theirs.len() + 1];
    for i in (0..=ours.len()).rev() {
        let mut row = vec![false; theirs.len() + 1];
        for j in (0..=theirs.len()).rev() {
            row[j] = match (ours.get(i), theirs.get(j)) {
                (None, None) => true,
                (Some(a), b) if many(a) => below[j] || b.is_some_and(|b| (many(b) || can(b)) && row[j + 1]),
                (a, Some(b)) if many(b) => row[j + 1] || a.is_some_and(|a| can(a) && below[j]),
                (Some(a), Some(b)) => below[j + 1] && same(a, b),
                _ => false,
            };
        }
        below = row;
    }
    below[0]
}

fn meet(ours: &[Part], theirs: &[Part]) -> bool {
    let can = |part: &Part| match part {
        Part::Below => true,
        Part::Name(name) => name.iter().all(readable),
    };
    let same = |a: &Part, b: &Part| match (a, b) {
        (Part::Name(a), Part::Name(b)) => walk(a, b, |token| *token == Token::Run, readable, one_char),
        _ => false,
    };
    walk(ours, theirs, |part| *part == Part::Below, can, same)
}

fn readable(token: &Token) -> bool {
    !matches!(token, Token::One(set) if set.0.is_empty())
}

fn one_char(a: &Token, b: &Token) -> bool {
    matches!((a, b), (Token::One(a), Token::One(b)) if a.meets(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> Glob {
        Glob::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn what_matches() {
        for (pattern, path, matches) in [
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**/*.rs", "src/a.rs", true),
            ("src/**/*.rs", "src/a/b/c.rs", true),
            ("src/**", "src/a/b", true),
            ("src/**", "source/a", false),
            ("src", "src/a/b", true),
            ("src/", "src/a", true),
            ("src/*", "src/a/b", false),
            ("**", "anything/at/all", true),
            (".", "anything", true),
            ("./a//b", "a/b", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[^a-c]x", "dx", true),
            ("[]-]x", "]x", true),
            ("[]-]x", "-x", true),
            ("[a/]x", "/x", false),
            ("[\\]]", "]", true),
            ("{a,b/c}.rs", "b/c.rs", true),
            ("{a,{b,c}}d", "cd", true),
            ("a{,b}", "a", true),
            ("[{,}]", ",", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a}", "a}", true),
            ("*", ".hidden", true),
            ("É*", "éa", false),
        ] {
            assert_eq!(glob(pattern).matches(path), matches, "{pattern} {path}");
        }
    }

    #[test]
    fn what_overlaps() {
        for (ours, theirs, overlap) in [
            ("src/*.rs", "src/a*", true),
            ("src/*.rs", "src/*.md", false),
            ("*a*", "b*", true),
            ("a*", "b*", false),
            ("**/test", "src/**", true),
            ("a/**/z", "*/b/*", true),
            ("a/*/z*", "a/z*", false),
            ("a/*/z", "a/z", true),
            ("a/**/z", "a/z", true),
            ("[a-c]", "[c-e]", true),
            ("[a-c]", "[!a-c]", false),
            ("{a,b}", "{c,b}", true),
            ("src/api/v1.rs", "src/api", true),
        ] {
            assert_eq!(glob(ours).overlaps(&glob(theirs)), overlap, "{ours} {theirs}");
            assert_eq!(glob(theirs).overlaps(&glob(ours)), overlap, "{theirs} {ours}");
        }
    }

    #[test]
    fn what_is_no_glob() {
        for (text, error) in [
            ("", GlobError::Empty),
            ("[a", GlobError::Unclosed('[')),
            ("{a,b", GlobError::Unclosed('{')),
            ("a\\", GlobError::Backslash),
            ("[z-a]", GlobError::Backwards),
            ("a/../b", GlobError::Upward),
            ("a\nb", GlobError::Control),
            (&"a".repeat(600), GlobError::TooLarge),
            ("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", GlobError::TooLarge),
        ] {
            assert_eq!(Glob::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_path_that_looks_like_a_glob() {
        let path = "app/[id]/{a,b}*?\\x";
        assert!(glob(&escape(path)).matches(path));
        assert!(!glob(&escape(path)).matches("app/i/a"));
    }
}
