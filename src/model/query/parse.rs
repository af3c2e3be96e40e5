//! Parses a query as people type it.

use super::{Expr, Field, Op, VISIBILITIES, Value, is_all, is_me, is_none};
use crate::model::field::{self, Kind};
use crate::model::issue::{IssueType, Priority, PriorityError, Status};
use crate::model::when::Calendar;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("the query is empty")]
    Empty,
    #[error("unknown field {name:?}; known: {}", known.join(" "))]
    UnknownField { name: String, known: Vec<&'static str> },
    #[error("invalid {field} {word:?}; known: {}", known.join(" "))]
    UnknownWord { field: String, word: String, known: Vec<&'static str> },
    #[error("{field} cannot be compared with {op:?}")]
    BadOperator { field: String, op: String },
    #[error("{field}: {value:?} is not a date")]
    BadDate { field: String, value: String },
    #[error("{field}: {value:?} is a moment, not a day; compare it with < or >")]
    Moment { field: String, value: String },
    #[error("{0}")]
    BadPriority(#[from] PriorityError),
    #[error("{0:?} has no value")]
    MissingValue(String),
    #[error("a condition is missing before {0:?}")]
    MissingCondition(String),
    #[error("a condition is missing at the end")]
    MissingAtEnd,
    #[error("unexpected {0:?}")]
    Unexpected(String),
    #[error("a quote is not closed")]
    OpenQuote,
    #[error("a bracket is not closed")]
    OpenBracket,
    #[error("brackets and `not` are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("the query has more than {MAX_CONDITIONS} conditions")]
    TooMany,
    #[error("no query is saved as @{name}{}", listed(known))]
    NotSaved { name: String, known: Vec<String> },
    #[error("the saved query @{} leads back to itself: @{}", chain[0], chain.join(" -> @"))]
    Circle { chain: Vec<String> },
    #[error("in the saved query @{name}: {source}")]
    Saved { name: String, source: Box<QueryError> },
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; known: @{}", known.join(" @")) }
}

/// What the words of a query refer to.
#[derive(Debug)]
pub struct QueryContext<'a> {
    pub me: &'a str,
    pub calendar: &'a Calendar,
    /// The user's saved queries, by name.
    pub saved: &'a [(String, String)],
}

pub fn parse(text: &str, context: &QueryContext<'_>) -> Result<Expr, QueryError> {
    Parser { rest: text.trim(), conditions: 0, context, within: Vec::new() }.whole(0)
}

const OPERATORS: &[&str] = &["!=", "<=", ">=", "=", "<", ">", "~", ":"];

/// The limit for nested brackets and `not`, and for the number of conditions: queries come from outside.
const MAX_DEPTH: usize = 32;
const MAX_CONDITIONS: usize = 1000;

/// A part of a query between blanks, brackets and operators.
struct Piece {
    text: String,
    quoted: bool,
}

struct Parser<'a> {
    /// The unparsed rest of the query; between two steps it does not begin with a blank.
    rest: &'a str,
    conditions: usize,
    context: &'a QueryContext<'a>,
    /// The saved queries that contain this one.
    within: Vec<String>,
}

