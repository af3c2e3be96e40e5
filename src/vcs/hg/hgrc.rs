//! The settings of hg and sl. `%include` is not followed: it may name any file, and the settings needed here are rarely
//! in one.

use std::path::{Path, PathBuf};

use crate::sys::Env;
use crate::vcs::layout::hg::common_dir;
use crate::vcs::{Facts, Kind, Remote, files};

/// The facts in the settings; hg leaves no trace of a push.
pub(super) fn facts(kind: Kind, root: &Path, env: &Env) -> Facts {
    let settings = Settings::read(kind, root, env);
    Facts {
        kind,
        role: settings.get("beads", "role").map(|role| (role.to_owned(), format!("{kind} config beads.role"))),
        email: settings.get("ui", "username").and_then(email),
        remotes: settings.remotes(),
        addresses: settings.addresses(),
        pushed: None,
    }
}

/// The address in `Name <address>`, or a name that is an address.
fn email(user: &str) -> Option<String> {
    let address = match user.split_once('<') {
        Some((_, rest)) => rest.split('>').next().unwrap_or(rest).trim(),
        None => user.trim(),
    };
    address.contains('@').then(|| address.to_owned())
}

/// Sections, names and values in the order of the files; the last value of a name wins.
#[derive(Debug, Default)]
pub(crate) struct Settings(Vec<(String, String, String)>);

impl Settings {
    pub(crate) fn read(kind: Kind, root: &Path, env: &Env) -> Self {
        let mut settings = Settings::default();
        for path in paths(kind, root, env) {
            files::text(&path).into_iter().for_each(|text| settings.add(&text));
        }
        settings
    }

    /// The value of a name, unless it is empty.
    pub(crate) fn get(&self, section: &str, name: &str) -> Option<&str> {
        let value = self.0.iter().rev().find(|(s, n, _)| s == section && n == name);
        value.map(|(_, _, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The content of one file.
    pub(crate) fn of(text: &str) -> Self {
        let mut settings = Settings::default();
        settings.add(text);
        settings
    }

    /// Sections, names and values, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.0.iter().map(|(section, name, value)| (section.as_str(), name.as_str(), value.as_str()))
    }

    /// Adds the text of a file. A line that begins with a space continues the value before it.
    fn add(&mut self, text: &str) {
        let (mut section, mut open) = (String::new(), false);
        for line in text.lines() {
            let trimmed = line.trim();
            if trimmed.is_empty() {
                open = false;
            } else if trimmed.starts_with(['#', ';', '%']) {
                if let Some(name) = line.strip_prefix("%unset") {
                    self.0.retain(|(s, n, _)| *s != section || n != name.trim());
                }
            } else if open && line.starts_with([' ', '\t']) {
                if let Some((_, _, value)) = self.0.last_mut() {
                    value.push('\n');
                    value.push_str(trimmed);
                }
            } else if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                (section, open) = (name.to_owned(), false);
            } else if let Some((name, value)) = line.split_once('=') {
                self.0.push((section.clone(), name.trim().to_owned(), value.trim().to_owned()));
                open = true;
            }
        }
    }

    /// The addresses of all paths, and of their sub-options that are addresses.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let is_address = |name: &str| name.split_once(':').is_none_or(|(_, detail)| detail == "pushurl");
        let paths = self.0.iter().filter(|(section, name, _)| section == "paths" && is_address(name));
        paths.map(|(_, _, value)| value.clone()).collect()
    }

    /// `default` corresponds to git's `origin`. A name with a colon is a sub-option of another.
    fn remotes(&self) -> Vec<Remote> {
        let mut found: Vec<Remote> = Vec::new();
        let paths = self.0.iter().filter(|(section, name, _)| section == "paths" && !name.contains(':'));
        for (_, key, _) in paths {
            let name = if key == "default" { "origin" } else { key };
            if let Some(url) = self.get("paths", key).filter(|_| found.iter().all(|remote| remote.name != name)) {
                found.push(Remote { name: name.to_owned(), url: url.to_owned() });
            }
        }
        found.sort_by_key(|remote| remote.name != "origin");
        found
    }
}

/// The files of the machine, the user and the repository, later ones winning.
fn paths(kind: Kind, root: &Path, env: &Env) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    match (kind, env.var_os("HGRCPATH")) {
        (Kind::Sl, _) => {
            paths.push("/etc/sapling/system.rc".into());
            paths.extend(env.config_home().map(|dir| dir.join("sapling/sapling.conf")));
        }
        (_, Some(list)) => std::env::split_paths(list).for_each(|path| paths.extend(files::listed(path, "rc"))),
        (_, None) => {
            paths.push("/etc/mercurial/hgrc".into());
            paths.extend(files::listed("/etc/mercurial/hgrc.d".into(), "rc"));
            paths.extend(env.home().map(|home| home.join(".hgrc")));
            paths.extend(env.config_home().map(|dir| dir.join("hg/hgrc")));
        }
    }
    paths.extend(own_paths(kind, root));
    paths
}

/// The files of the repository alone.
pub(super) fn own_paths(kind: Kind, root: &Path) -> Vec<PathBuf> {
    let (own, name) = if kind == Kind::Sl { (root.join(".sl"), "config") } else { (root.join(".hg"), "hgrc") };
    let common = common_dir(&own).unwrap_or_else(|| own.clone());
    vec![common.join(name), own.join(name), own.join("hgrc-not-shared")]
}
