use clap::Args;

use super::{Context, Outcome};
use crate::view::{Exit, Object, inline};

/// Whether you are a maintainer or a contributor here, and why
///
/// The first rule that decides: BD_ROLE; beads.role in git's, jj's or hg's config; routing.role; your e-mail address in
/// routing.maintainers; a remote upstream that differs from origin (contributor); no remote (maintainer); a push from here to
/// origin's default branch (maintainer); otherwise contributor. While routing.mode is single, roles mean nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd role\n  bd role --json\n  bd config set routing.role maintainer")]
pub struct RoleArgs {}

pub fn run(_: RoleArgs, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let decision = store.role().clone();
    let matters = store.has_roles();
    if let Some(ignored) = &decision.ignored {
        cx.ui.warning(ignored);
    }
    if cx.ui.wants_json() {
        let object = Object::new()
            .text("role", &decision.role.to_string())
            .text("rule", decision.rule)
            .text("because", &decision.because)
            .flag("in_effect", matters);
        cx.json(object.finish());
        return Ok(Exit::Ok);
    }
    cx.ui.line(&decision.role.to_string());
    cx.ui.line(&format!("{:<12}{}", "Rule", decision.rule));
    cx.ui.line(&format!("{:<12}{}", "Because", inline(&decision.because)));
    if !matters {
        cx.ui.line(&format!("{:<12}{}", "In effect", "no: routing.mode is single, everything goes to this repo"));
    }
    Ok(Exit::Ok)
}
