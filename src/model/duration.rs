//! Durations as people type and read them: `90s`, `30m`, `2h`, `1d`.

use super::time::{DAY, MILLI, SECOND};

const UNITS: [(&str, i64); 6] =
    [("ms", MILLI), ("s", SECOND), ("m", 60 * SECOND), ("h", 3600 * SECOND), ("d", DAY), ("w", 7 * DAY)];

/// Parses a duration into nanoseconds; a number without a unit is seconds.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let count: i64 = text[..unit_at].parse().ok()?;
    let unit = match text[unit_at..].trim() {
        "" => SECOND,
        word => UNITS.iter().find(|(name, _)| *name == word).map(|(_, nanos)| *nanos)?,
    };
    count.checked_mul(unit)
}

/// A duration in its two largest units: `1h 20m`.
pub fn text(nanos: i64) -> String {
    let nanos = nanos.max(0);
    if nanos < SECOND {
        return format!("{} ms", nanos / MILLI);
    }
    let mut rest = nanos;
    let mut parts = Vec::new();
    for (name, unit) in [("d", DAY), ("h", 3600 * SECOND), ("m", 60 * SECOND), ("s", SECOND)] {
        if rest >= unit {
            parts.push(format!("{}{name}", rest / unit));
            rest %= unit;
        } else if !parts.is_empty() {
            break;
        }
    }
    parts.truncate(2);
    parts.join(" ")
}

/// How long ago something was, for people.
pub fn ago(nanos: i64) -> String {
    if nanos < 60 * SECOND { "just now".to_owned() } else { format!("{} ago", text(nanos)) }
}

/// A duration in words: `30 minutes`, `1 hour 20 minutes`.
pub fn words(nanos: i64) -> String {
    let short = text(nanos);
    if short.ends_with(" ms") {
        return short;
    }
    let units = [("d", "day"), ("h", "hour"), ("m", "minute"), ("s", "second")];
    let word = |part: &str| {
        let (number, unit) = part.split_at(part.len() - 1);
        let unit = units.iter().find(|(letter, _)| *letter == unit).map_or(unit, |(_, word)| word);
        format!("{number} {unit}{}", if number == "1" { "" } else { "s" })
    };
    short.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_as_typed() {
        for (typed, nanos) in [
            ("90", Some(90 * SECOND)),
            ("5s", Some(5 * SECOND)),
            ("500ms", Some(SECOND / 2)),
            ("30m", Some(1800 * SECOND)),
            ("2 h", Some(7200 * SECOND)),
            ("1w", Some(7 * DAY)),
            ("", None),
            ("m", None),
            ("-5s", None),
            ("5 parsecs", None),
            ("99999999999999999d", None),
        ] {
            assert_eq!(parse(typed), nanos, "{typed}");
        }
    }

    #[test]
    fn lengths_as_read() {
        for (nanos, shown) in [
            (0, "0 ms"),
            (1500 * MILLI, "1s"),
            (90 * SECOND, "1m 30s"),
            (3600 * SECOND, "1h"),
            (3661 * SECOND, "1h 1m"),
            (3 * DAY + SECOND, "3d"),
        ] {
            assert_eq!(text(nanos), shown);
        }
        assert_eq!(words(1800 * SECOND), "30 minutes");
        assert_eq!(words(3660 * SECOND), "1 hour 1 minute");
        assert_eq!(words(0), "0 ms");
    }
    #[test]
    fn moments_that_have_just_passed_have_no_number() {
        assert_eq!([48 * MILLI, 59 * SECOND, 60 * SECOND].map(ago), ["just now", "just now", "1m ago"]);
    }
}
