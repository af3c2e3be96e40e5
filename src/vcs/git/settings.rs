//! The settings of a git repository that a clone takes over, and how they are written.

use std::path::Path;

/// One setting of the repository itself; the key as git prints it, with section and name in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub key: String,
    /// A key without a value means yes.
    pub value: Option<String>,
}

impl Setting {
    /// Parses the repository and working copy settings from `git config --list -z --show-scope`.
    pub(super) fn read(printed: &[u8]) -> Vec<Self> {
        let texts: Vec<String> =
            printed.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        let pairs = texts.chunks_exact(2).filter(|pair| matches!(pair[0].as_str(), "local" | "worktree"));
        pairs
            .map(|pair| match pair[1].split_once('\n') {
                Some((key, value)) => Setting { key: key.to_owned(), value: Some(value.to_owned()) },
                None => Setting { key: pair[1].clone(), value: None },
            })
            .collect()
    }

    pub(super) fn last<'s>(all: &'s [Setting], key: &str) -> Option<&'s str> {
        all.iter().rev().find(|one| one.key == key).map(|one| one.value.as_deref().unwrap_or("true"))
    }

    /// Section, subsection and name.
    fn parts(&self) -> Option<(&str, Option<&str>, &str)> {
        let (section, rest) = self.key.split_once('.')?;
        match rest.rsplit_once('.') {
            Some((sub, name)) => Some((section, Some(sub), name)),
            None => Some((section, None, rest)),
        }
    }
}

/// Sections about the parent itself, its branches, submodules and remotes, which are handled elsewhere.
const LEFT: [&str; 7] = ["branch", "extensions", "include", "includeif", "maintenance", "remote", "submodule"];
/// The same in `core`; also the path of hooks, since a clone gets none.
const LEFT_OF_CORE: [&str; 9] = [
    "bare",
    "fsmonitor",
    "hookspath",
    "repositoryformatversion",
    "sparsecheckout",
    "sparsecheckoutcone",
    "splitindex",
    "untrackedcache",
    "worktree",
];

/// The settings that a clone takes over.
pub(super) fn carried(all: &[Setting]) -> Vec<&Setting> {
    let is_carried = |one: &&Setting| match one.parts() {
        Some(("core", None, name)) => !LEFT_OF_CORE.contains(&name),
        // The default remote for pushes belongs to no single remote.
        Some(("remote", None, _)) => true,
        Some((section, ..)) => !LEFT.contains(&section),
        None => false,
    };
    all.iter().filter(is_carried).collect()
}

/// A remote of the parent, as the clone has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RemoteSettings {
    pub name: String,
    lines: Vec<(String, String)>,
    /// It has objects that are missing here (a partial clone).
    is_promisor: bool,
}

/// The settings of a remote that are taken over, besides its addresses and refspecs.
const OF_REMOTES: [&str; 11] = [
    "partialclonefilter",
    "promisor",
    "proxy",
    "proxyauthmethod",
    "prune",
    "prunetags",
    "push",
    "receivepack",
    "tagopt",
    "uploadpack",
    "vcs",
];

/// The remotes with an address. A relative address is rewritten for the clone.
pub(super) fn remotes(all: &[Setting], root: &Path) -> Vec<RemoteSettings> {
    let mut found: Vec<RemoteSettings> = Vec::new();
    for one in all {
        let Some(("remote", Some(name), key)) = one.parts() else { continue };
        let known = match found.iter().position(|remote| remote.name == name) {
            Some(known) => known,
            None => {
                found.push(RemoteSettings { name: name.to_owned(), lines: Vec::new(), is_promisor: false });
                found.len() - 1
            }
        };
        let value = one.value.clone().unwrap_or_else(|| "true".to_owned());
        let remote = &mut found[known];
        remote.is_promisor |= key == "promisor" && value == "true";
        match key {
            "url" | "pushurl" => remote.lines.push((key.to_owned(), address(&value, root))),
            // A mirror would fetch over the branch of the job.
            "fetch" if is_tracking(&value) => remote.lines.push((key.to_owned(), value)),
            _ if OF_REMOTES.contains(&key) => remote.lines.push((key.to_owned(), value)),
            _ => {}
        }
    }
    found.retain(|remote| remote.lines.iter().any(|(key, _)| key == "url"));
    for remote in &mut found {
        if !remote.lines.iter().any(|(key, _)| key == "fetch") {
            let all = format!("+refs/heads/*:refs/remotes/{}/*", remote.name);
            remote.lines.push(("fetch".to_owned(), all));
        }
    }
    found
}

/// Whether a refspec fetches to a place other than local branches.
fn is_tracking(refspec: &str) -> bool {
    refspec.split_once(':').is_some_and(|(_, to)| to.starts_with("refs/remotes/"))
}

/// An address that is valid from elsewhere.
fn address(text: &str, root: &Path) -> String {
    let before_slash = text.split('/').next().unwrap_or_default();
    let is_relative = !text.starts_with(['/', '~']) && !before_slash.contains(':') && !text.contains("://");
    if is_relative { crate::vcs::files::real(&root.join(text)).display().to_string() } else { text.to_owned() }
}

