//! An issue as a form in the user's editor, for `bd add` and `bd edit`.

use std::io::Write as _;

use super::context::Context;
use crate::ops::{self, EditError, EditSheet, OpError};
use crate::sys::form::{BeforeEnd, FormError, FormFile};
use crate::view::{Failure, shell_word};

/// A form before editing.
pub(super) fn begin(shown: &EditSheet) -> Result<FormFile, Failure> {
    let text = shown.render();
    Ok(FormFile::new(&text, &text).map_err(OpError::Fs)?)
}

/// A saved form, and its original content.
pub(super) fn take_up(cx: &Context, path: &str) -> Result<(FormFile, EditSheet), Failure> {
    let path = cx.directory().join(path);
    let (form, shown) = FormFile::open(&path).map_err(failed)?;
    let shown = EditSheet::read(&shown).map_err(|_| failed(FormError::NotKept { path }))?;
    Ok((form, shown))
}

/// Lets the user edit a form, and applies the result; `None` if it is empty. A form that is not applied is saved with
/// the user's text: `again` is the command that resumes it.
pub(super) fn fill<T>(
    cx: &mut Context,
    form: FormFile,
    shown: &EditSheet,
    again: &[String],
    using: impl FnOnce(&mut Context, &EditSheet) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let program = ops::users_editor(&cx.host().env);
    let env = cx.host().env.clone();
    let hint = hint(cx, &form, again);
    let (watched, text) = (form.clone(), hint.clone());
    let before_end = BeforeEnd::call(move || {
        if watched.is_touched() {
            let _ = writeln!(std::io::stderr(), "hint: {text}");
        }
    });
    let edited = cx.ui.lend_terminal(|| form.edit(&env, program));
    before_end.watch_interrupts();
    let has_text = if edited.is_ok() { form.exists() } else { form.is_touched() };
    let used = edited.map_err(|error| Failure::from(OpError::from(EditError::from(error)))).and_then(|()| {
        let text = form.text().map_err(failed)?;
        if EditSheet::is_blank(&text) {
            return Ok(None);
        }
        let sheet = shown.read_back(&text)?;
        using(cx, &sheet).map(Some)
    });
    match used {
        Err(failure) if has_text => Err(failure.without_hint().shell(hint)),
        used => {
            form.remove();
            used
        }
    }
}

fn failed(error: FormError) -> Failure {
    match error {
        FormError::Fs(error) => OpError::Fs(error).into(),
        FormError::NotText { .. } => Failure::failed(error.to_string()),
        FormError::NotKept { .. } => Failure::usage(error.to_string()),
    }
}

fn hint(cx: &Context, form: &FormFile, again: &[String]) -> String {
    let path = form.path().display().to_string();
    let words = std::iter::once("bd".to_owned()).chain(cx.global.words()).chain(again.iter().cloned());
    let command: Vec<String> = words.chain(["--form".to_owned(), path.clone()]).map(|word| shell_word(&word)).collect();
    format!("your text is kept in {path}; to go on with it, run `{}`", command.join(" "))
}
