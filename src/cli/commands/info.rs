use clap::Args;

use super::where_;
use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::{Access, Role};
use crate::view::{self, Exit};

/// Show what is in use here, and why: ledger, new ids, role, where new issues go, state home
///
/// A maintainer's new issues go to the project, a contributor's to a planning repo of their own. The first rule that decides over
/// the role: BD_ROLE; beads.role in git's, jj's or hg's config; routing.role; your e-mail address in routing.maintainers; a remote
/// upstream that differs from origin (contributor); no remote (maintainer); a push from here to origin's default branch (maintainer);
/// otherwise contributor. While routing.mode is single, roles mean nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd info\n  bd -C ../other info --json\n  bd config set routing.role maintainer")]
pub(super) struct InfoArgs {
    #[arg(long, hide = true)]
    schema: bool,
}

pub(super) fn run(_: InfoArgs, cx: &mut Context) -> Outcome {
    let facts = ops::facts(cx.store()?)?;
    let found = ops::whereabouts(cx.store()?)?;
    let (decision, matters) = ops::role(cx.store()?);
    if let Some(ignored) = &decision.ignored {
        cx.ui.warning(ignored);
    }
    json_answer!(cx, view::info(&facts, &found, &decision, matters));
    let repos = ops::repos(cx.store()?, false)?;
    let role = match matters {
        true => format!("{}: {}", decision.role, decision.because),
        false => format!("{}: {}; it means nothing while routing.mode is single", decision.role, decision.because),
    };
    let mut lines = where_::facts(found, cx);
    lines.insert(1, ("Issues", format!("{} in {} bytes", facts.issues, facts.bytes)));
    // The role decides about this project's own ledger alone.
    let is_written = |repo: &&ops::RepoStatus| repo.kind == "additional" && repo.access == Access::Write;
    let written: Vec<String> = repos.iter().filter(is_written).map(|repo| repo.name.clone()).collect();
    if !written.is_empty() && decision.role == Role::Contributor {
        lines.push((
            "Joined",
            format!("what you change in {} is written there, whatever your role here", written.join(" and ")),
        ));
    }
    lines.extend([("Actor", facts.actor), ("Role", role), ("Version", env!("CARGO_PKG_VERSION").to_owned())]);
    cx.ui.facts(lines);
    Ok(Exit::Ok)
}
