//! Merges of whole files: those of `fixtures/merges` with the result that is expected, and whatever `BD_MERGES` names, a
//! directory of `<case>/{base,ours,theirs}.jsonl` from real life, read without the code under test.

use std::path::{Path, PathBuf};

use beads::internal::ledger;

use super::files::Contents;
use super::ledgers::{conserved, merge};
use super::reading::{Reading, TELLER, tells_only_losses};
use super::{Verdict, equal};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/merges")
}

/// The cases of a directory: name, base, ours, theirs.
fn cases(directory: &Path) -> Vec<(String, [String; 3])> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut cases: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .map(|path| {
            let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap_or_default();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, ["base.jsonl", "ours.jsonl", "theirs.jsonl"].map(read))
        })
        .collect();
    cases.sort();
    cases
}

#[test]
fn fixtures_are_merged_as_written() {
    let cases = cases(&fixtures());
    assert!(cases.len() >= 6, "only {} cases", cases.len());
    for (name, [base, ours, theirs]) in cases {
        let expected = std::fs::read_to_string(fixtures().join(&name).join("merged.jsonl")).expect("merged.jsonl");
        for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
            equal("not as written", &merge(&base, one, other), &expected).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
}

/// The figures of one merge that are worth a look.
#[derive(Default)]
struct Figures {
    cases: usize,
    issues: usize,
    merged: usize,
    clashes: usize,
    comments: usize,
    largest_side: usize,
    result: usize,
}

#[test]
fn real_merges_lose_nothing() {
    let directories = [Some(fixtures()), std::env::var_os("BD_MERGES").map(PathBuf::from)];
    let mut figures = Figures::default();
    for (name, [base, ours, theirs]) in directories.iter().flatten().flat_map(|directory| cases(directory)) {
        let told = std::env::var_os("BD_MERGES_TOLD").is_some();
        holds(&base, &ours, &theirs).unwrap_or_else(|why| panic!("{name}: {why}"));
        let outcome = ledger::merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
        let merged = String::from_utf8(outcome.bytes).expect("text");
        let contents = Contents::of(&merged);
        let by_merge = |text: &str| {
            let lines = Contents::of(text).issues.into_values().flatten();
            let comments = lines.flat_map(|line| Reading::of(&line).comments());
            comments.filter(|(author, _)| author == TELLER).map(|(_, text)| text).collect::<Vec<_>>()
        };
        let added = by_merge(&merged);
        if told {
            added.iter().for_each(|text| println!("told {name}: {}", text.chars().take(200).collect::<String>()));
        }
        figures.cases += 1;
        figures.issues += contents.issues.len();
        figures.merged += outcome.lines.len();
        figures.clashes += outcome.lines.iter().map(|line| line.clashes.len()).sum::<usize>();
        figures.comments += added.len() - by_merge(&ours).len().min(added.len());
        figures.largest_side += ours.len().max(theirs.len());
        figures.result += merged.len();
    }
    let Figures { cases, issues, merged, clashes, comments, largest_side, result } = figures;
    println!(
        "real merges: {cases} cases, {issues} issues, {merged} merged, {clashes} clashes, {comments} comments added"
    );
    println!("real merges: {result} bytes; the larger sides together {largest_side}");
}

fn holds(base: &str, ours: &str, theirs: &str) -> Verdict {
    let merged = merge(base, ours, theirs);
    conserved(base, ours, theirs, &merged)?;
    equal("sides swapped", &merge(base, theirs, ours), &merged)?;
    for side in [ours, theirs, &merged] {
        equal("merged again", &merge(base, &merged, side), &merged)?;
    }
    let [before, a, b, got] = [base, ours, theirs, &merged].map(Contents::of);
    for (id, lines) in &got.issues {
        let one = |contents: &Contents| match contents.issues.get(id).map(Vec::as_slice) {
            Some([line]) => Some(Reading::of(line)),
            _ => None,
        };
        if let (Some(one_side), Some(other)) = (one(&a), one(&b))
            && before.issues.get(id).is_none_or(|lines| lines.len() == 1)
        {
            tells_only_losses(one(&before).as_ref(), &one_side, &other, &Reading::of(&lines[0]))?;
        }
    }
    Ok(())
}

/// The same files with damage in either side: nothing fails, and the damaged lines keep their bytes.
#[test]
fn damage_in_a_side_stays_and_harms_nothing() {
    let directories = [Some(fixtures()), std::env::var_os("BD_MERGES").map(PathBuf::from)];
    let mut count = 0;
    for (name, [base, ours, theirs]) in directories.iter().flatten().flat_map(|directory| cases(directory)) {
        for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
            for (kind, damaged) in damaged(one) {
                let merged = merge(&base, &damaged, other);
                let verdict = conserved(&base, &damaged, other, &merged)
                    .and(equal("sides swapped", &merge(&base, other, &damaged), &merged))
                    .and(equal("merged again", &merge(&base, &merged, &damaged), &merged));
                verdict.unwrap_or_else(|why| panic!("{name}, {kind}: {why}"));
                count += 1;
            }
        }
    }
    println!("damaged sides: {count} merges");
}

/// A file with markers, with prose, and torn at several places.
fn damaged(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let middle = lines.len() / 2;
    let with = |put: &[(usize, &str)]| {
        let mut all = lines.clone();
        put.iter().for_each(|(at, line)| all.insert(*at, line));
        all.join("\n") + "\n"
    };
    let mut all = vec![
        ("markers".to_owned(), with(&[(lines.len(), ">>>>>>> theirs"), (middle, "======="), (0, "<<<<<<< ours")])),
        ("prose".to_owned(), with(&[(middle, "Here is the ledger:"), (0, "# Issues")])),
    ];
    let start = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let last = text.trim_end().len() - start;
    for part in [1, 3, 5, 7, 9] {
        let mut cut = start + (last * part / 10).max(1).min(last);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        all.push((format!("torn at {part}/10"), text[..cut].to_owned()));
    }
    all
}
