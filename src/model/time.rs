//! Instants, and how ledgers write them.
//!
//! Files hold RFC 3339 with 0 to 9 fraction digits and any offset. The text is kept, the instant is compared. New times
//! are UTC with milliseconds. Every readable time keeps its place in the order, Go's year 1 and the last moment of 9999
//! included: an edit after the latter is written with a year of five digits. No clock is read here.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(i128);

pub const MICRO: i64 = 1_000;
pub const MILLI: i64 = 1_000 * MICRO;
pub const SECOND: i64 = 1_000 * MILLI;
pub const DAY: i64 = 86_400 * SECOND;

impl Instant {
    pub const fn from_nanos(nanos: i64) -> Self {
        Instant(nanos as i128)
    }

    pub const fn from_micros(micros: i64) -> Self {
        Instant(micros as i128 * MICRO as i128)
    }

    pub const fn from_millis(millis: i64) -> Self {
        Instant(millis as i128 * MILLI as i128)
    }

    /// For durations: outside the years 1678 to 2261 it is clamped. Comparisons do not use it.
    pub const fn nanos(self) -> i64 {
        clamp(self.0)
    }

    pub const fn micros(self) -> i64 {
        clamp(self.0.div_euclid(MICRO as i128))
    }

    pub const fn millis(self) -> i64 {
        clamp(self.0.div_euclid(MILLI as i128))
    }

    pub const fn from_wide_nanos(nanos: i128) -> Self {
        Instant(nanos)
    }

    /// The full value.
    pub const fn wide_nanos(self) -> i128 {
        self.0
    }

    pub const fn plus_nanos(self, nanos: i64) -> Self {
        Instant(self.0 + nanos as i128)
    }

    /// Reads RFC 3339, and the variants seen in real files: a space for `T`, a missing offset (UTC), an offset without
    /// a colon, years of five digits.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let ten_thousands = match bytes {
            [first @ b'1'..=b'9', _, _, _, _, b'-', ..] => i64::from(first - b'0'),
            _ => 0,
        };
        let bytes = &bytes[usize::from(ten_thousands > 0)..];
        let number = |range: std::ops::Range<usize>| -> Option<i64> {
            let digits = bytes.get(range)?;
            digits.iter().try_fold(0i64, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')))
        };
        let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
        if separators.iter().any(|&(at, want)| bytes.get(at) != Some(&want)) {
            return None;
        }
        if !matches!(bytes.get(10), Some(b'T' | b't' | b' ')) {
            return None;
        }
        let (year, month, day) = (ten_thousands * 10_000 + number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        if !(1..=12).contains(&month)
            || day < 1
            || day > days_in(year, month)
            || hour > 23
            || minute > 59
            || second > 60
        {
            return None;
        }
        let mut at = 19;
        let mut nanos = 0i64;
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            let start = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                if at - start < 9 {
                    nanos = nanos * 10 + i64::from(bytes[at] - b'0');
                }
                at += 1;
            }
            if at == start {
                return None;
            }
            for _ in (at - start).min(9)..9 {
                nanos *= 10;
            }
        }
        let offset = match bytes.get(at..)? {
            b"" | b"Z" | b"z" => 0,
            [sign @ (b'+' | b'-'), rest @ ..] => {
                let minutes = match rest {
                    [_, _, b':', _, _] => number(at + 4..at + 6)?,
                    [_, _, _, _] => number(at + 3..at + 5)?,
                    _ => return None,
                };
                let seconds = number(at + 1..at + 3)? * 3600 + minutes * 60;
                if *sign == b'-' { -seconds } else { seconds }
            }
            _ => return None,
        };
        let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
        Some(Instant(i128::from(seconds) * i128::from(SECOND) + i128::from(nanos)))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        Instant::parse(&text).ok_or_else(|| D::Error::custom("not a time"))
    }
}

impl fmt::Display for Instant {
    /// UTC with milliseconds, as `bd` writes every new time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.millis();
        let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
        let (year, month, day) = civil_from_days(days);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
            rest / 3_600_000,
            rest / 60_000 % 60,
            rest / 1000 % 60,
            rest % 1000
        )
    }
}

