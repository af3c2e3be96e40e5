//! Dates as people type and read them, in their own time zone.
//!
//! The only parser for typed dates (`2026-03-01`, `tomorrow`, `friday`, `eom`, `3d`, `in 2 weeks`, `7 days ago`,
//! `2026-03-01 17:00`, RFC 3339), and the only code that prints times for people. A date without a time is a whole day,
//! from its first moment to its last.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};

use super::time::{DAY, Instant, MILLI, SECOND};

/// The direction of a duration without a sign, or of a weekday's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// `3d` is three days ago, `friday` the last one (created, updated, closed).
    Past,
    /// `3d` is in three days, `friday` the next one (due, defer).
    Future,
}

/// A day in the user's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub start: Instant,
    /// The first moment after it.
    pub end: Instant,
}

impl Day {
    /// Its last millisecond: ledgers write milliseconds.
    pub fn last(self) -> Instant {
        self.end.plus_nanos(-MILLI)
    }
}

/// The meaning of a typed date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// A time of day, or a number of hours or minutes.
    Moment(Instant),
    /// A date: `today`, `friday`, `2026-03-01`.
    Day(Day),
    /// A number of whole days from now: the moment at this time of day, and the day.
    DaysAway(Instant, Day),
}

impl When {
    /// The moment where something begins.
    pub fn start(self) -> Instant {
        match self {
            When::Moment(at) | When::DaysAway(at, _) => at,
            When::Day(day) => day.start,
        }
    }

    /// The moment where something ends: without a time of day, the end of the day.
    pub fn end(self) -> Instant {
        match self {
            When::Moment(at) => at,
            When::Day(day) | When::DaysAway(_, day) => day.last(),
        }
    }

    /// The day, if no time of day was given.
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

/// Whether a text is such a date.
pub fn is_day(text: &str) -> bool {
    date_alone(text).is_some()
}

/// The current time, and the zone in which days begin.
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

    /// The meaning of a text; `None` if it is not a date.
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

    /// The instant that is a duration ago, such as `30d`; `None` if it is not a duration.
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

    /// The distance to an instant, for people: in days, or within a day in hours and minutes. `None` where a date is
    /// clearer.
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

    pub fn is_ahead(&self, at: Instant) -> bool {
        at.wide_nanos() > i128::from(self.now_nanos())
    }

    /// When something is due, for a mark in a list, and whether that has passed.
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

    /// The number of midnights between now and an instant.
    fn days_away(&self, at: Instant) -> i64 {
        let then = self.local(at).map(|local| local.date());
        then.and_then(|then| self.now.date().until(then).ok()).map_or(0, |span| i64::from(span.get_days()))
    }

    /// A time of a ledger, for people; other text is returned unchanged.
    pub fn local_text(&self, text: &str) -> String {
        Instant::parse(text).map_or_else(|| text.to_owned(), |at| self.date(at))
    }

    /// A text in which times are local.
    pub fn local_times(&self, text: &str) -> String {
        let word = |word: &str| match word.len() > 18 && word.ends_with('Z') {
            true => Instant::parse(word).map_or_else(|| word.to_owned(), |at| self.short(at)),
            false => word.to_owned(),
        };
        let part = |part: &str| {
            let end = part.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
            format!("{}{}", word(&part[..end]), &part[end..])
        };
        text.split_inclusive(char::is_whitespace).map(part).collect()
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

    /// The zone's offset near the end of jiff's range: a day before the last day of 9999, which people use for "never".
    fn last_offset(&self) -> i64 {
        i64::from(self.now.time_zone().to_offset(Timestamp::MAX).seconds()) * SECOND
    }

    fn day(&self, date: Date) -> Option<Day> {
        let midnight = |date: Date| self.at_local(date.at(0, 0, 0, 0));
        let start = midnight(date)?;
        let end = match date.tomorrow() {
            Ok(next) => midnight(next)?,
            // The last day of all. Its end is still written with a year of four digits.
            Err(_) => start.plus_nanos(DAY).min(Instant::parse("10000-01-01T00:00:00Z")?),
        };
        Some(Day { start, end })
    }

    /// A date with a time of day, in the zone that it names or else the user's.
    fn moment(&self, text: &str) -> Option<Instant> {
        let clock = text.get(11..).filter(|clock| !clock.contains('['))?;
        if clock.ends_with(['Z', 'z']) || clock.contains(['+', '-']) {
            return Instant::parse(text);
        }
        self.at_local(text.parse().ok()?)
    }

    /// A day's name with a time of day: `tomorrow 17:00`, `friday at 9:30`.
    fn clocked(&self, text: &str, bare: Bare) -> Option<Instant> {
        let (day, clock) = text.rsplit_once(' ')?;
        let (hour, minute) = clock.split_once(':').filter(|(hour, minute)| hour.len() <= 2 && minute.len() == 2)?;
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
        let time = Time::new(number(hour)?, number(minute)?, 0, 0).ok()?;
        let day = day.trim_end();
        self.at_local(self.named(day.strip_suffix(" at").unwrap_or(day).trim_end(), bare)?.to_datetime(time))
    }

    /// The first or last day of a week, month, quarter or year. With future dates, the first day is that of the next
    /// one.
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
        // git's spelling: 2.weeks.ago.
        let text = &text.replace('.', " ");
        let signed = [("+", 1), ("-", -1), ("in ", 1)]
            .into_iter()
            .find_map(|(word, sign)| Some((text.strip_prefix(word)?, sign)));
        let ends = [(" ago", -1), (" from now", 1), (" hence", 1)];
        let signed =
            signed.or_else(|| ends.into_iter().find_map(|(word, sign)| Some((text.strip_suffix(word)?, sign))));
        let (rest, sign) = signed.unwrap_or((text, if bare == Bare::Future { 1 } else { -1 }));
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
mod tests;
