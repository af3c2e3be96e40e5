//! Merges long texts line by line.

/// Merges both sides' changes to a text; `None` if they overlap. `earlier` is the side that was edited first. With
/// `grows`, two texts that only added lines at the end are concatenated.
pub(super) fn merge(base: &str, earlier: &str, later: &str, grows: bool) -> Option<String> {
    let attempt = |one: &str, other: &str| {
        let appended = if grows { appended(base, one, other) } else { None };
        appended.or_else(|| lines(base, one, other).filter(|merged| lines(base, other, one).as_ref() == Some(merged)))
    };
    let merged = attempt(earlier, later)?;
    // A diff may pair similar lines in several ways. A merge is unreliable if merging it with one of its sides again
    // changes it.
    let stays = |one: &str, other: &str| attempt(one, other).as_ref() == Some(&merged);
    let stable = [earlier, later].into_iter().all(|side| stays(&merged, side) && stays(side, &merged));
    stable.then_some(merged)
}

fn lines(base: &str, one: &str, other: &str) -> Option<String> {
    // With a line feed at the end of all three, the last line is like any other.
    let [base, one, other] = [base, one, other].map(|text| format!("{text}\n"));
    let mut merged = diffy::merge(&base, &one, &other).ok()?;
    merged.pop();
    Some(merged)
}

/// The base, the first side's addition, and the other side's.
fn appended(base: &str, one: &str, other: &str) -> Option<String> {
    let added = |text: &str| -> Option<String> {
        let rest = text.strip_prefix(base)?;
        let rest = if base.is_empty() { rest } else { rest.strip_prefix('\n')? };
        (!rest.is_empty()).then(|| rest.to_owned())
    };
    let (first, second) = (added(one)?, added(other)?);
    let holds = |whole: &str, part: &str| {
        let (whole, part): (Vec<&str>, Vec<&str>) = (whole.split('\n').collect(), part.split('\n').collect());
        whole.windows(part.len()).any(|window| window == part)
    };
    if holds(&first, &second) {
        return Some(one.to_owned());
    }
    if holds(&second, &first) {
        return Some(other.to_owned());
    }
    let base = if base.is_empty() { String::new() } else { format!("{base}\n") };
    Some(format!("{base}{first}\n{second}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_do_not_touch() {
        let base = "one\ntwo\nthree\nfour\nfive";
        let merged = merge(base, "ONE\ntwo\nthree\nfour\nfive", "one\ntwo\nthree\nfour\nFIVE\nsix", false);
        assert_eq!(merged.as_deref(), Some("ONE\ntwo\nthree\nfour\nFIVE\nsix"));
        assert_eq!(merge(base, "ONE\ntwo\nthree\nfour\nfive", "uno\ntwo\nthree\nfour\nfive", false), None);
        assert_eq!(merge("one", "uno", "eins", false), None);
    }

    #[test]
    fn notes_grow() {
        assert_eq!(merge("a", "a\nb", "a\nc", true).as_deref(), Some("a\nb\nc"));
        assert_eq!(merge("", "b", "c", true).as_deref(), Some("b\nc"));
        assert_eq!(merge("a", "a\nb\nc", "a\nc", true).as_deref(), Some("a\nb\nc"));
        assert_eq!(merge("a", "a\nb", "x", true), None);
    }
}
