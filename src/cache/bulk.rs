//! The rows of a first load, before there is a database: written as pages, with all that is computed from them. Where two rows
//! have one id nothing is computed here.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Result};

use super::computed::{Known, Row, is_done, spawner};
use super::entry::{Cell, Entry};
use super::pages::{Pages, Tree, Value};
use super::row::{Chunk, ImageId, Key};
use super::schema::{INDEXES, ORDERED, schema};
use super::unknown::UnknownIds;
use crate::model::dependency::Dependency;
use crate::model::field::{COLUMN_COUNT, Field};

/// Rows that no database has yet, in the order of their keys.
#[derive(Debug)]
pub(super) struct Bulk {
    pages: Pages,
    issues: Tree,
    labels: Tree,
    edges: Tree,
    rows: Vec<Row>,
    /// Statuses and types: many rows share them.
    words: Vec<String>,
    numbers: HashMap<String, usize>,
}

/// What only an image has.
pub(super) struct ImageParts<'a> {
    pub id: &'a ImageId,
    pub chunks: &'a [Chunk],
    pub prefixes: &'a [(usize, String, usize)],
    pub pairs: &'a [(Key, Key, bool)],
}

impl<'a> From<&'a Cell<'_>> for Value<'a> {
    fn from(cell: &'a Cell<'_>) -> Self {
        match cell {
            Cell::Nothing => Value::Null,
            Cell::Text(text) => Value::Text(text),
            Cell::Number(number) => Value::Int(*number),
        }
    }
}

impl Bulk {
    pub fn new() -> Result<Self> {
        let mut db = Connection::open_in_memory()?;
        db.execute_batch(&[&schema(), INDEXES, ORDERED].concat())?;
        let pages = Pages::of(&mut db)?;
        let [issues, labels, edges] = ["issues", "labels", "edges"].map(|name| pages.tree(name));
        Ok(Bulk { pages, issues, labels, edges, rows: Vec::new(), words: Vec::new(), numbers: HashMap::new() })
    }

    /// A key is behind all others: rows come in their order.
    pub fn takes(&self, key: Key) -> bool {
        self.rows.last().is_none_or(|last| last.key < key)
    }

    /// Adds a row.
    pub fn add(&mut self, source: usize, key: Key, mut entry: Entry<'_>) {
        const FIRST: usize = 3;
        let mut values = [Value::Null; FIRST + COLUMN_COUNT + 6];
        values[1] = Value::Int(source as i64);
        values[2] = Value::Int(1);
        for (value, cell) in values[FIRST..].iter_mut().zip(&entry.cells) {
            *value = cell.into();
        }
        let own = [
            entry.failed as i64,
            entry.hidden as i64,
            entry.dependencies.len() as i64,
            entry.comments as i64,
            entry.task as i64,
            entry.chunk.into(),
        ];
        values[FIRST + COLUMN_COUNT..].copy_from_slice(&own.map(Value::Int));
        self.issues.add(&mut self.pages, key, &values);
        entry.labels.sort_unstable();
        entry.labels.dedup();
        for label in &entry.labels {
            self.labels.add(&mut self.pages, 0, &[key.into(), label.as_str().into()]);
        }
        for (n, edge) in entry.dependencies.iter().enumerate() {
            let gate = edge.gate.as_ref();
            let any = gate.is_some_and(|gate| gate.any);
            let spawner = gate.and_then(|gate| gate.spawner.as_deref());
            let (target, kind) = (edge.target.as_str(), edge.kind.as_str());
            let values = [key.into(), (n as i64).into(), target.into(), kind.into(), any.into(), spawner.into()];
            self.edges.add(&mut self.pages, 0, &values);
        }
        let has = |label: &str| entry.labels.iter().any(|known| known == label);
        let urgent = if has("baseline-failure") { 0 } else { 2 - i64::from(has("discovered:blocker")) };
        let number = |field: Field| match field.column().map(|n| &entry.cells[n]) {
            Some(Cell::Number(number)) => Some(*number),
            _ => None,
        };
        let row = Row {
            key,
            id: entry.id().to_owned(),
            status: word(&mut self.words, &mut self.numbers, entry.text(Field::Status)),
            kind: word(&mut self.words, &mut self.numbers, entry.text(Field::Type)),
            priority: number(Field::Priority).unwrap_or_default(),
            created: number(Field::Created),
            closed: number(Field::Closed),
            defer: number(Field::Defer),
            is_proposed: entry.text(Field::Visibility) == "proposed",
            failed: entry.failed,
            hidden: entry.hidden,
            task: entry.task,
            urgent,
            dependencies: entry.dependencies,
        };
        self.rows.push(row);
    }

