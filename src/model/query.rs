//! Conditions on issues as a value, and the small language that people type for them.
//!
//! `status=open priority<=1 label=x updated>7d author=me`, with `and`, `or`, `not` and brackets; terms side by side mean
//! `and`. Every list flag builds the same value, so there is one meaning of a filter.

use super::issue::{IssueType, Priority, Status};
use super::time::Instant;
use super::when::{Bare, Calendar};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Id,
    Title,
    Description,
    Notes,
    Text,
    Status,
    Type,
    Priority,
    Label,
    Assignee,
    Author,
    Owner,
    Parent,
    ExternalRef,
    Visibility,
    Repo,
    Project,
    Created,
    Updated,
    Started,
    Closed,
    Due,
    Defer,
}

const NAMES: &[(&str, Field)] = &[
    ("id", Field::Id),
    ("title", Field::Title),
    ("description", Field::Description),
    ("desc", Field::Description),
    ("notes", Field::Notes),
    ("text", Field::Text),
    ("status", Field::Status),
    ("type", Field::Type),
    ("issue_type", Field::Type),
    ("priority", Field::Priority),
    ("label", Field::Label),
    ("labels", Field::Label),
    ("assignee", Field::Assignee),
    ("author", Field::Author),
    ("created_by", Field::Author),
    ("owner", Field::Owner),
    ("parent", Field::Parent),
    ("external_ref", Field::ExternalRef),
    ("visibility", Field::Visibility),
    ("repo", Field::Repo),
    ("project", Field::Project),
    ("created", Field::Created),
    ("updated", Field::Updated),
    ("started", Field::Started),
    ("closed", Field::Closed),
    ("due", Field::Due),
    ("defer", Field::Defer),
];

impl Field {
    fn is_time(self) -> bool {
        use Field::*;
        matches!(self, Created | Updated | Started | Closed | Due | Defer)
    }
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

    pub fn any_of(field: Field, words: impl IntoIterator<Item = String>) -> Expr {
        Expr::Or(words.into_iter().map(|word| Expr::text(field, word)).collect())
    }

    pub fn negate(self) -> Expr {
        Expr::Not(Box::new(self))
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

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("the query is empty")]
    Empty,
    #[error("unknown field {0:?}; known: {1}")]
    UnknownField(String, String),
    #[error("{field} cannot be compared with {op:?}")]
    BadOperator { field: String, op: String },
    #[error("{field}: {value:?} is not a date")]
    BadDate { field: String, value: String },
    #[error("{0}")]
    BadPriority(#[from] super::issue::PriorityError),
    #[error("{0:?} has no value")]
    MissingValue(String),
    #[error("unexpected {0:?}")]
    Unexpected(String),
    #[error("a quote is not closed")]
    OpenQuote,
    #[error("a bracket is not closed")]
    OpenBracket,
}

/// What the words of a query mean here and now.
#[derive(Debug)]
pub struct QueryContext<'a> {
    pub me: &'a str,
    pub calendar: &'a Calendar,
}

pub fn parse(text: &str, context: &QueryContext<'_>) -> Result<Expr, QueryError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, context };
    if parser.tokens.is_empty() {
        return Err(QueryError::Empty);
    }
    let expr = parser.any(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some(token) => Err(QueryError::Unexpected(token.text.clone())),
    }
}

#[derive(Debug, Clone)]
struct Token {
    text: String,
    /// Where the comparison stands, if the token is a term; quoted text never holds one.
    op: Option<(usize, usize)>,
    quoted: bool,
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Eq => "=",
        Op::Less => "<",
        Op::LessEq => "<=",
        Op::More => ">",
        Op::MoreEq => ">=",
        Op::Contains => "~",
    }
}

const OPERATORS: &[&str] = &["!=", "<=", ">=", "=", "<", ">", "~", ":"];

fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
    let mut found = Vec::new();
    let mut current = Token { text: String::new(), op: None, quoted: false };
    let mut chars = text.char_indices().peekable();
    let flush = |current: &mut Token, found: &mut Vec<Token>| {
        if !current.text.is_empty() || current.quoted {
            found.push(std::mem::replace(current, Token { text: String::new(), op: None, quoted: false }));
        }
    };
    while let Some((at, c)) = chars.next() {
        match c {
            '"' | '\'' => {
                current.quoted = true;
                loop {
                    match chars.next() {
                        Some((_, end)) if end == c => break,
                        Some((_, inner)) => current.text.push(inner),
                        None => return Err(QueryError::OpenQuote),
                    }
                }
            }
            '(' | ')' if current.op.is_none() => {
                flush(&mut current, &mut found);
                found.push(Token { text: c.to_string(), op: None, quoted: false });
            }
            ')' => {
                flush(&mut current, &mut found);
                found.push(Token { text: c.to_string(), op: None, quoted: false });
            }
            c if c.is_whitespace() => flush(&mut current, &mut found),
            c => {
                let op = OPERATORS.iter().find(|op| text[at..].starts_with(**op));
                if let (Some(op), None, false) = (op, current.op, current.text.is_empty()) {
                    current.op = Some((current.text.len(), op.len()));
                    current.text.push_str(op);
                    for _ in 1..op.len() {
                        chars.next();
                    }
                } else {
                    current.text.push(c);
                }
            }
        }
    }
    flush(&mut current, &mut found);
    Ok(found)
}

