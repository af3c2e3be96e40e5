//! Reports a change of settings and its file.

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, ConfigRequest, Configured};
use crate::store::settings::Origin;
use crate::view::{self, Exit};

/// The file to change.
#[derive(Debug, Args, Default, Clone, Copy)]
pub(super) struct FileArgs {
    /// Change the committed file
    #[arg(long, group = "settings_file")]
    shared: bool,
    /// Change the personal file of this repository
    #[arg(long, group = "settings_file")]
    personal: bool,
    /// Change the user's file for all projects
    #[arg(long, group = "settings_file")]
    user: bool,
}

impl FileArgs {
    pub(super) fn origin(self) -> Option<Origin> {
        let chosen = [(self.shared, Origin::Shared), (self.personal, Origin::Personal), (self.user, Origin::User)];
        chosen.into_iter().find(|(set, _)| *set).map(|(_, origin)| origin)
    }
}

/// Makes a change and says which file it went to.
pub(super) fn change(request: ConfigRequest, cx: &mut Context) -> Outcome {
    let done = ops::configure(cx.store()?, &request)?;
    json_answer!(cx, view::configured(&done));
    print_changes(&done, cx);
    Ok(Exit::Ok)
}

pub(super) fn print_changes(done: &Configured, cx: &mut Context) {
    for file in &done.files {
        let word = if file.changed { "changed" } else { "already so" };
        cx.ui.done(&format!("{word}: {} ({})", cx.ui.path(&file.path), file.origin.word()));
    }
    done.remarks.iter().for_each(|remark| cx.ui.note(remark));
}