impl Parser<'_> {
    fn whole(&mut self, depth: usize) -> Result<Expr, QueryError> {
        if self.rest.is_empty() {
            return Err(QueryError::Empty);
        }
        let expr = self.any(depth)?;
        match self.rest.chars().next() {
            None => Ok(expr),
            Some(c) => Err(QueryError::Unexpected(c.to_string())),
        }
    }

    /// Parses a saved query as if it were written here in brackets.
    fn saved(&mut self, name: &str, depth: usize) -> Result<Expr, QueryError> {
        let mut within = self.within.clone();
        within.push(name.to_owned());
        if self.within.iter().any(|known| known == name) {
            return Err(QueryError::Circle { chain: within });
        }
        let Some((_, text)) = self.context.saved.iter().find(|(known, _)| known == name) else {
            let known = self.context.saved.iter().map(|(known, _)| known.clone()).collect();
            return Err(QueryError::NotSaved { name: name.to_owned(), known });
        };
        let mut inner = Parser { rest: text.trim(), conditions: self.conditions, context: self.context, within };
        let expr = inner.whole(depth).map_err(|error| match error {
            error @ (QueryError::Circle { .. } | QueryError::Saved { .. }) => error,
            source => QueryError::Saved { name: name.to_owned(), source: Box::new(source) },
        });
        self.conditions = inner.conditions;
        expr
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    /// The next word, if it is `and`, `or` or `not`.
    fn keyword(&self) -> Option<&'static str> {
        let end = self.rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).unwrap_or(self.rest.len());
        ["and", "or", "not"].into_iter().find(|word| self.rest[..end].eq_ignore_ascii_case(word))
    }

    fn operator(&self) -> Option<&'static str> {
        OPERATORS.iter().copied().find(|op| self.rest.starts_with(op))
    }

    fn any(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.all(depth)?];
        while self.keyword() == Some("or") {
            self.advance("or".len());
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) })
    }

    fn all(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.one(depth)?];
        loop {
            if self.keyword() == Some("and") {
                self.advance("and".len());
            } else if self.rest.is_empty() || self.rest.starts_with(')') || self.keyword() == Some("or") {
                break;
            }
            parts.push(self.one(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) })
    }

    fn one(&mut self, depth: usize) -> Result<Expr, QueryError> {
        if depth > MAX_DEPTH {
            return Err(QueryError::TooDeep);
        }
        match (self.keyword(), self.rest.chars().next()) {
            (_, None) => Err(QueryError::MissingAtEnd),
            (Some("not"), _) => {
                self.advance("not".len());
                Ok(self.one(depth + 1)?.negate())
            }
            (Some(word), _) => Err(QueryError::MissingCondition(word.to_owned())),
            (None, Some(')')) => Err(QueryError::MissingCondition(")".to_owned())),
            (None, Some('(')) => {
                self.advance(1);
                let inner = self.any(depth + 1)?;
                if !self.rest.starts_with(')') {
                    return Err(QueryError::OpenBracket);
                }
                self.advance(1);
                Ok(inner)
            }
            (None, Some(_)) => self.term(depth),
        }
    }

    /// Text up to a blank, a closing bracket, or where `ends` is true; quoted parts are taken literally.
    fn piece(&mut self, ends: impl Fn(&str) -> bool) -> Result<Piece, QueryError> {
        let mut piece = Piece { text: String::new(), quoted: false };
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            if matches!(c, '"' | '\'') {
                piece.quoted = true;
                let inside = chars.by_ref().map(|(_, inner)| inner).take_while(|inner| *inner != c);
                let before = piece.text.len();
                piece.text.extend(inside);
                let closed = at + 1 + (piece.text.len() - before);
                if !self.rest[closed..].starts_with(c) {
                    return Err(QueryError::OpenQuote);
                }
            } else if c.is_whitespace() || c == ')' || ends(&self.rest[at..]) {
                end = at;
                break;
            } else {
                piece.text.push(c);
            }
        }
        self.rest = &self.rest[end..];
        Ok(piece)
    }

    fn term(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let starts_operator = |rest: &str| rest.starts_with('(') || OPERATORS.iter().any(|op| rest.starts_with(op));
        let name = self.piece(starts_operator)?;
        self.advance(0);
        let Some(op) = self.operator().filter(|_| !name.quoted) else {
            self.count()?;
            return match name.text.strip_prefix('@').filter(|saved| !saved.is_empty() && !name.quoted) {
                Some(saved) => self.saved(saved, depth + 1),
                None => Ok(Expr::contains(Field::Text, name.text)),
            };
        };
        if name.text.is_empty() {
            return Err(QueryError::Unexpected(op.to_owned()));
        }
        let name = name.text;
        let lower = name.to_ascii_lowercase();
        let Some(field) = Field::queried_as(&lower) else {
            return Err(QueryError::UnknownField { name, known: field::query_names() });
        };
        self.rest = &self.rest[op.len()..];
        let values = self.values(&name, op)?;
        let positive = match op {
            "!=" | "=" | ":" => {
                let parts = values.iter().map(|value| self.condition(field, &name, Op::Eq, value));
                let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
                if parts.len() == 1 { parts.remove(0) } else { Expr::Or(parts) }
            }
            "<" => self.condition(field, &name, Op::Less, &values[0])?,
            "<=" => self.condition(field, &name, Op::LessEq, &values[0])?,
            ">" => self.condition(field, &name, Op::More, &values[0])?,
            ">=" => self.condition(field, &name, Op::MoreEq, &values[0])?,
            _ => self.condition(field, &name, Op::Contains, &values[0])?,
        };
        Ok(if op == "!=" { positive.negate() } else { positive })
    }

    /// The right side of a comparison: one value, or several between commas where that means "one of these".
    fn values(&mut self, name: &str, op: &str) -> Result<Vec<String>, QueryError> {
        let is_list = matches!(op, "=" | "!=" | ":");
        let missing = || QueryError::MissingValue(format!("{name}{op}"));
        let mut values = Vec::new();
        loop {
            let has_blank = self.rest.starts_with(char::is_whitespace);
            self.advance(0);
            if self.keyword().is_some() || (has_blank && self.starts_term()) {
                return Err(missing());
            }
            if let Some(op) = self.operator().filter(|op| *op != ":") {
                return Err(QueryError::Unexpected(op.to_owned()));
            }
            let piece = self.piece(|rest| is_list && rest.starts_with(','))?;
            self.advance(0);
            if piece.text.is_empty() && !piece.quoted {
                return Err(missing());
            }
            self.count()?;
            values.push(piece.text);
            if !is_list || !self.rest.starts_with(',') {
                return Ok(values);
            }
            self.rest = &self.rest[1..];
        }
    }

    /// Whether the next condition begins here: a known field and an operator.
    fn starts_term(&self) -> bool {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (name, rest) = (self.rest[..end].to_ascii_lowercase(), self.rest[end..].trim_start());
        Field::queried_as(&name).is_some() && OPERATORS.iter().any(|op| rest.starts_with(op))
    }

    fn count(&mut self) -> Result<(), QueryError> {
        self.conditions += 1;
        if self.conditions > MAX_CONDITIONS { Err(QueryError::TooMany) } else { Ok(()) }
    }

    fn condition(&self, field: Field, name: &str, op: Op, value: &str) -> Result<Expr, QueryError> {
        let ordered = field.is_time() || field == Field::Priority;
        let comparing = matches!(op, Op::Less | Op::LessEq | Op::More | Op::MoreEq);
        if (comparing && !ordered) || (op == Op::Contains && ordered) {
            return Err(QueryError::BadOperator { field: name.to_owned(), op: sign(op).to_owned() });
        }
        if !field.row().always && op == Op::Eq && is_none(value) {
            return Ok(Expr::value(field, value));
        }
        if value.is_empty() {
            return Err(QueryError::MissingValue(format!("{name}{}", sign(op))));
        }
        if field.is_time() {
            let (field_name, text) = (name.to_owned(), value.to_owned());
            let Some(when) = self.context.calendar.parse(value, field.bare()) else {
                return Err(QueryError::BadDate { field: field_name, value: text });
            };
            // Nothing happens exactly three hours ago.
            if op == Op::Eq && when.day().is_none() && !value.contains(':') {
                return Err(QueryError::Moment { field: field_name, value: text });
            }
            return Ok(Expr::time(field, op, when));
        }
        let text = match field {
            Field::Priority => return Ok(Expr::Is(field, op, Value::Number(Priority::typed(value)?.number()))),
            // Every issue has a status, but this condition is about statuses, so no status is left out by default.
            Field::Status if op == Op::Eq && is_all(value) => return Ok(Expr::value(field, "none").negate()),
            Field::Status if op == Op::Eq => Status::typed(value).as_str().to_owned(),
            Field::Type if op == Op::Eq => IssueType::typed(value).as_str().to_owned(),
            Field::Visibility if op == Op::Eq => visibility(name, value)?,
            _ if field.row().kind == Kind::Person && is_me(value) => self.context.me.to_owned(),
            _ => value.to_owned(),
        };
        Ok(Expr::Is(field, op, Value::Text(text)))
    }
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