/// Settings and remotes as the text of a file.
pub(super) fn text(settings: &[&Setting], remotes: &[RemoteSettings]) -> String {
    let mut text = String::new();
    for one in settings {
        let Some((section, sub, name)) = one.parts() else { continue };
        let sub = sub.map(|sub| format!(" \"{}\"", escaped(sub))).unwrap_or_default();
        let value = one.value.as_ref().map(|value| format!(" = \"{}\"", escaped(value))).unwrap_or_default();
        text.push_str(&format!("[{section}{sub}]\n\t{name}{value}\n"));
    }
    for remote in remotes {
        text.push_str(&format!("[remote \"{}\"]\n", escaped(&remote.name)));
        for (key, value) in &remote.lines {
            text.push_str(&format!("\t{key} = \"{}\"\n", escaped(value)));
        }
    }
    if remotes.iter().any(|remote| remote.name == "origin") {
        text.push_str("[checkout]\n\tdefaultRemote = origin\n");
    }
    if let Some(remote) = remotes.iter().find(|remote| remote.is_promisor) {
        text.push_str("[core]\n\trepositoryformatversion = 1\n[extensions]\n\t");
        text.push_str(&format!("partialClone = \"{}\"\n", escaped(&remote.name)));
    }
    text
}

/// Settings that git chose for this disk when it created the repository.
pub(super) fn of_disk(all: &[Setting]) -> String {
    let known = [
        ("core", "repositoryformatversion"),
        ("core", "filemode"),
        ("core", "symlinks"),
        ("core", "ignorecase"),
        ("core", "precomposeunicode"),
        ("core", "logallrefupdates"),
        ("extensions", "objectformat"),
        ("extensions", "refstorage"),
    ];
    let found = known.into_iter().filter_map(|(section, name)| {
        let value = Setting::last(all, &format!("{section}.{name}"))?;
        Some(format!("[{section}]\n\t{name} = \"{}\"\n", escaped(value)))
    });
    found.chain(["[core]\n\tbare = false\n".to_owned()]).collect()
}

/// The parent as a remote of a copy.
pub(super) fn parent_text(name: &str, from: &Path) -> String {
    let path = escaped(&from.display().to_string());
    let all = format!("+refs/heads/*:refs/remotes/{name}/*");
    format!("[remote \"{name}\"]\n\turl = \"{path}\"\n\ttagOpt = --no-tags\n\tfetch = \"{all}\"\n")
}

/// Addresses with another meaning in another place: the key, the present value, the necessary one.
pub(super) fn moved<'s>(all: &'s [Setting], root: &Path) -> Vec<(&'s str, &'s str, String)> {
    let addresses = all.iter().filter(|one| matches!(one.parts(), Some(("remote", Some(_), "url" | "pushurl"))));
    let changed = addresses.filter_map(|one| {
        let (key, old) = (one.key.as_str(), one.value.as_deref()?);
        Some((key, old, address(old, root)))
    });
    changed.filter(|(_, old, new)| old != new).collect()
}

fn escaped(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text
}

/// The settings of a new clone without those of the branch that git created in it.
pub(super) fn without_branches(config: &str) -> String {
    let mut is_branch = false;
    let kept = config.lines().filter(|line| {
        if line.starts_with('[') {
            is_branch = line.starts_with("[branch ");
        }
        !is_branch
    });
    kept.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, value: &str) -> Setting {
        Setting { key: key.to_owned(), value: Some(value.to_owned()) }
    }

    #[test]
    fn remotes_go_where_those_of_the_parent_go() {
        let all = [
            setting("remote.origin.url", "../up.git"),
            setting("remote.mine.url", "git@host:me/x.git"),
            setting("remote.mine.fetch", "+refs/*:refs/*"),
            setting("remote.a.b.url", "https://host/x"),
            setting("remote.half.fetch", "+refs/heads/*:refs/remotes/half/*"),
        ];
        let found = remotes(&all, Path::new("/nowhere/w1/repo"));
        let names: Vec<&str> = found.iter().map(|remote| remote.name.as_str()).collect();
        assert_eq!(names, ["origin", "mine", "a.b"], "one without an address is none");
        let text = text(&[], &found);
        assert!(text.contains("url = \"/nowhere/w1/up.git\""), "{text}");
        assert!(text.contains("url = \"git@host:me/x.git\""), "{text}");
        assert!(!text.contains("refs/*:refs/*"), "{text}");
        assert!(text.contains("+refs/heads/*:refs/remotes/mine/*"), "{text}");
        assert!(text.contains("[remote \"a.b\"]"), "{text}");
    }

    #[test]
    fn values_are_quoted_and_the_rest_stays_behind() {
        let all = [
            setting("user.name", "Ann \"A\" \\ #1"),
            setting("core.hookspath", "/x"),
            setting("core.autocrlf", "input"),
            setting("branch.main.remote", "origin"),
            setting("remote.pushdefault", "mine"),
        ];
        let text = text(&carried(&all), &[]);
        let (text, push) = text.split_at(text.find("[remote]").unwrap());
        assert_eq!(push, "[remote]\n\tpushdefault = \"mine\"\n");
        assert_eq!(text, "[user]\n\tname = \"Ann \\\"A\\\" \\\\ #1\"\n[core]\n\tautocrlf = \"input\"\n");
    }

    #[test]
    fn the_branch_of_a_new_clone_is_left_out() {
        let config = "[core]\n\tbare = false\n[branch \"main\"]\n\tremote = origin\n[remote \"x\"]\n\turl = y\n";
        assert_eq!(without_branches(config), "[core]\n\tbare = false\n[remote \"x\"]\n\turl = y\n");
    }
}
