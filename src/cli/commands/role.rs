use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// Show whether you are a maintainer or a contributor here, and why; a part of bd info
///
/// The first rule that decides: BD_ROLE; beads.role in git's, jj's or hg's config; routing.role; your e-mail address in
/// routing.maintainers; a remote upstream that differs from origin (contributor); no remote (maintainer); a push from here to
/// origin's default branch (maintainer); otherwise contributor. While routing.mode is single, roles mean nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd role\n  bd role --json\n  bd config set routing.role maintainer")]
pub(super) struct RoleArgs {}

pub(super) fn run(_: RoleArgs, cx: &mut Context) -> Outcome {
    let (decision, matters) = ops::role(cx.store()?);
    if let Some(ignored) = &decision.ignored {
        cx.ui.warning(ignored);
    }
    json_answer!(cx, view::role(&decision, matters));
    cx.ui.line(&decision.role.to_string());
    let effect = "no: routing.mode is single, everything goes to this repo".to_owned();
    cx.ui.facts([("Rule", decision.rule.to_owned()), ("Because", decision.because)]);
    cx.ui.facts((!matters).then_some(("In effect", effect)));
    Ok(Exit::Ok)
}
