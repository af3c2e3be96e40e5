//! Full-text search over everything people wrote. The index is built when the first search comes, and kept up afterwards.

use std::collections::HashSet;

use super::filter::Clause;
use super::{Cache, Key, Result};
use crate::model::field;
use crate::model::issue;
use crate::model::query::{Expr, Field, folded};
use crate::model::record::Record;

impl Cache {
    /// The keys whose texts are not in the index yet.
    pub fn missing_texts(&mut self) -> Result<Vec<Key>> {
        if !self.texts_known {
            self.own_copy()?;
            self.db.execute_batch(&format!(
                "CREATE VIRTUAL TABLE texts USING fts5({}, tokenize = \"unicode61 remove_diacritics 2\")",
                columns("")
            ))?;
            self.texts_known = true;
        }
        self.keys("SELECT key FROM issues WHERE key NOT IN (SELECT rowid FROM texts)", Vec::new())
    }

    pub fn insert_texts<'a>(&mut self, lines: impl IntoIterator<Item = (Key, Record<'a>)>) -> Result<()> {
        let tx = self.db.transaction()?;
        {
            let columns = columns("");
            let marks = vec!["?"; field::searched().len() + 1].join(",");
            let sql = format!("INSERT INTO texts (rowid, {columns}) VALUES ({marks})");
            let mut statement = tx.prepare_cached(&sql)?;
            for (key, record) in lines {
                statement.raw_bind_parameter(1, key)?;
                for (n, field) in field::searched().iter().enumerate() {
                    statement.raw_bind_parameter(n + 2, issue::searched_text(&record, *field))?;
                }
                statement.raw_execute()?;
            }
        }
        tx.commit()?;
        Ok(())
    }

    /// Issues in which every word occurs (as a word or its beginning), best first; then those whose id or title merely
    /// contains the whole text. Deleted ones are left out.
    pub fn search(&self, text: &str) -> Result<Vec<Key>> {
        let words = words(text);
        let mut keys = Vec::new();
        if !words.is_empty() {
            let query: Vec<String> = words.iter().map(|word| format!("\"{word}\"*")).collect();
            let weights = field::searched().iter().filter_map(|field| field.row().searched);
            let weights: String = weights.map(|(_, weight)| format!(", {weight:.1}")).collect();
            let sql = format!(
                "SELECT i.key FROM texts JOIN live i ON i.key = texts.rowid
                 WHERE texts MATCH ?1 AND i.status <> 'tombstone' ORDER BY bm25(texts{weights}), i.id"
            );
            keys = self.keys(&sql, vec![query.join(" ").into()])?;
        }
        let mut seen: HashSet<Key> = keys.iter().copied().collect();
        let part = Clause::of(&Expr::Or([Field::Id, Field::Title].map(|field| Expr::contains(field, text)).to_vec()));
        let sql = format!(
            "SELECT i.key FROM live i WHERE {} AND i.status <> 'tombstone' ORDER BY i.priority, i.id",
            part.sql
        );
        for key in self.keys(&sql, part.parameters)? {
            if seen.insert(key) {
                keys.push(key);
            }
        }
        Ok(keys)
    }

    /// The fields of an issue in which a word of the search stands.
    pub fn matched_fields(&self, key: Key, text: &str) -> Result<Vec<&'static str>> {
        let sql = format!(
            "SELECT i.id, {} FROM texts JOIN issues i ON i.key = texts.rowid WHERE texts.rowid = ?1",
            columns("texts.")
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        let mut rows = statement.query([key])?;
        let Some(row) = rows.next()? else { return Ok(Vec::new()) };
        let needles: Vec<String> = words(text).iter().map(|word| folded(word)).collect();
        let whole = folded(text);
        let mut found = Vec::new();
        if folded(&row.get::<_, String>(0)?).contains(&whole) {
            found.push("id");
        }
        for (n, field) in field::searched().iter().enumerate() {
            let content = folded(&row.get::<_, String>(n + 1)?);
            if needles.iter().any(|needle| content.contains(needle)) {
                found.push(field.key());
            }
        }
        Ok(found)
    }
}

/// The columns of the table of texts.
fn columns(table: &str) -> String {
    field::searched().iter().map(|field| format!("{table}{}", field.key())).collect::<Vec<_>>().join(", ")
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}
