//! An issue as a form in the user's editor, for `bd add` and `bd edit`.

use super::context::Context;
use crate::ops::{self, EditError, EditSheet, OpError};
use crate::sys::form::{FormFile, KeptForm};
use crate::view::{Failure, shell_word};

/// Opens a form that was kept.
pub fn kept(cx: &Context, path: &str) -> Result<(KeptForm, EditSheet), Failure> {
    let kept = KeptForm::open(&cx.directory().join(path)).map_err(OpError::Fs)?;
    let shown =
        EditSheet::read(&kept.shown).map_err(|_| Failure::usage(format!("{path} is not a form that bd kept")))?;
    Ok((kept, shown))
}

/// Has a form edited, and uses what comes back; `None` if it comes back empty. What is refused is kept: `again` is the command that
/// takes it up.
pub fn fill<T>(
    cx: &mut Context,
    text: &str,
    shown: &EditSheet,
    again: &str,
    using: impl FnOnce(&mut Context, &EditSheet) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let form = FormFile::new(text, &shown.render()).map_err(OpError::Fs)?;
    let program = ops::users_editor(&cx.host().env);
    let env = cx.host().env.clone();
    let edited = cx.ui.lend_terminal(|| form.edit(&env, program));
    if let Err(error) = edited {
        let failure = Failure::from(OpError::from(EditError::from(error)));
        return Err(if form.is_touched() { keeping(form, failure, again) } else { failure });
    }
    let text = form.text().map_err(OpError::Fs)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let used = shown.read_back(&text).map_err(Failure::from).and_then(|sheet| using(cx, &sheet));
    used.map(Some).map_err(|failure| keeping(form, failure, again))
}

fn keeping(form: FormFile, failure: Failure, again: &str) -> Failure {
    let path = form.keep();
    let command = format!("{again} --form {}", shell_word(&path));
    Failure {
        hint: Some(format!("your text is kept in {}; to go on with it, run `{command}`", path.display())),
        ..failure
    }
}
