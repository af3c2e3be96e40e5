//! Conditions on issues as a value, and the small language that people type for them.
//!
//! `status=open priority<=1 label=x updated>7d author=me`, with `and`, `or`, `not` and brackets; adjacent terms mean
//! `and`, and blanks are allowed around an operator. Every list flag builds the same value, so a filter has one
//! meaning. Whether a status, a type or an id exists is checked by the caller (`ops::with_known_words`); everything
//! else that cannot be understood is refused here.

mod parse;

pub use super::field::Field;
use super::issue::Status;
use super::time::Instant;
use super::when::{Bare, When};
pub use parse::{QueryContext, QueryError, parse};

/// The names of the visibilities.
pub const VISIBILITIES: [&str; 3] = ["local", "proposed", "canonical"];

/// Whether a name means the current user.
pub fn is_me(name: &str) -> bool {
    matches!(name, "me" | "@me")
}

/// Whether a word selects issues without a value.
pub fn is_none(word: &str) -> bool {
    word.is_empty() || word.eq_ignore_ascii_case("none")
}

/// Whether a word means every status.
pub fn is_all(word: &str) -> bool {
    Status::typed(word).as_str() == "all"
}

/// Text in lower case, for `~` and for search. Folds letter by letter, so that a part of a word folds like the whole
/// word: a sigma is the same inside a word and at its end.
pub fn folded(text: &str) -> String {
    let one = |c: char| if c == 'ς' { 'σ' } else { c };
    text.chars().flat_map(char::to_lowercase).map(one).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Eq,
    Less,
    LessEq,
    More,
    MoreEq,
    Contains,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i64),
    Time(Instant),
    /// The field has no value.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Is(Field, Op, Value),
}

/// Everything.
impl Default for Expr {
    fn default() -> Self {
        Expr::ALL
    }
}

impl Expr {
    pub const ALL: Expr = Expr::And(Vec::new());

    pub fn text(field: Field, text: impl Into<String>) -> Expr {
        Expr::Is(field, Op::Eq, Value::Text(text.into()))
    }

    pub fn contains(field: Field, text: impl Into<String>) -> Expr {
        Expr::Is(field, Op::Contains, Value::Text(text.into()))
    }

    /// The field has this value, or no value if the word means that.
    pub fn value(field: Field, word: &str) -> Expr {
        if is_none(word) { Expr::Is(field, Op::Eq, Value::Nothing) } else { Expr::text(field, word) }
    }

    pub fn any_of(field: Field, words: impl IntoIterator<Item = String>) -> Expr {
        Expr::Or(words.into_iter().map(|word| Expr::text(field, word)).collect())
    }

    pub fn negate(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// A condition on a time: a date means the whole day, and so does a number of days into the future.
    pub fn time(field: Field, op: Op, when: When) -> Expr {
        let is = |op, at| Expr::Is(field, op, Value::Time(at));
        let day = match when {
            When::DaysAway(..) if op != Op::Eq && field.bare() == Bare::Past => None,
            other => other.day(),
        };
        match (op, day) {
            (Op::Less, Some(day)) => is(Op::Less, day.start),
            (Op::LessEq, Some(day)) => is(Op::Less, day.end),
            (Op::More, Some(day)) => is(Op::MoreEq, day.end),
            (Op::MoreEq, Some(day)) => is(Op::MoreEq, day.start),
            (_, Some(day)) => Expr::And(vec![is(Op::MoreEq, day.start), is(Op::Less, day.end)]),
            (op, None) => is(op, when.start()),
        }
    }

    /// Whether every issue meets it.
    pub fn is_all(&self) -> bool {
        matches!(self, Expr::And(parts) if parts.iter().all(Expr::is_all))
    }

    /// Whether the expression uses no fields but these.
    pub fn is_over(&self, fields: &[Field]) -> bool {
        !self.has(&|mine, _| !fields.contains(&mine))
    }

    /// Whether the expression compares a field with this word.
    pub fn names(&self, field: Field, word: &str) -> bool {
        self.has(&|mine, value| mine == field && matches!(value, Value::Text(text) if text == word))
    }

    /// Whether the expression uses a field.
    pub fn mentions(&self, field: Field) -> bool {
        self.has(&|mine, _| mine == field)
    }

    /// Whether one of its conditions is such.
    fn has(&self, such: &impl Fn(Field, &Value) -> bool) -> bool {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().any(|part| part.has(such)),
            Expr::Not(part) => part.has(such),
            Expr::Is(field, _, value) => such(*field, value),
        }
    }
}
