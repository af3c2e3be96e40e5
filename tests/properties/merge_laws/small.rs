//! Every merge of two fields in four states on three sides, with equal times and with different ones.

use beads::internal::model::json::Dialect;
use beads::internal::model::merge::merge_issue;

use super::reading::{Reading, TELLER};
use crate::support::effort::pick;

const TITLES: [Option<&str>; 4] = [None, Some("one"), Some("two"), Some("three")];
const PRIORITIES: [Option<&str>; 4] = [None, Some("1"), Some("2"), Some("3")];

fn time(second: usize) -> String {
    format!("2026-01-01T00:00:0{second}Z")
}

type State = [usize; 2];

fn line(state: State, second: usize) -> String {
    let title = TITLES[state[0]].map(|title| format!(r#""title":"{title}","#)).unwrap_or_default();
    let priority = PRIORITIES[state[1]].map(|priority| format!(r#""priority":{priority},"#)).unwrap_or_default();
    format!(r#"{{"id":"a",{title}{priority}"created_at":"{}","updated_at":"{}"}}"#, time(0), time(second))
}

fn text(field: usize, state: usize) -> Option<&'static str> {
    if field == 0 { TITLES[state] } else { PRIORITIES[state] }
}

/// One field by the wording of the law: the winning state, its edit time, and the state to report.
fn field(
    field: usize,
    o: usize,
    (a, at_a): (usize, usize),
    (b, at_b): (usize, usize),
) -> (usize, usize, Option<usize>) {
    if a == b {
        return (a, if a == o { 0 } else { at_a.max(at_b) }, None);
    }
    if a == o {
        return (b, at_b, None);
    }
    if b == o {
        return (a, at_a, None);
    }
    let key = |state, at| (at, text(field, state));
    if key(a, at_a) > key(b, at_b) { (a, at_a, Some(b)) } else { (b, at_b, Some(a)) }
}

fn merge(base: Option<&str>, ours: &str, theirs: &str) -> String {
    merge_issue(base, ours, theirs, Dialect::default()).expect("records").line
}

fn check(o: State, a: State, b: State, seconds: [usize; 2]) {
    let [base, ours, theirs] = [line(o, 0), line(a, seconds[0]), line(b, seconds[1])];
    let what = format!("base:   {base}\nours:   {ours}\ntheirs: {theirs}");
    let result = merge(Some(&base), &ours, &theirs);
    assert_eq!(merge(Some(&base), &theirs, &ours), result, "sides swapped\n{what}");
    assert_eq!(merge(Some(&base), &ours, &ours), ours, "the same on both sides\n{what}");
    assert_eq!(merge(Some(&base), &base, &theirs), theirs, "only theirs changed\n{what}");
    assert_eq!(merge(Some(&base), &ours, &base), ours, "only ours changed\n{what}");
    for side in [&ours, &theirs, &result] {
        assert_eq!(merge(Some(&base), &result, side), result, "merged again with {side}\n{what}");
    }
    let alone = merge(None, &ours, &theirs);
    assert_eq!(merge(None, &theirs, &ours), alone, "no base, sides swapped\n{what}");
    for side in [&ours, &theirs, &alone] {
        assert_eq!(merge(None, &alone, side), alone, "no base, merged again with {side}\n{what}");
    }

    let got = Reading::of(&result);
    let latest = seconds[0].max(seconds[1]);
    let mut told = Vec::new();
    let mut times = Vec::new();
    for (n, name) in ["title", "priority"].into_iter().enumerate() {
        let (stands, at, lost) = field(n, o[n], (a[n], seconds[0]), (b[n], seconds[1]));
        assert_eq!(got.text(name).as_deref(), text(n, stands), "{name}\n{what}\n{result}");
        told.extend(lost.and_then(|lost| text(n, lost)).map(|value| format!("{name} of the other version: {value}")));
        if stands != o[n] && at != latest {
            times.push((name.to_owned(), time(at)));
        }
    }
    let by_merge = |(author, text): &(String, String)| (author == TELLER).then(|| text.clone());
    let mut comments: Vec<String> = got.comments().iter().filter_map(by_merge).collect();
    comments.sort();
    told.sort();
    assert_eq!(comments, told, "what is told\n{what}\n{result}");
    assert_eq!(got.text("updated_at"), Some(time(latest)), "{what}\n{result}");
    times.sort();
    let expected = (!times.is_empty()).then(|| {
        let times = times.iter().map(|(name, at)| format!(r#","{name}":"{at}""#)).collect::<String>();
        format!(r#"{{"at":"{}"{times}}}"#, time(latest))
    });
    assert_eq!(got.raw("field_times"), expected.as_deref(), "{what}\n{result}");
}

#[test]
fn every_small_merge() {
    let states = || (0..16).map(|n| [n / 4, n % 4]);
    let mut count = 0;
    for o in states() {
        for a in states() {
            // The short form leaves out three of four third sides, now these and now those.
            let step = pick(8, 4, 1);
            let first = o.iter().chain(&a).sum::<usize>() % step;
            for b in states().skip(first).step_by(step) {
                for seconds in [[1, 1], [1, 2], [2, 1], [0, 0]] {
                    check(o, a, b, seconds);
                }
                count += 1;
            }
        }
    }
    println!("every small merge: {count} cases, each with four pairs of times");
    assert_eq!(count, pick(512, 1024, 4096));
}
