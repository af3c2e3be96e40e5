//! Other repositories that git reaches from this one: remotes that are paths, and submodules.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::settings::Named;
use super::{Place, Role, Search, real};
use crate::sys::Env;
use crate::vcs::files::decoded;
use crate::vcs::gate::Verdict;
use crate::vcs::tracked;

/// The limit for nested submodules, and for their names.
const DEPTH: usize = 12;
/// git's candidates, in order, for a remote that is a path.
const SUFFIXES: [&str; 4] = ["/.git", "", ".git/.git", ".git"];
/// The hooks that run on the receiving side of a push.
const RECEIVING: [&str; 8] = [
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "pre-auto-gc",
];
/// The prefix of a finding about a hook.
const HOOK: &str = "hook ";

impl Search<'_> {
    /// Remotes in separate files: no program writes them any more, but git still reads them.
    pub(super) fn old_remotes(&mut self, place: &Place<'_>, common: &Path) {
        for directory in ["remotes", "branches"] {
            for entry in std::fs::read_dir(common.join(directory)).into_iter().flatten().flatten() {
                let name = entry.file_name();
                self.verdict.asks.insert(place.line(&format!("{directory}/{} names a remote", name.to_string_lossy())));
            }
        }
    }

    /// The repositories in which a fetch or a push would start a second git. A remote's name is also tried as an
    /// address: one word may be both, and if no directory has it nothing is found.
    pub(super) fn path_remotes(&mut self, place: &Place<'_>, named: &Named) {
        for address in &named.addresses {
            let rewritten = named
                .rules
                .iter()
                .filter_map(|(start, base)| address.strip_prefix(start.as_str()).map(|rest| format!("{base}{rest}")));
            let addresses: Vec<String> = std::iter::once(address.clone()).chain(rewritten).collect();
            for path in addresses.iter().flat_map(|address| paths(place, address, self.env)).collect::<Vec<_>>() {
                self.remote(&path);
            }
        }
    }

    fn remote(&mut self, path: &Path) {
        let name = path.display().to_string();
        for suffix in SUFFIXES {
            let mut dot_git = path.as_os_str().to_owned();
            dot_git.push(suffix);
            let dot_git = PathBuf::from(dot_git);
            let is_git_dir = || dot_git.join("HEAD").exists() && dot_git.join("objects").exists();
            if !dot_git.is_file() && !is_git_dir() {
                continue;
            }
            let root = if suffix.ends_with("/.git") { dot_git.parent().unwrap_or(path) } else { path };
            let at = |role| Place { root, dot_git: &dot_git, name: name.clone(), role };
            // Agreement to that repository by itself covers its use as a remote: a workspace has its parent as one.
            let mut alone = Search { env: self.env, seen: self.seen.clone(), verdict: Verdict::default() };
            alone.repository(&Place { name: String::new(), ..at(Role::Submodule) });
            let is_agreed = !alone.verdict.asks.is_empty() && alone.verdict.is_agreed(&real(root), self.env);
            let mut there = Search { env: self.env, seen: self.seen.clone(), verdict: Verdict::default() };
            there.repository(&at(Role::Remote));
            self.verdict.asks.extend(there.verdict.asks.into_iter().filter(|line| !is_agreed || line.contains(HOOK)));
            self.verdict.odd = self.verdict.odd.take().or(there.verdict.odd);
            return;
        }
    }

    /// The hooks of a receiving repository run there, as this user.
    pub(super) fn hooks(&mut self, place: &Place<'_>, common: &Path, named: &Named) {
        let at = |path: &String| self.env.clone().at(place.root.to_owned()).path(path);
        let directories = named.hooks.iter().map(at).chain([common.join("hooks")]);
        let paths = directories.flat_map(|directory| RECEIVING.map(|name| directory.join(name)));
        let runs = |path: &PathBuf| path.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 != 0);
        for path in paths.filter(runs).collect::<Vec<_>>() {
            self.verdict.asks.insert(place.line(&format!("{HOOK}{}", path.display())));
        }
    }

    /// git enters a submodule with the submodule's own settings: those that are checked out, wherever they are, and
    /// those in git's own directory.
    pub(super) fn submodules(&mut self, place: &Place<'_>, own: &Path, common: &Path) {
        let links = tracked::gitlinks(own);
        if links.is_none() {
            self.verdict.asks.insert(place.line("the index cannot be read, and may have submodules"));
        }
        for path in links.unwrap_or_default() {
            let root = place.root.join(&path);
            let dot_git = root.join(".git");
            if dot_git.symlink_metadata().is_ok() {
                let name = place.line(&path.display().to_string());
                self.repository(&Place { root: &root, dot_git: &dot_git, name, role: Role::Submodule });
            }
        }
        let mut open = vec![(common.join("modules"), 0)];
        while let Some((directory, depth)) = open.pop() {
            if directory.join("HEAD").exists() {
                let name = place.line(&directory.strip_prefix(common).unwrap_or(&directory).display().to_string());
                self.repository(&Place { root: place.root, dot_git: &directory, name, role: Role::Submodule });
                continue;
            }
            let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
            let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth < DEPTH);
            open.extend(below.map(|entry| (entry.path(), depth + 1)));
        }
    }
}

/// The local paths that an address may mean; none for a remote one.
fn paths(place: &Place<'_>, address: &str, env: &Env) -> Vec<PathBuf> {
    let is_elsewhere = |text: &str| {
        let colon = text.find(':');
        colon.is_some_and(|colon| text.find('/').is_none_or(|slash| colon < slash))
    };
    let texts = match address.strip_prefix("file://") {
        Some(path) => vec![path.to_owned(), String::from_utf8_lossy(&decoded(path)).into_owned()],
        None if is_elsewhere(address) => return Vec::new(),
        None => vec![address.to_owned()],
    };
    texts.into_iter().map(|text| env.clone().at(place.root.to_owned()).path(&text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded_as_git_does() {
        assert_eq!(decoded("/a%20b%2Fc%zz%4"), b"/a b/c%zz%4");
    }
}
