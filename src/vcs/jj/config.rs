//! The settings of jj. Tables with a condition (`--when`, `--scope`) are not read.

use std::path::{Path, PathBuf};

use toml::Table;

use crate::sys::Env;
use crate::vcs::layout::jj::{git_target, repo_dir};
use crate::vcs::{Facts, Kind, files, git};

/// The git repository's settings, overridden by jj's own.
pub(super) fn facts(dot_jj: &Path, env: &Env) -> Facts {
    let facts = git_target(dot_jj).map(|target| git::facts(&target, env)).unwrap_or_default();
    let files = tables(dot_jj, env);
    let text = |section: &str, key: &str| {
        let find = |file: &Table| Some(file.get(section)?.get(key)?.as_str()?.to_owned());
        files.iter().rev().find_map(find).filter(|value| !value.trim().is_empty())
    };
    let role = text("beads", "role").map(|role| (role, "jj config beads.role".to_owned()));
    Facts { kind: Kind::Jj, role: role.or(facts.role), email: text("user", "email").or(facts.email), ..facts }
}

/// Whether jj knows the user's name and email here.
pub(super) fn identity(dot_jj: &Path, env: &Env) -> (bool, bool) {
    let files = tables(dot_jj, env);
    let known = |key: &str| {
        let has = |file: &Table| file.get("user")?.get(key)?.as_str().map(|value| !value.is_empty());
        let variable = if key == "name" { "JJ_USER" } else { "JJ_EMAIL" };
        env.var(variable).is_some() || files.iter().rev().find_map(has).unwrap_or(false)
    };
    (known("name"), known("email"))
}

/// The files of the user, the repository and the workspace, later ones winning. The last two are stored beside the
/// user's, under an id in the repository; an older jj keeps them in the repository.
fn tables(dot_jj: &Path, env: &Env) -> Vec<Table> {
    let settings = env.config_home().map(|dir| dir.join("jj"));
    let mut paths: Vec<PathBuf> = match env.var_os("JJ_CONFIG") {
        Some(list) => std::env::split_paths(list).flat_map(|path| files::listed(path, "toml")).collect(),
        None => {
            let home = env.home().map(|home| home.join(".jjconfig.toml"));
            let own = settings.iter().flat_map(|dir| {
                let parts = files::listed(dir.join("conf.d"), "toml");
                std::iter::once(dir.join("config.toml")).chain(parts)
            });
            home.into_iter().chain(own).collect()
        }
    };
    let kept = |folder: &str, id: PathBuf| {
        let id = files::text(&id)?;
        let id = id.trim();
        let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        plain.then_some(settings.as_ref()?.join(folder).join(id).join("config.toml"))
    };
    if let Some(repo) = repo_dir(dot_jj) {
        paths.push(repo.join("config.toml"));
        paths.extend(kept("repos", repo.join("config-id")));
    }
    paths.push(dot_jj.join("workspace-config.toml"));
    paths.extend(kept("workspaces", dot_jj.join("workspace-config-id")));
    paths.iter().filter_map(|path| files::text(path)?.parse().ok()).collect()
}
