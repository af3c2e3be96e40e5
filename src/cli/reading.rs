//! `--readonly`: allows only commands that change nothing.
//!
//! Commands not listed here are refused, so a new command is refused until someone lists it.

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::view::Failure;

/// Read-only commands, each with the arguments that make it write.
const LOOK: &[(&str, &[&str])] = &[
    ("agent list", &[]),
    ("agent show", &[]),
    ("blame", &[]),
    ("blocked", &[]),
    ("changelog", &[]),
    ("check-leaks", &[]),
    ("checkpoint list", &[]),
    ("checkpoint show", &[]),
    ("children", &[]),
    ("comments", &[]),
    ("comments list", &[]),
    ("completions", &[]),
    ("config", &["add_repo", "remove_repo", "routing"]),
    ("config get", &[]),
    ("config list", &[]),
    ("context", &[]),
    ("count", &[]),
    ("dep cycles", &[]),
    ("dep list", &[]),
    ("dep tree", &[]),
    ("detect-pollution", &["clean"]),
    ("diff", &[]),
    ("doctor", &["fix", "clean"]),
    ("duplicates", &[]),
    ("epic status", &[]),
    ("export", &["output"]),
    ("graph", &[]),
    ("help", &[]),
    ("hook", &[]),
    ("hooks", &[]),
    ("hooks run", &[]),
    ("hooks status", &[]),
    ("human", &[]),
    ("human list", &[]),
    ("info", &[]),
    ("label list", &[]),
    ("label list-all", &[]),
    ("leases", &["remote"]),
    ("lint", &[]),
    ("list", &[]),
    ("log", &[]),
    ("mail inbox", &[]),
    ("mail overdue", &[]),
    ("mail thread", &[]),
    ("man", &["install"]),
    ("mcp", &[]),
    ("onboard", &[]),
    ("orphans", &[]),
    ("prime", &[]),
    ("proposals", &[]),
    ("query", &[]),
    ("quickstart", &[]),
    ("ready", &["claim"]),
    ("repair-deps", &["fix"]),
    ("repo list", &[]),
    ("reserve check", &[]),
    ("reserve list", &[]),
    ("resume", &[]),
    ("role", &[]),
    ("schema", &[]),
    ("search", &[]),
    ("show", &[]),
    ("stale", &[]),
    ("state", &[]),
    ("stats", &[]),
    ("status", &["id", "status"]),
    ("template list", &[]),
    ("template show", &[]),
    ("template validate", &[]),
    ("types", &[]),
    ("validate", &["fix_all"]),
    ("version", &[]),
    ("watch", &[]),
    ("where", &[]),
    ("why", &[]),
    ("workflow list", &[]),
    ("workflow show", &[]),
    ("workspace du", &[]),
    ("workspace env", &[]),
    ("workspace gc", &["apply"]),
    ("workspace list", &[]),
    ("workspace path", &[]),
    ("worktree info", &[]),
    ("worktree list", &[]),
    ("worktree prune", &["apply"]),
];

/// Refuses a command line unless it is read-only.
pub fn refuse(words: &str, matches: &ArgMatches) -> Result<(), Failure> {
    let is_given = |name| is_given(matches, name);
    let shows = ["dry_run", "inspect"].into_iter().any(is_given)
        || words == "sync" && is_given("status")
        || words == "setup" && ["print", "check"].into_iter().any(is_given);
    if words.is_empty() || only_looks(words, matches) || shows {
        return Ok(());
    }
    Err(Failure::read_only(format!("operation '{words}' is not allowed in read-only mode")))
}

/// The command line changes nothing.
pub fn only_looks(words: &str, matches: &ArgMatches) -> bool {
    LOOK.iter().any(|(known, writing)| *known == words && !writing.iter().any(|name| is_given(matches, name)))
}

fn is_given(matches: &ArgMatches, name: &str) -> bool {
    let mut inner = matches;
    while let Some((_, next)) = inner.subcommand() {
        inner = next;
    }
    inner.try_contains_id(name).is_ok() && inner.value_source(name) == Some(ValueSource::CommandLine)
}

#[cfg(test)]
mod tests {
    use super::LOOK;

    #[test]
    fn what_is_listed_exists() {
        for (words, writing) in LOOK {
            let mut command = crate::cli::help::command();
            command.build();
            for word in words.split(' ') {
                command = command.find_subcommand(word).unwrap_or_else(|| panic!("no command {words}")).clone();
            }
            for name in *writing {
                assert!(command.get_arguments().any(|arg| arg.get_id() == *name), "{words} has no {name}");
            }
        }
    }
}
