//! What can go wrong with hooks.

use std::path::PathBuf;

#[derive(Debug, Clone, thiserror::Error)]
pub enum HookError {
    #[error("no hooks of bd are installed here")]
    NotInstalled,
    #[error("{} was made by bd and then changed by hand; left alone", path.display())]
    Edited { path: PathBuf },
    #[error("{} is in the way: it already holds a replaced hook", path.display())]
    InTheWay { path: PathBuf },
    #[error("merge.bd is set already, to something that is not ours: {value}")]
    OtherDriver { value: String },
    #[error("{} is a link to {}, outside of this repository; hooks are not put in through it", path.display(), target.display())]
    LeadsOut { path: PathBuf, target: PathBuf },
    #[error("core.hooksPath is set elsewhere and wins over this repository's own setting")]
    Overruled,
}
