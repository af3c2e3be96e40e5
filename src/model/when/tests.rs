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
        assert_eq!((calendar.date(day.start), calendar.date(day.last())), ("9999-12-31".into(), "9999-12-31".into()));
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
        let shown = (calendar.away(at(then)).unwrap_or_default(), calendar.due(at(then)).0);
        assert_eq!(shown, (away.into(), due.into()), "{then}");
    }
}

#[test]
fn a_day_is_one_of_the_users_zone() {
    let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let calendar = Calendar::new(at("2026-03-28T23:30:00Z"), berlin);
    // Already the 29th there, a day of 23 hours: summer time begins.
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
