//! Where state that is nobody's ledger lives: the user's directories, and the state home of a repository.

use std::path::{Path, PathBuf};

use super::settings::CONFIG_NAME;
use crate::sys::Env;
use crate::vcs;

/// The user's settings.
pub fn user_config(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_CONFIG_HOME", ".config")
}

/// What this user's machine remembers for all projects.
pub fn user_state(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_STATE_HOME", ".local/state")
}

fn xdg(env: &Env, variable: &str, usual: &str) -> Option<PathBuf> {
    let base = env.var(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    base.or_else(|| env.home().map(|home| home.join(usual))).map(|base| base.join("beads"))
}

/// The directory for what all checkouts of a repository share and nobody commits: `BD_STATE_DIR`, else in the directory
/// that version control shares between checkouts, else `.beads/run`.
pub fn state_home(beads: &Path, env: &Env) -> PathBuf {
    if let Some(named) = env.var("BD_STATE_DIR") {
        return env.path(&named);
    }
    let own = beads.join("run");
    match vcs::common_dir(beads).map(|common| common.join("beads")) {
        // Version control came after the settings: they stay in effect where they are.
        Some(shared) if own.join(CONFIG_NAME).exists() && !shared.join(CONFIG_NAME).exists() => own,
        Some(shared) => shared,
        None => own,
    }
}

/// Makes the state home if it is not there; one inside `.beads` keeps itself out of version control.
pub fn prepare(home: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(home)?;
    let inside_beads = home.parent().and_then(Path::file_name).is_some_and(|name| name == super::BEADS_DIR);
    let ignore = home.join(".gitignore");
    if inside_beads && !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(())
}
