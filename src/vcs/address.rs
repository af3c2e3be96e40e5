//! The address of a repository, without details that do not distinguish repositories: scheme, user, port, upper case, a
//! trailing slash, `.git`, links.
//!
//! Two equal addresses mean one repository; different ones may mean the same. Ports are dropped, because one server
//! listens on several, and taking two repositories for one only causes a refusal.

use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{files, git, layout};
use crate::vcs::files::{decoded, real};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    Server {
        host: String,
        path: String,
    },
    /// A repository on this machine: the directory that its checkouts share, or the path if it does not exist.
    Directory(PathBuf),
}

impl Address {
    /// Parses an address as version control does in a working copy at `root`.
    pub fn parse(text: &str, root: &Path) -> Option<Self> {
        let text = without_helper(text.trim());
        if text.is_empty() {
            return None;
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            if scheme.eq_ignore_ascii_case("file") {
                let path = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
                return Some(Self::directory(&files::path_of(&decoded(path))));
            }
            let rest = rest.split(['?', '#']).next().unwrap_or(rest);
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            return Some(Self::server(host, path));
        }
        match host_and_path(text).filter(|_| !root.join(text).exists()) {
            Some((host, path)) => Some(Self::server(host, path)),
            None => Some(Self::directory(&root.join(text))),
        }
    }

    /// The address in a form that may be published: a local path becomes a hash, which can be compared but not read.
    pub fn recorded(&self) -> String {
        match self {
            Address::Server { .. } => self.to_string(),
            Address::Directory(path) => {
                format!("path:{}", &blake3::hash(path.as_os_str().as_bytes()).to_hex()[..16])
            }
        }
    }

    fn server(host: &str, path: &str) -> Self {
        let path = String::from_utf8_lossy(&decoded(path)).to_lowercase();
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        Address::Server { host: host_name(host), path: path.strip_suffix(".git").unwrap_or(&path).to_owned() }
    }

    fn directory(path: &Path) -> Self {
        let dot_hg = path.join(".hg");
        let found = git::repository_at(path).or_else(|| layout::hg::common_dir(&dot_hg).filter(|_| dot_hg.exists()));
        Address::Directory(found.unwrap_or_else(|| {
            let path = real(path);
            let plain = path.to_str().and_then(|text| text.strip_suffix(".git")).map(PathBuf::from);
            plain.unwrap_or(path)
        }))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Server { host, path } => write!(f, "{host}/{path}"),
            Address::Directory(path) => path.display().fmt(f),
        }
    }
}

/// The address that git gives to a helper program: `NAME::ADDRESS`.
fn without_helper(text: &str) -> &str {
    match text.split_once("::") {
        Some((name, rest)) if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => rest,
        _ => text,
    }
}

/// The parts of `[user@]host:path`. A colon after a slash is part of a path.
fn host_and_path(text: &str) -> Option<(&str, &str)> {
    let bracket = text.find("]:").map(|at| at + 1);
    let at = bracket.or_else(|| text.find(':'))?;
    (!text[..at].contains('/')).then(|| (&text[..at], &text[at + 1..]))
}

/// A host without user, brackets, port and final dot, in lower case.
fn host_name(host: &str) -> String {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.trim_start_matches('[');
    let host = host.split(']').next().unwrap_or(host);
    let host = match host.matches(':').count() {
        1 => host.split(':').next().unwrap_or(host),
        _ => host,
    };
    String::from_utf8_lossy(&decoded(host)).trim_end_matches('.').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_many_addresses() {
        let root = Path::new("/nowhere/at/all");
        let parse = |text: &str| Address::parse(text, root).unwrap();
        let one = parse("https://example.org/acme/app.git");
        assert_eq!(one.to_string(), "example.org/acme/app");
        for same in [
            "https://example.org/acme/app",
            "http://EXAMPLE.org:8080/acme/app/",
            "https://ann:secret@example.org/acme//app.git/",
            "ssh://git@example.org:2222/acme/app.git",
            "git@example.org:acme/app.git",
            "example.org:/acme/app",
            "[git@example.org:22]:acme/app",
            "git+ssh://git@example.org./acme/./x/../app",
            "persistent-https::https://example.org/Acme/App",
            "https://example.org/acme/%61pp.git?x=y#main",
        ] {
            assert_eq!(parse(same), one, "{same}");
        }
        for other in ["https://example.org/acme/apps", "https://example.com/acme/app", "/acme/app", "acme/app"] {
            assert_ne!(parse(other), one, "{other}");
        }
        assert_eq!(parse("ssh://[::1]:22/x"), parse("[::1]:x"));
        assert_eq!(parse("file:///srv/a%20b.git"), parse("/srv/a b"));
        assert_eq!(parse("file://localhost/srv/x"), parse("/srv/y/../x/"));
        assert_eq!(Address::parse("  ", root), None);
    }
}