/// The hybrid clock of `updated_at`: now, but always after the previous edit, even if a clock is wrong.
pub fn after(previous: Option<Instant>, now: Instant) -> Instant {
    let floor = previous.map_or(i64::MIN, |p| p.plus_nanos(MILLI - 1).millis().saturating_add(1));
    Instant::from_millis(now.millis().max(floor))
}

const fn clamp(wide: i128) -> i64 {
    if wide > i64::MAX as i128 {
        i64::MAX
    } else if wide < i64::MIN as i128 {
        i64::MIN
    } else {
        wide as i64
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar: years start in March, so leap days come last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_ledgers_hold() {
        let same = [
            "2025-10-12T16:19:11.971233-07:00",
            "2025-10-12T23:19:11.971233Z",
            "2025-10-13T04:49:11.971233000+05:30",
            "2025-10-12 23:19:11.971233Z",
            "2025-10-12T16:19:11.971233-0700",
            "2025-10-13T04:49:11.971233+0530",
        ];
        for text in same {
            assert_eq!(Instant::parse(text).unwrap().nanos(), 1_760_311_151_971_233_000, "{text}");
        }
        assert_eq!(Instant::parse("1970-01-01T00:00:00Z"), Some(Instant(0)));
        for bad in [
            "",
            "tomorrow",
            "2025-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2025-01-01T25:00:00Z",
            "2025-01-01",
            "2025-01-01T00:00:00+01",
            "2025-01-01T00:00:00+010",
            "2025-01-01T00:00:00+01000",
            "2025-01-01T00:00:00+0x00",
        ] {
            assert_eq!(Instant::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn display_round_trips_across_centuries() {
        let mut millis = -8_000_000_000_000i64;
        while millis < 9_000_000_000_000 {
            let instant = Instant::from_millis(millis);
            assert_eq!(Instant::parse(&instant.to_string()), Some(instant));
            millis += 86_400_000 * 13 + 12_345_678;
        }
        assert_eq!(Instant::from_millis(1_582_934_400_000).to_string(), "2020-02-29T00:00:00.000Z");
    }

    #[test]
    fn an_edit_orders_after_what_it_edited() {
        let now = Instant::parse("2026-01-01T00:00:00.500Z").unwrap();
        let ahead = Instant::parse("2026-01-02T00:00:00.000000001Z").unwrap();
        assert_eq!(after(None, now).to_string(), "2026-01-01T00:00:00.500Z");
        assert_eq!(after(Some(now), now).to_string(), "2026-01-01T00:00:00.501Z");
        assert!(after(Some(ahead), now) > ahead);
    }

    #[test]
    fn the_order_holds_for_every_time_that_can_be_read() {
        let texts = [
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "1677-09-21T00:12:43Z",
            "1677-09-21T00:12:43.145224193Z",
            "1970-01-01T00:00:00Z",
            "2262-04-11T23:47:16.854775807Z",
            "2262-04-11T23:47:16.854775808Z",
            "2262-04-12T00:00:00Z",
            "2300-01-01T00:00:00+01:00",
            "2300-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "9999-12-31T23:59:59.999Z",
            "9999-12-31T23:59:59.999999999Z",
            "9999-12-31T23:59:60.999999999-23:59",
        ];
        let read: Vec<Instant> = texts.iter().map(|text| Instant::parse(text).unwrap()).collect();
        assert!(read.windows(2).all(|pair| pair[0] < pair[1]), "{read:?}");
        let now = Instant::parse("2026-01-01T00:00:00.500Z").unwrap();
        for (text, previous) in texts.iter().zip(read) {
            let mut last = previous;
            for _ in 0..3 {
                let edited = after(Some(last), now);
                let again = Instant::parse(&edited.to_string());
                assert!(again.is_some_and(|again| again > last && again >= now), "{text}: {edited}");
                last = edited;
            }
        }
        for bad in ["02026-01-01T00:00:00Z", "100000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z"] {
            assert_eq!(Instant::parse(bad), None, "{bad}");
        }
    }
}
