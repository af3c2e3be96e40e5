//! Change notifications for directories: the only code that uses the library for them.

use std::path::{Path, PathBuf};

/// A message from the listening thread.
#[derive(Debug)]
pub(super) enum Heard {
    #[cfg_attr(not(feature = "watch"), expect(dead_code, reason = "nobody tells"))]
    Paths { paths: Vec<PathBuf>, moved: bool },
    /// Events were lost.
    #[cfg_attr(not(feature = "watch"), expect(dead_code, reason = "nobody tells"))]
    Unsure,
    /// Another thread called.
    Called,
}

#[cfg(feature = "watch")]
mod events {
    use notify::event::ModifyKind;
    use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

    use super::{Heard, Path};

    /// The watched directories.
    #[derive(Debug)]
    pub(crate) struct System(RecommendedWatcher);

    impl System {
        /// Starts a listening thread; the error says why it cannot.
        pub(crate) fn start(tell: impl Fn(Heard) + Send + 'static) -> Result<Self, String> {
            let listener = move |event: notify::Result<Event>| match event {
                // Reading is not a change; without this a reader would wake itself.
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
                Ok(event) if event.need_rescan() => tell(Heard::Unsure),
                Ok(event) => {
                    let moved = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
                    tell(Heard::Paths { paths: event.paths, moved });
                }
                Err(_) => tell(Heard::Unsure),
            };
            notify::recommended_watcher(listener).map(System).map_err(|error| error.to_string())
        }

        pub(crate) fn watch(&mut self, directory: &Path) -> Result<(), String> {
            self.0.watch(directory, RecursiveMode::NonRecursive).map_err(|error| error.to_string())
        }

        /// An unknown directory is fine.
        pub(crate) fn unwatch(&mut self, directory: &Path) {
            let _ = self.0.unwatch(directory);
        }
    }
}

#[cfg(not(feature = "watch"))]
mod events {
    use super::{Heard, Path};

    /// Without support there is no value of this type.
    #[derive(Debug)]
    pub(in crate::sys) enum System {}

    impl System {
        pub(in crate::sys) fn start(_: impl Fn(Heard) + Send + 'static) -> Result<Self, String> {
            Err("built without the feature `watch`".to_owned())
        }

        pub(in crate::sys) fn watch(&mut self, _: &Path) -> Result<(), String> {
            match *self {}
        }

        pub(in crate::sys) fn unwatch(&mut self, _: &Path) {
            match *self {}
        }
    }
}

pub(super) use events::System;
