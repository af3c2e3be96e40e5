//! Dates as people type and read them, in their own time zone.
//!
//! This is the one place that reads what people type (`2026-03-01`, `tomorrow`, `friday`, `eom`, `3d`, `in 2 weeks`, `7 days ago`,
//! `2026-03-01 17:00`, RFC 3339) and the one that prints times for them. A date without a time is a whole day, from its first moment to its last.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};

use super::time::{DAY, Instant, MILLI, SECOND};

/// Which way a length of time without a sign, or the name of a weekday, points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// `3d` is three days ago, `friday` the last one (created, updated, closed).
    Past,
    /// `3d` is in three days, `friday` the next one (due, defer).
    Future,
}

/// A day of the user's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub start: Instant,
    /// The first moment that is no longer part of it.
    pub end: Instant,
}

impl Day {
    /// Its last millisecond: ledgers write milliseconds.
    pub fn last(self) -> Instant {
        self.end.plus_nanos(-MILLI)
    }
}

/// What a typed date means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// A time of day was named, or a length of hours or minutes.
    Moment(Instant),
    /// A date: `today`, `friday`, `2026-03-01`.
    Day(Day),
    /// A length of whole days from now: this time of day, then; and that day.
    DaysAway(Instant, Day),
}

impl When {
    /// The moment that is meant where something begins.
    pub fn start(self) -> Instant {
        match self {
            When::Moment(at) | When::DaysAway(at, _) => at,
            When::Day(day) => day.start,
        }
    }

    /// The moment that is meant where something ends: without a time of day, the end of the day.
    pub fn end(self) -> Instant {
        match self {
            When::Moment(at) => at,
            When::Day(day) | When::DaysAway(_, day) => day.last(),
        }
    }

    /// The day that is meant, if no time of day was named.
    pub fn day(self) -> Option<Day> {
        match self {
            When::Moment(_) => None,
            When::Day(day) | When::DaysAway(_, day) => Some(day),
        }
    }
}

/// A date without a time of day, as files and people write it.
fn date_alone(text: &str) -> Option<Date> {
    if text.len() == 10 { text.parse().ok() } else { None }
}

