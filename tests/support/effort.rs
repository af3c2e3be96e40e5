//! How much a test tries. `docs/evidence.md` has the table of what each level runs.

use std::io::Write as _;
use std::sync::OnceLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The level of `cargo test`: nearly every test, each as briefly as it can still fail.
    Smoke,
    /// The level of `.ci/run` (`CI=true`).
    Ci,
    /// The figures of `docs/evidence.md` (`BD_PROOF=full`).
    Full,
}

/// `BD_PROOF=smoke|ci|full` decides; without it, `CI=true` asks for `Ci`.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| match std::env::var("BD_PROOF").as_deref() {
        Ok("full") => Level::Full,
        Ok("ci") => Level::Ci,
        Ok("smoke") => Level::Smoke,
        Ok(other) => panic!("BD_PROOF is {other:?}; it must be smoke, ci or full"),
        Err(_) if std::env::var("CI").as_deref() == Ok("true") => Level::Ci,
        Err(_) => Level::Smoke,
    })
}

/// Whether this test is not for the level of this run: it takes long, because it starts slow programs many times. It is named
/// where a person sees it.
pub fn left_to_ci() -> bool {
    if level() == Level::Smoke {
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        let _ = writeln!(std::io::stderr(), "left to CI: {test}");
    }
    level() == Level::Smoke
}

pub fn is_full() -> bool {
    level() == Level::Full
}

/// The value of this run's level.
pub fn pick<T>(smoke: T, ci: T, full: T) -> T {
    match level() {
        Level::Smoke => smoke,
        Level::Ci => ci,
        Level::Full => full,
    }
}
