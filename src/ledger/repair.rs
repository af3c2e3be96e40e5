//! Plans the repair of a ledger by `bd doctor --fix`. No unreadable line is thrown away.

use super::check::Problem;
use super::document::Document;
use super::edit::Edit;
use crate::model::merge::join_copies;

/// One step of a repair, for the report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepairStep {
    #[error("moved a damaged line out ({reason})")]
    Quarantine { line: usize, reason: String },
    #[error("joined {copies} copies of {id}")]
    Join { id: String, copies: usize },
    #[error("sorted the lines by id")]
    Sort,
    #[error("made line ends plain line feeds")]
    Normalise,
}

/// Edits that make a document sound, and the bytes that must be stored elsewhere before they are applied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repair {
    pub edits: Vec<Edit>,
    pub steps: Vec<RepairStep>,
    pub quarantine: Vec<u8>,
}

impl Document {
    /// Plans a repair. Conflict regions are left alone: a merge has to choose the side.
    pub fn repair(&self) -> Repair {
        let mut repair = Repair::default();
        let conflicts = self.conflicts();
        let in_conflict = |n: usize| conflicts.iter().any(|region| region.contains(&n));
        let mut normalise = false;
        let mut sort = false;
        for finding in self.check() {
            match finding.problem {
                Problem::Damaged(reason) | Problem::Torn(reason) if !in_conflict(finding.line - 1) => {
                    let line = finding.line - 1;
                    repair.quarantine.extend_from_slice(self.raw(line));
                    repair.quarantine.push(b'\n');
                    repair.edits.push(Edit::Remove { line });
                    repair.steps.push(RepairStep::Quarantine { line: finding.line, reason: reason.to_string() });
                }
                Problem::Duplicate { id, lines } if !lines.iter().any(|line| in_conflict(line - 1)) => {
                    repair.edits.extend(self.join(&id, &lines));
                    repair.steps.push(RepairStep::Join { id, copies: lines.len() });
                }
                Problem::Unsorted => sort = true,
                Problem::CarriageReturns(_) | Problem::ByteOrderMark | Problem::NoFinalNewline => normalise = true,
                Problem::Damaged(_)
                | Problem::Torn(_)
                | Problem::Duplicate { .. }
                | Problem::Conflict { .. }
                | Problem::Blank(_) => {}
            }
        }
        if conflicts.is_empty() {
            if sort {
                repair.edits.push(Edit::Sort);
                repair.steps.push(RepairStep::Sort);
            }
            if normalise {
                repair.edits.push(Edit::Normalise);
                repair.steps.push(RepairStep::Normalise);
            }
        }
        repair
    }

    fn join(&self, id: &str, lines: &[usize]) -> Vec<Edit> {
        let Some(keep) = self.effective(id) else { return Vec::new() };
        // Joined in the order of their bytes, so that every clone comes to the same line.
        let mut copies: Vec<String> = lines.iter().map(|line| self.line_text(line - 1)).collect();
        copies.sort();
        let dialect = self.dialect_of(keep);
        let joined = copies.into_iter().reduce(|a, b| join_copies(&a, &b, dialect).unwrap_or(a)).unwrap_or_default();
        let others = lines.iter().map(|line| line - 1).filter(|n| *n != keep);
        let mut edits: Vec<Edit> = others.map(|line| Edit::Remove { line }).collect();
        edits.push(Edit::Set { line: keep, id: id.to_owned(), text: joined });
        edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_names_every_step_and_keeps_every_byte() {
        let text = "{\"id\":\"b\",\"t\":1}\r\nrubbish\n{\"id\":\"a\"}\n{\"id\":\"b\",\"u\":2}\n{\"id\":";
        let repair = Document::new(text.into()).repair();
        let steps: Vec<String> = repair.steps.iter().map(ToString::to_string).collect();
        assert_eq!(
            steps,
            [
                "joined 2 copies of b",
                "moved a damaged line out (not a JSON object)",
                "moved a damaged line out (ends in the middle of a value (column 7))",
                "sorted the lines by id",
                "made line ends plain line feeds",
            ]
        );
        assert_eq!(repair.quarantine, b"rubbish\n{\"id\":\n");
    }

    #[test]
    fn conflicts_are_left_alone() {
        let text = "{\"id\":\"b\"}\n<<<<<<< x\n{\"id\":\"a\"}\n=======\n{\"id\":\"a\",\"x\":1}\n>>>>>>> y\n";
        assert_eq!(Document::new(text.into()).repair(), Repair::default());
    }
}
