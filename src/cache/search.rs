//! Full-text search over every text that people write. The index is built at the first search, and then kept up to
//! date.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params, params_from_iter};

use super::file::uri;
use super::filter::Clause;
use super::{Cache, FileId, Key, Result};
use crate::model::field;
use crate::model::issue;
use crate::model::query::{Expr, Field, folded};
use crate::model::record::Record;

/// If more lines than this changed, the index of texts is rebuilt.
const MOST_TO_FOLLOW: usize = 2000;

impl Cache {
    /// The keys whose texts are not in the index yet.
    pub fn missing_texts(&mut self) -> Result<Vec<Key>> {
        if !self.texts_known {
            self.own_copy()?;
            self.db.execute_batch(&table())?;
            self.texts_known = true;
        }
        self.all("SELECT key FROM issues WHERE key NOT IN (SELECT rowid FROM texts)", [], |row| row.get(0))
    }

    pub fn insert_texts<'a>(&mut self, lines: impl IntoIterator<Item = (Key, Record<'a>)>) -> Result<()> {
        insert(&mut self.db, lines)
    }

    /// Attaches a file of texts, stored beside the database; `false` if it belongs to another database.
    pub fn attach_texts(&mut self, path: &Path, id: &FileId) -> Result<bool> {
        if self.texts_known {
            return Ok(true);
        }
        self.db.execute("ATTACH ?1 AS words", [uri(path)])?;
        let known = self.db.query_row("SELECT id FROM words.texts_made", [], |row| row.get::<_, Vec<u8>>(0));
        self.texts_known = known.is_ok_and(|known| known == id);
        if !self.texts_known {
            self.db.execute("DETACH words", [])?;
        }
        Ok(self.texts_known)
    }

    /// The texts of all lines as the bytes of such a file.
    pub fn texts_file<'a>(&self, lines: impl IntoIterator<Item = (Key, Record<'a>)>, id: &FileId) -> Result<Vec<u8>> {
        let mut db = Connection::open_in_memory()?;
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        db.execute_batch(&format!(
            "{}; {GRAMS}; CREATE TABLE texts_made (id BLOB NOT NULL, line BLOB NOT NULL);",
            table()
        ))?;
        insert_all(&mut db, lines)?;
        db.execute("INSERT INTO texts_made VALUES (?1, ?2)", params![id, self.descent()?])?;
        Ok(db.serialize("main")?.to_vec())
    }

    /// Updates a copy of such a file for another database, stored beside it: `text` returns the lines that it lacks.
    pub fn follow_texts(
        copy: &Path,
        database: &Path,
        id: &FileId,
        text: impl Fn(Key) -> Option<String>,
    ) -> Result<bool> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(copy, flags)?;
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;")?;
        db.execute("ATTACH ?1 AS im", [uri(database)])?;
        let sql = "SELECT t.line = m.line AND m.id = ?1 FROM texts_made t, im.made m";
        let is_kin: bool = db.query_row(sql, [id], |row| row.get(0))?;
        if !is_kin {
            return Ok(false);
        }
        let keys = |sql: &str| -> Result<Vec<Key>> {
            let mut statement = db.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        let gone = keys("SELECT id FROM texts_content EXCEPT SELECT key FROM im.issues")?;
        let new = keys("SELECT key FROM im.issues EXCEPT SELECT id FROM texts_content")?;
        if gone.len() + new.len() > MOST_TO_FOLLOW {
            return Ok(false);
        }
        for key in gone {
            db.execute("DELETE FROM texts WHERE rowid = ?1", [key])?;
            db.execute("DELETE FROM grams WHERE rowid = ?1", [key])?;
        }
        let lines: Vec<(Key, String)> = new.iter().filter_map(|key| Some((*key, text(*key)?))).collect();
        let records = lines.iter().filter_map(|(key, line)| Some((*key, Record::parse(line).ok()?)));
        insert_all(&mut db, records)?;
        db.execute("UPDATE texts_made SET id = ?1", [id])?;
        db.close().map_err(|(_, error)| error)?;
        Ok(lines.len() == new.len())
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
            keys = self.all(&sql, [query.join(" ")], |row| row.get(0))?;
        }
        let mut seen: HashSet<Key> = keys.iter().copied().collect();
        let part = Clause::of(&Expr::Or([Field::Id, Field::Title].map(|field| Expr::contains(field, text)).to_vec()));
        let mut parameters = part.parameters;
        let among = match grams(text).filter(|_| self.in_file) {
            Some(grams) => {
                parameters.insert(0, grams.into());
                "grams JOIN live i ON i.key = grams.rowid WHERE grams MATCH ? AND"
            }
            None => "live i WHERE",
        };
        let sql =
            format!("SELECT i.key FROM {among} ({}) AND i.status <> 'tombstone' ORDER BY i.priority, i.id", part.sql);
        let more: Vec<Key> = self.all(&sql, params_from_iter(parameters), |row| row.get(0))?;
        keys.extend(more.into_iter().filter(|key| seen.insert(*key)));
        Ok(keys)
    }

    /// The fields of an issue that contain a word of the search.
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

fn table() -> String {
    let columns = columns("");
    format!("CREATE VIRTUAL TABLE texts USING fts5({columns}, tokenize = \"unicode61 remove_diacritics 2\")")
}

/// Trigrams of ids and titles, for parts of words. Only a file of texts has them.
const GRAMS: &str = "CREATE VIRTUAL TABLE grams USING fts5(id, title, content = '', contentless_delete = 1,
    tokenize = 'trigram', detail = 'none')";

/// The trigrams of a text, which a matching row must have; `None` where that does not help.
fn grams(text: &str) -> Option<String> {
    let is_plain = text.len() >= 3 && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let gram = |n: usize| format!("\"{}\"", text[n..n + 3].replace('"', "\"\""));
    is_plain.then(|| (0..=text.len() - 3).map(gram).collect::<Vec<_>>().join(" AND "))
}

/// Inserts texts into a file that also has trigrams.
fn insert_all<'a>(db: &mut Connection, lines: impl IntoIterator<Item = (Key, Record<'a>)>) -> Result<()> {
    let lines: Vec<(Key, Record<'a>)> = lines.into_iter().collect();
    let tx = db.transaction()?;
    {
        let mut statement = tx.prepare_cached("INSERT INTO grams (rowid, id, title) VALUES (?1, ?2, ?3)")?;
        for (key, record) in &lines {
            let [id, title] = ["id", "title"].map(|name| record.string(name).unwrap_or_default());
            statement.execute(params![key, id, title])?;
        }
    }
    tx.commit()?;
    insert(db, lines)
}

fn insert<'a>(db: &mut Connection, lines: impl IntoIterator<Item = (Key, Record<'a>)>) -> Result<()> {
    let tx = db.transaction()?;
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
    Ok(tx.commit()?)
}

/// The columns of the table of texts.
fn columns(table: &str) -> String {
    field::searched().iter().map(|field| format!("{table}{}", field.key())).collect::<Vec<_>>().join(", ")
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}
