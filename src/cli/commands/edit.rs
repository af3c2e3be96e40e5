use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::form;
use crate::cli::report::changed_line;
use crate::model::field;
use crate::ops::{self, EditSheet, OpError};
use crate::sys::form::FormFile;
use crate::view::{self, Failure};

/// Edit an issue in your editor
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:\n  bd edit bd-a3f8\n  EDITOR=\"code --wait\" bd edit a3")]
pub(super) struct EditArgs {
    /// The issue, by id or its first characters
    id: String,
    /// Go on with a form that was refused and kept
    #[arg(long, value_name = "FILE")]
    form: Option<String>,
}

fn about() -> String {
    format!(
        "Edit an issue in your editor

Opens a form with title, type, priority, labels, due, parent, {} in $VISUAL, $EDITOR or the core.editor of your own git settings. An \
empty form changes nothing. If someone changes the same field meanwhile, nothing is overwritten. A form that cannot be used is kept, and \
--form takes it up again.",
        field::text_names(|_| true, " and ")
    )
}

pub(super) fn run(args: EditArgs, cx: &mut Context) -> Outcome {
    let row = ops::own_copy(cx.store()?, &args.id)?;
    let id = row.issue.id.clone();
    let newest = ops::sheet_of(cx.store()?, &row);
    let (form, shown) = match &args.form {
        None => (form::begin(&newest)?, newest),
        Some(path) => {
            let (form, first) = form::take_up(cx, path)?;
            if !first.is_of(&id) {
                return Err(Failure::usage(format!("{path} is the form of another issue")));
            }
            let shown = bring_up_to_date(cx, &form, first, newest)?;
            (form, shown)
        }
    };
    let again = ["edit".to_owned(), id.clone()];
    let written =
        form::fill(cx, form, &shown, &again, |cx, sheet| Ok(ops::apply_sheet(cx.store()?, &id, &shown, sheet)?))?;
    let Some(written) = written else { return Err(Failure::failed("the form is empty; nothing was changed")) };
    cx.answer(view::replies([&written]), &changed_line(&written, "Updated issue: "))
}

/// Brings what others have changed since into a form that was kept; gives what it is measured by. One that cannot be read stays
/// as it is.
fn bring_up_to_date(
    cx: &mut Context,
    form: &FormFile,
    first: EditSheet,
    newest: EditSheet,
) -> Result<EditSheet, Failure> {
    let Ok(text) = form.text() else { return Ok(first) };
    let Ok(sheet) = first.read_back(&text) else { return Ok(first) };
    let (rebased, clashes) = sheet.rebased(&first, &newest);
    for name in clashes {
        cx.ui.note(&format!("{name} was changed by someone else meanwhile; your text will replace it"));
    }
    form.rewrite(&rebased.render(), &newest.render()).map_err(OpError::Fs)?;
    Ok(newest)
}
