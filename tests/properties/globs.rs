//! Proves that two globs are said to overlap exactly when some path matches both, against every path of a small alphabet.
//!
//! The model matches one glob against one path by trying every way, straight from the words of `docs/reservations.md`.

use beads::internal::model::glob::{Glob, escape};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::cases;

/// Every path of up to three names out of three characters: one name of up to three, or several of up to two, the third of up to
/// so many.
fn paths(third: usize) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut all: Vec<String> = Vec::new();
    for _ in 0..3 {
        names = names.iter().flat_map(|name| ["a", "b", "-"].map(|c| format!("{name}{c}"))).collect();
        all.extend(names.clone());
    }
    let short: Vec<String> = all.iter().filter(|name| name.len() < 3).cloned().collect();
    let mut paths = all.clone();
    for one in &short {
        for two in &short {
            paths.push(format!("{one}/{two}"));
            paths.extend(short.iter().filter(|three| three.len() <= third).map(|three| format!("{one}/{two}/{three}")));
        }
    }
    paths
}

/// The texts after choosing one alternative in each pair of braces. Classes contain no braces here.
fn choices(glob: &str) -> Vec<String> {
    let Some(close) = glob.find('}') else { return vec![glob.to_owned()] };
    let open = glob[..close].rfind('{').unwrap();
    let inner = glob[open + 1..close].split(',');
    inner.flat_map(|chosen| choices(&format!("{}{chosen}{}", &glob[..open], &glob[close + 1..]))).collect()
}

fn model(glob: &str, path: &str) -> bool {
    choices(glob).iter().any(|glob| {
        let wild = |name: &str| name.contains(['*', '?']) || (name.contains('[') && name.len() > 3);
        let mut parts: Vec<&str> = glob.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        if glob.is_empty() || glob.ends_with('/') || !parts.last().is_some_and(|last| wild(last)) {
            parts.push("**");
        }
        names(&parts, &path.split('/').collect::<Vec<_>>())
    })
}

fn names(parts: &[&str], path: &[&str]) -> bool {
    match parts {
        [] => path.is_empty(),
        ["**", rest @ ..] => (0..=path.len()).any(|skipped| names(rest, &path[skipped..])),
        [part, rest @ ..] => path.first().is_some_and(|name| one(part, name)) && names(rest, &path[1..]),
    }
}

fn one(part: &str, name: &str) -> bool {
    let Some(first) = part.chars().next() else { return name.is_empty() };
    match first {
        '*' => (0..=name.len()).any(|skipped| one(&part[1..], &name[skipped..])),
        '[' => {
            let end = part.find(']').unwrap();
            let (class, rest) = (&part[1..end], &part[end + 1..]);
            let (negated, class) = class.strip_prefix('!').map_or((false, class), |class| (true, class));
            let is_in = |c: char| if class == "a-b" { c == 'a' || c == 'b' } else { class.contains(c) };
            name.chars().next().is_some_and(|c| is_in(c) != negated) && one(rest, &name[1..])
        }
        c => name.chars().next().is_some_and(|d| c == '?' || c == d) && one(&part[1..], &name[1..]),
    }
}

fn glob() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "a",
        "b",
        "-",
        "*",
        "?",
        "[a-b]",
        "[!a]",
        "[b-]",
        "{a,b}",
        "{a,*b}",
        "{a/b,-}",
        "{,a}",
        "{a,{b,-}}",
        "{a/**,b}",
    ]);
    let name = prop_oneof![1 => Just("**".to_owned()), 4 => vec(piece, 1..4).prop_map(|pieces| pieces.concat())];
    (vec(name, 1..4), any::<bool>()).prop_map(|(names, slash)| names.join("/") + if slash { "/" } else { "" })
}

fn short_glob() -> impl Strategy<Value = String> {
    let piece = select(vec!["a", "b", "*", "?", "[!a]", "{a,b}"]);
    let name = prop_oneof![1 => Just("**".to_owned()), 3 => vec(piece, 1..3).prop_map(|pieces| pieces.concat())];
    vec(name, 1..3).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(cases(250, 41))]

    #[test]
    fn overlap_is_a_common_path(ours in glob(), theirs in glob()) {
        // Too many choices are refused.
        prop_assume!(choices(&ours).len() < 128 && choices(&theirs).len() < 128);
        let (a, b) = (Glob::parse(&ours).unwrap(), Glob::parse(&theirs).unwrap());
        let common = paths(1).into_iter().find(|path| model(&ours, path) && model(&theirs, path));
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
        if let Some(path) = &common {
            prop_assert!(a.overlaps(&b), "{} and {} both match {}", ours, theirs, path);
        }
        for path in paths(1) {
            prop_assert_eq!(a.matches(&path), model(&ours, &path), "{} {}", ours, path);
        }
    }

    /// Where the shortest common path is short, saying "overlap" without one would be a fault, too.
    #[test]
    fn no_common_path_is_no_overlap(ours in vec(select(vec!["a", "b", "?", "*", "[a-b]", "[!a]"]), 1..3),
                                    theirs in vec(select(vec!["a", "b", "-", "?", "[a-b]", "[b-]"]), 1..4)) {
        let (ours, theirs) = (ours.concat() + "*", theirs.concat());
        let (a, b) = (Glob::parse(&ours).unwrap(), Glob::parse(&theirs).unwrap());
        let common = paths(1).into_iter().find(|path| model(&ours, path) && model(&theirs, path));
        prop_assert_eq!(a.overlaps(&b), common.is_some(), "{} {} {:?}", ours, theirs, common);
    }

    /// The same with directories: of two short globs that overlap, the shortest common path is short.
    #[test]
    fn no_common_path_below_is_no_overlap(ours in short_glob(), theirs in short_glob()) {
        let (a, b) = (Glob::parse(&ours).unwrap(), Glob::parse(&theirs).unwrap());
        let common = paths(2).into_iter().find(|path| model(&ours, path) && model(&theirs, path));
        prop_assert_eq!(a.overlaps(&b), common.is_some(), "{} {} {:?}", ours, theirs, common);
    }

    #[test]
    fn an_escaped_path_is_itself_alone(path in "[a\\[\\]{},*?!\\\\^-]{1,6}(/[ab*{}]{1,3})?", other in "[a\\[\\]{},*?\\\\-]{1,6}") {
        let glob = Glob::parse(&escape(&path)).unwrap();
        prop_assert!(glob.matches(&path));
        prop_assert_eq!(glob.matches(&other), other == path);
    }

    #[test]
    fn no_text_is_too_much(text in any::<String>(), other in "[*?a-c/{},\\[\\]!\\\\-]{0,40}") {
        if let (Ok(a), Ok(b)) = (Glob::parse(&text), Glob::parse(&other)) {
            a.overlaps(&b);
        }
    }
}

#[test]
fn the_worst_globs_are_quick() {
    let long = |c: char| {
        Glob::parse(&format!("{{{}}}*{}", vec!["*"; 15].join(","), "*a".repeat(200) + &c.to_string())).unwrap()
    };
    let (send, found) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(long('x').overlaps(&long('y'))));
    assert_eq!(found.recv_timeout(crate::support::wait::PATIENCE), Ok(false), "trying every way takes years");
}