fn visibility(field: &str, word: &str) -> Result<String, QueryError> {
    let lower = word.to_lowercase();
    match VISIBILITIES.contains(&lower.as_str()) {
        true => Ok(lower),
        false => {
            let (field, word) = (field.to_owned(), word.to_owned());
            Err(QueryError::UnknownWord { field, word, known: VISIBILITIES.to_vec() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::query::folded;
    use crate::model::time::Instant;

    fn read(text: &str) -> Result<Expr, String> {
        let calendar = Calendar::utc(Instant::parse("2026-01-10T12:00:00Z").unwrap());
        let saved = [
            ("mine", "assignee=me or label=a"),
            ("top", "@mine priority<=1"),
            ("self", "x @self"),
            ("bad", "colour=red"),
        ];
        let (one, other) = (("a", "@b @b"), ("b", "not @a"));
        let saved: Vec<_> =
            saved.into_iter().chain([one, other]).map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        parse(text, &QueryContext { me: "ann", calendar: &calendar, saved: &saved }).map_err(|error| error.to_string())
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
    fn texts_compare_in_one_case() {
        for (text, same) in
            [("ÜBER", "über"), ("Ärger", "ÄRGER"), ("Привет", "ПРИВЕТ"), ("ΟΔΟΣ", "οδος"), ("A1-b", "a1-B")]
        {
            assert_eq!(folded(text), folded(same), "{text}");
        }
        assert!(folded("ΟΔΟΣΗΜΑ").contains(&folded("ΟΔΟΣ")), "a part is folded like the whole");
        assert_ne!(folded("über"), folded("uber"));
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
        assert!(read("status=ALL").is_ok_and(|all| all.mentions(Field::Status)));
        assert_eq!(read("crash"), Ok(Expr::contains(Field::Text, "crash")));
    }

    #[test]
    fn a_saved_query_is_in_brackets() {
        assert_eq!(read("label=x @mine"), read("label=x (assignee=ann or label=a)"));
        assert_eq!(read("not @top"), read("not ((assignee=ann or label=a) priority<=1)"));
        assert_eq!(read("'@mine'"), Ok(Expr::contains(Field::Text, "@mine")), "in quotes it is a text");
        for (text, message) in [
            ("@nosuch", "no query is saved as @nosuch; known: @mine @top @self @bad @a @b"),
            ("@self", "the saved query @self leads back to itself: @self -> @self"),
            ("@a", "the saved query @a leads back to itself: @a -> @b -> @a"),
            ("@bad or x", "in the saved query @bad: unknown field \"colour\""),
        ] {
            assert!(read(text).is_err_and(|error| error.starts_with(message)), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn blanks_may_stand_around_operators() {
        for (text, same) in [
            ("title ~ login", "title~login"),
            ("title~ login", "title~login"),
            ("  ( label = 'x y' )and not type!= bug ", "(label='x y') and not type!=bug"),
            ("label = a , b type=bug", "label=a,b type=bug"),
            ("status:open,closed", "status = open,closed"),
        ] {
            assert_eq!(read(text), read(same), "{text}");
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
        assert_eq!(read("label='a,b'"), Ok(Expr::text(Field::Label, "a,b")), "a comma in quotes is a comma");
        assert_eq!(read("label=discovered:blocker"), Ok(Expr::text(Field::Label, "discovered:blocker")));
        assert_eq!(read("title~a,b"), Ok(Expr::contains(Field::Title, "a,b")));
        assert_eq!(read("'status=open'"), Ok(Expr::contains(Field::Text, "status=open")));
        assert_eq!(read("assignee=@me"), read("assignee=me"));
    }

    #[test]
    fn dates_compare_as_days() {
        let at = |text: &str| Value::Time(Instant::parse(text).unwrap());
        let is = |field, op, text: &str| Ok(Expr::Is(field, op, at(text)));
        let day = |field, start: &str, end: &str| {
            Ok(Expr::And(vec![Expr::Is(field, Op::MoreEq, at(start)), Expr::Is(field, Op::Less, at(end))]))
        };
        use Field::{Created, Due};
        assert_eq!(read("created=today"), day(Created, "2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"));
        assert_eq!(read("created=2d"), day(Created, "2026-01-08T00:00:00Z", "2026-01-09T00:00:00Z"));
        assert_eq!(read("created!=today").unwrap(), read("created=today").unwrap().negate());
        assert_eq!(read("created<today"), is(Created, Op::Less, "2026-01-10T00:00:00Z"));
        assert_eq!(read("created<=today"), is(Created, Op::Less, "2026-01-11T00:00:00Z"));
        assert_eq!(read("created>2026-01-05"), is(Created, Op::MoreEq, "2026-01-06T00:00:00Z"));
        assert_eq!(read("created>=2026-01-05"), is(Created, Op::MoreEq, "2026-01-05T00:00:00Z"));
        assert_eq!(read("created>3h"), is(Created, Op::More, "2026-01-10T09:00:00Z"));
        assert_eq!(read("due<7d"), is(Due, Op::Less, "2026-01-17T00:00:00Z"), "ahead");
        assert_eq!(read("due<=7d"), is(Due, Op::Less, "2026-01-18T00:00:00Z"));
        assert_eq!(read("due>-7d"), is(Due, Op::MoreEq, "2026-01-04T00:00:00Z"));
        assert_eq!(read("due=none"), Ok(Expr::Is(Due, Op::Eq, Value::Nothing)));
    }

    #[test]
    fn refusals_say_what_is_wrong() {
        for (text, start) in [
            ("", "the query is empty"),
            (" ", "the query is empty"),
            ("colour=red", "unknown field \"colour\"; known: id title"),
            ("a=b or", "unknown field \"a\""),
            ("label<3", "label cannot be compared with \"<\""),
            ("updated>soon", "updated: \"soon\" is not a date"),
            ("created=3h", "created: \"3h\" is a moment"),
            ("priority=7", "invalid priority \"7\""),
            ("priority=none", "invalid priority \"none\""),
            ("visibility=locl", "invalid visibility \"locl\"; known: local proposed canonical"),
            ("(label=a", "a bracket is not closed"),
            ("label='a", "a quote is not closed"),
            ("label=\"a' b", "a quote is not closed"),
            ("label=a or", "a condition is missing at the end"),
            ("label=a and or label=b", "a condition is missing before \"or\""),
            ("not", "a condition is missing at the end"),
            ("()", "a condition is missing before \")\""),
            (")", "a condition is missing before \")\""),
            ("label=a)", "unexpected \")\""),
            ("label=", "\"label=\" has no value"),
            ("label= type=bug", "\"label=\" has no value"),
            ("(label=) or x", "\"label=\" has no value"),
            ("title= or type=bug", "\"title=\" has no value"),
            ("label=a,", "\"label=\" has no value"),
            ("label=,a", "\"label=\" has no value"),
            ("status=''", "\"status=\" has no value"),
            ("title==x", "unexpected \"=\""),
            ("=x", "unexpected \"=\""),
        ] {
            assert!(read(text).is_err_and(|error| error.starts_with(start)), "{text}: {:?}", read(text));
        }
        for (text, start) in [
            ("(".repeat(100_000), "brackets and `not` are nested"),
            ("not ".repeat(100_000), "brackets and `not` are nested"),
            ("x ".repeat(5_000), "the query has more than 1000 conditions"),
            (format!("label={}", "x,".repeat(5_000)), "the query has more than 1000 conditions"),
        ] {
            assert!(read(&text).is_err_and(|error| error.starts_with(start)), "{:?}", read(&text));
        }
    }
}
