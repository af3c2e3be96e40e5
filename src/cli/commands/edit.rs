use clap::Args;

use super::{Context, Outcome, changed_line};
use crate::cli::form;
use crate::model::field;
use crate::ops::{self, EditSheet};
use crate::view::{self, Exit, Failure};

/// Edit an issue in your editor
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:\n  bd edit bd-a3f8\n  EDITOR=\"code --wait\" bd edit a3")]
pub struct EditArgs {
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

pub fn run(args: EditArgs, cx: &mut Context) -> Outcome {
    let row = ops::own_copy(cx.store()?, &args.id)?;
    let id = row.issue.id.clone();
    let newest = ops::sheet_of(cx.store()?, &row);
    let (mut text, mut shown, mut taken_up) = (newest.render(), newest.clone(), None);
    if let Some(path) = &args.form {
        let (kept, first) = form::kept(cx, path)?;
        if !first.is_of(&id) {
            return Err(Failure::usage(format!("{path} is the form of another issue")));
        }
        (text, shown) = taken_up_text(cx, &kept.text, first, newest);
        taken_up = Some(kept);
    }
    let again = format!("bd edit {id}");
    let written =
        form::fill(cx, &text, &shown, &again, |cx, sheet| Ok(ops::apply_sheet(cx.store()?, &id, &shown, sheet)?))?;
    let Some(written) = written else { return Err(Failure::failed("the form is empty; nothing was changed")) };
    if let Some(kept) = taken_up {
        kept.remove();
    }
    json_answer!(cx, view::replies([&written]));
    cx.ui.done(&changed_line(&written, "Updated issue: "));
    Ok(Exit::Ok)
}

/// A form with what others have changed since it was kept, and what it is measured by. One that cannot be read stays as it is.
fn taken_up_text(cx: &mut Context, text: &str, first: EditSheet, newest: EditSheet) -> (String, EditSheet) {
    let Ok(sheet) = first.read_back(text) else { return (text.to_owned(), first) };
    let (rebased, clashes) = sheet.rebased(&first, &newest);
    for name in clashes {
        cx.ui.note(&format!("{name} was changed by someone else meanwhile; your text will replace it"));
    }
    (rebased.render(), newest)
}