    /// No id stands on two rows.
    pub fn is_distinct(&self) -> bool {
        // Most ledgers are in the order of their ids.
        let mut seen = HashSet::new();
        self.rows.is_sorted_by(|one, next| one.id < next.id) || self.rows.iter().all(|row| seen.insert(row.id.as_str()))
    }

    /// A database of the rows alone, as bytes.
    pub fn into_rows(mut self) -> Vec<u8> {
        self.write_indexes();
        self.finish()
    }

    /// A database with all that is computed, as bytes.
    pub fn into_bytes(mut self, unknown: UnknownIds, image: Option<ImageParts<'_>>) -> Vec<u8> {
        self.write_indexes();
        let rows = std::mem::take(&mut self.rows);
        let words = std::mem::take(&mut self.words);
        let known = Known::of(&rows, &words);
        self.pages.set_user_version(unknown as u32);
        known.write(&mut self.pages, unknown);
        if let Some(image) = image {
            image.write(&mut self.pages, rows.last().map_or(0, |row| row.key) + 1);
        }
        self.finish()
    }

    fn finish(self) -> Vec<u8> {
        let Bulk { mut pages, issues, labels, edges, .. } = self;
        [issues, labels, edges].into_iter().for_each(|tree| tree.finish(&mut pages));
        pages.finish()
    }

    /// The indexes of the rows.
    fn write_indexes(&mut self) {
        let (pages, rows) = (&mut self.pages, &self.rows);
        let mut by_id: Vec<&Row> = rows.iter().collect();
        by_id.sort_by(|a, b| a.id.cmp(&b.id));
        let ids = |such: &dyn Fn(&Row) -> bool| -> Vec<[Value<'_>; 2]> {
            let chosen = by_id.iter().filter(|row| such(row));
            chosen.map(|row| [row.id.as_str().into(), row.key.into()]).collect()
        };
        pages.fill("issues_id", ids(&|_| true));
        pages.fill("workflows", ids(&|row| self.words[row.kind] == "workflow"));
        pages.fill("tasks", ids(&|row| row.task));
        let is_open = |row: &&Row| !is_done(&self.words[row.status]);
        let mut open: Vec<_> = rows
            .iter()
            .filter(is_open)
            .map(|row| (row.priority, Reverse(row.created), row.id.as_str(), row.key))
            .collect();
        open.sort_unstable();
        let row = |(priority, Reverse(created), id, key): (i64, Reverse<Option<i64>>, _, i64)| -> [Value<'_>; 4] {
            [priority.into(), created.into(), Value::Text(id), key.into()]
        };
        pages.fill("open_order", open.into_iter().map(row));
        for (name, target) in [
            ("edges_target", (|edge| Some(edge.target.as_str())) as fn(&Dependency) -> Option<&str>),
            ("edges_waits", |edge| (edge.kind.as_str() == "waits-for").then(|| spawner(edge))),
        ] {
            let mut found: Vec<(&str, Key, i64)> = Vec::new();
            for row in rows {
                let numbered = row.dependencies.iter().zip(0..);
                found.extend(numbered.filter_map(|(edge, n)| Some((target(edge)?, row.key, n))));
            }
            found.sort_unstable();
            pages.fill(name, found.into_iter().map(|(target, key, n)| [target.into(), key.into(), n.into()]));
        }
    }
}

impl ImageParts<'_> {
    fn write(&self, pages: &mut Pages, next: Key) {
        let mut made = pages.tree("made");
        made.add(pages, 1, &[Value::Blob(self.id), Value::Blob(self.id), next.into()]);
        made.finish(pages);
        let mut chunks = pages.tree("chunks");
        for chunk in self.chunks {
            let (first, start) = (chunk.first as i64, chunk.start as i64);
            chunks.add(pages, chunk.n(), &[Value::Null, first.into(), start.into(), Value::Blob(&chunk.blob())]);
        }
        chunks.finish(pages);
        let mut prefixes: Vec<_> = self.prefixes.iter().collect();
        prefixes.sort_unstable();
        pages.fill(
            "prefixes",
            prefixes
                .into_iter()
                .map(|(source, prefix, n)| [(*source as i64).into(), prefix.as_str().into(), (*n as i64).into()]),
        );
        pages.fill(
            "pairs",
            self.pairs.iter().map(|(copy, shown, accepted)| [(*copy).into(), (*shown).into(), (*accepted).into()]),
        );
    }
}

/// The number of a word.
fn word(words: &mut Vec<String>, numbers: &mut HashMap<String, usize>, text: &str) -> usize {
    if let Some(number) = numbers.get(text) {
        return *number;
    }
    words.push(text.to_owned());
    numbers.insert(text.to_owned(), words.len() - 1);
    words.len() - 1
}
