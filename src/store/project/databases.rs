//! Databases that the original left in a `.beads` directory.

use std::path::{Path, PathBuf};

use crate::sys::fs::Dir;

/// The text of a placeholder, which is none.
pub(super) const TEXT: &str = "This is not a database: the issues are in the .jsonl file beside it. bd touches this file after each \
                               write, for clients that watch it; `bd config set legacy.db false` removes it.\n";
const DOLT_NAMES: [&str; 2] = ["dolt", "embeddeddolt"];

/// All of them: of SQLite up to 0.50, of Dolt since then.
pub fn databases(beads: &Path) -> Vec<PathBuf> {
    if let Some(database) = beads.to_str().and_then(|text| text.strip_suffix(".db.beads")) {
        // A ledger of its own, beside the database that it is named after.
        let database = PathBuf::from(format!("{database}.db"));
        let is_filled = database.metadata().is_ok_and(|data| data.is_file() && data.len() > 0);
        return if is_filled { vec![database] } else { Vec::new() };
    }
    let Ok(dir) = Dir::root(beads) else { return Vec::new() };
    let is_filled = |name: &str| beads.join(name).metadata().is_ok_and(|data| data.is_file() && data.len() > 0);
    let is_old = |name: &String| match name.ends_with(".db") {
        true => is_filled(name) && !dir.starts_with(name, TEXT.as_bytes()),
        false => DOLT_NAMES.contains(&name.as_str()) && beads.join(name).is_dir(),
    };
    dir.names().unwrap_or_default().into_iter().filter(is_old).map(|name| beads.join(name)).collect()
}
