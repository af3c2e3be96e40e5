//! Finds problems in a ledger, for warnings and for `bd doctor`.

use std::collections::BTreeMap;

use super::document::Document;
use super::line::{Damage, Line};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("{0}")]
    Damaged(Damage),
    #[error("the last line is cut off ({0})")]
    Torn(Damage),
    #[error("conflict markers, to line {until}")]
    Conflict { until: usize },
    #[error("{id} is on {} lines ({}); showing the latest", lines.len(), list(lines))]
    Duplicate { id: String, lines: Vec<usize> },
    #[error("lines are not sorted by id")]
    Unsorted,
    #[error("the last line has no line feed")]
    NoFinalNewline,
    #[error("lines that end with a carriage return: {0}")]
    CarriageReturns(usize),
    #[error("the file starts with a byte order mark")]
    ByteOrderMark,
    #[error("blank lines: {0}")]
    Blank(usize),
}

fn list(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

impl Problem {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Problem::Damaged(_) => "run `bd doctor --fix` to move the line to .beads/damaged.txt",
            Problem::Torn(_) => {
                "restore the file from version control, or run `bd doctor --fix` to move the line to .beads/damaged.txt"
            }
            Problem::Conflict { .. } => "run `bd resolve` to merge both sides",
            Problem::Duplicate { .. } => "run `bd doctor --fix` to join the copies",
            Problem::Blank(_) => "harmless",
            _ => "run `bd doctor --fix` to repair it",
        }
    }
}

/// A problem and the line it starts on, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub line: usize,
    pub problem: Problem,
}

impl Document {
    /// All problems, in file order.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut ids: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut last = String::new();
        let mut sorted = true;
        let (mut blank, mut returns) = ((0, 0), (0, 0));
        let torn = self.torn();
        // Lines between markers are fixed together with the markers, and in no other way.
        let regions = self.conflicts();
        let is_inside = |n: usize| regions.iter().any(|region| region.contains(&n));
        for region in regions {
            findings.push(Finding { line: region.start + 1, problem: Problem::Conflict { until: region.end } });
        }
        for n in 0..self.len() {
            if self.raw(n).ends_with(b"\r") {
                returns = (if returns.1 == 0 { n } else { returns.0 }, returns.1 + 1);
            }
            match self.line(n) {
                Line::Issue(_) if is_inside(n) => {}
                Line::Issue(record) => {
                    let id = record.string("id").unwrap_or_default().into_owned();
                    sorted &= last <= id;
                    last.clone_from(&id);
                    ids.entry(id).or_default().push(n + 1);
                }
                Line::Other => {}
                Line::Blank => blank = (if blank.1 == 0 { n } else { blank.0 }, blank.1 + 1),
                Line::Damaged(Damage::Marker) => {}
                Line::Damaged(damage) => {
                    let is_torn = torn.as_ref().is_some_and(|(at, _)| *at == n);
                    if is_inside(n) && !is_torn {
                        continue;
                    }
                    let problem = if is_torn { Problem::Torn(damage) } else { Problem::Damaged(damage) };
                    findings.push(Finding { line: n + 1, problem });
                }
            }
        }
        let doubled = ids.into_iter().filter(|(_, lines)| lines.len() > 1);
        findings
            .extend(doubled.map(|(id, lines)| Finding { line: lines[0], problem: Problem::Duplicate { id, lines } }));
        let mut add = |line: usize, problem| findings.push(Finding { line, problem });
        if self.has_bom() {
            add(1, Problem::ByteOrderMark);
        }
        if returns.1 > 0 {
            add(returns.0 + 1, Problem::CarriageReturns(returns.1));
        }
        if blank.1 > 0 {
            add(blank.0 + 1, Problem::Blank(blank.1));
        }
        if !self.ends_well() && !self.is_empty() && torn.is_none() {
            add(self.len(), Problem::NoFinalNewline);
        }
        if !sorted {
            add(1, Problem::Unsorted);
        }
        findings.sort_by_key(|finding| finding.line);
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_name_their_lines() {
        let text = "\u{feff}{\"id\":\"b\"}\r\n{\"id\":\"a\"}\n<<<<<<< x\n\n{\"id\":\"a\",\"x\":1}\n{\"id\":";
        let found: Vec<String> =
            Document::new(text.into()).check().iter().map(|f| format!("{}: {}", f.line, f.problem)).collect();
        assert_eq!(
            found,
            [
                "1: the file starts with a byte order mark",
                "1: lines that end with a carriage return: 1",
                "1: lines are not sorted by id",
                "3: conflict markers, to line 6",
                "4: blank lines: 1",
                "6: the last line is cut off (ends in the middle of a value (column 7))",
            ]
        );
    }
}