/// A text is such a date.
pub fn is_day(text: &str) -> bool {
    date_alone(text).is_some()
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

    /// What the text means, or `None` if it is not a date.
    pub fn parse(&self, text: &str, bare: Bare) -> Option<When> {
        let text = text.trim();
        let lower = text.to_lowercase();
        let day = |date: Date| self.day(date).map(When::Day);
        if let Some(date) = self.named(&lower, bare) {
            return day(date);
        }
        if lower == "now" {
            return instant(&self.now).map(When::Moment);
        }
        if let Some(when) = self.relative(&lower, bare) {
            return Some(when);
        }
        if let Some(date) = date_alone(text) {
            return day(date);
        }
        if let Some(at) = self.clocked(&lower, bare) {
            return Some(When::Moment(at));
        }
        self.moment(text).map(When::Moment)
    }

    /// The day that a date without a time of day names.
    pub fn day_of(&self, text: &str) -> Option<Day> {
        self.day(date_alone(text)?)
    }

    /// The instant that lies a length of time back, such as `30d`; `None` for anything else.
    pub fn back(&self, age: &str) -> Option<Instant> {
        let age = age.trim().to_lowercase();
        let is_length = age.starts_with(|c: char| c.is_ascii_digit());
        if is_length { self.relative(&age, Bare::Past).map(When::start) } else { None }
    }

    /// An instant for people: the time of day, with the date if that is not today's.
    pub fn short(&self, at: Instant) -> String {
        match self.local(at) {
            Some(local) if local.date() == self.now.date() => local.strftime("%H:%M").to_string(),
            _ => self.full(at),
        }
    }

    /// The time of day of an instant, to the second.
    pub fn clock(&self, at: Instant) -> String {
        self.local(at).map_or_else(|| at.to_string(), |local| local.strftime("%H:%M:%S").to_string())
    }

    /// An instant for people: the date and the time of day.
    pub fn full(&self, at: Instant) -> String {
        self.local(at).map_or_else(|| at.to_string(), |local| local.strftime("%Y-%m-%d %H:%M").to_string())
    }

    /// The same, but only the date where the instant is the first or the last moment of a day: it was typed as a date.
    pub fn date(&self, at: Instant) -> String {
        let whole = |day: Day| at == day.start || (at >= day.end.plus_nanos(-SECOND) && at < day.end);
        match self.local(at).filter(|local| self.day(local.date()).is_some_and(whole)) {
            Some(_) => self.day_text(at),
            None => self.full(at),
        }
    }

    /// How far away an instant is, for people: by days, or within a day by hours and minutes. `None` where a date says more.
    pub fn away(&self, at: Instant) -> Option<String> {
        let (nanos, days) = (at.wide_nanos() - i128::from(self.now_nanos()), self.days_away(at));
        let (minutes, is_past) = (nanos.abs() / i128::from(60 * SECOND), nanos < 0);
        let far = match (minutes, days) {
            (0, _) => return Some("now".to_owned()),
            (_, 1) if minutes >= 12 * 60 => return Some("tomorrow".to_owned()),
            (_, -1) if minutes >= 12 * 60 => return Some("yesterday".to_owned()),
            (1..60, _) => format!("{minutes} min"),
            (_, -1..=1) => format!("{} h", minutes / 60),
            (_, -30..=30) => format!("{} days", days.abs()),
            _ => return None,
        };
        Some(if is_past { format!("{far} ago") } else { format!("in {far}") })
    }

    /// When something is due, for a mark in a list; and whether that has passed.
    pub fn due(&self, at: Instant) -> (String, bool) {
        let days = self.days_away(at);
        if at.wide_nanos() < i128::from(self.now_nanos()) {
            return match -days {
                0 => ("overdue".to_owned(), true),
                1 => ("overdue since yesterday".to_owned(), true),
                n => (format!("overdue by {n} days"), true),
            };
        }
        let text = match days {
            0 => "due today".to_owned(),
            1 => "due tomorrow".to_owned(),
            2..=14 => format!("due in {days} days"),
            _ => format!("due {}", self.day_text(at)),
        };
        (text, false)
    }

    fn now_nanos(&self) -> i64 {
        i64::try_from(self.now.timestamp().as_nanosecond()).unwrap_or(i64::MAX)
    }

    /// Midnights between now and an instant.
    fn days_away(&self, at: Instant) -> i64 {
        let then = self.local(at).map(|local| local.date());
        then.and_then(|then| self.now.date().until(then).ok()).map_or(0, |span| i64::from(span.get_days()))
    }

    /// A time as a ledger writes it, for people; a text that is not a time stays as it is.
    pub fn local_text(&self, text: &str) -> String {
        Instant::parse(text).map_or_else(|| text.to_owned(), |at| self.date(at))
    }

    /// The day of an instant, for people.
    pub fn day_text(&self, at: Instant) -> String {
        self.local(at).map_or_else(|| at.to_string(), |local| local.strftime("%Y-%m-%d").to_string())
    }

    /// The date and the time of day of an instant.
    fn local(&self, at: Instant) -> Option<DateTime> {
        if let Ok(at) = Timestamp::from_nanosecond(at.wide_nanos()) {
            return Some(at.to_zoned(self.now.time_zone().clone()).datetime());
        }
        let nanos = at.wide_nanos() + i128::from(self.last_offset());
        let (seconds, rest) = (nanos.div_euclid(SECOND.into()), nanos.rem_euclid(SECOND.into()));
        let since = SignedDuration::new(i64::try_from(seconds).ok()?, i32::try_from(rest).ok()?);
        DateTime::constant(1970, 1, 1, 0, 0, 0, 0).checked_add(since).ok()
    }

    /// The instant of a date and a time of day.
    fn at_local(&self, local: DateTime) -> Option<Instant> {
        match local.to_zoned(self.now.time_zone().clone()) {
            Ok(zoned) => instant(&zoned),
            Err(_) => Some(Instant::parse(&format!("{local}Z"))?.plus_nanos(-self.last_offset())),
        }
    }

    /// The offset of the zone where jiff's instants end: a day before the last day of 9999, which people take for "never".
    fn last_offset(&self) -> i64 {
        i64::from(self.now.time_zone().to_offset(Timestamp::MAX).seconds()) * SECOND
    }

    fn day(&self, date: Date) -> Option<Day> {
        let midnight = |date: Date| self.at_local(date.at(0, 0, 0, 0));
        let start = midnight(date)?;
        let end = match date.tomorrow() {
            Ok(next) => midnight(next)?,
            // The last day of all. What is written of it keeps a year of four digits.
            Err(_) => start.plus_nanos(DAY).min(Instant::parse("10000-01-01T00:00:00Z")?),
        };
        Some(Day { start, end })
    }

    /// A date with a time of day: in the zone that it names, otherwise in the user's.
    fn moment(&self, text: &str) -> Option<Instant> {
        let clock = text.get(11..).filter(|clock| !clock.contains('['))?;
        if clock.ends_with(['Z', 'z']) || clock.contains(['+', '-']) {
            return Instant::parse(text);
        }
        self.at_local(text.parse().ok()?)
    }

    /// A day by its name, and a time of day: `tomorrow 17:00`, `friday at 9:30`.
    fn clocked(&self, text: &str, bare: Bare) -> Option<Instant> {
        let (day, clock) = text.rsplit_once(' ')?;
        let (hour, minute) = clock.split_once(':').filter(|(hour, minute)| hour.len() <= 2 && minute.len() == 2)?;
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
        let time = Time::new(number(hour)?, number(minute)?, 0, 0).ok()?;
        let day = day.trim_end();
        self.at_local(self.named(day.strip_suffix(" at").unwrap_or(day).trim_end(), bare)?.to_datetime(time))
    }

    /// The first or the last day of a week, month, quarter or year. Where dates lie ahead, the first day is that of the next one.
    fn bound(&self, text: &str, bare: Bare) -> Option<Date> {
        let today = self.now.date();
        let weekday = i64::from(today.weekday().to_monday_one_offset());
        let quarter = (today.month() - 1) / 3;
        let quarter_start = || Date::new(today.year(), quarter * 3 + 1, 1).ok();
        let (first, length): (Date, Span) = match text.get(2..)? {
            "d" => (today, 1.day()),
            "w" => (today.checked_sub((weekday - 1).days()).ok()?, 7.days()),
            "m" => (today.first_of_month(), 1.month()),
            "q" => (quarter_start()?, 3.months()),
            "y" => (today.first_of_year(), 1.year()),
            _ => return None,
        };
        let next = first.checked_add(length).ok()?;
        match (&text[..2], bare) {
            ("so", Bare::Past) => Some(first),
            ("so", Bare::Future) => Some(next),
            ("eo", _) => next.yesterday().ok(),
            _ => None,
        }
    }

    fn named(&self, text: &str, bare: Bare) -> Option<Date> {
        let today = self.now.date();
        for (words, short) in [("end of ", "eo"), ("start of ", "so"), ("beginning of ", "so")] {
            if let Some(unit) = text.strip_prefix(words) {
                let unit = unit.trim_start_matches("the ").trim_start_matches("this ");
                let is_unit = matches!(unit, "day" | "week" | "month" | "quarter" | "year");
                return is_unit.then(|| self.bound(&format!("{short}{}", &unit[..1]), bare))?;
            }
        }
        if let Some(date) = text.is_ascii().then(|| self.bound(text, bare)).flatten() {
            return Some(date);
        }
        let away = |span: Span| today.checked_add(span).ok();
        match text {
            "today" => return Some(today),
            "tomorrow" => return away(1.day()),
            "yesterday" => return away(-1.day()),
            "next week" => return away(7.days()),
            "last week" => return away(-7.days()),
            "next month" => return away(1.month()),
            "last month" => return away(-1.month()),
            "next year" => return away(1.year()),
            "last year" => return away(-1.year()),
            _ => {}
        }
        if let Some(name) = text.strip_prefix("last ") {
            return today.nth_weekday(-1, weekday(name)?).ok();
        }
        if let Some(name) = text.strip_prefix("next ") {
            return today.nth_weekday(1, weekday(name)?).ok();
        }
        let name = weekday(text.strip_prefix("this ").unwrap_or(text))?;
        match bare {
            Bare::Past if today.weekday() == name => Some(today),
            Bare::Past => today.nth_weekday(-1, name).ok(),
            Bare::Future => today.nth_weekday(1, name).ok(),
        }
    }

    fn relative(&self, text: &str, bare: Bare) -> Option<When> {
        // As git has it: 2.weeks.ago.
        let text = &text.replace('.', " ");
        let said = [("+", 1), ("-", -1), ("in ", 1)]
            .into_iter()
            .find_map(|(word, sign)| Some((text.strip_prefix(word)?, sign)));
        let ends = [(" ago", -1), (" from now", 1), (" hence", 1)];
        let said = said.or_else(|| ends.into_iter().find_map(|(word, sign)| Some((text.strip_suffix(word)?, sign))));
        let (rest, sign) = said.unwrap_or((text, if bare == Bare::Future { 1 } else { -1 }));
        let one = ["a ", "an ", "one "].into_iter().find_map(|word| rest.strip_prefix(word));
        let (count, unit) = match one {
            Some(unit) => (1, unit),
            None => {
                let unit_at = rest.find(|c: char| !c.is_ascii_digit())?;
                (rest[..unit_at].parse::<i64>().ok().filter(|n| *n <= 100_000)?, rest[unit_at..].trim())
            }
        };
        let count = count * sign;
        let (span, is_days) = match unit {
            "m" | "min" | "mins" | "minute" | "minutes" => (Span::new().try_minutes(count), false),
            "h" | "hour" | "hours" => (Span::new().try_hours(count), false),
            "d" | "day" | "days" => (Span::new().try_days(count), true),
            "w" | "week" | "weeks" => (Span::new().try_weeks(count), true),
            "mo" | "month" | "months" => (Span::new().try_months(count), true),
            "y" | "year" | "years" => (Span::new().try_years(count), true),
            _ => return None,
        };
        let then = self.now.checked_add(span.ok()?).ok()?;
        let at = instant(&then)?;
        Some(if is_days { When::DaysAway(at, self.day(then.date())?) } else { When::Moment(at) })
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

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn dates_as_typed() {
        // A Saturday.
        let calendar = Calendar::utc(at("2026-01-10T12:30:00Z"));
        for (text, bare, start, end) in [
            ("2026-03-01", Bare::Future, "2026-03-01T00:00:00.000Z", "2026-03-01T23:59:59.999Z"),
            ("tomorrow", Bare::Future, "2026-01-11T00:00:00.000Z", "2026-01-11T23:59:59.999Z"),
            ("today", Bare::Past, "2026-01-10T00:00:00.000Z", "2026-01-10T23:59:59.999Z"),
            ("Monday", Bare::Future, "2026-01-12T00:00:00.000Z", "2026-01-12T23:59:59.999Z"),
            ("Monday", Bare::Past, "2026-01-05T00:00:00.000Z", "2026-01-05T23:59:59.999Z"),
            ("saturday", Bare::Past, "2026-01-10T00:00:00.000Z", "2026-01-10T23:59:59.999Z"),
            ("last saturday", Bare::Past, "2026-01-03T00:00:00.000Z", "2026-01-03T23:59:59.999Z"),
            ("next saturday", Bare::Future, "2026-01-17T00:00:00.000Z", "2026-01-17T23:59:59.999Z"),
            ("in 2 weeks", Bare::Past, "2026-01-24T12:30:00.000Z", "2026-01-24T23:59:59.999Z"),
            ("7 days ago", Bare::Future, "2026-01-03T12:30:00.000Z", "2026-01-03T23:59:59.999Z"),
            ("2.weeks.ago", Bare::Past, "2025-12-27T12:30:00.000Z", "2025-12-27T23:59:59.999Z"),
            ("an hour ago", Bare::Future, "2026-01-10T11:30:00.000Z", "2026-01-10T11:30:00.000Z"),
            ("3 days from now", Bare::Past, "2026-01-13T12:30:00.000Z", "2026-01-13T23:59:59.999Z"),
            ("eod", Bare::Future, "2026-01-10T00:00:00.000Z", "2026-01-10T23:59:59.999Z"),
            ("EOW", Bare::Future, "2026-01-11T00:00:00.000Z", "2026-01-11T23:59:59.999Z"),
            ("eom", Bare::Future, "2026-01-31T00:00:00.000Z", "2026-01-31T23:59:59.999Z"),
            ("end of the month", Bare::Past, "2026-01-31T00:00:00.000Z", "2026-01-31T23:59:59.999Z"),
            ("eoq", Bare::Past, "2026-03-31T00:00:00.000Z", "2026-03-31T23:59:59.999Z"),
            ("eoy", Bare::Future, "2026-12-31T00:00:00.000Z", "2026-12-31T23:59:59.999Z"),
            ("sow", Bare::Past, "2026-01-05T00:00:00.000Z", "2026-01-05T23:59:59.999Z"),
            ("sow", Bare::Future, "2026-01-12T00:00:00.000Z", "2026-01-12T23:59:59.999Z"),
            ("start of month", Bare::Past, "2026-01-01T00:00:00.000Z", "2026-01-01T23:59:59.999Z"),
            ("som", Bare::Future, "2026-02-01T00:00:00.000Z", "2026-02-01T23:59:59.999Z"),
            ("this monday", Bare::Future, "2026-01-12T00:00:00.000Z", "2026-01-12T23:59:59.999Z"),
            ("next year", Bare::Future, "2027-01-10T00:00:00.000Z", "2027-01-10T23:59:59.999Z"),
            ("tomorrow 17:00", Bare::Future, "2026-01-11T17:00:00.000Z", "2026-01-11T17:00:00.000Z"),
            ("Monday at 9:30", Bare::Future, "2026-01-12T09:30:00.000Z", "2026-01-12T09:30:00.000Z"),
            ("3d", Bare::Future, "2026-01-13T12:30:00.000Z", "2026-01-13T23:59:59.999Z"),
            ("3d", Bare::Past, "2026-01-07T12:30:00.000Z", "2026-01-07T23:59:59.999Z"),
            ("+2w", Bare::Past, "2026-01-24T12:30:00.000Z", "2026-01-24T23:59:59.999Z"),
            ("-6h", Bare::Future, "2026-01-10T06:30:00.000Z", "2026-01-10T06:30:00.000Z"),
            ("2026-03-01T10:00:00+02:00", Bare::Past, "2026-03-01T08:00:00.000Z", "2026-03-01T08:00:00.000Z"),
            ("2026-03-01 10:00", Bare::Past, "2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"),
            ("9999-12-30", Bare::Future, "9999-12-30T00:00:00.000Z", "9999-12-30T23:59:59.999Z"),
            ("9999-12-31", Bare::Future, "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
            ("9999-12-31 23:59", Bare::Future, "9999-12-31T23:59:00.000Z", "9999-12-31T23:59:00.000Z"),
        ] {
            let found = calendar.parse(text, bare).map(|when| (when.start().to_string(), when.end().to_string()));
            assert_eq!(found, Some((start.to_owned(), end.to_owned())), "{text}");
        }
        for bad in [
            "",
            " ",
            "soon",
            "2026-02-30",
            "2026-13-01",
            "3",
            "3x",
            "+",
            "99999999999999999d",
            "d",
            "20260301",
            "2026-03-01T25:00",
            "2026-03-01T10:00:00+99",
            "last",
            "next",
            "in 2 weeks ago",
            "+2w ago",
            "in",
            "ago",
            "a ago",
            "eo",
            "eox",
            "xom",
            "end of",
            "end of time",
            "tomorrow 25:00",
            "tomorrow 9",
            "tomorrow +1:00",
            "éom",
            "2026-03-01T",
            "ééééé",
        ] {
            assert_eq!(calendar.parse(bad, Bare::Past), None, "{bad}");
        }
        assert_eq!(calendar.back("2w"), Instant::parse("2025-12-27T12:30:00Z"));
        for bad in ["", "-2w", "+2w", "today", "2026-01-01", "2"] {
            assert_eq!(calendar.back(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_last_day_of_all_is_a_day_in_every_zone() {
        for (zone, start, end) in [
            ("UTC0", "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "9999-12-30T23:00:00.000Z", "9999-12-31T22:59:59.999Z"),
            ("EST5", "9999-12-31T05:00:00.000Z", "9999-12-31T23:59:59.999Z"),
            ("LINT-14", "9999-12-30T10:00:00.000Z", "9999-12-31T09:59:59.999Z"),
        ] {
            let calendar = Calendar::new(at("2026-01-10T12:30:00Z"), TimeZone::posix(zone).unwrap());
            let day = calendar.day_of("9999-12-31").unwrap();
            assert_eq!((day.start.to_string(), day.last().to_string()), (start.to_owned(), end.to_owned()), "{zone}");
            assert_eq!(
                (calendar.date(day.start), calendar.date(day.last())),
                ("9999-12-31".into(), "9999-12-31".into())
            );
            let noon = calendar.parse("9999-12-31 12:00", Bare::Future).unwrap().start();
            assert_eq!(calendar.full(noon), "9999-12-31 12:00", "{zone}");
        }
    }

    #[test]
    fn how_far_away_a_time_is() {
        let calendar = Calendar::utc(at("2026-01-10T12:30:00Z"));
        for (then, away, due) in [
            ("2026-01-10T12:30:10Z", "now", "due today"),
            ("2026-01-10T12:50:00Z", "in 20 min", "due today"),
            ("2026-01-10T10:00:00Z", "2 h ago", "overdue"),
            ("2026-01-11T03:30:00Z", "tomorrow", "due tomorrow"),
            ("2026-01-10T23:59:59Z", "in 11 h", "due today"),
            ("2026-01-09T23:59:59Z", "yesterday", "overdue since yesterday"),
            ("2026-01-13T23:59:59Z", "in 3 days", "due in 3 days"),
            ("2026-01-01T00:00:00Z", "9 days ago", "overdue by 9 days"),
            ("2026-03-01T23:59:59Z", "", "due 2026-03-01"),
            ("9999-12-31T23:59:59Z", "", "due 9999-12-31"),
        ] {
            let said = (calendar.away(at(then)).unwrap_or_default(), calendar.due(at(then)).0);
            assert_eq!(said, (away.into(), due.into()), "{then}");
        }
    }

    #[test]
    fn a_day_is_one_of_the_users_zone() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let calendar = Calendar::new(at("2026-03-28T23:30:00Z"), berlin);
        // Already the 29th there, which has 23 hours: summer time begins.
        let today = calendar.parse("today", Bare::Future).and_then(When::day).unwrap();
        assert_eq!(today, Day { start: at("2026-03-28T23:00:00Z"), end: at("2026-03-29T22:00:00Z") });
        assert_eq!(calendar.date(today.start), "2026-03-29");
        assert_eq!(calendar.date(today.last()), "2026-03-29");
        assert_eq!(calendar.date(at("2026-03-29T21:59:59Z")), "2026-03-29");
        assert_eq!(calendar.date(at("2026-03-29T15:00:00Z")), "2026-03-29 17:00");
        assert_eq!(calendar.full(today.last()), "2026-03-29 23:59");
        assert_eq!(calendar.short(at("2026-03-29T15:00:00Z")), "17:00");
        let typed = calendar.parse("2026-07-01 17:00", Bare::Future);
        assert_eq!(typed, Some(When::Moment(at("2026-07-01T15:00:00Z"))), "a time without a zone is local");
    }
}
