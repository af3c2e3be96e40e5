//! Maintainer or contributor of the primary repo: the first rule that matches.
//!
//! When uncertain, contributor: a maintainer treated as a contributor is told so and loses nothing, while a contributor
//! treated as a maintainer puts private plans into a pull request. The scheme of a URL does not matter.

use std::path::Path;

use super::settings::{Origin, Settings};
use crate::model::words::words;
use crate::sys::Env;
use crate::vcs::{Address, Facts};

words! {
    pub enum Role {
        Maintainer = "maintainer",
        Contributor = "contributor",
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// A role and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleDecision {
    pub role: Role,
    /// A stable word for the rule.
    pub rule: &'static str,
    /// The rule in words.
    pub because: String,
    /// A setting that names an unknown role and was ignored.
    pub ignored: Option<String>,
}

pub(crate) fn decide(env: &Env, settings: &Settings, facts: &Facts) -> RoleDecision {
    let mut ignored = None;
    let mut pin = |word: Option<&str>, place: &str| {
        let word = word?;
        let role = Role::parse(word.trim());
        if role.is_none() {
            ignored = Some(format!("{place} is {word:?}, which is neither maintainer nor contributor"));
        }
        role
    };
    let variable = env.var("BD_ROLE");
    let pinned = pin(variable.as_deref(), "BD_ROLE").map(|role| (role, "env", "BD_ROLE says so".to_owned()));
    let pinned = pinned.or_else(|| {
        let (word, place) = facts.role.as_ref()?;
        Some((pin(Some(word), place)?, "vcs-config", format!("{place} says so")))
    });
    let pinned = pinned.or_else(|| {
        let (word, origin) = settings.text("routing.role")?;
        let place = match origin {
            Origin::Environment => "BD_ROUTING_ROLE says so".to_owned(),
            other => format!("routing.role in the {} settings says so", other.word()),
        };
        Some((pin(Some(word), "routing.role")?, "pinned", place))
    });
    let (role, rule, because) = pinned.unwrap_or_else(|| found_out(settings, facts));
    if role == Role::Contributor
        && let Some(email) = facts.email.as_deref().filter(|email| settings.is_listed_in_vain(email))
    {
        ignored = Some(format!(
            "routing.maintainers in the shared settings lists {email}, which does not count once you have joined a planning \
             repo; if you maintain this project, run `bd config set routing.role maintainer`"
        ));
    }
    RoleDecision { role, rule, because, ignored }
}

/// The remote of the project in a fork.
pub(in crate::store) const UPSTREAM: &str = "upstream";

/// The project has a remote of its own beside that of the user.
pub(super) fn is_fork(facts: &Facts) -> bool {
    let url = |name: &str| facts.remotes.iter().find(|remote| remote.name == name).map(|remote| remote.url.as_str());
    let address = |name: &str| Address::parse(url(name)?, Path::new(""));
    address(UPSTREAM).zip(address("origin")).is_some_and(|(upstream, origin)| upstream != origin)
}

fn found_out(settings: &Settings, facts: &Facts) -> (Role, &'static str, String) {
    let listed = facts.email.as_deref().filter(|email| {
        settings.list("routing.maintainers").iter().any(|(known, _)| known.trim().eq_ignore_ascii_case(email.trim()))
    });
    if let Some(email) = listed {
        return (Role::Maintainer, "maintainers", format!("routing.maintainers lists {email}"));
    }
    if is_fork(facts) {
        let because = "the remote upstream differs from origin, so this is a fork".to_owned();
        return (Role::Contributor, "fork", because);
    }
    if facts.remotes.is_empty() {
        let missing = if facts.kind.is_versioned() { "remote" } else { "version control" };
        let because = format!("no {missing} here, so the project is yours");
        return (Role::Maintainer, "no-remote", because);
    }
    if let Some(branch) = &facts.pushed {
        return (Role::Maintainer, "pushed", format!("{branch} was updated by a push from here"));
    }
    let because = "there is a remote, and nothing shows that you may push to it".to_owned();
    (Role::Contributor, "uncertain", because)
}
