//! Creating a state home and files in it.

use std::path::Path;

use crate::sys::fs::FsError;
use crate::sys::{Entropy, below, fs};

pub(in crate::store) const IGNORE_NAME: &str = ".gitignore";

/// Creates the state home if it is missing; one inside `.beads` is excluded from version control.
pub fn prepare(home: &Path) -> Result<(), FsError> {
    let (above, name) = below::parted(home);
    // The parent must exist, unless it is the user's own.
    if !above.exists() {
        below::make_own(above)?;
    }
    below::make(above, name)?;
    let inside_beads = home.parent().and_then(Path::file_name).is_some_and(|name| name == crate::store::BEADS_DIR);
    if !inside_beads {
        return Ok(());
    }
    match below::text(home, IGNORE_NAME)? {
        Some(text)
            if text.lines().any(|line| line.trim() == "*")
                && !text.lines().any(|line| line.trim().starts_with('!')) =>
        {
            Ok(())
        }
        // Someone else's ignore file, perhaps committed: the state home would be committed too.
        Some(_) => {
            let odd = std::io::Error::other("its .gitignore does not keep it out of version control; it must say *");
            Err(FsError::new("use", home, odd))
        }
        None => below::put_new(home, IGNORE_NAME, b"*\n").map(drop),
    }
}

/// Creates a small file with these bytes, or fills an empty one. `false` if another process was faster, or if the file
/// has content.
pub(in crate::store) fn fill(directory: &Path, name: &str, bytes: &[u8], entropy: &Entropy) -> Result<bool, FsError> {
    let dir = fs::Dir::root(directory)?;
    if dir.create(name, bytes, entropy)? {
        return Ok(true);
    }
    let found = dir.read(Path::new(name), below::SMALL)?;
    if !String::from_utf8_lossy(&found.bytes).chars().all(is_blank) {
        return Ok(false);
    }
    dir.put_after(name, bytes, Some(&found.stamp), entropy)
}

/// A crash leaves these in a file that was not synced.
pub(in crate::store) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}
