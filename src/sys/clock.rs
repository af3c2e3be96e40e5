//! The current time.

use std::env::VarError;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;

use super::Env;
use crate::model::lease::{Now, Ticks};
use crate::model::time::{Instant, SECOND};
use crate::model::when::Calendar;

/// The wall clock, or for tests a fixed moment or a clock that is off by some seconds.
#[derive(Debug, Clone)]
pub enum Clock {
    System,
    Fixed(Instant),
    Wrong(i64),
}

impl Clock {
    pub(super) fn from_env(env: &Env) -> Self {
        if let Some(fixed) = env.var("BD_TEST_NOW").and_then(|text| Instant::parse(&text)) {
            return Clock::Fixed(fixed);
        }
        env.var("BD_TEST_SHIFT").and_then(|text| text.parse().ok()).map_or(Clock::System, Clock::Wrong)
    }

    pub fn now(&self) -> Instant {
        match self {
            Clock::System => realtime(),
            Clock::Fixed(instant) => *instant,
            Clock::Wrong(seconds) => realtime().plus_nanos(seconds.saturating_mul(SECOND)),
        }
    }

    /// Now, also on the monotonic clock if the system has one and distinguishes its boots.
    pub fn both(&self) -> Now {
        let ticks = match self {
            Clock::Fixed(_) => None,
            Clock::System | Clock::Wrong(_) => ticks(),
        };
        Now { wall: self.now(), ticks }
    }

    /// Now, in the user's time zone: from `TZ`, else from the system.
    pub fn calendar(&self) -> Calendar {
        Calendar::new(self.now(), zone())
    }
}

/// The user's time zone. jiff finds a zone by name among all zone files; usually reading the one file is enough.
fn zone() -> TimeZone {
    const LASTS: Duration = Duration::from_secs(5 * 60);
    static READ: Mutex<Option<(std::time::Instant, TimeZone)>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    match &*read {
        Some((at, zone)) if at.elapsed() < LASTS => zone.clone(),
        _ => {
            let zone = zone_in_file().unwrap_or_else(TimeZone::system);
            *read = Some((std::time::Instant::now(), zone.clone()));
            zone
        }
    }
}

fn zone_in_file() -> Option<TimeZone> {
    let (name, file) = match std::env::var("TZ") {
        Err(VarError::NotPresent) => {
            let file = PathBuf::from("/etc/localtime");
            let link = std::fs::read_link(&file).ok()?;
            (link.to_str()?.split_once("zoneinfo/")?.1.to_owned(), file)
        }
        // Anything else may be a rule, a path, or a zone stored elsewhere: leave it to jiff.
        Ok(name) if name == "UTC" || name.contains('/') && !name.contains([':', ',', '.']) => {
            let file = Path::new("/usr/share/zoneinfo").join(&name);
            (name, file)
        }
        _ => return None,
    };
    TimeZone::tzif(&name, &std::fs::read(file).ok()?).ok()
}

/// The id of the machine's current boot, which Linux reports. It does not change during a process.
pub fn boot() -> Option<String> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        use std::io::Read as _;
        // A UUID.
        let mut id = [0; 36];
        std::fs::File::open("/proc/sys/kernel/random/boot_id").ok()?.read_exact(&mut id).ok()?;
        Some(String::from_utf8_lossy(&id).into_owned())
    };
    BOOT.get_or_init(read).clone()
}

#[cfg(target_os = "linux")]
fn ticks() -> Option<Ticks> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Some(Ticks { boot: boot()?, millis: time.tv_sec.saturating_mul(1000).saturating_add(time.tv_nsec / 1_000_000) })
}

#[cfg(not(target_os = "linux"))]
fn ticks() -> Option<Ticks> {
    None
}

/// Converts a moment for other programs.
pub fn to_system(at: Instant) -> SystemTime {
    let nanos = at.wide_nanos();
    let size = nanos.unsigned_abs();
    let (seconds, rest) = (size / 1_000_000_000, size % 1_000_000_000);
    let size = Duration::new(seconds as u64, rest as u32);
    if nanos < 0 { UNIX_EPOCH - size } else { UNIX_EPOCH + size }
}

/// The reverse.
pub fn from_system(at: SystemTime) -> Instant {
    let wide = |size: Duration| i128::try_from(size.as_nanos()).unwrap_or(i128::MAX);
    Instant::from_wide_nanos(match at.duration_since(UNIX_EPOCH) {
        Ok(after) => wide(after),
        Err(before) => -wide(before.duration()),
    })
}

/// The machine's clock, which tests cannot fix.
pub(super) fn realtime() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
