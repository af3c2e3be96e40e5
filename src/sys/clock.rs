//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;

use super::Env;
use crate::model::time::Instant;
use crate::model::when::Calendar;

/// The wall clock, or a fixed moment for tests.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Fixed(Instant),
}

impl Clock {
    pub(super) fn from_env(env: &Env) -> Self {
        env.var("BD_TEST_NOW").and_then(|text| Instant::parse(&text)).map_or(Clock::System, Clock::Fixed)
    }

    pub fn now(&self) -> Instant {
        match self {
            Clock::System => realtime(),
            Clock::Fixed(instant) => *instant,
        }
    }

    /// Now, in the user's time zone (UTC when the clock is fixed).
    pub fn calendar(&self) -> Calendar {
        match self {
            Clock::System => Calendar::new(self.now(), TimeZone::system()),
            Clock::Fixed(instant) => Calendar::utc(*instant),
        }
    }
}

/// The clock that stamps files, which no test can fix.
pub(super) fn realtime() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
