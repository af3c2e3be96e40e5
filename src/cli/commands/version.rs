use clap::Args;

use super::{Context, Outcome};
use crate::view::{Exit, Object};

/// The version of this program
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd version\n  bd version --json")]
pub struct VersionArgs {}

pub fn run(_: VersionArgs, cx: &mut Context) -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    if cx.ui.wants_json() {
        let object = Object::new().text("version", version).text("build", "release").text("branch", "");
        cx.json(object.finish());
    } else {
        cx.ui.line(&format!("bd version {version}"));
    }
    Ok(Exit::Ok)
}
