//! Dates as people type them: `2026-03-01`, `tomorrow`, `friday`, `3d`, `+2w`, RFC 3339.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

use super::time::Instant;

/// Which way a length of time without a sign points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// `3d` is three days ago (filters).
    Past,
    /// `3d` is in three days (due, defer).
    Future,
}

/// The present moment and the zone in which a day begins.
#[derive(Debug, Clone)]
pub struct Calendar {
    now: Zoned,
}

impl Calendar {
    pub fn new(now: Instant, zone: TimeZone) -> Self {
        let timestamp = Timestamp::from_nanosecond(i128::from(now.nanos())).unwrap_or_default();
        Calendar { now: timestamp.to_zoned(zone) }
    }

    pub fn utc(now: Instant) -> Self {
        Self::new(now, TimeZone::UTC)
    }

    /// The instant that the text means, or `None` if it is no date.
    pub fn parse(&self, text: &str, bare: Bare) -> Option<Instant> {
        let text = text.trim();
        if let Some(instant) = Instant::parse(text) {
            return Some(instant);
        }
        let lower = text.to_lowercase();
        self.named(&lower).or_else(|| self.relative(&lower, bare)).or_else(|| self.day(lower.parse().ok()?))
    }

    /// The instant that lies a length of time back, such as `30d`; `None` for anything else.
    pub fn back(&self, age: &str) -> Option<Instant> {
        let age = age.trim().to_lowercase();
        if age.starts_with(|c: char| c.is_ascii_digit()) { self.relative(&age, Bare::Past) } else { None }
    }

    /// An instant for people: the time of day, with the date if that is not today's.
    pub fn short(&self, at: Instant) -> String {
        let zoned = Timestamp::from_millisecond(at.millis()).map(|at| at.to_zoned(self.now.time_zone().clone()));
        match zoned {
            Ok(at) if at.date() == self.now.date() => at.strftime("%H:%M").to_string(),
            Ok(at) => at.strftime("%Y-%m-%d %H:%M").to_string(),
            Err(_) => at.to_string(),
        }
    }

    /// Midnight at which a day begins.
    fn day(&self, date: Date) -> Option<Instant> {
        instant(&date.to_zoned(self.now.time_zone().clone()).ok()?)
    }

    fn named(&self, text: &str) -> Option<Instant> {
        let today = self.now.date();
        let later = |span: Span| today.checked_add(span).ok().and_then(|date| self.day(date));
        match text {
            "now" => instant(&self.now),
            "today" => self.day(today),
            "tomorrow" => later(1.day()),
            "yesterday" => later(-1.day()),
            "next week" => later(7.days()),
            "next month" => later(1.month()),
            _ => {
                let name = text.strip_prefix("next ").unwrap_or(text);
                let date = today.nth_weekday(1, weekday(name)?).ok()?;
                self.day(date)
            }
        }
    }

    fn relative(&self, text: &str, bare: Bare) -> Option<Instant> {
        let (sign, rest) = match text.as_bytes().first()? {
            b'+' => (1, &text[1..]),
            b'-' => (-1, &text[1..]),
            _ if bare == Bare::Future => (1, text),
            _ => (-1, text),
        };
        let unit_at = rest.find(|c: char| !c.is_ascii_digit())?;
        let count: i64 = rest[..unit_at].parse().ok().filter(|n| *n <= 100_000)?;
        let count = count * sign;
        let span = match rest[unit_at..].trim() {
            "m" | "min" | "minutes" => Span::new().try_minutes(count),
            "h" | "hour" | "hours" => Span::new().try_hours(count),
            "d" | "day" | "days" => Span::new().try_days(count),
            "w" | "week" | "weeks" => Span::new().try_weeks(count),
            "mo" | "month" | "months" => Span::new().try_months(count),
            "y" | "year" | "years" => Span::new().try_years(count),
            _ => return None,
        };
        instant(&self.now.checked_add(span.ok()?).ok()?)
    }
}

fn instant(zoned: &Zoned) -> Option<Instant> {
    Some(Instant::from_wide_nanos(zoned.timestamp().as_nanosecond()))
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "mon" | "monday" => Weekday::Monday,
        "tue" | "tuesday" => Weekday::Tuesday,
        "wed" | "wednesday" => Weekday::Wednesday,
        "thu" | "thursday" => Weekday::Thursday,
        "fri" | "friday" => Weekday::Friday,
        "sat" | "saturday" => Weekday::Saturday,
        "sun" | "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_typed() {
        // A Saturday.
        let calendar = Calendar::utc(Instant::parse("2026-01-10T12:30:00Z").unwrap());
        for (text, bare, expected) in [
            ("2026-03-01", Bare::Future, "2026-03-01T00:00:00.000Z"),
            ("tomorrow", Bare::Future, "2026-01-11T00:00:00.000Z"),
            ("Monday", Bare::Future, "2026-01-12T00:00:00.000Z"),
            ("next saturday", Bare::Future, "2026-01-17T00:00:00.000Z"),
            ("3d", Bare::Future, "2026-01-13T12:30:00.000Z"),
            ("3d", Bare::Past, "2026-01-07T12:30:00.000Z"),
            ("+2w", Bare::Past, "2026-01-24T12:30:00.000Z"),
            ("-6h", Bare::Future, "2026-01-10T06:30:00.000Z"),
            ("2026-03-01T10:00:00+02:00", Bare::Past, "2026-03-01T08:00:00.000Z"),
        ] {
            assert_eq!(calendar.parse(text, bare).map(|at| at.to_string()).as_deref(), Some(expected), "{text}");
        }
        for bad in ["", "soon", "2026-02-30", "3", "3x", "+", "99999999999999999d", "d"] {
            assert_eq!(calendar.parse(bad, Bare::Past), None, "{bad}");
        }
        assert_eq!(calendar.back("2w"), Instant::parse("2025-12-27T12:30:00Z"));
        for bad in ["", "-2w", "+2w", "today", "2026-01-01", "2"] {
            assert_eq!(calendar.back(bad), None, "{bad}");
        }
    }
}