/// Brackets nest at most this deep: a query comes from outside.
const MAX_BRACKETS: usize = 64;

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    context: &'a QueryContext<'a>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|t| !t.quoted && t.op.is_none() && t.text.eq_ignore_ascii_case(word))
    }

    fn any(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.all(depth)?];
        while self.is_word("or") {
            self.at += 1;
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn all(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.one(depth)?];
        loop {
            if self.is_word("and") {
                self.at += 1;
            } else if self.peek().is_none() || self.is_word("or") || self.is_word(")") {
                break;
            }
            parts.push(self.one(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) })
    }

    fn one(&mut self, depth: usize) -> Result<Expr, QueryError> {
        if depth > MAX_BRACKETS {
            return Err(QueryError::OpenBracket);
        }
        let Some(token) = self.peek().cloned() else {
            return Err(QueryError::Unexpected("end of query".into()));
        };
        self.at += 1;
        if token.quoted || token.op.is_some() {
            return self.term(&token);
        }
        match token.text.to_ascii_lowercase().as_str() {
            "not" => Ok(self.one(depth + 1)?.negate()),
            "(" => {
                let inner = self.any(depth + 1)?;
                if !self.is_word(")") {
                    return Err(QueryError::OpenBracket);
                }
                self.at += 1;
                Ok(inner)
            }
            ")" | "and" | "or" => Err(QueryError::Unexpected(token.text)),
            _ => self.term(&token),
        }
    }

    fn term(&self, token: &Token) -> Result<Expr, QueryError> {
        let Some((at, len)) = token.op else {
            return Ok(Expr::contains(Field::Text, token.text.clone()));
        };
        let (name, op, value) = (&token.text[..at], &token.text[at..at + len], &token.text[at + len..]);
        let lower = name.to_ascii_lowercase();
        let Some(&(_, field)) = NAMES.iter().find(|(known, _)| *known == lower) else {
            let known: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
            return Err(QueryError::UnknownField(name.to_owned(), known.join(" ")));
        };
        if value.is_empty() && !token.quoted {
            return Err(QueryError::MissingValue(token.text.clone()));
        }
        let positive = match op {
            "!=" | "=" | ":" => {
                let words = value.split(',').map(|word| self.condition(field, name, Op::Eq, word));
                let mut parts = words.collect::<Result<Vec<_>, _>>()?;
                if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) }
            }
            "<" => self.condition(field, name, Op::Less, value)?,
            "<=" => self.condition(field, name, Op::LessEq, value)?,
            ">" => self.condition(field, name, Op::More, value)?,
            ">=" => self.condition(field, name, Op::MoreEq, value)?,
            _ => self.condition(field, name, Op::Contains, value)?,
        };
        Ok(if op == "!=" { positive.negate() } else { positive })
    }

    fn condition(&self, field: Field, name: &str, op: Op, value: &str) -> Result<Expr, QueryError> {
        let ordered = field.is_time() || field == Field::Priority;
        let comparing = matches!(op, Op::Less | Op::LessEq | Op::More | Op::MoreEq);
        if (comparing && !ordered) || (op == Op::Contains && ordered) {
            return Err(QueryError::BadOperator { field: name.to_owned(), op: sign(op).to_owned() });
        }
        if value.is_empty() || (op == Op::Eq && value.eq_ignore_ascii_case("none")) {
            return Ok(Expr::Is(field, Op::Eq, Value::Nothing));
        }
        if field.is_time() {
            let at = self.context.calendar.parse(value, Bare::Past);
            let at = at.ok_or_else(|| QueryError::BadDate { field: name.to_owned(), value: value.to_owned() })?;
            return Ok(Expr::Is(field, op, Value::Time(at)));
        }
        let text = match field {
            Field::Priority => return Ok(Expr::Is(field, op, Value::Number(Priority::typed(value)?.number()))),
            Field::Status if op == Op::Eq => Status::typed(value).as_str().to_owned(),
            Field::Type if op == Op::Eq => IssueType::typed(value).as_str().to_owned(),
            Field::Assignee | Field::Author | Field::Owner if value == "me" => self.context.me.to_owned(),
            _ => value.to_owned(),
        };
        Ok(Expr::Is(field, op, Value::Text(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Expr, String> {
        let calendar = Calendar::utc(Instant::parse("2026-01-10T12:00:00Z").unwrap());
        parse(text, &QueryContext { me: "ann", calendar: &calendar }).map_err(|error| error.to_string())
    }

    #[test]
    fn terms_side_by_side_mean_and() {
        let expected = Expr::And(vec![
            Expr::text(Field::Status, "open"),
            Expr::Is(Field::Priority, Op::LessEq, Value::Number(1)),
            Expr::text(Field::Label, "x y"),
            Expr::Is(Field::Updated, Op::More, Value::Time(Instant::parse("2026-01-03T12:00:00Z").unwrap())),
            Expr::text(Field::Author, "ann"),
        ]);
        assert_eq!(read("status=open priority<=1 label='x y' updated>7d author=me"), Ok(expected.clone()));
        assert_eq!(read("status=open and priority<=P1 AND label=\"x y\" updated>7d author=me"), Ok(expected));
    }

    #[test]
    fn or_binds_weaker_and_brackets_group() {
        let (a, b, c) = (Expr::text(Field::Label, "a"), Expr::text(Field::Label, "b"), Expr::text(Field::Label, "c"));
        assert_eq!(
            read("label=a label=b or label=c"),
            Ok(Expr::Or(vec![Expr::And(vec![a.clone(), b.clone()]), c.clone()]))
        );
        assert_eq!(read("label=a (label=b or not label=c)"), Ok(Expr::And(vec![a, Expr::Or(vec![b, c.negate()])])));
        assert_eq!(
            read("status!=open,closed"),
            Ok(Expr::any_of(Field::Status, ["open".into(), "closed".into()]).negate())
        );
        assert_eq!(read("assignee=none"), Ok(Expr::Is(Field::Assignee, Op::Eq, Value::Nothing)));
        assert_eq!(read("crash"), Ok(Expr::contains(Field::Text, "crash")));
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        for (text, start) in [
            ("", "the query is empty"),
            ("colour=red", "unknown field \"colour\"; known: id title"),
            ("label<3", "label cannot be compared with \"<\""),
            ("updated>soon", "updated: \"soon\" is not a date"),
            ("priority=7", "invalid priority \"7\""),
            ("(label=a", "a bracket is not closed"),
            ("label='a", "a quote is not closed"),
            ("label=a or", "unexpected \"end of query\""),
            ("label=", "\"label=\" has no value"),
            (")", "unexpected \")\""),
        ] {
            assert!(read(text).is_err_and(|error| error.starts_with(start)), "{text}: {:?}", read(text));
        }
        assert!(read(&"(".repeat(100_000)).is_err());
    }
}
