//! Ledgers as they occur: sorted or not, with lines that are not issues, with copies, torn, with markers, with any line
//! ends.

use std::collections::BTreeMap;

use super::dice::Dice;
use super::drafts::{Draft, Scope};

#[derive(Debug, Clone)]
pub enum Row {
    Issue(String, Draft),
    /// Bytes that are not an issue.
    Opaque(String),
}

#[derive(Debug, Clone, Default)]
pub struct Sheet {
    rows: Vec<Row>,
    crlf: bool,
    bom: bool,
    unended: bool,
}

impl Sheet {
    pub fn new(dice: &mut Dice) -> Self {
        let mut sheet = Sheet { crlf: dice.percent(8), bom: dice.percent(8), ..Sheet::default() };
        for n in 0..dice.roll(9) {
            let id = format!("t-{n}");
            let draft = Draft::new(&id, dice);
            sheet.rows.push(Row::Issue(id, draft));
        }
        if dice.percent(15) && !sheet.rows.is_empty() {
            sheet.rows.rotate_left(1);
        }
        for _ in 0..dice.roll(3) {
            sheet.put_opaque(dice);
        }
        if dice.percent(8) {
            sheet.copy_a_line(dice);
        }
        sheet
    }

    /// One person's edits.
    pub fn edited(&self, dice: &mut Dice) -> Self {
        let mut sheet = self.clone();
        for row in &mut sheet.rows {
            if let Row::Issue(_, draft) = row
                && dice.percent(35)
            {
                let second = 1 + dice.roll(4) as u32 + if dice.percent(5) { 86_400 } else { 0 };
                *draft = draft.edited(dice, second, Scope::All);
            }
        }
        for _ in 0..dice.roll(3) {
            // Two sides may well file the same id.
            let id = format!("n-{}", dice.roll(6));
            if !sheet.rows.iter().any(|row| matches!(row, Row::Issue(known, _) if *known == id)) {
                let at = dice.roll(sheet.rows.len() + 1);
                let draft = Draft::new(&id, dice);
                sheet.rows.insert(at, Row::Issue(id, draft));
            }
        }
        for _ in 0..3 {
            sheet.mishap(dice);
        }
        sheet
    }

    fn mishap(&mut self, dice: &mut Dice) {
        let rows = self.rows.len();
        match dice.roll(14) {
            0 | 1 if rows > 0 => drop(self.rows.remove(dice.roll(rows))),
            2 => self.put_opaque(dice),
            3 => self.copy_a_line(dice),
            4 if rows > 0 => self.tear(dice),
            5 => self.put_markers(dice),
            6 => self.crlf = !self.crlf,
            7 => self.bom = !self.bom,
            8 => self.unended = true,
            9 if rows > 1 => self.rows.swap(0, rows - 1),
            _ => {}
        }
    }

    fn put_opaque(&mut self, dice: &mut Dice) {
        let word = dice.word();
        let line = match dice.roll(5) {
            0 => format!(r#"{{"_type":"memory","key":"k","value":"{word}"}}"#),
            1 => format!("# prose {word}"),
            2 => format!(r#"{{"title":"no id {word}"}}"#),
            3 => format!(r#"{{"id":"d","id":"{word}"}}"#),
            _ => "# the same on every side".to_owned(),
        };
        let at = dice.roll(self.rows.len() + 1);
        self.rows.insert(at, Row::Opaque(line));
    }

    fn put_markers(&mut self, dice: &mut Dice) {
        let word = dice.word();
        for line in [format!("<<<<<<< {word}"), "=======".into(), format!(">>>>>>> {word}")] {
            let at = dice.roll(self.rows.len() + 1);
            self.rows.insert(at, Row::Opaque(line));
        }
    }

    /// A second line for an issue, edited further.
    fn copy_a_line(&mut self, dice: &mut Dice) {
        let issues: Vec<usize> = (0..self.rows.len()).filter(|n| matches!(self.rows[*n], Row::Issue(..))).collect();
        if issues.is_empty() {
            return;
        }
        let n = *dice.pick(&issues);
        if let Row::Issue(id, draft) = self.rows[n].clone() {
            let second = 1 + dice.roll(4) as u32;
            let copy = draft.edited(dice, second, Scope::All);
            self.rows.insert(dice.roll(self.rows.len() + 1), Row::Issue(id, copy));
        }
    }

    /// The last line is cut off.
    fn tear(&mut self, dice: &mut Dice) {
        if let Some(Row::Issue(_, draft)) = self.rows.pop() {
            let line = draft.line();
            let mut cut = 1 + dice.roll(line.len() - 1);
            while !line.is_char_boundary(cut) {
                cut -= 1;
            }
            self.rows.push(Row::Opaque(line[..cut].to_owned()));
            self.unended = true;
        }
    }

    pub fn text(&self) -> String {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let mut text = if self.bom { "\u{feff}".to_owned() } else { String::new() };
        for row in &self.rows {
            match row {
                Row::Issue(_, draft) => text.push_str(&draft.line()),
                Row::Opaque(line) => text.push_str(line),
            }
            text.push_str(end);
        }
        if self.unended && !self.rows.is_empty() {
            text.truncate(text.len() - end.len());
        }
        text
    }
}

/// A ledger read without the code under test: issues by id, and all other lines with their number.
#[derive(Debug, Default)]
pub struct Contents {
    pub issues: BTreeMap<String, Vec<String>>,
    pub opaque: BTreeMap<String, usize>,
}

impl Contents {
    pub fn of(text: &str) -> Self {
        let mut contents = Contents::default();
        for line in text.strip_prefix('\u{feff}').unwrap_or(text).split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.trim().is_empty() {
                continue;
            }
            match issue_id(line) {
                Some(id) => contents.issues.entry(id).or_default().push(line.to_owned()),
                None => *contents.opaque.entry(line.to_owned()).or_default() += 1,
            }
        }
        contents
    }
}

/// The id of a line that is an issue: an object with unique keys, a text as id and no other type.
fn issue_id(line: &str) -> Option<String> {
    let said = super::reading::Reading::try_of(line)?;
    let is_issue = said.text("_type").is_none_or(|kind| kind == "issue");
    let id: String = serde_json::from_str(said.raw("id")?).ok()?;
    let twice = line.matches("\"id\":").count() > 1 && line.starts_with("{\"id\":\"d\",\"id\":");
    (is_issue && !twice && !id.is_empty()).then_some(id)
}
