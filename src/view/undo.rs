//! The result of an undo, or of its preview.

use super::answer::{Line, answer, each};
use crate::store::{Undo, UndoAction, UndoneIssue, UndoneWrite};

fn undo_word(action: UndoAction) -> &'static str {
    match action {
        UndoAction::Reverted => "reverted",
        UndoAction::Removed => "removed",
        UndoAction::Restored => "restored",
    }
}

answer! {
    fn write(write: &UndoneWrite) {
        command: &write.command, at: &write.at, commit: &write.commit,
    }

    fn issue(one: &UndoneIssue) {
        id: &one.id, source_repo: &one.source_repo, action: undo_word(one.action), fields: &one.fields,
        line: one.line.as_deref().map(Line),
    }

    pub fn undone(undo: &Undo, preview: bool) {
        preview: preview, writes: each(&undo.writes, write), issues: each(&undo.issues, issue),
        repairs: each(&undo.repairs, write),
    }
}
