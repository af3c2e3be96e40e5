//! The settings there are: one table from which reading, checking, listing and the environment layer are made.

use crate::model::nearest::distance;
use crate::model::workspace::Kind as Workspace;
use crate::store::state::home::StateMode;

/// What a setting may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Flag,
    OneOf(&'static [&'static str]),
    Texts,
    /// A repo, as people write paths.
    Path,
    Paths,
    /// A number of bytes, as people write it.
    Size,
    /// A length of time, or `off`.
    Age,
    /// A length of time, down to seconds.
    Duration,
    /// A number from 0 on.
    Number,
}

impl Kind {
    pub fn is_list(self) -> bool {
        matches!(self, Kind::Texts | Kind::Paths)
    }

    /// The setting names a directory; a committed file may do that only inside its own repository.
    pub fn is_path(self) -> bool {
        matches!(self, Kind::Path | Kind::Paths)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub default: Option<&'static str>,
    /// It is about a person, not about the project: it goes to the personal file unless another is named.
    pub personal: bool,
    pub about: &'static str,
}

impl Key {
    /// It can run a program, leave the repository, or decide where an issue goes and who gets to see it: only the user's own
    /// word counts.
    pub fn decides(&self) -> bool {
        const OTHERS: [&str; 10] = [
            "mode",
            "state.mode",
            "ledger.write",
            "commit.primary",
            "claims.remote",
            "fleet.remote",
            "land.check",
            "prune.auto",
            "workspace.path",
            "workspace.setup",
        ];
        self.name.starts_with("repos.") || self.name.starts_with("routing.") || OTHERS.contains(&self.name)
    }
}

const fn key(name: &'static str, kind: Kind, default: Option<&'static str>, about: &'static str) -> Key {
    Key { name, kind, default, personal: false, about }
}

pub(super) const ROLES: &[&str] = &["maintainer", "contributor"];

pub static KEYS: &[Key] = &[
    key("mode", Kind::OneOf(&["single", "multi"]), Some("single"), "one repo or several; implied by repos.additional"),
    key("issue_prefix", Kind::Text, None, "what new ids start with"),
    key("repos.primary", Kind::Path, Some("."), "where canonical issues live"),
    key("repos.additional", Kind::Paths, None, "repos that are read along"),
    key(
        "repos.addresses",
        Kind::Texts,
        None,
        "where bd repo clone finds them: a path of repos.additional and an address of git",
    ),
    key("lint.sections", Kind::Texts, None, "what bd lint wants, for each type: TYPE: SECTION, SECTION"),
    key("repos.exclude", Kind::Paths, None, "repos of an earlier layer that are left out"),
    key("routing.mode", Kind::OneOf(&["single", "auto", "explicit"]), Some("single"), "how new issues find their repo"),
    key(
        "routing.default",
        Kind::Path,
        None,
        "where new issues go: explicit mode, and contributors without another repo",
    ),
    Key {
        personal: true,
        ..key("routing.role", Kind::OneOf(ROLES), None, "your role in this project, instead of finding it out")
    },
    key("routing.maintainers", Kind::Texts, None, "e-mail addresses of maintainers"),
    key("routing.auto.maintainer", Kind::Path, Some("."), "where a maintainer's new issues go"),
    key("routing.auto.contributor", Kind::Path, None, "where a contributor's new issues go: the planning repo"),
    key("ledger.file", Kind::Text, None, "the ledger's name in .beads"),
    key("status.custom", Kind::Text, None, "further statuses, comma-separated"),
    key("types.custom", Kind::Text, None, "further issue types, comma-separated"),
    Key {
        personal: true,
        ..key("legacy.db", Kind::Flag, Some("false"), "keep .beads/beads.db for clients that look for a database")
    },
    key("ready.unknown_blocks", Kind::Flag, Some("false"), "a dependency on an id that no repo holds blocks"),
    key("commit.planning", Kind::Flag, Some("true"), "commit a planning repo's ledger after each write"),
    key("commit.primary", Kind::Flag, Some("false"), "commit the primary's ledger after each write"),
    Key {
        personal: true,
        ..key(
            "state.mode",
            Kind::OneOf(StateMode::CHOICES),
            Some("repo"),
            "where claims, mail and checkpoints are kept",
        )
    },
    key("lease.ttl", Kind::Duration, Some("30m"), "how long an agent's claim lasts without any command from it"),
    key("lease.max_attempts", Kind::Number, Some("3"), "after so many failures an issue needs attention"),
    key("claims.remote", Kind::Flag, Some("false"), "claims are made on the git remote too"),
    key("claims.closed_ttl", Kind::Duration, Some("14d"), "how long the remote says that an issue is closed, at most"),
    key("ledger.write", Kind::OneOf(&["checkout", "primary"]), Some("checkout"), "which checkout's ledger is written"),
    key("reserve.mode", Kind::OneOf(&["block", "warn"]), Some("block"), "what bd reserve check --staged does"),
    key("workspace.path", Kind::Path, None, "where workspaces are made (default: beads/workspaces in $XDG_DATA_HOME)"),
    key("workspace.kind", Kind::OneOf(Workspace::WORDS), Some("clone"), "what a new workspace is"),
    key("workspace.branch", Kind::Text, Some("bd/{issue}"), "the branch of a new workspace"),
    key("workspace.copy", Kind::Texts, None, "ignored files that a new workspace gets, beside .worktreeinclude"),
    key("workspace.copy_limit", Kind::Size, Some("512M"), "the most that is copied of ignored files"),
    key("workspace.setup", Kind::Text, None, "a command that is run in a new workspace"),
    key("workspace.setup_timeout", Kind::Duration, Some("30m"), "how long that command may take"),
    key("workspace.ports", Kind::Number, Some("10"), "how many ports a workspace is given"),
    key("workspace.port_base", Kind::Number, Some("20000"), "the first port that is given"),
    key("workspace.min_free", Kind::Size, Some("1G"), "no workspace is made if less than this would stay free"),
    key("workspace.max_size", Kind::Size, None, "the most that all workspaces together may take"),
    key("workspace.max_count", Kind::Number, None, "the most workspaces that may be there"),
    key("workspace.ssh", Kind::Flag, Some("false"), "a new workspace reaches remotes at https:// over ssh"),
    key("workspace.reuse", Kind::Flag, Some("true"), "an idle workspace is taken instead of a new one"),
    key(
        "workspace.cleanup_on_complete",
        Kind::Flag,
        Some("false"),
        "bd run removes the workspace when the job is over",
    ),
    Key {
        personal: true,
        ..key("fleet.remote", Kind::Text, None, "a private repository where your machines show each other their agents")
    },
    Key {
        personal: true,
        ..key("land.check", Kind::Text, None, "a command that bd land runs before it brings work home")
    },
    key("land.timeout", Kind::Duration, Some("15m"), "how long that command may take, at most 15m"),
    key("prune.budget", Kind::Size, Some("25k"), "the size of a ledger above which bd doctor warns"),
    key("prune.auto", Kind::Age, Some("off"), "bd commit and bd sync prune issues that have been closed for so long"),
];

pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The table that a key is in.
fn table(name: &str) -> Option<&str> {
    name.split_once('.').map(|(table, _)| table)
}

/// The tables whose names users choose, and what somebody may take them to be called.
const CHOSEN: [(&str, &str); 2] = [("alias", "aliases"), ("query", "queries")];

/// A setting whose name the user chooses: an alias or a saved query.
pub fn is_chosen(name: &str) -> bool {
    CHOSEN.iter().any(|(chosen, _)| table(name) == Some(chosen))
}

/// A setting of another tool: it is in a table of its own, and not one of ours mistyped.
pub fn is_foreign(name: &str) -> bool {
    let is_written = !name.contains(|c: char| c.is_control() || c.is_whitespace());
    let has_parts = is_written && name.split('.').all(|part| !part.is_empty());
    let ours = || KEYS.iter().filter_map(|key| table(key.name));
    let is_apart = table(name).is_some_and(|table| ours().all(|known| distance(table, known) > 1));
    has_parts && (is_chosen(name) || is_apart && nearest(name).is_none())
}

/// The key that a wrong one was probably meant to be.
pub fn nearest(name: &str) -> Option<String> {
    if !is_chosen(name)
        && let Some((typed, rest)) = name.split_once('.')
        && let Some((chosen, _)) =
            CHOSEN.iter().find(|(one, many)| distance(typed, one) <= 1 || distance(typed, many) <= 1)
    {
        return Some(format!("{chosen}.{rest}"));
    }
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let near = KEYS.iter().map(|key| {
        let whole = distance(name, key.name);
        // `default` for `routing.default`: the table was forgotten.
        let forgot = !name.contains('.') && last(name) == last(key.name);
        (if forgot { whole.min(3) } else { whole }, key.name)
    });
    near.min().filter(|(distance, _)| *distance <= 3.min(name.len() / 2)).map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::keys::*;

    #[test]
    fn wrong_keys_find_the_right_one() {
        for (wrong, right) in [
            ("repos.aditional", Some("repos.additional")),
            ("routing.modus", Some("routing.mode")),
            ("default", Some("routing.default")),
            ("routng.mode", Some("routing.mode")),
            ("prefix", None),
            ("issue-prefix", Some("issue_prefix")),
            ("zebra.colour", None),
            ("jira.mode", None),
            ("x", None),
            ("aliass.mine", Some("alias.mine")),
            ("aliases.mine", Some("alias.mine")),
            ("quer.soon", Some("query.soon")),
            ("atlas.url", None),
        ] {
            assert_eq!(nearest(wrong).as_deref(), right, "{wrong}");
        }
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn settings_of_other_tools_are_in_tables_of_their_own() {
        for name in
            ["alias.ttl", "query.mine", "jira.url", "jira.mode", "linear.api_key", "custom.a.b", "sync.branch", "x.y"]
        {
            assert!(is_foreign(name), "{name}");
        }
        for name in [
            "",
            "zebra",
            "jira.",
            ".url",
            "a..b",
            "a. b",
            "routing.colour",
            "routng.mode",
            "repo.x",
            "mode.x",
            "aliass.x",
            "queries.x",
        ] {
            assert!(!is_foreign(name), "{name}");
        }
    }
}
