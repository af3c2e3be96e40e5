use clap::Args;

use super::{Context, Outcome, changed_line};
use crate::model::field;
use crate::ops::{self, EditError, EditSheet, OpError};
use crate::sys::fs::FsError;
use crate::sys::process;
use crate::view::{self, Exit, Failure};

/// Edit an issue in your editor
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:\n  bd edit bd-a3f8\n  EDITOR=\"code --wait\" bd edit a3")]
pub struct EditArgs {
    /// The issue, by id or its first characters
    id: String,
}

fn about() -> String {
    format!(
        "Edit an issue in your editor

Opens title, {} in $VISUAL or $EDITOR. If someone changes the same field meanwhile, nothing is overwritten and your text is kept.",
        field::text_names(|_| true, " and ")
    )
}

pub fn run(args: EditArgs, cx: &mut Context) -> Outcome {
    let row = ops::own_copy(cx.store()?, &args.id)?;
    let sheet = EditSheet::of(&row.issue);
    let fail = |action, path: &std::path::Path, e| Failure::from(OpError::Fs(FsError::new(action, path, e)));
    let temp = std::env::temp_dir();
    let file =
        tempfile::Builder::new().prefix("bd-edit-").suffix(".md").tempfile().map_err(|e| fail("create", &temp, e))?;
    std::fs::write(file.path(), sheet.render()).map_err(|e| fail("write", file.path(), e))?;
    process::edit(&cx.host().env, file.path()).map_err(|e| Failure::from(OpError::from(EditError::from(e))))?;
    let text = std::fs::read_to_string(file.path()).map_err(|e| fail("read", file.path(), e))?;
    let store = cx.store()?;
    let applied = sheet.read_back(&text).and_then(|edited| ops::apply_sheet(store, &row, &edited));
    let written = match applied {
        Ok(written) => written,
        Err(error) => {
            let mut failure = Failure::from(error);
            if let Ok((_, path)) = file.keep() {
                failure.hint = Some(format!("your text is kept in {}", path.display()));
            }
            return Err(failure);
        }
    };
    json_answer!(cx, view::replies([&written]));
    cx.ui.done(&changed_line(&written, "Updated issue: "));
    Ok(Exit::Ok)
}
