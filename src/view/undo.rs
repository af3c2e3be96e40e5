//! What was, or would be, taken back.

use super::{Object, array};
use crate::store::{Undo, UndoAction, UndoneIssue, UndoneWrite};

fn undo_word(action: UndoAction) -> &'static str {
    match action {
        UndoAction::Reverted => "reverted",
        UndoAction::Removed => "removed",
        UndoAction::Restored => "restored",
    }
}

pub fn undo(undo: &Undo, preview: bool) -> String {
    let write = |write: &UndoneWrite| {
        let object = Object::new().text("command", &write.command).text("at", &write.at);
        object.optional("commit", write.commit.as_deref()).finish()
    };
    let issue = |one: &UndoneIssue| {
        let object = Object::new()
            .text("id", &one.id)
            .text("source_repo", &one.source_repo)
            .text("action", undo_word(one.action))
            .texts("fields", &one.fields);
        one.line.iter().fold(object, |object, line| object.raw("line", line)).finish()
    };
    Object::new()
        .flag("preview", preview)
        .raw("writes", &array(undo.writes.iter().map(write)))
        .raw("issues", &array(undo.issues.iter().map(issue)))
        .raw("repairs", &array(undo.repairs.iter().map(write)))
        .finish()
}
