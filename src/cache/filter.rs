//! Translates a condition into SQL over `live AS i`.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value as Sql;

use super::schema::DONE;
use crate::model::field;
use crate::model::json::Dialect;
use crate::model::query::{Expr, Field, Op, Value, folded};

/// With more conditions than this, `IN` may replace them.
const MANY: usize = 16;

/// SQLite's LIKE folds only ASCII letters; this SQL function finds a folded text in any case.
const CONTAINS_FOLDED: &str = "contains_folded";

/// Registers the functions that clauses call.
pub(super) fn add_functions(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function(CONTAINS_FOLDED, 2, flags, |call| {
        let (Ok(text), Ok(wanted)) = (call.get_raw(0).as_str(), call.get_raw(1).as_str()) else { return Ok(false) };
        // Only called for text with other letters than ASCII.
        Ok(!text.is_ascii() && folded(text).contains(wanted))
    })
}

/// A WHERE clause and its parameters.
#[derive(Debug, Default)]
pub(super) struct Clause {
    pub sql: String,
    pub parameters: Vec<Sql>,
    /// Whether the clause reads the table of texts.
    pub needs_texts: bool,
}

impl Clause {
    pub(super) fn of(expr: &Expr) -> Self {
        let mut clause = Clause::default();
        clause.write(expr);
        clause
    }

    fn write(&mut self, expr: &Expr) {
        match expr {
            // In these words, so that the index of open issues is used.
            Expr::And(parts) if parts.iter().any(not_closed) && parts.iter().any(not_deleted) => {
                self.sql.push_str(&format!("(i.status NOT IN {DONE} AND "));
                let others = parts.iter().filter(|part| !not_closed(part) && !not_deleted(part));
                self.join(&others.cloned().collect::<Vec<_>>(), " AND ", "1");
                self.sql.push(')');
            }
            Expr::And(parts) => self.join(parts, " AND ", "1"),
            Expr::Or(parts) => match one_of(parts) {
                Some((column, words)) => {
                    // One parameter: SQLite refuses long chains of conditions.
                    self.sql.push_str(&format!("coalesce(i.{column} IN (SELECT value FROM json_each(?)), 0)"));
                    self.parameters.push(Sql::Text(words));
                }
                None => self.join(parts, " OR ", "0"),
            },
            Expr::Not(part) if is_done(part) => self.sql.push_str(&format!("i.status NOT IN {DONE}")),
            Expr::Not(part) => {
                // A condition on an absent value is neither true nor false in SQL; here it is false.
                self.sql.push_str("NOT coalesce(");
                self.write(part);
                self.sql.push_str(", 0)");
            }
            Expr::Is(field, op, value) => self.condition(*field, *op, value),
        }
    }

    /// Joins conditions by halves: SQLite refuses deep trees, and a chain is as deep as it is long.
    fn join(&mut self, parts: &[Expr], word: &str, empty: &str) {
        match parts {
            [] => self.sql.push_str(empty),
            [part] => self.write(part),
            _ => {
                let (first, second) = parts.split_at(parts.len() / 2);
                self.sql.push('(');
                self.join(first, word, empty);
                self.sql.push_str(word);
                self.join(second, word, empty);
                self.sql.push(')');
            }
        }
    }

    fn condition(&mut self, field: Field, op: Op, value: &Value) {
        match field {
            Field::Label => self.exists("SELECT 1 FROM labels x WHERE x.key = i.key", "x.label", op, value),
            Field::Parent => self.exists(
                "SELECT 1 FROM edges x WHERE x.key = i.key AND x.type = 'parent-child'",
                "x.target",
                op,
                value,
            ),
            _ => match column(field) {
                Some(column) => self.compare(&format!("i.{column}"), op, value),
                None => self.text(field, op, value),
            },
        }
    }

    fn exists(&mut self, select: &str, column: &str, op: Op, value: &Value) {
        if *value == Value::Nothing {
            self.sql.push_str(&format!("NOT EXISTS ({select})"));
            return;
        }
        self.sql.push_str(&format!("EXISTS ({select} AND "));
        self.compare(column, op, value);
        self.sql.push(')');
    }

    fn text(&mut self, field: Field, op: Op, value: &Value) {
        self.needs_texts = true;
        let fields = if field == Field::Text { field::searched() } else { std::slice::from_ref(&field) };
        self.sql.push_str("EXISTS (SELECT 1 FROM texts x WHERE x.rowid = i.key AND (");
        for (n, field) in fields.iter().enumerate() {
            if n > 0 {
                self.sql.push_str(" OR ");
            }
            self.compare(&format!("x.{}", field.key()), op, value);
        }
        self.sql.push_str("))");
    }

    fn compare(&mut self, column: &str, op: Op, value: &Value) {
        let parameter = match (value, op) {
            (Value::Nothing, _) => {
                self.sql.push_str(&format!("({column} IS NULL OR {column} = '')"));
                return;
            }
            (Value::Text(text), Op::Contains) => return self.contains(column, &folded(text)),
            (Value::Text(text), _) => Sql::Text(text.clone()),
            (Value::Number(number), _) => Sql::Integer(*number),
            (Value::Time(at), _) => Sql::Integer(at.micros()),
        };
        let sign = match op {
            // A number or a time contains only itself.
            Op::Eq | Op::Contains => "=",
            Op::Less => "<",
            Op::LessEq => "<=",
            Op::More => ">",
            Op::MoreEq => ">=",
        };
        self.sql.push_str(&format!("{column} {sign} ?"));
        self.parameters.push(parameter);
    }

    /// Matches a folded text. LIKE is much faster, and sufficient for most.
    fn contains(&mut self, column: &str, wanted: &str) {
        if wanted.is_ascii() {
            self.sql.push_str(&format!("{column} LIKE ? ESCAPE '\\'"));
            self.parameters.push(Sql::Text(like(wanted)));
        } else {
            self.sql.push_str(&format!("{CONTAINS_FOLDED}({column}, ?)"));
            self.parameters.push(Sql::Text(wanted.to_owned()));
        }
    }
}

/// Whether the condition selects finished issues.
fn is_done(expr: &Expr) -> bool {
    matches!(expr, Expr::Or(parts) if matches!(parts.as_slice(), [a, b] if is_status(a, "closed") && is_status(b, "tombstone")))
}

fn not_closed(part: &Expr) -> bool {
    matches!(part, Expr::Not(part) if is_status(part, "closed"))
}

fn not_deleted(part: &Expr) -> bool {
    matches!(part, Expr::Not(part) if is_status(part, "tombstone"))
}

fn is_status(part: &Expr, word: &str) -> bool {
    *part == Expr::text(Field::Status, word)
}

/// The column and a JSON list of words, if many conditions only compare one column with words.
fn one_of(parts: &[Expr]) -> Option<(&'static str, String)> {
    let Expr::Is(field, ..) = parts.get(MANY)? else { return None };
    let column = column(*field).filter(|_| *field != Field::Repo)?;
    let word = |part: &Expr| match part {
        Expr::Is(other, Op::Eq, Value::Text(text)) if other == field => Some(Dialect::default().string(text)),
        _ => None,
    };
    let words: Option<Vec<String>> = parts.iter().map(word).collect();
    Some((column, format!("[{}]", words?.join(","))))
}

/// A pattern that matches the text anywhere, taken literally.
fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// The column of a field; `None` if it has a table of its own.
pub(super) fn column(field: Field) -> Option<&'static str> {
    match field {
        Field::Repo => Some("source"),
        // Translated to ids before it gets here.
        Field::Project => Some("id"),
        _ => field.row().column.map(|(name, _)| name),
    }
}
