//! Conditions on issues as a value, and the small language that people type for them.
//!
//! `status=open priority<=1 label=x updated>7d author=me`, with `and`, `or`, `not` and brackets; terms side by side mean
//! `and`, and blanks may stand around an operator. Every list flag builds the same value, so there is one meaning of a filter.
//! Whether a status, a type or an id exists is asked above (`ops::with_known_words`); everything else that cannot be
//! understood is refused here.

mod parse;

pub use super::field::Field;
use super::issue::Status;
use super::time::Instant;
use super::when::{Bare, When};
pub use parse::{QueryContext, QueryError, parse};

/// The words of a visibility.
pub const VISIBILITIES: [&str; 3] = ["local", "proposed", "canonical"];

/// The one who asks, among names of people.
pub fn is_me(name: &str) -> bool {
    matches!(name, "me" | "@me")
}

/// The word that asks for issues without a value.
pub fn is_none(word: &str) -> bool {
    word.is_empty() || word.eq_ignore_ascii_case("none")
}

/// The word for every status.
pub fn is_all(word: &str) -> bool {
    Status::typed(word).as_str() == "all"
}

/// Text as `~` and a search compare it: in one case of letters. Each letter by itself, so that a part of a word is folded as the
/// whole word is: a sigma is the same at the end of a word and within.
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

impl Expr {
    pub const ALL: Expr = Expr::And(Vec::new());

    pub fn text(field: Field, text: impl Into<String>) -> Expr {
        Expr::Is(field, Op::Eq, Value::Text(text.into()))
    }

    pub fn contains(field: Field, text: impl Into<String>) -> Expr {
        Expr::Is(field, Op::Contains, Value::Text(text.into()))
    }

    /// The field has this value, or none if that is what the word says.
    pub fn value(field: Field, word: &str) -> Expr {
        if is_none(word) { Expr::Is(field, Op::Eq, Value::Nothing) } else { Expr::text(field, word) }
    }

    pub fn any_of(field: Field, words: impl IntoIterator<Item = String>) -> Expr {
        Expr::Or(words.into_iter().map(|word| Expr::text(field, word)).collect())
    }

    pub fn negate(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// A condition on a time: a date is a whole day, and so is a length of days where it counts ahead.
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

    /// Every issue meets it.
    pub fn is_all(&self) -> bool {
        matches!(self, Expr::And(parts) if parts.iter().all(Expr::is_all))
    }

    /// Whether the expression looks at nothing but some fields.
    pub fn is_over(&self, fields: &[Field]) -> bool {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| part.is_over(fields)),
            Expr::Not(part) => part.is_over(fields),
            Expr::Is(mine, _, _) => fields.contains(mine),
        }
    }

    /// Whether the expression names a word for a field.
    pub fn names(&self, field: Field, word: &str) -> bool {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().any(|part| part.names(field, word)),
            Expr::Not(part) => part.names(field, word),
            Expr::Is(mine, _, Value::Text(text)) => *mine == field && text == word,
            Expr::Is(..) => false,
        }
    }

    /// Whether the expression looks at a field at all.
    pub fn mentions(&self, field: Field) -> bool {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().any(|part| part.mentions(field)),
            Expr::Not(part) => part.mentions(field),
            Expr::Is(mine, _, _) => *mine == field,
        }
    }
}
